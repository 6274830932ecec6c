/* Random programs: reductions by key, sorting and grouping by keys, shifts and stencils. */
#include "ctest/reference/random_maker.h"

static bool is_number(type t)
{
    return t->kind == BMF_INT || t->kind == BMF_REAL;
}

/* {t, t} -> t without lists in it. */
static expression scalar_operator(random_maker *g, type t)
{
    static const bmf_operation number[] = {BMF_OPERATION_PLUS, BMF_OPERATION_PLUS,  BMF_OPERATION_MAX,
                                           BMF_OPERATION_MIN,  BMF_OPERATION_TIMES, BMF_OPERATION_MINUS};
    expression part[BMF_MAX_LEAVES];
    if (is_number(t))
        return operation(g, number[test_below(&g->random, 6)]);
    if (t->kind == BMF_BOOL)
        return operation(g, chance(g, 2) ? BMF_OPERATION_AND : BMF_OPERATION_OR);
    for (int k = 0; k < t->components; k++)
        part[k] = compose(g, scalar_operator(g, t->component[k]),
                          pair(g, compose(g, component(g, k + 1, t->components), component(g, 1, 2)),
                               compose(g, component(g, k + 1, t->components), component(g, 2, 2))));
    return node(g, BMF_EXPRESSION_ALLTUP, t->components, part);
}

/* element -> {key, value}; a key out of range now and then. */
static expression keyed(random_maker *g, type element, type value, int64_t keys, int depth)
{
    expression number = random_inner(g, element, &bmf_type_int, depth);
    expression key = chance(g, 30) ? number : wrap(g, number, constant_int(g, keys));
    return pair(g, key, random_inner(g, element, value, depth));
}

static bool fits(type out)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    return out->kind == BMF_LIST && bmf_type_is_fixed(out->component[0]) &&
           bmf_type_leaves(out->component[0], leaf) <= BMF_MAX_LEAVES / 2;
}

static int64_t random_keys(random_maker *g)
{
    return chance(g, 20) ? test_below(&g->random, 200) + 1 : test_below(&g->random, 6) + 1;
}

static expression reduction(random_maker *g, type value, int64_t keys)
{
    const int64_t count = chance(g, 40) ? keys - 2 : keys; /* too few, or none, or fewer */
    expression form =
        NODE(g, BMF_EXPRESSION_REDUCE_BY_KEY, scalar_operator(g, value), random_plain(g, &bmf_type_int, value));
    return compose(g, written(g, form), pair(g, constant_int(g, count), identity(g)));
}

expression random_by_key(random_maker *g, type in, type out, int depth)
{
    if (!fits(out))
        return NULL;
    type value = out->component[0], element = random_element_type(g, in);
    const int64_t keys = random_keys(g);
    expression pairs = compose(g, NODE(g, BMF_EXPRESSION_MAP, keyed(g, element, value, keys, depth - 2)),
                               random_expression(g, in, bmf_type_list(element), depth - 1));
    return compose(g, reduction(g, value, keys), pairs);
}

expression random_parallel_by_key(random_maker *g, type element, type out, int depth)
{
    if (g->inside > 0 || element->kind != BMF_LIST || !fits(out))
        return NULL;
    const int64_t keys = random_keys(g);
    g->inside++;
    expression pairs = keyed(g, element->component[0], out->component[0], keys, depth - 2);
    g->inside--;
    expression each = written(g, NODE(g, BMF_EXPRESSION_MAP, NODE(g, BMF_EXPRESSION_MAP, pairs)));
    return compose(g, reduction(g, out->component[0], keys), each);
}

expression random_shift(random_maker *g, type element)
{
    expression shift = chance(g, 3) ? node(g, BMF_EXPRESSION_SHIFT, 0, NULL)
                                    : NODE(g, BMF_EXPRESSION_SHIFT, random_plain(g, element, element));
    shift->number[0] = test_below(&g->random, 7) - 3;
    return written(g, shift);
}

enum { MAX_REACH = 3 };

static type window_of(type element, int reach)
{
    type component[2 * MAX_REACH + 1];
    for (int k = 0; k <= 2 * reach; k++)
        component[k] = element;
    return bmf_type_tuple(2 * reach + 1, component);
}

/* What stands beyond an edge, of what is there. */
static expression random_edge(random_maker *g, type sees, type element)
{
    return chance(g, 3) ? random_inner(g, sees, element, 1) : random_plain(g, sees, element);
}

/* One edge for all, each, or none; some dimensions are rings. */
static int random_edges(random_maker *g, int dimensions, type sees, type element, expression *edge)
{
    if (chance(g, 3))
        return 0;
    if (!chance(g, 3)) {
        edge[0] = random_edge(g, sees, element);
        return 1;
    }
    for (int k = 0; k < 2 * dimensions; k += 2) {
        const bool ring = chance(g, 3);
        for (int side = 0; side < 2; side++)
            edge[k + side] = ring ? node(g, BMF_EXPRESSION_RING, 0, NULL) : random_edge(g, sees, element);
    }
    return 2 * dimensions;
}

/* B_Stencil from elements, and what is handed on to them (or NULL), to elements; or from points to points. */
static expression stencil(random_maker *g, int dimensions, type handed, type element, type out, int depth)
{
    int64_t reach[BMF_NUMBERS] = {1 + test_below(&g->random, dimensions == 1 ? MAX_REACH : 4 - dimensions)};
    const bmf_type *leaf[BMF_MAX_LEAVES];
    type window = element, sees = handed ? bmf_type_pair(handed, element) : element;
    for (int d = dimensions - 1; d >= 0; d--) {
        reach[d] = d > 0 ? 1 + (int64_t)test_below(&g->random, 4 - dimensions) : reach[0];
        window = window ? window_of(window, (int)reach[d]) : NULL;
    }
    if (handed && window)
        window = bmf_type_pair(handed, window);
    if (!window || (bmf_type_is_fixed(window) && bmf_type_leaves(window, leaf) < 0))
        return NULL;
    const int splits = g->splits;
    g->splits = MAX_SPLITS; /* none in it */
    expression operand[1 + 2 * BMF_NUMBERS] = {random_inner(g, window, out, depth)};
    const int edges = random_edges(g, dimensions, sees, element, operand + 1);
    g->splits = splits;
    expression made = node(g, BMF_EXPRESSION_STENCIL, 1 + edges, operand);
    for (int d = 0; d < dimensions; d++)
        made->number[d] = reach[d];
    return written(g, made);
}

static bool is_key(type t)
{
    return is_number(t) || t->kind == BMF_BOOL;
}

/* A key of elements, without splits in it. */
static expression by_key(random_maker *g, bmf_expression_kind kind, type element, type key, int depth)
{
    const int splits = g->splits;
    g->splits = MAX_SPLITS;
    expression f = random_inner(g, element, key, depth);
    g->splits = splits;
    return NODE(g, kind, f);
}

static type random_key(random_maker *g)
{
    const type keys[] = {&bmf_type_int, &bmf_type_real, &bmf_type_bool};
    return keys[test_below(&g->random, 3)];
}

expression random_neighbours(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    if (chance(g, 2)) {
        type element = random_element_type(g, in);
        type handed = chance(g, 3) ? random_element_type(g, in) : NULL;
        expression made = stencil(g, 1, handed, element, out->component[0], depth - 2), list;
        if (!made)
            return NULL;
        list = random_expression(g, in, bmf_type_list(element), depth - 1);
        if (handed)
            list = NODE(g, BMF_EXPRESSION_ALLTUP, random_expression(g, in, handed, depth - 1), list);
        return compose(g, made, list);
    }
    return compose(g, random_shift(g, out->component[0]), random_expression(g, in, out, depth - 1));
}

/* The elements of lists in each other, if they are so deep, and have no lists in them; or NULL. */
static type point_in(type lists, int depth)
{
    for (int d = 0; d < depth; d++) {
        if (lists->kind != BMF_LIST)
            return NULL;
        lists = lists->component[0];
    }
    return bmf_type_is_fixed(lists) ? lists : NULL;
}

expression random_plane(random_maker *g, type in, type out, int depth)
{
    type of_plane = point_in(out, 2), of_cube = point_in(out, 3), point = random_element_type(g, in), handed = NULL;
    if ((!of_plane && !of_cube) || !bmf_type_is_fixed(point))
        return NULL;
    const bool joined = of_plane && chance(g, 3); /* the planes of a cube, rows behind rows */
    const int dimensions = of_cube || joined ? 3 : 2;
    if (dimensions == 3 && point->kind == BMF_TUPLE)
        point = &bmf_type_int;
    if (chance(g, 4))
        handed = random_element_type(g, in);
    expression made = stencil(g, dimensions, handed, point, of_plane ? of_plane : of_cube, depth - 2);
    if (!made)
        return NULL;
    expression lists = dimensions == 3 ? random_planes(g, in, point, depth) : random_rows(g, in, point, depth);
    if (handed)
        lists = NODE(g, BMF_EXPRESSION_ALLTUP, random_expression(g, in, handed, depth - 1), lists);
    made = compose(g, made, lists);
    return joined ? compose(g, NODE(g, BMF_EXPRESSION_REDUCE, operation(g, BMF_OPERATION_CONC)), made) : made;
}

expression random_sorting(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    type element = out->component[0];
    if (is_key(element) && chance(g, 3))
        return compose(g, operation(g, BMF_OPERATION_UNIQUE), random_expression(g, in, out, depth - 1));
    const bool groups = element->kind == BMF_TUPLE && element->components == 2 && is_key(element->component[0]) &&
                        element->component[1]->kind == BMF_LIST;
    expression form =
        groups ? by_key(g, BMF_EXPRESSION_GROUP, element->component[1]->component[0], element->component[0], depth - 2)
               : by_key(g, BMF_EXPRESSION_SORT_BY, element, random_key(g), depth - 2);
    return compose(g, form, random_expression(g, in, groups ? element->component[1] : out, depth - 1));
}

expression random_parts_together(random_maker *g, type element, type *out, int depth)
{
    if (g->inside > 0 || element->kind != BMF_LIST)
        return NULL;
    *out = element;
    if (chance(g, 3))
        return written(g, by_key(g, BMF_EXPRESSION_SORT_BY, element->component[0], random_key(g), depth));
    if (chance(g, 2)) {
        type key = random_key(g);
        *out = bmf_type_list(bmf_type_pair(key, element));
        return written(g, by_key(g, BMF_EXPRESSION_GROUP, element->component[0], key, depth));
    }
    const int dimensions = point_in(element, 3) ? 3 : point_in(element, 2) ? 2 : 1;
    type made = random_element_type(g, element);
    if (dimensions > 1 && !chance(g, 3)) {
        type point = point_in(element, dimensions);
        made = bmf_type_is_fixed(made) ? made : &bmf_type_int;
        expression of_points = stencil(g, dimensions, NULL, point, made, depth);
        for (int d = 0; d < dimensions; d++)
            made = bmf_type_list(made);
        *out = made;
        return of_points;
    }
    *out = bmf_type_list(made);
    return stencil(g, 1, NULL, element->component[0], made, depth);
}
