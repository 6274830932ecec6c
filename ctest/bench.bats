#!/usr/bin/env bats
# bmf-bench: its rows verify at several numbers of ranks, its JSON object holds what it promises, bad options are refused. Times are
# not judged here.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    unset BMF_PROCS BMF_THREADS BMF_TRACE BMF_SCHEDULE BMF_PLAN BMF_FREE
    export BMF_THREADS=1
    cd "$BATS_TEST_TMPDIR"
}

# bench RANKS ARGUMENT...
bench()
{
    run --separate-stderr timeout 240 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/bmf-bench" "${@:2}"
}

# refused TEXT ARGUMENT...: on 2 ranks, exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    bench 2 "${@:2}"
    assert_failure 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf-bench: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
}

# check_json RANKS ELEMENTS: the object on standard input. What is sent follows from the even split: part k of n elements on P
# processors has ceil or floor of n / P, the first n mod P the larger.
check_json()
{
    python3 - "$1" "$2" 3<&0 <<'END'
import json, os, sys

ranks, n = int(sys.argv[1]), int(sys.argv[2])
result = json.load(os.fdopen(3))
for key in ("copy_bytes_per_second", "read_bytes_per_second", "write_bytes_per_second"):
    assert result[key] > 0, key
assert result["ranks"] == ranks and result["threads"] == 1 and result["processors"] == ranks
rows = {row["skeleton"]: row for row in result["rows"]}
assert len(rows) == len(result["rows"])
expected = """map map-in-place zip zip-in-place reduce reduce-free map-reduce zip-map-reduce scan scan-exclusive scan-in-place
    map-scan filter iota distl split gather rebalance project-random project-reverse concatenate reduce-struct
    reduce-latency map-latency trace-overhead""".split()
assert set(rows) == set(expected), set(rows) ^ set(expected)
keys = """skeleton elements ranks threads seconds limit_seconds fraction_of_limit reference_seconds messages bytes
    verified meets_bar""".split()
for name, row in rows.items():
    assert not [key for key in keys if key not in row], (name, row)
    assert row["verified"] is True and row["ranks"] == ranks and row["threads"] == 1, row
    assert row["seconds"] > 0 and row["minimum_seconds"] <= row["seconds"] and row["reference_seconds"] > 0, row
    if row["limit_seconds"]:
        assert abs(row["fraction_of_limit"] * row["seconds"] / row["limit_seconds"] - 1) < 1e-6, row
    if name.endswith("latency"):
        assert row["elements"] == ranks, row
    elif name != "trace-overhead":
        assert row["elements"] == n, row
for name in ("map", "map-in-place", "zip", "zip-in-place", "iota", "map-latency"):
    assert rows[name]["messages"] == 0 and rows[name]["bytes"] == 0, rows[name]
first = -(-n // ranks)
for name in ("split", "gather"):
    assert rows[name]["messages"] == ranks - 1, rows[name]
    assert rows[name]["bytes"] >= 8 * (n - first), rows[name]
assert rows["gather"]["limit_seconds"] is None or ranks > 1
assert rows["map"]["moved_bytes"] == 16 * n and rows["zip"]["moved_bytes"] == 24 * n
assert rows["reduce"]["moved_bytes"] == 8 * n and rows["scan"]["moved_bytes"] == 16 * n
END
}

@test "every skeleton is timed and verified on 1 rank" {
    bench 1 skeletons --elements 100000 --repeats 2 --json
    assert_success
    check_json 1 100000 <<<"$output"
}

@test "every skeleton is timed and verified on 2 ranks" {
    bench 2 skeletons --elements 100000 --repeats 2 --json
    assert_success
    check_json 2 100000 <<<"$output"
}

@test "every skeleton is timed and verified on 3 ranks" {
    bench 3 skeletons --elements 100000 --repeats 1 --json
    assert_success
    check_json 3 100000 <<<"$output"
}

@test "lists shorter than the number of ranks are no trouble" {
    bench 3 skeletons --elements 2 --repeats 1 --json
    assert_success
    run -0 python3 -c 'import json, sys; print(all(r["verified"] for r in json.load(sys.stdin)["rows"]))' <<<"$output"
    assert_output True
}

@test "the table names its units and has a line for every chosen row" {
    bench 1 skeletons --elements 1000 --repeats 1 --only scan,zip
    assert_success
    assert_line --regexp '^skeleton +elements +ms +ms +limit +ms +by hand +messages +bytes$'
    assert_line --regexp '^zip +1000 '
    assert_line --regexp '^scan +1000 '
    refute_line --regexp '^map '
}

@test "help is printed once and has an example" {
    bench 2 --help
    assert_success
    assert_output --partial "Example: mpirun"
    assert_equal "$(grep -c '^usage' <<<"$output")" 1
    bench 2 skeletons --help
    assert_success
    assert_output --partial "--elements N"
    assert_output --partial "Example: mpirun"
    assert_equal "$(grep -c '^usage' <<<"$output")" 1
}

@test "bad usage is refused with exit code 2 and one line" {
    refused "name a benchmark"
    refused "no benchmark 'skeleton'" skeleton
    refused "unknown option '--element'" skeletons --element 5
    refused "--elements needs a whole number" skeletons --elements 0
    refused "--elements needs a whole number" skeletons --elements 1e6
    refused "--elements needs a whole number" skeletons --elements
    refused "--repeats needs a whole number" skeletons --repeats -1
    refused "--repeats needs a whole number" skeletons --repeats 1001
    refused "no row 'mop'" skeletons --only map,mop
    refused "needs names of rows" skeletons --only
}
