#!/usr/bin/env bats
# Many processors: those that do the same are evaluated once. Predictions that evaluate every processor say the same.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    bmf=$BMF_BIN_DIR/bmf
    cat >counted.machine <<'MACHINE'
compute = { operations_us = { other = 0.01; }; };
network = { type = "loggp"; latency_us = 1.0; overhead_us = 0.3; gap_us = 0.1; gap_us_per_byte = 0.01; };
MACHINE
    python3 - <<'PYTHON'
import random
random.seed(3)
open("x.bmf-data", "w").write(str([random.random() for _ in range(4001)]) + "\n")
open("ragged.bmf-data", "w").write(str([[random.random() for _ in range(random.randrange(5))] for _ in range(400)]) + "\n")
PYTHON
    cat >ragged.bmf <<'PROGRAM'
P_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) .
B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)))) . P_Split (B_Procs)
PROGRAM
    cat >filtered.bmf <<'PROGRAM'
P_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) .
B_Filter (B_Op (B_Lt) . B_Alltup [B_Id, B_Con (B_Real 0.5)])) . P_Split (B_Procs)
PROGRAM
    cat >failing.bmf <<'PROGRAM'
P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Num 0)) .
B_Map (B_Op (B_Divide) . B_Alltup [B_Con (B_Num 7), B_Op (B_Int) . B_Op (B_Floor) . B_Op (B_Times) . B_Alltup [B_Con (B_Real 900.0), B_Id]])) . P_Split (B_Procs)
PROGRAM
}

# both PROGRAM DATA PROCESSORS: the predictions are the same, byte by byte, but for how many were evaluated
both()
{
    "$bmf" predict "$1" --arg "$2" --machine counted.machine --procs "$3" --json >classes.json
    "$bmf" predict "$1" --arg "$2" --machine counted.machine --procs "$3" --every --json >every.json
    python3 - <<'PYTHON'
import json
classes, every = (json.load(open(f + ".json")) for f in ("classes", "every"))
print(sum(run.pop("alike") for run in classes["runs"]))
assert all(run.pop("alike") == 0 for run in every["runs"])
assert classes == every, (classes, every)
PYTHON
}

@test "processors whose parts are as long do the same, and the figures are those of all" {
    run both "$BMF_SOURCE_DIR/examples/12-mean-variance.bmf" x.bmf-data 37,500
    assert_success
    [ "$output" -gt 400 ]
}

@test "of ragged lists only processors with the same lengths are alike" {
    run both ragged.bmf ragged.bmf-data 100
    assert_success
}

@test "counts that depend on data: every processor is evaluated, and the table says so" {
    run both filtered.bmf x.bmf-data 200
    assert_success
    run "$bmf" predict filtered.bmf --arg x.bmf-data --machine counted.machine --procs 2048
    assert_success
    assert_output --partial "2048 of 2048 processors were evaluated one by one: what they do depends on data, or they hold lists of other lengths"
}

@test "a failure on one of many processors is the same" {
    run -2 "$bmf" predict failing.bmf --arg x.bmf-data --machine counted.machine --procs 500
    failed=$output
    run -2 "$bmf" predict failing.bmf --arg x.bmf-data --machine counted.machine --procs 500 --every
    assert_output "$failed"
}

@test "kernels that are timed here: messages are the same, and times of some stand for those of all" {
    cat >timed.machine <<'MACHINE'
network = { type = "hockney"; latency_us = 2.0; bandwidth_mb_per_s = 1000.0; ports = "single"; };
MACHINE
    "$bmf" predict "$BMF_SOURCE_DIR/examples/12-mean-variance.bmf" --arg x.bmf-data --machine timed.machine --procs 2000 --json >classes.json
    "$bmf" predict "$BMF_SOURCE_DIR/examples/12-mean-variance.bmf" --arg x.bmf-data --machine timed.machine --procs 2000 --every --json >every.json
    python3 - <<'PYTHON'
import json
classes, every = (json.load(open(f + ".json"))["runs"][0] for f in ("classes", "every"))
for key in ("messages", "bytes", "rank_messages", "rank_bytes"):
    assert classes[key] == every[key], key
assert classes["alike"] > 1900 and every["alike"] == 0
assert classes["lo"] <= classes["seconds"] <= classes["hi"]
PYTHON
}
