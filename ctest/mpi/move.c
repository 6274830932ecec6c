/* The skeletons that only move data, against columns that every rank has whole: random types, partitions, algorithms,
 * with more processors than ranks and fewer. */
#include "ctest/support/columns.h"

/* ---- split and gather ---- */

/* Document 000, 5.3.1, word for word: the first part has ceil(#list / p), then the tail is split over p - 1. */
static void expect_document_sizes(const bmf_partition *partition, int64_t first, int64_t parts)
{
    int64_t tail = partition->start[first + parts] - partition->start[first];
    for (int64_t k = 0; k < parts; k++) {
        int64_t left = parts - k, size = (tail + left - 1) / left;
        CHECK(partition->start[first + k + 1] - partition->start[first + k] == size, "part %" PRId64 " of %" PRId64, k,
              parts);
        tail -= size;
    }
}

/* Over all processors of the machine, or over some. */
static void check_split(bmf_context *ctx, const bmf_type *type, int64_t n, const char *algorithm, const char *back,
                        bool all)
{
    int64_t processors = bmf_processors(ctx), base = all ? 0 : below(processors);
    int stride = all ? 0 : (int)below(3);
    int64_t parts = all ? processors : 1 + below(((processors - 1 - base) >> stride) + 1);
    bmf_column whole = random_column(type, n);
    bmf_list *placed = placed_list(ctx, &whole, base), *split, *gathered;
    BMF_CHECK(bmf_set_schedule(ctx, "split", algorithm));
    BMF_CHECK(bmf_set_schedule(ctx, "gather", back));
    moved(ctx);
    BMF_CHECK(bmf_split(placed, parts, stride, &split));
    CHECK(moved(ctx).messages == parts - 1, "split over %" PRId64, parts);
    expect_elements(split, &whole, NULL, algorithm);
    CHECK(split->partition->base == base && split->partition->parts == parts, "split");
    CHECK(bmf_partition_processor(split->partition, parts - 1) == base + ((parts - 1) << stride), "stride");
    expect_document_sizes(split->partition, 0, parts);
    moved(ctx);
    BMF_CHECK(bmf_gather(split, &gathered));
    bmf_statistics cost = moved(ctx);
    CHECK(cost.messages == parts - 1, "gather of %" PRId64, parts);
    if (bmf_type_is_fixed(type) && strcmp(back, "direct") == 0) {
        int64_t bytes_moved = column_packed_bytes(&whole, split->partition->start[1], n);
        CHECK(cost.bytes == bytes_moved, "%" PRId64 " instead of %" PRId64 " bytes", cost.bytes, bytes_moved);
    }
    expect_elements(gathered, &whole, NULL, back);
    CHECK(bmf_partition_equal(gathered->partition, placed->partition), "gather undoes split");
    bmf_list_free(placed);
    bmf_list_free(split);
    bmf_list_free(gathered);
    column_free(&whole);
}

static void check_splits(bmf_context *ctx)
{
    static const char *const algorithm[3] = {"tree", "direct", NULL}, *const back[3] = {"levels", "direct", NULL};
    for (int type = 0; type < TYPES; type++)
        for (int a = 0; a < 2; a++) {
            check_split(ctx, type_number(type), below(3) ? below(60) : below(4), algorithm[a], back[below(2)], false);
            check_split(ctx, type_number(type), below(60), algorithm[a], back[a], true);
        }
    for (int a = 0; a < 2; a++) { /* pieces too long to travel packed together */
        check_split(ctx, type_number(4), 40000 + below(10000), algorithm[a], back[a], true);
        check_split(ctx, type_number(0), 80000 + below(10000), algorithm[a], back[a], false);
        check_split(ctx, type_number(6), 10000 + below(3000), algorithm[a], back[a], true);
    }
    BMF_CHECK(bmf_set_schedule(ctx, "split", NULL));
    BMF_CHECK(bmf_set_schedule(ctx, "gather", NULL));
}

/* Document 000, 5.3.4: splits inside splits, and back. */
static void check_nested_splits(bmf_context *ctx, const char *algorithm, const char *back, int type)
{
    static const bmf_level level[3] = {{2, 3}, {2, 2}, {3, 0}};
    bmf_column whole = random_column(type_number(type), 30 + below(40));
    bmf_list *list[7];
    BMF_CHECK(bmf_set_schedule(ctx, "split", algorithm));
    BMF_CHECK(bmf_set_schedule(ctx, "gather", back));
    list[0] = placed_list(ctx, &whole, 1);
    for (int l = 0; l < 3; l++) {
        int64_t groups = list[l]->partition->parts;
        moved(ctx);
        BMF_CHECK(bmf_split(list[l], level[l].count, level[l].log2_stride, &list[l + 1]));
        CHECK(moved(ctx).messages == groups * (level[l].count - 1), "level %d", l);
        expect_elements(list[l + 1], &whole, NULL, "nested split");
        for (int64_t g = 0; g < groups; g++) {
            int64_t first = g * level[l].count;
            expect_document_sizes(list[l + 1]->partition, first, level[l].count);
            CHECK(list[l + 1]->partition->start[first] == list[l]->partition->start[g], "group %" PRId64, g);
            CHECK(bmf_partition_processor(list[l + 1]->partition, first) ==
                      bmf_partition_processor(list[l]->partition, g),
                  "group %" PRId64, g);
        }
    }
    for (int l = 3; l > 0; l--) {
        BMF_CHECK(bmf_gather(list[6 - l], &list[7 - l]));
        expect_elements(list[7 - l], &whole, NULL, "nested gather");
        CHECK(bmf_partition_equal(list[7 - l]->partition, list[l - 1]->partition), "level %d undone", l);
    }
    for (int k = 0; k < 7; k++)
        bmf_list_free(list[k]);
    column_free(&whole);
    BMF_CHECK(bmf_set_schedule(ctx, "split", NULL));
    BMF_CHECK(bmf_set_schedule(ctx, "gather", NULL));
}

/* The document's 4 x 4 matrix stands one element to a processor. */
static void check_document_matrix(bmf_context *ctx)
{
    bmf_list *placed, *rows, *elements;
    int64_t matrix[16];
    for (int64_t i = 0; i < 16; i++)
        matrix[i] = i * i;
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 16, matrix, &placed));
    BMF_CHECK(bmf_split(placed, 4, 2, &rows));
    BMF_CHECK(bmf_split(rows, 4, 0, &elements));
    CHECK(elements->partition->parts == 16, "4 x 4");
    for (int64_t k = 0; k < 16; k++) {
        CHECK(bmf_partition_processor(elements->partition, k) == k, "processor %" PRId64, k);
        if (is_local(ctx, k))
            CHECK(((int64_t *)elements->column.data)[k - ctx->first_processor] == matrix[k], "element %" PRId64, k);
    }
    bmf_list_free(placed);
    bmf_list_free(rows);
    bmf_list_free(elements);
}

/* ---- other partitions ---- */

/* What no message may carry twice: elements whose processor changes. */
static int64_t elements_that_move(const bmf_partition *from, const bmf_partition *to)
{
    int64_t count = 0;
    for (int64_t i = 0; i < bmf_partition_length(from); i++)
        count += bmf_partition_processor(from, bmf_partition_part_of(from, i)) !=
                 bmf_partition_processor(to, bmf_partition_part_of(to, i));
    return count;
}

static void check_redistribute(bmf_context *ctx, const bmf_type *type, int64_t n)
{
    bmf_column whole = random_column(type, n);
    bmf_partition *from = random_partition(ctx, n), *to = random_partition(ctx, n), *even;
    bmf_list *xs = list_of(ctx, &whole, from), *like = list_of(ctx, &whole, to), *moved_list, *balanced;
    moved(ctx);
    BMF_CHECK(bmf_redistribute(xs, like, &moved_list));
    bmf_statistics cost = moved(ctx);
    if (bmf_type_is_fixed(type) && n > 0)
        CHECK(cost.bytes == elements_that_move(from, to) * column_packed_bytes(&whole, 0, 1), "%" PRId64 " bytes",
              cost.bytes);
    expect_elements(moved_list, &whole, NULL, "redistribute");
    CHECK(bmf_partition_equal(moved_list->partition, to), "redistribute");
    BMF_CHECK(bmf_rebalance(moved_list, &balanced));
    expect_elements(balanced, &whole, NULL, "rebalance");
    BMF_CHECK(bmf_partition_even(ctx, n, &even));
    CHECK(bmf_partition_equal(balanced->partition, even), "rebalance");
    bmf_partition_release(from);
    bmf_partition_release(to);
    bmf_partition_release(even);
    bmf_list_free(xs);
    bmf_list_free(like);
    bmf_list_free(moved_list);
    bmf_list_free(balanced);
    column_free(&whole);
}

static void check_concatenate(bmf_context *ctx, const bmf_type *type, int64_t n, int64_t m)
{
    bmf_column whole = random_column(type, n + m), first, second;
    column_view(&whole, 0, n, &first);
    column_view(&whole, n, m, &second);
    bmf_partition *a = random_partition(ctx, n), *b = random_partition(ctx, m);
    bmf_list *xs = list_of(ctx, &first, a), *ys = list_of(ctx, &second, b), *both;
    BMF_CHECK(bmf_concatenate(xs, ys, &both));
    expect_elements(both, &whole, NULL, "concatenate");
    CHECK(both->partition->base == a->base && both->partition->parts == a->parts, "concatenate");
    expect_document_sizes(both->partition, 0, a->parts);
    bmf_partition_release(a);
    bmf_partition_release(b);
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_list_free(both);
    column_free(&first);
    column_free(&second);
    column_free(&whole);
}

static void check_recuts(bmf_context *ctx)
{
    for (int type = 0; type < TYPES; type++) {
        check_redistribute(ctx, type_number(type), below(60));
        check_concatenate(ctx, type_number(type), below(40), below(40));
    }
    check_redistribute(ctx, type_number(4), 30000);
    check_redistribute(ctx, type_number(8), 3000);
    check_concatenate(ctx, type_number(1), 30000, 20000);
}

/* ---- distl ---- */

static void expect_pairs(const bmf_list *pairs, const bmf_column *value, const bmf_column *whole, const char *what)
{
    bmf_list *values, *rest;
    int64_t *zeros = calloc((size_t)whole->count + 1, sizeof *zeros);
    BMF_CHECK(bmf_component(pairs, 0, &values));
    BMF_CHECK(bmf_component(pairs, 1, &rest));
    expect_elements(values, value, zeros, what);
    expect_elements(rest, whole, NULL, what);
    bmf_list_free(values);
    bmf_list_free(rest);
    free(zeros);
}

static void check_distl(bmf_context *ctx, const char *algorithm, const bmf_type *type, const bmf_list *xs,
                        const bmf_column *whole)
{
    bmf_column value = random_column(type, 1);
    bmf_list *placed = placed_list(ctx, &value, xs->partition->base), *pairs;
    BMF_CHECK(bmf_set_schedule(ctx, "distl", algorithm));
    moved(ctx);
    BMF_CHECK(bmf_distl(placed, xs, &pairs));
    bmf_statistics cost = moved(ctx);
    if (strcmp(algorithm, "tree") == 0) {
        int64_t copies = xs->partition->parts - 1;
        CHECK(cost.messages == copies && cost.bytes == copies * column_packed_bytes(&value, 0, 1),
              "distl tree: %" PRId64 " messages, %" PRId64 " bytes", cost.messages, cost.bytes);
    }
    expect_pairs(pairs, &value, whole, algorithm);
    if (bmf_type_is_fixed(type) && type->components == 0 && pairs->column.count > 0)
        CHECK(pairs->column.child[0].stride == 0, "one copy of the value");
    bmf_list_free(placed);
    bmf_list_free(pairs);
    column_free(&value);
}

static void check_distls(bmf_context *ctx)
{
    static const char *const algorithm[3] = {"tree", "pipeline", "scatter_allgather"};
    for (int type = 0; type < TYPES; type++)
        for (int a = 0; a < 3; a++) {
            bmf_column whole = random_column(type_number((type + a) % TYPES), below(50));
            bmf_partition *partition = random_partition(ctx, whole.count);
            bmf_list *xs = list_of(ctx, &whole, partition);
            check_distl(ctx, algorithm[a], type_number(type), xs, &whole);
            check_distl(ctx, algorithm[a], bmf_type_struct(300000 + below(1000), "large"), xs, &whole);
            bmf_list_free(xs);
            bmf_partition_release(partition);
            column_free(&whole);
        }
    BMF_CHECK(bmf_set_schedule(ctx, "distl", NULL));
}

/* A value over a nested split goes level by level. */
static void check_nested_distl(bmf_context *ctx, const char *algorithm)
{
    bmf_column whole = random_column(type_number(1), 40);
    bmf_list *placed = placed_list(ctx, &whole, 1), *rows, *elements;
    BMF_CHECK(bmf_split(placed, 3, 2, &rows));
    BMF_CHECK(bmf_split(rows, 3, 0, &elements));
    check_distl(ctx, algorithm, type_number(7), elements, &whole);
    check_distl(ctx, algorithm, type_number(4), elements, &whole);
    bmf_list_free(placed);
    bmf_list_free(rows);
    bmf_list_free(elements);
    column_free(&whole);
    BMF_CHECK(bmf_set_schedule(ctx, "distl", NULL));
}

/* Broadcast columns through everything that sends. */
static void check_broadcast(bmf_context *ctx)
{
    struct record {
        int64_t number;
        double real;
    } constant = {7, 0.25};
    const bmf_type *type = bmf_type_pair(&bmf_type_int, &bmf_type_real);
    bmf_column whole = random_column(&bmf_type_bool, 20 + below(20)), value = random_column(type, 1);
    ((int64_t *)value.child[0].data)[0] = constant.number;
    ((double *)value.child[1].data)[0] = constant.real;
    bmf_list *placed = placed_list(ctx, &whole, 0), *pairs, *split, *back, *gathered, *picked;
    int64_t reversed[64];
    for (int64_t i = 0; i < whole.count; i++)
        reversed[i] = whole.count - 1 - i;
    bmf_list *indices;
    BMF_CHECK(bmf_distl_value(type, &constant, placed, &pairs));
    expect_pairs(pairs, &value, &whole, "distl_value");
    BMF_CHECK(bmf_split(pairs, bmf_processors(ctx), 0, &split));
    expect_pairs(split, &value, &whole, "split of a broadcast");
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, whole.count, reversed, &indices));
    BMF_CHECK(bmf_project(pairs, indices, &picked));
    BMF_CHECK(bmf_project(picked, indices, &back));
    expect_pairs(back, &value, &whole, "project of a broadcast");
    BMF_CHECK(bmf_gather(back, &gathered));
    expect_pairs(gathered, &value, &whole, "gather");
    bmf_list_free(placed);
    bmf_list_free(pairs);
    bmf_list_free(split);
    bmf_list_free(indices);
    bmf_list_free(picked);
    bmf_list_free(back);
    bmf_list_free(gathered);
    column_free(&whole);
    column_free(&value);
}

/* ---- lists of lists, records, errors ---- */

static void check_nest(bmf_context *ctx, const bmf_type *element)
{
    bmf_column whole = random_column(bmf_type_list(element), below(50));
    bmf_partition *partition = random_partition(ctx, whole.count);
    bmf_list *xss = list_of(ctx, &whole, partition), *flat, *lengths, *nested;
    BMF_CHECK(bmf_flatten(xss, &flat));
    expect_elements(flat, &whole.child[0], NULL, "flatten");
    BMF_CHECK(bmf_lengths(xss, &lengths));
    for (int64_t i = 0; i < lengths->column.count; i++) {
        int64_t at = bmf_partition_local_begin(partition) + i;
        CHECK(((int64_t *)lengths->column.data)[i] == whole.offsets[at + 1] - whole.offsets[at], "lengths");
    }
    BMF_CHECK(bmf_nest(flat, lengths, &nested));
    expect_elements(nested, &whole, NULL, "nest");
    CHECK(bmf_partition_equal(nested->partition, partition), "nest");
    bmf_list_free(nested);
    nested = NULL;
    if (bmf_length(flat) > 0) {
        CHECK(bmf_nest(lengths, lengths, &nested) != BMF_OK || bmf_length(flat) == whole.count,
              "nest that does not fit");
        bmf_list_free(nested);
    }
    bmf_partition_release(partition);
    bmf_list_free(xss);
    bmf_list_free(flat);
    bmf_list_free(lengths);
    column_free(&whole);
}

static void check_nest_errors(bmf_context *ctx)
{
    static const int64_t short_by_one[3] = {1, 2, 1}, negative[3] = {2, -1, 4}, fitting[3] = {0, 5, 0};
    bmf_list *xs, *lengths, *nested = NULL;
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 5, (int64_t[]){1, 2, 3, 4, 5}, &xs));
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 3, short_by_one, &lengths));
    CHECK(bmf_nest(xs, lengths, &nested) == BMF_ERROR_SHAPE, "too short");
    CHECK(strcmp(bmf_error_text(ctx), "nest: the lengths on part 0 add up to 4 of its 5 elements") == 0, "%s",
          bmf_error_text(ctx));
    bmf_list_free(lengths);
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 3, negative, &lengths));
    CHECK(bmf_nest(xs, lengths, &nested) == BMF_ERROR_SHAPE, "negative");
    bmf_list_free(lengths);
    CHECK(!nested, "failed calls leave the result alone");
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 3, fitting, &lengths));
    BMF_CHECK(bmf_nest(xs, lengths, &nested));
    bmf_list_free(lengths);
    bmf_list_free(nested);
    bmf_list_free(xs);
}

static void check_pair(bmf_context *ctx)
{
    int64_t n = below(50);
    bmf_column first = random_column(type_number(5), n), second = random_column(type_number(3), n);
    bmf_partition *partition = random_partition(ctx, n);
    bmf_list *xs = list_of(ctx, &first, partition), *ys = list_of(ctx, &second, partition), *pairs, *a, *b;
    BMF_CHECK(bmf_pair(xs, ys, &pairs));
    BMF_CHECK(bmf_component(pairs, 0, &a));
    BMF_CHECK(bmf_component(pairs, 1, &b));
    expect_elements(a, &first, NULL, "first");
    expect_elements(b, &second, NULL, "second");
    CHECK(b->column.data == ys->column.data, "shared, not copied");
    bmf_list *none = NULL;
    CHECK(bmf_component(pairs, 2, &none) == BMF_ERROR_TYPE && bmf_component(xs, 0, &none) == BMF_ERROR_TYPE,
          "no such component");
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_list_free(pairs);
    bmf_list_free(a);
    bmf_list_free(b);
    bmf_partition_release(partition);
    column_free(&first);
    column_free(&second);
}

typedef struct mixed {
    double real;
    uint8_t flag;
    int64_t number;
} mixed;

static void check_records(bmf_context *ctx)
{
    const bmf_type *parts[3] = {&bmf_type_real, &bmf_type_bool, &bmf_type_int};
    const bmf_type *type = bmf_type_tuple(3, parts);
    enum { N = 37 };
    mixed data[N], all[N], one;
    for (int i = 0; i < N; i++)
        data[i] = (mixed){random_unit(&seed), (uint8_t)below(2), below(1000)};
    for (int whole = 0; whole < 2; whole++) {
        bmf_list *xs;
        if (whole)
            BMF_CHECK(bmf_place(ctx, below(bmf_processors(ctx)), type, N, data, &xs));
        else
            BMF_CHECK(bmf_spread(ctx, type, N, data, &xs));
        memset(all, 0, sizeof all);
        BMF_CHECK(bmf_to_array(xs, all));
        for (int i = 0; i < N; i++)
            CHECK(all[i].real == data[i].real && all[i].flag == data[i].flag && all[i].number == data[i].number,
                  "element %d", i);
        int64_t i = below(N);
        BMF_CHECK(bmf_index(xs, i, &one));
        CHECK(one.real == data[i].real && one.flag == data[i].flag && one.number == data[i].number, "index");
        CHECK(bmf_index(xs, N, &one) == BMF_ERROR_INDEX && bmf_index(xs, -1, &one) == BMF_ERROR_INDEX, "index");
        bmf_list_free(xs);
    }
}

static void check_errors(bmf_context *ctx)
{
    int64_t processors = bmf_processors(ctx), data[5] = {1, 2, 3, 4, 5};
    bmf_list *xs, *ys, *out = NULL;
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 5, data, &xs));
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_real, 4, data, &ys));
    CHECK(bmf_split(xs, 0, 0, &out) == BMF_ERROR_ARGUMENT, "no parts");
    CHECK(bmf_split(xs, 1, -1, &out) == BMF_ERROR_ARGUMENT, "stride");
    CHECK(bmf_split(xs, processors + 1, 0, &out) == BMF_ERROR_SHAPE, "too many parts");
    CHECK(bmf_split(xs, INT64_MAX, 1, &out) == BMF_ERROR_SHAPE, "far too many parts");
    CHECK(bmf_gather(xs, &out) == BMF_ERROR_SHAPE, "gather of a placed list");
    CHECK(bmf_redistribute(xs, ys, &out) == BMF_ERROR_SHAPE, "lengths");
    CHECK(bmf_concatenate(xs, ys, &out) == BMF_ERROR_TYPE, "types");
    CHECK(bmf_pair(xs, ys, &out) == BMF_ERROR_SHAPE, "pair");
    CHECK(bmf_distl(xs, ys, &out) == BMF_ERROR_SHAPE, "five values");
    CHECK(bmf_flatten(xs, &out) == BMF_ERROR_TYPE && bmf_lengths(xs, &out) == BMF_ERROR_TYPE, "no inner lists");
    CHECK(bmf_nest(xs, ys, &out) == BMF_ERROR_TYPE, "real lengths");
    CHECK(bmf_place(ctx, processors, &bmf_type_int, 5, data, &out) != BMF_OK, "no such processor");
    CHECK(bmf_spread(ctx, bmf_type_list(&bmf_type_int), 5, data, &out) == BMF_ERROR_TYPE, "inner lists");
    CHECK(!out, "failed calls leave the result alone");
    bmf_list_free(xs);
    bmf_list_free(ys);
}

/* The plan of a split shows both algorithms and the document's tree. */
static void check_plan(bmf_context *ctx)
{
    int64_t data[16] = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    bmf_list *xs, *split;
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 16, data, &xs));
    BMF_CHECK(bmf_set_schedule(ctx, "split", "tree"));
    bmf_set_plan_stream(ctx, stream);
    BMF_CHECK(bmf_split(xs, 8, 0, &split));
    bmf_set_plan_stream(ctx, NULL);
    BMF_CHECK(bmf_set_schedule(ctx, "split", NULL));
    fclose(stream);
    if (bmf_is_root(ctx)) {
        static const char *const lines[] = {"split of [int], 16 elements on processor 0\n",
                                            "tree: about ",
                                            ", chosen\n",
                                            "direct: about ",
                                            "tree: 3 rounds, 7 messages, 192 B\n",
                                            "round 1: 2 messages, 64 B, largest 32 B: 0 -> 2 (32 B), 4 -> 6 (32 B)\n"};
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
            CHECK(strstr(text, lines[k]), "plan without '%s':\n%s", lines[k], text);
    } else {
        CHECK(size == 0, "only rank 0 prints plans");
    }
    free(text);
    bmf_list_free(xs);
    bmf_list_free(split);
}

static void check_machine(bmf_context *ctx, int64_t processors)
{
    BMF_CHECK(bmf_set_processors(ctx, processors));
    check_splits(ctx);
    check_recuts(ctx);
    check_distls(ctx);
    check_broadcast(ctx);
    for (int type = 0; type < TYPES; type++)
        check_nest(ctx, type_number(type));
    check_nest_errors(ctx);
    check_pair(ctx);
    check_records(ctx);
    check_errors(ctx);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    int64_t ranks = bmf_ranks(ctx), sizes[] = {1, 2, 3, ranks, 2 * ranks + 1};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        check_machine(ctx, sizes[k]);
    BMF_CHECK(bmf_set_processors(ctx, 16));
    check_document_matrix(ctx);
    check_plan(ctx);
    for (int type = 0; type < TYPES; type++) {
        check_nested_splits(ctx, "tree", "levels", type);
        check_nested_splits(ctx, "direct", "direct", type);
    }
    check_nested_distl(ctx, "tree");
    check_nested_distl(ctx, "pipeline");
    check_nested_distl(ctx, "scatter_allgather");
    check_splits(ctx);
    BMF_CHECK(bmf_set_processors(ctx, 100)); /* more packed parts in a message than it may have segments */
    check_split(ctx, type_number(7), 300, "tree", "levels", true);
    int code = test_finish();
    int closed = bmf_close(ctx);
    return code ? code : closed;
}
