/* Identities of operators that may be associated anew: those of the language, and operators on tuples that apply one of
 * them to each component, op {x, y} = [op1 {x1, y1}, .., opn {xn, yn}], however they are written.
 *
 * Method: the operator is applied to two tuples of symbols, which are their components by their places. It is done for
 * tuples, components, compositions and operators with identities; what else there is makes nothing that is known.
 * Cost: linear in the operator and its type. */
#include "skeletons/language/laws/splitter.h"

/* A value: component `place` of the first or second operand, what an operator makes of both, or a tuple. Places are
 * counted in the order of the type's leaves, a tuple having that of its first. */
typedef enum symbol_kind { OTHER, FIRST, SECOND, COMBINED, TUPLE } symbol_kind;

typedef struct symbol symbol;
struct symbol {
    symbol_kind kind;
    int place;
    bmf_expression *identity; /* COMBINED */
    int parts;
    const symbol *part;
};

static symbol *make_parts(const splitter *s, int parts)
{
    return expressions_bytes(s->arena, parts * (int64_t)sizeof(symbol));
}

/* One of the operands, by its type; *place: that of the next leaf. */
static symbol operand(const splitter *s, const bmf_type *type, symbol_kind side, int *place)
{
    if (type->kind != BMF_TUPLE)
        return (symbol){.kind = side, .place = (*place)++};
    symbol *part = make_parts(s, type->components);
    for (int k = 0; k < type->components; k++)
        part[k] = operand(s, type->component[k], side, place);
    return (symbol){.kind = TUPLE, .parts = type->components, .part = part};
}

static symbol combine(const splitter *s, const bmf_expression *operation, const symbol *of)
{
    bmf_constant identity;
    if (of->kind != TUPLE || of->parts != 2 || of->part[0].kind != FIRST || of->part[1].kind != SECOND ||
        of->part[0].place != of->part[1].place || operation->in->component[0] != operation->out ||
        operation->in->component[1] != operation->out ||
        !operator_identity(operation, operation->out->kind == BMF_INT || s->splitting->reassociate, &identity))
        return (symbol){0};
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_CON, false, 0);
    made->constant = identity;
    return (symbol){.kind = COMBINED, .place = of->part[0].place, .identity = made};
}

static symbol apply(const splitter *s, const bmf_expression *e, symbol of)
{
    if (e->kind == BMF_EXPRESSION_ID)
        return of;
    if (e->kind == BMF_EXPRESSION_OP)
        return combine(s, e, &of);
    if (e->kind == BMF_EXPRESSION_ADDR)
        return of.kind == TUPLE && e->number[0] <= of.parts ? of.part[e->number[0] - 1] : (symbol){0};
    if (e->kind == BMF_EXPRESSION_COMP) {
        for (int k = e->children - 1; k >= 0; k--)
            of = apply(s, e->child[k], of);
        return of;
    }
    if (e->kind != BMF_EXPRESSION_ALLTUP)
        return (symbol){0};
    symbol *part = make_parts(s, e->children);
    for (int k = 0; k < e->children; k++)
        part[k] = apply(s, e->child[k], of);
    return (symbol){.kind = TUPLE, .parts = e->children, .part = part};
}

/* The identity if every leaf is combined with itself; NULL: one is not. */
static bmf_expression *identity_of(const splitter *s, const symbol *made, int *place)
{
    if (made->kind == COMBINED)
        return made->place == (*place)++ ? made->identity : NULL;
    if (made->kind != TUPLE)
        return NULL;
    bmf_expression *identity = splitter_make(s, BMF_EXPRESSION_ALLTUP, false, made->parts);
    for (int k = 0; k < made->parts; k++)
        if (!(identity->child[k] = identity_of(s, &made->part[k], place)))
            return NULL;
    return identity;
}

bmf_expression *splitter_identity(const splitter *s, const bmf_expression *operation)
{
    int first = 0, second = 0, place = 0;
    if (!operation->in || operation->in->kind != BMF_TUPLE || operation->in->components != 2 ||
        operation->in->component[0] != operation->out || operation->in->component[1] != operation->out)
        return NULL;
    symbol *both = make_parts(s, 2);
    both[0] = operand(s, operation->out, FIRST, &first);
    both[1] = operand(s, operation->out, SECOND, &second);
    const symbol made = apply(s, operation, (symbol){.kind = TUPLE, .parts = 2, .part = both});
    return identity_of(s, &made, &place);
}
