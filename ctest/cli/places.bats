#!/usr/bin/env bats
# Source places of regions and calls: in C by the macros of bmf/places.h, in the language by the texts; the same in runs,
# predictions and replays; in tables, JSON, other formats and on the page.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_MACHINES="$BMF_SOURCE_DIR/examples/machines"
    source=$BMF_SOURCE_DIR/ctest/cli/programs/make_places.c
}

# holds FILE EXPRESSION: a Python expression over the JSON object j
holds()
{
    run python3 -c "import json, sys; j = json.load(open(sys.argv[1])); assert ($2), j" "$1"
    assert_success
}

# places TRACE: PATH PLACE.. of every interval, places without directories
places()
{
    "$BMF" report "$1" --json | python3 -c '
import json, os, sys
for run in json.load(sys.stdin)["runs"]:
    for i in run["intervals"]:
        print(i["path"], *sorted(os.path.basename(p) for p in i["places"]))'
}

# line TEXT: of the comment in the program
lines() { grep -n "/\* place: $1 \*/" "$source" | sed 's/:.*//; s/^/make_places.c:/' | sort; }

@test "calls in C have the places of their lines, also inside of arguments and in keyed regions" {
    for ranks in 1 2 3; do
        run timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/make_places" --bmf-trace run.trace --bmf-procs 3
        assert_success
        assert_output "4950 9900 19800"
        places run.trace >found
        {
            echo "main"
            echo "main/whole $(lines whole)"
            echo "main/whole/tabulate iota_real $(lines iota_real)"
            echo "main/whole/reduce plus $(lines 'reduce plus')"
            echo "main/whole/map twice"
            for step in 0 1 2; do
                echo "main/whole/step[$step] $(lines step)"
                place=$(lines 'map_reduce plus twice' | sed -n "$((step % 2 ? 1 : 2))p")
                echo "main/whole/step[$step]/map_reduce plus twice $place"
            done
        } >wanted
        diff wanted found
    done
}

@test "programs in the language: file, line and column, the same in runs, predictions and replays" {
    cat >text.bmf <<'TEXT'
$Sum = P_Reduce (B_Op (B_Plus))
$Step = P_Map (B_Reduce (B_Op (B_Plus)))
$Sum .
$Step . P_Split (B_Num 3) [1, 2, 3, 4]
TEXT
    cat >wanted <<'TEXT'
main
main/P_Split text.bmf:4:9
main/P_Split/split text.bmf:4:9
main/$Step text.bmf:4:1
main/$Step/P_Map text.bmf:2:9
main/$Step/P_Map/stream reduce text.bmf:2:16
main/$Sum text.bmf:3:1
main/$Sum/P_Reduce text.bmf:1:8
TEXT
    for ranks in 1 2; do
        timeout 60 "$MPIRUN" -n $ranks "$BMF" run text.bmf --procs 3 --trace run.trace >result
        places run.trace | diff wanted -
    done
    "$BMF" predict text.bmf --machine ideal --procs 3 --trace predicted.trace >said
    places predicted.trace | diff wanted -
    "$BMF" replay run.trace --machine ethernet-8 --trace replayed.trace >said
    cat wanted wanted >both
    places replayed.trace | diff both - # the recorded run and the replayed one
    "$BMF" compare run.trace predicted.trace --json >compared
    holds compared '{s["path"]: s["place"] for s in j["steps"] if s["path"] != "main"}["main/$Step/P_Map"] == "text.bmf:2:9"'
    "$BMF" convert run.trace --to csv -o - | grep -q '"main/P_Split","text.bmf:4:9"'
    "$BMF" convert run.trace --to chrome -o - >chrome
    holds chrome 'any(e.get("args", {}).get("place") == "text.bmf:4:9" for e in j["traceEvents"])'
}

@test "the page has the places and the texts that are there" {
    run timeout 60 "$MPIRUN" -n 2 "$BMF_BIN_DIR/make_places" --bmf-trace run.trace
    "$BMF" report run.trace --html page.html --source "$(dirname "$source")"
    grep -q 'Called inside of the arguments of another call' page.html
    mkdir empty
    "$BMF" report run.trace --html page.html --source empty
    grep -q 'make_places.c:' page.html
    "$BMF" report run.trace | grep -q "whole .* user .* make_places.c:"
}

@test "every call that traces show has a macro" {
    run python3 - "$BMF_SOURCE_DIR/include/bmf" <<'PYTHON'
import re, sys
def texts(*names):
    return "".join(open(f"{sys.argv[1]}/{name}.h").read() for name in names)
calls = set(re.findall(r"BMF_API int (bmf_\w+)\(", texts("skeletons", "stencil")))
places = set(re.findall(r"#define (bmf_\w+)\(", texts("places")))
print(*sorted(calls - places - {"bmf_grid_choose", "bmf_grid_partition"}))
PYTHON
    assert_success
    assert_output ""
}
