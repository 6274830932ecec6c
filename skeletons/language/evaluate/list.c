/* Operations on placed lists, for the lists of all instances at once: length, index, iota, distl, split.
 *
 * Method: begins and ends are all that most of them touch; elements move only where one element of each list is
 * wanted. The first instance in order whose operand is wrong is the one reported, whatever the threads.
 * Cost: a pass over the instances, or over the elements of the result. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "runtime/data/partition.h"
#include "skeletons/language/evaluate/operations.h"

void note_first_failure(bmf_failure *first, int64_t element, int64_t value, int64_t other)
{
#pragma omp critical(bmf_language_failure)
    if (first->kind == BMF_FAILURE_NONE || element < first->element)
        *first = (bmf_failure){.kind = BMF_FAILURE_INDEX, .element = element, .value = {value, other}};
}

int noted_failure(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_expression *expression,
                  bmf_failure_kind kind, bmf_failure *first)
{
    if (first->kind == BMF_FAILURE_NONE)
        return BMF_OK;
    first->kind = kind;
    first->expression = expression;
    return frame_fail(evaluator, frame, first);
}

static int64_t int_at(const bmf_value *value, int64_t i)
{
    return *(const int64_t *)((const char *)value->data + i * value->stride);
}

/* A pass over the frame's instances. */
static int run_instances(bmf_evaluator *evaluator, const bmf_frame *frame, const char *kernel, int64_t count,
                         void (*run)(void *state, int64_t begin, int64_t end), void *state)
{
    bmf_pass pass;
    pass_open(evaluator, frame, kernel, NULL, &pass);
    int status = pass_run(&pass, count, run, state);
    pass_close(&pass);
    return status;
}

/* ---- length ---- */

typedef struct length_state {
    const bmf_value *list;
    int64_t *length;
} length_state;

static void measure_some(void *state, int64_t begin, int64_t end)
{
    const length_state *s = state;
    for (int64_t i = begin; i < end; i++)
        s->length[i] = value_length(s->list, i);
}

int evaluate_length(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_value *x, bmf_value *out)
{
    bmf_value made;
    BMF_TRY(value_create(evaluator->ctx, bmf_type_intern(&bmf_type_int), x->count, &made));
    length_state state = {x, made.data};
    int status = run_instances(evaluator, frame, "length", x->count, measure_some, &state);
    if (status == BMF_OK)
        *out = made;
    else
        value_free(&made);
    return status;
}

/* ---- index ---- */

typedef struct index_state {
    const bmf_value *list, *number;
    int64_t *place;
    bmf_failure first;
} index_state;

static void place_some(void *state, int64_t begin, int64_t end)
{
    index_state *s = state;
    for (int64_t i = begin; i < end; i++) {
        int64_t number = int_at(s->number, i), length = value_length(s->list, i);
        if (number < 0 || number >= length) {
            note_first_failure(&s->first, i, number, length);
            return;
        }
        s->place[i] = s->list->begin[i * s->list->step] + number;
    }
}

int evaluate_index(bmf_evaluator *evaluator, const bmf_expression *index, const bmf_frame *frame, bmf_value *x,
                   bmf_value *out)
{
    bmf_pass pass;
    index_state state = {.list = &x->child[0], .number = &x->child[1]};
    state.place = malloc((size_t)(x->count + 1) * sizeof *state.place);
    if (!state.place)
        return fail_no_memory(evaluator->ctx, x->count);
    pass_open(evaluator, frame, "index", NULL, &pass);
    int status = pass_run(&pass, x->count, place_some, &state);
    if (status == BMF_OK)
        status = noted_failure(evaluator, frame, index, BMF_FAILURE_INDEX, &state.first);
    if (status == BMF_OK)
        status = value_take_pass(&pass, &state.list->child[0], state.place, x->count, out);
    pass_close(&pass);
    free(state.place);
    return status;
}

/* ---- iota ---- */

typedef struct iota_state {
    const bmf_value *length;
    int64_t instances, *offsets, *number;
    bmf_failure first;
} iota_state;

static void check_lengths(void *state, int64_t begin, int64_t end)
{
    iota_state *s = state;
    for (int64_t i = begin; i < end; i++) {
        s->offsets[i + 1] = int_at(s->length, i);
        if (s->offsets[i + 1] < 0) {
            note_first_failure(&s->first, i, s->offsets[i + 1], 0);
            return;
        }
    }
}

static void count_some(void *state, int64_t begin, int64_t end)
{
    const iota_state *s = state;
    int64_t i = last_not_above(s->offsets, s->instances, begin);
    for (int64_t j = begin; j < end; i++) {
        int64_t stop = s->offsets[i + 1] < end ? s->offsets[i + 1] : end;
        for (int64_t first = s->offsets[i]; j < stop; j++)
            s->number[j] = j - first;
    }
}

static int make_numbers(bmf_evaluator *evaluator, const bmf_frame *frame, iota_state *state, bmf_buffer *offsets,
                        bmf_value *out)
{
    int64_t total = state->offsets[state->instances];
    bmf_value numbers;
    bmf_pass pass;
    BMF_TRY(value_create(evaluator->ctx, bmf_type_intern(&bmf_type_int), total, &numbers));
    state->number = numbers.data;
    pass_open(evaluator, frame, "iota", state->offsets, &pass);
    int status = pass_run(&pass, total, count_some, state);
    pass_close(&pass);
    if (status == BMF_OK) {
        value_create_list(state->instances, buffer_retain(offsets), &numbers, out);
        return BMF_OK;
    }
    value_free(&numbers);
    return status;
}

int evaluate_iota(bmf_evaluator *evaluator, const bmf_expression *iota, const bmf_frame *frame, const bmf_value *x,
                  bmf_value *out)
{
    iota_state state = {.length = x, .instances = x->count};
    bmf_buffer *offsets = buffer_create((x->count + 1) * (int64_t)sizeof(int64_t));
    if (!offsets)
        return fail_no_memory(evaluator->ctx, x->count);
    state.offsets = offsets->data;
    int status = run_instances(evaluator, frame, "iota", x->count, check_lengths, &state);
    if (status == BMF_OK)
        status = noted_failure(evaluator, frame, iota, BMF_FAILURE_LENGTH, &state.first);
    if (status == BMF_OK && !offsets_sum(evaluator->ctx, state.offsets, x->count))
        status = fail_no_memory(evaluator->ctx, INT64_MAX);
    if (status == BMF_OK)
        status = make_numbers(evaluator, frame, &state, offsets, out);
    buffer_release(offsets);
    return status;
}

/* ---- distl ---- */

int evaluate_distl(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_value pair[2] = {{0}, {0}}, pairs, *list = &x->child[1];
    int64_t elements;
    int status = BMF_OK;
    bool same = x->count > 0 && (x->count == 1 || value_is_broadcast(&x->child[0]));
    if (!same)
        status = value_pack_for(evaluator, frame, "distl", list);
    elements = list->child[0].count;
    if (status == BMF_OK && same && elements > 0) {
        value_every(ctx, &x->child[0], 0, 1, 1, &pair[0]);
        value_broadcast(&pair[0], elements);
    } else if (status == BMF_OK && same) {
        status = value_empty(ctx, x->child[0].type, 0, &pair[0]);
    } else if (status == BMF_OK) {
        status = value_repeat(ctx, &x->child[0], list->begin, &pair[0]);
    }
    if (status != BMF_OK)
        return status;
    value_move(&list->child[0], &pair[1]);
    value_create_tuple(2, pair, &pairs);
    value_like(list, &pairs, out);
    return BMF_OK;
}

/* ---- split ---- */

typedef struct split_state {
    const bmf_value *list;
    int64_t parts;
    int64_t *begin, *end; /* of parts; end NULL: offsets of packed parts */
} split_state;

static void split_some(void *state, int64_t first, int64_t last)
{
    const split_state *s = state;
    for (int64_t i = first / s->parts, k = first % s->parts, j = first; j < last; j++) {
        int64_t begin = s->list->begin[i * s->list->step], length = value_length(s->list, i);
        s->begin[j] = begin + bmf_split_start(length, s->parts, k);
        if (s->end)
            s->end[j] = begin + bmf_split_start(length, s->parts, k + 1);
        if (++k == s->parts) {
            k = 0;
            i++;
        }
    }
}

/* The parts of all lists, views of the same elements. x keeps its shell. */
static int split_lists(bmf_evaluator *evaluator, int64_t parts, bmf_value *x, bmf_value *out)
{
    bmf_pass pass = {.ctx = evaluator->ctx};
    int64_t count = x->count * parts;
    bmf_value made = {.type = x->type, .count = count, .step = 1, .packed = x->packed};
    made.buffer = buffer_create((x->packed ? count + 1 : 2 * count) * (int64_t)sizeof(int64_t));
    if (!made.buffer)
        return fail_no_memory(evaluator->ctx, count);
    split_state state = {x, parts, made.buffer->data, NULL};
    if (!x->packed)
        state.end = state.begin + count;
    pass_run(&pass, count, split_some, &state);
    if (x->packed)
        state.begin[count] = x->child[0].count;
    made.begin = state.begin;
    made.end = x->packed ? state.begin + 1 : state.end;
    made.child = allocate_clear(1, (int64_t)sizeof *made.child);
    value_move(&x->child[0], made.child);
    *out = made;
    return BMF_OK;
}

int evaluate_split(bmf_evaluator *evaluator, const bmf_expression *split, bmf_value *x, bmf_value *out)
{
    int64_t parts = split->number[0], count = x->count;
    bmf_value inner;
    bmf_buffer *offsets = NULL;
    int status = parts > (INT64_MAX >> 5) / (count + 1) ? fail_no_memory(evaluator->ctx, parts) : BMF_OK;
    if (status == BMF_OK)
        status = split_lists(evaluator, parts, x, &inner);
    value_free(x);
    if (status != BMF_OK)
        return status;
    offsets = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    if (!offsets) {
        value_free(&inner);
        return fail_no_memory(evaluator->ctx, count);
    }
    for (int64_t i = 0; i <= count; i++)
        ((int64_t *)offsets->data)[i] = i * parts;
    value_create_list(count, offsets, &inner, out);
    return BMF_OK;
}
