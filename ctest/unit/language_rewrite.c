/* Laws: what each makes of an expression when it alone is allowed, and what it leaves alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skeletons/language/laws/rewrite.h"
#include "ctest/support/typed.h"

/* A rewritten program is printed on one line; what is fused stands between < and >. after NULL: it stays as it is. */
typedef struct rewriting_case {
    const char *before, *after;
} rewriting_case;

static char *rewrite_to_text(typed_program *program, bmf_rewriting *rewriting)
{
    return expression_print(rewrite(program->arena, program->checked, rewriting), -1);
}

static int check_case(unsigned laws, bool reassociate, const rewriting_case *row)
{
    typed_program program;
    if (typed_program_open(row->before, &program) != BMF_OK) {
        print_error("%s: %s\n", row->before, bmf_error_text(NULL));
        typed_program_close(&program);
        return 1;
    }
    bmf_rewriting rewriting = {.laws = laws, .reassociate = reassociate};
    char *before = expression_print(program.checked, -1), *after = rewrite_to_text(&program, &rewriting);
    const char *expected = row->after ? row->after : before;
    int wrong = strcmp(after, expected) != 0;
    if (wrong)
        print_error("%s:\n  expected %s\n  found    %s\n", row->before, expected, after);
    free(before);
    free(after);
    typed_program_close(&program);
    return wrong;
}

static void check_law(bmf_law law, const rewriting_case *row, size_t rows)
{
    int wrong = 0;
    for (size_t k = 0; k < rows; k++)
        wrong += check_case(1U << law, false, &row[k]);
    assert_int_equal(wrong, 0);
}
#define CHECK_LAW(law, rows) check_law(law, rows, sizeof rows / sizeof rows[0])

/* Abbreviations: numbers bigger than 0, the square, the sum of a pair's products. */
#define POSITIVE  "B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 0)]"
#define REFLEXIVE "B_Op (B_Eq) . B_Alltup [B_Id, B_Id]"
#define SQUARE    "B_Op (B_Times) . B_Alltup [B_Id, B_Id]"

static void identities_vanish(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Op (B_Length) . B_Id [1]", "B_Op (B_Length)"},
        {"B_Id . B_Op (B_Length) [1]", "B_Op (B_Length)"},
        {"B_Id . B_Id . B_Id 1", "B_Id"},
        {"B_Map (B_Id . B_Op (B_Abs) . B_Id) [1]", "B_Map (B_Op (B_Abs))"},
        {"B_Map (B_Id) [1]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_IDENTITY, rows);
}

static void maps_of_identity_vanish(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Map (B_Id) [1]", "B_Id"},
        {"B_Map (B_Map (B_Id)) [[1]]", "B_Id"},
        {"P_Map (B_Id) . P_Split (B_Num 2) [1]", "B_Id . P_Split (B_Num 2) (B_Num 0)"},
        {"B_Map (B_Op (B_Abs)) [1]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_MAP_IDENTITY, rows);
}

static void components_are_picked(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Addr (B_Num 1) (B_Num 2) . B_Alltup [B_Op (B_Abs), B_Id] 1", "B_Op (B_Abs)"},
        {"B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_Op (B_Sqrt), B_Id . B_Id] 1.5", "B_Id . B_Id"},
        /* the other one may fail: the smallest int has no absolute value, an index may lie outside, loops may not
         * end */
        {"B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_Op (B_Abs), B_Id] 1", NULL},
        {"B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_Op (B_Index), B_Id] {[1], 0}", NULL},
        {"B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_Map (B_Op (B_Divide)), B_Id] [{1, 2}]", NULL},
        {"B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_Reduce (B_Op (B_Max)), B_Id] [1]", NULL},
        {"B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_While (B_Con (B_True)) (B_Id), B_Id] 1", NULL},
        {"B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_Zip, B_Id] {[1], [2]}", NULL},
        {"B_Addr (B_Num 2) (B_Num 2) . B_Alltup [B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0)), B_Id] [1]", "B_Id"},
        {"B_Addr (B_Num 2) (B_Num 2) . B_Id {1, 2}", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_COMPONENT, rows);
}

static void maps_fuse(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Map (B_Op (B_Abs)) . B_Map (B_Op (B_Neg)) [1]", "B_Map (B_Op (B_Abs) . B_Op (B_Neg))"},
        {"B_Map (B_Op (B_Sqrt)) . B_Map (B_Op (B_Neg)) . B_Map (B_Op (B_Cos)) [1.5]",
         "B_Map (B_Op (B_Sqrt) . B_Op (B_Neg) . B_Op (B_Cos))"},
        /* and in the inner lists at once */
        {"B_Map (B_Map (B_Op (B_Abs))) . B_Map (B_Map (B_Op (B_Neg))) [[1]]",
         "B_Map (B_Map (B_Op (B_Abs) . B_Op (B_Neg)))"},
        {"P_Map (B_Op (B_Abs)) . P_Map (B_Op (B_Length)) . P_Split (B_Num 2) [1]",
         "P_Map (B_Op (B_Abs) . B_Op (B_Length)) . P_Split (B_Num 2) (B_Num 0)"},
        {"B_Map (B_Op (B_Abs)) . B_Scan (B_Op (B_Plus)) . B_Map (B_Op (B_Neg)) [1]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_MAP_FUSION, rows);
}

static void splits_that_are_gathered_vanish(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Reduce (B_Op (B_Conc)) . B_Split (B_Num 3) [1]", "B_Id"},
        {"B_Reduce (B_Op (B_Conc)) (B_Allvec []) . B_Split (B_Num 3) [1]", "B_Id"},
        {"B_Reduce (B_Op (B_Conc)) (B_Allvec [B_Con (B_Int 1)]) . B_Split (B_Num 3) [1]", NULL},
        {"B_Scan (B_Op (B_Conc)) . B_Split (B_Num 3) [1]", NULL},
        {"P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 3) [1]", NULL}, /* the program's wish to run in parallel */
    };
    typed_program program;
    (void)state;
    CHECK_LAW(BMF_LAW_SPLIT_REDUCE, rows);
    assert_int_equal(typed_program_open("P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 3) [1]", &program), BMF_OK);
    bmf_rewriting rewriting = {.laws = 1U << BMF_LAW_SPLIT_REDUCE, .undo_parallel_splits = true};
    char *after = rewrite_to_text(&program, &rewriting);
    assert_string_equal(after, "B_Id");
    assert_int_equal(rewriting.applied[BMF_LAW_SPLIT_REDUCE], 1);
    free(after);
    typed_program_close(&program);
}

static void maps_are_promoted(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Map (B_Op (B_Abs)) . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 3) [1]",
         "P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Abs))) . P_Split (B_Num 3) (B_Num 0)"},
        {"B_Map (" POSITIVE ") . P_Reduce (B_Op (B_Conc)) (B_Allvec []) . P_Split (B_Num 3) [1]",
         "P_Reduce (B_Op (B_Conc)) (<convert to [bool]> . B_Allvec []) . P_Map (B_Map (" POSITIVE
         ")) . P_Split (B_Num 3) (B_Num 0)"},
        {"B_Map (B_Op (B_Abs)) . P_Reduce (B_Op (B_Conc)) (B_Allvec [B_Con (B_Int 1)]) . P_Split (B_Num 3) [1]", NULL},
        {"B_Map (B_Op (B_Abs)) . B_Reduce (B_Op (B_Conc)) [[1]]", NULL}, /* nothing to win */
        /* its result could not be gathered */
        {"B_Map (P_Split (B_Num 2)) . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 3) [[1]]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_MAP_PROMOTION, rows);
}

#define GATHER   "B_Reduce (B_Op (B_Conc))"
#define SMALLEST "(B_Con (B_Int -9223372036854775808))"
#define LARGEST  "(B_Con (B_Int 9223372036854775807))"

static void reductions_are_promoted(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0)) . " GATHER " (B_Allvec []) [[1]]",
         "B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0)) . B_Map (B_Reduce (B_Op (B_Max)) " SMALLEST ")"},
        {"B_Reduce (B_Op (B_Min)) (B_Con (B_Int 0)) . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 2) [1]",
         "P_Reduce (B_Op (B_Min)) (B_Con (B_Int 0)) . P_Map (B_Reduce (B_Op (B_Min)) " LARGEST
         ") . P_Split (B_Num 2) (B_Num 0)"},
        {"B_Reduce (B_Op (B_And)) (B_Con (B_True)) . " GATHER " . B_Split (B_Num 2) [true]",
         "B_Reduce (B_Op (B_And)) (B_Con (B_True)) . B_Map (B_Reduce (B_Op (B_And)) (B_Con (B_True))) . "
         "B_Split (B_Num 2)"},
        {"B_Reduce (B_Op (B_Or)) (B_Con (B_True)) . " GATHER " . B_Map (B_Id) . B_Split (B_Num 2) [true]",
         "B_Reduce (B_Op (B_Or)) (B_Con (B_True)) . B_Map (B_Reduce (B_Op (B_Or)) (B_Con (B_False))) . B_Map (B_Id) . "
         "B_Split (B_Num 2)"},
        /* sums round or overflow on the way */
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . " GATHER " (B_Allvec []) [[1]]", NULL},
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . " GATHER " (B_Allvec []) [[1.5]]", NULL},
        {"B_Reduce (B_Op (B_Times)) (B_Con (B_Int 1)) . " GATHER " (B_Allvec []) [[1]]", NULL},
        /* empty lists fail on one side only */
        {"B_Reduce (B_Op (B_Max)) . " GATHER " (B_Allvec []) [[1]]", NULL},
        {"B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0)) . " GATHER " [[1]]", NULL},
        /* the default looks at the list */
        {"B_Reduce (B_Op (B_Max)) (B_Op (B_Length)) . " GATHER " (B_Allvec []) [[1]]", NULL},
        /* not an operation by itself */
        {"B_Reduce (B_Op (B_Max) . B_Id) (B_Con (B_Int 0)) . " GATHER " (B_Allvec []) [[1]]", NULL},
    };
    static const rewriting_case freely[] = {
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 5)) . " GATHER " (B_Allvec []) [[1]]",
         "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 5)) . B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)))"},
        {"B_Reduce (B_Op (B_Times)) (B_Con (B_Real 5)) . " GATHER " (B_Allvec []) [[1.5]]",
         "B_Reduce (B_Op (B_Times)) (B_Con (B_Real 5.0)) . B_Map (B_Reduce (B_Op (B_Times)) (B_Con (B_Real 1.0)))"},
    };
    int wrong = 0;
    (void)state;
    CHECK_LAW(BMF_LAW_REDUCE_PROMOTION, rows);
    for (size_t k = 0; k < sizeof freely / sizeof freely[0]; k++)
        wrong += check_case(1U << BMF_LAW_REDUCE_PROMOTION, true, &freely[k]);
    assert_int_equal(wrong, 0);
}

static void reductions_take_in_maps(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Reduce (B_Op (B_Plus)) . B_Map (" SQUARE ") [1]", "<B_Reduce (B_Op (B_Plus)) . B_Map (" SQUARE ")>"},
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map (" SQUARE ") [1]",
         "<B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map (" SQUARE ")>"},
        {"B_Map (B_Reduce (B_Op (B_Plus)) . B_Map (" SQUARE ")) [[1]]",
         "B_Map (<B_Reduce (B_Op (B_Plus)) . B_Map (" SQUARE ")>)"},
        /* the scalar part of a map that is not scalar */
        {"B_Reduce (B_Op (B_Plus)) . B_Map (" SQUARE " . B_Op (B_Length)) [[1]]",
         "<B_Reduce (B_Op (B_Plus)) . B_Map (" SQUARE ")> . B_Map (B_Op (B_Length))"},
        {"B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Length)) [[1]]", NULL},
        {"B_Reduce (B_Op (B_Conc)) . B_Map (B_Op (B_Iota)) [1]", NULL},
        /* the default looks at what the map makes */
        {"B_Reduce (B_Op (B_Plus)) (B_Op (B_Length)) . B_Map (" SQUARE ") [1]", NULL},
        {"P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Abs)) . P_Map (B_Op (B_Length)) . P_Split (B_Num 2) [1]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_MAP_REDUCE, rows);
}

static void scans_take_in_maps(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Scan (B_Op (B_Plus)) . B_Map (" SQUARE ") [1]", "<B_Scan (B_Op (B_Plus)) . B_Map (" SQUARE ")>"},
        {"B_Scan (B_Op (B_Plus)) (B_Con (B_Int 3)) . B_Map (" SQUARE ") [1]",
         "<B_Scan (B_Op (B_Plus)) (B_Con (B_Int 3)) . B_Map (" SQUARE ")>"},
        {"B_Map (" SQUARE ") . B_Scan (B_Op (B_Plus)) [1]", NULL},
        {"B_Scan (B_Op (B_Conc)) . B_Map (B_Op (B_Iota)) [1]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_MAP_SCAN, rows);
}

static void filters_take_in_maps(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Filter (" POSITIVE ") . B_Map (" SQUARE ") [1]", "<B_Filter (" POSITIVE ") . B_Map (" SQUARE ")>"},
        {"B_Filter (" POSITIVE " . B_Op (B_Length)) . B_Map (B_Op (B_Iota)) [1]", NULL},
        {"B_Map (" SQUARE ") . B_Filter (" POSITIVE ") [1]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_MAP_FILTER, rows);
}

static void lengths_of_filters_count(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Op (B_Length) . B_Filter (" POSITIVE ") [1]", "<B_Op (B_Length) . B_Filter (" POSITIVE ")>"},
        {"B_Op (B_Length) . B_Filter (" POSITIVE " . B_Op (B_Length)) [[1]]", NULL},
        {"B_Op (B_Length) . B_Map (" POSITIVE ") [1]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_FILTER_LENGTH, rows);
}

static void sources_fuse(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Map (B_Op (B_Plus)) . B_Zip {[1], [2]}", "<B_Map (B_Op (B_Plus)) . B_Zip>"},
        {"B_Zip (B_Op (B_Plus)) {[1], [2]}", "<B_Map (B_Op (B_Plus)) . B_Zip>"},
        {"B_Map (B_Op (B_Plus)) . B_Op (B_Distl) {1, [2]}", "<B_Map (B_Op (B_Plus)) . B_Op (B_Distl)>"},
        {"B_Map (" SQUARE ") . B_Op (B_Iota) 5", "<B_Map (" SQUARE ") . B_Op (B_Iota)>"},
        {"B_Reduce (B_Op (B_Plus)) . B_Op (B_Iota) 5", "<B_Reduce (B_Op (B_Plus)) . B_Op (B_Iota)>"},
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Zip (B_Op (B_Times)) {[1], [2]}",
         "<B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map (B_Op (B_Times)) . B_Zip>"},
        /* picking components costs nothing anyway; lists as items are no scalars */
        {"B_Map (B_Addr (B_Num 1) (B_Num 2)) . B_Zip {[1], [2]}", NULL},
        {"B_Map (B_Op (B_Index)) . B_Op (B_Distl) {[7], [0]}", NULL},
        {"B_Reduce (B_Op (B_Plus)) (B_Op (B_Length)) . B_Op (B_Iota) 5", NULL},
        {"P_Zip (B_Op (B_Plus)) . B_Alltup [B_Id, B_Id] . P_Map (B_Op (B_Length)) . P_Split (B_Num 2) [1]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_SOURCE_FUSION, rows);
}

static void zips_of_maps_become_one_map(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Zip (B_Op (B_Plus)) . B_Alltup [B_Map (B_Op (B_Abs)), B_Map (B_Op (B_Neg))] [1]",
         "B_Map (B_Op (B_Plus) . B_Alltup [B_Op (B_Abs), B_Op (B_Neg)])"},
        {"B_Zip . B_Alltup [B_Id, B_Map (B_Op (B_Neg))] [1]", "B_Map (B_Alltup [B_Id, B_Op (B_Neg)])"},
        {"B_Zip . B_Alltup [B_Map (B_Op (B_Neg)) . B_Op (B_Iota), B_Op (B_Iota)] 5",
         "B_Map (B_Alltup [B_Op (B_Neg), B_Id]) . B_Op (B_Iota)"},
        {"P_Zip (B_Op (B_Conc)) . B_Alltup [P_Map (B_Map (B_Op (B_Neg))), B_Id] . P_Split (B_Num 2) [1]",
         "P_Map (B_Op (B_Conc) . B_Alltup [B_Map (B_Op (B_Neg)), B_Id]) . P_Split (B_Num 2) (B_Num 0)"},
        /* of two lists */
        {"B_Zip (B_Op (B_Plus)) . B_Alltup [B_Map (B_Op (B_Abs)) . B_Addr (B_Num 2) (B_Num 2), "
         "B_Addr (B_Num 1) (B_Num 2)] {[1], [2]}",
         "B_Zip (B_Op (B_Plus) . B_Alltup [B_Op (B_Abs) . B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)]) . "
         "B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]"},
        /* no maps; lists of different types are no zip of their own */
        {"B_Zip (B_Op (B_Plus)) . B_Alltup [B_Id, B_Id] [1]", NULL},
        {"B_Zip {[1], [2]}", NULL},
        {"B_Op (B_Distl) . B_Alltup [B_Op (B_Length), B_Map (B_Op (B_Neg))] [1]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_ZIP_MAPS, rows);
}

/* One pass over the list for all of them: a single node reads it. */
static void reductions_of_one_list_are_joined(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Alltup [B_Reduce (B_Op (B_Plus)), B_Reduce (B_Op (B_Max)) . B_Map (B_Op (B_Abs))] [1]",
         "<<B_Reduce (B_Op (B_Plus))>, <B_Reduce (B_Op (B_Max)) . B_Map (B_Op (B_Abs))>>"},
        {"B_Alltup [B_Op (B_Neg) . B_Reduce (B_Op (B_Plus)), B_Reduce (B_Op (B_Max))] [1]",
         "<B_Alltup [B_Op (B_Neg) . B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)]> . "
         "<<B_Reduce (B_Op (B_Plus))>, <B_Reduce (B_Op (B_Max))>>"},
        {"B_Alltup [B_Reduce (B_Op (B_Plus)), B_Op (B_Length), B_Reduce (B_Op (B_Max))] [1]",
         "B_Alltup [B_Addr (B_Num 1) (B_Num 2) . B_Addr (B_Num 1) (B_Num 2), "
         "B_Op (B_Length) . B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 1) (B_Num 2)] . "
         "B_Alltup [<<B_Reduce (B_Op (B_Plus))>, <B_Reduce (B_Op (B_Max))>>, B_Id]"},
        {"B_Alltup [B_Op (B_Length) . B_Filter (" POSITIVE "), B_Op (B_Length) . B_Filter (" REFLEXIVE ")] [1]",
         "<<B_Op (B_Length) . B_Filter (" POSITIVE ")>, <B_Op (B_Length) . B_Filter (" REFLEXIVE ")>>"},
        /* different lists, one reduction, other ends */
        {"B_Alltup [B_Reduce (B_Op (B_Plus)) . B_Addr (B_Num 1) (B_Num 2), "
         "B_Reduce (B_Op (B_Plus)) . B_Addr (B_Num 2) (B_Num 2)] {[1], [2]}",
         "B_Alltup [<B_Reduce (B_Op (B_Plus))> . B_Addr (B_Num 1) (B_Num 2), "
         "<B_Reduce (B_Op (B_Plus))> . B_Addr (B_Num 2) (B_Num 2)]"},
        {"B_Alltup [B_Reduce (B_Op (B_Plus)), B_Scan (B_Op (B_Plus))] [1]",
         "B_Alltup [<B_Reduce (B_Op (B_Plus))>, <B_Scan (B_Op (B_Plus))>]"},
    };
    const unsigned laws = 1U << BMF_LAW_REDUCE_TUPLE | 1U << BMF_LAW_MAP_REDUCE | 1U << BMF_LAW_FILTER_LENGTH |
                          1U << BMF_LAW_SCALAR_FUSION;
    int wrong = 0;
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        wrong += check_case(laws, false, &rows[k]);
    assert_int_equal(wrong, 0);
}

static void scalar_expressions_become_kernels(void **state)
{
    static const rewriting_case rows[] = {
        {"B_Op (B_Abs) . B_Op (B_Neg) 1", "<B_Op (B_Abs) . B_Op (B_Neg)>"},
        {"B_Map (B_Op (B_Abs)) [1]", "<B_Map (B_Op (B_Abs))>"},
        {"B_Reduce (B_Op (B_Plus)) [1]", "<B_Reduce (B_Op (B_Plus))>"},
        {"B_Scan (B_Op (B_Plus)) (B_Op (B_Length)) [1]", "<B_Scan (B_Op (B_Plus)) (B_Op (B_Length))>"},
        {"B_Filter (" POSITIVE ") [1]", "<B_Filter (" POSITIVE ")>"},
        {"B_Map (B_Map (" SQUARE ")) [[1]]", "B_Map (<B_Map (" SQUARE ")>)"},
        {"P_Map (" SQUARE " . B_Op (B_Length)) . P_Split (B_Num 2) [1]",
         "P_Map (<" SQUARE "> . B_Op (B_Length)) . P_Split (B_Num 2) (B_Num 0)"},
        {"B_Op (B_Divide) . B_Alltup [B_Reduce (B_Op (B_Plus)), B_Op (B_Length)] [1]",
         "<B_Op (B_Divide)> . B_Alltup [<B_Reduce (B_Op (B_Plus))>, B_Op (B_Length)]"},
        {"B_While (" POSITIVE ") (B_Op (B_Minus) . B_Alltup [B_Id, B_Con (B_Int 1)]) 3",
         "<B_While (" POSITIVE ") (B_Op (B_Minus) . B_Alltup [B_Id, B_Con (B_Int 1)])>"},
        {"B_If (" POSITIVE " . B_Op (B_Length)) (B_Id) (B_Id) [1]",
         "B_If (<" POSITIVE "> . B_Op (B_Length)) (B_Id) (B_Id)"},
        /* these cost nothing on columns */
        {"B_Id 1", NULL},
        {"B_Addr (B_Num 1) (B_Num 2) {1, 2}", NULL},
        {"B_Alltup [B_Id, B_Con (B_Int 1)] 1", NULL},
        {"B_Map (B_Alltup [B_Id, B_Con (B_Int 1)]) [1]", NULL},
        {"B_Map (B_Op (B_Length)) [[1]]", NULL},
    };
    (void)state;
    CHECK_LAW(BMF_LAW_SCALAR_FUSION, rows);
}

static void all_laws_work_together(void **state)
{
    static const rewriting_case rows[] = {
        /* document 000, 2.10 */
        {"B_Map (" SQUARE ") . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 4) (B_Num 0) [1, 2]",
         "P_Reduce (B_Op (B_Conc)) . P_Map (<B_Map (" SQUARE ")>) . P_Split (B_Num 4) (B_Num 0)"},
        {"B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Abs)) . B_Reduce (B_Op (B_Conc)) . B_Split (B_Num 2) . "
         "B_Map (B_Op (B_Neg)) [1]",
         "<B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Abs) . B_Op (B_Neg))>"},
        {"B_Op (B_Length) . B_Filter (" POSITIVE ") . B_Map (" SQUARE ") . B_Op (B_Iota) 9",
         "<B_Op (B_Length) . B_Filter (" POSITIVE ") . B_Map (" SQUARE ") . B_Op (B_Iota)>"},
        {"B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0)) . P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Abs))) . "
         "P_Split (B_Num 4) [1]",
         "P_Reduce (<B_Op (B_Max)>) (B_Con (B_Int 0)) . P_Map (<B_Reduce (B_Op (B_Max)) " SMALLEST
         " . B_Map (B_Op (B_Abs))>) . P_Split (B_Num 4) (B_Num 0)"},
    };
    int wrong = 0;
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        wrong += check_case(~0U, false, &rows[k]);
    assert_int_equal(wrong, 0);
}

static void no_law_no_change(void **state)
{
    typed_program program;
    (void)state;
    assert_int_equal(
        typed_program_open("B_Map (B_Id) . B_Id . B_Reduce (B_Op (B_Conc)) . B_Split (B_Num 2) [1]", &program), BMF_OK);
    bmf_rewriting rewriting = {.laws = 0};
    assert_ptr_equal(rewrite(program.arena, program.checked, &rewriting), program.checked);
    typed_program_close(&program);
}

/* Adds up the reports of each law; before and after must have the same types. */
static void count_report(void *state, bmf_law law, const bmf_expression *before, const bmf_expression *after)
{
    int64_t *count = state;
    assert_ptr_equal(before->in, after->in);
    assert_ptr_equal(before->out, after->out);
    count[law]++;
}

static void applications_are_reported(void **state)
{
    typed_program program;
    int64_t count[BMF_LAW_COUNT] = {0};
    (void)state;
    assert_int_equal(
        typed_program_open("B_Reduce (B_Op (B_Plus)) . B_Id . B_Map (B_Op (B_Abs)) . B_Map (B_Op (B_Neg)) . "
                           "B_Zip (B_Op (B_Plus)) {[1], [2]}",
                           &program),
        BMF_OK);
    bmf_rewriting rewriting = {.laws = ~0U, .report = count_report, .state = count};
    bmf_expression *after = rewrite(program.arena, program.checked, &rewriting);
    for (int law = 0; law < BMF_LAW_COUNT; law++)
        assert_int_equal(count[law], rewriting.applied[law]);
    assert_int_equal(count[BMF_LAW_IDENTITY], 1);
    assert_int_equal(count[BMF_LAW_MAP_FUSION], 1);
    assert_int_equal(count[BMF_LAW_MAP_REDUCE], 1);
    assert_true(count[BMF_LAW_SOURCE_FUSION] > 0);
    assert_int_equal(after->kind, BMF_EXPRESSION_STREAM);
    assert_int_equal(after->head, BMF_HEAD_ZIP);
    assert_int_equal(after->tail, BMF_TAIL_REDUCE);
    assert_int_equal(after->children, 3);
    assert_int_equal(after->child[0]->children, 3); /* abs o neg o plus */
    assert_int_equal(after->child[1]->operation, BMF_OPERATION_PLUS);
    assert_null(after->child[2]);
    typed_program_close(&program);
}

/* Names used twice stay shared, so that a program does not grow by being rewritten. */
static void shared_parts_are_rewritten_once(void **state)
{
    char text[4000] = "$D0 = B_Map (B_Op (B_Abs)) . B_Id . B_Filter (" POSITIVE ")\n", line[100];
    typed_program program;
    (void)state;
    for (int k = 1; k <= 14; k++) {
        snprintf(line, sizeof line, "$D%d = B_Comp ($D%d) ($D%d)\n", k, k - 1, k - 1);
        strcat(text, line);
    }
    strcat(text, "$D14 [1]");
    assert_int_equal(typed_program_open(text, &program), BMF_OK);
    bmf_rewriting rewriting = {.laws = ~0U};
    rewrite(program.arena, program.checked, &rewriting);
    assert_in_range(rewriting.applied[BMF_LAW_IDENTITY], 1, 2000); /* of 16384 uses */
    typed_program_close(&program);
}

static void laws_have_names(void **state)
{
    (void)state;
    for (int a = 0; a < BMF_LAW_COUNT; a++) {
        assert_true(strlen(law_statement((bmf_law)a)) > 5);
        for (int b = 0; b < a; b++)
            assert_string_not_equal(law_name((bmf_law)a), law_name((bmf_law)b));
    }
    assert_string_equal(law_name(BMF_LAW_MAP_PROMOTION), "map promotion");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_vanish),
        cmocka_unit_test(maps_of_identity_vanish),
        cmocka_unit_test(components_are_picked),
        cmocka_unit_test(maps_fuse),
        cmocka_unit_test(splits_that_are_gathered_vanish),
        cmocka_unit_test(maps_are_promoted),
        cmocka_unit_test(reductions_are_promoted),
        cmocka_unit_test(reductions_take_in_maps),
        cmocka_unit_test(scans_take_in_maps),
        cmocka_unit_test(filters_take_in_maps),
        cmocka_unit_test(lengths_of_filters_count),
        cmocka_unit_test(sources_fuse),
        cmocka_unit_test(zips_of_maps_become_one_map),
        cmocka_unit_test(reductions_of_one_list_are_joined),
        cmocka_unit_test(scalar_expressions_become_kernels),
        cmocka_unit_test(all_laws_work_together),
        cmocka_unit_test(no_law_no_change),
        cmocka_unit_test(applications_are_reported),
        cmocka_unit_test(shared_parts_are_rewritten_once),
        cmocka_unit_test(laws_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
