#!/usr/bin/env bats
# bmf run, check and plan: what they print, and that bad programs and bad data end with exit code 2 and one message that says
# where and what, however many ranks there are.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1
}

# bmf RANKS ARGUMENT...
bmf()
{
    run --separate-stderr timeout 120 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/bmf" "${@:2}"
}

# program TEXT: writes prog.bmf
program()
{
    printf '%s\n' "$1" >prog.bmf
}

# gives VALUE TEXT [ARGUMENT...]: the program prints VALUE on 1 and 3 ranks
gives()
{
    program "$2"
    for ranks in 1 3; do
        bmf "$ranks" run prog.bmf "${@:3}"
        assert_success
        assert_output "$1"
        assert_equal "$stderr" ""
    done
}

# refuses PLACE TEXT PROGRAM [ARGUMENT...]: exit code 2 on 1 and 3 ranks, nothing on standard output, and a message
# "bmf: prog.bmf:PLACE: .. TEXT .." (PLACE "": a message without a place)
refuses()
{
    program "$3"
    for ranks in 1 3; do
        bmf "$ranks" run prog.bmf "${@:4}"
        assert_failure 2
        assert_output ""
        if [ -n "$1" ]; then
            [[ ${stderr_lines[0]} == "bmf: prog.bmf:$1: "*"$2"* ]] || fail "not '$1: $2': $stderr"
            [[ ${stderr_lines[2]} == *"^"* ]] || fail "no caret: $stderr"
            assert_equal "${#stderr_lines[@]}" 3
        else
            [[ ${stderr_lines[0]} == "bmf: "*"$2"* ]] || fail "not about '$2': $stderr"
        fi
    done
}

json_holds()
{
    python3 -c 'import json, sys; d = json.loads(sys.argv[1]); sys.exit(not eval(sys.argv[2]))' "$output" "$1" ||
        fail "not $1: $output"
}

@test "values print as data" {
    gives '[[1, 2], [3]]' 'B_Id [[1, 2], [3]]'
    gives '{1, 2.5, true}' 'B_Id {1, 2.5, true}'
    gives '[1.0, 2.5]' 'B_Id [1, 2.5]'
    gives '[]' 'B_Id []'
    gives '3.0' 'B_Op (B_Sqrt) 9'
    gives '-2' 'B_Op (B_Divide) {-7, 3}'
    gives '-1' 'B_Op (B_Mod) {-7, 3}'
    gives '-2.3333333333333335' 'B_Op (B_Divide) {-7.0, 3}'
}

@test "comments, definitions, libraries" {
    printf '# a library\n$Twice = B_Op (B_Plus) . B_Alltup [B_Id, B_Id]\n' >twice.bmf
    gives '[2, 4]' 'B_Map ($Twice) # doubles
[1, 2]' --library twice.bmf
    gives '12' '$Quadruple = $Twice . $Twice
$Quadruple 3' --library twice.bmf
}

@test "B_Procs stands for the processors" {
    program 'P_Map (B_Op (B_Length)) . P_Split (B_Procs) [1, 2, 3, 4, 5, 6, 7]'
    bmf 1 run prog.bmf
    assert_output "[7]"
    bmf 3 run prog.bmf
    assert_output "[3, 2, 2]"
    bmf 2 run prog.bmf --procs 4
    assert_output "[2, 2, 2, 1]"
    bmf 1 run prog.bmf --bmf-procs 2
    assert_output "[4, 3]"
    bmf 1 plan prog.bmf --procs 5
    assert_output --partial "P_Split (B_Procs) (B_Num 0)"
    assert_output --partial "on 5 processors"
}

@test "the argument from files" {
    program 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Num 5)'
    python3 -c 'import numpy as np; np.save("x.npy", np.arange(100003)); np.save("f.npy", np.zeros((2, 3), order="F"))'
    for ranks in 1 2 3 5; do
        bmf "$ranks" run prog.bmf --arg x.npy --json
        assert_success
        json_holds 'd["value"] == str(100003 * 100002 // 2) and d["type"] == "int" and d["processors"] == 5'
        json_holds 'd["messages"] == 4' # the split reads its parts; only the reduction sends
    done
    printf '[1, 2,\n 3]' >x.bmfdata
    bmf 2 run prog.bmf --arg x.bmfdata
    assert_output 6
    bmf 2 run prog.bmf --arg missing.npy
    assert_failure 2
    bmf 2 run prog.bmf --arg f.npy
    assert_failure 2
    bmf 2 run prog.bmf --arg missing.bmfdata
    assert_failure 2
    [[ $stderr == "bmf: "*missing.bmfdata* ]]
}

@test "int32 files hold ints and float32 files reals" {
    program 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Num 5)'
    python3 -c 'import numpy as np; np.save("i4.npy", np.full(100003, 2**31 - 1, dtype="i4"))
np.save("f4.npy", np.arange(10007, dtype="f4") / 8); np.save("rows.npy", np.arange(91, dtype="i4").reshape(13, 7) - 50)'
    for ranks in 1 2 3 8; do
        bmf "$ranks" run prog.bmf --arg i4.npy --json
        assert_success
        json_holds 'd["value"] == str(100003 * (2**31 - 1)) and d["type"] == "int"'
    done
    bmf 1 check prog.bmf --arg i4.npy --json
    json_holds 'd["type"] == "int" and d["argument"] == "[int]"'
    bmf 1 plan prog.bmf --arg i4.npy
    assert_success
    program 'P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Neg))) . P_Split (B_Num 3)'
    for ranks in 1 3; do
        bmf "$ranks" run prog.bmf --arg f4.npy --out out.npy
        assert_success
        python3 -c 'import numpy as np; x = np.load("out.npy")
assert x.dtype == np.float64 and np.array_equal(x, -np.load("f4.npy").astype(np.float64))'
    done
    program 'B_Id'
    bmf 2 run prog.bmf --arg rows.npy --out out.npy
    assert_success
    python3 -c 'import numpy as np; x = np.load("out.npy")
assert x.dtype == np.int64 and np.array_equal(x, np.load("rows.npy"))'
}

@test "complex files are refused in one line" {
    program 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Num 5)'
    python3 -c 'import numpy as np; np.save("z.npy", np.zeros(10, dtype=complex))'
    for ranks in 1 2 3 8; do
        for command in run check plan; do
            [ "$command" = run ] || [ "$ranks" = 1 ] || continue
            bmf "$ranks" "$command" prog.bmf --arg z.npy
            assert_failure 2
            assert_output ""
            assert_equal "$stderr" "bmf: z.npy: complex numbers (complex128); the language has int, real and bool"
        done
    done
    bmf 1 predict prog.bmf --machine ideal --procs 8 --arg z.npy
    assert_failure 2
    assert_equal "$stderr" "bmf: z.npy: complex numbers (complex128); the language has int, real and bool"
}

@test "results into files" {
    program 'P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Real))) . P_Split (B_Num 3)'
    python3 -c 'import numpy as np; np.save("x.npy", np.arange(1000))'
    bmf 2 run prog.bmf --arg x.npy --out y.npy
    assert_success
    assert_output ""
    python3 -c 'import numpy as np; y = np.load("y.npy"); assert y.dtype == float and (y == np.arange(1000)).all()'
    program 'B_Id 3'
    bmf 2 run prog.bmf --out y.npy
    assert_failure 2
}

@test "the object has the promised keys" {
    program 'P_Split (B_Num 4) [1, 2, 3, 4]'
    bmf 2 run prog.bmf --json
    assert_success
    json_holds 'list(d) == ["value", "type", "seconds", "processors", "ranks", "threads", "messages", "bytes",
        "rank_messages", "rank_bytes", "peak_rss_bytes"]'
    json_holds '(d["value"], d["type"], d["processors"], d["ranks"]) == ("[[1], [2], [3], [4]]", "P[[int]]", 4, 2)'
    json_holds 'd["messages"] == 3 and d["rank_messages"] == 1'
}

@test "bmf check prints the type" {
    program 'B_Map (B_Op (B_Divide)) [{1, 2}, {3, 4.5}]'
    bmf 1 check prog.bmf
    assert_output '[real]'
    program 'B_Op (B_Length) {1, 2.5}'
    bmf 1 check prog.bmf
    assert_failure 2
    assert_equal "${stderr_lines[0]}" 'bmf: prog.bmf:1:7: B_Length needs a list, found {int, real}'
}

@test "bmf plan shows laws, kernels, schedules and totals" {
    program 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map (B_Op (B_Abs))) .
P_Split (B_Num 8) [1, -2, 3, -4, 5, -6, 7, -8, 9]'
    bmf 1 plan prog.bmf
    assert_success
    assert_output --partial "map-reduce fusion"
    assert_output --partial "levels"
    assert_output --partial "in all 14 messages"
    bmf 2 plan prog.bmf --procs 16 --json
    json_holds 'd["messages"] == 14 and d["processors"] == 16 and d["laws"]["map-reduce fusion"] == 1'
}

@test "a trace is recorded" {
    program 'P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Abs))) . P_Split (B_Num 4) [1, -2, 3, -4]'
    bmf 2 run prog.bmf --trace run.trace
    assert_success
    bmf 1 trace run.trace
    assert_success
    assert_output --partial "P_Map"
}

@test "syntax errors" {
    refuses 2:1 'an expression expected' ''
    refuses 1:1 'B_Foo' 'B_Foo 1'
    refuses 1:13 "')' expected" 'B_Map (B_Id [1]'
    refuses 1:7 "'(' expected" 'B_Map B_Id [1]'
    refuses 1:7 'an operation expected' 'B_Op (B_Foo) 1'
    refuses 1:1 'write B_Op (B_Plus)' 'B_Plus {1, 2}'
    refuses 1:13 'data expected' 'B_Id [1, 2, ]'
    refuses 1:12 "',' or ']'" 'B_Id [1, 2 3]'
    refuses 1:6 "found '?'" 'B_Id ?'
    refuses 1:14 '1.5 is no int' 'B_Con (B_Int 1.5) 1'
    refuses 1:18 "')' expected" 'B_Split (B_Num 2 [1]'
    refuses 2:1 'the end of the data expected' 'B_Id [1]
2'
    refuses 1:1 '$Foo is not defined' '$Foo 1'
    refuses 2:1 'defined twice; first at prog.bmf:1:1' '$A = B_Id
$A = B_Id
$A 1'
    refuses 2:6 '$A -> $B -> $A' '$A = $B . B_Id
$B = $A
$A 1'
}

@test "numbers that do not fit" {
    refuses 1:6 '9223372036854775808 does not fit' 'B_Id 9223372036854775808'
    gives '-9223372036854775808' 'B_Id -9223372036854775808'
    refuses 1:10 '1e999 does not fit' 'B_Id [1, 1e999]'
    refuses 1:7 'too large for 64 bits' 'B_Op (B_Plus) {9223372036854775807, 1}'
    refuses 1:14 '(element 2 of B_Map at 1:1)' 'B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id]) [1, 2, 3037000500]'
    refuses 1:7 '-3 is no length' 'B_Op (B_Iota) -3'
    refuses 1:14 'no int of 64 bits' 'B_Map (B_Op (B_Int)) [1.5, 1e30]'
}

@test "type errors" {
    refuses 1:7 'B_Length needs a list, found {int, real}' 'B_Op (B_Length) {1, 2.5}'
    refuses 1:14 'B_Length needs a list, found int' 'B_Map (B_Op (B_Length)) [1, 2]'
    refuses 1:21 'B_Plus needs two numbers, found int' 'B_Map (B_Map (B_Op (B_Plus))) [[1]]'
    refuses 1:10 'one type: found [int] after int' 'B_Id [1, [2]]'
    refuses 1:1 'a tuple of 3 components, found {int, int}' 'B_Addr (B_Num 3) (B_Num 3) {1, 2}'
    refuses 1:1 'at least 1 part, found 0' 'B_Split (B_Num 0) [1]'
    refuses 1:1 'found 0' 'P_Split (B_Num 0) [1]'
    refuses 1:1 'B_Map needs a list, found int' 'B_Map (B_Id) 3'
    refuses 1:1 'needs a placed list' 'B_Filter (B_Con (B_True)) . P_Split (B_Num 2) [1]'
}

@test "errors of values say which element" {
    refuses 1:1 'lists of equal length, found 2 and 1' 'B_Zip (B_Op (B_Plus)) {[1, 2], [1]}'
    refuses 1:14 'index 1 is outside a list of 1 element (element 1 of B_Map at 1:1)' \
        'B_Map (B_Op (B_Index)) [{[1, 2], 1}, {[3], 1}]'
    refuses 1:21 '(element 1 of B_Map at 1:1, there element 2 of B_Map at 1:8)' \
        'B_Map (B_Map (B_Op (B_Index))) [[{[1], 0}], [{[1], 0}, {[1], 0}, {[1, 2, 3], -1}]]'
    refuses 1:7 '1 is divided by zero' 'B_Op (B_Divide) {1, 0}'
    refuses 1:14 '3 is divided by zero (element 2' 'B_Map (B_Op (B_Mod)) [{1, 1}, {2, 1}, {3, 0}]'
    refuses 1:1 'without a default of an empty list' 'B_Reduce (B_Op (B_Plus)) []'
    refuses 1:8 '(element 1 of B_Map at 1:1)' 'B_Map (B_Reduce (B_Op (B_Plus))) [[1], []]'
    refuses 1:1 'on the same processors, found 2 and 3 elements' \
        'P_Zip (B_Op (B_Conc)) . B_Alltup [P_Split (B_Num 2), P_Split (B_Num 3)] [1, 2, 3]'
    refuses 1:21 '(element 3 of P_Map at 1:1, there element 0 of B_Map at 1:8)' \
        'P_Map (B_Map (B_Op (B_Divide) . B_Alltup [B_Con (B_Int 1), B_Id])) . P_Split (B_Num 4) [1, 2, 3, 4, 5, 6, 0]'
}

@test "bad files" {
    program 'B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))'
    printf '[1, 2' >broken.bmfdata
    bmf 2 run prog.bmf --arg broken.bmfdata
    assert_failure 2
    [[ ${stderr_lines[0]} == "bmf: broken.bmfdata:1:6: "* ]] || fail "$stderr"
    printf 'not an array' >broken.npy
    bmf 2 run prog.bmf --arg broken.npy
    assert_failure 2
    python3 -c 'import numpy as np; np.save("c.npy", np.zeros(3, dtype=complex))'
    bmf 2 run prog.bmf --arg c.npy
    assert_failure 2
    bmf 2 run prog.bmf
    assert_failure 2
    bmf 2 run nothing.bmf
    assert_failure 2
    bmf 2 run prog.bmf --procs 0
    assert_failure 2
    program 'P_Split (B_Num 8) [1]'
    bmf 2 run prog.bmf --procs 4
    assert_failure 2
    [[ $stderr == *8*4* ]]
}

@test "deep nesting and large literals" {
    python3 -c 'print("B_Id " + "[" * 10000 + "]" * 10000)' >deep.bmf
    bmf 2 run deep.bmf
    assert_failure 2
    [[ ${stderr_lines[0]} == "bmf: deep.bmf:1:"*nest* ]] || fail "$stderr"
    python3 -c 'print("B_Map (" * 10000 + "B_Id" + ")" * 10000 + " []")' >deep.bmf
    bmf 2 run deep.bmf
    assert_failure 2
    python3 -c '
import sys
sys.stdout.write("B_Reduce (B_Op (B_Plus)) [")
for k in range(1000): sys.stdout.write("1234567, " * 11111)
print("1]")' >large.bmf
    bmf 2 run large.bmf # 100 MB
    assert_success
    assert_output "$((1234567 * 11111 * 1000 + 1))"
}

@test "help has an example" {
    for command in run check plan; do
        bmf 1 "$command" --help
        assert_success
        assert_output --partial "Example: "
        bmf 3 "$command" --nonsense
        assert_failure 2
        assert_equal "${#stderr_lines[@]}" 1
    done
}

# sends PATH: how many messages of how many bytes run.trace has of a call, as "7 x 8"
sends()
{
    "$BMF_BIN_DIR/bmf" convert run.trace --to csv -o run.csv
    awk -F, -v path="\"$1\"" '$4 == "send" && $5 == path { n[$12]++ } END { for (bytes in n) print n[bytes] " x " bytes }' \
        run.csv | sort
}

@test "elements of fixed types travel without their size" {
    program 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Times)) . P_Distl . B_Alltup [B_Con (B_Int 3), P_Project . B_Alltup [
            P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Num 8), B_Id]]
        [7, 6, 5, 4, 3, 2, 1, 0]'
    for ranks in 1 2 3 8; do
        bmf "$ranks" run prog.bmf --procs 8 --trace run.trace
        assert_success
        assert_output 84
        assert_equal "$(sends main/P_Distl)" "7 x 8"
        assert_equal "$(sends main/P_Project)" "8 x 8" # indices that are a progression are computed
        assert_equal "$(sends main/P_Reduce)" "7 x 8"
    done
    program 'P_Reduce (B_Op (B_Plus)) . P_Project . B_Alltup [P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Num 8),
            B_Id] [7, 5, 6, 4, 3, 2, 0, 1]'
    for ranks in 1 2 3 8; do
        BMF_SCHEDULE=split=direct bmf "$ranks" run prog.bmf --procs 8 --trace run.trace
        assert_success
        assert_output 28
        # each its part: its size, its length, the own index and one wish; then the elements
        assert_equal "$(sends main/P_Project)" $'7 x 32\n8 x 8'
    done
    program 'P_Map (B_Addr (B_Num 1) (B_Num 2)) . P_Distl . B_Alltup [B_Alltup [B_Con (B_Int 3), B_Con (B_True)], P_Split (B_Num 4)] [1, 2, 3, 4]'
    for ranks in 1 3; do
        bmf "$ranks" run prog.bmf --procs 4 --trace run.trace
        assert_success
        assert_output "[{3, true}, {3, true}, {3, true}, {3, true}]"
        assert_equal "$(sends main/P_Distl)" "3 x 9"
    done
}
