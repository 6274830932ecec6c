/* Loops that are cut short in a prediction: the same messages, bytes and times as those that are gone through, where
 * all rounds do the same; those whose rounds differ, and those inside of maps, are gone through. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bmf.h"
#include "bmf/mpi.h"
#include "predict/model/model.h"
#include "runtime/backend/backend.h"
#include "runtime/base/text.h"
#include "skeletons/language/program.h"

typedef struct outcome {
    double seconds;
    bmf_statistics sent;
    char *value;
} outcome;

static bmf_machine *machine;

static int print_value(bmf_context *ctx, bmf_value *result, char **value)
{
    bmf_column column = {0};
    size_t size;
    BMF_TRY(program_gather(ctx, result, &column));
    FILE *stream = open_memstream(value, &size);
    data_print(&column, 0, stream);
    fclose(stream);
    column_free(&column);
    return BMF_OK;
}

static int run(bmf_context *ctx, const char *text, int64_t processors, bmf_loop_rounds *loops, bool has_loops,
               outcome *out)
{
    bmf_program program = {0};
    bmf_value result = {0};
    bmf_prediction prediction;
    BMF_TRY(model_open(ctx, machine, processors, processors));
    int status =
        program_load(ctx, &(bmf_program_options){.path = "test.bmf", .text = text, .processors = processors}, &program);
    if (status == BMF_OK) {
        program_rewrite(&program, &(bmf_rewriting){.laws = ~0u});
        if (loop_rounds_begin(loops, program.checked) != has_loops)
            fail_msg("%s: other loops", text);
        program.loops = has_loops ? loops : NULL;
        status = program_run(ctx, &program, &result);
    }
    if (status == BMF_OK) {
        out->sent = bmf_local_statistics(ctx);
        status = simulate_interval(model_actions(model_of_context(ctx)), model_network(model_of_context(ctx)), 1,
                                   &prediction);
        out->seconds = prediction.seconds;
    }
    if (status == BMF_OK)
        status = print_value(ctx, &result, &out->value);
    program_free(&program);
    return status;
}

/* In a context of its own. */
static outcome run_alone(const char *text, int64_t processors, bmf_loop_rounds *loops, bool has_loops)
{
    const bmf_options o = bmf_options_init();
    outcome out = {0};
    bmf_context *ctx;
    assert_int_equal(bmf_open_with(MPI_COMM_SELF, &o, &ctx), BMF_OK);
    if (run(ctx, text, processors, loops, has_loops, &out) != BMF_OK)
        fail_msg("%s: %s", text, bmf_error_text(ctx));
    assert_int_equal(bmf_close(ctx), 0);
    return out;
}

/* cut: the value shows that not all rounds were gone through. */
static void compare(const char *text, bool cut, int64_t processors)
{
    bmf_loop_rounds loops = {0};
    const outcome whole = run_alone(text, processors, &loops, true);
    loops.cut = true;
    for (int again = 0; again < 2; again++) {
        const outcome few = run_alone(text, processors, &loops, true);
        if (memcmp(&whole.sent, &few.sent, sizeof few.sent) != 0)
            fail_msg("%s, P = %lld: %lld messages, %lld bytes; cut short %lld and %lld", text, (long long)processors,
                     (long long)whole.sent.messages, (long long)whole.sent.bytes, (long long)few.sent.messages,
                     (long long)few.sent.bytes);
        if (whole.seconds <= 0.0 || fabs(few.seconds / whole.seconds - 1.0) >= 1e-9)
            fail_msg("%s, P = %lld: %.17g s; cut short %.17g s", text, (long long)processors, whole.seconds,
                     few.seconds);
        if ((strcmp(whole.value, few.value) != 0) != cut)
            fail_msg("%s, P = %lld: %s and %s", text, (long long)processors, whole.value, few.value);
        free(few.value);
    }
    free(whole.value);
    loop_rounds_free(&loops);
}

/* Rounds that were counted of a program with other loops. */
static void compare_other(const char *text, const char *other)
{
    bmf_loop_rounds loops = {0};
    free(run_alone(text, 2, &loops, true).value);
    loops.cut = true;
    const outcome few = run_alone(other, 2, &loops, false);
    loop_rounds_free(&loops);
    loops.cut = false;
    const outcome whole = run_alone(other, 2, &loops, true);
    assert_true(few.seconds == whole.seconds);
    assert_string_equal(few.value, whole.value);
    free(few.value);
    free(whole.value);
    loop_rounds_free(&loops);
}

typedef struct test_program {
    const char *text;
    bool cut;
} test_program;

static const test_program program[] = {
    /* parts that stay, and a counter */
    {"main(xs) = let ps = loop ps = split(procs, xs) for k < 40 do map(part -> map(x -> x + 1, part), ps) in "
     "reduce(++, ps)\ndefault [5, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3]",
     true},
    /* neighbours, and as long as a sum is small */
    {"main(xs) = let ps = loop ps = split(procs, xs) while reduce(+, map(part -> reduce(+, 0, part), ps)) < 100000\n"
     "do stencil(1, {a, b, c} -> 2 * b + c - a, 0, ps) in reduce(++, ps)\ndefault [5, 3, 1, 4, 1, 5, 9, 2, 6]",
     true},
    /* a whole list that is split in each round */
    {"main(xs) = loop xs = xs for k < 20 do reduce(++, map(part -> map(x -> x + 1, part), split(procs, xs)))\n"
     "default [5, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3]",
     true},
    /* loops in loops, and one behind the other */
    {"main(xs) = let ps = loop ps = split(procs, xs) for i < 10 do\n"
     "    let qs = loop qs = ps for k < 12 do map(part -> map(x -> x + 1, part), qs) in\n"
     "    map(part -> map(x -> x - 2, part), qs) in\n"
     "let rs = loop rs = ps for i < 7 do map(part -> map(x -> 3 * x mod 1000, part), rs) in reduce(++, rs)\n"
     "default [5, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3]",
     true},
    /* of another number of rounds each time, so that only the loop inside is cut short */
    {"main(xs) = let {ps, _} = loop {ps, n} = {split(procs, xs), 3} while n < 12 do\n"
     "    {loop qs = ps for k < n do map(part -> map(x -> x + 1, part), qs), n + 1} in reduce(++, ps)\n"
     "default [5, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3]",
     true},
    /* shorter and shorter lists */
    {"main(xs) = loop ys = xs while length(ys) > 1 do map(i -> ys[i] + ys[length(ys) - 1], iota(length(ys) - 1))\n"
     "default [5, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3]",
     false},
    /* in a map */
    {"main(xs) = map(x -> reduce(+, 0, loop ys = [x, x + 1] for k < 20 do map(y -> y + 1, ys)), xs)\n"
     "default [5, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3]",
     false},
    /* few rounds */
    {"main(xs) = let ps = loop ps = split(procs, xs) for k < 4 do map(part -> map(x -> x + 1, part), ps) in "
     "reduce(++, ps)\ndefault [5, 3, 1, 4]",
     false}};

static void loops_are_cut_short(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof program / sizeof program[0]; k++)
        for (int64_t processors = 1; processors < 6; processors++)
            compare(program[k].text, program[k].cut, processors);
}

static void other_loops_are_not(void **state)
{
    (void)state;
    compare_other(program[0].text, program[3].text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_are_cut_short), cmocka_unit_test(other_loops_are_not)};
    MPI_Init(&argc, &argv);
    int failed = machine_parse("compute = { operations_us = { B_Plus = 2.0; other = 0.5; }; };\n"
                               "network = { type = \"hockney\"; latency_us = 2.0; bandwidth_mb_per_s = 1000.0; };\n",
                               "test.machine", &machine);
    if (failed == BMF_OK)
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    machine_free(machine);
    MPI_Finalize();
    return failed;
}
