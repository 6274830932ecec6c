/* Expressions as the splitter makes them: not typed, without names. */
#include "skeletons/language/laws/splitter.h"

bmf_expression *splitter_make(const splitter *s, bmf_expression_kind kind, bool parallel, int children)
{
    bmf_expression *made = expression_create(s->arena, kind, (bmf_span){0}, children);
    made->parallel = parallel;
    return made;
}

bmf_expression *splitter_operation(const splitter *s, bmf_operation operation, bool parallel)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_OP, parallel, 0);
    made->operation = operation;
    return made;
}

bmf_expression *splitter_int(const splitter *s, int64_t value)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_CON, false, 0);
    made->constant = (bmf_constant){BMF_INT, value, 0.0};
    return made;
}

bmf_expression *splitter_compose(const splitter *s, bmf_expression *f, bmf_expression *g)
{
    bmf_expression *both[2] = {f, g};
    if (!g || g->kind == BMF_EXPRESSION_ID)
        return f;
    if (f->kind == BMF_EXPRESSION_ID)
        return g;
    return expression_compose(s->arena, f->span, 2, both);
}

bmf_expression *splitter_map(const splitter *s, bmf_expression *of)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_MAP, false, 1);
    made->child[0] = of;
    return made;
}

bmf_expression *splitter_parallel_map(const splitter *s, bmf_expression *of)
{
    bmf_expression *made = splitter_map(s, of);
    made->parallel = true;
    return made;
}

bmf_expression *splitter_component(const splitter *s, int64_t which, int64_t of)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_ADDR, false, 0);
    made->number[0] = which;
    made->number[1] = of;
    return made;
}

bmf_expression *splitter_component_of(const splitter *s, int64_t which, int64_t pair)
{
    return splitter_compose(s, splitter_component(s, which, 2), splitter_component(s, pair, 2));
}

bmf_expression *splitter_pair(const splitter *s, bmf_expression *first, bmf_expression *second)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_ALLTUP, false, 2);
    made->child[0] = first;
    made->child[1] = second;
    return made;
}

bmf_expression *splitter_gather(const splitter *s)
{
    ++*s->exchanges;
    return splitter_reduction(s, splitter_operation(s, BMF_OPERATION_CONC, false), true, NULL);
}

bmf_expression *splitter_split(const splitter *s, const splitter_value *even)
{
    const bmf_processor_grid *grid = &s->splitting->grid;
    const bool rows = even->partition == SPLITTER_EVEN_ROWS;
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_SPLIT, true, 0);
    made->number[0] = rows ? grid->rows : s->processors;
    made->number[1] = rows ? grid->log2_stride : 0;
    s->splitting->applied[BMF_SPLITTING_IDENTITY]++;
    ++*s->exchanges;
    return made;
}

bmf_expression *splitter_reduction(const splitter *s, bmf_expression *operation, bool parallel,
                                   bmf_expression *otherwise)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_REDUCE, parallel, otherwise ? 2 : 1);
    made->child[0] = operation;
    if (otherwise)
        made->child[1] = otherwise;
    return made;
}

bmf_expression *splitter_plain_parts(const splitter *s, int parts, bmf_expression *const *part)
{
    bmf_expression *made = NULL;
    for (int k = parts - 1; k >= 0; k--) {
        bmf_expression *next = splitter_plain(s, part[k]);
        made = made ? splitter_compose(s, next, made) : next;
    }
    return made ? made : splitter_make(s, BMF_EXPRESSION_ID, false, 0);
}

bmf_expression *splitter_plain(const splitter *s, const bmf_expression *expression)
{
    if (expression->kind == BMF_EXPRESSION_CONVERT)
        return splitter_make(s, BMF_EXPRESSION_ID, false, 0);
    if (expression->kind == BMF_EXPRESSION_NAME) {
        const bmf_definition *definition = library_find(s->splitting->library, expression->name);
        return definition ? splitter_plain(s, definition->expression) : expression_copy(s->arena, expression);
    }
    if (expression->kind == BMF_EXPRESSION_COMP)
        return splitter_plain_parts(s, expression->children, expression->child);
    bmf_expression *made = expression_copy(s->arena, expression);
    made->in = made->out = NULL;
    for (int k = 0; k < made->children; k++)
        if (made->child[k])
            made->child[k] = splitter_plain(s, expression->child[k]);
    return made;
}
