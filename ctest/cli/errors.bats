#!/usr/bin/env bats
# Mistakes of programs: one clear line on standard error, the right exit code, at every number of ranks, and no hang.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    export OMP_WAIT_POLICY=passive
}

# mistake CASE EXIT TEXT...: on 1, 3 and 8 ranks, each TEXT in the one line
mistake()
{
    for ranks in 1 3 8; do
        run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/make_errors" "$1" --bmf-procs "${procs:-4}"
        echo "ranks $ranks: $stderr"
        assert_failure "$2"
        assert_output ""
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == "bmf: "* ]]
        for text in "${@:3}"; do
            [[ ${stderr_lines[0]} == *"$text"* ]] || fail "no '$text' in: ${stderr_lines[0]}"
        done
    done
}

@test "lists of different lengths: both shapes" {
    mistake zip-length 2 "zip needs lists of equal shape" "10 elements" "11 elements"
}

@test "a context closed before its reduction was waited for: says so" {
    mistake under-way 2 "bmf_close: 1 reduction was begun and not waited for"
}

@test "lists on different processors: both shapes" {
    mistake zip-place 2 "4 processors (0, 1, .. 3)" "processor 0"
}

@test "an index out of range: the index and the length" {
    mistake index 2 "10" "list of 10"
    mistake project 2 "index 10 at position 4"
}

@test "a kernel that fails on one rank: kernel, code, processor, elements" {
    mistake kernel 1 "kernel fragile failed with code 7" "processor 1"
    mistake kernel-in-place 1 "kernel fragile failed with code 7"
    mistake fused-kernel 1 "fragile" "7"
}

@test "an operator of another type: both types" {
    mistake type 2 "plus_real takes real, found int"
}

@test "a reduction of nothing without an identity" {
    mistake empty 2 "empty list" "first"
}

@test "too many or no processors to split over" {
    mistake split 2 "1000 processors" "the machine has 4"
    mistake split-nothing 2 "0"
}

@test "an error on one rank only ends all the others too" {
    for ranks in 2 3 8; do
        run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/make_errors" one-rank
        echo "ranks $ranks: $status: $stderr"
        assert_failure 2
        assert_output ""
        [[ $stderr == *"bmf: only the last rank sees this (rank $((ranks - 1)) only)"* ]]
    done
}

@test "an error in a context of half of the ranks is said once and ends the others too" {
    for ranks in 1 3 8; do
        run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/make_errors" half
        echo "ranks $ranks: $status: $stderr"
        assert_failure 2
        assert_output ""
        assert_equal "$(grep -c '^bmf: ' <<<"$stderr")" 1
        [[ $stderr == *"bmf: reduce: operator plus_real takes real, found int"* ]]
    done
}

@test "a rank without working memory says so in one line and ends all" {
    for ranks in 1 3 8; do
        run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/make_errors" memory
        echo "ranks $ranks: $status: $stderr"
        assert_failure 1
        assert_output ""
        assert_equal "$(grep '^bmf: ' <<<"$stderr")" "bmf: out of memory: $((1 << 60)) bytes of working memory"
    done
}

@test "a context that is opened when MPI is finalised" {
    mistake open-again 2 "bmf_open: MPI is finalised already"
}

@test "no mistake" {
    run --separate-stderr "$MPIRUN" -n 3 "$BMF_BIN_DIR/make_errors" none
    assert_success
    assert_output "no mistake"
}
