/* Partial results of reduce and scan, and one round of passing them on. */
#include "skeletons/engine/partials.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

/* A message that arrived and waits to be joined. */
typedef struct bmf_inbox {
    struct arrived {
        bmf_message message;
        char *values;
    } * arrived;
    int64_t count, capacity;
    const bmf_round *round;
    bmf_send_function *send;
    bmf_forest *own; /* forests made only to be sent, one per message under way */
    int64_t owned, own_capacity;
} bmf_inbox;

/* ---- folding the local parts ---- */

typedef struct fold_state {
    const bmf_tree *tree;
    const bmf_source *source;
    bmf_forest *forest; /* by piece */
} fold_state;

static int fold_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    fold_state *s = state;
    forest_start(&s->forest[index], piece->begin);
    return forest_fold(s->tree, &s->forest[index], &s->source->blocks, worker, piece->begin, piece->end);
}

/* Pieces of one part, left to right, become its partial result. */
static int join_pieces(bmf_partials *partials, const bmf_piece *piece, int64_t pieces, const bmf_forest *forest)
{
    const bmf_partition *partition = partials->partition;
    int code = 0;
    for (int64_t i = 0; i < pieces && code == 0; i++) {
        bmf_forest *partial = &partials->part[piece[i].part - partition->local_first].partial;
        code = forest_append(partials->tree, partial, piece[i].end, forest[i].value, false);
    }
    return code;
}

void partials_start(bmf_partials *partials, bmf_context *ctx, const bmf_tree *tree, const bmf_partition *partition,
                    uint32_t number)
{
    *partials = (bmf_partials){.ctx = ctx, .tree = tree, .partition = partition, .number = number};
    partials->part = allocate_clear(partition->local_parts, (int64_t)sizeof *partials->part);
    partials->inbox = allocate_clear(1, (int64_t)sizeof *partials->inbox);
    for (int64_t k = 0; k < partition->local_parts; k++) {
        forest_start(&partials->part[k].partial, partition->start[partition->local_first + k]);
        forest_start(&partials->part[k].prefix, partition->start[partition->local_first + k]);
    }
}

int partials_fold(bmf_partials *partials, bmf_context *ctx, const bmf_tree *tree, const bmf_partition *partition,
                  const bmf_source *source, const char *kernel, bool with_last)
{
    return partials_fold_numbered(partials, ctx, tree, partition, source, kernel, with_last, 0);
}

int partials_fold_numbered(bmf_partials *partials, bmf_context *ctx, const bmf_tree *tree,
                           const bmf_partition *partition, const bmf_source *source, const char *kernel, bool with_last,
                           uint32_t number)
{
    bmf_piece *piece;
    int64_t pieces;
    pieces_create(ctx, partition, BMF_BLOCK, &piece, &pieces);
    while (!with_last && pieces > 0 && piece[pieces - 1].part == partition->parts - 1)
        pieces--;
    partials_start(partials, ctx, tree, partition, number);
    fold_state state = {tree, source, allocate_clear(pieces, (int64_t)sizeof(bmf_forest))};
    int status = backend_compute(ctx, &(bmf_work){.kernel = kernel,
                                                  .round = number,
                                                  .piece = piece,
                                                  .pieces = pieces,
                                                  .run = fold_piece,
                                                  .state = &state,
                                                  .each = source_work(source, false)});
    if (status == BMF_OK && join_pieces(partials, piece, pieces, state.forest) != 0)
        status = bmf_fail(ctx, BMF_ERROR_KERNEL, "operator %s failed", tree->op->name);
    for (int64_t i = 0; i < pieces; i++)
        forest_free(&state.forest[i]);
    free(state.forest);
    free(piece);
    status = failure_defer(ctx, status);
    if (status != BMF_OK)
        partials_free(partials);
    return status;
}

void partials_free(bmf_partials *partials)
{
    for (int64_t k = 0; k < partials->partition->local_parts; k++) {
        bmf_partial *part = &partials->part[k];
        forest_free(&part->partial);
        forest_free(&part->prefix);
        for (int l = 0; part->saved && l < part->levels; l++)
            forest_free(&part->saved[l]);
        free(part->saved);
    }
    free(partials->part);
    free(partials->inbox->arrived);
    free(partials->inbox->own);
    free(partials->inbox);
}

/* ---- schedules ---- */

/* Of one list. */
static int64_t forest_bytes(const bmf_partials *partials, int64_t first, int64_t count)
{
    const int64_t *start = partials->partition->start;
    return forest_records(partials->tree, start[first], start[first + count]) * partials->tree->record;
}

int64_t partials_bytes(const void *state, int64_t first, int64_t count)
{
    const bmf_partials *partials = state;
    int64_t bytes = 0;
    for (int k = 0; k <= partials->besides; k++)
        bytes += forest_bytes(partials_together(partials, k), first, count);
    return bytes;
}

int64_t partials_record_bytes(const void *state, int64_t first, int64_t count)
{
    const bmf_partials *partials = state;
    int64_t bytes = 0;
    (void)first, (void)count;
    for (int k = 0; k <= partials->besides; k++)
        bytes += partials_room(partials, partials_together(partials, k)->tree->record);
    return bytes;
}

/* Parts of nested splits do not stand at regular distances: the schedule is made over item numbers and then put onto
 * their processors. */
static void generate_nested(const bmf_partials *partials, const bmf_algorithm *algorithm, bmf_schedule_request *request,
                            bmf_schedule *schedule)
{
    const bmf_partition *partition = partials->partition;
    const int first_round = schedule->rounds;
    bmf_group items = {0, 0, partition->parts};
    bmf_schedule *over_items = schedule_create(schedule->name, bmf_partition_part_from(partition, schedule->low),
                                               bmf_partition_part_from(partition, schedule->high));
    request->group = &items;
    algorithm->generate(over_items, 0, request);
    schedule_extend(schedule, first_round + over_items->rounds);
    for (int r = 0; r < over_items->rounds; r++)
        for (int64_t i = 0; i < over_items->round[r].count; i++) {
            bmf_message message = over_items->round[r].message[i];
            message.from = bmf_partition_processor(partition, message.from);
            message.to = bmf_partition_processor(partition, message.to);
            schedule_add(schedule, first_round + r, message);
        }
    schedule_free(over_items);
}

void partials_generate(const bmf_partials *partials, const bmf_algorithm *algorithm,
                       int64_t (*bytes)(const void *state, int64_t first, int64_t count), bmf_schedule *schedule)
{
    const bmf_partition *partition = partials->partition;
    bmf_schedule_request request = {.bytes = bytes, .state = partials, .cost = &partials->ctx->cost};
    if (partition->levels > 1) {
        generate_nested(partials, algorithm, &request, schedule);
        return;
    }
    bmf_group group = {partition->base, partition->levels ? partition->level[0].log2_stride : 0, partition->parts};
    request.group = &group;
    algorithm->generate(schedule, schedule->rounds, &request);
}

int64_t partials_local(const bmf_partials *partials, int64_t processor)
{
    const bmf_partition *partition = partials->partition;
    if (partition->levels == 1)
        return ((processor - partition->base) >> partition->level[0].log2_stride) - partition->local_first;
    return bmf_partition_part_from(partition, processor) - partition->local_first;
}

/* ---- one round ---- */

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    bmf_partials *partials = state;
    bmf_inbox *inbox = partials->inbox;
    if (partials->ctx->sends_marks) { /* a mark has no data */
        segment[0] = (bmf_segment){inbox, message->bytes};
        return message->bytes > 0;
    }
    const int64_t k = partials_local(partials, message->from);
    int segments = 0;
    for (int n = 0; n <= partials->besides; n++) {
        const bmf_partials *of = partials_together(partials, n);
        bmf_forest *own = &inbox->own[inbox->owned];
        const bmf_forest *sent = inbox->send(of, &of->part[k], partials->partition->local_first + k, message, own);
        inbox->owned += sent == own;
        segment[segments] = (bmf_segment){sent->value, sent->records * of->tree->record};
        segments += sent->nodes > 0;
    }
    return segments;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    bmf_partials *partials = state;
    bmf_inbox *inbox = partials->inbox;
    struct arrived *arrived = &inbox->arrived[inbox->count++];
    *arrived = (struct arrived){*message, allocate(message->bytes + 16 * partials->besides)};
    int segments = 0;
    int64_t left = message->bytes;
    char *values = arrived->values;
    for (int n = 0; n < partials->besides; n++) {
        const int64_t bytes = forest_bytes(partials_together(partials, n), message->first, message->count);
        segment[segments] = (bmf_segment){values, bytes};
        segments += bytes > 0;
        values += partials_room(partials, bytes);
        left -= bytes;
    }
    segment[segments] = (bmf_segment){values, left};
    return segments + (left > 0);
}

typedef struct join_state {
    bmf_partials *partials;
    bmf_join_function *join;
} join_state;

static int join_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const join_state *s = state;
    bmf_partials *partials = s->partials;
    const struct arrived *arrived = &partials->inbox->arrived[index];
    const bmf_partition *partition = partials->partition;
    const bmf_message *m = &arrived->message;
    const char *values = arrived->values;
    int code = 0;
    (void)worker;
    for (int n = 0; n <= partials->besides; n++) {
        const bmf_partials *of = partials_together(partials, n);
        const int failed = s->join(of, &of->part[piece->part - partition->local_first], piece->part, m,
                                   partition->start[m->first], partition->start[m->first + m->count], values);
        values += partials_room(partials, forest_bytes(of, m->first, m->count));
        code = code ? code : failed;
    }
    return code;
}

static int by_receiver_and_items(const void *a, const void *b)
{
    const struct arrived *x = a, *y = b;
    if (x->message.to != y->message.to)
        return x->message.to < y->message.to ? -1 : 1;
    return x->message.first < y->message.first ? -1 : x->message.first > y->message.first;
}

static int join_all(bmf_partials *partials, uint32_t number, bmf_join_function *join)
{
    bmf_inbox *inbox = partials->inbox;
    if (inbox->count == 0 || partials->ctx->sends_marks)
        return BMF_OK;
    /* In the order of the elements, whatever arrived first. */
    qsort(inbox->arrived, (size_t)inbox->count, sizeof *inbox->arrived, by_receiver_and_items);
    bmf_piece *piece = allocate(inbox->count * (int64_t)sizeof *piece);
    for (int64_t i = 0; i < inbox->count; i++) {
        const bmf_message *m = &inbox->arrived[i].message;
        int64_t part = partials->partition->local_first + partials_local(partials, m->to);
        piece[i] = (bmf_piece){part, m->to, 0, m->bytes / partials->tree->record, 0};
    }
    join_state state = {partials, join};
    int status = backend_compute(partials->ctx, &(bmf_work){.kernel = partials->tree->op->name,
                                                            .round = number + 1, /* 0 was the fold */
                                                            .piece = piece,
                                                            .pieces = inbox->count,
                                                            .each = {.operations = 1, .read = partials->tree->record},
                                                            .run = join_piece,
                                                            .state = &state});
    free(piece);
    return status;
}

int partials_round_begin(bmf_partials *partials, const bmf_round *round, uint32_t number, bmf_send_function *send,
                         bmf_exchange **under_way)
{
    bmf_inbox *inbox = partials->inbox;
    bmf_transfer transfer = {outgoing, incoming, partials};
    if (round->count > inbox->capacity) {
        free(inbox->arrived);
        free(inbox->own);
        inbox->arrived = allocate(round->count * (int64_t)sizeof *inbox->arrived);
        inbox->own = allocate(round->count * (int64_t)sizeof *inbox->own);
        inbox->capacity = round->count;
    }
    inbox->count = inbox->owned = 0;
    inbox->send = send;
    return backend_exchange_begin(partials->ctx, round, number, &transfer, under_way);
}

int partials_round_end(bmf_partials *partials, uint32_t number, bmf_join_function *join, bmf_exchange *under_way)
{
    bmf_inbox *inbox = partials->inbox;
    int status = backend_exchange_end(partials->ctx, under_way);
    if (status == BMF_OK)
        status = join_all(partials, number, join);
    for (int64_t i = 0; i < inbox->count; i++)
        free(inbox->arrived[i].values);
    for (int64_t i = 0; i < inbox->owned; i++)
        forest_free(&inbox->own[i]);
    return status;
}

int partials_round(bmf_partials *partials, const bmf_round *round, uint32_t number, bmf_send_function *send,
                   bmf_join_function *join)
{
    bmf_exchange *under_way;
    const int begun = partials_round_begin(partials, round, number, send, &under_way);
    if (begun == BMF_OK)
        return partials_round_end(partials, number, join, under_way);
    return begun;
}

/* ---- the usual joins ---- */

int forest_prepend(const bmf_tree *tree, bmf_forest *forest, int64_t begin, int64_t end, const char *values)
{
    bmf_forest joined;
    forest_start(&joined, begin);
    int code = forest_append(tree, &joined, end, values, false);
    int failed = forest_append(tree, &joined, forest->end, forest->value, false);
    forest_free(forest);
    *forest = joined;
    return code ? code : failed;
}

const bmf_forest *send_partial(const bmf_partials *partials, bmf_partial *part, int64_t item,
                               const bmf_message *message, bmf_forest *own)
{
    (void)partials;
    (void)item;
    (void)message;
    (void)own;
    return &part->partial;
}

int join_partial(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                 int64_t begin, int64_t end, const char *values)
{
    bmf_forest *partial = &part->partial;
    (void)item;
    (void)message;
    if (begin == partial->end)
        return forest_append(partials->tree, partial, end, values, false);
    if (end == partial->begin)
        return forest_prepend(partials->tree, partial, begin, end, values);
    forest_free(partial);
    forest_start(partial, begin);
    return forest_append(partials->tree, partial, end, values, false);
}
