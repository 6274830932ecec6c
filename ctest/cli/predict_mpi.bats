#!/usr/bin/env bats
# MPI programs on virtual clocks: the document's times, what arrives first in simulated time whatever comes first here, the
# same output as without, the same bits every time, and what cannot be predicted.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    unset MPIR_CVAR_NOLOCAL # ranks are on the host of the predicting process
    load recorder.bash
    needs_recorder
    VIRTUAL=$BMF_BIN_DIR/mpi_virtual
    PATTERNS=$BMF_BIN_DIR/mpi_patterns
    COWICHAN=$BMF_BIN_DIR/../cowichan
}

teardown()
{
    [ -z "${load:-}" ] || kill "$load"
}

# predict RANKS OPTION.. -- PROGRAM ARGUMENT..: what the program prints, in output; the prediction in prediction.json
predict()
{
    local ranks=$1
    shift
    timeout 100 "$BMF" predict --mpi --launch "$MPIRUN -n {p}" --machine "${MACHINE:-t3d-sheet}" --procs "$ranks" --json \
        "$@" 2> output > prediction.json
}

steps="--compute steps --step 1e-6"

# csv TRACE RUN: its events, without the column that says which run it is
csv()
{
    "$BMF" convert "$1" --to csv -o - | awk -F, -v run="$2" '$1 == run' | cut -d, -f2-15
}

@test "times of messages and collectives by the data sheet" {
    # shellcheck disable=SC2086
    for part in "sender 2 39.00 110.00" "late 2 39.00 70.00" "early 2 39.00 160.00"; do
        set -- $part
        predict "$2" $steps -- "$VIRTUAL" "$1"
        run sort output
        assert_output "rank 0: $3 us
rank 1: $4 us"
    done
    # shellcheck disable=SC2086
    predict 8 $steps -- "$VIRTUAL" allreduce
    run cat output
    assert_output "rank 0: 422.16 us"
    # shellcheck disable=SC2086
    predict 8 $steps -- "$VIRTUAL" long
    run cat output
    assert_output "rank 0: 2497.44 us"
}

@test "what is received from any source is what arrives first in simulated time" {
    expect()
    {
        # shellcheck disable=SC2086
        predict 4 $steps -- "$VIRTUAL" "$1"
        run cat output
        assert_output "$2"
    }
    expect any $'3.1 31\n3.2 32\n2.1 21\n2.2 22\n1.1 11\n1.2 12'
    expect posted $'2: 1 1\n1: 2 2\n0: 3 3'
    expect held "100 101"
    expect waitany $'3\n2\n1'
    expect waitsome $'3\n2\n1'
    expect probe $'3: 100 numbers, 33\n2: 100 numbers, 22\n1: 100 numbers, 11'
    expect iprobe $'3: 100 numbers, 33, after tries\n2: 100 numbers, 22, after tries\n1: 100 numbers, 11, after tries'
    expect mprobe $'3 30\n2 20\n1 10'
    expect persistent $'3 3\n2 2\n1 1'
    # 500 us of computing and 40.1 us in the network, at 0.1 us a try, but for the first
    expect test "13 after 5402 tries"
}

@test "the output is the same, and replays of recordings give the same predicted run" {
    "$MPIRUN" -n 3 "$PATTERNS" ring exchange groups steps nonblocking persistent probes > plain
    for compute in zero measured; do
        predict 3 --compute $compute -- "$PATTERNS" ring exchange groups steps nonblocking persistent probes
        cmp plain output
    done
    cat > idle.machine << EOM
name = "idle";
compute = { zero = true; };
network = { type = "hockney"; latency_us = 10.0; bandwidth_mb_per_s = 100.0; };
EOM
    MACHINE=idle.machine predict 4 --trace predicted.trace -- "$COWICHAN/life" --n 40
    "$MPIRUN" -n 4 "$BMF" record --polite -o life.trace -- "$COWICHAN/life" --n 40
    "$BMF" replay life.trace --machine idle.machine --trace both.trace
    csv predicted.trace 1 > predicted.csv
    csv both.trace 1 > replayed.csv
    [ -s replayed.csv ] || fail "no predicted run"
    cmp predicted.csv replayed.csv
}

@test "a task farm is the same every time, under load" {
    (while :; do :; done) 3>&- &
    load=$!
    for k in 1 2; do # ten times in slow_predict_mpi.bats
        # shellcheck disable=SC2086
        predict 8 $steps --trace farm$k.trace -- "$COWICHAN/farm"
    done
    cmp farm1.trace farm2.trace
    # workers communicate 15 to 30 percent of the phase, and wait longest at its start, when all ask at once
    "$BMF" convert farm1.trace --to csv -o - | awk -F, '
        $5 ~ /\/farm/ && $3 > 0 && $3 < 7 && $4 != "region" { all += $11 - $10; if ($4 != "kernel") comm += $11 - $10 }
        $5 ~ /\/farm/ && $3 == 6 && $4 == "receive" { if (!first) first = $11 - $10; else if ($11 - $10 > first) bad = 1 }
        END { print comm / all; exit bad || comm < 0.15 * all || comm > 0.30 * all }'
    # on workstations far more than they compute
    sheet=$BMF_SOURCE_DIR/examples/sheets/workstations.sheet
    cat > workstations.machine << EOM
name = "workstations";
network = { type = "sheet"; sheet = "$sheet"; element_bytes = 4; pairs = "allsend"; };
EOM
    # shellcheck disable=SC2086
    MACHINE=workstations.machine predict 8 $steps --trace slow.trace -- "$COWICHAN/farm"
    "$BMF" convert slow.trace --to csv -o - | awk -F, '
        $5 ~ /\/farm/ && $3 > 0 && $3 < 7 && $4 != "region" { if ($4 == "kernel") own += $11 - $10; else comm += $11 - $10 }
        END { print comm / own; exit comm < 10 * own }'
}

@test "bounds: coefficients of the sheet one standard error down and up" {
    cat > ring.sheet << 'EOS'
format = "bmf sheet 1";
title = "ring";
units = "us";
logarithm = "natural";
entries = (
  { operation = "send"; family = "point-to-point"; element_bytes = 8; d = [1, 1000]; startup = "none"; size = "none"; c = 60.0; errors = [12.0, 0.0, 0.0]; },
  { operation = "recvmin"; family = "point-to-point"; element_bytes = 8; d = [1, 1000]; startup = "none"; size = "none"; c = 91.75; errors = [17.75, 0.0, 0.0]; },
  { operation = "recv"; family = "point-to-point"; element_bytes = 8; d = [1, 1000]; startup = "none"; size = "none"; c = 100.0; errors = [0.0, 0.0, 0.0]; }
);
EOS
    cat > ring.machine << 'EOM'
name = "ring";
network = { type = "sheet"; sheet = "ring.sheet"; };
EOM
    # 20 times: computing 1042 us, two sends of 60 -+ 12, two receives of 91.75 -+ 17.75
    for bound in "least 25720.00" "mean 26910.00" "most 28100.00"; do
        set -- $bound
        # shellcheck disable=SC2086
        MACHINE=ring.machine predict 32 $steps --bound "$1" -- "$VIRTUAL" ring
        run jq -r '.runs[0].seconds * 1e8 | round / 100' prediction.json
        assert_output "$(awk -v t="$2" 'BEGIN { print t + 0 }')"
    done
}

@test "ranks that wait in a collective operation on a file hold nobody up" {
    # shellcheck disable=SC2086
    predict 4 $steps -- "$VIRTUAL" files
    run grep from output
    assert_output $'from 2\nfrom 3'
    # all go on with the last of them, rank 1, which got a message of 3000 us
    run awk '/^rank/ { print $3 } END { exit $3 <= 3000 }' <(sort -k3n output)
    assert_success
    assert_equal "$(echo "$output" | sort -u | wc -l) ${#lines[@]}" "1 4"
}

@test "what cannot be predicted is said" {
    run -1 --separate-stderr timeout 60 "$BMF" predict --mpi --launch "$MPIRUN -n {p}" --machine t3d-sheet --procs 4 -- \
        "$VIRTUAL" deadlock
    [[ $stderr == *"4 ranks wait for each other for ever: rank 0 in recv from rank 1, rank 1 in recv from rank 2"* ]]
    run -1 --separate-stderr timeout 60 "$BMF" predict --mpi --launch "$MPIRUN -n {p}" --machine t3d-sheet --procs 3 -- \
        "$VIRTUAL" crossed
    [[ $stderr == *"3 ranks wait for each other for ever: rank 0 in barrier"* ]]
    run -1 --separate-stderr timeout 60 "$BMF" predict --mpi --launch "$MPIRUN -n {p}" --machine t3d-sheet --procs 2 -- \
        "$VIRTUAL" opaque
    [[ $stderr == *"calls win_create, whose meaning is not known"* ]]
    run -1 --separate-stderr timeout 60 "$BMF" predict --mpi --launch "$MPIRUN -n {p}" --machine t3d-sheet --procs 2 -- \
        "$VIRTUAL" later
    [[ $stderr == *"calls file_iwrite_at_all, whose meaning is not known"* ]]
    for bound in least most; do
        run -2 --separate-stderr "$BMF" predict --mpi --bound $bound --machine ideal --procs 2 -- "$VIRTUAL" any
        assert_output ""
        assert_equal "$stderr" "bmf: --bound $bound needs a machine whose network is a data sheet, and that of machine 'ideal' is of type fixed"
    done
    run -2 "$BMF" predict --machine t3d-sheet --procs 2 --compute zero -- "$VIRTUAL" any
    assert_output --partial "are for --mpi"
    run -2 "$BMF" predict --mpi --machine t3d-sheet --procs 2 --compute steps -- "$VIRTUAL" any
    assert_output --partial "--compute steps goes with --step SECONDS"
    run -2 "$BMF" predict --mpi --machine t3d-sheet --procs 2 -- ./no-such-program
    assert_output --partial "no-such-program"
}
