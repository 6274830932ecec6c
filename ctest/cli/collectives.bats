#!/usr/bin/env bats
# Collective calls of whole runs, counted by a library that stands between bmf and MPI: none that only asks whether
# everybody is all right. And what ranks do without them when one of them fails.

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR"
    echo 'B_Id 1' >empty.bmf
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Procs)' >sums.bmf
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) .
        B_Map (B_If (B_Id) (B_Con (B_Int 1)) (B_Con (B_Int 0)))) . P_Split (B_Num 8)' >truths.bmf
    cat >one_second.machine <<'MACHINE'
name = "one-second"; processors = 8; compute = { zero = true; };
network = { type = "fixed"; }; agreement_us = 1000000.0;
MACHINE
    python3 - <<'PYTHON'
import struct
def npy(path, kind, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (kind, shape)
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)
npy("x.npy", "<f8", 1000, b"".join(struct.pack("<d", i) for i in range(1000)))
for k in range(8):
    truths = bytearray(24)
    truths[3 * k + 1] = 7
    npy(f"bad{k}.npy", "|b1", 24, bytes(truths))
truths[22] = truths[2] = 9
npy("bad_twice.npy", "|b1", 24, bytes(truths))
PYTHON
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_FILE_TMPDIR"
    export OMP_WAIT_POLICY=passive BMF_THREADS=1
    counter=$BMF_BUILD_DIR/libbmf_count_sends.so
}

# count RANKS COMMAND..: sets $collectives to the sum, and prints what they are
count()
{
    local ranks=$1
    shift
    [ -e "$counter" ] || skip "the counter of messages is not built"
    if ldd "$BMF_BIN_DIR/bmf" | grep -q libasan; then skip "the sanitizers come first"; fi
    rm -f calls
    "$MPIRUN" -n "$ranks" env LD_PRELOAD="$counter" BMF_COUNT_COLLECTIVES=calls "$@" >value
    echo "$ranks ranks, ${*##*/}: $(tr '\n' ' ' <calls)"
    collectives=$(awk '{ sum += $2 } END { print sum + 0 }' calls)
}

@test "an empty program makes at most six" {
    for ranks in 2 4 8; do
        count "$ranks" "$BMF_BIN_DIR/bmf" run empty.bmf
        [ "$collectives" -le 6 ]
        refute grep -q allreduce calls
    done
}

@test "a reduction of a file makes at most two more, the unit square at most five" {
    for ranks in 2 4 8; do
        count "$ranks" "$BMF_BIN_DIR/bmf" run empty.bmf
        local empty=$collectives
        count "$ranks" "$BMF_BIN_DIR/bmf" run sums.bmf --arg x.npy
        [ "$collectives" -le $((empty + 2)) ]
        assert_equal "$(cat value)" 499500.0
        count "$ranks" "$BMF_BIN_DIR/bmf" run "$BMF_SOURCE_DIR/examples/22-unit-square.bmf" --procs 4
        [ "$collectives" -le $((empty + 5)) ]
    done
}

@test "a projection and an index make one" {
    echo 'P_Reduce (B_Op (B_Plus)) . P_Project . B_Alltup [P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num 8), B_Id]
        [3, 1, 2, 0, 7, 5, 6, 4]' >project.bmf
    echo 'B_Op (B_Index) . B_Alltup [P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num 8), B_Con (B_Int 4)]
        [3, 1, 2, 0, 7, 5, 6, 4]' >index.bmf
    for ranks in 2 4 8; do
        count "$ranks" "$BMF_BIN_DIR/bmf" run empty.bmf
        local empty=$collectives
        count "$ranks" "$BMF_BIN_DIR/bmf" run project.bmf
        assert_equal "$(cat value)" 28
        [ "$collectives" -eq $((empty + 2)) ] # one is the split's
        count "$ranks" "$BMF_BIN_DIR/bmf" run index.bmf
        assert_equal "$(cat value)" 7
        [ "$collectives" -eq $((empty + 2)) ]
    done
}

@test "a reduction in C makes none but that of opening" {
    for ranks in 2 5 8; do
        count "$ranks" "$BMF_BIN_DIR/01-sum-of-squares" 1000
        refute grep -qvE '^(communicator|allgather) 1$' calls
    done
}

@test "predictions have the collective calls that are made" {
    for program in "sums.bmf --arg x.npy" "$BMF_SOURCE_DIR/examples/22-unit-square.bmf"; do
        count 4 "$BMF_BIN_DIR/bmf" run empty.bmf
        local empty=$collectives
        # shellcheck disable=SC2086
        count 4 "$BMF_BIN_DIR/bmf" run $program --procs 4
        # shellcheck disable=SC2086
        seconds=$("$BMF_BIN_DIR/bmf" predict $program --machine one_second.machine --procs 4 --json |
            python3 -c 'import json, sys; p = json.load(sys.stdin); print(round(p["runs"][0]["seconds"]))')
        echo "$program: predicted $seconds, made $((collectives - empty))"
        [ "$seconds" -le $((collectives - empty)) ]
        [ "$seconds" -ge $((collectives - empty - 1)) ] # the result's way to rank 0 is not predicted
    done
}

@test "a file that one rank cannot read: one line, exit 2, at every number of ranks" {
    for ranks in 1 2 3 5 8; do
        for k in 0 3 7; do
            run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run truths.bmf --arg "bad$k.npy"
            echo "$ranks: $stderr"
            assert_failure 2
            assert_output ""
            assert_equal "$stderr" "bmf: bad$k.npy: scalar $((3 * k + 1)) is byte 7; a bool is 0 or 1"
        done
        run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run truths.bmf --arg bad_twice.npy
        assert_failure 2
        assert_equal "$stderr" "bmf: bad_twice.npy: scalar 2 is byte 9; a bool is 0 or 1"
    done
}
