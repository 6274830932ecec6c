#!/usr/bin/env bats
# Every output of every command on a disk that is full or fails; the other bad conditions are in outputs.bats.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    load outputs.bash
}

@test "a full disk, or one that fails, leaves what was there, and one line" {
    outputs disk
}
