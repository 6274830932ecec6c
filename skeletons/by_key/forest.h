/* Forests of tables: what a forest of the fixed tree is (skeletons/engine/tree.h), of values that are long and stay
 * where they were filled. Joining two tables leaves the result in the left one, and the right one is free to be filled
 * again. Private to skeletons/by_key. */
#ifndef BMF_BY_KEY_FOREST_H
#define BMF_BY_KEY_FOREST_H

#include "skeletons/by_key/tables.h"

typedef struct bmf_table_node {
    int64_t start;
    int level; /* means nothing for exact operators */
    char *table;
} bmf_table_node;

typedef struct bmf_table_forest {
    int64_t begin, end; /* numbers of blocks; of elements if the operator is exact */
    int nodes, spares;
    bmf_table_node *node;
    char **spare; /* tables that are free; the last one is taken next */
} bmf_table_forest;

/* Tables that are alive at once while those of the blocks [begin, end) are pushed one by one, with the one that is
 * being filled. */
int table_forest_most(const bmf_by_key *by, int64_t begin, int64_t end);
/* With `tables` tables in memory, one behind the other. first: one more, which is taken first and so becomes that of
 * the first node; or NULL. */
void table_forest_open(bmf_table_forest *forest, const bmf_by_key *by, int64_t begin, int tables, char *memory,
                       char *first);
void table_forest_close(bmf_table_forest *forest);

/* The table to fill next. */
static inline char *table_forest_next(const bmf_table_forest *forest)
{
    return forest->spare[forest->spares - 1];
}
/* Adds the table of what lies between the forest's end and `end`, a node of the tree or, exact, any elements: the next
 * one, or a copy. Returns 0 or the operator's failure code. */
int table_forest_push(const bmf_by_key *by, bmf_table_forest *forest, int64_t end, const char *table);
/* Moves the nodes of the forest that begins where the other one ends behind it. */
int table_forest_append(const bmf_by_key *by, bmf_table_forest *forest, bmf_table_forest *right);
/* The fold of a forest that begins at 0 and is not empty, which is left with one node: copied to `results` unless it
 * stands there. */
int table_forest_total(const bmf_by_key *by, bmf_table_forest *forest, char *results);

#endif
