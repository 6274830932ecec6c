#!/usr/bin/env bats
# Every output on disks that are full at every size, and on small file systems; outputs.py says how.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
}

# outputs TEST [OPTION..]
outputs()
{
    if ldd "$BMF_BIN_DIR/bmf" | grep -q libasan; then skip "the sanitizers come first"; fi
    run python3 "$BMF_SOURCE_DIR/ctest/cli/outputs.py" "$@"
    echo "$output"
    [ "$status" -ne 77 ] || skip "$output"
    assert_success
}

@test "two writers of one output, many times" {
    outputs writers --all
}

@test "a disk that is full at every size" {
    outputs disk --all
}

@test "a file system of a few pages" {
    outputs small
}
