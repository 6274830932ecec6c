#!/usr/bin/env bats
# bmf calibrate measures the machine's memory once, keeps it, and looks again whether it is still right.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1 XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    launch="${MPIRUN:-mpirun.mpich} -n {p}"
}

# calibrate OPTION..
calibrate()
{
    run --separate-stderr timeout 200 "$BMF_BIN_DIR/bmf" calibrate --args 2000,80000,320000 --ranks 2 --launch "$launch" \
        --repeats 3 --max-spread 100000 "$@" -o c.machine -- "$BMF_BIN_DIR/01-sum-of-squares" {n}
    assert_success
}

@test "a kept measurement of memory that is wrong by now is made anew" {
    calibrate
    assert_equal "$stderr" ""
    kept=$(echo cache/bmf/*-memory-2.sheet)
    [ -f "$kept" ]
    grep -q 'access = "read"; p = 2;' "$kept"
    # a sheet of a host that was four times as slow, an hour ago
    python3 - "$kept" <<'END'
import re, sys
text = open(sys.argv[1]).read()
slow = lambda found: "levels = [" + ", ".join(repr(4 * float(x)) for x in found[1].split(",")) + "]"
open(sys.argv[1], "w").write(re.sub(r"levels = \[([^]]*)\]", slow, text))
END
    cp "$kept" wrong.sheet
    calibrate # just written: not looked at
    assert_equal "$stderr" ""
    touch -d "1 hour ago" "$kept"
    calibrate
    assert_equal "${#stderr_lines[@]}" 1
    assert_regex "${stderr_lines[0]}" "^bmf: .*memory-2.sheet is [0-9.]+ times off by now: measuring memory anew$"
    ! cmp -s "$kept" wrong.sheet || fail "it is still the wrong one"
    calibrate
    assert_equal "$stderr" ""
}

@test "kept costs of algorithms that choose no better than constants are measured anew, with those of other ranks" {
    calibrate --schedules 1
    assert_equal "$stderr" ""
    kept=$(echo cache/bmf/*.costs)
    cmp "$kept" c.costs
    grep -q "^split tree 2 2 16 " "$kept"
    # what is slow is said to be fast, an hour ago, and there are other ranks
    awk 'NF == 6 && $1 != "#" { $6 = 1 / $6 / 1e9 } { print }' c.costs >wrong.costs
    echo "split tree 5 10 80 1e-6" >>wrong.costs
    cp wrong.costs "$kept"
    calibrate --schedules 1 # just written: not looked at
    assert_equal "$stderr" ""
    cmp wrong.costs c.costs
    touch -d "1 hour ago" "$kept"
    calibrate --schedules 1
    assert_equal "${#stderr_lines[@]}" 1
    assert_regex "${stderr_lines[0]}" "^bmf: .*.costs chooses no better than fixed constants by now: measuring anew$"
    cmp "$kept" c.costs
    grep -qx "split tree 5 10 80 1e-6" "$kept"
    ! cmp -s "$kept" wrong.costs || fail "it is still the wrong one"
    calibrate --schedules 1
    assert_equal "$stderr" ""
}
