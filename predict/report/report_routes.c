/* Topologies in a report: nodes, links, and the routes between processors that sent messages.
 *
 * Method: the pairs of all runs are collected in a table of bits; routes are those of predict/network/graph, link by
 * link. There are limits, so that pages stay small: of more processors nothing is written, and of longer lists of
 * routes the first processors' only, which the page says.
 * Cost: the messages, and the length of all routes. */
#include <stdlib.h>

#include "predict/network/graph/graph.h"
#include "predict/report/report_private.h"
#include "runtime/base/allocate.h"

enum { MAX_PROCESSORS = 4096, MAX_HOPS = 100000, MAX_LINKS_DRAWN = 20000 };

static uint8_t *find_pairs(const bmf_report_contents *report, int64_t processors)
{
    uint8_t *pair = allocate_clear(processors * processors / 8 + 1, 1);
    for (int k = 0; k < report->runs; k++)
        for (int64_t e = 0; e < report->run[k]->events; e++) {
            const bmf_event *event = &report->run[k]->event[e];
            const int64_t at = event->lane * processors + event->peer;
            if (event->kind == BMF_EVENT_SEND && event->lane != event->peer)
                pair[at >> 3] |= (uint8_t)(1U << (at & 7));
        }
    return pair;
}

static void put_nodes(bmf_output *out, const bmf_graph *graph)
{
    double *x = allocate_array(graph->nodes, (int64_t)sizeof *x), *y = allocate_array(graph->nodes, (int64_t)sizeof *y);
    graph_draw(graph, x, y);
    for (int side = 0; side < 2; side++) {
        output_print(out, ",\"%s\":[", side ? "y" : "x");
        for (int64_t n = 0; n < graph->nodes; n++)
            output_print(out, "%s%.4g", n ? "," : "", side ? y[n] : x[n]);
        output_text(out, "]");
    }
    free(x);
    free(y);
}

static void put_links(bmf_output *out, const bmf_graph *graph)
{
    output_text(out, ",\"links\":[");
    for (int64_t k = 0; k < graph->links; k++)
        output_print(out, "%s[%d,%d]", k ? "," : "", graph->link[k].from, graph->link[k].to);
    output_text(out, "]");
}

/* from, to, number of links, links, for every pair. */
static void put_routes(bmf_output *out, bmf_graph *graph, const uint8_t *pair, int64_t processors)
{
    int64_t hops = 0;
    bool first = true;
    output_text(out, ",\"routes\":[");
    for (int64_t at = 0; at < processors * processors && hops <= MAX_HOPS; at++) {
        const int32_t *route;
        if (!(pair[at >> 3] >> (at & 7) & 1))
            continue;
        const int64_t length = graph_route(graph, at / processors, at % processors, &route);
        hops += length;
        output_print(out, "%s%lld,%lld,%lld", first ? "" : ",", (long long)(at / processors),
                     (long long)(at % processors), (long long)length);
        for (int64_t k = 0; k < length; k++)
            output_print(out, ",%d", route[k]);
        first = false;
    }
    output_print(out, "],\"whole\":%s", hops <= MAX_HOPS ? "true" : "false");
}

static int64_t processors_of(const bmf_report_contents *report)
{
    int64_t most = 0;
    for (int k = 0; k < report->runs; k++)
        most = report->run[k]->lanes > most ? report->run[k]->lanes : most;
    return most;
}

void report_put_topologies(bmf_output *out, const bmf_report_contents *report)
{
    const int64_t processors = processors_of(report);
    const int count = report->topologies && processors <= MAX_PROCESSORS ? report->topologies->count : 0;
    uint8_t *pair = count > 0 ? find_pairs(report, processors) : NULL;
    bool first = true;
    output_text(out, ",\"topologies\":[");
    for (int k = 0; k < count; k++) {
        const bmf_topology *topology = &report->topologies->topology[k];
        if (topology->graph->links > MAX_LINKS_DRAWN || topology->graph->processors < processors)
            continue;
        output_print(out, "%s{\"name\":", first ? "" : ",");
        report_put_text(out, topology->name);
        output_print(out, ",\"processors\":%lld", (long long)topology->graph->processors);
        put_nodes(out, topology->graph);
        put_links(out, topology->graph);
        put_routes(out, topology->graph, pair, processors);
        output_text(out, "}\n");
        first = false;
    }
    output_text(out, "]");
    free(pair);
}
