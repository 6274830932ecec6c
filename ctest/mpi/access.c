/* What programs see of lists, partitions, plans and traces: through the public headers only. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf.h"
#include "bmf/mpi.h"
#include "ctest/support/directory.h"
#include "ctest/support/testing.h"

static bmf_context *ctx;

BMF_MAP_KERNEL(two, int64_t, i, int64_t, i * 0 + 2)

static void test_list(void)
{
    bmf_list *xs;
    int64_t stride;
    BMF_CHECK(bmf_iota(ctx, 1000, &xs));
    const int64_t begin = bmf_list_local_begin(xs), end = bmf_list_local_end(xs);
    const int64_t *x = bmf_list_data(xs, 0, &stride);
    CHECK(bmf_list_context(xs) == ctx && bmf_list_type(xs) == &bmf_type_int, "another context or type");
    CHECK(stride == 8 && !bmf_list_offsets(xs), "a list of numbers has stride %lld", (long long)stride);
    for (int64_t i = begin; i < end; i++)
        CHECK(x[i - begin] == i, "element %lld is %lld", (long long)i, (long long)x[i - begin]);

    const bmf_partition *parts = bmf_list_partition(xs);
    const int64_t processors = bmf_processors(ctx), first = bmf_partition_local_first(parts);
    CHECK(bmf_partition_parts(parts) == processors && bmf_partition_start(parts, processors) == 1000, "other parts");
    CHECK(first == bmf_first_processor(ctx, bmf_rank(ctx)), "this rank's first part is %lld", (long long)first);
    CHECK(first + bmf_partition_local_parts(parts) == bmf_first_processor(ctx, bmf_rank(ctx) + 1), "other local parts");
    CHECK(bmf_partition_start(parts, first) == begin && begin == bmf_partition_local_begin(parts), "another begin");
    CHECK(end == bmf_partition_local_end(parts) && bmf_partition_length(parts) == 1000, "another end");
    bmf_list_free(xs);
}

/* A broadcast leaf has stride 0 until it is written to; who shares memory does not see what is written. */
static void test_writing(void)
{
    bmf_list *xs, *pairs, *ys;
    int64_t stride, sum;
    const double value = 2.5;
    BMF_CHECK(bmf_iota(ctx, 100, &xs));
    BMF_CHECK(bmf_distl_value(&bmf_type_real, &value, xs, &pairs));
    const int64_t count = bmf_list_local_end(xs) - bmf_list_local_begin(xs);
    const double *broadcast = bmf_list_data(pairs, 0, &stride);
    CHECK(count == 0 || (stride == 0 && *broadcast == 2.5), "not one value, stride %lld", (long long)stride);
    BMF_CHECK(bmf_component(pairs, 1, &ys));
    int64_t *y = bmf_list_data_writable(ys, 0);
    for (int64_t i = 0; i < count; i++)
        y[i] = 1;
    BMF_CHECK(bmf_reduce(ys, &bmf_plus_int, &sum));
    CHECK(sum == 100, "the sum of what was written is %lld", (long long)sum);
    BMF_CHECK(bmf_reduce(xs, &bmf_plus_int, &sum));
    CHECK(sum == 4950, "another list was written to: %lld", (long long)sum);
    double *each = bmf_list_data_writable(pairs, 0);
    for (int64_t i = 0; i < count; i++)
        CHECK(each[i] == 2.5, "element %lld of the value", (long long)i);
    bmf_list_free(ys);
    bmf_list_free(pairs);
    bmf_list_free(xs);
}

static void test_offsets(void)
{
    bmf_list *xs, *lengths, *nested;
    int64_t stride;
    const int64_t processors = bmf_processors(ctx);
    BMF_CHECK(bmf_tabulate(ctx, processors, &two, &lengths));
    BMF_CHECK(bmf_iota(ctx, 2 * processors, &xs));
    BMF_CHECK(bmf_nest(xs, lengths, &nested));
    const int64_t begin = bmf_list_local_begin(nested), end = bmf_list_local_end(nested);
    const int64_t *offsets = bmf_list_offsets(nested), *x = bmf_list_data(nested, 0, &stride);
    for (int64_t i = 0; i <= end - begin && end > begin; i++)
        CHECK(offsets[i] == 2 * i, "inner list %lld begins at %lld", (long long)i, (long long)offsets[i]);
    for (int64_t i = 0; i < 2 * (end - begin); i++)
        CHECK(x[i] == 2 * begin + i, "inner element %lld is %lld", (long long)i, (long long)x[i]);
    bmf_list_free(nested);
    bmf_list_free(xs);
    bmf_list_free(lengths);
}

/* Bit reversal of 64 elements on two processors: each sends the half of its 32 whose lowest bit is not its own. */
static void test_plan(void)
{
    const int64_t bytes = 8;
    bmf_permutation reversal;
    bmf_permute_plan *plan;
    BMF_CHECK(bmf_set_processors(ctx, 2));
    bmf_permutation_bit_reversal(6, &reversal);
    BMF_CHECK(bmf_permute_plan_create(ctx, &reversal, 1, &bytes, BMF_PERMUTE_ROUNDS, &plan));
    CHECK(bmf_permute_plan_method(plan) == BMF_PERMUTE_ROUNDS, "another method");
    CHECK(bmf_permute_plan_rounds(plan) == 2, "%lld rounds", (long long)bmf_permute_plan_rounds(plan));
    CHECK(bmf_permute_plan_messages(plan) == 2, "%lld messages", (long long)bmf_permute_plan_messages(plan));
    CHECK(bmf_permute_plan_bytes(plan) == 2 * 16 * 8, "%lld bytes", (long long)bmf_permute_plan_bytes(plan));
    bmf_permute_plan_free(plan);
}

static void check_trace(const char *path, int ranks)
{
    bmf_trace *trace;
    int64_t count, found = 0;
    char text[64];
    CHECK(bmf_trace_read(NULL, path, &trace) == BMF_OK, "%s: %s", path, bmf_error_text(NULL));
    CHECK(bmf_trace_runs(trace) == 1 && !bmf_trace_is_predicted(trace, 0), "not one measured run");
    CHECK(bmf_trace_lanes(trace, 0) == ranks, "%d lanes", bmf_trace_lanes(trace, 0));
    const bmf_event *event = bmf_trace_events(trace, 0, &count);
    for (int64_t k = 0; k < count; k++) {
        CHECK(bmf_trace_lane_rank(trace, 0, event[k].lane) == event[k].lane, "a lane of another rank");
        bmf_trace_path(trace, 0, event[k].node, text, sizeof text);
        if (event[k].kind == BMF_EVENT_KERNEL && strcmp(bmf_trace_name(trace, 0, event[k].name), "two") == 0)
            found += strncmp(text, "main/here/", 10) == 0;
    }
    CHECK(found == ranks, "%lld events of the kernel", (long long)found);
    CHECK(strcmp(bmf_event_kind_name(BMF_EVENT_KERNEL), "kernel") == 0, "another name of kernels");
    bmf_trace_free(trace);
}

static void test_trace(void)
{
    char directory[TEST_DIRECTORY], path[TEST_DIRECTORY + 16];
    bmf_options options = bmf_options_init();
    bmf_context *traced;
    bmf_list *xs;
    const int ranks = bmf_ranks(ctx), is_root = bmf_is_root(ctx);
    test_directory("mpi_access", directory);
    snprintf(path, sizeof path, "%s/run.trace", directory);
    options.trace = path;
    BMF_CHECK(bmf_open_with(MPI_COMM_WORLD, &options, &traced));
    bmf_region_begin(traced, "here");
    BMF_CHECK(bmf_tabulate(traced, 64, &two, &xs));
    bmf_region_end(traced);
    bmf_list_free(xs);
    CHECK(bmf_close(traced) == 0, "the trace was not written");
    if (is_root) {
        check_trace(path, ranks);
        unlink(path);
        rmdir(directory);
    }
}

int main(int argc, char **argv)
{
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    test_list();
    test_writing();
    test_offsets();
    test_trace();
    test_plan();
    int failed = test_finish();
    return bmf_close(ctx) != 0 || failed;
}
