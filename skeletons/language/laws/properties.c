/* What the laws ask about expressions: whether they depend on their argument, only move it, may fail. */
#include "skeletons/language/forms/form.h"
#include "skeletons/language/laws/rewriter.h"

/* Nodes looked at before the answer is the careful one: where definitions are shared, a tree is larger than its
 * text. */
enum { BUDGET = 4096 };

bool is_operation(const bmf_expression *expression, bmf_operation operation)
{
    return expression->kind == BMF_EXPRESSION_OP && expression->operation == operation;
}

bool expression_decides(const bmf_expression *expression)
{
    (void)expression;
    return true;
}

bool expression_is_independent(const bmf_expression *expression)
{
    const bmf_expression_form *form = form_of(expression);
    return form->is_independent && form->is_independent(expression);
}

bool expression_all_independent(const bmf_expression *expression)
{
    for (int k = 0; k < expression->children; k++)
        if (!expression_is_independent(expression->child[k]))
            return false;
    return true;
}

bmf_expression *rewriter_retype(bmf_rewriter *rewriter, const bmf_expression *expression, const bmf_type *in)
{
    if (!expression_is_independent(expression))
        return NULL;
    bmf_expression *typed = check_again(rewriter->arena, expression, in);
    return typed && typed->out == expression->out ? typed : NULL;
}

static bool is_movement(const bmf_expression *expression, int *budget)
{
    if (--*budget < 0 || !form_of(expression)->is_structural)
        return false;
    for (int k = 0; k < expression->children; k++)
        if (!is_movement(expression->child[k], budget))
            return false;
    return true;
}

bool is_structural(const bmf_expression *expression)
{
    int budget = BUDGET;
    return is_movement(expression, &budget);
}

static bool may_fail(const bmf_expression *node, int *budget)
{
    const bmf_expression_form *form = form_of(node);
    if (--*budget < 0 || (form->may_fail && form->may_fail(node)))
        return true;
    for (int k = 0; k < node->children; k++)
        if (node->child[k] && may_fail(node->child[k], budget))
            return true;
    return false;
}

bool expression_may_fail(const bmf_expression *checked)
{
    int budget = BUDGET;
    return may_fail(checked, &budget);
}

static bool is_oblivious(const bmf_expression *node, int *budget)
{
    const bmf_expression_form *form = form_of(node);
    if (--*budget < 0 || (form->decides && form->decides(node)))
        return false;
    for (int k = 0; k < node->children; k++)
        if (node->child[k] && !is_oblivious(node->child[k], budget))
            return false;
    return true;
}

bool expression_is_oblivious(const bmf_expression *checked)
{
    int budget = BUDGET;
    return is_oblivious(checked, &budget);
}
