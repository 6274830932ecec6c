/* Traces written by all ranks: every rank its lanes' events, at any number of ranks; failures reach everybody. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf.h"
#include "ctest/support/directory.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "runtime/trace/trace.h"

enum { LANES = 11 };

/* Lane l has 3 l events; the k-th begins at 10 k. Recorded backwards, so that they must be sorted. */
static bmf_event made_event(int32_t lane, int64_t k, uint32_t node)
{
    return (bmf_event){.begin = 10 * k,
                       .end = 10 * k + lane,
                       .amount = lane * 1000 + k,
                       .low = lane,
                       .high = lane,
                       .node = node,
                       .instance = (uint32_t)k,
                       .lane = lane,
                       .peer = -1,
                       .kind = BMF_EVENT_KERNEL};
}

static bmf_trace_run *make_run(const bmf_context *ctx, uint32_t *node)
{
    bmf_trace_run *run = run_create("mpi_trace", "here", LANES, ctx->ranks, 1);
    *node = run_node(run, 0, "call", BMF_EVENT_SKELETON);
    for (int32_t lane = LANES - 1; lane >= 0; lane--) {
        if (run->lane_rank[lane] != ctx->rank)
            continue;
        for (int64_t k = 3 * lane - 1; k >= 0; k--) {
            bmf_event event = made_event(lane, k, *node);
            run_add(run, &event);
        }
    }
    run->dropped = ctx->rank;
    return run;
}

static void check_file(bmf_context *ctx, const char *path, uint32_t node)
{
    bmf_trace *trace;
    int status = bmf_trace_read(ctx, path, &trace);
    if (!CHECK(status == BMF_OK, "%s", bmf_error_text(ctx)))
        return;
    const bmf_trace_run *run = trace->run[0];
    CHECK(trace->runs == 1 && run->lanes == LANES && run->ranks == ctx->ranks && !run->predicted, "headers");
    CHECK(run->dropped == (int64_t)ctx->ranks * (ctx->ranks - 1) / 2, "dropped %lld", (long long)run->dropped);
    int64_t at = 0;
    for (int32_t lane = 0; lane < LANES; lane++)
        for (int64_t k = 0; k < 3 * lane; k++, at++) {
            bmf_event event = made_event(lane, k, node);
            CHECK(at < run->events && memcmp(&run->event[at], &event, sizeof event) == 0, "event %lld", (long long)at);
        }
    CHECK(run->events == at, "%lld events, not %lld", (long long)run->events, (long long)at);
    bmf_trace_free(trace);
}

static void write_and_read(bmf_context *ctx, const char *folder)
{
    char path[TEST_DIRECTORY + 16], parts[TEST_DIRECTORY + 32];
    glob_t left;
    uint32_t node;
    bmf_trace_run *run = make_run(ctx, &node);
    snprintf(path, sizeof path, "%s/run.trace", folder);
    snprintf(parts, sizeof parts, "%s.*.part", path);
    int status = trace_write_parallel(ctx, run, path);
    CHECK(status == BMF_OK, "%s", bmf_error_text(ctx));
    if (bmf_is_root(ctx)) {
        CHECK(glob(parts, 0, NULL, &left) == GLOB_NOMATCH, "a file %s is left over", parts);
        globfree(&left);
        check_file(ctx, path, node);
        unlink(path);
    }
    run_free(run);
}

static void fail_everywhere(bmf_context *ctx)
{
    uint32_t node;
    bmf_trace_run *run = make_run(ctx, &node);
    int status = trace_write_parallel(ctx, run, "/nonexistent/run.trace");
    CHECK(status == BMF_ERROR_FILE, "status %d on rank %d", status, ctx->rank);
    CHECK(strstr(bmf_error_text(ctx), "/nonexistent/run.trace"), "%s", bmf_error_text(ctx));
    run_free(run);
}

/* The node and the kernel of a lane's events in unite_tables. */
static void name_lane(int32_t lane, char node[32], char kernel[32])
{
    snprintf(node, 32, "node %d", (int)lane % 4);
    snprintf(kernel, 32, "kernel %d", (int)lane % 3);
}

/* Each rank names only what its own lanes do, in its own order. */
static bmf_trace_run *make_unlike(const bmf_context *ctx)
{
    char node[32], kernel[32];
    bmf_trace_run *run = run_create("mpi_trace", "here", LANES, ctx->ranks, 1);
    for (int32_t k = 0; k < LANES; k++) {
        int32_t lane = ctx->rank % 2 ? LANES - 1 - k : k;
        if (run->lane_rank[lane] != ctx->rank)
            continue;
        name_lane(lane, node, kernel);
        bmf_event event =
            made_event(lane, 0, run_node(run, run_node(run, 0, "call", BMF_EVENT_REGION), node, BMF_EVENT_SKELETON));
        event.name = (uint16_t)run_name(run, kernel);
        run_add(run, &event);
    }
    return run;
}

static void check_united(bmf_context *ctx, const char *path)
{
    char node[32], kernel[32], expected[64], found[128];
    bmf_trace *trace;
    int status = bmf_trace_read(ctx, path, &trace);
    if (!CHECK(status == BMF_OK, "%s", bmf_error_text(ctx)))
        return;
    const bmf_trace_run *run = trace->run[0];
    CHECK(run->events == LANES, "%lld events", (long long)run->events);
    CHECK(run->nodes == 6, "%u nodes, not those of main, call and 4 more", run->nodes);
    for (int64_t i = 0; i < run->events; i++) {
        const bmf_event *event = &run->event[i];
        name_lane(event->lane, node, kernel);
        snprintf(expected, sizeof expected, "main/call/%s", node);
        run_path(run, event->node, found, sizeof found);
        CHECK(strcmp(found, expected) == 0, "lane %d: %s, not %s", (int)event->lane, found, expected);
        CHECK(strcmp(run->name[event->name], kernel) == 0, "lane %d: %s", (int)event->lane, run->name[event->name]);
    }
    bmf_trace_free(trace);
}

static void unite_tables(bmf_context *ctx, const char *folder)
{
    char path[TEST_DIRECTORY + 16];
    bmf_trace_run *run = make_unlike(ctx);
    snprintf(path, sizeof path, "%s/other.trace", folder);
    int status = trace_write_parallel(ctx, run, path);
    CHECK(status == BMF_OK, "%s", bmf_error_text(ctx));
    if (bmf_is_root(ctx)) {
        check_united(ctx, path);
        unlink(path);
    }
    run_free(run);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    char folder[TEST_DIRECTORY];
    test_directory("mpi_trace", folder);
    write_and_read(ctx, folder);
    fail_everywhere(ctx);
    unite_tables(ctx, folder);
    if (bmf_is_root(ctx))
        CHECK(rmdir(folder) == 0, "%s is not empty", folder);
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
