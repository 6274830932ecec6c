#!/usr/bin/env bats
# Lists of more than 2^31 elements, and too little memory: one line, an exit code, no hang. Takes at most 14 GiB.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    local available
    available=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
    [ "$available" -ge 16 ] || skip "needs 16 GiB of memory, $available are available"
    export BMF_THREADS=1
}

teardown()
{
    [ -z "${group-}" ] || rmdir "$group"
}

# on RANKS COMMAND..
on()
{
    run --separate-stderr timeout 600 "$MPIRUN" -n "$1" "${@:2}"
}

# thirds NUMBER: how many of 0 .. NUMBER - 1 are multiples of 3
thirds()
{
    echo $((($1 + 2) / 3))
}

# ---- more than 2^31 elements ----

many=2200000000 # bools of a byte

@test "the language makes, writes, reads, filters and counts 2.2 billion elements" {
    local space
    space=$(df -k --output=avail . | tail -n 1)
    [ "$space" -ge 3000000 ] || skip "needs 3 GB of disk"
    cat >make.bmf <<END
P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Eq) . B_Alltup [B_Op (B_Mod) . B_Alltup [B_Id, B_Con (B_Int 3)], B_Con (B_Int 0)])
    . B_Map (B_Op (B_Plus)) . B_Op (B_Distl) . B_Alltup [B_Id, B_Op (B_Iota) . B_Con (B_Int $((many / 4)))])
    . P_Map (B_Op (B_Times) . B_Alltup [B_Con (B_Int $((many / 4))), B_Op (B_Index) . B_Alltup [B_Id, B_Con (B_Int 0)]])
    . P_Split (B_Num 4) . B_Op (B_Iota) 4
END
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Op (B_Length) . B_Filter (B_Id)) . P_Split (B_Num 4)' >count.bmf
    for ranks in 2 1; do
        on "$ranks" "$BMF" run make.bmf --out many.npy
        assert_success
        [ "$(stat -c %s many.npy)" -eq $((many + 128)) ]
    done
    for ranks in 1 2 4; do
        on "$ranks" "$BMF" run count.bmf --arg many.npy
        assert_success
        assert_output "$(thirds $many)"
    done
}

@test "the largest of 5 billion numbers" {
    echo "B_Reduce (B_Op (B_Max)) . B_Op (B_Iota) 5000000000" >largest.bmf
    on 1 "$BMF" run largest.bmf
    assert_success
    assert_output 4999999999
}

@test "a permutation of 2^32 elements" {
    on 2 "$BMF" permute --bits 32 --elem 1 --matrix bitrev --verify --json
    assert_success
    run python3 -c 'import json, sys; d = json.loads(sys.argv[1]); assert d["verified"], d' "$output"
    assert_success
}

# ---- too little memory ----

# one_line WORDS: on standard error, beside what the launcher says when a rank ends the others
one_line()
{
    local lines
    lines=$(grep -c '^bmf: ' <<<"$stderr")
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ] || fail "exit code $status"
    [ "$lines" -eq 1 ] || fail "$stderr"
    [[ $stderr == *"$1"* ]] || fail "'$stderr' does not say '$1'"
}

large_list='P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Plus) . B_Alltup [B_Id, B_Id])) . P_Split (B_Procs) . B_Op (B_Iota)'

@test "a list that no rank can have is one line, with limits of processes" {
    echo "$large_list 4000000000" >large.bmf
    for ranks in 1 2 4; do
        run --separate-stderr timeout 300 bash -c "ulimit -v 3000000; exec '$MPIRUN' -n $ranks '$BMF' run large.bmf --out x.npy"
        one_line "memory"
        [ "$status" -le 2 ]
        ! ls x.npy* 2>/dev/null || fail "something is left"
    done
}

# group_of BYTES: a control group with so much memory, in $group and its file of processes in $processes
group_of()
{
    local base=/sys/fs/cgroup name=memory.max
    [ ! -d $base/memory ] || base=$base/memory name=memory.limit_in_bytes
    group=$base/bmf-test-$$
    mkdir "$group" 2>/dev/null || { group=; skip "control groups cannot be made here"; }
    echo "$1" >"$group/$name" 2>/dev/null || skip "control groups cannot limit memory here"
    processes=$group/cgroup.procs
}

@test "a list that no rank can have is one line, in a control group" {
    group_of 1000000000
    echo "$large_list 2000000000" >large.bmf
    for ranks in 1 2 4; do
        run --separate-stderr timeout 300 bash -c "echo \$\$ >$processes; exec '$MPIRUN' -n $ranks '$BMF' run large.bmf --out x.npy"
        one_line "memory"
        [ "$status" -le 2 ]
        ! ls x.npy* 2>/dev/null || fail "something is left"
    done
}

# The kernel kills a process of a group that has too little, and can only be obeyed: the others must not wait for it.
@test "a rank that the kernel kills for its memory ends the run, and damages no file" {
    group_of 600000000
    echo "$large_list 30000000" >fits.bmf # 240 MB a list, several of them
    for ranks in 1 2 4; do
        echo before >x.npy
        run --separate-stderr timeout 300 bash -c "echo \$\$ >$processes; exec '$MPIRUN' -n $ranks '$BMF' run fits.bmf --out x.npy"
        [ "$status" -ne 124 ] || fail "it hangs"
        if [ "$status" -eq 0 ]; then
            [ "$(stat -c %s x.npy)" -eq 240000128 ]
        else
            [ "$(cat x.npy)" = before ]
        fi
        for _ in {1..100}; do [ -s "$processes" ] && sleep 0.1 || break; done
        [ ! -s "$processes" ] || fail "processes are left"
    done
}
