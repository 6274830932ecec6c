/* Forests of tables; see forest.h.
 *
 * Method: a push joins siblings like the carries of a binary counter.
 * Cost: amortised one join a push; what is appended is moved by its addresses. */
#include "skeletons/by_key/forest.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

enum { FEW_BLOCKS = 64 };

int table_forest_most(const bmf_by_key *by, int64_t begin, int64_t end)
{
    int64_t most = 1;
    if (by->table.exact)
        return 2;
    if (end - begin > FEW_BLOCKS)
        return 2 * (64 - __builtin_clzll((unsigned long long)(end - begin))) + 1;
    for (int64_t k = begin + 1; k < end; k++) {
        const int64_t nodes = forest_records(&by->table, begin, k);
        most = nodes + 1 > most ? nodes + 1 : most;
    }
    return (int)most;
}

void table_forest_open(bmf_table_forest *forest, const bmf_by_key *by, int64_t begin, int tables, char *memory,
                       char *first)
{
    const int all = tables + (first ? 1 : 0);
    *forest = (bmf_table_forest){.begin = begin,
                                 .end = begin,
                                 .spares = all,
                                 .node = allocate(all * (int64_t)sizeof *forest->node),
                                 .spare = allocate(all * (int64_t)sizeof *forest->spare)};
    for (int k = 0; k < tables; k++)
        forest->spare[k] = memory + k * by->table.record;
    if (first)
        forest->spare[tables] = first;
}

void table_forest_close(bmf_table_forest *forest)
{
    free(forest->node);
    free(forest->spare);
    *forest = (bmf_table_forest){0};
}

static bool are_siblings(const bmf_table_node *left, const bmf_table_node *right)
{
    return left->level == right->level && (left->start >> left->level) % 2 == 0;
}

/* Joins the last nodes as far as the tree does. When the operator fails the forest keeps its shape all the same. */
static int settle(const bmf_by_key *by, bmf_table_forest *forest)
{
    int code = 0;
    while (forest->nodes > 1) {
        const bmf_table_node *right = &forest->node[forest->nodes - 1];
        bmf_table_node *left = &forest->node[forest->nodes - 2];
        if (!by->table.exact && !are_siblings(left, right))
            break;
        const int failed = by_key_join(by, left->table, right->table);
        code = code ? code : failed;
        forest->spare[forest->spares++] = right->table;
        left->level++;
        forest->nodes--;
    }
    return code;
}

int table_forest_push(const bmf_by_key *by, bmf_table_forest *forest, int64_t end, const char *table)
{
    char *next = forest->spare[--forest->spares];
    const int level = by->table.exact ? 0 : __builtin_ctzll((unsigned long long)(end - forest->end));
    if (table != next)
        memcpy(next, table, (size_t)by->table.record);
    forest->node[forest->nodes++] = (bmf_table_node){forest->end, level, next};
    forest->end = end;
    return settle(by, forest);
}

int table_forest_append(const bmf_by_key *by, bmf_table_forest *forest, bmf_table_forest *right)
{
    const int before = forest->nodes + forest->spares, all = before + right->nodes + right->spares;
    int code = 0;
    forest->node = reallocate_array(forest->node, forest->nodes, all, (int64_t)sizeof *forest->node);
    forest->spare = reallocate_array(forest->spare, forest->spares, all, (int64_t)sizeof *forest->spare);
    for (int k = 0; k < right->spares; k++)
        forest->spare[forest->spares++] = right->spare[k];
    for (int k = 0; k < right->nodes; k++) {
        forest->node[forest->nodes++] = right->node[k];
        const int failed = settle(by, forest);
        code = code ? code : failed;
    }
    forest->end = right->end;
    right->nodes = right->spares = 0;
    return code;
}

int table_forest_total(const bmf_by_key *by, bmf_table_forest *forest, char *results)
{
    char *total = forest->node[0].table;
    int code = 0;
    for (int k = 1; k < forest->nodes && code == 0; k++)
        code = by_key_join(by, total, forest->node[k].table);
    if (total != results)
        memcpy(results, total, (size_t)by->table.record);
    return code;
}
