#!/usr/bin/env bats
# An installed bmf can be used from outside: by CMake, by pkg-config, and as a command.

bats_require_minimum_version 1.5.0

setup_file()
{
    export PREFIX=$BATS_FILE_TMPDIR/prefix
    cmake --install "$BMF_BUILD_DIR" --prefix "$PREFIX" >"$BATS_FILE_TMPDIR/install.log" 2>&1 || {
        cat "$BATS_FILE_TMPDIR/install.log"
        return 1
    }
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_TEST_TMPDIR"
}

# The sum of 0 .. 1000 is 1000 * 1001 / 2.
check_answer()
{
    run --separate-stderr "$MPIRUN" -n 2 "$1"
    assert_success
    assert_output "sum 500500 on 2 ranks"
}

@test "a CMake project finds and links bmf" {
    run cmake -S "$BMF_SOURCE_DIR/ctest/cli/outside" -B build -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_BUILD_TYPE=Release
    assert_success
    run cmake --build build
    assert_success
    refute_output --partial warning
    check_answer build/outside
    check_prediction build/outside
}

@test "a Makefile builds with pkg-config" {
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name bmf.pc)")
    run make -f "$BMF_SOURCE_DIR/ctest/cli/outside/Makefile" SOURCE="$BMF_SOURCE_DIR/ctest/cli/outside"
    assert_success
    refute_output --partial warning
    export LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig}
    check_answer ./outside
    check_prediction ./outside
}

# Messages of the reduction take a second each; the partial sums are told in one round or in two.
check_prediction()
{
    cat >two.machine <<'MACHINE'
compute = { zero = true; };
network = { type = "hockney"; latency_us = 1000000.0; bandwidth_mb_per_s = 1e9; };
agreement_us = 0.0;
MACHINE
    BMF_MACHINE=two.machine BMF_PROCS=2 BMF_PREDICTION=two.json run --separate-stderr "$1"
    assert_success
    assert_output "sum 500500 on 1 ranks"
    run python3 -c "
import json
p = json.load(open('two.json'))
assert p['processors'] == p['ranks'] == p['messages'] == p['rank_messages'] == 2
assert p['bytes'] == p['rank_bytes'] > 0 and p['in_domain'] and p['remarks'] == []
assert abs(p['seconds'] - round(p['seconds'])) < 1e-6 and round(p['seconds']) in (1, 2)
assert p['low'] == p['seconds'] == p['high']"
    assert_success
}

@test "every installed header compiles on its own, as C and as C++" {
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name bmf.pc)")
    cd "$PREFIX/include"
    for header in bmf.h bmf/*.h; do
        # shellcheck disable=SC2046
        run gcc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags bmf) -x c "$header"
        assert_success
        if grep -q '^extern "C"' "$header"; then
            run gcc -std=c++17 -fsyntax-only $(pkg-config --cflags bmf) -x c++ "$header"
            assert_success
        fi
    done
}

@test "a program with an MPI of its own has contexts on several communicators at once" {
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name bmf.pc)")
    # shellcheck disable=SC2046
    run gcc -O2 -Wall -Wextra $(pkg-config --cflags bmf) -o communicators \
        "$BMF_SOURCE_DIR/ctest/cli/outside/communicators.c" $(pkg-config --libs bmf)
    assert_success
    refute_output --partial warning
    export LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig}
    # 385, 338350 and 14: the sums of the squares below 11, 101 and 4.
    run --separate-stderr "$MPIRUN" -n 1 ./communicators
    assert_success
    assert_output "385 on 1 of 1 ranks and 3 processors; 338350 on all; 14 alone"
    run --separate-stderr "$MPIRUN" -n 4 ./communicators
    assert_success
    assert_equal "${#lines[@]}" 2
    for line in "${lines[@]}"; do
        assert_equal "$line" "385 on 2 of 4 ranks and 3 processors; 338350 on all; 14 alone"
    done
}

@test "nothing of the build tree is in the installed files" {
    run grep -rlI "$BMF_BUILD_DIR" "$PREFIX"
    assert_failure
    assert_output ""
}

@test "the bmf command runs from its new place" {
    [ -x "$BMF_BIN_DIR/bmf" ] || skip "bmf is not built"
    run "$PREFIX/bin/bmf" --help
    assert_success
    assert_output --partial convert
}

@test "installed machines and their sheets are found by name" {
    [ -x "$BMF_BIN_DIR/bmf" ] || skip "bmf is not built"
    run "$PREFIX/bin/bmf" machine check t3d-sheet
    assert_success
    assert_output --partial "$(realpath "$PREFIX")/share/bmf/machines/t3d-sheet.machine: machine 't3d-sheet'"
}
