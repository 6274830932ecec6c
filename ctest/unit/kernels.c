/* Samples from traces: runs whose times are written down by hand, and what has to come out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "predict/kernels/kernels.h"
#include "bmf/status.h"

/* A run on two ranks, one processor each. */
static bmf_trace_run *make_run(void)
{
    bmf_trace_run *run = run_create("program", "host", 2, 2, 1);
    assert_non_null(run);
    return run;
}

static void add(bmf_trace_run *run, bmf_event_kind kind, uint32_t node, int32_t lane, int64_t begin, int64_t end,
                int64_t amount, int32_t peer, const char *name)
{
    run_add(run, &(bmf_event){.begin = begin,
                              .end = end,
                              .amount = amount,
                              .low = end - begin,
                              .high = end - begin,
                              .node = node,
                              .lane = lane,
                              .peer = peer,
                              .kind = (uint16_t)kind,
                              .name = (uint16_t)(name ? run_name(run, name) : 0)});
}

static const bmf_sample *find(const bmf_samples *samples, const char *operation, int64_t d)
{
    for (int64_t k = 0; k < samples->count; k++)
        if (strcmp(samples->sample[k].operation, operation) == 0 && samples->sample[k].d == d)
            return &samples->sample[k];
    return NULL;
}

static void holds(const bmf_samples *samples, const char *operation, int64_t d, int repeats, const int64_t *nanoseconds)
{
    const bmf_sample *sample = find(samples, operation, d);
    if (!sample)
        fail_msg("no sample %s of %lld", operation, (long long)d);
    assert_int_equal(sample->repeats, repeats);
    for (int k = 0; k < repeats; k++)
        assert_true(sample->seconds[k] > (double)nanoseconds[k] * 1e-9 - 1e-15 &&
                    sample->seconds[k] < (double)nanoseconds[k] * 1e-9 + 1e-15);
}

static void what_precedes_a_kernel_is_a_time_of_its_own(void **state)
{
    (void)state;
    bmf_trace_run *run = make_run();
    bmf_samples *samples;
    uint32_t map = run_node(run, 0, "map square", BMF_EVENT_SKELETON);
    for (int32_t lane = 0; lane < 2; lane++) {
        add(run, BMF_EVENT_SKELETON, map, lane, 1000, 5000, 10, -1, NULL);
        add(run, BMF_EVENT_KERNEL, map, lane, 1100 + lane, 2000, 10, -1, "square"); /* 100 ns of preparation */
        add(run, BMF_EVENT_KERNEL, map, lane, 2300, 2400, 10, -1, "square");        /* 300 ns after the first */
        add(run, BMF_EVENT_KERNEL, 0, lane, 9000, 9100, 7, -1, "free");             /* outside of calls */
    }
    assert_int_equal(kernel_samples(1, &run, &samples), BMF_OK);
    holds(samples, "map_square.square", 10, 4, (int64_t[]){900, 100, 899, 100});
    /* from the last event's end, as far as the outermost call reaches back */
    holds(samples, "map_square.square.before", 10, 4, (int64_t[]){100, 300, 101, 300});
    holds(samples, "free", 7, 2, (int64_t[]){100, 100});
    assert_int_equal(find(samples, "free", 7)->p, 2);
    assert_non_null(find(samples, "free.before", 7));
    assert_int_equal(samples->count, 4);
    samples_free(samples);
    run_free(run);
}

static void messages_are_told_apart_from_what_is_around_them(void **state)
{
    (void)state;
    bmf_trace_run *run = make_run();
    bmf_samples *samples;
    uint32_t split = run_node(run, 0, "split", BMF_EVENT_SKELETON);
    uint32_t map = run_node(run, 0, "map", BMF_EVENT_SKELETON);
    for (int32_t lane = 0; lane < 2; lane++) {
        add(run, BMF_EVENT_SKELETON, split, lane, 50, 9000, 0, -1, NULL);
        add(run, BMF_EVENT_SKELETON, map, lane, 9100, 9900, 0, -1, NULL);
        add(run, BMF_EVENT_KERNEL, map, lane, 9150, 9500, 5, -1, "one");
    }
    add(run, BMF_EVENT_SEND, split, 0, 700, 1000, 800, 1, NULL); /* after 650 ns of packing */
    add(run, BMF_EVENT_WAIT, split, 0, 1100, 1400, 0, -1, NULL); /* 100 ns later it waits for it */
    add(run, BMF_EVENT_RECEIVE, split, 1, 100, 4000, 800, 0,
        NULL); /* then 5000 ns of unpacking, for which rank 0 waits */
    assert_int_equal(kernel_samples(1, &run, &samples), BMF_OK);
    holds(samples, "split.send", 800, 1, (int64_t[]){650});
    holds(samples, "isend1", 800, 1, (int64_t[]){300});
    holds(samples, "isend2", 800, 1, (int64_t[]){400});
    holds(samples, "split.sent", 800, 1, (int64_t[]){100});
    holds(samples, "recv", 800, 1, (int64_t[]){3300});
    holds(samples, "recvmin", 800, 1, (int64_t[]){0});
    holds(samples, "split.receive", 800, 1, (int64_t[]){5000});
    /* the wait for rank 1 does not belong to the kernel, which begins 50 ns after its call */
    holds(samples, "map.one.before", 5, 2, (int64_t[]){50, 50});
    holds(samples, "map.one", 5, 2, (int64_t[]){350, 350});
    assert_int_equal(samples->count, 9);
    samples_free(samples);
    run_free(run);
}

static void receives_of_one_round_count_together(void **state)
{
    (void)state;
    bmf_trace_run *run = run_create("program", "host", 3, 3, 1);
    bmf_samples *samples;
    uint32_t gather = run_node(run, 0, "gather", BMF_EVENT_SKELETON);
    for (int32_t lane = 0; lane < 3; lane++)
        add(run, BMF_EVENT_SKELETON, gather, lane, 0, 2000, 0, -1, NULL);
    add(run, BMF_EVENT_SEND, gather, 1, 10, 20, 100, 0, NULL);
    add(run, BMF_EVENT_SEND, gather, 2, 10, 20, 50, 0, NULL);
    add(run, BMF_EVENT_RECEIVE, gather, 0, 5, 500, 100, 1, NULL);
    add(run, BMF_EVENT_RECEIVE, gather, 0, 5, 600, 50, 2, NULL);
    add(run, BMF_EVENT_KERNEL, gather, 0, 650, 700, 3, -1, "join");
    assert_int_equal(kernel_samples(1, &run, &samples), BMF_OK);
    holds(samples, "gather.receive", 150, 1, (int64_t[]){50});
    holds(samples, "gather.join", 3, 1, (int64_t[]){50});
    holds(samples, "gather.join.before", 3, 1, (int64_t[]){0}); /* what was before it belongs to the receives */
    samples_free(samples);
    run_free(run);
}

/* Two processors on each of two ranks; ranks come at 500 and 900, and go on at 950 and 940. */
static void agreements_last_from_the_last_ones_coming(void **state)
{
    (void)state;
    bmf_trace_run *run = run_create("program", "host", 4, 2, 1);
    bmf_samples *samples;
    uint32_t map = run_node(run, 0, "map", BMF_EVENT_SKELETON);
    for (int32_t lane = 0; lane < 4; lane++) {
        const int64_t computed = lane < 2 ? 100 + 100 * lane : 600 + 100 * (lane - 2);
        add(run, BMF_EVENT_SKELETON, map, lane, 40, 960, 0, -1, NULL);
        add(run, BMF_EVENT_KERNEL, map, lane, computed, computed + 100, 5, -1, "one");
        add(run, BMF_EVENT_COLLECTIVE, map, lane, lane < 2 ? 500 : 900, lane < 2 ? 950 : 940, 0, -1, "agreement");
    }
    assert_int_equal(kernel_samples(1, &run, &samples), BMF_OK);
    holds(samples, "allreduce", 1, 2, (int64_t[]){50, 40});
    holds(samples, "map.agreement", 0, 2, (int64_t[]){200, 100});
    holds(samples, "map.one", 5, 4, (int64_t[]){100, 100, 100, 100});
    holds(samples, "map.one.before", 5, 2, (int64_t[]){60, 560}); /* once a rank */
    assert_int_equal(samples->count, 4);
    samples_free(samples);
    run_free(run);
}

static void names_are_those_of_operations(void **state)
{
    (void)state;
    char a[BMF_SAMPLE_NAME], b[BMF_SAMPLE_NAME];
    assert_string_equal(kernel_operation(NULL, "plus", a), "plus");
    assert_string_equal(kernel_operation("stream reduce", "reduce 7:11", a), "stream_reduce.reduce_7_11");
    assert_string_equal(kernel_operation(NULL, "7up", a), "k7up");
    kernel_operation("a call with a name that is much too long", "and a kernel of the first kind", a);
    kernel_operation("a call with a name that is much too long", "and a kernel of the second kind", b);
    assert_int_equal(strlen(a), BMF_SAMPLE_NAME - 1);
    assert_int_equal(strlen(b), BMF_SAMPLE_NAME - 1);
    assert_string_not_equal(a, b);
}

static void what_cannot_be_learnt_from_is_refused(void **state)
{
    (void)state;
    bmf_trace_run *empty = make_run(), *predicted = make_run(), *threads = run_create("program", "host", 2, 2, 2);
    bmf_samples *samples;
    predicted->predicted = 1;
    assert_int_equal(kernel_samples(1, &empty, &samples), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(NULL), "no kernel"));
    assert_int_equal(kernel_samples(1, &predicted, &samples), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(NULL), "predicted"));
    assert_int_equal(kernel_samples(2, (bmf_trace_run *[]){empty, threads}, &samples), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(NULL), "threads"));
    run_free(empty);
    run_free(predicted);
    run_free(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_precedes_a_kernel_is_a_time_of_its_own),
        cmocka_unit_test(messages_are_told_apart_from_what_is_around_them),
        cmocka_unit_test(receives_of_one_round_count_together),
        cmocka_unit_test(agreements_last_from_the_last_ones_coming),
        cmocka_unit_test(names_are_those_of_operations),
        cmocka_unit_test(what_cannot_be_learnt_from_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
