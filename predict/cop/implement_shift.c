/* Shifts and permutations by constants: a stream from every node to its target. Cost: 2 cycles a word, and more where
 * links are shared. Source: document 004, appendix B. */
#include <stdlib.h>

#include "predict/cop/implement_private.h"

static const char *needs_constant(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    return cop_has_runtime(op) ? "needs a constant" : NULL;
}

static void usual(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                  bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
}

/* Whether the shift takes every node's words round through all nodes of its instance. */
static bool are_rings(const bmf_cop_operator *op)
{
    for (int64_t i = 0; i < op->instances; i++) {
        int64_t a = op->instance[i].nodes, b = llabs(op->instance[i].operand[0].value);
        while (b != 0) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a != 1)
            return false;
    }
    return true;
}

static void shift_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                         bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    int64_t longest = 0;
    for (int64_t i = 0; i < op->instances; i++)
        longest = op->instance[i].nodes > longest ? op->instance[i].nodes : longest;
    if (op->kind != BMF_COP_CSHIFT)
        return;
    metric->passes = !cop_are_boxes(mesh, op) || !are_rings(op);
    metric->sync_words = BMF_COP_WINDOW * longest + metric->hop_links + 4;
}

static void shift(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    const int64_t n = instance->nodes, by = instance->operand[0].value;
    (void)mesh;
    for (int64_t k = 0; k < n; k++) {
        const int64_t to = k + by, wrapped = ((to % n) + n) % n;
        if (op->kind == BMF_COP_CSHIFT || (to >= 0 && to < n))
            cop_add_stream(streams, i, instance->node[k], instance->node[wrapped]);
    }
}

const bmf_cop_implementation cop_str_shift = {.name = "str_shift",
                                              .kind = BMF_COP_CSHIFT,
                                              .what = "a stream from every node to its target",
                                              .refuse = needs_constant,
                                              .streams = shift,
                                              .metric = shift_metric};

const bmf_cop_implementation cop_str_eoshift = {.name = "str_eoshift",
                                                .kind = BMF_COP_EOSHIFT,
                                                .what = "a stream from every node to its target, if it has one",
                                                .refuse = needs_constant,
                                                .streams = shift,
                                                .metric = shift_metric};

static void permute(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    (void)mesh;
    for (int64_t k = 0; k < instance->nodes; k++)
        cop_add_stream(streams, i, instance->node[k], instance->node[instance->operand[0].values[k]]);
}

const bmf_cop_implementation cop_str_permute = {.name = "str_permute",
                                                .kind = BMF_COP_PERMUTE,
                                                .what = "a stream from every node to its target",
                                                .refuse = needs_constant,
                                                .streams = permute,
                                                .metric = usual};
