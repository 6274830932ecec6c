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

@test "a file that is cut into blocks is read in parts, which send each block what is its" {
    python3 -c "
import numpy
numpy.save('m.npy', numpy.arange(12 * 8.0).reshape(12, 8))
numpy.save('cube.npy', numpy.arange(5 * 3 * 4).reshape(5, 3, 4))"
    echo 'main(m) = {length(m), m |> split({2, 2}) |> map(b -> b[0, 0]) |> reduce(max)}' >corner.bmf
    for ranks in 1 2 3; do
        run --separate-stderr "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run corner.bmf --arg m.npy --procs 4 --stats
        assert_output "{12, 52.0}"
        # parts of 3 rows each send 3 x 4 elements to the one of their two blocks that is not on their processor; the maximum takes 3 messages
        assert_equal "$(sent)" "7 messages, $((4 * 12 * 8 + 3 * 8)) bytes"
    done
    predicted corner.bmf 4 --arg m.npy
    assert_output "7 messages, $((4 * 12 * 8 + 3 * 8)) bytes"
    # all uses of a file share its parts; another split, or another use, has it whole
    echo 'main(m) = {m |> split({2, 1}) |> join, m |> split({1, procs}) |> join, m |> split(procs) |> reduce(++)}' >all.bmf
    echo 'main(m) = {m |> split({2, 1}) |> join, m |> split({1, procs}) |> join, m |> split(2) |> reduce(++)}' >other.bmf
    echo 'main(m) = {m |> split({2, 1}) |> join, m |> split({1, procs}) |> join, m}' >whole.bmf
    echo 'main(m) = m |> split({3, 1, 2}) |> join' >cube.bmf
    for procs in 3 7; do
        for program in all other whole; do
            run "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run $program.bmf --arg m.npy --procs $procs
            assert_output "$(python3 -c 'm = [[8.0 * i + j for j in range(8)] for i in range(12)]; print(str([m, m, m]).replace("[[[", "{[[").replace("]]]", "]]}"))')"
        done
        run "$MPIRUN" -n 3 "$BMF_BIN_DIR/bmf" run cube.bmf --arg cube.npy --procs $((2 * procs))
        assert_output "$(python3 -c 'print([[[12 * i + 4 * j + k for k in range(4)] for j in range(3)] for i in range(5)])')"
    done
    head -c 500 m.npy >short.npy
    for ranks in 1 3; do
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run corner.bmf --arg short.npy --procs 4
        assert_failure 2
        assert_line --index 0 --regexp '^bmf: short.npy: '
    done
}

@test "a transpose sends each pair of parts what is theirs, once, as predicted" {
    python3 -c "
import numpy
numpy.save('m.npy', numpy.arange(12 * 8.0).reshape(12, 8))"
    echo 'main(m) = m |> split(procs) |> transpose |> map(p -> reduce(+, 0.0, map(r -> r[0], p))) |> reduce(+)' >turn.bmf
    run --separate-stderr "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run turn.bmf --arg m.npy --procs 4 --stats # read in parts
    assert_success
    assert_output "28.0"
    # a pair of the 4 parts has 3 x 2 elements; the sum takes 3 messages
    assert_equal "$(sent)" "15 messages, $((12 * 6 * 8 + 3 * 8)) bytes"
    predicted turn.bmf 4 --arg m.npy
    assert_output "15 messages, $((12 * 6 * 8 + 3 * 8)) bytes"
    predicted turn.bmf 64 --arg m.npy
    there="$output"
    run --separate-stderr "$MPIRUN" -n 3 "$BMF_BIN_DIR/bmf" run turn.bmf --arg m.npy --procs 64 --stats
    assert_equal "$(sent)" "$there"
    # blocks on the diagonal stay
    echo 'main(m) = m |> split({3, 3}) |> transpose |> map(b -> length(b)) |> reduce(max)' >blocks.bmf
    echo 'main(m) = m |> split({3, 3}) |> map(b -> length(b)) |> reduce(max)' >without.bmf
    run --separate-stderr "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run without.bmf --arg m.npy --stats
    before="$(sent)"
    run --separate-stderr "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run blocks.bmf --arg m.npy --stats
    assert_output "3"
    assert_equal "${before%% *}" "$(($(sent | cut -d' ' -f1) - 6))"
    predicted blocks.bmf 9 --arg m.npy
    assert_output "$(sent)"
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
    # through a loop that keeps them, of stencils
    local sum="{{_, n, _}, {w, c, e}, {_, s, _}} -> n + w + c + e + s"
    echo "main(a) = let u = loop v = a for i < 3 do stencil({1, 1}, $sum, 0, v) in matmul(u, u) default [[1, 2], [3, 4], [5, 6]]" >prog.bmf
    refused "1:124: $words 3 x 2 and 3 x 2"
    # one that changes them says nothing, before or behind
    echo 'main(a) = let {u, k} = loop {v, k} = {a, 0} while k < 3 do {transpose(v), k + length(matmul(v, transpose(v)))} in matmul(u, a) default [[1, 2], [3, 4], [5, 6]]' >prog.bmf
    run "$BMF_BIN_DIR/bmf" run prog.bmf
    assert_output "[[35, 44], [44, 56]]"
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
    echo 'main(m) = transpose(split(2, m)) default [[1], [2], [3, 4]]' >parts.bmf
    echo 'main(m) = transpose(split(2, m)) default [[1], [2, 3], [4]]' >part.bmf
    for ranks in 1 2; do
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run parts.bmf
        assert_equal "$status" 2
        assert_line --index 0 --partial "parts.bmf:1:11: transpose needs rows of equal length: in part 1 they have 2 elements, in those before it 1"
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run part.bmf
        assert_equal "$status" 2
        assert_line --index 0 --partial "part.bmf:1:11: transpose needs rows of equal length: row 1 has 2 elements, row 0 has 1 (element 0 of transpose at 1:11)"
    done
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

# GSL's BLAS is there wherever bmf is.
@test "in the free mode products of reals are a BLAS library's, of slices too, and the one that is asked for" {
    python3 -c "
import numpy
r = numpy.random.default_rng(7)
for name, shape in (('a', (103, 41)), ('b', (41, 67))): numpy.save(name, r.standard_normal(shape))"
    echo 'main(a, b) = {a |> split(procs) |> map(part -> matmul(part, b)) |> reduce(++), matmul(a[3 ..< 99, 5 ..< 30], b[9 ..< 34, _]), matmul(b[9 ..< 9, 0 ..< 3], a[0 ..< 3, _])}' >p.bmf
    reference='
import numpy, sys
a, b = numpy.load("a.npy"), numpy.load("b.npy")
whole, part, none = [numpy.array(m) for m in eval(sys.stdin.read().replace("{", "[").replace("}", "]"))]
assert numpy.allclose(whole, a @ b, rtol=0, atol=1e-12) and numpy.allclose(part, a[3:99, 5:30] @ b[9:34], rtol=0, atol=1e-12) and none.size == 0'
    for ranks in 1 3; do
        run --separate-stderr env BMF_BLAS=libgslcblas.so.0 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run p.bmf --arg a.npy --arg b.npy --free
        assert_success
        free=$output
        python3 -c "$reference" <<<"$free"
        run --separate-stderr "$BMF_BIN_DIR/bmf" run p.bmf --arg a.npy --arg b.npy
        assert_success
        own=$output
        [ "$own" != "$free" ] # the library adds in another order
        for none in 0 ""; do
            BMF_BLAS=$none run --separate-stderr "$BMF_BIN_DIR/bmf" run p.bmf --arg a.npy --arg b.npy --free
            assert_output "$own"
            BMF_BLAS=libnothing.so run --separate-stderr "$BMF_BIN_DIR/bmf" run p.bmf --arg a.npy --arg b.npy
            assert_output "$own" # nobody asks for it
        done
    done
    for ranks in 1 3; do
        run env BMF_BLAS=libnothing.so "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run p.bmf --arg a.npy --arg b.npy --free
        assert_failure 2
        assert_line --index 0 --regexp "^bmf: BMF_BLAS: libnothing.so: cannot open"
        run env BMF_BLAS=libm.so.6 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run p.bmf --arg a.npy --arg b.npy --free
        assert_failure 2
        assert_line --index 0 "bmf: BMF_BLAS: libm.so.6 has no cblas_dgemm"
    done
}
