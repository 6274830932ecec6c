#!/usr/bin/env bats
# Every example gives the answer that numpy (or plain python) computes on its own, at 1, 2 and 5 ranks.

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR"
    if python3 -c 'import numpy' 2>/dev/null; then
        python3 - <<'PYTHON'
import numpy as np
rng = np.random.default_rng(7)
np.save("reals.npy", rng.normal(10.0, 3.0, 54321))
np.save("more.npy", rng.normal(-1.0, 2.0, 54321))
np.save("ints.npy", rng.integers(-1000, 1000, 12345))
np.save("ints2.npy", rng.integers(-50, 50, 12345))
np.save("three.npy", np.array([2.5, -1.0, 2.5]))
np.save("one.npy", np.array([-4.0]))
np.save("empty.npy", np.zeros(0))
np.save("equal.npy", np.full(20000, 7, dtype=np.int64))
np.save("sorted.npy", np.arange(10007, dtype=np.int64))
np.save("falling.npy", np.arange(10007, 0.0, -1.0))
np.save("few.npy", rng.integers(0, 3, 30000))
np.save("odd.npy", np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e308, -1e308] * 9))
np.save("table.npy", np.zeros((4, 5)))
np.save("truth.npy", np.array([True, False]))
np.save("shorts.npy", rng.integers(-1000, 1000, 12345, dtype=np.int32))
np.save("floats.npy", rng.normal(10.0, 3.0, 12345).astype(np.float32))
PYTHON
    fi
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_FILE_TMPDIR"
}

need_numpy()
{
    [ -e reals.npy ] || skip "numpy is not here"
}

# example RANKS NAME ARGUMENT...
example()
{
    local ranks=$1 name=$2
    shift 2
    run --separate-stderr "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/$name" --bmf-threads 1 "$@"
}

# close_to EXPECTED [TOLERANCE]: the numbers of the output, one by one; relative to the largest.
close_to()
{
    printf '%s\n' "$output" >got.txt
    printf '%s\n' "$1" >expected.txt
    python3 - "${2:-1e-12}" <<'PYTHON'
import sys
got = [float(word) for word in open("got.txt").read().split()]
expected = [float(word) for word in open("expected.txt").read().split()]
scale = max([abs(value) for value in expected] + [1e-300])
if len(got) != len(expected) or any(abs(g - e) > float(sys.argv[1]) * scale for g, e in zip(got, expected)):
    sys.exit(f"got {got}, expected {expected}")
PYTHON
}

@test "every example explains itself, and refuses wrong arguments with exit code 2" {
    for name in 01-sum-of-squares 02-mean-variance 03-dot-product 04-histogram 05-maximum-segment-sum 06-sample-sort 07-heat; do
        example 2 "$name" --help
        assert_success
        assert_line --index 0 --partial "usage: mpirun.mpich -n RANKS $name"
        assert_line --partial "Example: mpirun.mpich"
        [ "$(grep -c usage <<<"$output")" -eq 1 ]
        example 2 "$name"
        assert_failure 2
        assert_output ""
        [ "$(grep -c usage <<<"$stderr")" -eq 1 ]
    done
}

@test "every example refuses a file that is not there, once, with exit code 2" {
    for command in "02-mean-variance none.npy" "03-dot-product none.npy none.npy" "04-histogram none.npy 5" \
        "05-maximum-segment-sum none.npy" "06-sample-sort none.npy out.npy"; do
        # shellcheck disable=SC2086
        example 3 $command
        assert_failure 2
        [ "$(grep -c '^bmf: .*none.npy' <<<"$stderr")" -eq 1 ]
    done
    [ ! -e out.npy ]
}

@test "01: the sum of squares" {
    for ranks in 1 2 5; do
        for count in 0 1 2 1000 100000; do
            example "$ranks" 01-sum-of-squares "$count"
            assert_success
            # n (n - 1) (2 n - 1) / 6, below 2^53
            assert_output "$(awk -v n="$count" 'BEGIN { printf "%.17g\n", n * (n - 1) * (2 * n - 1) / 6 }')"
        done
    done
    example 2 01-sum-of-squares -- -3
    assert_failure 2
    example 2 01-sum-of-squares 10x
    assert_failure 2
}

@test "02: mean and variance" {
    need_numpy
    for file in reals ints shorts floats three one; do
        expected=$(python3 -c "
import numpy as np
x = np.load('$file.npy').astype(float)
print('count', len(x)); print('mean', x.mean()); print('variance', x.var()); print('deviation', x.std())")
        for ranks in 1 2 5; do
            example "$ranks" 02-mean-variance "$file.npy"
            assert_success
            output=$(awk '{ print $2 }' <<<"$output") close_to "$(awk '{ print $2 }' <<<"$expected")"
            [ "$(awk '{ print $1 }' <<<"$output")" = "$(awk '{ print $1 }' <<<"$expected")" ]
        done
    done
    example 2 02-mean-variance empty.npy
    assert_failure 2
    [[ $stderr == *"no numbers"* ]]
    example 2 02-mean-variance table.npy
    assert_failure 2
    [[ $stderr == *"[real]"* ]]
    example 2 02-mean-variance truth.npy
    assert_failure 2
    [[ $stderr == *"bool"* ]]
}

@test "03: the dot product" {
    need_numpy
    for pair in "reals more" "ints ints2" "three three" "empty empty"; do
        set -- $pair
        expected=$(python3 -c "
import math, numpy as np
print(repr(math.fsum(float(a) * float(b) for a, b in zip(np.load('$1.npy'), np.load('$2.npy')))))")
        for ranks in 1 2 5; do
            example "$ranks" 03-dot-product "$1.npy" "$2.npy"
            assert_success
            close_to "$expected"
        done
    done
    example 2 03-dot-product reals.npy ints.npy
    assert_failure 2
    [[ $stderr == *54321*12345* ]]
}

@test "04: the histogram" {
    need_numpy
    for command in "reals 20" "reals 7 0 20" "ints 100" "three 4" "one 3" "equal 5" "empty 2" "few 3" "reals 4096"; do
        expected=$(python3 - $command <<'PYTHON'
import sys, numpy as np
x = np.load(sys.argv[1] + ".npy")
window = None if len(sys.argv) < 5 else (float(sys.argv[3]), float(sys.argv[4]))
counts, edges = np.histogram(x, int(sys.argv[2]), window)
for k, count in enumerate(counts):
    print(edges[k], edges[k + 1], count)
PYTHON
)
        for ranks in 1 2 5; do
            # shellcheck disable=SC2086
            example "$ranks" 04-histogram ${command/ /.npy }
            assert_success
            [ "$(awk '{ print $3 }' <<<"$output")" = "$(awk '{ print $3 }' <<<"$expected")" ]
            output=$(awk '{ print $1, $2 }' <<<"$output") close_to "$(awk '{ print $1, $2 }' <<<"$expected")" 1e-9
        done
    done
    for arguments in "reals.npy 0" "reals.npy 5000" "reals.npy x" "reals.npy 5 1" "reals.npy 5 2 1" "odd.npy 5"; do
        # shellcheck disable=SC2086
        example 2 04-histogram $arguments
        assert_failure 2
    done
}

@test "05: the maximum segment sum" {
    need_numpy
    for file in reals ints three one empty falling; do
        expected=$(python3 -c "
import numpy as np
best = here = 0
for x in np.load('$file.npy').tolist():
    here = max(0, here + x)
    best = max(best, here)
print(repr(best))")
        for ranks in 1 2 5; do
            example "$ranks" 05-maximum-segment-sum "$file.npy"
            assert_success
            close_to "$expected"
        done
    done
    # most numbers of `reals` are positive: centre them, so that the best run is a proper one
    python3 -c "import numpy as np; x = np.load('reals.npy'); np.save('centred.npy', np.round(x - 10.01, 3) * 1024 // 1)"
    expected=$(python3 -c "
import numpy as np
best = here = 0.0
for x in np.load('centred.npy').tolist():
    here = max(0.0, here + x)
    best = max(best, here)
print('%.17g' % best)")
    for ranks in 1 2 5; do
        example "$ranks" 05-maximum-segment-sum centred.npy
        assert_output "$expected"
    done
}

@test "06: sample sort" {
    need_numpy
    for file in reals ints three one empty equal sorted falling few odd; do
        for ranks in 1 2 5; do
            rm -f out.npy
            example "$ranks" 06-sample-sort "$file.npy" out.npy
            assert_success
            assert_output ""
            run python3 -c "
import numpy as np
a, b = np.load('$file.npy'), np.load('out.npy')
assert a.dtype == b.dtype and a.shape == b.shape
assert np.array_equal(np.sort(a), b, equal_nan=a.dtype == float)"
            assert_success
        done
    done
    example 2 06-sample-sort table.npy out.npy
    assert_failure 2
}

@test "06: more processors than ranks sort the same" {
    need_numpy
    for processors in 1 3 16; do
        example 2 06-sample-sort --bmf-procs "$processors" reals.npy out.npy
        assert_success
        run python3 -c "
import numpy as np
assert np.array_equal(np.sort(np.load('reals.npy')), np.load('out.npy'))"
        assert_success
    done
}

@test "07: the plate, its changes and its mean are numpy's, with the same bits on any number of ranks and processors" {
    need_numpy
    for size in "20 31 120" "1 9 3" "64 2 51" "3 3 1"; do
        # shellcheck disable=SC2086
        set -- $size
        expected=$(python3 - "$@" <<'PYTHON'
import sys
import numpy as np
rows, columns, steps = map(int, sys.argv[1:])
u = np.zeros((rows, columns))
for step in range(1, steps + 1):
    w = np.zeros((rows + 2, columns + 2))
    w[0, :] = 100.0
    w[1:-1, 1:-1] = u
    new = 0.25 * ((w[:-2, 1:-1] + w[2:, 1:-1]) + (w[1:-1, :-2] + w[1:-1, 2:]))
    if step % 50 == 0 or step == steps:
        print(f"change after {step}: {np.abs(new - u).max():.9g}")
    u = new
np.save("plate.npy", u.ravel())
print(f"mean: {u.mean():.12g}")
PYTHON
)
        for machine in "1 1" "2 6" "5 16"; do
            rm -f out.npy
            example "${machine% *}" 07-heat --bmf-procs "${machine#* }" "$@" out.npy
            assert_success
            assert_output "$expected"
            cmp plate.npy out.npy
        done
    done
    for arguments in "0 5 5" "5 5 x" "5 5" "5 5 5 a b"; do
        # shellcheck disable=SC2086
        example 2 07-heat $arguments
        assert_failure 2
    done
}

@test "08: two pipelines on disjoint processors, with a trace each" {
    for ranks in 1 2 3 5; do
        rm -f both.*.trace
        run --separate-stderr "$MPIRUN" -n "$ranks" env BMF_THREADS=1 "$BMF_BIN_DIR/08-two-groups" 1001 both
        assert_success
        assert_output $'squares 333833500\nlargest prefix 501'
        "$BMF_BIN_DIR/bmf" convert both.squares.trace --to csv -o squares.csv
        "$BMF_BIN_DIR/bmf" convert both.series.trace --to csv -o series.csv
        [ "$(grep -c '"main/scan' squares.csv)" -eq 0 ]
        [ "$(grep -c '"main/scan' series.csv)" -ge 1 ]
        # one lane for every rank of its half, and no message that leaves it
        [ "$(awk -F, '$4 == "kernel" { lanes[$2] } END { print length(lanes) }' squares.csv)" -eq $((ranks == 1 ? 1 : ranks / 2)) ]
        [ "$(awk -F, '$4 == "kernel" { lanes[$2] } END { print length(lanes) }' series.csv)" -eq $(((ranks + 1) / 2)) ]
    done
    for arguments in "" "0" "x" "5 a b"; do
        # shellcheck disable=SC2086
        run "$MPIRUN" -n 2 "$BMF_BIN_DIR/08-two-groups" $arguments
        assert_failure 2
    done
}
