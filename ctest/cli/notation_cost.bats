#!/usr/bin/env bats
# The programs of examples/ in the notation cost what they cost as core language by hand (core_examples/), and the page with
# their core is that of the programs.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    unset BMF_PROCS BMF_TRACE BMF_SCHEDULE BMF_PLAN BMF_FREE
    export BMF_THREADS=1
}

@test "same values, messages and bytes, run and predicted" {
    run python3 "$BMF_SOURCE_DIR/ctest/cli/notation_cost.py"
    assert_success
}

@test "docs/examples-core.md has the core of all examples" {
    run "$BMF_SOURCE_DIR/scripts/examples-core" --bmf "$BMF_BIN_DIR/bmf" --check
    assert_success
}

@test "a page that is not up to date is found" {
    cp -r "$BMF_SOURCE_DIR/examples" "$BMF_SOURCE_DIR/scripts" "$BATS_TEST_TMPDIR"
    mkdir "$BATS_TEST_TMPDIR/docs"
    cd "$BATS_TEST_TMPDIR"
    run scripts/examples-core --bmf "$BMF_BIN_DIR/bmf" --check
    assert_failure 1
    run scripts/examples-core --bmf "$BMF_BIN_DIR/bmf"
    assert_success
    diff docs/examples-core.md "$BMF_SOURCE_DIR/docs/examples-core.md"
    sed -i 's/square(x) = x \* x/square(x) = x + x/' examples/12-mean-variance.bmf
    run scripts/examples-core --bmf "$BMF_BIN_DIR/bmf" --check
    assert_failure 1
    assert_output --partial "is not up to date"
}
