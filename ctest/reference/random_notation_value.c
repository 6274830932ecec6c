/* A naive evaluator of random programs of the notation. */
#include "ctest/reference/random_notation.h"

#include <stdlib.h>

value number_value(value_kind kind, int64_t number)
{
    return (value){.kind = kind, .number = {number, 0}};
}

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

/* ---- neighbours and keys ---- */

/* Element i of the list, or what stands beyond its ends: 5, or of a ring the other end. */
static int64_t item_at(const value *xs, int64_t i, bool ring)
{
    if (ring)
        return xs->item[((i % xs->count) + xs->count) % xs->count];
    return i >= 0 && i < xs->count ? xs->item[i] : 5;
}

static value evaluate_shift(evaluation *e, const term *t, const bindings *b)
{
    const value xs = evaluate(e, t->child[0], b);
    value made = xs;
    for (int k = 0; k < xs.count; k++)
        made.item[k] = item_at(&xs, k - t->literal, t->form == SHIFT_RING);
    return made;
}

static value evaluate_stencil(evaluation *e, const term *t, const bindings *b)
{
    const value xs = evaluate(e, t->child[0], b);
    value made = xs;
    for (int k = 0; k < xs.count; k++) {
        const bool ring = t->form == STENCIL_RING;
        const value window[3] = {number_value(INT, item_at(&xs, k - 1, ring)), number_value(INT, xs.item[k]),
                                 number_value(INT, item_at(&xs, k + 1, ring))};
        const bindings one = {b, t->name[0], &window[0]}, two = {&one, t->name[1], &window[1]},
                       three = {&two, t->name[2], &window[2]};
        made.item[k] = evaluate(e, t->child[1], &three).number[0];
    }
    return made;
}

/* The items that have the key 0, 1, .., from the left, behind the default 0. */
static value evaluate_by_key(evaluation *e, const term *t, const bindings *b)
{
    const value xs = evaluate(e, t->child[0], b);
    value made = {.kind = INTS, .count = (int)t->literal};
    for (int key = 0; key < made.count; key++)
        for (int k = 0; k < xs.count; k++)
            if (llabs(xs.item[k] % t->literal) == key)
                made.item[key] = apply_two(e, t, made.item[key], xs.item[k], NULL);
    return made;
}

/* The keys of a list. */
static value evaluate_keys(evaluation *e, const term *t, const value *xs, const bindings *b)
{
    value keys = *xs;
    for (int k = 0; k < xs->count; k++) {
        const value x = number_value(INT, xs->item[k]);
        keys.item[k] = evaluate_body(e, t, t->child[1], &x, NULL, b).number[0];
    }
    return keys;
}

/* By insertion: an item goes behind all that have no larger key. */
static value sorted_by(const value *xs, const value *keys)
{
    value made = *xs, sorted = *keys;
    for (int k = 1; k < made.count; k++) {
        const int64_t item = made.item[k], key = sorted.item[k];
        int at = k;
        for (; at > 0 && sorted.item[at - 1] > key; at--) {
            made.item[at] = made.item[at - 1];
            sorted.item[at] = sorted.item[at - 1];
        }
        made.item[at] = item;
        sorted.item[at] = key;
    }
    return made;
}

static value evaluate_sorted(evaluation *e, const term *t, const bindings *b)
{
    const value xs = evaluate(e, t->child[0], b), keys = t->child[1] ? evaluate_keys(e, t, &xs, b) : xs;
    return sorted_by(&xs, &keys);
}

static value evaluate_unique(evaluation *e, const term *t, const bindings *b)
{
    const value sorted = evaluate_sorted(e, t, b);
    value made = {.kind = INTS};
    for (int k = 0; k < sorted.count; k++)
        if (k == 0 || sorted.item[k] != sorted.item[k - 1])
            append(e, &made, sorted.item[k]);
    return made;
}

/* Of every key, ascending: the key and the sum of its items, mod 97. */
static value evaluate_group(evaluation *e, const term *t, const bindings *b)
{
    const value xs = evaluate(e, t->child[0], b), keys = evaluate_keys(e, t, &xs, b);
    const value ordered = sorted_by(&keys, &keys), items = sorted_by(&xs, &keys);
    value made = {.kind = INTS};
    int64_t sum = 0;
    for (int k = 0; k < ordered.count; k++) {
        sum = (k > 0 && ordered.item[k] == ordered.item[k - 1] ? sum : ordered.item[k]) + items.item[k];
        if (k == ordered.count - 1 || ordered.item[k + 1] != ordered.item[k])
            append(e, &made, sum % MODULUS);
    }
    return made;
}

/* ---- slices ---- */

/* Items [first, last). */
static value items_of(evaluation *e, const value *xs, int64_t first, int64_t last)
{
    value made = {.kind = INTS};
    for (int64_t k = first; k < last; k++)
        append(e, &made, xs->item[k]);
    return made;
}

static void append_all(evaluation *e, value *list, const value *more)
{
    for (int k = 0; k < more->count; k++)
        append(e, list, more->item[k]);
}

static value evaluate_slice(evaluation *e, const term *t, const bindings *b)
{
    const value xs = evaluate(e, t->child[0], b);
    const int64_t n = llabs(evaluate(e, t->child[1], b).number[0]), count = xs.count;
    value behind = {.kind = INTS};
    if (t->form == SLICE)
        return items_of(e, &xs, n % (count + 1), count);
    append(e, &behind, n);
    for (int64_t k = 0; k < count; k++)
        append(e, &behind, xs.item[k]);
    if (t->form == GRID || t->form == GRID_SPLIT) {
        value before = xs;
        append(e, &before, n);
        if (t->form == GRID)
            return n % 2 == 0 ? before : behind;
        value all = {.kind = INTS};
        append(e, &all, n);
        append_all(e, &all, &before);
        append(e, &all, n);
        append_all(e, &all, &behind);
        return all;
    }
    if (t->form == RECTANGLE)
        return n % 2 == 0 ? xs : items_of(e, &behind, 0, count);
    const int64_t column[2] = {n, behind.item[count < behind.count ? count : 0]};
    return (value){.kind = INTS, .count = 2, .item = {column[0], column[1]}};
}

/* ---- the rest ---- */

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
        return (value){.kind = t->kind, .number = {x, y}};
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
    case FIELD_X:
    case FIELD_Y:
        return number_value(INT, evaluate(e, t->child[0], b).number[t->form == FIELD_Y]);
    case UPDATE:
        xs = evaluate(e, t->child[0], b);
        xs.number[0] = evaluate(e, t->child[1], b).number[0];
        return xs;
    case BY_KEY:
    case BY_KEY_SPLIT:
        return evaluate_by_key(e, t, b);
    case SHIFT:
    case SHIFT_RING:
        return evaluate_shift(e, t, b);
    case STENCIL:
    case STENCIL_RING:
    case STENCIL_SPLIT:
    case STENCIL_GRID:
        return evaluate_stencil(e, t, b);
    case SORT:
    case SORT_BY:
    case SORT_BY_SPLIT:
        return evaluate_sorted(e, t, b);
    case GROUP:
    case GROUP_SPLIT:
        return evaluate_group(e, t, b);
    case UNIQUE:
    case UNIQUE_SPLIT:
        return evaluate_unique(e, t, b);
    case SLICE:
    case RECTANGLE:
    case COLUMN:
    case GRID:
    case GRID_SPLIT:
        return evaluate_slice(e, t, b);
    case LET:
    case LET_PAIR:
    case LET_POINT:
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

bool program_value_of(const program *p, int64_t argument, value *made)
{
    const value given = number_value(INT, argument);
    const bindings main = {NULL, 2, &given};
    evaluation e = {.program = p, .budget = 100000};
    *made = evaluate(&e, p->main, &main);
    return !e.too_long;
}
