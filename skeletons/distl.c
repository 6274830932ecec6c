/* distl: a tuple {value, x} for every x. Document 000, 5.4.
 *
 * Method: the packed value goes to every processor of xs by tree, pipeline, or scatter and allgather; over a nested
 * split, level by level from the outside in. It then stands there as a column of stride 0 (values with inner lists are
 * repeated). Processors of one host that get the whole value from each other share one copy.
 * Messages and bytes: see skeletons.h. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/move.h"
#include "skeletons/engine/pairing.h"
#include "skeletons/engine/plan.h"
#include "skeletons/engine/records.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_distl = {
    .id = 10, .name = "distl", .communication = BMF_COMMUNICATION_DISTL, .keyword = "P_Distl"};

/* ---- the schedule ---- */

typedef struct distl_plan {
    bmf_context *ctx;
    const bmf_partition *partition;
    int64_t bytes;
} distl_plan;

static int64_t value_bytes(const void *state, int64_t first, int64_t count)
{
    const distl_plan *plan = state;
    (void)first, (void)count;
    return plan->bytes;
}

/* Level l's groups start where the levels outside it have brought the value. */
static void generate(bmf_schedule *schedule, const bmf_algorithm *algorithm, const void *state)
{
    const distl_plan *plan = state;
    const bmf_partition *partition = plan->partition;
    int64_t inside = partition->parts;
    for (int l = 0; l < partition->levels; l++) {
        int first_round = schedule->rounds;
        int64_t step = inside;
        inside /= partition->level[l].count;
        for (int64_t part = 0; part < partition->parts; part += step) {
            bmf_group group = {bmf_partition_processor(partition, part), partition->level[l].log2_stride,
                               partition->level[l].count};
            bmf_schedule_request request = {&group, value_bytes, plan, &plan->ctx->cost};
            algorithm->generate(schedule, first_round, &request);
        }
    }
}

/* ---- who keeps the value where ---- */

enum { NOBODY = -1, SEVERAL = -2 };

typedef struct copies {
    bmf_context *ctx;
    char **at;   /* by local processor: its copy of the value, or NULL */
    bool *own;   /* whether that memory is to be freed */
    char *spare; /* any copy on this host, or NULL */
} copies;

static char *copy_at(const copies *all, int64_t processor)
{
    return all->at[processor - all->ctx->first_processor];
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    segment[0] = (bmf_segment){copy_at(state, message->from) + message->first, message->count};
    return message->count > 0;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    segment[0] = (bmf_segment){copy_at(state, message->to) + message->first, message->count};
    return message->count > 0;
}

/* The one local processor a local processor gets everything from, NOBODY, or SEVERAL (also: from other hosts). */
static int64_t *find_senders(const bmf_context *ctx, const bmf_schedule *schedule)
{
    int64_t *sender = allocate(ctx->local_processors * (int64_t)sizeof *sender);
    for (int64_t p = 0; p < ctx->local_processors; p++)
        sender[p] = NOBODY;
    for (int r = 0; r < schedule->rounds; r++)
        for (int64_t i = 0; i < schedule->round[r].count; i++) {
            const bmf_message *message = &schedule->round[r].message[i];
            if (!is_local(ctx, message->to))
                continue;
            int64_t from = is_local(ctx, message->from) ? message->from - ctx->first_processor : SEVERAL;
            int64_t *known = &sender[message->to - ctx->first_processor];
            *known = *known == NOBODY || *known == from ? from : SEVERAL;
        }
    return sender;
}

/* Senders have lower numbers than receivers, so their copies are known first. */
static void find_copies(copies *all, const bmf_schedule *schedule, char *value, int64_t processor, int64_t bytes)
{
    bmf_context *ctx = all->ctx;
    int64_t *sender = find_senders(ctx, schedule);
    all->at = allocate_clear(ctx->local_processors, (int64_t)sizeof *all->at);
    all->own = allocate_clear(ctx->local_processors, (int64_t)sizeof *all->own);
    if (is_local(ctx, processor))
        all->spare = all->at[processor - ctx->first_processor] = value;
    for (int64_t p = 0; p < ctx->local_processors; p++) {
        if (sender[p] >= 0)
            all->at[p] = all->at[sender[p]];
        if (sender[p] == SEVERAL) {
            all->at[p] = allocate(bytes);
            all->own[p] = true;
        }
        all->spare = all->at[p] ? all->at[p] : all->spare;
    }
    free(sender);
}

static void free_copies(copies *all)
{
    for (int64_t p = 0; p < all->ctx->local_processors; p++)
        if (all->own[p])
            free(all->at[p]);
    free(all->at);
    free(all->own);
}

/* ---- the skeleton ---- */

/* A column of `count` elements, all the packed one. */
static int unpack_often(const bmf_type *type, const char *packed, int64_t count, bmf_column *column)
{
    bmf_column one;
    if (count == 0)
        return column_create(type, 0, column);
    bmf_column_builder *builder = column_builder_create(type);
    if (!builder)
        return BMF_ERROR_MEMORY;
    column_builder_append(builder, packed, 1);
    BMF_TRY(column_builder_finish(builder, &one));
    return column_repeat(&one, count, column);
}

static int send_value(const bmf_list *value, const bmf_list *xs, char *packed, int64_t bytes, bmf_column *column)
{
    bmf_context *ctx = xs->context;
    distl_plan plan = {ctx, xs->partition, bytes};
    bmf_call call = {.ctx = ctx,
                     .skeleton = "distl",
                     .list = xs,
                     .choice = {.skeleton = "distl", .count = xs->partition->parts, .bytes = (double)bytes},
                     .generate = generate,
                     .state = &plan};
    bmf_schedule *schedule = plan_make(&call, NULL);
    copies all = {.ctx = ctx};
    find_copies(&all, schedule, packed, xs->partition->base, bytes);
    bmf_transfer transfer = {outgoing, incoming, &all};
    int status = BMF_OK;
    for (int r = 0; r < schedule->rounds && status == BMF_OK; r++)
        status = ctx->backend->exchange(ctx, &schedule->round[r], (uint32_t)r, &transfer);
    if (status == BMF_OK)
        status = unpack_often(value->type, all.spare, xs->column.count, column);
    free_copies(&all);
    schedule_free(schedule);
    require_memory(status, bytes);
    return status;
}

/* Packs the value where it is; *bytes is then known everywhere: one broadcast if it has inner lists. */
static int pack_value(const bmf_list *value, char **packed, int64_t *bytes)
{
    bmf_context *ctx = value->context;
    int64_t processor = value->partition->base;
    *packed = NULL;
    *bytes = is_local(ctx, processor) ? column_packed_bytes(&value->column, 0, 1) : type_element_bytes(value->type);
    if (!bmf_type_is_fixed(value->type))
        BMF_TRY(ctx->backend->bcast(ctx, processor, bytes, (int64_t)sizeof *bytes));
    if (is_local(ctx, processor)) {
        *packed = allocate(*bytes);
        column_pack(&value->column, 0, 1, *packed);
    }
    return BMF_OK;
}

static int distl(const bmf_list *value, const bmf_list *xs, bmf_list **out)
{
    char *packed;
    int64_t bytes;
    bmf_column column = {0};
    BMF_TRY(pack_value(value, &packed, &bytes));
    int status = send_value(value, xs, packed, bytes, &column);
    free(packed);
    if (status == BMF_OK)
        pair_with(&column, xs, out);
    return status;
}

int bmf_distl(const bmf_list *value, const bmf_list *xs, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    char first[256], second[256];
    BMF_TRY(check_pair_types(ctx, "distl", value->type, xs->type));
    if (value->partition->parts != 1 || bmf_length(value) != 1 || value->partition->base != xs->partition->base)
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "distl: the value, %s, is not one element on the first processor of %s",
                        bmf_list_print(value, first, sizeof first), bmf_list_print(xs, second, sizeof second));
    skeleton_begin(ctx, &skeleton_distl, "distl");
    int status = distl(value, xs, out);
    return skeleton_end(ctx, xs->partition, status);
}

int bmf_distl_value(const bmf_type *type, const void *value, const bmf_list *xs, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_column one, column;
    char text[128];
    if (!bmf_type_is_fixed(type))
        return bmf_fail(ctx, BMF_ERROR_TYPE, "distl: a value of %s has no record",
                        bmf_type_print(type, text, sizeof text));
    BMF_TRY(check_pair_types(ctx, "distl", type, xs->type));
    skeleton_begin(ctx, &skeleton_distl, "distl");
    int status = column_create(type, 1, &one);
    if (status == BMF_OK) {
        records_to_column(value, 1, &one, 1);
        status = column_repeat(&one, xs->column.count, &column);
    }
    if (status == BMF_OK)
        pair_with(&column, xs, out);
    return skeleton_end(ctx, xs->partition, status);
}
