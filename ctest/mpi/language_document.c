/* Every program of document 000, with the typing errors of the scan mended
 * (noted at each), and the value the text states or that follows from its
 * definitions by hand. Each is run as written and with all laws. */
#include <stdlib.h>
#include <string.h>

#include "bmf.h"
#include "ctest/support/programs.h"
#include "ctest/support/testing.h"

typedef struct example {
    const char *section, *text, *value;
} example;

#define INCREMENT                                                                                                      \
    "$Increment = B_Comp (B_Op (B_Plus)) (B_Alltup [ B_Id, B_Con (B_Int 1)])\n" /* 4.4.3, one ) too many */
#define FACTORIAL                                                                                                      \
    INCREMENT                                                                                                          \
    "$Factorial = B_Comp (B_Reduce (B_Op (B_Times)) (B_Con (B_Int 1)))"                                                \
    " (B_Comp (B_Map ($Increment)) (B_Op (B_Iota)))\n"
#define MAKE_LIST "$Make_List = B_Comp (B_Op (B_Iota)) (B_Con (B_Int 16))\n"
#define ONE_TO_16 " [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]"
#define MATRIX    " [ [0, 1, 2, 3], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]"

static const example examples[] = {
    /* chapter 2 */
    {"2.3", "B_Id 1", "1"},
    {"2.3", INCREMENT "B_Comp ($Increment) (B_Id) 1", "2"},
    {"2.3", INCREMENT "$Trivial = B_Comp ($Increment) (B_id)\n$Trivial 1", "2"},
    {"2.5.1", INCREMENT "$Increment . B_Id 1", "2"},
    {"2.5.2", "B_Allvec [B_Id, B_Op (B_Uminus)] 4", "[4, -4]"},
    {"2.5.2", "B_Alltup [B_Id, B_Con (B_True)] 4", "{4, true}"},
    {"2.7.1", "B_Op (B_Plus) {2, 3}", "5"},
    {"2.7.1", "B_Op (B_Plus) {2, 3.5}", "5.5"},
    {"2.7.1", "B_Op (B_Index) {[10, 11, 12], 1}", "11"},
    {"2.7.1", "B_Op (B_Project) {[10, 11, 12], [2, 0, 1]}", "[12, 10, 11]"},
    {"2.7.1", "B_Op(B_Distl) {[7], [1, 2]}", "[{[7], 1}, {[7], 2}]"},
    {"2.7.2", "B_Op (B_Neg) true", "false"},
    {"2.7.2", "B_Op (B_Length) [5, 6, 7]", "3"},
    {"2.7.2", "B_Op (B_Iota) 4", "[0, 1, 2, 3]"},
    {"2.7.3", INCREMENT "B_Map ($Increment) [1, 2, 3, 4]", "[2, 3, 4, 5]"},
    {"2.7.3", "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 10)) [1, 2, 3]", "16"},
    {"2.7.3", "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 10)) []", "10"},
    {"2.7.3", "B_Zip (B_Op (B_Times)) {[1, 2, 3], [4, 5, 6]}", "[4, 10, 18]"},
    {"2.7.3", "B_Scan (B_Op (B_Plus)) [1, 2, 3, 4]", "[1, 3, 6, 10]"},
    {"2.7.3", "B_Split (B_Num 3) [1, 2, 3, 4, 5, 6]", "[[1, 2], [3, 4], [5, 6]]"},
    {"2.7.3", "B_Split (B_Num 3) [1, 2, 3, 4, 5, 6, 7]", "[[1, 2, 3], [4, 5], [6, 7]]"},
    {"2.8", INCREMENT "B_Map (B_Map ($Increment)) [[1, 2], [3, 4], [5, 6]]", "[[2, 3], [4, 5], [6, 7]]"},
    {"2.8", "P_Split (B_Num 3) (B_Num 0) [1, 2, 3, 4, 5, 6]", "[[1, 2], [3, 4], [5, 6]]"},
    {"2.8",
     INCREMENT "P_Map (B_Map ($Increment)) . P_Split (B_Num 3) (B_Num 0) [1, "
               "2, 3, 4, 5, 6]",
     "[[2, 3], [4, 5], [6, 7]]"},
    {"2.9.3",
     INCREMENT "P_Reduce (B_Op (B_Conc)) . P_Map (B_Map ($Increment)) . "
               "P_Split (B_Num 3) (B_Num 0) [1, 2, 3, 4, 5, 6]",
     "[2, 3, 4, 5, 6, 7]"},
    {"2.9.7", "P_Project . B_Alltup [P_Split (B_Num 4) (B_Num 0), B_Id] [0, 1, 2, 3]", "[[0], [1], [2], [3]]"},
    {"2.9.7", "P_Project . B_Alltup [P_Split (B_Num 4) (B_Num 0), B_Id] [3, 2, 1, 0]", "[[0], [1], [2], [3]]"},
    {"2.10", FACTORIAL "B_Map ($Factorial) [1, 2, 3, 4, 5, 6, 7]", "[1, 2, 6, 24, 120, 720, 5040]"},
    {"2.10",
     "P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 5) (B_Num 0) [3, 1, 4, 1, 5, "
     "9, 2]",
     "[3, 1, 4, 1, 5, 9, 2]"},
    {"2.10",
     FACTORIAL "B_Map ($Factorial) . P_Reduce (B_Op (B_Conc)) . P_Split (B_Num "
               "3) (B_Num 0) [1, 2, 3, 4, 5, 6, 7]",
     "[1, 2, 6, 24, 120, 720, 5040]"},
    {"2.10",
     FACTORIAL "P_Reduce (B_Op (B_Conc)) . P_Map (B_Map ($Factorial)) . "
               "P_Split (B_Num 3) (B_Num 0) "
               "[1, 2, 3, 4, 5, 6, 7]",
     "[1, 2, 6, 24, 120, 720, 5040]"},
    /* chapter 4 */
    {"4.4.1", INCREMENT "B_Comp (B_Map ($Increment)) (B_Id) [1, 2]", "[2, 3]"},
    /* chapter 5 */
    {"5.3.1", "B_Map (B_Op (B_Length)) . B_Split (B_Num 4) . B_Op (B_Iota) 31", "[8, 8, 8, 7]"},
    {"5.3.3",
     "P_Split (B_Num 8) (B_Num 0) [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, "
     "14, 15]",
     "[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12], [13, 14], [15]]"},
    {"5.3.4",
     INCREMENT "B_Comp (P_Reduce (B_Op (B_Conc)))"
               " (B_Comp (P_Map (P_Map (P_Reduce (B_Op (B_Conc)))))"
               " (B_Comp ( P_Map (P_Map (P_Map (B_Map ($Increment)))))"
               " (B_Comp (P_Map (B_Map (P_Split (B_Num 4) (B_Num 0))))"
               " (P_Split (B_Num 4) (B_Num 2)))))" MATRIX,
     "[[1, 2, 3, 4], [6, 7, 8, 9], [10, 11, 12, 13], [14, 15, 16, 17]]"},
    {"5.3.4", "P_Split (B_Num 4) (B_Num 2)" MATRIX,
     "[[[0, 1, 2, 3]], [[5, 6, 7, 8]], [[9, 10, 11, 12]], [[13, 14, 15, 16]]]"},
    {"5.3.4",
     "P_Map (B_Map (P_Split (B_Num 4) (B_Num 0))) . P_Split (B_Num 4) (B_Num "
     "2)" MATRIX,
     "[[[[0], [1], [2], [3]]], [[[5], [6], [7], [8]]], [[[9], [10], [11], "
     "[12]]], [[[13], [14], [15], [16]]]]"},
    {"5.4.1",
     "B_Comp ( P_Distl) ( B_Comp ( B_Alltup[ B_Con (B_Int 2), B_Id] ) ( "
     "P_Split (B_Num 4) (B_Num 0) ) )"
     " [1, 2, 3, 4, 5, 6, 7, 8]",
     "[{2, [1, 2]}, {2, [3, 4]}, {2, [5, 6]}, {2, [7, 8]}]"},
    {"5.4.1",
     "P_Map (B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Reduce "
     "(B_Op (B_Plus)) . B_Addr (B_Num 2) (B_Num 2)])"
     " . B_Comp ( P_Distl) ( B_Comp ( B_Alltup[ B_Con (B_Int 2), B_Id] ) ( "
     "P_Split (B_Num 16) (B_Num 0) ) )" ONE_TO_16,
     "[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]"},
    {"5.4.1", /* the large one, told apart by the sum of the list of 16 plus the
                 element */
     "P_Map (B_Op (B_Plus) . B_Alltup [B_Reduce (B_Op (B_Plus)) . B_Addr "
     "(B_Num 1) (B_Num 2),"
     " B_Reduce (B_Op (B_Plus)) . B_Addr (B_Num 2) (B_Num 2)]) . "
     "B_Comp (P_Distl) (B_Comp ( B_Alltup[ B_Comp (B_Op (B_Iota)) (B_Con(B_Int "
     "16)),B_Id])"
     " (P_Split (B_Num 16) (B_Num 0) ) )" ONE_TO_16,
     "[121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, "
     "135, 136]"},
    {"5.6", /* stride 0 for 16, and a map inside, because the elements are lists
             */
     INCREMENT "B_Comp (B_Comp (P_Reduce (B_Op (B_Conc) )) (P_Map (B_Map ($Increment))))"
               " (P_Split (B_Num 16) (B_Num 0) )" ONE_TO_16,
     "[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]"},
    {"5.7",
     "B_Comp (P_Zip (B_Op (B_Conc))) (B_Alltup [ P_Split (B_Num 8) (B_Num 0), "
     "P_Split (B_Num 8) (B_Num 0) ] )"
     " [1, 2, 3, 4, 5, 6, 7, 8]",
     "[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 6], [7, 7], [8, 8]]"},
    {"5.7",
     "P_Map (B_Reduce (B_Op (B_Plus))) . B_Comp (P_Zip (B_Op (B_Conc)))"
     " (B_Alltup [ P_Split (B_Num 16) (B_Num 0), P_Split (B_Num 16) (B_Num 0) "
     "] )" ONE_TO_16,
     "[2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32]"},
    {"5.8", /* $Flatten: numbers are no lists, so the one element of each list
               is taken by a sum */
     "$Flatten = P_Map (B_Reduce (B_Op (B_Plus) ) )\n"
     "B_Comp (P_Scan( B_Op ( B_Plus))) (B_Comp ($Flatten) (P_Split (B_Num 16) "
     "(B_Num 0)))" ONE_TO_16,
     "[1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136]"},
    {"5.8",
     "B_Comp (B_Scan (B_Op (B_Conc))) (P_Split (B_Num 4) (B_Num 0) ) [1, 2, 3, "
     "4]",
     "[[1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]"},
    {"5.8",
     "P_Map (B_Op (B_Length)) . B_Comp (B_Scan (B_Op (B_Conc))) (P_Split "
     "(B_Num 16) (B_Num 0) )" ONE_TO_16,
     "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]"},
    {"5.9", /* figure 5-28: reversal */
     MAKE_LIST "P_Reduce (B_Op (B_Conc)) . B_Comp (P_Project)"
               " (B_Alltup [ B_Comp( P_Split (B_Num 16) (B_Num 0)) ($Make_List), B_Id ] )"
               " [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]",
     "[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]"},
    {"5.9", /* figure 5-29: a random permutation */
     MAKE_LIST "P_Reduce (B_Op (B_Conc)) . B_Comp (P_Project)"
               " (B_Alltup [ B_Comp( P_Split (B_Num 16) (B_Num 0)) ($Make_List), B_Id ] )"
               " [3, 14, 0, 9, 12, 5, 7, 1, 15, 2, 8, 6, 11, 4, 10, 13]",
     "[3, 14, 0, 9, 12, 5, 7, 1, 15, 2, 8, 6, 11, 4, 10, 13]"},
    {"5.9", /* figure 5-30: one element to all */
     MAKE_LIST "P_Reduce (B_Op (B_Conc)) . B_Comp (P_Project)"
               " (B_Alltup [ B_Comp( P_Split (B_Num 16) (B_Num 0)) ($Make_List), B_Id ] )"
               " [15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15]",
     "[15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15]"},
    /* three levels of splits on 8 processors, as the design asks beyond the
       document */
    {"5.3.4",
     INCREMENT "P_Reduce (B_Op (B_Conc)) . P_Map (P_Reduce (B_Op (B_Conc)))"
               " . P_Map (P_Map (P_Reduce (B_Op (B_Conc)))) . P_Map (P_Map (P_Map (B_Map "
               "($Increment))))"
               " . P_Map (P_Map (P_Split (B_Num 2) (B_Num 0))) . P_Map (P_Split (B_Num "
               "2) (B_Num 1))"
               " . P_Split (B_Num 2) (B_Num 2) [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]",
     "[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]"},
};

static void run_example(bmf_context *ctx, const example *e, unsigned laws)
{
    char *value;
    int status = test_run_program(ctx, e->text, laws, &value);
    if (CHECK(status == BMF_OK, "section %s: %s\n  fails: %s", e->section, e->text, bmf_error_text(ctx)) &&
        bmf_is_root(ctx))
        CHECK(value && strcmp(value, e->value) == 0, "section %s: %s\n  gives %s, not %s", e->section, e->text, value,
              e->value);
    free(value);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++) {
        run_example(ctx, &examples[k], 0);
        run_example(ctx, &examples[k], ~0u);
    }
    int code = bmf_close(ctx);
    return test_finish() || code;
}
