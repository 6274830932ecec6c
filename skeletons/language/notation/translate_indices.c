/* Elements and slices of lists of lists, xss[i, a ..< b, _].
 *
 * Method: every index takes its part of what the one before it left: of the list itself, or, behind a range or _, of
 * all of its elements, by a map. Bounds that are no constants are computed once, in front, and are handed to the
 * elements as other names from outside are. */
#include "skeletons/language/notation/core.h"
#include "skeletons/language/notation/translator.h"

/* The bounds of the indices that are left, of all that are no constants, in the environment of the place. */
typedef struct bounds {
    bmf_expression *bound[2 * NOTATION_MOST_INDICES];
    int count;
} bounds;

static bool add_bound(notation_translator *t, const notation_node *bound, const notation_pattern *scope, bounds *all)
{
    if (bound->kind == NOTATION_CONSTANT)
        return true;
    all->bound[all->count] = translate_node(t, bound, scope);
    return all->bound[all->count++];
}

static bool translate_bounds(notation_translator *t, const notation_node *node, const notation_pattern *scope,
                             bounds *all)
{
    bool is = true;
    for (int k = 1; k < node->children && is; k++) {
        const notation_node *index = node->child[k];
        if (index->kind == NOTATION_RANGE)
            is = add_bound(t, index->child[0], scope, all) && add_bound(t, index->child[1], scope, all);
        else if (index->kind != NOTATION_ALL)
            is = add_bound(t, index, scope, all);
    }
    return is;
}

/* The bound as a core expression: a constant, or the next of those that are left. */
static bmf_expression *take_bound(notation_translator *t, const notation_node *bound, bounds *left)
{
    if (bound->kind == NOTATION_CONSTANT)
        return core_constant(t->arena, bound->span, bound->constant);
    bmf_expression *taken = left->bound[0];
    left->count--;
    for (int k = 0; k < left->count; k++)
        left->bound[k] = left->bound[k + 1];
    return taken;
}

/* What one index takes of a list. */
static bmf_expression *take_part(notation_translator *t, const notation_node *index, bmf_span span, bounds *left,
                                 bmf_expression *list)
{
    bmf_expression *part[3] = {list};
    const bool range = index->kind == NOTATION_RANGE;
    if (index->kind == NOTATION_ALL)
        return list;
    part[1] = take_bound(t, range ? index->child[0] : index, left);
    if (range)
        part[2] = take_bound(t, index->child[1], left);
    const bmf_operation operation = range ? BMF_OPERATION_SLICE : BMF_OPERATION_INDEX;
    return core_compose(t->arena, core_operation(t->arena, span, operation),
                        core_tuple(t->arena, span, range ? 3 : 2, part));
}

static bmf_expression *map_of(notation_translator *t, bmf_span span, bmf_expression *each, bmf_expression *lists)
{
    return core_compose(t->arena, core_form(t->arena, BMF_EXPRESSION_MAP, span, 1, &each), lists);
}

static bmf_expression *take_parts(notation_translator *t, const notation_node *node, int k, bounds *left,
                                  bmf_expression *list);

/* Indices k and on of every element of the lists: of {the bounds that are left, element}. */
static bmf_expression *take_of_elements(notation_translator *t, const notation_node *node, int k, const bounds *left,
                                        bmf_expression *lists)
{
    const bmf_span span = node->word;
    const int count = left->count;
    bounds inside = {.count = count};
    if (count == 0)
        return map_of(t, span, take_parts(t, node, k, &inside, core_identity(t->arena, span)), lists);
    bmf_expression *all = count == 1 ? left->bound[0] : core_tuple(t->arena, span, count, left->bound);
    bmf_expression *both[2] = {all, lists};
    for (int i = 0; i < count; i++) {
        bmf_expression *handed = core_component(t->arena, span, 1, 2);
        inside.bound[i] =
            count == 1 ? handed : core_compose(t->arena, core_component(t->arena, span, i + 1, count), handed);
    }
    bmf_expression *each = take_parts(t, node, k, &inside, core_component(t->arena, span, 2, 2));
    bmf_expression *distl = core_operation(t->arena, span, BMF_OPERATION_DISTL);
    return map_of(t, span, each, core_compose(t->arena, distl, core_tuple(t->arena, span, 2, both)));
}

static bmf_expression *take_parts(notation_translator *t, const notation_node *node, int k, bounds *left,
                                  bmf_expression *list)
{
    const notation_node *index = node->child[k];
    bmf_expression *part = take_part(t, index, node->word, left, list);
    const bool last = k + 1 == node->children;
    if (index->kind != NOTATION_RANGE && index->kind != NOTATION_ALL)
        return last ? part : take_parts(t, node, k + 1, left, part);
    if (!last)
        return take_of_elements(t, node, k + 1, left, part);
    return index->kind == NOTATION_ALL ? map_of(t, node->word, core_identity(t->arena, node->word), part) : part;
}

bmf_expression *translate_indices(notation_translator *t, const notation_node *node, const notation_pattern *scope)
{
    bounds all = {.count = 0};
    bmf_expression *list = translate_node(t, node->child[0], scope);
    return list && translate_bounds(t, node, scope, &all) ? take_parts(t, node, 1, &all, list) : NULL;
}
