/* Equations: values of random expressions against an evaluation of the tree that made them, derivatives in a sheet's
 * operations against differences, blocks against single points, limits, and that damaged texts are refused in one line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bmf/status.h"
#include "predict/equations/equations.h"
#include "runtime/base/output_file.h"
#include "runtime/base/random.h"

static const bmf_equation_settings plain = {.as_printed = true};

static bmf_equations *read_text(const char *text, const bmf_equation_settings *settings)
{
    bmf_equations *e;
    if (equations_parse(text, (int64_t)strlen(text), "test.model", settings, &e) != BMF_OK)
        fail_msg("%s: %s", text, bmf_error_text(NULL));
    return e;
}

/* ---- random expressions ---- */

enum { TEXT = 1 << 14, DEPTH = 5 };

typedef struct made {
    uint64_t seed;
    char text[TEXT];
    size_t used;
    double p, d, c;
} made;

static void put(made *m, const char *text)
{
    m->used += (size_t)snprintf(m->text + m->used, sizeof m->text - m->used, "%s", text);
}

static int64_t choose(made *m, int64_t count)
{
    return (int64_t)(random_bits(&m->seed) % (uint64_t)count);
}

static double put_expression(made *m, int depth);

static double put_leaf(made *m)
{
    char text[40];
    switch (choose(m, 5)) {
    case 0:
        put(m, "p");
        return m->p;
    case 1:
        put(m, "d");
        return m->d;
    case 2:
        put(m, "c");
        return m->c;
    case 3: {
        const double value = (double)choose(m, 1000) / 8.0;
        snprintf(text, sizeof text, "%g ms", value);
        put(m, text);
        return value * 1e3;
    }
    default: {
        const double value = (double)choose(m, 1000) / 16.0;
        snprintf(text, sizeof text, "%.17g", value);
        put(m, text);
        return value;
    }
    }
}

/* In parentheses, with the operator between. */
static double put_pair(made *m, int depth, int64_t kind)
{
    static const char *const signs[] = {"+", "-", "*", "/", "<", "<=", "==", "!=", ">", ">="};
    put(m, "(");
    const double a = put_expression(m, depth - 1);
    put(m, ") ");
    put(m, signs[kind]);
    put(m, " (");
    const double b = put_expression(m, depth - 1);
    put(m, ")");
    const double value[] = {a + b, a - b, a * b, a / b, a<b, a <= b, a == b, a != b, a> b, a >= b};
    return value[kind];
}

static double put_function(made *m, int depth)
{
    static const char *const names[] = {"ceil(", "floor(", "sqrt(", "min(", "max(", "rows("};
    const int64_t kind = choose(m, 6);
    double b = 0.0;
    put(m, names[kind]);
    const double a = put_expression(m, depth - 1);
    if (kind >= 3) {
        put(m, ", ");
        b = put_expression(m, depth - 1);
    }
    put(m, ")");
    const double value[] = {ceil(a), floor(a), sqrt(a), a < b ? a : b, a > b ? a : b, a / b};
    return value[kind];
}

static double put_expression(made *m, int depth)
{
    const int64_t kind = depth == 0 || m->used > TEXT / 2 ? 0 : choose(m, 8);
    if (kind < 2)
        return put_leaf(m);
    if (kind < 5)
        return put_pair(m, depth, choose(m, 10));
    if (kind == 5)
        return put_function(m, depth);
    if (kind == 6) {
        put(m, "-(");
        const double value = -put_expression(m, depth - 1);
        put(m, ")");
        return value;
    }
    put(m, "(");
    const double condition = put_expression(m, depth - 1);
    put(m, ") ? ");
    const double yes = put_expression(m, depth - 1);
    put(m, " : (");
    const double no = put_expression(m, depth - 1);
    put(m, ")");
    return condition != 0.0 ? yes : no;
}

/* The same bits, or a refusal where the value is no time. */
static void random_expressions_have_their_values(void **state)
{
    const uint64_t first = 20261122;
    int finite = 0;
    (void)state;
    for (uint64_t k = 0; k < 2000; k++) {
        made m = {.seed = first + k, .p = (double)(1 + k % 9), .d = (double)(1 + k % 37), .c = 0.25 * (double)(k % 5)};
        put(&m, "phase x(p,d,c) = ");
        const double expected = put_expression(&m, DEPTH);
        double time[2];
        bmf_equations *e = read_text(m.text, &plain);
        const int status = equations_times(e, 1, &m.p, &m.d, &m.c, time);
        if (status == BMF_OK && memcmp(&time[0], &expected, sizeof expected) != 0 && time[0] != expected)
            fail_msg("seed %llu: %s is %.17g, not %.17g", (unsigned long long)(first + k), m.text, time[0], expected);
        if (!isfinite(expected) || expected < 0.0)
            assert_int_equal(status, BMF_ERROR_ARGUMENT);
        finite += status == BMF_OK;
        equations_free(e);
    }
    assert_true(finite > 500);
}

static void precedence_is_that_of_mathematics(void **state)
{
    static const struct {
        const char *expression;
        double value;
    } cases[] = {{"2 + 3*4", 14},
                 {"2*3^2", 18},
                 {"2^3^2", 512},
                 {"-2^2 + 10", 6},
                 {"2**-1", 0.5},
                 {"10 - 3 - 2", 5},
                 {"64/4/2", 8},
                 {"1 < 2 ? 3 : 4", 3},
                 {"2 < 1 ? 3 : 2 > 1 ? 5 : 6", 5},
                 {"1 + 1 == 2 ? 7 : 8", 7},
                 {"- -3", 3},
                 {"+4", 4},
                 {"1.5ms + 2us + .5 s", 501502},
                 {"1e3", 1000},
                 {"min(5, 3, 4) + max(1, 9, 2)", 12},
                 {"ceil(20/32) + floor(2.9)", 3},
                 {"exp(log(5))", 5},
                 {"(1 +\\\n 2) * 3 # a remark", 9}};
    const double one = 1.0;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[200];
        double time[2];
        snprintf(text, sizeof text, "phase x(p) = %s\r\n", cases[k].expression);
        bmf_equations *e = read_text(text, &plain);
        assert_int_equal(equations_times(e, 1, &one, &one, &one, time), BMF_OK);
        if (fabs(time[0] - cases[k].value) > 1e-12 * cases[k].value)
            fail_msg("%s is %.17g, not %g", cases[k].expression, time[0], cases[k].value);
        equations_free(e);
    }
}

/* Many points at once are what they are alone, whatever block they fall into. */
static void blocks_are_points(void **state)
{
    enum { POINTS = 1000 };
    static double p[POINTS], d[POINTS], c[POINTS], time[3 * POINTS];
    uint64_t seed = 5;
    (void)state;
    bmf_equations *e = read_text("phase x(p,d,c) = d*rows(d,p)*c + log(p)\n"
                                 "phase y(p,d,c) = p < 3 ? 7 : ceil(d/p)^1.5\n",
                                 &plain);
    for (int k = 0; k < POINTS; k++) {
        p[k] = (double)(1 + random_bits(&seed) % 64);
        d[k] = (double)(1 + random_bits(&seed) % 1000);
        c[k] = (double)(random_bits(&seed) % 7);
    }
    assert_int_equal(equations_times(e, POINTS, p, d, c, time), BMF_OK);
    for (int k = 0; k < POINTS; k++) {
        double one[3];
        assert_int_equal(equations_times(e, 1, &p[k], &d[k], &c[k], one), BMF_OK);
        for (int phase = 0; phase < 3; phase++)
            assert_memory_equal(&one[phase], &time[phase * POINTS + k], sizeof one[phase]);
        assert_true(one[2] == one[0] + one[1]);
    }
    equations_free(e);
}

/* The mistake of the first bad point is told, wherever it is. */
static void the_first_bad_point_is_named(void **state)
{
    enum { POINTS = 700 };
    static double p[POINTS], d[POINTS], c[POINTS], time[2 * POINTS];
    (void)state;
    bmf_equations *e = read_text("phase x(p,d,c) = d/(p - 500)^2 + d/(p - 600)^2", &plain);
    for (int k = 0; k < POINTS; k++) {
        p[k] = 1 + k;
        d[k] = 20;
    }
    assert_int_equal(equations_times(e, POINTS, p, d, c, time), BMF_ERROR_ARGUMENT);
    assert_string_equal(bmf_error_text(NULL), "test.model:1:19: division by zero at p = 500, d = 20, c = 0 us");
    equations_free(e);
}

/* ---- intervals ---- */

static char *folder, sheet_path[300];

/* c of send and c, k of bcast vary with the arguments, in microseconds. */
static void write_sheet(double send, double bcast, double slope)
{
    FILE *file = fopen(sheet_path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "format = \"bmf sheet 1\"; title = \"made up\"; units = \"us\"; logarithm = \"natural\";\n"
        "entries = ( { operation = \"send\"; family = \"point-to-point\"; d = [1, 4096]; c = %.17g; size = \"d\";\n"
        "  k = 0.5; errors = [2.0, 0.0, 0.01]; noise = 0.1; freedom = 1000000.0; },\n"
        "{ operation = \"bcast\"; family = \"collective\"; p = [1, 64]; d = [1, 4096]; c = %.17g; startup = \"p\";\n"
        "  s = 3.0; size = \"log(p)*d\"; k = %.17g; errors = [4.0, 0.25, 0.02]; noise = 0.05; freedom = 1000000.0; }\n"
        ");\n",
        send, bcast, slope);
    assert_int_equal(fclose(file), 0);
}

static double total_with(const char *text, double send, double bcast, double slope, bmf_equation_time *estimate)
{
    const bmf_equation_settings settings = {.sheet = sheet_path};
    bmf_equation_time of[2];
    write_sheet(send, bcast, slope);
    bmf_equations *e = read_text(text, &settings);
    assert_int_equal(equations_estimate(e, 8, 100, 2, of), BMF_OK);
    equations_free(e);
    if (estimate)
        *estimate = of[1];
    return of[1].time;
}

/* The variance of coefficients by differences of whole evaluations. The constants of send and bcast have derivatives a
 * and b, found by differences; those of the other coefficients are a and b times what they are multiplied with. */
static void intervals_are_those_of_differences(void **state)
{
    static const char *const texts[] = {
        "phase x(p,d,c) = 3*tsend(d) + 2*tbcast(p,d)",
        "phase x(p,d,c) = max(tsend(d), tbcast(p,d)) + c",
        "phase x(p,d,c) = min(tsend(d), tbcast(p,d)) + c",
        "phase x(p,d,c) = sqrt(tsend(d))*10 + tbcast(p,d)/7",
        "f(t) = t*log(t)\nphase x(p,d,c) = f(tsend(d)) + f(tbcast(p,d))*c",
        "phase x(p,d,c) = tbcast(p,d) - tsend(d)",
        "phase x(p,d,c) = (tbcast(p,d)*tsend(d))^0.5",
        "phase x(p,d,c) = tsend(d) > 50 ? tbcast(p, 2*d) : tsend(2*d)",
        "phase x(p,d,c) = exp(tsend(d)/100) + ceil(tbcast(p,d))*0",
        "phase x(p,d,c) = tbcast(p, tsend(d))",
    };
    const double h = 1e-3;
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        bmf_equation_time estimate;
        total_with(texts[k], 30, 40, 0.2, &estimate);
        const double by_send =
            (total_with(texts[k], 30 + h, 40, 0.2, NULL) - total_with(texts[k], 30 - h, 40, 0.2, NULL)) / (2 * h);
        const double by_bcast =
            (total_with(texts[k], 30, 40 + h, 0.2, NULL) - total_with(texts[k], 30, 40 - h, 0.2, NULL)) / (2 * h);
        const double sizes = k == 7 ? 200 : k == 9 ? 80 : 100; /* d of bcast, and of send twice that in the choice */
        const double by_slope = by_bcast * sizes * log(8);
        const double expected = by_send * by_send * (4.0 + 1e4 * 1e-4) + by_bcast * by_bcast * (16.0 + 64 * 0.0625) +
                                by_slope * by_slope * 4e-4;
        if (fabs(estimate.coefficient_variance - expected) > 1e-5 * expected + 1e-9)
            fail_msg("%s: variance %.9g, by differences %.9g", texts[k], estimate.coefficient_variance, expected);
        assert_true(estimate.has_errors && estimate.inside);
        assert_true(estimate.low < estimate.time && estimate.time < estimate.high);
    }
}

/* ---- what is refused ---- */

static void check_refused(const char *text)
{
    bmf_equations *e = NULL;
    const int status = equations_parse(text, (int64_t)strlen(text), "test.model", &plain, &e);
    if (status == BMF_OK)
        fail_msg("taken: %.100s", text);
    assert_int_equal(status, BMF_ERROR_FILE);
    assert_null(strchr(bmf_error_text(NULL), '\n'));
    assert_non_null(strstr(bmf_error_text(NULL), "test.model:"));
}

/* f1(x) = f0(x+1) + f0(x*2), .. would be 2^60 operations. */
static void what_grows_without_end_is_refused(void **state)
{
    char text[8000] = "f0(x) = x\n";
    size_t used = strlen(text);
    (void)state;
    for (int k = 1; k <= 60; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "f%d(x) = f%d(x+1) + f%d(x*2.5)\n", k, k - 1, k - 1);
    snprintf(text + used, sizeof text - used, "phase x(p) = f60(p)\n");
    check_refused(text);
    /* The same arguments twice are one call. */
    used = strlen(strcpy(text, "f0(x) = x\n"));
    for (int k = 1; k <= 60; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "f%d(x) = f%d(x) + f%d(x)\n", k, k - 1, k - 1);
    snprintf(text + used, sizeof text - used, "phase x(p) = f60(p)\n");
    bmf_equations *e = read_text(text, &plain);
    double one = 1.0, time[2];
    assert_int_equal(equations_times(e, 1, &one, &one, &one, time), BMF_OK);
    assert_true(time[0] == ldexp(1.0, 60));
    equations_free(e);
}

static void deep_calls_are_refused(void **state)
{
    enum { CALLS = 2000 };
    char *text = malloc(CALLS * 40);
    size_t used = (size_t)sprintf(text, "phase x(p) = f%d(p)\nf0(x) = x\n", CALLS);
    (void)state;
    for (int k = 1; k <= CALLS; k++)
        used += (size_t)sprintf(text + used, "f%d(x) = f%d(x)+1\n", k, k - 1);
    check_refused(text);
    free(text);
}

/* Every beginning of a text, and every text with a byte changed, is read or refused in one line. */
static void damaged_texts_do_no_harm(void **state)
{
    static const char text[] = "param n = 20 # a remark\nf(x,y) = x <= 3 ? 2ms*x : min(x, y, n)^-2\n"
                               "phase a(p,d,c) = rows(d,p)*f(p, log(d)+c) ; phase b(d) = 1.5e3 us\\\n + n*d\n";
    (void)state;
    for (size_t k = 0; k < 256 * (sizeof text - 1); k += 3) {
        char copy[sizeof text];
        bmf_equations *e = NULL;
        memcpy(copy, text, sizeof text);
        copy[k / 256] = (char)(k % 256);
        if (equations_parse(copy, sizeof text - 1, "test.model", &plain, &e) != BMF_OK)
            assert_null(strchr(bmf_error_text(NULL), '\n'));
        else
            equations_free(e);
    }
    for (size_t k = 0; k < sizeof text; k++) {
        bmf_equations *e = NULL;
        if (equations_parse(text, (int64_t)k, "test.model", &plain, &e) == BMF_OK)
            equations_free(e);
    }
}

static int make_folder(void **state)
{
    (void)state;
    folder = temporary_directory_create("unit-equations");
    return folder ? snprintf(sheet_path, sizeof sheet_path, "%s/made.sheet", folder) < 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    temporary_directory_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions_have_their_values),
        cmocka_unit_test(precedence_is_that_of_mathematics),
        cmocka_unit_test(blocks_are_points),
        cmocka_unit_test(the_first_bad_point_is_named),
        cmocka_unit_test(intervals_are_those_of_differences),
        cmocka_unit_test(what_grows_without_end_is_refused),
        cmocka_unit_test(deep_calls_are_refused),
        cmocka_unit_test(damaged_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
