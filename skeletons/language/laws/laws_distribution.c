/* What goes to all processors, and what goes there next, in one distribution.
 *
 *   P_Distl o [x, P_Map f o P_Distl o [y, a]] = P_Map [x, f o [y, part]] o P_Distl o [[x, y], a]
 *
 * The messages of one distribution carry both values. x and y are made from the same argument, so that x does not wait
 * for what the processors do. Tuples that only select stand between, as bindings of the notation make them.
 *   Condition: f does not communicate; what the tuples between leave out cannot fail; [x, y] is no tuple too large.
 * Cost: a look at the parts in front of a distribution. */
#include "skeletons/language/laws/rewriter.h"

/* Hands on values to lists that are on several processors. */
static bool is_distribution(const bmf_expression *part)
{
    return is_operation(part, BMF_OPERATION_DISTL) && part->parallel && !part->on_grid &&
           part->in->component[1]->kind == BMF_DISTRIBUTED;
}

/* P_Map f o .. o P_Map g o P_Distl o [y, a] */
typedef struct distributed {
    int maps;
    bmf_expression *const *map; /* the first of them is applied last */
    bmf_expression *value, *list;
} distributed;

static bool is_map_of_parts(const bmf_expression *part)
{
    return part->kind == BMF_EXPRESSION_MAP && part->in->kind == BMF_DISTRIBUTED && !part->on_grid &&
           !part->child[0]->communicates;
}

static bool read_distributed(const bmf_expression *made, distributed *d)
{
    const int parts = made->kind == BMF_EXPRESSION_COMP ? made->children : 0;
    int maps = 0;
    while (maps < parts && is_map_of_parts(made->child[maps]))
        maps++;
    if (parts != maps + 2 || !is_distribution(made->child[maps]) ||
        made->child[maps + 1]->kind != BMF_EXPRESSION_ALLTUP)
        return false;
    const bmf_expression *both = made->child[maps + 1];
    *d = (distributed){.maps = maps, .map = made->child, .value = both->child[0], .list = both->child[1]};
    return true;
}

/* Whether the tuple hands on all that it is made of, but for what cannot fail. */
static bool may_select(const bmf_expression *tuple, const int64_t *chosen)
{
    for (int k = 0; k < tuple->children; k++)
        if (k != chosen[0] && k != chosen[1] && expression_may_fail(tuple->child[k]))
            return false;
    return true;
}

/* The first of the tuples in front of a distribution that does not only select; *chosen: what of it comes to the
 * distribution; NULL: there is none. */
static const bmf_expression *find_tuple(int parts, bmf_expression *const *part, int64_t *chosen, int *used)
{
    chosen[0] = 0;
    chosen[1] = 1;
    for (int at = 1; at < parts && part[at]->kind == BMF_EXPRESSION_ALLTUP && may_select(part[at], chosen); at++) {
        const bmf_expression *first = part[at]->child[chosen[0]], *second = part[at]->child[chosen[1]];
        *used = at + 1;
        if (first->kind != BMF_EXPRESSION_ADDR || second->kind != BMF_EXPRESSION_ADDR)
            return part[at];
        chosen[0] = first->number[0] - 1;
        chosen[1] = second->number[0] - 1;
    }
    return NULL;
}

/* {{x, y}, part} -> {x, f {y, part}} */
static bmf_expression *in_each_part(bmf_rewriter *rewriter, bmf_span span, const distributed *d, const bmf_type *in)
{
    const bmf_type *values = in->component[0];
    bmf_expression *both = rewriter_component(rewriter, span, 0, in), *own[2], *made[2];
    own[0] = rewriter_compose(rewriter, rewriter_component(rewriter, span, 1, values), both);
    own[1] = rewriter_component(rewriter, span, 1, in);
    made[0] = rewriter_compose(rewriter, rewriter_component(rewriter, span, 0, values), both);
    made[1] = rewriter_tuple(rewriter, span, 2, own);
    for (int k = d->maps - 1; k >= 0; k--)
        made[1] = rewriter_compose(rewriter, d->map[k]->child[0], made[1]);
    return rewriter_tuple(rewriter, span, 2, made);
}

bmf_expression *law_distribute_together(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    int64_t chosen[2];
    distributed d;
    const bmf_expression *tuple = is_distribution(part[0]) ? find_tuple(parts, part, chosen, used) : NULL;
    if (!tuple || chosen[0] == chosen[1] || !read_distributed(tuple->child[chosen[1]], &d))
        return NULL;
    const bmf_span span = part[0]->span;
    bmf_expression *value[2] = {tuple->child[chosen[0]], d.value}, *given[2], *made[3];
    given[0] = rewriter_tuple(rewriter, span, 2, value);
    given[1] = d.list;
    made[2] = rewriter_tuple(rewriter, span, 2, given);
    const bmf_type *each = bmf_type_pair(given[0]->out, d.list->out->component[0]);
    if (type_too_large(each))
        return NULL;
    made[1] = expression_copy(rewriter->arena, part[0]);
    made[1]->name = NULL;
    expression_set_types(made[1], made[2]->out, type_list_like(d.list->out, each));
    bmf_expression *body = in_each_part(rewriter, span, &d, each);
    made[0] = rewriter_node(rewriter, BMF_EXPRESSION_MAP, d.maps > 0 ? d.map[0]->span : span, 1, &body, made[1]->out,
                            part[0]->out);
    return expression_compose(rewriter->arena, span, 3, made);
}
