#!/usr/bin/env bats
# Reductions of one distributed list, and what is distributed to it, in one exchange: messages as of one, the same values, said by the
# plan.

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

@test "what is distributed to a list one after the other sends as many messages as one value" {
    times='B_Map (B_Op (B_Times)) . B_Op (B_Distl)' total='B_Reduce (B_Op (B_Plus))'
    first="P_Map ($times) . P_Distl . B_Alltup [$total, P_Split (B_Num 8)]"
    echo "P_Reduce (B_Op (B_Conc)) . $first $data" >one.bmf
    echo "P_Reduce (B_Op (B_Conc)) . P_Map ($times) . P_Distl . B_Alltup [B_Addr (B_Num 3) (B_Num 3), B_Addr (B_Num 1) (B_Num 3)] .
        B_Alltup [$first, B_Id, B_Op (B_Length)] $data" >two.bmf
    assert_equal "$(messages one)" 21 # 7 of the split, 7 of the distribution, 7 of the concatenation
    assert_equal "$(messages two)" 21
    assert_equal "$(cat two.result)" "$("$BMF" run two.bmf --procs 8)"
    "$BMF" plan two.bmf --procs 8 >plan
    grep -q "one distribution" plan
    # what the first makes is needed for the second
    echo "P_Reduce (B_Op (B_Conc)) . P_Map ($times) . P_Distl . B_Alltup [P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Length)), B_Id] .
        $first $data" >apart.bmf
    # the elements in between may fail
    echo "P_Reduce (B_Op (B_Conc)) . P_Map ($times) . P_Distl . B_Alltup [B_Addr (B_Num 3) (B_Num 3), B_Addr (B_Num 1) (B_Num 3)] .
        B_Alltup [$first, B_Op (B_Index) . B_Alltup [B_Id, B_Con (B_Int 3)], B_Op (B_Length)] $data" >fails.bmf
    # two values of twenty scalars are a tuple too large, of sixteen they are not
    pair() # SCALARS
    {
        local many
        many="B_Alltup [$(printf 'B_Id, %.0s' $(seq 2 "$1"))B_Id]"
        echo "P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num $1) . B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)]) .
            P_Distl . B_Alltup [$many, P_Map (B_Op (B_Length) . B_Addr (B_Num 2) (B_Num 2)) . P_Distl . B_Alltup [$many, P_Split (B_Num 2) . B_Op (B_Iota)]] 5"
    }
    pair 16 >two.bmf
    "$BMF" plan two.bmf --procs 2 | grep -q "one distribution"
    assert_equal "$("$BMF" run two.bmf --procs 2)" 15
    pair 20 >large.bmf
    assert_equal "$("$BMF" run large.bmf --procs 2)" 15
    for apart in apart fails large; do
        "$BMF" plan $apart.bmf --procs 8 >plan
        ! grep -q "one distribution" plan || fail "$(cat plan)"
    done
}
