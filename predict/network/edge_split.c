#include "predict/network/edge_split.h"

#include <stdbool.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"

enum { NONE = -1, LEFT = 0, RIGHT = 1 };

typedef struct splitter {
    const bmf_edge *edge;
    int64_t nodes[2];
    int64_t *open[2];    /* by node: its edge that has no partner yet */
    int64_t *partner[2]; /* by edge: the other one of its pair at its left, at its right node */
    signed char *half;   /* by edge; NONE: not yet */
    int64_t *part;
} splitter;

static int64_t node_of(const splitter *s, int64_t edge, int side)
{
    return side == LEFT ? s->edge[edge].left : s->edge[edge].right;
}

static void pair_edges(splitter *s, const int64_t *list, int64_t count, int side)
{
    for (int64_t k = 0; k < s->nodes[side]; k++)
        s->open[side][k] = NONE;
    for (int64_t k = 0; k < count; k++) {
        int64_t *open = &s->open[side][node_of(s, list[k], side)];
        s->partner[side][list[k]] = *open;
        if (*open != NONE)
            s->partner[side][*open] = list[k];
        *open = *open == NONE ? list[k] : NONE;
    }
}

/* Gives the edges of a way or cycle to the halves in turns, beginning with `edge`, whose node on `side` is passed
 * first. */
static void walk(splitter *s, int64_t edge, int side)
{
    for (signed char half = 0; edge != NONE && s->half[edge] == NONE; half = !half) {
        s->half[edge] = half;
        edge = s->partner[side][edge];
        side = !side;
    }
}

/* Ways begin at an edge without a partner; what is left are cycles. */
static void halve(splitter *s, const int64_t *list, int64_t count)
{
    pair_edges(s, list, count, LEFT);
    pair_edges(s, list, count, RIGHT);
    for (int64_t k = 0; k < count; k++)
        s->half[list[k]] = NONE;
    for (int64_t k = 0; k < count; k++)
        for (int side = LEFT; side <= RIGHT; side++)
            if (s->partner[side][list[k]] == NONE)
                walk(s, list[k], !side);
    for (int64_t k = 0; k < count; k++)
        walk(s, list[k], RIGHT);
}

/* The edges of the list into parts first, first + 1, ..; the list is reordered. */
static void split(splitter *s, int64_t *list, int64_t count, int64_t first, int64_t parts)
{
    int64_t ones = count, k = 0;
    if (parts == 1) {
        for (; k < count; k++)
            s->part[list[k]] = first;
        return;
    }
    halve(s, list, count);
    while (k < ones) {
        const int64_t edge = list[k];
        if (s->half[edge] == 0) {
            k++;
            continue;
        }
        list[k] = list[--ones];
        list[ones] = edge;
    }
    split(s, list, ones, first, parts / 2);
    split(s, list + ones, count - ones, first + parts / 2, parts / 2);
}

void edge_split(const bmf_edge *edge, int64_t edges, int32_t lefts, int32_t rights, int64_t parts, int64_t *part)
{
    splitter s = {.edge = edge, .nodes = {lefts, rights}, .part = part};
    const int64_t size = (int64_t)sizeof(int64_t);
    int64_t *list = allocate_array(edges, size);
    for (int side = LEFT; side <= RIGHT; side++) {
        s.open[side] = allocate_array(s.nodes[side], size);
        s.partner[side] = allocate_array(edges, size);
    }
    s.half = allocate_array(edges, 1);
    for (int64_t k = 0; k < edges; k++)
        list[k] = k;
    split(&s, list, edges, 0, parts);
    for (int side = LEFT; side <= RIGHT; side++) {
        free(s.open[side]);
        free(s.partner[side]);
    }
    free(s.half);
    free(list);
}
