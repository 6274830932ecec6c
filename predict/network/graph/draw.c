/* Where to draw the nodes of a graph, in units of the distance of neighbouring processors; y grows downwards.
 *
 * Method: grids by their last two dimensions, the others as blocks beside and below each other; rings on a circle;
 * omega networks by stages from left to right; trees, whether built or read, by layers with the processors at the
 * bottom: leaf after leaf is taken away, and a switch stands above the middle of what hung from it. Everything else:
 * processors on a circle, other nodes on a smaller one. Cost: O(nodes + links).
 */
#include <math.h>
#include <stdlib.h>

#include "predict/network/graph/graph_private.h"
#include "runtime/base/allocate.h"

static const double full_circle = 6.283185307179586;

/* ---- circles ---- */

static void place_on_circle(int64_t first, int64_t count, double radius, double *x, double *y)
{
    for (int64_t k = 0; k < count; k++) {
        double angle = full_circle * (double)k / (double)count;
        x[first + k] = radius * sin(angle);
        y[first + k] = -radius * cos(angle);
    }
}

static void draw_circle(const bmf_graph *graph, double *x, double *y)
{
    double radius = (double)graph->processors / full_circle;
    place_on_circle(0, graph->processors, radius, x, y);
    place_on_circle(graph->processors, graph->nodes - graph->processors, 0.5 * radius, x, y);
}

/* ---- grids ---- */

static void draw_grid(const bmf_graph *graph, double *x, double *y)
{
    for (int64_t n = 0; n < graph->nodes; n++) {
        double place[2] = {0.0, 0.0}, step[2] = {1.0, 1.0};
        int64_t rest = n;
        for (int d = graph->dimensions - 1; d >= 0; d--) {
            int axis = (graph->dimensions - 1 - d) % 2;
            place[axis] += step[axis] * (double)(rest % graph->extent[d]);
            step[axis] *= (double)graph->extent[d] + 0.5;
            rest /= graph->extent[d];
        }
        x[n] = place[0];
        y[n] = place[1];
    }
}

/* ---- omega networks ---- */

static void draw_omega(const bmf_graph *graph, double *x, double *y)
{
    const int64_t wires = graph->processors, half = wires > 1 ? wires / 2 : 1;
    for (int64_t n = 0; n < wires; n++) {
        x[n] = 0.0;
        y[n] = (double)n;
    }
    for (int64_t n = wires; n < graph->nodes; n++) {
        x[n] = 2.0 * (double)((n - wires) / half + 1);
        y[n] = 2.0 * (double)((n - wires) % half) + 0.5;
    }
}

/* ---- trees ---- */

static bool is_tree(const bmf_graph *graph)
{
    if (graph->links != 2 * (graph->nodes - 1)) /* it is connected */
        return false;
    for (int64_t k = 0; k < graph->links; k++)
        if (graph_link(graph, graph->link[k].to, graph->link[k].from) < 0)
            return false;
    return true;
}

/* Nodes in an order in which each one has at most one neighbour among those behind it. */
static void peel(const bmf_graph *graph, int32_t *order, int32_t *place)
{
    int64_t end = 0;
    int32_t *neighbours = allocate(graph->nodes * (int64_t)sizeof *neighbours);
    for (int64_t n = 0; n < graph->nodes; n++) {
        neighbours[n] = (int32_t)(graph->first[n + 1] - graph->first[n]);
        if (neighbours[n] <= 1)
            order[end++] = (int32_t)n;
    }
    for (int64_t at = 0; at < end; at++) {
        place[order[at]] = (int32_t)at;
        for (int64_t k = graph->first[order[at]]; k < graph->first[order[at] + 1]; k++)
            if (--neighbours[graph->link[k].to] == 1)
                order[end++] = graph->link[k].to;
    }
    free(neighbours);
}

static void draw_tree(const bmf_graph *graph, double *x, double *y)
{
    int32_t *order = allocate(graph->nodes * (int64_t)sizeof *order);
    int32_t *place = allocate(graph->nodes * (int64_t)sizeof *place);
    peel(graph, order, place);
    for (int64_t at = 0; at < graph->nodes; at++) {
        int64_t node = order[at], below = 0;
        double middle = 0.0, top = 1.0;
        for (int64_t k = graph->first[node]; k < graph->first[node + 1]; k++) {
            int64_t other = graph->link[k].to;
            if (place[other] < at) {
                below++;
                middle += x[other];
                top = fmin(top, y[other]);
            }
        }
        x[node] = node < graph->processors || below == 0 ? (double)node : middle / (double)below;
        y[node] = below == 0 ? 0.0 : top - 1.0;
    }
    free(place);
    free(order);
}

void graph_draw(const bmf_graph *graph, double *x, double *y)
{
    const bool grid = graph->routing == BMF_ROUTES_GRID, ring = grid && graph->wraps && graph->dimensions == 1;
    if (graph->routing == BMF_ROUTES_OMEGA)
        draw_omega(graph, x, y);
    else if (grid && !ring)
        draw_grid(graph, x, y);
    else if (!ring && is_tree(graph))
        draw_tree(graph, x, y);
    else
        draw_circle(graph, x, y);
}
