#!/usr/bin/env bats
# bmf calibrate and bmf validate: learning from parts of an argument, going on after an interruption, and bad input.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1 XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    launch="${MPIRUN:-mpirun.mpich} -n {p}"
    cat >roots.bmf <<'END'
P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Exp) . B_Op (B_Sqrt))) . P_Split (B_Procs)
END
}

make_array()
{
    python3 -c "import numpy; numpy.save('$1', numpy.linspace(0, 1, $2))"
}

# Memory is measured once for all tests, and not to the last cache: this takes long.
setup_file()
{
    cd "$BATS_FILE_TMPDIR"
    "$BMF_BIN_DIR/bmf" sheet measure --ops memory_read,memory_write --max-elements 65536 --factor 4 --repeats 3 --seconds 2 -o memory.raw
    "$BMF_BIN_DIR/bmf" sheet fit memory.raw -o memory.sheet
}

bmf()
{
    local memory=()
    [ "$1" != calibrate ] || memory=(--memory "$BATS_FILE_TMPDIR/memory.sheet")
    run --separate-stderr timeout 120 "$BMF_BIN_DIR/bmf" "$1" "${memory[@]}" "${@:2}"
}

# refuses MESSAGE ARGUMENT...: exit code 2, nothing on standard output, one line that says MESSAGE
refuses()
{
    bmf "${@:2}"
    assert_equal "$status" 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    assert_regex "${stderr_lines[0]}" "^bmf: "
    [[ "$stderr" == *"$1"* ]] || fail "not '$1': $stderr"
}

@test "help has an example" {
    bmf calibrate --help
    assert_output --partial "Example: bmf calibrate"
    bmf validate --help
    assert_output --partial "Example: bmf calibrate"
}

@test "calibrate, predict, validate" {
    make_array x.npy 640000
    bmf calibrate roots.bmf --arg x.npy --ranks 2 --launch "$launch" --repeats 3 --max-spread 100000 -o here.machine
    assert_success
    assert_output --partial "160000" # a quarter
    [ -f here.kernels ] && [ ! -e here.machine.runs ]
    bmf machine check here.machine
    assert_success
    bmf validate roots.bmf --arg x.npy --machine here.machine --ranks 2 --launch "$launch" --repeats 3 -o said.json --json
    assert_success
    python3 - "$output" <<'END'
import json, statistics, sys
said, written = json.loads(sys.argv[1]), json.load(open("said.json"))
assert said == written
p = said["predicted"]
assert 0 < p["lo"] < p["seconds"] < p["hi"] and p["processors"] == said["processors"] == 2
assert len(said["hash"]) == 16 and said["messages_equal"] and len(said["measured"]) == 3
assert abs(said["median"] - statistics.median(said["measured"])) < 1e-12
assert said["inside"] == sum(p["lo"] <= s <= p["hi"] for s in said["measured"])
assert abs(said["error"] - (p["seconds"] / said["median"] - 1)) < 1e-12
# larger than the largest part, and said to be so
assert not p["in_domain"] and any("outside what was measured" in r for r in p["remarks"])
# numbers of 0.64 million roots on two processors: neither nothing nor a thousandfold
assert 1 / 30 < p["seconds"] / said["median"] < 30, said
END
    bmf validate roots.bmf --arg x.npy --machine here.machine --ranks 2 --launch "$launch" --repeats 1
    assert_success
    assert_line --regexp "^predicted +[0-9.]+ [um]?s, 95 % of runs from"
    assert_line --regexp "^messages +and bytes as predicted"
}

# A sheet for each number of threads, from all numbers of ranks; what was traced of none of them follows from one.
@test "several ranks and threads: sheets, predictions, and what bmf choose makes of them" {
    make_array x.npy 640000
    bmf calibrate roots.bmf --arg x.npy --ranks 1,2 --threads 2,1 --launch "$launch" --repeats 3 --max-spread 100000 -o here.machine
    assert_success
    for of in "1 rank of 1 thread" "2 ranks of 1 thread" "1 rank of 2 threads" "2 ranks of 2 threads"; do
        assert_line --regexp "elements .* 3 runs each on $of\$"
    done
    grep -q 'threaded = ({ threads = 2; sheet = "here-2-threads.kernels"; });' here.machine
    grep -q '^threads = 1;' here.kernels && grep -q '^threads = 2;' here-2-threads.kernels
    grep -q '^node = { processors = 4; };' here.machine
    bmf machine check here.machine
    assert_success
    for t in 1 2 4; do
        bmf predict roots.bmf --arg x.npy --machine here.machine --procs 1 --threads $t --json
        assert_success
        printf '%s\n' "$output" >predict$t.json
    done
    bmf choose roots.bmf --arg x.npy --machine here.machine --procs 1,2 --json
    assert_success
    printf '%s\n' "$output" >choose.json
    python3 - <<'END'
import json
said = {t: json.load(open(f"predict{t}.json")) for t in (1, 2, 4)}
# the sheet of ranks with two threads answers for them alone
assert not any("follow from those" in r for t in (1, 2) for r in said[t]["runs"][0]["remarks"]), said
assert any("on ranks of 4 threads follow from those on ranks of 1" in r for r in said[4]["runs"][0]["remarks"]), said[4]
# by default what it was calibrated with is offered
offers = {(o["ranks"], o["threads"]): o for o in json.load(open("choose.json"))["offers"]}
assert set(offers) == {(1, 1), (2, 1), (1, 2)}, set(offers)
for t in (1, 2):
    assert abs(offers[1, t]["best"] / said[t]["runs"][0]["best"] - 1) < 1e-9, (t, offers[1, t], said[t])
END
    bmf validate roots.bmf --arg x.npy --machine here.machine --ranks 1 --threads 2 --launch "$launch" --repeats 1 -o said.json
    assert_success
    python3 -c 'import json; s = json.load(open("said.json")); assert (s["processors"], s["threads"]) == (1, 2) and s["messages_equal"], s'
    refuses "is no list of numbers" calibrate roots.bmf --arg x.npy --threads none -o none.machine
    refuses "is no list of numbers" calibrate roots.bmf --arg x.npy --ranks 0 -o none.machine
    refuses "too few for any of these ranks and threads" calibrate roots.bmf --arg x.npy --threads 4096 -o none.machine
}

# What follows for two threads of times that are on a line: half of what is divided, a microsecond for the team, and an
# interval that is wider by what nobody knows.
@test "times of threads that were not traced follow from those of one" {
    make_array x.npy 64000
    bmf calibrate roots.bmf --arg x.npy --ranks 1 --launch "$launch" --repeats 3 --max-spread 100000 -o here.machine
    assert_success
    python3 - <<'END'
import re
names = set(re.findall(r'operation = "(stream_reduce\.[^"]*)";', open("here.kernels").read()))
kernel = next(n for n in names if not n.endswith(".before"))
open("line.kernels", "w").write(f'''format = "bmf sheet 1";
title = "a line"; units = "us"; logarithm = "natural"; ranks = 2; threads = 1;
entries = (
  {{ operation = "{kernel}"; family = "local"; element_bytes = 1; threads = 1; d = [1, 1000000]; startup = "none"; size = "d"; c = 10.0; k = 0.01; }}
);
''')
END
    printf 'compute = { sheet = "line.kernels"; };\nnetwork = { type = "fixed"; };\nnode = { processors = 2; };\n' >one.machine
    for t in 1 2; do
        bmf predict roots.bmf --arg x.npy --machine one.machine --procs 1 --threads $t --json
        assert_success
        printf '%s\n' "$output" >predict$t.json
    done
    python3 - <<'END'
import json
one, two = (json.load(open(f"predict{t}.json"))["runs"][0] for t in (1, 2))
assert abs(one["best"] - 650e-6) < 1e-9, one
# elements are cut where blocks of the tree begin
assert (10 + 320 + 1) * 1e-6 <= two["best"] <= (10 + 320 + 0.01 * 1024 + 1) * 1e-6, two
assert two["hi"] / two["lo"] > one["hi"] / one["lo"], (one, two)
END
}

@test "a C program" {
    bmf calibrate --args 20000,80000,320000 --ranks 2 --launch "$launch" --repeats 3 --max-spread 100000 -o c.machine -- \
        "$BMF_BIN_DIR/01-sum-of-squares" {n}
    assert_success
    bmf validate --machine c.machine --ranks 2 --launch "$launch" --repeats 2 --json -- "$BMF_BIN_DIR/01-sum-of-squares" 640000
    assert_success
    python3 -c 'import json, sys; r = json.loads(sys.argv[1]); assert r["messages_equal"] and len(r["measured"]) == 2' "$output"
}

@test "matrices are cut to matrices" {
    python3 -c "import numpy; numpy.save('m.npy', numpy.ones((400, 400)))"
    bmf calibrate "$BMF_SOURCE_DIR/examples/14-matrix-product.bmf" --arg m.npy --ranks 2 --launch "$launch" --repeats 3 --max-spread 100000 -o m.machine
    assert_success
    assert_line --regexp "^ +200 "
}

@test "several sessions; what runs and sessions have in common; intervals of speed-ups" {
    make_array x.npy 640000
    common=(roots.bmf --arg x.npy --ranks 2 --launch "$launch" --repeats 3 --max-spread 100000 -o s.machine)
    refuses "lacks runs of session 1" calibrate "${common[@]}" --session 2
    bmf calibrate "${common[@]}" --session 1
    assert_success
    assert_equal "$(ls s.machine.runs/*.trace | wc -l)" 15
    bmf calibrate "${common[@]}" --session 2
    assert_success
    assert_equal "$(ls s.machine.runs/*.trace | wc -l)" 30
    assert_line --regexp "^runs of one size differ by [0-9.]+ % in common, and 2 sessions by [0-9.]+ %"
    grep -q "runs = 30; sessions = 2;" s.kernels
    bmf predict roots.bmf --arg x.npy --machine s.machine --procs 1,2
    assert_success
    assert_line --regexp "^of the interval of [12] processors? [0-9]+ % is what runs here differ by"
    bmf predict roots.bmf --arg x.npy --machine s.machine --procs 1,2 --json
    assert_success
    python3 - "$output" <<'END'
import json, sys
one, two = json.loads(sys.argv[1])["runs"]
assert one["speed_up"] == one["speed_up_lo"] == one["speed_up_hi"] == 1
assert two["speed_up_lo"] < two["speed_up"] < two["speed_up_hi"], two
assert abs(sum(two["spread"].values()) - 1) < 1e-9, two
END
}

# Five runs of the largest size, the others of which compute for sixteen, four, thirty-two and two times as many elements as the first.
# They differ by three quarters of their median, unless noise brings two of them near it.
@test "runs that differ too much are named, and only these are repeated" {
    cat >odd <<END
#!/bin/sh
n=\$1
if [ "\$n" = 1280000 ]; then
    echo run >>"$PWD/count"
    case \$(wc -l <"$PWD/count") in
        2) n=20480000 ;;
        3) n=5120000 ;;
        4) n=40960000 ;;
        5) n=2560000 ;;
    esac
fi
exec "$BMF_BIN_DIR/01-sum-of-squares" \$n
END
    chmod +x odd
    refuses "elements differ by" calibrate --args 20000,320000,1280000 --ranks 1 --launch "$launch" --repeats 5 --max-spread 20 -o c.machine -- ./odd {n}
    assert_regex "$stderr" "run [0-9] \\([0-9.]+ times the median\\)"
    kept=$(ls c.machine.runs/*.trace | wc -l)
    [ "$kept" -lt 15 ] && [ "$kept" -ge 10 ]
    bmf calibrate --args 20000,320000,1280000 --ranks 1 --launch "$launch" --repeats 5 --max-spread 20 --allow-noise -o c.machine -- ./odd {n}
    assert_success
}

# Every other run of a size computes for four times as many elements, so that no median is known.
@test "runs that differ are repeated more often" {
    cat >changing <<END
#!/bin/sh
echo run >>"$PWD/count-\$1"
exec "$BMF_BIN_DIR/01-sum-of-squares" \$((\$1 * (1 + 3 * (\$(wc -l <"$PWD/count-\$1") % 2))))
END
    chmod +x changing
    bmf calibrate --args 20000,80000,320000 --ranks 1 --launch "$launch" --allow-noise -o c.machine -- ./changing {n}
    assert_success
    assert_line --regexp "varies by +20 runs each"
    assert_equal "$(wc -l <count-20000)" 20
    assert_equal "$(wc -l <count-320000)" 20
    bmf calibrate --args 20000,80000,320000 --ranks 1 --launch "$launch" --allow-noise --repeats 4 -o c.machine -- ./changing {n}
    assert_success
    assert_line --regexp "varies by +4 runs each"
}

@test "arguments that are no plain .npy files: a column of a table, numbers of 32 bits, the other order of bytes" {
    python3 - <<'END'
import numpy
x = numpy.linspace(0, 1, 64000)
numpy.savetxt("t.csv", numpy.stack([x, x + 1], 1), delimiter=",", header="low,high", comments="")
numpy.save("big.npy", x.astype(">f4"))
numpy.savez("x.npz", numbers=x)
END
    for argument in t.csv:high big.npy x.npz:numbers; do
        bmf calibrate roots.bmf --arg "$argument" --ranks 2 --launch "$launch" --repeats 3 --max-spread 100000 -o here.machine
        assert_success
        assert_line --regexp "(^| )16000( |$)" # a quarter
        bmf predict roots.bmf --arg "$argument" --machine here.machine --procs 2
        assert_success
    done
    refuses "t.csv" calibrate roots.bmf --arg t.csv:middle --ranks 2 --launch "$launch" --repeats 3 -o none.machine
    refuses "none.csv" calibrate roots.bmf --arg none.csv --ranks 2 --launch "$launch" --repeats 3 -o none.machine
    [ ! -e none.machine ]
}

# Runs that succeeded are not repeated.
@test "an interrupted calibration goes on" {
    make_array x.npy 640000
    cat >counting <<END
#!/bin/sh
echo run >>"$PWD/count"
[ ! -e "$PWD/enough" ] && [ "\$(wc -l <"$PWD/count")" -gt 4 ] && exit 3
exec ${MPIRUN:-mpirun.mpich} "\$@"
END
    chmod +x counting
    refuses "exit code 3" calibrate roots.bmf --arg x.npy --ranks 2 --launch "$PWD/counting -n {p}" --repeats 3 --max-spread 100000 -o here.machine
    assert_equal "$(ls here.machine.runs | wc -l)" 4
    [ ! -e here.machine ]
    touch enough
    bmf calibrate roots.bmf --arg x.npy --ranks 2 --launch "$PWD/counting -n {p}" --repeats 3 --max-spread 100000 -o here.machine
    assert_success
    assert_equal "$(wc -l <count)" $((5 + 15 - 4))
}

@test "bad input" {
    make_array x.npy 640000
    make_array tiny.npy 100
    refuses "too small to learn from" calibrate roots.bmf --arg tiny.npy --ranks 2 --launch "$launch" -o here.machine
    refuses "nothing.npy" calibrate roots.bmf --arg nothing.npy -o here.machine
    refuses "which program" calibrate --arg x.npy -o here.machine
    refuses "no machine file to write" calibrate roots.bmf --arg x.npy
    refuses "needs --arg" calibrate roots.bmf -o here.machine
    refuses "{n}" calibrate --args 1,2,3 -o here.machine -- ./program
    refuses "{n}" calibrate --args 1,2 -o here.machine -- ./program {n}
    refuses "{p}" calibrate roots.bmf --arg x.npy --launch "mpirun" -o here.machine
    refuses "cannot keep runs there" calibrate roots.bmf --arg x.npy -o nowhere/here.machine
    refuses "which machine" validate roots.bmf --arg x.npy
    refuses "nothing.machine" validate roots.bmf --arg x.npy --machine nothing.machine
    # a program that is right on the whole argument only
    echo "B_Index (B_Num 500000)" >far.bmf
    refuses "far.bmf with 10000 elements" calibrate far.bmf --arg x.npy --ranks 1 --launch "$launch" -o here.machine
    # larger sizes that take less time
    refuses "nothing grows" calibrate --args 1,2,3 --ranks 1 --launch "$launch" --repeats 3 --max-spread 100000 -o here.machine -- \
        sh -c "'$BMF_BIN_DIR/01-sum-of-squares' \$((16000000 / \$0))" {n}
    [ ! -e here.machine ] && [ ! -e here.kernels ]
}

@test "messages that cannot be kept are said before they are measured" {
    make_array x.npy 640000
    echo "B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Sqrt))" >alone.bmf
    XDG_CACHE_HOME=/proc/nothing refuses "XDG_CACHE_HOME" calibrate alone.bmf --arg x.npy --ranks 2 --launch "$launch" \
        --repeats 3 --max-spread 100000 -o here.machine
    [ -d here.machine.runs ] # what was measured is kept
}

# costs RANKS: a table in which splits along a tree are slow
costs()
{
    printf '%s\n' "bmf costs 1" "split tree $1 2 16 9e-3" "split direct $1 2 16 1e-3"
}

@test "algorithms by the costs of this host: kept, named by the machine, read by runs" {
    make_array x.npy 640000
    for ranks in 1 3; do
        run --separate-stderr ${MPIRUN:-mpirun.mpich} -n "$ranks" "$BMF_BIN_DIR/bmf" run roots.bmf --arg x.npy --bmf-costs host
        assert_equal "$status" 2
        [ "$(grep -c '^bmf: ' <<<"$stderr")" = 1 ]
        assert_regex "$stderr" "no costs of algorithms were measured on this host with this MPI: there is no '$XDG_CACHE_HOME/bmf/[^/']*.costs'"
    done
    kept=$(grep -o "$XDG_CACHE_HOME/bmf/[^/']*.costs" <<<"$stderr")
    mkdir -p "$XDG_CACHE_HOME/bmf"
    costs 2 >"$kept"
    # just measured, and has these ranks: it is used
    bmf calibrate roots.bmf --arg x.npy --ranks 2 --launch "$launch" --repeats 3 --max-spread 100000 --schedules 1 -o here.machine
    assert_success
    cmp "$kept" here.costs
    grep -qx 'schedules = "here.costs";' here.machine
    bmf validate roots.bmf --arg x.npy --machine here.machine --ranks 2 --launch "$launch" --repeats 1
    assert_success
    assert_output --partial "and bytes as predicted"
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Procs) [1, 2, 3]' >split.bmf
    for by in "--machine here.machine" "--bmf-costs host"; do
        run --separate-stderr ${MPIRUN:-mpirun.mpich} -n 2 "$BMF_BIN_DIR/bmf" run split.bmf --json $by
        assert_success
        [[ $output == *'"algorithms": {"split direct": 1}'* ]] || fail "$output"
    done
    BMF_COSTS=host run --separate-stderr "$BMF_BIN_DIR/bmf" run split.bmf --stats
    [[ $stderr == *"algorithms by $kept"* ]] || fail "$stderr"
    echo "split oak 2 2 16 1" >>"$kept"
    refuses "$kept:4: split has no algorithm 'oak'" calibrate roots.bmf --arg x.npy --ranks 2 --launch "$launch" --schedules 1 -o b.machine
    [ ! -e b.machine ] && [ ! -e b.costs ]
    for seconds in 0 -1 1.5 much 4000; do
        refuses "--schedules" calibrate roots.bmf --arg x.npy --schedules $seconds -o b.machine
    done
}
