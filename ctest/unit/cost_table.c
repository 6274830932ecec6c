/* Tables of costs against a definition that walks all rows, and their mistakes by line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "runtime/schedule/cost_table.h"

static bmf_cost_table *table_of(const char *text)
{
    char message[512] = "";
    bmf_cost_table *table = cost_table_read("t.costs", text, (int64_t)strlen(text), message, sizeof message);
    if (!table)
        fail_msg("%s", message);
    return table;
}

static void is_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g instead of %.17g", found, expected);
}

static double reduce(const bmf_cost_table *table, const char *algorithm, int64_t ranks, int64_t count, double bytes)
{
    return cost_table_seconds(table, "reduce", algorithm, ranks, count, bytes);
}

static void times_between_sizes(void **state)
{
    (void)state;
    bmf_cost_table *table = table_of("bmf costs 1\n"
                                     "# rows in any order, with comments\n"
                                     "reduce levels 2 8 1000 5e-6 # behind a row\n"
                                     "\n"
                                     "reduce levels 2 8 0 1e-6\r\n"
                                     "reduce levels 2 2 0 5e-7\n"
                                     "reduce levels 2 2 1000 1e-6\n"
                                     "  message 3e-6 2e-10");
    is_near(reduce(table, "levels", 2, 8, 0), 1e-6);
    is_near(reduce(table, "levels", 2, 8, 250), 2e-6);            /* a straight line */
    is_near(reduce(table, "levels", 2, 8, 3000), 15e-6);          /* as much for every byte as at the largest */
    is_near(reduce(table, "levels", 2, 4, 0), sqrt(1e-6 * 5e-7)); /* a power of the items: halfway from 2 to 8 */
    is_near(reduce(table, "levels", 2, 32, 0), 2e-6);             /* which goes on */
    assert_true(isnan(reduce(table, "doubling", 2, 8, 0)));
    assert_true(isnan(cost_table_seconds(table, "scan", "levels", 2, 8, 0)));
    is_near(cost_table_message(table)->latency, 3e-6);
    is_near(cost_table_message(table)->per_byte, 2e-10);
    assert_true(cost_table_covers(table, "reduce", 2, 16) && cost_table_covers(table, "reduce", 2, 2));
    assert_false(cost_table_covers(table, "reduce", 2, 17) || cost_table_covers(table, "scan", 2, 8));
    cost_table_free(table);
}

/* Of 10 items only two sizes were measured, which say nothing of others. */
static void sizes_that_are_far(void **state)
{
    (void)state;
    bmf_cost_table *table = table_of("bmf costs 1\n"
                                     "reduce levels 2 8 64 1e-6\n"
                                     "reduce levels 2 8 512 2e-6\n"
                                     "reduce levels 2 8 4096 4e-6\n"
                                     "reduce levels 2 8 32768 8e-6\n"
                                     "reduce levels 2 10 4096 9e-6\n"
                                     "reduce levels 2 10 1048576 90e-6\n"
                                     "reduce levels 2 16 64 4e-6\n"
                                     "reduce levels 2 16 512 6e-6\n"
                                     "reduce levels 2 16 4096 12e-6\n"
                                     "reduce levels 2 16 32768 18e-6\n");
    is_near(reduce(table, "levels", 2, 10, 4096), 9e-6);
    is_near(reduce(table, "levels", 2, 10, 64), 1e-6 * pow(10.0 / 8, 2)); /* 4 times as long for twice as many */
    is_near(reduce(table, "levels", 2, 10, 32768), 8e-6 * pow(10.0 / 8, log2(18.0 / 8)));
    is_near(reduce(table, "levels", 2, 9, 64), 1e-6 * pow(9.0 / 8, 2));
    is_near(reduce(table, "levels", 2, 9, 4096), 4e-6 * pow(9.0 / 8, log(9.0 / 4) / log(10.0 / 8)));
    is_near(reduce(table, "levels", 2, 10, 4e6), 90e-6 * 4e6 / 1048576); /* all are far: its own curve */
    cost_table_free(table);
}

static void ranks_that_are_near(void **state)
{
    (void)state;
    bmf_cost_table *table = table_of("bmf costs 1\nreduce levels 4 8 8 4e-6\nreduce levels 16 8 8 16e-6\n");
    static const int64_t ranks[] = {1, 2, 3, 4, 6, 8, 9, 16, 32, 33}, nearest[] = {0, 4, 4, 4, 4, 4, 16, 16, 16, 0};
    for (int k = 0; k < 10; k++) {
        assert_int_equal(cost_table_ranks(table, ranks[k]), nearest[k]);
        const double seconds = reduce(table, "levels", ranks[k], 8, 8);
        if (nearest[k] == 0)
            assert_true(isnan(seconds));
        else
            is_near(seconds, 1e-6 * (double)nearest[k]);
    }
    assert_null(cost_table_message(table));
    cost_table_free(table);
}

/* What is measured is found again, whatever else stands in the table. */
static void all_rows_are_found(void **state)
{
    (void)state;
    enum { RANKS = 3, COUNTS = 5, SIZES = 6 };
    static const int64_t ranks[RANKS] = {1, 5, 64};
    uint64_t seed = 20;
    char *text = NULL;
    size_t size = 0;
    double expected[BMF_ALGORITHMS][RANKS][COUNTS][SIZES];
    FILE *stream = open_memstream(&text, &size);
    fputs("bmf costs 1\n", stream);
    for (int s = SIZES - 1; s >= 0; s--)
        for (int c = 0; c < COUNTS; c++)
            for (int r = 0; r < RANKS; r++)
                for (int a = 0; a < BMF_ALGORITHMS; a++) {
                    expected[a][r][c][s] = 1e-7 * (double)(1 + test_below(&seed, 1000000));
                    fprintf(stream, "%s %s %d %d %d %.17g\n", algorithms[a]->skeleton, algorithms[a]->name,
                            (int)ranks[r], 3 + 7 * c, 100 * s, expected[a][r][c][s]);
                }
    fclose(stream);
    bmf_cost_table *table = table_of(text);
    for (int a = 0; a < BMF_ALGORITHMS; a++)
        for (int r = 0; r < RANKS; r++)
            for (int c = 0; c < COUNTS; c++)
                for (int s = 0; s < SIZES; s++)
                    is_near(cost_table_seconds(table, algorithms[a]->skeleton, algorithms[a]->name, ranks[r], 3 + 7 * c,
                                               100 * s),
                            expected[a][r][c][s]);
    cost_table_free(table);
    free(text);
}

static void mistakes_have_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "t.costs:1: no table of costs"},
        {"bmf samples 1\n", "t.costs:1: no table of costs"},
        {"bmf costs 2\n", "t.costs:1: no table of costs"},
        {"bmf costs 1\nredjuice levels 2 8 8 1e-6\n", "t.costs:2: no skeleton 'redjuice'"},
        {"bmf costs 1\n\nreduce lefels 2 8 8 1e-6\n", "t.costs:3: reduce has no algorithm 'lefels'"},
        {"bmf costs 1\nreduce levels 2 8 8\n", "t.costs:2: a row is"},
        {"bmf costs 1\nreduce\n", "t.costs:2: a row is"},
        {"bmf costs 1\nreduce levels 2 8 8 1e-6 7\n", "t.costs:2: a row is"},
        {"bmf costs 1\nreduce levels 0 8 8 1e-6\n", "t.costs:2: ranks"},
        {"bmf costs 1\nreduce levels 2 1 8 1e-6\n", "t.costs:2: items"},
        {"bmf costs 1\nreduce levels 2 8 -1 1e-6\n", "t.costs:2: bytes"},
        {"bmf costs 1\nreduce levels 2 8 8x 1e-6\n", "t.costs:2: bytes"},
        {"bmf costs 1\nreduce levels 2 8 99999999999999999999 1e-6\n", "t.costs:2: bytes"},
        {"bmf costs 1\nreduce levels 2 8 8 0\n", "t.costs:2: seconds"},
        {"bmf costs 1\nreduce levels 2 8 8 nan\n", "t.costs:2: seconds"},
        {"bmf costs 1\nreduce levels 2 8 8 inf\n", "t.costs:2: seconds"},
        {"bmf costs 1\nmessage 1e-6\n", "t.costs:2: a line of messages"},
        {"bmf costs 1\nmessage 1e-6 -1\n", "t.costs:2: seconds"},
        {"bmf costs 1\nmessage 1e-6 1e-9\nmessage 1e-6 1e-9\n", "t.costs:3: what messages cost stands twice"},
        {"bmf costs 1\nscan tree 2 8 8 1\nscan tree 2 4 8 1\nscan tree 2 8 8 2\n", "t.costs:4: the row of line 2"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char message[512] = "";
        assert_null(cost_table_read("t.costs", wrong[k].text, (int64_t)strlen(wrong[k].text), message, sizeof message));
        if (strncmp(message, wrong[k].message, strlen(wrong[k].message)) != 0)
            fail_msg("'%s' and not '%s'", message, wrong[k].message);
        assert_null(strchr(message, '\n'));
    }
    char message[512] = "";
    assert_null(cost_table_read("t.costs", "bmf costs 1\n\0", 13, message, sizeof message));
    assert_string_equal(message, "t.costs:1: no table of costs: it is no text");
}

static void owners(void **state)
{
    (void)state;
    bmf_cost_table *table = table_of("bmf costs 1\n");
    assert_ptr_equal(cost_table_share(table), table);
    cost_table_free(table);
    assert_string_equal(cost_table_name(table), "t.costs");
    assert_int_equal(cost_table_ranks(table, 1), 0);
    cost_table_free(table);
    assert_null(cost_table_share(NULL));
    cost_table_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_between_sizes), cmocka_unit_test(sizes_that_are_far),
        cmocka_unit_test(ranks_that_are_near), cmocka_unit_test(all_rows_are_found),
        cmocka_unit_test(mistakes_have_lines), cmocka_unit_test(owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
