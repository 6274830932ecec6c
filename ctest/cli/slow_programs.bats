#!/usr/bin/env bats
# Programs that nobody here wrote, unchanged, from Debian: ScaLAPACK's tests and NetPIPE. The packages are unpacked, not
# installed. The same output but for the times in it; report, convert and replay take what was recorded.

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR"
    apt-get download netpipe-mpich2 libscalapack-mpich2.2 scalapack-mpi-test scalapack-test-common > apt.txt 2>&1 || return 0
    for package in *.deb; do
        dpkg -x "$package" unpacked
    done
}

load set_up.bash

setup()
{
    set_up
    root=$BATS_FILE_TMPDIR/unpacked
    [ -d "$root" ] || skip "the packages of Debian 12 cannot be fetched here"
    libraries=$(dirname "$(find "$root" -name 'libscalapack-mpich.so*' | head -n 1)")
    export LD_LIBRARY_PATH=$libraries OPENBLAS_NUM_THREADS=1
    tests=$libraries/scalapack/mpich-tests
    ldd "$tests/xdlu" | grep -q "not found" && skip "there is no BLAS or LAPACK"
    printf '%s\n' "'LU'" "'MPI'" "'LU.out'" 6 2 '400 400' '400 400' 1 32 1 1 1 32 1 1 2 1.0 F > LU.dat
    printf '%s\n' "'LLT'" "'MPI'" "'LLT.out'" 6 "'U'" 2 '300 300' 1 32 1 1 1 32 1 1 2 3.0 F > LLT.dat
    printf '%s\n' "'QR'" "'MPI'" "'QR.out'" 6 1 "'QR'" 1 300 300 1 32 32 1 1 2 5.0 > QR.dat
}

# What does not depend on how long it took.
lines()
{
    sed -E 's/[-+]?[0-9]+\.[0-9]+(E[-+]?[0-9]+)?/#/g; s/ +/ /g' "$1" | sort
}

# check NAME PROGRAM ARGUMENT..: with 2 ranks
check()
{
    local name=$1
    shift
    timeout 300 "$MPIRUN" -n 2 "$@" > plain.out < /dev/null
    timeout 300 "$MPIRUN" -n 2 "$BMF" record -o "$name.trace" -- "$@" > recorded.out < /dev/null
    diff <(lines plain.out) <(lines recorded.out)
    "$BMF" report "$name.trace" --html "$name.html"
    for format in perfetto csv hase; do
        "$BMF" convert "$name.trace" --to "$format" -o "$name.$format"
    done
    "$BMF" replay "$name.trace" --machine ideal --json > ideal.json
    "$BMF" replay "$name.trace" --machine two-cores --json > replay.json
    jq -e '.seconds > 0 and .lo <= .seconds and .seconds <= .hi' replay.json
    echo "# $name: recorded $(jq .recorded replay.json) s, on an ideal network $(jq .seconds ideal.json) s" >&3
    # without communication it takes no longer than it took
    jq -e '.seconds <= .recorded * 1.01' ideal.json
}

@test "LU, Cholesky and QR of ScaLAPACK" {
    check lu "$tests/xdlu"
    grep -q "2 tests completed and passed" recorded.out
    check cholesky "$tests/xdllt"
    grep -q "2 tests completed and passed" recorded.out
    check qr "$tests/xdqr"
    grep -q "1 tests completed and passed" recorded.out
}

@test "LU of ScaLAPACK with polite waiting, more ranks than cores, and on virtual clocks" {
    sed -i 's/^1$/&/; 15s/.*/2/; 16s/.*/2/' LU.dat
    timeout 300 "$MPIRUN" -n 4 "$BMF" record --polite -o polite.trace -- "$tests/xdlu" > polite.out < /dev/null
    grep -q "2 tests completed and passed" polite.out
    "$BMF" replay polite.trace --machine t3d-sheet
    timeout 300 "$BMF" predict --mpi --launch "$MPIRUN -n {p}" --machine t3d-sheet --procs 4 --json -- "$tests/xdlu" 2> virtual.out > virtual.json
    grep -q "2 tests completed and passed" virtual.out
    jq -e '.runs[0].messages > 0' virtual.json
}

@test "NetPIPE" {
    check netpipe "$root/usr/bin/NPmpich2" -o np.out -u 4096 -n 100
}
