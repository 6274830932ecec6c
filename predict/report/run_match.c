/* The same places of a program in two runs of it.
 *
 * Method: names and nodes of one run go into hash tables by their texts and by (parent, name, kind); parents have lower
 * numbers than their children, so one pass finds every node after its parent. Cost: expected linear.
 */
#include "predict/report/run_match.h"
#include "runtime/base/allocate.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "runtime/base/table.h"

/* What is looked up in a run. */
typedef struct wanted {
    const bmf_trace_run *run;
    const char *text;
    bmf_trace_node node;
} wanted;

static bool is_name(const void *looked_up, uint32_t number)
{
    const wanted *w = looked_up;
    return strcmp(w->run->name[number], w->text) == 0;
}

static bool is_node(const void *looked_up, uint32_t number)
{
    const wanted *w = looked_up;
    const bmf_trace_node *node = &w->run->node[number];
    return node->parent == w->node.parent && node->name == w->node.name && node->kind == w->node.kind;
}

static uint64_t hash_node(bmf_trace_node node)
{
    return hash_word(((uint64_t)node.parent << 32 | node.name) + node.kind);
}

/* Names are looked up once each, not once a node. */
static void fill_matches(const bmf_trace_run *from, const bmf_trace_run *to, bmf_table *names, bmf_table *nodes,
                         uint32_t *name_match, uint32_t *match)
{
    wanted w = {.run = to};
    for (uint32_t k = 0; k < to->names; k++)
        table_add(names, hash_text(to->name[k]), k);
    for (uint32_t k = 1; k < to->nodes; k++)
        table_add(nodes, hash_node(to->node[k]), k);
    for (uint32_t k = 0; k < from->names; k++) {
        w.text = from->name[k];
        name_match[k] = (uint32_t)table_find(names, hash_text(w.text), is_name, &w);
    }
    match[0] = 0;
    for (uint32_t k = 1; k < from->nodes; k++) {
        w.node = (bmf_trace_node){
            .parent = match[from->node[k].parent], .name = name_match[from->node[k].name], .kind = from->node[k].kind};
        const bool known = w.node.parent != UINT32_MAX && w.node.name != UINT32_MAX;
        match[k] = known ? (uint32_t)table_find(nodes, hash_node(w.node), is_node, &w) : UINT32_MAX;
    }
}

uint32_t *node_matches(const bmf_trace_run *from, const bmf_trace_run *to)
{
    bmf_table names = {0}, nodes = {0};
    uint32_t *name_match = allocate_array(from->names, (int64_t)sizeof *name_match);
    uint32_t *match = allocate_array(from->nodes, (int64_t)sizeof *match);
    table_make_room(&names, to->names);
    table_make_room(&nodes, to->nodes);
    fill_matches(from, to, &names, &nodes, name_match, match);
    table_free(&names);
    table_free(&nodes);
    free(name_match);
    return match;
}

int same_program(const bmf_trace_run *from, const bmf_trace_run *to, const uint32_t *match)
{
    if (from->nodes < 2 || to->nodes < 2)
        return BMF_OK;
    for (uint32_t k = 1; k < from->nodes; k++)
        if (match[k] != UINT32_MAX)
            return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                    "the traces are of different programs ('%s' and '%s'): they have no region or call in common",
                    from->program, to->program);
}

int64_t run_latest_end(const bmf_trace_run *run)
{
    int64_t end = 0;
    for (int64_t k = 0; k < run->events; k++)
        end = run->event[k].end > end ? run->event[k].end : end;
    return end;
}

int64_t *lane_starts(const bmf_trace_run *run)
{
    int64_t *start = allocate_array((int64_t)run->lanes + 1, (int64_t)sizeof *start), event = 0;
    for (int32_t lane = 0; lane <= run->lanes; lane++) {
        while (event < run->events && run->event[event].lane < lane)
            event++;
        start[lane] = event;
    }
    return start;
}
