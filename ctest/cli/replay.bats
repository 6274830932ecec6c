#!/usr/bin/env bats
# bmf replay: recorded runs of real programs on other machines; the trace of both; bad input.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    unset BMF_MACHINES
    machine slow 1.0
    machine fast 2.0
}

# machine NAME POWER: a machine file with 8 processors
machine()
{
    cat >"$1.machine" <<END
name = "$1"; processors = 8; compute = { power = $2; };
network = { type = "hockney"; latency_us = 10.0; bandwidth_mb_per_s = 100.0; send_us = 1.0; receive_us = 2.0; };
END
}

# record RANKS FILE: a real run on 8 processors
record()
{
    BMF_TRACE=$2 run timeout 60 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/make_sum" 100000 --bmf-procs "${3:-8}" --bmf-threads 1
    assert_success
}

# replay ARGUMENT...
replay()
{
    run --separate-stderr timeout 60 "$BMF" replay "$@"
}

# refused TEXT ARGUMENT...: exit code 2, nothing on standard output, one line with TEXT
refused()
{
    replay "${@:2}"
    assert_failure 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
}

# value KEY: of the JSON object in $output
value()
{
    python3 -c 'import json, sys; print(json.loads(sys.argv[1])[sys.argv[2]])' "$output" "$1"
}

@test "messages and bytes are those of the trace, whatever the number of ranks" {
    for ranks in 1 2 3; do
        record $ranks run.trace
        "$BMF" convert run.trace --to csv -o run.csv
        replay run.trace --machine slow.machine --json
        assert_success
        assert_equal "$(value messages)" "$(grep -c ,send, run.csv)"
        assert_equal "$(value processors)" 8
        eval "sent_$ranks='$(value messages) $(value bytes)'"
    done
    assert_equal "$sent_2" "$sent_1"
    assert_equal "$sent_3" "$sent_1"
}

@test "half the time for computing on a machine that is twice as fast" {
    record 1 run.trace 1
    replay run.trace --machine slow.machine --json
    assert_success
    slow=$(value seconds)
    assert_equal "$(value messages)" 0
    replay run.trace --machine fast.machine --json
    python3 -c 'import sys; assert abs(float(sys.argv[1]) / float(sys.argv[2]) - 2) < 1e-9' "$slow" "$(value seconds)"
}

@test "a predicted run takes where it was predicted as long again" {
    for program in 12-mean-variance 18-primes; do
        BMF_MACHINES=$BMF_SOURCE_DIR/examples/machines "$BMF" predict "$BMF_SOURCE_DIR/examples/$program.bmf" \
            --machine fast-cluster --procs 4 --trace predicted.trace >/dev/null
        replay predicted.trace --machine "$BMF_SOURCE_DIR/examples/machines/fast-cluster.machine" --trace both.trace --json
        assert_success
        # Whole nanoseconds in some hundred events.
        python3 -c 'import sys; assert abs(float(sys.argv[1]) - float(sys.argv[2])) < 1e-7' "$(value recorded)" "$(value seconds)"
        "$BMF" compare both.trace --json >both.json
        python3 -c 'import json; of = json.load(open("both.json"))["seconds"]; assert abs(of["measured"] - of["predicted"]) < 1e-7'
    done
}

# As in bmf predict: the median of runs with noise lies inside of its interval, and the run without any is "best".
# Two reductions on 8 processors of a slow network: agreements and messages are those of the machine, however many ranks
# the recorded run had (the order in which a processor takes messages may differ by a send and a receive), and what these ranks did before the program and after it is not replayed.
@test "replays of traces of 1, 2 and 3 ranks take as long as the prediction" {
    echo "B_Op (B_Plus) . B_Alltup [P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))), P_Reduce (B_Op (B_Max))" \
        ". P_Map (B_Reduce (B_Op (B_Max)))] . P_Split (B_Procs) [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]" >two.bmf
    sed 's/{ power = 1.0; }/{ zero = true; }/' slow.machine >zero.machine
    run --separate-stderr "$BMF" predict two.bmf --machine zero.machine --procs 8 --json
    assert_success
    predicted=$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])["runs"][0]["best"])' "$output")
    for ranks in 1 2 3; do
        timeout 60 "$MPIRUN" -n $ranks "$BMF" run two.bmf --procs 8 --trace run.trace >/dev/null
        replay run.trace --machine zero.machine --json
        assert_success
        python3 -c 'import sys; a, b = map(float, sys.argv[1:]); assert abs(a / b - 1) <= 0.05, (a, b)' "$(value best)" "$predicted"
    done
}

@test "the predicted time is inside of its interval" {
    cat >noisy.sheet <<'END'
format = "bmf sheet 1"; title = "noisy"; units = "us"; logarithm = "natural";
entries = (
  { operation = "send"; family = "point-to-point"; element_bytes = 8; d = [0, 100000]; startup = "none"; size = "none"; c = 60.0; errors = [30.0, 0.0, 0.0]; },
  { operation = "recvmin"; family = "point-to-point"; element_bytes = 8; d = [0, 100000]; startup = "none"; size = "none"; c = 90.0; errors = [45.0, 0.0, 0.0]; },
  { operation = "recv"; family = "point-to-point"; element_bytes = 8; d = [0, 100000]; startup = "none"; size = "none"; c = 100.0; errors = [50.0, 0.0, 0.0]; }
);
END
    cat >noisy.machine <<'END'
name = "noisy"; compute = { zero = true; };
network = { type = "sheet"; sheet = "noisy.sheet"; };
END
    record 2 run.trace
    for samples in 20 200; do
        replay run.trace --machine noisy.machine --samples $samples --trace both.trace --json
        assert_success
        python3 -c 'import json, sys; d = json.loads(sys.argv[1])
assert d["lo"] < d["seconds"] < d["hi"] and d["seconds"] != d["best"], d' "$output"
    done
    best=$(value best)
    "$BMF" compare both.trace --json >both.json
    python3 -c 'import json, sys; of = json.load(open("both.json"))["seconds"]; assert abs(of["predicted"] - float(sys.argv[1])) < 1e-7' "$best"
    "$BMF" permute --bits 8 --elem 8 --matrix bitrev --method rounds --machine noisy.machine --procs 4 --json >permute.json
    python3 -c 'import json; d = json.load(open("permute.json"))["runs"][0]
assert d["lo"] < d["seconds"] < d["hi"], d'
}

@test "both runs in one trace have the same events" {
    record 8 run.trace
    replay run.trace --machine slow.machine --trace both.trace
    assert_success
    assert_output --partial "recorded"
    assert_output --partial "both runs are in both.trace"
    "$BMF" convert both.trace --to csv -o both.csv
    awk -F, '$1 == 0 { print $2, $4, $(NF - 1), $12 }' both.csv | sort >recorded
    awk -F, '$1 == 1 { print $2, $4, $(NF - 1), $12 }' both.csv | sort >predicted
    [ -s recorded ] || fail "no events"
    diff recorded predicted
}

@test "the same replay twice gives the same bytes" {
    record 2 run.trace
    for k in 1 2; do
        replay run.trace --machine fast.machine --trace both$k.trace --json
        assert_success
        echo "$output" >said$k
    done
    cmp both1.trace both2.trace
    cmp said1 said2
}

@test "of a trace with two runs the first is replayed" {
    record 2 run.trace
    "$BMF" replay run.trace --machine slow.machine --trace both.trace --json >first
    "$BMF" convert both.trace --to csv -o both.csv
    replay both.trace --machine slow.machine --json
    assert_success
    cmp first <(echo "$output")
}

@test "bad input is one line" {
    record 2 run.trace
    refused "no trace" --machine slow.machine
    refused "no machine" run.trace
    refused "needs a value" run.trace --machine
    refused "unknown option" run.trace --machine slow.machine --fast
    refused "samples" run.trace --machine slow.machine --samples 0
    refused "bmf predict --procs" run.trace --machine slow.machine --procs 77
    refused "none.trace" none.trace --machine slow.machine
    refused "none.machine" run.trace --machine none.machine
    head -c 3000 run.trace >cut.trace
    refused "cut off" cut.trace --machine slow.machine
    sed 's/processors = 8/processors = 4/' slow.machine >small.machine
    refused "8" run.trace --machine small.machine
    refused "cannot" run.trace --machine slow.machine --trace none/both.trace
    ln -s /dev/null link
    refused "not a regular file" run.trace --machine slow.machine --trace link
    [ -L link ]
}

@test "help has an example" {
    run "$BMF" replay --help
    assert_success
    assert_output --partial "Example: bmf replay"
}
