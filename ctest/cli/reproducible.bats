#!/usr/bin/env bats
# Sums of reals have the same bits for every number of ranks, threads and processors, and every algorithm.

bats_require_minimum_version 1.5.0

setup_file()
{
    export EXPECTED=$BATS_FILE_TMPDIR/expected
    "$MPIRUN" -n 1 "$BMF_BIN_DIR/make_checksums" --bmf-threads 1 >"$EXPECTED"
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
}

# compare RANKS OPTION...
compare()
{
    local ranks=$1
    shift
    run --separate-stderr "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/make_checksums" "$@"
    assert_success
    assert_output "$(cat "$EXPECTED")"
}

@test "the checksums are there and differ from each other" {
    run wc -l <"$EXPECTED"
    assert_output 40
    run bash -c "awk '\$2 > 1 { print \$3 }' '$EXPECTED' | sort | uniq -d"
    assert_output ""
}

@test "the sums are the sums: python's exact ones are close" {
    command -v python3 >/dev/null || skip "python3 is not here"
    run python3 - "$EXPECTED" <<'PYTHON'
import math, sys

def number(i):
    mask = (1 << 64) - 1
    z = (i + 1) * 0x9e3779b97f4a7c15 & mask
    z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9 & mask
    return ((z >> 11) * 2.0**-53 - 0.5) * 2.0**(z % 41 - 20)

for line in open(sys.argv[1]):
    word = line.split()
    if word[0] != "reduce" or int(word[1]) > 200000:
        continue
    xs = [number(i) for i in range(int(word[1]))]
    error = abs(float.fromhex(word[2]) - math.fsum(xs))
    assert error <= 40 * 2.0**-53 * math.fsum(map(abs, xs)), line
    assert word[2] == word[3], line
PYTHON
    assert_success
}

@test "threads do not matter" {
    compare 1 --bmf-threads 2
    compare 1 --bmf-threads 3
    compare 1 --bmf-threads 4
}

@test "ranks do not matter" {
    compare 2 --bmf-threads 1
    compare 3 --bmf-threads 2
    compare 5 --bmf-threads 1
    compare 8 --bmf-threads 1
}

@test "processors do not matter" {
    compare 1 --bmf-procs 3
    compare 2 --bmf-procs 7
    compare 3 --bmf-procs 16
    compare 2 --bmf-procs 64
}

@test "algorithms do not matter" {
    for reduction in levels doubling everybody; do
        for scan in levels tree everybody; do
            compare 3 --bmf-procs 5 --bmf-schedule "reduce=$reduction,scan=$scan"
        done
    done
}

@test "the free mode may differ, but not much" {
    run --separate-stderr "$MPIRUN" -n 3 "$BMF_BIN_DIR/make_checksums" --bmf-free
    assert_success
    # The largest sum's first digits.
    free=$(awk '$1 == "reduce" && $2 == 1048576 { print substr($3, 1, 8) }' <<<"$output")
    assert_equal "$free" "$(awk '$1 == "reduce" && $2 == 1048576 { print substr($3, 1, 8) }' "$EXPECTED")"
}
