/* The type checker: operations (B_Op). Arithmetic and comparisons of an int and a real convert the int.
 *
 * An argument of type nothing, or a component of it, goes with every operation: there are no such values. Where the
 * result does not depend on it, it has its type all the same.
 * Source: document 000, 2.7.1 and 2.7.2. */
#include "skeletons/language/types/checker.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/operations/operation.h"

static bool is_number(const bmf_type *type)
{
    return type->kind == BMF_INT || type->kind == BMF_REAL || type->kind == BMF_NOTHING;
}

static bool is_bool(const bmf_type *type)
{
    return type->kind == BMF_BOOL || type->kind == BMF_NOTHING;
}

bool checker_is_list(const bmf_type *type)
{
    return type->kind == BMF_LIST || type->kind == BMF_DISTRIBUTED || type->kind == BMF_NOTHING;
}

bool checker_is_pair(const bmf_type *type)
{
    return type->kind == BMF_TUPLE && type->components == 2;
}

/* The operation at type `takes`, behind a conversion from `in` if that is another one. */
bmf_expression *checker_operation_node(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in,
                                       const bmf_type *takes, const bmf_type *out)
{
    bmf_expression *node = checker_node(checker, expression, 0, NULL);
    return checker_convert_argument(checker, checker_finish(checker, node, takes, out), in);
}

/* "* needs two numbers, found [[real]] and int; .." */
static bmf_expression *fail_operands(bmf_checker *checker, const bmf_expression *expression, const char *what,
                                     const bmf_type *in)
{
    char words[2][BMF_TYPE_WORDS];
    if (!checker_in_notation(checker, expression) || !checker_is_pair(in) || in->kind == BMF_NOTHING)
        return checker_needs(checker, expression, what, in);
    const bool list = type_is_list(in->component[0]) || type_is_list(in->component[1]);
    const bool lists = type_is_list(in->component[0]) && type_is_list(in->component[1]);
    const char *hint = lists  ? "; to do it to every pair write zip(.., xs, ys)"
                       : list ? "; to do it to every element write map(x -> .., ..)"
                              : "";
    return checker_fail(checker, expression->span, "%s needs %s, found %s and %s%s", checker_keyword(expression), what,
                        checker_words(in->component[0], words[0]), checker_words(in->component[1], words[1]), hint);
}

/* What a pair of operands may be, and what comes of it. */
typedef struct pair_rule {
    const char *what;        /* for messages */
    bool ints, reals, bools; /* two of these; an int beside a real is one */
    const bmf_type *takes;   /* both are converted to it; NULL: to the wider of them */
    const bmf_type *makes;   /* NULL: what it takes */
} pair_rule;

static const pair_rule pair_rules[] = {
    [BMF_SIGNATURE_ARITHMETIC] = {"two numbers", true, true, false, NULL, NULL},
    [BMF_SIGNATURE_ORDER] = {"two numbers", true, true, false, NULL, &bmf_type_bool},
    [BMF_SIGNATURE_EQUALITY] = {"two numbers or two bools", true, true, true, NULL, &bmf_type_bool},
    [BMF_SIGNATURE_LOGIC] = {"two bools", false, false, true, NULL, &bmf_type_bool},
    [BMF_SIGNATURE_REAL_PAIR] = {"two numbers", true, true, false, &bmf_type_real, &bmf_type_real},
    [BMF_SIGNATURE_INTS] = {"two ints", true, false, false, NULL, &bmf_type_int},
    [BMF_SIGNATURE_INTS_TO_REAL] = {"two ints", true, false, false, NULL, &bmf_type_real}};
enum { PAIR_RULES = sizeof pair_rules / sizeof *pair_rules };

static bool rule_fits(const pair_rule *rule, const bmf_type *a, const bmf_type *b)
{
    const bool real = a->kind == BMF_REAL || b->kind == BMF_REAL;
    return (is_bool(a) && is_bool(b) && rule->bools) ||
           (is_number(a) && is_number(b) && (real ? rule->reals : rule->ints));
}

static bmf_expression *infer_binary(bmf_checker *checker, const bmf_expression *expression, const pair_rule *rule,
                                    const bmf_type *in)
{
    const bmf_type *nothing = &bmf_type_nothing;
    const bmf_type *a = checker_is_pair(in) ? in->component[0] : in, *b = checker_is_pair(in) ? in->component[1] : in;
    if ((!checker_is_pair(in) && in != nothing) || (!rule_fits(rule, a, b) && !(a == nothing && b == nothing)))
        return fail_operands(checker, expression, rule->what, in);
    const bmf_type *both = bmf_type_join(a, b);
    const bmf_type *takes =
        both == nothing ? in : bmf_type_pair(rule->takes ? rule->takes : both, rule->takes ? rule->takes : both);
    return checker_operation_node(checker, expression, in, takes, rule->makes ? rule->makes : both);
}

static bmf_expression *infer_unary(bmf_checker *checker, const bmf_expression *expression, bmf_signature wanted,
                                   const bmf_type *in)
{
    bool makes_int = wanted == BMF_SIGNATURE_TO_INT, makes_real = wanted == BMF_SIGNATURE_TO_REAL;
    bool takes_bool = wanted == BMF_SIGNATURE_NEGATION || makes_int || makes_real;
    if (wanted == BMF_SIGNATURE_NOT)
        return is_bool(in) ? checker_operation_node(checker, expression, in, in, &bmf_type_bool)
                           : checker_needs(checker, expression, "a bool", in);
    if (!is_number(in) && !(takes_bool && is_bool(in)))
        return checker_needs(checker, expression, takes_bool ? "a number or a bool" : "a number", in);
    if (wanted == BMF_SIGNATURE_REAL_FUNCTION)
        return checker_operation_node(checker, expression, in, &bmf_type_real, &bmf_type_real);
    if (makes_int || makes_real)
        return checker_operation_node(checker, expression, in, in, makes_int ? &bmf_type_int : &bmf_type_real);
    return checker_operation_node(checker, expression, in, in, in);
}

/* The type of a list's elements; that of a value of type nothing is nothing. */
const bmf_type *checker_element(const bmf_type *list)
{
    return list->kind == BMF_NOTHING ? list : list->component[0];
}

bmf_expression *checker_operation(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_operation_descriptor *operation = operation_descriptor(expression->operation);
    if (operation->check)
        return operation->check(checker, expression, in);
    return (int)operation->signature < PAIR_RULES
               ? infer_binary(checker, expression, &pair_rules[operation->signature], in)
               : infer_unary(checker, expression, operation->signature, in);
}
