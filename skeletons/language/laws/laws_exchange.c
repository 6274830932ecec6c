/* Reductions of one distributed list in one exchange.
 *
 * Source: document 002, 3.7 (reduction groups). In a tuple, h1 o P_Reduce op1 o P_Map f1 o a, .., hn o P_Reduce opn o
 * P_Map fn o a become one P_Reduce of tuples, op {x, y} = {op1 {x1, y1}, .., opn {xn, yn}}, of the list P_Map [f1, ..,
 * fn] o a: the messages of one reduction carry the values of all. Each component is combined in the order in which it
 * is combined alone, so its bits are the same.
 *   Condition: the same list, so that the rounds are the same; all with a default that does not look at the list, or
 * all without; no concatenation, which moves columns another way; maps that do not communicate.
 * Cost: a look at the parts of a tuple, and at the lists' expressions to compare them. */
#include "skeletons/language/laws/rewriter.h"

/* A child of the tuple: what is applied to the total, the reduction, and the list that it is of. */
typedef struct member {
    int at; /* of the reduction in the child; -1: it does not take part */
    bmf_expression *reduce;
    rewriter_mapped of;
} member;

static int parts_of(bmf_expression *const *child, bmf_expression *const **part)
{
    const bool chain = (*child)->kind == BMF_EXPRESSION_COMP;
    *part = chain ? (*child)->child : child;
    return chain ? (*child)->children : 1;
}

static bool can_join(const bmf_expression *reduce)
{
    if (reduce->kind != BMF_EXPRESSION_REDUCE || !reduce->parallel || reduce->in->kind != BMF_DISTRIBUTED)
        return false;
    const bmf_type *element = reduce->in->component[0];
    return reduce->child[0]->in == bmf_type_pair(element, element) && reduce->child[0]->out == element &&
           !reduce->child[0]->communicates && !is_operation(reduce->child[0], BMF_OPERATION_CONC);
}

/* The reduction that a child of the tuple applies first. */
static member read_member(bmf_rewriter *rewriter, bmf_expression *const *child)
{
    bmf_expression *const *part;
    const int parts = parts_of(child, &part);
    member m = {.at = parts - 1};
    while (m.at >= 0 && !(part[m.at]->kind == BMF_EXPRESSION_REDUCE && part[m.at]->parallel))
        m.at--;
    if (m.at < 0 || !can_join(part[m.at])) {
        m.at = -1;
        return m;
    }
    m.reduce = part[m.at];
    m.of = rewriter_read_mapped(rewriter, m.at + 1 < parts ? expression_compose(rewriter->arena, (*child)->span,
                                                                                parts - m.at - 1, part + m.at + 1)
                                                           : rewriter_identity(rewriter, (*child)->span, (*child)->in));
    return m;
}

static bool goes_with(const member *first, const member *m)
{
    return first->of.list->out == m->of.list->out && first->reduce->children == m->reduce->children &&
           expression_equal(first->of.list, m->of.list);
}

/* The members of the first group of two or more; the others do not take part. Returns how many. */
static int find_group(bmf_rewriter *rewriter, const bmf_expression *tuple, member *m)
{
    for (int k = 0; k < tuple->children; k++)
        m[k] = read_member(rewriter, &tuple->child[k]);
    for (int first = 0; first < tuple->children; first++) {
        int count = 0;
        for (int k = first; m[first].at >= 0 && k < tuple->children; k++)
            count += m[k].at >= 0 && goes_with(&m[first], &m[k]);
        for (int k = 0; count > 1 && k < tuple->children; k++)
            if (k < first || (m[k].at >= 0 && !goes_with(&m[first], &m[k])))
                m[k].at = -1;
        if (count > 1)
            return count;
    }
    return 0;
}

/* {x, y} -> {op1 {x1, y1}, ..} on tuples of that type. */
static bmf_expression *operator_of(bmf_rewriter *rewriter, bmf_span span, int count, const member *m,
                                   const bmf_type *type)
{
    const bmf_type *pair = bmf_type_pair(type, type);
    bmf_expression *combined[BMF_MAX_LEAVES];
    for (int k = 0; k < count; k++) {
        bmf_expression *side[2];
        for (int s = 0; s < 2; s++)
            side[s] = rewriter_compose(rewriter, rewriter_component(rewriter, span, k, type),
                                       rewriter_component(rewriter, span, s, pair));
        combined[k] = rewriter_compose(rewriter, m[k].reduce->child[0], rewriter_tuple(rewriter, span, 2, side));
    }
    return rewriter_tuple(rewriter, span, count, combined);
}

/* The defaults for a list of another type; NULL: one looks at its list. */
static bmf_expression *defaults_of(bmf_rewriter *rewriter, bmf_span span, int count, const member *m,
                                   const bmf_type *list)
{
    bmf_expression *otherwise[BMF_MAX_LEAVES];
    for (int k = 0; k < count; k++)
        if (!(otherwise[k] = rewriter_retype(rewriter, m[k].reduce->child[1], list)))
            return NULL;
    return rewriter_tuple(rewriter, span, count, otherwise);
}

/* The one reduction of all members; NULL if their defaults do not allow it. */
static bmf_expression *join(bmf_rewriter *rewriter, int count, const member *m)
{
    const bmf_span span = m[0].reduce->span;
    bmf_expression *each[BMF_MAX_LEAVES], *child[2] = {NULL, NULL};
    for (int k = 0; k < count; k++)
        each[k] = m[k].of.each;
    bmf_expression *body = rewriter_tuple(rewriter, span, count, each), *list = m[0].of.list;
    const bmf_type *values = type_list_like(list->out, body->out);
    const int children = m[0].reduce->children;
    child[0] = operator_of(rewriter, span, count, m, body->out);
    if (children > 1 && !(child[1] = defaults_of(rewriter, span, count, m, values)))
        return NULL;
    bmf_expression *both[2] = {rewriter_node(rewriter, BMF_EXPRESSION_REDUCE, span, children, child, values, body->out),
                               rewriter_node(rewriter, BMF_EXPRESSION_MAP, span, 1, &body, list->out, values)};
    both[0]->parallel = both[1]->parallel = true;
    return rewriter_compose(rewriter, expression_compose(rewriter->arena, span, 2, both), list);
}

/* What a member does to its total, which `chosen` selects. */
static bmf_expression *after_reduction(bmf_rewriter *rewriter, bmf_expression *const *child, const member *m,
                                       bmf_expression *chosen)
{
    bmf_expression *const *part;
    parts_of(child, &part);
    if (m->at == 0)
        return chosen;
    return rewriter_compose(rewriter, expression_compose(rewriter->arena, (*child)->span, m->at, part), chosen);
}

/* [h1, .., hn] o J, or o [J, id] if some children need the argument itself; J makes all totals. */
bmf_expression *law_reduce_together(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    bmf_expression *tuple = part[0], *child[BMF_MAX_LEAVES];
    member all[BMF_MAX_LEAVES], group[BMF_MAX_LEAVES] = {{0}};
    (void)parts;
    if (tuple->kind != BMF_EXPRESSION_ALLTUP || !tuple->communicates)
        return NULL;
    const int count = find_group(rewriter, tuple, all);
    for (int k = 0, next = 0; k < tuple->children; k++)
        if (count > 0 && all[k].at >= 0)
            group[next++] = all[k];
    bmf_expression *joint = count > 0 ? join(rewriter, count, group) : NULL;
    if (!joint)
        return NULL;
    bmf_expression *both[2] = {joint, rewriter_identity(rewriter, tuple->span, tuple->in)};
    bmf_expression *made = count < tuple->children ? rewriter_tuple(rewriter, tuple->span, 2, both) : joint;
    for (int k = 0, next = 0; k < tuple->children; k++) {
        if (all[k].at < 0) {
            child[k] =
                rewriter_compose(rewriter, tuple->child[k], rewriter_component(rewriter, tuple->span, 1, made->out));
            continue;
        }
        bmf_expression *chosen = rewriter_component(rewriter, tuple->span, next++, joint->out);
        if (made != joint)
            chosen = rewriter_compose(rewriter, chosen, rewriter_component(rewriter, tuple->span, 0, made->out));
        child[k] = after_reduction(rewriter, &tuple->child[k], &all[k], chosen);
    }
    *used = 1;
    return rewriter_compose(rewriter, rewriter_tuple(rewriter, tuple->span, tuple->children, child), made);
}
