#!/usr/bin/env bats
# bmf-bench: its rows verify at several numbers of ranks, its JSON object holds what it promises, bad options are refused. Times are
# not judged here.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1
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
machine = result["machine"]
assert machine["model"] == result["processor"] and machine["cores"] > 0, machine
assert machine["instructions"] in ("AVX-512", "AVX2", "plain") and "l1_bytes" in machine, machine
rows = {row["skeleton"]: row for row in result["rows"]}
assert len(rows) == len(result["rows"])
expected = """map map-in-place zip zip-in-place reduce reduce-free map-reduce zip-map-reduce scan scan-exclusive scan-in-place
    map-scan stencil sort sum-by-10-keys sum-by-million-keys filter iota distl split gather rebalance project-random project-reverse concatenate reduce-struct
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
    assert_line --regexp '^skeleton +elements +ms +ms +limit +quartiles +ms +by hand( +ms +TBB +quartiles)? +messages +bytes$'
    assert_line --index 0 --regexp 'cores?(;.*)?; (AVX-512|AVX2|plain)$'
    assert_line --regexp '^zip +1000 '
    assert_line --regexp '^scan +1000 '
    refute_line --regexp '^map '
}

@test "lists of ints are timed and verified, at several sizes" {
    for ranks in 1 2 3; do
        bench $ranks skeletons --sizes 1e3,1001,20000 --repeats 2 --type int --json
        assert_success
        python3 - 3<<<"$output" <<'END'
import json, os

rows = json.load(os.fdopen(3))["rows"]
names = """map map-in-place zip zip-in-place reduce reduce-free map-reduce zip-map-reduce scan scan-exclusive scan-in-place
    map-scan filter iota split gather rebalance project-random project-reverse concatenate sort""".split()
assert sorted((row["skeleton"], row["elements"]) for row in rows) == sorted((n, e) for n in names for e in (1000, 1001, 20000))
for row in rows:
    assert row["verified"] is True and row["type"] == "int" and row["repeats"] == 2, row
END
    done
}

@test "spreads are those of the turns" {
    bench 1 skeletons --elements 100000 --repeats 9 --only map,scan,reduce --json
    assert_success
    python3 - 3<<<"$output" <<'END'
import json, os

result = json.load(os.fdopen(3))
for row in result["rows"]:
    for what in ("", "reference_") + (("peer_",) if result["peer"] else ()):
        lower, upper = row[what + "quartile_seconds"]
        assert row[what + "minimum_seconds"] <= lower <= row[what + "seconds"] <= upper, row
    if result["peer"]:  # C++ algorithms on TBB: results were compared, too
        assert abs(row["peer_ratio"] * row["peer_seconds"] / row["seconds"] - 1) < 1e-6, row
END
}

@test "bmf-bench language verifies every row" {
    bench 1 language --elements 100000 --repeats 2 --json --bmf-threads 2
    assert_success
    python3 - 3<<<"$output" <<'END'
import json, os

rows = {row["name"]: row for row in json.load(os.fdopen(3))["rows"]}
assert set(rows) == set("""sum-of-squares scan dot inner-sums mandelbrot filter-count filter map normalise matrix-product
    histogram nearest inner-maxima sixteen""".split()), set(rows)
for name, row in rows.items():
    assert row["verified"] is True and row["seconds"] > 0 and row["reference_seconds"] > 0, row
    assert abs(row["ratio"] * row["reference_seconds"] / row["seconds"] - 1) < 1e-6, row
END
    bench 1 language --elements 1000 --repeats 1 --only dot,scan
    assert_success
    assert_line --regexp '^dot '
    assert_line --regexp '^scan '
    refute_line --regexp '^map '
}

# check_permute_json RANKS BITS: the object on standard input. Bit reversal on P = 2^p ranks sends all but a P-th part of every
# rank's words, in P (P - 1) messages.
check_permute_json()
{
    python3 - "$1" "$2" 3<&0 <<'END'
import json, os, sys

ranks, bits = int(sys.argv[1]), int(sys.argv[2])
result = json.load(os.fdopen(3))
assert result["ranks"] == ranks and result["bits"] == bits and result["verified"] is True
assert result["link_mbit"] == 200
keys = """permutation bits elem ranks threads class rank_r method rounds messages bytes predicted_bytes seconds
    memcpy_seconds fraction_of_memcpy rounds_seconds alltoallv_seconds naive_seconds mpi_alltoallv_seconds
    limit_seconds auto_ratio auto_ratio_quartiles verified""".split()
power = ranks & (ranks - 1) == 0
assert len(result["rows"]) == len({row["permutation"] for row in result["rows"]})
for row in result["rows"]:
    assert set(row) == set(keys), set(row) ^ set(keys)
    assert row["verified"] is True and row["bytes"] == row["predicted_bytes"], row
    assert row["seconds"] > 0 and row["rounds_seconds"] > 0 and row["alltoallv_seconds"] > 0, row
    assert (row["rank_r"] is not None) == power and (row["mpi_alltoallv_seconds"] is not None) == power, row
    others = [row[k] for k in ("rounds_seconds", "alltoallv_seconds", "naive_seconds", "mpi_alltoallv_seconds")]
    assert abs(row["auto_ratio"] * min(s for s in others if s) / row["seconds"] - 1) < 1e-6, row
    if row["bytes"]:  # no rank sends less than the mean
        assert row["limit_seconds"] * 200e6 / 8 >= 0.999 * row["bytes"] / ranks, row
row = next(row for row in result["rows"] if row["permutation"] == "bitrev")
if power:
    assert row["bytes"] == 8 * 2 ** bits * (ranks - 1) // ranks, row
    assert row["method"] == "naive" or row["messages"] == ranks * (ranks - 1), row
END
}

@test "permutations between ranks are timed and verified beside MPI_Alltoallv" {
    export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
    for ranks in 2 3 4; do
        bench $ranks permute --bits 10 --repeats 1 --link-mbit 200 --json
        assert_success
        check_permute_json $ranks 10 <<<"$output"
    done
    bench 2 permute --bits 10 --repeats 1
    assert_success
    assert_line --regexp '^permutation +MB sent +limit +rounds +alltoallv +naive +MPI_A2Av +auto is +/best +quartiles$'
    assert_line --regexp '^bitrev +0.00 +- '
    bench 2 permute --bits 10 --repeats 1 --only gray,random
    assert_success
    assert_line --regexp '^gray '
    assert_line --regexp '^random:2 '
    refute_line --regexp '^bitrev '
}

@test "permutations in memory are timed and verified on one rank" {
    bench 1 permute --bits 12 --repeats 1 --json
    assert_success
    run -0 python3 -c 'import json, sys
d = json.load(sys.stdin)
assert d["bits"] == 12 and d["verified"] is True
assert {row["elem"] for row in d["rows"]} == {1, 2, 4, 8, 16, 64, 4096}
names = [row["name"] for row in d["rows"] if row["elem"] == 8]
assert sum(n.startswith("random ") for n in names) == 20 and sum(n.startswith("randombpc ") for n in names) == 20
for row in d["rows"]:
    assert row["elem"] << row["bits"] == 8 << 12, row
    assert row["seconds"] > 0 and abs(row["fraction_of_memcpy"] * row["seconds"] / row["memcpy_seconds"] - 1) < 1e-6
' <<<"$output"
}

@test "help is printed once and has an example" {
    bench 2 --help
    assert_success
    assert_output --partial "Example: $(basename "$MPIRUN")"
    assert_equal "$(grep -c '^usage' <<<"$output")" 1
    bench 2 skeletons --help
    assert_success
    assert_output --partial "--elements N"
    assert_output --partial "Example: $(basename "$MPIRUN")"
    assert_equal "$(grep -c '^usage' <<<"$output")" 1
}

@test "bad usage is refused with exit code 2 and one line" {
    refused "name a benchmark"
    refused "unknown benchmark 'skeleton'; is skeletons meant?; known: skeletons, permute" skeleton
    refused "unknown option '--element'" skeletons --element 5
    refused "--elements needs a whole number" skeletons --elements 0
    refused "--elements needs a whole number" skeletons --elements 1e6
    refused "option '--elements' needs a value" skeletons --elements
    refused "--sizes needs whole numbers" skeletons --sizes 1e6,1.5
    refused "--sizes needs whole numbers" skeletons --sizes 1e6,many
    refused "--sizes takes at most 8 sizes" skeletons --sizes 1,2,3,4,5,6,7,8,9
    refused "unknown type 'complex'; known: real, int" skeletons --type complex
    refused "--repeats needs a whole number" skeletons --repeats -1
    refused "--repeats needs a whole number" skeletons --repeats 1001
    refused "no row 'mop'" skeletons --only map,mop
    refused "option '--only' needs a value" skeletons --only
    refused "no row 'mop'" language --only scan,mop
    refused "--elements needs a whole number from 100 to 1099511627776, not '0'" language --elements 0
    refused "language runs on one rank" language --elements 1000
    refused "--bits needs a whole number from 10 to 32, not '9'" permute --bits 9
    refused "option '--bits' needs a value" permute --bits
    refused "--repeats needs a whole number from 1 to 1000, not '0'" permute --repeats 0
    refused "--only: there is no row 'grey'" permute --only gray,grey
    refused "--link-mbit needs a number above 0" permute --link-mbit 0
    refused "--link-mbit needs a number above 0" permute --link-mbit fast
    refused "unknown option '--fast'" permute --fast
}

@test "the Cowichan programs: three versions, verified, with lines of code" {
    bench 2 cowichan --size 20 --repeats 2 --json
    assert_success
    python3 - 3<<<"$output" <<'END'
import json, os
result = json.load(os.fdopen(3))
assert result["ranks"] == 2, result
rows = result["rows"]
assert {row["name"] for row in rows} == set("mandel randmat half life thresh outer product sor gauss norm vecdiff".split())
for row in rows:
    assert row["verified"] and row["ratio"] > 0 and row["n"] == 20, row
    for version in ("plain", "skeletons", "language"):
        assert row[version]["seconds"] > 0 and row[version]["lines"] > 3, row
END
    bench 2 cowichan --size 9 --repeats 1 --only life,norm
    assert_success
    assert_line --regexp '^life +9 '
    refused "cowichan has as many processors as ranks" cowichan --bmf-procs 3
    refused "elastic" cowichan --only elastic
}

# The C file is a program by itself: nothing but a C11 compiler and library.
@test "machine: positive and finite figures, by the command and by the file alone" {
    "${CC:-cc}" -std=c11 -O2 -Wall -Wextra -Werror "$BMF_SOURCE_DIR/bench/probe/probe.c" -o probe -lm
    ./probe --json --mib 8 >alone.json
    bench 2 machine --json --mib 8
    assert_success
    python3 - alone.json 3<<<"$output" <<'END'
import json, math, os, sys
results = [json.load(open(sys.argv[1])), json.load(os.fdopen(3))]
assert results[0].keys() == results[1].keys()
for result in results:
    assert result["format"] == "bmf probe 1" and result["mib"] == 8, result
    for name in ("operations_per_second", "bytes_per_second", "read_seconds"):
        assert 0 < result[name] < math.inf and 0 <= result[name + "_spread"] < math.inf, result
END
    bench 1 machine --mib 1
    assert_success
    assert_line --regexp '^streaming through memory .* bytes/s'
    run ./probe --mib
    assert_failure 2
    run ./probe --mib 0
    assert_failure 2
    refused "--mib needs" machine --mib 0
}
