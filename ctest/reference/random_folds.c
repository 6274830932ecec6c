/* Random programs: reductions and scans of long lists by operators that are not associative.
 *
 * Method: the argument is a length; its numbers become elements by a formula, the list goes through a few stages that
 * keep elements apart, and is then folded: as it is, in inner lists, in parts on processors, in parts of parts, with
 * results of parts folded or scanned in turn. Nearly every operator gives another value for another tree, so that a
 * fold in another order than that of docs/language.md is seen. Lengths are mostly beside multiples of powers of two,
 * where blocks of the evaluator and nodes of the tree end. */
#include "ctest/reference/random_maker.h"

static const int64_t modulus = 10007;

int64_t random_length(random_maker *g)
{
    static const int64_t bound[] = {4, 70, 70, 70, 600, 600, 1200, 5000, 9000, 40000};
    const int64_t below = bound[test_below(&g->random, sizeof bound / sizeof bound[0])];
    const int64_t unit = (int64_t)1 << test_below(&g->random, 14);
    if (unit >= below || chance(g, 3))
        return test_below(&g->random, below);
    const int64_t length = unit * (1 + test_below(&g->random, below / unit)) + test_below(&g->random, 5) - 2;
    return length > 0 ? length : 0;
}

/* ---- elements ---- */

static expression binary(random_maker *g, bmf_operation which, expression a, expression b)
{
    return compose(g, operation(g, which), pair(g, a, b));
}

static expression constant_real(random_maker *g, double real)
{
    expression made = node(g, BMF_EXPRESSION_CON, 0, NULL);
    made->constant = (bmf_constant){.kind = BMF_REAL, .real = real};
    return made;
}

static type folded_type(random_maker *g)
{
    static const type scalar[] = {&bmf_type_int, &bmf_type_int, &bmf_type_real, &bmf_type_real, &bmf_type_bool};
    type part[3];
    if (!chance(g, 3))
        return scalar[test_below(&g->random, 5)];
    for (int k = 0; k < 3; k++)
        part[k] = scalar[test_below(&g->random, 5)];
    return bmf_type_tuple(2 + (int)test_below(&g->random, 2), part);
}

/* int -> t: what stands at a place of a list. */
static expression element(random_maker *g, type t)
{
    expression part[3];
    if (t->kind == BMF_TUPLE) {
        for (int k = 0; k < t->components; k++)
            part[k] = element(g, t->component[k]);
        return node(g, BMF_EXPRESSION_ALLTUP, t->components, part);
    }
    expression place = binary(g, BMF_OPERATION_TIMES, identity(g), constant_int(g, 1 + test_below(&g->random, 999)));
    expression whole = binary(g, BMF_OPERATION_MOD, place, constant_int(g, 2 + test_below(&g->random, modulus)));
    if (t->kind == BMF_INT)
        return binary(g, BMF_OPERATION_MINUS, whole, constant_int(g, test_below(&g->random, 100)));
    if (t->kind == BMF_BOOL)
        return binary(g, BMF_OPERATION_GT, whole, constant_int(g, test_below(&g->random, modulus)));
    if (chance(g, 3))
        return compose(g, operation(g, BMF_OPERATION_SIN), place);
    return binary(g, BMF_OPERATION_DIVIDE, whole, constant_real(g, chance(g, 2) ? 3.7 : 1e-3));
}

/* ---- operators ---- */

static expression int_operator(random_maker *g, expression a, expression b)
{
    expression thrice = binary(g, BMF_OPERATION_TIMES, a, constant_int(g, 3));
    switch (test_below(&g->random, 6)) {
    case 0:
        return binary(g, BMF_OPERATION_MINUS, a, b);
    case 1:
        return compose(g, operation(g, BMF_OPERATION_ABS), binary(g, BMF_OPERATION_MINUS, a, b));
    case 2:
        return binary(g, BMF_OPERATION_PLUS, a, b);
    case 3:
        return NODE(g, BMF_EXPRESSION_IF, binary(g, BMF_OPERATION_LT, a, b),
                    binary(g, BMF_OPERATION_MINUS, a, constant_int(g, 1)), b);
    case 4:
        return binary(g, BMF_OPERATION_MAX, binary(g, BMF_OPERATION_MINUS, b, constant_int(g, 7)), a);
    default:
        return binary(g, BMF_OPERATION_MOD, binary(g, BMF_OPERATION_MINUS, thrice, b), constant_int(g, modulus));
    }
}

static expression real_operator(random_maker *g, expression a, expression b)
{
    static const bmf_operation plain[] = {BMF_OPERATION_PLUS, BMF_OPERATION_PLUS, BMF_OPERATION_MINUS,
                                          BMF_OPERATION_TIMES, BMF_OPERATION_DIVIDE};
    expression half = binary(g, BMF_OPERATION_TIMES, a, constant_real(g, 0.5));
    switch (test_below(&g->random, 5)) {
    case 0:
        return binary(g, BMF_OPERATION_PLUS, half, b);
    case 1:
        return binary(g, BMF_OPERATION_MINUS, half, compose(g, operation(g, BMF_OPERATION_COS), b));
    case 2:
        return binary(g, BMF_OPERATION_MIN, binary(g, BMF_OPERATION_PLUS, a, constant_real(g, 0.1)), b);
    default:
        return binary(g, plain[test_below(&g->random, 5)], a, b);
    }
}

static expression bool_operator(random_maker *g, expression a, expression b)
{
    expression both = binary(g, BMF_OPERATION_AND, a, b);
    switch (test_below(&g->random, 4)) {
    case 0:
        return compose(g, operation(g, BMF_OPERATION_NEG), both);
    case 1:
        return binary(g, BMF_OPERATION_OR, compose(g, operation(g, BMF_OPERATION_NEG), a), b);
    case 2:
        return binary(g, BMF_OPERATION_EQ, a, b);
    default:
        return both;
    }
}

/* Component k of operand `side` of a pair of tuples. */
static expression operand(random_maker *g, type t, int k, int side)
{
    expression whole = component(g, side, 2);
    return t->kind == BMF_TUPLE ? compose(g, component(g, k + 1, t->components), whole) : whole;
}

static type scalar_of(type t, int k)
{
    return t->kind == BMF_TUPLE ? t->component[k] : t;
}

/* The scalar k of an operator's value; now and then another component has its part in it. */
static expression scalar_operator(random_maker *g, type t, int k)
{
    int other = k;
    if (t->kind == BMF_TUPLE && chance(g, 2))
        other = (int)test_below(&g->random, t->components);
    if (scalar_of(t, other) != scalar_of(t, k))
        other = k;
    expression a = operand(g, t, k, 1), b = operand(g, t, other, 2);
    switch (scalar_of(t, k)->kind) {
    case BMF_INT:
        return int_operator(g, a, b);
    case BMF_REAL:
        return real_operator(g, a, b);
    default:
        return bool_operator(g, a, b);
    }
}

/* {t, t} -> t. */
static expression fold_operator(random_maker *g, type t)
{
    expression part[3];
    if (t->kind == BMF_LIST)
        return operation(g, BMF_OPERATION_CONC);
    if (chance(g, 8))
        return random_operator(g, t, 3);
    if (t->kind != BMF_TUPLE)
        return scalar_operator(g, t, 0);
    for (int k = 0; k < t->components; k++)
        part[k] = scalar_operator(g, t, k);
    return node(g, BMF_EXPRESSION_ALLTUP, t->components, part);
}

/* ---- stages: [t] -> [t] ---- */

static expression fold(random_maker *g, bmf_expression_kind kind, type t)
{
    expression op = fold_operator(g, t);
    if (t->kind == BMF_LIST || chance(g, 3))
        return NODE(g, kind, op);
    return NODE(g, kind, op, compose(g, element(g, t), operation(g, BMF_OPERATION_LENGTH)));
}

/* The elements in another order, some twice: element i becomes element i * step mod length. */
static expression shuffle(random_maker *g)
{
    expression size = operation(g, BMF_OPERATION_LENGTH);
    expression both = compose(g, operation(g, BMF_OPERATION_DISTL),
                              pair(g, size, compose(g, operation(g, BMF_OPERATION_IOTA), size)));
    expression far = binary(g, BMF_OPERATION_TIMES, component(g, 2, 2), constant_int(g, test_below(&g->random, 99)));
    expression index = NODE(g, BMF_EXPRESSION_MAP, binary(g, BMF_OPERATION_MOD, far, component(g, 1, 2)));
    return binary(g, BMF_OPERATION_PROJECT, identity(g), compose(g, index, both));
}

static expression stage(random_maker *g, type t)
{
    expression op = fold_operator(g, t);
    switch (test_below(&g->random, 7)) {
    case 0:
        return NODE(g, BMF_EXPRESSION_MAP, compose(g, op, pair(g, identity(g), identity(g))));
    case 1:
        return fold(g, BMF_EXPRESSION_SCAN, t);
    case 2:
        return NODE(g, BMF_EXPRESSION_FILTER, random_inner(g, t, &bmf_type_bool, 3));
    case 3:
        return compose(g, NODE(g, BMF_EXPRESSION_ZIP, op),
                       pair(g, identity(g), NODE(g, BMF_EXPRESSION_MAP, random_inner(g, t, t, 2))));
    case 4:
        return shuffle(g);
    case 5:
        return binary(g, BMF_OPERATION_CONC, identity(g), identity(g));
    default:
        return NODE(g, BMF_EXPRESSION_MAP, random_inner(g, t, t, 3));
    }
}

static expression stages(random_maker *g, type t)
{
    expression made = identity(g);
    for (int64_t count = test_below(&g->random, 3); count > 0; count--)
        made = compose(g, stage(g, t), made);
    return made;
}

/* ---- folds ---- */

static expression split_placed(random_maker *g)
{
    expression split = node(g, BMF_EXPRESSION_SPLIT, 0, NULL);
    split->number[0] = 1 + test_below(&g->random, chance(g, 4) ? 300 : 9);
    return split;
}

/* [t] -> t, or a list of t in *out, on one processor. */
static expression placed(random_maker *g, type t, type *out)
{
    *out = t;
    if (chance(g, 2))
        return fold(g, BMF_EXPRESSION_REDUCE, t);
    *out = bmf_type_list(t);
    if (chance(g, 2))
        return fold(g, BMF_EXPRESSION_SCAN, t);
    expression inner = chance(g, 2) ? fold(g, BMF_EXPRESSION_REDUCE, t)
                                    : compose(g, fold(g, BMF_EXPRESSION_REDUCE, t), fold(g, BMF_EXPRESSION_SCAN, t));
    return compose(g, NODE(g, BMF_EXPRESSION_MAP, inner), split_placed(g));
}

/* The same, in parts on processors, and parts of parts down to a depth. An inner split begins on the processor of its
 * part. */
static expression distributed(random_maker *g, type t, int depth, type *out)
{
    expression split = split_over(g, 1 + test_below(&g->random, depth > 1 ? 5 : 9), test_below(&g->random, 3));
    type part = NULL;
    expression each = depth > 1 ? distributed(g, t, depth - 1, &part) : placed(g, t, &part);
    expression made = written(g, NODE(g, BMF_EXPRESSION_MAP, compose(g, each, stages(g, t))));
    made = compose(g, made, split);
    if (chance(g, 4))
        made = compose(g, written(g, NODE(g, BMF_EXPRESSION_SCAN, fold_operator(g, part))), made);
    *out = part;
    return compose(g, written(g, NODE(g, BMF_EXPRESSION_REDUCE, fold_operator(g, part))), made);
}

expression random_folds(random_maker *g)
{
    type t = folded_type(g), out;
    expression numbers = operation(g, BMF_OPERATION_IOTA);
    expression list = compose(g, NODE(g, BMF_EXPRESSION_MAP, element(g, t)), numbers);
    list = compose(g, stages(g, t), list);
    const int64_t depth = test_below(&g->random, 4); /* of splits */
    return compose(g, depth == 0 ? placed(g, t, &out) : distributed(g, t, (int)depth, &out), list);
}
