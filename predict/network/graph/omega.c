/* Omega networks: log2 P stages of P / 2 switches with two inputs and two outputs, a perfect shuffle before each.
 *
 * Method: the wire that a message is on has a number of log2 P bits. The shuffle turns it left by one bit; the switch
 * sets the lowest bit to the next bit of the destination, the highest first. Links go in one direction only.
 * Cost: O(log P) a route. Source: D. Lawrie, "Access and alignment of data in an array processor", IEEE Transactions on
 * Computers 24(12), 1975.
 */
#include "predict/network/graph/graph_private.h"

static int stages_of(const bmf_graph *graph)
{
    int stages = 0;
    while ((int64_t)1 << stages < graph->processors)
        stages++;
    return stages;
}

static int64_t shuffle(int64_t wire, int64_t wires)
{
    return 2 * wire % wires + 2 * wire / wires;
}

/* The node that the wire behind `stage` switches leads to. */
static int64_t behind(int64_t wire, int stage, int stages, int64_t wires)
{
    return stage == stages ? wire : wires + stage * (wires / 2) + shuffle(wire, wires) / 2;
}

bmf_graph *graph_omega(int64_t processors)
{
    bmf_graph_maker maker = graph_make("omega", processors, processors);
    const int stages = stages_of(maker.graph);
    maker.graph->nodes += stages * (processors / 2);
    maker.graph->routing = BMF_ROUTES_OMEGA;
    maker.graph->dimensions = 1;
    maker.graph->extent[0] = (int32_t)processors;
    for (int64_t wire = 0; wire < processors; wire++) {
        if (stages > 0)
            graph_add(&maker, wire, behind(wire, 0, stages, processors), 1.0);
        for (int s = 0; s < stages; s++)
            graph_add(&maker, processors + s * (processors / 2) + wire / 2, behind(wire, s + 1, stages, processors),
                      1.0);
    }
    graph_reserve_route(maker.graph, stages + 1);
    return graph_finish(&maker);
}

int64_t graph_route_omega(bmf_graph *graph, int64_t from, int64_t to)
{
    const int stages = stages_of(graph);
    const int64_t wires = graph->processors;
    int64_t node = from, wire = from;
    for (int s = 0; s <= stages; s++) {
        int64_t next = behind(wire, s, stages, wires);
        graph->route[s] = (int32_t)graph_link(graph, node, next);
        node = next;
        if (s < stages)
            wire = (shuffle(wire, wires) & ~(int64_t)1) | (to >> (stages - 1 - s) & 1);
    }
    return stages + 1;
}
