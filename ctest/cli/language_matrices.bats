#!/usr/bin/env bats
# Matrices in the language: transposes and products are NumPy's, with the bits of the reductions that they stand for, whatever the
# processors and threads.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

@test "transposes and products are NumPy's and have the bits of reductions" {
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
