/* The fixed tree: how reductions and scans associate, whatever the number of ranks, threads and processors.
 *
 * Node (k, j) covers elements [j 2^k, (j+1) 2^k) of the whole list; its value is that of (k-1, 2j) op (k-1, 2j+1). The
 * fold of elements [0, m) takes the nodes of m's binary digits from the largest down and combines them from the left:
 * ((N_0 op N_1) op N_2) .. . A reduction is the fold of [0, n), scans are folds of [0, i). None of this depends on who
 * computes what, so results have the same bits everywhere (docs/reproducible.md).
 *
 * Reductions by an operator with fold_columns have another tree below nodes of 64 elements: the block, read as rows of
 * 8, is folded by pairs of rows and then by pairs of columns. An incomplete block at the end of the list is folded
 * alike; what has no partner stays as it is. Its value is the last one of the fold.
 *
 * A forest is the partial result of any range [begin, end): the values of the largest complete nodes in it, left to
 * right, at most 2 log2(n) of them. Appending a neighbour's forest merges sibling nodes; that is exactly associative
 * even for reals. For exact operators (BMF_EXACT) all values in a forest merge into one. Where blocks go by columns, a
 * node below 64 elements has no value of its own: its elements travel as they are. Private to skeletons. */
#ifndef BMF_TREE_H
#define BMF_TREE_H

#include "bmf/kernel.h"
#include "skeletons/engine/source.h"

/* Elements and blocks that are folded together. Blocks are short because memory has nothing to do while the upper
 * levels of one are folded; of 256, 512 and 1024 elements, 512 is best with two threads (as fast as the free mode). */
enum { BMF_FOLD_BLOCK = 512, BMF_GROUP_BLOCKS = 64 };
/* Bytes of a scalar; of a record, for blocks to be folded by functions of the operator. */
enum { BMF_LARGEST_SCALAR = 16, BMF_LARGEST_IN_BLOCKS = 64 };

/* An operator made ready: layout of its records and room for every worker's blocks. */
typedef struct bmf_tree {
    const bmf_operator *op;
    int leaves;
    int64_t leaf_size[BMF_MAX_LEAVES];
    int64_t offset[BMF_MAX_LEAVES]; /* of the leaves in a record */
    int64_t record;                 /* bytes of a record */
    bool exact;                     /* any association will do: forests are one value */
    bool reassociate;               /* any order will do too (or the free mode is on): op->reassociate folds blocks */
    bool by_columns;                /* blocks of BMF_COLUMN_BLOCK elements go by columns */
    bmf_fold_blocks *fold_blocks;   /* op->fold_rows or op->fold_columns, or NULL: elements are folded level by level */
    int64_t block_node;             /* elements whose 8 values a block are folded together */
    char **scratch;                 /* by worker: levels and the way down */
    char **records;                 /* by worker: BMF_GROUP_BLOCKS records, then the values of blocks */
    int workers;
} bmf_tree;

typedef struct bmf_forest_node {
    int64_t start;
    int level;
} bmf_forest_node;

typedef struct bmf_forest {
    int64_t begin, end;
    int nodes, capacity;
    bmf_forest_node *node;
    int64_t records, room; /* values: one a node, or its elements; how many there is room for */
    char *value;           /* records of them */
    char *prefix;          /* record k: the fold of nodes 0 .. k; kept only by forests that scans run on (begin = 0) */
} bmf_forest;

/* Checks the operator against the element type; `skeleton` is for messages. */
int tree_open(bmf_tree *tree, bmf_context *ctx, const char *skeleton, const bmf_operator *op, const bmf_type *type);
/* The same for a reduction: an operator that has fold_columns is used by columns. */
int tree_open_reduction(bmf_tree *tree, bmf_context *ctx, const char *skeleton, const bmf_operator *op,
                        const bmf_type *type);
void tree_close(bmf_tree *tree);

/* Slices of one record. */
void tree_record(const bmf_tree *tree, void *record, bmf_slice slice[BMF_MAX_LEAVES]);
/* Writes a record as element `at` of an array of leaves. */
void tree_put(const bmf_tree *tree, const void *record, const bmf_slice *to, int64_t at);
/* out = a op b on records; out may be a or b. Returns 0 or the operator's failure code. */
int tree_combine(const bmf_tree *tree, const void *a, const void *b, void *out);

/* Are these elements one plain array of scalars or structs? */
static inline bool tree_is_plain(const bmf_tree *tree, const bmf_slice *x)
{
    return tree->leaves == 1 && x[0].stride == tree->leaf_size[0];
}
void tree_copy(const bmf_tree *tree, int64_t count, const bmf_slice *from, const bmf_slice *to);
/* By columns: the value of a block of 1 <= count <= BMF_COLUMN_BLOCK elements, which it overwrites. */
int tree_fold_incomplete(const bmf_tree *tree, int64_t count, void *elements, void *record);
/* Folds a block of 2^k <= BMF_BLOCK elements into a record, keeping the levels in the worker's scratch for scan. */
int tree_fold(const bmf_tree *tree, int worker, int64_t count, const bmf_slice *x, void *record);
/* After fold of the same block: its exclusive (last NULL) or inclusive (last: the fold up to its end) scan into out,
 * which does not overlap x. prefix: the fold of everything before the block, or NULL at element 0; exclusive out[0] is
 * then undefined. */
int tree_scan(const bmf_tree *tree, int worker, int64_t count, const bmf_slice *x, const void *prefix, const void *last,
              const bmf_slice *out);

/* The next whole node at `begin`: the largest 2^k elements <= BMF_BLOCK that start and end where a node does. */
int64_t tree_block(int64_t begin, int64_t end);
/* Values a forest over [begin, end) has. */
int64_t forest_records(const bmf_tree *tree, int64_t begin, int64_t end);

void forest_start(bmf_forest *forest, int64_t begin);
/* A forest for scans of a node at `begin`, behind the fold of everything before it; NULL: nothing. */
void forest_start_behind(const bmf_tree *tree, bmf_forest *forest, int64_t begin, const void *before);
void forest_free(bmf_forest *forest);
/* Adds the value (or the elements) of the node of `count` (a power of two) elements that starts at the forest's end.
 * With `scanning` the prefixes are kept up too. Returns 0 or the operator's failure code. */
int forest_push(const bmf_tree *tree, bmf_forest *forest, int64_t count, const void *record, bool scanning);
/* Room for the record of the node that is pushed next, or appended, which is not copied when it is given from there.
 * Valid until then. For records that are large; not of forests that scans run on. */
char *forest_next(const bmf_tree *tree, bmf_forest *forest);
/* The fold of all nodes of a forest that scans run on; NULL: it has none. Valid until the next push. */
const char *forest_top(const bmf_tree *tree, const bmf_forest *forest);
/* The scan of a block x of 2^k <= BMF_BLOCK elements, the forest's next node, which is pushed; out does not overlap x.
 * room: two records. Of an exclusive scan that begins with an empty forest, out[0] is undefined. Returns 0 or the
 * operator's failure code. */
int forest_scan(const bmf_tree *tree, bmf_forest *before, int worker, int64_t count, const bmf_slice *x, bool inclusive,
                char *room, const bmf_slice *out);
/* Appends the values of another forest that starts at this one's end. */
int forest_append(const bmf_tree *tree, bmf_forest *forest, int64_t end, const char *values, bool scanning);
/* Folds all elements of the source in [begin, end) onto the forest, whose end is begin. Returns 0, or the failure code
 * of the source or of the operator. */
int forest_fold(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker, int64_t begin,
                int64_t end);
/* Copies the fold of a forest that begins at 0 and is not empty. */
int forest_total(const bmf_tree *tree, const bmf_forest *forest, void *record);
void forest_copy(const bmf_tree *tree, const bmf_forest *from, bmf_forest *to);

#endif
