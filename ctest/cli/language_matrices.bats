#!/usr/bin/env bats
# Matrices in the language: transposes and products are NumPy's, with the bits of the reductions that they stand for, whatever the
# processors and threads.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

@test "transposes, slices and products are NumPy's and have the bits of reductions" {
    run python3 "$BMF_SOURCE_DIR/ctest/cli/language_matrices.py"
    assert_success
}

@test "a product of blocks of rows sends what it takes by hand, and what is predicted" {
    echo 'main(a, b) = a |> split(procs) |> map(part -> matmul(part, b)) |> reduce(++)
default {[[1, 2], [3, 4], [5, 6]], [[1, 0], [1, 1]]}' >product.bmf
    run --separate-stderr "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run product.bmf --procs 3 --stats
    assert_success
    assert_output "[[3, 2], [7, 4], [11, 6]]"
    sent=$(grep -o "[0-9]* messages, [0-9]* bytes" <<<"$stderr" | head -1)
    assert_regex "$sent" "^6 messages" # a split, a broadcast and a gather over 3 processors
    run "$BMF_BIN_DIR/bmf" predict product.bmf --machine fast-cluster --procs 3 --json
    assert_success
    run python3 -c 'import json, sys; r = json.load(sys.stdin)["runs"][0]; print(r["messages"], "messages,", r["bytes"], "bytes")' <<<"$output"
    assert_output "$sent"
}

# sent: messages and bytes of the last run
sent()
{
    grep -o "[0-9]* messages, [0-9]* bytes" <<<"$stderr" | head -1
}

# predicted PROGRAM PROCS ARGS..
predicted()
{
    run "$BMF_BIN_DIR/bmf" predict "$1" --machine fast-cluster --procs "$2" --json "${@:3}"
    assert_success
    run python3 -c 'import json, sys; r = json.load(sys.stdin)["runs"][0]; print(r["messages"], "messages,", r["bytes"], "bytes")' <<<"$output"
}

@test "blocks of a grid are sent as their elements, as often as predicted, and read in parts or not" {
    echo 'main(m) = m |> split({2, 3}) |> map(b -> map(row -> map(x -> x * 2.0, row), b)) |> join' >grid.bmf
    echo 'main(m) = m |> split({_, _}) |> map(b -> length(b)) |> reduce(+)' >chosen.bmf
    python3 -c "
import numpy
numpy.save('m.npy', numpy.arange(35.0).reshape(5, 7))"
    run --separate-stderr "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run grid.bmf --arg m.npy --procs 7 --stats
    assert_success
    assert_output "$(python3 -c 'print([[2.0 * (7 * i + j) for j in range(7)] for i in range(5)])')"
    there="$(sent)"
    predicted grid.bmf 7 --arg m.npy
    assert_output "$there"
    for procs in 1 2 4 6 9; do
        run --separate-stderr "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run chosen.bmf --arg m.npy --procs $procs --stats
        assert_success
        there="$(sent)"
        predicted chosen.bmf $procs --arg m.npy
        assert_output "$there"
    done
}

# refused MESSAGE: before prog.bmf runs, whoever asks
refused()
{
    for command in "check prog.bmf" "run prog.bmf" "plan prog.bmf" "predict prog.bmf --machine ideal --procs 2"; do
        run "$BMF_BIN_DIR/bmf" $command
        assert_equal "$status" 2
        assert_line --index 0 "bmf: prog.bmf:$1"
    done
    run "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run prog.bmf
    assert_equal "$status" 2
    assert_line --index 0 "bmf: prog.bmf:$1"
}

@test "shapes that are known are refused before the program runs" {
    local words="matmul needs as many columns of the first matrix as rows of the second, found"
    echo 'main(a, b) = matmul(a, b) default {[[1.0, 2, 3], [4, 5, 6]], [[1, 2], [3, 4]]}' >prog.bmf
    refused "1:14: $words 2 x 3 and 2 x 2"
    echo 'main(a, b) = a |> split(2) |> map(p -> matmul(p, b)) |> reduce(++) default {[[1], [2]], [[3], [4], [5]]}' >prog.bmf
    refused "1:40: $words 1 x 1 and 3 x 1"
    echo 'main(n) = let a = map(i -> [i, i], iota(n + 1)) in matmul(transpose(a), a ++ a) default 2' >prog.bmf
    refused "1:52: $words 2 x 3 and 6 x 2"
    echo 'main(a) = map(row -> row[1 ..< 4], a) default [[1, 2, 3]]' >prog.bmf
    refused "1:25: xs[a ..< b]: 1 ..< 4 is outside a list of 3 elements"
    echo 'main(a) = matmul(a[0 ..< 2, 0 ..< 2], a[0 ..< 3, _]) default [[1, 2, 3], [4, 5, 6], [7, 8, 9]]' >prog.bmf
    refused "1:11: $words 2 x 2 and 3 x 3"
    # what is never computed is no mistake
    echo 'main(a) = if length(a) > 1 then matmul(a, a) else a default [[1, 2]]' >prog.bmf
    run "$BMF_BIN_DIR/bmf" run prog.bmf
    assert_output "[[1, 2]]"
    echo 'main(a, ms) = map(m -> matmul(a, m), filter(m -> length(m) == 2, ms)) default {[[1, 2]], [[[1]]]}' >prog.bmf
    run "$BMF_BIN_DIR/bmf" run prog.bmf
    assert_output "[]"
}

@test "shapes of files are known, and noted" {
    python3 -c "
import numpy
numpy.save('a.npy', numpy.ones((6, 4)))
numpy.save('b.npy', numpy.ones((5, 6)))"
    echo 'main(a, b) = a |> split(3) |> map(p -> matmul(p, transpose(b))) |> reduce(++)' >prog.bmf
    run "$BMF_BIN_DIR/bmf" check prog.bmf --arg a.npy --arg b.npy
    assert_line --index 0 --partial "prog.bmf:1:40: matmul needs as many columns of the first matrix as rows of the second, found 2 x 4 and 6 x 5"
    run "$BMF_BIN_DIR/bmf" check prog.bmf --arg a.npy --arg a.npy --notes
    assert_success
    assert_output "prog.bmf:1:60: b is sent to all processors: [[real]]
prog.bmf:1:50: transpose makes [[real]] 4 x 6
prog.bmf:1:40: matmul makes [[real]] 2 x 6
[[real]]"
}

@test "failures say where, on one rank and on several" {
    echo 'main(m) = m |> split({2, 2}) |> join default [[1, 2], [3]]' >ragged.bmf
    echo 'main(m) = m |> split({2, 2}) |> map(b -> map(row -> if row[0] > 2 then row ++ row else row, b)) |> join
default [[1, 2], [3, 4]]' >fit.bmf
    echo 'main(m) = m |> split({_, 3}) |> join default [[1, 2], [3, 4]]' >three.bmf
    for ranks in 1 2 4; do
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run ragged.bmf
        assert_equal "$status" 2
        assert_line --index 0 --partial "ragged.bmf:1:16: split needs rows of equal length: row 1 has 1 element, row 0 has 2"
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run fit.bmf
        assert_equal "$status" 2
        assert_line --index 0 --partial "fit.bmf:1:100: join needs blocks that fit each other: block {1, 0} has 2 columns, its neighbours 1"
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run three.bmf --procs 4
        assert_equal "$status" 2
        assert_line --index 0 --partial "three.bmf:1:16: split: 4 processors cannot be cut into groups of 3"
    done
    echo 'main(m) = m |> split(procs) |> map(p -> transpose(p)) default [[1, 2], [3, 4], [5], [6]]' >rows.bmf
    echo 'main(a, b) = map(p -> matmul(p, b), split(procs, a)) default {[[1.0, 2], [3, 4]], [[1, 2], [3, 4], [5, 6]]}' >shapes.bmf
    for ranks in 1 2; do
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run rows.bmf --procs 2 # every part by itself is a matrix
        assert_output "[[[1, 3], [2, 4]], [[5, 6]]]"
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run rows.bmf --procs 1
        assert_equal "$status" 2
        assert_line --index 0 --partial "rows.bmf:1:41: transpose needs rows of equal length: row 2 has 1 element, row 0 has 2"
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run shapes.bmf --procs 2
        assert_equal "$status" 2
        assert_line --index 0 --partial "shapes.bmf:1:23: matmul needs as many columns of the first matrix as rows of the second, found 1 x 2 and 3 x 2"
    done
}
