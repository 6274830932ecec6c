/* Single connections.
 *
 * str_stream: a stream between constant ends. str_stream_rtdest: a multicast stream from a constant source, whose words
 * all but the destination discard. str_stream_runtime: along a snake as str_bcast_linear, all but the destination
 * discard; also for a constant destination. str_stream_dense: as str_bcast_dense, but only the nodes on the way from
 * the source to the destination pass words on; the document does not have it, though its elimination programs no
 * router.
 * Cost: 2 cycles a word; 4 along a snake, and 4 words of reprogramming. Source: document 004, appendix B. */
#include "predict/cop/implement_private.h"

static const char *needs_constants(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    return cop_has_runtime(op) ? "needs a constant source and destination" : NULL;
}

static void one(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    (void)mesh;
    cop_add_stream(streams, i, instance->node[instance->operand[0].value], instance->node[instance->operand[1].value]);
}

static void usual(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                  bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    metric->ends_only = true;
}

const bmf_cop_implementation cop_str_stream = {.name = "str_stream",
                                               .kind = BMF_COP_STREAM,
                                               .what = "one stream",
                                               .refuse = needs_constants,
                                               .streams = one,
                                               .metric = usual};

static const char *needs_source(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    const bmf_cop_operand *operand = op->instance[0].operand;
    (void)mesh;
    return operand[0].runtime                             ? "needs a constant source"
           : operand[1].dynamic || operand[1].distributed ? "needs a destination that all nodes know"
                                                          : NULL;
}

static void to_all(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    (void)mesh;
    cop_add_multicast(streams, i, instance->node[instance->operand[0].value], instance->nodes, instance->node, false);
}

static void to_all_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                          bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    metric->passes = !cop_are_boxes(mesh, op); /* every node on the way reads the words, too */
}

const bmf_cop_implementation cop_str_stream_rtdest = {.name = "str_stream_rtdest",
                                                      .kind = BMF_COP_STREAM,
                                                      .what = "a multicast stream that others discard",
                                                      .others_discard = true,
                                                      .refuse = needs_source,
                                                      .streams = to_all,
                                                      .metric = to_all_metric};

static bool are_known(const bmf_cop_operator *op)
{
    const bmf_cop_operand *o = op->instance[0].operand;
    return !(o[0].dynamic || o[0].distributed || o[1].dynamic || o[1].distributed);
}

static const char *needs_known_destination(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    return are_known(op) ? NULL : "needs ends that all nodes know";
}

const bmf_cop_implementation cop_str_stream_runtime = {.name = "str_stream_runtime",
                                                       .kind = BMF_COP_STREAM,
                                                       .what = "two streams along a snake that others discard",
                                                       .others_discard = true,
                                                       .refuse = needs_known_destination,
                                                       .streams = cop_linear_streams,
                                                       .metric = cop_linear_metric};

/* Who is on the way passes words on when it loads the operator, so nothing else may be under way there. */
static const char *needs_box_alone(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    return !are_known(op)             ? "needs ends that all nodes know"
           : op->in_parallel          ? "cannot share its nodes with parallel operators"
           : !cop_are_boxes(mesh, op) ? "needs a box of nodes"
                                      : NULL;
}

static void dense_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                         bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    metric->stages = cop_dense_diameter(mesh, op);
    metric->links = 3 * metric->stages; /* a word is read and written again at every node */
    metric->ends_only = true;
}

const bmf_cop_implementation cop_str_stream_dense = {.name = "str_stream_dense",
                                                     .kind = BMF_COP_STREAM,
                                                     .what = "neighbours on the way pass words on",
                                                     .refuse = needs_box_alone,
                                                     .streams = cop_dense_streams,
                                                     .metric = dense_metric};
