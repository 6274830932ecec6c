/* The same places of a program in two runs of it.
 *
 * Method: names and nodes of one run go into hash tables by their texts and by (parent, name, kind); parents have lower
 * numbers than their children, so one pass finds every node after its parent. Cost: expected linear.
 */
#include "predict/report/run_match.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

/* Numbers + 1 by hash; 0 is a free slot. */
typedef struct table {
    uint32_t *slot;
    uint64_t mask;
} table;

static table make_table(uint32_t count)
{
    uint64_t slots = FIRST_SLOTS;
    while (slots < 2 * (uint64_t)count)
        slots *= 2;
    return (table){calloc(slots, sizeof(uint32_t)), slots - 1};
}

static uint64_t hash_text(const char *text)
{
    uint64_t h = 0xcbf29ce484222325U;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3U;
    return h ^ (h >> 32);
}

static uint64_t hash_node(uint32_t parent, uint32_t name, uint32_t kind)
{
    uint64_t h = ((uint64_t)parent << 32 | name) * 0x9e3779b97f4a7c15U + kind;
    return (h ^ (h >> 31)) * 0xd6e8feb86659fd93U >> 16;
}

static void enter(const table *t, uint64_t hash, uint32_t number)
{
    uint64_t at = hash & t->mask;
    while (t->slot[at])
        at = (at + 1) & t->mask;
    t->slot[at] = number + 1;
}

static uint32_t find_name(const table *t, const bmf_run *run, const char *text)
{
    for (uint64_t at = hash_text(text) & t->mask; t->slot[at]; at = (at + 1) & t->mask)
        if (strcmp(run->name[t->slot[at] - 1], text) == 0)
            return t->slot[at] - 1;
    return UINT32_MAX;
}

static uint32_t find_node(const table *t, const bmf_run *run, bmf_trace_node wanted)
{
    uint64_t at = hash_node(wanted.parent, wanted.name, wanted.kind) & t->mask;
    for (; t->slot[at]; at = (at + 1) & t->mask) {
        const bmf_trace_node *node = &run->node[t->slot[at] - 1];
        if (node->parent == wanted.parent && node->name == wanted.name && node->kind == wanted.kind)
            return t->slot[at] - 1;
    }
    return UINT32_MAX;
}

/* Names are looked up once each, not once a node. */
static void fill_twins(const bmf_run *from, const bmf_run *to, const table *names, const table *nodes,
                       uint32_t *name_twin, uint32_t *twin)
{
    for (uint32_t k = 0; k < to->names; k++)
        enter(names, hash_text(to->name[k]), k);
    for (uint32_t k = 1; k < to->nodes; k++)
        enter(nodes, hash_node(to->node[k].parent, to->node[k].name, to->node[k].kind), k);
    for (uint32_t k = 0; k < from->names; k++)
        name_twin[k] = find_name(names, to, from->name[k]);
    twin[0] = 0;
    for (uint32_t k = 1; k < from->nodes; k++) {
        bmf_trace_node wanted = {
            .parent = twin[from->node[k].parent], .name = name_twin[from->node[k].name], .kind = from->node[k].kind};
        bool known = wanted.parent != UINT32_MAX && wanted.name != UINT32_MAX;
        twin[k] = known ? find_node(nodes, to, wanted) : UINT32_MAX;
    }
}

uint32_t *node_twins(const bmf_run *from, const bmf_run *to)
{
    table names = make_table(to->names), nodes = make_table(to->nodes);
    uint32_t *name_twin = malloc(from->names * sizeof *name_twin), *twin = malloc(from->nodes * sizeof *twin);
    bool complete = names.slot && nodes.slot && name_twin && twin;
    if (complete)
        fill_twins(from, to, &names, &nodes, name_twin, twin);
    free(names.slot);
    free(nodes.slot);
    free(name_twin);
    if (complete)
        return twin;
    free(twin);
    return NULL;
}

int same_program(const bmf_run *from, const bmf_run *to, const uint32_t *twin)
{
    if (from->nodes < 2 || to->nodes < 2)
        return BMF_OK;
    for (uint32_t k = 1; k < from->nodes; k++)
        if (twin[k] != UINT32_MAX)
            return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                    "the traces are of different programs ('%s' and '%s'): they have no region or call in common",
                    from->program, to->program);
}

int64_t run_end(const bmf_run *run)
{
    int64_t end = 0;
    for (int64_t k = 0; k < run->events; k++)
        end = run->event[k].end > end ? run->event[k].end : end;
    return end;
}

int64_t *lane_starts(const bmf_run *run)
{
    int64_t *start = malloc(((size_t)run->lanes + 1) * sizeof *start), event = 0;
    for (int32_t lane = 0; start && lane <= run->lanes; lane++) {
        while (event < run->events && run->event[event].lane < lane)
            event++;
        start[lane] = event;
    }
    return start;
}
