#!/usr/bin/env bats
# Traces recorded by real programs: complete, the same structure at every number of ranks, and good in every format.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

# record RANKS FILE ARGUMENT...: runs make_sum with BMF_TRACE=FILE, and converts FILE.trace to FILE.csv
record()
{
    BMF_TRACE=$2.trace run timeout 60 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/make_sum" 100000 --bmf-procs 5 "${@:3}"
    assert_success
    "$BMF" convert "$2.trace" --to csv -o "$2.csv"
}

# events FILE KIND: how many events of a kind
events()
{
    grep -c ",$2," "$1.csv" || true
}

# structure FILE: what does not depend on time or on which rank ran a processor. Ranks wait, processors do not.
structure()
{
    grep -v ',wait,' "$1.csv" | awk -F, 'NR > 1 { print $2, $4, $(NF - 1) }' | sort
}

@test "every message has both ends" {
    for ranks in 1 3 5; do
        record $ranks run --bmf-threads 1
        [ "$(events run send)" -gt 0 ] || fail "no messages on $ranks ranks"
        assert_equal "$(events run send)" "$(events run receive)"
        run python3 "$BMF_SOURCE_DIR/ctest/cli/check_format.py" csv run.csv run.csv
        assert_success
        assert_output --partial ", $(events run send) messages"
    done
}

@test "the structure is the same at every number of ranks and threads" {
    record 1 one --bmf-threads 1
    for run in "2 1" "3 2" "5 1"; do
        # shellcheck disable=SC2086
        set -- $run
        record "$1" other --bmf-threads "$2"
        diff <(structure one) <(structure other)
    done
}

@test "kernels say how many elements they computed" {
    record 3 run --bmf-threads 2
    # column 12; square runs over all 100000 elements
    run awk -F, '$4 == "kernel" && $12 > most[$2] { most[$2] = $12 } END { for (lane in most) sum += most[lane]; print sum }' \
        run.csv
    assert_output 100000
}

@test "every lane is inside the program from start to end" {
    record 3 run --bmf-threads 1
    run awk -F, '$5 == "\"main\"" && $4 == "region" { if ($10 != 0) bad = 1; end[$2] = $11; lanes++ }
                 NR > 1 && $11 > end[$2] { bad = 1 } END { print lanes, bad + 0 }' run.csv
    assert_output "5 0"
}

@test "a recorded trace is good in every format" {
    record 3 run --bmf-threads 1
    for format in chrome perfetto paje prv; do
        "$BMF" convert run.trace --to $format -o out.$format
        run python3 "$BMF_SOURCE_DIR/ctest/cli/check_format.py" $format run.csv out.$format
        assert_success
    done
    "$BMF" convert run.trace --to otf2 -o archive
    run python3 "$BMF_SOURCE_DIR/ctest/cli/check_format.py" otf2 run.csv archive/traces.otf2
    assert_success
    "$BMF" convert run.trace --to picl -o out.trf
    run python3 "$BMF_SOURCE_DIR/ctest/cli/check_format.py" picl run.csv out.trf 0
    assert_success
}

@test "a trace that cannot be written fails the run with one line" {
    BMF_TRACE=nowhere/run.trace run --separate-stderr timeout 60 "$MPIRUN" -n 3 "$BMF_BIN_DIR/make_sum"
    assert_failure 2
    assert_equal "$(grep -c '^bmf: ' <<<"$stderr")" 1
    assert_regex "$stderr" "nowhere/run.trace"
}

@test "a trace does not take the place of a pipe or of a device behind a link" {
    mkfifo pipe
    ln -s /dev/null link
    for path in pipe link; do
        BMF_TRACE=$path run --separate-stderr timeout 60 "$MPIRUN" -n 2 "$BMF_BIN_DIR/make_sum"
        assert_failure 2
        assert_equal "$(grep -c '^bmf: ' <<<"$stderr")" 1
        assert_regex "$stderr" "'$path': is not a regular file"
    done
    [ -p pipe ] && [ -L link ] && ! ls ./*.part 2>/dev/null
}

# kinds FILE NODE: the kinds of communication in a node of a trace
kinds()
{
    "$BMF" report "$1" --json | python3 -c "import json, sys
for i in json.load(sys.stdin)['runs'][0]['intervals']:
    if i['path'] == sys.argv[1]:
        print(' '.join(sorted(i['all']['kinds'])))" "$2"
}

# Messages of the programs: a list split over 3 and a vector sent to all of them, the rows' products brought together;
# and a sum over 2 processors.
@test "traces of version 1 keep the kinds of communication they had" {
    local old=$BMF_SOURCE_DIR/ctest/cli/traces
    assert_equal "$(kinds "$old/version-1-language.trace" main/P_Split)" "split"
    assert_equal "$(kinds "$old/version-1-language.trace" main/P_Split/split)" "split"
    assert_equal "$(kinds "$old/version-1-language.trace" main/P_Distl)" "distl"
    assert_equal "$(kinds "$old/version-1-language.trace" main/P_Map)" ""
    assert_equal "$(kinds "$old/version-1-language.trace" main/P_Reduce/gather)" "gather"
    assert_equal "$(kinds "$old/version-1-language.trace" main)" "distl gather split"
    assert_equal "$(kinds "$old/version-1-sum.trace" "main/map_reduce plus square")" "reduce"
}

@test "calls have the kinds of communication of their skeletons" {
    run timeout 60 "$MPIRUN" -n 2 "$BMF" run "$BMF_SOURCE_DIR/examples/15-matrix-vector.bmf" --procs 3 --trace run.trace
    assert_success
    assert_equal "$(kinds run.trace main/P_Split)" "split"
    assert_equal "$(kinds run.trace main/P_Distl)" "distl"
    assert_equal "$(kinds run.trace main/P_Reduce/gather)" "gather"
    assert_equal "$(kinds run.trace main/P_Reduce)" "gather reduce" # which agrees on lengths itself
    assert_equal "$(kinds run.trace main)" "distl gather reduce split"
}
