/* Pictures of runs as SVG: Gantt chart, space-time diagram, traffic, frames of a topology.
 *
 * Colours are classes of the page's style, so that pictures are light or dark as the page is. States are ParaGraph's:
 * busy, overhead, idle. Cost: the events. */
#include <inttypes.h>
#include <stdlib.h>

#include "bench/figures/figures.h"
#include "predict/report/report.h"
#include "runtime/base/allocate.h"
#include "runtime/trace/receive_costs.h"

enum { WIDTH = 640, LEFT = 28, ROW = 13, HEIGHT = 90, FRAME = 250 };

static int64_t end_of(const bmf_trace_run *run)
{
    int64_t end = 1;
    for (int64_t k = 0; k < run->events; k++)
        end = run->event[k].end > end ? run->event[k].end : end;
    return end;
}

static double x_of(int64_t time, int64_t end)
{
    return LEFT + (double)time / (double)end * (WIDTH - LEFT - 4);
}

static void open_picture(FILE *stream, double width, double height, const char *label)
{
    fprintf(stream, "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"%s\">\n", width, height, label);
}

static void put_axis(FILE *stream, double y, int64_t end)
{
    fprintf(stream, "<text x=\"%d\" y=\"%g\">0</text><text x=\"%d\" y=\"%g\" text-anchor=\"end\">%g us</text>\n", LEFT,
            y, WIDTH - 4, y, (double)end * 1e-3);
}

/* Busy and overhead of every processor, `thick` high in its row; what a receive waits for is idle. */
static void put_states(FILE *stream, const bmf_trace_run *run, double thick)
{
    const int64_t end = end_of(run);
    bmf_receive_costs costs;
    receive_costs_read(run, &costs);
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        int64_t begin = event->begin;
        if (event->kind != BMF_EVENT_KERNEL && event->kind != BMF_EVENT_SEND && event->kind != BMF_EVENT_RECEIVE)
            continue;
        if (event->kind == BMF_EVENT_RECEIVE)
            begin = event->end - receive_costs_of(&costs, event->amount);
        if (begin < event->end)
            fprintf(stream, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%g\"/>\n",
                    event->kind == BMF_EVENT_KERNEL ? "busy" : "overhead", x_of(begin, end),
                    (event->lane + 0.5) * ROW - thick / 2, x_of(event->end, end) - x_of(begin, end), thick);
    }
}

static void put_lanes(FILE *stream, const bmf_trace_run *run)
{
    for (int32_t lane = 0; lane < run->lanes; lane++)
        fprintf(stream, "<text x=\"%d\" y=\"%g\" text-anchor=\"end\">%d</text><path class=\"lane\" d=\"M%d %gH%d\"/>\n",
                LEFT - 5, (lane + 0.5) * ROW + 3, lane, LEFT, (lane + 0.5) * ROW, WIDTH - 4);
}

void picture_gantt(FILE *stream, const bmf_trace_run *run)
{
    open_picture(stream, WIDTH, run->lanes * ROW + 14, "Gantt chart");
    put_lanes(stream, run);
    put_states(stream, run, ROW - 2);
    put_axis(stream, run->lanes * ROW + 11, end_of(run));
    fputs("</svg>\n", stream);
}

void picture_space_time(FILE *stream, const bmf_trace_run *run)
{
    const int64_t end = end_of(run);
    figure_flights flights;
    figure_flights_find(run, NULL, &flights);
    int64_t most = 1;
    for (int64_t k = 0; k < flights.count; k++)
        most = flights.flight[k].bytes > most ? flights.flight[k].bytes : most;
    open_picture(stream, WIDTH, run->lanes * ROW + 14, "Space-time diagram");
    put_lanes(stream, run);
    put_states(stream, run, 4);
    for (int64_t k = 0; k < flights.count; k++) {
        const figure_flight *f = &flights.flight[k];
        const char *size = 4 * f->bytes > 3 * most ? "large" : 4 * f->bytes > most ? "middle" : "small";
        fprintf(stream, "<path class=\"%s\" d=\"M%.2f %gL%.2f %g\"/>\n", size, x_of(f->begin, end),
                (f->from + 0.5) * ROW, x_of(f->end, end), (f->to + 0.5) * ROW);
    }
    put_axis(stream, run->lanes * ROW + 11, end);
    fputs("</svg>\n", stream);
    figure_flights_free(&flights);
}

static int by_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* What is under way between two changes, as steps. */
static void put_steps(FILE *stream, const figure_flights *flights, int64_t end, bool bytes, double top)
{
    int64_t *time = allocate_array(2 * flights->count + 1, (int64_t)sizeof *time);
    const int64_t most = figure_peak(flights, 0, end, bytes);
    for (int64_t k = 0; k < flights->count; k++) {
        time[2 * k] = flights->flight[k].begin;
        time[2 * k + 1] = flights->flight[k].end;
    }
    if (flights->count > 0)
        qsort(time, 2 * (size_t)flights->count, sizeof *time, by_time);
    fprintf(stream, "<path class=\"%s\" d=\"M%d %g", bytes ? "bytes" : "count", LEFT, top + HEIGHT);
    for (int64_t k = 0; k < 2 * flights->count; k++) {
        int64_t now = 0;
        for (int64_t i = 0; i < flights->count; i++)
            if (flights->flight[i].begin <= time[k] && flights->flight[i].end > time[k])
                now += bytes ? flights->flight[i].bytes : 1;
        fprintf(stream, "H%.2fV%.2f", x_of(time[k], end),
                top + HEIGHT * (1 - (double)now / (double)(most > 0 ? most : 1)));
    }
    fprintf(stream, "H%dV%gZ\"/><text x=\"%d\" y=\"%g\" text-anchor=\"end\">%" PRId64 "</text>\n", WIDTH - 4,
            top + HEIGHT, LEFT - 4, top + 9, most);
    fprintf(stream, "<text x=\"%d\" y=\"%g\" text-anchor=\"end\">%s</text>\n", WIDTH - 4, top + 9,
            bytes ? "bytes" : "messages");
    free(time);
}

void picture_traffic(FILE *stream, const bmf_trace_run *run)
{
    const int64_t end = end_of(run);
    figure_flights flights;
    figure_flights_find(run, NULL, &flights);
    open_picture(stream, WIDTH, 2 * HEIGHT + 26, "Traffic: messages and bytes under way");
    put_steps(stream, &flights, end, false, 0);
    put_steps(stream, &flights, end, true, HEIGHT + 10);
    put_axis(stream, 2 * HEIGHT + 23, end);
    fputs("</svg>\n", stream);
    figure_flights_free(&flights);
}

/* ---- topologies ---- */

/* Nodes within a frame of the page's units. */
static void place_nodes(const bmf_graph *graph, double *x, double *y, double *height)
{
    double low[2] = {1e30, 1e30}, high[2] = {-1e30, -1e30};
    graph_draw(graph, x, y);
    for (int64_t n = 0; n < graph->nodes; n++) {
        low[0] = x[n] < low[0] ? x[n] : low[0], high[0] = x[n] > high[0] ? x[n] : high[0];
        low[1] = y[n] < low[1] ? y[n] : low[1], high[1] = y[n] > high[1] ? y[n] : high[1];
    }
    const double scale = (FRAME - 24) / (high[0] > low[0] ? high[0] - low[0] : 1);
    for (int64_t n = 0; n < graph->nodes; n++) {
        x[n] = 12 + (x[n] - low[0]) * scale;
        y[n] = 12 + (y[n] - low[1]) * scale;
    }
    *height = 24 + (high[1] - low[1]) * scale;
}

static void put_frame(FILE *stream, bmf_graph *graph, const figure_flights *flights, uint32_t round)
{
    double *x = allocate_array(graph->nodes, (int64_t)sizeof *x), *y = allocate_array(graph->nodes, (int64_t)sizeof *y);
    int64_t *load = allocate_clear(graph->links, (int64_t)sizeof *load);
    double height;
    place_nodes(graph, x, y, &height);
    for (int64_t k = 0; k < flights->count; k++) {
        const int32_t *route;
        if (flights->flight[k].round != round)
            continue;
        const int64_t hops = graph_route(graph, flights->flight[k].from, flights->flight[k].to, &route);
        for (int64_t h = 0; h < hops; h++)
            load[route[h]]++;
    }
    open_picture(stream, FRAME, height, "Messages of a level on the links of the topology");
    for (int busy = 0; busy < 2; busy++)
        for (int64_t k = 0; k < graph->links; k++)
            if ((load[k] > 0) == busy)
                fprintf(stream, "<path class=\"%s\" style=\"stroke-width:%g\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
                        busy ? "link" : "lane", busy ? 1 + 0.7 * (double)load[k] : 1, x[graph->link[k].from],
                        y[graph->link[k].from], x[graph->link[k].to], y[graph->link[k].to]);
    for (int64_t n = 0; n < graph->nodes; n++)
        fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"/>\n", x[n], y[n], n < graph->processors ? 4.0 : 2.0);
    fputs("</svg>\n", stream);
    free(load);
    free(x);
    free(y);
}

void picture_network(FILE *stream, const bmf_trace_run *run, const char *call, const char *topology)
{
    bmf_topologies all = {0};
    figure_flights flights;
    uint32_t rounds = 0;
    if (topologies_add(&all, topology, run->lanes) != BMF_OK)
        return;
    figure_flights_find(run, call, &flights);
    for (int64_t k = 0; k < flights.count; k++)
        rounds = flights.flight[k].round + 1 > rounds ? flights.flight[k].round + 1 : rounds;
    fputs("<div class=\"frames\">\n", stream);
    for (uint32_t r = 0; r < rounds; r++)
        put_frame(stream, all.topology[0].graph, &flights, r);
    fputs("</div>\n", stream);
    figure_flights_free(&flights);
    topologies_free(&all);
}
