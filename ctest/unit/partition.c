/* Partitions against a serial definition: sizes by the document's own recursion (000, 5.3.1), processors by nested
 * loops over the levels, parts of elements by walking. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"

enum { CASES = 300, MAX_PARTS = 4096 };

static bmf_context machine(int64_t processors, int64_t first, int64_t local)
{
    return (bmf_context){.ranks = 1, .processors = processors, .first_processor = first, .local_processors = local};
}

static void sizes_are_the_documents(void **state)
{
    (void)state;
    for (int64_t length = 0; length <= 70; length++)
        for (int64_t parts = 1; parts <= 40; parts++) {
            int64_t start = 0;
            for (int64_t k = 0; k < parts; k++) {
                assert_int_equal(bmf_split_start(length, parts, k), start);
                int64_t tail = length - start, left = parts - k;
                start += (tail + left - 1) / left; /* ceil(#tail / parts left) */
            }
            assert_int_equal(bmf_split_start(length, parts, parts), length);
            assert_int_equal(start, length);
        }
}

static void the_documents_example(void **state)
{
    (void)state;
    const int64_t start[] = {0, 8, 16, 24, 31}; /* 31 elements over 4: 8, 8, 8, 7 */
    for (int64_t k = 0; k <= 4; k++)
        assert_int_equal(bmf_split_start(31, 4, k), start[k]);
    assert_int_equal(bmf_split_start(INT64_MAX, 3, 2), INT64_MAX / 3 * 2 + 1); /* 2^63 - 1 leaves 1 over 3 */
}

/* The processors of nested splits, outermost first: every part so far is spread from its own processor on. */
static int64_t nested_processors(int64_t base, int levels, const bmf_level *level, int64_t processor[MAX_PARTS])
{
    int64_t parts = 1;
    processor[0] = base;
    for (int l = 0; l < levels; l++) {
        int64_t before[MAX_PARTS], count = level[l].count;
        memcpy(before, processor, (size_t)parts * sizeof before[0]);
        for (int64_t k = 0; k < parts; k++)
            for (int64_t i = 0; i < count; i++)
                processor[k * count + i] = before[k] + i * ((int64_t)1 << level[l].log2_stride);
        parts *= count;
    }
    return parts;
}

/* Levels that do not overlap, made from the innermost out; *span: from the first processor to the last. */
static int random_levels(uint64_t *seed, bmf_level level[BMF_MAX_LEVELS], int64_t *span)
{
    int levels = (int)test_below(seed, 4);
    *span = 0;
    for (int l = levels - 1; l >= 0; l--) {
        int stride = 0;
        while ((int64_t)1 << stride <= *span)
            stride++;
        level[l] = (bmf_level){1 + test_below(seed, 6), stride + (int)test_below(seed, 2)};
        *span += (level[l].count - 1) << level[l].log2_stride;
    }
    return levels;
}

static void check_parts(const bmf_context *ctx, const bmf_partition *partition, int64_t parts, const int64_t *processor)
{
    int64_t local = 0, local_elements = 0;
    assert_int_equal(partition->parts, parts);
    for (int64_t k = 0; k < parts; k++) {
        assert_int_equal(bmf_partition_processor(partition, k), processor[k]);
        bool mine = processor[k] >= ctx->first_processor && processor[k] < ctx->first_processor + ctx->local_processors;
        if (mine && local++ == 0)
            assert_int_equal(partition->local_first, k);
        local_elements += mine ? partition->start[k + 1] - partition->start[k] : 0;
    }
    assert_int_equal(partition->local_parts, local);
    assert_int_equal(bmf_partition_local_end(partition) - bmf_partition_local_begin(partition), local_elements);
    for (int64_t k = 0, i = 0; k < parts; k++)
        for (; i < partition->start[k + 1]; i++)
            assert_int_equal(bmf_partition_part_of(partition, i), k);
}

static void partitions_agree_with_nested_loops(void **state)
{
    (void)state;
    uint64_t seed = 20260101;
    int nested = 0, empty = 0;
    for (int c = 0; c < CASES; c++) {
        bmf_level level[BMF_MAX_LEVELS];
        int64_t span, processor[MAX_PARTS], start[MAX_PARTS + 1] = {0};
        int levels = random_levels(&seed, level, &span);
        int64_t base = test_below(&seed, 5), processors = base + span + 1 + test_below(&seed, 10);
        int64_t first = test_below(&seed, processors), local = test_below(&seed, processors - first + 1);
        bmf_context ctx = machine(processors, first, local);
        int64_t parts = nested_processors(base, levels, level, processor);
        bool even = test_below(&seed, 2) == 0;
        for (int64_t k = 0; k < parts; k++)
            start[k + 1] = start[k] + (test_below(&seed, 3) == 0 ? 0 : test_below(&seed, 9));
        bmf_partition *partition;
        assert_int_equal(bmf_partition_create(&ctx, base, levels, level, start[parts], even ? NULL : start, &partition),
                         BMF_OK);
        assert_null(partition_broken(&ctx, partition));
        for (int64_t k = 0; k <= parts; k++)
            assert_int_equal(partition->start[k], even ? bmf_split_start(start[parts], parts, k) : start[k]);
        check_parts(&ctx, partition, parts, processor);
        nested += levels > 1;
        empty += partition->local_parts == 0;
        bmf_partition_release(partition);
    }
    assert_true(nested > CASES / 10 && empty > CASES / 10);
}

static void refused(bmf_context *ctx, int64_t base, int levels, const bmf_level *level, const char *text)
{
    bmf_partition *partition = NULL;
    assert_int_equal(bmf_partition_create(ctx, base, levels, level, 100, NULL, &partition), BMF_ERROR_SHAPE);
    assert_string_equal(bmf_error_text(ctx), text);
    assert_null(partition);
}

static void errors_say_what_is_wrong(void **state)
{
    (void)state;
    bmf_context ctx = machine(16, 0, 16);
    refused(&ctx, 0, 1, (bmf_level[]){{8, 2}},
            "split over 8 processors with stride 2^2 from processor 0 needs 29 processors, the machine has 16");
    refused(
        &ctx, 3, 2, (bmf_level[]){{4, 2}, {4, 0}},
        "split over 4 x 4 processors with strides 2^2, 2^0 from processor 3 needs 19 processors, the machine has 16");
    refused(&ctx, 0, 2, (bmf_level[]){{2, 1}, {4, 0}},
            "level 1, a split over 2 processors with stride 2^1, overlaps level 2 inside it, over 4 processors with "
            "stride 2^0: level 1 needs a stride of 2^2 or more");
    refused(&ctx, 0, 3, (bmf_level[]){{2, 3}, {1, 0}, {3, 2}},
            "level 1, a split over 2 processors with stride 2^3, overlaps level 3 inside it, over 3 processors with "
            "stride 2^2: level 1 needs a stride of 2^4 or more");
    refused(&ctx, 16, 0, NULL, "there is no processor 16, the machine has 16");
    refused(&ctx, -1, 0, NULL, "there is no processor -1, the machine has 16");
    refused(&ctx, 0, 1, (bmf_level[]){{0, 0}}, "split over 0 processors: it takes at least 1");
    refused(&ctx, 0, 1, (bmf_level[]){{2, -1}}, "split with stride 2^-1: the exponent must be 0 to 62");
    refused(&ctx, 0, 9, (bmf_level[9]){{1, 0}}, "splits are nested 9 deep, at most 8 are possible");
    refused(&ctx, 0, 1, (bmf_level[]){{INT64_MAX, 62}},
            "split over 9223372036854775807 processors with stride 2^62 from processor 0 needs more than "
            "9223372036854775807 processors, the machine has 16");
}

static void bad_lengths_are_refused(void **state)
{
    (void)state;
    bmf_context ctx = machine(4, 0, 4);
    bmf_partition *partition = NULL;
    const bmf_level level = {4, 0};
    assert_int_equal(bmf_partition_even(&ctx, -1, &partition), BMF_ERROR_ARGUMENT);
    assert_int_equal(bmf_partition_create(&ctx, 0, 1, &level, 0, (int64_t[]){0, 2, 1, 3, 4}, &partition),
                     BMF_ERROR_ARGUMENT);
    assert_int_equal(bmf_partition_create(&ctx, 0, 1, &level, 0, (int64_t[]){1, 2, 2, 3, 4}, &partition),
                     BMF_ERROR_ARGUMENT);
    assert_null(partition);
}

static bmf_partition *make(bmf_context *ctx, int64_t base, int levels, const bmf_level *level, int64_t length)
{
    bmf_partition *partition;
    assert_int_equal(bmf_partition_create(ctx, base, levels, level, length, NULL, &partition), BMF_OK);
    return partition;
}

static void equal_means_same_processors_and_lengths(void **state)
{
    (void)state;
    bmf_context ctx = machine(32, 0, 32);
    bmf_partition *all[] = {make(&ctx, 0, 1, (bmf_level[]){{16, 0}}, 100),
                            make(&ctx, 0, 2, (bmf_level[]){{4, 2}, {4, 0}}, 100), /* the same processors 0 .. 15 */
                            make(&ctx, 0, 3, (bmf_level[]){{2, 3}, {1, 0}, {8, 0}}, 100),
                            make(&ctx, 0, 1, (bmf_level[]){{16, 0}}, 101),
                            make(&ctx, 1, 1, (bmf_level[]){{16, 0}}, 100),
                            make(&ctx, 0, 1, (bmf_level[]){{16, 1}}, 100),
                            make(&ctx, 0, 2, (bmf_level[]){{4, 3}, {4, 0}}, 100),
                            make(&ctx, 0, 0, NULL, 100)};
    const int count = sizeof all / sizeof all[0];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            assert_int_equal(bmf_partition_equal(all[i], all[j]), i == j || (i < 3 && j < 3));
    for (int i = 0; i < count; i++)
        bmf_partition_release(all[i]);
}

static void resized_keeps_the_processors(void **state)
{
    (void)state;
    bmf_context ctx = machine(8, 2, 3);
    bmf_partition *even = make(&ctx, 0, 1, (bmf_level[]){{4, 1}}, 10), *resized, *again;
    assert_int_equal(bmf_partition_resized(&ctx, even, (int64_t[]){0, 0, 7, 7, 9}, &resized), BMF_OK);
    assert_int_equal(bmf_partition_length(resized), 9);
    assert_false(bmf_partition_equal(even, resized));
    assert_int_equal(resized->local_first, 1);
    assert_int_equal(resized->local_parts, 2);
    assert_int_equal(bmf_partition_resized(&ctx, resized, even->start, &again), BMF_OK);
    assert_true(bmf_partition_equal(even, again));
    bmf_partition_release(even);
    bmf_partition_release(resized);
    bmf_partition_release(again);
}

static void broken_partitions_are_found(void **state)
{
    (void)state;
    bmf_context ctx = machine(16, 4, 8);
    bmf_partition *partition = make(&ctx, 0, 1, (bmf_level[]){{4, 2}}, 10);
    assert_null(partition_broken(&ctx, partition));
    int64_t start = partition->start[2];
    partition->start[2] = partition->start[1] - 1;
    assert_non_null(partition_broken(&ctx, partition));
    partition->start[2] = start;
    partition->start[0] = 1;
    assert_non_null(partition_broken(&ctx, partition));
    partition->start[0] = 0;
    partition->local_first--;
    assert_non_null(partition_broken(&ctx, partition));
    partition->local_first++;
    partition->level[0].log2_stride = 3;
    assert_non_null(partition_broken(&ctx, partition));
    partition->level[0].log2_stride = 2;
    assert_null(partition_broken(&ctx, partition));
    bmf_partition_release(partition);
}

static void printed(int64_t base, int levels, const bmf_level *level, int64_t length, const char *expected)
{
    bmf_context ctx = machine(64, 0, 64);
    char text[96];
    bmf_partition *partition = make(&ctx, base, levels, level, length);
    assert_string_equal(bmf_partition_print(partition, text, sizeof text), expected);
    bmf_partition_release(partition);
}

static void partitions_print_in_words(void **state)
{
    (void)state;
    printed(0, 1, (bmf_level[]){{4, 1}}, 10, "10 elements on 4 processors (0, 2, .. 6)");
    printed(0, 1, (bmf_level[]){{3, 0}}, 1, "1 element on 3 processors (0, 1, 2)");
    printed(5, 1, (bmf_level[]){{2, 3}}, 0, "0 elements on 2 processors (5, 13)");
    printed(3, 0, NULL, 10, "10 elements on processor 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_the_documents),
        cmocka_unit_test(the_documents_example),
        cmocka_unit_test(partitions_agree_with_nested_loops),
        cmocka_unit_test(errors_say_what_is_wrong),
        cmocka_unit_test(bad_lengths_are_refused),
        cmocka_unit_test(equal_means_same_processors_and_lengths),
        cmocka_unit_test(resized_keeps_the_processors),
        cmocka_unit_test(broken_partitions_are_found),
        cmocka_unit_test(partitions_print_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
