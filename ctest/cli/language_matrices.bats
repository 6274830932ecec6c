#!/usr/bin/env bats
# Matrices in the language: transposes and products are NumPy's, with the bits of the reductions that they stand for, whatever the
# processors and threads.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    unset BMF_PROCS BMF_THREADS BMF_TRACE BMF_SCHEDULE BMF_PLAN BMF_FREE
    cd "$BATS_TEST_TMPDIR"
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
