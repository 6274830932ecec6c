/* Method: every window is made of boxes, point by point; no row or part is kept. */
#include "ctest/reference/reference_stencil.h"

typedef struct stencil {
    reference_machine *m;
    naive_application *apply;
    const bmf_expression *e;
    int64_t place;
    value handed;
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

static value beyond(const stencil *s, value element)
{
    return s->apply(s->m, s->e->child[1], s->place, element);
}

static value result(const stencil *s, value window)
{
    return window ? s->apply(s->m, s->e->child[0], s->place, naive_seen(s->m, s->handed, window)) : NULL;
}

/* ---- lists ---- */

static value neighbour(const stencil *s, value list, int64_t i, int64_t at)
{
    if (s->e->children == 1)
        return list->item[around(at, list->count)];
    return at >= 0 && at < list->count ? list->item[at] : beyond(s, list->item[i]);
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

/* ---- planes ---- */

/* The elements of a list without ends are 0 1 .. n-1 n-1 .. 1 0 0 1 .. */
static int64_t mirrored(int64_t at, int64_t length)
{
    while (at < 0 || at >= length)
        at = at < 0 ? -1 - at : 2 * length - 1 - at;
    return at;
}

static value point_at(const stencil *s, value rows, int64_t row, int64_t column)
{
    const int64_t height = rows->count, width = rows->item[0]->count;
    if (s->e->children == 1)
        return rows->item[around(row, height)]->item[around(column, width)];
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    value point = rows->item[mirrored(row, height)]->item[mirrored(column, width)];
    return inside ? point : beyond(s, point);
}

static value window_of(const stencil *s, value rows, int64_t row, int64_t column)
{
    const int64_t high = s->e->number[0], wide = s->e->number[1];
    reference_value *window = naive_box(s->m, BMF_TUPLE, 2 * high + 1);
    for (int64_t i = -high; i <= high && window; i++) {
        reference_value *line = naive_box(s->m, BMF_TUPLE, 2 * wide + 1);
        for (int64_t k = -wide; k <= wide && line; k++)
            if ((line->item[wide + k] = point_at(s, rows, row + i, column + k)) == NULL)
                return NULL;
        if ((window->item[high + i] = line) == NULL)
            return NULL;
    }
    return window;
}

static value of_plane(const stencil *s, value rows)
{
    reference_value *out = naive_box(s->m, BMF_LIST, rows->count);
    for (int64_t i = 0; i < rows->count && out; i++)
        if (rows->item[i]->count != rows->item[0]->count)
            return naive_fail(s->m, "rows of unequal lengths");
    for (int64_t i = 0; i < rows->count && out; i++) {
        reference_value *row = naive_box(s->m, BMF_LIST, rows->item[i]->count);
        for (int64_t k = 0; k < rows->item[i]->count && row; k++)
            if ((row->item[k] = result(s, window_of(s, rows, i, k))) == NULL)
                return NULL;
        if ((out->item[i] = row) == NULL)
            return NULL;
    }
    return out;
}

/* ---- both, and their parts ---- */

static value of_all(const stencil *s, value list)
{
    return s->e->number[1] > 0 ? of_plane(s, list) : of_list(s, list);
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

value naive_stencil(reference_machine *m, naive_application *apply, const bmf_expression *e, int64_t place,
                    value handed, value lists)
{
    const stencil s = {m, apply, e, place, handed};
    return lists->kind == BMF_DISTRIBUTED ? of_parts(&s, lists) : of_all(&s, lists);
}
