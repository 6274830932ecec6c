#!/usr/bin/env bats
# Runs that write, killed at random moments; kills.py says how. scripts/stress does ten thousand.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
}

# kills NUMBER: with a seed that is printed
kills()
{
    run timeout 1400 python3 "$BMF_SOURCE_DIR/ctest/cli/kills.py" --kills "$1" --seed "${BMF_TEST_SEED:-$RANDOM}"
    echo "$output"
    assert_success
    assert_output --partial "$1 kills"
}

@test "100 kills of one rank, mpirun or all processes leave no hang and no damaged output" {
    kills 100
}
