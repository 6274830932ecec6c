/* The ground under the operations on distributed lists.
 *
 * Method: the lists of all contexts use one schedule, generated list by list into the same rounds. Elements travel
 * packed behind their size; a rank packs an element once and passes received ones on as they are. Between processors of one
 * rank only addresses move.
 * Cost: 8 bytes more than the data in every message for each element it carries. */
#include "skeletons/language/parallel/parallel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/skeleton_types.h"

typedef struct bmf_arrival {
    char *at;
    int64_t first, end; /* elements */
} bmf_arrival;

static const int64_t size_bytes = (int64_t)sizeof(int64_t);

/* ---- schedules over spreads ---- */

bmf_item *distribution_items(const bmf_distribution *spread)
{
    const bmf_layout *layout = spread->elements;
    bmf_item *item = allocate((layout->local_count + 1) * (int64_t)sizeof *item);
    for (int64_t n = 0, c = 0; n < layout->local_count; n++) {
        while (layout->local[n] >= spread->offsets[c + 1])
            c++;
        item[n] = (bmf_item){c, layout->local[n] - spread->offsets[c], spread->offsets[c + 1] - spread->offsets[c]};
    }
    return item;
}

/* The items of one context's list: processors are an arithmetic series, because only splits make spreads. */
static bmf_group group_of(const bmf_distribution *spread, int64_t c)
{
    const int64_t *processor = spread->elements->processor + spread->offsets[c];
    bmf_group group = {.base = processor[0], .count = spread->offsets[c + 1] - spread->offsets[c]};
    if (group.count > 1)
        while (processor[0] + ((int64_t)1 << group.stride) < processor[1])
            group.stride++;
    return group;
}

static bmf_schedule *generate_all(const bmf_distribution *spread, const char *name, bmf_group_generator *generate,
                                  int64_t low, int64_t high)
{
    bmf_schedule *schedule = schedule_create(name, low, high);
    int64_t *before = allocate(64 * (int64_t)sizeof *before);
    int status = schedule ? BMF_OK : BMF_ERROR_MEMORY;
    for (int64_t c = 0; status == BMF_OK && c < spread->contexts; c++) {
        if (spread->offsets[c + 1] == spread->offsets[c])
            continue;
        bmf_group group = group_of(spread, c);
        for (int r = 0; r < 64; r++)
            before[r] = r < schedule->rounds ? schedule->round[r].count : 0;
        status = generate(schedule, &group);
        for (int r = 0; r < schedule->rounds; r++)
            for (int64_t m = before[r]; m < schedule->round[r].count; m++)
                schedule->round[r].message[m].first += spread->offsets[c];
    }
    free(before);
    if (status == BMF_OK)
        return schedule;
    fprintf(stderr, "bmf: out of memory for a schedule\n");
    exit(1);
}

bmf_schedule *distribution_schedule(bmf_context *ctx, const bmf_distribution *spread, const char *name,
                                    bmf_group_generator *generate)
{
    return generate_all(spread, name, generate, ctx->first_processor, ctx->first_processor + ctx->local_processors);
}

void distribution_plan(bmf_evaluation *machine, const bmf_expression *expression, const bmf_distribution *spread,
                       const char *name, bmf_group_generator *generate)
{
    bmf_context *ctx = machine->ctx;
    char type[200];
    if (ctx->plan == NULL || ctx->rank != 0)
        return;
    bmf_schedule *whole = generate_all(spread, name, generate, 0, ctx->processors);
    fprintf(ctx->plan, "%s of %s, %" PRId64 " element%s of %" PRId64 " list%s\n", expression_keyword(expression),
            bmf_type_print(expression->in, type, sizeof type), spread->elements->count,
            spread->elements->count == 1 ? "" : "s", spread->contexts, spread->contexts == 1 ? "" : "s");
    schedule_print(whole, 4, ctx->plan);
    fflush(ctx->plan);
    schedule_free(whole);
}

/* ---- parcels ---- */

void parcels_open(bmf_parcels *parcels, bmf_context *ctx, int64_t elements)
{
    *parcels = (bmf_parcels){.ctx = ctx, .elements = elements};
    parcels->parcel = allocate_clear(elements + 1, (int64_t)sizeof *parcels->parcel);
}

void parcels_close(bmf_parcels *parcels)
{
    for (int64_t b = 0; b < parcels->buffers; b++)
        free(parcels->buffer[b]);
    free(parcels->buffer);
    free(parcels->arrival);
    free(parcels->parcel);
    *parcels = (bmf_parcels){0};
}

static char *keep_buffer(bmf_parcels *parcels, int64_t bytes)
{
    if (parcels->buffers == parcels->capacity) {
        int64_t old = parcels->capacity, entry = (int64_t)sizeof *parcels->buffer;
        parcels->capacity = 2 * old + 8;
        parcels->buffer = reallocate(parcels->buffer, old * entry, parcels->capacity * entry);
    }
    return parcels->buffer[parcels->buffers++] = allocate(bytes);
}

void parcels_pack(bmf_parcels *parcels, int64_t e, const bmf_column *column, int64_t begin, int64_t end)
{
    int64_t payload = column_packed_bytes(column, begin, end);
    char *at = keep_buffer(parcels, size_bytes + payload);
    memcpy(at, &payload, sizeof payload);
    column_pack(column, begin, end, at + size_bytes);
    parcels->parcel[e] = (bmf_parcel){at, size_bytes + payload};
}

void parcels_copy(bmf_parcels *parcels, int64_t from, int64_t to)
{
    parcels->parcel[to] = parcels->parcel[from];
}

static int64_t list_segments(const bmf_parcels *parcels, int64_t first, int64_t end, bmf_segment *segment)
{
    int64_t segments = 0;
    const char *expected = NULL;
    for (int64_t e = first; e < end; e++) {
        const bmf_parcel *next = &parcels->parcel[e];
        if (next->at != expected && segments++ < BMF_MAX_SEGMENTS)
            segment[segments - 1] = (bmf_segment){next->at, 0};
        if (segments <= BMF_MAX_SEGMENTS)
            segment[segments - 1].bytes += next->bytes;
        expected = next->at + next->bytes;
    }
    return segments;
}

static void join(bmf_parcels *parcels, int64_t first, int64_t end)
{
    int64_t bytes = 0;
    for (int64_t e = first; e < end; e++)
        bytes += parcels->parcel[e].bytes;
    char *at = keep_buffer(parcels, bytes);
    for (int64_t e = first; e < end; e++) {
        memcpy(at, parcels->parcel[e].at, (size_t)parcels->parcel[e].bytes);
        parcels->parcel[e].at = at;
        at += parcels->parcel[e].bytes;
    }
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    bmf_parcels *parcels = state;
    int64_t first = message->first, end = first + message->count;
    if (list_segments(parcels, first, end, segment) > BMF_MAX_SEGMENTS)
        join(parcels, first, end);
    return (int)list_segments(parcels, first, end, segment);
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    bmf_parcels *parcels = state;
    if (is_local(parcels->ctx, message->from))
        return outgoing(state, message, segment); /* this rank has it already */
    if (message->bytes == 0)
        return 0;
    if (parcels->arrivals == parcels->arrival_capacity) {
        int64_t old = parcels->arrival_capacity, entry = (int64_t)sizeof *parcels->arrival;
        parcels->arrival_capacity = 2 * old + 8;
        parcels->arrival = reallocate(parcels->arrival, old * entry, parcels->arrival_capacity * entry);
    }
    segment[0] = (bmf_segment){keep_buffer(parcels, message->bytes), message->bytes};
    parcels->arrival[parcels->arrivals++] =
        (bmf_arrival){segment[0].data, message->first, message->first + message->count};
    return 1;
}

static void cut_arrivals(bmf_parcels *parcels)
{
    for (int64_t a = 0; a < parcels->arrivals; a++) {
        char *at = parcels->arrival[a].at;
        for (int64_t e = parcels->arrival[a].first; e < parcels->arrival[a].end; e++) {
            int64_t payload;
            memcpy(&payload, at, sizeof payload);
            parcels->parcel[e] = (bmf_parcel){at, size_bytes + payload};
            at += parcels->parcel[e].bytes;
        }
    }
    parcels->arrivals = 0;
}

int parcels_exchange(bmf_parcels *parcels, const bmf_round *round, uint32_t number)
{
    bmf_transfer transfer = {outgoing, incoming, parcels};
    BMF_TRY(parcels->ctx->backend->exchange(parcels->ctx, round, number, &transfer));
    cut_arrivals(parcels);
    return BMF_OK;
}

int parcels_deliver(bmf_parcels *parcels, const bmf_round *sends, uint32_t number)
{
    bmf_transfer transfer = {outgoing, incoming, parcels};
    BMF_TRY(parcels->ctx->backend->deliver(parcels->ctx, sends, number, &transfer));
    cut_arrivals(parcels);
    return BMF_OK;
}

int parcels_unpack(const bmf_parcels *parcels, const bmf_type *type, const int64_t *element, int64_t count,
                   bmf_value *out)
{
    bmf_column column;
    bmf_column_builder *builder = column_builder_create(type);
    bool whole = builder != NULL;
    for (int64_t k = 0; whole && k < count; k++)
        whole = column_builder_append(builder, parcels->parcel[element[k]].at + size_bytes, 1) != NULL;
    if (builder != NULL && column_builder_finish(builder, &column) == BMF_OK) {
        if (whole)
            return value_from_column(parcels->ctx, &column, out);
        column_free(&column);
    }
    return bmf_fail(parcels->ctx, BMF_ERROR_MEMORY, "out of memory for received elements on rank %d",
                    parcels->ctx->rank);
}

/* ---- small parts ---- */

/* The skeleton that an expression is a call of where it communicates. */
static const bmf_skeleton_type *skeleton_of(const bmf_expression *expression)
{
    static const bmf_skeleton_type *const by_kind[] = {[BMF_EXPRESSION_MAP] = &skeleton_map,
                                                       [BMF_EXPRESSION_ZIP] = &skeleton_zip,
                                                       [BMF_EXPRESSION_REDUCE] = &skeleton_reduce,
                                                       [BMF_EXPRESSION_SCAN] = &skeleton_scan,
                                                       [BMF_EXPRESSION_SPLIT] = &skeleton_split};
    static const bmf_skeleton_type *const by_operation[] = {[BMF_OPERATION_DISTL] = &skeleton_distl,
                                                            [BMF_OPERATION_PROJECT] = &skeleton_project,
                                                            [BMF_OPERATION_INDEX] = &skeleton_index};
    return expression->kind == BMF_EXPRESSION_OP ? by_operation[expression->operation] : by_kind[expression->kind];
}

void operation_begin(bmf_evaluation *machine, const bmf_expression *expression)
{
    if (machine->quiet == 0)
        skeleton_begin(machine->ctx, skeleton_of(expression), "%s", expression_keyword(expression));
}

int operation_end(bmf_evaluation *machine, int status)
{
    return machine->quiet == 0 ? skeleton_end(machine->ctx, NULL, status) : status;
}

void value_distribute(int64_t count, bmf_distribution *spread, bmf_value *child, bmf_value *out)
{
    *out = (bmf_value){.type = bmf_type_distributed(child->type), .count = count, .spread = spread};
    out->child = allocate_clear(1, (int64_t)sizeof *out->child);
    value_move(child, out->child);
}

int value_from_parts(bmf_list *list, bmf_value *parts)
{
    const bmf_partition *partition = list->partition;
    int64_t local = partition->local_parts, first = bmf_partition_local_begin(partition);
    bmf_buffer *offsets = buffer_create((local + 1) * (int64_t)sizeof(int64_t));
    bmf_column column = list->column;
    bmf_value child;
    list->column = (bmf_column){0};
    if (offsets == NULL) {
        column_free(&column);
        return bmf_fail(list->context, BMF_ERROR_MEMORY, "out of memory for %" PRId64 " lists", local);
    }
    for (int64_t k = 0; k <= local; k++)
        ((int64_t *)offsets->data)[k] = partition->start[partition->local_first + k] - first;
    int status = value_from_column(list->context, &column, &child);
    if (status == BMF_OK)
        return value_create_list(list->context, local, offsets, &child, parts);
    buffer_release(offsets);
    return status;
}

int value_pair(bmf_context *ctx, bmf_value *a, bmf_value *b, bmf_value *out)
{
    bmf_value component[2] = {{0}, {0}};
    value_move(a, &component[0]);
    value_move(b, &component[1]);
    return value_create_tuple(ctx, 2, component, out);
}
