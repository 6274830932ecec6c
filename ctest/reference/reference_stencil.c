/* Method: every window is made of boxes, point by point; no row or part is kept. */
#include "ctest/reference/reference_stencil.h"
#include "ctest/reference/reference_grid.h"

typedef struct stencil {
    reference_machine *m;
    naive_application *apply;
    const bmf_expression *e;
    int64_t place;
    value handed;
    int dimensions;
} stencil;

value naive_join_parts(reference_machine *m, value parts)
{
    int64_t count = 0, next = 0;
    for (int64_t k = 0; k < parts->count; k++)
        count += parts->item[k]->count;
    reference_value *all = naive_box(m, BMF_LIST, count);
    for (int64_t k = 0; k < parts->count && all; k++)
        for (int64_t i = 0; i < parts->item[k]->count; i++)
            all->item[next++] = parts->item[k]->item[i];
    return all;
}

value naive_seen(reference_machine *m, value handed, value element)
{
    return handed && element ? naive_box_pair(m, handed, element) : element;
}

static int64_t around(int64_t at, int64_t length)
{
    return (at % length + length) % length;
}

static const bmf_expression *edge_of(const stencil *s, int d, int side)
{
    const bmf_expression *e = s->e;
    if (e->children == 1)
        return NULL;
    const bmf_expression *edge = e->child[e->children == 2 ? 1 : 1 + 2 * d + side];
    return edge->kind == BMF_EXPRESSION_RING ? NULL : edge;
}

static value beyond(const stencil *s, const bmf_expression *edge, value element)
{
    return element ? s->apply(s->m, edge, s->place, naive_seen(s->m, s->handed, element)) : NULL;
}

static value result(const stencil *s, value window)
{
    return window ? s->apply(s->m, s->e->child[0], s->place, naive_seen(s->m, s->handed, window)) : NULL;
}

/* ---- lists ---- */

static value neighbour(const stencil *s, value list, int64_t i, int64_t at)
{
    if (at >= 0 && at < list->count)
        return list->item[at];
    const bmf_expression *edge = edge_of(s, 0, at >= 0);
    return edge ? beyond(s, edge, list->item[i]) : list->item[around(at, list->count)];
}

static value of_list(const stencil *s, value list)
{
    const int64_t reach = s->e->number[0];
    reference_value *out = naive_box(s->m, BMF_LIST, list->count);
    for (int64_t i = 0; i < list->count && out; i++) {
        reference_value *window = naive_box(s->m, BMF_TUPLE, 2 * reach + 1);
        for (int64_t k = -reach; k <= reach && window; k++)
            if ((window->item[reach + k] = neighbour(s, list, i, i + k)) == NULL)
                return NULL;
        if ((out->item[i] = result(s, window)) == NULL)
            return NULL;
    }
    return out;
}

/* ---- planes and cubes ---- */

/* The elements of a list without ends are 0 1 .. n-1 n-1 .. 1 0 0 1 .. */
static int64_t mirrored(int64_t at, int64_t length)
{
    while (at < 0 || at >= length)
        at = at < 0 ? -1 - at : 2 * length - 1 - at;
    return at;
}

/* More places than dimensions, for compilers that see recursion end behind the last. */
enum { PLACES = BMF_NUMBERS + 1 };

/* lists: in dimension d. Beyond an edge stands what is made of what stands where a mirror shows it. */
static value point_at(const stencil *s, value all, value lists, int d, const int64_t *at)
{
    if (d == s->dimensions)
        return lists;
    if (at[d] >= 0 && at[d] < lists->count)
        return point_at(s, all, lists->item[at[d]], d + 1, at);
    const bmf_expression *edge = edge_of(s, d, at[d] >= 0);
    int64_t shown[PLACES];
    for (int k = 0; k < PLACES; k++)
        shown[k] = at[k];
    shown[d] = edge ? mirrored(at[d], lists->count) : around(at[d], lists->count);
    value point = point_at(s, all, all, 0, shown);
    return edge ? beyond(s, edge, point) : point;
}

/* at: those before d are in the window, the others its middle. */
static value window_of(const stencil *s, value all, int d, const int64_t *at)
{
    if (d >= s->dimensions || d == BMF_NUMBERS)
        return point_at(s, all, all, 0, at);
    const int64_t reach = s->e->number[d];
    reference_value *window = naive_box(s->m, BMF_TUPLE, 2 * reach + 1);
    for (int64_t k = -reach; k <= reach && window; k++) {
        int64_t place[PLACES];
        for (int other = 0; other < PLACES; other++)
            place[other] = at[other] + (other == d ? k : 0);
        if ((window->item[reach + k] = window_of(s, all, d + 1, place)) == NULL)
            return NULL;
    }
    return window;
}

/* All lists in dimension d have as many elements as the first one. */
static bool is_even(value lists, value like, int d)
{
    bool even = lists->count == like->count;
    for (int64_t i = 0; i < lists->count && even && d > 1; i++)
        even = is_even(lists->item[i], like->item[0], d - 1);
    return even;
}

static value of_points(const stencil *s, value all, value lists, int d, int64_t *at)
{
    if (d == s->dimensions)
        return result(s, window_of(s, all, 0, at));
    reference_value *out = naive_box(s->m, BMF_LIST, lists->count);
    for (at[d] = 0; at[d] < lists->count && out; at[d]++)
        if ((out->item[at[d]] = of_points(s, all, lists->item[at[d]], d + 1, at)) == NULL)
            return NULL;
    return out;
}

/* ---- both, and their parts ---- */

static value of_all(const stencil *s, value list)
{
    int64_t at[PLACES] = {0};
    if (s->dimensions == 1)
        return of_list(s, list);
    return is_even(list, list, s->dimensions) ? of_points(s, list, list, 0, at)
                                              : naive_fail(s->m, "rows of unequal lengths");
}

static value of_parts(const stencil *s, value parts)
{
    value all = naive_join_parts(s->m, parts), made = all ? of_all(s, all) : NULL;
    reference_value *out = made ? naive_box_like(s->m, parts, parts->count) : NULL;
    int64_t next = 0;
    for (int64_t k = 0; k < parts->count && out; k++) {
        reference_value *part = naive_box(s->m, BMF_LIST, parts->item[k]->count);
        for (int64_t i = 0; part && i < part->count; i++)
            part->item[i] = made->item[next++];
        if ((out->item[k] = part) == NULL)
            return NULL;
    }
    return out;
}

static value of_blocks(const stencil *s, value blocks)
{
    value all = naive_whole_of_blocks(s->m, blocks), made = all ? of_all(s, all) : NULL;
    return made ? naive_blocks_like(s->m, blocks, made) : NULL;
}

value naive_stencil(reference_machine *m, naive_application *apply, const bmf_expression *e, int64_t place,
                    value handed, value lists)
{
    const int dimensions = e->number[2] > 0 ? 3 : e->number[1] > 0 ? 2 : 1;
    const stencil s = {m, apply, e, place, handed, dimensions};
    if (lists->kind != BMF_DISTRIBUTED)
        return of_all(&s, lists);
    return e->on_grid ? of_blocks(&s, lists) : of_parts(&s, lists);
}
