/* Operators whose streams meet in the routers, without processors between them, along a tree over the subset.
 *
 * str_collect: a stream from every node to its parent, which goes on in the parent's own: a word of any node comes to
 *     the constant destination, whose register all last streams share. Cost: 2 to 4 cycles a word, a cycle a link.
 * str_barrier: streams towards the subset's middle and a multicast back. The streams carry two commands, for the router
 *     of the parent: the first one opens the next child's, or, from the last child, the parent's own; the second one
 *     closes the stream itself. A processor opens its first child's and hands its two words over. Cost: a word
 *     for each child of the nodes on the longest way; no processor is waited for once it has entered.
 * Source: document 004, appendix B (B.1 and build_tree) and 7.1.4. */
#include <math.h>
#include <stdlib.h>

#include "predict/cop/build_tree.h"
#include "predict/cop/implement_private.h"
#include "runtime/base/allocate.h"

enum { CHILDREN = 3 };
/* A VFSM that has programmed itself runs with what it programmed no sooner than four cycles later. */
static const double CLOSING_BANDWIDTH = 0.25;

/* Which nodes write, by number; NULL: all. The caller frees. */
static bool *valid_nodes(const bmf_cop_operator *op, int64_t i)
{
    if (op->valids == 0)
        return NULL;
    bool *valid = allocate_clear(op->instance[i].nodes, sizeof *valid);
    for (int64_t k = 0; k < op->valids; k++)
        if (op->valid[k] < op->instance[i].nodes)
            valid[op->valid[k]] = true;
    return valid;
}

static int64_t root_of(const bmf_cop_operator *op, int64_t i)
{
    return op->kind == BMF_COP_COLLECT ? op->instance[i].operand[0].value : op->instance[i].nodes / 2;
}

/* With three children and any distance there is always a tree. */
static int64_t *tree_of(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i)
{
    bool *valid = op->kind == BMF_COP_COLLECT ? valid_nodes(op, i) : NULL;
    int64_t *parent = cop_build_tree(mesh, &op->instance[i], valid, root_of(op, i), CHILDREN, INT64_MAX);
    free(valid);
    return parent;
}

static void add_upward(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    int64_t *parent = tree_of(mesh, op, i);
    for (int64_t k = 0; k < instance->nodes; k++)
        if (parent[k] >= 0)
            cop_add_joint(streams, i, instance->node[k], instance->node[parent[k]]);
    free(parent);
}

typedef struct tree_size {
    int64_t children; /* most of a node */
    int64_t links;    /* of the longest way to the root */
    int64_t waits;    /* children of all nodes on a way, one after the other; the most */
} tree_size;

static tree_size measure_tree(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    tree_size size = {0};
    for (int64_t i = 0; i < op->instances; i++) {
        const bmf_cop_instance *instance = &op->instance[i];
        int64_t *parent = tree_of(mesh, op, i), *children = allocate_clear(instance->nodes, sizeof *children);
        for (int64_t k = 0; k < instance->nodes; k++)
            if (parent[k] >= 0 && ++children[parent[k]] > size.children)
                size.children = children[parent[k]];
        for (int64_t k = 0; k < instance->nodes; k++) {
            int64_t links = 0, waits = 0;
            for (int64_t at = k; parent[at] >= 0; at = parent[at]) {
                links += mesh_distance(mesh, instance->node[at], instance->node[parent[at]]);
                waits += children[parent[at]];
            }
            size.links = links > size.links ? links : size.links;
            size.waits = waits > size.waits ? waits : size.waits;
        }
        free(parent);
        free(children);
    }
    return size;
}

/* All ends on a node are in one pipeline. */
static double bandwidth_of(const tree_size *size)
{
    return fmin(0.5, 1.0 / (double)(size->children + 1));
}

/* ---- collect ---- */

static const char *needs_constant_destination(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    return op->instance[0].operand[0].runtime ? "needs a constant destination" : NULL;
}

static void collect_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                           bmf_cop_metric *metric)
{
    const tree_size size = measure_tree(mesh, op);
    cop_usual_metric(mesh, op, streams, metric);
    metric->links = metric->hop_links = size.links;
    metric->max_bandwidth = bandwidth_of(&size);
    metric->passes = true; /* only the writer and the destination wait for words */
    metric->ends_only = true;
}

const bmf_cop_implementation cop_str_collect = {.name = "str_collect",
                                                .kind = BMF_COP_COLLECT,
                                                .what = "streams up a tree that go on in each other",
                                                .joints = BMF_COP_JOINED,
                                                .refuse = needs_constant_destination,
                                                .streams = add_upward,
                                                .metric = collect_metric};

/* ---- barrier ---- */

static const char *never(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh, (void)op;
    return NULL;
}

static void barrier_streams(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    add_upward(mesh, op, i, streams);
    cop_add_multicast(streams, i, instance->node[root_of(op, i)], instance->nodes, instance->node, false);
}

static void barrier_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                           bmf_cop_metric *metric)
{
    const tree_size size = measure_tree(mesh, op);
    cop_usual_metric(mesh, op, streams, metric);
    metric->messages = size.waits + 1;
    metric->links = size.links + metric->hop_links;
    metric->max_bandwidth = fmin(CLOSING_BANDWIDTH, bandwidth_of(&size));
    metric->any_length_syncs = cop_are_boxes(mesh, op); /* all wait for the multicast, and nothing else passes */
    metric->passes = !metric->any_length_syncs;
}

const bmf_cop_implementation cop_str_barrier = {.name = "str_barrier",
                                                .kind = BMF_COP_BARRIER,
                                                .what = "streams that open each other in the routers, then a broadcast",
                                                .joints = BMF_COP_GATED,
                                                .refuse = never,
                                                .streams = barrier_streams,
                                                .metric = barrier_metric};
