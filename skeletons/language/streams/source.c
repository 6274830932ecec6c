/* The elements of streams: opening heads, blocks of elements, pieces, failures; see stream.h.
 *
 * Method: a packed list is read where it stands. Views, broadcast values and numbers are too, as long as a block lies
 * in one segment; a block over several segments is gathered into a worker's scratch, which stays in the first-level
 * cache. Cost: O(1) a block for packed lists, otherwise O(segments of the block). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/language/streams/stream.h"

/* Fewer elements than this are computed by one worker: waking the others takes longer. */
enum { ALONE = 8192, ALONE_REPEATING = 256, REPEATING_GRAIN = 2 * BMF_BLOCK };

/* ---- opening ---- */

static int64_t padded(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static int64_t room_bytes(int leaves, const int64_t *size)
{
    int64_t bytes = 0;
    for (int k = 0; k < leaves; k++)
        bytes += padded(BMF_BLOCK * size[k]);
    return bytes;
}

static int leaf_sizes(const bmf_type *type, int64_t size[BMF_MAX_LEAVES])
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = bmf_type_leaves(type, leaf);
    for (int k = 0; k < leaves; k++)
        size[k] = leaf[k]->size;
    return leaves;
}

static void add_leaves(bmf_stream_source *source, const bmf_value *value)
{
    if (value->type->kind == BMF_TUPLE) {
        for (int c = 0; c < value->type->components; c++)
            add_leaves(source, &value->child[c]);
        return;
    }
    source->input_leaf[source->inputs] = value;
    source->input_size[source->inputs] = value->type->size;
    source->input[source->inputs++] = (bmf_slice){value->data, value->stride};
}

static bmf_stream_part *add_part(bmf_stream_source *source, bmf_stream_place place, const bmf_value *value)
{
    bmf_stream_part *part = &source->part[source->parts++];
    *part = (bmf_stream_part){.place = place, .first = source->inputs};
    if (value) {
        add_leaves(source, value);
    } else {
        source->input_size[source->inputs] = bmf_type_int.size;
        source->input[source->inputs++] = (bmf_slice){0};
    }
    part->leaves = source->inputs - part->first;
    source->packed = source->packed && place == BMF_PLACE_PACKED;
    return part;
}

static void add_list(bmf_stream_source *source, const bmf_value *list)
{
    bool packed = list->packed && (list->step == 1 || list->count <= 1);
    bmf_stream_part *part = add_part(source, packed ? BMF_PLACE_PACKED : BMF_PLACE_VIEW, list->child);
    part->begin = list->begin;
    part->step = list->step;
}

static bool shares_offsets(const bmf_value *list)
{
    return list->packed && list->step == 1 && list->buffer && !list->second && list->begin == list->buffer->data &&
           list->end == list->begin + 1 && list->count > 0;
}

static int too_many(const bmf_stream_source *source)
{
    return bmf_fail(source->evaluator->ctx, BMF_ERROR_MEMORY, "more than 2^63 elements in a list operation");
}

/* Offsets from lengths: those of a list, or the numbers themselves. */
static int make_offsets(bmf_stream_source *source, const bmf_value *list, const bmf_slice *number)
{
    int64_t *offset, total = 0;
    bmf_buffer *buffer;
    if (list && shares_offsets(list)) {
        source->offsets = buffer_retain(list->buffer);
        source->offset = list->begin;
        source->count = source->offset[source->segments];
        return BMF_OK;
    }
    buffer = buffer_create((source->segments + 1) * (int64_t)sizeof *offset);
    if (!buffer)
        return bmf_fail(source->evaluator->ctx, BMF_ERROR_MEMORY, "no memory for the lengths of %lld lists",
                        (long long)source->segments);
    offset = buffer->data;
    source->offsets = buffer;
    source->offset = offset;
    offset[0] = 0;
    for (int64_t s = 0; s < source->segments; s++) {
        int64_t length = list ? value_length(list, s) : BMF_AT(const int64_t, *number, s);
        if (length < 0)
            return stream_fail_instance(source, BMF_EXPRESSION_OP,
                                        (bmf_failure){BMF_FAILURE_LENGTH, NULL, s, {length, 0}, 0});
        if (__builtin_add_overflow(total, length, &total))
            return too_many(source);
        offset[s + 1] = total;
    }
    source->count = total;
    return BMF_OK;
}

static int check_lengths(const bmf_stream_source *source, const bmf_value *a, const bmf_value *b)
{
    if (a->begin == b->begin && a->end == b->end && a->step == b->step)
        return BMF_OK;
    for (int64_t s = 0; s < source->segments; s++) {
        int64_t first = value_length(a, s), second = value_length(b, s);
        if (first != second)
            return stream_fail_instance(source, BMF_EXPRESSION_ZIP,
                                        (bmf_failure){BMF_FAILURE_RAGGED, NULL, s, {first, second}, 0});
    }
    return BMF_OK;
}

static int open_head(bmf_stream_source *source, const bmf_value *x)
{
    switch (source->stream->head) {
    case BMF_HEAD_ZIP:
        BMF_TRY(check_lengths(source, &x->child[0], &x->child[1]));
        add_list(source, &x->child[0]);
        add_list(source, &x->child[1]);
        return make_offsets(source, &x->child[0], NULL);
    case BMF_HEAD_DISTL:
        add_part(source, BMF_PLACE_INSTANCE, &x->child[0]);
        add_list(source, &x->child[1]);
        return make_offsets(source, &x->child[1], NULL);
    case BMF_HEAD_IOTA:
        add_part(source, BMF_PLACE_NUMBERS, NULL);
        return make_offsets(source, NULL, &(bmf_slice){x->data, x->stride});
    default:
        add_list(source, x);
        return make_offsets(source, x, NULL);
    }
}

static void make_name(bmf_stream_source *source, const char *what)
{
    bmf_span span = source->stream->span;
    int64_t line, column;
    memcpy(source->name, what, strlen(what) + 1);
    if (!source->evaluator->ctx->run || !source->evaluator->texts || span.text < 0 ||
        span.text >= source->evaluator->texts->count)
        return;
    text_place(&source->evaluator->texts->text[span.text], span.begin, &line, &column);
    snprintf(source->name, sizeof source->name, "%s %lld:%lld", what, (long long)line, (long long)column);
}

/* The compiled forms and every worker's room for them. */
static void compile(bmf_stream_source *source, bmf_expression *element, bmf_expression *predicate)
{
    source->element_expression = element;
    source->type = element->out;
    source->leaves = leaf_sizes(source->type, source->leaf_size);
    if (element->kind != BMF_EXPRESSION_ID)
        source->element = scalar_of_expression(element);
    if (predicate)
        source->predicate = scalar_of_expression(predicate);
    source->workers = source->evaluator->ctx->threads;
    source->worker = allocate_clear(source->workers, (int64_t)sizeof *source->worker);
    for (int w = 0; w < source->workers; w++) {
        bmf_stream_worker *worker = &source->worker[w];
        worker->element = source->element ? scalar_room_open(source->element) : NULL;
        worker->predicate = source->predicate ? scalar_room_open(source->predicate) : NULL;
        worker->gathered = source->packed ? NULL : allocate(room_bytes(source->inputs, source->input_size));
    }
}

int stream_open(bmf_evaluator *evaluator, bmf_expression *stream, const bmf_frame *frame, const bmf_value *x,
                bmf_stream_source *source)
{
    static const char *const names[] = {[BMF_TAIL_LIST] = "map",
                                        [BMF_TAIL_REDUCE] = "reduce",
                                        [BMF_TAIL_SCAN] = "scan",
                                        [BMF_TAIL_FILTER] = "filter",
                                        [BMF_TAIL_COUNT] = "count"};
    bool filters = stream->tail == BMF_TAIL_FILTER || stream->tail == BMF_TAIL_COUNT;
    *source = (bmf_stream_source){
        .evaluator = evaluator, .frame = frame, .stream = stream, .segments = x->count, .packed = true};
    make_name(source, names[stream->tail]);
    int status = open_head(source, x);
    if (status == BMF_OK && source->count > 0)
        compile(source, stream->child[0], filters ? stream->child[1] : NULL);
    if (status != BMF_OK)
        stream_close(source);
    return status;
}

void stream_open_plain(bmf_evaluator *evaluator, bmf_expression *scalar, const bmf_frame *frame, const bmf_value *x,
                       bmf_stream_source *source)
{
    *source = (bmf_stream_source){.evaluator = evaluator,
                                  .frame = frame,
                                  .stream = scalar,
                                  .segments = x->count,
                                  .count = x->count,
                                  .packed = true};
    make_name(source, "scalar");
    add_part(source, BMF_PLACE_PACKED, x);
    compile(source, scalar, NULL);
}

void stream_close(bmf_stream_source *source)
{
    for (int w = source->worker ? source->workers - 1 : -1; w >= 0; w--) {
        bmf_stream_worker *worker = &source->worker[w];
        scalar_room_close(worker->element);
        scalar_room_close(worker->predicate);
        free(worker->gathered);
        free(worker->staged);
    }
    free(source->worker);
    buffer_release(source->offsets);
    *source = (bmf_stream_source){0};
}

/* ---- segments ---- */

/* Segment s, or the end of all, is the first that does not begin before v. */
static bool is_first_segment(const bmf_stream_source *source, int64_t s, int64_t v)
{
    return s <= source->segments && (s == source->segments || source->offset[s] >= v) &&
           (s == 0 || source->offset[s - 1] < v);
}

/* Where all are equally long it is found at once. */
int64_t stream_first_segment(const bmf_stream_source *source, int64_t v)
{
    const int64_t length = source->segments > 0 ? source->count / source->segments : 0;
    const int64_t guess = length > 0 ? (v + length - 1) / length : 0;
    return is_first_segment(source, guess, v) ? guess : first_not_below(source->offset, source->segments, v);
}

int64_t stream_segment(const bmf_stream_source *source, int worker, int64_t v)
{
    const int64_t *offset = source->offset;
    int64_t s = source->worker[worker].segment;
    if (v < offset[s] || v >= offset[s + 1]) {
        s++;
        if (s >= source->segments || v < offset[s] || v >= offset[s + 1])
            s = stream_first_segment(source, v + 1) - 1;
        source->worker[worker].segment = s;
    }
    return s;
}

/* ---- blocks ---- */

void stream_copy_leaf(int64_t count, const bmf_slice *from, const bmf_slice *to, int64_t size)
{
    const char *source = from->data;
    char *target = to->data;
    if (source == target && from->stride == to->stride)
        return;
    if (from->stride == size && to->stride == size)
        memcpy(target, source, (size_t)(count * size));
    else if (size == 8)
        for (int64_t i = 0; i < count; i++)
            memcpy(target + i * to->stride, source + i * from->stride, 8);
    else
        for (int64_t i = 0; i < count; i++)
            memcpy(target + i * to->stride, source + i * from->stride, (size_t)size);
}

static void count_up(int64_t count, int64_t first, int64_t *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = first + i;
}

/* A leaf of a part inside segment s, from its element `at` on. */
static bmf_slice inside(const bmf_stream_source *source, const bmf_stream_part *part, int leaf, int64_t s, int64_t at)
{
    const bmf_slice *input = &source->input[leaf];
    if (part->place == BMF_PLACE_INSTANCE)
        return (bmf_slice){(char *)input->data + s * input->stride, 0};
    int64_t first = part->place == BMF_PLACE_VIEW ? part->begin[s * part->step] + at : source->offset[s] + at;
    return (bmf_slice){(char *)input->data + first * input->stride, input->stride};
}

/* The same from element v of the stream on, which is in segment s, if the source is not packed. */
static bmf_slice leaf_at(const bmf_stream_source *source, const bmf_stream_part *part, int leaf, int64_t s, int64_t v)
{
    const bmf_slice *input = &source->input[leaf];
    if (part->place == BMF_PLACE_PACKED)
        return (bmf_slice){(char *)input->data + v * input->stride, input->stride};
    return inside(source, part, leaf, s, v - source->offset[s]);
}

static void gather(const bmf_stream_source *source, const bmf_stream_part *part, int leaf, int64_t s, int64_t v,
                   int64_t count, char *to)
{
    int64_t size = source->input_size[leaf];
    for (int64_t done = 0, here; done < count; done += here, s++) {
        int64_t at = v + done - source->offset[s];
        here = source->offset[s + 1] - (v + done);
        here = here < count - done ? here : count - done;
        if (here == 0)
            continue;
        if (part->place == BMF_PLACE_NUMBERS) {
            count_up(here, at, (int64_t *)(void *)to + done);
        } else {
            bmf_slice from = inside(source, part, leaf, s, at);
            stream_copy_leaf(here, &from, &(bmf_slice){to + done * size, size}, size);
        }
    }
}

static void inputs(const bmf_stream_source *source, int worker, int64_t v, int64_t count, bmf_slice *in)
{
    int64_t s = source->packed ? 0 : stream_segment(source, worker, v);
    bool single = !source->packed && v + count <= source->offset[s + 1];
    char *room = source->worker[worker].gathered;
    for (int p = 0; p < source->parts; p++) {
        const bmf_stream_part *part = &source->part[p];
        for (int k = part->first; k < part->first + part->leaves; k++) {
            if (part->place == BMF_PLACE_PACKED || (single && part->place != BMF_PLACE_NUMBERS)) {
                in[k] = leaf_at(source, part, k, s, v);
            } else {
                gather(source, part, k, s, v, count, room);
                in[k] = (bmf_slice){room, source->input_size[k]};
            }
            if (room)
                room += padded(BMF_BLOCK * source->input_size[k]);
        }
    }
}

int64_t stream_direct(const bmf_stream_source *source, int worker, int64_t v, int64_t count, bmf_slice *in)
{
    const int64_t s = source->packed ? 0 : stream_segment(source, worker, v);
    if (!source->packed && v + count > source->offset[s + 1])
        count = source->offset[s + 1] - v;
    for (int p = 0; p < source->parts; p++) {
        const bmf_stream_part *part = &source->part[p];
        if (part->place == BMF_PLACE_NUMBERS)
            return 0;
        for (int k = part->first; k < part->first + part->leaves; k++)
            in[k] = leaf_at(source, part, k, s, v);
    }
    return count;
}

void stream_prefetch(const bmf_stream_source *source, int64_t v, int64_t count)
{
    int64_t end = v + count < source->count ? v + count : source->count;
    if (!source->packed || v >= end)
        return;
    for (int k = 0; k < source->inputs; k++) {
        const char *from = (const char *)source->input[k].data + v * source->input[k].stride;
        const char *to = (const char *)source->input[k].data + end * source->input[k].stride;
        for (; from < to; from += 64)
            __builtin_prefetch(from, 0, 2);
    }
}

static void note(const bmf_stream_source *source, int worker, const bmf_failure *failure, int64_t v)
{
    bmf_failure *first = &source->worker[worker].failure;
    int64_t element = failure->element + v;
    if (first->kind != BMF_FAILURE_NONE && first->element <= element)
        return;
    *first = *failure;
    first->element = element;
}

int stream_block(const bmf_stream_source *source, int worker, int64_t v, int64_t count, bmf_slice *out)
{
    bmf_slice in[BMF_MAX_LEAVES];
    bmf_failure failure;
    inputs(source, worker, v, count, in);
    if (!source->element) {
        for (int k = 0; k < source->leaves; k++)
            if (out[k].data)
                stream_copy_leaf(count, &in[k], &out[k], source->leaf_size[k]);
            else
                out[k] = in[k];
        return 0;
    }
    if (scalar_run(source->element, source->worker[worker].element, count, in, out, &failure) == 0)
        return 0;
    note(source, worker, &failure, v);
    return 1;
}

int stream_marks(const bmf_stream_source *source, int worker, int64_t v, int64_t count, bmf_slice *block,
                 bmf_slice *mark)
{
    bmf_failure failure;
    *mark = (bmf_slice){0};
    if (stream_block(source, worker, v, count, block) != 0) {
        /* the predicate may fail before */
        int64_t before = source->worker[worker].failure.element - v;
        memset(block, 0, (size_t)source->leaves * sizeof *block);
        if (before > 0 && stream_block(source, worker, v, before, block) == 0 &&
            scalar_run(source->predicate, source->worker[worker].predicate, before, block, mark, &failure) != 0)
            note(source, worker, &failure, v);
        return 1;
    }
    if (scalar_run(source->predicate, source->worker[worker].predicate, count, block, mark, &failure) == 0)
        return 0;
    note(source, worker, &failure, v);
    return 1;
}

void stream_staged(const bmf_stream_source *source, int worker, bmf_slice *slice)
{
    bmf_stream_worker *w = &source->worker[worker];
    if (!w->staged)
        w->staged = allocate(room_bytes(source->leaves, source->leaf_size));
    char *room = w->staged;
    for (int k = 0; k < source->leaves; k++) {
        slice[k] = (bmf_slice){room, source->leaf_size[k]};
        room += padded(BMF_BLOCK * source->leaf_size[k]);
    }
}

/* ---- pieces ---- */

/* The next cut behind `begin`, at most `end`. */
static int64_t next_cut(const bmf_stream_source *source, int64_t begin, int64_t end, int64_t grain)
{
    int64_t cut = begin + grain;
    if (cut >= end)
        return end;
    if (!source->offset)
        return cut;
    int64_t s = stream_first_segment(source, cut + 1) - 1; /* offset[s] <= cut < offset[s + 1] */
    int64_t first = source->offset[s], whole = (cut - first) / BMF_BLOCK * BMF_BLOCK;
    if (first > begin && cut - first < grain)
        return first;
    return first + whole > begin ? first + whole : cut;
}

static void cut_finer(const bmf_stream_source *source, int64_t grain, bmf_piece **piece, int64_t *pieces)
{
    int64_t count = 0, capacity = 2 * *pieces + 16;
    bmf_piece *finer = allocate(capacity * (int64_t)sizeof *finer);
    for (int64_t i = 0; i < *pieces; i++)
        for (int64_t begin = (*piece)[i].begin; begin < (*piece)[i].end; count++) {
            if (count == capacity) {
                finer = reallocate(finer, count * (int64_t)sizeof *finer, 2 * count * (int64_t)sizeof *finer);
                capacity *= 2;
            }
            finer[count] = (*piece)[i];
            finer[count].begin = begin;
            finer[count].worker = 0;
            finer[count].end = begin = next_cut(source, begin, (*piece)[i].end, grain);
        }
    free(*piece);
    *piece = finer;
    *pieces = count;
}

/* Loops take as long as their elements go round: whoever is free takes the next piece. */
static bool is_uneven(const bmf_stream_source *source)
{
    bool repeats = source->stream->repeats || source->element_expression->repeats;
    return repeats && source->count >= ALONE_REPEATING;
}

void stream_pieces(const bmf_stream_source *source, int64_t grain, bmf_piece **piece, int64_t *pieces)
{
    if (!source->offset && source->count < source->segments) { /* one element for all instances */
        *piece = allocate((int64_t)sizeof **piece);
        **piece = (bmf_piece){.processor = source->frame->run[0].processor, .end = source->count};
        *pieces = 1;
        return;
    }
    frame_pieces(source->evaluator, source->frame, source->offset, source->count, false, piece, pieces);
    if (source->count < ALONE && !is_uneven(source))
        for (int64_t i = 0; i < *pieces; i++)
            (*piece)[i].worker = 0;
    if (grain > 0 || is_uneven(source))
        cut_finer(source, is_uneven(source) ? REPEATING_GRAIN : grain, piece, pieces);
}

/* The words of an expression and those in it, with a space behind each. */
static void put_operations(const bmf_expression *expression, FILE *stream)
{
    if (expression->kind != BMF_EXPRESSION_COMP)
        fprintf(stream, "%s ", expression_keyword(expression));
    for (int k = 0; k < expression->children; k++)
        if (expression->child[k])
            put_operations(expression->child[k], stream);
}

/* What an element of the stream goes through, with its end's operator or predicate; to be freed. */
static char *list_operations(const bmf_stream_source *source)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    if (source->element_expression)
        put_operations(source->element_expression, stream);
    if (source->stream != source->element_expression && source->stream->kind == BMF_EXPRESSION_STREAM &&
        source->stream->child[1])
        put_operations(source->stream->child[1], stream);
    fclose(stream);
    return text;
}

int stream_compute(const bmf_stream_source *source, const bmf_stream_work *work)
{
    bmf_context *ctx = source->evaluator->ctx;
    char kernel[sizeof source->name + 16], *operations = ctx->names_operations ? list_operations(source) : NULL;
    if (work->step)
        snprintf(kernel, sizeof kernel, "%s %s", source->name, work->step);
    const int status = stream_run_counted(source, work,
                                          &(bmf_work){.kernel = work->step ? kernel : source->name,
                                                      .operations = operations,
                                                      .round = work->round,
                                                      .piece = work->piece,
                                                      .pieces = work->pieces,
                                                      .dynamic = work->dynamic || is_uneven(source)});
    free(operations);
    return status;
}

/* ---- failures ---- */

int stream_status(const bmf_stream_source *source)
{
    const bmf_failure *first = NULL;
    for (int w = 0; w < source->workers; w++) {
        const bmf_failure *failure = &source->worker[w].failure;
        if (failure->kind != BMF_FAILURE_NONE && (!first || failure->element < first->element))
            first = failure;
    }
    if (!first)
        return BMF_OK;
    if (!source->offset)
        return frame_fail(source->evaluator, source->frame, first);
    bmf_expression by = {.kind = source->predicate ? BMF_EXPRESSION_FILTER : BMF_EXPRESSION_MAP,
                         .span = source->stream->span};
    bmf_frame elements;
    frame_open_elements(source->frame, &by, source->offset, &elements);
    int status = frame_fail(source->evaluator, &elements, first);
    frame_close(&elements);
    return status;
}

int stream_fail_instance(const bmf_stream_source *source, bmf_expression_kind kind, bmf_failure failure)
{
    bmf_expression what = {.kind = kind, .operation = BMF_OPERATION_IOTA, .span = source->stream->span};
    if (!failure.expression)
        failure.expression = &what;
    return frame_fail(source->evaluator, source->frame, &failure);
}

static int try_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const bmf_stream_source *source = state;
    (void)index;
    for (int64_t v = piece->begin, count; v < piece->end; v += count) {
        bmf_slice block[BMF_MAX_LEAVES] = {0};
        count = piece->end - v < BMF_BLOCK ? piece->end - v : BMF_BLOCK;
        if (stream_block(source, worker, v, count, block) != 0)
            return 0;
    }
    return 0;
}

int stream_try(bmf_stream_source *source)
{
    bmf_piece *piece;
    int64_t pieces;
    stream_pieces(source, 0, &piece, &pieces);
    int status = stream_compute(
        source, &(bmf_stream_work){
                    .step = "again", .round = 1, .piece = piece, .pieces = pieces, .run = try_piece, .state = source});
    free(piece);
    return status == BMF_OK ? stream_status(source) : status;
}
