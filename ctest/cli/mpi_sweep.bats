#!/usr/bin/env bats
# Predictions of an MPI program for several values of one of its arguments, and recordings replayed by SimGrid's SMPI.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    load recorder.bash
    needs_recorder
    COWICHAN=$BMF_BIN_DIR/../cowichan
    PATTERNS=$BMF_BIN_DIR/mpi_patterns
}

# predict OPTION.. -- PROGRAM ARGUMENT..
predict()
{
    timeout 100 "$BMF" predict --mpi --launch "$MPIRUN -n {p}" --machine t3d-sheet --compute zero "$@"
}

# refused TEXT ARGUMENT..: exit code 2, one line with TEXT
refused()
{
    run --separate-stderr "$BMF" predict --machine t3d-sheet "${@:2}"
    assert_failure 2
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
}

@test "every value of a sweep is what is predicted for it alone" {
    predict --procs 1,2 --sweep n=8,20 --json -- "$COWICHAN/life" --n {n} --iters 3 > sweep.json 2> output
    for n in 8 20; do
        predict --procs 1,2 --json -- "$COWICHAN/life" --n $n --iters 3 > $n.json 2> $n.output
        cat $n.output >> alone
    done
    python3 - <<'END'
import json
sweep = json.load(open("sweep.json"))
assert sweep["parameter"] == "n" and [p["value"] for p in sweep["points"]] == [8, 20], sweep
for point in sweep["points"]:
    alone = json.load(open("%d.json" % point["value"]))
    assert point["runs"] == alone["runs"] and point["fastest"] == alone["fastest"], (point, alone)
END
    # the programs themselves ran alike: n, ranks and checksum
    assert_equal "$(grep -o 'n [0-9]* p [0-9]*\|checksum .*' output)" "$(grep -o 'n [0-9]* p [0-9]*\|checksum .*' alone)"
    predict --procs 1 --sweep n=8,20 -- "$COWICHAN/life" --n {n} --iters 3 > table 2> output
    assert_equal "$(grep -c '^n = ' table)" 2
}

@test "a sweep that would be the same run, or none, is refused" {
    refused "{n} stands nowhere" --mpi --procs 2 --sweep n=8,20 -- true 3
    refused "{n} stands nowhere" --mpi --procs 2 --sweep n=8,20 -- "./{n}" 3
    refused "is not NAME=LIST" --mpi --procs 2 --sweep n -- true {n}
    refused "is not NAME=LIST" --mpi --procs 2 --sweep =1 -- true {n}
    refused "no list of numbers" --mpi --procs 2 --sweep n=8,x -- true {n}
    refused "no list of numbers" --mpi --procs 2 --sweep n= -- true {n}
    refused "stands there twice" --mpi --procs 2 --sweep n=1 --sweep n=2 -- true {n}
    refused "give them to --procs" --mpi --procs 2 --sweep p=1,2 -- true {p}
    refused "for one value" --mpi --procs 2 --sweep n=1,2 --trace t -- true {n}
    refused "are for --mpi" --procs 2 --sweep n=1,2 -- true {n}
}

# record RANKS FILE PROGRAM ARGUMENT..
record()
{
    timeout 100 "$MPIRUN" -n "$1" "$BMF" record --polite -o "$2" -- "${@:3}" > output
}

@test "time-independent traces have every call of every rank" {
    record 4 ring.trace "$BMF_BIN_DIR/mpi_virtual" posted
    run "$BMF" convert ring.trace --to ti -o ring.ti
    assert_success
    assert_equal "$(cat ring.ti)" "$(printf 'ring.ti.%d\n' 0 1 2 3)"
    "$BMF" convert ring.trace --to csv -o ring.csv
    python3 - <<'END'
import csv
from collections import Counter
events = list(csv.DictReader(open("ring.csv")))
for rank in range(4):
    mine = [e for e in events if int(e["lane"]) == rank]
    actions = [line.split() for line in open("ring.ti.%d" % rank)]
    assert actions[0] == [str(rank), "init"] and actions[-1] == [str(rank), "finalize"]
    assert all(a[0] == str(rank) for a in actions)
    sends = [(a[2], a[4]) for a in actions if a[1] in ("send", "isend")]
    assert sends == [(e["peer"], e["amount"]) for e in mine if e["kind"] == "send"], rank
    received = Counter((a[2], a[4]) for a in actions if a[1] in ("recv", "irecv"))
    assert received == Counter((e["peer"], e["amount"]) for e in mine if e["kind"] == "receive"), rank
    posted = sum(a[1] in ("isend", "irecv") for a in actions)
    assert posted == sum(a[1] == "wait" for a in actions), rank
    assert (posted > 0) == (rank == 0), rank
    collective = [a for a in actions if a[1] in ("barrier", "reduce", "allreduce", "bcast")]
    assert len(collective) == sum(e["kind"] == "collective" for e in mine), rank
END
}

@test "what SMPI has no action for is refused, and nothing is left" {
    record 2 run.trace "$PATTERNS" groups
    run --separate-stderr "$BMF" convert run.trace --to ti -o run.ti
    assert_failure 2
    [[ $stderr == *"event "*"rank 0 calls "* ]] || fail "$stderr"
    assert_equal "$(echo run.ti*)" "run.ti*"
    "$BMF_BIN_DIR/make_trace" other.trace 1 2 4 1
    run --separate-stderr "$BMF" convert other.trace --to ti -o run.ti
    assert_failure 2
    [[ $stderr == *"none of a recorded MPI program"* ]] || fail "$stderr"
}

# platform RANKS: every two processors joined by 20 us and 100 MB/s that nobody else has
platform()
{
    {
        echo '<?xml version="1.0"?>'
        echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
        echo '<platform version="4.1"><zone id="z" routing="Full">'
        for ((a = 0; a < $1; a++)); do echo "<host id=\"h$a\" speed=\"1Gf\"/>"; done
        echo '<link id="l" bandwidth="100MBps" latency="20us" sharing_policy="FATPIPE"/>'
        for ((a = 0; a < $1; a++)); do
            for ((b = a + 1; b < $1; b++)); do
                echo "<route src=\"h$a\" dst=\"h$b\"><link_ctn id=\"l\"/></route>"
            done
        done
        echo '</zone></platform>'
    } > platform.xml
    for ((a = 0; a < $1; a++)); do echo "h$a"; done > hosts
}

# simgrid RANKS FILE: the seconds that SMPI says; latency and bandwidth as they stand in the platform, senders go on
simgrid()
{
    smpirun -np "$1" -platform platform.xml -hostfile hosts -replay "$2" --cfg=network/model:CM02 \
        --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:0 --cfg=network/latency-factor:1 \
        --cfg=network/bandwidth-factor:1 --cfg=network/weight-S:0 --cfg=smpi/os:0:0:0 --cfg=smpi/or:0:0:0 \
        --cfg=smpi/ois:0:0:0 --cfg=smpi/send-is-detached-thresh:1000000000 --cfg=smpi/async-small-thresh:1000000000 \
        2>&1 | sed -n 's/.*Simulation time //p'
}

# equal_to_simgrid RANKS FILE: bmf's replay of FILE.trace is within one percent of SMPI's
equal_to_simgrid()
{
    platform "$1"
    "$BMF" convert "$2.trace" --to ti -o "$2.ti"
    local other ours
    other=$(simgrid "$1" "$2.ti")
    ours=$("$BMF" replay "$2.trace" --machine common.machine --json | sed -n 's/.*"seconds": \([0-9.e-]*\).*/\1/p')
    echo "$2: SMPI $other, bmf $ours"
    awk -v a="$other" -v b="$ours" 'BEGIN { exit !(a > 0 && b / a > 0.99 && b / a < 1.01) }'
}

@test "SMPI replays a ring and a task farm in the same time" {
    command -v smpirun > /dev/null || skip "SimGrid is not installed (libsimgrid-dev)"
    cat > common.machine <<'END'
name = "common";
processors = 64;
compute = { power = 1.0; };
network = { type = "hockney"; latency_us = 20.0; bandwidth_mb_per_s = 100.0; };
END
    record 4 ring.trace "$COWICHAN/pingpong" --n 1000 --iters 300
    equal_to_simgrid 4 ring
    record 6 farm.trace "$COWICHAN/farm" --packets 100 --mean 0.0003
    equal_to_simgrid 6 farm
}
