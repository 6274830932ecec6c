#!/usr/bin/env bats
# bmf parallelise on a thousand random serial programs: the same values; on programs that take elements, which fail alike; on all programs of
# examples/serial.

bats_require_minimum_version 1.5.0

load parallelise.bash

@test "a thousand random serial programs keep their values" {
    random_programs_keep_their_values 1 1000
}

@test "taking random elements has the values, and fails with the messages, of the serial programs" {
    random_picks_fail_alike 1 60
}

@test "what is found for all examples without processors is as fast as the examples" {
    as_fast_as_by_hand
    [ "$(wc -l <ratios)" -ge 60 ]
}
