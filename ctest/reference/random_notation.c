/* Random programs of the notation.
 *
 * Method: a term of the kind that is wanted is chosen, and its parts are made likewise, until depth is used up. */
#include "ctest/reference/random_notation.h"

#include "runtime/base/random.h"

typedef struct scope {
    int count;
    int name[MAX_NAMES];
    value_kind kind[MAX_NAMES];
    bool top; /* not inside a function or choice: distributed lists are allowed */
    bool calls;
    bool scalars; /* inside an operator that has no lists */
} scope;

int64_t program_below(program *p, int64_t limit)
{
    return (int64_t)(random_bits(&p->random) % (uint64_t)limit);
}

static term *make(program *p, term_form form, value_kind kind)
{
    term *made = &p->term[p->terms++];
    *made = (term){.form = form, .kind = kind};
    return made;
}

static term *generate(program *p, value_kind kind, int depth, const scope *s);

/* The term with a name of its own, of a kind, for its child. */
static scope with_name(program *p, term *t, int which, value_kind kind, const scope *s)
{
    scope inner = *s;
    t->name[which] = p->names++;
    if (inner.count < MAX_NAMES) {
        inner.name[inner.count] = t->name[which];
        inner.kind[inner.count++] = kind;
    }
    return inner;
}

static term *generate_name(program *p, value_kind kind, const scope *s)
{
    int found[MAX_NAMES], count = 0;
    for (int k = 0; k < s->count; k++)
        if (s->kind[k] == kind)
            found[count++] = s->name[k];
    if (count == 0)
        return NULL;
    term *t = make(p, NAME, kind);
    t->name[0] = found[program_below(p, count)];
    return t;
}

static term *generate_leaf(program *p, value_kind kind, const scope *s)
{
    term *t = program_below(p, 4) > 0 ? generate_name(p, kind, s) : NULL;
    if (t)
        return t;
    if (kind == INTS) {
        t = make(p, LIST, kind);
        for (int k = 0; k < 2; k++)
            t->child[k] = generate_leaf(p, INT, s);
        return t;
    }
    if (kind == PAIR || kind == POINT) {
        t = make(p, kind == PAIR ? TUPLE : RECORD, kind);
        for (int k = 0; k < 2; k++)
            t->child[k] = generate_leaf(p, INT, s);
        return t;
    }
    t = make(p, LITERAL, kind);
    t->literal = kind == BOOL ? program_below(p, 2) : program_below(p, 40) - 10;
    return t;
}

static value_kind without_lists(const scope *s, value_kind kind)
{
    return s->scalars && kind == INTS ? INT : kind;
}

/* if, let: of any kind */
static term *generate_any(program *p, value_kind wanted, int depth, const scope *s)
{
    scope inside = *s;
    term *t;
    if (program_below(p, 3) == 0) {
        t = make(p, IF, wanted);
        inside.top = false;
        t->child[0] = generate(p, BOOL, depth - 1, &inside);
        t->child[1] = generate(p, wanted, depth - 1, &inside);
        t->child[2] = generate(p, wanted, depth - 1, &inside);
        return t;
    }
    const bool pair = program_below(p, 2) == 0, point = pair && program_below(p, 3) == 0;
    t = make(p, point ? LET_POINT : pair ? LET_PAIR : LET, wanted);
    const value_kind bound = point ? POINT : pair ? PAIR : without_lists(s, (value_kind)program_below(p, VALUE_KINDS));
    t->child[0] = generate(p, bound, depth - 1, s);
    inside = with_name(p, t, 0, pair ? INT : bound, s);
    if (pair)
        inside = with_name(p, t, 1, INT, &inside);
    t->child[1] = generate(p, wanted, depth - 1, &inside);
    return t;
}

/* A list, and a function of one or two of its elements. */
static term *generate_with_function(program *p, term_form form, value_kind kind, int names, value_kind body, int depth,
                                    const scope *s)
{
    term *t = make(p, form, kind);
    t->child[0] = generate(p, INTS, depth - 1, s);
    const bool alone = form == REDUCE || form == BY_KEY || form == BY_KEY_SPLIT;
    /* these see their operands only */
    const bool scalars = form == BY_KEY || form == BY_KEY_SPLIT || s->scalars;
    scope inside = alone ? (scope){.calls = s->calls && !scalars, .scalars = scalars} : *s;
    for (int k = 0; k < names; k++)
        inside = with_name(p, t, k, INT, &inside);
    inside.top = false;
    t->child[1] = generate(p, body, depth - 1, &inside);
    return t;
}

static term *generate_loop(program *p, int depth, const scope *s)
{
    term *t = make(p, program_below(p, 2) == 0 ? LOOP_FOR : LOOP_WHILE, INT);
    t->literal = program_below(p, 4);
    t->child[0] = generate(p, INT, depth - 1, s);
    scope inside = with_name(p, t, 0, INT, s);
    inside = with_name(p, t, 1, INT, &inside);
    inside.top = false;
    t->child[1] = generate(p, INT, depth - 1, &inside);
    return t;
}

static term *generate_parts(program *p, term_form form, value_kind wanted, int parts, value_kind part, int depth,
                            const scope *s)
{
    term *t = make(p, form, wanted);
    for (int k = 0; k < parts; k++)
        t->child[k] = generate(p, part, depth - 1, s);
    return t;
}

static term *generate_int(program *p, int depth, const scope *s)
{
    const int64_t which = program_below(p, 14);
    if (s->scalars && which >= 7 && which <= 10) /* of a list */
        return generate_leaf(p, INT, s);
    switch (which) {
    case 0:
    case 1:
        return generate_parts(p, ADD, INT, 2, INT, depth, s);
    case 2:
        return generate_parts(p, SUBTRACT, INT, 2, INT, depth, s);
    case 3:
        return generate_parts(p, MULTIPLY, INT, 2, INT, depth, s);
    case 4:
        return generate_parts(p, MAX, INT, 2, INT, depth, s);
    case 5:
        return generate_parts(p, MINUS, INT, 1, INT, depth, s);
    case 6:
        return s->calls ? generate_parts(p, CALL, INT, 2, INT, depth, s) : generate_leaf(p, INT, s);
    case 7:
        return generate_parts(p, LENGTH, INT, 1, INTS, depth, s);
    case 8: {
        term *t = make(p, ELEMENT, INT);
        t->child[0] = generate(p, INTS, depth - 1, s);
        t->child[1] = generate(p, INT, depth - 1, s);
        return t;
    }
    case 9:
        return generate_with_function(p, REDUCE, INT, 2, INT, depth, s);
    case 10:
        return generate_parts(p, REDUCE_SUM, INT, 1, INTS, depth, s);
    case 11:
        return generate_loop(p, depth, s);
    case 12:
        return generate_parts(p, program_below(p, 2) == 0 ? FIELD_X : FIELD_Y, INT, 1, POINT, depth, s);
    default:
        return generate_any(p, INT, depth, s);
    }
}

static term *generate_bool(program *p, int depth, const scope *s)
{
    static const term_form forms[] = {LESS, EQUAL, DIFFERENT, AND, OR, NOT};
    const term_form form = forms[program_below(p, 6)];
    return generate_parts(p, form, BOOL, form == NOT ? 1 : 2, form >= AND ? BOOL : INT, depth, s);
}

/* Of neighbours or by keys. */
static term *generate_word(program *p, int depth, const scope *s)
{
    static const term_form words[] = {BY_KEY,        SHIFT,         SHIFT_RING,  STENCIL,      STENCIL_RING,
                                      SORT,          SORT_BY,       GROUP,       UNIQUE,       BY_KEY_SPLIT,
                                      STENCIL_SPLIT, SORT_BY_SPLIT, GROUP_SPLIT, UNIQUE_SPLIT, SLICE,
                                      RECTANGLE,     COLUMN,        GRID,        GRID_SPLIT,   STENCIL_GRID};
    const term_form form = words[program_below(p, sizeof words / sizeof words[0])];
    const bool parts = form == BY_KEY_SPLIT || form == STENCIL_SPLIT || form == SORT_BY_SPLIT || form == GROUP_SPLIT ||
                       form == UNIQUE_SPLIT || form == GRID_SPLIT || form == STENCIL_GRID;
    term *t;
    if (parts && !s->top)
        return generate_leaf(p, INTS, s);
    if (form == SORT || form == UNIQUE || form == UNIQUE_SPLIT || form == SHIFT || form == SHIFT_RING) {
        t = generate_parts(p, form, INTS, 1, INTS, depth, s);
        t->literal = program_below(p, 9) - 4;
        return t;
    }
    if (form == SLICE || form == RECTANGLE || form == COLUMN || form == GRID || form == GRID_SPLIT) {
        t = make(p, form, INTS);
        t->child[0] = generate(p, INTS, depth - 1, s);
        t->child[1] = generate(p, INT, depth - 1, s);
        return t;
    }
    const bool stencil = form == STENCIL || form == STENCIL_RING || form == STENCIL_SPLIT || form == STENCIL_GRID;
    const bool by_key = form == BY_KEY || form == BY_KEY_SPLIT;
    t = generate_with_function(p, form, INTS, stencil ? 3 : by_key ? 2 : 1, INT, depth, s);
    t->literal = 1 + program_below(p, 5);
    return t;
}

static term *generate_list(program *p, int depth, const scope *s)
{
    term *t;
    switch (program_below(p, 12)) {
    case 0:
        return generate_with_function(p, MAP, INTS, 1, INT, depth, s);
    case 1:
        return generate_with_function(p, PIPED, INTS, 1, INT, depth, s);
    case 2:
        return generate_with_function(p, FILTER, INTS, 1, BOOL, depth, s);
    case 3:
        return generate_with_function(p, ZIP, INTS, 2, INT, depth, s);
    case 4:
        return generate_parts(p, SCAN, INTS, 1, INTS, depth, s);
    case 5:
        t = generate_parts(p, RANGE, INTS, 1, INT, depth, s);
        t->literal = program_below(p, 6);
        return t;
    case 6:
        return generate_parts(p, JOIN, INTS, 2, INTS, depth, s);
    case 7:
        return s->top ? generate_with_function(p, SPLIT, INTS, 1, INT, depth, s) : generate_leaf(p, INTS, s);
    case 8:
    case 9:
    case 10:
        return generate_word(p, depth, s);
    default:
        return generate_any(p, INTS, depth, s);
    }
}

static term *generate_point(program *p, int depth, const scope *s)
{
    const int64_t which = program_below(p, 3);
    if (which == 0)
        return generate_any(p, POINT, depth, s);
    if (which == 1)
        return generate_parts(p, RECORD, POINT, 2, INT, depth, s);
    term *t = make(p, UPDATE, POINT);
    t->child[0] = generate(p, POINT, depth - 1, s);
    t->child[1] = generate(p, INT, depth - 1, s);
    return t;
}

static term *generate(program *p, value_kind kind, int depth, const scope *s)
{
    if (depth <= 0 || p->terms > MAX_TERMS / 2)
        return generate_leaf(p, kind, s);
    if (kind == INT)
        return generate_int(p, depth, s);
    if (kind == BOOL)
        return generate_bool(p, depth, s);
    if (kind == INTS)
        return generate_list(p, depth, s);
    if (kind == POINT)
        return generate_point(p, depth, s);
    return program_below(p, 2) == 0 ? generate_any(p, PAIR, depth, s)
                                    : generate_parts(p, TUPLE, PAIR, 2, INT, depth, s);
}

void generate_program(program *p, uint64_t seed)
{
    scope s = {.count = 2, .name = {0, 1}, .kind = {INT, INT}};
    p->random = seed;
    p->terms = 0;
    p->names = 3;
    p->function = generate(p, INT, 2, &s);
    s = (scope){.count = 1, .name = {2}, .kind = {INT}, .top = true, .calls = true};
    p->main = generate(p, (value_kind)program_below(p, VALUE_KINDS), 5, &s);
}
