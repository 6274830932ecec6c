#!/usr/bin/env bats
# Choosing algorithms by measured costs: bmf sheet schedules measures and judges tables; runs given one choose by it, alike
# on all ranks and with the same value; bad tables end with one line and exit code 2, however many ranks there are.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    cat >split.bmf <<'END'
P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Num 8) [1, 2, 3, 4, 5, 6, 7, 8, 9]
END
    # Quick is what fixed constants do not take for 8 processors.
    {
        echo "bmf costs 1"
        for ranks in 1 3; do
            for row in "split tree 1" "split direct 9" "gather levels 1" "gather direct 9" "reduce levels 9" \
                "reduce doubling 1" "reduce everybody 9" "scan levels 9" "scan tree 1" "scan everybody 9"; do
                read -r skeleton algorithm seconds <<<"$row"
                echo "$skeleton $algorithm $ranks 8 8 ${seconds}e-6"
            done
        done
    } >odd.costs
}

# on RANKS COMMAND...
on()
{
    run --separate-stderr timeout 60 "$MPIRUN" -n "$1" "${@:2}"
}

# refused RANKS TEXT COMMAND...: exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    on "$1" "${@:3}"
    assert_failure 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf: "*"$2"* ]] || fail "not about '$2': ${stderr_lines[0]}"
}

# plan RANKS ARGUMENT...: which algorithms a sum of 1000 squares on 8 processors takes
plan()
{
    on "$1" "$BMF_BIN_DIR/make_sum" 1000 --bmf-procs 8 --bmf-threads 1 --bmf-plan "${@:2}"
    assert_success
    assert_output "sum 332833500 processors 8 threads 1"
}

@test "a program takes what the table says is quickest, on any number of ranks, and the sum is the same" {
    for ranks in 1 2 3 6; do
        plan "$ranks" --bmf-costs odd.costs
        [[ $stderr == *"doubling: about 1e-06 s as measured (odd.costs), chosen"* ]] || fail "$stderr"
    done
    BMF_COSTS=odd.costs plan 2
    [[ $stderr == *"doubling: about 1e-06 s as measured (odd.costs), chosen"* ]] || fail "$stderr"
}

@test "ranks and sizes that were not measured are estimated, and nothing given is the fixed constants" {
    plan 3
    local fixed
    fixed=$(grep "chosen" <<<"$stderr")
    [[ $fixed == *"everybody"* ]] || fail "$fixed"
    plan 7 --bmf-costs odd.costs # 3 ranks are less than half of 7
    assert_equal "$(grep chosen <<<"$stderr")" "$fixed"
    on 3 "$BMF_BIN_DIR/make_sum" 1000 --bmf-procs 17 --bmf-threads 1 --bmf-plan --bmf-costs odd.costs
    assert_success
    [[ $stderr != *"as measured"* ]] || fail "$stderr"
}

@test "a forced algorithm wins over the table" {
    plan 2 --bmf-costs odd.costs --bmf-schedule reduce=levels
    [[ $stderr == *"levels: about 9e-06 s as measured (odd.costs), chosen"* ]] || fail "$stderr"
}

@test "bmf run chooses by a machine's table, says so, and gives the same value" {
    printf '%s\n' 'name = "here"; compute = { zero = true; }; schedules = "odd.costs";' \
        'network = { type = "hockney"; latency_us = 1.0; bandwidth_mb_per_s = 100.0; };' >here.machine
    for ranks in 1 3; do
        on "$ranks" "$BMF" run split.bmf --machine here.machine --stats
        assert_success
        assert_output 45
        [[ ${stderr_lines[1]} == "algorithms by here.machine: split tree 1" ]] || fail "$stderr"
        on "$ranks" "$BMF" run split.bmf --machine here.machine --bmf-schedule split=direct --json
        assert_success
        assert_equal "$(jq -c '[.value, .algorithms]' <<<"$output")" '["45",{"split direct":1}]'
    done
    on 2 "$BMF" run split.bmf --stats
    assert_success
    assert_output 45
    assert_equal "${#stderr_lines[@]}" 1
}

@test "a prediction for a machine that chooses by its costs takes its table" {
    printf '%s\n' 'name = "here"; compute = { zero = true; }; schedules = "odd.costs"; choose = "machine";' \
        'network = { type = "hockney"; latency_us = 1.0; bandwidth_mb_per_s = 100.0; };' >here.machine
    run --separate-stderr "$BMF_BIN_DIR/make_sum" 1000 --bmf-procs 8 --bmf-threads 1 --bmf-plan --bmf-machine here.machine --bmf-ranks 3
    assert_success
    [[ $stderr == *"doubling: about 1e-06 s as measured (./odd.costs) on the machine, "*" s as runs assume, chosen"* ]] || fail "$stderr"
}

@test "what is measured is a table, which is judged" {
    on 2 "$BMF" sheet schedules -o here.costs --seconds 1 --procs 4
    assert_success
    [[ $output == "here.costs: "*" sizes on 2 ranks" ]] || fail "$output"
    assert_equal "$(head -n 1 here.costs)" "bmf costs 1"
    for row in "split tree 2 4" "gather direct 2 2" "reduce doubling 2 4" "scan everybody 2 4" \
        "distl scatter_allgather 2 2" "permute alltoallv 2 4"; do
        grep -q "^$row " here.costs || fail "no $row in $(cat here.costs)"
    done
    on 1 "$BMF" sheet schedules -o here.costs --with here.costs --seconds 1 --procs 2 --skeletons split,scan
    assert_success
    grep -q "^split tree 1 2 16 " here.costs
    grep -q "^reduce doubling 2 4 " here.costs
    # of 9 processors, between 8 and 10, rows are computed
    on 2 "$BMF" sheet schedules -o more.costs --seconds 1 --procs 10 --skeletons split,scan
    assert_success
    grep -Eq "^split direct 2 9 [0-9]+ [0-9.e-]+ # computed$" more.costs || fail "$(cat more.costs)"
    grep -Eq "^scan tree 2 9 [0-9]+ [0-9.e-]+ # computed$" more.costs
    ! grep -q "2 10 .*computed" more.costs || fail "10 were measured"
    on 2 "$BMF" sheet schedules --check more.costs --seconds 1 --procs 10 --skeletons split,scan
    assert_success
    on 2 "$BMF" sheet schedules --check here.costs --seconds 1 --procs 4
    assert_success
    [[ ${lines[-1]} == "all "* || $output == *$'\nall '* ]] || fail "$output"
    on 2 "$BMF" sheet schedules --check here.costs --seconds 1 --procs 2 --skeletons scan --series 3 --json
    assert_success
    jq -e '.series == 3 and ([.points[] | .loss_by_costs_95[0] <= .loss_by_costs and .loss_by_costs <= .loss_by_costs_95[1]] |
            length > 0 and all)' <<<"$output"
    on 2 "$BMF" sheet schedules --check here.costs --seconds 1 --procs 2 --skeletons scan --series 1 --json
    assert_success
    # What is lost in one series is what its numbers say.
    jq -e '[.points[] | . as $p | (.seconds | [.[]] | min) as $best |
            ((.seconds[$p.by_costs] / $best - 1 - .loss_by_costs) | fabs < 1e-9) and .loss_by_costs >= 0 and
            ((.seconds[$p.by_constants] / $best - 1 - .loss_by_constants) | fabs < 1e-9)] | length > 0 and all' <<<"$output"
}

@test "tables that are none, wrong or missing are refused in one line on any number of ranks" {
    echo "bmf costs 1
reduce lefels 2 8 8 1e-6" >wrong.costs
    echo "bmf samples" >none.costs
    : >empty.costs
    for ranks in 1 2 5; do
        refused "$ranks" "wrong.costs:2: reduce has no algorithm 'lefels'" "$BMF_BIN_DIR/make_sum" 10 --bmf-costs wrong.costs
        BMF_COSTS=no.costs refused "$ranks" "no.costs" "$BMF" run split.bmf
    done
    refused 3 "none.costs:1: no table of costs" "$BMF_BIN_DIR/make_sum" 10 --bmf-costs none.costs
    refused 2 "empty.costs:1: no table of costs" "$BMF_BIN_DIR/make_sum" 10 --bmf-costs empty.costs
    refused 2 "$BATS_TEST_TMPDIR" "$BMF_BIN_DIR/make_sum" 10 --bmf-costs "$BATS_TEST_TMPDIR"
    refused 2 "--bmf-costs" "$BMF_BIN_DIR/make_sum" 10 --bmf-costs=
    refused 3 "ideal.machine names no costs" "$BMF" run split.bmf --machine ideal
    refused 3 "no.machine" "$BMF" run split.bmf --machine no.machine
    printf '%s\n' 'name = "here"; compute = { zero = true; };' 'schedules = "wrong.costs";' \
        'network = { type = "ideal"; };' >here.machine
    refused 3 "here.machine:2: " "$BMF" run split.bmf --machine here.machine
}

@test "bmf sheet schedules refuses what it cannot do before it measures" {
    refused 2 "one of them" "$BMF" sheet schedules
    refused 2 "one of them" "$BMF" sheet schedules -o x --check odd.costs
    refused 2 "no skeleton 'redjuice'" "$BMF" sheet schedules -o x --skeletons split,redjuice
    refused 2 "--series" "$BMF" sheet schedules --check odd.costs --series 0
    refused 2 "no/such" "$BMF" sheet schedules -o no/such/x.costs
    refused 2 "no.costs" "$BMF" sheet schedules -o x --with no.costs
    refused 8 "odd.costs has no rows for about 8 ranks" "$BMF" sheet schedules --check odd.costs
    refused 3 "leaves no size" "$BMF" sheet schedules -o x --procs 2
    [ ! -e x ]
}
