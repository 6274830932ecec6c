/* Laws of the formalism: identities, fusion of maps, promotion.
 *
 * Source: Bird's laws as document 000, 2.10 uses them. What they leave out, because it cannot happen on paper, is
 * checked here: empty lists without a default, and parts that fail.
 * Cost: each law looks at two neighbours of a composition. */
#include <math.h>

#include "skeletons/language/laws/rewriter.h"

bmf_expression *rewriter_node(bmf_rewriter *rewriter, bmf_expression_kind kind, bmf_span span, int children,
                              bmf_expression *const *child, const bmf_type *in, const bmf_type *out)
{
    bmf_expression *node = expression_create(rewriter->arena, kind, span, children);
    for (int k = 0; k < children; k++)
        node->child[k] = child[k];
    expression_set_types(node, in, out);
    return node;
}

bmf_expression *rewriter_identity(bmf_rewriter *rewriter, bmf_span span, const bmf_type *type)
{
    return rewriter_node(rewriter, BMF_EXPRESSION_ID, span, 0, NULL, type, type);
}

bmf_expression *rewriter_compose(bmf_rewriter *rewriter, bmf_expression *f, bmf_expression *g)
{
    bmf_expression *both[2] = {f, g};
    if (f->kind == BMF_EXPRESSION_ID || g->kind == BMF_EXPRESSION_ID)
        return f->kind == BMF_EXPRESSION_ID ? g : f;
    return expression_compose(rewriter->arena, f->span, 2, both);
}

/* ---- identities ---- */

bmf_expression *law_identity(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    (void)rewriter;
    if (parts < 2 || (part[0]->kind != BMF_EXPRESSION_ID && part[1]->kind != BMF_EXPRESSION_ID))
        return NULL;
    *used = 2;
    return part[0]->kind == BMF_EXPRESSION_ID ? part[1] : part[0];
}

bmf_expression *law_map_identity(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    (void)parts;
    if (part[0]->kind != BMF_EXPRESSION_MAP || part[0]->child[0]->kind != BMF_EXPRESSION_ID)
        return NULL;
    *used = 1;
    return rewriter_identity(rewriter, part[0]->span, part[0]->in);
}

bmf_expression *law_component(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    (void)rewriter;
    if (parts < 2 || part[0]->kind != BMF_EXPRESSION_ADDR || part[1]->kind != BMF_EXPRESSION_ALLTUP)
        return NULL;
    int64_t chosen = part[0]->number[0] - 1;
    for (int k = 0; k < part[1]->children; k++)
        if (k != chosen && expression_may_fail(part[1]->child[k]))
            return NULL;
    *used = 2;
    return part[1]->child[chosen];
}

/* ---- maps ---- */

bmf_expression *law_map_fusion(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    if (parts < 2 || part[0]->kind != BMF_EXPRESSION_MAP || part[1]->kind != BMF_EXPRESSION_MAP)
        return NULL;
    bmf_expression *both[2] = {part[0]->child[0], part[1]->child[0]};
    bmf_expression *inner = expression_compose(rewriter->arena, part[0]->span, 2, both);
    *used = 2;
    return rewriter_node(rewriter, BMF_EXPRESSION_MAP, part[0]->span, 1, &inner, part[1]->in, part[0]->out);
}

/* ---- gathering: reduce ++ ---- */

/* reduce ++ without a default, or with [] for it. */
static bool is_gathering(const bmf_expression *part)
{
    if (part->kind != BMF_EXPRESSION_REDUCE || !is_operation(part->child[0], BMF_OPERATION_CONC))
        return false;
    if (part->children < 2)
        return true;
    const bmf_expression *otherwise = part->child[1];
    if (otherwise->kind == BMF_EXPRESSION_COMP && otherwise->children == 2 &&
        otherwise->child[0]->kind == BMF_EXPRESSION_CONVERT)
        otherwise = otherwise->child[1];
    return otherwise->kind == BMF_EXPRESSION_ALLVEC && otherwise->children == 0;
}

bmf_expression *law_split_reduce(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    if (parts < 2 || !is_gathering(part[0]) || part[1]->kind != BMF_EXPRESSION_SPLIT)
        return NULL;
    if ((part[1]->parallel && !rewriter->rewriting->undo_parallel_splits) || part[0]->out != part[1]->in)
        return NULL;
    *used = 2;
    return rewriter_identity(rewriter, part[0]->span, part[1]->in);
}

/* The same gathering of a list of another type; NULL if it makes anything but `out`. */
static bmf_expression *gather_again(bmf_rewriter *rewriter, const bmf_expression *gathering, const bmf_type *in,
                                    const bmf_type *out)
{
    bmf_expression *child[2] = {gathering->child[0], NULL};
    if (gathering->children == 2)
        child[1] = expression_create(rewriter->arena, BMF_EXPRESSION_ALLVEC, gathering->child[1]->span, 0);
    bmf_expression *made =
        expression_create(rewriter->arena, BMF_EXPRESSION_REDUCE, gathering->span, gathering->children);
    for (int k = 0; k < gathering->children; k++)
        made->child[k] = child[k];
    made = check_again(rewriter->arena, made, in);
    return made && made->kind == BMF_EXPRESSION_REDUCE && made->out == out ? made : NULL;
}

/* On distributed lists only, where it moves work onto the processors; on placed ones it would part the map from what
 * reads it. A map that splits would, moved onto other processors, split from there. */
bmf_expression *law_map_promotion(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    if (parts < 2 || part[0]->kind != BMF_EXPRESSION_MAP || part[0]->communicates || !is_gathering(part[1]) ||
        !part[1]->parallel)
        return NULL;
    const bmf_type *mapped = type_list_like(part[1]->in, part[0]->out);
    bmf_expression *gathering = gather_again(rewriter, part[1], mapped, part[0]->out);
    if (!gathering)
        return NULL;
    bmf_expression *both[2] = {
        gathering, rewriter_node(rewriter, BMF_EXPRESSION_MAP, part[0]->span, 1, &part[0], part[1]->in, mapped)};
    *used = 2;
    return expression_compose(rewriter->arena, part[0]->span, 2, both);
}

/* ---- reductions of gathered lists ---- */

bool operator_identity(const bmf_expression *operation, bool any_association, bmf_constant *identity)
{
    if (operation->kind != BMF_EXPRESSION_OP)
        return false;
    bmf_type_kind kind = operation->out->kind;
    if (kind == BMF_NOTHING) /* of lists that are empty; there is no such constant */
        return false;
    bool largest = operation->operation == BMF_OPERATION_MIN;
    *identity = (bmf_constant){kind, 0, 0.0};
    switch (operation->operation) {
    case BMF_OPERATION_MAX:
    case BMF_OPERATION_MIN:
        identity->integer = kind == BMF_REAL ? 0 : largest ? INT64_MAX : INT64_MIN;
        identity->real = kind == BMF_REAL ? (largest ? (double)INFINITY : -(double)INFINITY) : 0.0;
        return true;
    case BMF_OPERATION_AND:
        identity->integer = 1;
        return true;
    case BMF_OPERATION_OR:
        return true;
    case BMF_OPERATION_PLUS:
        identity->real = kind == BMF_REAL ? -0.0 : 0.0; /* -0.0 + x is x for every x */
        return any_association;
    case BMF_OPERATION_TIMES:
        identity->integer = kind == BMF_INT;
        identity->real = kind == BMF_REAL ? 1.0 : 0.0;
        return any_association;
    default:
        return false;
    }
}

/* The list that the composition makes has elements, certainly. */
static bool makes_elements(int parts, bmf_expression *const *part)
{
    for (int k = 0; k < parts; k++) {
        if (part[k]->kind == BMF_EXPRESSION_SPLIT)
            return true; /* at least one part */
        if (part[k]->kind == BMF_EXPRESSION_ALLVEC)
            return part[k]->children > 0;
        if (part[k]->kind != BMF_EXPRESSION_MAP && part[k]->kind != BMF_EXPRESSION_SCAN)
            return false;
    }
    return false;
}

static bmf_expression *constant(bmf_rewriter *rewriter, bmf_span span, bmf_constant value, const bmf_type *in,
                                const bmf_type *out)
{
    bmf_expression *made = rewriter_node(rewriter, BMF_EXPRESSION_CON, span, 0, NULL, in, out);
    made->constant = value;
    return made;
}

/* Without a default the empty list fails, on the left side only; the default must not look at the list, which is
 * another one. */
bmf_expression *law_reduce_promotion(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    bmf_constant identity;
    if (parts < 2 || part[0]->kind != BMF_EXPRESSION_REDUCE || part[0]->children < 2 || !is_gathering(part[1]) ||
        !operator_identity(part[0]->child[0], rewriter->rewriting->reassociate, &identity))
        return NULL;
    if (part[1]->children < 2 && !makes_elements(parts - 2, part + 2))
        return NULL;
    const bmf_type *list = part[0]->in, *value = part[0]->out, *values = type_list_like(part[1]->in, value);
    bmf_expression *otherwise = rewriter_retype(rewriter, part[0]->child[1], values);
    if (!otherwise)
        return NULL;
    bmf_span span = part[0]->span;
    bmf_expression *inner[2] = {part[0]->child[0], constant(rewriter, span, identity, list, value)};
    bmf_expression *outer[2] = {part[0]->child[0], otherwise};
    bmf_expression *each = rewriter_node(rewriter, BMF_EXPRESSION_REDUCE, span, 2, inner, list, value);
    bmf_expression *both[2] = {rewriter_node(rewriter, BMF_EXPRESSION_REDUCE, span, 2, outer, values, value),
                               rewriter_node(rewriter, BMF_EXPRESSION_MAP, span, 1, &each, part[1]->in, values)};
    *used = 2;
    return expression_compose(rewriter->arena, span, 2, both);
}
