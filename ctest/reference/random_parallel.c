/* Random programs: distributed lists.
 *
 * Method: a pipeline begins with a P_Split and grows by stages, each of which keeps the list distributed; what ends it
 * makes a placed value. */
#include "ctest/reference/random_maker.h"

/* A distributed list of `parts` elements under construction: from `in`, elements of type `element`. */
typedef struct pipeline {
    expression so_far;
    type element;
    int64_t parts;
} pipeline;

static void add_stage(random_maker *g, pipeline *p, expression stage, type element)
{
    p->so_far = compose(g, stage, p->so_far);
    p->element = element;
}

static void add_map(random_maker *g, pipeline *p, type element, int depth)
{
    add_stage(g, p, written(g, NODE(g, BMF_EXPRESSION_MAP, random_inner(g, p->element, element, depth))), element);
}

static void add_scan(random_maker *g, pipeline *p, int depth)
{
    expression op = random_operator(g, p->element, depth);
    if (chance(g, 2))
        add_stage(g, p, written(g, NODE(g, BMF_EXPRESSION_SCAN, op)), p->element);
    else
        add_stage(
            g, p,
            written(g, NODE(g, BMF_EXPRESSION_SCAN, op, random_plain(g, bmf_type_distributed(p->element), p->element))),
            p->element);
}

static void add_zip(random_maker *g, pipeline *p, int depth)
{
    type other = random_element_type(g, p->element), out = random_element_type(g, p->element);
    expression second = written(g, NODE(g, BMF_EXPRESSION_MAP, random_inner(g, p->element, other, depth)));
    type both = bmf_type_pair(p->element, other);
    bool bare = chance(g, 2);
    expression zip =
        bare ? node(g, BMF_EXPRESSION_ZIP, 0, NULL) : NODE(g, BMF_EXPRESSION_ZIP, random_inner(g, both, out, depth));
    add_stage(g, p, compose(g, written(g, zip), pair(g, identity(g), second)), bare ? both : out);
}

static void add_distl(random_maker *g, pipeline *p)
{
    expression distl = written(g, operation(g, BMF_OPERATION_DISTL));
    bool size = chance(g, 2);
    type first = size ? &bmf_type_int : random_type(g, 1);
    expression given =
        size ? operation(g, BMF_OPERATION_LENGTH) : random_plain(g, bmf_type_distributed(p->element), first);
    add_stage(g, p, compose(g, distl, pair(g, given, identity(g))), bmf_type_pair(first, p->element));
}

/* Indices from a placed list, or from the elements themselves. */
static void add_project(random_maker *g, pipeline *p, int depth)
{
    expression index[8];
    int count = (int)test_below(&g->random, p->parts + 1);
    if (chance(g, 2))
        count = (int)p->parts;
    for (int k = 0; k < count; k++)
        index[k] = constant_int(g, chance(g, 60) ? p->parts : test_below(&g->random, p->parts));
    expression indices = node(g, BMF_EXPRESSION_ALLVEC, count, index);
    bool placed = chance(g, 2) && count > 0;
    if (!placed) {
        expression each = wrap(g, random_inner(g, p->element, &bmf_type_int, depth), constant_int(g, p->parts));
        indices = written(g, NODE(g, BMF_EXPRESSION_MAP, each));
    }
    add_stage(g, p, compose(g, written(g, operation(g, BMF_OPERATION_PROJECT)), pair(g, identity(g), indices)),
              p->element);
    p->parts = placed ? count : p->parts;
}

/* All parts together; outside of maps. */
static void add_sort(random_maker *g, pipeline *p)
{
    if (g->inside > 0 || p->element->kind != BMF_LIST)
        return;
    const bmf_type_kind kind = p->element->component[0]->kind;
    if (kind != BMF_INT && kind != BMF_REAL && kind != BMF_BOOL)
        return;
    if (chance(g, 2))
        add_stage(g, p, written(g, operation(g, chance(g, 2) ? BMF_OPERATION_SORT : BMF_OPERATION_UNIQUE)), p->element);
    else
        add_stage(g, p, written(g, operation(g, BMF_OPERATION_ARGSORT)), bmf_type_list(&bmf_type_int));
}

/* A choice between two ways on, by the length. */
static void add_choice(random_maker *g, pipeline *p, int depth)
{
    if (g->inside > 0)
        return;
    expression first = written(g, NODE(g, BMF_EXPRESSION_MAP, random_inner(g, p->element, p->element, depth)));
    expression second =
        chance(g, 2) ? identity(g) : written(g, NODE(g, BMF_EXPRESSION_SCAN, random_operator(g, p->element, depth)));
    expression predicate =
        compose(g, operation(g, BMF_OPERATION_GT),
                pair(g, operation(g, BMF_OPERATION_LENGTH), constant_int(g, test_below(&g->random, MAX_PARTS))));
    add_stage(g, p, NODE(g, BMF_EXPRESSION_IF, predicate, first, second), p->element);
}

/* A loop on {how often still, distributed list}. */
static void add_loop(random_maker *g, pipeline *p, int depth)
{
    if (g->inside > 0)
        return;
    expression goes_on = compose(g, operation(g, BMF_OPERATION_GT), pair(g, component(g, 1, 2), constant_int(g, 0)));
    expression less = compose(g, operation(g, BMF_OPERATION_MINUS), pair(g, component(g, 1, 2), constant_int(g, 1)));
    expression step = written(g, NODE(g, BMF_EXPRESSION_MAP, random_inner(g, p->element, p->element, depth)));
    expression loop = NODE(g, BMF_EXPRESSION_WHILE, goes_on, pair(g, less, compose(g, step, component(g, 2, 2))));
    expression start = pair(g, constant_int(g, test_below(&g->random, 4)), identity(g));
    add_stage(g, p, compose(g, component(g, 2, 2), compose(g, loop, start)), p->element);
}

/* Lists in the elements are split again, worked on, and gathered; document 000, 5.3.4. */
static void add_second_level(random_maker *g, pipeline *p, int depth)
{
    if (p->element->kind != BMF_LIST || g->splits > MAX_SPLITS)
        return;
    type middle = random_element_type(g, p->element), item_type = p->element->component[0];
    expression split = written(g, NODE(g, BMF_EXPRESSION_MAP, split_over(g, 1 + test_below(&g->random, 4), 0)));
    expression work =
        NODE(g, BMF_EXPRESSION_MAP,
             written(g, NODE(g, BMF_EXPRESSION_MAP, random_inner(g, bmf_type_list(item_type), middle, depth))));
    expression gather =
        NODE(g, BMF_EXPRESSION_MAP, written(g, NODE(g, BMF_EXPRESSION_REDUCE, random_operator(g, middle, depth))));
    add_stage(g, p, compose(g, written(g, gather), compose(g, written(g, work), split)), middle);
}

static void add_any(random_maker *g, pipeline *p, int depth)
{
    expression together;
    type made;
    switch (test_below(&g->random, 11)) {
    case 10:
        together = random_parts_together(g, p->element, &made, depth);
        if (together)
            add_stage(g, p, together, made);
        break;
    case 9:
        add_stage(g, p, random_shift(g, p->element), p->element);
        break;
    case 8:
        add_sort(g, p);
        break;
    case 0:
        add_scan(g, p, depth);
        break;
    case 1:
        add_zip(g, p, depth);
        break;
    case 2:
        add_distl(g, p);
        break;
    case 3:
        add_project(g, p, depth);
        break;
    case 4:
        add_choice(g, p, depth);
        break;
    case 5:
        add_loop(g, p, depth);
        break;
    case 6:
        add_second_level(g, p, depth);
        break;
    default:
        add_map(g, p, random_element_type(g, p->element), depth);
    }
}

static pipeline make_pipeline(random_maker *g, type in, int depth)
{
    type item_type = random_element_type(g, in);
    pipeline p = {random_expression(g, in, bmf_type_list(item_type), depth - 1), item_type,
                  1 + test_below(&g->random, 5)};
    g->splits++;
    add_stage(g, &p, split_over(g, p.parts, test_below(&g->random, 3)), bmf_type_list(item_type));
    for (int64_t stages = test_below(&g->random, 4); stages > 0; stages--)
        add_any(g, &p, depth - 2);
    g->splits--;
    return p;
}

expression random_distributed(random_maker *g, type in, int depth)
{
    return make_pipeline(g, in, depth).so_far;
}

expression random_parallel(random_maker *g, type in, type out, int depth)
{
    if (g->splits >= MAX_SPLITS || depth < 2)
        return NULL;
    pipeline p = make_pipeline(g, in, depth);
    if (out->kind == BMF_INT && chance(g, 4))
        return compose(g, operation(g, BMF_OPERATION_LENGTH), p.so_far);
    expression by_key = chance(g, 2) ? random_parallel_by_key(g, p.element, out, depth) : NULL;
    if (by_key)
        return compose(g, by_key, p.so_far);
    g->splits++;
    add_map(g, &p, out, depth - 2);
    expression op = random_operator(g, out, depth - 2);
    g->splits--;
    if (chance(g, 3))
        return compose(g,
                       compose(g, operation(g, BMF_OPERATION_INDEX),
                               pair(g, identity(g), constant_int(g, test_below(&g->random, p.parts)))),
                       p.so_far);
    expression reduce = NODE(g, BMF_EXPRESSION_REDUCE, op);
    if (chance(g, 3))
        reduce = NODE(g, BMF_EXPRESSION_REDUCE, op, random_plain(g, bmf_type_distributed(out), out));
    return compose(g, written(g, reduce), p.so_far);
}
