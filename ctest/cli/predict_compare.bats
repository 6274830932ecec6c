#!/usr/bin/env bats
# bmf predict --compare: machines beside each other, whose times are exact or those of `bmf predict`; pages; bad input.

bats_require_minimum_version 1.5.0

load compared_machines.bash

setup()
{
    set_up
    COMMAND=predict
    make_machines
    make_programs
    sed -e 's/"slow"/"few"/' -e '1a processors = 4;' slow.machine >few.machine
}

# same_runs NAME..: every machine in compared.json has the runs of NAME.json, which was predicted by itself
same_runs()
{
    python3 - "$@" <<'END'
import json, sys
compared = json.load(open("compared.json"))
assert [m["machine"] for m in compared["machines"]] == sys.argv[1:], compared
for m in compared["machines"]:
    alone = json.load(open(m["machine"] + ".json"))
    assert m["fastest"] == alone["fastest"]
    for a, b in zip(m["runs"], alone["runs"], strict=True):
        assert a == b, (m["machine"], a, b)
END
}

@test "every machine has the times it has alone, and the ratios are theirs" {
    for name in slow fast few; do
        "$BMF" predict sum.bmf --machine $name.machine --procs 2,4 --json >$name.json
    done
    "$BMF" predict sum.bmf --machine slow.machine --compare fast.machine,few.machine --procs 2,4 --json >compared.json
    same_runs slow fast few
    python3 -c 'import json
ratios = json.load(open("compared.json"))["ratios"]
assert [(r["machine"], r["processors"]) for r in ratios] == [("fast", 2), ("fast", 4), ("few", 2), ("few", 4)]
for r in ratios:
    expected = 2.0 if r["machine"] == "fast" else 1.0
    assert all(abs(r[key] - expected) < 1e-9 for key in ("ratio", "lo", "hi")), r'
}

@test "machines that share a recording have the times of predictions of their own" {
    for name in slow fast; do
        sed -i -e 's/^compute.*//' -e 's/relative_error = 0.0/relative_error = 0.2/' -e 's/00000.0;/00000.0; send_us = 1000;/' \
            $name.machine
        "$BMF" predict sum.bmf --machine $name.machine --procs 4 --json >$name.json
    done
    "$BMF" predict sum.bmf --compare slow.machine,fast.machine --procs 4 --json >compared.json
    python3 -c 'import json
compared = json.load(open("compared.json"))
for m in compared["machines"]:
    alone = json.load(open(m["machine"] + ".json"))["runs"][0]
    # kernels take microseconds of these seconds, and chances are drawn alike
    for key in ("seconds", "lo", "hi", "best"):
        assert abs(m["runs"][0][key] / alone[key] - 1) < 1e-2, (key, m["runs"][0], alone)
r = compared["ratios"][0]
# two independent factors of 20 %: 1.96 sqrt(2) 0.2 to both sides in the logarithm
assert 1.9 < r["ratio"] < 2.1 and 1.0 < r["lo"] < 1.35 and 3.0 < r["hi"] < 4.0, r'
}

@test "a machine with too few processors is left out there, and the words say who wins where" {
    run --separate-stderr "$BMF" predict sum.bmf --compare slow.machine,few.machine,fast.machine --procs 2..8
    assert_success
    assert_line --partial 'fastest of all: 2 processors of fast'
    assert_line --regexp '^ +8  few +the machine has not so many$'
    assert_line --partial 'few is 1 times as fast as slow with equally many processors: the intervals do not tell them apart'
    assert_line --partial 'fast is 2 times as fast as slow with equally many processors'
    # 10 bytes a second: messages of a broadcast take 32, 8, 2 and 0.5 s there, and 1 s on slow
    cat >thin.machine <<'END'
name = "thin";
compute = { zero = true; };
agreement_us = 0.0;
relative_error = 0.0;
network = { type = "hockney"; latency_us = 1.0; bandwidth_mb_per_s = 1e-5; };
END
    cat >words.model <<'END'
program "words", "n"
ranks 1
call collective "bcast" root 0 bytes 80000000/p^2
END
    run --separate-stderr "$BMF" predict words.model --set n=1 --compare slow.machine,thin.machine --procs 500,1000,2000,4000
    assert_success
    assert_line --partial 'slower up to there, faster from 4000 processors on'
    run --separate-stderr "$BMF" predict sum.bmf --compare few.machine,slow.machine --procs 8
    assert_success
    assert_line --partial 'have none of these numbers of processors in common'
    refused 'none of the machines has so many processors' sum.bmf --compare few.machine,./few.machine --procs 8
}

@test "files of equations and C programs, with values of machines changed" {
    "$BMF" predict rules.model --set n=1000 --machine slow.machine --procs 2,4 --json >slow.json
    "$BMF" predict rules.model --set n=1000 --machine fast.machine --procs 2,4 --json >fast.json
    "$BMF" predict rules.model --set n=1000 --compare slow.machine,fast.machine --procs 2,4 --json >compared.json
    same_runs slow fast
    "$BMF" predict --machine slow.machine --procs 4 --json -- "$BMF_BIN_DIR/01-sum-of-squares" 1000 >slow.json 2>said
    "$BMF" predict --machine fast.machine --procs 4 --json -- "$BMF_BIN_DIR/01-sum-of-squares" 1000 >fast.json 2>said
    "$BMF" predict --compare slow.machine,fast.machine --procs 4 --json -- "$BMF_BIN_DIR/01-sum-of-squares" 1000 \
        >compared.json 2>said
    same_runs slow fast
    # the change reaches the program: slow with half the latency is fast
    "$BMF" predict --machine slow.machine --set network.latency_us/2 --procs 4 --json -- "$BMF_BIN_DIR/01-sum-of-squares" 1000 \
        2>said | python3 -c 'import json, sys
a, b = json.load(sys.stdin)["runs"], json.load(open("fast.json"))["runs"]
assert a == b, (a, b)'
}

@test "--kernels: a sheet of kernels instead of what the machine's file says" {
    timeout 60 "$MPIRUN" -n 2 "$BMF" run sum.bmf --trace run.trace
    "$BMF" sheet kernels run.trace -o sum.kernels
    sed 's/zero = true/sheet = "sum.kernels"/' slow.machine >learnt.machine
    sed 's/zero = true/power = 1/' slow.machine >timed.machine
    "$BMF" predict sum.bmf --machine learnt.machine --procs 2 --json >learnt.json
    "$BMF" predict sum.bmf --machine timed.machine --kernels sum.kernels --procs 2 --json >given.json
    cmp learnt.json given.json
    refused 'No such file' sum.bmf --machine slow.machine --kernels none.kernels --procs 2
    refused 'computing that costs nothing has no other settings' sum.bmf --machine slow.machine --kernels sum.kernels --procs 2
    refused 'is for programs of bmf' rules.model --machine slow.machine --kernels sum.kernels --procs 2
}

@test "the page stands alone" {
    "$BMF" predict sum.bmf --compare slow.machine,fast.machine --procs 2,4 --html page.html >text
    grep -q 'fastest of all: 2 processors of fast' page.html
    [ "$(grep -c '<svg' page.html)" = 3 ]
    stands_alone page.html
}

@test "bad input is refused in one line" {
    refused 'for which machine' sum.bmf --procs 2
    refused 'two machines and more' sum.bmf --compare ideal --procs 2
    refused 'stands there twice' sum.bmf --compare ideal,slow.machine,ideal --procs 2
    refused 'is --machine already' sum.bmf --machine ideal --compare ideal,slow.machine --procs 2
    refused 'is no list of 1 to 64 machines' sum.bmf --compare ideal,,slow.machine --procs 2
    refused 'not for --compare' sum.bmf --compare ideal,slow.machine --procs 2 --trace out.trace
    refused 'none.machine' sum.bmf --compare ideal,none.machine --procs 2
    refused "unknown key 'latency'" sum.bmf --compare slow.machine,fast.machine --procs 2 --set network.latency=1
    refused 'a change is NAME=VALUE' --machine slow.machine --set network.latency_us= --procs 2 -- "$BMF_BIN_DIR/01-sum-of-squares" 10
    BMF_MACHINE=$PWD/slow.machine BMF_MACHINE_SET=network.latency_us=x,1 BMF_PROCS=2 run "$BMF_BIN_DIR/01-sum-of-squares" 10
    assert_equal "$status" 2
    assert_output --partial "slow.machine"
}
