#!/usr/bin/env bats
# The Cowichan programs on all numbers of ranks and sizes that matter: fewer rows than ranks, odd ones, uneven parts.

bats_require_minimum_version 1.5.0

setup()
{
    # shellcheck source=ctest/cli/cowichan.bash
    source "$BMF_SOURCE_DIR/ctest/cli/cowichan.bash"
    load_cowichan
}

@test "every program equals its sequential reference on 1, 2, 3, 4, 7 ranks for 1, 2, 3, 20, 33 rows" {
    check_all "1 2 3 4 7" "1 2 3 20 33"
}

@test "the programs in the language find the same on 1, 2, 3, 4, 7 ranks for 1, 2, 3, 20, 33 rows" {
    check_language "1 2 3 4 7" "1 2 3 20 33"
}

@test "the programs on skeletons find the same on 1, 2, 3, 4, 7 ranks for 1, 2, 3, 20, 33, 300 rows" {
    check_skeletons "1 2 3 4 7" "1 2 3 20 33 300"
}

@test "the elastic net with all its iterations" {
    cowichan_programs=(elastic)
    check_all "1 2 4 7" "20 33"
}

@test "rows longer than what MPI sends at once" {
    cowichan_programs=('life --iters 3' half thresh)
    check_all "1 2 3" 6000
}
