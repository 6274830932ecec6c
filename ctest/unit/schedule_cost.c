/* Schedules on their way to use: what one host of a machine keeps of them, and what they are estimated to cost. */
#include "ctest/support/schedules.h"

#include <math.h>

/* ---- what a host keeps ---- */

static void expect_filtered(const bmf_schedule *host, const bmf_schedule *all)
{
    assert_int_equal(host->rounds, all->rounds);
    for (int r = 0; r < all->rounds; r++) {
        int64_t kept = 0;
        for (int64_t m = 0; m < all->round[r].count; m++) {
            const bmf_message *message = &all->round[r].message[m];
            bool touches = (message->from >= host->low && message->from < host->high) ||
                           (message->to >= host->low && message->to < host->high);
            if (!touches)
                continue;
            assert_true(kept < host->round[r].count);
            assert_memory_equal(&host->round[r].message[kept], message, sizeof *message);
            kept++;
        }
        assert_int_equal(kept, host->round[r].count);
    }
}

/* Two groups share the rounds; every host of a random cut of the machine must make the whole, cut down to itself. */
static void check_hosts(int64_t count)
{
    int64_t *start = random_starts(count, 9);
    input first = {random_group(count), start, range_bytes, 1000, 1 + random_below(6)}, second = first;
    second.group.base = machine_size(&first.group);
    int64_t processors = machine_size(&second.group) + random_below(5);
    for (int k = 0; algorithms[k]; k++) {
        const bmf_algorithm *algorithm = algorithms[k];
        bmf_schedule *all = schedule_create("all", 0, processors);
        generate(all, algorithm, 1, &first);
        generate(all, algorithm, 1, &second);
        for (int64_t low = 0, high; low < processors; low = high) {
            high = low + 1 + random_below(1 + processors / 3);
            high = high < processors ? high : processors;
            bmf_schedule *host = schedule_create("host", low, high);
            generate(host, algorithm, 1, &first);
            generate(host, algorithm, 1, &second);
            expect_filtered(host, all);
            schedule_free(host);
        }
        schedule_free(all);
    }
    free(start);
}

/* ---- costs ---- */

typedef struct port {
    int64_t messages, bytes;
} port;

static void use_port(port *busiest, port *ports, int64_t item, int64_t bytes)
{
    ports[item].messages++;
    ports[item].bytes += bytes;
    if (ports[item].messages > busiest->messages)
        busiest->messages = ports[item].messages;
    if (ports[item].bytes > busiest->bytes)
        busiest->bytes = ports[item].bytes;
}

/* Rounds one after the other; a round takes what its busiest processor takes. */
static double evaluate(const bmf_schedule *schedule, const bmf_group *group, const bmf_cost_model *cost)
{
    double seconds = 0;
    for (int r = 0; r < schedule->rounds; r++) {
        port busiest = {0, 0}, *out = calloc((size_t)group->count, sizeof *out),
             *in = calloc((size_t)group->count, sizeof *in);
        for (int64_t m = 0; m < schedule->round[r].count; m++) {
            const bmf_message *message = &schedule->round[r].message[m];
            use_port(&busiest, out, item_on(group, message->from), message->bytes);
            use_port(&busiest, in, item_on(group, message->to), message->bytes);
        }
        seconds += cost->latency * (1 + 0.25 * (double)(busiest.messages - 1)) + cost->per_byte * (double)busiest.bytes;
        free(out);
        free(in);
    }
    return seconds;
}

static void check_cost(int64_t count)
{
    bmf_cost_model cost = {1e-6, 1e-9 * (double)(1 + random_below(20))};
    int64_t unit = 1 + random_below(10000), *start = malloc((size_t)(count + 1) * sizeof *start);
    for (int64_t k = 0; k <= count; k++)
        start[k] = unit * k;
    for (int k = 0; algorithms[k]; k++) {
        const bmf_algorithm *algorithm = algorithms[k];
        int64_t bytes = unit * count;
        input in = {{0, 0, count}, start, equal_bytes, bytes, schedule_pipeline_segments(&cost, count, bytes)};
        bmf_schedule *schedule = complete(algorithm, &in);
        if (algorithm == &algorithm_reduce_levels)
            generate(schedule, &algorithm_distl_tree, schedule->rounds, &in);
        double simple = evaluate(schedule, &in.group, &cost);
        double estimate = algorithm_estimate(algorithm, &cost, count, (double)bytes);
        double allowed = algorithm == &algorithm_distl_pipeline ? 0.02 : 1e-9; /* segments are whole bytes */
        assert_true(fabs(simple - estimate) <= allowed * simple + 1e-15);
        schedule_free(schedule);
    }
    free(start);
}

/* Every algorithm of the table says what it is and costs something, whatever it is asked for. */
static void check_descriptor(const bmf_algorithm *algorithm)
{
    static const double bytes[] = {0, 1, 8, 1e3, 1e6, 1e12};
    bmf_cost_model cost = {2e-6, 2e-10};
    bool joins = strcmp(algorithm->skeleton, "reduce") == 0 || strcmp(algorithm->skeleton, "scan") == 0;
    assert_true((algorithm->joining != BMF_JOIN_NONE) == joins);
    assert_true(!algorithm->to_first || strcmp(algorithm->skeleton, "reduce") == 0);
    for (int64_t count = 1; count <= 1000; count++)
        for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
            double seconds = algorithm_estimate(algorithm, &cost, count, bytes[k]);
            assert_true(isfinite(seconds) && seconds >= 0);
            assert_true(count == 1 ? seconds == 0 : seconds > 0);
        }
}

static void test_descriptors(void **state)
{
    (void)state;
    for (int k = 0; algorithms[k]; k++)
        check_descriptor(algorithms[k]);
}

static double pipeline_seconds(const bmf_cost_model *cost, int64_t count, int64_t bytes, int64_t segments)
{
    return (double)(count - 2 + segments) * (cost->latency + cost->per_byte * (double)bytes / (double)segments);
}

static void check_segments(int64_t count)
{
    bmf_cost_model cost = {1e-6, 1e-9};
    int64_t bytes = random_below(1000000);
    int64_t chosen = schedule_pipeline_segments(&cost, count, bytes);
    assert_true(chosen >= 1);
    for (int64_t segments = 1; segments < 2000 && segments <= bytes && count > 1; segments++)
        assert_true(pipeline_seconds(&cost, count, bytes, chosen) <=
                    1.02 * pipeline_seconds(&cost, count, bytes, segments));
}

/* ---- tests ---- */

static void test_hosts(void **state)
{
    (void)state;
    for_counts(check_hosts);
}

static void test_cost(void **state)
{
    (void)state;
    for_counts(check_cost);
    for_counts(check_segments);
}

/* One processor of a large machine makes its part without walking the machine. */
static void test_large(void **state)
{
    (void)state;
    int64_t count = (int64_t)1 << 40;
    input in = {.group = {0, 0, count}, .bytes = equal_bytes, .value = 8};
    static const bmf_algorithm *const logarithmic[] = {
        &algorithm_split_tree,      &algorithm_split_direct, &algorithm_gather_levels,
        &algorithm_gather_direct,   &algorithm_scan_levels,  &algorithm_reduce_levels,
        &algorithm_reduce_doubling, &algorithm_scan_tree,    &algorithm_distl_tree};
    for (size_t k = 0; k < sizeof logarithmic / sizeof *logarithmic; k++) {
        int64_t processor = count / 3 * 2;
        bmf_schedule *schedule = schedule_create("large", processor, processor + 1);
        generate(schedule, logarithmic[k], 0, &in);
        int64_t messages, bytes;
        schedule_count_totals(schedule, &messages, &bytes);
        assert_true(messages >= 1 && messages <= 80);
        schedule_free(schedule);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
