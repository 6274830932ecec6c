/* Failures of single ranks, wherever they happen: every skeleton, in C and in the language, with each processor's part
 * failing in turn, two at once, and one rank slower than the others.
 *
 * All ranks must come back, with one status and one message, that of the first failure; what it is follows from the
 * program: the lowest element of the first operation that fails. Afterwards the context works as before. A rank is made
 * slow where it meets the others: this program's own MPI_Isend and MPI_Iallgather stand before those of MPI. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bmf.h"
#include "ctest/support/operators.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "runtime/data/list.h"
#include "skeletons/language/program.h"

enum { PARTS = 8, SLOW_CALLS = 10 };
static const long delay_ns = 500000;

static bmf_context *ctx;

/* ---- slow ranks ---- */

static int slow_calls; /* this rank is slow in so many calls more */

static void lag(void)
{
    if (slow_calls > 0) {
        slow_calls--;
        nanosleep(&(struct timespec){0, delay_ns}, NULL);
    }
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    lag();
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Iallgather(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                   MPI_Comm comm, MPI_Request *request)
{
    lag();
    return PMPI_Iallgather(from, count, type, to, to_count, to_type, comm, request);
}

/* Nobody, or one rank after the other. */
static void choose_slow(int turn)
{
    const int among = bmf_ranks(ctx) + 1;
    slow_calls = turn % among == bmf_rank(ctx) + 1 ? SLOW_CALLS : 0;
}

/* ---- what all ranks must have in common ---- */

static bool same_everywhere(int status)
{
    char *all = malloc((size_t)bmf_ranks(ctx) * BMF_MESSAGE_SIZE), mine[BMF_MESSAGE_SIZE] = "";
    bool same = true;
    snprintf(mine, sizeof mine, "%d %s", status, status == BMF_OK ? "" : bmf_error_text(ctx));
    PMPI_Allgather(mine, BMF_MESSAGE_SIZE, MPI_CHAR, all, BMF_MESSAGE_SIZE, MPI_CHAR, MPI_COMM_WORLD);
    for (int r = 0; r < bmf_ranks(ctx); r++)
        same = same && strcmp(mine, all + r * BMF_MESSAGE_SIZE) == 0;
    free(all);
    return same;
}

/* ---- the language ---- */

static int run(const char *source, unsigned laws, char **printed)
{
    bmf_program program;
    bmf_column column = {0};
    size_t size;
    *printed = NULL;
    int status = program_load(ctx, &(bmf_program_options){.path = "t.bmf", .text = source}, &program);
    if (status == BMF_OK) {
        const int64_t needed = processors_needed(program.checked);
        program_rewrite(&program, &(bmf_rewriting){.laws = laws});
        status = bmf_set_processors(ctx, needed > bmf_ranks(ctx) ? needed : bmf_ranks(ctx));
    }
    if (status == BMF_OK)
        status = program_value(ctx, &program, &column);
    if (status == BMF_OK && bmf_is_root(ctx)) {
        FILE *to = open_memstream(printed, &size);
        data_print(&column, 0, to);
        fclose(to);
    }
    column_free(&column);
    program_free(&program);
    return status;
}

/* $fail fails on the ints a and b, others it makes 1 or so; the data are eight parts of one int, 0 to 7. */
typedef enum failing_parts { EVERYWHERE, ODD_PARTS, NOT_THE_FIRST } failing_parts;
typedef struct scene {
    const char *program;
    failing_parts fails; /* parts whose failure shows; elsewhere than EVERYWHERE messages do not name a part */
} scene;

static const scene scenes[] = {
    /* gathered; the failure is in the last operation but that */
    {"P_Reduce (B_Op (B_Conc)) . P_Map (B_Map ($fail)) . $split", EVERYWHERE},
    {"P_Map (B_Map ($fail)) . $split", EVERYWHERE},
    /* reduced: partial results of ranks that fail are missing */
    {"P_Reduce (B_Op (B_Plus)) . P_Map ($one . $fail . $one2) . $split", EVERYWHERE},
    {"P_Reduce (B_Op (B_Plus)) (B_Con (B_Int 5)) . P_Map ($fail . $one2) . $split", EVERYWHERE},
    /* scanned before and after */
    {"P_Scan (B_Op (B_Plus)) . P_Map ($fail . $one2) . $split", EVERYWHERE},
    {"P_Map ($fail . $minus) . P_Scan (B_Op (B_Plus)) . P_Map ($ones . $one2) . $split", EVERYWHERE},
    {"P_Reduce (B_Op (B_Plus)) . P_Map ($fail) . P_Scan (B_Op (B_Max)) . P_Map ($one2) . $split", EVERYWHERE},
    /* the first of two failures: only one is told of, though the second is on other ranks */
    {"P_Map ($fail2) . P_Scan (B_Op (B_Plus)) . P_Map ($fail . $one2) . $split", EVERYWHERE},
    /* brought to all, after a failure of those who get it */
    {"P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Plus)) . P_Distl . B_Alltup [B_Con (B_Int 3), P_Map ($fail . $one2) . "
     "$split]",
     EVERYWHERE},
    {"P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Plus)) . P_Distl . B_Alltup [P_Reduce (B_Op (B_Plus)) . P_Map ($fail . "
     "$one2) . $split, P_Map ($one2) . $split]",
     EVERYWHERE},
    /* permuted, indexed */
    {"P_Project . B_Alltup [P_Map ($fail . $one2) . $split, B_Id]", EVERYWHERE},
    {"P_Project . B_Alltup [P_Map ($one2) . $split, P_Map ($fail . $one2) . $split]", EVERYWHERE},
    {"P_Map ($fail) . P_Project . B_Alltup [P_Map ($one2) . $split, B_Id]", EVERYWHERE},
    {"B_Op (B_Index) . B_Alltup [P_Map ($fail . $one2) . $split, B_Con (B_Int 4)]", EVERYWHERE},
    /* split after a failure; split again on the processors */
    {"B_Op (B_Plus) . B_Alltup [P_Reduce (B_Op (B_Plus)) . P_Map ($fail . $one2) . $split, P_Reduce (B_Op (B_Plus)) . "
     "P_Map ($one2) . $split]",
     EVERYWHERE},
    {"B_Alltup [P_Map ($fail . $one2) . $split, P_Map ($one2) . $split]", EVERYWHERE},
    {"P_Map (P_Reduce (B_Op (B_Plus)) . P_Map ($one2) . P_Split (B_Num 1) . B_Map ($fail)) . $split", EVERYWHERE},
    {"P_Map (P_Map (B_Map ($fail)) . P_Split (B_Num 1)) . $split", EVERYWHERE},
    /* loops and choices that all take together */
    {"B_Addr (B_Num 2) (B_Num 2) . B_While (B_Op (B_Lt) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 3)]) "
     "(B_Alltup [B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 1)], P_Map ($keep) . B_Addr (B_Num "
     "2) (B_Num 2)]) . B_Alltup [B_Con (B_Int 0), P_Map ($one2) . $split]",
     EVERYWHERE},
    {"B_If (B_Op (B_Lt) . B_Alltup [P_Reduce (B_Op (B_Plus)) . P_Map ($fail . $one2) . $split, B_Con (B_Int 0)]) "
     "(P_Map ($one2) . $split) (P_Map ($one2) . $split)",
     EVERYWHERE},
    /* in the operator, on its second operand: the largest element of some parts */
    {"P_Reduce ($failing) . P_Map ($one2) . $split", ODD_PARTS},
    {"P_Scan ($failing) . P_Map ($one2) . $split", NOT_THE_FIRST},
};

/* The program with failures at a and b; 99: never. */
static void write_source(const char *program, int a, int b, char *source, size_t size)
{
    snprintf(source, size,
             "$difference = B_Op (B_Times) . B_Alltup [B_Op (B_Minus) . B_Alltup [B_Id, B_Con (B_Int %d)], "
             "B_Op (B_Minus) . B_Alltup [B_Id, B_Con (B_Int %d)]]\n"
             "$fail = B_Op (B_Plus) . B_Alltup [B_Id, B_Op (B_Divide) . B_Alltup [B_Con (B_Int 0), $difference]]\n"
             "$fail2 = B_Op (B_Divide) . B_Alltup [B_Con (B_Int 0), B_Op (B_Minus) . B_Alltup [B_Id, B_Id]]\n"
             "$keep = $fail\n"
             "$one = B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 1)]\n"
             "$one2 = B_Op (B_Index) . B_Alltup [B_Id, B_Con (B_Int 0)]\n"
             "$ones = B_Op (B_Plus) . B_Alltup [B_Op (B_Minus) . B_Alltup [B_Id, B_Id], B_Con (B_Int 1)]\n"
             "$minus = B_Op (B_Minus) . B_Alltup [B_Id, B_Con (B_Int 1)]\n"
             "$failing = B_Addr (B_Num 1) (B_Num 2) . B_Alltup [B_Op (B_Max), $fail . B_Addr (B_Num 2) (B_Num 2)]\n"
             "$split = P_Split (B_Num 8)\n"
             "%s\n[0, 1, 2, 3, 4, 5, 6, 7]",
             a, b, program);
}

static bool fails_at(const scene *s, int part)
{
    return s->fails == EVERYWHERE || (s->fails == ODD_PARTS ? part % 2 == 1 : part > 0);
}

static void check_scene(const scene *s, int a, int b, int turn)
{
    char source[4096], *printed, words[64];
    const int first = a < b ? a : b;
    write_source(s->program, a, b, source, sizeof source);
    choose_slow(turn);
    const int status = run(source, turn % 2 ? ~0U : 0U, &printed);
    slow_calls = 0;
    CHECK(same_everywhere(status), "%s, failing at %d and %d: status %d here", s->program, a, b, status);
    if (fails_at(s, a) || fails_at(s, b))
        CHECK(status == BMF_ERROR_ARGUMENT && strstr(bmf_error_text(ctx), "divided by zero"), "%s at %d, %d: %d, %s",
              s->program, a, b, status, bmf_error_text(ctx));
    else
        CHECK(status == BMF_OK, "%s at %d, %d: %s", s->program, a, b, bmf_error_text(ctx));
    snprintf(words, sizeof words, "element %d of P_", first);
    if (s->fails == EVERYWHERE)
        CHECK(strstr(bmf_error_text(ctx), words), "%s: no '%s' in: %s", s->program, words, bmf_error_text(ctx));
    free(printed);
}

static void check_success(const scene *s, int turn)
{
    char source[4096], *printed;
    if (strstr(s->program, "$fail2"))
        return;
    write_source(s->program, 99, 99, source, sizeof source);
    choose_slow(turn);
    const int status = run(source, turn % 2 ? ~0U : 0U, &printed);
    slow_calls = 0;
    CHECK(status == BMF_OK, "%s: %s", s->program, bmf_error_text(ctx));
    free(printed);
}

static void test_language(uint64_t *state)
{
    int turn = 0;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int a = 0; a < PARTS; a++, turn++) {
            const int b = a % 3 == 1 ? (int)test_below(state, PARTS) : a; /* on two ranks at once */
            check_scene(&scenes[k], a, b, turn);
            check_success(&scenes[k], turn);
        }
}

/* ---- skeletons in C ---- */

static int64_t bad; /* the value on which everything fails */

static int fail_at_bad(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t x = BMF_AT(int64_t, in[0], i);
        if (x == bad)
            return 7;
        BMF_AT(int64_t, out[0], i) = x;
    }
    return 0;
}

static int judge(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t x = BMF_AT(int64_t, in[0], i);
        if (x == bad)
            return 7;
        BMF_AT(uint8_t, out[0], i) = x % 2 == 0;
    }
    return 0;
}

/* The sum, unless one operand is bad. */
static int add(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t a = BMF_AT(int64_t, in[0], i), b = BMF_AT(int64_t, in[1], i);
        if (a == bad || b == bad)
            return 7;
        BMF_AT(int64_t, out[0], i) = a + b;
    }
    return 0;
}

static const bmf_kernel fragile = {.name = "fragile",
                                   .block = fail_at_bad,
                                   .inputs = 1,
                                   .input = {&bmf_type_int},
                                   .output = &bmf_type_int,
                                   .may_fail = true};
static const bmf_kernel fragile_predicate = {.name = "fragile_predicate",
                                             .block = judge,
                                             .inputs = 1,
                                             .input = {&bmf_type_int},
                                             .output = &bmf_type_bool,
                                             .may_fail = true};
static const bmf_operator fragile_plus = {
    .name = "fragile_plus", .type = &bmf_type_int, .combine = add, .may_fail = true};

enum { CALLS = 10 };

/* The k-th call; xs are 0 to n - 1. */
static int call(int k, const bmf_list *xs)
{
    bmf_list *out = NULL, *part = NULL;
    int64_t value;
    int status = BMF_OK;
    switch (k) {
    case 0:
        status = bmf_map(xs, &fragile, &out);
        break;
    case 1:
        status = bmf_filter(xs, &fragile_predicate, &out);
        break;
    case 2:
        status = bmf_reduce(xs, &fragile_plus, &value);
        break;
    case 3:
        status = bmf_map_reduce(xs, &fragile, &bmf_plus_int, &value);
        break;
    case 4:
        status = bmf_map_reduce(xs, &fragile, &fragile_plus, &value);
        break;
    case 5:
        status = bmf_reduce_placed(xs, &fragile_plus, &out);
        break;
    case 6:
        status = bmf_scan(xs, &fragile_plus, BMF_INCLUSIVE, &out);
        break;
    case 7:
        status = bmf_map_scan(xs, &fragile, &bmf_plus_int, BMF_INCLUSIVE, &out);
        break;
    case 8:
        status = bmf_tabulate(ctx, bmf_length(xs), &fragile, &out);
        break;
    default:
        status = bmf_map(xs, &fragile, &part);
        if (status == BMF_OK)
            status = bmf_project(xs, part, &out);
        break;
    }
    bmf_list_free(part);
    bmf_list_free(out);
    return status;
}

/* One index of a list of n lies outside. */
static void check_project(int64_t n, int64_t where)
{
    bmf_list *xs, *indices, *out = NULL;
    BMF_CHECK(bmf_iota(ctx, n, &xs));
    BMF_CHECK(bmf_iota(ctx, n, &indices));
    int64_t *index = indices->column.data, first = bmf_partition_local_begin(indices->partition);
    for (int64_t i = 0; i < indices->column.count; i++)
        index[i] = first + i == where ? n + 3 : (first + i) * 7 % n;
    const int status = bmf_project(xs, indices, &out);
    CHECK(same_everywhere(status), "project of %" PRId64 ", bad at %" PRId64, n, where);
    CHECK(status == BMF_ERROR_INDEX, "project of %" PRId64 ", bad at %" PRId64 ": %d", n, where, status);
    bmf_list_free(xs);
    bmf_list_free(indices);
    bmf_list_free(out);
}

static void check_calls(int64_t n, int64_t where, int turn)
{
    bmf_list *xs;
    BMF_CHECK(bmf_iota(ctx, n, &xs));
    for (int k = 0; k < CALLS; k++) {
        int64_t sum = 0;
        bad = where;
        choose_slow(turn + k);
        int status = call(k, xs);
        slow_calls = 0;
        CHECK(same_everywhere(status), "call %d of %" PRId64 ", bad at %" PRId64, k, n, where);
        CHECK(status == BMF_ERROR_KERNEL, "call %d of %" PRId64 ", bad at %" PRId64 ": %d", k, n, where, status);
        bad = -1;
        status = call(k, xs);
        CHECK(status == BMF_OK, "call %d of %" PRId64 " after a failure: %s", k, n, bmf_error_text(ctx));
        BMF_CHECK(bmf_reduce(xs, &bmf_plus_int, &sum));
        CHECK(sum == n * (n - 1) / 2, "after call %d the sum is %" PRId64, k, sum);
    }
    bmf_list_free(xs);
}

static void test_calls(uint64_t *state)
{
    static const char *const schedules[][2] = {
        {NULL, NULL}, {"levels", "levels"}, {"doubling", "tree"}, {"everybody", "everybody"}};
    int turn = 0;
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
        if (bmf_set_schedule(ctx, "reduce", schedules[s][0]) != BMF_OK)
            continue;
        (void)bmf_set_schedule(ctx, "scan", schedules[s][1]);
        for (int machine = 0; machine < 3; machine++) {
            const int64_t processors = machine == 0 ? bmf_ranks(ctx) : machine == 1 ? PARTS : 3;
            BMF_CHECK(bmf_set_processors(ctx, processors));
            /* every part with the algorithms that are chosen, and on as many processors as there are ranks */
            for (int part = 0; part < PARTS; part += s == 0 && machine == 0 ? 1 : 3, turn++) {
                const int64_t n = part % 2 ? 4 * PARTS : 3000;
                check_calls(n, n * part / PARTS + test_below(state, n / PARTS), turn);
                check_project(n, n * part / PARTS);
            }
        }
    }
    BMF_CHECK(bmf_set_schedule(ctx, "reduce", NULL));
    BMF_CHECK(bmf_set_schedule(ctx, "scan", NULL));
}

int main(int argc, char **argv)
{
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 12;
    test_calls(&state);
    test_language(&state);
    int failed = test_finish();
    return bmf_close(ctx) != 0 || failed;
}
