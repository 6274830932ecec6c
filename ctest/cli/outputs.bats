#!/usr/bin/env bats
# Every output of every command under bad conditions; outputs.py lists and disturbs them. More of it in outputs_disk.bats
# and slow_outputs.bats.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    load outputs.bash
}

@test "every option that names an output is tested here" {
    outputs options
}

@test "two writers of one output leave a whole file of either" {
    outputs writers
}

@test "no output goes through what somebody prepared; links to it are followed" {
    outputs links
}
