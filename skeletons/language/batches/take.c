/* Batches made from instances of another: by number, in a row, at intervals, repeated.
 *
 * Scalars are copied by number and viewed otherwise; lists only get new begins and ends, their elements stay where they
 * are. What is the same for all instances stays so. Cost: O(count) for each leaf and list outside other lists. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/language/batches/operations.h"

/* ---- by number ---- */

typedef struct take_state {
    const bmf_value *value;
    const int64_t *index;
    bmf_value *out;
    int64_t *begin, *end;
} take_state;

static void take_scalars(void *state, int64_t first, int64_t last)
{
    const take_state *s = state;
    const char *from = s->value->data;
    int64_t stride = s->value->stride;
    if (s->value->type->size == 8) {
        int64_t *to = s->out->data;
        for (int64_t i = first; i < last; i++)
            to[i] = *(const int64_t *)(from + s->index[i] * stride);
    } else {
        uint8_t *to = s->out->data;
        for (int64_t i = first; i < last; i++)
            to[i] = *(const uint8_t *)(from + s->index[i] * stride);
    }
}

static void take_lists(void *state, int64_t first, int64_t last)
{
    const take_state *s = state;
    for (int64_t i = first; i < last; i++) {
        s->begin[i] = s->value->begin[s->index[i] * s->value->step];
        s->end[i] = s->value->end[s->index[i] * s->value->step];
    }
}

/* Views of `count` lists, begins and ends yet to be filled in, over the elements of `value`. */
static int create_views(bmf_context *ctx, const bmf_value *value, int64_t count, int64_t **begin, int64_t **end,
                        bmf_value *out)
{
    bmf_value made = {.type = value->type, .count = count, .step = 1};
    made.buffer = buffer_create(2 * count * (int64_t)sizeof(int64_t));
    if (!made.buffer)
        return fail_no_memory(ctx, count);
    *begin = made.buffer->data;
    *end = *begin + count;
    made.begin = *begin;
    made.end = *end;
    made.child = allocate_clear(1, (int64_t)sizeof *made.child);
    value_share(&value->child[0], made.child);
    *out = made;
    return BMF_OK;
}

/* Does `one` for every component of a tuple. */
#define FOR_COMPONENTS(value, out, one)                                                                                \
    do {                                                                                                               \
        bmf_value component_[BMF_MAX_LEAVES] = {{0}};                                                                  \
        int status_ = BMF_OK;                                                                                          \
        for (int k = 0; k < (value)->type->components && status_ == BMF_OK; k++) {                                     \
            const bmf_value *from = &(value)->child[k];                                                                \
            bmf_value *to = &component_[k];                                                                            \
            status_ = (one);                                                                                           \
        }                                                                                                              \
        if (status_ == BMF_OK) {                                                                                       \
            value_create_tuple((value)->type->components, component_, (out));                                          \
            return BMF_OK;                                                                                             \
        }                                                                                                              \
        for (int k = 0; k < (value)->type->components; k++)                                                            \
            value_free(&component_[k]);                                                                                \
        return status_;                                                                                                \
    } while (0)

int value_take_pass(const bmf_pass *pass, const bmf_value *value, const int64_t *index, int64_t count, bmf_value *out)
{
    take_state state = {value, index, NULL, NULL, NULL};
    bmf_value made;
    if (count == 0)
        return value_empty(pass->ctx, value->type, 0, out);
    if (value->type->kind == BMF_TUPLE)
        FOR_COMPONENTS(value, out, value_take_pass(pass, from, index, count, to));
    if (value->count == 1 || value_is_broadcast(value) || value->type->kind == BMF_NOTHING) {
        value_share(value, out);
        value_broadcast(out, count);
        return BMF_OK;
    }
    if (value->type->kind == BMF_LIST)
        BMF_TRY(create_views(pass->ctx, value, count, &state.begin, &state.end, &made));
    else
        BMF_TRY(value_create(pass->ctx, value->type, count, &made));
    state.out = &made;
    int status = pass_run(pass, count, value->type->kind == BMF_LIST ? take_lists : take_scalars, &state);
    if (status == BMF_OK)
        *out = made;
    else
        value_free(&made);
    return status;
}

int value_take(bmf_context *ctx, const bmf_value *value, const int64_t *index, int64_t count, bmf_value *out)
{
    bmf_pass pass = {.ctx = ctx};
    return value_take_pass(&pass, value, index, count, out);
}

/* ---- in a row ---- */

int value_every(bmf_context *ctx, const bmf_value *value, int64_t first, int64_t step, int64_t count, bmf_value *out)
{
    if (count == 0)
        return value_empty(ctx, value->type, 0, out);
    value_share(value, out);
    if (first == 0 && step == 1 && count == value->count)
        return BMF_OK;
    out->count = count;
    if (value->type->kind == BMF_TUPLE) {
        for (int k = 0; k < value->type->components; k++) {
            value_free(&out->child[k]);
            value_every(ctx, &value->child[k], first, step, count, &out->child[k]);
        }
    } else if (value->type->kind == BMF_LIST) {
        out->packed = false;
        out->begin += first * value->step;
        out->end += first * value->step;
        out->step *= step;
    } else {
        out->data = (char *)out->data + first * value->stride;
        out->stride *= step;
    }
    return BMF_OK;
}

int value_slice(bmf_context *ctx, const bmf_value *value, int64_t first, int64_t count, bmf_value *out)
{
    return value_every(ctx, value, first, 1, count, out);
}

/* ---- repeated ---- */

static void repeat_some(void *state, int64_t first, int64_t last)
{
    const take_state *s = state;
    const bmf_value *value = s->value;
    int64_t i = last_not_above(s->index, value->count, first);
    for (int64_t j = first; j < last; i++) {
        int64_t stop = s->index[i + 1] < last ? s->index[i + 1] : last;
        if (value->type->kind == BMF_LIST) {
            int64_t begin = value->begin[i * value->step], end = value->end[i * value->step];
            for (int64_t k = j; k < stop; k++) {
                s->begin[k] = begin;
                s->end[k] = end;
            }
        } else if (value->type->size == 8) {
            int64_t x = *(const int64_t *)((const char *)value->data + i * value->stride);
            for (int64_t k = j; k < stop; k++)
                ((int64_t *)s->out->data)[k] = x;
        } else if (stop > j) {
            memset((uint8_t *)s->out->data + j, ((const uint8_t *)value->data)[i * value->stride], (size_t)(stop - j));
        }
        j = stop;
    }
}

int value_repeat(bmf_context *ctx, const bmf_value *value, const int64_t *offsets, bmf_value *out)
{
    bmf_pass pass = {.ctx = ctx};
    int64_t count = offsets[value->count];
    take_state state = {value, offsets, NULL, NULL, NULL};
    bmf_value made;
    if (count == 0)
        return value_empty(ctx, value->type, 0, out);
    if (value->type->kind == BMF_TUPLE)
        FOR_COMPONENTS(value, out, value_repeat(ctx, from, offsets, to));
    if (value->count == 1 || value_is_broadcast(value)) {
        value_share(value, out);
        value_broadcast(out, count);
        return BMF_OK;
    }
    if (value->type->kind == BMF_LIST)
        BMF_TRY(create_views(ctx, value, count, &state.begin, &state.end, &made));
    else
        BMF_TRY(value_create(ctx, value->type, count, &made));
    state.out = &made;
    pass_run(&pass, count, repeat_some, &state);
    *out = made;
    return BMF_OK;
}
