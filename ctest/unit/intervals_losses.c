/* What programs lose whose answer is known by construction: to work on one processor, and to agreements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ctest/reference/reference_intervals.h"
#include "ctest/support/testing.h"
#include "predict/report/intervals_private.h"
#include "skeletons/skeleton_types.h"

enum { SERIAL = 1000, PARALLEL = 300, MESSAGE = 5 };

static void add(bmf_trace_run *run, bmf_event_kind kind, int32_t lane, int64_t begin, int64_t end, uint32_t node,
                uint32_t round, int32_t peer)
{
    reference_event(run, kind, lane, begin, end, node, 0, round, peer, 8);
}

/* The instants of all processors, and what is additive, add up over the sub-intervals exactly. */
static void check_sum(const bmf_intervals *intervals)
{
    const bmf_characteristics *root = &intervals->interval[0].all;
    int64_t insufficient = 0, communication = 0, synchronisation = 0, compute = 0;
    for (int64_t i = 1; i < intervals->count; i++) {
        const bmf_interval *interval = &intervals->interval[i];
        if (interval->parent != 0)
            continue;
        insufficient += interval->all.insufficient;
        communication += interval->all.communication;
        synchronisation += interval->all.synchronisation;
        compute += interval->all.compute;
        assert_int_equal(interval->all.productive + interval->all.lost, interval->all.total);
    }
    assert_int_equal(root->insufficient, insufficient);
    assert_int_equal(root->communication, communication);
    assert_int_equal(root->synchronisation, synchronisation);
    assert_int_equal(root->compute, compute);
    assert_int_equal(root->productive + root->lost, root->total);
}

/* Processor 0 computes a placed list for SERIAL, splits the result, all compute PARALLEL. The others wait for their
 * message from the beginning; from 0 to 1, .. they follow each other, MESSAGE each. */
static bmf_trace_run *split_after_serial(int32_t lanes, uint32_t *serial, uint32_t *split, uint32_t *map)
{
    bmf_trace_run *run = reference_empty_run(lanes);
    *serial = run_call(run, 0, "map a", skeleton_map.id);
    *split = run_call(run, 0, "split", skeleton_split.id);
    *map = run_call(run, 0, "map b", skeleton_map.id);
    const int64_t sent = SERIAL + (int64_t)MESSAGE * (lanes - 1);
    add(run, BMF_EVENT_SKELETON, 0, 0, SERIAL, *serial, 0, -1);
    add(run, BMF_EVENT_KERNEL, 0, 0, SERIAL, *serial, 0, -1);
    for (int32_t lane = 0; lane < lanes; lane++) {
        const int64_t arrived = lane ? SERIAL + (int64_t)MESSAGE * lane : sent;
        add(run, BMF_EVENT_REGION, lane, 0, sent + PARALLEL, 0, 0, -1);
        add(run, BMF_EVENT_SKELETON, lane, lane ? 0 : SERIAL, arrived, *split, 0, -1);
        if (lane > 0) {
            add(run, BMF_EVENT_SEND, 0, SERIAL + (int64_t)MESSAGE * (lane - 1), arrived, *split, 0, lane);
            add(run, BMF_EVENT_RECEIVE, lane, 0, arrived, *split, 0, 0);
        }
        add(run, BMF_EVENT_SKELETON, lane, arrived, arrived + PARALLEL, *map, 0, -1);
        add(run, BMF_EVENT_KERNEL, lane, arrived, arrived + PARALLEL, *map, 0, -1);
    }
    return run;
}

/* T (P - 1) of insufficient parallelism, in the call and in the program; what messages take is communication. */
static void serial_work_before_a_split(void **state)
{
    (void)state;
    for (int32_t lanes = 2; lanes <= 64; lanes *= 2) {
        uint32_t serial, split, map;
        bmf_trace_run *run = split_after_serial(lanes, &serial, &split, &map);
        bmf_intervals *intervals = checked_intervals(run, NULL);
        const int64_t lost = (int64_t)SERIAL * (lanes - 1), sending = (int64_t)MESSAGE * (lanes - 1);
        assert_int_equal(interval_of_node(intervals, serial)->all.insufficient, lost);
        assert_int_equal(interval_of_node(intervals, serial)->all.idle, 0);
        assert_int_equal(intervals->interval[0].all.insufficient, lost);
        /* lane l waits MESSAGE l for its message; lane 0 sends all the time */
        assert_int_equal(interval_of_node(intervals, split)->all.insufficient, 0);
        assert_int_equal(interval_of_node(intervals, split)->all.communication,
                         sending + (int64_t)MESSAGE * lanes * (lanes - 1) / 2);
        assert_int_equal(interval_of_node(intervals, split)->all.execution, sending);
        assert_int_equal(intervals->interval[0].all.synchronisation, 0);
        assert_int_equal(interval_of_node(intervals, map)->all.insufficient, 0);
        assert_int_equal(interval_of_node(intervals, map)->all.productive, (int64_t)PARALLEL * lanes);
        assert_int_equal(intervals->interval[0].type, BMF_INTERVAL_USER);
        assert_int_equal(interval_of_node(intervals, serial)->type, BMF_INTERVAL_SEQUENTIAL);
        assert_int_equal(interval_of_node(intervals, map)->type, BMF_INTERVAL_PARALLEL);
        check_sum(intervals);
        intervals_free(intervals);
        run_free(run);
    }
}

/* Along a tree those further down wait for lanes that wait themselves. */
static void serial_work_before_a_tree(void **state)
{
    (void)state;
    enum { LANES = 8 };
    bmf_trace_run *run = reference_empty_run(LANES);
    const uint32_t serial = run_call(run, 0, "map a", skeleton_map.id),
                   split = run_call(run, 0, "split", skeleton_split.id);
    add(run, BMF_EVENT_KERNEL, 0, 0, SERIAL, serial, 0, -1);
    for (int32_t lane = 0; lane < LANES; lane++)
        add(run, BMF_EVENT_REGION, lane, 0, SERIAL + 3 * MESSAGE, 0, 0, -1);
    for (int32_t round = 0; round < 3; round++)
        for (int32_t from = 0; from < 1 << round; from++) {
            const int64_t begin = SERIAL + (int64_t)MESSAGE * round;
            add(run, BMF_EVENT_SEND, from, begin, begin + MESSAGE, split, (uint32_t)round, from + (1 << round));
            add(run, BMF_EVENT_RECEIVE, from + (1 << round), 0, begin + MESSAGE, split, (uint32_t)round, from);
        }
    bmf_intervals *intervals = checked_intervals(run, NULL);
    assert_int_equal(interval_of_node(intervals, serial)->all.insufficient, SERIAL * (LANES - 1));
    assert_int_equal(intervals->interval[0].all.insufficient, SERIAL * (LANES - 1));
    /* 2 lanes wait MESSAGE, and 4 of them 2 MESSAGE, for partners who have not come yet */
    assert_int_equal(intervals->interval[0].all.synchronisation, (2 + 4 * 2) * MESSAGE);
    check_sum(intervals);
    intervals_free(intervals);
    run_free(run);
}

/* Two calls on different processors, one after the other: each costs the others its time. */
static void serial_work_in_turns(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(4);
    const uint32_t first = run_call(run, 0, "map a", skeleton_map.id), second = run_call(run, 0, "map b", 1);
    add(run, BMF_EVENT_KERNEL, 0, 0, SERIAL, first, 0, -1);
    add(run, BMF_EVENT_KERNEL, 2, SERIAL, SERIAL + PARALLEL, second, 0, -1);
    for (int32_t lane = 0; lane < run->lanes; lane++)
        add(run, BMF_EVENT_REGION, lane, 0, SERIAL + PARALLEL, 0, 0, -1);
    bmf_intervals *intervals = checked_intervals(run, NULL);
    assert_int_equal(interval_of_node(intervals, first)->all.insufficient, 3 * SERIAL);
    assert_int_equal(interval_of_node(intervals, second)->all.insufficient, 3 * PARALLEL);
    assert_int_equal(intervals->interval[0].all.idle, 0);
    check_sum(intervals);
    intervals_free(intervals);
    run_free(run);
}

/* Lanes compute 100, 70 and 30 and agree until 180; what they wait there is synchronisation. */
static void agreements_are_synchronisation(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(3);
    const uint32_t call = run_call(run, 0, "filter", skeleton_filter.id),
                   map = run_call(run, 0, "map", skeleton_map.id);
    static const int64_t computes[] = {100, 70, 30};
    for (int32_t lane = 0; lane < 3; lane++) {
        add(run, BMF_EVENT_REGION, lane, 0, 250, 0, 0, -1);
        add(run, BMF_EVENT_SKELETON, lane, 0, 220, call, 0, -1);
        add(run, BMF_EVENT_KERNEL, lane, 0, computes[lane], call, 0, -1);
        add(run, BMF_EVENT_COLLECTIVE, lane, computes[lane], 180, call, 0, -1);
        add(run, BMF_EVENT_KERNEL, lane, 180, 220 - lane, call, 1, -1);
        add(run, BMF_EVENT_KERNEL, lane, 220, 250, map, 0, -1);
    }
    bmf_intervals *intervals = checked_intervals(run, NULL);
    const int64_t at = interval_of_node(intervals, call) - intervals->interval;
    for (int32_t lane = 0; lane < 3; lane++) {
        const bmf_characteristics *one = &intervals->each[at * 3 + lane];
        assert_int_equal(one->synchronisation, 180 - computes[lane]);
        assert_int_equal(one->communication, 180 - computes[lane]);
        assert_int_equal(one->kind_synchronisation[skeleton_filter.communication], 180 - computes[lane]);
        assert_int_equal(one->idle, lane);
    }
    check_sum(intervals);
    intervals_free(intervals);
    run_free(run);
}

/* An agreement at which all wait for one that computes alone: that is the alone one's doing. */
static void serial_work_before_an_agreement(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(4);
    const uint32_t serial = run_call(run, 0, "map a", skeleton_map.id), split = run_call(run, 0, "split", 1);
    add(run, BMF_EVENT_KERNEL, 3, 0, SERIAL, serial, 0, -1);
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        add(run, BMF_EVENT_REGION, lane, 0, SERIAL + MESSAGE, 0, 0, -1);
        add(run, BMF_EVENT_COLLECTIVE, lane, lane == 3 ? SERIAL : 0, SERIAL + MESSAGE, split, 0, -1);
    }
    bmf_intervals *intervals = checked_intervals(run, NULL);
    assert_int_equal(interval_of_node(intervals, serial)->all.insufficient, 3 * SERIAL);
    assert_int_equal(interval_of_node(intervals, split)->all.synchronisation, 4 * MESSAGE);
    assert_int_equal(interval_of_node(intervals, split)->all.execution, MESSAGE);
    assert_int_equal(intervals->interval[0].all.insufficient, 3 * SERIAL);
    check_sum(intervals);
    intervals_free(intervals);
    run_free(run);
}

/* Operations are calls, whatever their rounds and processors: two reductions, one of them of a reduction and a split,
 * entered three times; and a split of its own. */
static void operations_are_calls(void **state)
{
    (void)state;
    bmf_trace_run *run = reference_empty_run(8);
    const uint32_t region = run_node(run, 0, "step", BMF_EVENT_REGION);
    const uint32_t first = run_call(run, region, "reduce plus", skeleton_reduce.id);
    const uint32_t second = run_call(run, region, "map_reduce square plus", skeleton_map_reduce.id);
    const uint32_t inner = run_call(run, second, "reduce plus", skeleton_reduce.id),
                   parts = run_call(run, second, "split", skeleton_split.id);
    const uint32_t split = run_call(run, 0, "split", skeleton_split.id);
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        for (uint32_t k = 0; k < 3; k++) {
            const int64_t begin = 100 * k;
            reference_event(run, BMF_EVENT_REGION, lane, begin, begin + 90, region, k, 0, -1, 0);
            reference_event(run, BMF_EVENT_SKELETON, lane, begin, begin + 40, first, k, 0, -1, 0);
            reference_event(run, BMF_EVENT_SKELETON, lane, begin + 40, begin + 80, second, k, 0, -1, 0);
            reference_event(run, BMF_EVENT_SKELETON, lane, begin + 40, begin + 50, inner, k, 0, -1, 0);
            reference_event(run, BMF_EVENT_SKELETON, lane, begin + 50, begin + 60, parts, k, 0, -1, 0);
        }
        reference_event(run, BMF_EVENT_SKELETON, lane, 300, 320, split, 0, 0, -1, 0);
    }
    bmf_intervals *intervals = checked_intervals(run, NULL);
    assert_int_equal(intervals->interval[0].operations[BMF_COMMUNICATION_REDUCE], 6);
    assert_int_equal(intervals->interval[0].operations[BMF_COMMUNICATION_SPLIT], 4);
    assert_int_equal(interval_of_node(intervals, region)->operations[BMF_COMMUNICATION_REDUCE], 6);
    assert_int_equal(interval_of_node(intervals, region)->operations[BMF_COMMUNICATION_SPLIT], 3);
    assert_int_equal(interval_of_node(intervals, second)->operations[BMF_COMMUNICATION_REDUCE], 3);
    assert_int_equal(interval_of_node(intervals, inner)->operations[BMF_COMMUNICATION_REDUCE], 0);
    assert_int_equal(interval_of_node(intervals, split)->operations[BMF_COMMUNICATION_SPLIT], 1);
    intervals_free(intervals);
    run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(serial_work_before_a_split),
                                       cmocka_unit_test(serial_work_before_a_tree),
                                       cmocka_unit_test(serial_work_in_turns),
                                       cmocka_unit_test(agreements_are_synchronisation),
                                       cmocka_unit_test(serial_work_before_an_agreement),
                                       cmocka_unit_test(operations_are_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
