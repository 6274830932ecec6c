/* What the type rules of several forms share. */
#include <stdio.h>

#include "runtime/data/type.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/types/checker.h"

bool type_is_list(const bmf_type *type)
{
    return type->kind == BMF_LIST || type->kind == BMF_DISTRIBUTED;
}

const bmf_type *type_list_like(const bmf_type *like, const bmf_type *element)
{
    return like->kind == BMF_DISTRIBUTED ? type_on_grid_of(like, element) : bmf_type_list(element);
}

bool type_is_pair_with_distributed(const bmf_type *type, int component)
{
    return type->kind == BMF_TUPLE && type->components == 2 && type->component[component]->kind == BMF_DISTRIBUTED;
}

bool expression_takes_distributed(const bmf_expression *expression, const bmf_type *in)
{
    (void)expression;
    return in->kind == BMF_DISTRIBUTED;
}

/* NULL after a message: the parts of `what` have types without a common one. */
const bmf_type *checker_join(bmf_checker *checker, bmf_span span, const char *what, const bmf_type *a,
                             const bmf_type *b)
{
    char words[2][BMF_TYPE_WORDS];
    const bmf_type *both = bmf_type_join(a, b);
    if (!both)
        checker_fail(checker, span, "%s, found %s and %s", what, checker_words(a, words[0]),
                     checker_words(b, words[1]));
    return both;
}

/* The elements of a list have no distributed lists in them; otherwise a message. */
bool checker_placed_elements(bmf_checker *checker, const bmf_expression *expression, const bmf_type *list)
{
    if (!bmf_type_holds_distributed(list->component[0]))
        return true;
    checker_needs(checker, expression, BMF_NEEDS_PLACED_ELEMENTS, list);
    return false;
}

/* A predicate on `in`: its result must be a bool. */
bmf_expression *checker_predicate(bmf_checker *checker, const bmf_expression *expression,
                                  const bmf_expression *predicate, const bmf_type *in, bool inside)
{
    char words[BMF_TYPE_WORDS];
    bmf_expression *typed =
        inside ? checker_infer_inside(checker, predicate, in) : checker_infer(checker, predicate, in);
    if (!typed)
        return NULL;
    if (typed->out->kind != BMF_BOOL && typed->out->kind != BMF_NOTHING)
        return checker_fail(checker, predicate->span, "%s needs a predicate that makes a bool, found %s",
                            checker_keyword(expression), checker_words(typed->out, words));
    return checker_convert(checker, typed, &bmf_type_bool);
}

const bmf_type *checker_list_or_parts(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_type *list = in->kind == BMF_DISTRIBUTED ? in->component[0] : in;
    if (in->kind == BMF_DISTRIBUTED && !checker_may_hold(checker, expression, in))
        return NULL;
    if (list->kind == BMF_NOTHING)
        return list;
    if (list->kind != BMF_LIST) {
        checker_needs(checker, expression, "a list, or a distributed list of lists", in);
        return NULL;
    }
    return checker_placed_elements(checker, expression, list) ? list : NULL;
}

bmf_expression *checker_key(bmf_checker *checker, const bmf_expression *expression, const bmf_expression *function,
                            const bmf_type *element)
{
    char words[BMF_TYPE_WORDS];
    bmf_expression *typed = checker_infer_inside(checker, function, element);
    if (!typed)
        return NULL;
    const bmf_type_kind kind = typed->out->kind;
    if (kind != BMF_INT && kind != BMF_REAL && kind != BMF_BOOL && kind != BMF_NOTHING)
        return checker_fail(checker, function->span, "%s needs a key that is an int, a real or a bool, found %s",
                            checker_keyword(expression), checker_words(typed->out, words));
    if (typed->communicates)
        return checker_fail(checker, function->span, "the key of %s cannot be made of distributed lists",
                            checker_keyword(expression));
    return typed;
}

const bmf_type *checker_beyond(bmf_checker *checker, const bmf_expression *expression, const bmf_expression *function,
                               const bmf_type *handed, const bmf_type *element, bmf_expression **typed)
{
    char what[100];
    snprintf(what, sizeof what, "the default of %s must go with the elements", checker_keyword(expression));
    for (int step = 0; step < BMF_MAX_WIDENINGS; step++) {
        *typed = checker_infer_inside(checker, function, handed ? bmf_type_pair(handed, element) : element);
        const bmf_type *wider = *typed ? checker_join(checker, function->span, what, element, (*typed)->out) : NULL;
        if (!wider)
            return NULL;
        if (wider != element) {
            element = wider;
            continue;
        }
        if ((*typed)->communicates || bmf_type_holds_distributed(element)) {
            checker_fail(checker, function->span, "the default of %s cannot distribute lists",
                         checker_keyword(expression));
            return NULL;
        }
        *typed = checker_convert(checker, *typed, element);
        return element;
    }
    checker_fail(checker, function->span, "the default of %s makes a larger type each time it is applied",
                 checker_keyword(expression));
    return NULL;
}

/* Choices and loops on distributed lists are for the program's one instance; false after a message. */
bool checker_may_hold(bmf_checker *checker, const bmf_expression *expression, const bmf_type *type)
{
    char words[BMF_TYPE_WORDS];
    if (checker->inside == 0 || !bmf_type_holds_distributed(type))
        return true;
    checker_fail(checker, expression->span, "%s inside a map or an operator cannot have distributed lists, found %s",
                 checker_keyword(expression), checker_words(type, words));
    return false;
}

bmf_expression *checker_made(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    (void)expression, (void)in;
    checker->status = BMF_ERROR_INTERNAL;
    return NULL;
}
