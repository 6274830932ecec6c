/* Types of the language: what every construct and operation makes of its argument, and what is refused where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/typed.h"

typedef struct typing {
    const char *text, *type;
} typing;

static void check_typings(const typing *row, size_t rows)
{
    char found[200];
    int wrong = 0;
    for (size_t k = 0; k < rows; k++) {
        typed_program program;
        if (typed_program_open(row[k].text, &program) != BMF_OK) {
            print_error("%s: %s\n", row[k].text, bmf_error_text(NULL));
            wrong++;
        } else if (strcmp(bmf_type_print(program.value, found, sizeof found), row[k].type) != 0) {
            print_error("%s: expected %s, found %s\n", row[k].text, row[k].type, found);
            wrong++;
        }
        typed_program_close(&program);
    }
    assert_int_equal(wrong, 0);
}
#define CHECK_TYPES(rows) check_typings(rows, sizeof rows / sizeof rows[0])

static void operations_have_types(void **state)
{
    static const typing rows[] = {
        {"B_Op (B_Plus) {1, 2}", "int"},
        {"B_Op (B_Plus) {1, 2.0}", "real"},
        {"B_Op (B_Plus) {1.5, 2}", "real"},
        {"B_Op (B_Minus) {1, 2}", "int"},
        {"B_Op (B_Times) {1.0, 2.0}", "real"},
        {"B_Op (B_Divide) {1, 2}", "int"},
        {"B_Op (B_Divide) {1, 2.0}", "real"},
        {"B_Op (B_Mod) {7, 2}", "int"},
        {"B_Op (B_Mod) {7, 2.5}", "real"},
        {"B_Op (B_Max) {1, 2}", "int"},
        {"B_Op (B_Min) {1, 2.5}", "real"},
        {"B_Op (B_And) {true, false}", "bool"},
        {"B_Op (B_Or) {true, false}", "bool"},
        {"B_Op (B_Eq) {1, 2}", "bool"},
        {"B_Op (B_Eq) {1, 2.5}", "bool"},
        {"B_Op (B_Eq) {true, false}", "bool"},
        {"B_Op (B_Gt) {1, 2}", "bool"},
        {"B_Op (B_Lt) {1.5, 2}", "bool"},
        {"B_Op (B_Ge) {1, 2}", "bool"},
        {"B_Op (B_Le) {1, 2.0}", "bool"},
        {"B_Op (B_Uminus) 1", "int"},
        {"B_Op (B_Uminus) 1.5", "real"},
        {"B_Op (B_Neg) true", "bool"},
        {"B_Op (B_Neg) 1", "int"},
        {"B_Op (B_Neg) 1.5", "real"},
        {"B_Op (B_Abs) -1", "int"},
        {"B_Op (B_Abs) -1.5", "real"},
        {"B_Op (B_Sqrt) 4", "real"},
        {"B_Op (B_Exp) 1.0", "real"},
        {"B_Op (B_Log) 1", "real"},
        {"B_Op (B_Sin) 1", "real"},
        {"B_Op (B_Cos) 1", "real"},
        {"B_Op (B_Tan) 1", "real"},
        {"B_Op (B_Floor) 1.5", "real"},
        {"B_Op (B_Ceil) 1", "real"},
        {"B_Op (B_Round) 1.5", "real"},
        {"B_Op (B_Pow) {2, 3}", "real"},
        {"B_Op (B_Atan2) {2.5, 3}", "real"},
        {"B_Op (B_Bitand) {2, 3}", "int"},
        {"B_Op (B_Bitor) {2, 3}", "int"},
        {"B_Op (B_Bitxor) {2, 3}", "int"},
        {"B_Op (B_Shl) {2, 3}", "int"},
        {"B_Op (B_Shr) {2, 3}", "int"},
        {"B_Op (B_Random) {2, 3}", "real"},
        {"B_Op (B_Not) true", "bool"},
        {"B_Op (B_Ne) {2.5, 3}", "bool"},
        {"B_Op (B_Ne) {true, false}", "bool"},
        {"B_Map (B_Op (B_Pow)) []", "[real]"},
        {"B_Op (B_Sort) [1, 2]", "[int]"},
        {"B_Op (B_Sort) [1.5]", "[real]"},
        {"B_Op (B_Sort) []", "[?]"},
        {"B_Op (B_Argsort) [true]", "[int]"},
        {"P_Sort . P_Split (B_Num 2) [1.5]", "P[[real]]"},
        {"P_Argsort . P_Split (B_Num 2) [1.5]", "P[[int]]"},
        {"B_Op (B_Unique) [1.5]", "[real]"},
        {"B_Op (B_Unique) []", "[?]"},
        {"P_Unique . P_Split (B_Num 2) [1.5]", "P[[real]]"},
        {"P_Unique . P_Split (B_Num 2) []", "P[[?]]"},
        {"B_Op (B_Transpose) [[{1, true}]]", "[[{int, bool}]]"},
        {"B_Op (B_Transpose) []", "[?]"},
        {"B_Op (B_Transpose) [[]]", "[[?]]"},
        {"P_Transpose . P_Split (B_Num 2) [[1.5]]", "P[[[real]]]"},
        {"P_Transpose . P_Split (B_Num 2) []", "P[[?]]"},
        {"P_Transpose . P_Blocks (B_Num 2) (B_Num 3) [[true]]", "P{3 x 2}[[[bool]]]"},
        {"P_Transpose . P_Blocks (B_Num 0) (B_Num 3) (B_Num 2) [[[1]]]", "P{3 x _ x 2}[[[[int]]]]"},
        {"P_Blocks (B_Num 1) (B_Num 4) . P_Split (B_Num 2) [[1]]", "P{1 x 4}[[[int]]]"},
        {"P_Blocks (B_Num 1) (B_Num 4) . P_Transpose . P_Blocks (B_Num 2) (B_Num 3) [[1]]", "P{1 x 4}[[[int]]]"},
        {"B_Op (B_Slice) {[{1, true}], 0, 1}", "[{int, bool}]"},
        {"B_Op (B_Slice) {[], 0, 0}", "[?]"},
        {"B_Op (B_Matmul) {[[1]], [[2]]}", "[[int]]"},
        {"B_Op (B_Matmul) {[[1]], [[2.5]]}", "[[real]]"},
        {"B_Op (B_Matmul) {[[1.5]], []}", "[[real]]"},
        {"B_Op (B_Matmul) {[], [[]]}", "[[int]]"},
        {"B_Op (B_Int) 2.5", "int"},
        {"B_Op (B_Int) true", "int"},
        {"B_Op (B_Int) 3", "int"},
        {"B_Op (B_Real) 3", "real"},
        {"B_Op (B_Real) true", "real"},
        {"B_Op (B_Length) [1, 2]", "int"},
        {"B_Op (B_Length) []", "int"},
        {"B_Op (B_Index) {[1.5, 2.5], 0}", "real"},
        {"B_Op (B_Index) {[[1], [2]], 0}", "[int]"},
        {"B_Op (B_Iota) 5", "[int]"},
        {"B_Op (B_Distl) {1.5, [1, 2]}", "[{real, int}]"},
        {"B_Op (B_Distl) {[true], [1, 2]}", "[{[bool], int}]"},
        {"B_Op (B_Dist1) {1, [true]}", "[{int, bool}]"},
        {"B_Op (B_Project) {[1.5, 2.5], [1, 0]}", "[real]"},
        {"B_Op (B_Project) {[1.5], []}", "[real]"},
        {"B_Op (B_Conc) {[1], [2]}", "[int]"},
        {"B_Op (B_Conc) {[1], [2.5]}", "[real]"},
        {"B_Op (B_Conc) {[], [2.5]}", "[real]"},
        {"B_Op (B_Conc) {[{1, 2.5}], [{1.5, 2}]}", "[{real, real}]"},
    };
    (void)state;
    CHECK_TYPES(rows);
}

static void constructs_have_types(void **state)
{
    static const typing rows[] = {
        {"B_Id {1, [true]}", "{int, [bool]}"},
        {"B_Comp (B_Op (B_Sqrt)) (B_Op (B_Length)) [1]", "real"},
        {"B_Op (B_Sqrt) . B_Op (B_Length) . B_Map (B_Id) [1]", "real"},
        {"B_Con (B_Int 3) [1]", "int"},
        {"B_Con (B_Real 3) [1]", "real"},
        {"B_Con (B_True) [1]", "bool"},
        {"B_Alltup [B_Id, B_Con (B_True), B_Id] 1", "{int, bool, int}"},
        {"B_Alltup [B_Id] 1", "{int}"},
        {"B_Allvec [B_Id, B_Con (B_Real 2)] 1", "[real]"},
        {"B_Allvec [] 1", "[?]"},
        {"B_Allvec [B_Allvec [], B_Allvec [B_Id]] 1", "[[int]]"},
        {"B_Addr (B_Num 2) (B_Num 3) {1, 2.5, true}", "real"},
        {"B_Map (B_Op (B_Sqrt)) [1, 2]", "[real]"},
        {"B_Map (B_Map (B_Op (B_Gt))) [[{1, 2}]]", "[[bool]]"},
        {"B_Map (B_Op (B_Sqrt)) []", "[real]"},
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) [1, 2]", "int"},
        {"B_Reduce (B_Op (B_Plus)) [1.5]", "real"},
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) [1, 2]", "real"},
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) []", "int"},
        {"B_Reduce (B_Op (B_Conc)) [[1], [2]]", "[int]"},
        {"B_Reduce (B_Op (B_Conc)) (B_Allvec []) [[1.5]]", "[real]"},
        {"B_Reduce (B_Op (B_Plus)) (B_Op (B_Length)) [1.5]", "real"},
        /* the operator makes reals of the ints */
        {"B_Reduce (B_Op (B_Sqrt) . B_Op (B_Plus)) [1, 2]", "real"},
        {"B_Scan (B_Op (B_Max)) [1, 2]", "[int]"},
        {"B_Scan (B_Op (B_Plus)) (B_Con (B_Real 0.5)) [1, 2]", "[real]"},
        {"B_Zip (B_Op (B_Plus)) {[1, 2], [1.5, 2.5]}", "[real]"},
        {"B_Zip {[1], [true]}", "[{int, bool}]"},
        {"B_Zip {[], [true]}", "[{?, bool}]"},
        {"B_Split (B_Num 3) [1, 2]", "[[int]]"},
        {"B_Filter (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 0)]) [1, 2]", "[int]"},
        {"B_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Int 0)) {2, [{0, 1}]}", "[int]"},
        {"B_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Real 0)) {2, [{0, 1}]}", "[real]"},
        {"B_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Real 0)) {2, []}", "[real]"},
        {"P_Reduce_by_key (B_Op (B_Max)) (B_Con (B_Int 0)) . B_Alltup [B_Con (B_Int 2), P_Split (B_Num 2)] [{0, 1.5}]",
         "[real]"},
        {"B_Shift (B_Num 1) [true]", "[bool]"},
        {"B_Shift (B_Num -1) (B_Con (B_Real 0)) [1]", "[real]"},
        {"B_Shift (B_Num -1) (B_Con (B_Real 0)) []", "[real]"},
        {"P_Shift (B_Num 1) . P_Split (B_Num 2) [1]", "P[[int]]"},
        {"B_Shift (B_Num 1) (B_Con (B_Real 0)) . P_Map (B_Op (B_Length)) . P_Split (B_Num 2) [1]", "P[real]"},
        {"B_Stencil (B_Num 1) (B_Id) [1]", "[{int, int, int}]"},
        {"B_Stencil (B_Num 1) (B_Addr (B_Num 1) (B_Num 3)) (B_Con (B_Real 0)) [1]", "[real]"},
        {"P_Stencil (B_Num 2) (B_Addr (B_Num 5) (B_Num 5)) . P_Split (B_Num 2) [true]", "P[[bool]]"},
        {"B_Stencil (B_Num 1) (B_Id) []", "[{?, ?, ?}]"},
        {"B_Stencil (B_Num 1) (B_Num 1) (B_Addr (B_Num 2) (B_Num 3)) [[1.5]]", "[[{real, real, real}]]"},
        {"P_Stencil (B_Num 1) (B_Num 2) (B_Con (B_True)) (B_Con (B_Int 0)) . P_Split (B_Num 2) [[1]]", "P[[[bool]]]"},
        {"B_Stencil (B_Num 1) (B_Num 1) (B_Con (B_True)) []", "[[bool]]"},
        {"B_Stencil (B_Num 1) (B_Id) {true, [1]}", "[{bool, {int, int, int}}]"},
        {"P_Stencil (B_Num 1) (B_Id) . B_Alltup [B_Op (B_Length), P_Split (B_Num 2)] [1.5]",
         "P[[{int, {real, real, real}}]]"},
        {"P_Blocks (B_Num 2) (B_Num 3) [[1.5]]", "P{2 x 3}[[[real]]]"},
        {"P_Blocks (B_Num 2) (B_Num 0) (B_Num 1) [[[true]]]", "P{2 x _ x 1}[[[[bool]]]]"},
        {"P_Blocks (B_Num 2) (B_Num 3) []", "P{2 x 3}[[?]]"},
        {"P_Stencil (B_Num 1) (B_Num 2) (B_Con (B_True)) (B_Con (B_Int 0)) . P_Blocks (B_Num 2) (B_Num 0) [[1]]",
         "P{2 x _}[[[bool]]]"},
        {"P_Stencil (B_Num 1) (B_Num 1) (B_Addr (B_Num 1) (B_Num 2)) . B_Alltup [B_Op (B_Length), P_Blocks (B_Num 2) "
         "(B_Num 1)] [[1.5]]",
         "P{2 x 1}[[[int]]]"},
        {"B_Blocks (B_Num 2) (B_Num 3) [[1.5]]", "[[[real]]]"},
        {"B_Join (B_Num 2) (B_Num 3) [[[1.5]]]", "[[real]]"},
        {"P_Join . P_Blocks (B_Num 2) (B_Num 3) [[1.5]]", "[[real]]"},
        {"P_Join (B_Num 2) (B_Num 3) . P_Split (B_Num 6) [[1.5]]", "[[real]]"},
        /* what is on a grid stays on it */
        {"P_Map (B_Op (B_Length)) . P_Blocks (B_Num 2) (B_Num 3) [[1.5]]", "P{2 x 3}[int]"},
        {"P_Scan (B_Op (B_Plus)) . P_Map (B_Op (B_Length)) . P_Blocks (B_Num 2) (B_Num 3) [[1.5]]", "P{2 x 3}[int]"},
        {"P_Distl . B_Alltup [B_Op (B_Length), P_Blocks (B_Num 2) (B_Num 3)] [[1.5]]", "P{2 x 3}[{int, [[real]]}]"},
        {"P_Zip . B_Alltup [P_Split (B_Num 6), P_Blocks (B_Num 2) (B_Num 3)] [[1.5]]",
         "P{2 x 3}[{[[real]], [[real]]}]"},
        {"P_Zip (B_Con (B_True)) . B_Alltup [P_Blocks (B_Num 0) (B_Num 3), P_Blocks (B_Num 2) (B_Num 0)] [[1.5]]",
         "P{2 x 3}[bool]"},
        {"B_While (B_Con (B_False)) (P_Map (B_Map (B_Map (B_Op (B_Sqrt))))) . P_Blocks (B_Num 2) (B_Num 3) [[1]]",
         "P{2 x 3}[[[real]]]"},
        /* or on one of which less is known, or on none */
        {"B_If (B_Con (B_True)) (P_Blocks (B_Num 2) (B_Num 3)) (P_Blocks (B_Num 2) (B_Num 1)) [[1]]",
         "P{2 x _}[[[int]]]"},
        {"B_If (B_Con (B_True)) (P_Blocks (B_Num 2) (B_Num 3)) (P_Split (B_Num 6)) [[1]]", "P[[[int]]]"},
        {"P_Project . B_Alltup [P_Blocks (B_Num 2) (B_Num 3), B_Allvec [B_Con (B_Int 0)]] [[1]]", "P[[[int]]]"},
        {"B_Sort_by (B_Op (B_Length)) [[1], []]", "[[int]]"},
        {"P_Sort_by (B_Addr (B_Num 2) (B_Num 2)) . P_Split (B_Num 2) [{1, true}]", "P[[{int, bool}]]"},
        {"B_Group (B_Op (B_Length)) [[1], []]", "[{int, [[int]]}]"},
        {"B_Group (B_Id) []", "[{?, [?]}]"},
        {"P_Group (B_Addr (B_Num 2) (B_Num 2)) . P_Split (B_Num 2) [{1, true}]", "P[[{bool, [{int, bool}]}]]"},
        {"B_If (B_Con (B_True)) (B_Id) (B_Con (B_Real 1)) 2", "real"},
        {"B_If (B_Con (B_True)) (B_Allvec []) (B_Allvec [B_Id]) 2", "[int]"},
        {"B_While (B_Op (B_Lt) . B_Alltup [B_Id, B_Con (B_Int 9)]) (B_Op (B_Plus) . B_Alltup [B_Id, B_Id]) 1", "int"},
        /* the state of the loop is a real from the start */
        {"B_While (B_Con (B_False)) (B_Op (B_Sqrt)) 1", "real"},
        {"$Inc = B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 1)]\n B_Alltup [$Inc, $Inc . B_Op (B_Sqrt)] 1",
         "{int, real}"},
    };
    (void)state;
    CHECK_TYPES(rows);
}

static void nothing_goes_with_everything(void **state)
{
    static const typing rows[] = {
        {"B_Id []", "[?]"},
        {"B_Map (B_Op (B_Plus)) []", "[?]"},
        {"B_Map (B_Op (B_Eq)) []", "[bool]"},
        {"B_Map (B_Op (B_Length)) []", "[int]"},
        {"B_Map (B_Map (B_Id)) []", "[?]"},
        {"B_Map (B_Addr (B_Num 1) (B_Num 2)) []", "[?]"},
        {"B_Map (B_Alltup [B_Id, B_Con (B_Int 1)]) []", "[{?, int}]"},
        {"B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) []", "[?]"},
        {"B_Filter (B_Op (B_Neg)) []", "[?]"},
        {"B_Scan (B_Op (B_Times)) []", "[?]"},
        {"B_Zip (B_Op (B_Plus)) {[], [1]}", "[int]"},
        {"B_Op (B_Index) {[], 0}", "?"},
        {"B_Op (B_Conc) {[], []}", "[?]"},
        {"B_Op (B_Distl) {1, []}", "[{int, ?}]"},
        {"B_Reduce (B_Op (B_Plus)) . B_Op (B_Conc) . B_Alltup [B_Id, B_Allvec [B_Con (B_Real 1)]] []", "real"},
    };
    (void)state;
    CHECK_TYPES(rows);
}

static void distributed_lists_have_types(void **state)
{
    static const typing rows[] = {
        {"P_Split (B_Num 3) (B_Num 0) [1, 2]", "P[[int]]"},
        {"P_Split (B_Num 3) [1, 2]", "P[[int]]"},
        {"P_Map (B_Map (B_Op (B_Sqrt))) . P_Split (B_Num 3) [1, 2]", "P[[real]]"},
        {"B_Map (B_Op (B_Length)) . P_Split (B_Num 3) [1, 2]", "P[int]"},
        {"P_Map (B_Op (B_Sqrt)) [1, 2]", "[real]"},
        {"P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 3) [1, 2]", "[int]"},
        {"P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Length)) . P_Split (B_Num 3) [1, 2]", "int"},
        {"P_Reduce (B_Op (B_Plus)) (B_Con (B_Real 1)) . P_Map (B_Op (B_Length)) . P_Split (B_Num 3) [1, 2]", "real"},
        {"P_Scan (B_Op (B_Plus)) . P_Map (B_Op (B_Length)) . P_Split (B_Num 3) [1, 2]", "P[int]"},
        {"P_Zip (B_Op (B_Conc)) . B_Alltup [P_Split (B_Num 3), P_Split (B_Num 3)] [1, 2]", "P[[int]]"},
        {"P_Zip . B_Alltup [P_Split (B_Num 3), P_Split (B_Num 3)] [1, 2]", "P[{[int], [int]}]"},
        {"P_Distl . B_Alltup [B_Con (B_Int 2), B_Id] . P_Split (B_Num 3) [1, 2]", "P[{int, [int]}]"},
        {"P_Dist1 {1, [2]}", "[{int, int}]"},
        {"P_Project . B_Alltup [P_Split (B_Num 3), B_Id] [2, 1, 0]", "P[[int]]"},
        {"P_Project {[1, 2], [0]}", "[int]"},
        {"B_Op (B_Index) . B_Alltup [P_Split (B_Num 3), B_Con (B_Int 0)] [2, 1, 0]", "[int]"},
        {"B_Op (B_Length) . P_Split (B_Num 3) [2, 1, 0]", "int"},
        {"P_Map (B_Map (P_Split (B_Num 4))) . P_Split (B_Num 2) (B_Num 2) [[1], [2]]", "P[[P[[int]]]]"},
        {"B_If (B_Con (B_True)) (P_Split (B_Num 2)) (P_Split (B_Num 3)) [1]", "P[[int]]"},
    };
    (void)state;
    CHECK_TYPES(rows);
}

typedef struct mistake {
    const char *text, *message; /* the message's first line */
} mistake;

static void check_mistakes(const mistake *row, size_t rows)
{
    int wrong = 0;
    for (size_t k = 0; k < rows; k++) {
        typed_program program;
        int status = typed_program_open(row[k].text, &program);
        const char *found = status == BMF_OK ? "no error" : bmf_error_text(NULL);
        size_t size = strcspn(found, "\n");
        if (status != BMF_ERROR_TYPE || size != strlen(row[k].message) || strncmp(found, row[k].message, size) != 0) {
            print_error("%s:\n  expected %s\n  found    %.*s\n", row[k].text, row[k].message, (int)size, found);
            wrong++;
        }
        typed_program_close(&program);
    }
    assert_int_equal(wrong, 0);
}
#define CHECK_MISTAKES(rows) check_mistakes(rows, sizeof rows / sizeof rows[0])

static void operations_refuse(void **state)
{
    static const mistake rows[] = {
        {"B_Op (B_Plus) {1, true}", "t.bmf:1:7: B_Plus needs two numbers, found {int, bool}"},
        {"B_Op (B_Plus) 1", "t.bmf:1:7: B_Plus needs two numbers, found int"},
        {"B_Op (B_Plus) {1, 2, 3}", "t.bmf:1:7: B_Plus needs two numbers, found {int, int, int}"},
        {"B_Op (B_Max) {[1], 2}", "t.bmf:1:7: B_Max needs two numbers, found {[int], int}"},
        {"B_Op (B_Gt) {true, false}", "t.bmf:1:7: B_Gt needs two numbers, found {bool, bool}"},
        {"B_Op (B_Eq) {1, false}", "t.bmf:1:7: B_Eq needs two numbers or two bools, found {int, bool}"},
        {"B_Op (B_And) {1, false}", "t.bmf:1:7: B_And needs two bools, found {int, bool}"},
        {"B_Op (B_Or) true", "t.bmf:1:7: B_Or needs two bools, found bool"},
        {"B_Op (B_Neg) [1]", "t.bmf:1:7: B_Neg needs a number or a bool, found [int]"},
        {"B_Op (B_Abs) true", "t.bmf:1:7: B_Abs needs a number, found bool"},
        {"B_Op (B_Sqrt) true", "t.bmf:1:7: B_Sqrt needs a number, found bool"},
        {"B_Op (B_Int) {1}", "t.bmf:1:7: B_Int needs a number or a bool, found {int}"},
        {"B_Op (B_Length) {1, 2.5}", "t.bmf:1:7: B_Length needs a list, found {int, real}"},
        {"B_Op (B_Index) {[1], 2.5}", "t.bmf:1:7: B_Index needs {a list, int}, found {[int], real}"},
        {"B_Op (B_Index) [1]", "t.bmf:1:7: B_Index needs {a list, int}, found [int]"},
        {"B_Op (B_Iota) 2.5", "t.bmf:1:7: B_Iota needs an int, found real"},
        {"B_Op (B_Distl) {1, 2}", "t.bmf:1:7: B_Distl needs {an item, a list}, found {int, int}"},
        {"P_Distl {1, 2}", "t.bmf:1:1: P_Distl needs {an item, a list}, found {int, int}"},
        {"B_Op (B_Project) {[1], [1.5]}", "t.bmf:1:7: B_Project needs {a list, a list of ints}, found {[int], [real]}"},
        {"B_Op (B_Conc) {[1], 2}", "t.bmf:1:7: B_Conc needs two lists, found {[int], int}"},
        {"B_Op (B_Conc) {[1], [true]}", "t.bmf:1:7: B_Conc needs two lists of one type, found [int] and [bool]"},
    };
    (void)state;
    CHECK_MISTAKES(rows);
}

static void constructs_refuse(void **state)
{
    static const mistake rows[] = {
        {"B_Map (B_Id) 1", "t.bmf:1:1: B_Map needs a list, found int"},
        {"P_Map (B_Id) 1", "t.bmf:1:1: P_Map needs a list, found int"},
        {"B_Addr (B_Num 1) (B_Num 2) {1, 2, 3}",
         "t.bmf:1:1: B_Addr needs a tuple of 2 components, found {int, int, int}"},
        {"B_Addr (B_Num 1) (B_Num 1) 7", "t.bmf:1:1: B_Addr needs a tuple of 1 component, found int"},
        {"B_Allvec [B_Id, B_Con (B_True)] 1",
         "t.bmf:1:17: the expressions of B_Allvec must make one type, found int and bool"},
        {"B_Reduce (B_Op (B_Plus)) 1", "t.bmf:1:1: B_Reduce needs a list, found int"},
        {"B_Scan (B_Op (B_Plus)) {1}", "t.bmf:1:1: B_Scan needs a list, found {int}"},
        {"B_Reduce (B_Op (B_Plus)) [true]", "t.bmf:1:17: B_Plus needs two numbers, found {bool, bool}"},
        {"B_Reduce (B_Op (B_Plus)) (B_Con (B_True)) [1]",
         "t.bmf:1:27: the default of B_Reduce must go with the elements, found int and bool"},
        {"B_Reduce (B_Op (B_Eq)) [1]",
         "t.bmf:1:17: the operator of B_Reduce must make the type of its operands, found int and bool"},
        {"B_Zip (B_Op (B_Plus)) {[1], 2}",
         "t.bmf:1:1: B_Zip needs two placed or two distributed lists, found {[int], int}"},
        {"B_Zip (B_Op (B_Plus)) {[1], [true]}", "t.bmf:1:14: B_Plus needs two numbers, found {int, bool}"},
        {"B_Split (B_Num 2) 1", "t.bmf:1:1: B_Split needs a list, found int"},
        {"B_Split (B_Num 0) [1]", "t.bmf:1:1: B_Split needs at least 1 part, found 0"},
        {"P_Split (B_Num 0) [1]", "t.bmf:1:1: P_Split needs at least 1 part, found 0"},
        {"B_Filter (B_Id) [1]", "t.bmf:1:11: B_Filter needs a predicate that makes a bool, found int"},
        {"B_Filter (B_Id) 1", "t.bmf:1:1: B_Filter needs a list, found int"},
        {"B_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Int 0)) [1]",
         "t.bmf:1:1: B_Reduce_by_key needs {a number of keys, a list of {key, value}}, found [int]"},
        {"B_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Int 0)) {2, [{1.5, 1}]}",
         "t.bmf:1:1: B_Reduce_by_key needs {a number of keys, a list of {key, value}}, found {int, [{real, int}]}"},
        {"B_Reduce_by_key (B_Op (B_Conc)) (B_Con (B_Int 0)) {2, [{1, [1]}]}",
         "t.bmf:1:34: the default of B_Reduce_by_key must go with the elements, found [int] and int"},
        {"B_Reduce_by_key (B_Op (B_Conc)) (B_Allvec []) {2, [{1, [1]}]}",
         "t.bmf:1:1: B_Reduce_by_key needs values without lists, found [int]; B_Group collects the values of every "
         "key"},
        {"B_Reduce_by_key (B_Op (B_Length) . B_Op (B_Iota) . B_Op (B_Plus)) (B_Con (B_Int 0)) {2, [{1, 1}]}",
         "t.bmf:1:24: the operator of B_Reduce_by_key computes with numbers and bools, without lists"},
        {"B_Shift (B_Num 1) 1", "t.bmf:1:1: B_Shift needs a list, found int"},
        {"B_Shift (B_Num 1) (B_Con (B_True)) [1]",
         "t.bmf:1:20: the default of B_Shift must go with the elements, found int and bool"},
        {"B_Shift (B_Num 1) (B_Allvec [B_Id]) [[1]]",
         "t.bmf:1:20: the default of B_Shift must go with the elements, found [int] and [[int]]"},
        {"P_Blocks (B_Num 2) (B_Num 3) [1]", "t.bmf:1:1: P_Blocks needs a list of lists of equal length, found [int]"},
        {"B_Blocks (B_Num 2) (B_Num 1) (B_Num 1) [[1]]",
         "t.bmf:1:1: B_Blocks needs a list of lists of lists of equal length, found [[int]]"},
        {"B_Blocks (B_Num 2) (B_Num 0) [[1]]", "t.bmf:1:1: B_Blocks needs at least 1 block in each dimension, found 0"},
        {"P_Blocks (B_Num 1048577) (B_Num 1048577) [[1]]", "t.bmf:1:1: P_Blocks makes at most 2^40 blocks"},
        {"B_Blocks (B_Num 2) (B_Num 2) . P_Split (B_Num 2) [[1]]",
         "t.bmf:1:1: B_Blocks needs a placed list (P_Map (B_Blocks ..) cuts the parts), found P[[[int]]]"},
        {"P_Blocks (B_Num 2) (B_Num 2) . P_Split (B_Num 2) [1]",
         "t.bmf:1:1: P_Blocks needs a list of lists of equal length, found P[[int]]"},
        {"P_Blocks (B_Num 2) (B_Num 2) (B_Num 1) . P_Blocks (B_Num 2) (B_Num 2) [[[1]]]",
         "t.bmf:1:1: P_Blocks needs a list of lists of lists of equal length, found P{2 x 2}[[[[int]]]]"},
        {"P_Transpose . P_Split (B_Num 2) [1]",
         "t.bmf:1:1: P_Transpose needs a list of lists of equal length, or a distributed list of such, found P[[int]]"},
        {"B_Map (P_Transpose . P_Split (B_Num 2)) [[[1]]]",
         "t.bmf:1:8: P_Transpose inside a map or an operator cannot have distributed lists, found P[[[int]]]"},
        {"P_Map (P_Blocks (B_Num 0) (B_Num 2)) . P_Split (B_Num 2) [[1]]",
         "t.bmf:1:8: P_Blocks chooses a grid of all processors, so inside a map or an operator it needs its numbers"},
        {"P_Join . P_Split (B_Num 2) [[1]]",
         "t.bmf:1:1: P_Join needs blocks of a grid, P{..}[..], or the numbers of the grid, found P[[[int]]]"},
        {"B_Join (B_Num 2) (B_Num 2) 1", "t.bmf:1:1: B_Join needs the blocks of a grid, found int"},
        {"B_Join (B_Num 2) (B_Num 2) [[1]]", "t.bmf:1:1: B_Join needs blocks that are lists of lists, found [[int]]"},
        {"P_Join (B_Num 3) (B_Num 2) . P_Blocks (B_Num 2) (B_Num 3) [[1]]",
         "t.bmf:1:1: P_Join needs blocks of the grid that its numbers say, found P{2 x 3}[[[int]]]"},
        {"P_Zip . B_Alltup [P_Blocks (B_Num 2) (B_Num 3), P_Blocks (B_Num 3) (B_Num 2)] [[1]]",
         "t.bmf:1:1: P_Zip needs the blocks of one grid, found {P{2 x 3}[[[int]]], P{3 x 2}[[[int]]]}"},
        {"B_Stencil (B_Num 0) (B_Id) [1]", "t.bmf:1:1: B_Stencil reaches 1 to 15 elements to each side, found 0"},
        {"B_Stencil (B_Num 16) (B_Id) [1]", "t.bmf:1:1: B_Stencil reaches 1 to 15 elements to each side, found 16"},
        {"B_Stencil (B_Num 10) (B_Id) [{1, 2}]",
         "t.bmf:1:1: B_Stencil of elements {int, int}: an element and its neighbours have at most 32 scalars"},
        {"B_Stencil (B_Num 10) (B_Id) {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, [1]}",
         "t.bmf:1:1: B_Stencil of elements int: an element and its neighbours, with what is handed on to them, have at "
         "most 32 scalars"},
        {"B_Stencil (B_Num 1) (B_Num 16) (B_Id) [[1]]",
         "t.bmf:1:1: B_Stencil reaches 1 to 15 elements to each side, found 16"},
        {"B_Stencil (B_Num 2) (B_Num 3) (B_Id) [[1]]",
         "t.bmf:1:1: B_Stencil of elements int: an element and its neighbours have at most 32 scalars"},
        {"B_Stencil (B_Num 1) (B_Num 1) (B_Id) [1]",
         "t.bmf:1:1: B_Stencil needs a list of rows of points without lists, or a distributed list of such, found "
         "[int]"},
        {"B_Stencil (B_Num 1) (B_Id) {1, 2}",
         "t.bmf:1:1: B_Stencil needs a list, or a distributed list of lists, found {int, int}"},
        {"B_Stencil (B_Num 1) (B_Id) 1",
         "t.bmf:1:1: B_Stencil needs a list, or a distributed list of lists, found int"},
        {"B_Sort_by (B_Id) [{1, 2}]",
         "t.bmf:1:12: B_Sort_by needs a key that is an int, a real or a bool, found {int, int}"},
        {"B_Sort_by (B_Id) . P_Map (B_Op (B_Length)) . P_Split (B_Num 2) [1]",
         "t.bmf:1:1: B_Sort_by needs a list, or a distributed list of lists, found P[int]"},
        {"P_Map (P_Sort_by (B_Id) . P_Split (B_Num 2)) [[1]]",
         "t.bmf:1:8: P_Sort_by inside a map or an operator cannot have distributed lists, found P[[int]]"},
        {"B_Group (B_Id) . P_Map (B_Op (B_Length)) . P_Split (B_Num 2) [1]",
         "t.bmf:1:1: B_Group needs a list, or a distributed list of lists, found P[int]"},
        {"P_Map (P_Group (B_Id) . P_Split (B_Num 2)) [[1]]",
         "t.bmf:1:8: P_Group inside a map or an operator cannot have distributed lists, found P[[int]]"},
        {"B_Op (B_Unique) [[1]]",
         "t.bmf:1:7: B_Unique needs a list of ints, reals or bools, or a distributed list of such, found [[int]]"},
        {"B_Op (B_Unique) . P_Map (B_Op (B_Length)) . P_Split (B_Num 2) [1]",
         "t.bmf:1:7: B_Unique needs a list of ints, reals or bools, or a distributed list of such, found P[int]"},
        {"P_Map (P_Unique . P_Split (B_Num 2)) [[1]]",
         "t.bmf:1:8: P_Unique inside a map or an operator cannot have distributed lists, found P[[int]]"},
        {"B_If (B_Id) (B_Id) (B_Id) 1", "t.bmf:1:7: B_If needs a predicate that makes a bool, found int"},
        {"B_If (B_Con (B_True)) (B_Id) (B_Con (B_True)) 1",
         "t.bmf:1:31: the branches of B_If must make one type, found int and bool"},
        {"B_While (B_Con (B_True)) (B_Con (B_True)) 1",
         "t.bmf:1:27: the body of B_While must make the type it is applied to, found int and bool"},
        {"B_While (B_Con (B_True)) (B_Allvec [B_Id]) []",
         "t.bmf:1:27: the body of B_While makes a larger type each time it is applied"},
    };
    (void)state;
    CHECK_MISTAKES(rows);
}

static void nested_places_are_found(void **state)
{
    static const mistake rows[] = {
        {"B_Comp (B_Map (B_Map (B_Op (B_Length))))\n  (B_Id) [[1]]", "t.bmf:1:29: B_Length needs a list, found int"},
        {"B_Alltup [B_Id,\n  B_Map (B_Op (B_And))] [1]", "t.bmf:2:16: B_And needs two bools, found int"},
        {"B_Op (B_Length) . B_Op (B_Sqrt) 1", "t.bmf:1:7: B_Length needs a list, found real"},
        {"$Size = B_Op (B_Length)\n\nB_Map ($Size) [1]",
         "t.bmf:1:15: B_Length needs a list, found int (in $Size, used at t.bmf:3:8)"},
        {"$Size = B_Op (B_Length)\n$Sizes = B_Map ($Size)\nB_Map ($Sizes) [[1]]",
         "t.bmf:1:15: B_Length needs a list, found int (in $Size, used at t.bmf:2:17; in $Sizes, used at t.bmf:3:8)"},
    };
    (void)state;
    CHECK_MISTAKES(rows);
}

static void distributed_lists_refuse(void **state)
{
    static const mistake rows[] = {
        {"B_Filter (B_Con (B_True)) . P_Split (B_Num 2) [1]",
         "t.bmf:1:1: B_Filter needs a placed list (P_Map (B_Filter ..) filters the parts), found P[[int]]"},
        {"B_Split (B_Num 2) . P_Split (B_Num 2) [1]",
         "t.bmf:1:1: B_Split needs a placed list (P_Map (B_Split ..) splits the parts), found P[[int]]"},
        {"P_Split (B_Num 2) . P_Split (B_Num 2) [1]",
         "t.bmf:1:1: P_Split needs a placed list (P_Map (B_Split ..) splits the parts), found P[[int]]"},
        {"B_Op (B_Conc) . B_Alltup [P_Split (B_Num 2), B_Split (B_Num 2)] [1]",
         "t.bmf:1:7: B_Conc needs placed lists (P_Reduce gathers a distributed one), found {P[[int]], [[int]]}"},
        {"P_Zip . B_Alltup [P_Split (B_Num 2), B_Split (B_Num 2)] [1]",
         "t.bmf:1:1: P_Zip needs two placed or two distributed lists, found {P[[int]], [[int]]}"},
        {"B_Reduce (B_Op (B_Conc)) . B_Map (P_Split (B_Num 2)) [[1]]",
         "t.bmf:1:1: B_Reduce needs elements without distributed lists in them (reduce those first, with B_Map or "
         "P_Map), found [P[[int]]]"},
        {"B_Allvec [P_Split (B_Num 2)] [1]",
         "t.bmf:1:1: B_Allvec needs elements without distributed lists in them (reduce those first, with B_Map or "
         "P_Map), found [P[[int]]]"},
        {"B_Map (B_If (B_Con (B_True)) (P_Split (B_Num 2)) (P_Split (B_Num 2))) [[1]]",
         "t.bmf:1:8: B_If inside a map or an operator cannot have distributed lists, found P[[int]]"},
    };
    (void)state;
    CHECK_MISTAKES(rows);
}

static void the_caret_marks_the_expression(void **state)
{
    typed_program program;
    (void)state;
    assert_int_equal(typed_program_open("B_Id .\nB_Op (B_Length) {1, 2.5}", &program), BMF_ERROR_TYPE);
    assert_string_equal(bmf_error_text(NULL), "t.bmf:2:7: B_Length needs a list, found {int, real}\n"
                                              "    2 | B_Op (B_Length) {1, 2.5}\n"
                                              "      |       ^~~~~~~~");
    typed_program_close(&program);
}

/* A tuple of `count` ones. */
static void write_tuple(char *text, int count)
{
    strcat(text, "{1");
    for (int k = 1; k < count; k++)
        strcat(text, ", 1");
    strcat(text, "}");
}

static void tuples_are_limited(void **state)
{
    char text[1000];
    typed_program program;
    (void)state;
    strcpy(text, "B_Alltup [B_Id, B_Id] ");
    write_tuple(text, 16);
    assert_int_equal(typed_program_open(text, &program), BMF_OK);
    typed_program_close(&program);
    strcpy(text, "B_Alltup [B_Id, B_Id] ");
    write_tuple(text, 17);
    assert_int_equal(typed_program_open(text, &program), BMF_ERROR_TYPE);
    assert_non_null(strstr(bmf_error_text(NULL), "t.bmf:1:1: B_Alltup makes a tuple of more than 32 scalars\n"));
    typed_program_close(&program);
    strcpy(text, "B_Reduce (B_Addr (B_Num 1) (B_Num 2)) [");
    write_tuple(text, 17);
    strcat(text, "]");
    assert_int_equal(typed_program_open(text, &program), BMF_ERROR_TYPE);
    assert_non_null(
        strstr(bmf_error_text(NULL), "t.bmf:1:1: B_Reduce needs elements of at most 16 scalars, found {int, "));
    typed_program_close(&program);
}

/* $D0 = first, $Dk = B_Comp ($Dk-1) ($Dk-1); then the last one and the data. */
static char *doubling_names(const char *first, int names, const char *data)
{
    char *text = malloc(100 * (size_t)names + 200), *at = text;
    at += sprintf(at, "$D0 = %s\n", first);
    for (int k = 1; k <= names; k++)
        at += sprintf(at, "$D%d = B_Comp ($D%d) ($D%d)\n", k, k - 1, k - 1);
    sprintf(at, "$D%d %s", names, data);
    return text;
}

/* The limits of the parser leave a million nodes with all names replaced; the checker makes few of them. */
static void doubling_names_are_checked_once(void **state)
{
    typed_program program;
    (void)state;
    char *text = doubling_names("B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 1)]", 16, "1");
    assert_int_equal(typed_program_open(text, &program), BMF_OK);
    assert_ptr_equal(program.checked->out, &bmf_type_int);
    assert_false(is_scalar_expression(program.checked)); /* as many instructions are no kernel */
    assert_in_range(program.checked->children, 2, 1024);
    for (int k = 1; k < program.checked->children; k++)
        assert_ptr_equal(program.checked->child[k], program.checked->child[0]);
    typed_program_close(&program);
    free(text);
    text = doubling_names("P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 5)", 16, "[1]");
    assert_int_equal(typed_program_open(text, &program), BMF_OK);
    assert_int_equal(processors_needed(program.checked), 5);
    typed_program_close(&program);
    free(text);
    text = doubling_names("B_Alltup [B_Id, B_Id]", 16, "[1]");
    assert_int_equal(typed_program_open(text, &program), BMF_ERROR_TYPE);
    assert_non_null(strstr(bmf_error_text(NULL), "B_Alltup makes a type of 1000 or more parts"));
    typed_program_close(&program);
    free(text);
}

static void processors_are_counted_along_nested_splits(void **state)
{
    static const struct {
        const char *text;
        int64_t processors;
    } rows[] = {
        {"B_Id 1", 1},
        {"B_Split (B_Num 9) [1]", 1},
        {"P_Split (B_Num 7) (B_Num 0) [1]", 7},
        {"P_Split (B_Num 4) (B_Num 2) [1]", 13},
        {"P_Map (B_Map (P_Split (B_Num 4) (B_Num 0))) . P_Split (B_Num 4) (B_Num 2) [[1]]", 16},
        {"P_Map (P_Split (B_Num 2)) . P_Split (B_Num 2) (B_Num 3) [1]", 10},
        /* three levels: 0, 12; and 0, 3; and 0, 1 on top of each */
        {"P_Map (P_Map (P_Split (B_Num 2))) . P_Map (P_Split (B_Num 2) (B_Num 1)) . P_Split (B_Num 2) (B_Num 2) [1]",
         8},
        /* one after the other, not in each other */
        {"P_Split (B_Num 3) . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 6) [1]", 6},
        {"B_Alltup [P_Split (B_Num 3), P_Split (B_Num 5)] [1]", 5},
        {"P_Map (P_Split (B_Num 2)) . P_Split (B_Num 2) (B_Num 1) . B_Map (B_Op (B_Neg)) . P_Reduce (B_Op (B_Conc)) . "
         "P_Split (B_Num 4) [1]",
         4},
        {"P_Map (P_Split (B_Num 2)) . P_Split (B_Num 2) (B_Num 1) . B_Addr (B_Num 2) (B_Num 2) . "
         "B_Alltup [P_Split (B_Num 4), B_Id] [1]",
         4},
        {"B_While (B_Con (B_False)) (P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 6)) [1]", 6},
        {"B_If (B_Con (B_True)) (P_Split (B_Num 2)) (P_Split (B_Num 3) (B_Num 1)) [1]", 5},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        typed_program program;
        assert_int_equal(typed_program_open(rows[k].text, &program), BMF_OK);
        assert_int_equal(processors_needed(program.checked), rows[k].processors);
        typed_program_close(&program);
    }
}

static void flags_say_what_is_inside(void **state)
{
    static const struct {
        const char *text;
        bool communicates, repeats, scalar;
    } rows[] = {
        {"B_Op (B_Plus) {1, 2.5}", false, false, true},
        {"B_Con (B_Int 1) [1]", false, false, false},
        {"B_While (B_Con (B_False)) (B_Id) 1", false, true, true},
        {"B_Map (B_While (B_Con (B_False)) (B_Id)) [1]", false, true, false},
        {"P_Map (B_Id) [1]", false, false, false}, /* a placed list: the data decides */
        {"P_Split (B_Num 2) [1]", true, false, false},
        {"B_Map (B_Op (B_Length) . P_Split (B_Num 2)) [[1]]", true, false, false},
        {"B_If (B_Op (B_Lt)) (B_Addr (B_Num 1) (B_Num 2)) (B_Addr (B_Num 2) (B_Num 2)) {1, 2.5}", false, false, true},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        typed_program program;
        assert_int_equal(typed_program_open(rows[k].text, &program), BMF_OK);
        assert_int_equal(program.checked->communicates, rows[k].communicates);
        assert_int_equal(program.checked->repeats, rows[k].repeats);
        assert_int_equal(is_scalar_expression(program.checked), rows[k].scalar);
        typed_program_close(&program);
    }
}

/* Every child stands where its neighbour's type and its own meet; shared parts are looked at once per use. */
static void check_tree(const bmf_expression *node)
{
    assert_non_null(node->in);
    assert_non_null(node->out);
    assert_ptr_equal(bmf_type_intern(node->in), node->in);
    if (node->kind == BMF_EXPRESSION_COMP) {
        assert_ptr_equal(node->child[0]->out, node->out);
        assert_ptr_equal(node->child[node->children - 1]->in, node->in);
        for (int k = 0; k + 1 < node->children; k++) {
            assert_ptr_equal(node->child[k]->in, node->child[k + 1]->out);
            assert_int_not_equal(node->child[k]->kind, BMF_EXPRESSION_COMP);
        }
    }
    if (node->kind == BMF_EXPRESSION_REDUCE) {
        assert_ptr_equal(node->child[0]->in, bmf_type_pair(node->out, node->out));
        assert_ptr_equal(node->child[0]->out, node->out);
        if (node->children > 1)
            assert_ptr_equal(node->child[1]->out, node->out);
    }
    if (node->kind == BMF_EXPRESSION_ALLVEC || node->kind == BMF_EXPRESSION_IF)
        for (int k = node->kind == BMF_EXPRESSION_IF; k < node->children; k++)
            assert_ptr_equal(node->child[k]->out,
                             node->kind == BMF_EXPRESSION_IF ? node->out : node->out->component[0]);
    for (int k = 0; k < node->children; k++)
        check_tree(node->child[k]);
}

static void conversions_are_put_in(void **state)
{
    static const char *const texts[] = {
        "B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Real 1)] 1",
        "B_Allvec [B_Id, B_Con (B_Real 1), B_Con (B_Int 1)] 1",
        "B_Allvec [B_Allvec [], B_Allvec [B_Alltup [B_Id, B_Id]], B_Allvec [B_Alltup [B_Op (B_Sqrt), B_Id]]] 1",
        "B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 1)) [1, 2]",
        "B_Reduce (B_Op (B_Divide) . B_Alltup [B_Op (B_Plus), B_Con (B_Real 2)]) (B_Op (B_Length)) [1, 2]",
        "B_Reduce (B_Op (B_Conc)) (B_Allvec [B_Con (B_Real 1)]) [[1], []]",
        "B_Map (B_If (B_Con (B_True)) (B_Id) (B_Con (B_Real 1))) [1]",
        "B_Op (B_Conc) {[], [2.5]}",
        "B_While (B_Con (B_False)) (B_Op (B_Sqrt)) 1",
    };
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        typed_program program;
        assert_int_equal(typed_program_open(texts[k], &program), BMF_OK);
        check_tree(program.checked);
        typed_program_close(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_have_types),
        cmocka_unit_test(constructs_have_types),
        cmocka_unit_test(nothing_goes_with_everything),
        cmocka_unit_test(distributed_lists_have_types),
        cmocka_unit_test(operations_refuse),
        cmocka_unit_test(constructs_refuse),
        cmocka_unit_test(nested_places_are_found),
        cmocka_unit_test(distributed_lists_refuse),
        cmocka_unit_test(the_caret_marks_the_expression),
        cmocka_unit_test(tuples_are_limited),
        cmocka_unit_test(doubling_names_are_checked_once),
        cmocka_unit_test(processors_are_counted_along_nested_splits),
        cmocka_unit_test(flags_say_what_is_inside),
        cmocka_unit_test(conversions_are_put_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
