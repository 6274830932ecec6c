/* What stands around the parts of a list, brought from the parts that have it.
 *
 * Method: one round, in which every part gets the runs of elements within reach before and behind it that it does not
 * have, in the order in which it needs them. Who sends what follows from the lengths of the parts, so nobody asks. Of
 * elements that a part needs more than once (rings shorter than windows), each comes as often.
 * Cost: for parts of at least `reach` elements 2 messages a part, of `reach` elements each; a run more for every
 * further part that windows reach into. */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/language/parallel/parallel.h"
#include "skeletons/language/stencils/stencils.h"

typedef struct lacking {
    bmf_evaluator *evaluator;
    const bmf_expression *by;
    const bmf_partition *partition;
    const bmf_column *column; /* of this rank */
    int64_t reach;
    bool ring;
} lacking;

/* Elements that part `needer` has at positions [position, position + count) of the 2 reach around it, and `owner` from
 * `element` of the list on. */
typedef struct run {
    int64_t needer, position, owner, element, count;
} run;

static int64_t clamp_below(int64_t x, int64_t most)
{
    return x < most ? x : most;
}

/* The element that stands at a position around a part; -1: none. */
static int64_t element_at(const lacking *l, int64_t part, int64_t position)
{
    const int64_t *start = l->partition->start, length = start[l->partition->parts];
    const int64_t at = position < l->reach ? start[part] - l->reach + position : start[part + 1] - l->reach + position;
    if (l->ring)
        return (at % length + length) % length;
    return at >= 0 && at < length ? at : -1;
}

/* The run behind r, which begins as {0}; false: there is none. */
static bool next_run(const lacking *l, run *r)
{
    const int64_t *start = l->partition->start;
    int64_t position = r->position + r->count;
    for (int64_t needer = r->needer; needer < l->partition->parts; needer++, position = 0) {
        if (start[needer + 1] == start[needer])
            continue;
        for (; position < 2 * l->reach; position++) {
            const int64_t element = element_at(l, needer, position);
            if (element < 0)
                continue;
            const int64_t owner = last_not_above(start, l->partition->parts + 1, element);
            const int64_t side = position < l->reach ? l->reach : 2 * l->reach;
            *r = (run){needer, position, owner, element, clamp_below(side - position, start[owner + 1] - element)};
            return true;
        }
    }
    return false;
}

/* Parcel 2 reach k + p is what stands at position p around part k. */
static int64_t parcel_of(const lacking *l, const run *r)
{
    return 2 * l->reach * r->needer + r->position;
}

static bool is_here(const lacking *l, int64_t part)
{
    return part >= l->partition->local_first && part < l->partition->local_first + l->partition->local_parts;
}

static bmf_schedule *make_schedule(const lacking *l, int64_t low, int64_t high, int64_t element_bytes)
{
    bmf_schedule *schedule = schedule_create("around", low, high);
    schedule_extend(schedule, 1);
    for (run r = {0}; next_run(l, &r);)
        if (r.owner != r.needer)
            schedule_add(
                schedule, 0,
                (bmf_message){.from = bmf_partition_processor(l->partition, r.owner),
                              .to = bmf_partition_processor(l->partition, r.needer),
                              .bytes = element_bytes == BMF_BYTES_UNKNOWN ? BMF_BYTES_UNKNOWN : r.count * element_bytes,
                              .first = parcel_of(l, &r),
                              .count = r.count});
    return schedule;
}

/* Printed with --bmf-plan: the schedule of the whole evaluator. */
static void print_plan(const lacking *l, int64_t element_bytes)
{
    bmf_context *ctx = l->evaluator->ctx;
    char type[200];
    if (!ctx->plan || ctx->rank != 0)
        return;
    bmf_schedule *whole = make_schedule(l, 0, ctx->processors, element_bytes);
    fprintf(ctx->plan, "%s of %s, %" PRId64 " elements\n", expression_keyword(l->by),
            bmf_type_print(l->by->in, type, sizeof type), bmf_partition_length(l->partition));
    schedule_print(whole, 4, ctx->plan);
    fflush(ctx->plan);
    schedule_free(whole);
}

/* What this rank's parts have of what stands around parts, each run in one piece. */
static void pack(const lacking *l, bmf_parcels *parcels)
{
    const bmf_column *column = l->column;
    const int64_t first = bmf_partition_local_begin(l->partition);
    for (run r = {0}; next_run(l, &r);) {
        if (!is_here(l, r.owner))
            continue;
        int64_t bytes = 0;
        for (int64_t k = r.element - first; k < r.element - first + r.count; k++)
            bytes += parcel_bytes(parcels, column, k, k + 1);
        char *at = parcels_reserve(parcels, bytes);
        for (int64_t k = 0; k < r.count; k++) {
            const int64_t element = r.element - first + k, size = parcel_bytes(parcels, column, element, element + 1);
            parcels_pack_at(parcels, parcel_of(l, &r) + k, column, element, element + 1, at, size);
            at += size;
        }
    }
}

/* How many elements will stand around this rank's parts. */
static void count_around(const lacking *l, bmf_around *around)
{
    const int64_t parts = l->partition->local_parts, first = l->partition->local_first;
    around->begin = allocate_clear(parts + 1, (int64_t)sizeof *around->begin);
    around->before = allocate_clear(parts + 1, (int64_t)sizeof *around->before);
    for (run r = {0}; bmf_partition_length(l->partition) > 0 && next_run(l, &r);)
        if (is_here(l, r.needer)) {
            around->begin[r.needer - first + 1] += r.count;
            around->before[r.needer - first] += r.position < l->reach ? r.count : 0;
        }
    for (int64_t k = 0; k < parts; k++)
        around->begin[k + 1] += around->begin[k];
}

static int unpack(const lacking *l, const bmf_parcels *parcels, bmf_around *around)
{
    int64_t *parcel = allocate((around->begin[l->partition->local_parts] + 1) * (int64_t)sizeof *parcel), found = 0;
    for (run r = {0}; next_run(l, &r);)
        for (int64_t k = 0; k < r.count && is_here(l, r.needer); k++)
            parcel[found++] = parcel_of(l, &r) + k;
    const int status = value_from_parcels(parcels, l->column->type, parcel, found, &around->elements);
    free(parcel);
    return status;
}

/* A round on its way. */
struct bmf_around_round {
    lacking lacking;
    bmf_parcels parcels;
    bmf_schedule *schedule;
    bmf_exchange *under_way;
};

static void free_round(bmf_around *around)
{
    schedule_free(around->round->schedule);
    parcels_close(&around->round->parcels);
    free(around->round);
    around->round = NULL;
}

int around_begin(bmf_evaluator *evaluator, const bmf_expression *by, const bmf_partition *partition,
                 const bmf_column *column, int64_t reach, bool ring, bmf_around *around)
{
    bmf_context *ctx = evaluator->ctx;
    const lacking l = {evaluator, by, partition, column, reach, ring};
    *around = (bmf_around){0};
    count_around(&l, around);
    if (bmf_partition_length(partition) == 0)
        return value_empty(ctx, column->type, 0, &around->elements);
    ctx->step++;
    around->round = allocate_clear(1, (int64_t)sizeof *around->round);
    around->round->lacking = l;
    bmf_parcels *parcels = &around->round->parcels;
    parcels_open(parcels, ctx, column->type, 2 * reach * partition->parts);
    around->round->schedule =
        make_schedule(&l, ctx->first_processor, ctx->first_processor + ctx->local_processors, parcels->element_bytes);
    print_plan(&l, parcels->element_bytes);
    if (!ctx->sends_marks)
        pack(&l, parcels);
    const int status = parcels_begin(parcels, &around->round->schedule->round[0], 0, &around->round->under_way);
    if (status != BMF_OK)
        free_round(around);
    return status;
}

bmf_exchange *around_under_way(const bmf_around *around)
{
    return around->round ? around->round->under_way : NULL;
}

int around_end(bmf_around *around)
{
    if (!around->round)
        return BMF_OK;
    int status = parcels_end(&around->round->parcels, around->round->under_way);
    if (status == BMF_OK)
        status = unpack(&around->round->lacking, &around->round->parcels, around);
    free_round(around);
    return status;
}

void around_free(bmf_around *around)
{
    value_free(&around->elements);
    free(around->begin);
    free(around->before);
}
