#!/usr/bin/env bats
# bmf predict --elements: on more rows than there are, against the prediction with all of them.

bats_require_minimum_version 1.5.0

setup_file()
{
    python3 -c 'import numpy' 2>/dev/null || return 0
    cd "$BATS_FILE_TMPDIR"
    cat >counted.machine <<'END'
name = "counted";
compute = { operations_us = { B_Plus = 0.02; B_Times = 0.03; other = 0.01; }; };
network = { type = "loggp"; latency_us = 1.0; overhead_us = 0.3; gap_us = 0.1; gap_us_per_byte = 0.0008; eager_bytes = 4096; };
END
    cat >network.machine <<'END'
name = "network";
compute = { zero = true; };
network = { type = "hockney"; latency_us = 2.0; bandwidth_mb_per_s = 1000.0; };
END
    cat >timed.machine <<'END'
name = "timed";
network = { type = "hockney"; latency_us = 2.0; bandwidth_mb_per_s = 1000.0; };
END
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id])) . P_Split (B_Procs)' >squares.bmf
    echo 'P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Sqrt) . B_Op (B_Abs))) . P_Split (B_Procs)' >roots.bmf
    echo 'P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Neg))) . P_Split (B_Procs) . B_Map (B_Op (B_Abs))' >back.bmf
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) . B_Addr (B_Num 1) (B_Num 2)) . P_Distl
. B_Alltup [B_Id, P_Split (B_Procs)]' >all.bmf
    echo 'P_Reduce (B_Op (B_Conc)) . P_Map (B_Filter (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Real 0.25)])) . P_Split (B_Procs)' >filter.bmf
    python3 - <<'END'
import numpy as np
rng = np.random.default_rng(11)
np.save("reals.npy", rng.uniform(-1.0, 1.0, 1237))
np.save("rows.npy", rng.uniform(-1.0, 1.0, (301, 6)))
for n in (5003, 40010):
    np.save(f"reals{n}.npy", np.resize(np.load("reals.npy"), n))
    np.save(f"rows{n}.npy", np.resize(np.load("rows.npy"), (n, 6)))
END
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_FILE_TMPDIR"
    BMF=$BMF_BIN_DIR/bmf
    python3 -c 'import numpy' 2>/dev/null || skip "NumPy is not installed"
}

# same PROGRAM DATA N PROCESSORS MACHINE [OPTION..]: messages and bytes exact, times within 1 %
same()
{
    "$BMF" predict "$1" --machine "$5" --procs "$4" --arg "$2$3.npy" "${@:6}" --json >whole.json
    "$BMF" predict "$1" --machine "$5" --procs "$4" --arg "$2.npy" "${@:6}" --elements "$3" --json >counted.json
    python3 - "$*" <<'END'
import json, sys
whole, counted = (json.load(open(f"{name}.json"))["runs"][0] for name in ("whole", "counted"))
for key in ("messages", "bytes"):
    assert whole[key] == counted[key], (sys.argv, key, whole, counted)
for key in ("seconds", "lo", "hi", "best", "file_seconds"):
    assert abs(counted[key] - whole[key]) <= 0.01 * whole[key], (sys.argv, key, whole, counted)
assert counted["remarks"] == [] and counted["rank_messages"] is None, counted
END
}

@test "counts, messages, bytes and times are those of the whole argument" {
    for program in squares roots back all; do
        same $program.bmf reals 5003 5 counted.machine
    done
    same roots.bmf reals 40010 8 counted.machine
    same back.bmf reals 40010 1 counted.machine
    same "$BMF_SOURCE_DIR/examples/12-mean-variance.bmf" reals 40010 5 counted.machine
    same "$BMF_SOURCE_DIR/examples/15-matrix-vector.bmf" rows 5003 8 counted.machine
    same roots.bmf reals 40010 5 network.machine
    # no larger than what is counted on: all of it is run
    same_small=$("$BMF" predict roots.bmf --machine counted.machine --procs 8 --arg reals.npy --elements 100 --json)
    python3 -c 'import json, numpy; numpy.save("reals100.npy", numpy.load("reals.npy")[:100])'
    whole=$("$BMF" predict roots.bmf --machine counted.machine --procs 8 --arg reals100.npy --json)
    [ "$same_small" = "$whole" ]
}

@test "big-endian, in Fortran order, in structures, in tables and archives: as of a plain file" {
    python3 - <<'END'
import numpy as np
reals, rows = np.load("reals.npy"), np.load("rows.npy")
np.save("big.npy", reals.astype(">f8"))
np.save("columns.npy", np.asfortranarray(rows))
np.savez_compressed("archive.npz", numbers=reals)
np.savetxt("table.csv", reals, fmt="%.17g")
reals.astype("<f8").tofile("numbers.raw")
points = np.zeros(301, np.dtype([("x", ">f8"), ("n", "<i2"), ("y", "<f4")], align=True))
points["x"], points["y"] = rows[:, 0], rows[:, 1]
np.save("points.npy", points)
np.save("points5003.npy", np.resize(points, 5003))
END
    echo 'main(ps) = ps |> split(procs) |> map(part -> part |> map(p -> p.x * p.y) |> reduce(+, 0.0)) |> reduce(+)' >products.bmf
    elements()
    {
        "$BMF" predict "$1" --machine counted.machine --procs 5 --arg "$2" --elements 5003 --json
    }
    expected=$(elements squares.bmf reals.npy)
    for file in big.npy archive.npz archive.npz:numbers table.csv numbers.raw:float64; do
        assert_equal "$(elements squares.bmf $file)" "$expected"
    done
    assert_equal "$(elements "$BMF_SOURCE_DIR/examples/15-matrix-vector.bmf" columns.npy)" \
        "$(elements "$BMF_SOURCE_DIR/examples/15-matrix-vector.bmf" rows.npy)"
    same products.bmf points 5003 5 counted.machine
}

# of n points every one with every other: counts that grow as n^2, messages as n
@test "pairs of elements are counted, too" {
    local all_pairs="$BMF_SOURCE_DIR/examples/21-all-pairs.bmf"
    python3 -c 'import numpy as np
points = np.random.default_rng(5).uniform(0.0, 9.0, (200, 2))
for n in ("", 600, 801): np.save(f"points{n}.npy", np.resize(points, (n or 200, 2)))'
    same "$all_pairs" points 600 4 counted.machine
    same "$all_pairs" points 801 5 counted.machine
    "$BMF" predict "$all_pairs" --machine counted.machine --procs 64 --arg points.npy --elements 1e9 --json >large.json
    # every processor computes 10^18 / 64 distances, of at least a hundredth of a microsecond
    jq -e '.runs[0].seconds > 1e18 / 64 * 1e-8 and .runs[0].remarks == []' large.json
}

@test "arguments that stay as they are, and several that grow" {
    python3 -c 'import numpy as np
rng = np.random.default_rng(6)
points, others = rng.uniform(0.0, 9.0, (200, 2)), rng.integers(0, 10, 77)
np.save("centres.npy", rng.uniform(0.0, 9.0, (10, 2)))
for n in ("", 4003):
    np.save(f"points{n}.npy", np.resize(points, (n or 200, 2)))
    np.save(f"digits{n}.npy", np.resize(others, n or 77))'
    cat >nearest.bmf <<'END'
let distance({x, y}, {u, v}) = (x - u) * (x - u) + (y - v) * (y - v)
let pairs(rows) = map(row -> {row[0], row[1]}, rows)
main(points, centres) =
    let cs = pairs(centres) in
    points |> split(procs) |> map(pairs) |> map(part -> map(p -> cs |> map(c -> distance(p, c)) |> reduce(min), part))
        |> map(part -> reduce(+, 0.0, part)) |> reduce(+)
END
    same nearest.bmf points 4003 5 counted.machine --arg centres.npy
    # two that grow: the second is given again with as many rows
    echo 'main(xs, ys) = zip(map(row -> row[0], xs), ys) |> split(procs) |> map(part -> part |> map({x, y} -> x * real(y)) |> reduce(+, 0.0)) |> reduce(+)' >both.bmf
    "$BMF" predict both.bmf --machine counted.machine --procs 5 --arg points4003.npy --arg digits4003.npy --json >whole.json
    "$BMF" predict both.bmf --machine counted.machine --procs 5 --arg points.npy --arg digits.npy --elements 4003 --growing 1,2 --json >counted.json
    jq -es '(.[0].runs[0] | [.messages, .bytes]) == (.[1].runs[0] | [.messages, .bytes]) and .[1].runs[0].remarks == []' whole.json counted.json
    # only the second
    echo 'main(centres, points) = let c = centres[0][0] in points |> split(procs) |> map(part -> part |> map(p -> p[0] - c) |> reduce(+, 0.0)) |> reduce(+)' >second.bmf
    "$BMF" predict second.bmf --machine counted.machine --procs 5 --arg centres.npy --arg points4003.npy --json >whole.json
    "$BMF" predict second.bmf --machine counted.machine --procs 5 --arg centres.npy --arg points.npy --elements 4003 --growing 2 --json >counted.json
    jq -es '(.[0].runs[0] | [.messages, .bytes]) == (.[1].runs[0] | [.messages, .bytes]) and .[1].runs[0].remarks == []' whole.json counted.json
    "$BMF" choose second.bmf --machine counted.machine --procs 5 --threads 1 --arg centres.npy --arg points.npy --elements 4003 --growing 2 --json >chosen.json
    jq -es '(.[0].runs[0].seconds - .[1].offers[0].seconds | fabs) <= 0.01 * .[0].runs[0].seconds' whole.json chosen.json
}

# refused PATTERN ARGUMENT..: one line with it, of `bmf predict`
refused()
{
    run --separate-stderr "$BMF" predict "${@:2}" --machine counted.machine --procs 4
    assert_equal "$status" 2
    [[ "${stderr_lines[0]}" == *"$1"* ]] || fail "${stderr_lines[0]}"
    [ "${#stderr_lines[@]}" = 1 ]
}

make_keyed()
{
    python3 -c 'import numpy as np
numbers = np.random.default_rng(8).integers(0, 100000, 1237)
for n in ("", 320, 5003, 40010, 65536): np.save(f"numbers{n}.npy", np.resize(numbers, n or 1237))'
}

# Tables or owners, and which blocks: by the lengths at the size that is asked for, with keys that stay.
@test "reductions by fixed keys take the way of the whole argument" {
    make_keyed
    by_key() # FILE KEYS OPERATOR IDENTITY VALUE
    {
        echo "main(xs) = xs |> split(procs) |> map(part -> map(x -> {x mod $2, $5}, part)) |> reduce_by_key($3, $4, $2)" >"$1"
    }
    for keys in 10 1000; do
        by_key most$keys.bmf $keys max 0 x
        by_key ints$keys.bmf $keys + 0 x
        by_key reals$keys.bmf $keys + 0.0 'real(x)'
        for n in 320 5003 40010; do
            same most$keys.bmf numbers $n 4 counted.machine
            same most$keys.bmf numbers $n 7 counted.machine
        done
        for procs in 4 8; do
            for values in ints reals; do
                same $values$keys.bmf numbers 65536 $procs counted.machine
            done
        done
        # blocks that processors cut are not those of small sizes
        for n in 40010 1e12; do
            refused "reduce_by_key at ints$keys.bmf:1:" ints$keys.bmf --arg numbers.npy --elements $n
            refused "reduce_by_key at reals$keys.bmf:1:" reals$keys.bmf --arg numbers.npy --elements $n
        done
    done
    # two of them, of which one takes other ways at small sizes than at the large one
    cat >two.bmf <<'END'
main(xs) = let parts = xs |> split(procs) in
    {parts |> map(part -> map(x -> {x mod 1000, x}, part)) |> reduce_by_key(max, 0, 1000),
     parts |> map(part -> map(x -> {x mod 3, x}, part)) |> reduce_by_key(min, 0, 3)}
END
    for n in 320 40010; do
        same two.bmf numbers $n 5 counted.machine
    done
    "$BMF" predict ints1000.bmf --machine counted.machine --procs 4 --arg numbers65536.npy --json >whole.json
    "$BMF" choose ints1000.bmf --machine counted.machine --procs 4 --threads 1 --arg numbers.npy --elements 65536 --json >chosen.json
    jq -es '(.[0].runs[0].seconds - .[1].offers[0].seconds | fabs) <= 0.01 * .[0].runs[0].seconds' whole.json chosen.json
    # of 4096 processors each sends one table
    "$BMF" predict ints10.bmf --machine counted.machine --procs 4096 --arg numbers.npy --elements 1099511627776 --json >large.json
    jq -e '.runs[0].messages == 4095 and .runs[0].bytes == 4095 * 80 and .runs[0].remarks == []' large.json
}

@test "sorting has a range, or is refused where long lists are sorted in another way" {
    make_keyed
    echo 'main(xs) = xs |> split(procs) |> sort' >sort.bmf
    echo 'main(xs) = xs |> sort' >alone.bmf
    "$BMF" predict sort.bmf --machine counted.machine --procs 4 --arg numbers320.npy --json >whole.json
    "$BMF" predict sort.bmf --machine counted.machine --procs 4 --arg numbers.npy --elements 320 --json >counted.json
    jq -es '.[0].runs[0].seconds as $s | .[1].runs[0] | .lo <= $s and $s <= .hi and (.remarks | length > 0)' whole.json counted.json
    refused 'sort at sort.bmf:1:34: lists of more than 1024 elements' sort.bmf --arg numbers.npy --elements 5003
    refused 'sort at sort.bmf:1:34: longer lists are sorted in stages' sort.bmf --arg numbers.npy --elements 40010
    refused 'lists of more than 1024 elements' alone.bmf --arg numbers.npy --elements 40010
}

@test "10^12 elements on 4096 processors" {
    "$BMF" predict roots.bmf --machine counted.machine --procs 4096 --arg reals.npy --elements 1e12 --json >large.json
    python3 - <<'END'
import json
run = json.load(open("large.json"))["runs"][0]
# every processor but the first sends what it holds, along a tree: half of all goes log2 P times
assert run["messages"] == 4095, run
assert run["bytes"] >= 8 * 10**12 * 4095 // 4096, run
assert run["seconds"] > 10**12 / 4096 * 2e-8, run
END
}

@test "counts that depend on the data have an interval and a place" {
    "$BMF" predict filter.bmf --machine counted.machine --procs 8 --arg reals40010.npy --json >whole.json
    "$BMF" predict filter.bmf --machine counted.machine --procs 8 --arg reals.npy --elements 40010 --json >counted.json
    python3 - <<'END'
import json
whole, counted = (json.load(open(f"{name}.json"))["runs"][0] for name in ("whole", "counted"))
assert whole["messages"] == counted["messages"]
assert counted["remarks"] and any("depend" in remark for remark in counted["remarks"]), counted
assert counted["lo"] < counted["hi"] and counted["lo"] <= whole["seconds"] <= counted["hi"], (whole, counted)
END
}

@test "kernels that are timed here take as long in proportion" {
    "$BMF" predict squares.bmf --machine timed.machine --procs 2 --arg reals.npy --elements 1e9 --json >timed.json
    python3 - <<'END'
import json
run = json.load(open("timed.json"))["runs"][0]
assert run["lo"] <= run["seconds"] <= run["hi"] and run["seconds"] > 1e-3, run
END
}

@test "bad input is refused" {
    for number in 0 -1 1.5 abc 1e300 '' 12x; do
        refused 'is no whole number' squares.bmf --arg reals.npy --elements "$number"
    done
    refused 'an --arg FILE' squares.bmf --elements 1e6
    for list in 0 2 1,2 65; do
        refused '--growing' squares.bmf --arg reals.npy --elements 1e6 --growing $list
    done
    for list in x 1, '' ,1 1-2 -1; do
        refused "--growing '$list'" squares.bmf --arg reals.npy --elements 1e6 --growing "$list"
    done
    refused '--growing goes with --elements' squares.bmf --arg reals.npy --growing 1
    refused 'does not go with' squares.bmf --arg reals.npy --elements 1e6 --trace x.trace
    refused 'none.npy' squares.bmf --arg none.npy --elements 1e6
    python3 -c 'import numpy; numpy.save("empty.npy", numpy.zeros(0))'
    refused 'needs a row' squares.bmf --arg empty.npy --elements 1e6
    echo '[1.0, 2.0]' >numbers.bmfdata
    refused 'numbers.bmfdata: a number of rows needs a data file' squares.bmf --arg numbers.bmfdata --elements 1e6
    python3 -c 'import numpy; numpy.save("complex.npy", numpy.zeros(3, complex)); numpy.save("large.npy", numpy.full(3, 2**63, ">u8"))'
    refused 'complex.npy: complex numbers' squares.bmf --arg complex.npy --elements 1e6
    refused 'large.npy: scalar 0 is 9223372036854775808' squares.bmf --arg large.npy --elements 1e6
    # where other things are done for other sizes, the place is said
    echo 'B_Addr (B_Num 1) (B_Num 2) . B_While (B_Op (B_Lt) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)])
(B_Alltup [P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Length)) . P_Split (B_Procs) . B_Op (B_Iota) . B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 10)],
B_Addr (B_Num 2) (B_Num 2)]) . B_Alltup [B_Con (B_Int 0), B_Op (B_Length)]' >loop.bmf
    refused 'differs with the data' loop.bmf --arg reals.npy --elements 1e6
}
