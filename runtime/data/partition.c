/* Partitions: which processor holds which elements.
 *
 * Method: the processor of part k is the sum of its mixed radix digits, each shifted by its level's stride. Levels do
 * not overlap, so processors increase with k and a rank's parts are found by binary search.
 * Cost: O(parts) to create; O(levels) per processor; O(log parts) to find an element's part.
 * Source: document 000, 5.3.1 (sizes) and 5.3.4 (nested splits).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/handle.h"
#include "runtime/base/search.h"
#include "runtime/backend/backend.h"

int64_t bmf_split_start(int64_t length, int64_t parts, int64_t k)
{
    int64_t longer = length % parts;
    return k * (length / parts) + (k < longer ? k : longer);
}

/* Distance from a level's first processor to its last; INT64_MAX if it does not fit. */
static int64_t level_span(const bmf_level *level)
{
    int64_t steps = level->count - 1;
    return steps > INT64_MAX >> level->log2_stride ? INT64_MAX : steps << level->log2_stride;
}

static int64_t add_saturating(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static int check_ranges(bmf_context *ctx, int64_t base, int levels, const bmf_level *level)
{
    if (base < 0 || base >= ctx->processors)
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "there is no processor %" PRId64 ", the machine has %" PRId64, base,
                        ctx->processors);
    if (levels < 0 || levels > BMF_MAX_LEVELS)
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "splits are nested %d deep, at most %d are possible", levels,
                        BMF_MAX_LEVELS);
    for (int l = 0; l < levels; l++) {
        if (level[l].count < 1)
            return bmf_fail(ctx, BMF_ERROR_SHAPE, "split over %" PRId64 " processors: it takes at least 1",
                            level[l].count);
        if (level[l].log2_stride < 0 || level[l].log2_stride > 62)
            return bmf_fail(ctx, BMF_ERROR_SHAPE, "split with stride 2^%d: the exponent must be 0 to 62",
                            level[l].log2_stride);
    }
    return BMF_OK;
}

/* The smallest stride whose distance is larger than span. */
static int stride_above(int64_t span)
{
    int stride = 0;
    while (stride < 62 && (int64_t)1 << stride <= span)
        stride++;
    return stride;
}

/* Checks every level against what lies inside it, from the innermost out, so that the levels inside are known not to
 * overlap each other and the one to blame is the next that has several processors. */
static int check_overlap(bmf_context *ctx, int levels, const bmf_level *level)
{
    int64_t inside = 0;
    int next = levels;
    for (int l = levels - 1; l >= 0; l--) {
        if (level[l].count == 1)
            continue;
        if (next < levels && inside >= (int64_t)1 << level[l].log2_stride)
            return bmf_fail(ctx, BMF_ERROR_SHAPE,
                            "level %d, a split over %" PRId64
                            " processors with stride 2^%d, overlaps level %d inside it, "
                            "over %" PRId64 " processors with stride 2^%d: level %d needs a stride of 2^%d or more",
                            l + 1, level[l].count, level[l].log2_stride, next + 1, level[next].count,
                            level[next].log2_stride, l + 1, stride_above(inside));
        inside = add_saturating(inside, level_span(&level[l]));
        next = l;
    }
    return BMF_OK;
}

/* "8 processors with stride 2^2", or for nested splits "4 x 4 processors with strides 2^2, 2^0". */
static void print_levels(int levels, const bmf_level *level, char *text, size_t size)
{
    size_t used = 0;
    for (int l = 0; l < levels; l++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, l > 0 ? " x " : "", level[l].count);
    used += (size_t)snprintf(text + used, size - used, " processors with stride%s", levels > 1 ? "s" : "");
    for (int l = 0; l < levels; l++)
        used += (size_t)snprintf(text + used, size - used, "%s 2^%d", l > 0 ? "," : "", level[l].log2_stride);
}

static int check_reach(bmf_context *ctx, int64_t base, int levels, const bmf_level *level)
{
    int64_t last = base;
    for (int l = 0; l < levels; l++)
        last = add_saturating(last, level_span(&level[l]));
    if (last < ctx->processors)
        return BMF_OK;
    char text[64 + BMF_MAX_LEVELS * 32];
    print_levels(levels, level, text, sizeof text);
    return bmf_fail(ctx, BMF_ERROR_SHAPE,
                    "split over %s from processor %" PRId64 " needs %s%" PRId64 " processors, the machine has %" PRId64,
                    text, base, last == INT64_MAX ? "more than " : "", last == INT64_MAX ? last : last + 1,
                    ctx->processors);
}

static int check_start(bmf_context *ctx, int64_t parts, int64_t length, const int64_t *start)
{
    if (!start)
        return length >= 0 ? BMF_OK : bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a list of %" PRId64 " elements", length);
    if (start[0] != 0)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "part 0 starts at element %" PRId64 ", not 0", start[0]);
    for (int64_t k = 0; k < parts; k++)
        if (start[k] > start[k + 1])
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                            "part %" PRId64 " ends at element %" PRId64 " before its start %" PRId64, k, start[k + 1],
                            start[k]);
    return BMF_OK;
}

/* The first part whose processor is not below the given one. */
int64_t bmf_partition_part_from(const bmf_partition *partition, int64_t processor)
{
    return SEARCH_FIRST(k, 0, partition->parts, bmf_partition_processor(partition, k) >= processor);
}

int bmf_partition_create(bmf_context *ctx, int64_t base, int levels, const bmf_level *level, int64_t length,
                         const int64_t *start, bmf_partition **partition)
{
    BMF_TRY(check_ranges(ctx, base, levels, level));
    BMF_TRY(check_overlap(ctx, levels, level));
    BMF_TRY(check_reach(ctx, base, levels, level));
    int64_t parts = 1; /* the machine has a processor for each: no overflow */
    for (int l = 0; l < levels; l++)
        parts *= level[l].count;
    BMF_TRY(check_start(ctx, parts, length, start));
    bmf_partition *made = allocate_clear(1, sizeof *made);
    *made = (bmf_partition){.references = 1, .base = base, .levels = levels, .parts = parts};
    for (int l = 0; l < levels; l++)
        made->level[l] = level[l];
    made->start = allocate((parts + 1) * (int64_t)sizeof *made->start);
    for (int64_t k = 0; k <= parts; k++)
        made->start[k] = start ? start[k] : bmf_split_start(length, parts, k);
    made->local_first = bmf_partition_part_from(made, ctx->first_processor);
    made->local_parts = bmf_partition_part_from(made, ctx->first_processor + ctx->local_processors) - made->local_first;
    *partition = made;
    return BMF_OK;
}

int bmf_partition_placed(bmf_context *ctx, int64_t processor, int64_t length, bmf_partition **partition)
{
    return bmf_partition_create(ctx, processor, 0, NULL, length, NULL, partition);
}

int bmf_partition_even(bmf_context *ctx, int64_t length, bmf_partition **partition)
{
    return bmf_partition_create(ctx, 0, 1, &(bmf_level){ctx->processors, 0}, length, NULL, partition);
}

int bmf_partition_resized(bmf_context *ctx, const bmf_partition *like, const int64_t *start, bmf_partition **partition)
{
    return bmf_partition_create(ctx, like->base, like->levels, like->level, start[like->parts], start, partition);
}

int64_t bmf_partition_parts(const bmf_partition *partition)
{
    return partition->parts;
}

int64_t bmf_partition_start(const bmf_partition *partition, int64_t k)
{
    return partition->start[k];
}

int64_t bmf_partition_length(const bmf_partition *partition)
{
    return partition->start[partition->parts];
}

int64_t bmf_partition_local_parts(const bmf_partition *partition)
{
    return partition->local_parts;
}

int64_t bmf_partition_local_first(const bmf_partition *partition)
{
    return partition->local_first;
}

int64_t bmf_partition_local_begin(const bmf_partition *partition)
{
    return partition->start[partition->local_first];
}

int64_t bmf_partition_local_end(const bmf_partition *partition)
{
    return partition->start[partition->local_first + partition->local_parts];
}

bmf_partition *bmf_partition_retain(bmf_partition *partition)
{
    partition->references++;
    return partition;
}

void bmf_partition_release(bmf_partition *partition)
{
    if (!partition || --partition->references > 0)
        return;
    free(partition->start);
    handle_free(partition);
}

int64_t bmf_partition_processor(const bmf_partition *partition, int64_t k)
{
    int64_t processor = partition->base;
    for (int l = partition->levels - 1; l >= 0; l--) {
        processor += k % partition->level[l].count << partition->level[l].log2_stride;
        k /= partition->level[l].count;
    }
    return processor;
}

int64_t bmf_partition_length_on(const bmf_partition *partition, int64_t processor)
{
    int64_t k = bmf_partition_part_from(partition, processor);
    bool found = k < partition->parts && bmf_partition_processor(partition, k) == processor;
    return found ? partition->start[k + 1] - partition->start[k] : 0;
}

int64_t bmf_partition_part_of(const bmf_partition *partition, int64_t i)
{
    return SEARCH_FIRST(k, 1, partition->parts, partition->start[k] > i) - 1;
}

/* Levels that say the same processors in the fewest levels: without levels of one processor, and with a level joined
 * to the one inside it when together they are one even row. Outermost last. */
static int joined_levels(const bmf_partition *partition, bmf_level joined[BMF_MAX_LEVELS])
{
    int count = 0;
    for (int l = partition->levels - 1; l >= 0; l--) {
        bmf_level next = partition->level[l];
        if (next.count == 1)
            continue;
        bmf_level *inner = count > 0 ? &joined[count - 1] : NULL;
        if (inner && inner->count << inner->log2_stride == (int64_t)1 << next.log2_stride)
            inner->count *= next.count;
        else
            joined[count++] = next;
    }
    return count;
}

static bool same_processors(const bmf_partition *a, const bmf_partition *b)
{
    bmf_level from_a[BMF_MAX_LEVELS], from_b[BMF_MAX_LEVELS];
    int levels = joined_levels(a, from_a);
    if (a->base != b->base || levels != joined_levels(b, from_b))
        return false;
    for (int l = 0; l < levels; l++)
        if (from_a[l].count != from_b[l].count || from_a[l].log2_stride != from_b[l].log2_stride)
            return false;
    return true;
}

bool bmf_partition_equal(const bmf_partition *a, const bmf_partition *b)
{
    if (a == b)
        return true;
    return a->parts == b->parts && same_processors(a, b) &&
           memcmp(a->start, b->start, (size_t)(a->parts + 1) * sizeof *a->start) == 0;
}

char *bmf_partition_print(const bmf_partition *partition, char *text, size_t size)
{
    int64_t length = bmf_partition_length(partition), parts = partition->parts;
    const char *plural = length == 1 ? "" : "s";
    int64_t first = partition->base, last = bmf_partition_processor(partition, parts - 1);
    int64_t second = bmf_partition_processor(partition, parts > 1 ? 1 : 0);
    if (parts == 1)
        snprintf(text, size, "%" PRId64 " element%s on processor %" PRId64, length, plural, first);
    else if (parts == 2)
        snprintf(text, size, "%" PRId64 " element%s on 2 processors (%" PRId64 ", %" PRId64 ")", length, plural, first,
                 last);
    else
        snprintf(text, size,
                 "%" PRId64 " element%s on %" PRId64 " processors (%" PRId64 ", %" PRId64 ", %s%" PRId64 ")", length,
                 plural, parts, first, second, parts > 3 ? ".. " : "", last);
    return text;
}

int partition_allgather_sized(bmf_context *ctx, const bmf_partition *partition, const int64_t *size,
                              const int64_t *values, int64_t *all)
{
    int64_t *counts = allocate_clear(ctx->ranks, (int64_t)sizeof *counts), part = 0;
    for (int r = 0; r < ctx->ranks; r++)
        for (const int64_t end = bmf_partition_part_from(partition, bmf_first_processor(ctx, r + 1)); part < end;
             part++)
            counts[r] += size ? size[part] : 1;
    const int status = ctx->backend->allgather(ctx, values, counts[ctx->rank], counts, all);
    free(counts);
    return status;
}

int partition_allgather(bmf_context *ctx, const bmf_partition *partition, const int64_t *values, int64_t *all)
{
    return partition_allgather_sized(ctx, partition, NULL, values, all);
}

const char *partition_broken(const bmf_context *ctx, const bmf_partition *partition)
{
    if (partition->references < 1)
        return "a partition is used after it was freed";
    if (partition->parts < 1 || partition->start[0] != 0)
        return "a partition has no parts or does not start with element 0";
    if (partition->base < 0 || bmf_partition_processor(partition, partition->parts - 1) >= ctx->processors)
        return "a partition reaches beyond the machine";
    for (int64_t k = 0; k < partition->parts; k++) {
        if (partition->start[k] > partition->start[k + 1])
            return "a partition's starts decrease";
        if (k > 0 && bmf_partition_processor(partition, k - 1) >= bmf_partition_processor(partition, k))
            return "a partition's processors do not increase";
        bool mine = k >= partition->local_first && k < partition->local_first + partition->local_parts;
        if (mine != is_local(ctx, bmf_partition_processor(partition, k)))
            return "a partition's local parts are not those of this rank's processors";
    }
    return NULL;
}
