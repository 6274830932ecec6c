#!/usr/bin/env bats
# docs/extending.md is true: what it says is done to a copy of the sources, which is built, and every addition is used.

bats_require_minimum_version 1.5.0

# The copy is built once for all tests.
setup_file()
{
    export COPY=$BATS_FILE_TMPDIR/copy BUILD=$BATS_FILE_TMPDIR/build
    mkdir "$COPY"
    tar -C "$BMF_SOURCE_DIR" --exclude=./build --exclude=./.git -cf - . | tar -C "$COPY" -xf -
    python3 "$BMF_SOURCE_DIR/ctest/cli/extend.py" "$BMF_SOURCE_DIR/docs/extending.md" "$COPY" >"$BATS_FILE_TMPDIR/touched"
    cmake -S "$COPY" -B "$BUILD" -DCMAKE_BUILD_TYPE=Debug -DBMF_WERROR=ON -DBMF_TESTS=OFF >"$BATS_FILE_TMPDIR/log" 2>&1 &&
        cmake --build "$BUILD" -j 2 >>"$BATS_FILE_TMPDIR/log" 2>&1 || { tail -n 40 "$BATS_FILE_TMPDIR/log" >&2; return 1; }
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_TEST_TMPDIR"
    BMF=$BUILD/bin/bmf
}

# touches MOST SECTION: the section touches at most so many files of code
touches()
{
    run sed -n "s/^$2: \([0-9]*\) files:.*/\1/p" "$BATS_FILE_TMPDIR/touched"
    assert_output --regexp '^[0-9]+$'
    [ "$output" -le "$1" ] || fail "$2 touches $output files: $(grep "^$2:" "$BATS_FILE_TMPDIR/touched")"
}

