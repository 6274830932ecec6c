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

load set_up.bash

setup()
{
    set_up
}

# check_programs FOLDER: every program's answer on 1 and on 4 ranks. The sum of 0 .. 1000 is 1000 * 1001 / 2; the sums of
# 0 .. 100 and of the squares are 100 * 101 / 2 and 100 * 101 * 201 / 6; the squares of 0 .. 10 add up to 385, those of
# 0 .. 3 to 14.
check_programs()
{
    for kind in "" _static; do
        for ranks in 1 4; do
            for program in main_c own_names_c; do
                run --separate-stderr "$MPIRUN" -n "$ranks" "$1/$program$kind"
                assert_success
                assert_output "sum 500500 on $ranks ranks"
            done
            run --separate-stderr "$MPIRUN" -n "$ranks" "$1/main_cpp$kind"
            assert_success
            assert_output "338350 101 5050 2525 on $ranks ranks"
        done
        check_prediction "$1/main_c$kind"
        run --separate-stderr "$MPIRUN" -n 1 "$1/communicators_c$kind"
        assert_success
        assert_output "385 on 1 of 1 ranks and 3 processors; 338350 on all; 14 alone"
        run --separate-stderr "$MPIRUN" -n 4 "$1/communicators_c$kind"
        assert_success
        [ "$(grep -cx "385 on 2 of 4 ranks and 3 processors; 338350 on all; 14 alone" <<<"$output")" -eq 2 ]
    done
    readelf -d "$1/main_c" | grep -q 'NEEDED.*libbmf\.so'
    run ! grep -q libbmf <(readelf -d "$1/main_c_static")
}

@test "a CMake project finds and links bmf" {
    run cmake -S "$BMF_SOURCE_DIR/ctest/cli/outside" -B build -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_BUILD_TYPE=Release
    assert_success
    run cmake --build build
    assert_success
    refute_output --partial warning
    check_programs build
}

@test "a Makefile builds with pkg-config" {
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name bmf.pc)")
    run make -f "$BMF_SOURCE_DIR/ctest/cli/outside/Makefile" SOURCE="$BMF_SOURCE_DIR/ctest/cli/outside"
    assert_success
    refute_output --partial warning
    check_programs .

    # for one processor alone
    run make -B -f "$BMF_SOURCE_DIR/ctest/cli/outside/Makefile" SOURCE="$BMF_SOURCE_DIR/ctest/cli/outside" \
        CFLAGS="-O3 -march=native -Wall -Wextra" main_c
    assert_success
    refute_output --partial warning
    run "$MPIRUN" -n 2 ./main_c
    assert_output "sum 500500 on 2 ranks"
    # a level, as some systems set it, is built on
    run make -B -f "$BMF_SOURCE_DIR/ctest/cli/outside/Makefile" SOURCE="$BMF_SOURCE_DIR/ctest/cli/outside" \
        CFLAGS="-O2 -march=x86-64-v2 -Wall -Wextra" main_c
    assert_success
    refute_output --partial warning
    run nm main_c
    assert_output --partial avx2
}

# Messages of the reduction take a second each; the partial sums are told in one round or in two.
check_prediction()
{
    cat >two.machine <<'MACHINE'
compute = { zero = true; };
network = { type = "hockney"; latency_us = 1000000.0; bandwidth_mb_per_s = 1e9; };
agreement_us = 0.0;
relative_error = 0.0;
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

@test "not into the checkout, which would be copied into itself" {
    run cmake --install "$BMF_BUILD_DIR" --prefix "$BMF_SOURCE_DIR"
    assert_failure
    assert_output --partial "bmf cannot be installed into its own checkout"
    refute_output --partial "-- Installing: "
}

@test "every installed header compiles on its own, as C and as C++" {
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name bmf.pc)")
    (cd "$BMF_SOURCE_DIR/include" && find . -name '*.h') | sort >expected
    (cd "$PREFIX/include" && find . -type f) | sort >installed
    diff expected installed
    while read -r header; do
        printf '#include <%s>\ntypedef int not_empty;\n' "${header#./}" | tee alone.c >alone.cpp
        # shellcheck disable=SC2046
        run gcc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags bmf) alone.c
        assert_success
        # shellcheck disable=SC2046
        run g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags bmf) alone.cpp
        assert_success
    done <installed
}

@test "the libraries show the public functions and nothing else" {
    shared=$(find "$PREFIX" -name libbmf.so)
    static=$(find "$PREFIX" -name libbmf.a)
    nm -D --defined-only "$shared" | awk '{ print $3 }' | sort >shown
    nm --defined-only --extern-only "$static" | awk 'NF == 3 { print $3 }' | sort >archived
    [ "$(wc -l <shown)" -ge 100 ]
    run ! grep -v '^bmf_' shown
    run ! grep -v '^bmf_' archived
    diff shown archived
    grep -qx bmf_reduce shown
    # every function that a public header declares is there, and every one that is there is declared
    sed -nE 's/^BMF_API .*\<(bmf_[a-z0-9_]+)(\(.*|;.*)$/\1/p' "$PREFIX"/include/bmf/*.h | sort -u >declared
    diff declared shown
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

@test "completion scripts and manual pages are where shells and man look for them" {
    [ -f "$PREFIX/share/bash-completion/completions/bmf" ]
    [ -f "$PREFIX/share/zsh/site-functions/_bmf" ]
    [ -f "$PREFIX/share/man/man1/bmf-trace.1" ]
}

@test "the bmf command runs from its new place" {
    [ -x "$BMF_BIN_DIR/bmf" ] || skip "bmf is not built"
    run "$PREFIX/bin/bmf" --help
    assert_success
    assert_output --partial convert
}

@test "a program outside finds installed machines beside its library, or beside bmf in the path" {
    [ -x "$BMF_BIN_DIR/bmf" ] || skip "bmf is not built"
    cat >sum.c <<'PROGRAM'
#include <bmf.h>
int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    return bmf_close(ctx);
}
PROGRAM
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name bmf.pc)")
    # shellcheck disable=SC2046
    gcc -o shared sum.c $(pkg-config --cflags --libs bmf)
    # shellcheck disable=SC2046
    gcc -o static sum.c $(pkg-config --cflags bmf) $(pkg-config --static --libs bmf | sed 's/-lbmf/-l:libbmf.a/')
    LD_LIBRARY_PATH=$(dirname "$(find "$PREFIX" -name libbmf.so)")
    export LD_LIBRARY_PATH
    PATH=/usr/bin:/bin run ./shared --bmf-machine fast-cluster --bmf-procs 2
    assert_success
    PATH=$PREFIX/bin:/usr/bin:/bin run ./static --bmf-machine fast-cluster --bmf-procs 2
    assert_success
    PATH=/usr/bin:/bin run ./shared --bmf-machine no-such-cluster --bmf-procs 2
    assert_failure 2
    assert_output --partial "there is no machine 'no-such-cluster', neither here nor installed; installed: "
}

@test "installed machines and their sheets are found by name" {
    [ -x "$BMF_BIN_DIR/bmf" ] || skip "bmf is not built"
    run "$PREFIX/bin/bmf" machine check t3d-sheet
    assert_success
    assert_output --partial "$(realpath "$PREFIX")/share/bmf/machines/t3d-sheet.machine: machine 't3d-sheet'"
}
