/* Random lists for the property tests.
 * Method: partitions are made straight from their description, columns filled leaf by leaf from records. */
#include "ctest/support/shapes.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "runtime/base/hash.h"
#include "runtime/data/list.h"

int64_t test_processors(const bmf_context *ctx, int k)
{
    const int64_t ranks = bmf_ranks(ctx);
    const int64_t processors[TEST_MACHINES] = {1, 2, 3, ranks, 2 * ranks + 1, 16};
    return processors[k];
}

int64_t test_length(uint64_t *state, int64_t processors, bool large)
{
    switch (test_below(state, 5)) {
    case 0:
        return test_below(state, processors + 2);
    case 1:
        return (INT64_C(1) << test_below(state, 14)) + test_below(state, 3) - 1;
    case 2:
        return large && test_below(state, 8) == 0 ? 1 + test_below(state, 200000) : test_below(state, 3000);
    default:
        return 1000 + test_below(state, 4000);
    }
}

static int compare_cuts(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* parts + 1 cuts of n elements: anywhere, or only at a few places, so that many parts are empty. */
static int64_t *draw_cuts(uint64_t *state, int64_t parts, int64_t n)
{
    int64_t *start = malloc((size_t)(parts + 1) * sizeof *start);
    const int64_t places = 1 + test_below(state, 4) * parts;
    for (int64_t k = 1; k < parts; k++)
        start[k] = test_below(state, places + 1) * n / places;
    start[0] = 0;
    start[parts] = n;
    qsort(start + 1, (size_t)(parts - 1), sizeof *start, compare_cuts);
    return start;
}

/* The largest stride with which `count` neighbours, each `inner` processors wide, fit into `room` processors. */
static int draw_stride(uint64_t *state, int64_t count, int64_t inner, int64_t room)
{
    int min = 0;
    while ((INT64_C(1) << min) < inner)
        min++;
    int max = min;
    while (((count - 1) << (max + 1)) + inner <= room && max < 8)
        max++;
    return min + (int)test_below(state, max - min + 1);
}

static int64_t width(int64_t count, int stride, int64_t inner)
{
    return ((count - 1) << stride) + inner;
}

/* One or two levels that fit into P processors; returns their number, and how many processors they span. */
static int draw_levels(uint64_t *state, int64_t processors, bmf_level level[2], int64_t *span)
{
    bmf_level inner = {1 + test_below(state, processors), 0};
    inner.log2_stride = draw_stride(state, inner.count, 1, processors);
    *span = width(inner.count, inner.log2_stride, 1);
    const int64_t copies = processors / *span;
    if (copies < 2 || test_below(state, 3) == 0) {
        level[0] = inner;
        return 1;
    }
    bmf_level outer = {1 + test_below(state, copies), 0};
    outer.log2_stride = draw_stride(state, outer.count, *span, processors);
    if (width(outer.count, outer.log2_stride, *span) > processors)
        outer.count = 1;
    *span = width(outer.count, outer.log2_stride, *span);
    level[0] = outer;
    level[1] = inner;
    return 2;
}

bmf_partition *test_partition(bmf_context *ctx, uint64_t *state, int64_t n)
{
    bmf_partition *partition = NULL;
    const int64_t processors = bmf_processors(ctx), kind = test_below(state, 6);
    int status;
    if (kind == 0) {
        status = bmf_partition_placed(ctx, test_below(state, processors), n, &partition);
    } else if (kind == 1) {
        status = bmf_partition_even(ctx, n, &partition);
    } else {
        bmf_level level[2];
        int64_t span, parts = 1;
        const int levels = draw_levels(state, processors, level, &span);
        for (int l = 0; l < levels; l++)
            parts *= level[l].count;
        const int64_t base = test_below(state, processors - span + 1);
        int64_t *start = kind == 2 ? NULL : draw_cuts(state, parts, n);
        status = bmf_partition_create(ctx, base, levels, level, n, start, &partition);
        free(start);
    }
    CHECK(status == BMF_OK, "partition: %s", bmf_error_text(ctx));
    return partition;
}

bmf_list *test_list(bmf_context *ctx, const bmf_type *type, bmf_partition *partition, const void *records)
{
    bmf_list *list = NULL;
    int64_t offset[BMF_MAX_LEAVES];
    const bmf_type *leaf[BMF_MAX_LEAVES];
    const int leaves = bmf_type_leaves(type, leaf);
    const int64_t size = bmf_type_record(type, offset), begin = bmf_partition_local_begin(partition);
    if (!CHECK(bmf_list_create(ctx, type, partition, &list) == BMF_OK, "list: %s", bmf_error_text(ctx)))
        return NULL;
    bmf_slice slice[BMF_MAX_LEAVES];
    column_slices(&list->column, 0, slice);
    for (int k = 0; k < leaves; k++)
        for (int64_t i = 0; i < list->column.count; i++)
            memcpy((char *)slice[k].data + i * slice[k].stride, (const char *)records + (begin + i) * size + offset[k],
                   (size_t)leaf[k]->size);
    return list;
}

bool test_same_record(const bmf_type *type, const void *a, const void *b)
{
    int64_t offset[BMF_MAX_LEAVES];
    const bmf_type *leaf[BMF_MAX_LEAVES];
    const int leaves = bmf_type_leaves(type, leaf);
    bmf_type_record(type, offset);
    for (int k = 0; k < leaves; k++)
        if (memcmp((const char *)a + offset[k], (const char *)b + offset[k], (size_t)leaf[k]->size) != 0)
            return false;
    return true;
}

/* The first local element that differs from the records (from `begin` on), or -1. */
static int64_t first_difference(const bmf_list *list, int64_t begin, const void *records)
{
    int64_t offset[BMF_MAX_LEAVES];
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
    const int leaves = bmf_type_leaves(list->type, leaf);
    const int64_t size = bmf_type_record(list->type, offset);
    column_slices(&list->column, 0, slice);
    for (int64_t i = 0; i < list->column.count; i++)
        for (int k = 0; k < leaves; k++)
            if (memcmp((const char *)slice[k].data + i * slice[k].stride,
                       (const char *)records + (begin + i) * size + offset[k], (size_t)leaf[k]->size) != 0)
                return begin + i;
    return -1;
}

void test_equal(const bmf_list *list, const bmf_partition *partition, int64_t n, const void *records, const char *what)
{
    if (!CHECK(list, "%s: no list", what))
        return;
    char text[256];
    bmf_list_print(list, text, sizeof text);
    const char *broken = column_broken(&list->column);
    CHECK(!broken, "%s: column of %s is broken: %s", what, text, broken ? broken : "");
    broken = partition_broken(list->context, list->partition);
    CHECK(!broken, "%s: partition of %s is broken: %s", what, text, broken ? broken : "");
    if (partition)
        CHECK(bmf_partition_equal(list->partition, partition), "%s: %s stands elsewhere", what, text);
    const int64_t begin = bmf_partition_local_begin(list->partition);
    if (!CHECK(bmf_length(list) == n, "%s: %s instead of %lld elements", what, text, (long long)n) ||
        !CHECK(list->column.count == bmf_partition_local_end(list->partition) - begin,
               "%s: %s has %lld elements on this rank", what, text, (long long)list->column.count))
        return;
    const int64_t i = first_difference(list, begin, records);
    CHECK(i < 0, "%s: element %lld of %s differs", what, (long long)i, text);
}

void test_refused(const bmf_context *ctx, int status, int expected, const char *part, const char *what)
{
    const char *message = bmf_error_text(ctx);
    uint64_t mine[4] = {(uint64_t)status, ~(uint64_t)status, hash_text(message), ~hash_text(message)}, largest[4];
    MPI_Allreduce(mine, largest, 4, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(largest[0] == ~largest[1], "%s: ranks disagree, %d here", what, status);
    CHECK(largest[2] == ~largest[3], "%s: messages differ, here: %s", what, message);
    CHECK(status == expected, "%s: status %d instead of %d, message: %s", what, status, expected, message);
    CHECK(strstr(message, part), "%s: \"%s\" is not in: %s", what, part, message);
}
