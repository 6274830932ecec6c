/* The type checker: operations (B_Op). Arithmetic and comparisons of an int and a real convert the int.
 *
 * An argument of type nothing, or a component of it, goes with every operation: there are no such values. Where the
 * result does not depend on it, it has its type all the same.
 * Source: document 000, 2.7.1 and 2.7.2. */
#include "skeletons/language/types/checker.h"
#include "skeletons/language/front/data.h"

/* What an operation wants. */
typedef enum signature {
    ARITHMETIC,    /* {number, number} -> the wider of them */
    ORDER,         /* {number, number} -> bool */
    EQUALITY,      /* {number, number} or {bool, bool} -> bool */
    LOGIC,         /* {bool, bool} -> bool */
    NEGATION,      /* bool or number -> the same */
    SIGN,          /* number -> the same */
    REAL_FUNCTION, /* number -> real */
    CONVERSION,    /* number or bool -> int or real */
    LIST           /* its own rule */
} signature;

static const signature signatures[] = {
    [BMF_OPERATION_PLUS] = ARITHMETIC,   [BMF_OPERATION_MINUS] = ARITHMETIC,  [BMF_OPERATION_TIMES] = ARITHMETIC,
    [BMF_OPERATION_DIVIDE] = ARITHMETIC, [BMF_OPERATION_MOD] = ARITHMETIC,    [BMF_OPERATION_MAX] = ARITHMETIC,
    [BMF_OPERATION_MIN] = ARITHMETIC,    [BMF_OPERATION_AND] = LOGIC,         [BMF_OPERATION_OR] = LOGIC,
    [BMF_OPERATION_EQ] = EQUALITY,       [BMF_OPERATION_GT] = ORDER,          [BMF_OPERATION_LT] = ORDER,
    [BMF_OPERATION_GE] = ORDER,          [BMF_OPERATION_LE] = ORDER,          [BMF_OPERATION_UMINUS] = SIGN,
    [BMF_OPERATION_NEG] = NEGATION,      [BMF_OPERATION_ABS] = SIGN,          [BMF_OPERATION_SQRT] = REAL_FUNCTION,
    [BMF_OPERATION_EXP] = REAL_FUNCTION, [BMF_OPERATION_LOG] = REAL_FUNCTION, [BMF_OPERATION_SIN] = REAL_FUNCTION,
    [BMF_OPERATION_COS] = REAL_FUNCTION, [BMF_OPERATION_INT] = CONVERSION,    [BMF_OPERATION_REAL] = CONVERSION,
    [BMF_OPERATION_LENGTH] = LIST,       [BMF_OPERATION_INDEX] = LIST,        [BMF_OPERATION_IOTA] = LIST,
    [BMF_OPERATION_DISTL] = LIST,        [BMF_OPERATION_PROJECT] = LIST,      [BMF_OPERATION_CONC] = LIST};

static bool is_number(const bmf_type *type)
{
    return type->kind == BMF_INT || type->kind == BMF_REAL || type->kind == BMF_NOTHING;
}

static bool is_bool(const bmf_type *type)
{
    return type->kind == BMF_BOOL || type->kind == BMF_NOTHING;
}

static bool is_list(const bmf_type *type)
{
    return type->kind == BMF_LIST || type->kind == BMF_DISTRIBUTED || type->kind == BMF_NOTHING;
}

static bool is_pair(const bmf_type *type)
{
    return type->kind == BMF_TUPLE && type->components == 2;
}

/* The operation at type `takes`, behind a conversion from `in` if that is another one. */
static bmf_expression *make(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in,
                            const bmf_type *takes, const bmf_type *out)
{
    bmf_expression *node = checker_node(checker, expression, 0, NULL);
    return checker_convert_argument(checker, checker_finish(checker, node, takes, out), in);
}

static bmf_expression *infer_binary(bmf_checker *checker, const bmf_expression *expression, signature wanted,
                                    const bmf_type *in)
{
    static const char *const what[] = {[ARITHMETIC] = "two numbers",
                                       [ORDER] = "two numbers",
                                       [EQUALITY] = "two numbers or two bools",
                                       [LOGIC] = "two bools"};
    const bmf_type *nothing = &bmf_type_nothing;
    const bmf_type *a = is_pair(in) ? in->component[0] : in, *b = is_pair(in) ? in->component[1] : in;
    if (!is_pair(in) && in != nothing)
        return checker_needs(checker, expression, what[wanted], in);
    bool numbers = is_number(a) && is_number(b), bools = is_bool(a) && is_bool(b);
    if (!(numbers && wanted != LOGIC) && !(bools && (wanted == LOGIC || wanted == EQUALITY)))
        return checker_needs(checker, expression, what[wanted], in);
    const bmf_type *both = bmf_type_join(a, b);
    const bmf_type *takes = both == nothing ? in : bmf_type_pair(both, both);
    return make(checker, expression, in, takes, wanted == ARITHMETIC ? both : &bmf_type_bool);
}

static bmf_expression *infer_unary(bmf_checker *checker, const bmf_expression *expression, signature wanted,
                                   const bmf_type *in)
{
    bool takes_bool = wanted == NEGATION || wanted == CONVERSION;
    if (!is_number(in) && !(takes_bool && is_bool(in)))
        return checker_needs(checker, expression, takes_bool ? "a number or a bool" : "a number", in);
    if (wanted == REAL_FUNCTION)
        return make(checker, expression, in, &bmf_type_real, &bmf_type_real);
    if (wanted == CONVERSION)
        return make(checker, expression, in, in,
                    expression->operation == BMF_OPERATION_INT ? &bmf_type_int : &bmf_type_real);
    return make(checker, expression, in, in, in);
}

/* The type of a list's elements; that of a value of type nothing is nothing. */
static const bmf_type *element(const bmf_type *list)
{
    return list->kind == BMF_NOTHING ? list : list->component[0];
}

/* A list type of the same sort as `like`, placed if that is nothing. */
static const bmf_type *list_like(const bmf_type *like, const bmf_type *of)
{
    return like->kind == BMF_DISTRIBUTED ? bmf_type_distributed(of) : bmf_type_list(of);
}

static bmf_expression *refuse_distributed(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    return checker_needs(checker, expression,
                         expression->operation == BMF_OPERATION_CONC
                             ? "placed lists (P_Reduce gathers a distributed one)"
                             : "elements without distributed lists in them (reduce those first, with B_Map or P_Map)",
                         in);
}

static bmf_expression *infer_index(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_type *list = in->component[0], *index = in->component[1];
    if (!is_list(list) || (index->kind != BMF_INT && index->kind != BMF_NOTHING))
        return checker_needs(checker, expression, "{a list, int}", in);
    if (bmf_type_holds_distributed(element(list)))
        return refuse_distributed(checker, expression, in);
    const bmf_type *takes = bmf_type_pair(list_like(list, element(list)), &bmf_type_int);
    return make(checker, expression, in, takes, element(list));
}

static bmf_expression *infer_distl(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_type *item = in->component[0], *list = in->component[1];
    if (!is_list(list))
        return checker_needs(checker, expression, "{an item, a list}", in);
    if (bmf_type_holds_distributed(item) || bmf_type_holds_distributed(element(list)))
        return refuse_distributed(checker, expression, in);
    const bmf_type *takes = bmf_type_pair(item, list_like(list, element(list)));
    return make(checker, expression, in, takes, list_like(list, bmf_type_pair(item, element(list))));
}

static bmf_expression *infer_project(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_type *list = in->component[0], *index = in->component[1];
    if (!is_list(list) || !is_list(index) || (element(index)->kind != BMF_INT && element(index)->kind != BMF_NOTHING))
        return checker_needs(checker, expression, "{a list, a list of ints}", in);
    if (bmf_type_holds_distributed(element(list)))
        return refuse_distributed(checker, expression, in);
    if (index->kind == BMF_DISTRIBUTED && list->kind == BMF_LIST)
        return checker_needs(checker, expression, "a distributed list if the list of indices is distributed", in);
    const bmf_type *takes = bmf_type_pair(list_like(list->kind == BMF_NOTHING ? index : list, element(list)),
                                          list_like(index, &bmf_type_int));
    return make(checker, expression, in, takes, takes->component[0]);
}

static bmf_expression *infer_conc(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    char words[2][BMF_TYPE_WORDS];
    const bmf_type *a = in->component[0], *b = in->component[1];
    if (!is_list(a) || !is_list(b))
        return checker_needs(checker, expression, "two lists", in);
    if (bmf_type_holds_distributed(in))
        return refuse_distributed(checker, expression, in);
    const bmf_type *both = bmf_type_join(element(a), element(b));
    if (!both)
        return checker_fail(checker, expression->span, "%s needs two lists of one type, found %s and %s",
                            checker_keyword(expression), checker_words(a, words[0]), checker_words(b, words[1]));
    both = bmf_type_list(both);
    return make(checker, expression, in, bmf_type_pair(both, both), both);
}

/* Of a value that cannot be: whatever goes with everything, unless the result's type is certain. */
static const bmf_type *of_nothing(bmf_operation operation)
{
    if (operation == BMF_OPERATION_LENGTH)
        return &bmf_type_int;
    return operation == BMF_OPERATION_IOTA ? bmf_type_list(&bmf_type_int) : &bmf_type_nothing;
}

static bmf_expression *infer_list_operation(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_NOTHING)
        return make(checker, expression, in, in, of_nothing(expression->operation));
    switch (expression->operation) {
    case BMF_OPERATION_LENGTH:
        return is_list(in) ? make(checker, expression, in, in, &bmf_type_int)
                           : checker_needs(checker, expression, "a list", in);
    case BMF_OPERATION_IOTA:
        return in->kind == BMF_INT ? make(checker, expression, in, in, bmf_type_list(in))
                                   : checker_needs(checker, expression, "an int", in);
    case BMF_OPERATION_INDEX:
        return is_pair(in) ? infer_index(checker, expression, in)
                           : checker_needs(checker, expression, "{a list, int}", in);
    case BMF_OPERATION_DISTL:
        return is_pair(in) ? infer_distl(checker, expression, in)
                           : checker_needs(checker, expression, "{an item, a list}", in);
    case BMF_OPERATION_PROJECT:
        return is_pair(in) ? infer_project(checker, expression, in)
                           : checker_needs(checker, expression, "{a list, a list of ints}", in);
    default:
        return is_pair(in) ? infer_conc(checker, expression, in) : checker_needs(checker, expression, "two lists", in);
    }
}

bmf_expression *checker_operation(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    signature wanted = signatures[expression->operation];
    if (wanted <= LOGIC)
        return infer_binary(checker, expression, wanted, in);
    return wanted == LIST ? infer_list_operation(checker, expression, in)
                          : infer_unary(checker, expression, wanted, in);
}
