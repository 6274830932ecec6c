/* Streams against a reference that recurses by the definition of the fixed tree.
 *
 * Method: random batches of lists (packed, views that overlap, one list for all contexts; empty, short and long ones
 * mixed) under every head and tail, with operators that are recognised and operators that are composed, on one to four
 * threads. Results have to be the same to the last bit. Failures have to name the first failing element whatever the
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/testing.h"
#include "runtime/allocate.h"
#include "skeletons/language/check.h"
#include "skeletons/language/evaluate.h"

enum { MOST_LEAVES = 4, MOST_THREADS = 4 };

/* An element: the bits of its leaves. */
typedef struct cell {
    int64_t leaf[MOST_LEAVES];
} cell;

static double real_of(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int64_t bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- the machine ---- */

typedef struct world {
    bmf_context ctx;
    bmf_texts texts;
    bmf_expressions *arena;
    bmf_machine machine;
    bmf_frame program, contexts;
    bmf_expression by;
    int64_t offsets[2];
} world;

static void open_world(world *w, int threads, int64_t contexts)
{
    *w = (world){.ctx = {.ranks = 1,
                         .threads = threads,
                         .processors = 1,
                         .local_processors = 1,
                         .backend = &bmf_cluster_backend,
                         .reproducible = true}};
    w->arena = bmf_expressions_create();
    w->machine = (bmf_machine){.ctx = &w->ctx, .texts = &w->texts};
    w->by = (bmf_expression){.kind = BMF_EXPRESSION_MAP, .span = {-1, 0, 0}};
    w->offsets[1] = contexts;
    assert_int_equal(bmf_frame_open_program(&w->machine, &w->program), BMF_OK);
    assert_int_equal(bmf_frame_open_elements(&w->machine, &w->program, &w->by, w->offsets, &w->contexts), BMF_OK);
}

static void close_world(world *w)
{
    bmf_frame_close(&w->contexts);
    bmf_frame_close(&w->program);
    bmf_expressions_free(w->arena);
    bmf_texts_free(&w->texts);
}

/* A typed expression from its text. */
static bmf_expression *typed(world *w, const char *text, const bmf_type *in)
{
    bmf_library library = {0};
    bmf_parsed parsed;
    bmf_expression *checked;
    int number = bmf_texts_add(&w->texts, "test.bmf", text, (int64_t)strlen(text));
    if (bmf_parse_program(&w->ctx, &w->texts, number, w->arena, &library, &parsed) != BMF_OK ||
        bmf_check(&w->ctx, &w->texts, w->arena, &library, parsed.expression, in, &checked) != BMF_OK)
        fail_msg("%s: %s", text, w->ctx.message);
    bmf_library_free(&library);
    return checked;
}

/* ---- elements ---- */

static int leaves_of(const bmf_type *type, const bmf_type **leaf)
{
    int leaves = bmf_type_leaves(type, leaf);
    assert_in_range(leaves, 1, MOST_LEAVES);
    return leaves;
}

static cell random_cell(const bmf_type *type, uint64_t *state)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = leaves_of(type, leaf);
    cell c = {0};
    for (int k = 0; k < leaves; k++)
        if (leaf[k]->kind == BMF_REAL)
            c.leaf[k] = bits_of((test_unit(state) - 0.5) * ldexp(1.0, (int)test_below(state, 20)));
        else
            c.leaf[k] = leaf[k]->kind == BMF_BOOL ? test_below(state, 2) : test_below(state, 2001) - 1000;
    return c;
}

static void put_cell(const bmf_value *value, int64_t i, const cell *c)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
    int leaves = bmf_value_slices(value, 0, slice);
    bmf_type_leaves(value->type, leaf);
    for (int k = 0; k < leaves && k < MOST_LEAVES; k++) {
        char *to = (char *)slice[k].data + i * slice[k].stride;
        if (leaf[k]->kind == BMF_BOOL)
            *(uint8_t *)to = (uint8_t)c->leaf[k];
        else
            memcpy(to, &c->leaf[k], 8);
    }
}

static cell get_cell(const bmf_value *value, int64_t i)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
    int leaves = bmf_value_slices(value, 0, slice);
    cell c = {0};
    bmf_type_leaves(value->type, leaf);
    for (int k = 0; k < leaves && k < MOST_LEAVES; k++) {
        const char *from = (const char *)slice[k].data + i * slice[k].stride;
        if (leaf[k]->kind == BMF_BOOL)
            c.leaf[k] = *(const uint8_t *)from;
        else
            memcpy(&c.leaf[k], from, 8);
    }
    return c;
}

/* ---- batches of lists, and the same as arrays ---- */

typedef enum list_shape { PACKED, VIEWS, SHARED } list_shape;

typedef struct lists {
    int64_t contexts;
    int64_t *begin; /* of context i among cells */
    int64_t *length;
    cell *element;
} lists;

static void free_lists(lists *l)
{
    free(l->begin);
    free(l->length);
    free(l->element);
}

/* Mostly short, some empty, now and then long ones. */
static int64_t random_length(uint64_t *state, int64_t longest)
{
    switch (test_below(state, 12)) {
    case 0:
        return 0;
    case 1:
        return test_below(state, longest + 1);
    case 2:
        return (int64_t)1 << test_below(state, 8);
    default:
        return test_below(state, 70);
    }
}

/* Fills in contexts and lengths, and where lists begin as the shape wants it. Returns how many elements to store. */
static int64_t lay_out(list_shape shape, int64_t contexts, const int64_t *given, int64_t longest, uint64_t *state,
                       lists *l)
{
    int64_t count = 0, longest_found = 0;
    *l = (lists){.contexts = contexts};
    l->begin = bmf_allocate((contexts + 1) * 8);
    l->length = bmf_allocate((contexts + 1) * 8);
    for (int64_t i = 0; i < contexts; i++) {
        bool same = shape == SHARED && i > 0;
        l->length[i] = given ? given[i] : same ? l->length[0] : random_length(state, longest);
        l->begin[i] = shape == PACKED ? count : 0;
        count += l->length[i];
        longest_found = l->length[i] > longest_found ? l->length[i] : longest_found;
    }
    if (shape == PACKED)
        return count;
    count = longest_found + 50;
    for (int64_t i = 0; shape == VIEWS && i < contexts; i++)
        l->begin[i] = test_below(state, count - l->length[i] + 1);
    return count;
}

static void make_lists(world *w, list_shape shape, const bmf_type *type, int64_t contexts, const int64_t *given,
                       int64_t longest, uint64_t *state, lists *l, bmf_value *value)
{
    bmf_value child;
    int64_t count = lay_out(shape, contexts, given, longest, state, l);
    l->element = bmf_allocate((count + 1) * (int64_t)sizeof *l->element);
    assert_int_equal(bmf_value_create(&w->ctx, type, count, &child), BMF_OK);
    for (int64_t i = 0; i < count; i++) {
        l->element[i] = random_cell(type, state);
        put_cell(&child, i, &l->element[i]);
    }
    bmf_buffer *begin = bmf_buffer_create((contexts + 1) * 8);
    int64_t *at = begin->data;
    if (shape == PACKED) {
        memcpy(at, l->begin, (size_t)contexts * 8);
        at[contexts] = count;
        assert_int_equal(bmf_value_create_list(&w->ctx, contexts, begin, &child, value), BMF_OK);
        return;
    }
    bmf_buffer *end = bmf_buffer_create((contexts + 1) * 8);
    int64_t *stop = end->data;
    for (int64_t i = 0; i < contexts; i++) {
        at[i] = l->begin[i];
        stop[i] = l->begin[i] + l->length[i];
    }
    *value = (bmf_value){.type = bmf_type_list(type),
                         .count = contexts,
                         .buffer = begin,
                         .second = end,
                         .begin = at,
                         .end = stop,
                         .step = shape == SHARED ? 0 : 1,
                         .child = bmf_allocate(sizeof child)};
    *value->child = child;
}

/* ---- the reference ---- */

typedef cell operator_function(const cell *a, const cell *b);

static cell node(operator_function *op, const cell *x, int64_t count)
{
    if (count == 1)
        return x[0];
    cell a = node(op, x, count / 2), b = node(op, x + count / 2, count / 2);
    return op(&a, &b);
}

/* The nodes of the binary digits of count, from the left. */
static cell fold(operator_function *op, const cell *x, int64_t count)
{
    cell total = {0};
    int64_t done = 0;
    for (int64_t digit = INT64_C(1) << 40; digit > 0; digit /= 2)
        if (count & digit) {
            cell here = node(op, x + done, digit);
            total = done > 0 ? op(&total, &here) : here;
            done += digit;
        }
    return total;
}

#define REAL_OPERATOR(name, expression)                                                                                \
    static cell name(const cell *p, const cell *q)                                                                     \
    {                                                                                                                  \
        double a = real_of(p->leaf[0]), b = real_of(q->leaf[0]);                                                       \
        return (cell){{bits_of(expression)}};                                                                          \
    }
#define INT_OPERATOR(name, expression)                                                                                 \
    static cell name(const cell *p, const cell *q)                                                                     \
    {                                                                                                                  \
        int64_t a = p->leaf[0], b = q->leaf[0];                                                                        \
        return (cell){{expression}};                                                                                   \
    }

REAL_OPERATOR(plus_real, a + b)
REAL_OPERATOR(times_real, a *b)
REAL_OPERATOR(max_real, fmax(a, b))
REAL_OPERATOR(min_real, fmin(a, b))
INT_OPERATOR(plus_int, a + b)
INT_OPERATOR(max_int, a > b ? a : b)
INT_OPERATOR(min_int, a < b ? a : b)
INT_OPERATOR(and_bool, a &b)
INT_OPERATOR(or_bool, a | b)
INT_OPERATOR(first_int, ((void)b, a))

/* x -> a x + b as {a, b}: the second after the first. Associative but for rounding, and does not commute. */
static cell affine(const cell *p, const cell *q)
{
    double a = real_of(p->leaf[0]), b = real_of(p->leaf[1]), c = real_of(q->leaf[0]), d = real_of(q->leaf[1]);
    return (cell){{bits_of(a * c), bits_of(b * c + d)}};
}
#define AFFINE                                                                                                         \
    "B_Alltup [B_Op (B_Times) . B_Alltup [$a, $c], B_Op (B_Plus) . B_Alltup [B_Op (B_Times) . B_Alltup [$b, $c], $d]]"
#define AFFINE_NAMES                                                                                                   \
    "$a = B_Addr (B_Num 1) (B_Num 2) . B_Addr (B_Num 1) (B_Num 2) "                                                    \
    "$b = B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 1) (B_Num 2) "                                                    \
    "$c = B_Addr (B_Num 1) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2) "                                                    \
    "$d = B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2) "

/* The larger int with its real: associative, exact, composed. */
static cell larger(const cell *p, const cell *q)
{
    return p->leaf[0] >= q->leaf[0] ? *p : *q;
}
#define LARGER "B_If (B_Op (B_Ge) . B_Alltup [$a, $c]) (B_Addr (B_Num 1) (B_Num 2)) (B_Addr (B_Num 2) (B_Num 2))"

/* ---- elements of the heads ---- */

typedef cell element_function(const cell *x);

static cell itself(const cell *x)
{
    return *x;
}
static cell square_real(const cell *x)
{
    return (cell){{bits_of(real_of(x->leaf[0]) * real_of(x->leaf[0]))}};
}
static cell three_operations(const cell *x)
{
    return (cell){{bits_of(fabs(real_of(x->leaf[0]) * 2.0 + 1.0))}};
}
static cell product_real(const cell *x)
{
    return (cell){{bits_of(real_of(x->leaf[0]) * real_of(x->leaf[1]))}};
}
static cell sum_int(const cell *x)
{
    return (cell){{x->leaf[0] + x->leaf[1]}};
}
static cell swapped(const cell *x)
{
    return (cell){{x->leaf[1], x->leaf[0]}};
}
static cell is_even(const cell *x)
{
    return (cell){{x->leaf[0] % 2 == 0}};
}
static cell seven(const cell *x)
{
    (void)x;
    return (cell){{7}};
}
static cell is_positive_real(const cell *x)
{
    return (cell){{real_of(x->leaf[0]) > 0}};
}
static cell is_positive_int(const cell *x)
{
    return (cell){{x->leaf[0] > 0}};
}

#define EVEN "B_Op (B_Eq) . B_Alltup [B_Op (B_Mod) . B_Alltup [B_Id, B_Con (B_Int 2)], B_Con (B_Int 0)]"
#define TWICE_AND_ONE                                                                                                  \
    "B_Op (B_Abs) . B_Op (B_Plus) . B_Alltup [B_Op (B_Times) . B_Alltup [B_Id, B_Con (B_Real 2)], B_Con (B_Real 1)]"

/* A batch's contexts, how long lists may be and how they lie; or the lengths themselves. */
typedef struct sizes {
    int64_t contexts, longest;
    list_shape shape;
    const int64_t *length;
} sizes;

/* Where a stream's elements come from: LIST and IOTA use the first type, ZIP and DISTL both. */
typedef struct head_case {
    bmf_stream_head head;
    const bmf_type *first, *second;
    const char *element;
    element_function *function;
} head_case;

/* What it ends in: an operator with its default, or a predicate. */
typedef struct end_case {
    const char *text;
    operator_function *op;
    element_function *predicate;
    const char *otherwise; /* "" : none */
    cell initial;
} end_case;

/* ---- one stream, and its reference ---- */

typedef struct batch {
    bmf_value value; /* the stream's input */
    lists elements;  /* of the stream, before the element function */
    const bmf_type *in, *element;
} batch;

static void copy_context(lists *to, int64_t i, const lists *a, const cell *x, const lists *b)
{
    for (int64_t j = 0; j < to->length[i]; j++) {
        cell *c = &to->element[to->begin[i] + j];
        if (x)
            *c = *x;
        else
            *c = a->element[a->begin[i] + j];
        if (b)
            c->leaf[1] = b->element[b->begin[i] + j].leaf[0];
    }
}

static void room_for(lists *l, int64_t contexts, const int64_t *length)
{
    uint64_t unused = 0;
    int64_t count = lay_out(PACKED, contexts, length, 0, &unused, l);
    l->element = bmf_allocate_clear(count + 1, (int64_t)sizeof *l->element);
}

static void make_pair(world *w, bmf_value *first, bmf_value *second, bmf_value *pair)
{
    bmf_value both[2] = {*first, *second};
    assert_int_equal(bmf_value_create_tuple(&w->ctx, 2, both, pair), BMF_OK);
}

static void make_batch(world *w, const head_case *h, const sizes *size, uint64_t *state, batch *b)
{
    const list_shape shape = size->shape;
    const int64_t contexts = size->contexts, longest = size->longest;
    lists first = {0}, second = {0};
    bmf_value one, two;
    *b = (batch){.element = h->first};
    if (h->head == BMF_HEAD_LIST) {
        make_lists(w, shape, h->first, contexts, size->length, longest, state, &first, &b->value);
        room_for(&b->elements, contexts, first.length);
    } else if (h->head == BMF_HEAD_ZIP) {
        make_lists(w, shape, h->first, contexts, size->length, longest, state, &first, &one);
        make_lists(w, shape == SHARED ? VIEWS : PACKED, h->second, contexts, first.length, longest, state, &second,
                   &two);
        room_for(&b->elements, contexts, first.length);
        make_pair(w, &one, &two, &b->value);
    } else {
        make_lists(w, shape, h->first, contexts, size->length, longest, state, &second, &two);
        room_for(&b->elements, contexts, second.length);
        assert_int_equal(bmf_value_create(&w->ctx, h->second ? h->second : &bmf_type_int, contexts, &one), BMF_OK);
        if (h->head == BMF_HEAD_DISTL)
            make_pair(w, &one, &two, &b->value);
        else
            bmf_value_free(&two), b->value = one;
    }
    for (int64_t i = 0; i < contexts; i++) {
        cell x = h->second ? random_cell(h->second, state) : (cell){{b->elements.length[i]}};
        if (h->head == BMF_HEAD_DISTL || h->head == BMF_HEAD_IOTA)
            put_cell(h->head == BMF_HEAD_DISTL ? &b->value.child[0] : &b->value, i, &x);
        copy_context(&b->elements, i, &first,
                     h->head == BMF_HEAD_DISTL  ? &x
                     : h->head == BMF_HEAD_IOTA ? &x
                                                : NULL,
                     second.element && h->head != BMF_HEAD_IOTA ? &second : NULL);
        for (int64_t j = 0; h->head == BMF_HEAD_IOTA && j < b->elements.length[i]; j++)
            b->elements.element[b->elements.begin[i] + j] = (cell){{j}};
    }
    if (h->head == BMF_HEAD_ZIP)
        b->element = bmf_type_pair(h->first, h->second);
    if (h->head == BMF_HEAD_DISTL)
        b->element = bmf_type_pair(h->second, h->first);
    if (h->head == BMF_HEAD_IOTA)
        b->element = &bmf_type_int;
    b->in = b->value.type;
    free_lists(&first);
    free_lists(&second);
}

static bmf_expression *make_stream(world *w, const head_case *h, const batch *b, bmf_stream_tail tail,
                                   const end_case *e)
{
    bmf_expression *s = bmf_expression_create(w->arena, BMF_EXPRESSION_STREAM, (bmf_span){-1, 0, 0}, 3);
    s->head = h->head;
    s->tail = tail;
    s->child[0] = typed(w, h->element, b->element);
    const bmf_type *made = s->child[0]->out;
    bool filters = tail == BMF_TAIL_FILTER || tail == BMF_TAIL_COUNT;
    if (tail != BMF_TAIL_LIST)
        s->child[1] = typed(w, e->text, filters ? made : bmf_type_pair(made, made));
    if (!filters && tail != BMF_TAIL_LIST && e->otherwise[0])
        s->child[2] = typed(w, e->otherwise, b->in);
    s->in = b->in;
    s->out = tail == BMF_TAIL_REDUCE ? made : tail == BMF_TAIL_COUNT ? &bmf_type_int : bmf_type_list(made);
    return s;
}

static bool same_cell(const bmf_type *type, const cell *a, const cell *b)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = leaves_of(type, leaf);
    return memcmp(a->leaf, b->leaf, (size_t)leaves * sizeof a->leaf[0]) == 0;
}

static void expect_cell(const bmf_type *type, const cell *got, const cell *expected, int64_t context, int64_t element,
                        const char *what)
{
    if (!same_cell(type, got, expected))
        fail_msg("%s: context %lld, element %lld: %lld, %lld instead of %lld, %lld", what, (long long)context,
                 (long long)element, (long long)got->leaf[0], (long long)got->leaf[1], (long long)expected->leaf[0],
                 (long long)expected->leaf[1]);
}

/* All of a short list, and of a long one some elements behind: the reference takes as long as the list for each. */
static int64_t next_checked(int64_t j, int64_t length)
{
    const int64_t last = length - 3, next = j + 211 < last ? j + 211 : last;
    return j < 100 || j >= last ? j + 1 : next;
}

static void expect_list(const bmf_value *out, int64_t i, const cell *expected, int64_t length, bool some,
                        const char *what)
{
    if (bmf_value_length(out, i) != length)
        fail_msg("%s: context %lld has %lld elements instead of %lld", what, (long long)i,
                 (long long)bmf_value_length(out, i), (long long)length);
    for (int64_t j = 0; j < length; j = some ? next_checked(j, length) : j + 1) {
        cell got = get_cell(out->child, out->begin[i * out->step] + j);
        expect_cell(out->type->component[0], &got, &expected[j], i, j, what);
    }
}

/* What context i must give, from its elements x. */
static void expect_context(const bmf_value *out, int64_t i, bmf_stream_tail tail, const end_case *e, cell *x, int64_t n,
                           const char *what)
{
    cell *y = bmf_allocate((n + 1) * (int64_t)sizeof *y), got;
    int64_t kept = 0;
    bool begins = tail != BMF_TAIL_LIST && e->otherwise[0];
    switch (tail) {
    case BMF_TAIL_LIST:
        expect_list(out, i, x, n, false, what);
        break;
    case BMF_TAIL_REDUCE:
        y[0] = n == 0 ? e->initial : fold(e->op, x, n);
        if (begins && n > 0)
            y[0] = e->op(&e->initial, &y[0]);
        got = get_cell(out, i);
        expect_cell(out->type, &got, &y[0], i, 0, what);
        break;
    case BMF_TAIL_SCAN:
        for (int64_t j = 0; j < n; j = next_checked(j, n)) {
            y[j] = fold(e->op, x, j + 1);
            if (begins)
                y[j] = e->op(&e->initial, &y[j]);
        }
        expect_list(out, i, y, n, true, what);
        break;
    default:
        for (int64_t j = 0; j < n; j++)
            if (e->predicate(&x[j]).leaf[0])
                y[kept++] = x[j];
        got = (cell){{kept}};
        if (tail == BMF_TAIL_COUNT)
            assert_int_equal(get_cell(out, i).leaf[0], got.leaf[0]);
        else
            expect_list(out, i, y, kept, false, what);
    }
    free(y);
}

static void try_stream(const head_case *h, bmf_stream_tail tail, const end_case *e, const sizes *size, uint64_t seed)
{
    /* alone, and with two, three or four */
    const int other = 2 + (int)(seed % (MOST_THREADS - 1));
    for (int threads = 1; threads <= other; threads += other - 1) {
        uint64_t state = seed;
        world w;
        batch b;
        bmf_value out;
        char what[300];
        open_world(&w, threads, size->contexts);
        make_batch(&w, h, size, &state, &b);
        bmf_expression *stream = make_stream(&w, h, &b, tail, e);
        snprintf(what, sizeof what, "head %d tail %d shape %d, %d threads, seed %llu: %s / %s", (int)h->head, (int)tail,
                 (int)size->shape, threads, (unsigned long long)seed, h->element, e ? e->text : "");
        lists *l = &b.elements;
        bool no_default = tail == BMF_TAIL_REDUCE && !e->otherwise[0];
        bool empty = false;
        for (int64_t i = 0; i < l->contexts; i++)
            empty = empty || l->length[i] == 0;
        int status = bmf_evaluate_stream(&w.machine, stream, &w.contexts, &b.value, &out);
        if (no_default && empty) {
            assert_int_not_equal(status, BMF_OK);
        } else {
            if (status != BMF_OK)
                fail_msg("%s: %s", what, w.ctx.message);
            assert_int_equal(out.count, size->contexts);
            assert_null(bmf_value_broken(&out));
            for (int64_t i = 0; i < l->contexts; i++) {
                cell *x = &l->element[l->begin[i]];
                for (int64_t j = 0; j < l->length[i]; j++)
                    x[j] = h->function(&x[j]);
                expect_context(&out, i, tail, e, x, l->length[i], what);
            }
            bmf_value_free(&out);
        }
        free_lists(l);
        close_world(&w);
    }
}

/* ---- the tables ---- */

/* Groups of blocks are taken from 32768 elements on. */
static const int64_t long_lengths[] = {70001, 40, 33000, 65536, 1};

static const sizes all_sizes[] = {{1, 9000, PACKED, NULL},  {1, 40, SHARED, NULL},   {60, 300, PACKED, NULL},
                                  {40, 3000, PACKED, NULL}, {25, 5000, VIEWS, NULL}, {30, 700, SHARED, NULL},
                                  {3, 1, PACKED, NULL},     {300, 9, PACKED, NULL},  {300, 9, VIEWS, NULL},
                                  {5, 20000, PACKED, NULL}};
enum { ALL_SIZES = sizeof all_sizes / sizeof all_sizes[0] };

static const end_case real_ends[] = {
    {"B_Op (B_Plus)", plus_real, NULL, "", {{0}}},
    {"B_Op (B_Plus)", plus_real, NULL, "B_Con (B_Real 0.5)", {{0x3fe0000000000000}}},
    {"B_Op (B_Times)", times_real, NULL, "B_Con (B_Real 2)", {{0x4000000000000000}}},
    {"B_Op (B_Max)", max_real, NULL, "B_Con (B_Real 0.5)", {{0x3fe0000000000000}}},
    {"B_Op (B_Min)", min_real, NULL, "", {{0}}},
    /* the same sum, but composed */
    {"B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)]",
     plus_real,
     NULL,
     "B_Con (B_Real 0.5)",
     {{0x3fe0000000000000}}},
    {"B_Op (B_Plus) . B_Alltup [B_Op (B_Abs) . B_Op (B_Abs) . B_Addr (B_Num 1) (B_Num 2), B_Op (B_Abs) . B_Addr (B_Num "
     "2) (B_Num 2)]",
     NULL,
     NULL,
     "",
     {{0}}},
};

/* The last of the table. */
REAL_OPERATOR(plus_absolute, fabs(a) + fabs(b))

static const end_case int_ends[] = {
    {"B_Op (B_Plus)", plus_int, NULL, "B_Con (B_Int 5)", {{5}}},     {"B_Op (B_Plus)", plus_int, NULL, "", {{0}}},
    {"B_Op (B_Max)", max_int, NULL, "B_Con (B_Int -900)", {{-900}}}, {"B_Op (B_Min)", min_int, NULL, "", {{0}}},
    {"B_Addr (B_Num 1) (B_Num 2)", first_int, NULL, "", {{0}}},
};
static const end_case bool_ends[] = {
    {"B_Op (B_And)", and_bool, NULL, "B_Con (B_True)", {{1}}},
    {"B_Op (B_Or)", or_bool, NULL, "B_Con (B_False)", {{0}}},
};
static const end_case filter_ends[] = {
    {"B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Real 0)]", NULL, is_positive_real, "", {{0}}},
    {"B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 0)]", NULL, is_positive_int, "", {{0}}},
};

static const head_case real_heads[] = {
    {BMF_HEAD_LIST, &bmf_type_real, NULL, "B_Id", itself},
    {BMF_HEAD_LIST, &bmf_type_real, NULL, "B_Op (B_Times) . B_Alltup [B_Id, B_Id]", square_real},
    {BMF_HEAD_LIST, &bmf_type_real, NULL, TWICE_AND_ONE, three_operations},
    {BMF_HEAD_ZIP, &bmf_type_real, &bmf_type_real, "B_Op (B_Times)", product_real},
};
static const head_case int_heads[] = {
    {BMF_HEAD_LIST, &bmf_type_int, NULL, "B_Id", itself},
    {BMF_HEAD_IOTA, &bmf_type_int, NULL, "B_Id", itself},
    {BMF_HEAD_DISTL, &bmf_type_int, &bmf_type_int, "B_Op (B_Plus)", sum_int},
    {BMF_HEAD_LIST, &bmf_type_int, NULL, "B_Con (B_Int 7)", seven},
};
static const head_case bool_heads[] = {
    {BMF_HEAD_LIST, &bmf_type_bool, NULL, "B_Id", itself},
    {BMF_HEAD_LIST, &bmf_type_int, NULL, EVEN, is_even},
};

#define LENGTH_OF(table) (sizeof table / sizeof table[0])

static void try_table(const head_case *heads, size_t head_count, const end_case *ends, size_t end_count,
                      bmf_stream_tail tail)
{
    for (size_t h = 0; h < head_count; h++)
        for (size_t e = 0; e < end_count; e++)
            for (size_t s = 0; s < ALL_SIZES; s++) {
                end_case end = ends[e];
                if (!end.op && !end.predicate)
                    end.op = plus_absolute;
                try_stream(&heads[h], tail, &end, &all_sizes[s], 1000 * h + 100 * e + s);
            }
}

static void reductions_keep_the_tree(void **state)
{
    (void)state;
    try_table(real_heads, LENGTH_OF(real_heads), real_ends, LENGTH_OF(real_ends), BMF_TAIL_REDUCE);
    try_table(int_heads, LENGTH_OF(int_heads), int_ends, LENGTH_OF(int_ends), BMF_TAIL_REDUCE);
    try_table(bool_heads, LENGTH_OF(bool_heads), bool_ends, LENGTH_OF(bool_ends), BMF_TAIL_REDUCE);
}

static void long_lists_keep_the_tree(void **state)
{
    const sizes packed = {5, 0, PACKED, long_lengths}, views = {5, 0, VIEWS, long_lengths};
    (void)state;
    for (size_t h = 0; h < LENGTH_OF(real_heads); h++)
        for (size_t e = 0; e < 3; e++) {
            try_stream(&real_heads[h], BMF_TAIL_REDUCE, &real_ends[e], &packed, 10 * h + e);
            try_stream(&real_heads[h], BMF_TAIL_REDUCE, &real_ends[e], &views, 10 * h + e);
            try_stream(&real_heads[h], BMF_TAIL_SCAN, &real_ends[e], &packed, 10 * h + e);
        }
    try_stream(&int_heads[0], BMF_TAIL_REDUCE, &int_ends[0], &packed, 1);
}

static void scans_keep_the_tree(void **state)
{
    (void)state;
    try_table(real_heads, LENGTH_OF(real_heads), real_ends, LENGTH_OF(real_ends), BMF_TAIL_SCAN);
    try_table(int_heads, LENGTH_OF(int_heads), int_ends, LENGTH_OF(int_ends), BMF_TAIL_SCAN);
    try_table(bool_heads, LENGTH_OF(bool_heads), bool_ends, LENGTH_OF(bool_ends), BMF_TAIL_SCAN);
}

static void filters_keep_the_right_ones(void **state)
{
    (void)state;
    for (bmf_stream_tail tail = BMF_TAIL_FILTER; tail <= BMF_TAIL_COUNT; tail++) {
        try_table(real_heads, LENGTH_OF(real_heads), &filter_ends[0], 1, tail);
        try_table(int_heads, LENGTH_OF(int_heads), &filter_ends[1], 1, tail);
    }
}

static void lists_have_all_elements(void **state)
{
    const bmf_type *mixed = bmf_type_pair(&bmf_type_int, &bmf_type_real);
    const head_case more[] = {
        {BMF_HEAD_ZIP, &bmf_type_int, &bmf_type_bool, "B_Id", itself},
        {BMF_HEAD_ZIP, &bmf_type_real, &bmf_type_int,
         "B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]", swapped},
        {BMF_HEAD_DISTL, &bmf_type_real, &bmf_type_bool, "B_Id", itself},
        {BMF_HEAD_LIST, mixed, NULL, "B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]", swapped},
    };
    (void)state;
    for (size_t s = 0; s < ALL_SIZES; s++) {
        for (size_t h = 0; h < LENGTH_OF(real_heads); h++)
            try_stream(&real_heads[h], BMF_TAIL_LIST, NULL, &all_sizes[s], s);
        for (size_t h = 0; h < LENGTH_OF(int_heads); h++)
            try_stream(&int_heads[h], BMF_TAIL_LIST, NULL, &all_sizes[s], s);
        for (size_t h = 0; h < LENGTH_OF(more); h++)
            try_stream(&more[h], BMF_TAIL_LIST, NULL, &all_sizes[s], s);
    }
}

static void composed_operators_on_tuples(void **state)
{
    const bmf_type *reals = bmf_type_pair(&bmf_type_real, &bmf_type_real);
    const bmf_type *mixed = bmf_type_pair(&bmf_type_int, &bmf_type_real);
    const head_case heads[] = {{BMF_HEAD_LIST, reals, NULL, "B_Id", itself},
                               {BMF_HEAD_ZIP, &bmf_type_real, &bmf_type_real, "B_Id", itself}};
    const head_case mixed_head = {BMF_HEAD_LIST, mixed, NULL, "B_Id", itself};
    const end_case ends[] = {{AFFINE_NAMES AFFINE, affine, NULL, "", {{0}}},
                             {AFFINE_NAMES AFFINE,
                              affine,
                              NULL,
                              "B_Alltup [B_Con (B_Real 1), B_Con (B_Real 0)]",
                              {{0x3ff0000000000000, 0}}}};
    const end_case last = {AFFINE_NAMES LARGER, larger, NULL, "", {{0}}};
    (void)state;
    for (bmf_stream_tail tail = BMF_TAIL_REDUCE; tail <= BMF_TAIL_SCAN; tail++) {
        try_table(heads, 2, ends, 2, tail);
        try_table(&mixed_head, 1, &last, 1, tail);
    }
}

/* ---- failures ---- */

static void run_failing(const head_case *h, bmf_stream_tail tail, const end_case *e, int threads, const cell *cells,
                        int64_t contexts, const int64_t *length, char *message, int *status)
{
    world w;
    lists l;
    bmf_value value, out;
    uint64_t state = 1;
    open_world(&w, threads, contexts);
    make_lists(&w, PACKED, h->first, contexts, length, 0, &state, &l, &value);
    for (int64_t i = 0; i < l.begin[contexts - 1] + l.length[contexts - 1]; i++)
        put_cell(value.child, i, &cells[i]);
    batch b = {.in = value.type, .element = h->first};
    bmf_expression *stream = make_stream(&w, h, &b, tail, e);
    *status = bmf_evaluate_stream(&w.machine, stream, &w.contexts, &value, &out);
    strcpy(message, w.ctx.message);
    if (*status == BMF_OK)
        bmf_value_free(&out);
    free_lists(&l);
    close_world(&w);
}

/* The message is the same on any number of threads and holds the texts. */
static void expect_failure(const head_case *h, bmf_stream_tail tail, const end_case *e, const cell *cells,
                           int64_t contexts, const int64_t *length, const char *first, const char *second)
{
    char message[BMF_MESSAGE_SIZE], again[BMF_MESSAGE_SIZE];
    int status;
    run_failing(h, tail, e, 1, cells, contexts, length, message, &status);
    assert_int_not_equal(status, BMF_OK);
    if (!strstr(message, first) || !strstr(message, second))
        fail_msg("'%s' lacks '%s' or '%s'", message, first, second);
    for (int threads = 2; threads <= MOST_THREADS; threads++) {
        run_failing(h, tail, e, threads, cells, contexts, length, again, &status);
        assert_int_not_equal(status, BMF_OK);
        assert_string_equal(message, again);
    }
}

#define INVERSE "B_Op (B_Divide) . B_Alltup [B_Con (B_Int 100), B_Id]"

static cell inverse(const cell *x)
{
    return (cell){{100 / x->leaf[0]}};
}

static void the_first_failing_element_is_named(void **state)
{
    enum { CONTEXTS = 30, LENGTH = 1000, COUNT = CONTEXTS * LENGTH };
    static cell cells[COUNT];
    int64_t length[CONTEXTS];
    const head_case head = {BMF_HEAD_LIST, &bmf_type_int, NULL, INVERSE, inverse};
    (void)state;
    for (int64_t i = 0; i < CONTEXTS; i++)
        length[i] = LENGTH;
    for (int64_t i = 0; i < COUNT; i++)
        cells[i] = (cell){{1}};
    cells[7 * LENGTH + 123].leaf[0] = 0;
    cells[7 * LENGTH + 124].leaf[0] = 0;
    cells[8 * LENGTH + 2].leaf[0] = 0;
    cells[COUNT - 1].leaf[0] = 0;
    expect_failure(&head, BMF_TAIL_LIST, NULL, cells, CONTEXTS, length, "element 123", "element 7 ");
    expect_failure(&head, BMF_TAIL_REDUCE, &int_ends[0], cells, CONTEXTS, length, "element 123", "element 7 ");
    expect_failure(&head, BMF_TAIL_SCAN, &int_ends[0], cells, CONTEXTS, length, "element 123", "element 7 ");
    expect_failure(&head, BMF_TAIL_FILTER, &filter_ends[1], cells, CONTEXTS, length, "element 123", "element 7 ");
    expect_failure(&head, BMF_TAIL_COUNT, &filter_ends[1], cells, CONTEXTS, length, "element 123", "element 7 ");
}

static void the_first_overflowing_segment_is_named(void **state)
{
    enum { CONTEXTS = 5, COUNT = 40000 };
    static cell cells[COUNT];
    const int64_t length[CONTEXTS] = {20, 9980, 5000, 20000, 5000};
    const head_case head = {BMF_HEAD_LIST, &bmf_type_int, NULL, "B_Id", itself};
    const end_case composed = {
        "B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)]", plus_int, NULL, "", {{0}}};
    (void)state;
    for (int64_t i = 0; i < COUNT; i++)
        cells[i] = (cell){{1}};
    cells[10100].leaf[0] = cells[14000].leaf[0] = INT64_MAX / 2;
    cells[20000].leaf[0] = cells[30000].leaf[0] = INT64_MAX - 5;
    for (bmf_stream_tail tail = BMF_TAIL_REDUCE; tail <= BMF_TAIL_SCAN; tail++) {
        expect_failure(&head, tail, &int_ends[1], cells, CONTEXTS, length, "B_Plus", "element 2 ");
        expect_failure(&head, tail, &composed, cells, CONTEXTS, length, "B_Plus", "element 2 ");
    }
}

static void an_empty_list_needs_a_default(void **state)
{
    static const cell cells[6];
    const int64_t length[4] = {3, 2, 0, 1};
    const head_case head = {BMF_HEAD_LIST, &bmf_type_int, NULL, "B_Id", itself};
    (void)state;
    expect_failure(&head, BMF_TAIL_REDUCE, &int_ends[1], cells, 4, length, "empty", "element 2 ");
}

static void ragged_zips_and_negative_iotas(void **state)
{
    world w;
    lists l, m;
    uint64_t random = 5;
    bmf_value one, two, pair, out;
    const int64_t first[3] = {4, 5, 6}, second[3] = {4, 6, 7};
    const head_case zip = {BMF_HEAD_ZIP, &bmf_type_int, &bmf_type_int, "B_Op (B_Plus)", sum_int};
    const head_case iota = {BMF_HEAD_IOTA, &bmf_type_int, NULL, "B_Id", itself};
    (void)state;
    open_world(&w, 2, 3);
    make_lists(&w, PACKED, &bmf_type_int, 3, first, 0, &random, &l, &one);
    make_lists(&w, PACKED, &bmf_type_int, 3, second, 0, &random, &m, &two);
    make_pair(&w, &one, &two, &pair);
    batch b = {.in = pair.type, .element = bmf_type_pair(&bmf_type_int, &bmf_type_int)};
    assert_int_not_equal(
        bmf_evaluate_stream(&w.machine, make_stream(&w, &zip, &b, BMF_TAIL_LIST, NULL), &w.contexts, &pair, &out),
        BMF_OK);
    assert_non_null(strstr(w.ctx.message, "5"));
    assert_non_null(strstr(w.ctx.message, "6"));
    assert_non_null(strstr(w.ctx.message, "element 1 "));
    free_lists(&l);
    free_lists(&m);
    assert_int_equal(bmf_value_create(&w.ctx, &bmf_type_int, 3, &one), BMF_OK);
    for (int64_t i = 0; i < 3; i++)
        put_cell(&one, i, &(cell){{i == 2 ? -4 : 3}});
    b = (batch){.in = &bmf_type_int, .element = &bmf_type_int};
    assert_int_not_equal(
        bmf_evaluate_stream(&w.machine, make_stream(&w, &iota, &b, BMF_TAIL_LIST, NULL), &w.contexts, &one, &out),
        BMF_OK);
    assert_non_null(strstr(w.ctx.message, "-4"));
    assert_non_null(strstr(w.ctx.message, "element 2 "));
    close_world(&w);
}

/* ---- memory ---- */

static void a_map_overwrites_what_nobody_else_holds(void **state)
{
    const head_case head = {BMF_HEAD_LIST, &bmf_type_real, NULL, TWICE_AND_ONE, three_operations};
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        world w;
        lists l;
        bmf_value value, out, other = {0};
        uint64_t random = 9;
        const int64_t length[2] = {3000, 5000};
        open_world(&w, 2, 2);
        make_lists(&w, PACKED, &bmf_type_real, 2, length, 0, &random, &l, &value);
        const void *data = value.child->data;
        batch b = {.in = value.type, .element = &bmf_type_real};
        if (shared)
            assert_int_equal(bmf_value_share(&w.ctx, &value, &other), BMF_OK);
        bmf_expression *stream = make_stream(&w, &head, &b, BMF_TAIL_LIST, NULL);
        assert_int_equal(bmf_evaluate_stream(&w.machine, stream, &w.contexts, &value, &out), BMF_OK);
        assert_int_equal(out.child->data == data, !shared);
        for (int64_t i = 0; i < 8000; i++) {
            cell made = get_cell(out.child, i), expected = three_operations(&l.element[i]);
            assert_int_equal(made.leaf[0], expected.leaf[0]);
            if (shared)
                assert_int_equal(get_cell(other.child, i).leaf[0], l.element[i].leaf[0]);
        }
        bmf_value_free(&other);
        bmf_value_free(&out);
        free_lists(&l);
        close_world(&w);
    }
}

/* ---- scalars over a batch ---- */

static void scalars_compute_every_context(void **state)
{
    (void)state;
    for (int threads = 1; threads <= MOST_THREADS; threads++)
        for (int broadcast = 0; broadcast < 2; broadcast++) {
            enum { COUNT = 20000 };
            world w;
            bmf_value x, out;
            uint64_t random = 3;
            static cell cells[COUNT];
            open_world(&w, threads, COUNT);
            assert_int_equal(bmf_value_create(&w.ctx, &bmf_type_real, COUNT, &x), BMF_OK);
            for (int64_t i = 0; i < COUNT; i++) {
                cells[i] = broadcast && i > 0 ? cells[0] : random_cell(&bmf_type_real, &random);
                put_cell(&x, i, &cells[i]);
            }
            if (broadcast)
                x.stride = 0;
            bmf_expression *scalar = bmf_expression_create(w.arena, BMF_EXPRESSION_SCALAR, (bmf_span){-1, 0, 0}, 1);
            scalar->child[0] = typed(&w, TWICE_AND_ONE, &bmf_type_real);
            scalar->in = scalar->out = &bmf_type_real;
            assert_int_equal(bmf_evaluate_scalar(&w.machine, scalar, &w.contexts, &x, &out), BMF_OK);
            assert_int_equal(out.count, COUNT);
            for (int64_t i = 0; i < COUNT; i++)
                assert_int_equal(get_cell(&out, i).leaf[0], three_operations(&cells[i]).leaf[0]);
            bmf_value_free(&out);
            close_world(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_all_elements),
        cmocka_unit_test(reductions_keep_the_tree),
        cmocka_unit_test(long_lists_keep_the_tree),
        cmocka_unit_test(scans_keep_the_tree),
        cmocka_unit_test(filters_keep_the_right_ones),
        cmocka_unit_test(composed_operators_on_tuples),
        cmocka_unit_test(the_first_failing_element_is_named),
        cmocka_unit_test(the_first_overflowing_segment_is_named),
        cmocka_unit_test(an_empty_list_needs_a_default),
        cmocka_unit_test(ragged_zips_and_negative_iotas),
        cmocka_unit_test(a_map_overwrites_what_nobody_else_holds),
        cmocka_unit_test(scalars_compute_every_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
