/* Random programs.
 *
 * Method: an expression from one type to another is put together from recipes, each of which makes one construct whose
 * parts are again expressions between types; recipes that do not fit are passed over, and when depth is used up the
 * plainest expression that fits ends it. Operations that may fail are mostly guarded, so that most programs have a
 * value. */
#include <stdlib.h>
#include <string.h>

#include "ctest/reference/random_language.h"
#include "ctest/support/testing.h"
#include "skeletons/language/front/data.h"

typedef const bmf_type *type;
typedef bmf_expression *expression;

enum { MAX_PARTS = 4, MAX_SPLITS = 3 };

typedef struct maker {
    uint64_t random;
    bmf_expressions *arena;
    int splits; /* P_Splits around this place */
    int inside; /* maps and operators around this place */
} maker;

static expression make(maker *g, type in, type out, int depth);

/* ---- nodes ---- */

static bool chance(maker *g, int one_in)
{
    return test_below(&g->random, one_in) == 0;
}

static expression node(maker *g, bmf_expression_kind kind, int children, const expression *child)
{
    expression made = expression_create(g->arena, kind, (bmf_span){-1, 0, 0}, children);
    for (int k = 0; k < children; k++)
        made->child[k] = child[k];
    return made;
}

#define NODE(g, kind, ...)                                                                                             \
    node((g), (kind), (int)(sizeof((const expression[]){__VA_ARGS__}) / sizeof(expression)),                           \
         (const expression[]){__VA_ARGS__})

static expression identity(maker *g)
{
    return node(g, BMF_EXPRESSION_ID, 0, NULL);
}

/* f . g; sometimes left out where it is the identity. */
static expression compose(maker *g, expression after, expression before)
{
    if (before->kind == BMF_EXPRESSION_ID && !chance(g, 8))
        return after;
    return NODE(g, BMF_EXPRESSION_COMP, after, before);
}

static expression operation(maker *g, bmf_operation which)
{
    expression made = node(g, BMF_EXPRESSION_OP, 0, NULL);
    made->operation = which;
    return made;
}

static expression pair(maker *g, expression first, expression second)
{
    return NODE(g, BMF_EXPRESSION_ALLTUP, first, second);
}

static expression component(maker *g, int k, int of)
{
    expression made = node(g, BMF_EXPRESSION_ADDR, 0, NULL);
    made->number[0] = k;
    made->number[1] = of;
    return made;
}

static expression constant_int(maker *g, int64_t integer)
{
    expression made = node(g, BMF_EXPRESSION_CON, 0, NULL);
    made->constant = (bmf_constant){.kind = BMF_INT, .integer = integer};
    return made;
}

static double dyadic(maker *g)
{
    static const double odd[] = {0.0, -0.0, 1e300, 0.1, -1e-300};
    if (chance(g, 20))
        return odd[test_below(&g->random, 5)];
    return (double)(test_below(&g->random, 4001) - 2000) / (double)((int64_t)1 << test_below(&g->random, 6));
}

static int64_t small_int(maker *g)
{
    static const int64_t odd[] = {INT64_MAX, INT64_MIN, -1, 1000003};
    if (chance(g, 60))
        return odd[test_below(&g->random, 4)];
    return test_below(&g->random, 41) - 20;
}

static expression constant(maker *g, type out)
{
    expression made = node(g, BMF_EXPRESSION_CON, 0, NULL);
    made->constant.kind = out->kind;
    if (out->kind == BMF_REAL)
        made->constant.real = dyadic(g);
    else
        made->constant.integer = out->kind == BMF_BOOL ? test_below(&g->random, 2) : small_int(g);
    return made;
}

/* x Mod n of an int expression, from 0 to n - 1. */
static expression wrap(maker *g, expression x, expression n)
{
    expression rest = compose(g, operation(g, BMF_OPERATION_MOD), pair(g, x, n));
    return compose(g, operation(g, BMF_OPERATION_ABS), rest);
}

/* ---- types ---- */

static type scalar_type(maker *g)
{
    static const type scalar[] = {&bmf_type_int, &bmf_type_int, &bmf_type_real, &bmf_type_bool};
    return scalar[test_below(&g->random, 4)];
}

static type any_type(maker *g, int depth)
{
    int64_t which = test_below(&g->random, 8);
    if (depth == 0 || which < 4)
        return scalar_type(g);
    if (which < 6)
        return bmf_type_list(any_type(g, depth - 1));
    type part[3] = {any_type(g, depth - 1), any_type(g, depth - 1), scalar_type(g)};
    return bmf_type_tuple(which == 6 ? 2 : 3, part);
}

/* Of a list to be made from `in`: often of one that is there. */
static type element_type(maker *g, type in)
{
    int tried = in->kind == BMF_TUPLE ? (int)test_below(&g->random, in->components) : 0;
    if (in->kind == BMF_TUPLE && chance(g, 2))
        in = in->component[tried];
    if (in->kind == BMF_LIST && !chance(g, 3))
        return in->component[0];
    return any_type(g, chance(g, 4) ? 2 : 1);
}

static bool is_number(type t)
{
    return t->kind == BMF_INT || t->kind == BMF_REAL;
}

/* ---- the plainest expression ---- */

static expression plain(maker *g, type in, type out)
{
    expression part[BMF_MAX_LEAVES];
    if (in == out)
        return identity(g);
    for (int k = 0; k < in->components && in->kind == BMF_TUPLE; k++)
        if (in->component[k] == out)
            return component(g, k + 1, in->components);
    if (out->components == 0)
        return constant(g, out);
    int parts = out->kind == BMF_TUPLE ? out->components : 1 + (int)test_below(&g->random, 3);
    if (out->kind == BMF_LIST && chance(g, 10))
        parts = 0;
    for (int k = 0; k < parts; k++)
        part[k] = plain(g, in, out->component[out->kind == BMF_TUPLE ? k : 0]);
    return node(g, out->kind == BMF_TUPLE ? BMF_EXPRESSION_ALLTUP : BMF_EXPRESSION_ALLVEC, parts, part);
}

/* ---- scalars ---- */

static expression arithmetic(maker *g, type in, type out, int depth)
{
    static const bmf_operation which[] = {BMF_OPERATION_PLUS, BMF_OPERATION_MINUS, BMF_OPERATION_TIMES,
                                          BMF_OPERATION_MAX,  BMF_OPERATION_MIN,   BMF_OPERATION_DIVIDE,
                                          BMF_OPERATION_MOD};
    if (!is_number(out))
        return NULL;
    int64_t k = test_below(&g->random, 7);
    bool mixed = out->kind == BMF_REAL && chance(g, 4);
    expression a = make(g, in, mixed ? &bmf_type_int : out, depth - 1), b = make(g, in, out, depth - 1);
    if (out->kind == BMF_INT && k >= 5 && !chance(g, 6)) /* no division by zero */
        b = compose(g, operation(g, BMF_OPERATION_PLUS), pair(g, constant_int(g, 1), wrap(g, b, constant_int(g, 9))));
    expression made = compose(g, operation(g, which[k]), pair(g, a, b));
    return out->kind == BMF_INT && k == 2 && !chance(g, 4) ? wrap(g, made, constant_int(g, 1009)) : made;
}

static expression unary(maker *g, type in, type out, int depth)
{
    static const bmf_operation real_only[] = {BMF_OPERATION_SQRT, BMF_OPERATION_EXP, BMF_OPERATION_LOG,
                                              BMF_OPERATION_SIN,  BMF_OPERATION_COS, BMF_OPERATION_REAL};
    static const bmf_operation number[] = {BMF_OPERATION_UMINUS, BMF_OPERATION_NEG, BMF_OPERATION_ABS};
    if (out->kind == BMF_BOOL)
        return compose(g, operation(g, BMF_OPERATION_NEG), make(g, in, out, depth - 1));
    if (out->kind == BMF_REAL && chance(g, 2))
        return compose(g, operation(g, real_only[test_below(&g->random, 6)]),
                       make(g, in, chance(g, 3) ? &bmf_type_int : out, depth - 1));
    if (out->kind == BMF_INT && chance(g, 4))
        return compose(g, operation(g, BMF_OPERATION_INT), make(g, in, scalar_type(g), depth - 1));
    if (!is_number(out))
        return NULL;
    return compose(g, operation(g, number[test_below(&g->random, 3)]), make(g, in, out, depth - 1));
}

static expression comparison(maker *g, type in, type out, int depth)
{
    static const bmf_operation which[] = {BMF_OPERATION_EQ, BMF_OPERATION_LT,  BMF_OPERATION_GT, BMF_OPERATION_LE,
                                          BMF_OPERATION_GE, BMF_OPERATION_AND, BMF_OPERATION_OR};
    if (out->kind != BMF_BOOL)
        return NULL;
    int64_t k = test_below(&g->random, 7);
    type a = chance(g, 2) ? &bmf_type_int : &bmf_type_real, b = chance(g, 2) ? a : &bmf_type_int;
    if (k >= 5 || (k == 0 && chance(g, 3)))
        a = b = out;
    return compose(g, operation(g, which[k]), pair(g, make(g, in, a, depth - 1), make(g, in, b, depth - 1)));
}

static expression length(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_INT)
        return NULL;
    return compose(g, operation(g, BMF_OPERATION_LENGTH), make(g, in, bmf_type_list(element_type(g, in)), depth - 1));
}

/* ---- anything ---- */

static expression through(maker *g, type in, type out, int depth)
{
    type middle = any_type(g, 2);
    expression before = make(g, in, middle, depth - 1);
    return compose(g, make(g, middle, out, depth - 1), before);
}

static expression tuple(maker *g, type in, type out, int depth)
{
    expression part[BMF_MAX_LEAVES];
    if (out->kind != BMF_TUPLE)
        return NULL;
    for (int k = 0; k < out->components; k++)
        part[k] = make(g, in, out->component[k], depth - 1);
    return node(g, BMF_EXPRESSION_ALLTUP, out->components, part);
}

static expression choose(maker *g, type in, type out, int depth)
{
    type other = out->kind == BMF_REAL && chance(g, 4) ? &bmf_type_int : out;
    return NODE(g, BMF_EXPRESSION_IF, make(g, in, &bmf_type_bool, depth - 1), make(g, in, other, depth - 1),
                make(g, in, out, depth - 1));
}

/* A loop on {how often still, value}. */
static expression repeat(maker *g, type in, type out, int depth)
{
    type state = bmf_type_pair(&bmf_type_int, out);
    expression often = chance(g, 2) ? wrap(g, make(g, in, &bmf_type_int, depth - 2), constant_int(g, 5))
                                    : constant_int(g, test_below(&g->random, 5));
    expression start = pair(g, often, make(g, in, out, depth - 1));
    expression goes_on = compose(g, operation(g, BMF_OPERATION_GT), pair(g, component(g, 1, 2), constant_int(g, 0)));
    expression less = compose(g, operation(g, BMF_OPERATION_MINUS), pair(g, component(g, 1, 2), constant_int(g, 1)));
    expression body = pair(g, less, make(g, state, out, depth - 2));
    expression loop = NODE(g, BMF_EXPRESSION_WHILE, goes_on, body);
    return compose(g, component(g, 2, 2), compose(g, loop, start));
}

/* An item of a list, mostly one that is there. */
static expression item(maker *g, type in, type out, int depth)
{
    type list = bmf_type_list(out);
    expression index = operation(g, BMF_OPERATION_INDEX);
    expression source = make(g, in, list, depth - 1), which = make(g, list, &bmf_type_int, depth - 2);
    if (chance(g, 10))
        return compose(g, compose(g, index, pair(g, identity(g), which)), source);
    expression size = operation(g, BMF_OPERATION_LENGTH);
    expression some = compose(g, operation(g, BMF_OPERATION_GT), pair(g, size, constant_int(g, 0)));
    expression safe = compose(g, index, pair(g, identity(g), wrap(g, which, size)));
    return compose(g, NODE(g, BMF_EXPRESSION_IF, some, safe, make(g, list, out, depth - 2)), source);
}

/* ---- skeletons on placed lists ---- */

/* {t, t} -> t, often a usual operator. */
static expression operator_on(maker *g, type t, int depth)
{
    static const bmf_operation number[] = {BMF_OPERATION_PLUS, BMF_OPERATION_PLUS,  BMF_OPERATION_MAX,
                                           BMF_OPERATION_MIN,  BMF_OPERATION_TIMES, BMF_OPERATION_MINUS};
    expression part[BMF_MAX_LEAVES];
    if (is_number(t) && !chance(g, 4))
        return operation(g, number[test_below(&g->random, 6)]);
    if (t->kind == BMF_BOOL && !chance(g, 4))
        return operation(g, chance(g, 2) ? BMF_OPERATION_AND : BMF_OPERATION_OR);
    if (t->kind == BMF_LIST && !chance(g, 4))
        return operation(g, BMF_OPERATION_CONC);
    g->inside++;
    expression made = NULL;
    if (t->kind == BMF_TUPLE && chance(g, 2)) { /* each component for itself */
        for (int k = 0; k < t->components; k++) {
            expression both = pair(g, compose(g, component(g, k + 1, t->components), component(g, 1, 2)),
                                   compose(g, component(g, k + 1, t->components), component(g, 2, 2)));
            part[k] = compose(g, operator_on(g, t->component[k], depth - 1), both);
        }
        made = node(g, BMF_EXPRESSION_ALLTUP, t->components, part);
    } else {
        made = make(g, bmf_type_pair(t, t), t, depth - 1);
    }
    g->inside--;
    return made;
}

/* The function of a map, from elements to elements. */
static expression inner(maker *g, type in, type out, int depth)
{
    g->inside++;
    expression made = make(g, in, out, depth);
    g->inside--;
    return made;
}

static expression folding(maker *g, bmf_expression_kind kind, type list, type element, int depth)
{
    expression op = operator_on(g, element, depth - 1);
    if (chance(g, kind == BMF_EXPRESSION_REDUCE ? 6 : 2))
        return NODE(g, kind, op);
    return NODE(g, kind, op, make(g, list, element, depth - 3));
}

static expression reduction(maker *g, type in, type out, int depth)
{
    type list = bmf_type_list(out);
    if (!bmf_type_is_fixed(out) && out->kind != BMF_LIST)
        return NULL;
    expression source = make(g, in, list, depth - 1);
    return compose(g, folding(g, BMF_EXPRESSION_REDUCE, list, out, depth), source);
}

static expression mapping(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    type element = element_type(g, in);
    expression source = make(g, in, bmf_type_list(element), depth - 1);
    return compose(g, NODE(g, BMF_EXPRESSION_MAP, inner(g, element, out->component[0], depth - 1)), source);
}

static expression scanning(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    expression source = make(g, in, out, depth - 1);
    return compose(g, folding(g, BMF_EXPRESSION_SCAN, out, out->component[0], depth), source);
}

static expression filtering(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    expression source = make(g, in, out, depth - 1);
    return compose(g, NODE(g, BMF_EXPRESSION_FILTER, inner(g, out->component[0], &bmf_type_bool, depth - 1)), source);
}

static expression zipping(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    type a = element_type(g, in), b = element_type(g, in), both = out->component[0];
    bool bare = both->kind == BMF_TUPLE && both->components == 2 && chance(g, 2);
    if (bare) {
        a = both->component[0];
        b = both->component[1];
    }
    expression zip = node(g, BMF_EXPRESSION_ZIP, 0, NULL);
    if (!bare)
        zip = NODE(g, BMF_EXPRESSION_ZIP, inner(g, bmf_type_pair(a, b), both, depth - 1));
    if (chance(g, 12)) /* perhaps ragged */
        return compose(g, zip,
                       pair(g, make(g, in, bmf_type_list(a), depth - 1), make(g, in, bmf_type_list(b), depth - 1)));
    type c = element_type(g, in);
    expression first = NODE(g, BMF_EXPRESSION_MAP, inner(g, c, a, depth - 2));
    expression second = NODE(g, BMF_EXPRESSION_MAP, inner(g, c, b, depth - 2));
    return compose(g, compose(g, zip, pair(g, first, second)), make(g, in, bmf_type_list(c), depth - 1));
}

static expression counting(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST || out->component[0]->kind != BMF_INT)
        return NULL;
    expression count = chance(g, 30) && g->inside == 0
                           ? constant_int(g, 5000)
                           : wrap(g, make(g, in, &bmf_type_int, depth - 1), constant_int(g, 12));
    if (chance(g, 20))
        count = make(g, in, &bmf_type_int, depth - 1);
    return compose(g, operation(g, BMF_OPERATION_IOTA), count);
}

static expression distributing(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST || out->component[0]->kind != BMF_TUPLE || out->component[0]->components != 2)
        return NULL;
    type both = out->component[0];
    return compose(
        g, operation(g, BMF_OPERATION_DISTL),
        pair(g, make(g, in, both->component[0], depth - 1), make(g, in, bmf_type_list(both->component[1]), depth - 1)));
}

/* For a list, a list of its length of indices that are in it. */
static expression safe_indices(maker *g, int depth)
{
    type item_type = bmf_type_pair(&bmf_type_int, &bmf_type_int); /* {length, i} */
    expression each = wrap(g, inner(g, item_type, &bmf_type_int, depth), component(g, 1, 2));
    expression size = operation(g, BMF_OPERATION_LENGTH);
    expression all = compose(g, operation(g, BMF_OPERATION_DISTL),
                             pair(g, size, compose(g, operation(g, BMF_OPERATION_IOTA), size)));
    return compose(g, NODE(g, BMF_EXPRESSION_MAP, each), all);
}

static expression projecting(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    expression index =
        chance(g, 12) ? make(g, out, bmf_type_list(&bmf_type_int), depth - 2) : safe_indices(g, depth - 2);
    return compose(g, compose(g, operation(g, BMF_OPERATION_PROJECT), pair(g, identity(g), index)),
                   make(g, in, out, depth - 1));
}

static expression joining(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    return compose(g, operation(g, BMF_OPERATION_CONC),
                   pair(g, make(g, in, out, depth - 1), make(g, in, out, depth - 1)));
}

static expression listing(maker *g, type in, type out, int depth)
{
    expression part[MAX_PARTS];
    if (out->kind != BMF_LIST)
        return NULL;
    int parts = (int)test_below(&g->random, MAX_PARTS + 1);
    for (int k = 0; k < parts; k++)
        part[k] = make(g, in, out->component[0], depth - 1);
    return node(g, BMF_EXPRESSION_ALLVEC, parts, part);
}

static expression splitting(maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST || out->component[0]->kind != BMF_LIST)
        return NULL;
    expression split = node(g, BMF_EXPRESSION_SPLIT, 0, NULL);
    split->number[0] = 1 + test_below(&g->random, 7);
    return compose(g, split, make(g, in, out->component[0], depth - 1));
}

/* ---- distributed lists ---- */

/* Skeletons written with P_ or with B_: the data decide. */
static expression written(maker *g, expression made)
{
    made->parallel = !chance(g, 4);
    return made;
}

/* A distributed list of `parts` elements under construction: from `in`, elements of type `element`. */
typedef struct pipeline {
    expression so_far;
    type element;
    int64_t parts;
} pipeline;

static void add_stage(maker *g, pipeline *p, expression stage, type element)
{
    p->so_far = compose(g, stage, p->so_far);
    p->element = element;
}

static void add_map(maker *g, pipeline *p, type element, int depth)
{
    add_stage(g, p, written(g, NODE(g, BMF_EXPRESSION_MAP, inner(g, p->element, element, depth))), element);
}

static void add_scan(maker *g, pipeline *p, int depth)
{
    expression op = operator_on(g, p->element, depth);
    if (chance(g, 2))
        add_stage(g, p, written(g, NODE(g, BMF_EXPRESSION_SCAN, op)), p->element);
    else
        add_stage(g, p,
                  written(g, NODE(g, BMF_EXPRESSION_SCAN, op, plain(g, bmf_type_distributed(p->element), p->element))),
                  p->element);
}

static void add_zip(maker *g, pipeline *p, int depth)
{
    type other = element_type(g, p->element), out = element_type(g, p->element);
    expression second = written(g, NODE(g, BMF_EXPRESSION_MAP, inner(g, p->element, other, depth)));
    type both = bmf_type_pair(p->element, other);
    bool bare = chance(g, 2);
    expression zip =
        bare ? node(g, BMF_EXPRESSION_ZIP, 0, NULL) : NODE(g, BMF_EXPRESSION_ZIP, inner(g, both, out, depth));
    add_stage(g, p, compose(g, written(g, zip), pair(g, identity(g), second)), bare ? both : out);
}

static void add_distl(maker *g, pipeline *p)
{
    expression distl = written(g, operation(g, BMF_OPERATION_DISTL));
    bool size = chance(g, 2);
    type first = size ? &bmf_type_int : any_type(g, 1);
    expression given = size ? operation(g, BMF_OPERATION_LENGTH) : plain(g, bmf_type_distributed(p->element), first);
    add_stage(g, p, compose(g, distl, pair(g, given, identity(g))), bmf_type_pair(first, p->element));
}

/* Indices from a placed list, or from the elements themselves. */
static void add_project(maker *g, pipeline *p, int depth)
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
        expression each = wrap(g, inner(g, p->element, &bmf_type_int, depth), constant_int(g, p->parts));
        indices = written(g, NODE(g, BMF_EXPRESSION_MAP, each));
    }
    add_stage(g, p, compose(g, written(g, operation(g, BMF_OPERATION_PROJECT)), pair(g, identity(g), indices)),
              p->element);
    p->parts = placed ? count : p->parts;
}

/* A choice between two ways on, by the length. */
static void add_choice(maker *g, pipeline *p, int depth)
{
    if (g->inside > 0)
        return;
    expression first = written(g, NODE(g, BMF_EXPRESSION_MAP, inner(g, p->element, p->element, depth)));
    expression second =
        chance(g, 2) ? identity(g) : written(g, NODE(g, BMF_EXPRESSION_SCAN, operator_on(g, p->element, depth)));
    expression predicate =
        compose(g, operation(g, BMF_OPERATION_GT),
                pair(g, operation(g, BMF_OPERATION_LENGTH), constant_int(g, test_below(&g->random, MAX_PARTS))));
    add_stage(g, p, NODE(g, BMF_EXPRESSION_IF, predicate, first, second), p->element);
}

/* A loop on {how often still, distributed list}. */
static void add_loop(maker *g, pipeline *p, int depth)
{
    if (g->inside > 0)
        return;
    expression goes_on = compose(g, operation(g, BMF_OPERATION_GT), pair(g, component(g, 1, 2), constant_int(g, 0)));
    expression less = compose(g, operation(g, BMF_OPERATION_MINUS), pair(g, component(g, 1, 2), constant_int(g, 1)));
    expression step = written(g, NODE(g, BMF_EXPRESSION_MAP, inner(g, p->element, p->element, depth)));
    expression loop = NODE(g, BMF_EXPRESSION_WHILE, goes_on, pair(g, less, compose(g, step, component(g, 2, 2))));
    expression start = pair(g, constant_int(g, test_below(&g->random, 4)), identity(g));
    add_stage(g, p, compose(g, component(g, 2, 2), compose(g, loop, start)), p->element);
}

static expression split_over(maker *g, int64_t parts, int64_t stride)
{
    expression split = node(g, BMF_EXPRESSION_SPLIT, 0, NULL);
    split->parallel = true;
    split->number[0] = parts;
    split->number[1] = stride;
    return split;
}

/* Lists in the elements are split again, worked on, and gathered; document 000, 5.3.4. */
static void add_second_level(maker *g, pipeline *p, int depth)
{
    if (p->element->kind != BMF_LIST || g->splits > MAX_SPLITS)
        return;
    type middle = element_type(g, p->element), item_type = p->element->component[0];
    expression split = written(g, NODE(g, BMF_EXPRESSION_MAP, split_over(g, 1 + test_below(&g->random, 4), 0)));
    expression work = NODE(g, BMF_EXPRESSION_MAP,
                           written(g, NODE(g, BMF_EXPRESSION_MAP, inner(g, bmf_type_list(item_type), middle, depth))));
    expression gather =
        NODE(g, BMF_EXPRESSION_MAP, written(g, NODE(g, BMF_EXPRESSION_REDUCE, operator_on(g, middle, depth))));
    add_stage(g, p, compose(g, written(g, gather), compose(g, written(g, work), split)), middle);
}

static void add_any(maker *g, pipeline *p, int depth)
{
    switch (test_below(&g->random, 8)) {
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
        add_map(g, p, element_type(g, p->element), depth);
    }
}

static pipeline make_pipeline(maker *g, type in, int depth)
{
    type item_type = element_type(g, in);
    pipeline p = {make(g, in, bmf_type_list(item_type), depth - 1), item_type, 1 + test_below(&g->random, 5)};
    g->splits++;
    add_stage(g, &p, split_over(g, p.parts, test_below(&g->random, 3)), bmf_type_list(item_type));
    for (int64_t stages = test_below(&g->random, 4); stages > 0; stages--)
        add_any(g, &p, depth - 2);
    g->splits--;
    return p;
}

/* A distributed list, reduced, or one item of it, or its length. */
static expression parallel(maker *g, type in, type out, int depth)
{
    if (g->splits >= MAX_SPLITS || depth < 2)
        return NULL;
    pipeline p = make_pipeline(g, in, depth);
    if (out->kind == BMF_INT && chance(g, 4))
        return compose(g, operation(g, BMF_OPERATION_LENGTH), p.so_far);
    g->splits++;
    add_map(g, &p, out, depth - 2);
    expression op = operator_on(g, out, depth - 2);
    g->splits--;
    if (chance(g, 3))
        return compose(g,
                       compose(g, operation(g, BMF_OPERATION_INDEX),
                               pair(g, identity(g), constant_int(g, test_below(&g->random, p.parts)))),
                       p.so_far);
    expression reduce = NODE(g, BMF_EXPRESSION_REDUCE, op);
    if (chance(g, 3))
        reduce = NODE(g, BMF_EXPRESSION_REDUCE, op, plain(g, bmf_type_distributed(out), out));
    return compose(g, written(g, reduce), p.so_far);
}

/* ---- everything ---- */

typedef expression recipe(maker *g, type in, type out, int depth);

static recipe *const recipes[] = {arithmetic, arithmetic, unary,     comparison, comparison,   length,     through,
                                  through,    tuple,      tuple,     choose,     repeat,       item,       reduction,
                                  reduction,  mapping,    mapping,   mapping,    scanning,     filtering,  filtering,
                                  zipping,    zipping,    counting,  counting,   distributing, projecting, joining,
                                  listing,    splitting,  splitting, parallel};

enum { RECIPES = sizeof recipes / sizeof recipes[0] };

static expression make(maker *g, type in, type out, int depth)
{
    if (depth <= 0 || chance(g, 8))
        return plain(g, in, out);
    for (int tries = 0; tries < 20; tries++) {
        expression made = recipes[test_below(&g->random, RECIPES)](g, in, out, depth);
        if (made)
            return made;
    }
    return plain(g, in, out);
}

/* ---- arguments ---- */

static void print_datum(maker *g, type t, bool outermost, FILE *stream);

static void print_items(maker *g, type t, bool outermost, FILE *stream)
{
    int64_t count = t->kind == BMF_TUPLE ? t->components : test_below(&g->random, 9);
    if (t->kind == BMF_LIST && outermost && chance(g, 15))
        count = 5000;
    else if (t->kind == BMF_LIST && outermost && chance(g, 6))
        count = test_below(&g->random, 80);
    for (int64_t k = 0; k < count; k++) {
        fputs(k > 0 ? ", " : "", stream);
        print_datum(g, t->component[t->kind == BMF_TUPLE ? k : 0], outermost && t->kind == BMF_TUPLE, stream);
    }
}

static void print_datum(maker *g, type t, bool outermost, FILE *stream)
{
    char text[32];
    switch (t->kind) {
    case BMF_INT:
        fprintf(stream, "%lld", (long long)small_int(g));
        break;
    case BMF_REAL:
        fputs(real_print(dyadic(g), text), stream);
        break;
    case BMF_BOOL:
        fputs(chance(g, 2) ? "true" : "false", stream);
        break;
    default:
        fputc(t->kind == BMF_TUPLE ? '{' : '[', stream);
        print_items(g, t, outermost, stream);
        fputc(t->kind == BMF_TUPLE ? '}' : ']', stream);
    }
}

/* Types without elements to tell them come back with nothing in them: *found is what is there. */
static void make_argument(maker *g, type t, type *found, bmf_column *argument)
{
    char *text = NULL;
    size_t size = 0;
    bmf_texts texts = {0};
    FILE *stream = open_memstream(&text, &size);
    print_datum(g, t, true, stream);
    fclose(stream);
    texts_add(&texts, "argument", text, (int64_t)size);
    if (data_parse(NULL, &texts, (bmf_span){0, 0, (int64_t)size}, found, argument) != BMF_OK) {
        fprintf(stderr, "%s\n", bmf_error_text(NULL));
        abort();
    }
    texts_free(&texts);
    free(text);
}

void bmf_random_program(uint64_t seed, bmf_expressions *arena, bmf_expression **made, const bmf_type **found,
                        bmf_column *argument)
{
    maker g = {.random = seed * 2654435761U + 1, .arena = arena};
    type in = any_type(&g, 3), out = any_type(&g, 3);
    if (chance(&g, 2))
        in = bmf_type_list(in);
    int depth = 1 + (int)test_below(&g.random, 5);
    *made = chance(&g, 10) ? make_pipeline(&g, in, depth + 1).so_far : make(&g, in, out, depth);
    make_argument(&g, in, found, argument);
}
