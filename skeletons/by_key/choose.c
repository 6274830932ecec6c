/* Which way a reduction by key takes: estimates of both.
 *
 * Method: the messages and bytes of the busiest processor, as the estimates of algorithms count them
 * (runtime/schedule/cost.h), from what every rank knows: the parts, the number of keys, the sizes of elements and
 * entries. Keys are taken to be spread evenly.
 * Cost: O(parts log parts). */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/schedule/cost.h"
#include "skeletons/by_key/methods.h"
#include "skeletons/by_key/portions.h"
#include "skeletons/engine/move.h"

static bool is_cut_anywhere(const bmf_partition *partition, int64_t length)
{
    for (int64_t k = 0; k < partition->parts; k++)
        if (shared_block_of(partition, length, k, BMF_SHARE_BEFORE) >= 0)
            return true;
    return false;
}

int64_t by_key_shared_length(const bmf_by_key *by)
{
    const bmf_partition *partition = by->values->partition;
    const int64_t length = bmf_length(by->values);
    int64_t all = by->block;
    if (!by->table.exact)
        return by->block;
    while (all < length)
        all *= 2;
    const double table = (double)by->count * (double)by->entry.record;
    const double elements =
        (double)length / (double)partition->parts * (8 + (double)type_element_bytes(by->values->type));
    return table > elements && is_cut_anywhere(partition, all) ? all : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Elements of cut blocks to the parts where these begin. */
static double late_seconds(const bmf_by_key *by)
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
    return most > 0 ? 2 * by->ctx->cost.latency + by->ctx->cost.per_byte * most : 0;
}

static double tables_seconds(const bmf_by_key *by)
{
    const int64_t parts = by->values->partition->parts, *start = by->nodes->start;
    int64_t most = 1;
    for (int64_t k = 0; k < parts; k++) {
        const int64_t records = forest_records(&by->table, start[k], start[k + 1]);
        most = records > most ? records : most;
    }
    return late_seconds(by) + rounds_seconds(&by->ctx->cost, ceil_log2(parts), (double)most * (double)by->table.record);
}

/* The results from one processor to all, or back. */
static double spread_seconds(const bmf_by_key *by)
{
    return direct_seconds(&by->ctx->cost, by->values->partition->parts, (double)by->count * (double)by->entry.record);
}

/* Elements of one part in blocks that are cut: bytes that leave it, and that come. */
static void add_shares(const bmf_by_key *by, int64_t length, int64_t part, double *messages, double *bytes)
{
    const bmf_partition *partition = by->values->partition;
    double leaving = 0, coming = 0;
    *messages = 0;
    for (int side = 0; side < BMF_SHARE_SIDES; side++) {
        const int64_t number = shared_block_of(partition, length, part, (bmf_share_side)side);
        bmf_shared_block block;
        if (number < 0)
            continue;
        shared_block_make(by, length, number, &block);
        const int64_t begin = block.begin > partition->start[part] ? block.begin : partition->start[part];
        const int64_t end = block.end < partition->start[part + 1] ? block.end : partition->start[part + 1];
        const double each = (double)shares_element_bytes(by, &block.cut), others = (double)(block.members - 1);
        leaving += (double)(end - begin) * each * others / (double)block.members;
        coming += (double)(block.end - block.begin - (end - begin)) * each / (double)block.members;
        *messages += others;
    }
    *bytes = larger(leaving, coming);
}

static double owners_seconds(const bmf_by_key *by)
{
    const bmf_cost_model *cost = &by->ctx->cost;
    const int64_t length = by_key_shared_length(by), parts = by->values->partition->parts;
    double elements = 0, entries = 0, all = 0, messages = 0, shares = 0; /* all: entries of all parts */
    for (int64_t k = 0; k < parts; k++) {
        double to, bytes, own = 0;
        bmf_portions p;
        add_shares(by, length, k, &to, &bytes);
        portions_list(by, length, k, &p);
        for (int n = 0; n < p.count; n++) {
            own += (double)(p.of[n].end - p.of[n].begin);
            messages = p.of[n].side == BMF_SHARE_SIDES ? (double)parts - 1 : messages;
        }
        elements = larger(elements, bytes);
        shares = larger(shares, to);
        entries = larger(entries, own);
        all += own;
    }
    entries = larger(entries, all / (double)parts) * (double)by->entry.record;
    messages = messages > 0 ? messages : all > (double)by->count ? all / (double)by->count : 1;
    /* As many messages come as go. */
    return (shares > 0 ? round_seconds(cost, 2 * shares, elements) + 2 * ceil_log2(parts) * cost->latency : 0) +
           round_seconds(cost, 2 * messages, entries);
}

/* Whether the first processor's rank has room for its tables. */
static bool tables_fit(const bmf_by_key *by)
{
    const double tables = 2 + (double)forest_records(&by->table, by->nodes->start[0], by->nodes->start[1]);
    return tables * (double)by->table.record < (double)by->ctx->memory_limit;
}

bool by_key_prefers_owners(bmf_by_key *by, bool placed)
{
    const bmf_partition *partition = by->values->partition;
    bmf_context *ctx = by->ctx;
    if (partition->parts == 1 || bmf_length(by->values) == 0) {
        plan_title(ctx, "reduce_by_key", by->values);
        return false;
    }
    const double at_first = tables_seconds(by) + (placed ? 0 : spread_seconds(by));
    const double at_owners = owners_seconds(by) + (placed ? spread_seconds(by) : 0);
    const char *forced = method_forced(ctx, "reduce_by_key");
    const bool owners = forced ? forced[0] == 'o' : at_owners < at_first || !tables_fit(by);
    if (plan_wanted(ctx)) {
        plan_title(ctx, "reduce_by_key", by->values);
        fprintf(ctx->plan, "  tables: about %.3g s%s\n  owners: about %.3g s%s\n", at_first, owners ? "" : ", chosen",
                at_owners, owners ? ", chosen" : "");
    }
    return owners;
}
