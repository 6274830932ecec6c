/* Broadcasts.
 *
 * str_bcast: one multicast stream from a constant source. Cost: 2 cycles a word.
 * str_bcast_dense: a stream from every node to each neighbour in its subset, a box; processors pass words on in
 *     dimension order: what came along x goes on along x and into both directions of y and z, what came along y into y
 *     and z. Cost: 1 cycle to read and 1 for every neighbour a word; no reprogramming. Needs no constant source.
 * str_bcast_linear: the nodes in a snake, a multicast stream from its first to its last node and one back; loading
 *     makes the source's VFSMs read the processor. Cost: 4 cycles a word; 4 words of reprogramming.
 * Source: document 004, appendix B and 8.3. */
#include <stdlib.h>
#include <string.h>

#include "predict/cop/implement_private.h"
#include "runtime/base/allocate.h"

static const char *needs_constant_source(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh;
    return op->instance[0].operand[0].runtime ? "needs a constant source" : NULL;
}

static void multicast(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    (void)mesh;
    cop_add_multicast(streams, i, instance->node[instance->operand[0].value], instance->nodes, instance->node, false);
}

static void multicast_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                             bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    metric->passes = !cop_are_boxes(mesh, op); /* every node on the way reads the words, too */
}

const bmf_cop_implementation cop_str_bcast = {.name = "str_bcast",
                                              .kind = BMF_COP_BROADCAST,
                                              .what = "one multicast stream",
                                              .refuse = needs_constant_source,
                                              .streams = multicast,
                                              .metric = multicast_metric};

/* ---- dense ---- */

static const char *needs_box(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    const bmf_cop_operand *source = &op->instance[0].operand[0];
    return source->distributed || source->dynamic ? "needs a source that all nodes know"
           : !cop_are_boxes(mesh, op)             ? "needs a box of nodes"
                                                  : NULL;
}

void cop_dense_streams(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const bmf_cop_instance *instance = &op->instance[i];
    for (int64_t k = 0; k < instance->nodes; k++)
        for (int port = 0; port < BMF_MESH_PORTS; port++) {
            const int64_t to = mesh_neighbour(mesh, instance->node[k], port);
            if (to >= 0 && cop_instance_has(instance, to))
                cop_add_stream(streams, i, instance->node[k], to);
        }
}

int64_t cop_dense_diameter(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    int64_t diameter = 0;
    for (int64_t i = 0; i < op->instances; i++) {
        const bmf_cop_box box = cop_box_of(mesh, &op->instance[i]);
        int64_t links = 0;
        for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
            links += box.high[d] - box.low[d];
        diameter = links > diameter ? links : diameter;
    }
    return diameter;
}

static void dense_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                         bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    const int64_t diameter = cop_dense_diameter(mesh, op);
    int outs = 1;
    for (int64_t i = 0; i < op->instances; i++) {
        const bmf_cop_box box = cop_box_of(mesh, &op->instance[i]);
        int pairs = 0;
        for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
            if (box.high[d] > box.low[d])
                pairs += pairs == 0 ? 1 : 2;
        outs = pairs > outs ? pairs : outs;
    }
    metric->links = 3 * diameter; /* a word is read and written again at every node */
    metric->stages = diameter;
    metric->passes = false;
    metric->max_bandwidth = 1.0 / (1 + outs);
}

const bmf_cop_implementation cop_str_bcast_dense = {.name = "str_bcast_dense",
                                                    .kind = BMF_COP_BROADCAST,
                                                    .what = "neighbours pass words on",
                                                    .refuse = needs_box,
                                                    .streams = cop_dense_streams,
                                                    .metric = dense_metric};

/* ---- linear ---- */

/* Readers must know on which side of them the source is. */
static const char *needs_known_source(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    const bmf_cop_operand *source = &op->instance[0].operand[0];
    (void)mesh;
    return source->distributed || source->dynamic ? "needs a source that all nodes know" : NULL;
}

void cop_linear_streams(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    const int64_t nodes = op->instance[i].nodes;
    int64_t *order = cop_snake(mesh, &op->instance[i]);
    int64_t *back = allocate_array(nodes, (int64_t)sizeof *back);
    for (int64_t k = 0; k < nodes; k++)
        back[k] = order[nodes - 1 - k];
    cop_add_multicast(streams, i, order[0], nodes, order, nodes > 2);
    cop_add_multicast(streams, i, back[0], nodes, back, nodes > 2);
    free(back);
    free(order);
}

void cop_linear_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                       bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    int64_t longest = 1;
    for (int64_t i = 0; i < op->instances; i++)
        longest = op->instance[i].nodes > longest ? op->instance[i].nodes : longest;
    metric->links = metric->hop_links = longest - 1;
    metric->passes = !cop_are_boxes(mesh, op);
    metric->reload_words = longest > 2 ? 4 : 0; /* both ends of a pair begin a stream anyway */
    metric->max_bandwidth = longest > 2 ? 0.25 : 0.5;
}

const bmf_cop_implementation cop_str_bcast_linear = {.name = "str_bcast_linear",
                                                     .kind = BMF_COP_BROADCAST,
                                                     .what = "two streams along a snake, reprogrammed at the source",
                                                     .refuse = needs_known_source,
                                                     .streams = cop_linear_streams,
                                                     .metric = cop_linear_metric};
