#!/usr/bin/env bats
# A second opinion on networks: the messages of predicted runs on 64 hosts, carried out by SimGrid on a platform file that
# was written by hand. Skipped where SimGrid (libsimgrid-dev) is not installed.

bats_require_minimum_version 1.5.0

setup_file()
{
    export SIMGRID=$BATS_FILE_TMPDIR/replay
    [ -e /usr/include/simgrid/s4u.hpp ] || return 0
    c++ -O1 -std=c++17 "$BMF_SOURCE_DIR/ctest/cli/simgrid/replay.cpp" -o "$SIMGRID" -lsimgrid
}

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1
    [ -x "$SIMGRID" ] || skip "SimGrid is not installed (libsimgrid-dev)"
    { echo 'compute = { zero = true; }; agreement_us = 0.0; relative_error = 0.0;'
      cat "$BMF_SOURCE_DIR/examples/machines/fat-tree-64.machine"; } >tree.machine
}

# agrees PROGRAM ARGUMENT..: on 64 processors, within 2 %
agrees()
{
    run --separate-stderr timeout 120 "$BMF_BIN_DIR/bmf" predict --machine tree.machine --procs 64 --trace run.trace --json -- "$@"
    assert_success
    "$BMF_BIN_DIR/bmf" convert run.trace --to csv -o run.csv
    python3 "$BMF_SOURCE_DIR/ctest/cli/simgrid/actions.py" run.csv >run.actions
    other=$(timeout 120 "$SIMGRID" "$BMF_SOURCE_DIR/ctest/cli/simgrid/fat-tree-64.xml" run.actions 0.3e-6 0.3e-6 \
        --cfg=network/model:CM02 --cfg=network/TCP-gamma:0 --cfg=network/crosstraffic:0 --log=root.thres:error)
    python3 - "$output" "$other" <<'END'
import json, sys
ours, theirs = json.loads(sys.argv[1])["runs"][0]["best"], float(sys.argv[2])
print(f"{1e6 * ours:.2f} us here, {1e6 * theirs:.2f} us in SimGrid")
assert abs(ours / theirs - 1) < 0.02, (ours, theirs)
END
}

@test "halo exchange, small messages" {
    agrees "$BMF_BIN_DIR/07-heat" 256 1024 200
}

@test "halo exchange, large messages" {
    agrees "$BMF_BIN_DIR/07-heat" 64 16384 200
}

@test "all-reduction" {
    agrees "$BMF_BIN_DIR/01-sum-of-squares" 6400
}
