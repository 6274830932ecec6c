/* Laws keep values: programs that a law applies to are run without any law, with that law alone, with all others and
 * with all of them, on random data, and must give the same value, to the last bit, or fail, each time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "skeletons/language/program.h"
#include "ctest/support/directory.h"
#include "ctest/support/testing.h"

enum { TEXT_SIZE = 4000, VALUE_SIZE = 8000, REPEATS = 4 };

/* What the program is applied to. */
typedef enum data_kind { INT, INTS, REALS, BOOLS, LISTS, REAL_LISTS, TWO_LISTS, PAIR } data_kind;

typedef struct law_program {
    bmf_law law;
    data_kind data;
    const char *expression;
} law_program;

#define GATHER   "B_Reduce (B_Op (B_Conc))"
#define SQUARE   "B_Op (B_Times) . B_Alltup [B_Id, B_Id]"
#define HALF     "B_Op (B_Divide) . B_Alltup [B_Id, B_Con (B_Real 2)]"
#define POSITIVE "B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 0)]"
#define LARGE    "B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int -100)]"
#define TAIL     "B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_Op (B_Length), B_Id]"
/* Up to 30 000 reals whose sums round, and reductions of them in any order but that of the tree would. */
#define MANY                                                                                                           \
    "B_Map (" HALF " . B_Op (B_Sqrt) . B_Op (B_Real)) . B_Op (B_Iota) . B_Op (B_Times) . B_Alltup [B_Op (B_Mod) . "    \
    "B_Alltup [B_Op (B_Abs), B_Con (B_Int 23)], B_Con (B_Int 1311)]"
#define SUM        "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))"
#define MINUS_EACH "B_Map (B_Op (B_Minus)) . B_Op (B_Distl)"
#define TWO_TOTALS                                                                                                     \
    "B_Alltup [P_Reduce (B_Op (B_Plus)) . P_Map (" SUM "), P_Reduce (B_Op (B_Max)) . P_Map (B_Op (B_Length))]"
#define ABOVE(limit) "B_Op (B_Length) . B_Filter (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Real " #limit ")])"
#define TWO_COUNTS   "B_Alltup [" ABOVE(40) ", B_Op (B_Length), " ABOVE(3.5) "]"
#define THREE_REDUCTIONS                                                                                               \
    "B_Alltup [B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)), B_Reduce (B_Op (B_Minus)) (B_Con (B_Real 1)), B_Reduce "   \
    "(B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Map (" SQUARE ")]"

static const law_program programs[] = {
    {BMF_LAW_IDENTITY, INTS, "B_Map (B_Op (B_Neg) . B_Id) . B_Id"},
    {BMF_LAW_MAP_IDENTITY, LISTS, "B_Map (B_Map (B_Id) . B_Op (B_Iota) . B_Op (B_Length))"},
    {BMF_LAW_COMPONENT, REALS, "B_Map (B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_Op (B_Exp), " HALF "])"},
    {BMF_LAW_COMPONENT, INTS, "B_Op (B_Length) . B_Addr (B_Num 1) (B_Num 2) . B_Alltup [B_Id, B_Op (B_Length)]"},
    {BMF_LAW_MAP_FUSION, INTS, "B_Map (" SQUARE ") . B_Map (B_Op (B_Neg))"},
    {BMF_LAW_MAP_FUSION, LISTS, "B_Map (B_Op (B_Iota) . B_Op (B_Length)) . B_Map (B_Map (" SQUARE "))"},
    {BMF_LAW_MAP_FUSION, INTS, "P_Map (B_Map (B_Op (B_Neg))) . P_Map (B_Map (" SQUARE ")) . P_Split (B_Num 3)"},
    {BMF_LAW_ZIP_MAPS, INTS, "B_Zip (B_Op (B_Minus)) . B_Alltup [B_Map (" SQUARE "), B_Map (B_Op (B_Neg))]"},
    {BMF_LAW_ZIP_MAPS, REALS, "B_Reduce (B_Op (B_Plus)) . B_Zip (B_Op (B_Times)) . B_Alltup [B_Id, B_Map (" HALF ")]"},
    {BMF_LAW_ZIP_MAPS, LISTS,
     "B_Map (B_Zip . B_Alltup [B_Map (" SQUARE ") . " TAIL ", B_Map (B_Op (B_Neg)) . " TAIL "])"},
    {BMF_LAW_ZIP_MAPS, LISTS, "B_Zip . B_Alltup [B_Map (B_Op (B_Length)), B_Map (B_Map (" SQUARE "))]"},
    {BMF_LAW_ZIP_MAPS, TWO_LISTS,
     "B_Zip (B_Op (B_Plus)) . B_Alltup [B_Map (" SQUARE ") . B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]"},
    {BMF_LAW_ZIP_MAPS, INTS, "B_Zip . B_Alltup [B_Map (" SQUARE ") . B_Filter (" LARGE "), B_Map (B_Op (B_Neg))]"},
    {BMF_LAW_ZIP_MAPS, INTS,
     "P_Zip (B_Op (B_Conc)) . B_Alltup [P_Map (B_Map (" SQUARE ")), P_Map (B_Id)] . P_Split (B_Num 3)"},
    {BMF_LAW_SPLIT_REDUCE, INTS, GATHER " . B_Split (B_Num 3)"},
    {BMF_LAW_SPLIT_REDUCE, REALS, "B_Reduce (B_Op (B_Plus)) . " GATHER " . B_Split (B_Num 5)"},
    {BMF_LAW_SPLIT_REDUCE, LISTS, "B_Map (" GATHER " (B_Allvec []) . B_Split (B_Num 2))"},
    {BMF_LAW_MAP_PROMOTION, INTS, "B_Map (" SQUARE ") . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 4)"},
    {BMF_LAW_MAP_PROMOTION, REALS,
     "B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Map (" HALF ") . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 5)"},
    {BMF_LAW_MAP_PROMOTION, INTS,
     "B_Map (B_Op (B_Iota) . B_Op (B_Abs) . B_Op (B_Mod) . B_Alltup [B_Id, B_Con (B_Int 3)]) . P_Reduce (B_Op "
     "(B_Conc)) (B_Allvec []) "
     ". P_Split (B_Num 2)"},
    {BMF_LAW_REDUCE_PROMOTION, LISTS, "B_Reduce (B_Op (B_Max)) (B_Con (B_Int -5)) . " GATHER " (B_Allvec [])"},
    {BMF_LAW_REDUCE_PROMOTION, INTS,
     "B_Reduce (B_Op (B_Min)) (B_Con (B_Int 7)) . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 6)"},
    {BMF_LAW_REDUCE_PROMOTION, REALS,
     "B_Reduce (B_Op (B_Max)) (B_Con (B_Real -0.0)) . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 6)"},
    {BMF_LAW_REDUCE_PROMOTION, BOOLS,
     "B_Reduce (B_Op (B_And)) (B_Con (B_True)) . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 3)"},
    {BMF_LAW_REDUCE_PROMOTION, BOOLS,
     "B_Reduce (B_Op (B_Or)) (B_Con (B_False)) . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 3)"},
    {BMF_LAW_REDUCE_TOGETHER, INTS, TWO_TOTALS " . P_Split (B_Num 5)"},
    {BMF_LAW_REDUCE_TOGETHER, INTS, "B_Map (" TWO_TOTALS " . P_Split (B_Num 3)) . B_Split (B_Num 2)"},
    {BMF_LAW_REDUCE_TOGETHER, INTS,
     "B_Alltup [P_Reduce (B_Op (B_Max)) . P_Map (" SUM ") . P_Split (B_Num 6), B_Op (B_Length), B_Op (B_Neg) . "
     "P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Length)) . P_Split (B_Num 6)]"},
    {BMF_LAW_REDUCE_TOGETHER, REALS,
     "B_Alltup [P_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)), " HALF " . P_Reduce (B_Op (B_Times)) (B_Con (B_Real 2)), "
     "P_Reduce (B_Op (B_Minus)) (B_Con (B_Real 1))] . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0))) . P_Split "
     "(B_Num 6)"},
    {BMF_LAW_REDUCE_TOGETHER, INTS,
     "P_Map (B_Alltup [P_Reduce (B_Op (B_Plus)), P_Reduce (B_Op (B_Min))] . P_Map (" SUM ") . P_Split (B_Num 2)) . "
     "P_Split (B_Num 3) (B_Num 1)"},
    {BMF_LAW_REDUCE_TOGETHER, INTS,
     "B_Alltup [P_Reduce (B_Zip (B_Op (B_Plus))) . P_Map (B_Allvec [" SUM ", B_Op (B_Length)]), P_Reduce (B_Op "
     "(B_Conc)), P_Reduce (B_Op (B_Plus)) . P_Map (" SUM "), P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (" SQUARE "))] . "
     "P_Split (B_Num 4)"},
    {BMF_LAW_DISTRIBUTE_TOGETHER, INTS,
     "P_Reduce (B_Op (B_Conc)) . P_Map (" MINUS_EACH ") . P_Distl . B_Alltup [" SUM ", P_Map (" MINUS_EACH
     ") . P_Distl . B_Alltup [B_Op (B_Length), P_Split (B_Num 4)]]"},
    {BMF_LAW_DISTRIBUTE_TOGETHER, INTS,
     "P_Reduce (B_Op (B_Conc)) . P_Map (" MINUS_EACH ") . P_Distl . B_Alltup [B_Addr (B_Num 3) (B_Num 3), B_Addr "
     "(B_Num 1) (B_Num 3)] . B_Alltup [P_Map (B_Filter (" POSITIVE ")) . P_Map (" MINUS_EACH
     ") . P_Distl . B_Alltup [B_Op (B_Length), P_Split (B_Num 6)], B_Op (B_Length), " SUM "]"},
    {BMF_LAW_DISTRIBUTE_TOGETHER, LISTS,
     "P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Plus) . B_Alltup [B_Op (B_Length) . B_Addr (B_Num 1) (B_Num 2), B_Op "
     "(B_Length) . B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2)]) . P_Distl . B_Alltup [B_Id, P_Distl . "
     "B_Alltup [B_Op (B_Length), P_Split (B_Num 3)]]"},
    {BMF_LAW_DISTRIBUTE_TOGETHER, INTS,
     "P_Reduce (B_Op (B_Conc)) . P_Map (" MINUS_EACH ") . P_Distl . B_Alltup [" SUM ", P_Map (" MINUS_EACH
     ") . P_Distl . B_Alltup [B_Reduce (B_Op (B_Max)), P_Map (" MINUS_EACH
     ") . P_Distl . B_Alltup [B_Op (B_Length), P_Split (B_Num 5)]]]"},
    {BMF_LAW_DISTRIBUTE_TOGETHER, INTS,
     "B_Map (P_Reduce (B_Op (B_Plus)) . P_Map (" SUM " . " MINUS_EACH ") . P_Distl . B_Alltup [" SUM ", P_Map "
     "(" MINUS_EACH ") . P_Distl . B_Alltup [B_Op (B_Length), P_Split (B_Num 3)]]) . B_Split (B_Num 2)"},
    {BMF_LAW_MAP_REDUCE, INTS, "B_Reduce (B_Op (B_Plus)) . B_Map (" SQUARE ")"},
    {BMF_LAW_MAP_REDUCE, REALS, "B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 1)) . B_Map (" HALF ")"},
    {BMF_LAW_MAP_REDUCE, REALS, "B_Reduce (B_Op (B_Minus)) . B_Map (" SQUARE ")"},
    {BMF_LAW_MAP_REDUCE, LISTS, "B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map (" SQUARE "))"},
    {BMF_LAW_MAP_REDUCE, REAL_LISTS, "B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Map (" SQUARE "))"},
    {BMF_LAW_MAP_REDUCE, LISTS, "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 1)) . B_Map (" SQUARE " . B_Op (B_Length))"},
    {BMF_LAW_MAP_SCAN, REALS, "B_Scan (B_Op (B_Plus)) . B_Map (" HALF ")"},
    {BMF_LAW_MAP_SCAN, INTS, "B_Scan (B_Op (B_Plus)) (B_Con (B_Int 1)) . B_Map (" SQUARE ")"},
    {BMF_LAW_MAP_SCAN, REAL_LISTS, "B_Map (B_Scan (B_Op (B_Plus)) . B_Map (" SQUARE "))"},
    {BMF_LAW_MAP_FILTER, INTS, "B_Filter (" POSITIVE ") . B_Map (B_Op (B_Neg))"},
    {BMF_LAW_MAP_FILTER, LISTS, "B_Map (B_Filter (" POSITIVE ") . B_Map (" SQUARE "))"},
    {BMF_LAW_FILTER_LENGTH, INTS, "B_Op (B_Length) . B_Filter (" POSITIVE ")"},
    {BMF_LAW_FILTER_LENGTH, LISTS, "B_Map (B_Op (B_Length) . B_Filter (" POSITIVE "))"},
    {BMF_LAW_SOURCE_FUSION, TWO_LISTS, "B_Zip (B_Op (B_Times))"},
    {BMF_LAW_SOURCE_FUSION, TWO_LISTS, "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map (B_Op (B_Times)) . B_Zip"},
    {BMF_LAW_SOURCE_FUSION, PAIR, "B_Map (B_Op (B_Minus)) . B_Op (B_Distl)"},
    {BMF_LAW_SOURCE_FUSION, INT, "B_Scan (B_Op (B_Plus)) . B_Op (B_Iota)"},
    {BMF_LAW_SOURCE_FUSION, INT, "B_Map (" SQUARE ") . B_Op (B_Iota)"},
    {BMF_LAW_REDUCE_TUPLE, REALS, "B_Alltup [B_Reduce (B_Op (B_Plus)), B_Reduce (B_Op (B_Max)), B_Op (B_Length)]"},
    {BMF_LAW_REDUCE_TUPLE, REALS,
     "B_Alltup [" HALF " . B_Reduce (B_Op (B_Plus)), B_Reduce (B_Op (B_Times)) (B_Con (B_Real 2)) . B_Map (" HALF ")]"},
    {BMF_LAW_REDUCE_TUPLE, LISTS,
     "B_Map (B_Alltup [B_Reduce (B_Op (B_Plus)) (B_Op (B_Length)), B_Reduce (B_Op (B_Max)) (B_Con (B_Int 3))])"},
    {BMF_LAW_REDUCE_TUPLE, LISTS,
     "B_Map (B_Alltup [B_Reduce (B_Op (B_Min)) (B_Con (B_Int 1)), B_Reduce (B_Op (B_Plus))])"},
    {BMF_LAW_REDUCE_TUPLE, TWO_LISTS,
     "B_Alltup [B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Times)) . B_Zip, B_Reduce (B_Op (B_Min)) . B_Map (B_Op "
     "(B_Minus)) . B_Zip]"},
    {BMF_LAW_REDUCE_TUPLE, INT, TWO_COUNTS " . " MANY},
    {BMF_LAW_REDUCE_TUPLE, INTS, "B_Map (" TWO_COUNTS " . " MANY ")"},
    {BMF_LAW_REDUCE_TUPLE, INT, THREE_REDUCTIONS " . " MANY},
    {BMF_LAW_REDUCE_TUPLE, INTS, "B_Map (" THREE_REDUCTIONS " . " MANY ")"},
    {BMF_LAW_REDUCE_TUPLE, INTS, "P_Map (" THREE_REDUCTIONS " . B_Map (B_Op (B_Real))) . P_Split (B_Num 4)"},
    {BMF_LAW_SCALAR_FUSION, INTS, "B_Map (" SQUARE ")"},
    {BMF_LAW_SCALAR_FUSION, REALS,
     "B_Alltup [B_Scan (B_Op (B_Plus)), B_Reduce (B_Op (B_Plus)), B_Filter (" POSITIVE ")]"},
    {BMF_LAW_SCALAR_FUSION, INT,
     "B_While (B_Op (B_Lt) . B_Alltup [B_Id, B_Con (B_Int 1000)]) (B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 7)])"},
    {BMF_LAW_SCALAR_FUSION, INTS,
     "B_Map (B_If (" POSITIVE ") (" SQUARE ") (B_Op (B_Divide) . B_Alltup [B_Id, B_Con (B_Int 3)]))"},
};

/* ---- random data ---- */

/* Seldom one whose square, or sum with others, does not fit. */
static void add_int(char **at, uint64_t *state)
{
    int64_t range = test_below(state, 300) == 0 ? INT64_MAX : 20;
    *at += sprintf(*at, "%lld", (long long)(test_below(state, range) - range / 3));
}

/* Of many sizes, so that every order of additions rounds otherwise. */
static void add_real(char **at, uint64_t *state)
{
    static const double scale[] = {1e-9, 1e-3, 1.0, 3.0, 1e5, 1e12};
    *at += sprintf(*at, "%.17g", (random_unit(state) - 0.4) * scale[test_below(state, 6)]);
}

static void add_list(char **at, uint64_t *state, data_kind elements, int64_t length)
{
    *at += sprintf(*at, "[");
    for (int64_t k = 0; k < length; k++) {
        *at += sprintf(*at, "%s", k > 0 ? ", " : "");
        if (elements == REALS)
            add_real(at, state);
        else if (elements == BOOLS)
            *at += sprintf(*at, "%s", test_below(state, 4) > 0 ? "true" : "false");
        else
            add_int(at, state);
    }
    *at += sprintf(*at, "]");
}

/* The first has an element, which tells the type. */
static void add_lists(char **at, uint64_t *state, data_kind elements)
{
    int64_t lists = 1 + test_below(state, 8);
    *at += sprintf(*at, "[");
    for (int64_t k = 0; k < lists; k++) {
        *at += sprintf(*at, "%s", k > 0 ? ", " : "");
        add_list(at, state, elements, test_below(state, 7) + (k == 0));
    }
    *at += sprintf(*at, "]");
}

static void add_data(char **at, uint64_t *state, data_kind kind)
{
    int64_t length = 1 + test_below(state, test_below(state, 3) == 0 ? 3 : 60);
    switch (kind) {
    case INT:
        *at += sprintf(*at, "%lld", (long long)(test_below(state, 50) - 5));
        break;
    case LISTS:
        add_lists(at, state, INTS);
        break;
    case REAL_LISTS:
        add_lists(at, state, REALS);
        break;
    case TWO_LISTS:
        *at += sprintf(*at, "{");
        add_list(at, state, INTS, length);
        *at += sprintf(*at, ", ");
        add_list(at, state, INTS, test_below(state, 5) == 0 ? length + 1 : length);
        *at += sprintf(*at, "}");
        break;
    case PAIR:
        *at += sprintf(*at, "{");
        add_int(at, state);
        *at += sprintf(*at, ", ");
        add_list(at, state, INTS, length);
        *at += sprintf(*at, "}");
        break;
    default:
        add_list(at, state, kind, length);
    }
}

/* ---- running ---- */

/* The file that rank 0 writes; every rank knows its name. */
static char directory[TEST_DIRECTORY], path[TEST_DIRECTORY + 16];

static void name_file(void)
{
    test_directory("mpi_language_laws", directory);
    snprintf(path, sizeof path, "%s/program.bmf", directory);
}

static bool write_file(bmf_context *ctx, const char *text)
{
    if (!bmf_is_root(ctx))
        return true;
    FILE *file = fopen(path, "w");
    return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

/* The value as text on rank 0; "failed" where it has none; elsewhere "". */
static void run_to_text(bmf_context *ctx, unsigned laws, bmf_law law, int64_t *applied, char value[VALUE_SIZE])
{
    bmf_program program;
    bmf_value result;
    bmf_column column;
    bmf_rewriting rewriting = {.laws = laws};
    value[0] = '\0';
    CHECK(program_load(ctx, &(bmf_program_options){.path = path}, &program) == BMF_OK, "%s", bmf_error_text(ctx));
    program_rewrite(&program, &rewriting);
    *applied = program.rewriting.applied[law];
    int status = program_run(ctx, &program, &result);
    if (status == BMF_OK) {
        CHECK(program_gather(ctx, &result, &column) == BMF_OK, "%s", bmf_error_text(ctx));
        value_free(&result);
        if (bmf_is_root(ctx)) {
            FILE *out = fmemopen(value, VALUE_SIZE, "w");
            data_print(&column, 0, out);
            fclose(out);
        }
        column_free(&column);
    } else if (bmf_is_root(ctx)) {
        strcpy(value, "failed");
    }
    program_free(&program);
}

static void check_program(bmf_context *ctx, const law_program *of, uint64_t *state, int64_t *values)
{
    char text[TEXT_SIZE], value[4][VALUE_SIZE], *at = text;
    int64_t applied[4];
    /* Reductions are joined when they are streams, which other laws make of them. */
    const unsigned streams = 1U << BMF_LAW_SCALAR_FUSION | 1U << BMF_LAW_MAP_REDUCE | 1U << BMF_LAW_SOURCE_FUSION |
                             1U << BMF_LAW_FILTER_LENGTH;
    const unsigned only = 1U << of->law, needed = of->law == BMF_LAW_REDUCE_TUPLE ? streams : 0;
    const unsigned laws[4] = {0, only | needed, ~only, ~0U};
    at += sprintf(at, "%s ", of->expression);
    add_data(&at, state, of->data);
    CHECK(write_file(ctx, text), "%s cannot be written", path);
    for (int k = 0; k < 4; k++)
        run_to_text(ctx, laws[k], of->law, &applied[k], value[k]);
    CHECK(applied[0] == 0 && applied[2] == 0, "%s applied where it must not be", law_name(of->law));
    CHECK(applied[1] > 0 && applied[3] > 0, "%s not applied to %s", law_name(of->law), of->expression);
    for (int k = 1; k < 4; k++)
        CHECK(strcmp(value[0], value[k]) == 0, "%s with laws %x: %s instead of %s", text, laws[k], value[k], value[0]);
    *values += bmf_is_root(ctx) && strcmp(value[0], "failed") != 0;
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    uint64_t state = 2026;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    BMF_CHECK(bmf_set_processors(ctx, bmf_ranks(ctx) > 6 ? bmf_ranks(ctx) : 6));
    name_file();
    for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
        int64_t values = 0;
        for (int repeat = 0; repeat < REPEATS; repeat++)
            check_program(ctx, &programs[k], &state, &values);
        CHECK(!bmf_is_root(ctx) || values > 0, "%s always fails", programs[k].expression);
    }
    if (bmf_is_root(ctx))
        remove(path);
    rmdir(directory);
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
