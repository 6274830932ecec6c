/* Batches joined from runs of others: packing, concatenation, merging.
 *
 * Method: one primitive copies segments, taken from its sources in turn, behind one another. Elements that are lists
 * themselves get begins and ends in common children: the same children if all sources share them, otherwise the
 * children one behind the other, without those that no list refers to.
 * Cost: O(elements) for each leaf; children of inner lists are copied only where sources differ. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/language/batches/operations.h"

/* ---- segments ---- */

typedef struct join_state {
    const bmf_segments *segments;
    bmf_value *out;
    int64_t *begin, *end; /* of lists */
    const int64_t *base;  /* by source: where its children stand among the common ones */
} join_state;

static void copy_words(int64_t count, const char *from, int64_t stride, int64_t *to)
{
    if (stride == 8 && count > 16)
        memcpy(to, from, (size_t)count * 8);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = *(const int64_t *)(from + i * stride);
}

static void copy_bytes(int64_t count, const uint8_t *from, int64_t stride, uint8_t *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i * stride];
}

/* `count` elements of a source from number `from` on become elements `at`, .. */
static void copy_run(const join_state *s, const bmf_value *source, int64_t base, int64_t from, int64_t at,
                     int64_t count)
{
    if (source->type->kind == BMF_LIST) {
        for (int64_t i = 0; i < count; i++) {
            s->begin[at + i] = source->begin[(from + i) * source->step] + base;
            s->end[at + i] = source->end[(from + i) * source->step] + base;
        }
    } else if (source->type->size == 8) {
        const char *data = (const char *)source->data + from * source->stride;
        copy_words(count, data, source->stride, (int64_t *)s->out->data + at);
    } else {
        const uint8_t *data = (const uint8_t *)source->data + from * source->stride;
        copy_bytes(count, data, source->stride, (uint8_t *)s->out->data + at);
    }
}

static void join_some(void *state, int64_t first, int64_t last)
{
    const join_state *s = state;
    const bmf_segments *g = s->segments;
    int64_t k = last_not_above(g->offsets, g->count, first);
    for (int64_t j = first; j < last; k++) {
        int64_t stop = g->offsets[k + 1] < last ? g->offsets[k + 1] : last;
        if (stop <= j)
            continue;
        int source = (int)(k % g->sources);
        int64_t from = g->begin[source][k / g->sources * g->step[source]] + j - g->offsets[k];
        copy_run(s, g->source[source], s->base[source], from, j, stop - j);
        j = stop;
    }
}

/* The very same elements in the same places. */
static bool is_same(const bmf_value *a, const bmf_value *b)
{
    if (a->count != b->count || a->data != b->data || a->stride != b->stride || a->begin != b->begin ||
        a->end != b->end || a->step != b->step)
        return false;
    for (int k = 0; k < a->type->components; k++)
        if (!is_same(&a->child[k], &b->child[k]))
            return false;
    return true;
}

/* A share of a list batch without children that no list needs. */
static int share_trimmed(bmf_context *ctx, const bmf_value *list, bmf_value *out)
{
    int64_t used = 0;
    value_share(list, out);
    if (list->packed || (list->step == 0 && list->count > 0))
        return BMF_OK;
    for (int64_t i = 0; i < list->count && used < list->child[0].count; i++)
        used += value_length(list, i);
    int status = used < list->child[0].count ? value_pack(ctx, out) : BMF_OK;
    if (status != BMF_OK)
        value_free(out);
    return status;
}

/* Common children of trimmed list batches, and where each one's begin in them. */
static int join_children(bmf_context *ctx, int sources, const bmf_value *source, int64_t *base, bmf_value *child)
{
    bool same = true;
    for (int s = 0; s < sources; s++) {
        base[s] = 0;
        same = same && is_same(&source[0].child[0], &source[s].child[0]);
    }
    if (same) {
        value_share(&source[0].child[0], child);
        return BMF_OK;
    }
    bmf_value *children = allocate(sources * (int64_t)sizeof *children);
    for (int s = 0; s < sources; s++) {
        children[s] = source[s].child[0]; /* borrowed */
        base[s] = s > 0 ? base[s - 1] + source[s - 1].child[0].count : 0;
    }
    int status = value_concatenate(ctx, sources, children, child);
    free(children);
    return status;
}

static int join_lists(const bmf_pass *pass, const bmf_segments *segments, int64_t count, const bmf_value *trimmed,
                      int64_t *base, bmf_value *out)
{
    const bmf_value **source = allocate(segments->sources * (int64_t)sizeof *source);
    bmf_segments inner = *segments;
    bmf_value made = {.type = trimmed[0].type, .count = count, .step = 1}, child;
    int status = join_children(pass->ctx, segments->sources, trimmed, base, &child);
    if (status == BMF_OK) {
        made.child = allocate_clear(1, (int64_t)sizeof *made.child);
        value_move(&child, made.child);
        made.buffer = buffer_create(2 * count * (int64_t)sizeof(int64_t));
        status = made.buffer ? BMF_OK : fail_no_memory(pass->ctx, count);
    }
    for (int s = 0; s < segments->sources; s++)
        source[s] = &trimmed[s];
    inner.source = source;
    if (status == BMF_OK) {
        join_state state = {&inner, &made, made.buffer->data, (int64_t *)made.buffer->data + count, base};
        made.begin = state.begin;
        made.end = state.end;
        status = pass_run(pass, count, join_some, &state);
    }
    free(source);
    if (status == BMF_OK)
        *out = made;
    else
        value_free(&made);
    return status;
}

static int join_trimmed(const bmf_pass *pass, const bmf_segments *segments, int64_t count, bmf_value *out)
{
    bmf_value *trimmed = allocate_clear(segments->sources, (int64_t)sizeof *trimmed);
    int64_t *base = allocate(segments->sources * (int64_t)sizeof *base);
    int status = BMF_OK;
    /* one source keeps all children: only what is copied from several must not grow */
    for (int s = 0; s < segments->sources && status == BMF_OK; s++)
        if (segments->sources == 1)
            value_share(segments->source[s], &trimmed[s]);
        else
            status = share_trimmed(pass->ctx, segments->source[s], &trimmed[s]);
    if (status == BMF_OK)
        status = join_lists(pass, segments, count, trimmed, base, out);
    for (int s = 0; s < segments->sources; s++)
        if (trimmed[s].type)
            value_free(&trimmed[s]);
    free(trimmed);
    free(base);
    return status;
}

/* All sources are broadcasts of the same scalar. */
static bool is_one_scalar(const bmf_segments *segments)
{
    for (int s = 0; s < segments->sources; s++)
        if (segments->source[s]->stride != 0 || segments->source[s]->data != segments->source[0]->data)
            return false;
    return true;
}

static int join_scalars(const bmf_pass *pass, const bmf_segments *segments, int64_t count, bmf_value *out)
{
    bmf_value made;
    if (is_one_scalar(segments)) {
        value_share(segments->source[0], out);
        out->count = count;
        return BMF_OK;
    }
    int64_t *base = allocate_clear(segments->sources, (int64_t)sizeof *base);
    int status = value_create(pass->ctx, segments->source[0]->type, count, &made);
    if (status == BMF_OK) {
        join_state state = {segments, &made, NULL, NULL, base};
        status = pass_run(pass, count, join_some, &state);
        if (status == BMF_OK)
            *out = made;
        else
            value_free(&made);
    }
    free(base);
    return status;
}

static int join_tuples(const bmf_pass *pass, const bmf_segments *segments, bmf_value *out)
{
    int components = segments->source[0]->type->components, status = BMF_OK;
    const bmf_value **source = allocate(segments->sources * (int64_t)sizeof *source);
    bmf_value component[BMF_MAX_LEAVES] = {{0}};
    bmf_segments inner = *segments;
    inner.source = source;
    for (int k = 0; k < components && status == BMF_OK; k++) {
        for (int s = 0; s < segments->sources; s++)
            source[s] = &segments->source[s]->child[k];
        status = value_join(pass, &inner, &component[k]);
    }
    free(source);
    if (status == BMF_OK) {
        value_create_tuple(components, component, out);
        return BMF_OK;
    }
    for (int k = 0; k < components; k++)
        if (component[k].type)
            value_free(&component[k]);
    return status;
}

int value_join(const bmf_pass *pass, const bmf_segments *segments, bmf_value *out)
{
    int64_t count = segments->offsets[segments->count];
    const bmf_type *type = segments->source[0]->type;
    if (count == 0)
        return value_empty(pass->ctx, type, 0, out);
    if (type->kind == BMF_TUPLE)
        return join_tuples(pass, segments, out);
    if (type->kind == BMF_NOTHING) {
        value_default(pass->ctx, type, count, out);
        return BMF_OK;
    }
    return type->kind == BMF_LIST ? join_trimmed(pass, segments, count, out) : join_scalars(pass, segments, count, out);
}

/* ---- concatenation ---- */

int value_concatenate(bmf_context *ctx, int values, const bmf_value *value, bmf_value *out)
{
    static const int64_t start = 0;
    int64_t room = values + 1, used = 0;
    const bmf_value **source = allocate(room * (int64_t)sizeof *source);
    const int64_t **begin = allocate(room * (int64_t)sizeof *begin);
    int64_t *step = allocate_clear(room, (int64_t)sizeof *step);
    int64_t *offsets = allocate(room * (int64_t)sizeof *offsets);
    offsets[0] = 0;
    for (int v = 0; v < values; v++) {
        if (value[v].count == 0)
            continue;
        source[used] = &value[v];
        begin[used] = &start;
        offsets[used + 1] = offsets[used] + value[v].count;
        used++;
    }
    bmf_pass pass = {.ctx = ctx};
    bmf_segments segments = {(int)used, source, begin, step, used, offsets};
    int status = BMF_OK;
    if (used < 2)
        value_share(used == 1 ? source[0] : &value[0], out);
    else
        status = value_join(&pass, &segments, out);
    free(source), free(begin), free(step), free(offsets);
    return status;
}

/* ---- merging ---- */

typedef struct merge_state {
    const uint8_t *choose;
    int64_t *index;
    int64_t count, share; /* instances, and how many a worker has */
    int64_t *before;      /* chosen ones before each worker's */
    int64_t chosen;
} merge_state;

static void number_choices(const merge_state *s, int worker)
{
    int64_t begin = worker * s->share, end = begin + s->share < s->count ? begin + s->share : s->count;
    int64_t a = s->before[worker], b = s->chosen + begin - a;
    for (int64_t i = begin; i < end; i++)
        s->index[i] = s->choose[i] ? a++ : b++;
}

/* Where each instance of the merger stands in the concatenation of a and b. */
static void number_all(bmf_context *ctx, merge_state *s)
{
    int workers = !ctx || s->count < BMF_ALONE ? 1 : ctx->threads;
    s->share = (s->count + workers - 1) / workers;
    s->before = allocate_clear(workers + 1, (int64_t)sizeof *s->before);
#pragma omp parallel for schedule(static, 1) num_threads(workers)
    for (int w = 0; w < workers; w++) {
        int64_t found = 0;
        for (int64_t i = w * s->share; i < (w + 1) * s->share && i < s->count; i++)
            found += s->choose[i] != 0;
        s->before[w + 1] = found;
    }
    for (int w = 0; w < workers; w++)
        s->before[w + 1] += s->before[w];
#pragma omp parallel for schedule(static, 1) num_threads(workers)
    for (int w = 0; w < workers; w++)
        number_choices(s, w);
    free(s->before);
}

int value_merge(bmf_context *ctx, const uint8_t *choose, int64_t count, const bmf_value *a, const bmf_value *b,
                bmf_value *out)
{
    if (a->count == 0 || b->count == 0) {
        value_share(a->count == 0 ? b : a, out);
        return BMF_OK;
    }
    bmf_value both[2] = {*a, *b}, all; /* borrowed */
    BMF_TRY(value_concatenate(ctx, 2, both, &all));
    merge_state state = {.choose = choose, .count = count, .chosen = a->count};
    state.index = malloc((size_t)count * sizeof *state.index);
    int status = state.index ? BMF_OK : fail_no_memory(ctx, count);
    if (status == BMF_OK) {
        number_all(ctx, &state);
        status = value_take(ctx, &all, state.index, count, out);
    }
    free(state.index);
    value_free(&all);
    return status;
}

/* ---- packing ---- */

/* Each list begins where the one before ends. */
static bool is_contiguous(const bmf_value *list)
{
    for (int64_t i = 1; i < list->count; i++)
        if (list->begin[i * list->step] != list->end[(i - 1) * list->step])
            return false;
    return true;
}

static int pack_pass(const bmf_pass *pass, bmf_value *list, bmf_buffer *offsets)
{
    const bmf_value *child = &list->child[0];
    bmf_value elements;
    int64_t total = ((const int64_t *)offsets->data)[list->count];
    int status;
    if (list->count > 0 && is_contiguous(list)) {
        status = value_slice(pass->ctx, child, list->begin[0], total, &elements);
    } else {
        bmf_segments segments = {1, &child, &list->begin, &list->step, list->count, offsets->data};
        status = value_join(pass, &segments, &elements);
    }
    if (status == BMF_OK) {
        int64_t count = list->count;
        value_free(list);
        value_create_list(count, buffer_retain(offsets), &elements, list);
    }
    return status;
}

int value_pack(bmf_context *ctx, bmf_value *list)
{
    return value_pack_for(&(bmf_evaluator){.ctx = ctx}, NULL, "", list);
}

int value_pack_for(bmf_evaluator *evaluator, const bmf_frame *frame, const char *kernel, bmf_value *list)
{
    bmf_pass pass = {.ctx = evaluator->ctx};
    bmf_buffer *offsets;
    if (list->packed)
        return BMF_OK;
    BMF_TRY(value_offsets(evaluator->ctx, list, &offsets));
    if (frame)
        pass_open(evaluator, frame, kernel, offsets->data, &pass);
    int status = pack_pass(&pass, list, offsets);
    pass_close(&pass);
    buffer_release(offsets);
    return status;
}

/* A leaf one element behind the other. */
static int plain_scalars(bmf_context *ctx, bmf_value *value)
{
    if (value->count == 0) {
        value->stride = value->type->size;
        return BMF_OK;
    }
    if (value->stride == value->type->size)
        return BMF_OK;
    static const int64_t start = 0, step = 0;
    const int64_t offsets[2] = {0, value->count}, *begin = &start, base = 0;
    const bmf_value *source = value;
    bmf_segments segments = {1, &source, &begin, &step, 1, offsets};
    bmf_pass pass = {.ctx = ctx};
    bmf_value made;
    BMF_TRY(value_create(ctx, value->type, value->count, &made));
    join_state state = {&segments, &made, NULL, NULL, &base};
    pass_run(&pass, value->count, join_some, &state);
    value_free(value);
    *value = made;
    return BMF_OK;
}

int value_plain(bmf_context *ctx, bmf_value *value)
{
    if (value->type->components == 0)
        return plain_scalars(ctx, value);
    if (value->type->kind == BMF_LIST)
        BMF_TRY(value_pack(ctx, value));
    for (int k = 0; k < value->type->components; k++)
        BMF_TRY(value_plain(ctx, &value->child[k]));
    return BMF_OK;
}
