#!/usr/bin/env bats
# The --bmf-* options and BMF_* variables of a program that uses the library (make_sum): what they do, and that bad ones
# end the program with exit code 2 and one line, however many ranks there are.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

# sum RANKS ARGUMENT...
sum()
{
    run --separate-stderr timeout 60 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/make_sum" "${@:2}"
}

# refused RANKS TEXT ARGUMENT...: exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    sum "$1" "${@:3}"
    assert_failure 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf: "*"$2"* ]] || fail "not about '$2': ${stderr_lines[0]}"
}

refused_everywhere()
{
    for ranks in 1 2 5; do
        refused "$ranks" "$@"
    done
}

# The sum of the squares of 0 .. n - 1 is (n - 1) n (2 n - 1) / 6: 332833500 for n = 1000.

@test "the default is one processor per rank" {
    for ranks in 1 3 8; do
        sum "$ranks" 1000 --bmf-threads 2
        assert_success
        assert_output "sum 332833500 processors $ranks threads 2"
    done
}

@test "any number of processors on any number of ranks" {
    for processors in 1 2 7 64; do
        sum 3 --bmf-procs "$processors" 1000 --bmf-threads=1
        assert_success
        assert_output "sum 332833500 processors $processors threads 1"
    done
}

@test "variables work and options win over them" {
    export BMF_PROCS=5 BMF_THREADS=1
    sum 2 1000
    assert_success
    assert_output "sum 332833500 processors 5 threads 1"
    sum 2 1000 --bmf-procs=6
    assert_success
    assert_output "sum 332833500 processors 6 threads 1"
}

@test "other arguments and everything after -- are left alone" {
    sum 2 --bmf-procs 2 1000 --verbose --bmf-threads 1 -- --bmf-procs 0
    assert_success
    assert_output "sum 332833500 processors 2 threads 1
left --verbose
left --
left --bmf-procs
left 0"
}

@test "no list is too short" {
    for n in 0 1 2 3; do
        sum 4 "$n" --bmf-procs 9 --bmf-threads 1
        assert_success
        assert_output "sum $(((n - 1) * n * (2 * n - 1) / 6)) processors 9 threads 1"
    done
}

@test "a number of processors below one is refused" {
    refused_everywhere "--bmf-procs" --bmf-procs 0
    refused 2 "--bmf-procs" --bmf-procs=-3
}

@test "a number that is none is refused" {
    refused_everywhere "'many'" --bmf-procs many
    refused 2 "'3x'" --bmf-threads 3x
    refused 2 "''" --bmf-threads=
    refused 2 "99999999999999999999" --bmf-procs 99999999999999999999
}

@test "a bad variable is refused by its name" {
    export BMF_PROCS=0
    refused_everywhere "BMF_PROCS"
}

@test "an option without its value is refused" {
    refused_everywhere "needs a value" --bmf-trace
}

@test "an unknown option is refused, also one that only starts like a known one" {
    refused_everywhere "--bmf-prox" --bmf-prox 3
    refused 2 "--bmf-procsx" --bmf-procsx 3
    refused 2 "--bmf-plan=3" --bmf-plan=3
}

@test "unknown skeletons and algorithms are refused, and the known ones named" {
    refused_everywhere "levels" --bmf-schedule reduce=lefels
    refused 2 "reduce" --bmf-schedule redjuice=levels
    refused 2 "reduce" --bmf-schedule reduce
}

@test "every algorithm of reduce gives the same bits" {
    for algorithm in levels doubling everybody; do
        sum 5 1000 --bmf-procs 7 --bmf-threads 1 --bmf-schedule "reduce=$algorithm"
        assert_success
        assert_output "sum 332833500 processors 7 threads 1"
    done
}

@test "--bmf-plan prints the plan once, on standard error, and names the algorithm" {
    sum 3 1000 --bmf-threads 1 --bmf-plan --bmf-schedule reduce=doubling
    assert_success
    assert_output "sum 332833500 processors 3 threads 1"
    assert_equal "$(grep -c 'doubling.*chosen' <<<"$stderr")" 1
    assert_equal "$(grep -c chosen <<<"$stderr")" 1
}

@test "a trace that cannot be written is an error with exit code 2, said once" {
    for ranks in 1 3; do
        sum "$ranks" 1000 --bmf-trace no/such/folder/trace.bmf
        assert_failure 2
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == "bmf: "*no/such/folder/trace.bmf* ]] || fail "${stderr_lines[0]}"
    done
}

@test "--bmf-trace writes a trace" {
    sum 3 1000 --bmf-procs 4 --bmf-trace trace.bmf
    assert_success
    [ -s trace.bmf ]
}
