#!/usr/bin/env bats
# Programs in the notation run as those in the core do, alone and mixed; bmf core, notation and format.

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

sum_of_squares()
{
    cat >prog.bmf <<'END'
# The sum of squares.
let square(x) = x * x
let sum(xs) = reduce(+, 0, xs)

main(xs) = xs |> split(procs) |> map(part -> sum(map(square, part))) |> reduce(+)
default [1, 2, 3]
END
}

@test "a program in the notation runs on any number of ranks, from its text, --arg and a .npy file" {
    sum_of_squares
    for ranks in 1 3; do
        bmf "$ranks" run prog.bmf
        assert_success
        assert_output 14
        assert_equal "$stderr" ""
    done
    echo '[1, 2, 3, 4]' >data.bmfdata
    bmf 2 run prog.bmf --arg data.bmfdata
    assert_output 30
    printf 'main(n) = 0 ..< n\ndefault 5\n' >make.bmf
    bmf 1 run make.bmf --out five.npy
    assert_success
    bmf 2 run prog.bmf --arg five.npy
    assert_output 30
}

@test "check, plan and predict take the notation" {
    sum_of_squares
    bmf 1 check prog.bmf
    assert_output int
    bmf 1 plan prog.bmf --procs 4
    assert_success
    assert_output --partial "in all 6 messages, 40 bytes"
    bmf 1 predict prog.bmf --machine ideal --procs 4
    assert_success
}

@test "plans have the names of the user's definitions, and each definition once" {
    cat >prog.bmf <<'END'
let square(x) = x * x
let far({x, y}) = square(x) + square(y) > 1.0
let norms(ps) = ps |> filter(far) |> map({x, y} -> sqrt(square(x) + square(y)))
main(ps) = ps |> split(3) |> map(norms) |> reduce(++)
default [{1.0, 2.0}, {0.5, 0.25}]
END
    bmf 1 plan prog.bmf
    assert_success
    ran=${output#*$'\nwhat runs'} ran=${ran%%$'\nkernels:'*}
    [[ $ran == *'P_Map ($norms)'* ]] || fail "$ran"
    for name in square far norms; do
        assert_equal "$(grep -c "^    \$$name, .* =\$" <<<"$ran")" 1
    done
    assert_equal "$(grep -c 'B_Op (B_Times)' <<<"$ran")" 1
}

@test "plans say at which place laws apply and kernels stand, with the names of definitions" {
    cat >prog.bmf <<'END'
let square(x) = x * x
let norm(xs) = reduce(+, 0.0, map(square, xs))
main(xs) = xs |> split(procs) |> map(norm) |> reduce(+)
default [1.0, 2.0]
END
    bmf 1 plan prog.bmf
    assert_success
    assert_line "  map-reduce fusion at prog.bmf:2:16: reduce op o map f in one pass"
    assert_line '   -> <B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0.0)) . B_Map ($square)>'
    assert_line --regexp '^  [0-9]+ at prog.bmf:1:17: \$square$'
    assert_line --regexp '^  [0-9]+ at prog.bmf:3:54: B_Op \(B_Plus\)$'
}

@test "a program without parameters needs no data, and takes no argument" {
    echo 'main = 0 ..< 4 |> map(x -> x * x)' >prog.bmf
    bmf 2 run prog.bmf
    assert_output "[0, 1, 4, 9]"
    bmf 1 run prog.bmf --arg prog.bmf
    assert_failure 2
    assert_regex "$stderr" "main has no parameters, so --arg has nothing to be"
}

@test "libraries and programs of both kinds mix" {
    echo '$Square = B_Op (B_Times) . B_Alltup [B_Id, B_Id]' >core.bmf
    echo 'let twice(x) = x + x' >notation.bmf
    echo 'main(x) = twice(Square(x)) default 3' >prog.bmf
    bmf 2 run prog.bmf --library core.bmf --library notation.bmf
    assert_output 18
    echo '$twice . $Square 3' >prog.bmf
    bmf 2 run prog.bmf --library notation.bmf --library core.bmf
    assert_output 18
}

@test "errors are said in the words of the notation, while it runs too" {
    echo 'main(xs) = map(x -> xs[x], xs) default [0, 1, 7]' >prog.bmf
    for ranks in 1 3; do
        bmf "$ranks" run prog.bmf
        assert_failure 2
        assert_output ""
        assert_equal "$(head -1 <<<"$stderr")" \
            "bmf: prog.bmf:1:23: xs[i]: index 7 is outside a list of 3 elements (element 2 of map at 1:12)"
    done
}

@test "core and notation are the way there and back" {
    sum_of_squares
    run --separate-stderr "$BMF_BIN_DIR/bmf" core prog.bmf
    assert_success
    assert_output '# The sum of squares.
$square = B_Op (B_Times) . B_Alltup [B_Id, B_Id]
$sum = B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))

B_Reduce (B_Op (B_Plus)) . B_Map ($sum . B_Map ($square)) . P_Split (B_Procs) (B_Num 0)

[1, 2, 3]'
    echo "$output" >core.bmf
    run --separate-stderr "$BMF_BIN_DIR/bmf" notation core.bmf
    assert_success
    assert_output '# The sum of squares.
let square(x) = x * x
let sum(xs) = reduce(+, 0, xs)

main(xs) = split(procs, xs) |> map(ys -> sum(map(square, ys))) |> reduce(+)
default [1, 2, 3]'
    echo "$output" >back.bmf
    run --separate-stderr "$BMF_BIN_DIR/bmf" core back.bmf
    assert_success
    assert_equal "$output" "$(cat core.bmf)"
}

@test "the core of all examples survives the way to the notation and back" {
    for core in "$BMF_SOURCE_DIR"/examples/*.bmf "$BMF_SOURCE_DIR"/examples/*/*.bmf; do
        "$BMF_BIN_DIR/bmf" core "$core" | sed '/^ *#/d; /^ *$/d' >first.bmf
        "$BMF_BIN_DIR/bmf" notation first.bmf >notation.bmf
        "$BMF_BIN_DIR/bmf" core notation.bmf | sed '/^ *#/d; /^ *$/d' >second.bmf
        "$BMF_BIN_DIR/bmf" notation second.bmf >again.bmf
        diff notation.bmf again.bmf
        "$BMF_BIN_DIR/bmf" format notation.bmf >formatted.bmf
        "$BMF_BIN_DIR/bmf" format formatted.bmf | diff formatted.bmf -
        "$BMF_BIN_DIR/bmf" core formatted.bmf | sed '/^ *#/d; /^ *$/d' | diff second.bmf -
    done
}

@test "format: standard output, in place, --check; a file that does not parse is left alone" {
    printf 'main( xs )=reduce( +,xs) # all\n' >prog.bmf
    run "$BMF_BIN_DIR/bmf" format --check prog.bmf
    assert_failure 1
    assert_output prog.bmf
    run "$BMF_BIN_DIR/bmf" format prog.bmf
    assert_success
    assert_output 'main(xs) = reduce(+, xs)  # all'
    run "$BMF_BIN_DIR/bmf" format --in-place prog.bmf
    assert_success
    assert_output ""
    assert_equal "$(cat prog.bmf)" 'main(xs) = reduce(+, xs)  # all'
    run "$BMF_BIN_DIR/bmf" format --check prog.bmf
    assert_success
    echo 'main( = 1' >wrong.bmf
    run "$BMF_BIN_DIR/bmf" format --in-place wrong.bmf
    assert_failure 2
    assert_equal "$(cat wrong.bmf)" 'main( = 1'
    echo 'B_Id 1' >core.bmf
    run "$BMF_BIN_DIR/bmf" format core.bmf
    assert_failure 2
    assert_line -n 0 "bmf: core.bmf:1:1: this is core language; bmf notation FILE prints the notation of it"
}

@test "arguments go to the parameters of main by name, or in order" {
    echo 'main(xs, n) = map(x -> x * n, xs)' >prog.bmf
    echo '[1, 2]' >xs.bmfdata
    echo 10 >n.bmfdata
    for ranks in 1 3; do
        bmf "$ranks" run prog.bmf --arg n=n.bmfdata --arg xs=xs.bmfdata
        assert_success
        assert_output "[10, 20]"
        bmf "$ranks" run prog.bmf --arg xs.bmfdata --arg n.bmfdata
        assert_output "[10, 20]"
        bmf "$ranks" run prog.bmf --arg n=n.bmfdata --arg xs.bmfdata
        assert_output "[10, 20]"
        bmf "$ranks" run prog.bmf --arg m=n.bmfdata --arg xs.bmfdata
        assert_failure 2
        assert_equal "$stderr" "bmf: --arg m=n.bmfdata: main has no parameter m"
        bmf "$ranks" run prog.bmf --arg n=n.bmfdata --arg n=xs.bmfdata
        assert_failure 2
        assert_equal "$stderr" "bmf: --arg n=xs.bmfdata: the parameter is given twice"
        bmf "$ranks" run prog.bmf --arg n=n.bmfdata
        assert_failure 2
        assert_equal "$stderr" "bmf: parameter 1 of main, xs, has no --arg"
    done
}

# library VALUE EXPRESSION: of the installed libraries
library()
{
    echo "main = $2" >prog.bmf
    bmf 2 run prog.bmf --library lists --library numbers --library matrices
    assert_success
    assert_output "$1"
}

@test "every definition of the installed libraries is named by the library that has it" {
    for library in lists numbers matrices; do
        for name in $(sed -n 's/^let \([a-z_]*\).*/\1/p' "$BMF_SOURCE_DIR/examples/library/$library.bmf"); do
            run "$BMF_BIN_DIR/bmf" run <(echo "main(x) = $name(x) default 1")
            assert_failure 2
            assert_line --index 0 --partial "1:11: $name is not defined; it is in the library $library: --library $library"
        done
    done
}

@test "the installed libraries are found by name, and do what they say" {
    library 2 'count([true, false, true])'
    library true 'any([false, true])'
    library false 'any([false])'
    library false 'all([true, false])'
    library '[{0, 5}, {1, 6}]' 'enumerate([5, 6])'
    library '[7, 7, 7]' 'repeat(3, 7)'
    library '[1, 2]' 'take(2, [1, 2, 3])'
    library '[3]' 'drop(2, [1, 2, 3])'
    library '[[1, 2], [2, 3]]' 'windows(2, [1, 2, 3])'
    library '[[1, 2], [3]]' 'chunks(2, [1, 2, 3])'
    library 32 'dot([1, 2, 3], [4, 5, 6])'
    library 2.0 'mean([1, 2, 3])'
    library 5.0 'norm([3, 4])'
    library '[0.0, 0.5, 1.0]' 'linspace(0, 1, 3)'
    library 1 'argmax([1, 7, 7])'
    library 0 'argmin([1, 7, 1])'
    library '[2, 4, 6]' 'column(1, [[1, 2], [3, 4], [5, 6]])'
    library '[[5, 6], [1, 2]]' 'rows([2, 0], [[1, 2], [3, 4], [5, 6]])'
    library '[[2], [4]]' '[[1, 2], [3, 4]] |> columns([1])'
    library '[5, 11]' 'matvec([[1, 2], [3, 4]], [1, 2])'
    library '[[1.0, 0.0], [0.0, 1.0]]' 'unit(2)'
}

@test "examples in the notation: regression, k-means, Jacobi" {
    bmf 2 run "$BMF_SOURCE_DIR/examples/26-regression.bmf"
    assert_output "{1.0, 2.0}"
    bmf 3 run "$BMF_SOURCE_DIR/examples/27-k-means-step.bmf"
    assert_output "[{0.1, 0.1}, {0.5, 0.8}, {0.9, 0.1}]"
    python3 - >expected <<'END'
u = [1.0] + [0.0] * 6 + [2.0]
for step in range(100):
    u = [u[0]] + [0.5 * (u[i - 1] + u[i + 1]) for i in range(1, 7)] + [u[7]]
print("[" + ", ".join(map(repr, u)) + "]")
END
    for ranks in 1 3; do
        bmf "$ranks" run "$BMF_SOURCE_DIR/examples/28-jacobi.bmf"
        assert_output "$(cat expected)"
    done
}

@test "examples in the notation: 1000 steps of Jacobi in the plane" {
    python3 - >expected <<'END'
import numpy as np
u = np.random.default_rng(7).uniform(0, 1, (9, 7))
np.save("grid.npy", u)
changes = []
for step in range(1000):
    v = u.copy()
    v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    if step % 100 == 99:
        changes.append(np.abs(v - u).max())
    u = v
np.save("relaxed.npy", u)
print("\n".join(f"change of step {100 * k + 100}: {x:.17g}" for k, x in enumerate(changes)), file=open("changes", "w"))
print("{[" + ", ".join(repr(float(x)) for x in changes) + "], [" +
      ", ".join("[" + ", ".join(repr(float(x)) for x in row) + "]" for row in u) + "]}")
END
    for ranks in 1 3; do
        bmf "$ranks" run "$BMF_SOURCE_DIR/examples/30-jacobi-plane.bmf" --arg grid.npy
        assert_output "$(cat expected)"
        # the same in plain MPI, which times are compared with
        run "$MPIRUN" -n "$ranks" "$BMF_BUILD_DIR/mpi/jacobi" grid.npy 1000 out.npy
        assert_success
        assert_equal "$(head -n 10 <<< "$output")" "$(cat changes)"
        python3 -c 'import numpy as np; assert (np.load("out.npy") == np.load("relaxed.npy")).all()'
    done
    run --separate-stderr "$MPIRUN" -n 2 "$BMF_BUILD_DIR/mpi/jacobi" expected 10
    assert_failure 2
    assert_equal "$stderr" "jacobi: expected: not a .npy file of a grid of 8-byte floats"
}

@test "heat in a brick: NumPy's temperatures, to the bit, and 2 messages a part and step" {
    python3 - <<'END'
import numpy as np
u = np.random.default_rng(8).uniform(0, 100, (7, 5, 6))
np.save("brick.npy", u)
for step in range(200):
    w = np.pad(u, 1, "edge")
    w[0, 1:-1, 1:-1], w[-1, 1:-1, 1:-1] = 2.0 * 100.0 - u[0], 2.0 * 0.0 - u[-1]
    inside = slice(1, -1)
    around = w[:-2, inside, inside] + w[2:, inside, inside] + w[inside, :-2, inside] + w[inside, 2:, inside] + w[inside, inside, :-2] + w[inside, inside, 2:]
    u = u + 0.125 * (around - 6.0 * u)
np.save("warm.npy", u)
END
    for ranks in 1 3; do
        bmf "$ranks" run "$BMF_SOURCE_DIR/examples/32-heat-brick.bmf" --arg brick.npy --stats
        assert_success
        echo "$output" | tr '{}' '()' > found
        python3 -c 'import ast, numpy as np; means, u = ast.literal_eval(open("found").read()); warm = np.load("warm.npy")
assert (np.array(u) == warm).all() and np.allclose(means, warm.mean(axis=(1, 2)))'
    done
    [[ "$stderr" == *" $((200 * 4 + 2 + 2)) messages"* ]] # of 3 parts: steps, two results; every rank reads its part
}

@test "check --notes says what is sent to all processors" {
    cat >prog.bmf <<'END'
let near(p, cs) = reduce(min, map(c -> abs(p - c), cs))
main(xs) =
    let cs = [1.0, 5.0] in
    xs |> split(procs) |> map(part -> map(x -> near(x, cs), part)) |> reduce(++)
default [1.0, 2.0, 7.0]
END
    bmf 1 check prog.bmf --notes --procs 4
    assert_success
    assert_output "prog.bmf:4:56: cs is sent to all processors: [real]
[real]"
    cat >words.bmf <<'END'
main(k, n, xs) =
    xs |> split(procs) |> stencil(1, {a, b, c} -> k * (a + c) - n * b, 0) |> sort_by(x -> k * x) |> reduce(++)
default {-2, 3, [3, 1, 2, 5]}
END
    bmf 1 check words.bmf --notes --procs 4
    assert_success
    assert_output "words.bmf:2:78: k is sent to all processors: int
words.bmf:2:27: k, n is sent to all processors: {int, int}
[int]"
    for ranks in 1 2 3; do
        bmf "$ranks" run words.bmf --procs 3
        assert_success
        assert_output "[-11, -13, -18, -19]" # of [0,] 3, 1, 2, 5[, 0]
    done
    echo 'main(k, xs) = xs |> split(3) |> group(x -> x * k mod 3) |> reduce(++) default {2, [5, 1, 2, 3, 4, 9, 7]}' >groups.bmf
    bmf 1 check groups.bmf --notes
    assert_line --index 0 "groups.bmf:1:33: k is sent to all processors: int"
    for ranks in 1 2; do
        bmf "$ranks" run groups.bmf
        assert_output "[{0, [3, 9]}, {1, [5, 2]}, {2, [1, 4, 7]}]"
    done
}

@test "a program without data says where they belong" {
    printf 'main(xs) =\n    length(xs)\n\n' >prog.bmf
    bmf 2 run prog.bmf
    assert_failure 2
    assert_equal "${stderr_lines[0]}" "bmf: prog.bmf:2:15: the program has no data; write default DATA behind main or give a file with --arg"
    echo 'B_Id' >prog.bmf
    bmf 1 run prog.bmf
    assert_failure 2
    assert_equal "${stderr_lines[0]}" "bmf: prog.bmf:1:5: the program has no data; write it behind the expression or give a file with --arg"
}

# sends_at_most BYTES: what the last run says it sent between ranks
sends_at_most()
{
    local bytes
    bytes=$(sed -nE 's/.*\([0-9]+ messages?, ([0-9]+) bytes? between ranks\).*/\1/p' <<<"$stderr")
    [ -n "$bytes" ] || fail "no bytes in: $stderr"
    [ "$bytes" -le "$1" ] || fail "$bytes bytes, more than $1: $stderr"
}

@test "an argument that is split and asked for its length is read in parts, wherever that stands" {
    python3 -c "
import numpy as np
np.save('xs.npy', np.arange(30001.0))
np.save('v.npy', np.array([2.0, 3.0]))"
    cat >mean.bmf <<'END'
let sum(xs) = reduce(+, 0.0, xs)
let spread(parts, m) = parts |> map(part -> part |> map(x -> (x - m) * (x - m)) |> sum) |> reduce(+)
main(xs) =
    let n = length(xs) in
    let parts = split(procs, xs) in
    let m = reduce(+, map(sum, parts)) / n in
    {m, spread(parts, m) / length(xs)}
END
    cat >two.bmf <<'END'
let sum(xs) = reduce(+, 0.0, xs)
main(v, xs) =
    let {n, w} = {length(xs), v[1]} in
    let total = split(procs, xs) |> map(part -> sum(map(x -> x * w, part))) |> reduce(+) in
    {total / n, length(xs), length(v)}
END
    cat >whole.bmf <<'END'
main(xs) = {split(procs, xs) |> map(part -> reduce(+, 0.0, part)) |> reduce(+), xs[7]}
END
    for ranks in 1 2 5; do
        bmf "$ranks" run mean.bmf --arg xs.npy --stats
        assert_success
        assert_output "{15000.0, 75005000.0}"
        if [ "$ranks" -gt 1 ]; then sends_at_most 400; fi
        bmf "$ranks" run two.bmf --arg xs=xs.npy --arg v=v.npy --stats
        assert_success
        assert_output "{45000.0, 30001, 2}"
        if [ "$ranks" -gt 1 ]; then sends_at_most 400; fi
        bmf "$ranks" run whole.bmf --arg xs.npy
        assert_success
        assert_output "{450015000.0, 7.0}"
    done
    printf 'main(xs) = split(procs, xs)\n' >only.bmf
    printf 'main(xs) = {length(xs), split(procs, xs), split(2, xs)}\n' >ways.bmf
    python3 -c "import numpy as np; np.save('few.npy', np.arange(3))"
    bmf 2 run only.bmf --arg few.npy
    assert_output "[[0, 1], [2]]"
    bmf 2 run ways.bmf --arg few.npy
    assert_output "{3, [[0, 1], [2]], [[0, 1], [2]]}"
    bmf 2 run only.bmf --arg few.npy --out copy.npy
    assert_success
}
