/* What functions of lists use from outside, {x, list}: handed on to where the elements lie. */
#include "skeletons/language/types/checker.h"

static bmf_expression *make(bmf_checker *checker, const bmf_expression *by, bmf_expression_kind kind, int children,
                            bmf_expression *const *child)
{
    bmf_expression *made = expression_create(checker->arena, kind, by->span, children);
    for (int k = 0; k < children; k++)
        made->child[k] = child[k];
    return made;
}

bmf_expression *checker_distl(bmf_checker *checker, const bmf_expression *by)
{
    bmf_expression *distl = make(checker, by, BMF_EXPRESSION_OP, 0, NULL);
    distl->operation = BMF_OPERATION_DISTL;
    distl->name = by->name;
    return distl;
}

bmf_expression *checker_composed(bmf_checker *checker, const bmf_expression *by, int links, bmf_expression *const *link)
{
    return make(checker, by, BMF_EXPRESSION_COMP, links, link);
}

bmf_expression *checker_map_of(bmf_checker *checker, const bmf_expression *by, bmf_expression *function)
{
    return make(checker, by, BMF_EXPRESSION_MAP, 1, &function);
}

bmf_expression *checker_component_of(bmf_checker *checker, const bmf_expression *by, int k, int of)
{
    bmf_expression *made = make(checker, by, BMF_EXPRESSION_ADDR, 0, NULL);
    made->number[0] = k;
    made->number[1] = of;
    return made;
}

bmf_expression *checker_pair_of(bmf_checker *checker, const bmf_expression *by, bmf_expression *first,
                                bmf_expression *second)
{
    bmf_expression *both[2] = {first, second};
    return make(checker, by, BMF_EXPRESSION_ALLTUP, 2, both);
}

bmf_expression *checker_hand_on(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *link[2] = {expression_copy(checker->arena, expression), checker_distl(checker, expression)};
    link[0]->binding = NULL; /* of {x, list} */
    return checker_infer(checker, checker_composed(checker, expression, 2, link), in);
}

/* Ordered are {x, element}, which cost nothing where the list is; of a distributed list {key, element}, so that x is
 * sent once to each part, not with every element. */
bmf_expression *checker_keyed_handed(bmf_checker *checker, const bmf_expression *expression, bmf_expression *drop,
                                     const bmf_type *in)
{
    const bmf_expression *by = expression;
    bmf_expression *ordered = expression_copy(checker->arena, expression);
    ordered->binding = ordered->result = NULL; /* of {x, list}, and of what is made of the elements */
    if (!type_is_pair_with_distributed(in, 1)) {
        bmf_expression *link[3] = {drop, ordered, checker_distl(checker, by)};
        return checker_infer(checker, checker_composed(checker, by, 3, link), in);
    }
    bmf_expression *with_key[2] = {
        checker_map_of(checker, by,
                       checker_pair_of(checker, by, expression->child[0], checker_component_of(checker, by, 2, 2))),
        checker_distl(checker, by)};
    ordered->child[0] = checker_component_of(checker, by, 1, 2);
    bmf_expression *link[4] = {checker_map_of(checker, by, drop), ordered,
                               checker_map_of(checker, by, checker_composed(checker, by, 2, with_key)),
                               checker_distl(checker, by)};
    return checker_infer(checker, checker_composed(checker, by, 4, link), in);
}
