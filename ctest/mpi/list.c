/* Lists: what creation makes and refuses, on every rank alike, also when only some ranks run out of memory. */
#include <inttypes.h>
#include <string.h>

#include "bmf.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

static bmf_context *ctx;

static void check_print(const bmf_list *list, const char *expected)
{
    char text[256];
    CHECK(strcmp(bmf_list_print(list, text, sizeof text), expected) == 0, "printed `%s`, not `%s`", text, expected);
    for (size_t size = 1; size < 12; size++) {
        char cut[16] = "###############";
        bmf_list_print(list, cut, size);
        CHECK(strlen(cut) == size - 1 && strncmp(cut, expected, size - 1) == 0 && cut[size] == '#', "cut at %zu: `%s`",
              size, cut);
    }
}

/* A list of pairs on every second of 9 processors, whatever the ranks. */
static void test_create(void)
{
    bmf_partition *partition;
    bmf_list *list;
    const bmf_type *pair = bmf_type_pair(&bmf_type_int, &bmf_type_real);
    BMF_CHECK(bmf_partition_create(ctx, 1, 1, &(bmf_level){4, 1}, 10, NULL, &partition));
    BMF_CHECK(bmf_list_create(ctx, pair, partition, &list));
    CHECK(partition->references == 2, "the list holds no reference of its own");
    bmf_partition_release(partition);
    CHECK(list->type == pair && list->column.type == pair, "another type");
    CHECK(bmf_length(list) == 10, "length %" PRId64, bmf_length(list));
    int64_t expected = 0;
    const int64_t size[] = {3, 3, 2, 2}; /* 10 over 4 */
    for (int k = 0; k < 4; k++)
        expected += is_local(ctx, 1 + 2 * k) ? size[k] : 0;
    CHECK(list->column.count == expected, "%" PRId64 " local elements, not %" PRId64, list->column.count, expected);
    CHECK(!column_broken(&list->column), "%s", column_broken(&list->column));
    check_print(list, "[{int, real}], 10 elements on 4 processors (1, 3, .. 7)");
    bmf_list_free(list);
    bmf_list_free(NULL);
}

/* On every rank the same status and message, no list, and no reference kept. Releases the partition. */
static void check_refused(const bmf_type *type, bmf_partition *partition, int expected, const char *part)
{
    bmf_list *list = NULL;
    int status = bmf_list_create(ctx, type, partition, &list);
    CHECK(status == expected, "status %d, not %d", status, expected);
    CHECK(strstr(bmf_error_text(ctx), part), "`%s` should say `%s`", bmf_error_text(ctx), part);
    CHECK(!list, "a list was made");
    CHECK(partition->references == 1, "the partition is still held");
    bmf_partition_release(partition);
}

static bmf_partition *even(int64_t length)
{
    bmf_partition *partition;
    BMF_CHECK(bmf_partition_even(ctx, length, &partition));
    return partition;
}

static void test_refused_types(void)
{
    const bmf_type *many[BMF_MAX_LEAVES];
    for (int k = 0; k < BMF_MAX_LEAVES; k++)
        many[k] = &bmf_type_bool;
    const bmf_type *max = bmf_type_tuple(BMF_MAX_LEAVES, many);
    check_refused(bmf_type_list(&bmf_type_int), even(3), BMF_ERROR_TYPE, "a list of [int] cannot be made");
    check_refused(bmf_type_pair(max, &bmf_type_int), even(3), BMF_ERROR_TYPE, "has more than 32 scalars");
}

static void test_out_of_memory(void)
{
    check_refused(&bmf_type_real, even(INT64_MAX / 4), BMF_ERROR_MEMORY, "out of memory");
    check_refused(bmf_type_struct(1 << 20, "page"), even((int64_t)1 << 40), BMF_ERROR_MEMORY, "out of memory");
    /* Only the rank of one processor lacks memory, the others get theirs; all must hear of it from that rank. */
    for (int64_t full = 0; full < 9; full++) {
        int64_t start[10];
        char text[64];
        bmf_partition *partition;
        for (int64_t k = 0; k <= 9; k++)
            start[k] = k + (k > full ? (int64_t)1 << 58 : 0);
        BMF_CHECK(bmf_partition_create(ctx, 0, 1, &(bmf_level){9, 0}, 0, start, &partition));
        snprintf(text, sizeof text, "of 8 bytes on rank %d", bmf_rank_of(ctx, full));
        check_refused(&bmf_type_real, partition, BMF_ERROR_MEMORY, text);
    }
}

/* The lists of a step are freed and made again: they get the memory of the step before. */
static void test_steps_reuse_memory(void)
{
    bmf_partition *partition = even(9 << 19); /* 4 MiB on every processor */
    bmf_list *list;
    BMF_CHECK(bmf_list_create(ctx, &bmf_type_int, partition, &list));
    void *data = list->column.data;
    for (int step = 0; step < 3; step++) {
        bmf_list_free(list);
        BMF_CHECK(bmf_list_create(ctx, &bmf_type_int, partition, &list));
        CHECK(list->column.data == data, "step %d has fresh memory", step);
    }
    bmf_list_free(list);
    bmf_partition_release(partition);
}

int main(int argc, char **argv)
{
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    BMF_CHECK(bmf_set_processors(ctx, 9));
    test_create();
    test_refused_types();
    test_out_of_memory();
    test_steps_reuse_memory();
    int failed = test_finish();
    return bmf_close(ctx) != 0 || failed;
}
