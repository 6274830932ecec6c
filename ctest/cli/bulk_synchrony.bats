#!/usr/bin/env bats
# Machines of document 000: operations and levels that do not overlap, virtual times of operations, schedules by the
# costs of the machine. What is expected follows from the document's text and the machine files.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_MACHINES="$BATS_TEST_DIRNAME/../../examples/machines" BMF_THREADS=1 BMF="$BMF_BIN_DIR/bmf"
    list='[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]'
    sums='P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num 16)'
    echo "P_Scan (B_Op (B_Plus)) . $sums $list" >scan.bmf
    echo "P_Reduce (B_Op (B_Plus)) . $sums $list" >reduce.bmf
    echo "P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 16) $list" >gather.bmf
}

# levels NAME MACHINE CALL: "messages begin end" of every round of the call, in nanoseconds
levels()
{
    "$BMF" predict "$1.bmf" --machine "$2" --procs 16 --trace "$1.trace" >/dev/null
    "$BMF" convert "$1.trace" --to csv -o - | awk -F, -v call="\"main/$3\"" '
        $5 != call { next }
        $4 == "send" { n[$8]++; if (n[$8] == 1 || $10 < begin[$8]) begin[$8] = $10 }
        $4 == "receive" && $11 > end[$8] { end[$8] = $11 }
        END { for (r = 0; r in n; r++) print n[r], begin[r], end[r] }'
}

# bursts NAME MACHINE CALL NUMBER...: so many messages a level, and no level begins before the one before has ended
bursts()
{
    run levels "$1" "$2" "$3"
    assert_success
    assert_equal "$(cut -d' ' -f1 <<<"$output" | tr '\n' ' ')" "${*:4} "
    awk 'NR > 1 && $2 < last { exit 1 } { last = $3 }' <<<"$output" || fail "levels overlap on $2: $output"
}

@test "the levels of a scan and of a reduction are bursts that do not overlap" {
    for machine in binary-tree-16 mesh-16 ideal basic-16; do
        bursts scan "$machine" P_Scan 15 14 12 8
        bursts reduce "$machine" P_Reduce 8 4 2 1
    done
    sed 's/bulk_synchronous = true/bulk_synchronous = false/; s|"binary-tree-16.net"|"'"$BMF_MACHINES"'/binary-tree-16.net"|' \
        "$BMF_MACHINES/binary-tree-16.machine" >loose.machine
    run levels scan loose.machine P_Scan
    awk 'NR > 1 && $2 < last { overlap = 1 } { last = $3 } END { exit !overlap }' <<<"$output" || fail "$output"
}

@test "in the first level of a scan on the tree 3 to 4, 7 to 8, 11 to 12 come last" {
    "$BMF" predict scan.bmf --machine binary-tree-16 --procs 16 --trace scan.trace >/dev/null
    run bash -c '"$BMF" convert scan.trace --to csv -o - | awk -F, '\''$4 == "receive" && $5 == "\"main/P_Scan\"" && $8 == 0 {
        print $11, $3, $9 }'\'' | sort -n | tail -3 | sort -k2n | awk "{ printf \"%s \", \$2 }"'
    # column 3 is the lane
    assert_output "4 8 12 "
}

@test "all processors begin a map together, and the reduction after it" {
    "$BMF" predict reduce.bmf --machine basic-16 --procs 16 --trace reduce.trace >/dev/null
    run bash -c '"$BMF" convert reduce.trace --to csv -o - | awk -F, '\''
        $4 == "skeleton" && ($5 == "\"main/P_Map\"" || $5 == "\"main/P_Reduce\"") { print $5, $10 }'\'' | sort -u | wc -l'
    assert_output 2
}

@test "operations take their virtual times: a constant of B_Plus, by size of B_Conc" {
    run bash -c '"$BMF" predict scan.bmf --machine basic-16 --procs 16 --trace s.trace >/dev/null
        "$BMF" convert s.trace --to csv -o - | awk -F, '\''$4 == "kernel" && $5 == "\"main/P_Scan\"" { print $11 - $10 }'\'' | sort -u'
    assert_output 10000
    run bash -c '"$BMF" predict gather.bmf --machine basic-16 --procs 16 --trace g.trace >/dev/null
        "$BMF" convert g.trace --to csv -o - | awk -F, '\''$4 == "kernel" { print $11 - $10 }'\'' | sort -n | uniq -c | tr -s " \n" " "'
    assert_output " 8 10000 4 20000 2 40000 1 80000 "
}

@test "schedules are forced, and otherwise chosen by the costs of the machine" {
    echo "P_Split (B_Num 8) $list" >split.bmf
    BMF_PLAN=1 run --separate-stderr "$BMF" predict split.bmf --machine basic-16 --procs 8
    assert_success
    [[ $stderr == *"tree: about "*" s on the machine, "*" s as runs assume"*chosen* ]] || fail "$stderr"
    for algorithm in tree direct; do
        BMF_PLAN=1 run --separate-stderr "$BMF" predict split.bmf --machine t3d-128 --procs 8 --bmf-schedule split=$algorithm
        assert_success
        [[ $stderr == *"$algorithm: about "*", chosen"* && $stderr != *"as runs assume"* ]] || fail "$stderr"
    done
}

@test "mistakes have a place" {
    machine() { printf 'compute = { %s };\nnetwork = { type = "fixed"; };\n%s\n' "$1" "$2" >m.machine; }
    refused()
    {
        run --separate-stderr "$BMF" machine check m.machine
        assert_failure 2
        [[ $stderr == "bmf: m.machine:"*"$1"* ]] || fail "$stderr"
    }
    machine 'operations_us = 3;' ''
    refused "'operations_us' must be a group"
    machine 'operations_us = { B_Plus = -1; };' ''
    refused "'B_Plus' must be a number of at least 0, not -1"
    machine 'zero = true; operations_us = { other = 1; };' ''
    refused "computing that costs nothing has no other settings"
    machine '' 'choose = "best";'
    refused "'choose' is default or machine, not 'best'"
    machine '' 'bulk_synchronous = 1;'
    refused "bulk_synchronous"
    run --separate-stderr "$BMF" predict scan.bmf --machine ideal --procs 16 --bmf-schedule scan=fast
    assert_failure 2
    [[ $stderr == *"scan has no algorithm 'fast'"* ]] || fail "$stderr"
    "$BMF" predict scan.bmf --machine ideal --procs 16 --trace scan.trace >/dev/null
    run --separate-stderr "$BMF" replay scan.trace --machine basic-16
    assert_failure 2
    [[ $stderr == *"its times are those of operations"* ]] || fail "$stderr"
}
