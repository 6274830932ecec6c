/* Operators by messages through dynamic routers. What nodes do is in message_moves.c; there are no streams.
 *
 * dyn_stream, dyn_shift, dyn_permute, dyn_collect, dyn_spread, dyn_gather: a message for each pair of nodes. dyn_bcast:
 *     one message after the other. dyn_bcast_dense: flood over neighbours in dimension order; a node passes words on to
 *     the next in line while it reads them, and sends whole messages into the other dimensions afterwards.
 * dyn_bcast_tree: down a tree rooted at the source. dyn_reduce, dyn_allreduce, dyn_prefix: up and down a tree, a
 * message a child. Cost: what the metrics say, in messages of the operator's words; 2 cycles a word where a node reads
 * and writes. Source: document 004, 8.2 and appendix B. */
#include "predict/cop/implement_private.h"

static const char *never(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh, (void)op;
    return NULL;
}

static const char *needs_known(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    return op->instance[0].operand[0].distributed ? "needs an operand that all nodes know" : NULL;
}

static const char *needs_known_box(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    return !cop_are_boxes(mesh, op) ? "needs a box of nodes" : needs_known(mesh, op);
}

static const char *needs_constant(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    return op->instance[0].operand[0].runtime ? "needs a constant node" : NULL;
}

static void none(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    (void)mesh, (void)op, (void)i, (void)streams;
}

static int64_t most_nodes(const bmf_cop_operator *op)
{
    int64_t most = 1;
    for (int64_t i = 0; i < op->instances; i++)
        most = op->instance[i].nodes > most ? op->instance[i].nodes : most;
    return most;
}

/* Links between the furthest two nodes of an instance's box. */
static int64_t diameter_of(const bmf_mesh *mesh, const bmf_cop_operator *op, int *dimensions)
{
    int64_t longest = 0;
    *dimensions = 0;
    for (int64_t i = 0; i < op->instances; i++) {
        const bmf_cop_box box = cop_box_of(mesh, &op->instance[i]);
        int64_t links = 0;
        int used = 0;
        for (int d = 0; d < BMF_MESH_DIMENSIONS; d++) {
            links += box.high[d] - box.low[d];
            used += box.high[d] > box.low[d];
        }
        longest = links > longest ? links : longest;
        *dimensions = used > *dimensions ? used : *dimensions;
    }
    return longest;
}

static int64_t levels_of(int64_t nodes)
{
    int64_t levels = 0;
    for (; nodes > 1; nodes /= 2)
        levels++;
    return levels;
}

static void usual(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                  bmf_cop_metric *metric)
{
    int dimensions;
    (void)streams;
    *metric = (bmf_cop_metric){.messages = 1, .stages = 1, .links = diameter_of(mesh, op, &dimensions) + 2};
    metric->max_bandwidth = op->kind == BMF_COP_STREAM || op->kind == BMF_COP_COLLECT ? 1 : 0.5;
}

static void one_after_the_other(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                                bmf_cop_metric *metric)
{
    usual(mesh, op, streams, metric);
    metric->messages = most_nodes(op) > 1 ? most_nodes(op) - 1 : 1;
    metric->max_bandwidth = 1;
}

static void dense(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                  bmf_cop_metric *metric)
{
    int dimensions;
    usual(mesh, op, streams, metric);
    metric->links = 3 * diameter_of(mesh, op, &dimensions);
    metric->max_bandwidth = 0.5 / (dimensions > 0 ? dimensions : 1);
}

static void tree(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                 bmf_cop_metric *metric)
{
    const int64_t levels = levels_of(most_nodes(op)), sweeps = op->kind == BMF_COP_REDUCE ? 1 : 2;
    usual(mesh, op, streams, metric);
    metric->messages = sweeps * (levels > 0 ? levels : 1);
    metric->links *= sweeps;
}

#define BY_MESSAGES(variable, name_, kind_, what_, refuse_, metric_)                                                   \
    const bmf_cop_implementation variable = {.name = (name_),                                                          \
                                             .kind = (kind_),                                                          \
                                             .what = (what_),                                                          \
                                             .by_messages = true,                                                      \
                                             .refuse = (refuse_),                                                      \
                                             .streams = none,                                                          \
                                             .metric = (metric_)}

BY_MESSAGES(cop_dyn_stream, "dyn_stream", BMF_COP_STREAM, "a message", never, usual);
BY_MESSAGES(cop_dyn_bcast_dense, "dyn_bcast_dense", BMF_COP_BROADCAST, "neighbours pass messages on", needs_known_box,
            dense);
BY_MESSAGES(cop_dyn_bcast_tree, "dyn_bcast_tree", BMF_COP_BROADCAST, "down a tree", needs_constant, tree);
BY_MESSAGES(cop_dyn_bcast, "dyn_bcast", BMF_COP_BROADCAST, "one message after the other", never, one_after_the_other);
BY_MESSAGES(cop_dyn_collect, "dyn_collect", BMF_COP_COLLECT, "a message", needs_known, usual);
BY_MESSAGES(cop_dyn_spread, "dyn_spread", BMF_COP_SPREAD, "a message to each other node", needs_known,
            one_after_the_other);
BY_MESSAGES(cop_dyn_gather, "dyn_gather", BMF_COP_GATHER, "a message from each other node", needs_known,
            one_after_the_other);
BY_MESSAGES(cop_dyn_reduce, "dyn_reduce", BMF_COP_REDUCE, "up a tree", needs_known, tree);
BY_MESSAGES(cop_dyn_allreduce, "dyn_allreduce", BMF_COP_ALLREDUCE, "up and down a tree", never, tree);
BY_MESSAGES(cop_dyn_prefix, "dyn_prefix", BMF_COP_PREFIX, "up and down a tree", never, tree);
BY_MESSAGES(cop_dyn_barrier, "dyn_barrier", BMF_COP_BARRIER, "up and down a tree", never, tree);
BY_MESSAGES(cop_dyn_shift, "dyn_shift", BMF_COP_CSHIFT, "a message from every node", never, usual);
BY_MESSAGES(cop_dyn_eoshift, "dyn_eoshift", BMF_COP_EOSHIFT, "a message from every node", never, usual);
BY_MESSAGES(cop_dyn_permute, "dyn_permute", BMF_COP_PERMUTE, "a message from every node", needs_known, usual);
