/* Which way a reduction by key takes: estimates of both.
 *
 * Method: the messages and bytes of the busiest processor, as the estimates of algorithms count them
 * (runtime/schedule/cost.h), and its elements, from what every rank knows: the parts, the number of keys, the sizes of
 * elements and entries. Keys are taken to be spread evenly. Threads do not count: ranks may differ in them.
 * Cost: O(parts log parts). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/context/sizes.h"
#include "runtime/schedule/cost.h"
#include "skeletons/by_key/methods.h"
#include "skeletons/by_key/portions.h"
#include "skeletons/engine/move.h"

int64_t by_key_shared_length(const bmf_by_key *by)
{
    const bmf_partition *partition = by->values->partition;
    const int64_t length = bmf_length(by->values);
    int64_t all = by->block;
    if (!by->table.exact)
        return by->block;
    while (all < length)
        all *= 2;
    return by->parts_all && shares_any(partition, all) ? all : 0;
}

/* Whether a table takes more than the elements of a part, so that these had better move. */
static bool parts_all(const bmf_by_key *by)
{
    const double table = (double)by->count * (double)by->entry.record;
    return by->table.exact && table > (double)bmf_length(by->values) / (double)by->values->partition->parts *
                                          (8 + (double)type_element_bytes(by->values->type));
}

/* Of an element, into a table, and to the columns of a share; by a thread of an AMD EPYC (Zen 3). */
static const double fold_seconds = 2.5e-9, part_seconds = 5e-9;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Elements of cut blocks to the parts where these begin. */
static double late_seconds(const bmf_by_key *by, const bmf_cost_model *cost)
{
    const bmf_partition *partition = by->values->partition;
    const double bytes = 8 + (double)type_element_bytes(by->values->type);
    double most = 0, coming = 0;
    if (by->table.exact)
        return 0;
    for (int64_t k = 0, block = -1; k < partition->parts; k++) {
        const int64_t start = partition->start[k], next = by_key_block_from(by, start, partition->start[k + 1]);
        if (next == start)
            continue;
        coming = start / by->block == block ? coming : 0;
        block = start / by->block;
        coming += (double)(next - start) * bytes;
        most = larger(most, coming);
    }
    return most > 0 ? 2 * cost->latency + cost->per_byte * most : 0;
}

/* Elements of the blocks that begin in a part, or, exact, of the part. */
static double elements_of(const bmf_by_key *by, int64_t part)
{
    const int64_t *start = by->nodes->start, length = bmf_length(by->values);
    if (by->table.exact)
        return (double)(start[part + 1] - start[part]);
    return (double)((start[part + 1] * by->block < length ? start[part + 1] * by->block : length) -
                    (start[part] * by->block < length ? start[part] * by->block : length));
}

static double tables_seconds(const bmf_by_key *by, const bmf_cost_model *cost)
{
    const int64_t parts = by->values->partition->parts, *start = by->nodes->start;
    int64_t most = 1;
    double elements = 0;
    for (int64_t k = 0; k < parts; k++) {
        const int64_t records = forest_records(&by->table, start[k], start[k + 1]);
        most = records > most ? records : most;
        elements = larger(elements, elements_of(by, k));
    }
    return late_seconds(by, cost) + elements * fold_seconds +
           rounds_seconds(cost, ceil_log2(parts), (double)most * (double)by->table.record);
}

/* The results from one processor to all, or back. */
static double spread_seconds(const bmf_by_key *by, const bmf_cost_model *cost)
{
    return direct_seconds(cost, by->values->partition->parts, (double)by->count * (double)by->entry.record);
}

/* What a part has to do with blocks that are cut. */
typedef struct sharing {
    double parted, folded;            /* elements: its own, and those of its keys */
    double messages, leaving, coming; /* to others; bytes */
} sharing;

static void add_block(const bmf_by_key *by, const bmf_shared_block *block, int64_t part, sharing *s)
{
    const int64_t *start = by->values->partition->start;
    const int64_t begin = block->begin > start[part] ? block->begin : start[part];
    const int64_t end = block->end < start[part + 1] ? block->end : start[part + 1];
    const double own = (double)(end - begin), all = (double)(block->end - block->begin);
    const double each = (double)shares_element_bytes(by, &block->cut), members = (double)block->members;
    s->parted += own;
    s->folded += all / members;
    s->messages += members - 1;
    s->leaving += own * each * (members - 1) / members;
    s->coming += (all - own) * each / members;
}

static sharing sharing_of(const bmf_by_key *by, int64_t length, int64_t part)
{
    sharing s = {0};
    for (bmf_share_side side = BMF_SHARE_BEFORE; side < BMF_SHARE_SIDES; side++) {
        const int64_t number = shared_block_of(by->values->partition, length, part, side);
        bmf_shared_block block;
        if (number < 0)
            continue;
        shared_block_make(by, length, number, &block);
        add_block(by, &block, part, &s);
    }
    return s;
}

/* Entries of a part that go to their owners, and in *spread whether to all of them. */
static double entries_of(const bmf_by_key *by, int64_t length, int64_t part, bool *spread)
{
    bmf_portions p;
    double entries = 0;
    portions_list(by, length, part, &p);
    for (int n = 0; n < p.count; n++) {
        entries += (double)(p.of[n].end - p.of[n].begin);
        *spread = *spread || p.of[n].side == BMF_SHARE_SIDES;
    }
    return entries;
}

static double owners_seconds(const bmf_by_key *by, const bmf_cost_model *cost)
{
    const int64_t length = by_key_shared_length(by), parts = by->values->partition->parts;
    const int64_t *start = by->values->partition->start;
    double bytes = 0, messages = 0, computing = 0, entries = 0, all = 0; /* all: entries of all parts */
    bool spread = false;
    for (int64_t k = 0; k < parts; k++) {
        const sharing s = sharing_of(by, length, k);
        const double whole = (double)(start[k + 1] - start[k]) - s.parted, own = entries_of(by, length, k, &spread);
        bytes = larger(bytes, larger(s.leaving, s.coming));
        messages = larger(messages, s.messages);
        computing = larger(computing, (whole + s.folded) * fold_seconds + s.parted * part_seconds);
        entries = larger(entries, own);
        all += own;
    }
    const double to = spread ? (double)parts - 1 : larger(1, all / larger(1, (double)by->count));
    const double elements =
        messages > 0 ? round_seconds(cost, 2 * messages, bytes) + 2 * ceil_log2(parts) * cost->latency : 0;
    /* As many messages come as go. */
    return computing + elements +
           round_seconds(cost, 2 * to, larger(entries, all / (double)parts) * (double)by->entry.record);
}

/* Whether the first processor's rank has room for its tables. */
static bool tables_fit(const bmf_by_key *by)
{
    const double tables = 2 + (double)forest_records(&by->table, by->nodes->start[0], by->nodes->start[1]);
    return tables * (double)by->table.record < (double)by->ctx->memory_limit;
}

typedef struct estimates {
    double tables, owners; /* seconds */
} estimates;

static estimates estimate(const bmf_by_key *by, bool placed, const bmf_cost_model *cost)
{
    const double spread = spread_seconds(by, cost);
    return (estimates){tables_seconds(by, cost) + (placed ? 0 : spread),
                       owners_seconds(by, cost) + (placed ? spread : 0)};
}

static void print_way(const bmf_context *ctx, const char *name, double seconds, double assumed, bool chosen)
{
    fprintf(ctx->plan, "  %s: about %.3g s", name, seconds);
    if (ctx->assumed_cost.latency > 0)
        fprintf(ctx->plan, " on the machine, %.3g s as runs assume", assumed);
    fputs(chosen ? ", chosen\n" : "\n", ctx->plan);
}

static void print_ways(const bmf_by_key *by, bool placed, const estimates *on, bool owners)
{
    const estimates assumed = estimate(by, placed, &by->ctx->assumed_cost);
    print_way(by->ctx, "tables", on->tables, assumed.tables, !owners);
    print_way(by->ctx, "owners", on->owners, assumed.owners, owners);
}

/* What is chosen. */
typedef struct way {
    bool owners, parts_all;
} way;

static way choose(bmf_by_key *by, bool placed)
{
    const bmf_context *ctx = by->ctx;
    by->parts_all = parts_all(by);
    const estimates on = estimate(by, placed, &ctx->cost);
    const char *forced = method_forced(ctx, "reduce_by_key");
    const bool owners = forced ? strcmp(forced, "owners") == 0 : on.owners < on.tables || !tables_fit(by);
    if (plan_wanted(ctx))
        print_ways(by, placed, &on, owners);
    return (way){owners, by->parts_all};
}

/* ---- for a larger argument ---- */

/* The length of the list, where its parts begin and the keys, as they are for the larger argument. */
typedef struct larger_list {
    bmf_size_range count, *start; /* of every part, and the end */
} larger_list;

/* What would be chosen, and how the elements would be cut. */
typedef struct larger_way {
    way way;
    bool one_block, aligned; /* aligned: every part has as many whole ones, a power of two */
} larger_way;

static bool is_one_block(const bmf_by_key *by)
{
    return by->block >= bmf_length(by->values);
}

static bool is_aligned(const bmf_by_key *by)
{
    const int64_t *start = by->values->partition->start, parts = by->values->partition->parts;
    const int64_t blocks = start[1] / by->block;
    bool even = blocks > 0 && (blocks & (blocks - 1)) == 0 && (parts & (parts - 1)) == 0;
    for (int64_t k = 0; k < parts && even; k++)
        even = start[k + 1] == (k + 1) * blocks * by->block;
    return even;
}

/* Of the least or the most elements. */
static int choose_larger(const bmf_by_key *by, bool placed, const larger_list *list, bool most, larger_way *chosen)
{
    const int64_t parts = by->values->partition->parts;
    bmf_by_key larger = *by;
    bmf_list values = *by->values;
    int64_t *start = allocate_clear(parts + 1, (int64_t)sizeof *start);
    for (int64_t k = 1; k <= parts; k++) {
        const int64_t next = most ? list->start[k].high : list->start[k].low;
        start[k] = next > start[k - 1] ? next : start[k - 1];
    }
    int status = bmf_partition_resized(by->ctx, by->values->partition, start, &values.partition);
    free(start);
    BMF_TRY(status);
    const int64_t count = most ? list->count.high : list->count.low, bound = INT64_MAX / 2 / by->entry.record;
    larger.values = &values;
    larger.count = count < bound ? count : bound;
    larger.block = by_key_block(larger.count, bmf_length(&values));
    larger.table.record = by_key_record_bytes(by, larger.count);
    status = by_key_number_nodes(&larger);
    if (status == BMF_OK) {
        *chosen = (larger_way){choose(&larger, placed), is_one_block(&larger), is_aligned(&larger)};
        bmf_partition_release(larger.nodes);
    }
    bmf_partition_release(values.partition);
    return status;
}

/* Every part becomes a block. Messages are the same as of several ones a part. */
static int take_parts_as_blocks(bmf_by_key *by)
{
    const bmf_partition *partition = by->values->partition;
    by->block = partition->start[1];
    bmf_partition_release(by->nodes);
    by->nodes = NULL;
    return by_key_number_nodes(by);
}

static int choose_for_larger(bmf_by_key *by, bool placed, const larger_list *list, bool *owners)
{
    larger_way least, most;
    BMF_TRY(choose_larger(by, placed, list, false, &least));
    BMF_TRY(choose_larger(by, placed, list, true, &most));
    if (least.way.owners != most.way.owners || least.way.parts_all != most.way.parts_all)
        return sizes_refuse(by->ctx, "reduce_by_key",
                            "which way is taken differs with how many elements or keys the data leaves");
    by->parts_all = most.way.parts_all;
    *owners = most.way.owners;
    if (by->table.exact || (is_one_block(by) && least.one_block && most.one_block))
        return BMF_OK;
    if (least.aligned && most.aligned && by->values->partition->start[1] > 0) {
        BMF_TRY(take_parts_as_blocks(by));
        if (is_aligned(by))
            return BMF_OK;
    }
    return sizes_refuse(by->ctx, "reduce_by_key",
                        "its blocks of elements are cut by processors, unless the numbers of both are powers of two");
}

static int choose_grown(bmf_by_key *by, bool placed, bool *owners)
{
    bmf_context *ctx = by->ctx;
    const bmf_partition *partition = by->values->partition;
    larger_list list = {.start = allocate((partition->parts + 1) * (int64_t)sizeof *list.start)};
    int status = BMF_OK;
    list.count = size_grown(ctx, by->count);
    for (int64_t k = 0; k <= partition->parts; k++)
        list.start[k] = size_grown(ctx, partition->start[k]);
    if (sizes_are_grown(ctx))
        status = choose_for_larger(by, placed, &list, owners);
    else
        *owners = choose(by, placed).owners;
    if (*owners) /* tables are joined by an algorithm that is chosen by their size: the same numbers on both ways */
        size_grown(ctx, by->table.record);
    free(list.start);
    return status;
}

int by_key_choose_way(bmf_by_key *by, bool placed, bool *owners)
{
    *owners = false;
    plan_title(by->ctx, "reduce_by_key", by->values);
    if (by->values->partition->parts == 1 || bmf_length(by->values) == 0)
        return BMF_OK;
    if (by->ctx->sizes)
        return choose_grown(by, placed, owners);
    *owners = choose(by, placed).owners;
    return BMF_OK;
}
