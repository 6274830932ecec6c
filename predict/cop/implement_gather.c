/* Spread, gather: a stream between one node and each other. Cost: a message for each other node at the one. The
 * document names no implementation of them; streams end in registers of their own, at most 16 a phase. Source: document
 * 004, 2.3. */
#include "predict/cop/implement_private.h"

static const char *needs_constant_and_room(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    enum { REGISTERS = 14 };
    if (op->instance[0].operand[0].runtime)
        return "needs a constant node";
    for (int64_t i = 0; i < op->instances; i++)
        if (op->instance[i].nodes - 1 > REGISTERS)
            return "needs at most 15 nodes: every stream takes a register";
    return NULL;
}

static void star(const bmf_cop_operator *op, int64_t i, bool outward, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    const int64_t centre = instance->node[instance->operand[0].value];
    for (int64_t k = 0; k < instance->nodes; k++)
        cop_add_stream(streams, i, outward ? centre : instance->node[k], outward ? instance->node[k] : centre);
}

static void outward(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    (void)mesh;
    star(op, i, true, streams);
}

static void inward(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    (void)mesh;
    star(op, i, false, streams);
}

static void one_each(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                     bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    for (int64_t i = 0; i < op->instances; i++)
        if (op->instance[i].nodes - 1 > metric->messages)
            metric->messages = op->instance[i].nodes - 1;
}

const bmf_cop_implementation cop_str_spread = {.name = "str_spread",
                                               .kind = BMF_COP_SPREAD,
                                               .what = "a stream to each other node",
                                               .refuse = needs_constant_and_room,
                                               .streams = outward,
                                               .metric = one_each};
const bmf_cop_implementation cop_str_gather = {.name = "str_gather",
                                               .kind = BMF_COP_GATHER,
                                               .what = "a stream from each other node",
                                               .refuse = needs_constant_and_room,
                                               .streams = inward,
                                               .metric = one_each};
