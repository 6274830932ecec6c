#!/usr/bin/env bats
# Reductions of one distributed list in one exchange: messages as of one reduction, the same values, said by the plan.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1 BMF_MACHINES="$BMF_SOURCE_DIR/examples/machines"
    sum='P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)))'
    largest='P_Reduce (B_Op (B_Max)) . P_Map (B_Reduce (B_Op (B_Max)))'
    data='[0.1, 0.7, 1e9, 3.25, 1e-9, 0.3, 12.5, 0.01, 0.2, 7.75, 1e5]'
    echo "$sum . P_Split (B_Num 8) $data" >sum.bmf
    echo "$largest . P_Split (B_Num 8) $data" >largest.bmf
    echo "B_Alltup [$sum, $largest] . P_Split (B_Num 8) $data" >both.bmf
}

# messages NAME: of a run on 2 ranks and 8 processors
messages()
{
    timeout 60 "$MPIRUN" -n 2 "$BMF" run "$1.bmf" --procs 8 --trace "$1.trace" >"$1.result"
    "$BMF" report "$1.trace" --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["runs"][0]["intervals"][0]["all"]["messages"])'
}

@test "two reductions send as many messages as one, and have the values that they have alone" {
    assert_equal "$(messages sum)" 14 # 7 of the split, 7 of the reduction
    assert_equal "$(messages largest)" 14
    assert_equal "$(messages both)" 14
    assert_equal "$(cat both.result)" "{$(cat sum.result), $(cat largest.result)}"
    "$BMF" predict both.bmf --machine ethernet-8 --procs 8 --trace predicted.trace >said
    "$BMF" compare both.trace predicted.trace --json | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["messages"]["equal"] and j["bytes"]["equal"], j'
}

@test "the plan says so" {
    run "$BMF" plan both.bmf --procs 8
    assert_success
    assert_output --partial "one exchange"
}

@test "reductions of two lists, and lists that are concatenated, stay apart" {
    echo "B_Alltup [$sum . P_Split (B_Num 8), $sum . P_Split (B_Num 4)] $data" >apart.bmf
    run "$BMF" plan apart.bmf --procs 8
    refute_output --partial "one exchange"
    echo "B_Alltup [P_Reduce (B_Op (B_Conc)), P_Reduce (B_Op (B_Conc))] . P_Split (B_Num 8) $data" >apart.bmf
    run "$BMF" plan apart.bmf --procs 8
    refute_output --partial "one exchange"
}
