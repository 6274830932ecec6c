#!/usr/bin/env bats
# Every output on disks that are full at every size, and on small file systems; outputs.py says how.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    load outputs.bash
}

@test "two writers of one output, many times" {
    outputs writers --all
}

@test "a disk that is full at every size" {
    outputs disk --all
}

@test "everything that somebody can prepare" {
    outputs links --all
}

@test "a file system of a few pages" {
    outputs small
}
