#!/usr/bin/env bats
# COP programs on scheduled routers, many and large: 2000 random programs without and with optional operators against
# the sequential interpreter, and the elimination on the meshes on which document 004's router crashed.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache # schedules
}

@test "2000 random programs each of those with schedules, optional operators and online routing have the interpreter's values" {
    COP_PROGRAMS=2000 run timeout 3000 "$BMF_BIN_DIR/unit_cop_run"
    assert_success
    assert_line --regexp "^[0-9]+ of 2000 programs ran"
}

@test "Gaussian elimination runs on 7x7 and 10x10 nodes without barriers" {
    for mesh in "7x7 599747" "10x10 297935"; do
        run timeout 300 "$BMF_BIN_DIR/bmf" cop run "$BMF_SOURCE_DIR/examples/cop/gauss.c" --size "${mesh% *}"
        assert_success
        local -a value
        read -ra value <<<"${lines[0]}"
        [ "${value[5]}" -eq "${mesh#* }" ]
        [ "${value[11]}" -lt $((value[3] / 20)) ] # of changing phases: with barriers it is more than half
        [ "${value[13]}" -lt 200 ]                # all phases are loaded once
    done
}
