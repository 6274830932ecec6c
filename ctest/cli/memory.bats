#!/usr/bin/env bats
# What processors hold over time: of programs whose lists and sizes are known, in runs on any number of ranks and in
# predictions; the peak in tables and JSON, the chart on the page.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1 BMF_MACHINES="$BMF_SOURCE_DIR/examples/machines"
}

# peaks TRACE: of every processor of its last run, in bytes
peaks()
{
    "$BMF" report "$1" --processors --json | python3 -c '
import json, sys
run = json.load(sys.stdin)["runs"][-1]
each = [p["memory_bytes"] for p in run["each_processor"]]
assert max(each) == run["memory"]["bytes"] == each[run["memory"]["processor"]], run["memory"]
print(*each)'
}

@test "a list that is split: whole on processor 0 at first, then a part on each" {
    # 1000 reals of 8 bytes; nobody needs the whole list any more when its parts are there.
    python3 -c 'print("P_Split (B_Num 4) [" + ", ".join(f"{k}.5" for k in range(1000)) + "]")' >split.bmf
    for ranks in 1 2 4; do
        timeout 60 "$MPIRUN" -n $ranks "$BMF" run split.bmf --procs 4 --trace run.trace >result
        read -r first second third fourth <<<"$(peaks run.trace)"
        echo "$ranks: $first $second $third $fourth"
        [ "$first" -ge 8000 ] && [ "$first" -le 18500 ]
        for part in $second $third $fourth; do
            [ "$part" -ge 2000 ] && [ "$part" -le 2100 ]
        done
    done
    "$BMF" predict split.bmf --machine ideal --procs 4 --trace predicted.trace >said
    read -r first second third fourth <<<"$(peaks predicted.trace)"
    echo "predicted: $first $second $third $fourth"
    [ "$first" -ge 8000 ] && [ "$first" -le 18500 ]
    [ "$second" -ge 2000 ] && [ "$fourth" -le 2100 ]
}

@test "lists in C count on their processors until they are freed, shared ones once" {
    timeout 60 "$MPIRUN" -n 2 "$BMF_BIN_DIR/make_places" --bmf-trace run.trace --bmf-procs 2
    # 50 reals a processor in each of three lists at most: that in the argument is never freed.
    assert_equal "$(peaks run.trace)" "1200 1200"
    run "$BMF" report run.trace --processors
    assert_output --partial "memory: at most 1200 bytes of lists, on processor 0"
    assert_output --partial "memory at most"
}

@test "the page has the chart if the trace says what is held" {
    timeout 60 "$MPIRUN" -n 2 "$BMF_BIN_DIR/make_places" --bmf-trace run.trace
    "$BMF" report run.trace --html page.html
    grep -q 'id="memory"' page.html
}
