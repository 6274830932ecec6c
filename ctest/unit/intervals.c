/* Intervals against a slow reference that looks at every nanosecond on its own, closed forms, and identities. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/reference/reference_intervals.h"
#include "ctest/support/testing.h"
#include "predict/report/intervals_private.h"
#include "skeletons/skeleton_types.h"

static void add_kernel(bmf_trace_run *run, int32_t lane, int64_t begin, int64_t end, uint32_t node, uint32_t round)
{
    reference_event(run, BMF_EVENT_KERNEL, lane, begin, end, node, 0, round, -1, 1);
}

static void add_around(bmf_trace_run *run, int64_t end, uint32_t node)
{
    for (int32_t lane = 0; lane < run->lanes; lane++)
        reference_event(run, (bmf_event_kind)run->node[node].kind, lane, 0, end, node, 0, 0, -1, 0);
}

/* ---- against the reference ---- */

static void check_lane(const bmf_characteristics *made, const bmf_characteristics *wanted, int64_t seed)
{
    CHECK(made->execution == wanted->execution && made->compute == wanted->compute && made->file == wanted->file &&
              made->communication == wanted->communication,
          "seed %lld: execution %lld, compute %lld, file %lld, communication %lld; wanted %lld, %lld, %lld, %lld",
          (long long)seed, (long long)made->execution, (long long)made->compute, (long long)made->file,
          (long long)made->communication, (long long)wanted->execution, (long long)wanted->compute,
          (long long)wanted->file, (long long)wanted->communication);
    CHECK(
        made->synchronisation == wanted->synchronisation && made->variation == wanted->variation &&
            made->overlap == wanted->overlap && made->messages == wanted->messages && made->bytes == wanted->bytes,
        "seed %lld: synchronisation %lld, variation %lld, overlap %lld, messages %lld, bytes %lld; wanted %lld, %lld, "
        "%lld, %lld, %lld",
        (long long)seed, (long long)made->synchronisation, (long long)made->variation, (long long)made->overlap,
        (long long)made->messages, (long long)made->bytes, (long long)wanted->synchronisation,
        (long long)wanted->variation, (long long)wanted->overlap, (long long)wanted->messages,
        (long long)wanted->bytes);
}

static void check_losses(const bmf_characteristics *made, const bmf_characteristics *own, int64_t longest,
                         int64_t longest_compute, int64_t seed)
{
    int64_t rest = longest - own->compute - own->file - own->communication - own->insufficient;
    CHECK(made->insufficient - made->repeated == own->insufficient && made->idle == rest &&
              made->imbalance == longest_compute - own->compute,
          "seed %lld: insufficient %lld, idle %lld, imbalance %lld", (long long)seed, (long long)made->insufficient,
          (long long)made->idle, (long long)made->imbalance);
    CHECK(made->productive + made->lost == made->total && made->total == longest, "seed %lld", (long long)seed);
    CHECK(made->lost == made->insufficient + made->communication + made->idle && made->idle >= 0, "seed %lld",
          (long long)seed);
}

static void check_against_reference(const bmf_trace_run *run, const bmf_intervals *intervals, int64_t seed)
{
    for (int64_t i = 0; i < intervals->count; i++) {
        const bmf_interval *interval = &intervals->interval[i];
        bmf_characteristics own[8];
        int64_t longest = 0, compute = 0;
        for (int32_t lane = 0; lane < run->lanes; lane++) {
            own[lane] = reference_lane(run, interval->node, lane);
            check_lane(&intervals->each[i * run->lanes + lane], &own[lane], seed);
            longest = own[lane].execution > longest ? own[lane].execution : longest;
            compute = own[lane].compute > compute ? own[lane].compute : compute;
        }
        for (int32_t lane = 0; lane < run->lanes; lane++)
            check_losses(&intervals->each[i * run->lanes + lane], &own[lane], longest, compute, seed);
    }
}

/* ---- identities that hold for every run ---- */

static int64_t sum_of_kinds(const int64_t *kind)
{
    int64_t sum = 0;
    for (int k = 0; k < BMF_COMMUNICATIONS; k++)
        sum += kind[k];
    return sum;
}

static void check_interval(const bmf_intervals *intervals, int64_t i, int64_t seed)
{
    const bmf_interval *interval = &intervals->interval[i];
    const bmf_characteristics *all = &interval->all;
    bmf_characteristics sum = {0};
    for (int32_t lane = 0; lane < intervals->processors; lane++) {
        const bmf_characteristics *one = &intervals->each[i * intervals->processors + lane];
        for (int k = 0; k < BMF_CHARACTERISTICS; k++) {
            int64_t value = ((const int64_t *)one)[k];
            ((int64_t *)&sum)[k] += value;
            CHECK(((const int64_t *)&interval->min)[k] <= value && value <= ((const int64_t *)&interval->max)[k],
                  "seed %lld, characteristic %d", (long long)seed, k);
        }
        CHECK(one->synchronisation <= one->communication && one->overlap <= one->compute, "seed %lld", (long long)seed);
        CHECK(sum_of_kinds(one->kind) == one->communication &&
                  sum_of_kinds(one->kind_synchronisation) == one->synchronisation &&
                  sum_of_kinds(one->kind_overlap) == one->overlap,
              "seed %lld", (long long)seed);
    }
    sum.execution = interval->max.execution;
    CHECK(memcmp(&sum, all, sizeof sum) == 0, "seed %lld: sums over processors", (long long)seed);
    CHECK(all->productive + all->lost == all->total && all->total == all->execution * intervals->processors,
          "seed %lld", (long long)seed);
}

static void add_all(bmf_characteristics *sum, const bmf_characteristics *part)
{
    for (int k = 0; k < BMF_CHARACTERISTICS; k++)
        ((int64_t *)sum)[k] += ((const int64_t *)part)[k];
}

/* What is in the sub-intervals is in the interval, and no part of it is in two of them. */
static void check_tree(const bmf_intervals *intervals, int64_t seed)
{
    for (int64_t i = 0; i < intervals->count; i++) {
        const bmf_interval *interval = &intervals->interval[i];
        CHECK(interval->parent < i && (i == 0) == (interval->parent < 0), "seed %lld", (long long)seed);
        if (i > 0) {
            const bmf_interval *parent = &intervals->interval[interval->parent];
            CHECK(parent->node == intervals->run->node[interval->node].parent && parent->level + 1 == interval->level,
                  "seed %lld", (long long)seed);
        }
        for (int32_t lane = 0; lane < intervals->processors; lane++) {
            const bmf_characteristics *one = &intervals->each[i * intervals->processors + lane];
            bmf_characteristics sum = {0};
            for (int64_t j = i + 1; j < intervals->count; j++)
                if (intervals->interval[j].parent == i)
                    add_all(&sum, &intervals->each[j * intervals->processors + lane]);
            /* These compare with the slowest processor, and another one may be slowest in each. */
            sum.total = sum.idle = sum.lost = sum.imbalance = 0;
            for (int k = 0; k < BMF_CHARACTERISTICS; k++)
                CHECK(((const int64_t *)&sum)[k] <= ((const int64_t *)one)[k], "seed %lld, characteristic %d",
                      (long long)seed, k);
        }
    }
}

static void check_identities(const bmf_intervals *intervals, int64_t seed)
{
    for (int64_t i = 0; i < intervals->count; i++)
        check_interval(intervals, i, seed);
    check_tree(intervals, seed);
}

static void random_runs_agree_with_the_reference(void **state)
{
    (void)state;
    for (int64_t seed = 0; seed < 600; seed++) {
        uint64_t random = (uint64_t)seed * 977 + 1;
        bmf_trace_run *run = seed % 2 ? reference_tidy_run(&random) : reference_wild_run(&random);
        bmf_intervals *intervals = checked_intervals(run, NULL);
        check_against_reference(run, intervals, seed);
        check_identities(intervals, seed);
        intervals_free(intervals);
        run_free(run);
    }
    assert_int_equal(test_failures, 0);
}

/* A run that holds nothing but one instance is what is asked for when that instance is. */
static void an_instance_is_the_run_of_its_events(void **state)
{
    (void)state;
    int64_t instances = 0;
    for (int64_t seed = 0; seed < 300; seed++) {
        uint64_t random = (uint64_t)seed * 31 + 7;
        bmf_trace_run *run = reference_tidy_run(&random);
        assert_int_equal(run_sort(run), BMF_OK);
        bmf_intervals *whole = checked_intervals(run, NULL);
        for (uint32_t node = 1; node < run->nodes; node++) {
            int64_t execution[8] = {0}, compute[8] = {0}, insufficient[8] = {0};
            for (uint32_t instance = 0; instance < 2; instance++) {
                bmf_intervals *part;
                assert_int_equal(intervals_instance(run, NULL, node, instance, &part), BMF_OK);
                check_identities(part, seed);
                CHECK(part->interval[0].node == node && part->interval[0].level == 0, "seed %lld", (long long)seed);
                instances += part->interval[0].instances;
                for (int32_t lane = 0; lane < run->lanes; lane++) {
                    execution[lane] += part->each[lane].execution;
                    compute[lane] += part->each[lane].compute;
                    insufficient[lane] += part->each[lane].insufficient;
                }
                intervals_free(part);
            }
            const bmf_interval *interval = interval_of_node(whole, node);
            for (int32_t lane = 0; interval && lane < run->lanes; lane++) {
                const bmf_characteristics *one = &whole->each[(interval - whole->interval) * run->lanes + lane];
                CHECK(one->execution == execution[lane] && one->compute == compute[lane] &&
                          one->insufficient == insufficient[lane],
                      "seed %lld: the instances of node %u do not add up to it", (long long)seed, node);
            }
        }
        intervals_free(whole);
        run_free(run);
    }
    assert_true(instances > 300);
    assert_int_equal(test_failures, 0);
}

static void processors_one_by_one_are_the_same(void **state)
{
    (void)state;
    for (int64_t seed = 0; seed < 60; seed++) {
        uint64_t random = (uint64_t)seed * 131 + 3;
        bmf_trace_run *run = seed % 2 ? reference_tidy_run(&random) : reference_wild_run(&random);
        bmf_intervals *kept = checked_intervals(run, NULL);
        intervals_memory = 0;
        bmf_intervals *bounded = checked_intervals(run, NULL);
        intervals_memory = BMF_INTERVALS_MEMORY;
        bmf_characteristics each[8];
        assert_null(bounded->each);
        assert_int_equal(bounded->count, kept->count);
        assert_memory_equal(bounded->interval, kept->interval, (size_t)kept->count * sizeof *kept->interval);
        for (int64_t i = 0; i < kept->count; i++) {
            intervals_each(bounded, i, each);
            assert_memory_equal(each, kept->each + i * run->lanes, (size_t)run->lanes * sizeof *each);
            intervals_each(kept, i, each);
            assert_memory_equal(each, kept->each + i * run->lanes, (size_t)run->lanes * sizeof *each);
        }
        intervals_free(bounded);
        intervals_free(kept);
        run_free(run);
    }
}

/* ---- closed forms ---- */

/* Two processors. 0: computes 0 to 60, sends until 70, waits until 80. 1: computes 0 to 20, waits for the message from
 * 20 to 90. Both are in the call until 100. */
static void one_message(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(2);
    uint32_t call = run_call(run, 0, "P_Split", skeleton_split.id);
    add_around(run, 100, 0);
    add_around(run, 100, call);
    add_kernel(run, 0, 0, 60, call, 0);
    add_kernel(run, 1, 0, 20, call, 0);
    reference_event(run, BMF_EVENT_SEND, 0, 60, 70, call, 0, 0, 1, 1000);
    reference_event(run, BMF_EVENT_WAIT, 0, 70, 80, call, 0, 0, -1, 0);
    reference_event(run, BMF_EVENT_RECEIVE, 1, 20, 90, call, 0, 0, 0, 1000);
    bmf_intervals *intervals = checked_intervals(run, NULL);
    const bmf_interval *interval = interval_of_node(intervals, call);
    const bmf_characteristics *all = &interval->all;
    assert_int_equal(intervals->count, 2);
    assert_int_equal(all->total, 200);
    assert_int_equal(all->productive, 80);
    assert_int_equal(all->communication, 90);
    assert_int_equal(all->kind[BMF_COMMUNICATION_SPLIT], 90);
    assert_int_equal(all->idle, 30);
    assert_int_equal(all->insufficient, 0);
    assert_int_equal(all->lost, 120);
    assert_int_equal(all->synchronisation, 40); /* 20 to 60 */
    assert_int_equal(all->receive_waiting, 40);
    assert_int_equal(all->receive_transport, 30);
    assert_int_equal(all->receive_overhead, 0);
    assert_int_equal(all->variation, 10); /* 80 to 90 */
    assert_int_equal(all->imbalance, 40);
    assert_int_equal(all->overlap, 0);
    assert_int_equal(all->kind_rounds[BMF_COMMUNICATION_SPLIT], 2);
    assert_int_equal(all->messages, 1);
    assert_int_equal(all->bytes, 1000);
    assert_int_equal(interval->instances, 1);
    assert_true(interval->efficiency.efficiency == 0.4 && interval->efficiency.communication == 0.6);
    assert_true(isnan(interval->efficiency.serialisation) && isnan(interval->efficiency.transfer));
    intervals_free(intervals);
    run_free(run);
}

/* The same receive in a prediction that says what taking a message takes. */
static void parts_of_a_receive(void **state)
{
    (void)state;
    static const int64_t cost[] = {12, 50, 70, 100}, waiting[] = {40, 20, 0, 0}, transport[] = {18, 0, 0, 0};
    for (int k = 0; k < 4; k++) {
        bmf_trace_run *run = reference_empty_run(2);
        char text[32];
        snprintf(text, sizeof text, "1000:%d", (int)cost[k]);
        run_add_fact(run, "receive overhead", text);
        reference_event(run, BMF_EVENT_SEND, 0, 60, 70, 0, 0, 0, 1, 1000);
        reference_event(run, BMF_EVENT_RECEIVE, 1, 20, 90, 0, 0, 0, 0, 1000);
        reference_event(run, BMF_EVENT_RECEIVE, 1, 90, 95, 0, 0, 1, 0, 8); /* nobody sent it */
        bmf_intervals *intervals = checked_intervals(run, NULL);
        const bmf_characteristics *all = &intervals->interval[0].all;
        assert_int_equal(all->receive_waiting, waiting[k]);
        assert_int_equal(all->receive_transport, transport[k]);
        assert_int_equal(all->receive_overhead, 75 - waiting[k] - transport[k]);
        intervals_free(intervals);
        run_free(run);
    }
}

/* Two calls of one node from two lines, and one of another; the order is that of the entries. */
static void places_of_entries(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(2);
    const uint32_t call = run_call(run, 0, "scan plus", skeleton_scan.id), other = run_call(run, 0, "gather", 0);
    const uint32_t late = run_name(run, "a.c:9"), early = run_name(run, "a.c:4");
    for (int32_t lane = 0; lane < 2; lane++)
        for (int32_t k = 0; k < 4; k++)
            run_add(run, &(bmf_event){.begin = 10 * k,
                                      .end = 10 * k + 5,
                                      .node = k == 3 ? other : call,
                                      .instance = k == 3 ? 0 : (uint32_t)k,
                                      .lane = lane,
                                      .peer = -1,
                                      .kind = BMF_EVENT_SKELETON,
                                      .name = (uint16_t)(k == 3   ? 0
                                                         : k == 1 ? early
                                                                  : late)});
    bmf_intervals *intervals = checked_intervals(run, NULL);
    const bmf_interval *interval = interval_of_node(intervals, call);
    assert_int_equal(interval->places, 2);
    assert_int_equal(intervals->place[interval->first_place], late);
    assert_int_equal(intervals->place[interval->first_place + 1], early);
    assert_int_equal(interval_of_node(intervals, other)->places, 0);
    assert_int_equal(intervals->interval[0].places, 0);
    intervals_free(intervals);
    run_free(run);
}

/* Receives that are under way at once count once. */
static void receives_at_once(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(4);
    uint32_t call = run_call(run, 0, "gather", skeleton_gather.id);
    for (int32_t from = 1; from < 4; from++) {
        reference_event(run, BMF_EVENT_SEND, from, 10 * from, 10 * from + 2, call, 0, 0, 0, 8);
        reference_event(run, BMF_EVENT_RECEIVE, 0, 0, 10 * from + 5, call, 0, 0, from, 8);
    }
    reference_event(run, BMF_EVENT_RECEIVE, 0, 35, 35, call, 0, 0, 3, 0);
    bmf_intervals *intervals = checked_intervals(run, NULL);
    const bmf_characteristics *one =
        &intervals->each[interval_of_node(intervals, call) - intervals->interval == 0 ? 0 : 4];
    assert_int_equal(one->communication, 35);
    assert_int_equal(one->synchronisation, 30);
    assert_int_equal(one->kind[BMF_COMMUNICATION_GATHER], 35);
    intervals_free(intervals);
    run_free(run);
}

/* Computing between the sends and the receive of one round is overlap; before and after it is not. */
static void computing_beside_messages(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(2);
    uint32_t call = run_call(run, 0, "permute stages", skeleton_permute.id);
    for (int32_t lane = 0; lane < 2; lane++) {
        add_kernel(run, lane, 0, 10, call, 0);
        reference_event(run, BMF_EVENT_SEND, lane, 10, 11, call, 0, 0, 1 - lane, 64);
        add_kernel(run, lane, 12, 30, call, 1);
        reference_event(run, BMF_EVENT_RECEIVE, lane, 30, 33, call, 0, 0, 1 - lane, 64);
        add_kernel(run, lane, 33, 40, call, 2);
    }
    bmf_intervals *intervals = checked_intervals(run, NULL);
    assert_int_equal(intervals->interval[0].all.overlap, 2 * 18);
    assert_int_equal(intervals->interval[0].all.kind_overlap[BMF_COMMUNICATION_PERMUTE], 2 * 18);
    assert_int_equal(intervals->interval[0].all.idle, 2);
    intervals_free(intervals);
    run_free(run);
}

/* P processors, one of which computes a placed list for T: T (P - 1) is lost by insufficient parallelism. */
static void placed_work(void **state)
{
    (void)state;
    for (int32_t lanes = 2; lanes <= 16; lanes *= 2) {
        bmf_trace_run *run = reference_empty_run(lanes);
        uint32_t call = run_call(run, 0, "map square", skeleton_map.id);
        add_around(run, 130, 0);
        for (int32_t lane = 0; lane < lanes; lane++)
            reference_event(run, BMF_EVENT_SKELETON, lane, 0, lane == 1 ? 130 : 0, call, 0, 0, -1, 0);
        add_kernel(run, 1, 10, 110, call, 0);
        bmf_intervals *intervals = checked_intervals(run, NULL);
        for (int64_t i = 0; i < intervals->count; i++) {
            const bmf_characteristics *all = &intervals->interval[i].all;
            assert_int_equal(all->productive, 100);
            assert_int_equal(all->insufficient, 100 * (lanes - 1));
            assert_int_equal(all->repeated, 0);
            assert_int_equal(all->idle, 30 * lanes);
            assert_int_equal(all->productive + all->lost, all->total);
        }
        intervals_free(intervals);
        run_free(run);
    }
}

/* Two placed lists on two processors, half the time at once: only the rest is work for one. */
static void two_placed_lists(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(3);
    uint32_t first = run_call(run, 0, "map a", skeleton_map.id), second = run_call(run, 0, "map b", skeleton_map.id);
    add_around(run, 30, 0);
    add_kernel(run, 0, 0, 20, first, 0);
    add_kernel(run, 1, 10, 30, second, 0);
    bmf_intervals *intervals = checked_intervals(run, NULL);
    /* 0 to 10 and 20 to 30 */
    assert_int_equal(intervals->each[0].insufficient, 10);
    assert_int_equal(intervals->each[1].insufficient, 10);
    assert_int_equal(intervals->each[2].insufficient, 20);
    assert_int_equal(intervals->each[2].idle, 10);
    intervals_free(intervals);
    run_free(run);
}

/* The last kernel of a call that computes everywhere is imbalance, not insufficient parallelism. */
static void the_last_to_finish(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(2);
    uint32_t call = run_call(run, 0, "map a", skeleton_map.id);
    add_around(run, 30, 0);
    add_kernel(run, 0, 0, 5, call, 0);
    add_kernel(run, 1, 0, 30, call, 0);
    bmf_intervals *intervals = checked_intervals(run, NULL);
    assert_int_equal(intervals->interval[0].all.insufficient, 0);
    assert_int_equal(intervals->interval[0].all.imbalance, 25);
    intervals_free(intervals);
    run_free(run);
}

static void exchange(bmf_trace_run *run, uint32_t call, uint32_t round, int32_t from, int32_t to)
{
    reference_event(run, BMF_EVENT_SEND, from, 100 * round + 10, 100 * round + 11, call, 0, round, to, 8);
    reference_event(run, BMF_EVENT_RECEIVE, to, 100 * round + 12, 100 * round + 13, call, 0, round, from, 8);
}

/* Combining partial results for 64 after every round, on all processors. */
static int64_t repeated_in(const bmf_skeleton_type *skeleton, int32_t lanes, int rounds,
                           bool (*sends)(int32_t, int32_t, int))
{
    bmf_trace_run *run = reference_empty_run(lanes);
    uint32_t call = run_call(run, 0, "call", skeleton->id);
    for (int round = 0; round < rounds; round++)
        for (int32_t from = 0; from < lanes; from++) {
            for (int32_t to = 0; to < lanes; to++)
                if (sends(from, to, round))
                    exchange(run, call, (uint32_t)round, from, to);
            add_kernel(run, from, 100 * round + 20, 100 * round + 84, call, (uint32_t)round + 1);
        }
    bmf_intervals *intervals = checked_intervals(run, NULL);
    const bmf_interval *interval = &intervals->interval[0];
    int64_t repeated = interval->all.repeated;
    assert_int_equal(interval->all.compute, 64 * lanes * rounds);
    assert_true(fabs(interval->efficiency.efficiency -
                     interval->efficiency.parallel * interval->efficiency.replication) < 1e-12);
    intervals_free(intervals);
    run_free(run);
    return repeated;
}

static bool all_to_all(int32_t from, int32_t to, int round)
{
    return from != to && round == 0;
}
static bool doubling(int32_t from, int32_t to, int round)
{
    return (from ^ to) == 1 << round;
}
static bool onward(int32_t from, int32_t to, int round)
{
    return to - from == 1 << round;
}

static void repeated_combining(void **state)
{
    (void)state;
    /* Every one of P processors combines the same: (P - 1) / P of P times 64. */
    for (int32_t lanes = 2; lanes <= 16; lanes *= 2)
        assert_int_equal(repeated_in(&skeleton_map_reduce, lanes, 1, all_to_all), 64 * (lanes - 1));
    /* After round r, 2^(r + 1) processors hold the same. */
    assert_int_equal(repeated_in(&skeleton_reduce, 8, 3, doubling), 8 * (64 - 32) + 8 * (64 - 16) + 8 * (64 - 8));
    /* One way connects nobody; other calls exchange different data. */
    assert_int_equal(repeated_in(&skeleton_reduce, 8, 3, onward), 0);
    assert_int_equal(repeated_in(&skeleton_permute, 8, 1, all_to_all), 0);
    assert_int_equal(repeated_in(&skeleton_reduce_each, 8, 1, all_to_all), 0);
}

static void kinds_follow_the_calls(void **state)
{
    (void)state;
    static const struct {
        const bmf_skeleton_type *skeleton;
        bmf_communication kind;
    } known[] = {{&skeleton_split, BMF_COMMUNICATION_SPLIT},           {&skeleton_gather, BMF_COMMUNICATION_GATHER},
                 {&skeleton_zip_map_reduce, BMF_COMMUNICATION_REDUCE}, {&skeleton_scan, BMF_COMMUNICATION_SCAN},
                 {&skeleton_distl, BMF_COMMUNICATION_DISTL},           {&skeleton_project, BMF_COMMUNICATION_PROJECT},
                 {&skeleton_permute, BMF_COMMUNICATION_PERMUTE},       {&skeleton_map, BMF_COMMUNICATION_OTHER}};
    enum { KNOWN = sizeof known / sizeof known[0] };
    bmf_trace_run *run = reference_empty_run(1);
    uint32_t node[KNOWN];
    for (int k = 0; k < KNOWN; k++) {
        char text[32];
        snprintf(text, sizeof text, "call %d", k);
        node[k] = run_call(run, 0, text, known[k].skeleton->id);
    }
    uint32_t unknown = run_call(run, 0, "scan plus", 1000000);
    uint32_t inner = run_call(run, node[0], "map f", skeleton_map.id);
    uint32_t region = run_node(run, node[0], "scan plus", BMF_EVENT_REGION);
    bmf_communication *kind = communication_kinds(run);
    assert_non_null(kind);
    for (int k = 0; k < KNOWN; k++)
        assert_int_equal(kind[node[k]], known[k].kind);
    assert_int_equal(kind[inner], BMF_COMMUNICATION_SPLIT);
    assert_int_equal(kind[unknown], BMF_COMMUNICATION_OTHER);
    assert_int_equal(kind[region], BMF_COMMUNICATION_OTHER);
    free(kind);
    run_free(run);
}

/* ---- with the ideal network ---- */

/* The same computing, messages that take no time. */
static bmf_trace_run *ideal_of(const bmf_trace_run *run)
{
    bmf_trace_run *ideal = reference_empty_run(run->lanes);
    for (uint32_t node = 1; node < run->nodes; node++)
        run_node_like(ideal, run->node[node].parent, run->name[run->node[node].name], &run->node[node]);
    for (int64_t k = 0; k < run->events; k++) {
        bmf_event event = run->event[k];
        if (is_communication(&event))
            event.begin = event.end;
        run_add(ideal, &event);
    }
    return ideal;
}

static void factors_multiply(void **state)
{
    (void)state;
    int64_t known = 0;
    for (int64_t seed = 0; seed < 200; seed++) {
        uint64_t random = (uint64_t)seed * 53 + 11;
        bmf_trace_run *run = reference_tidy_run(&random), *ideal = ideal_of(run);
        bmf_intervals *intervals = checked_intervals(run, ideal);
        for (int64_t i = 0; i < intervals->count; i++) {
            const bmf_efficiencies *e = &intervals->interval[i].efficiency;
            const bmf_characteristics *all = &intervals->interval[i].all;
            if (all->compute == 0)
                continue;
            known++;
            CHECK(fabs(e->parallel - e->load_balance * e->communication) < 1e-12, "seed %lld", (long long)seed);
            CHECK(fabs(e->communication - e->serialisation * e->transfer) < 1e-12, "seed %lld", (long long)seed);
            if (all->file == 0)
                CHECK(fabs(e->efficiency - e->parallel * e->replication) < 1e-12, "seed %lld", (long long)seed);
        }
        intervals_free(intervals);
        run_free(ideal);
        run_free(run);
    }
    assert_true(known > 200);
    assert_int_equal(test_failures, 0);
}

/* Two processors compute 60 and 20; the second then waits for the first's message, and computes 30 more. On the ideal
 * network the message takes no time: 90 in all, 60 for the longest computing. */
static void replayed_on_the_ideal_network(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(2), *ideal;
    uint32_t call = run_call(run, 0, "P_Split", skeleton_split.id);
    add_around(run, 150, 0);
    add_around(run, 150, call);
    add_kernel(run, 0, 0, 60, call, 0);
    add_kernel(run, 1, 0, 20, call, 0);
    reference_event(run, BMF_EVENT_SEND, 0, 60, 75, call, 0, 0, 1, 1000);
    reference_event(run, BMF_EVENT_RECEIVE, 1, 20, 120, call, 0, 0, 0, 1000);
    add_kernel(run, 1, 120, 150, call, 1);
    assert_int_equal(intervals_ideal(run, &ideal), BMF_OK);
    bmf_intervals *intervals = checked_intervals(run, ideal);
    for (int64_t i = 0; i < intervals->count; i++) {
        const bmf_efficiencies *e = &intervals->interval[i].efficiency;
        assert_true(fabs(e->serialisation - 60.0 / 90) < 1e-12);
        assert_true(fabs(e->transfer - 90.0 / 150) < 1e-12);
        assert_true(fabs(e->communication - 60.0 / 150) < 1e-12);
        assert_true(fabs(e->load_balance - 110.0 / 120) < 1e-12);
    }
    intervals_free(intervals);
    run_free(ideal);
    reference_event(run, BMF_EVENT_SEND, 0, 80, 81, call, 0, 1, 1, 8); /* never received */
    assert_int_equal(intervals_ideal(run, &ideal), BMF_ERROR_ARGUMENT);
    assert_null(ideal);
    run_free(run);
}

static void wrong_ideals_are_refused(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(2), *other = reference_empty_run(2), *wider = reference_empty_run(3);
    bmf_intervals *intervals;
    add_kernel(run, 0, 0, 5, run_call(run, 0, "map a", skeleton_map.id), 0);
    add_kernel(other, 0, 0, 5, run_call(other, 0, "map b", skeleton_map.id), 0);
    assert_int_equal(intervals_create(run, other, &intervals), BMF_ERROR_ARGUMENT);
    assert_null(intervals);
    assert_int_equal(intervals_create(run, wider, &intervals), BMF_ERROR_ARGUMENT);
    assert_int_equal(intervals_instance(run, NULL, 7, 0, &intervals), BMF_ERROR_ARGUMENT);
    run_free(wider);
    run_free(other);
    run_free(run);
}

/* ---- extremes ---- */

static void nothing_at_all(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(3);
    bmf_intervals *intervals = checked_intervals(run, NULL);
    assert_int_equal(intervals->count, 1);
    assert_int_equal(intervals->interval[0].all.total, 0);
    assert_true(isnan(intervals->interval[0].efficiency.efficiency));
    intervals_free(intervals);
    run_free(run);
}

static void many_processors(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(65536);
    uint32_t call = run_call(run, 0, "reduce plus", skeleton_reduce.id);
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        add_kernel(run, lane, 0, 100 + lane % 7, call, 0);
        reference_event(run, BMF_EVENT_SKELETON, lane, 0, 200, call, 0, 0, -1, 0);
        reference_event(run, BMF_EVENT_REGION, lane, 0, 200, 0, 0, 0, -1, 0);
    }
    bmf_intervals *intervals = checked_intervals(run, NULL);
    const bmf_characteristics *all = &intervals->interval[0].all;
    assert_int_equal(all->total, 200 * 65536);
    assert_int_equal(all->productive + all->lost, all->total);
    assert_int_equal(intervals->interval[0].max.compute - intervals->interval[0].min.compute, 6);
    intervals_free(intervals);
    run_free(run);
}

static void times_that_overflow_are_refused(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(4);
    bmf_intervals *intervals;
    add_kernel(run, 0, 0, INT64_MAX / 8, 0, 0);
    assert_int_equal(intervals_create(run, NULL, &intervals), BMF_ERROR_ARGUMENT);
    run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_runs_agree_with_the_reference),
                                       cmocka_unit_test(an_instance_is_the_run_of_its_events),
                                       cmocka_unit_test(processors_one_by_one_are_the_same),
                                       cmocka_unit_test(one_message),
                                       cmocka_unit_test(parts_of_a_receive),
                                       cmocka_unit_test(places_of_entries),
                                       cmocka_unit_test(receives_at_once),
                                       cmocka_unit_test(computing_beside_messages),
                                       cmocka_unit_test(placed_work),
                                       cmocka_unit_test(two_placed_lists),
                                       cmocka_unit_test(the_last_to_finish),
                                       cmocka_unit_test(repeated_combining),
                                       cmocka_unit_test(kinds_follow_the_calls),
                                       cmocka_unit_test(factors_multiply),
                                       cmocka_unit_test(replayed_on_the_ideal_network),
                                       cmocka_unit_test(wrong_ideals_are_refused),
                                       cmocka_unit_test(nothing_at_all),
                                       cmocka_unit_test(many_processors),
                                       cmocka_unit_test(times_that_overflow_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
