/* Measuring with small sizes: every operation runs on every number of ranks, all repetitions are kept, interrupted
 * files are gone on with, and nothing is left behind. How long things take is not tested. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf.h"
#include "ctest/support/directory.h"
#include "ctest/support/testing.h"
#include "predict/measure/measure_private.h"

enum { PATH = TEST_DIRECTORY + 16, FACTOR = 64, LARGEST = 64, REPEATS = 2 };

static bmf_context *ctx;
static char directory[TEST_DIRECTORY], path[PATH];

static void make_directory(void)
{
    test_directory("mpi_measure", directory);
    snprintf(path, sizeof path, "%s/test.raw", directory);
}

static bmf_measure_options options_of(const char *operations)
{
    return (bmf_measure_options){.output = path,
                                 .version = "test",
                                 .operations = operations,
                                 .max_elements = LARGEST,
                                 .factor = FACTOR,
                                 .repeats = REPEATS,
                                 .seconds = 1000};
}

static void measure(const bmf_measure_options *o, bmf_measure_summary *summary)
{
    const int status = measure_sheet(ctx, o, summary);
    CHECK(status == BMF_OK, "%s", bmf_error_text(ctx));
}

/* The file on the first rank, NULL on the others. */
static bmf_samples *read_back(bool partial)
{
    bmf_samples *samples = NULL;
    if (ctx->rank == 0)
        CHECK(samples_read(path, partial, &samples) == BMF_OK, "%s", bmf_error_text(NULL));
    return samples;
}

static const bmf_sample *find(const bmf_samples *samples, const char *name, bool cached, int p, int64_t d)
{
    return samples_find(samples, name, cached, p, d);
}

/* ---- all operations ---- */

/* Largest p under which an operation is measured, 0 if not at all. */
static int expected_p(const measure_operation *o, int team)
{
    switch (o->family) {
    case BMF_FAMILY_PAIR:
        return ctx->ranks >= 2 ? 2 : 0;
    case BMF_FAMILY_LOCAL:
        return 1;
    case BMF_FAMILY_THREADS:
        return team;
    default:
        break;
    }
    int p = o->min > LARGEST ? 0 : ctx->ranks;
    while (o->powers_of_two && (p & (p - 1)) != 0)
        p--;
    return p >= o->min_ranks ? p : 0;
}

static void check_operation(const bmf_samples *samples, const measure_operation *o, int team)
{
    const int p = expected_p(o, team);
    int64_t points = 0;
    for (int64_t i = 0; i < samples->count; i++) {
        const bmf_sample *s = &samples->sample[i];
        if (strcmp(s->operation, o->name) != 0)
            continue;
        points++;
        CHECK(s->family == o->family && s->p >= 1 && s->p <= p, "%s: p %d", o->name, s->p);
        CHECK(s->repeats == REPEATS, "%s: %d repetitions", o->name, s->repeats);
        CHECK((o->max == 0) == (s->d == 0) && s->d <= LARGEST, "%s: d %lld", o->name, (long long)s->d);
    }
    CHECK((points > 0) == (p > 0), "%s has %lld points, p should reach %d", o->name, (long long)points, p);
    if (p > 0)
        CHECK(find(samples, o->name, false, p, o->max == 0 ? 0 : o->min), "%s: nothing for p %d", o->name, p);
}

static void check_skips(const bmf_samples *samples)
{
    for (int64_t i = 0; i < samples->skips; i++) {
        const char *least = strstr(samples->skip[i].reason, "at least ");
        CHECK(least && (atoi(least + strlen("at least ")) > ctx->ranks || strstr(least, "threads")), "%s: %s",
              samples->skip[i].operation, samples->skip[i].reason);
    }
    CHECK((samples->skips > 0) == (ctx->ranks < 3), "%lld operations skipped", (long long)samples->skips);
}

/* Only the RAW file is left in the directory. */
static void check_directory(void)
{
    int files = 0;
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.') {
            files++;
            CHECK(strcmp(entry->d_name, "test.raw") == 0, "%s is left behind", entry->d_name);
        }
    closedir(dir);
    CHECK(files == 1, "%d files", files);
}

static void test_everything(void)
{
    enum { TEAM = 3 };
    const measure_operation *operation[MEASURE_MAX_OPERATIONS];
    const int operations = measure_operations(operation), threads = ctx->threads;
    bmf_measure_summary summary = {0};
    bmf_measure_options o = options_of(NULL);
    o.threads = TEAM;
    measure(&o, &summary);
    CHECK(ctx->threads == threads, "the context has %d threads now", ctx->threads);
    CHECK(!summary.interrupted && summary.left_out == 0 && summary.resumed == 0, "%lld left out",
          (long long)summary.left_out);
    CHECK(summary.repetitions == REPEATS * summary.points, "%lld repetitions", (long long)summary.repetitions);
    bmf_samples *samples = read_back(false);
    if (!samples)
        return;
    CHECK(samples->count == summary.points && samples->skips == summary.skipped, "%lld points in the file",
          (long long)samples->count);
    CHECK(samples->header.ranks == ctx->ranks && samples->header.threads == TEAM, "another header");
    CHECK(samples->header.tick_seconds > 0 && strcmp(samples->header.clock, "barrier") == 0, "another clock");
    for (int k = 0; k < operations; k++)
        check_operation(samples, operation[k], TEAM);
    check_skips(samples);
    check_directory();
    samples_free(samples);
}

/* ---- resuming ---- */

/* Cuts the file in the middle of a line, as a process that dies may leave it; returns the samples that are whole. */
static bmf_samples *tear(void)
{
    bmf_samples *kept = NULL;
    if (ctx->rank == 0) {
        FILE *file = fopen(path, "r");
        fseek(file, 0, SEEK_END);
        const long size = ftell(file);
        fclose(file);
        CHECK(truncate(path, size / 2) == 0, "cannot cut");
        CHECK(samples_read(path, true, &kept) == BMF_OK && !kept->complete, "%s", bmf_error_text(NULL));
    }
    bmf_barrier(ctx);
    return kept;
}

static bool same_seconds(const bmf_sample *a, const bmf_sample *b)
{
    return b && b->repeats >= a->repeats && memcmp(a->seconds, b->seconds, (size_t)a->repeats * sizeof(double)) == 0;
}

static void check_kept(const bmf_samples *kept, const bmf_samples *all)
{
    for (int64_t i = 0; kept && i < kept->count; i++) {
        const bmf_sample *s = &kept->sample[i];
        CHECK(same_seconds(s, find(all, s->operation, s->cached, s->p, s->d)), "%s p %d d %lld was measured again",
              s->operation, s->p, (long long)s->d);
    }
}

static void test_resume(void)
{
    bmf_measure_summary first = {0}, second = {0}, third = {0};
    bmf_measure_options o = options_of("bcast,bmf_reduce,barrier,kernel_sum");
    measure(&o, &first);
    bmf_samples *kept = tear();
    int64_t there = kept ? kept->count : 0;
    ctx->backend->bcast(ctx, 0, &there, sizeof there);
    o.resume = true;
    o.factor = 0; /* that of the file */
    measure(&o, &second);
    CHECK(second.points == first.points && second.resumed == there, "%lld points, %lld resumed of %lld",
          (long long)second.points, (long long)second.resumed, (long long)there);
    bmf_samples *all = read_back(false);
    if (all)
        check_kept(kept, all);
    /* More repetitions of fewer operations: everything else stays as it is. */
    o.operations = "bmf_reduce";
    o.repeats = REPEATS + 1;
    measure(&o, &third);
    bmf_samples *more = read_back(false);
    if (more) {
        CHECK(more->count == all->count, "%lld points of %lld", (long long)more->count, (long long)all->count);
        check_kept(all, more);
        CHECK(find(more, "bmf_reduce", false, 1, 1)->repeats == REPEATS + 1, "no more repetitions");
    }
    /* Fewer repetitions than there are take none away. */
    o.repeats = 1;
    measure(&o, &third);
    bmf_samples *fewer = read_back(false);
    if (fewer)
        check_kept(more, fewer);
    samples_free(fewer);
    samples_free(kept);
    samples_free(all);
    samples_free(more);
}

/* Buffers in the caches are a series of their own, beside the other one. */
static void test_cached(void)
{
    bmf_measure_summary summary = {0};
    bmf_measure_options o = options_of("bmf_map,kernel_sum");
    measure(&o, &summary);
    o.resume = o.cached = true;
    measure(&o, &summary);
    bmf_samples *samples = read_back(false);
    if (!samples)
        return;
    CHECK(find(samples, "bmf_map", true, 1, 1) && find(samples, "bmf_map", false, 1, 1),
          "a series of bmf_map is missing");
    CHECK(!find(samples, "kernel_sum", true, 1, 16) && find(samples, "kernel_sum", false, 1, 16),
          "kernels have one series");
    samples_free(samples);
}

static void test_agreed_clock(void)
{
    bmf_measure_summary summary = {0};
    bmf_measure_options o = options_of("bmf_iota,allreduce,pingpong");
    o.clock = BMF_MEASURE_AGREED;
    measure(&o, &summary);
    bmf_samples *samples = read_back(false);
    if (!samples)
        return;
    CHECK(strcmp(samples->header.clock, "agreed") == 0, "clock %s", samples->header.clock);
    for (int64_t i = 0; i < samples->count; i++)
        for (int32_t k = 0; k < samples->sample[i].repeats; k++)
            CHECK(samples->sample[i].seconds[k] > 0, "%s took no time", samples->sample[i].operation);
    samples_free(samples);
}

/* One rank alone is told to stop; everybody ends, and the file says that it is not complete. */
static void test_stop(void)
{
    const volatile sig_atomic_t stop = ctx->rank == ctx->ranks - 1;
    bmf_measure_summary summary = {0};
    bmf_measure_options o = options_of("barrier,bmf_iota");
    o.stop = &stop;
    measure(&o, &summary);
    CHECK(summary.interrupted && summary.left_out > 0, "not interrupted");
    bmf_samples *samples = read_back(true);
    CHECK(ctx->rank != 0 || !samples->complete, "complete");
    samples_free(samples);
}

/* ---- refusals ---- */

static void refuse(const bmf_measure_options *o, int expected, const char *text)
{
    bmf_measure_summary summary;
    const int status = measure_sheet(ctx, o, &summary);
    CHECK(status == expected, "status %d, not %d", status, expected);
    CHECK(strstr(bmf_error_text(ctx), text), "`%s` should say `%s`", bmf_error_text(ctx), text);
}

static void test_refusals(void)
{
    bmf_measure_options o = options_of("bmf_redcue");
    refuse(&o, BMF_ERROR_ARGUMENT, "bmf_reduce");
    o = options_of("barrier");
    o.factor = 1;
    refuse(&o, BMF_ERROR_ARGUMENT, "factor of 2");
    o = options_of("bmf_iota");
    o.repeats = -1;
    refuse(&o, BMF_ERROR_ARGUMENT, "not -1");
    o = options_of("bmf_iota");
    o.min_elements = LARGEST + 1;
    refuse(&o, BMF_ERROR_ARGUMENT, "no size between");
    o = options_of("bmf_iota");
    o.output = "/nonexistent/directory/test.raw";
    refuse(&o, BMF_ERROR_FILE, "/nonexistent/directory/test.raw");
    bmf_measure_summary summary;
    o = options_of("bmf_iota");
    measure(&o, &summary);
    o.resume = true;
    o.clock = BMF_MEASURE_AGREED;
    refuse(&o, BMF_ERROR_ARGUMENT, "cannot be resumed");
}

int main(int argc, char **argv)
{
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    make_directory();
    test_everything();
    test_resume();
    test_cached();
    test_agreed_clock();
    test_stop();
    test_refusals();
    if (ctx->rank == 0) {
        remove(path);
        CHECK(rmdir(directory) == 0, "%s is not empty", directory);
    }
    const int failed = test_finish();
    return bmf_close(ctx) != 0 || failed;
}
