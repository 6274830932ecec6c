#!/usr/bin/env bats
# Where new users stumbled, row by row of docs/first-hour.md: what happens there now.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    cat >squares.bmf <<'PROGRAM'
let square(x) = x * x
main(xs) = xs |> split(procs) |> map(part -> part |> map(square) |> reduce(+, 0.0)) |> reduce(+)
PROGRAM
    python3 -c 'import numpy; numpy.save("numbers.npy", numpy.arange(1000.0))'
}

@test "a command that is mistyped is suggested, and nothing is where nothing is near" {
    run -2 "$BMF" predcit
    assert_output --partial "unknown command 'predcit'; is predict meant?"
    run -2 "$BMF" machine shwo
    assert_output --partial "unknown command 'shwo'; is show meant?"
    run -2 "$BMF" telescope
    refute_output --partial "meant"
}

@test "operations that other languages have are translated" {
    echo 'B_Fold (B_Op (B_Plus)) [1, 2]' >x.bmf
    run -2 "$BMF" check x.bmf
    assert_output --partial "is B_Reduce meant?"
    # these were missing and are there
    for program in 'B_Op (B_Not) true' 'B_Op (B_Ne) {1, 2}'; do
        echo "$program" >x.bmf
        run -0 "$BMF" check x.bmf
        assert_output --partial bool
    done
}

@test "processors beyond the machine's are left out of a list and named; none left is an error" {
    run -0 --separate-stderr "$BMF" predict squares.bmf --machine ethernet-8 --procs 4..32 --arg numbers.npy --json
    assert_equal "$stderr" "bmf: note: ethernet-8 has 8 processors: 16, 32 are left out"
    python3 -c 'import json, sys; assert [r["processors"] for r in json.loads(sys.argv[1])["runs"]] == [4, 8]' "$output"
    run -2 "$BMF" predict squares.bmf --machine ethernet-8 --procs 16 --arg numbers.npy
    assert_output --partial "machine 'ethernet-8' has 8 processors, not 16"
}

@test "data stand on the command line, too: numbers, lists, tuples; a wrong one has a caret on any number of ranks" {
    echo 'main(n, xs, p) = (iota(n) |> reduce(+)) * p.k + (xs |> map(x -> x * x) |> reduce(+) |> int)' >mixed.bmf
    for ranks in 1 3; do
        run -0 mpirun.mpich -n $ranks "$BMF" run mixed.bmf --arg p='{k: 2}' --arg 4 --arg '[1.5, 2, -0.5]'
        assert_output 18 # 2 (1 + 2 + 3) + 6.5
        run -0 mpirun.mpich -n $ranks "$BMF" run squares.bmf --arg '[1, 2]'
        assert_output 5.0
        run -2 --separate-stderr mpirun.mpich -n $ranks "$BMF" run squares.bmf --arg '[1, 2 3]'
        assert_equal "${stderr_lines[0]}" "bmf: --arg:1:7: ',' or ']' for the '[' at 1:1 expected, found 3"
        assert_equal "${stderr_lines[2]}" "      |       ^"
        run -2 --separate-stderr mpirun.mpich -n $ranks "$BMF" run squares.bmf --arg 3x
        assert_equal "$stderr" "bmf: 3x: cannot open: No such file or directory"
    done
    echo '[3, 4]' >3 # a file of such a name has a folder
    run -0 "$BMF" run squares.bmf --arg ./3
    assert_output 25.0
    run -0 "$BMF" predict mixed.bmf --machine ideal --procs 2 --arg 4 --arg '[1]' --arg '{k: 1}'
    run -2 "$BMF" calibrate squares.bmf --arg '[1, 2]' -o x.machine
    assert_output --partial "--arg [1, 2] is data, of which there are no parts; calibrations need a data file"
}

@test "a result under a name without an ending is a file of NumPy's; other endings are refused with those that are known" {
    echo 'main(xs) = xs |> map(x -> x + 1.0)' >more.bmf
    mkdir runs.d
    for name in result runs.d/result ./result2; do
        "$BMF" run more.bmf --arg numbers.npy --out "$name"
        run -0 python3 -c 'import numpy, sys; print(numpy.array_equal(numpy.load(sys.argv[1]), numpy.arange(1000.0) + 1))' "$name"
        assert_output True
    done
    for name in result.dta result:x runs.d/.hidden; do
        run -2 "$BMF" run more.bmf --arg numbers.npy --out "$name"
        assert_output --partial "names of data files end with .npy"
        [ ! -e "$name" ]
    done
    run -0 ls -A . runs.d
    refute_output --partial "result.dta"
}

@test "old machines say that they compute at the speed of this host" {
    run -0 "$BMF" machine show t3d-128
    assert_output --partial "computing: at the speed of this host"
}

@test "one of something is not some of it" {
    mpirun=$MPIRUN
    "$mpirun" -n 2 "$BMF" run squares.bmf --arg numbers.npy --trace run.trace
    run -0 "$BMF" report run.trace
    assert_output --partial " 1 message, 8 bytes"
    run -0 "$BMF" replay run.trace --machine ideal
    assert_output --partial "2 processors, 1 message, 8 bytes"
}

@test "a report says productive where it does not mean speed-up over processors" {
    "$BMF" run squares.bmf --arg numbers.npy --trace run.trace
    run -0 "$BMF" report run.trace
    assert_line --regexp '^  [0-9.]+ [mun]?s, productive [0-9.]+ %'
}

@test "a plan shows messages where there are several processors" {
    run -0 "$BMF" plan squares.bmf --arg numbers.npy --procs 8
    assert_output --regexp '[1-9][0-9]* messages'
}

@test "everything that a page or a help text names is installed" {
    for page in trace predict run report; do
        [ -e "$BMF_BUILD_DIR/man/bmf-$page.1" ]
    done
    for text in $("$BMF" predict --help | grep -o 'examples/[a-z0-9-]*\.bmf'); do
        [ -e "$BMF_SOURCE_DIR/$text" ]
    done
}

@test "what takes longer shows its share and the time left, on a terminal only" {
    printf '#!/bin/sh\nsleep 1.2\nexec "$@"\n' >slow
    chmod +x slow
    validate=("$BMF" validate squares.bmf --machine ideal --ranks 1 --repeats 3 --arg numbers.npy --launch "./slow $MPIRUN -n {p}")
    python3 - "${validate[@]}" <<'END'
import os, pty, re, sys
said = b""
def read(terminal):
    global said
    data = os.read(terminal, 1024)
    said += data
    return data
status = pty.spawn(sys.argv[1:], read, lambda _: b"")
assert status == 0, (status, said)
assert re.search(rb"running: (50|75) %, \d+ s left", said), said
# nothing of it stays on the line
assert said.rindex(b"\r\x1b[K") > said.rindex(b"s left"), said
END
    run -0 --separate-stderr "${validate[@]}"
    assert_equal "$stderr" ""
}

# on_terminal COMMAND..: what it writes to a terminal, where lines end with carriage returns, too.
on_terminal()
{
    script -qec "$*" /dev/null </dev/null | tr -d '\r'
}

@test "messages are in colours on a terminal only, and not where NO_COLOR or TERM says so" {
    command -v script >/dev/null || skip "script of util-linux is not installed"
    printf 'main(xs) = xs |> map(x -> x +)\n' >wrong.bmf
    export TERM=xterm
    unset NO_COLOR
    local plain coloured escape=$'\033'
    plain=$("$BMF" check wrong.bmf 2>&1) && false
    [[ $plain != *$escape* && $plain == "bmf: wrong.bmf:1:30: "*"^"* ]]
    coloured=$(on_terminal "$BMF" check wrong.bmf)
    [[ $coloured == "${escape}[1;31mbmf:${escape}[0m wrong.bmf:1:30: "*"${escape}[1;31m"*"^${escape}[0m"* ]]
    # without the colours, byte for byte what a file gets
    assert_equal "$(sed "s/$escape\[[0-9;]*m//g" <<<"$coloured")" "$plain"
    assert_equal "$(NO_COLOR=1 on_terminal "$BMF" check wrong.bmf)" "$plain"
    assert_equal "$(TERM=dumb on_terminal "$BMF" check wrong.bmf)" "$plain"
    [[ $(NO_COLOR='' on_terminal "$BMF" predcit) == "${escape}[1;31mbmf:${escape}[0m unknown command 'predcit'"* ]]
}
