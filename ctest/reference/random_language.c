/* Random programs.
 *
 * Method: an expression from one type to another is put together from recipes, each of which makes one construct whose
 * parts are again expressions between types; recipes that do not fit are passed over, and when depth is used up the
 * plainest expression that fits ends it. Operations that may fail are mostly guarded, so that most programs have a
 * value. */
#include <stdlib.h>
#include <string.h>

#include "ctest/reference/random_language.h"
#include "ctest/reference/random_maker.h"
#include "skeletons/language/front/data.h"

/* ---- types ---- */

static type scalar_type(random_maker *g)
{
    static const type scalar[] = {&bmf_type_int, &bmf_type_int, &bmf_type_real, &bmf_type_bool};
    return scalar[test_below(&g->random, 4)];
}

type random_type(random_maker *g, int depth)
{
    int64_t which = test_below(&g->random, 8);
    if (depth == 0 || which < 4)
        return scalar_type(g);
    if (which < 6)
        return bmf_type_list(random_type(g, depth - 1));
    type part[3] = {random_type(g, depth - 1), random_type(g, depth - 1), scalar_type(g)};
    return bmf_type_tuple(which == 6 ? 2 : 3, part);
}

/* Of a list to be made from `in`: often of one that is there. */
type random_element_type(random_maker *g, type in)
{
    int tried = in->kind == BMF_TUPLE ? (int)test_below(&g->random, in->components) : 0;
    if (in->kind == BMF_TUPLE && chance(g, 2))
        in = in->component[tried];
    if (in->kind == BMF_LIST && !chance(g, 3))
        return in->component[0];
    return random_type(g, chance(g, 4) ? 2 : 1);
}

static bool is_number(type t)
{
    return t->kind == BMF_INT || t->kind == BMF_REAL;
}

/* ---- the plainest expression ---- */

expression random_plain(random_maker *g, type in, type out)
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
        part[k] = random_plain(g, in, out->component[out->kind == BMF_TUPLE ? k : 0]);
    return node(g, out->kind == BMF_TUPLE ? BMF_EXPRESSION_ALLTUP : BMF_EXPRESSION_ALLVEC, parts, part);
}

/* ---- scalars ---- */

static expression arithmetic(random_maker *g, type in, type out, int depth)
{
    static const bmf_operation which[] = {BMF_OPERATION_PLUS, BMF_OPERATION_MINUS, BMF_OPERATION_TIMES,
                                          BMF_OPERATION_MAX,  BMF_OPERATION_MIN,   BMF_OPERATION_DIVIDE,
                                          BMF_OPERATION_MOD};
    if (!is_number(out))
        return NULL;
    int64_t k = test_below(&g->random, 7);
    bool mixed = out->kind == BMF_REAL && chance(g, 4);
    expression a = random_expression(g, in, mixed ? &bmf_type_int : out, depth - 1),
               b = random_expression(g, in, out, depth - 1);
    if (out->kind == BMF_INT && k >= 5 && !chance(g, 6)) /* no division by zero */
        b = compose(g, operation(g, BMF_OPERATION_PLUS), pair(g, constant_int(g, 1), wrap(g, b, constant_int(g, 9))));
    expression made = compose(g, operation(g, which[k]), pair(g, a, b));
    return out->kind == BMF_INT && k == 2 && !chance(g, 4) ? wrap(g, made, constant_int(g, 1009)) : made;
}

/* Powers, angles, random numbers; bits of ints, shifted by what may fail. */
static expression two_numbers(random_maker *g, type in, type out, int depth)
{
    static const bmf_operation of_ints[] = {BMF_OPERATION_BITAND, BMF_OPERATION_BITOR, BMF_OPERATION_BITXOR,
                                            BMF_OPERATION_SHIFT_LEFT, BMF_OPERATION_SHIFT_RIGHT};
    static const bmf_operation of_reals[] = {BMF_OPERATION_POW, BMF_OPERATION_ATAN2, BMF_OPERATION_RANDOM};
    if (!is_number(out))
        return NULL;
    const int64_t k = test_below(&g->random, out->kind == BMF_INT ? 5 : 3);
    const bool ints = out->kind == BMF_INT || k == 2;
    expression a = random_expression(g, in, ints || chance(g, 3) ? &bmf_type_int : out, depth - 1);
    expression b = random_expression(g, in, ints || chance(g, 3) ? &bmf_type_int : out, depth - 1);
    if (out->kind == BMF_INT && k >= 3 && !chance(g, 6))
        b = compose(g, operation(g, BMF_OPERATION_BITAND), pair(g, b, constant_int(g, 63)));
    return compose(g, operation(g, out->kind == BMF_INT ? of_ints[k] : of_reals[k]), pair(g, a, b));
}

static expression unary(random_maker *g, type in, type out, int depth)
{
    static const bmf_operation real_only[] = {
        BMF_OPERATION_SQRT, BMF_OPERATION_EXP, BMF_OPERATION_LOG,   BMF_OPERATION_SIN,  BMF_OPERATION_COS,
        BMF_OPERATION_REAL, BMF_OPERATION_TAN, BMF_OPERATION_FLOOR, BMF_OPERATION_CEIL, BMF_OPERATION_ROUND};
    static const bmf_operation number[] = {BMF_OPERATION_UMINUS, BMF_OPERATION_NEG, BMF_OPERATION_ABS};
    if (out->kind == BMF_BOOL)
        return compose(g, operation(g, chance(g, 2) ? BMF_OPERATION_NEG : BMF_OPERATION_NOT),
                       random_expression(g, in, out, depth - 1));
    if (out->kind == BMF_REAL && chance(g, 2))
        return compose(g, operation(g, real_only[test_below(&g->random, 10)]),
                       random_expression(g, in, chance(g, 3) ? &bmf_type_int : out, depth - 1));
    if (out->kind == BMF_INT && chance(g, 4))
        return compose(g, operation(g, BMF_OPERATION_INT), random_expression(g, in, scalar_type(g), depth - 1));
    if (!is_number(out))
        return NULL;
    return compose(g, operation(g, number[test_below(&g->random, 3)]), random_expression(g, in, out, depth - 1));
}

static expression comparison(random_maker *g, type in, type out, int depth)
{
    static const bmf_operation which[] = {BMF_OPERATION_EQ, BMF_OPERATION_LT, BMF_OPERATION_GT,  BMF_OPERATION_LE,
                                          BMF_OPERATION_GE, BMF_OPERATION_NE, BMF_OPERATION_AND, BMF_OPERATION_OR};
    if (out->kind != BMF_BOOL)
        return NULL;
    int64_t k = test_below(&g->random, 8);
    type a = chance(g, 2) ? &bmf_type_int : &bmf_type_real, b = chance(g, 2) ? a : &bmf_type_int;
    if (k >= 6 || ((k == 0 || k == 5) && chance(g, 3)))
        a = b = out;
    return compose(g, operation(g, which[k]),
                   pair(g, random_expression(g, in, a, depth - 1), random_expression(g, in, b, depth - 1)));
}

static expression length(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_INT)
        return NULL;
    return compose(g, operation(g, BMF_OPERATION_LENGTH),
                   random_expression(g, in, bmf_type_list(random_element_type(g, in)), depth - 1));
}

/* ---- anything ---- */

static expression through(random_maker *g, type in, type out, int depth)
{
    type middle = random_type(g, 2);
    expression before = random_expression(g, in, middle, depth - 1);
    return compose(g, random_expression(g, middle, out, depth - 1), before);
}

static expression tuple(random_maker *g, type in, type out, int depth)
{
    expression part[BMF_MAX_LEAVES];
    if (out->kind != BMF_TUPLE)
        return NULL;
    for (int k = 0; k < out->components; k++)
        part[k] = random_expression(g, in, out->component[k], depth - 1);
    return node(g, BMF_EXPRESSION_ALLTUP, out->components, part);
}

static expression choose(random_maker *g, type in, type out, int depth)
{
    type other = out->kind == BMF_REAL && chance(g, 4) ? &bmf_type_int : out;
    return NODE(g, BMF_EXPRESSION_IF, random_expression(g, in, &bmf_type_bool, depth - 1),
                random_expression(g, in, other, depth - 1), random_expression(g, in, out, depth - 1));
}

/* A loop on {how often still, value}. */
static expression repeat(random_maker *g, type in, type out, int depth)
{
    type state = bmf_type_pair(&bmf_type_int, out);
    expression often = chance(g, 2) ? wrap(g, random_expression(g, in, &bmf_type_int, depth - 2), constant_int(g, 5))
                                    : constant_int(g, test_below(&g->random, 5));
    expression start = pair(g, often, random_expression(g, in, out, depth - 1));
    expression goes_on = compose(g, operation(g, BMF_OPERATION_GT), pair(g, component(g, 1, 2), constant_int(g, 0)));
    expression less = compose(g, operation(g, BMF_OPERATION_MINUS), pair(g, component(g, 1, 2), constant_int(g, 1)));
    expression body = pair(g, less, random_expression(g, state, out, depth - 2));
    expression loop = NODE(g, BMF_EXPRESSION_WHILE, goes_on, body);
    return compose(g, component(g, 2, 2), compose(g, loop, start));
}

/* An item of a list, mostly one that is there. */
static expression item(random_maker *g, type in, type out, int depth)
{
    type list = bmf_type_list(out);
    expression index = operation(g, BMF_OPERATION_INDEX);
    expression source = random_expression(g, in, list, depth - 1),
               which = random_expression(g, list, &bmf_type_int, depth - 2);
    if (chance(g, 10))
        return compose(g, compose(g, index, pair(g, identity(g), which)), source);
    expression size = operation(g, BMF_OPERATION_LENGTH);
    expression some = compose(g, operation(g, BMF_OPERATION_GT), pair(g, size, constant_int(g, 0)));
    expression safe = compose(g, index, pair(g, identity(g), wrap(g, which, size)));
    return compose(g, NODE(g, BMF_EXPRESSION_IF, some, safe, random_expression(g, list, out, depth - 2)), source);
}

/* ---- skeletons on placed lists ---- */

/* {t, t} -> t, often a usual operator. */
expression random_operator(random_maker *g, type t, int depth)
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
            part[k] = compose(g, random_operator(g, t->component[k], depth - 1), both);
        }
        made = node(g, BMF_EXPRESSION_ALLTUP, t->components, part);
    } else {
        made = random_expression(g, bmf_type_pair(t, t), t, depth - 1);
    }
    g->inside--;
    return made;
}

/* The function of a map, from elements to elements. */
expression random_inner(random_maker *g, type in, type out, int depth)
{
    g->inside++;
    expression made = random_expression(g, in, out, depth);
    g->inside--;
    return made;
}

static expression folding(random_maker *g, bmf_expression_kind kind, type list, type element, int depth)
{
    expression op = random_operator(g, element, depth - 1);
    if (chance(g, kind == BMF_EXPRESSION_REDUCE ? 6 : 2))
        return NODE(g, kind, op);
    return NODE(g, kind, op, random_expression(g, list, element, depth - 3));
}

static expression reduction(random_maker *g, type in, type out, int depth)
{
    type list = bmf_type_list(out);
    if (!bmf_type_is_fixed(out) && out->kind != BMF_LIST)
        return NULL;
    expression source = random_expression(g, in, list, depth - 1);
    return compose(g, folding(g, BMF_EXPRESSION_REDUCE, list, out, depth), source);
}

static expression mapping(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    type element = random_element_type(g, in);
    expression source = random_expression(g, in, bmf_type_list(element), depth - 1);
    return compose(g, NODE(g, BMF_EXPRESSION_MAP, random_inner(g, element, out->component[0], depth - 1)), source);
}

static expression scanning(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    expression source = random_expression(g, in, out, depth - 1);
    return compose(g, folding(g, BMF_EXPRESSION_SCAN, out, out->component[0], depth), source);
}

static expression filtering(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    expression source = random_expression(g, in, out, depth - 1);
    return compose(g, NODE(g, BMF_EXPRESSION_FILTER, random_inner(g, out->component[0], &bmf_type_bool, depth - 1)),
                   source);
}

static expression zipping(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    type a = random_element_type(g, in), b = random_element_type(g, in), both = out->component[0];
    bool bare = both->kind == BMF_TUPLE && both->components == 2 && chance(g, 2);
    if (bare) {
        a = both->component[0];
        b = both->component[1];
    }
    expression zip = node(g, BMF_EXPRESSION_ZIP, 0, NULL);
    if (!bare)
        zip = NODE(g, BMF_EXPRESSION_ZIP, random_inner(g, bmf_type_pair(a, b), both, depth - 1));
    if (chance(g, 12)) /* perhaps ragged */
        return compose(g, zip,
                       pair(g, random_expression(g, in, bmf_type_list(a), depth - 1),
                            random_expression(g, in, bmf_type_list(b), depth - 1)));
    type c = random_element_type(g, in);
    expression first = NODE(g, BMF_EXPRESSION_MAP, random_inner(g, c, a, depth - 2));
    expression second = NODE(g, BMF_EXPRESSION_MAP, random_inner(g, c, b, depth - 2));
    return compose(g, compose(g, zip, pair(g, first, second)), random_expression(g, in, bmf_type_list(c), depth - 1));
}

static expression counting(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST || out->component[0]->kind != BMF_INT)
        return NULL;
    expression count = chance(g, 30) && g->inside == 0
                           ? constant_int(g, 5000)
                           : wrap(g, random_expression(g, in, &bmf_type_int, depth - 1), constant_int(g, 12));
    if (chance(g, 20))
        count = random_expression(g, in, &bmf_type_int, depth - 1);
    return compose(g, operation(g, BMF_OPERATION_IOTA), count);
}

static expression distributing(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST || out->component[0]->kind != BMF_TUPLE || out->component[0]->components != 2)
        return NULL;
    type both = out->component[0];
    return compose(g, operation(g, BMF_OPERATION_DISTL),
                   pair(g, random_expression(g, in, both->component[0], depth - 1),
                        random_expression(g, in, bmf_type_list(both->component[1]), depth - 1)));
}

/* For a list, a list of its length of indices that are in it. */
static expression safe_indices(random_maker *g, int depth)
{
    type item_type = bmf_type_pair(&bmf_type_int, &bmf_type_int); /* {length, i} */
    expression each = wrap(g, random_inner(g, item_type, &bmf_type_int, depth), component(g, 1, 2));
    expression size = operation(g, BMF_OPERATION_LENGTH);
    expression all = compose(g, operation(g, BMF_OPERATION_DISTL),
                             pair(g, size, compose(g, operation(g, BMF_OPERATION_IOTA), size)));
    return compose(g, NODE(g, BMF_EXPRESSION_MAP, each), all);
}

static expression projecting(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    expression index =
        chance(g, 12) ? random_expression(g, out, bmf_type_list(&bmf_type_int), depth - 2) : safe_indices(g, depth - 2);
    return compose(g, compose(g, operation(g, BMF_OPERATION_PROJECT), pair(g, identity(g), index)),
                   random_expression(g, in, out, depth - 1));
}

static expression joining(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    return compose(g, operation(g, BMF_OPERATION_CONC),
                   pair(g, random_expression(g, in, out, depth - 1), random_expression(g, in, out, depth - 1)));
}

static bool is_sortable(type t)
{
    return t->kind == BMF_INT || t->kind == BMF_REAL || t->kind == BMF_BOOL;
}

static expression sorting(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST || !is_sortable(out->component[0]))
        return NULL;
    if (out->component[0]->kind == BMF_INT && chance(g, 2))
        return compose(g, operation(g, BMF_OPERATION_ARGSORT),
                       random_expression(g, in, bmf_type_list(scalar_type(g)), depth - 1));
    return compose(g, operation(g, BMF_OPERATION_SORT), random_expression(g, in, out, depth - 1));
}

static expression listing(random_maker *g, type in, type out, int depth)
{
    expression part[MAX_PARTS];
    if (out->kind != BMF_LIST)
        return NULL;
    int parts = (int)test_below(&g->random, MAX_PARTS + 1);
    for (int k = 0; k < parts; k++)
        part[k] = random_expression(g, in, out->component[0], depth - 1);
    return node(g, BMF_EXPRESSION_ALLVEC, parts, part);
}

static expression splitting(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST || out->component[0]->kind != BMF_LIST)
        return NULL;
    expression split = node(g, BMF_EXPRESSION_SPLIT, 0, NULL);
    split->number[0] = 1 + test_below(&g->random, 7);
    return compose(g, split, random_expression(g, in, out->component[0], depth - 1));
}

/* ---- everything ---- */

typedef expression recipe(random_maker *g, type in, type out, int depth);

static recipe *const recipes[] = {arithmetic,
                                  arithmetic,
                                  two_numbers,
                                  unary,
                                  comparison,
                                  comparison,
                                  length,
                                  through,
                                  through,
                                  tuple,
                                  tuple,
                                  choose,
                                  repeat,
                                  item,
                                  reduction,
                                  reduction,
                                  mapping,
                                  mapping,
                                  mapping,
                                  scanning,
                                  filtering,
                                  filtering,
                                  zipping,
                                  zipping,
                                  counting,
                                  counting,
                                  distributing,
                                  projecting,
                                  joining,
                                  random_by_key,
                                  random_neighbours,
                                  random_neighbours,
                                  random_sorting,
                                  random_plane,
                                  random_plane,
                                  random_record,
                                  random_matrix,
                                  random_slice,
                                  random_blocks,
                                  sorting,
                                  listing,
                                  splitting,
                                  splitting,
                                  random_parallel};

enum { RECIPES = sizeof recipes / sizeof recipes[0] };

expression random_expression(random_maker *g, type in, type out, int depth)
{
    if (depth <= 0 || chance(g, 8))
        return random_plain(g, in, out);
    for (int tries = 0; tries < 20; tries++) {
        expression made = recipes[test_below(&g->random, RECIPES)](g, in, out, depth);
        if (made)
            return made;
    }
    return random_plain(g, in, out);
}

/* ---- arguments ---- */

static void print_datum(random_maker *g, type t, bool outermost, FILE *stream);

static void print_items(random_maker *g, type t, bool outermost, FILE *stream)
{
    int64_t count = t->kind == BMF_TUPLE ? t->components : test_below(&g->random, 9);
    if (t->kind == BMF_LIST && outermost && chance(g, 15))
        count = 5000;
    else if (t->kind == BMF_LIST && outermost && chance(g, 6))
        count = test_below(&g->random, 80);
    for (int64_t k = 0; k < count; k++) {
        fputs(k > 0 ? ", " : "", stream);
        if (t->kind == BMF_TUPLE && g->records)
            fprintf(stream, "f%d: ", (int)k + 1);
        print_datum(g, t->component[t->kind == BMF_TUPLE ? k : 0], outermost && t->kind == BMF_TUPLE, stream);
    }
}

static void print_datum(random_maker *g, type t, bool outermost, FILE *stream)
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
static void parse_argument(const char *text, size_t size, type *found, bmf_column *argument)
{
    bmf_texts texts = {0};
    texts_add(&texts, "argument", text, (int64_t)size);
    if (data_parse(NULL, &texts, (bmf_span){0, 0, (int64_t)size}, found, argument) != BMF_OK) {
        fprintf(stderr, "%s\n", bmf_error_text(NULL));
        abort();
    }
    texts_free(&texts);
}

static void make_argument(random_maker *g, type t, type *found, bmf_column *argument)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    print_datum(g, t, true, stream);
    fclose(stream);
    parse_argument(text, size, found, argument);
    free(text);
}

/* ---- programs ---- */

static void make_folds(random_maker *g, bmf_expression **made, const bmf_type **found, bmf_column *argument)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%lld", (long long)random_length(g));
    *made = random_folds(g);
    parse_argument(text, (size_t)size, found, argument);
}

void bmf_random_program(uint64_t seed, bmf_expressions *arena, bmf_expression **made, const bmf_type **found,
                        bmf_column *argument)
{
    random_maker g = {.random = seed * 2654435761U + 1, .arena = arena};
    if (chance(&g, 3)) {
        make_folds(&g, made, found, argument);
        return;
    }
    type in = random_type(&g, 3), out = random_type(&g, 3);
    if (chance(&g, 2))
        in = bmf_type_list(in);
    int depth = 1 + (int)test_below(&g.random, 5);
    *made = chance(&g, 10) ? random_distributed(&g, in, depth + 1) : random_expression(&g, in, out, depth);
    g.records = chance(&g, 4);
    make_argument(&g, in, found, argument);
}
