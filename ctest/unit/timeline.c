/* Time-lines: document 000's figure 6-3, and random demands against one flag for every unit of time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/network/timeline.h"

enum { SLOTS = 4000, ROUNDS = 20 };

/* Document 000, figures 6-2 and 6-3: four packets; one that comes at 2 and takes 3 gets 3 to 6, one time unit late. */
static void figure_6_3(void **state)
{
    (void)state;
    static const bmf_busy packets[] = {{0, 1}, {1.5, 3}, {6.5, 8}, {9, 11}};
    bmf_timeline line = {0};
    for (int k = 0; k < 4; k++)
        assert_float_equal(timeline_take(&line, 0.0, packets[k].begin, packets[k].end - packets[k].begin),
                           packets[k].begin, 0.0);
    assert_float_equal(timeline_take(&line, 0.0, 2.0, 3.0), 3.0, 0.0);
    assert_float_equal(timeline_take(&line, 0.0, 2.0, 3.0), 11.0, 0.0); /* no other gap is long enough */
    assert_float_equal(timeline_take(&line, 0.0, 2.0, 0.5), 6.0, 0.0);
    assert_float_equal(timeline_take(&line, 0.0, 2.0, 0.0), 8.0, 0.0); /* what has no length waits, too */
    timeline_free(&line);
}

/* In order, none touching another; blocks say what is in them, and no gap is wider than they say. */
static void check_line(const bmf_timeline *line)
{
    double before = -INFINITY;
    for (int32_t b = 0; b < line->count; b++) {
        const bmf_busy_block *block = &line->block[line->first + b];
        for (int32_t k = 0; k < block->count; k++) {
            CHECK(block->busy[k].begin > before && block->busy[k].end > block->busy[k].begin, "block %d, interval %d",
                  b, k);
            CHECK(b + k == 0 || block->busy[k].begin - before <= block->widest, "block %d, gap %d", b, k);
            before = block->busy[k].end;
        }
        CHECK(line->count == 1 || (block->count > 0 && block->end == before), "block %d", b);
    }
}

/* Whole times, against one flag for every unit of time. What lies in the past is forgotten. */
static void random_lines(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < ROUNDS; round++) {
        bool busy[SLOTS] = {false};
        bmf_timeline line = {0};
        const int64_t longest = 1 + test_below(&seed, 12), pace = 1 + test_below(&seed, 8),
                      ahead = round % 2 ? 40 : 1500;
        int64_t present = 0;
        while (present < SLOTS / 2) {
            int64_t from = present + test_below(&seed, ahead), begin = from;
            int64_t seconds = test_below(&seed, 8) == 0 ? longest : 1; /* many gaps are too short for some */
            for (int64_t k = begin; k < begin + seconds; k++)
                if (busy[k])
                    begin = k + 1;
            memset(busy + begin, true, (size_t)seconds);
            double got = timeline_take(&line, (double)present, (double)from, (double)seconds);
            CHECK(got == (double)begin, "%lld for %lld: %g, not %lld", (long long)from, (long long)seconds, got,
                  (long long)begin);
            present += test_below(&seed, pace + 1);
            if (begin + seconds > SLOTS - 100)
                break;
        }
        check_line(&line);
        timeline_free(&line);
    }
    assert_int_equal(test_failures, 0);
}

/* A long run keeps what lies ahead, not what was. */
static void bounded_lines(void **state)
{
    (void)state;
    bmf_timeline line = {0};
    for (int64_t k = 0; k < 100000; k++)
        timeline_take(&line, (double)k, (double)k + (k % 3 == 0 ? 5.25 : 0.0), 0.25);
    CHECK(line.capacity <= 4, "room for %d blocks", line.capacity);
    assert_int_equal(test_failures, 0);
    timeline_free(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_6_3),
        cmocka_unit_test(random_lines),
        cmocka_unit_test(bounded_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
