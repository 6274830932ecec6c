/* project against columns that every rank has whole: random types, partitions and index lists; its messages and bytes
 * against their definition; its errors. */
#include "ctest/support/columns.h"

/* ---- project ---- */

typedef enum index_kind { RANDOM, REVERSED, SORTED, ONE, ROTATED, STRIDED, ALMOST, KINDS } index_kind;

static bmf_column index_column(index_kind kind, int64_t count, int64_t length)
{
    bmf_column column = random_column(&bmf_type_int, count);
    int64_t *index = column.data, one = below(length), step = count > 1 ? length / (count - 1) : 0;
    step = below(2) ? step : -step;
    for (int64_t i = 0; i < count; i++)
        index[i] = kind == RANDOM     ? below(length)
                   : kind == REVERSED ? length - 1 - i % length
                   : kind == SORTED   ? i * length / count
                   : kind == ONE      ? one
                   : kind == ROTATED  ? (one + i) % length
                                      : ((one + i * step) % length + length) % length;
    if (kind == ALMOST && count > 0)
        index[below(count)] = below(length);
    return column;
}

/* By the definition: neighbours differ by the same number modulo the length, and all together go around at most once.
 */
static bool is_progression(const int64_t *index, int64_t count, int64_t length)
{
    int64_t step = count > 1 ? (index[1] - index[0] + length) % length : 0;
    for (int64_t i = 1; i < count; i++)
        if ((index[i] - index[i - 1] + length) % length != step)
            return false;
    return (step < length - step ? step : length - step) * (count - 1) <= length;
}

/* Messages and bytes by the definition. An element wanted from another processor costs 8 bytes and itself; a pair of
 * processors with such elements costs two messages. In a progression it costs itself; elements of a fixed size that
 * stand in one part and do not pass the end cost one message, nested ones one for each pair. */
static bmf_statistics project_cost(const bmf_partition *from, const bmf_partition *to, const int64_t *index,
                                   int64_t processors, const bmf_column *whole)
{
    bmf_statistics cost = {0};
    const int64_t count = bmf_partition_length(to), length = bmf_partition_length(from);
    const bool known = is_progression(index, count, length), fixed = bmf_type_is_fixed(whole->type);
    const int64_t step = known && count > 1 ? (index[1] - index[0] + length) % length : 0;
    char *pair = calloc((size_t)(processors * processors), 1);
    int64_t before = -1; /* the pair that the element before went between */
    for (int64_t i = 0; i < count; i++) {
        int64_t asker = bmf_partition_processor(to, bmf_partition_part_of(to, i));
        int64_t owner = bmf_partition_processor(from, bmf_partition_part_of(from, index[i])), at = before;
        before = asker * processors + owner;
        if (asker == owner)
            continue;
        const bool passed = i > 0 && (2 * step > length ? index[i] > index[i - 1] : index[i] < index[i - 1]);
        cost.bytes += (known ? 0 : 8) + (fixed ? column_packed_bytes(whole, 0, 1) : 0);
        if (known && fixed)
            cost.messages += before != at || (step != 0 && passed);
        else
            cost.messages += pair[before] ? 0 : known ? 1 : 2;
        pair[before] = 1;
    }
    free(pair);
    return cost;
}

static void check_project(bmf_context *ctx, const bmf_type *type, int64_t n, int64_t m, index_kind kind)
{
    bmf_column whole = random_column(type, n), index = index_column(kind, m, n);
    bmf_partition *from = random_partition(ctx, n), *to = random_partition(ctx, m);
    bmf_list *xs = list_of(ctx, &whole, from), *indices = list_of(ctx, &index, to), *picked;
    moved(ctx);
    BMF_CHECK(bmf_project(xs, indices, &picked));
    bmf_statistics cost = moved(ctx);
    expect_elements(picked, &whole, index.data, "project");
    CHECK(bmf_partition_equal(picked->partition, to), "project");
    bmf_statistics expected = project_cost(from, to, index.data, bmf_processors(ctx), &whole);
    CHECK(cost.messages == expected.messages && (cost.bytes == expected.bytes || !bmf_type_is_fixed(type)),
          "project of kind %d, %" PRId64 " of %" PRId64 ": %" PRId64 " messages, %" PRId64 " bytes instead of %" PRId64
          ", %" PRId64,
          kind, m, n, cost.messages, cost.bytes, expected.messages, expected.bytes);
    bmf_partition_release(from);
    bmf_partition_release(to);
    bmf_list_free(xs);
    bmf_list_free(indices);
    bmf_list_free(picked);
    column_free(&whole);
    column_free(&index);
}

static void check_projects(bmf_context *ctx)
{
    for (int type = 0; type < TYPES; type++)
        for (index_kind kind = RANDOM; kind < KINDS; kind++) {
            check_project(ctx, type_number(type), 1 + below(50), below(60), kind);
            check_project(ctx, type_number(type), 100 + below(50), below(60), kind);
        }
    check_project(ctx, type_number(0), 50000, 60000, RANDOM);
    check_project(ctx, type_number(4), 30000, 30000, REVERSED);
    check_project(ctx, type_number(8), 1000, 3000, RANDOM);
    for (index_kind kind = ONE; kind < KINDS; kind++)
        check_project(ctx, &bmf_type_real, 70001, 70001, kind);
    /* lists that go past the caches, and those whose indices run up or down in part */
    for (index_kind kind = RANDOM; kind <= ONE && bmf_processors(ctx) == 1; kind++)
        check_project(ctx, &bmf_type_real, 700000, 1100000, kind);
}

/* One element a processor: a reversal sends as many messages as there are elements, that stays nothing, one element to
 * all one less. */
static void check_small_messages(bmf_context *ctx)
{
    enum { REVERSAL, IDENTITY, BROADCAST, CASES };
    const int64_t p = bmf_processors(ctx), expected[CASES] = {p - p % 2, 0, p - 1};
    bmf_column whole = random_column(&bmf_type_real, p);
    bmf_list *xs, *indices, *picked;
    int64_t *index = malloc((size_t)p * sizeof *index);
    BMF_CHECK(bmf_spread(ctx, &bmf_type_real, p, whole.data, &xs));
    for (int kind = REVERSAL; kind < CASES; kind++) {
        for (int64_t i = 0; i < p; i++)
            index[i] = kind == REVERSAL ? p - 1 - i : kind == IDENTITY ? i : p / 2;
        BMF_CHECK(bmf_spread(ctx, &bmf_type_int, p, index, &indices));
        moved(ctx);
        BMF_CHECK(bmf_project(xs, indices, &picked));
        bmf_statistics cost = moved(ctx);
        expect_elements(picked, &whole, index, "project of one element a processor");
        CHECK(cost.messages == expected[kind] && cost.bytes == 8 * expected[kind],
              "kind %d on %" PRId64 " processors: %" PRId64 " messages", kind, p, cost.messages);
        bmf_list_free(indices);
        bmf_list_free(picked);
    }
    free(index);
    bmf_list_free(xs);
    column_free(&whole);
}

static void check_project_errors(bmf_context *ctx)
{
    int64_t index[9] = {0, 9, 4, 3, 2, 1, 0, 12, -1};
    bmf_column whole = random_column(&bmf_type_real, 10);
    bmf_list *xs = placed_list(ctx, &whole, bmf_processors(ctx) - 1), *indices, *picked = NULL, *empty;
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, 9, index, &indices));
    CHECK(bmf_project(xs, indices, &picked) == BMF_ERROR_INDEX, "out of range");
    CHECK(strcmp(bmf_error_text(ctx), "index 12 at position 7 is outside a list of 10 elements") == 0, "%s",
          bmf_error_text(ctx));
    CHECK(bmf_project(indices, xs, &picked) == BMF_ERROR_TYPE, "real indices");
    CHECK(!picked, "failed calls leave the result alone");
    bmf_list_free(indices);
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, 0, index, &indices));
    BMF_CHECK(bmf_project(xs, indices, &picked));
    CHECK(bmf_length(picked) == 0, "no indices");
    bmf_list_free(picked);
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_real, 0, NULL, &empty));
    BMF_CHECK(bmf_project(empty, indices, &picked));
    CHECK(bmf_length(picked) == 0, "nothing from nothing");
    bmf_list_free(empty);
    bmf_list_free(picked);
    bmf_list_free(indices);
    bmf_list_free(xs);
    column_free(&whole);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    int64_t ranks = bmf_ranks(ctx), sizes[] = {1, 2, 3, ranks, 2 * ranks + 1, 16};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        BMF_CHECK(bmf_set_processors(ctx, sizes[k]));
        check_projects(ctx);
        check_small_messages(ctx);
        check_project_errors(ctx);
    }
    int code = test_finish();
    int closed = bmf_close(ctx);
    return code ? code : closed;
}
