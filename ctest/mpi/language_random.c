/* Random programs of the language: the evaluator against the naive one, as written and rewritten.
 *
 * Method: every seed makes a program with an argument, which is printed, loaded and run the way `bmf run` does, without
 * laws, with all of them, and with a random choice of them. Values must have the same bits; what fails must fail in
 * both. BMF_TEST_PROGRAMS sets the number of programs, BMF_TEST_SEED the first seed (otherwise it depends on the ranks
 * and threads, so that all runs together see more). Differences are shown with seed, program and argument. */
#include "bmf.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/reference/random_language.h"
#include "ctest/reference/reference_language.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/program.h"

enum { PROGRAMS = 40, VARIANTS = 3, SHOWN_ITEMS = 40 };

static const int64_t naive_budget = 300000;

typedef struct tally {
    int64_t count[3]; /* of programs, by reference_outcome */
} tally;

static int64_t number_from(const char *variable, int64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoll(text, NULL, 10) : otherwise;
}

static char *program_text(uint64_t seed)
{
    char *text = NULL;
    size_t size = 0;
    bmf_expressions *arena = expressions_create();
    bmf_expression *expression;
    const bmf_type *type;
    bmf_column argument;
    bmf_random_program(seed, arena, &expression, &type, &argument);
    char *printed = expression_print(expression, 0);
    FILE *stream = open_memstream(&text, &size);
    fprintf(stream, "%s\n", printed);
    data_print_as(&argument, type, 0, stream);
    fclose(stream);
    free(printed);
    column_free(&argument);
    expressions_free(arena);
    return text;
}

/* Shows what differed; long arguments are cut. */
static void show(uint64_t seed, unsigned laws, const char *text, const reference_value *expected,
                 const bmf_column *found)
{
    fprintf(stderr, "seed %llu, laws %x: %.6000s\n", (unsigned long long)seed, laws, text);
    if (expected) {
        fprintf(stderr, "expected: ");
        reference_print(expected, SHOWN_ITEMS, stderr);
    }
    if (found && column_packed_bytes(found, 0, found->count) < 4000) {
        fprintf(stderr, "\nfound:    ");
        data_print(found, 0, stderr);
    }
    fprintf(stderr, "\n");
}

/* On the root: what the naive evaluator says. */
static reference_outcome expect(bmf_context *ctx, const bmf_program *program, reference_machine *machine,
                                const reference_value **expected)
{
    int outcome = REFERENCE_TOO_MUCH;
    *expected = NULL;
    if (bmf_is_root(ctx))
        outcome = (int)reference_evaluate(machine, program->checked, &program->argument[0].column, expected);
    MPI_Bcast(&outcome, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return (reference_outcome)outcome;
}

static void check_result(bmf_context *ctx, const char *text, uint64_t seed, unsigned laws, int status,
                         bmf_value *result, const reference_machine *machine, const reference_value *expected)
{
    bmf_column found = {0};
    if (status == BMF_OK) {
        status = program_gather(ctx, result, &found);
        if (!CHECK(status == BMF_OK, "seed %llu: gathering: %s", (unsigned long long)seed, bmf_error_text(ctx)))
            return;
    }
    if (bmf_is_root(ctx) && !expected) {
        if (!CHECK(status != BMF_OK, "seed %llu should fail: %s", (unsigned long long)seed, machine->failure))
            show(seed, laws, text, NULL, &found);
        else
            CHECK(bmf_exit_code(status) == 2 && *bmf_error_text(ctx) != '\0', "seed %llu: status %d, \"%s\"",
                  (unsigned long long)seed, status, bmf_error_text(ctx));
    } else if (bmf_is_root(ctx)) {
        if (!CHECK(status == BMF_OK, "seed %llu: %s", (unsigned long long)seed, bmf_error_text(ctx)))
            show(seed, laws, text, expected, NULL);
        else if (!CHECK(found.count == 1 && !column_broken(&found) && reference_same(expected, &found, 0),
                        "seed %llu: another value", (unsigned long long)seed))
            show(seed, laws, text, expected, &found);
    }
    column_free(&found);
}

/* Lists of wrong lengths were found before the program ran: it has no value. */
static void check_refusal(bmf_context *ctx, uint64_t seed, const bmf_program *program)
{
    const reference_value *expected;
    if (!bmf_is_root(ctx))
        return;
    reference_machine machine = {.processors = processors_needed(program->checked), .budget = naive_budget};
    CHECK(reference_evaluate(&machine, program->checked, &program->argument[0].column, &expected) != REFERENCE_VALUE,
          "seed %llu has a value, but is refused: %s", (unsigned long long)seed, bmf_error_text(ctx));
    reference_free(&machine);
}

/* Loads the program as `bmf run` does. */
static bool load(bmf_context *ctx, uint64_t seed, const char *text, bmf_program *program)
{
    bmf_program_options options = {.path = "random", .text = text};
    const int status = program_load(ctx, &options, program);
    if (status == BMF_ERROR_SHAPE)
        check_refusal(ctx, seed, program);
    else if (CHECK(status == BMF_OK, "seed %llu is not well typed: %s", (unsigned long long)seed, bmf_error_text(ctx)))
        return true;
    program_free(program);
    return false;
}

/* Runs what was loaded, with these laws. */
static void check_variant(bmf_context *ctx, uint64_t seed, unsigned laws, const char *text, bmf_program *program,
                          const reference_machine *machine, const reference_value *expected)
{
    bmf_value result = {0};
    if (laws != 0)
        program_rewrite(program, &(bmf_rewriting){.laws = laws});
    int status = program_run(ctx, program, &result);
    check_result(ctx, text, seed, laws, status, &result, machine, expected);
    value_free(&result);
}

static void check_variants(bmf_context *ctx, uint64_t seed, const char *text, bmf_program *first,
                           const reference_machine *machine, const reference_value *expected)
{
    uint64_t random = seed ^ 0x5eed;
    const unsigned laws[VARIANTS] = {0, ~0U, (unsigned)random_bits(&random)};
    check_variant(ctx, seed, laws[0], text, first, machine, expected);
    for (int k = 1; k < VARIANTS; k++) {
        bmf_program program;
        if (!load(ctx, seed, text, &program))
            return;
        check_variant(ctx, seed, laws[k], text, &program, machine, expected);
        program_free(&program);
    }
}

/* A program may run on more processors than it needs. */
static int64_t choose_processors(uint64_t seed, int64_t needed)
{
    uint64_t random = seed ^ 0xb0b;
    return needed + (test_below(&random, 2) == 0 ? test_below(&random, 5) : 0);
}

static void check_seed(bmf_context *ctx, uint64_t seed, tally *counted)
{
    bmf_program program;
    const reference_value *expected;
    char *text = program_text(seed);
    if (load(ctx, seed, text, &program)) {
        reference_machine machine = {.processors = choose_processors(seed, processors_needed(program.checked)),
                                     .budget = naive_budget};
        reference_outcome outcome = expect(ctx, &program, &machine, &expected);
        counted->count[outcome]++;
        if (outcome != REFERENCE_TOO_MUCH &&
            CHECK(bmf_set_processors(ctx, machine.processors) == BMF_OK, "%s", bmf_error_text(ctx)))
            check_variants(ctx, seed, text, &program, &machine, expected);
        reference_free(&machine);
        program_free(&program);
    }
    free(text);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    int64_t programs = number_from("BMF_TEST_PROGRAMS", PROGRAMS);
    int64_t first = number_from("BMF_TEST_SEED", 100000 * bmf_ranks(ctx) + 10000 * bmf_threads(ctx));
    tally counted = {0};
    for (int64_t k = 0; k < programs; k++)
        check_seed(ctx, (uint64_t)(first + k), &counted);
    const int64_t *count = counted.count;
    if (bmf_is_root(ctx))
        printf("seeds %lld..%lld: %lld values, %lld failures, %lld skipped\n", (long long)first,
               (long long)(first + programs - 1), (long long)count[REFERENCE_VALUE],
               (long long)count[REFERENCE_FAILURE], (long long)count[REFERENCE_TOO_MUCH]);
    CHECK(2 * count[REFERENCE_VALUE] >= count[REFERENCE_FAILURE] + count[REFERENCE_TOO_MUCH], "too few values");
    int result = test_finish();
    BMF_CHECK(bmf_close(ctx));
    return result;
}
