/* Reductions by key of placed lists, and of one list in parts on several processors.
 *
 * Method: the lists of instances with the same number of keys and the same default are segments that are reduced at
 * once (skeletons/by_key/segments.c). The parts of a distributed list are a list in C, and reduced as such; how many
 * keys there are is told to all ranks as lengths are, and every processor computes the default for itself.
 * Cost: that of the skeleton in C. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/by_key/tables.h"
#include "skeletons/engine/pairing.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/parallel/parallel.h"

/* The operator with a default as its identity, and the types that go with it. */
typedef struct keyed {
    bmf_evaluator *evaluator;
    bmf_expression *expression;
    bmf_scalar_operator *operation;
    bmf_operator op;
    char *identity; /* a record */
    int64_t offset[BMF_MAX_LEAVES], bytes;
} keyed;

static void open_keyed(bmf_evaluator *evaluator, bmf_expression *expression, keyed *k)
{
    const bmf_type *type = expression->child[0]->out;
    *k = (keyed){.evaluator = evaluator, .expression = expression};
    k->operation = scalar_operator_create(expression->child[0], evaluator->ctx->threads);
    k->bytes = bmf_type_record(type, k->offset);
    k->identity = allocate_clear(1, k->bytes);
    k->op = *scalar_operator_get(k->operation);
    k->op.type = type;
    k->op.identity = k->identity;
    if (k->op.may_fail)
        k->op.flags = 0;
}

static void close_keyed(keyed *k)
{
    scalar_operator_free(k->operation);
    free(k->identity);
}

/* Value i of a batch as a record. */
static void read_record(const keyed *k, const bmf_value *value, int64_t i, char *record)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
    const int leaves = bmf_type_leaves(k->op.type, leaf);
    value_slices(value, 0, slice);
    memset(record, 0, (size_t)k->bytes);
    for (int l = 0; l < leaves; l++)
        memcpy(record + k->offset[l], (const char *)slice[l].data + i * slice[l].stride, (size_t)leaf[l]->size);
}

static void write_results(const keyed *k, const char *results, int64_t count, const bmf_value *made, int64_t first)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
    const int leaves = bmf_type_leaves(k->op.type, leaf);
    value_slices(made, 0, slice);
    for (int l = 0; l < leaves; l++)
        for (int64_t i = 0; i < count; i++)
            memcpy((char *)slice[l].data + (first + i) * slice[l].stride, results + i * k->bytes + k->offset[l],
                   (size_t)leaf[l]->size);
}

static int64_t int_of(const bmf_value *ints, int64_t i)
{
    return *(const int64_t *)((const char *)ints->data + i * ints->stride);
}

/* ---- placed lists ---- */

typedef struct placed {
    keyed keyed;
    bmf_frame *frame;
    const bmf_value *counts, *lists, *initial;
    int64_t *processor;    /* of every instance */
    const int64_t *offset; /* of the results */
    bmf_column keys;
    bmf_slice value[BMF_MAX_LEAVES];
    bmf_value made;
} placed;

/* A key, said with its element. */
static int refuse_key(const placed *p, int64_t instance, int64_t position)
{
    const int64_t key = *(const int64_t *)((const char *)p->keys.data + position * p->keys.stride);
    bmf_frame elements;
    frame_open_elements(p->frame, p->keyed.expression, p->lists->begin, &elements);
    const int status = frame_fail(p->keyed.evaluator, &elements,
                                  &(bmf_failure){.kind = BMF_FAILURE_KEY,
                                                 .expression = p->keyed.expression,
                                                 .element = position,
                                                 .value = {key, int_of(p->counts, instance)}});
    frame_close(&elements);
    return status;
}

static int refuse(const placed *p, int64_t first, const bmf_by_key_segments *all)
{
    bmf_failure failure = {0};
    const int64_t instance = first + all->failed;
    if (all->position >= 0)
        return refuse_key(p, instance, all->position);
    if (!scalar_operator_failure(p->keyed.operation, &failure))
        failure = (bmf_failure){.kind = BMF_FAILURE_NONE, .expression = p->keyed.expression};
    failure.element = instance;
    return frame_fail(p->keyed.evaluator, p->frame, &failure);
}

/* Instances [first, end), which have as many keys and the same default. */
static int reduce_alike(placed *p, int64_t first, int64_t end)
{
    const int64_t keys = int_of(p->counts, first);
    bmf_by_key by;
    BMF_TRY(by_key_open_alone(&by, p->keyed.evaluator->ctx, p->keyed.op.type, keys, &p->keyed.op));
    bmf_buffer *results = working_buffer((end - first) * by.table.record);
    bmf_by_key_segments all = {.kernel = "reduce by key",
                               .keys = &p->keys,
                               .values = p->value,
                               .segments = end - first,
                               .start = p->lists->begin + first,
                               .processor = p->processor + first,
                               .results = results->data};
    int status = by_key_segments(&by, &all);
    if (status == BMF_OK && all.failed >= 0)
        status = refuse(p, first, &all);
    for (int64_t i = first; i < end && status == BMF_OK; i++)
        write_results(&p->keyed, all.results + (i - first) * by.table.record, keys, &p->made, p->offset[i]);
    buffer_release(results);
    by_key_close(&by);
    return status;
}

static int reduce_all(placed *p)
{
    char *next = allocate(p->keyed.bytes);
    int status = BMF_OK;
    for (int64_t first = 0, end; first < p->lists->count && status == BMF_OK; first = end) {
        const int64_t keys = int_of(p->counts, first);
        read_record(&p->keyed, p->initial, first, p->keyed.identity);
        for (end = first + 1; end < p->lists->count && int_of(p->counts, end) == keys; end++) {
            read_record(&p->keyed, p->initial, end, next);
            if (memcmp(next, p->keyed.identity, (size_t)p->keyed.bytes) != 0)
                break;
        }
        status = reduce_alike(p, first, end);
    }
    free(next);
    return status;
}

/* Where the results of every instance begin; fails where there are fewer than none. */
static int count_results(placed *p, bmf_buffer **made)
{
    bmf_context *ctx = p->keyed.evaluator->ctx;
    const int64_t count = p->lists->count;
    bmf_buffer *buffer = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    if (!buffer)
        return fail_no_memory(ctx, count);
    int64_t *offset = buffer->data;
    int status = BMF_OK;
    offset[0] = 0;
    for (int64_t i = 0; i < count && status == BMF_OK; i++) {
        offset[i + 1] = int_of(p->counts, i);
        if (offset[i + 1] < 0)
            status = frame_fail(p->keyed.evaluator, p->frame,
                                &(bmf_failure){.kind = BMF_FAILURE_LENGTH,
                                               .expression = p->keyed.expression,
                                               .element = i,
                                               .value = {offset[i + 1]}});
    }
    if (status == BMF_OK && !offsets_sum(ctx, offset, count))
        status = fail_no_memory(ctx, INT64_MAX);
    if (status == BMF_OK)
        status = value_create(ctx, p->keyed.op.type, offset[count], &p->made);
    if (status != BMF_OK) {
        buffer_release(buffer);
        return status;
    }
    p->offset = offset;
    *made = buffer;
    return BMF_OK;
}

static int reduce_placed(placed *p, bmf_value *out)
{
    bmf_buffer *offsets = NULL;
    const bmf_value *pair = &p->lists->child[0];
    BMF_TRY(count_results(p, &offsets));
    p->keys = (bmf_column){.type = pair->child[0].type,
                           .count = pair->child[0].count,
                           .data = pair->child[0].data,
                           .stride = pair->child[0].stride};
    value_slices(&pair->child[1], 0, p->value);
    p->processor = allocate_clear(p->lists->count + 1, (int64_t)sizeof *p->processor);
    for (int64_t r = 0, i = 0; r < p->frame->runs; r++)
        for (; i < p->frame->run[r].end; i++)
            p->processor[i] = p->frame->run[r].processor;
    const int status = reduce_all(p);
    free(p->processor);
    if (status == BMF_OK) {
        value_create_list(p->lists->count, offsets, &p->made, out);
        return BMF_OK;
    }
    buffer_release(offsets);
    value_free(&p->made);
    return status;
}

int evaluate_by_key(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    bmf_value counts, initial = {0};
    value_share(&x->child[0], &counts);
    int status = evaluate_batch(evaluator, expression->child[1], frame, &counts, &initial);
    if (status == BMF_OK)
        status = value_pack_for(evaluator, frame, "pack", &x->child[1]);
    if (status == BMF_OK) {
        placed p = {.frame = frame, .counts = &x->child[0], .lists = &x->child[1], .initial = &initial};
        open_keyed(evaluator, expression, &p.keyed);
        status = reduce_placed(&p, out);
        close_keyed(&p.keyed);
    }
    value_free(&initial);
    value_free(x);
    return status;
}

/* ---- a distributed list ---- */

/* Every processor's own default, of which this rank keeps one. A failure is deferred: the others go on. */
static int find_identity(keyed *k, bmf_frame *elements, int64_t keys)
{
    bmf_context *ctx = k->evaluator->ctx;
    const bmf_constant number = {.kind = BMF_INT, .integer = keys};
    bmf_value counts, initial = {0};
    int status = value_constant(ctx, &number, elements->count, &counts);
    if (status == BMF_OK && elements->count > 0)
        status = evaluate_batch(k->evaluator, k->expression->child[1], elements, &counts, &initial);
    else if (status == BMF_OK)
        value_free(&counts);
    if (status == BMF_OK && initial.count > 0)
        read_record(k, &initial, 0, k->identity);
    value_free(&initial);
    return failure_defer(ctx, status);
}

/* The number of keys, which the instance's processor has. */
static int tell_keys(bmf_evaluator *evaluator, const bmf_expression *expression, const bmf_value *count, int64_t *keys)
{
    *keys = count->count > 0 ? int_of(count, 0) : 0;
    BMF_TRY(evaluator->ctx->backend->bcast(evaluator->ctx, 0, keys, sizeof *keys));
    if (*keys >= 0)
        return BMF_OK;
    return text_fail(evaluator->texts, evaluator->ctx, expression->span, BMF_ERROR_ARGUMENT,
                     "%s: %" PRId64 " is no length", expression_keyword(expression), *keys);
}

static void take_component(const bmf_list *pairs, int component, bmf_list **out)
{
    bmf_column column;
    share_column(&pairs->column.child[component], &column);
    list_adopt(pairs->context, pairs->partition, &column, out);
}

/* The same failure in words of the program, on all ranks. */
static int say(const keyed *k, int status)
{
    bmf_context *ctx = k->evaluator->ctx;
    char message[BMF_MESSAGE_SIZE];
    if (status == BMF_ERROR_KERNEL)
        return text_fail(k->evaluator->texts, ctx, k->expression->child[0]->span, BMF_ERROR_ARGUMENT,
                         "%s: the operator failed: an int too large for 64 bits, or divided by zero",
                         expression_keyword(k->expression));
    if (status != BMF_ERROR_INDEX)
        return status;
    snprintf(message, sizeof message, "%s", ctx->message);
    const char *words = strchr(message, ':');
    return text_fail(k->evaluator->texts, ctx, k->expression->span, status, "%s%.300s",
                     expression_keyword(k->expression), words ? words : "");
}

/* Only where the instance is there are any results. */
static int reduce_parts(keyed *k, const bmf_list *pairs, int64_t keys, bmf_value *out)
{
    bmf_list *key, *value, *results = NULL;
    bmf_by_key by;
    take_component(pairs, 0, &key);
    take_component(pairs, 1, &value);
    int status = by_key_fits(k->evaluator->ctx, pairs->partition, k->op.type, keys, true);
    if (status == BMF_OK)
        status = by_key_open(&by, key, value, keys, &k->op);
    if (status == BMF_OK) {
        status = say(k, by_key_reduce(&by, true, &results));
        by_key_close(&by);
    }
    if (status == BMF_OK)
        status = value_from_parts(results, out);
    bmf_list_free(results);
    bmf_list_free(key);
    bmf_list_free(value);
    return status;
}

static int reduce_spread(keyed *k, bmf_frame *frame, bmf_distribution *spread, const bmf_value *count, bmf_value *lists,
                         bmf_value *out)
{
    bmf_list *pairs = NULL;
    bmf_frame elements;
    int64_t keys;
    BMF_TRY(tell_keys(k->evaluator, k->expression, count, &keys));
    frame_open_spread(frame, k->expression, spread, &elements);
    int status = find_identity(k, &elements, keys);
    frame_close(&elements);
    if (status == BMF_OK)
        status = value_to_list(k->evaluator->ctx, spread, lists, &pairs);
    if (status == BMF_OK)
        status = reduce_parts(k, pairs, keys, out);
    bmf_list_free(pairs);
    return status;
}

/* Of lists without parts, as of placed ones without elements. A failure is deferred: the others go on. */
static int reduce_nothing(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                          bmf_value *out)
{
    bmf_value counts, lists, both;
    const bmf_type *parts = expression->in->component[1];
    value_move(&x->child[0], &counts);
    value_free(x);
    int status = value_empty(evaluator->ctx, parts->component[0], frame->count, &lists);
    if (status == BMF_OK) {
        value_pair(&counts, &lists, &both);
        status = evaluate_by_key(evaluator, expression, frame, &both, out);
    }
    value_free(&counts);
    if (status == BMF_OK)
        return BMF_OK;
    status = failure_defer(evaluator->ctx, status);
    if (status == BMF_OK)
        value_default(evaluator->ctx, expression->out, frame->count, out);
    return status;
}

int evaluate_parallel_by_key(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    if (distribution_is_empty(x->child[1].spread))
        return reduce_nothing(evaluator, expression, frame, x, out);
    bmf_distribution *spread = distribution_retain(x->child[1].spread);
    bmf_value lists;
    keyed k;
    value_move(&x->child[1].child[0], &lists);
    open_keyed(evaluator, expression, &k);
    operation_begin(evaluator, expression);
    const int status = reduce_spread(&k, frame, spread, &x->child[0], &lists, out);
    close_keyed(&k);
    distribution_release(spread);
    value_free(&lists);
    value_free(x);
    return operation_end(evaluator, status);
}
