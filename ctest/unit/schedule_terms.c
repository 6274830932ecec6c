/* What schedules do, as terms that times are fitted to: against counts by hand and by pairs of processors; coefficients
 * that are known are found again, and so are times of numbers of processors that were left out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/measure/schedule_terms.h"
#include "predict/measure/schedules_private.h"
#include "runtime/schedule/range.h"

static const bmf_cost_model cost = {2e-6, 2e-10};

static double sum_of(const double *term, int begin, int count)
{
    double sum = 0.0;
    for (int k = begin; k < begin + count; k++)
        sum += term[k];
    return sum;
}

/* Of short values, so that shares of sizes add up to messages. */
static double between(const bmf_algorithm *algorithm, int64_t ranks, int64_t count)
{
    double term[BMF_TERMS];
    schedule_terms(algorithm, &cost, ranks, count, 1000, term);
    return sum_of(term, BMF_TERM_BETWEEN, BMF_TERM_SIZES);
}

/* A broadcast tree of 10 on two ranks of 5 sends 0 -> 8, 4 -> 6 and 4 -> 5 across; one of 12, 0 -> 8 and 4 -> 6. */
static void crossings_by_hand(void **state)
{
    static const double expected[][2] = {{2, 1}, {4, 1}, {8, 1}, {10, 3}, {12, 2}, {14, 2}, {16, 1}, {18, 4}};
    (void)state;
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        assert_float_equal(between(&algorithm_distl_tree, 2, (int64_t)expected[k][0]), expected[k][1], 1e-9);
    assert_float_equal(between(&algorithm_split_direct, 2, 10), 1, 1e-9); /* packed into one */
    assert_float_equal(between(&algorithm_reduce_allgather, 3, 9), 6, 1e-9);
    assert_float_equal(between(&algorithm_distl_tree, 1, 10), 0, 0);
}

/* One block of processors after the other: the rank of each is looked for. */
static int64_t rank_of(int64_t count, int64_t ranks, int64_t processor)
{
    int64_t rank = 0;
    while ((rank + 1) * count / ranks <= processor)
        rank++;
    return rank;
}

/* Rounds, and pairs of ranks in them, of even blocks. */
static void rounds_and_copies(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (int try = 0; try < 300; try++) {
        const bmf_algorithm *algorithm = algorithms[test_below(&seed, BMF_ALGORITHMS)];
        const int64_t ranks = 1 + (int64_t)test_below(&seed, 4);
        const int64_t count = ranks * (1 + (int64_t)test_below(&seed, 9));
        double term[BMF_TERMS];
        if (count < 2 || algorithm->to_first || strcmp(algorithm->skeleton, "distl") == 0)
            continue;
        schedule_terms(algorithm, &cost, ranks, count, 8 * count, term);
        bmf_schedule *schedule = schedule_create("all", 0, count);
        const bmf_group group = {0, 0, count};
        algorithm->generate(schedule, 0, &(bmf_schedule_request){.group = &group, .cost = &cost});
        int64_t crossed = 0, pairs = 0, inside[4] = {0}, most = 0;
        for (int r = 0; r < schedule->rounds; r++) {
            bool pair[4][4] = {{false}}, any = false;
            for (int64_t m = 0; m < schedule->round[r].count; m++) {
                const bmf_message *message = &schedule->round[r].message[m];
                const int64_t from = rank_of(count, ranks, message->from), to = rank_of(count, ranks, message->to);
                inside[from] += from == to;
                pairs += from != to && !pair[from][to];
                any = any || from != to;
                pair[from][to] = true;
            }
            crossed += any;
        }
        for (int64_t r = 0; r < ranks; r++)
            most = inside[r] > most ? inside[r] : most;
        assert_float_equal(term[BMF_TERM_ROUNDS], schedule->rounds, 0);
        assert_float_equal(term[BMF_TERM_CROSSED], crossed, 0);
        assert_float_equal(sum_of(term, BMF_TERM_BETWEEN, BMF_TERM_SIZES), pairs, 1e-9);
        assert_float_equal(sum_of(term, BMF_TERM_INSIDE, BMF_TERM_SIZES), most, 1e-9);
        schedule_free(schedule);
    }
}

/* What a machine could take: more for every size, much more for messages that wait for their receivers. */
static void make_coefficients(double coefficient[BMF_TERMS])
{
    memset(coefficient, 0, BMF_TERMS * sizeof *coefficient);
    coefficient[BMF_TERM_CONSTANT] = 1e-6;
    coefficient[BMF_TERM_CROSSED] = 3e-7;
    for (int k = 0; k < BMF_TERM_SIZES; k++) {
        coefficient[BMF_TERM_BETWEEN + k] = 2e-7 * pow(1.7, k) + (k >= 6 ? 5e-6 : 0.0);
        coefficient[BMF_TERM_INSIDE + k] = 2e-8 * pow(1.8, k);
    }
}

static double true_seconds(const bmf_algorithm *algorithm, int64_t count, int64_t bytes)
{
    double term[BMF_TERMS], coefficient[BMF_TERMS];
    make_coefficients(coefficient);
    schedule_terms(algorithm, &cost, 2, count, bytes, term);
    return terms_sum(term, coefficient);
}

static const schedule_call *find_call(const char *skeleton)
{
    int k = 0;
    while (strcmp(schedule_calls[k]->skeleton, skeleton) != 0)
        k++;
    return schedule_calls[k];
}

/* Of the algorithm that looks best. */
static double loss_of(const bmf_schedules_point *p)
{
    int chosen = 0;
    double best = INFINITY, seconds[BMF_MEASURE_WAYS];
    for (int way = 0; way < p->ways; way++) {
        seconds[way] = true_seconds(algorithm_find(p->skeleton, p->way[way]), p->count, p->bytes);
        best = fmin(best, seconds[way]);
        chosen = p->seconds[way] < p->seconds[chosen] ? way : chosen;
    }
    return seconds[chosen] / best - 1.0;
}

/* 9 and 11 processors from 8, 10 and 12: an algorithm that is best there is found, whose times are no power. */
static void times_between_numbers(void **state)
{
    static const int64_t count[] = {2, 4, 0, 6, 8, 10, 12, 16, 32};
    static const char *const skeletons[] = {"split", "gather", "reduce", "scan", "distl"};
    enum { COUNTS = sizeof count / sizeof count[0] };
    (void)state;
    for (size_t n = 0; n < sizeof skeletons / sizeof skeletons[0]; n++) {
        bmf_context ctx = {.ranks = 2};
        schedules_study s = {.ctx = &ctx, .cost = cost};
        const schedule_call *call = find_call(skeletons[n]);
        s.measured = calloc(COUNTS * 20, sizeof *s.measured);
        s.capacity = COUNTS * 20;
        for (int c = 0; c < COUNTS; c++)
            for (int64_t bytes = 512; count[c] > 0 && bytes <= 1 << 20; bytes *= 2) {
                bmf_schedules_point p = {.skeleton = skeletons[n], .count = count[c], .bytes = bytes};
                p.ways = schedule_call_ways(call, p.way);
                for (int way = 0; way < p.ways; way++)
                    p.seconds[way] = true_seconds(algorithm_find(skeletons[n], p.way[way]), count[c], bytes);
                s.measured[s.count++] = (schedule_measured){call, p, 1};
            }
        const int64_t measured = s.count;
        schedules_fill(&s, call, COUNTS, count);
        assert_true(s.count > measured);
        bool nine = false, eleven = false;
        for (int64_t k = measured; k < s.count; k++) {
            const bmf_schedules_point *p = &s.measured[k].point;
            assert_true(p->computed);
            for (int c = 0; c < COUNTS; c++)
                assert_true(p->count != count[c]);
            nine = nine || p->count == 9;
            eleven = eleven || p->count == 11;
            const double loss = loss_of(p);
            if (!(loss < 0.1))
                fail_msg("%s %d %d: what is chosen loses %g", skeletons[n], (int)p->count, (int)p->bytes, loss);
        }
        assert_true(nine && eleven);
        free(s.measured);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossings_by_hand),
        cmocka_unit_test(rounds_and_copies),
        cmocka_unit_test(times_between_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
