#!/usr/bin/env bats
# Lists and messages beyond 2^31 bytes and elements.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    local available
    available=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
    [ "$available" -ge 9 ] || skip "needs 9 GiB of memory, $available are available"
}

@test "a message of 2.4 GB, sums of 300 million reals, 2^31 elements" {
    run "$MPIRUN" -n 2 "$BMF_BIN_DIR/make_large" --bmf-threads 1
    assert_success
    assert_output ""
}
