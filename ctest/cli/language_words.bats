#!/usr/bin/env bats
# Reductions by key, sorting and grouping by key, shifts and stencils in the language: NumPy's values, whatever the processors, and
# the messages that docs/language.md says.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    unset BMF_PROCS BMF_TRACE BMF_SCHEDULE BMF_PLAN BMF_FREE
    export BMF_THREADS=2
}

@test "values are those of NumPy, messages those of the documents" {
    run python3 "$BMF_SOURCE_DIR/ctest/cli/language_words.py"
    assert_success
}

@test "a run sends what a prediction sends" {
    cd "$BATS_TEST_TMPDIR"
    echo 'main(xs) = xs |> split(procs) |> stencil(2, {_, a, b, c, _} -> a + b + c, 0) |> map(p -> map(x -> {x mod 5, 1}, p)) |>
        reduce_by_key(+, 0, 5) default [1, 2, 3, 4, 5, 6, 7, 8, 9]' > words.bmf
    run --separate-stderr "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run words.bmf --procs 4 --stats
    assert_success
    assert_output "[1, 2, 2, 2, 2]" # of 3, 6, 9, 12, 15, 18, 21, 24, 17 modulo 5
    sent=$(grep -o "[0-9]* messages, [0-9]* bytes" <<< "$stderr" | head -1)
    run "$BMF_BIN_DIR/bmf" predict words.bmf --machine fast-cluster --procs 4 --json
    assert_success
    run python3 -c 'import json, sys; r = json.load(sys.stdin)["runs"][0]; print(r["messages"], "messages,", r["bytes"], "bytes")' <<< "$output"
    assert_output "$sent"
}

@test "of stencils over the blocks of a grid a run sends what a prediction sends" {
    cd "$BATS_TEST_TMPDIR"
    cat > planes.bmf <<'END'
main(m) = join(loop b = split({3, 2}, m) for i < 4 do
    stencil({1, 1}, {{a, _, _}, {w, u, e}, {_, s, c}} -> (a + s - w * e + c) mod 97, {above: 1, below: u -> u, left: ring, right: ring}, b))
default [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]
END
    cat > cubes.bmf <<'END'
main(m) = join(stencil({1, 1, 1}, {{_, {_, n, _}, _}, {_, {a, u, _}, s}, p} -> n + a + u, 1, split({2, 3, 2}, [m, m, m])))
default [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]
END
    for program in planes:6 cubes:12; do
        for ranks in 1 3; do
            run --separate-stderr "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run ${program%:*}.bmf --procs ${program#*:} --stats --trace run.trace
            assert_success
            sent=$(grep -o "[0-9]* messages, [0-9]* bytes" <<< "$stderr" | head -1)
            run "$BMF_BIN_DIR/bmf" predict ${program%:*}.bmf --machine fast-cluster --procs ${program#*:} --json --trace predicted.trace
            assert_success
            run python3 -c 'import json, sys; r = json.load(sys.stdin)["runs"][0]; print(r["messages"], "messages,", r["bytes"], "bytes")' <<< "$output"
            assert_output "$sent"
            run "$BMF_BIN_DIR/bmf" compare run.trace predicted.trace
            assert_output --partial "Messages and bytes are equal in both."
        done
    done
}

@test "stencils of blocks of a grid that do not fit it are refused, and failures say where, on one rank and on several" {
    cd "$BATS_TEST_TMPDIR"
    data='default [[1, 2, 3], [3, 7, 4], [3, 4, 7]]'
    echo "main(m) = stencil(1, {a, b, c} -> b, split({2, 2}, m)) $data" > list.bmf
    echo "main(m) = stencil({1, 1, 1}, w -> 1, split({2, 2}, m)) $data" > cube.bmf
    echo "main(m) = stencil({1, 1}, {_, {_, x, _}, _} -> x, true, split({2, 2}, m)) $data" > edge.bmf
    echo "main(m) = stencil({1, 1}, {_, {_, x, _}, _} -> x, {above: 1, below: 1, left: 1, right: [1]}, split({2, 2}, m)) $data" > edges.bmf
    echo "main(m) = stencil({1, 1}, {_, {_, x, _}, _} -> x, 0, map(b -> filter(r -> length(r) > 1, b), split({2, 2}, m))) $data" > fit.bmf
    echo "main(m) = stencil({1, 1}, {_, {_, x, _}, _} -> 10 / (x - 7), 0, split({2, 2}, m)) $data" > zero.bmf
    echo "main(m) = stencil({1, 1}, {_, {_, x, _}, _} -> x, u -> 10 / (u - 4), split({2, 2}, m)) $data" > beyond.bmf
    echo "main(m) = loop b = split({2, 2}, m) for i < 5 do stencil({1, 1}, {_, {_, x, _}, _} -> if i == 3 then 10 / (x - 7) else x, b) $data" > late.bmf
    for ranks in 1 2 4; do
        while read -r name text; do
            run timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run "$name.bmf" --procs 4
            assert_equal "$status" 2
            assert_line --index 0 --partial "bmf: $name.bmf:1:$text"
            assert_line --index 2 --partial "^"
            assert_equal "${#lines[@]}" 3
        done <<'END'
list 11: stencil in 1 dimension cannot take the blocks of a grid of 2 dimensions
cube 11: stencil in 3 dimensions cannot take the blocks of a grid of 2 dimensions
edge 51: the default of stencil must go with the elements, found int and bool
edges 88: the default of stencil must go with the elements, found int and [int]
fit 11: stencil needs blocks that fit each other: block {0, 1} has 0 rows, its neighbours 2
zero 51: /: 10 is divided by zero
beyond 59: /: 10 is divided by zero
late 105: /: 10 is divided by zero
END
    done
}

@test "a loop of stencils agrees about nothing: neither how long the parts are nor whether there is another step" {
    cd "$BATS_TEST_TMPDIR"
    collectives() { "$BMF_BIN_DIR/bmf" trace "$1" | awk '$4 == "collective" { print $1 }'; }
    "$MPIRUN" -n 3 "$BMF_BIN_DIR/bmf" run "$BMF_SOURCE_DIR/examples/28-jacobi.bmf" --trace run.trace
    "$BMF_BIN_DIR/bmf" predict "$BMF_SOURCE_DIR/examples/28-jacobi.bmf" --machine fast-cluster --procs 3 --trace predicted.trace
    [ "$(collectives run.trace)" -lt 100 ] # of 3 ranks in 100 steps
    assert_equal "$(collectives predicted.trace)" "$(collectives run.trace)"
    echo 'main(m) = join(loop b = split({2, 2}, m) for i < 100 do
        stencil({1, 1}, {_, {w, _, e}, _} -> w + e, 0.0, map(b -> map(r -> map(x -> 0.5 * x, r), b), b)))
    default [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]' > blocks.bmf
    "$MPIRUN" -n 3 "$BMF_BIN_DIR/bmf" run blocks.bmf --procs 4 --trace run.trace
    [ "$(collectives run.trace)" -lt 100 ]
}

@test "the inside is computed while edges are on their way, in runs and in predictions" {
    cd "$BATS_TEST_TMPDIR"
    cat > planes.bmf <<'END'
main(rows) = rows |> split(3) |> stencil({1, 1}, {{_, n, _}, {w, u, e}, {_, s, _}} -> n + s + w + e - 4 * u,
    {above: 1, below: 0, left: ring, right: ring}) |> reduce(++)
default [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3], [4, 5, 6], [7, 8, 9]]
END
    "$MPIRUN" -n 3 "$BMF_BIN_DIR/bmf" run planes.bmf --trace run.trace
    "$BMF_BIN_DIR/bmf" predict planes.bmf --machine fast-cluster --procs 3 --trace predicted.trace
    for of in run predicted; do
        "$BMF_BIN_DIR/bmf" convert "$of.trace" --to csv -o "$of.csv"
        for lane in 0 1 2; do # what it does in the stencil, in order
            run bash -c "grep '^[01],$lane,.*P_Stencil' $of.csv | awk -F, '\$4 != \"skeleton\" && \$4 != \"region\"' |
                sort -t, -sk10,10n | awk -F, '{ print \$4, \$6 }' | tr -d '\"' | uniq"
            assert_output "$(printf '%s\n' 'send ' 'kernel stencil' 'receive ' 'wait ' 'kernel edges')"
        done
    done
}

@test "steps of loops leave alone what older steps made and somebody holds" {
    cd "$BATS_TEST_TMPDIR"
    cat > held.bmf <<'END'
let next(parts) = stencil(1, {a, b, c} -> (2 * a + b + 3 * c) mod 1009, ring, parts)
main(n, xs) =
    let {n, k, first, before, now} = loop {n, k, first, before, now} = {n, 1, split(3, xs), split(3, xs), next(split(3, xs))}
        while n * k < 4000 do {n + 3, k + (k * n) mod 5, first, now, next(next(before))} in
    {n, k, reduce(++, first), reduce(++, before), reduce(++, now)}
default {2, [5, 8, 1, 0, 7, 3, 9, 2, 6, 4]}
END
    cat > grow.bmf <<'END'
main(rows) = loop rows = rows for i < 7 do
    map(row -> let k = (loop k = length(row) while k > 3 do k / 2) in row ++ [k + reduce(+, 0, row) mod 7], rows)
default [[1], [], [4, 5, 6], [2, 2]]
END
    cat > beyond.bmf <<'END'
main(xs) = let {n, parts} = loop {n, parts} = {7, split(3, xs)} while n > 0 do {n * 10, stencil(1, {a, b, c} -> (a + b + c) mod 9, 0, parts)} in
    {n, reduce(++, parts)}
default [1, 2, 3, 4, 5]
END
    python3 - > expected <<'END'
def next(xs):
    n = len(xs)
    return [(2 * xs[i - 1] + xs[i] + 3 * xs[(i + 1) % n]) % 1009 for i in range(n)]
n, k, first = 2, 1, [5, 8, 1, 0, 7, 3, 9, 2, 6, 4]
before, now = first, next(first)
while n * k < 4000:
    n, k, before, now = n + 3, k + k * n % 5, now, next(next(before))
print("{" + ", ".join(map(str, [n, k, first, before, now])) + "}")
rows = [[1], [], [4, 5, 6], [2, 2]]
for _ in range(7):
    made = []
    for row in rows:
        k = len(row)
        while k > 3:
            k //= 2
        made.append(row + [k + sum(row) % 7])
    rows = made
print(rows)
END
    for ranks in 1 2 3 5; do
        for threads in 1 3; do
            for program in held grow; do
                BMF_THREADS=$threads "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run $program.bmf
            done > found
            run diff expected found
            assert_output ""
        done
        run timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run beyond.bmf
        assert_equal "$status" 2
        assert_line --index 0 "bmf: beyond.bmf:1:83: * of 7000000000000000000 and 10 is too large for 64 bits"
    done
}

@test "loops of stencils whose parts change, or whose end is seen ahead" {
    cd "$BATS_TEST_TMPDIR"
    cat > change.bmf <<'END'
main(xs) =
    let parts = loop parts = split(3, xs) for i < 3 do
        map(part -> filter(x -> x > 0, part), stencil(1, {a, b, c} -> a + 2 * b - c, 1, parts)) in
    reduce(++, parts)
default [1, 5, 2, 7, 3, 9, 1, 2, 8, 4]
END
    cat > keep.bmf <<'END'
main(k, xs) =
    let parts = loop parts = split(3, xs) for i < 3 do
        map(part -> map(x -> x mod 10, part), stencil(1, {a, b, c} -> k * a + 2 * b - c, 1, parts)) in
    reduce(++, parts)
default {3, [1, 5, 2, 7, 3, 9, 1, 2, 8, 4]}
END
    cat > ahead.bmf <<'END'
main(xs) =
    let {n, m, k, parts} = loop {n, m, k, parts} = {0, 7, 0, split(3, xs)} while n * m < 1000000 do
        {n + m, m + 1, k + 1, stencil(1, {a, b, c} -> (a + c) mod 11, parts)} in
    {n, m, k, reduce(++, parts)}
default [1, 0, 0, 0, 0, 0, 0, 2]
END
    python3 - > expected <<'END'
import math
def step(xs, f, beyond=None):
    n = len(xs)
    at = lambda i: xs[i % n] if beyond is None else xs[i] if 0 <= i < n else beyond
    return [f(at(i - 1), xs[i], at(i + 1)) for i in range(n)]
change = keep = [1, 5, 2, 7, 3, 9, 1, 2, 8, 4]
for _ in range(3):
    change = [x for x in step(change, lambda a, b, c: a + 2 * b - c, 1) if x > 0]
    keep = [int(math.fmod(x, 10)) for x in step(keep, lambda a, b, c: 3 * a + 2 * b - c, 1)]
n, m, k, xs = 0, 7, 0, [1, 0, 0, 0, 0, 0, 0, 2]
while n * m < 1000000:
    n, m, k, xs = n + m, m + 1, k + 1, step(xs, lambda a, b, c: (a + c) % 11)
assert k > 64 # further than is looked ahead at once
print(change), print(keep), print(f"{{{n}, {m}, {k}, {xs}}}")
END
    for ranks in 1 3; do
        for name in change keep ahead; do
            "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run $name.bmf
        done > found
        diff expected found
    done
    # the first failure, of the loop's end or of what is done before, wherever it is seen
    echo 'main(xs) = let {n, ps} = loop {n, ps} = {0, split(4, xs)} while 100 / (9 - n) >= 0 do
        {n + 1, stencil(1, {a, b, c} -> a + b, 0, ps)} in {n, reduce(++, ps)} default [1, 2, 3, 4]' > end.bmf
    echo 'main(xs) = let {n, ps} = loop {n, ps} = {0, split(4, xs)} while 100 / (9 - n) >= 0 do
        {n + 1, stencil(1, {a, b, c} -> a + b * c, 0, ps)} in {n, reduce(++, ps)} default [1, 2, 3, 4, 5, 6, 7, 8]' > step.bmf
    for ranks in 1 3; do
        run --separate-stderr "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run end.bmf --procs 4
        assert_failure 2
        assert_equal "${stderr%%$'\n'*}" "bmf: end.bmf:1:69: /: 100 is divided by zero"
        run --separate-stderr "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run step.bmf --procs 4
        assert_failure 2
        [[ $stderr == "bmf: step.bmf:2:47: * of "*" is too large for 64 bits (element "* ]]
    done
}

@test "failures say where, on one rank and on several" {
    cd "$BATS_TEST_TMPDIR"
    echo 'main(n, xs) = xs |> split(3) |> map(p -> map(x -> {x, x}, p)) |> reduce_by_key(+, 0, n) default {2, [0, 1, 2, 1]}' > key.bmf
    echo 'main(n, xs) = xs |> split(3) |> map(p -> map(x -> {0, x}, p)) |> reduce_by_key(*, 1, n)
default {1, [9223372036854775807, 1, 2]}' > large.bmf
    echo 'main(n, xs) = xs |> split(3) |> map(p -> map(x -> {0, x}, p)) |> reduce_by_key(*, 1, n) default {-1, [0]}' > less.bmf
    echo 'main(n, xs) = xs |> split(3) |> stencil(1, {a, b, c} -> a / b, 1) default {-1, [1, 0]}' > zero.bmf
    for ranks in 1 2 3; do
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run key.bmf
        assert_equal "$status" 2
        assert_line --index 0 --partial "key.bmf:1:66: reduce_by_key: key 2 at position 2 is not one of 0 to 1"
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run large.bmf
        assert_equal "$status" 2
        assert_line --index 0 --partial "large.bmf:1:80: reduce_by_key: the operator failed: an int too large for 64 bits"
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run less.bmf
        assert_equal "$status" 2
        assert_line --index 0 --partial "less.bmf:1:66: reduce_by_key: -1 is no length"
        run "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run zero.bmf
        assert_equal "$status" 2
        assert_line --index 0 --partial "zero.bmf:1:59: /: 1 is divided by zero"
    done
}

@test "bmf plan says the turns of a loop once, loops inside of loops too" {
    cd "$BATS_TEST_TMPDIR"
    run "$BMF_BIN_DIR/bmf" plan "$BMF_SOURCE_DIR/examples/28-jacobi.bmf" --procs 4
    assert_success
    assert_equal "$(grep -c '^100 times:$' <<< "$output")" 1
    [ "${#lines[@]}" -lt 100 ]
    # a split and a gather of 3 messages, and in each of 100 turns 3 to the right and 3 to the left
    assert_line --regexp "^in all 606 messages, [0-9]+ bytes$"
    cat > nested.bmf <<'END'
main(xs) =
    let parts = loop ps = split(3, xs) for i < 4 do
        shift(1, loop qs = ps for j < 5 do stencil(1, {a, b, c} -> a + b + c, 0, qs)) in
    reduce(++, parts)
default [1, 2, 3]
END
    run "$BMF_BIN_DIR/bmf" plan nested.bmf
    assert_success
    assert_line "4 times:"
    assert_line "    5 times:"
    assert_equal "$(grep -c 'P_Shift of' <<< "$output")" 1
    run "$BMF_BIN_DIR/bmf" plan nested.bmf --json
    assert_equal "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["messages"])' <<< "$output")" $((2 + 4 * (5 * 4 + 3) + 2))
}

@test "a list that is a constant is made once, not for every element" {
    cd "$BATS_TEST_TMPDIR"
    python3 -c 'print("let table = [" + ", ".join(map(str, range(400))) + "]")' > table.bmf
    echo 'main(n) = map(x -> table[x mod 400], 0 ..< n) |> reduce(+, 0) default 300000' >> table.bmf
    run --separate-stderr "$BMF_BIN_DIR/bmf" run table.bmf --stats
    assert_success
    assert_output $((300000 / 400 * (399 * 400 / 2)))
    # 400 ints for each of 300000 elements would be 960 MB
    [ "$(sed -n 's/.*at most \([0-9]*\)[.0-9]* MB a rank.*/\1/p' <<< "$stderr")" -lt 300 ]
}

@test "what is beyond the ends of short lists is made by the processors of the lists, however many a rank has" {
    cd "$BATS_TEST_TMPDIR"
    for ends in 'x -> x * x + 1' '{left: x -> x * x + 1, right: y -> y * 2 - 1}'; do
        cat > short.bmf <<END_OF_PROGRAM
main(rows) = rows |> split(4) |>
    map(part -> part |> map(row -> stencil(2, {a, b, c, d, e} -> a + 2 * b + 3 * c + d - e, $ends, row))) |> reduce(++)
default [[1, 2, 3], [4], [5, 6], [], [7, 8, 9, 10], [1, 1], [2], [3, 4, 5], [6], [7, 8]]
END_OF_PROGRAM
        for ranks in 4 2 1; do
            "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run short.bmf --procs 4 --trace run.trace
            "$BMF_BIN_DIR/bmf" convert run.trace --to csv -o run.csv
            grep ',kernel,' run.csv | cut -d, -f 2,5,6,12 | sort >"kernels$ranks" # processor, path, name, amount
            [ "$(grep -c scalar "kernels$ranks")" -ge 4 ]
            run diff kernels4 "kernels$ranks"
            assert_success
        done
    done
}
