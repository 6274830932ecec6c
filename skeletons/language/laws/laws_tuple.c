/* Laws of tuples of functions on one argument: zips of maps, and reductions of the same list.
 *
 * zip f o [map g, map h] = map (f o [g, h]) where both maps read the same list, which then is as long as itself; where
 * they read two lists, the zip reads those and applies g and h to its pairs. Reductions of the same list, if there are
 * two or more in a tuple, become one node, which the rest of the tuple takes its components from; each keeps the tree
 * it has alone. Counts (length o filter p) likewise.
 * Cost: a look at the parts of a tuple, and at the lists' expressions to compare them. */
#include "skeletons/language/laws/rewriter.h"

bmf_expression *rewriter_component(bmf_rewriter *rewriter, bmf_span span, int k, const bmf_type *tuple)
{
    bmf_expression *made = rewriter_node(rewriter, BMF_EXPRESSION_ADDR, span, 0, NULL, tuple, tuple->component[k]);
    made->number[0] = k + 1;
    made->number[1] = tuple->components;
    return made;
}

bmf_expression *rewriter_tuple(bmf_rewriter *rewriter, bmf_span span, int children, bmf_expression *const *child)
{
    const bmf_type *type[BMF_MAX_LEAVES];
    for (int k = 0; k < children; k++)
        type[k] = child[k]->out;
    return rewriter_node(rewriter, BMF_EXPRESSION_ALLTUP, span, children, child, child[0]->in,
                         bmf_type_tuple(children, type));
}

/* ---- zips of maps ---- */

rewriter_mapped rewriter_read_mapped(bmf_rewriter *rewriter, bmf_expression *maker)
{
    const bool chain = maker->kind == BMF_EXPRESSION_COMP;
    bmf_expression *first = chain ? maker->child[0] : maker;
    rewriter_mapped m = {.list = maker};
    if (first->kind == BMF_EXPRESSION_MAP && !first->child[0]->communicates) {
        m.map = first;
        m.each = first->child[0];
        m.list = chain ? expression_compose(rewriter->arena, maker->span, maker->children - 1, maker->child + 1)
                       : rewriter_identity(rewriter, maker->span, maker->in);
    } else {
        m.each = rewriter_identity(rewriter, maker->span, maker->out->component[0]);
    }
    return m;
}

/* f o made, where f is what the zip does to pairs, if anything. */
static bmf_expression *combine(bmf_rewriter *rewriter, const bmf_expression *zip, bmf_expression *made)
{
    return zip->children > 0 ? rewriter_compose(rewriter, zip->child[0], made) : made;
}

/* Both maps read one list. */
static bmf_expression *map_both(bmf_rewriter *rewriter, bmf_expression *zip, const rewriter_mapped *m)
{
    bmf_expression *each[2] = {m[0].each, m[1].each};
    bmf_expression *body = combine(rewriter, zip, rewriter_tuple(rewriter, zip->span, 2, each));
    bmf_expression *map = rewriter_node(rewriter, BMF_EXPRESSION_MAP, zip->span, 1, &body, m[0].list->out, zip->out);
    return rewriter_compose(rewriter, map, m[0].list);
}

/* The maps read two lists, both placed: moving elements between processors may cost less after a map. */
static bmf_expression *zip_before(bmf_rewriter *rewriter, bmf_expression *zip, const rewriter_mapped *m)
{
    const bmf_type *pair = bmf_type_pair(m[0].each->in, m[1].each->in);
    bmf_expression *each[2], *list[2];
    for (int k = 0; k < 2; k++) {
        each[k] = rewriter_compose(rewriter, m[k].each, rewriter_component(rewriter, zip->span, k, pair));
        list[k] = m[k].list;
    }
    bmf_expression *body = combine(rewriter, zip, rewriter_tuple(rewriter, zip->span, 2, each));
    bmf_expression *lists = rewriter_tuple(rewriter, zip->span, 2, list);
    bmf_expression *both[2] = {rewriter_node(rewriter, BMF_EXPRESSION_ZIP, zip->span, 1, &body, lists->out, zip->out),
                               lists};
    return expression_compose(rewriter->arena, zip->span, 2, both);
}

bmf_expression *law_zip_maps(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    if (parts < 2 || part[0]->kind != BMF_EXPRESSION_ZIP || part[1]->kind != BMF_EXPRESSION_ALLTUP ||
        part[0]->in != part[1]->out)
        return NULL;
    const rewriter_mapped m[2] = {rewriter_read_mapped(rewriter, part[1]->child[0]),
                                  rewriter_read_mapped(rewriter, part[1]->child[1])};
    if (!m[0].map && !m[1].map)
        return NULL;
    *used = 2;
    if (m[0].list->out == m[1].list->out && expression_equal(m[0].list, m[1].list))
        return map_both(rewriter, part[0], m);
    return part[0]->parallel ? NULL : zip_before(rewriter, part[0], m);
}

/* ---- reductions of one list ---- */

/* The reduction, or the count, that a child of a tuple begins with, or NULL. */
static bmf_expression *reduction_of(const bmf_expression *child, bmf_stream_tail tail)
{
    const bmf_expression *last = child->kind == BMF_EXPRESSION_COMP ? child->child[child->children - 1] : child;
    return last->kind == BMF_EXPRESSION_STREAM && last->tail == tail ? (bmf_expression *)last : NULL;
}

/* What follows the reduction, applied to component k of all reductions' values. */
static bmf_expression *after_reduction(bmf_rewriter *rewriter, const bmf_expression *child, bmf_expression *chosen)
{
    if (child->kind != BMF_EXPRESSION_COMP)
        return chosen;
    return rewriter_compose(
        rewriter, expression_compose(rewriter->arena, child->span, child->children - 1, child->child), chosen);
}

/* The reductions among the children that read as the first of them does; returns how many. */
static int collect_reductions(const bmf_expression *tuple, bmf_stream_tail tail, bmf_expression **stream, int *place)
{
    int count = 0;
    for (int k = 0; k < tuple->children; k++) {
        bmf_expression *reduction = reduction_of(tuple->child[k], tail);
        place[k] = reduction && (count == 0 || reduction->head == stream[0]->head) ? count : -1;
        if (place[k] >= 0)
            stream[count++] = reduction;
    }
    return count;
}

/* [h1, .., hn] o J, or o [J, id] if some children need the argument itself; J makes the values of all reductions. */
bmf_expression *law_reduce_tuple(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    bmf_expression *tuple = part[0], *stream[BMF_MAX_LEAVES], *child[BMF_MAX_LEAVES];
    const bmf_type *value[BMF_MAX_LEAVES];
    int place[BMF_MAX_LEAVES];
    (void)parts;
    if (tuple->kind != BMF_EXPRESSION_ALLTUP)
        return NULL;
    int count = collect_reductions(tuple, BMF_TAIL_REDUCE, stream, place);
    if (count < 2)
        count = collect_reductions(tuple, BMF_TAIL_COUNT, stream, place);
    if (count < 2)
        return NULL;
    for (int k = 0; k < count; k++)
        value[k] = stream[k]->out;
    bmf_expression *joint = rewriter_node(rewriter, BMF_EXPRESSION_STREAMS, tuple->span, count, stream, tuple->in,
                                          bmf_type_tuple(count, value));
    bmf_expression *both[2] = {joint, rewriter_identity(rewriter, tuple->span, tuple->in)};
    bmf_expression *made = count < tuple->children ? rewriter_tuple(rewriter, tuple->span, 2, both) : joint;
    bool plain = made == joint; /* nothing but reductions */
    for (int k = 0; k < tuple->children; k++) {
        plain = plain && tuple->child[k] == stream[place[k]];
        if (place[k] < 0) {
            child[k] =
                rewriter_compose(rewriter, tuple->child[k], rewriter_component(rewriter, tuple->span, 1, made->out));
            continue;
        }
        bmf_expression *chosen = rewriter_component(rewriter, tuple->span, place[k], joint->out);
        if (made != joint)
            chosen = rewriter_compose(rewriter, chosen, rewriter_component(rewriter, tuple->span, 0, made->out));
        child[k] = after_reduction(rewriter, tuple->child[k], chosen);
    }
    *used = 1;
    return plain ? joint
                 : rewriter_compose(rewriter, rewriter_tuple(rewriter, tuple->span, tuple->children, child), made);
}
