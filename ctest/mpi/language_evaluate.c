/* The evaluator, operation by operation: programs as texts and what they must print, worked out by hand from the
 * meaning of the operations, with the laws of the rewriter and without. Then what has too many elements for that:
 * reductions and scans with an operator that shows its own association, against the definition of the fixed tree;
 * operations on 10^5 lists against arithmetic; failures and the places they name. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/program.h"

static bmf_context *ctx;

/* ---- running texts ---- */

/* Runs a program; returns its status, and on rank 0 what it prints, which the caller frees. */
static int run(const char *source, unsigned laws, char **printed)
{
    bmf_program program;
    bmf_value result;
    bmf_column column;
    size_t size;
    *printed = NULL;
    int status = program_load(ctx, &(bmf_program_options){.path = "t.bmf", .text = source}, &program);
    if (status == BMF_OK) {
        program_rewrite(&program, &(bmf_rewriting){.laws = laws});
        status = bmf_set_processors(ctx, processors_needed(program.checked));
    }
    if (status == BMF_OK)
        status = program_run(ctx, &program, &result);
    if (status == BMF_OK)
        status = program_gather(ctx, &result, &column);
    if (status == BMF_OK && bmf_is_root(ctx)) {
        FILE *to = open_memstream(printed, &size);
        data_print(&column, 0, to);
        fclose(to);
    }
    if (status == BMF_OK)
        column_free(&column);
    program_free(&program);
    return status;
}

typedef struct example {
    const char *source, *value;
} example;

static void check_examples(const example *examples, int count)
{
    for (int k = 0; k < count; k++)
        for (int rewritten = 0; rewritten < 2; rewritten++) {
            char *printed;
            int status = run(examples[k].source, rewritten ? ~0U : 0U, &printed);
            CHECK(status == BMF_OK, "%s: %s", examples[k].source, bmf_error_text(ctx));
            if (status == BMF_OK && bmf_is_root(ctx))
                CHECK(strcmp(printed, examples[k].value) == 0, "%s (laws %d) gives %s, not %s", examples[k].source,
                      rewritten, printed, examples[k].value);
            free(printed);
        }
}

#define CHECK_EXAMPLES(examples) check_examples(examples, (int)(sizeof(examples) / sizeof *(examples)))

/* ---- by hand ---- */

static void test_structure(void)
{
    static const example examples[] = {
        {"B_Id [1, 2]", "[1, 2]"},
        {"B_Con (B_Int 7) [1, 2]", "7"},
        {"B_Alltup [B_Id, B_Op (B_Length), B_Con (B_True)] [1, 2]", "{[1, 2], 2, true}"},
        {"B_Allvec [B_Addr (B_Num 2) (B_Num 2), B_Con (B_Real 1.5), B_Addr (B_Num 1) (B_Num 2)] {1, 2}",
         "[2.0, 1.5, 1.0]"},
        {"B_Map (B_Allvec [B_Id, B_Con (B_Int 0), B_Op (B_Uminus)]) [1, 2, 3]", "[[1, 0, -1], [2, 0, -2], [3, 0, -3]]"},
        {"B_Map (B_Allvec [B_Id, B_Allvec [B_Op (B_Length)]]) [[5, 6], [], [7]]",
         "[[[5, 6], [2]], [[], [0]], [[7], [1]]]"},
        {"B_Map (B_Allvec []) [1, 2]", "[[], []]"},
        {"B_Map (B_Addr (B_Num 2) (B_Num 2)) [{1, [2]}, {3, []}]", "[[2], []]"},
        {"B_Map (B_Map (B_Op (B_Abs) . B_Op (B_Uminus))) [[1, -2], [], [3]]", "[[1, 2], [], [3]]"},
        {"B_Map (B_Map (B_Map (B_Op (B_Neg)))) [[[1], []], [], [[2, 3]]]", "[[[-1], []], [], [[-2, -3]]]"},
        {"B_Map (B_Con (B_Int 3) . B_Op (B_Length)) [[1], []]", "[3, 3]"},
        {"B_Map (B_Op (B_Plus)) []", "[]"},
        {"B_Alltup [B_Map (B_Op (B_Length)), B_Op (B_Length)] [[], []]", "{[0, 0], 2}"},
    };
    CHECK_EXAMPLES(examples);
}

static void test_lists(void)
{
    static const example examples[] = {
        {"B_Op (B_Length) [4, 5, 6]", "3"},
        {"B_Map (B_Op (B_Length)) [[4, 5], [], [6]]", "[2, 0, 1]"},
        {"B_Op (B_Index) {[4, 5, 6], 2}", "6"},
        {"B_Op (B_Index) {[[4], [5, 6]], 1}", "[5, 6]"},
        {"B_Map (B_Op (B_Index)) [{[4, 5], 1}, {[6], 0}]", "[5, 6]"},
        {"B_Map (B_Op (B_Index)) [{[[1], [2, 3]], 1}, {[[]], 0}]", "[[2, 3], []]"},
        {"B_Op (B_Iota) 4", "[0, 1, 2, 3]"},
        {"B_Op (B_Iota) 0", "[]"},
        {"B_Map (B_Op (B_Iota)) [2, 0, 3]", "[[0, 1], [], [0, 1, 2]]"},
        {"B_Op (B_Distl) {1, [2, 3]}", "[{1, 2}, {1, 3}]"},
        {"B_Op (B_Distl) {[1], [2, 3]}", "[{[1], 2}, {[1], 3}]"},
        {"B_Op (B_Distl) {1, []}", "[]"},
        {"B_Map (B_Op (B_Distl)) [{1, [2, 3]}, {4, []}, {5, [6]}]", "[[{1, 2}, {1, 3}], [], [{5, 6}]]"},
        {"B_Map (B_Op (B_Distl)) [{[1, 2], [[3]]}, {[], [[4], []]}]", "[[{[1, 2], [3]}], [{[], [4]}, {[], []}]]"},
        {"B_Map (B_Op (B_Distl) . B_Alltup [B_Con (B_Int 9), B_Id]) [[1], [2, 3]]", "[[{9, 1}], [{9, 2}, {9, 3}]]"},
        {"B_Op (B_Project) {[10, 20, 30], [2, 0, 2]}", "[30, 10, 30]"},
        {"B_Op (B_Project) {[[1, 2], []], [1, 0, 0]}", "[[], [1, 2], [1, 2]]"},
        {"B_Op (B_Project) {[10], []}", "[]"},
        {"B_Map (B_Op (B_Project)) [{[1, 2], [1]}, {[3], []}, {[4, 5, 6], [2, 2, 0]}]", "[[2], [], [6, 6, 4]]"},
        {"B_Op (B_Conc) {[1, 2], [3]}", "[1, 2, 3]"},
        {"B_Op (B_Sort) [3, -1, 2, -1]", "[-1, -1, 2, 3]"},
        {"B_Map (B_Op (B_Argsort)) [[0.5, nan, -0.0], [], [0.0]]", "[[2, 0, 1], [], [0]]"},
        {"P_Sort . P_Split (B_Num 2) [true, false, true]", "[[false, true], [true]]"},
        {"B_Op (B_Transpose) [[1, 2, 3], [4, 5, 6]]", "[[1, 4], [2, 5], [3, 6]]"},
        {"B_Op (B_Transpose) [[{1, true}, {2, false}], [{3, false}, {4, true}]]",
         "[[{1, true}, {3, false}], [{2, false}, {4, true}]]"},
        {"B_Op (B_Transpose) [[[1], []], [[2, 3], [4]]]", "[[[1], [2, 3]], [[], [4]]]"},
        {"B_Alltup [B_Op (B_Transpose), B_Op (B_Transpose) . B_Op (B_Transpose)] [[], [], []]", "{[], []}"},
        {"B_Op (B_Slice) {[5, 6, 7], 1, 3}", "[6, 7]"},
        {"B_Op (B_Slice) {[], 0, 0}", "[]"},
        {"B_Map (B_Op (B_Slice)) [{[1, 2, 3], 0, 2}, {[4], 1, 1}, {[], 0, 0}, {[5, 6], 0, 2}]",
         "[[1, 2], [], [], [5, 6]]"},
        {"B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Op (B_Slice)) [{[1, 2, 3], 1, 3}, {[4], 1, 1}]",
         "[5, 0]"},
        {"B_Map (B_Op (B_Transpose) . B_Map (B_Op (B_Slice) . B_Alltup [B_Id, B_Con (B_Int 1), B_Con (B_Int 3)]))"
         " [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9, 10]]]",
         "[[[2, 5], [3, 6]], [[8], [9]]]"},
        {"P_Map (B_Op (B_Slice) . B_Alltup [B_Id, B_Con (B_Int 1), B_Op (B_Length)]) . P_Split (B_Num 2) [[1], [2], "
         "[3]]",
         "[[[2]], []]"},
        {"B_Op (B_Transpose) []", "[]"},
        {"B_Map (B_Op (B_Transpose)) [[[1, 2]], [], [[3], [4]], [[]]]", "[[[1], [2]], [], [[3, 4]], []]"},
        {"B_Op (B_Matmul) {[[1, 2], [3, 4]], [[1.5, 0], [0.5, 2]]}", "[[2.5, 4.0], [6.5, 8.0]]"},
        {"B_Op (B_Matmul) {[[1, 2, 3]], [[4], [5], [6]]}", "[[32]]"},
        {"B_Op (B_Matmul) {[[-0.0]], [[0.0]]}", "[[0.0]]"},
        {"B_Op (B_Matmul) {[[], []], []}", "[[], []]"},
        {"B_Op (B_Matmul) {[[1], [2]], [[]]}", "[[], []]"},
        {"B_Op (B_Matmul) {[], [[1, 2]]}", "[]"},
        {"B_Map (B_Op (B_Matmul)) [{[[1]], [[2, 3]]}, {[], []}, {[[1, 1], [0, 2]], [[5], [6]]}]",
         "[[[2, 3]], [], [[11], [12]]]"},
        {"B_Map (B_Op (B_Matmul)) . B_Op (B_Distl) {[[1, 1]], [[[2], [3]], [[4, 0], [5, 1]]]}", "[[[5]], [[9, 1]]]"},
        {"P_Map (B_Op (B_Matmul) . B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]) . P_Distl . "
         "B_Alltup [B_Addr (B_Num 2) (B_Num 2), P_Split (B_Num 2) . B_Addr (B_Num 1) (B_Num 2)] "
         "{[[1, 0], [0, 1], [2, 2]], [[1, 2], [3, 4]]}",
         "[[[1, 2], [3, 4]], [[8, 12]]]"},
        {"B_Op (B_Unique) [0.0, nan, 1.5, -0.0, nan]", "[-0.0, 1.5, nan]"},
        {"B_Map (B_Op (B_Unique)) [[2, 1, 2], [], [7, 7]]", "[[1, 2], [], [7]]"},
        {"B_Map (B_Shift (B_Num 2) (B_Op (B_Neg))) [[1, 2, 3], [], [4], [5, 6]]", "[[-1, -2, 1], [], [-4], [-5, -6]]"},
        {"B_Map (B_Shift (B_Num -1)) [[1, 2, 3], [], [4]]", "[[2, 3, 1], [], [4]]"},
        {"B_Shift (B_Num 1) (B_Id) [[1], [2, 3], []]", "[[1], [1], [2, 3]]"},
        {"B_Shift (B_Num 1) []", "[]"},
        {"B_Shift (B_Num 5) [1, 2, 3]", "[2, 3, 1]"},
        {"P_Shift (B_Num 1) (B_Allvec [B_Op (B_Length)]) . P_Split (B_Num 3) [1, 2, 3, 4]", "[[2], [1, 2], [3]]"},
        {"P_Shift (B_Num -4) . P_Split (B_Num 3) [1, 2, 3, 4]", "[[3], [4], [1, 2]]"},
        {"P_Map (P_Shift (B_Num 1) (B_Con (B_Int 9)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . "
         "P_Split (B_Num 2)) . P_Split (B_Num 2) (B_Num 1) [1, 2, 3, 4]",
         "[[9, 1], [9, 3]]"},
        {"B_Map (B_Stencil (B_Num 1) (B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 3), B_Addr (B_Num 3) "
         "(B_Num 3)]) (B_Con (B_Int 10))) [[1, 2, 4], [], [5]]",
         "[[12, 5, 12], [], [20]]"},
        {"P_Stencil (B_Num 2) (B_Id) (B_Con (B_Int 0)) . P_Split (B_Num 3) [1, 2]",
         "[[{0, 0, 1, 2, 0}], [{0, 1, 2, 0, 0}], []]"},
        {"P_Stencil (B_Num 1) (B_Id) . P_Split (B_Num 2) [[1], [2, 3]]",
         "[[{[2, 3], [1], [2, 3]}], [{[1], [2, 3], [1]}]]"},
        /* of planes: by native code and by lists, empty parts, no rows, empty rows */
        {"P_Stencil (B_Num 1) (B_Num 1) (B_Addr (B_Num 1) (B_Num 3) . B_Addr (B_Num 3) (B_Num 3)) (B_Con (B_Int 0)) . "
         "P_Split (B_Num 3) [[1, 2], [3, 4]]",
         "[[[0, 3]], [[0, 0]], []]"},
        {"B_Map (B_Stencil (B_Num 2) (B_Num 1) (B_Allvec [B_Addr (B_Num 3) (B_Num 3) . B_Addr (B_Num 1) (B_Num 5)])) "
         "[[[1, 2], [3, 4], [5, 6]], [], [[]], [[7]]]",
         "[[[[4], [3]], [[6], [5]], [[2], [1]]], [], [[]], [[[7]]]]"},
        /* of the blocks of a grid: corners, empty blocks, blocks of which others become narrower, {x, blocks} */
        {"P_Stencil (B_Num 1) (B_Num 1) (B_Addr (B_Num 1) (B_Num 3) . B_Addr (B_Num 1) (B_Num 3)) (B_Con (B_Int 0)) . "
         "P_Blocks (B_Num 2) (B_Num 2) [[1, 2], [3, 4]]",
         "[[[0]], [[0]], [[0]], [[1]]]"},
        {"P_Join . P_Stencil (B_Num 2) (B_Num 2) (B_Addr (B_Num 5) (B_Num 5) . B_Addr (B_Num 5) (B_Num 5)) . "
         "P_Blocks (B_Num 3) (B_Num 4) [[1, 2, 3], [4, 5, 6]]",
         "[[3, 1, 2], [6, 4, 5]]"},
        {"P_Stencil (B_Num 1) (B_Num 1) (B_Addr (B_Num 2) (B_Num 3) . B_Addr (B_Num 1) (B_Num 3)) (B_Con (B_Int 9)) . "
         "P_Blocks (B_Num 2) (B_Num 2) [[], []]",
         "[[[]], [[]], [[]], [[]]]"},
        {"P_Stencil (B_Num 1) (B_Num 1) (B_Addr (B_Num 2) (B_Num 3) . B_Addr (B_Num 1) (B_Num 3)) (B_Con (B_Int 9)) . "
         "P_Blocks (B_Num 2) (B_Num 1) []",
         "[[], []]"},
        {"P_Stencil (B_Num 1) (B_Num 1) (B_Addr (B_Num 1) (B_Num 3) . B_Addr (B_Num 2) (B_Num 3)) (B_Con (B_Int 9)) . "
         "P_Map (B_Map (B_Filter (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 4)]))) . P_Blocks (B_Num 1) (B_Num 2) "
         "[[1, 5, 6, 7], [2, 8, 7, 6]]",
         "[[[9], [9]], [[5, 6], [8, 7]]]"},
        {"P_Stencil (B_Num 1) (B_Num 1) (B_Op (B_Times) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 3) "
         "(B_Num 3) . B_Addr (B_Num 2) (B_Num 3) . B_Addr (B_Num 2) (B_Num 2)]) (B_Addr (B_Num 1) (B_Num 2)) . "
         "B_Alltup [B_Op (B_Length), P_Blocks (B_Num 1) (B_Num 2)] [[1, 2, 3], [4, 5, 6]]",
         "[[[4, 6], [10, 12]], [[4], [4]]]"},
        {"P_Join . P_Stencil (B_Num 1) (B_Num 1) (B_Num 1) (B_Addr (B_Num 3) (B_Num 3) . B_Addr (B_Num 3) (B_Num 3) . "
         "B_Addr (B_Num 3) (B_Num 3)) (B_Con (B_Int 0)) . P_Blocks (B_Num 2) (B_Num 2) (B_Num 2) [[[1, 2, 3], [4, 5, "
         "6]], [[7, 8, 9], [10, 11, 12]]]",
         "[[[11, 12, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]]"},
        /* of {x, list}, x is handed on */
        {"P_Transpose . P_Split (B_Num 3) [[1, 2, 3, 4], [5, 6, 7, 8]]", "[[[1, 5], [2, 6]], [[3, 7]], [[4, 8]]]"},
        {"P_Transpose . P_Map (B_Filter (B_Op (B_Gt) . B_Alltup [B_Op (B_Index) . B_Alltup [B_Id, B_Con (B_Int 0)], "
         "B_Con (B_Int 1)])) . P_Split (B_Num 2) [[1, 2], [3, 4], [5, 6], [7, 8]]",
         "[[[3, 5, 7]], [[4, 6, 8]]]"},
        {"P_Transpose . P_Split (B_Num 2) (B_Num 1) [[[1], [], [2, 3]]]", "[[[[1]], [[]]], [[[2, 3]]]]"},
        {"P_Transpose . P_Split (B_Num 2) [[], []]", "[[], []]"},
        {"P_Transpose . P_Blocks (B_Num 2) (B_Num 3) [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]",
         "[[[1, 5], [2, 6]], [[9], [10]], [[3, 7]], [[11]], [[4, 8]], [[12]]]"},
        {"P_Join . P_Transpose . P_Blocks (B_Num 4) (B_Num 3) [[1, 2], [3, 4]]", "[[1, 3], [2, 4]]"},
        {"P_Blocks (B_Num 1) (B_Num 3) . P_Split (B_Num 2) [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]",
         "[[[1, 2], [5, 6], [9, 10]], [[3], [7], [11]], [[4], [8], [12]]]"},
        {"P_Blocks (B_Num 3) (B_Num 1) . P_Blocks (B_Num 2) (B_Num 2) [[1, 2, 3], [4, 5, 6], [7, 8, 9]]",
         "[[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]]"},
        {"P_Blocks (B_Num 2) (B_Num 3) [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]",
         "[[[1, 2], [5, 6]], [[3], [7]], [[4], [8]], [[9, 10]], [[11]], [[12]]]"},
        {"B_Map (B_Blocks (B_Num 1) (B_Num 2)) [[[1, 2], [3, 4]], [], [[5]]]",
         "[[[[1], [3]], [[2], [4]]], [[], []], [[[5]], [[]]]]"},
        {"P_Blocks (B_Num 2) (B_Num 1) (B_Num 2) [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]",
         "[[[[1, 2], [4, 5]]], [[[3], [6]]], [[[7, 8], [10, 11]]], [[[9], [12]]]]"},
        {"P_Join . P_Map (B_Map (B_Map (B_Op (B_Neg)))) . P_Blocks (B_Num 3) (B_Num 2) [[1, 2, 3], [4, 5, 6]]",
         "[[-1, -2, -3], [-4, -5, -6]]"},
        {"P_Join . P_Blocks (B_Num 2) (B_Num 2) [[[1], []], [[2, 3], [4]]]", "[[[1], []], [[2, 3], [4]]]"},
        {"P_Join . P_Blocks (B_Num 2) (B_Num 2) [[], [], []]", "[[], [], []]"},
        {"B_Join (B_Num 1) (B_Num 3) [[[1], [2]], [[], []], [[3, 4], [5, 6]]]", "[[1, 3, 4], [2, 5, 6]]"},
        {"P_Map (P_Join . P_Blocks (B_Num 1) (B_Num 2)) . P_Split (B_Num 2) (B_Num 1) [[1, 2], [3, 4], [5, 6]]",
         "[[[1, 2], [3, 4]], [[5, 6]]]"},
        {"B_Map (B_Stencil (B_Num 1) (B_Id) (B_Con (B_Int 0))) [{7, [1, 2]}, {8, []}, {9, [3]}]",
         "[[{7, {0, 1, 2}}, {7, {1, 2, 0}}], [], [{9, {0, 3, 0}}]]"},
        {"P_Stencil (B_Num 1) (B_Id) (B_Con (B_Int 0)) . B_Alltup [B_Allvec [B_Op (B_Length)], P_Split (B_Num 3)] [1, "
         "2]",
         "[[{[2], {0, 1, 2}}], [{[2], {1, 2, 0}}], []]"},
        {"B_Sort_by (B_Op (B_Times)) {-1, [1, 3, 2]}", "[3, 2, 1]"},
        {"B_Sort_by (B_Op (B_Times)) . B_Alltup [B_Con (B_Int -1), P_Split (B_Num 2)] [1, 3, 2]", "[[3, 2], [1]]"},
        {"B_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Int 0)) {0, []}", "[]"},
        {"B_If (B_Con (B_True)) (B_Op (B_Length)) (P_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . P_Map (B_Op "
         "(B_Length)) . "
         "P_Unique . P_Sort . P_Stencil (B_Num 1) (B_Addr (B_Num 1) (B_Num 3)) . P_Shift (B_Num 1) . P_Sort_by (B_Id) "
         ". P_Split "
         "(B_Num 2)) [1, 2]",
         "2"},
        {"B_If (B_Con (B_True)) (B_Id) (P_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Alltup [B_Con (B_Int 2), "
         "P_Map (B_Map (B_Alltup [B_Id, B_Id])) . P_Split (B_Num 2)]) [1, 2]",
         "[1, 2]"},
        {"P_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Int 7)) . B_Alltup [B_Con (B_Int 2), P_Project . B_Alltup [P_Map "
         "(B_Map "
         "(B_Alltup [B_Id, B_Id])) . P_Split (B_Num 2), B_Allvec []]] [1, 1]",
         "[7, 7]"},
        {"B_Map (B_Reduce_by_key (B_Op (B_Max)) (B_Op (B_Neg))) [{2, [{1, 5}, {1, 7}]}, {1, []}, {2, [{0, 1}]}]",
         "[[-2, 7], [-1], [1, -2]]"},
        {"P_Reduce_by_key (B_Alltup [B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2) . B_Addr (B_Num 1) (B_Num "
         "2), "
         "B_Addr (B_Num 1) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2)], B_Op (B_Min) . B_Alltup [B_Addr (B_Num 2) (B_Num "
         "2) . "
         "B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2)]]) (B_Alltup [B_Con "
         "(B_Int 0), B_Con (B_Real inf)]) . B_Alltup [B_Con (B_Int 2), P_Split (B_Num 3)] [{1, {2, 0.5}}, {1, {3, "
         "0.25}}]",
         "[{0, inf}, {5, 0.25}]"},
        {"B_Map (B_Group (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 2)])) [[3, 1, 2, 5], [], [1]]",
         "[[{false, [1, 2]}, {true, [3, 5]}], [], [{false, [1]}]]"},
        {"P_Unique . P_Split (B_Num 3) [0.0, nan, 1.5, -0.0, nan]", "[[-0.0], [1.5], [nan]]"},
        {"P_Unique . P_Split (B_Num 3) [true, true, true, true]", "[[true], [], []]"},
        {"P_Unique . P_Split (B_Num 2) []", "[[], []]"},
        {"P_Group (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 2)]) . P_Split (B_Num 3) [3, 1, 2, 5]",
         "[[{false, [1, 2]}], [{true, [3, 5]}], []]"},
        {"P_Group (B_Op (B_Length)) . P_Split (B_Num 2) [[1, 2], [], [3], [4, 5], [6]]",
         "[[{0, [[]]}, {1, [[3], [6]]}], [{2, [[1, 2], [4, 5]]}]]"},
        {"P_Group (B_Id) . P_Split (B_Num 2) [0.0, nan, -0.0, nan, 1.0]",
         "[[{-0.0, [-0.0, 0.0]}, {1.0, [1.0]}], [{nan, [nan, nan]}]]"},
        {"P_Group (B_Id) . P_Split (B_Num 2) []", "[[], []]"},
        {"P_Sort_by (B_Op (B_Length)) . P_Split (B_Num 2) [[1, 2], [], [3], [4, 5], [6]]",
         "[[[], [3], [6]], [[1, 2], [4, 5]]]"},
        {"B_Op (B_Conc) {[], [3]}", "[3]"},
        {"B_Op (B_Conc) {[1], [2.5]}", "[1.0, 2.5]"},
        {"B_Map (B_Op (B_Conc)) [{[1], [2, 3]}, {[], []}, {[4, 5], []}, {[], [6]}]", "[[1, 2, 3], [], [4, 5], [6]]"},
        {"B_Map (B_Op (B_Conc)) [{[[1], []], [[2, 3]]}, {[], [[4]]}]", "[[[1], [], [2, 3]], [[4]]]"},
        {"B_Split (B_Num 3) [1, 2, 3, 4, 5, 6, 7]", "[[1, 2, 3], [4, 5], [6, 7]]"},
        {"B_Split (B_Num 3) [1]", "[[1], [], []]"},
        {"B_Map (B_Split (B_Num 2)) [[1, 2, 3], [], [4]]", "[[[1, 2], [3]], [[], []], [[4], []]]"},
        {"B_Map (B_Map (B_Op (B_Length)) . B_Split (B_Num 2)) [[1, 2, 3], [4, 5]]", "[[2, 1], [1, 1]]"},
    };
    CHECK_EXAMPLES(examples);
}

static void test_pairs_and_choices(void)
{
    static const example examples[] = {
        {"B_Zip {[1, 2], [[3], []]}", "[{1, [3]}, {2, []}]"},
        {"B_Zip (B_Op (B_Plus)) {[1, 2], [3, 4]}", "[4, 6]"},
        {"B_Map (B_Zip (B_Op (B_Conc))) [{[[1], [2]], [[], [3]]}, {[], []}]", "[[[1], [2, 3]], []]"},
        {"B_Zip (B_Op (B_Times)) . B_Alltup [B_Id, B_Id] [1, 2, 3]", "[1, 4, 9]"},
        {"B_Zip . B_Alltup [B_Op (B_Conc), B_Op (B_Conc)] {[1], [2]}", "[{1, 1}, {2, 2}]"},
        {"B_Filter (B_Op (B_Gt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 1)]) [[1], [2, 3], [], [4, 5, 6]]",
         "[[2, 3], [4, 5, 6]]"},
        {"B_Map (B_Filter (B_Op (B_Eq) . B_Alltup [B_Op (B_Length), B_Con (B_Int 0)])) [[[1], []], [], [[], []], "
         "[[2]]]",
         "[[[]], [], [[], []], []]"},
        {"B_Filter (B_Con (B_False)) [[1], [2]]", "[]"},
        {"B_Filter (B_Con (B_True)) [[1], [2]]", "[[1], [2]]"},
        {"B_If (B_Op (B_Gt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 1)]) (B_Op (B_Length)) (B_Con (B_Int -1)) [1, 2]",
         "2"},
        {"B_Map (B_If (B_Op (B_Gt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 1)]) (B_Id) (B_Con (B_Int 9) . B_Id)) []",
         "[]"},
        {"B_Map (B_If (B_Op (B_Gt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 1)]) (B_Map (B_Op (B_Neg))) (B_Allvec "
         "[])) "
         "[[1, 2], [3], [], [4, 5, 6]]",
         "[[-1, -2], [], [], [-4, -5, -6]]"},
        {"B_Map (B_If (B_Op (B_Gt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 0)]) (B_Op (B_Index) . B_Alltup [B_Id, "
         "B_Con (B_Int 0)]) (B_Con (B_Real 0.5))) [[1, 2], [], [3]]",
         "[1.0, 0.5, 3.0]"},
        {"B_While (B_Op (B_Lt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 5)]) (B_Op (B_Conc) . B_Alltup [B_Id, B_Id]) "
         "[1]",
         "[1, 1, 1, 1, 1, 1, 1, 1]"},
        {"B_Map (B_While (B_Op (B_Lt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 3)]) (B_Op (B_Conc) . B_Alltup [B_Id, "
         "B_Allvec [B_Op (B_Length)]])) [[], [7, 8, 9, 10], [5], [6, 6]]",
         "[[0, 1, 2], [7, 8, 9, 10], [5, 1, 2], [6, 6, 2]]"},
    };
    CHECK_EXAMPLES(examples);
}

static void test_folds(void)
{
    static const example examples[] = {
        {"B_Reduce (B_Op (B_Plus)) [1, 2, 3, 4, 5]", "15"},
        {"B_Reduce (B_Op (B_Minus)) [1, 2, 3, 4, 5, 6, 7]", "-6"}, /* (((1-2)-(3-4)) - (5-6)) - 7 */
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 100)) [1, 2]", "103"},
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 100)) []", "100"},
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0.5)) [1, 2]", "3.5"},
        {"B_Map (B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0))) [[1, 5, 2], [], [-3], [4, 3]]", "[5, 0, 0, 4]"},
        {"B_Reduce (B_Op (B_Conc)) [[1, 2], [], [3]]", "[1, 2, 3]"},
        {"B_Reduce (B_Op (B_Conc)) (B_Allvec []) []", "[]"},
        {"B_Reduce (B_Op (B_Conc)) (B_Allvec [B_Op (B_Length)]) [[1, 2], [], [3]]", "[3, 1, 2, 3]"},
        {"B_Map (B_Reduce (B_Op (B_Conc)) (B_Allvec [])) [[[1], [2, 3]], [], [[], []], [[4]]]",
         "[[1, 2, 3], [], [], [4]]"},
        {"B_Map (B_Reduce (B_Op (B_Conc)) (B_Allvec [B_Op (B_Length)])) [[[1], [2, 3]], [], [[]]]",
         "[[2, 1, 2, 3], [0], [1]]"},
        {"B_Scan (B_Op (B_Plus)) [1, 2, 3, 4]", "[1, 3, 6, 10]"},
        {"B_Scan (B_Op (B_Plus)) (B_Con (B_Int 10)) [1, 2]", "[11, 13]"},
        {"B_Scan (B_Op (B_Plus)) []", "[]"},
        {"B_Map (B_Scan (B_Op (B_Times))) [[1, 2, 3], [], [4, 5]]", "[[1, 2, 6], [], [4, 20]]"},
        {"B_Scan (B_Op (B_Conc)) [[1], [], [2, 3]]", "[[1], [1], [1, 2, 3]]"},
        {"B_Map (B_Scan (B_Op (B_Conc)) (B_Allvec [B_Op (B_Length)])) [[[1], [2]], [], [[3]]]",
         "[[[2, 1], [2, 1, 2]], [], [[1, 3]]]"},
        {"B_Reduce (B_Zip (B_Op (B_Plus))) [[1, 2], [10, 20], [100, 200]]", "[111, 222]"},
        {"B_Map (B_Scan (B_Zip (B_Op (B_Max)))) [[[1, 5], [2, 4], [0, 9]], [], [[7]]]",
         "[[[1, 5], [2, 5], [2, 9]], [], [[7]]]"},
        {"B_Map (B_Reduce (B_If (B_Op (B_Lt) . B_Alltup [B_Op (B_Length) . B_Addr (B_Num 1) (B_Num 2), B_Op (B_Length) "
         ". "
         "B_Addr (B_Num 2) (B_Num 2)]) (B_Addr (B_Num 2) (B_Num 2)) (B_Addr (B_Num 1) (B_Num 2)))) "
         "[[[1], [2, 3], [4, 5]], [[6]], [[], [7, 8, 9], [1, 2], [3], [4, 4, 4, 4]]]",
         "[[2, 3], [6], [4, 4, 4, 4]]"},
    };
    CHECK_EXAMPLES(examples);
}

/* Splits, so that the same operations run on several ranks. */
static void test_distributed(void)
{
    static const example examples[] = {
        {"P_Reduce (B_Op (B_Conc)) . P_Map (B_Scan (B_Op (B_Plus))) . P_Split (B_Num 4) [1, 2, 3, 4, 5, 6, 7, 8, 9]",
         "[1, 3, 6, 4, 9, 6, 13, 8, 17]"},
        {"P_Map (B_Reduce (B_Zip (B_Op (B_Plus)))) . P_Split (B_Num 3) [[1, 2], [3, 4], [5, 6], [7, 8]]",
         "[[4, 6], [5, 6], [7, 8]]"},
        {"P_Map (B_If (B_Op (B_Gt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 1)]) (B_Op (B_Length)) (B_Con (B_Int 0))) "
         ". "
         "P_Split (B_Num 3) [1, 2, 3, 4]",
         "[2, 0, 0]"},
        {"P_Map (B_Map (B_While (B_Op (B_Lt) . B_Alltup [B_Id, B_Con (B_Int 20)]) (B_Op (B_Times) . B_Alltup [B_Id, "
         "B_Id]))) . "
         "P_Split (B_Num 3) [2, 3, 4, 5, 30]",
         "[[256, 81], [256, 25], [30]]"},
        {"P_Map (P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Num 2)) . "
         "P_Split "
         "(B_Num 2) (B_Num 1) [1, 2, 3, 4, 5]",
         "[6, 9]"},
        /* branches that communicate, taken on some processors only */
        {"P_Map (B_If (B_Op (B_Gt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 1)]) (P_Reduce (B_Op (B_Plus)) . P_Map "
         "(B_Reduce "
         "(B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Num 2)) (B_Con (B_Int -1))) . P_Split (B_Num 3) (B_Num 1) "
         "[1, 2, 3, 4]",
         "[3, -1, -1]"},
        /* a loop whose body communicates, a different number of rounds on each processor */
        {"P_Map (B_While (B_Op (B_Lt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 4)]) (P_Reduce (B_Op (B_Conc)) . P_Map "
         "(B_Op "
         "(B_Conc) . B_Alltup [B_Id, B_Id]) . P_Split (B_Num 2))) . P_Split (B_Num 3) (B_Num 1) [1, 2, 3, 4]",
         "[[1, 1, 2, 2], [3, 3, 3, 3], [4, 4, 4, 4]]"},
        /* choices about distributed lists */
        {"P_Reduce (B_Op (B_Conc)) . B_If (B_Op (B_Gt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 2)]) (P_Map (B_Map "
         "(B_Op "
         "(B_Neg)))) (B_Id) . P_Split (B_Num 3) [1, 2, 3, 4]",
         "[-1, -2, -3, -4]"},
        {"P_Reduce (B_Op (B_Conc)) . B_Addr (B_Num 2) (B_Num 2) . B_While (B_Op (B_Lt) . B_Alltup [B_Addr (B_Num 1) "
         "(B_Num 2), "
         "B_Con (B_Int 3)]) (B_Alltup [B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 1)], P_Map "
         "(B_Map "
         "(B_Op (B_Plus) . B_Alltup [B_Id, B_Id])) . B_Addr (B_Num 2) (B_Num 2)]) . B_Alltup [B_Con (B_Int 0), P_Split "
         "(B_Num "
         "2)] [1, 2, 3]",
         "[8, 16, 24]"},
    };
    CHECK_EXAMPLES(examples);
}

/* ---- associations ---- */

/* f {a, b} = a / 2 + b is neither associative nor commutative: its result tells the tree. */
static double halve(double a, double b)
{
    return a / 2 + b;
}

static double node(const double *x, int64_t begin, int64_t count)
{
    return count == 1 ? x[begin] : halve(node(x, begin, count / 2), node(x, begin + count / 2, count / 2));
}

/* The nodes of count's binary digits from the largest, combined from the left. */
static double fold(const double *x, int64_t count)
{
    double total = 0;
    int64_t done = 0;
    for (int64_t size = INT64_C(1) << 40; size > 0; size /= 2)
        if (count & size) {
            double next = node(x, done, size);
            total = done > 0 ? halve(total, next) : next;
            done += size;
        }
    return total;
}

/* {x, [x]}: a pair with a list, so that no kernel takes it over; the operator acts on both alike. */
static const char operator_text[] =
    "$a = B_Addr (B_Num 1) (B_Num 2) $b = B_Addr (B_Num 2) (B_Num 2) "
    "$halve = B_Op (B_Plus) . B_Alltup [B_Op (B_Divide) . B_Alltup [$a, B_Con (B_Int 2)], $b] "
    "$both = B_Alltup [$halve . B_Alltup [$a . $a, $a . $b], B_Zip ($halve) . B_Alltup [$b . $a, $b . $b]] "
    "$paired = B_Map (B_Alltup [B_Id, B_Allvec [B_Id]]) "
    "$flat = B_Alltup [$a, B_Op (B_Index) . B_Alltup [$b, B_Con (B_Int 0)]] ";

static char *write_lists(const double *x, const int64_t *length, int64_t lists)
{
    char *bytes = NULL;
    size_t size;
    FILE *to = open_memstream(&bytes, &size);
    fputs("[", to);
    for (int64_t i = 0, j = 0; i < lists; i++) {
        fputs(i > 0 ? ", [" : "[", to);
        for (int64_t k = 0; k < length[i]; k++, j++)
            fprintf(to, "%s%.17g", k > 0 ? ", " : "", x[j]);
        fputs("]", to);
    }
    fputs("]", to);
    fclose(to);
    return bytes;
}

/* Reads the next real of a printed value, skipping brackets and commas. */
static double next_real(const char **at)
{
    char *end;
    *at += strspn(*at, "[]{}, ");
    double value = strtod(*at, &end);
    *at = end;
    return value;
}

static void check_folds(const char *printed, const double *x, const int64_t *length, int64_t lists, bool scan)
{
    const char *at = printed;
    for (int64_t i = 0, j = 0; i < lists; j += length[i++])
        for (int64_t k = scan ? 1 : length[i]; k <= length[i]; k++) {
            double expected = fold(x + j, k), first = next_real(&at), second = next_real(&at);
            CHECK(first == expected && second == expected, "%s of %" PRId64 " elements: %a and %a, not %a",
                  scan ? "scan" : "reduce", k, first, second, expected);
        }
}

static void test_association(void)
{
    uint64_t seed = 17;
    int64_t length[40], elements = 0;
    for (int i = 0; i < 40; i++) {
        length[i] = i < 20 ? i + 1 : 1 + test_below(&seed, i == 30 ? 1000 : 50);
        elements += length[i];
    }
    double *x = allocate(elements * (int64_t)sizeof *x);
    for (int64_t j = 0; j < elements; j++)
        x[j] = random_unit(&seed);
    char *data = write_lists(x, length, 40);
    for (int scan = 0; scan < 2; scan++) {
        char *source, *printed;
        size_t size;
        FILE *to = open_memstream(&source, &size);
        fprintf(to, "%s B_Map (%s . $paired) %s", operator_text,
                scan ? "B_Map ($flat) . B_Scan ($both)" : "$flat . B_Reduce ($both)", data);
        fclose(to);
        int status = run(source, 0U, &printed);
        CHECK(status == BMF_OK, "%s", bmf_error_text(ctx));
        if (status == BMF_OK && bmf_is_root(ctx))
            check_folds(printed, x, length, 40, scan);
        free(printed);
        free(source);
    }
    free(data);
    free(x);
}

/* ---- many lists ---- */

/* 10^5 instances: enough for several threads, and to notice anything that goes instance by instance. */
static void test_many(void)
{
    static const char *const sources[] = {
        /* sum over i of i mod 7 + the sum of 0 .. i mod 7 - 1, in several ways */
        "$n = B_Op (B_Mod) . B_Alltup [B_Id, B_Con (B_Int 7)] B_Reduce (B_Op (B_Plus)) . B_Map (B_Reduce (B_Op "
        "(B_Plus)) . "
        "B_Op (B_Conc) . B_Alltup [B_Op (B_Iota) . $n, B_Allvec [$n]]) . B_Op (B_Iota) 100000",
        "$n = B_Op (B_Mod) . B_Alltup [B_Id, B_Con (B_Int 7)] B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Index) . "
        "B_Alltup [B_Scan "
        "(B_Op (B_Plus)) . B_Op (B_Iota) . B_Op (B_Plus) . B_Alltup [$n, B_Con (B_Int 1)], $n]) . B_Op (B_Iota) 100000",
        "$n = B_Op (B_Mod) . B_Alltup [B_Id, B_Con (B_Int 7)] B_Reduce (B_Op (B_Plus)) . B_Reduce (B_Op (B_Conc)) . "
        "B_Map (B_Op "
        "(B_Project) . B_Alltup [B_Op (B_Iota) . B_Con (B_Int 7), B_Op (B_Iota) . B_Op (B_Plus) . B_Alltup [$n, B_Con "
        "(B_Int 1)]]) "
        ". B_Op (B_Iota) 100000",
        "$n = B_Op (B_Mod) . B_Alltup [B_Id, B_Con (B_Int 7)] B_Reduce (B_Op (B_Plus)) . B_Map (B_If (B_Op (B_Lt) . "
        "B_Alltup [B_Id, "
        "B_Con (B_Int 3)]) (B_Reduce (B_Op (B_Plus)) . B_Op (B_Iota) . B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int "
        "1)]) (B_Reduce "
        "(B_Op (B_Plus)) . B_Op (B_Conc) . B_Alltup [B_Op (B_Iota), B_Allvec [B_Id]]) . $n) . B_Op (B_Iota) 100000",
    };
    int64_t expected = 0;
    for (int64_t i = 0; i < 100000; i++)
        for (int64_t k = 0; k <= i % 7; k++)
            expected += k;
    for (int k = 0; k < (int)(sizeof sources / sizeof *sources); k++)
        for (int rewritten = 0; rewritten < 2; rewritten++) {
            char *printed;
            int status = run(sources[k], rewritten ? ~0U : 0U, &printed);
            CHECK(status == BMF_OK, "%s", bmf_error_text(ctx));
            if (status == BMF_OK && bmf_is_root(ctx))
                CHECK(strtoll(printed, NULL, 10) == expected, "%s gives %s, not %" PRId64, sources[k], printed,
                      expected);
            free(printed);
        }
}

/* ---- failures ---- */

typedef struct failing {
    const char *source;
    int status;
    const char *words[2];
} failing;

static void test_refusals(void)
{
    static const failing failures[] = {
        {"B_Op (B_Index) {[4, 5], 2}", BMF_ERROR_INDEX, {"index 2 is outside a list of 2 elements", "t.bmf:1:"}},
        {"B_Map (B_Op (B_Index)) [{[4, 5], 1}, {[6], -1}, {[], 3}]",
         BMF_ERROR_INDEX,
         {"index -1 is outside a list of 1 element ", "(element 1 of B_Map at 1:1)"}},
        {"B_Map (B_Map (B_Op (B_Index))) [[{[4, 5], 1}], [], [{[6], 0}, {[7], 1}]]",
         BMF_ERROR_INDEX,
         {"index 1 is outside", "(element 2 of B_Map at 1:1, there element 1 of B_Map at 1:8)"}},
        {"B_Map (B_Op (B_Project)) [{[4, 5], [1]}, {[6], [0, 0, 8]}]",
         BMF_ERROR_INDEX,
         {"B_Project: index 8", "(element 1 of B_Map"}},
        {"B_Map (B_Op (B_Iota)) [1, 2, -4]", BMF_ERROR_ARGUMENT, {"-4", "element 2"}},
        {"B_Zip {[1, 2], [3]}",
         BMF_ERROR_SHAPE,
         {"B_Zip needs lists of equal length, found 2 and 1 elements", "t.bmf:1:1"}},
        {"B_Map (B_Op (B_Slice)) [{[1, 2], 0, 2}, {[3, 4], 1, 4}]",
         BMF_ERROR_INDEX,
         {"B_Slice: 1 ..< 4 is outside a list of 2 elements", "(element 1 of B_Map at 1:1)"}},
        {"B_Op (B_Slice) {[1, 2], -1, 1}",
         BMF_ERROR_INDEX,
         {"B_Slice: -1 ..< 1 is outside a list of 2 elements", "t.bmf:1:7"}},
        {"B_Op (B_Slice) {[1, 2], 2, 1}", BMF_ERROR_INDEX, {"B_Slice: 2 ..< 1 ends before it begins", "t.bmf:1:7"}},
        {"B_Map (B_Op (B_Transpose)) [[[1], [2]], [[1, 2], [3, 4], [5]]]",
         BMF_ERROR_SHAPE,
         {"B_Transpose needs rows of equal length: row 2 has 1 element, row 0 has 2", "(element 1 of B_Map at 1:1)"}},
        {"B_Op (B_Matmul) {[[1, 2]], [[1], [2, 3]]}",
         BMF_ERROR_SHAPE,
         {"B_Matmul needs rows of equal length: row 1 of the second matrix has 2 elements, row 0 has 1", "t.bmf:1:7"}},
        {"B_Op (B_Matmul) {[[1, 2, 3]], [[1, 2], [3, 4]]}",
         BMF_ERROR_SHAPE,
         {"B_Matmul needs as many columns of the first matrix as rows of the second, found 1 x 3 and 2 x 2",
          "t.bmf:1:7"}},
        {"B_Op (B_Matmul) {[[4294967296, 1]], [[2147483647], [9223372036854775807]]}",
         BMF_ERROR_ARGUMENT,
         {"B_Matmul: an int becomes too large for 64 bits", "t.bmf:1:7"}},
        {"P_Map (B_Op (B_Transpose)) . P_Split (B_Num 3) [[1, 2], [3], [4], [5]]",
         BMF_ERROR_SHAPE,
         {"row 1 has 1 element, row 0 has 2", "(element 0 of P_Map at 1:1)"}},
        {"B_Map (B_Zip (B_Op (B_Conc))) [{[], []}, {[[1]], []}]",
         BMF_ERROR_SHAPE,
         {"found 1 and 0 elements", "element 1 of B_Map"}},
        {"B_Reduce (B_Zip (B_Op (B_Plus))) [[1], [2, 3]]",
         BMF_ERROR_SHAPE,
         {"found 1 and 2", "element 0 of B_Reduce at 1:1"}},
        {"P_Reduce (B_Alltup [B_Con (B_Int 1), B_Con (B_Real 2)]) . P_Map (B_Alltup [B_Con (B_Int 1), B_Id] . B_Reduce "
         "(B_Op (B_Plus)) . B_Allvec []) . P_Split (B_Num 4) [1, 2, 3, 4]",
         BMF_ERROR_SHAPE,
         {"B_Reduce without a default", "empty list"}},
        {"P_Reduce (B_Alltup [B_Op (B_Or) . B_Alltup [B_Addr (B_Num 1) (B_Num 2) . B_Addr (B_Num 1) (B_Num 2), B_Addr "
         "(B_Num 1) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2)], B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 2) (B_Num 2) . "
         "B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2)]]) . P_Map (B_Alltup "
         "[B_Con (B_True), B_Reduce (B_Op (B_Plus)) . B_Allvec []]) . P_Split (B_Num 6) [1, 2, 3, 4]",
         BMF_ERROR_SHAPE,
         {"B_Reduce without a default", "empty list"}},
        /* The rank that fails goes round the loop with the others, though what it failed to make has no type yet. */
        {"B_While (B_Op (B_Gt) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 0)]) (B_Alltup [B_Op (B_Minus) . "
         "B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 1)], P_Reduce (B_Op (B_Plus)) . P_Map (B_Con (B_Real 1)) "
         ". "
         "P_Split (B_Num 2) . B_Allvec [B_Addr (B_Num 2) (B_Num 2)]]) . B_Alltup [B_Con (B_Int 3), B_Reduce (B_Op "
         "(B_Times)) . B_Allvec []] 1",
         BMF_ERROR_SHAPE,
         {"B_Reduce without a default", "empty list"}},
        {"B_Map (B_Reduce (B_Op (B_Conc))) [[[1]], []]", BMF_ERROR_SHAPE, {"B_Reduce without a default", "element 1"}},
        {"B_Map (B_Reduce (B_Zip (B_Op (B_Plus)))) [[[1]], []]",
         BMF_ERROR_SHAPE,
         {"B_Reduce without a default", "element 1"}},
        /* a failure on one processor, and on all */
        {"P_Map (B_Op (B_Index) . B_Alltup [B_Id, B_Con (B_Int 1)]) . P_Split (B_Num 5) [1, 2, 3, 4, 5, 6, 7, 8, 9]",
         BMF_ERROR_INDEX,
         {"index 1 is outside a list of 1 element ", "(element 4 of P_Map at 1:1)"}},
        {"P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Index) . B_Alltup [B_Id, B_Con (B_Int 0)])) . P_Split "
         "(B_Num 3) [[1], [2], "
         "[3], [4], [], [6]]",
         BMF_ERROR_INDEX,
         {"index 0 is outside a list of 0 elements", "(element 2 of P_Map at 1:28, there element 0 of B_Map at 1:35)"}},
        {"P_Scan (B_Op (B_Plus)) . P_Map (B_Op (B_Index) . B_Alltup [B_Id, B_Con (B_Int 7)]) . P_Split (B_Num 3) [1, "
         "2, 3, 4]",
         BMF_ERROR_INDEX,
         {"index 7 is outside", "(element 0 of P_Map"}},
    };
    for (int k = 0; k < (int)(sizeof failures / sizeof *failures); k++)
        for (int rewritten = 0; rewritten < 2; rewritten++) {
            char *printed;
            int status = run(failures[k].source, rewritten ? ~0U : 0U, &printed);
            CHECK(status == failures[k].status, "%s ends with %s: %s", failures[k].source, bmf_status_name(status),
                  bmf_error_text(ctx));
            for (int w = 0; w < 2; w++)
                CHECK(strstr(bmf_error_text(ctx), failures[k].words[w]), "%s (laws %d) says \"%s\", without \"%s\"",
                      failures[k].source, rewritten, bmf_error_text(ctx), failures[k].words[w]);
            free(printed);
        }
}

int main(int argc, char **argv)
{
    if (bmf_open(&argc, &argv, &ctx) != BMF_OK)
        return 1;
    test_structure();
    test_lists();
    test_pairs_and_choices();
    test_folds();
    test_distributed();
    test_association();
    test_many();
    test_refusals();
    int failed = test_finish();
    return bmf_close(ctx) != 0 || failed;
}
