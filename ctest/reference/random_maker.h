/* What generators of random programs share: nodes, types, and the recipes that they call in each other.
 *
 * A generator of an expression takes the type of its argument, that of its value, and how deep it may nest. */
#ifndef BMF_RANDOM_MAKER_H
#define BMF_RANDOM_MAKER_H

#include "ctest/support/testing.h"
#include "skeletons/language/front/expression.h"

typedef const bmf_type *type;
typedef bmf_expression *expression;

enum { MAX_PARTS = 4, MAX_SPLITS = 3 };

typedef struct random_maker {
    uint64_t random;
    bmf_expressions *arena;
    int splits;   /* P_Splits around this place */
    int inside;   /* maps and operators around this place */
    bool records; /* tuples of the argument have names */
} random_maker;

/* ---- recipes ---- */

/* Anything. */
expression random_expression(random_maker *g, type in, type out, int depth);
/* The plainest expression. */
expression random_plain(random_maker *g, type in, type out);
/* {t, t} -> t, often a usual operator. */
expression random_operator(random_maker *g, type t, int depth);
/* The function of a map, from elements to elements. */
expression random_inner(random_maker *g, type in, type out, int depth);
type random_type(random_maker *g, int depth);
/* Of a list to be made from `in`: often of one that is there. */
type random_element_type(random_maker *g, type in);
/* A distributed list. */
expression random_distributed(random_maker *g, type in, int depth);
/* What is made of a distributed list: reduced, or one item of it, or its length. NULL if there are splits enough. */
expression random_parallel(random_maker *g, type in, type out, int depth);
/* A list of results by key: of `in`; of a distributed list of such elements, its last stage. NULL: not of this type. */
expression random_by_key(random_maker *g, type in, type out, int depth);
expression random_parallel_by_key(random_maker *g, type element, type out, int depth);
/* Of lists of such elements, placed or distributed. */
expression random_shift(random_maker *g, type element);
/* Shifted lists, or stencils; lists sorted or grouped by a key, or without what is there twice. */
expression random_neighbours(random_maker *g, type in, type out, int depth);
expression random_sorting(random_maker *g, type in, type out, int depth);
/* A stencil of a plane, or of planes. NULL: the type is not one of rows. */
expression random_plane(random_maker *g, type in, type out, int depth);
/* Rows as columns, or a product of matrices. NULL: the type is none of matrices. */
expression random_matrix(random_maker *g, type in, type out, int depth);
/* An array cut into the blocks of a grid, and joined again. NULL: the type is none of lists of lists. */
expression random_blocks(random_maker *g, type in, type out, int depth);
/* Some neighbours of a list. NULL: the type is none of lists. */
expression random_slice(random_maker *g, type in, type out, int depth);
/* Rows of one length; now and then perhaps not. */
expression random_rows(random_maker *g, type in, type element, int depth);
/* Planes of as many such rows each; now and then perhaps not. */
expression random_planes(random_maker *g, type in, type element, int depth);
/* A stage of a distributed list of such elements that takes all parts together, and the elements it makes; or NULL. */
expression random_parts_together(random_maker *g, type element, type *out, int depth);
/* A record, a record with other fields, or a field of one. NULL: rather not. */
expression random_record(random_maker *g, type in, type out, int depth);
/* Reductions and scans of lists of a length that is the argument. */
expression random_folds(random_maker *g);
int64_t random_length(random_maker *g);

/* ---- nodes ---- */

#define RANDOM_MAKER __attribute__((unused)) static

RANDOM_MAKER bool chance(random_maker *g, int one_in)
{
    return test_below(&g->random, one_in) == 0;
}

RANDOM_MAKER expression node(random_maker *g, bmf_expression_kind kind, int children, const expression *child)
{
    expression made = expression_create(g->arena, kind, (bmf_span){-1, 0, 0}, children);
    for (int k = 0; k < children; k++)
        made->child[k] = child[k];
    return made;
}

#define NODE(g, kind, ...)                                                                                             \
    node((g), (kind), (int)(sizeof((const expression[]){__VA_ARGS__}) / sizeof(expression)),                           \
         (const expression[]){__VA_ARGS__})

RANDOM_MAKER expression identity(random_maker *g)
{
    return node(g, BMF_EXPRESSION_ID, 0, NULL);
}

/* f . g; sometimes left out where it is the identity. */
RANDOM_MAKER expression compose(random_maker *g, expression after, expression before)
{
    if (before->kind == BMF_EXPRESSION_ID && !chance(g, 8))
        return after;
    return NODE(g, BMF_EXPRESSION_COMP, after, before);
}

RANDOM_MAKER expression operation(random_maker *g, bmf_operation which)
{
    expression made = node(g, BMF_EXPRESSION_OP, 0, NULL);
    made->operation = which;
    return made;
}

RANDOM_MAKER expression pair(random_maker *g, expression first, expression second)
{
    return NODE(g, BMF_EXPRESSION_ALLTUP, first, second);
}

RANDOM_MAKER expression component(random_maker *g, int k, int of)
{
    expression made = node(g, BMF_EXPRESSION_ADDR, 0, NULL);
    made->number[0] = k;
    made->number[1] = of;
    return made;
}

RANDOM_MAKER expression constant_int(random_maker *g, int64_t integer)
{
    expression made = node(g, BMF_EXPRESSION_CON, 0, NULL);
    made->constant = (bmf_constant){.kind = BMF_INT, .integer = integer};
    return made;
}

RANDOM_MAKER double dyadic(random_maker *g)
{
    static const double odd[] = {0.0, -0.0, 1e300, 0.1, -1e-300};
    if (chance(g, 20))
        return odd[test_below(&g->random, 5)];
    return (double)(test_below(&g->random, 4001) - 2000) / (double)((int64_t)1 << test_below(&g->random, 6));
}

RANDOM_MAKER int64_t small_int(random_maker *g)
{
    static const int64_t odd[] = {INT64_MAX, INT64_MIN, -1, 1000003};
    if (chance(g, 60))
        return odd[test_below(&g->random, 4)];
    return test_below(&g->random, 41) - 20;
}

RANDOM_MAKER expression constant(random_maker *g, type out)
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
RANDOM_MAKER expression wrap(random_maker *g, expression x, expression n)
{
    expression rest = compose(g, operation(g, BMF_OPERATION_MOD), pair(g, x, n));
    return compose(g, operation(g, BMF_OPERATION_ABS), rest);
}

/* Skeletons written with P_ or with B_: the data decide. */
RANDOM_MAKER expression written(random_maker *g, expression made)
{
    made->parallel = !chance(g, 4);
    return made;
}

RANDOM_MAKER expression split_over(random_maker *g, int64_t parts, int64_t stride)
{
    expression split = node(g, BMF_EXPRESSION_SPLIT, 0, NULL);
    split->parallel = true;
    split->number[0] = parts;
    split->number[1] = stride;
    return split;
}

#endif
