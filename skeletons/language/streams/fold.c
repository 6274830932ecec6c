/* Folding parts of segments, and batches of short ones; see fold.h.
 *
 * Method: a range of one segment is a block source, folded into a forest like a list (skeletons/engine/forest.c). A
 * batch of short segments goes level by level over all segments at once, so that any operator runs on long blocks: the
 * pairs of all segments stand side by side and are combined by one call a level; elements left over at a level are
 * nodes of the segment's binary digits, which are combined from the left in rounds.
 * Cost: n - 1 operations a segment; a batch moves its elements about twice in the first-level cache. */
#include "skeletons/language/streams/fold.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

/* Elements of a batch that is folded where it stands. */
enum { DIRECT_BATCH = 16 * BMF_BLOCK };
/* Arrays of BMF_BLOCK elements in a worker's room. */
enum { EVEN, NEXT, LEFT, FIRST, SECOND, PLAIN, ARRAYS };

/* ---- opening ---- */

static int64_t array_bytes(const bmf_stream_source *source)
{
    int64_t bytes = 0;
    for (int k = 0; k < source->leaves; k++)
        bytes += (BMF_BLOCK * source->leaf_size[k] + 63) / 64 * 64;
    return bytes;
}

static void array_slices(const bmf_stream_fold *fold, int worker, int array, bmf_slice *slice)
{
    const bmf_stream_source *source = fold->source;
    char *room = fold->room[worker] + array * array_bytes(source);
    for (int k = 0; k < source->leaves; k++) {
        slice[k] = (bmf_slice){room, source->leaf_size[k]};
        room += (BMF_BLOCK * source->leaf_size[k] + 63) / 64 * 64;
    }
}

static int open_operator(bmf_stream_fold *fold)
{
    bmf_stream_source *source = fold->source;
    bmf_context *ctx = source->evaluator->ctx;
    fold->operation = scalar_operator_create(source->stream->child[1], source->workers);
    fold->op = *scalar_operator_get(fold->operation);
    if (fold->op.may_fail)
        fold->op.flags = 0;
    return tree_open(&fold->tree, ctx, source->name, &fold->op, source->type);
}

static void close_operator(bmf_stream_fold *fold)
{
    tree_close(&fold->tree);
    scalar_operator_free(fold->operation);
}

/* The input leaves whose products are to be summed up, if that is what the stream does: the commonest pipeline, which
 * needs no block of products in between. */
static bool find_factors(const bmf_stream_source *source, int from[BMF_MAX_LEAVES])
{
    const bmf_expression *end = source->stream->child[1], *element = source->element_expression;
    from[0] = 0;
    from[1] = 1;
    if (source->type->kind != BMF_REAL || end->kind != BMF_EXPRESSION_OP || end->operation != BMF_OPERATION_PLUS)
        return false;
    if (element->kind == BMF_EXPRESSION_COMP && element->children == 2) {
        if (!scalar_is_selection(scalar_of_expression(element->child[1]), from))
            return false;
        element = element->child[0];
    }
    if (element->kind != BMF_EXPRESSION_OP || element->operation != BMF_OPERATION_TIMES)
        return false;
    for (int k = 0; k < 2; k++) {
        const bmf_value *leaf = source->input_leaf[from[k]];
        if (!leaf || leaf->type->kind != BMF_REAL || leaf->stride != leaf->type->size)
            return false;
    }
    return true;
}

/* Both are lists of their own, which may be views. */
static bool are_two_lists(const bmf_stream_source *source, const int *from)
{
    return source->parts == 2 && source->part[0].leaves == 1 && source->part[1].leaves == 1 && from[0] != from[1] &&
           source->part[0].place <= BMF_PLACE_VIEW && source->part[1].place <= BMF_PLACE_VIEW;
}

static void note_factors(bmf_stream_fold *fold)
{
    int from[BMF_MAX_LEAVES];
    const bool found = find_factors(fold->source, from);
    for (int k = 0; k < 2; k++) {
        fold->factor[k] = found && fold->source->packed ? from[k] : -1;
        fold->product[k] = found && are_two_lists(fold->source, from) ? from[k] : -1;
    }
}

int stream_fold_open(bmf_stream_source *source, const bmf_value *initial, bmf_stream_fold *fold)
{
    *fold = (bmf_stream_fold){.source = source, .initial = initial};
    int status = open_operator(fold);
    if (status != BMF_OK) {
        scalar_operator_free(fold->operation);
        return status;
    }
    if (initial)
        value_slices(initial, 0, fold->first);
    fold->segments = segment_functions_of(source->stream->child[1], source->type);
    fold->direct =
        !source->element && source->packed && source->leaves == 1 && source->input[0].stride == source->leaf_size[0];
    note_factors(fold);
    fold->room = allocate(source->workers * (int64_t)sizeof *fold->room);
    fold->record = allocate(source->workers * (int64_t)sizeof *fold->record);
    for (int w = 0; w < source->workers; w++) {
        fold->room[w] = allocate(ARRAYS * array_bytes(source));
        fold->record[w] = allocate(2 * fold->tree.record);
    }
    return BMF_OK;
}

void stream_fold_close(bmf_stream_fold *fold)
{
    for (int w = 0; w < fold->source->workers; w++) {
        free(fold->room[w]);
        free(fold->record[w]);
    }
    free(fold->room);
    free(fold->record);
    close_operator(fold);
}

/* ---- ranges ---- */

static void advance(const bmf_stream_fold *fold, const bmf_slice *x, int64_t elements, bmf_slice *advanced)
{
    for (int k = 0; k < fold->source->leaves; k++)
        advanced[k] = (bmf_slice){(char *)x[k].data + elements * x[k].stride, x[k].stride};
}

int stream_fold_block(const bmf_stream_fold *fold, int worker, int64_t s, int64_t begin, int64_t count,
                      const bmf_stream_held *held, bmf_slice *x)
{
    if (held && held->given) {
        advance(fold, held->x, begin - held->begin, x);
        return 0;
    }
    if (held)
        advance(fold, held->x, begin - held->begin, x);
    else
        memset(x, 0, (size_t)fold->source->leaves * sizeof *x);
    return stream_block(fold->source, worker, fold->source->offset[s] + begin, count, x);
}

static int note_failed(bmf_stream_fold *fold, int code)
{
    if (code != 0)
        atomic_store_explicit(&fold->failed, true, memory_order_relaxed);
    return code != 0;
}

/* A segment whose elements are folded; see fold.h for keep. */
typedef struct segment_source {
    bmf_block_source blocks;
    bmf_stream_fold *fold;
    int64_t segment;
    const bmf_stream_held *keep;
} segment_source;

/* Of a block, which has noted its failure itself; operators have other codes. */
enum { ELEMENT_FAILED = -1 };

static int segment_block(const bmf_block_source *blocks, int worker, int64_t begin, int64_t count, bmf_slice *x)
{
    const segment_source *source = (const segment_source *)blocks;
    int failed = stream_fold_block(source->fold, worker, source->segment, begin, count, source->keep, x);
    return failed ? ELEMENT_FAILED : 0;
}

static int plain_block(const bmf_block_source *blocks, int worker, int64_t begin, int64_t count, bmf_slice *x)
{
    const segment_source *source = (const segment_source *)blocks;
    int code = segment_block(blocks, worker, begin, count, x);
    if (code == 0 && !blocks->direct)
        x[0].data = (void *)stream_fold_plain(source->fold, worker, count, x);
    return code;
}

static int fold_by_function(const bmf_block_source *blocks, int worker, int64_t begin, void *value)
{
    bmf_stream_fold *fold = ((const segment_source *)blocks)->fold;
    bmf_slice x[BMF_MAX_LEAVES];
    int code = segment_block(blocks, worker, begin, BMF_FOLD_BLOCK, x);
    if (code != 0)
        return code;
    if (x[0].stride != fold->source->leaf_size[0])
        return tree_fold(&fold->tree, worker, BMF_FOLD_BLOCK, x, value);
    return !fold->segments->node(x[0].data, value);
}

static int sum_products(const bmf_block_source *blocks, int worker, int64_t begin, void *value)
{
    const segment_source *source = (const segment_source *)blocks;
    const bmf_stream_source *stream = source->fold->source;
    int64_t v = stream->offset[source->segment] + begin;
    (void)worker;
    segment_sum_products((const double *)stream->input[source->fold->factor[0]].data + v,
                         (const double *)stream->input[source->fold->factor[1]].data + v, value);
    return 0;
}

int stream_fold_range(bmf_stream_fold *fold, int worker, int64_t s, int64_t begin, int64_t end,
                      const bmf_stream_held *keep, bmf_forest *forest)
{
    segment_source source = {.fold = fold, .segment = s, .keep = keep};
    source.blocks = (bmf_block_source){
        .block = segment_block, .plain = fold->tree.reassociate, .direct = fold->direct, .computed = BMF_FOLD_BLOCK};
    if (fold->tree.reassociate)
        source.blocks.block = plain_block;
    else if (fold->factor[0] >= 0 && !keep)
        source.blocks.fold = sum_products;
    else if (fold->segments && fold->segments->node)
        source.blocks.fold = fold_by_function;
    int code = forest_fold(&fold->tree, forest, &source.blocks, worker, begin, end);
    return code == ELEMENT_FAILED ? 1 : note_failed(fold, code);
}

/* ---- batches ---- */

const void *stream_fold_plain(const bmf_stream_fold *fold, int worker, int64_t count, const bmf_slice *x)
{
    bmf_slice plain[BMF_MAX_LEAVES];
    if (x[0].stride == fold->source->leaf_size[0])
        return x[0].data;
    array_slices(fold, worker, PLAIN, plain);
    stream_copy_leaf(count, x, plain, fold->source->leaf_size[0]);
    return plain[0].data;
}

int64_t stream_fold_batch_end(const bmf_stream_fold *fold, int64_t s, int64_t last, int64_t end, bool *empty)
{
    const int64_t *offset = fold->source->offset, first = offset[s];
    int64_t stop = first + (fold->direct && fold->segments ? DIRECT_BATCH : BMF_BLOCK), t = s, shortest = 1;
    stop = stop < end ? stop : end;
    for (; t < last && offset[t + 1] <= stop; t++) {
        int64_t length = offset[t + 1] - offset[t];
        if (length > BMF_SEGMENT_MAX)
            break;
        shortest = length < shortest ? length : shortest;
    }
    *empty = shortest == 0;
    return t;
}

static void copy_leaves(const bmf_stream_fold *fold, int64_t count, const bmf_slice *from, int64_t at,
                        const bmf_slice *to, int64_t place)
{
    for (int k = 0; k < fold->source->leaves; k++) {
        int64_t size = fold->source->leaf_size[k];
        bmf_slice source = {(char *)from[k].data + at * from[k].stride, from[k].stride};
        bmf_slice target = {(char *)to[k].data + place * to[k].stride, to[k].stride};
        if (count == 1)
            memcpy(target.data, source.data, (size_t)size);
        else
            stream_copy_leaf(count, &source, &target, size);
    }
}

static int combine(bmf_stream_fold *fold, int64_t count, const bmf_slice *a, const bmf_slice *b, const bmf_slice *to)
{
    bmf_slice in[2 * BMF_MAX_LEAVES];
    size_t leaves = (size_t)fold->source->leaves;
    memcpy(in, a, leaves * sizeof *in);
    memcpy(in + leaves, b, leaves * sizeof *in);
    return note_failed(fold, fold->op.combine(fold->op.context, count, in, to));
}

/* Segment j of a batch on its way up. */
typedef struct climber {
    int64_t at, count; /* its nodes of this level */
    int64_t left;      /* where its digits' nodes are put, the largest first */
    int digits, put;
} climber;

/* Up: from[..] are the nodes of a level; leaves behind the odd ones. Returns how many pairs there are, which stand in
 * EVEN. */
static int64_t pair_up(const bmf_stream_fold *fold, int segments, climber *climb, const bmf_slice *from,
                       const bmf_slice *even, const bmf_slice *left)
{
    int64_t nodes = 0;
    for (int j = 0; j < segments; j++) {
        climber *c = &climb[j];
        int64_t paired = c->count & ~(int64_t)1;
        if (c->count & 1)
            copy_leaves(fold, 1, from, c->at + paired, left, c->left + c->digits - ++c->put);
        if (paired > 0)
            copy_leaves(fold, paired, from, c->at, even, nodes);
        c->at = nodes / 2;
        c->count = paired / 2;
        nodes += paired;
    }
    return nodes / 2;
}

/* The digits of every segment, from the left. */
static int combine_digits(bmf_stream_fold *fold, int worker, int segments, const climber *climb, const bmf_slice *left,
                          const bmf_slice *out)
{
    bmf_slice first[BMF_MAX_LEAVES], second[BMF_MAX_LEAVES];
    array_slices(fold, worker, FIRST, first);
    array_slices(fold, worker, SECOND, second);
    for (int j = 0; j < segments; j++)
        if (climb[j].digits > 0)
            copy_leaves(fold, 1, left, climb[j].left, out, j);
    for (int digit = 1;; digit++) {
        int64_t count = 0, back = 0;
        for (int j = 0; j < segments; j++)
            if (climb[j].digits > digit) {
                copy_leaves(fold, 1, out, j, first, count);
                copy_leaves(fold, 1, left, climb[j].left + digit, second, count++);
            }
        if (count == 0)
            return 0;
        if (combine(fold, count, first, second, first) != 0)
            return 1;
        for (int j = 0; j < segments; j++)
            if (climb[j].digits > digit)
                copy_leaves(fold, 1, first, back++, out, j);
    }
}

/* Any operator; at most BMF_BLOCK segments that are not empty, and BMF_BLOCK elements. */
static int climb_levels(bmf_stream_fold *fold, int worker, int64_t s, int segments, const bmf_slice *x,
                        const bmf_slice *out)
{
    const int64_t *offset = fold->source->offset + s;
    climber climb[BMF_BLOCK];
    bmf_slice even[BMF_MAX_LEAVES], next[BMF_MAX_LEAVES], left[BMF_MAX_LEAVES], odd[BMF_MAX_LEAVES],
        from[BMF_MAX_LEAVES];
    int64_t digits = 0;
    array_slices(fold, worker, EVEN, even);
    array_slices(fold, worker, NEXT, next);
    array_slices(fold, worker, LEFT, left);
    for (int j = 0; j < segments; j++) {
        int64_t count = offset[j + 1] - offset[j];
        climb[j] = (climber){offset[j] - offset[0], count, digits, __builtin_popcountll((uint64_t)count), 0};
        digits += climb[j].digits;
    }
    memcpy(from, x, sizeof from);
    for (int64_t pairs; (pairs = pair_up(fold, segments, climb, from, even, left)) > 0;) {
        advance(fold, even, 1, odd);
        for (int k = 0; k < fold->source->leaves; k++) {
            from[k] = (bmf_slice){even[k].data, 2 * even[k].stride};
            odd[k].stride *= 2;
        }
        if (combine(fold, pairs, from, odd, next) != 0)
            return 1;
        memcpy(from, next, sizeof from);
    }
    return combine_digits(fold, worker, segments, climb, left, out);
}

int stream_fold_batch(bmf_stream_fold *fold, int worker, int64_t s, int64_t t, const bmf_slice *x, const bmf_slice *out)
{
    const bmf_stream_source *source = fold->source;
    int64_t count = source->offset[t] - source->offset[s];
    if (fold->segments) {
        const void *plain = fold->direct ? x[0].data : stream_fold_plain(fold, worker, count, x);
        return note_failed(fold, !fold->segments->fold(plain, source->offset + s, t - s, out[0].data));
    }
    for (int64_t i = s; i < t; i += BMF_BLOCK) {
        bmf_slice rest[BMF_MAX_LEAVES], to[BMF_MAX_LEAVES];
        advance(fold, x, source->offset[i] - source->offset[s], rest);
        advance(fold, out, i - s, to);
        if (climb_levels(fold, worker, i, (int)(t - i < BMF_BLOCK ? t - i : BMF_BLOCK), rest, to) != 0)
            return 1;
    }
    return 0;
}

int stream_fold_begin_with(bmf_stream_fold *fold, int64_t s, bool same, int64_t count, const bmf_slice *to)
{
    bmf_slice first[BMF_MAX_LEAVES];
    advance(fold, fold->first, s, first);
    for (int k = 0; same && k < fold->source->leaves; k++)
        first[k].stride = 0;
    return combine(fold, count, first, to, to);
}

/* ---- failures ---- */

static bool operator_failed(const bmf_stream_fold *fold, bmf_failure *failure)
{
    return scalar_operator_failure(fold->operation, failure);
}

int stream_fold_status(bmf_stream_fold *fold, bmf_expression_kind kind, int (*run)(void *state, int64_t segment),
                       void *state)
{
    bmf_stream_source *source = fold->source;
    bmf_failure failure;
    if (!atomic_load(&fold->failed) && !operator_failed(fold, &failure))
        return stream_status(source);
    /* Others may have stopped because of the operator: elements count first, then segments in order. The fast
     * functions only know that something failed. */
    BMF_TRY(stream_try(source));
    close_operator(fold);
    BMF_TRY(open_operator(fold));
    fold->segments = NULL;
    for (int64_t s = 0; s < source->segments; s++) {
        run(state, s);
        if (operator_failed(fold, &failure)) {
            failure.element = s;
            return stream_fail_instance(source, kind, failure);
        }
    }
    return bmf_fail(source->evaluator->ctx, BMF_ERROR_INTERNAL, "%s failed, and then did not", source->name);
}
