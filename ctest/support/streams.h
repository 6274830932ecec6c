/* What the tests of streams share: elements as plain bits, random batches of lists beside plain arrays, typed
 * expressions from their texts, and streams made of them. For cmocka. */
#ifndef BMF_TEST_STREAMS_H
#define BMF_TEST_STREAMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/types/check.h"
#include "skeletons/language/evaluate/evaluate.h"

enum { MAX_LEAVES = 4, MAX_THREADS = 4 };

/* An element: the bits of its leaves. */
typedef struct cell {
    int64_t leaf[MAX_LEAVES];
} cell;

__attribute__((unused)) static double real_of(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

__attribute__((unused)) static int64_t bits_of(double x)
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
    bmf_evaluator evaluator;
    bmf_frame program, instances;
    bmf_expression by;
    int64_t offsets[2];
} world;

__attribute__((unused)) static void open_world(world *w, int threads, int64_t instances)
{
    *w = (world){.ctx = {.ranks = 1,
                         .threads = threads,
                         .processors = 1,
                         .local_processors = 1,
                         .backend = &cluster_backend,
                         .reproducible = true}};
    w->arena = expressions_create();
    w->evaluator = (bmf_evaluator){.ctx = &w->ctx, .texts = &w->texts};
    w->by = (bmf_expression){.kind = BMF_EXPRESSION_MAP, .span = {-1, 0, 0}};
    w->offsets[1] = instances;
    frame_open_program(&w->evaluator, &w->program);
    frame_open_elements(&w->program, &w->by, w->offsets, &w->instances);
}

__attribute__((unused)) static void close_world(world *w)
{
    frame_close(&w->instances);
    frame_close(&w->program);
    expressions_free(w->arena);
    texts_free(&w->texts);
}

/* A typed expression from its text. */
__attribute__((unused)) static bmf_expression *typed(world *w, const char *text, const bmf_type *in)
{
    bmf_library library = {0};
    bmf_parsed parsed;
    bmf_expression *checked = NULL;
    int number = texts_add(&w->texts, "test.bmf", text, (int64_t)strlen(text));
    if (parse_program(&w->ctx, &w->texts, number, w->arena, &library, &parsed) != BMF_OK ||
        check_types(&w->ctx, &w->texts, w->arena, &library, parsed.expression, in, &checked) != BMF_OK)
        fail_msg("%s: %s", text, w->ctx.message);
    library_free(&library);
    return checked;
}

/* ---- elements ---- */

__attribute__((unused)) static int leaves_of(const bmf_type *type, const bmf_type **leaf)
{
    int leaves = bmf_type_leaves(type, leaf);
    assert_in_range(leaves, 1, MAX_LEAVES);
    return leaves;
}

__attribute__((unused)) static cell random_cell(const bmf_type *type, uint64_t *state)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = leaves_of(type, leaf);
    cell c = {0};
    for (int k = 0; k < leaves; k++)
        if (leaf[k]->kind == BMF_REAL)
            c.leaf[k] = bits_of((random_unit(state) - 0.5) * ldexp(1.0, (int)test_below(state, 20)));
        else
            c.leaf[k] = leaf[k]->kind == BMF_BOOL ? test_below(state, 2) : test_below(state, 2001) - 1000;
    return c;
}

__attribute__((unused)) static void put_cell(const bmf_value *value, int64_t i, const cell *c)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
    int leaves = value_slices(value, 0, slice);
    bmf_type_leaves(value->type, leaf);
    for (int k = 0; k < leaves && k < MAX_LEAVES; k++) {
        char *to = (char *)slice[k].data + i * slice[k].stride;
        if (leaf[k]->kind == BMF_BOOL)
            *(uint8_t *)to = (uint8_t)c->leaf[k];
        else
            memcpy(to, &c->leaf[k], 8);
    }
}

__attribute__((unused)) static cell get_cell(const bmf_value *value, int64_t i)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
    int leaves = value_slices(value, 0, slice);
    cell c = {0};
    bmf_type_leaves(value->type, leaf);
    for (int k = 0; k < leaves && k < MAX_LEAVES; k++) {
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
    int64_t instances;
    int64_t *begin; /* of instance i among cells */
    int64_t *length;
    cell *element;
} lists;

__attribute__((unused)) static void free_lists(lists *l)
{
    free(l->begin);
    free(l->length);
    free(l->element);
}

/* Mostly short, some empty, now and then long ones. */
__attribute__((unused)) static int64_t random_length(uint64_t *state, int64_t longest)
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

/* Fills in instances and lengths, and where lists begin as the shape wants it. Returns how many elements to store. */
__attribute__((unused)) static int64_t lay_out(list_shape shape, int64_t instances, const int64_t *given,
                                               int64_t longest, uint64_t *state, lists *l)
{
    int64_t count = 0, longest_found = 0;
    *l = (lists){.instances = instances};
    l->begin = allocate((instances + 1) * 8);
    l->length = allocate((instances + 1) * 8);
    for (int64_t i = 0; i < instances; i++) {
        bool same = shape == SHARED && i > 0;
        l->length[i] = given ? given[i] : same ? l->length[0] : random_length(state, longest);
        l->begin[i] = shape == PACKED ? count : 0;
        count += l->length[i];
        longest_found = l->length[i] > longest_found ? l->length[i] : longest_found;
    }
    if (shape == PACKED)
        return count;
    count = longest_found + 50;
    for (int64_t i = 0; shape == VIEWS && i < instances; i++)
        l->begin[i] = test_below(state, count - l->length[i] + 1);
    return count;
}

__attribute__((unused)) static void make_lists(world *w, list_shape shape, const bmf_type *type, int64_t instances,
                                               const int64_t *given, int64_t longest, uint64_t *state, lists *l,
                                               bmf_value *value)
{
    bmf_value child;
    int64_t count = lay_out(shape, instances, given, longest, state, l);
    l->element = allocate((count + 1) * (int64_t)sizeof *l->element);
    assert_int_equal(value_create(&w->ctx, type, count, &child), BMF_OK);
    for (int64_t i = 0; i < count; i++) {
        l->element[i] = random_cell(type, state);
        put_cell(&child, i, &l->element[i]);
    }
    bmf_buffer *begin = buffer_create((instances + 1) * 8);
    int64_t *at = begin->data;
    if (shape == PACKED) {
        memcpy(at, l->begin, (size_t)instances * 8);
        at[instances] = count;
        value_create_list(instances, begin, &child, value);
        return;
    }
    bmf_buffer *end = buffer_create((instances + 1) * 8);
    int64_t *stop = end->data;
    for (int64_t i = 0; i < instances; i++) {
        at[i] = l->begin[i];
        stop[i] = l->begin[i] + l->length[i];
    }
    *value = (bmf_value){.type = bmf_type_list(type),
                         .count = instances,
                         .buffer = begin,
                         .second = end,
                         .begin = at,
                         .end = stop,
                         .step = shape == SHARED ? 0 : 1,
                         .child = allocate(sizeof child)};
    *value->child = child;
}

/* ---- streams ---- */

typedef cell operator_function(const cell *a, const cell *b);
typedef cell element_function(const cell *x);

#define TWICE_AND_ONE                                                                                                  \
    "B_Op (B_Abs) . B_Op (B_Plus) . B_Alltup [B_Op (B_Times) . B_Alltup [B_Id, B_Con (B_Real 2)], B_Con (B_Real 1)]"

/* A batch's instances, how long lists may be and how they lie; or the lengths themselves. */
typedef struct sizes {
    int64_t instances, longest;
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

typedef struct batch {
    bmf_value value; /* the stream's input */
    lists elements;  /* of the stream, before the element function */
    const bmf_type *in, *element;
} batch;

__attribute__((unused)) static void make_pair(bmf_value *first, bmf_value *second, bmf_value *pair)
{
    bmf_value both[2] = {*first, *second};
    value_create_tuple(2, both, pair);
}

__attribute__((unused)) static bmf_expression *make_stream(world *w, const head_case *h, const batch *b,
                                                           bmf_stream_tail tail, const end_case *e)
{
    bmf_expression *s = expression_create(w->arena, BMF_EXPRESSION_STREAM, (bmf_span){-1, 0, 0}, 3);
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

#endif
