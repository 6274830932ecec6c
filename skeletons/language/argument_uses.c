/* Following the argument through a program.
 *
 * Method: what only moves values (identity, components, tuples, compositions of them) is run on shapes, which say where
 * the components of the argument are. A component that a split is applied to is used by it, and what cuts arrays into
 * blocks of a grid can take rows in parts, one for each processor; one whose length is taken is not used at all, since
 * the length of a file is known; anything else uses the components that it is given whole.
 * Cost: O(nodes), up to a limit, beyond which everything is whole. */
#include "skeletons/language/argument_uses.h"

#include <string.h>

#include "skeletons/language/forms/form.h"

enum { MAX_VISITS = 100000, NO_COMPONENT = -1 };

/* Where components are in a value. */
typedef struct shape shape;
struct shape {
    int component; /* this one, or NO_COMPONENT */
    int parts;     /* of a tuple; 0: something else */
    shape **part;
};

typedef struct walk {
    argument_uses *uses;
    bmf_expressions *arena;
    int visits;
} walk;

static shape *shape_create(bmf_expressions *arena, int component, int parts)
{
    shape *made = expressions_bytes(arena, (int64_t)sizeof *made);
    *made = (shape){component, parts, NULL};
    if (parts > 0)
        made->part = expressions_bytes(arena, parts * (int64_t)sizeof(shape *));
    return made;
}

static shape *shape_of_argument(bmf_expressions *arena, const argument_uses *uses)
{
    if (uses->components == 1)
        return shape_create(arena, 0, 0);
    shape *all = shape_create(arena, NO_COMPONENT, uses->components);
    for (int k = 0; k < uses->components; k++)
        all->part[k] = shape_create(arena, k, 0);
    return all;
}

static void use_whole(argument_uses *uses, const shape *of)
{
    if (of->component != NO_COMPONENT)
        uses->whole[of->component] = true;
    for (int k = 0; k < of->parts; k++)
        use_whole(uses, of->part[k]);
}

static bool is_split(const bmf_expression *expression)
{
    return expression->kind == BMF_EXPRESSION_SPLIT && expression->parallel;
}

static bool is_cut(const bmf_expression *expression)
{
    return expression->kind == BMF_EXPRESSION_BLOCKS && expression->parallel;
}

static bool is_length(const bmf_expression *expression)
{
    return expression->kind == BMF_EXPRESSION_OP && expression->operation == BMF_OPERATION_LENGTH;
}

static void use_split(argument_uses *uses, int component, bmf_level level)
{
    bmf_level *before = &uses->level[component];
    if (before->count > 0 && (before->count != level.count || before->log2_stride != level.log2_stride))
        uses->whole[component] = true;
    *before = level;
}

/* The shape of the expression's value. */
static shape *follow(walk *w, const bmf_expression *expression, shape *in)
{
    shape *out = in;
    if (++w->visits > MAX_VISITS || expression->kind == BMF_EXPRESSION_ID)
        return in;
    if (expression->kind == BMF_EXPRESSION_COMP) {
        for (int k = expression->children - 1; k >= 0; k--)
            out = follow(w, expression->child[k], out);
        return out;
    }
    if (expression->kind == BMF_EXPRESSION_ADDR && in->parts > 0)
        return in->part[expression->number[0] - 1];
    if (expression->kind == BMF_EXPRESSION_ALLTUP) {
        out = shape_create(w->arena, NO_COMPONENT, expression->children);
        for (int k = 0; k < expression->children; k++)
            out->part[k] = follow(w, expression->child[k], in);
        return out;
    }
    if (in->component != NO_COMPONENT && is_split(expression))
        use_split(w->uses, in->component, (bmf_level){expression->number[0], (int)expression->number[1]});
    else if (in->component != NO_COMPONENT && is_cut(expression))
        use_split(w->uses, in->component, (bmf_level){w->uses->processors, 0});
    else if (!(in->component != NO_COMPONENT && is_length(expression)) && !expression_is_independent(expression))
        use_whole(w->uses, in);
    return shape_create(w->arena, NO_COMPONENT, 0);
}

void argument_uses_find(argument_uses *uses, const bmf_expression *expression)
{
    bmf_expressions *scratch = expressions_create();
    walk w = {uses, scratch, 0};
    shape *all = shape_of_argument(scratch, uses);
    use_whole(uses, follow(&w, expression, all));
    if (w.visits > MAX_VISITS)
        use_whole(uses, all);
    for (int k = 0; k < uses->components; k++)
        uses->whole[k] = uses->whole[k] || !uses->may_split[k] || uses->level[k].count == 0;
    expressions_free(scratch);
}

/* ---- the expression that is left ---- */

static bmf_expression *constant_length(const walk *w, const bmf_expression *expression, int component,
                                       const bmf_type *in)
{
    bmf_expression *made = expression_create(w->arena, BMF_EXPRESSION_CON, expression->span, 0);
    made->constant = (bmf_constant){BMF_INT, w->uses->length[component], 0.0};
    made->in = in;
    made->out = expression->out;
    made->names = expression->names;
    return made;
}

/* The expression applied to a value of this shape and type; *out: the shape of what it makes. */
static bmf_expression *rebuild(walk *w, bmf_expression *expression, shape *in, const bmf_type *type, shape **out)
{
    const bool part = in->component != NO_COMPONENT && !w->uses->whole[in->component];
    *out = shape_create(w->arena, NO_COMPONENT, 0);
    if (part && is_length(expression))
        return constant_length(w, expression, in->component, type);
    bmf_expression *made = expression_copy(w->arena, expression);
    made->in = type;
    if (part && is_split(expression)) {
        made = expression_create(w->arena, BMF_EXPRESSION_ID, expression->span, 0);
        made->in = made->out = type;
    } else if (expression->kind == BMF_EXPRESSION_ID) {
        made->out = type;
        *out = in;
    } else if (expression->kind == BMF_EXPRESSION_COMP) {
        *out = in;
        for (int k = made->children - 1; k >= 0; k--) {
            made->child[k] = rebuild(w, expression->child[k], *out, type, out);
            type = made->child[k]->out;
        }
        made->out = type;
    } else if (expression->kind == BMF_EXPRESSION_ADDR && in->parts > 0) {
        *out = in->part[expression->number[0] - 1];
        made->out = type->component[expression->number[0] - 1];
    } else if (expression->kind == BMF_EXPRESSION_ALLTUP) {
        const bmf_type *component[BMF_MAX_LEAVES];
        *out = shape_create(w->arena, NO_COMPONENT, made->children);
        for (int k = 0; k < made->children; k++) {
            made->child[k] = rebuild(w, expression->child[k], in, type, &(*out)->part[k]);
            component[k] = made->child[k]->out;
        }
        made->out = bmf_type_tuple(made->children, component);
    } else {
        return in->parts > 0 || part ? made : expression;
    }
    return made;
}

bmf_expression *argument_uses_apply(const argument_uses *uses, bmf_expressions *arena, bmf_expression *expression,
                                    const bmf_type *in)
{
    argument_uses own = *uses;
    walk w = {&own, arena, 0};
    shape *out;
    for (int k = 0; k < uses->components; k++)
        if (!uses->whole[k])
            return rebuild(&w, expression, shape_of_argument(arena, uses), in, &out);
    return expression;
}
