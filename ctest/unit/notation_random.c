/* Random programs of the notation: the core's value is that of a naive evaluator of the notation itself. The programs
 * are trees of this file, printed for the translator and evaluated here; its parser has no part in what is expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/reference/reference_language.h"
#include "runtime/backend/backend.h"
#include "runtime/base/random.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/notation/format.h"
#include "skeletons/language/notation/source.h"
#include "skeletons/language/types/check.h"

enum { PROGRAMS = 10000, MAX_ITEMS = 64, MAX_NAMES = 40, MAX_TERMS = 4000, MODULUS = 97 };

/* ---- values ---- */

typedef enum value_kind { INT, BOOL, INTS, PAIR } value_kind;

typedef struct value {
    value_kind kind;
    int64_t number[2]; /* an int or bool, or the two ints of a pair */
    int count;         /* of a list */
    int64_t item[MAX_ITEMS];
} value;

static value number_value(value_kind kind, int64_t number)
{
    return (value){.kind = kind, .number = {number, 0}};
}

/* ---- programs ---- */

typedef enum term_form {
    LITERAL,
    NAME,
    ADD,      /* (a + b) mod 97 */
    SUBTRACT, /* (a - b) mod 97 */
    MULTIPLY, /* a * b mod 97 */
    MAX,
    MINUS,
    LESS,
    EQUAL,
    DIFFERENT,
    AND,
    OR,
    NOT,
    IF,
    LET,      /* let name = child[0] in child[1] */
    LET_PAIR, /* let {name, name} = child[0] in child[1] */
    TUPLE,
    CALL, /* f(a, b), the program's only definition */
    LENGTH,
    ELEMENT,    /* (xs ++ [a])[0] */
    REDUCE,     /* reduce({name, name} -> child[1], 0, child[0]) */
    REDUCE_SUM, /* reduce(+, 0, xs) mod 97 */
    LIST,
    MAP,   /* map(name -> child[1], child[0]) */
    PIPED, /* child[0] |> map(name -> child[1]) */
    FILTER,
    ZIP,   /* zip({name, name} -> child[1], child[0], child[0]) */
    SCAN,  /* scan(max, child[0]) */
    RANGE, /* a ..< a + literal */
    JOIN,
    SPLIT,     /* child[0] |> split(3) |> map(p -> map(name -> child[1], p)) |> reduce(++, []) */
    LOOP_FOR,  /* loop name = child[0] for name < literal do child[1] */
    LOOP_WHILE /* loop {name, name} = {0, child[0]} while name < literal do {name + 1, child[1]} */
} term_form;

typedef struct term term;
struct term {
    term_form form;
    value_kind kind;
    int64_t literal;
    int name[2];
    term *child[3];
};

typedef struct program {
    uint64_t random;
    term *term;
    int terms, names;
    term *function, *main; /* f({0: a}, {1: b}) and main({2: x}) */
} program;

typedef struct scope {
    int count;
    int name[MAX_NAMES];
    value_kind kind[MAX_NAMES];
    bool top; /* not inside a function or choice: distributed lists are allowed */
    bool calls;
} scope;

static int64_t below(program *p, int64_t limit)
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
    t->name[0] = found[below(p, count)];
    return t;
}

static term *generate_leaf(program *p, value_kind kind, const scope *s)
{
    term *t = below(p, 4) > 0 ? generate_name(p, kind, s) : NULL;
    if (t)
        return t;
    if (kind == INTS) {
        t = make(p, LIST, kind);
        for (int k = 0; k < 2; k++)
            t->child[k] = generate_leaf(p, INT, s);
        return t;
    }
    if (kind == PAIR) {
        t = make(p, TUPLE, kind);
        for (int k = 0; k < 2; k++)
            t->child[k] = generate_leaf(p, INT, s);
        return t;
    }
    t = make(p, LITERAL, kind);
    t->literal = kind == BOOL ? below(p, 2) : below(p, 40) - 10;
    return t;
}

/* if, let: of any kind */
static term *generate_any(program *p, value_kind wanted, int depth, const scope *s)
{
    scope inside = *s;
    term *t;
    if (below(p, 3) == 0) {
        t = make(p, IF, wanted);
        inside.top = false;
        t->child[0] = generate(p, BOOL, depth - 1, &inside);
        t->child[1] = generate(p, wanted, depth - 1, &inside);
        t->child[2] = generate(p, wanted, depth - 1, &inside);
        return t;
    }
    const bool pair = below(p, 2) == 0;
    t = make(p, pair ? LET_PAIR : LET, wanted);
    const value_kind bound = pair ? PAIR : (value_kind)below(p, 4);
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
    scope inside = form == REDUCE ? (scope){.calls = s->calls} : *s; /* an operator sees its operands only */
    for (int k = 0; k < names; k++)
        inside = with_name(p, t, k, INT, &inside);
    inside.top = false;
    t->child[1] = generate(p, body, depth - 1, &inside);
    return t;
}

static term *generate_loop(program *p, int depth, const scope *s)
{
    term *t = make(p, below(p, 2) == 0 ? LOOP_FOR : LOOP_WHILE, INT);
    t->literal = below(p, 4);
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
    switch (below(p, 13)) {
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
    default:
        return generate_any(p, INT, depth, s);
    }
}

static term *generate_bool(program *p, int depth, const scope *s)
{
    static const term_form forms[] = {LESS, EQUAL, DIFFERENT, AND, OR, NOT};
    const term_form form = forms[below(p, 6)];
    return generate_parts(p, form, BOOL, form == NOT ? 1 : 2, form >= AND ? BOOL : INT, depth, s);
}

static term *generate_list(program *p, int depth, const scope *s)
{
    term *t;
    switch (below(p, 9)) {
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
        t->literal = below(p, 6);
        return t;
    case 6:
        return generate_parts(p, JOIN, INTS, 2, INTS, depth, s);
    case 7:
        return s->top ? generate_with_function(p, SPLIT, INTS, 1, INT, depth, s) : generate_leaf(p, INTS, s);
    default:
        return generate_any(p, INTS, depth, s);
    }
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
    return below(p, 2) == 0 ? generate_any(p, PAIR, depth, s) : generate_parts(p, TUPLE, PAIR, 2, INT, depth, s);
}

static void generate_program(program *p, uint64_t seed)
{
    scope s = {.count = 2, .name = {0, 1}, .kind = {INT, INT}};
    p->random = seed;
    p->terms = 0;
    p->names = 3;
    p->function = generate(p, INT, 2, &s);
    s = (scope){.count = 1, .name = {2}, .kind = {INT}, .top = true, .calls = true};
    p->main = generate(p, (value_kind)below(p, 4), 5, &s);
}

/* ---- text ---- */

static void print(const term *t, FILE *out);

/* With brackets unless it is one word. */
static void print_operand(const term *t, FILE *out)
{
    const bool word = (t->form == LITERAL && t->literal >= 0) || t->form == NAME;
    fputs(word ? "" : "(", out);
    print(t, out);
    fputs(word ? "" : ")", out);
}

/* Every % is the next child, every @ the next name, # the literal; ~ a child in brackets. */
static void print_form(const term *t, const char *words, FILE *out)
{
    int child = 0, name = 0;
    for (; *words; words++) {
        if (*words == '%')
            print(t->child[child++], out);
        else if (*words == '~')
            print_operand(t->child[child++], out);
        else if (*words == '@')
            fprintf(out, "v%d", t->name[name++]);
        else if (*words == '#')
            fprintf(out, "%lld", (long long)t->literal);
        else
            fputc(*words, out);
    }
}

static const char *const words_of[] = {
    [NAME] = "@",
    [ADD] = "(~ + ~) mod 97",
    [SUBTRACT] = "(~ - ~) mod 97",
    [MULTIPLY] = "~ * ~ mod 97",
    [MAX] = "max(%, %)",
    [MINUS] = "-~",
    [LESS] = "~ < ~",
    [EQUAL] = "~ == ~",
    [DIFFERENT] = "~ != ~",
    [AND] = "~ and ~",
    [OR] = "~ or ~",
    [NOT] = "not ~",
    [IF] = "if % then % else %",
    [LET] = "let @ = % in %",
    [LET_PAIR] = "let {@, @} = % in\n    %",
    [TUPLE] = "{%, %}",
    [CALL] = "f(%, %)",
    [LENGTH] = "length(%)",
    [ELEMENT] = "(~ ++ [%])[0]",
    [REDUCE_SUM] = "reduce(+, 0, %) mod 97",
    [LIST] = "[%, %]",
    [PIPED] = "~ |> map(@ -> %)",
    [SCAN] = "scan(max, %)",
    [JOIN] = "~ ++ ~",
    [SPLIT] = "~ |> split(3) |> map(p -> map(@ -> %, p)) |> reduce(++, [])",
};

static void print_function(const term *t, const char *before, const char *between, const char *after, FILE *out)
{
    fputs(before, out);
    print_form(t, between, out);
    print(t->child[1], out);
    fputs(after, out);
    print(t->child[0], out);
}

static void print_loop(const term *t, FILE *out)
{
    if (t->form == LOOP_FOR) {
        fprintf(out, "loop v%d = ", t->name[0]);
        print(t->child[0], out);
        fprintf(out, " for v%d < %lld do ", t->name[1], (long long)t->literal);
        print(t->child[1], out);
        return;
    }
    fprintf(out, "let {_, w} = loop {v%d, v%d} = {0, ", t->name[1], t->name[0]);
    print(t->child[0], out);
    fprintf(out, "} while v%d < %lld do {v%d + 1, ", t->name[1], (long long)t->literal, t->name[1]);
    print(t->child[1], out);
    fputs("} in w", out);
}

static void print(const term *t, FILE *out)
{
    if (t->form == LITERAL && t->kind == BOOL) {
        fputs(t->literal ? "true" : "false", out);
    } else if (t->form == LITERAL) {
        fprintf(out, "%lld", (long long)t->literal);
    } else if (t->form == RANGE) {
        fputs("let r = ", out);
        print(t->child[0], out);
        fprintf(out, " in r ..< r + %lld", (long long)t->literal);
    } else if (t->form == MAP || t->form == FILTER) {
        print_function(t, t->form == MAP ? "map(" : "filter(", "@ -> ", ", ", out);
        fputc(')', out);
    } else if (t->form == REDUCE) {
        print_function(t, "reduce(", "{@, @} -> ", ", 0, ", out);
        fputc(')', out);
    } else if (t->form == ZIP) {
        print_function(t, "zip(", "{@, @} -> ", ", ", out);
        fputs(", ", out);
        print(t->child[0], out);
        fputc(')', out);
    } else if (t->form == LOOP_FOR || t->form == LOOP_WHILE) {
        print_loop(t, out);
    } else {
        print_form(t, words_of[t->form], out);
    }
}

static char *program_text(const program *p, int64_t argument)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("let f(v0, v1) = ", out);
    print(p->function, out);
    fputs("\nmain(v2) = ", out);
    print(p->main, out);
    fprintf(out, "\ndefault %lld\n", (long long)argument);
    fclose(out);
    return text;
}

/* ---- the naive evaluator ---- */

/* What the names stand for, innermost last. */
typedef struct bindings {
    const struct bindings *outer;
    int name;
    const value *is;
} bindings;

typedef struct evaluation {
    const program *program;
    bool too_long; /* a list has more than MAX_ITEMS, or it takes too long */
    int64_t budget;
} evaluation;

static value evaluate(evaluation *e, const term *t, const bindings *b);

static value evaluate_body(evaluation *e, const term *t, const term *body, const value *first, const value *second,
                           const bindings *b)
{
    const bindings one = {b, t->name[0], first}, two = {&one, t->name[1], second};
    return evaluate(e, body, second ? &two : &one);
}

static int64_t apply_two(evaluation *e, const term *t, int64_t x, int64_t y, const bindings *b)
{
    const value first = number_value(INT, x), second = number_value(INT, y);
    return evaluate_body(e, t, t->child[1], &first, &second, b).number[0];
}

/* Node k of the fixed tree: 2^k elements. */
static int64_t node(evaluation *e, const term *t, const int64_t *item, int size, const bindings *b)
{
    return size == 1 ? item[0]
                     : apply_two(e, t, node(e, t, item, size / 2, b), node(e, t, item + size / 2, size / 2, b), b);
}

/* The nodes of the binary digits, from the left; then the default 0 before them. */
static int64_t fold(evaluation *e, const term *t, const value *xs, const bindings *b)
{
    int64_t folded = 0;
    int at = 0;
    for (int size = MAX_ITEMS; size > 0; size /= 2) {
        if (!(xs->count & size))
            continue;
        const int64_t next = node(e, t, xs->item + at, size, b);
        folded = at == 0 ? next : apply_two(e, t, folded, next, b);
        at += size;
    }
    return xs->count == 0 ? 0 : apply_two(e, t, 0, folded, b);
}

static void append(evaluation *e, value *list, int64_t item)
{
    if (list->count == MAX_ITEMS)
        e->too_long = true;
    else
        list->item[list->count++] = item;
}

static value evaluate_elements(evaluation *e, const term *t, const bindings *b)
{
    const value xs = evaluate(e, t->child[0], b);
    value made = {.kind = INTS};
    for (int k = 0; k < xs.count; k++) {
        const value x = number_value(INT, xs.item[k]);
        const value y = evaluate_body(e, t, t->child[1], &x, t->form == ZIP ? &x : NULL, b);
        if (t->form != FILTER || y.number[0])
            append(e, &made, t->form == FILTER ? xs.item[k] : y.number[0]);
    }
    return made;
}

static value evaluate_loop(evaluation *e, const term *t, const bindings *b)
{
    value state = evaluate(e, t->child[0], b);
    for (int64_t i = 0; i < t->literal; i++) {
        const value counter = number_value(INT, i), before = state;
        state = evaluate_body(e, t, t->child[1], &before, &counter, b);
    }
    return state;
}

static value evaluate_list(evaluation *e, const term *t, const bindings *b)
{
    value made = {.kind = INTS};
    if (t->form == LIST) {
        append(e, &made, evaluate(e, t->child[0], b).number[0]);
        append(e, &made, evaluate(e, t->child[1], b).number[0]);
    } else if (t->form == RANGE) {
        const int64_t first = evaluate(e, t->child[0], b).number[0];
        for (int64_t k = 0; k < t->literal; k++)
            append(e, &made, first + k);
    } else if (t->form == SCAN) {
        made = evaluate(e, t->child[0], b);
        for (int k = 1; k < made.count; k++)
            made.item[k] = made.item[k] > made.item[k - 1] ? made.item[k] : made.item[k - 1];
    } else {
        const value more = evaluate(e, t->child[1], b);
        made = evaluate(e, t->child[0], b);
        for (int k = 0; k < more.count; k++)
            append(e, &made, more.item[k]);
    }
    return made;
}

/* Of one or two ints or bools. */
static value evaluate_scalar(evaluation *e, const term *t, const bindings *b)
{
    const int64_t x = evaluate(e, t->child[0], b).number[0];
    const int64_t y = t->child[1] ? evaluate(e, t->child[1], b).number[0] : 0;
    switch (t->form) {
    case ADD:
        return number_value(INT, (x + y) % MODULUS);
    case SUBTRACT:
        return number_value(INT, (x - y) % MODULUS);
    case MULTIPLY:
        return number_value(INT, x * y % MODULUS);
    case MAX:
        return number_value(INT, x > y ? x : y);
    case MINUS:
        return number_value(INT, -x);
    case LESS:
        return number_value(BOOL, x < y);
    case EQUAL:
        return number_value(BOOL, x == y);
    case DIFFERENT:
        return number_value(BOOL, x != y);
    case AND:
        return number_value(BOOL, x && y);
    case OR:
        return number_value(BOOL, x || y);
    case NOT:
        return number_value(BOOL, !x);
    default:
        return (value){.kind = PAIR, .number = {x, y}};
    }
}

static value evaluate_let(evaluation *e, const term *t, const bindings *b)
{
    const value bound = evaluate(e, t->child[0], b);
    if (t->form == LET)
        return evaluate_body(e, t, t->child[1], &bound, NULL, b);
    const value first = number_value(INT, bound.number[0]), second = number_value(INT, bound.number[1]);
    return evaluate_body(e, t, t->child[1], &first, &second, b);
}

static value evaluate_call(evaluation *e, const term *t, const bindings *b)
{
    const value x = evaluate(e, t->child[0], b), y = evaluate(e, t->child[1], b);
    const bindings one = {NULL, 0, &x}, two = {&one, 1, &y};
    return evaluate(e, e->program->function, &two);
}

static int64_t sum(const value *xs)
{
    int64_t sum = 0;
    for (int k = 0; k < xs->count; k++)
        sum += xs->item[k];
    return sum;
}

static value evaluate(evaluation *e, const term *t, const bindings *b)
{
    value xs;
    e->too_long = e->too_long || --e->budget < 0;
    if (e->too_long)
        return (value){.kind = t->kind};
    switch (t->form) {
    case LITERAL:
        return number_value(t->kind, t->literal);
    case NAME:
        while (b->name != t->name[0])
            b = b->outer;
        return *b->is;
    case IF:
        return evaluate(e, t->child[evaluate(e, t->child[0], b).number[0] ? 1 : 2], b);
    case LET:
    case LET_PAIR:
        return evaluate_let(e, t, b);
    case CALL:
        return evaluate_call(e, t, b);
    case LENGTH:
        return number_value(INT, evaluate(e, t->child[0], b).count);
    case ELEMENT:
        xs = evaluate(e, t->child[0], b);
        return xs.count > 0 ? number_value(INT, xs.item[0]) : evaluate(e, t->child[1], b);
    case REDUCE:
        xs = evaluate(e, t->child[0], b);
        return number_value(INT, fold(e, t, &xs, NULL));
    case REDUCE_SUM:
        xs = evaluate(e, t->child[0], b);
        return number_value(INT, sum(&xs) % MODULUS);
    case MAP:
    case PIPED:
    case FILTER:
    case ZIP:
    case SPLIT:
        return evaluate_elements(e, t, b);
    case LIST:
    case RANGE:
    case SCAN:
    case JOIN:
        return evaluate_list(e, t, b);
    case LOOP_FOR:
    case LOOP_WHILE:
        return evaluate_loop(e, t, b);
    default:
        return evaluate_scalar(e, t, b);
    }
}

/* ---- the core's value ---- */

static bool same(const value *a, const reference_value *b)
{
    if (a->kind == INT || a->kind == BOOL)
        return b->integer == a->number[0] && b->kind == (a->kind == INT ? BMF_INT : BMF_BOOL);
    bool equal = b->count == (a->kind == PAIR ? 2 : a->count);
    for (int k = 0; k < b->count && equal; k++)
        equal = b->item[k]->integer == (a->kind == PAIR ? a->number[k] : a->item[k]);
    return equal;
}

static void fail_program(uint64_t seed, const char *why, const char *text)
{
    fprintf(stderr, "seed %llu: %s\n%s\n", (unsigned long long)seed, why, text);
    fail();
}

static void compare(uint64_t seed, const char *text, const value *expected)
{
    bmf_texts texts = {.processors = 4};
    bmf_library library = {0};
    bmf_parsed parsed;
    bmf_expressions *arena = expressions_create();
    bmf_expression *checked;
    bmf_column column = {0};
    const bmf_type *type;
    const reference_value *found;
    reference_machine machine = {.processors = 4, .budget = 1000000};
    texts_add(&texts, "p.bmf", text, (int64_t)strlen(text));
    int status = source_parse(NULL, &texts, 1, arena, &library, &parsed);
    if (status == BMF_OK)
        status = data_parse(NULL, &texts, parsed.data, &type, &column);
    if (status == BMF_OK)
        status = check_types(NULL, &texts, arena, &library, parsed.expression, type, &checked);
    if (status != BMF_OK)
        fail_program(seed, bmf_error_text(NULL), text);
    const reference_outcome outcome = reference_evaluate(&machine, checked, &column, &found);
    if (outcome == REFERENCE_FAILURE)
        fail_program(seed, machine.failure, text);
    if (outcome == REFERENCE_VALUE && !same(expected, found))
        fail_program(seed, "another value", text);
    reference_free(&machine);
    column_free(&column);
    library_free(&library);
    expressions_free(arena);
    texts_free(&texts);
}

static void check_format(uint64_t seed, const char *text)
{
    bmf_texts texts = {0};
    texts_add(&texts, "p.bmf", text, (int64_t)strlen(text));
    char *once = notation_format(&texts.text[0]);
    texts_add(&texts, "p.bmf", once, (int64_t)strlen(once));
    char *twice = notation_format(&texts.text[1]);
    if (strcmp(once, twice) != 0)
        fail_program(seed, "formatting twice changes", once);
    free(once);
    free(twice);
    texts_free(&texts);
}

static void test_random(void **state)
{
    (void)state;
    program p = {.term = malloc(MAX_TERMS * sizeof(term))};
    int64_t compared = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        generate_program(&p, seed);
        const value argument = number_value(INT, below(&p, 20));
        const bindings main = {NULL, 2, &argument};
        evaluation e = {.program = &p, .budget = 100000};
        const value expected = evaluate(&e, p.main, &main);
        char *text = program_text(&p, argument.number[0]);
        check_format(seed, text);
        if (!e.too_long) {
            compare(seed, text, &expected);
            compared++;
        }
        free(text);
    }
    free(p.term);
    assert_true(compared > PROGRAMS * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
