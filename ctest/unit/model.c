/* The model backend: document 000's counts of messages and bytes from recorded actions, clocks and costs by closed
 * forms, what a prediction leaves behind, and mistakes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bmf.h"
#include "ctest/support/programs.h"
#include "predict/kernels/kernels.h"
#include "predict/model/model.h"
#include "runtime/backend/backend.h"

BMF_MAP_KERNEL(triple, int64_t, x, int64_t, 3 * x)
BMF_FOLD_KERNEL(plus, int64_t, a, b, a + b, 0)

static const char *const hockney = "compute = { zero = true; };\n"
                                   "network = { type = \"hockney\"; latency_us = 2.0; bandwidth_mb_per_s = 1.0; };\n"
                                   "agreement_us = 0.0;\n";

/* ---- opening and closing ---- */

typedef struct modelled {
    bmf_context *ctx;
    bmf_machine *machine;
} modelled;

static modelled open_model(const char *text, int64_t processors)
{
    modelled made;
    assert_int_equal(bmf_open(NULL, NULL, &made.ctx), BMF_OK);
    assert_int_equal(machine_parse(text, "test.machine", &made.machine), BMF_OK);
    assert_int_equal(model_open(made.ctx, made.machine, processors, 0), BMF_OK);
    return made;
}

static void close_model(modelled *made)
{
    assert_int_equal(bmf_close(made->ctx), 0);
    machine_free(made->machine);
}

static const bmf_actions *actions_of(const modelled *made)
{
    return model_actions(model_of_context(made->ctx));
}

/* Messages and bytes of every round that has any, from a round on; returns their number. */
static int count_rounds(const bmf_actions *actions, int64_t first, int64_t messages[32], int64_t bytes[32])
{
    int rounds = 0;
    int64_t last = -1;
    for (int64_t m = 0; m < actions->messages; m++) {
        const bmf_scheduled_message *message = &actions->message[m];
        if (message->round < first)
            continue;
        if (message->round != last)
            messages[rounds] = bytes[rounds] = 0, rounds++;
        last = message->round;
        messages[rounds - 1]++;
        bytes[rounds - 1] += message->bytes;
    }
    return rounds;
}

static void expect_rounds(const bmf_actions *actions, int64_t first, int rounds, const int64_t *messages,
                          const int64_t *bytes)
{
    int64_t found_messages[32], found_bytes[32];
    assert_int_equal(count_rounds(actions, first, found_messages, found_bytes), rounds);
    for (int r = 0; r < rounds; r++) {
        assert_int_equal(found_messages[r], messages[r]);
        if (bytes)
            assert_int_equal(found_bytes[r], bytes[r]);
    }
}

/* ---- document 000 ---- */

/* 5.3.3: fifteen items of a byte over eight processors; each step sends about half of what a processor has. */
static void split_of_fifteen(void **state)
{
    static const int64_t messages[] = {1, 2, 4}, bytes[] = {7, 4 + 3, 2 + 2 + 2 + 1};
    const uint8_t data[15] = {0};
    modelled made = open_model(hockney, 8);
    bmf_list *whole, *parts;
    (void)state;
    assert_int_equal(bmf_set_schedule(made.ctx, "split", "tree"), BMF_OK);
    assert_int_equal(bmf_place(made.ctx, 0, &bmf_type_bool, 15, data, &whole), BMF_OK);
    assert_int_equal(bmf_split(whole, 8, 0, &parts), BMF_OK);
    expect_rounds(actions_of(&made), 0, 3, messages, bytes);
    bmf_list_free(whole);
    bmf_list_free(parts);
    close_model(&made);
}

/* A value of sixteen bytes to eight processors along the tree of 5.4. */
static void large_distl(void **state)
{
    static const int64_t messages[] = {1, 2, 4}, bytes[] = {16, 32, 64};
    const double value[2] = {1.0, 2.0};
    const bmf_type *const reals[2] = {&bmf_type_real, &bmf_type_real};
    modelled made = open_model(hockney, 8);
    bmf_list *placed, *xs, *pairs;
    (void)state;
    assert_int_equal(bmf_set_schedule(made.ctx, "distl", "tree"), BMF_OK);
    assert_int_equal(bmf_place(made.ctx, 0, bmf_type_tuple(2, reals), 1, value, &placed), BMF_OK);
    assert_int_equal(bmf_iota(made.ctx, 8, &xs), BMF_OK);
    assert_int_equal(bmf_distl(placed, xs, &pairs), BMF_OK);
    expect_rounds(actions_of(&made), 0, 3, messages, bytes);
    bmf_statistics sent = bmf_local_statistics(made.ctx);
    assert_int_equal(sent.messages, 7);
    assert_int_equal(sent.bytes, 112);
    bmf_list_free(placed);
    bmf_list_free(xs);
    bmf_list_free(pairs);
    close_model(&made);
}

/* 5.8: "15 messages at the first level, 14 at the second, 12 at the third and 8 at the final level". */
static void scan_levels(void **state)
{
    static const int64_t messages[] = {15, 14, 12, 8};
    modelled made = open_model(hockney, 16);
    bmf_list *xs, *sums;
    (void)state;
    assert_int_equal(bmf_set_schedule(made.ctx, "scan", "levels"), BMF_OK);
    assert_int_equal(bmf_iota(made.ctx, 16, &xs), BMF_OK);
    assert_int_equal(bmf_scan(xs, &plus, BMF_INCLUSIVE, &sums), BMF_OK);
    expect_rounds(actions_of(&made), 0, 4, messages, NULL);
    bmf_list_free(xs);
    bmf_list_free(sums);
    close_model(&made);
}

static void run_text(modelled *made, const char *text, const char *expected)
{
    char *value;
    int status = test_run_program(made->ctx, text, ~0u, &value);
    if (status != BMF_OK)
        fail_msg("%s", bmf_error_text(made->ctx));
    assert_string_equal(value, expected);
    free(value);
}

/* 5.8, figure 5-27: with concatenation the data of a level "rises from 15 for the first level to a peak value of 42
 * during the third". A message is what describes its list, which is the same for all, and the list. */
static void scan_with_concatenation(void **state)
{
    static const int64_t count[] = {15, 14, 12, 8}, items[] = {15, 27, 42, 36};
    int64_t messages[32], bytes[32];
    modelled made = open_model(hockney, 16);
    (void)state;
    run_text(&made,
             "P_Map (B_Op (B_Length)) . P_Scan (B_Op (B_Conc)) . P_Split (B_Num 16)\n"
             "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]",
             "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]");
    int rounds = count_rounds(actions_of(&made), 0, messages, bytes), scan = -1;
    for (int r = 0; r + 3 < rounds && scan < 0; r++)
        scan = memcmp(&messages[r], count, sizeof count) == 0 ? r : -1;
    assert_true(scan >= 0);
    int64_t described = (bytes[scan] - 8 * items[0]) / count[0];
    for (int l = 0; l < 4; l++)
        assert_int_equal(bytes[scan + l], described * count[l] + 8 * items[l]);
    close_model(&made);
}

/* 5.6, figures 5-15 and 5-16: reducing by concatenation the messages fall exponentially and the bytes stay. */
static void reduce_with_concatenation(void **state)
{
    static const int64_t messages[] = {8, 4, 2, 1}, bytes[] = {64, 64, 64, 64};
    modelled made = open_model(hockney, 16);
    bmf_list *xs, *whole;
    (void)state;
    assert_int_equal(bmf_set_schedule(made.ctx, "gather", "levels"), BMF_OK);
    assert_int_equal(bmf_iota(made.ctx, 16, &xs), BMF_OK);
    assert_int_equal(bmf_gather(xs, &whole), BMF_OK);
    expect_rounds(actions_of(&made), 0, 4, messages, bytes);
    bmf_list_free(xs);
    bmf_list_free(whole);
    close_model(&made);
}

/* ---- clocks ---- */

/* Hockney's: 2 us and a microsecond a byte. Processor 7's message passes through two others (document 000, 5.3.3). */
static void clocks_follow_the_network(void **state)
{
    modelled made = open_model(hockney, 8);
    const double value[2] = {1.0, 2.0};
    const bmf_type *const reals[2] = {&bmf_type_real, &bmf_type_real};
    bmf_list *placed, *xs, *pairs;
    (void)state;
    assert_int_equal(bmf_set_schedule(made.ctx, "distl", "tree"), BMF_OK);
    assert_int_equal(bmf_place(made.ctx, 0, bmf_type_tuple(2, reals), 1, value, &placed), BMF_OK);
    assert_int_equal(bmf_iota(made.ctx, 8, &xs), BMF_OK);
    assert_true(bmf_seconds(made.ctx) == 0.0);
    assert_int_equal(bmf_distl(placed, xs, &pairs), BMF_OK);
    assert_true(fabs(bmf_seconds(made.ctx) - 3 * (2e-6 + 16e-6)) < 1e-9);
    model_restart(made.ctx);
    assert_true(bmf_seconds(made.ctx) == 0.0);
    assert_int_equal(bmf_local_statistics(made.ctx).messages, 0);
    bmf_list_free(placed);
    bmf_list_free(xs);
    bmf_list_free(pairs);
    close_model(&made);
}

static void agreement_costs_what_the_machine_says(void **state)
{
    modelled made =
        open_model("compute = { zero = true; };\nnetwork = { type = \"fixed\"; };\nagreement_us = 7.0;\n", 3);
    (void)state;
    assert_int_equal(bmf_agree(made.ctx, BMF_OK), BMF_OK);
    bmf_barrier(made.ctx);
    assert_true(fabs(bmf_seconds(made.ctx) - 14e-6) < 1e-9);
    assert_int_equal(bmf_agree(made.ctx, BMF_ERROR_SHAPE), BMF_ERROR_SHAPE);
    close_model(&made);
}

/* ---- costs ---- */

static void write_line(char path[64], double c, double k)
{
    char name[BMF_SAMPLE_NAME];
    int file = mkstemp(strcpy(path, "/tmp/unit_model.XXXXXX"));
    assert_true(file >= 0);
    FILE *stream = fdopen(file, "w");
    fprintf(stream,
            "format = \"bmf sheet 1\";\nunits = \"us\";\nlogarithm = \"natural\";\nentries = (\n"
            "  { operation = \"%s\"; family = \"local\"; element_bytes = 8; threads = 1; p = [1, 1]; d = [1, 100];\n"
            "    c = %.1f; size = \"d\"; k = %.2f; errors = [0.1, 0.0, 0.01]; noise = 0.05; freedom = 100.0; }\n);\n",
            kernel_operation("map triple", "triple", name), c, k);
    fclose(stream);
}

static void write_sheet(char path[64])
{
    write_line(path, 3.0, 0.5);
}

static void sheets_say_what_kernels_cost(void **state)
{
    char path[64], text[512];
    bmf_list *xs, *ys, *sums;
    (void)state;
    write_sheet(path);
    snprintf(text, sizeof text,
             "compute = { sheet = \"%s\"; power = 2.0; };\nnetwork = { type = \"fixed\"; };\nagreement_us = 0.0;\n",
             path);
    modelled made = open_model(text, 4);
    assert_int_equal(bmf_place(made.ctx, 0, &bmf_type_int, 3, (int64_t[]){1, 2, 3}, &xs), BMF_OK);
    assert_int_equal(bmf_map(xs, &triple, &ys), BMF_OK);
    assert_true(fabs(bmf_seconds(made.ctx) - (3.0 + 0.5 * 3) * 1e-6 / 2.0) < 1e-9);
    assert_null(model_remark(model_of_context(made.ctx), 0));
    /* the error of the equation and that of one call, relative */
    const bmf_action *action = &actions_list(actions_of(&made))[0];
    assert_int_equal(action->kind, BMF_ACTION_COMPUTE);
    assert_true(fabs((double)action->own - 0.05) < 1e-6);
    assert_true(fabs((double)action->shared - sqrt(0.1 * 0.1 + 0.03 * 0.03) / 4.5) < 1e-6);
    /* no such kernel */
    assert_int_equal(bmf_scan(ys, &plus, BMF_INCLUSIVE, &sums), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(made.ctx), "plus"));
    assert_non_null(strstr(bmf_error_text(made.ctx), "there are: map_triple.triple"));
    assert_int_equal(bmf_exit_code(BMF_ERROR_ARGUMENT), 2);
    bmf_list_free(xs);
    bmf_list_free(ys);
    close_model(&made);
    unlink(path);
}

static void what_is_outside_the_domain_is_said_once(void **state)
{
    char path[64], text[512];
    bmf_list *xs, *ys, *zs;
    (void)state;
    write_sheet(path);
    snprintf(text, sizeof text, "compute = { sheet = \"%s\"; };\nnetwork = { type = \"fixed\"; };\n", path);
    modelled made = open_model(text, 1);
    int64_t *data = calloc(500, sizeof *data);
    assert_int_equal(bmf_place(made.ctx, 0, &bmf_type_int, 500, data, &xs), BMF_OK);
    assert_int_equal(bmf_map(xs, &triple, &ys), BMF_OK);
    assert_int_equal(bmf_map(ys, &triple, &zs), BMF_OK);
    const char *remark = model_remark(model_of_context(made.ctx), 0);
    assert_non_null(remark);
    assert_non_null(strstr(remark, "500 elements"));
    assert_non_null(strstr(remark, "1 to 100"));
    assert_null(model_remark(model_of_context(made.ctx), 1));
    free(data);
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_list_free(zs);
    close_model(&made);
    unlink(path);
}

/* 10 - 0.04 d is 6 us at 100 elements, the most measured, and below 0 at 500: then 5 times as much, give or take as
 * much. */
static void lines_below_zero_go_on_in_proportion(void **state)
{
    char path[64], text[512];
    bmf_list *xs, *ys;
    (void)state;
    write_line(path, 10.0, -0.04);
    snprintf(text, sizeof text,
             "compute = { sheet = \"%s\"; };\nnetwork = { type = \"fixed\"; };\nagreement_us = 0.0;\n", path);
    modelled made = open_model(text, 1);
    int64_t *data = calloc(500, sizeof *data);
    assert_int_equal(bmf_place(made.ctx, 0, &bmf_type_int, 500, data, &xs), BMF_OK);
    assert_int_equal(bmf_map(xs, &triple, &ys), BMF_OK);
    assert_true(fabs(bmf_seconds(made.ctx) - 30e-6) < 1e-9);
    assert_true(fabs((double)actions_list(actions_of(&made))[0].shared - 1.0) < 1e-6);
    assert_non_null(model_remark(model_of_context(made.ctx), 0));
    free(data);
    bmf_list_free(xs);
    bmf_list_free(ys);
    close_model(&made);
    unlink(path);
}

/* What was measured counts, divided by the power; nothing else takes time here. */
static void measured_kernels_take_time(void **state)
{
    modelled made = open_model("compute = { power = 1e-3; };\nnetwork = { type = \"fixed\"; };\n", 2);
    bmf_list *xs, *ys;
    int64_t longest[2] = {0};
    (void)state;
    assert_int_equal(bmf_iota(made.ctx, 100000, &xs), BMF_OK);
    assert_int_equal(bmf_map(xs, &triple, &ys), BMF_OK);
    const bmf_actions *actions = actions_of(&made);
    const bmf_action *action = actions_list(actions);
    for (int64_t a = 0; a < actions->count; a++) {
        assert_int_equal(action[a].kind, BMF_ACTION_COMPUTE);
        assert_int_equal(action[a].amount, 50000);
        assert_true(action[a].seconds > 0.0);
        longest[action[a].processor] += (int64_t)(action[a].seconds * 1e9);
    }
    int64_t expected = longest[0] > longest[1] ? longest[0] : longest[1];
    assert_true(fabs(bmf_seconds(made.ctx) * 1e9 - (double)expected) < 10.0);
    bmf_list_free(xs);
    bmf_list_free(ys);
    close_model(&made);
}

/* ---- what is left behind ---- */

static const char *const squares = "$Square = B_Op (B_Times) . B_Alltup [B_Id, B_Id]\n"
                                   "$Sum = B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map ($Square)\n"
                                   "P_Reduce (B_Op (B_Plus)) . P_Map ($Sum) . P_Split (B_Num 5)\n"
                                   "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]";

static char *trace_of(const char *text, int64_t *size)
{
    char path[64] = "/tmp/unit_model.XXXXXX";
    modelled made = open_model(hockney, 5);
    bmf_trace_run *run;
    close(mkstemp(path));
    run_text(&made, text, "506"); /* 11 * 12 * 23 / 6 */
    assert_int_equal(model_trace(made.ctx, &run), BMF_OK);
    assert_int_equal(run->predicted, 1);
    assert_int_equal(run->lanes, 5);
    int regions = 0;
    for (int64_t i = 0; i < run->events; i++)
        regions += strcmp(run->name[run->node[run->event[i].node].name], "$Sum") == 0 &&
                   run->event[i].kind == BMF_EVENT_REGION;
    assert_int_equal(regions, 5); /* once on every lane */
    assert_int_equal(trace_write(NULL, &(bmf_trace){.runs = 1, .run = {run}}, path), BMF_OK);
    run_free(run);
    close_model(&made);
    FILE *file = fopen(path, "r");
    char *bytes = malloc(1 << 20);
    *size = (int64_t)fread(bytes, 1, 1 << 20, file);
    fclose(file);
    unlink(path);
    return bytes;
}

static void two_runs_are_identical(void **state)
{
    int64_t size[2];
    char *trace[2] = {trace_of(squares, &size[0]), trace_of(squares, &size[1])};
    (void)state;
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(trace[0], trace[1], (size_t)size[0]);
    free(trace[0]);
    free(trace[1]);
}

/* The operands go up a tree and the total down again: 2 (P - 1) messages, each a send, a receive, and once a round
 * being ready and waiting. */
static void many_processors_take_bounded_memory(void **state)
{
    modelled made = open_model(hockney, 65536);
    bmf_list *xs;
    int64_t sum;
    (void)state;
    assert_int_equal(bmf_set_schedule(made.ctx, "reduce", "levels"), BMF_OK);
    assert_int_equal(bmf_iota(made.ctx, 65536, &xs), BMF_OK);
    assert_int_equal(bmf_reduce(xs, &plus, &sum), BMF_OK);
    assert_int_equal(sum, INT64_C(65535) * 32768);
    assert_int_equal(bmf_local_statistics(made.ctx).messages, 2 * 65535);
    assert_true(actions_of(&made)->count < 1500000);
    bmf_list_free(xs);
    close_model(&made);
}

/* ---- mistakes ---- */

static void more_processors_than_the_machine_has(void **state)
{
    bmf_context *ctx;
    bmf_machine *machine;
    bmf_list *xs;
    (void)state;
    assert_int_equal(bmf_open(NULL, NULL, &ctx), BMF_OK);
    assert_int_equal(machine_parse("processors = 4;\ncompute = { zero = true; };\nnetwork = { type = \"fixed\"; };\n",
                                   "four.machine", &machine),
                     BMF_OK);
    assert_int_equal(model_open(ctx, machine, 5, 0), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(ctx), "4"));
    assert_int_equal(model_open(ctx, machine, 0, 0), BMF_ERROR_ARGUMENT);
    /* the context is as it was */
    assert_null(model_of_context(ctx));
    assert_int_equal(bmf_processors(ctx), 1);
    assert_int_equal(bmf_iota(ctx, 3, &xs), BMF_OK);
    bmf_list_free(xs);
    assert_int_equal(model_open(ctx, machine, 4, 0), BMF_OK);
    assert_int_equal(bmf_set_processors(ctx, 5), BMF_ERROR_ARGUMENT);
    assert_int_equal(bmf_close(ctx), 0);
    machine_free(machine);
}

/* ---- copying ---- */

/* The bytes whose copying around messages is recorded on a processor. */
static int64_t copied_on(const bmf_actions *actions, int64_t processor)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < actions->count; k++) {
        const bmf_action *action = &actions_list(actions)[k];
        if (action->kind != BMF_ACTION_OVERHEAD || action->processor != processor)
            continue;
        assert_true(action->seconds > 0.0);
        bytes += action->amount;
    }
    return bytes;
}

/* Rows of 100 numbers over two processors; returns the bytes of the message. */
static int64_t split_rows(const modelled *made, int64_t rows)
{
    enum { LENGTH = 100, MOST = 64 };
    static const int64_t number[LENGTH * MOST];
    int64_t length[MOST];
    bmf_list *flat, *lengths, *nested, *parts;
    for (int64_t k = 0; k < rows; k++)
        length[k] = LENGTH;
    assert_int_equal(bmf_place(made->ctx, 0, &bmf_type_int, LENGTH * rows, number, &flat), BMF_OK);
    assert_int_equal(bmf_place(made->ctx, 0, &bmf_type_int, rows, length, &lengths), BMF_OK);
    assert_int_equal(bmf_nest(flat, lengths, &nested), BMF_OK);
    const int64_t before = bmf_local_statistics(made->ctx).bytes;
    assert_int_equal(bmf_split(nested, 2, 0, &parts), BMF_OK);
    const int64_t bytes = bmf_local_statistics(made->ctx).bytes - before;
    bmf_list_free(flat);
    bmf_list_free(lengths);
    bmf_list_free(nested);
    bmf_list_free(parts);
    return bytes;
}

/* Where kernels are timed here, packing and unpacking of more than a page is, too: of the sender, of the receiver, and
 * of what the sender keeps. */
static void copies_around_messages_take_time(void **state)
{
    (void)state;
    modelled made = open_model("network = { type = \"fixed\"; };\n", 3);
    const int64_t bytes = split_rows(&made, 64);
    assert_true(bytes > 64 * 100 * 8 / 2);
    assert_int_equal(copied_on(actions_of(&made), 0), 2 * bytes);
    assert_int_equal(copied_on(actions_of(&made), 1), bytes);
    assert_int_equal(copied_on(actions_of(&made), 2), 0);
    assert_true(split_rows(&made, 4) < 4096);
    assert_int_equal(copied_on(actions_of(&made), 0), 2 * bytes);
    assert_int_equal(copied_on(actions_of(&made), 1), bytes);
    close_model(&made);
    made = open_model(hockney, 3);
    split_rows(&made, 64);
    assert_int_equal(copied_on(actions_of(&made), 0) + copied_on(actions_of(&made), 1), 0);
    close_model(&made);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_of_fifteen),
        cmocka_unit_test(large_distl),
        cmocka_unit_test(scan_levels),
        cmocka_unit_test(scan_with_concatenation),
        cmocka_unit_test(reduce_with_concatenation),
        cmocka_unit_test(clocks_follow_the_network),
        cmocka_unit_test(agreement_costs_what_the_machine_says),
        cmocka_unit_test(sheets_say_what_kernels_cost),
        cmocka_unit_test(lines_below_zero_go_on_in_proportion),
        cmocka_unit_test(what_is_outside_the_domain_is_said_once),
        cmocka_unit_test(measured_kernels_take_time),
        cmocka_unit_test(copies_around_messages_take_time),
        cmocka_unit_test(two_runs_are_identical),
        cmocka_unit_test(many_processors_take_bounded_memory),
        cmocka_unit_test(more_processors_than_the_machine_has),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
