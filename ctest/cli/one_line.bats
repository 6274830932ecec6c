#!/usr/bin/env bats
# Every failure of a command that runs on several ranks is one line on standard error, exit code 2 and nothing on standard
# output, on 1, 2, 4 and 8 ranks: bad usage, inputs that are missing, empty, cut off or of another kind, and outputs that
# cannot be made.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    python3 -c 'import struct
header = str({"descr": "<f8", "fortran_order": False, "shape": (8,)}).ljust(117) + "\n"
def write(name, body):
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + body)
write("x.npy", bytes(64))
write("short.npy", bytes(63))'
    printf 'B_Reduce (B_Op (B_Plus))\n' >sum.bmf
    printf 'B_Map (B_Op (B_Plus) . B_Alltup [B_Id, B_Id])\n' >twice.bmf
    printf 'B_Reduce (B_Op (\n' >open.bmf
    printf 'B_Reduce (B_Op (B_Times_Two))\n' >unknown.bmf
    printf '10\n10\n' >singular.matrix
    printf 'x' >other.npy
    : >empty.npy
    : >empty.bmf
    mkdir directory
}

# refused TEXT COMMAND ARGUMENT..: on every number of ranks, TEXT in the first line; of programs the place follows, with
# the line of the text and a caret
refused()
{
    local wanted=1
    [[ $1 != *.bmf:[0-9]* ]] || wanted=3
    for ranks in 1 2 4 8; do
        run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/$2" "${@:3}"
        [ "$status" -eq 2 ] || fail "$ranks ranks of $*: exit code $status: $stderr"
        [ -z "$output" ] || fail "$ranks ranks of $*: standard output: $output"
        [ "${#stderr_lines[@]}" -eq "$wanted" ] || fail "$ranks ranks of $*: ${#stderr_lines[@]} lines: $stderr"
        [[ ${stderr_lines[0]} == "${2##*/}: "*"$1"* ]] || fail "$ranks ranks of $*: not about '$1': $stderr"
    done
}

@test "bad usage" {
    refused "unknown option '--no-such'" bmf run --no-such sum.bmf
    refused "unexpected argument 'x.npy'" bmf run sum.bmf x.npy
    refused "unknown command 'rum'" bmf rum sum.bmf
    refused "which permutation?" bmf permute --bits 4 --elem 8
    refused "--bits needs a whole number from 0 to 63, not '-3'" bmf permute --bits -3 --elem 8 --matrix bitrev
    refused "unknown permutation 'other'" bmf permute --bits 4 --elem 8 --matrix other
    refused "unknown operation 'nothing'" bmf sheet measure -o a.raw --ops nothing
    refused "there is no row 'none'" bmf-bench skeletons --only none
    refused "--repeats needs" bmf-bench permute --repeats 0
}

@test "programs" {
    refused "absent.bmf: cannot open" bmf run absent.bmf
    refused "open.bmf:2:1: an operation such as B_Plus expected" bmf run open.bmf --arg x.npy
    refused "unknown.bmf:1:17: an operation such as B_Plus expected" bmf plan unknown.bmf
    refused "empty.bmf:1:1: an expression expected" bmf check empty.bmf
    refused "directory: cannot read" bmf check directory
}

@test "data and matrices" {
    refused "absent.npy: cannot open" bmf run sum.bmf --arg absent.npy
    refused "empty.npy: not a .npy file" bmf run sum.bmf --arg empty.npy
    refused "short.npy: truncated data" bmf run sum.bmf --arg short.npy
    refused "other.npy: not a .npy file" bmf run sum.bmf --arg other.npy
    refused "directory: cannot read" bmf run sum.bmf --arg directory
    refused "cannot open 'absent'" bmf permute --bits 2 --elem 8 --matrix file:absent
    refused "singular" bmf permute --bits 2 --elem 8 --matrix file:singular.matrix
}

@test "outputs" {
    refused "directory: is a directory" bmf run twice.bmf --arg x.npy --out directory
    refused "no/y.npy: cannot create" bmf run twice.bmf --arg x.npy --out no/y.npy
    refused "cannot write trace 'no/t'" bmf run twice.bmf --arg x.npy --trace no/t
    refused "no/a.raw" bmf sheet measure -o no/a.raw --ops barrier
}
