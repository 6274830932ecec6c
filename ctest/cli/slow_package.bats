#!/usr/bin/env bats
# Debian packages: made as docs/building.md says, without errors of lintian, installed in a clean root with nothing but what they
# depend on, where a program of a user is built and run. Without mmdebstrap only the packages are looked at.

bats_require_minimum_version 1.5.0

setup_file()
{
    export BUILD=$BATS_FILE_TMPDIR/build ROOT=$BATS_FILE_TMPDIR/root
    command -v dpkg-deb dpkg-shlibdeps >/dev/null || skip "no Debian"
    cmake -S "$BMF_SOURCE_DIR" --preset package -B "$BUILD" >"$BATS_FILE_TMPDIR/log" 2>&1
    cmake --build "$BUILD" -j 2 >>"$BATS_FILE_TMPDIR/log" 2>&1 || { tail "$BATS_FILE_TMPDIR/log" && return 1; }
    (cd "$BUILD" && cpack -G DEB) >>"$BATS_FILE_TMPDIR/log" 2>&1
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    [ -d "$BUILD" ] || skip "no Debian"
    cd "$BUILD"
}

teardown_file()
{
    rm -rf "$BUILD" "$ROOT"
}

@test "there are four, and what they depend on is there" {
    local name
    for name in bmf_ libbmf0.1_ libbmf-dev_ bmf-doc_; do
        run bash -c "ls $name*.deb | wc -l"
        assert_output 1
    done
    run dpkg-deb -f bmf_*_*.deb Depends
    assert_output --partial libmpich
    run dpkg-deb -f libbmf-dev_*.deb Depends
    assert_output --partial "libbmf0.1 (= "
}

@test "lintian finds no error" {
    command -v lintian >/dev/null || skip "no lintian"
    run bash -c 'lintian --allow-root *.deb 2>/dev/null | grep "^E:"'
    assert_output ""
}

@test "installed in a clean root, bmf runs, and an outside program is built and run" {
    command -v mmdebstrap >/dev/null || skip "no mmdebstrap"
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    # shellcheck source=/dev/null
    mmdebstrap --variant=apt --include=gcc,libc6-dev "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$ROOT" >log 2>&1 ||
        skip "no clean root: $(tail -n 1 log)"
    cp ./*.deb "$ROOT/"
    cp "$BMF_SOURCE_DIR/examples/01-sum-of-squares.c" "$ROOT/squares.c"
    run chroot "$ROOT" sh -c 'apt-get update && apt-get install -y --no-install-recommends ./*.deb'
    assert_success
    cat >"$ROOT/try" <<'END'
set -e
echo 'B_Reduce (B_Op (B_Plus)) [1, 2, 3]' >sum.bmf
mpirun.mpich -n 2 bmf run sum.bmf
bmf machine list | grep -c decmpp-2048
gcc -O2 -ffp-contract=off -fopenmp squares.c -o squares $(pkg-config --cflags --libs bmf)
mpirun.mpich -n 2 ./squares 10
test -s /usr/share/man/man1/bmf.1.gz -a -s /usr/share/bash-completion/completions/bmf
END
    for name in proc sys dev; do mount --bind "/$name" "$ROOT/$name"; done
    run chroot "$ROOT" sh /try
    umount "$ROOT/proc" "$ROOT/sys" "$ROOT/dev"
    assert_success
    assert_line --index 0 6
    assert_line --index 1 1
    assert_line --partial 285
}
