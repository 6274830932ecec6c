#!/usr/bin/env bats
# What goes wrong at other people's hands: outputs that somebody else writes or has prepared, numbers beyond 32 and 64 bits,
# texts with markup and control characters, headers that claim too much, programs that are killed.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    FILES=$BMF_SOURCE_DIR/ctest/cli/hostile
    cat >squares.bmf <<'END'
P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id])) . P_Split (B_Procs) [1.0, 2.0, 3.0]
END
    echo 'B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Con (B_Int 2)]) [1, 2, 3]' >doubled.bmf
}

bmf()
{
    run --separate-stderr timeout 60 "$BMF" "$@"
}

# refused TEXT ARGUMENT..: exit code 2 and one line with TEXT on standard error
refused()
{
    bmf "${@:2}"
    assert_failure 2
    [ "${#stderr_lines[@]}" -eq 1 ] || fail "$stderr"
    [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "'${stderr_lines[0]}' does not say '$1'"
}

# ---- outputs ----

# each_output FUNCTION: calls FUNCTION with every command that writes an output, whose path comes last
each_output()
{
    bmf predict squares.bmf --machine ideal --procs 2 --trace in.trace
    assert_success
    "$1" predict squares.bmf --machine ideal --procs 2 --trace
    "$1" replay in.trace --machine ideal --trace
    "$1" report in.trace --html
    for format in chrome perfetto paje picl csv svg prv; do
        "$1" convert in.trace --to "$format" -o
    done
    "$1" run squares.bmf --procs 2 --trace
    "$1" run doubled.bmf --out
    "$1" sheet fit "$FILES/bigd.raw" -o
    "$1" sheet plot big.sheet send -o
    "$1" sheet show big.sheet --html
    "$1" sheet show big.sheet --tex
}

through_a_planted_link()
{
    echo precious >victim
    rm -rf out out.* && ln -s victim out.part
    bmf "$@" out
    assert_success
    [ "$(cat victim)" = precious ] || fail "$* wrote through out.part"
    [ -f out ] && [ ! -L out ]
}

through_its_own_link()
{
    mkdir -p elsewhere && rm -rf out out.* elsewhere/*
    echo before >elsewhere/target && chmod 640 elsewhere/target
    ln -s elsewhere/target out
    bmf "$@" out
    assert_success
    [ -L out ] || fail "$* replaced the link"
    [ "$(cat elsewhere/target)" != before ]
    [ "$(stat -c %a elsewhere/target)" = 640 ] || fail "$* changed the mode"
    [ "$(ls elsewhere | wc -l)" -eq 1 ]
}

twice_at_once()
{
    rm -rf out out.*
    "$BMF" "$@" out >/dev/null 2>&1 &
    "$BMF" "$@" out >/dev/null 2>&1 || fail "$*: the second writer failed"
    wait $! || fail "$*: the first writer failed"
    mv out both
    rm -f out.*
    bmf "$@" out
    [ "$(wc -c <both)" -eq "$(wc -c <out)" ] || fail "$*: two writers left another size than one"
    ! ls out.*.part 2>/dev/null || fail "$*: a part is left"
}

prepare_sheet()
{
    bmf sheet fit "$FILES/bigd.raw" -o big.sheet
    assert_success
}

@test "no output follows a link that somebody planted beside it" {
    prepare_sheet
    each_output through_a_planted_link
}

@test "an output that is a link stays one; the file behind it is replaced and keeps its mode" {
    prepare_sheet
    each_output through_its_own_link
}

@test "two writers of one output leave a whole file" {
    prepare_sheet
    each_output twice_at_once
}

@test "files that belong together appear together" {
    bmf predict squares.bmf --machine ideal --procs 2 --trace in.trace
    echo old >out.prv
    mkdir out.row
    refused "out.row" convert in.trace --to prv -o out.prv
    [ "$(cat out.prv)" = old ]
    [ ! -e out.pcf ]
    rmdir out.row
    bmf convert in.trace --to prv -o out.prv
    assert_success
    [ -s out.prv ] && [ -s out.pcf ] && [ -s out.row ] && [ "$(ls out.* | wc -l)" -eq 3 ]
}

@test "a command that is ended by a signal leaves no part of its output" {
    "$BMF_BIN_DIR/make_trace" in.trace 1 16 2000 1
    for signal in INT TERM HUP; do
        for wait in 0.02 0.05 0.1 0.2; do
            # In scripts background processes ignore SIGINT unless told otherwise.
            env --default-signal=INT "$BMF" convert in.trace --to chrome -o out 2>/dev/null &
            sleep "$wait"
            kill -s "$signal" $! 2>/dev/null || true
            wait $! || true
            [ ! -e out ] || python3 -c 'import json; json.load(open("out"))'
            ! ls out.* 2>/dev/null || fail "a part is left"
            rm -f out
        done
    done
}

# ---- numbers ----

@test "whole numbers have 64 bits in machine files and sheets" {
    echo 'name = "w"; processors = 4294967298; network = { type = "ideal"; };' >w.machine
    refused "'processors' must be a whole number from 1 to" machine show w.machine
    echo 'name = "w"; network = { type = "loggp"; latency_us = 1.0; overhead_us = 0.3; gap_us = 0.1;
          gap_us_per_byte = 0.00008; eager_bytes = 4294967296; };' >w.machine
    bmf machine show w.machine
    assert_output --partial "messages above 4294967296 bytes wait"
    echo 'name = "w"; network = { type = "hockney"; latency_us = 1; bandwidth_mb_per_s = 4294967297; };' >w.machine
    bmf machine show w.machine
    assert_output --partial "4.2949673e+09 MB/s"
    printf 'name = "w";\nnetwork = { type = "hockney"; latency_us = 9223372036854775808; bandwidth_mb_per_s = 1; };' >w.machine
    refused "w.machine:2: 9223372036854775808 does not fit" machine show w.machine
    echo 'latency_us = 4294967297;' >included
    printf 'name = "w";\nnetwork = { type = "hockney"; bandwidth_mb_per_s = 1;\n@include "included"\n};' >w.machine
    refused "included:1: 4294967297 needs an L" machine show w.machine
    echo 'latency_us = 4294967297L; /* 99999999999999999999 */ # 99999999999999999999' >included
    bmf machine show w.machine
    assert_success
}

@test "sheets of measurements with 2^33 elements can be fitted and shown" {
    bmf sheet fit "$FILES/bigd.raw" -o big.sheet
    assert_success
    bmf sheet show big.sheet
    assert_success
    assert_output --partial 8589934592
}

# The kernels of the sheets are named after their places in this text.
measured_program()
{
    cat >measured.bmf <<'END'
# squares.bmf: the sum of squares, on all processors
$Square = B_Op (B_Times) . B_Alltup [B_Id, B_Id]
$Sum    = B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0))

P_Reduce (B_Op (B_Plus)) . P_Map ($Sum . B_Map ($Square)) . P_Split (B_Procs) [1.0, 2.0, 3.0]
END
}

@test "a machine whose costs have no end is refused" {
    measured_program
    refused "the predicted time is inf s: the machine's costs are out of range" predict measured.bmf \
        --machine "$FILES/huge-slope.machine" --procs 2
}

@test "times that do not fit a trace are refused before it is written" {
    measured_program
    refused "does not fit a trace" predict measured.bmf --machine "$FILES/slope-1e18.machine" --procs 2 --trace t
    [ ! -e t ]
    bmf predict measured.bmf --machine "$FILES/slope-1e18.machine" --procs 2
    assert_success
}

@test "numbers of processors have the same limit everywhere" {
    echo 'B_Id 1' >one.bmf
    for command in "run one.bmf" "plan one.bmf" "check one.bmf" "predict one.bmf --machine ideal"; do
        bmf $command --procs 1073741825
        assert_failure 2
        [[ $stderr == *1073741824* ]] || fail "$command: $stderr"
    done
}

# ---- texts ----

@test "names in sheets are names" {
    refused "the name of an operation" sheet show "$FILES/xss-skip.sheet" --html x.html
    [ ! -e x.html ]
}

@test "control characters never reach the terminal" {
    printf '\033]0;x\a 1 2\n' >"$(printf 'e\033[31m\302\233')"
    refused "?" mesh run "file:$(printf 'e\033[31m\302\233')"
    ! [[ $stderr == *$'\033'* || $stderr == *$'\302\233'* || $stderr == *$'\a'* ]] || fail "it did"
    bmf "$(printf 'com\033[31mmand')"
    assert_failure 2
    ! [[ $stderr == *$'\033'* ]] || fail "it did"
    bmf predict squares.bmf --machine ideal --procs 2 --trace names.trace
    LC_ALL=C sed -i 's/P_Reduce/P\x1b[31mce/' names.trace
    bmf trace names.trace
    assert_success
    ! [[ $output == *$'\033'* ]] || fail "it did"
}

# ---- claims and costs ----

@test "a header's claims are checked before memory is taken" {
    refused "is damaged: run 0 has 2147483647 ranks" convert "$FILES/ranks-2e9.trace" --to otf2 -o x
    refused "is damaged: run 0 has 2147483647 ranks" replay "$FILES/ranks-2e9-replay.trace" --machine ideal
}

@test "the cost of definitions is linear" {
    python3 - >many.bmf <<'END'
n = 100000
print("".join(f"$a{i} = B_Id\n" for i in range(n)) + f"$a{n-1} 1")
END
    bmf check many.bmf
    assert_output int
    python3 - >twice.bmf <<'END'
print("".join(f"$a{i} = B_Id\n" for i in range(3)) + "$a2 = B_Id\n$a1 1")
END
    bmf check twice.bmf
    assert_failure 2
    [[ $stderr == *"twice.bmf:4:1: \$a2 is defined twice; first at twice.bmf:3:1"* ]]
}

@test "out of memory is one line" {
    echo 'B_Id 1' >one.bmf
    run --separate-stderr bash -c "ulimit -v 4000000; exec timeout 60 '$BMF' run one.bmf --procs 1073741824"
    assert_failure 1
    [ "${#stderr_lines[@]}" -eq 1 ] || fail "$stderr"
    [[ $stderr == "bmf: out of memory: "*" bytes "* ]]
}

# ---- processes ----

@test "a prediction of a program ends with what it started, by SIGTERM too" {
    mkdir -p tmp
    cat >sleeper <<'END'
#!/bin/sh
echo $$ >pid
exec sleep 60
END
    chmod +x sleeper
    for signal in TERM HUP; do
        rm -f pid
        TMPDIR=$PWD/tmp "$BMF" predict --machine ideal --procs 2 -- ./sleeper 2>/dev/null &
        for _ in {1..100}; do [ -s pid ] && break || sleep 0.05; done
        kill -s "$signal" $!
        wait $! && fail "it went on"
        ! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
        [ -z "$(ls tmp)" ] || fail "left: $(ls tmp)"
    done
}

@test "a prediction that is no time is refused" {
    cat >liar <<'END'
#!/bin/sh
echo '{"seconds": -5.0, "low": -5.0, "high": -5.0, "best": -5.0, "measured_error": null, "messages": 0, "bytes": 0, "rank_messages": 0, "rank_bytes": 0, "remarks": []}' >"$BMF_PREDICTION"
END
    chmod +x liar
    refused "predicted -5 s" predict --machine ideal --procs 2 -- ./liar
}
