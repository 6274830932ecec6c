/* Reductions, prefixes, barriers: along a tree, processors combine.
 *
 * str_reduce: streams up a balanced tree over the subset whose in-order numbering is the subset's, rooted at a constant
 * destination. repl_runtime_reduce: rooted at node 0, then along a snake to the destination. repl_allreduce: rooted at
 * the middle, then a multicast stream. str_prefix: up the tree and down again, one stream a child. A barrier is an
 * allreduce of a word without a function.
 * Cost: a message for each level of the tree. Source: document 004, 8.2 and appendix B. */
#include <stdlib.h>

#include "predict/cop/implement_private.h"
#include "runtime/base/allocate.h"

static int64_t depth_of(int64_t nodes, int64_t root)
{
    int64_t longer = root > nodes - 1 - root ? root : nodes - 1 - root, depth = 0;
    for (; longer > 0; longer /= 2)
        depth++;
    return depth;
}

static void tree_streams(const bmf_cop_operator *op, int64_t i, int64_t root, bool up, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    int64_t *parent = allocate(instance->nodes * (int64_t)sizeof *parent);
    const int64_t last = depth_of(instance->nodes, root);
    cop_balanced_tree(instance->nodes, root, parent);
    for (int64_t k = 0; k < instance->nodes; k++) {
        int64_t depth = 0;
        for (int64_t at = k; parent[at] >= 0; at = parent[at])
            depth++;
        if (depth == 0)
            continue;
        cop_add_stream(streams, i, instance->node[up ? k : parent[k]], instance->node[up ? parent[k] : k]);
        streams->stream[streams->count - 1].stage = up ? 1 + last - depth : last + depth;
    }
    free(parent);
}

/* A multicast behind all others. */
static void add_last(const bmf_cop_operator *op, int64_t i, int64_t from, bmf_cop_streams *streams)
{
    const int64_t before = streams->count;
    cop_add_multicast(streams, i, from, op->instance[i].nodes, op->instance[i].node, false);
    if (streams->count > before)
        streams->stream[before].stage = op->instance[i].nodes;
}

static void tree_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                        int64_t sweeps, bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    metric->messages = 1;
    for (int64_t i = 0; i < op->instances; i++) {
        const int64_t nodes = op->instance[i].nodes;
        const int64_t root = op->kind == BMF_COP_REDUCE && !op->instance[i].operand[0].runtime
                                 ? op->instance[i].operand[0].value
                             : op->kind == BMF_COP_REDUCE ? 0
                                                          : nodes / 2;
        const int64_t messages = sweeps * depth_of(nodes, root);
        metric->messages = messages > metric->messages ? messages : metric->messages;
    }
    metric->links = metric->hop_links * metric->messages;
}

/* ---- reduce ---- */

static const char *needs_constant_destination(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    return op->instance[0].operand[0].runtime ? "needs a constant destination" : NULL;
}

static void reduce(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    (void)mesh;
    tree_streams(op, i, op->instance[i].operand[0].value, true, streams);
}

static void reduce_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                          bmf_cop_metric *metric)
{
    tree_metric(mesh, op, streams, 1, metric);
    metric->passes = true; /* a node's words may have to wait for those of others, and nobody tells it */
}

const bmf_cop_implementation cop_str_reduce = {.name = "str_reduce",
                                               .kind = BMF_COP_REDUCE,
                                               .what = "streams up a tree, processors combine",
                                               .refuse = needs_constant_destination,
                                               .streams = reduce,
                                               .metric = reduce_metric};

static const char *needs_runtime_destination(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    return !op->instance[0].operand[0].runtime      ? "is for destinations known at run time"
           : op->instance[0].operand[0].distributed ? "needs a destination that all nodes know"
                                                    : NULL;
}

/* From node 0 all others can be reached: the words of the second part are discarded but at the destination. */
static void runtime_reduce(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    (void)mesh;
    tree_streams(op, i, 0, true, streams);
    add_last(op, i, op->instance[i].node[0], streams);
}

static void runtime_reduce_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                                  bmf_cop_metric *metric)
{
    tree_metric(mesh, op, streams, 1, metric);
    metric->messages++;
    metric->links += metric->hop_links;
    metric->any_length_syncs = cop_are_boxes(mesh, op); /* as with allreduce: all read the last part */
    metric->passes = !metric->any_length_syncs;
}

const bmf_cop_implementation cop_repl_runtime_reduce = {.name = "repl_runtime_reduce",
                                                        .kind = BMF_COP_REDUCE,
                                                        .what = "a reduction to node 0, then a stream",
                                                        .refuse = needs_runtime_destination,
                                                        .streams = runtime_reduce,
                                                        .metric = runtime_reduce_metric};

/* ---- allreduce, barrier ---- */

static const char *never(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh, (void)op;
    return NULL;
}

static void allreduce(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    (void)mesh;
    tree_streams(op, i, instance->nodes / 2, true, streams);
    add_last(op, i, instance->node[instance->nodes / 2], streams);
}

static void allreduce_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                             bmf_cop_metric *metric)
{
    tree_metric(mesh, op, streams, 1, metric);
    metric->messages++;
    metric->links += metric->hop_links;
    /* all wait for the last part, to which nothing is added before all words have come */
    metric->any_length_syncs = cop_are_boxes(mesh, op);
    metric->passes = !metric->any_length_syncs;
}

const bmf_cop_implementation cop_repl_allreduce = {.name = "repl_allreduce",
                                                   .kind = BMF_COP_ALLREDUCE,
                                                   .what = "a reduction, then a broadcast",
                                                   .refuse = never,
                                                   .streams = allreduce,
                                                   .metric = allreduce_metric};

const bmf_cop_implementation cop_repl_barrier = {.name = "repl_allreduce_barrier",
                                                 .kind = BMF_COP_BARRIER,
                                                 .what = "an allreduce of a word without a function",
                                                 .refuse = never,
                                                 .streams = allreduce,
                                                 .metric = allreduce_metric};

/* ---- prefix ---- */

static void prefix(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    (void)mesh;
    tree_streams(op, i, op->instance[i].nodes / 2, true, streams);
    tree_streams(op, i, op->instance[i].nodes / 2, false, streams);
}

static void prefix_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                          bmf_cop_metric *metric)
{
    tree_metric(mesh, op, streams, 2, metric);
    /* in a line words pass only nodes that wait for what comes behind them */
    metric->passes = !cop_are_lines(mesh, op);
}

const bmf_cop_implementation cop_str_prefix = {.name = "str_prefix",
                                               .kind = BMF_COP_PREFIX,
                                               .what = "up a tree and down again, processors combine",
                                               .refuse = never,
                                               .streams = prefix,
                                               .metric = prefix_metric};
