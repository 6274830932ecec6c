#!/usr/bin/env bats
# BMF_DEBUG=1: each misuse of the functions in C is one line with function and argument, at every number of ranks, and no
# hang; what is right goes on as without it.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_DEBUG=1
}

# start RANKS CASE: runs it in the background.
start()
{
    (
        code=0
        timeout 60 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/make_misuse" "$2" >"out.$1" 2>"errors.$1" || code=$?
        echo "$code" >"code.$1"
    ) 3>&- &
}

# check RANKS CASE TEXT...: each TEXT in the one line
check()
{
    echo "$2, ranks $1: $(cat "errors.$1")"
    assert_equal "$(cat "code.$1")" 2
    assert_equal "$(cat "out.$1")" ""
    assert_equal "$(wc -l <"errors.$1")" 1
    grep -q "^bmf: " "errors.$1"
    for text in "${@:3}"; do
        grep -qF -- "$text" "errors.$1" || fail "no '$text'"
    done
}

# misuse CASE TEXT...: on all ranks. Most of the time they wait, so that all numbers of ranks run at once.
misuse()
{
    for ranks in 1 2 4; do
        start "$ranks" "$1"
    done
    wait
    for ranks in 1 2 4; do
        check "$ranks" "$@"
    done
}

# misuse_of_last CASE TEXT...: of the last rank, while the others do something else.
misuse_of_last()
{
    for ranks in 2 4; do
        start "$ranks" "$1"
    done
    wait
    for ranks in 2 4; do
        check "$ranks" "$@"
    done
}

# misuse_between CASE TEXT...: the same, and the line names it.
misuse_between()
{
    misuse_of_last "$@"
    for ranks in 2 4; do
        check "$ranks" "$1" "rank $((ranks - 1))"
    done
}

@test "NULL: the function and the argument" {
    misuse null-list "bmf_map: xs is NULL"
    misuse null-second-list "bmf_zip: ys is NULL"
    misuse null-kernel "bmf_map: kernel is NULL"
    misuse null-operator "bmf_reduce: op is NULL"
    misuse null-output "bmf_map: out is NULL"
    misuse null-value "bmf_reduce: value is NULL"
    misuse null-context "bmf_iota: ctx is NULL"
    misuse null-in-void "bmf_barrier: ctx is NULL"
    misuse null-in-value "bmf_length: list is NULL"
    misuse null-type "bmf_spread: type is NULL"
    misuse null-path "bmf_npy_write: path is NULL"
    misuse null-function "bmf_each_part: run is NULL"
    misuse null-permutation "bmf_permutation_gray: p is NULL"
    misuse null-trace "bmf_trace_runs: trace is NULL"
}

@test "what is freed or closed: who freed it" {
    misuse free-twice "bmf_list_free: list was freed by bmf_list_free"
    misuse use-after-free "bmf_reduce: xs was freed by bmf_list_free"
    misuse partition-after-list "bmf_partition_parts: partition was freed by bmf_list_free"
    misuse release-twice "bmf_partition_release: partition was freed by bmf_partition_release"
    misuse plan-after-free "bmf_permute_plan_rounds: plan was freed by bmf_permute_plan_free"
    misuse close-twice "bmf_close: ctx was freed by bmf_close"
    misuse use-after-close "bmf_processors: ctx was freed by bmf_close"
    misuse open-after-close "bmf_open: MPI is finalised already"
    misuse close-with-lists "bmf_close: ctx has 1 list or plan that is not freed; the first was made by bmf_iota"
}

@test "something else than the function takes" {
    misuse wrong-kind "bmf_length: list is a partition, not a list"
    misuse no-list "bmf_reduce: xs is no list"
    misuse other-context "bmf_zip: ys is of another context"
    misuse other-context-partition "bmf_list_create: partition is of another context"
    misuse lengths "zip needs lists of equal shape" "10 elements" "11 elements"
    misuse old-machine "bmf_map: xs was made for " " processors, the context has 64"
    misuse leaf "bmf_list_data: leaf is 1, not from 0 to 0"
    misuse part "bmf_partition_processor: k is "
    misuse bits "bmf_permutation_bit_reversal: bits is 64, not from 0 to 63"
    misuse region "bmf_region_end: no region is open"
}

@test "kernels and operators that are none" {
    misuse kernel-version "bmf_map: kernel->version is " ", this bmf knows 0 to "
    misuse kernel-block "bmf_map: kernel->block is NULL"
    misuse kernel-inputs "bmf_map_in_place: kernel->inputs is 5, not from 1 to 4"
    misuse kernel-type "bmf_map: kernel->output is a scalar of another size"
    misuse operator-version "bmf_scan: op->version is -1"
    misuse operator-flags "bmf_reduce: op->flags has a flag that there is not: 0x4"
    misuse operator-columns "bmf_reduce: op->fold_columns is for operators that commute"
}

@test "other threads, at once or not, and calls from inside a kernel" {
    misuse thread-reduces "bmf_reduce: called by another thread than the one that opened the context"
    misuse thread-frees "bmf_list_free: called by another thread"
    misuse two-threads-at-once "bmf_reduce: called by another thread"
    misuse one-thread-reduces "bmf_reduce: called by another thread"
    misuse inside "bmf_reduce: called "
}

@test "collective calls in different order, or with different arguments: both ranks" {
    misuse_between order "rank 0 calls bmf_scan(xs = list 1 by bmf_iota, op = max_int, kind = 0)" \
        "calls bmf_reduce(xs = list 1 by bmf_iota, op = plus_int)"
    misuse_between order-of-void "rank 0 calls bmf_map(" "calls bmf_barrier()"
    misuse_between order-void-first "rank 0 calls bmf_barrier()" "calls bmf_map("
    misuse_between order-of-numbers "rank 0 calls bmf_iota(n = 12)" "calls bmf_iota(n = 11)"
    misuse_between order-of-kernels "kernel = square" "kernel = cube"
    misuse_between order-of-lists "xs = list 1" "xs = list 2"
    misuse_between order-of-values "bmf_distl_value(type = real, value = "
    misuse_between order-of-contexts "bmf_barrier() in context 1" "bmf_barrier() in context 2"
    misuse_between order-ignored "rank 0 calls bmf_scan(" "calls bmf_reduce("
}

@test "one rank alone: all end" {
    misuse_between one-null "bmf_map: kernel is NULL"
    misuse_of_last one-null-list "bmf_map: xs is NULL"
    misuse_of_last one-looks "bmf_length: list is NULL"
    misuse_between one-ends "rank 0 calls bmf_map(" "calls exit()"
    misuse_of_last one-closes "bmf_close: ctx was freed by bmf_close"
}

@test "the exit code is that of a rank that is alone, however late the launcher sees its end" {
    slow=$BMF_BUILD_DIR/libbmf_slow_poll.so
    [ -e "$slow" ] || skip "the slow poll is not built"
    "$MPIRUN" --version | grep -q HYDRA || skip "the launcher is not MPICH's"
    for case in null-list thread-reduces; do
        for milliseconds in 2 20; do
            run env LD_PRELOAD="$slow" BMF_POLL_MS=$milliseconds "$MPIRUN" -n 1 "$BMF_BIN_DIR/make_misuse" $case
            assert_failure 2
        done
    done
}

# One rank: of several, which end before MPI does, the launcher may kill the last and give another exit code.
@test "without BMF_DEBUG, and with 0, nothing is looked at" {
    for value in "" 0; do
        BMF_DEBUG=$value run --separate-stderr "$MPIRUN" -n 1 "$BMF_BIN_DIR/make_misuse" close-with-lists
        assert_failure 7
        assert_equal "$stderr" ""
    done
}

@test "a program without misuse ends as it does otherwise" {
    for ranks in 1 2 4; do
        run --separate-stderr "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/make_misuse"
        assert_success
        assert_equal "$stderr" ""
    done
}

@test "the examples print the same" {
    python3 -c "
import numpy as np
rng = np.random.default_rng(7)
np.save('reals.npy', rng.normal(10.0, 3.0, 5432))
np.save('more.npy', rng.normal(-1.0, 2.0, 5432))
np.save('ints.npy', rng.integers(-1000, 1000, 1234))" || skip "numpy is not here"
    for ranks in 1 2 4; do
        for example in "01-sum-of-squares 1000" "02-mean-variance reals.npy" "03-dot-product reals.npy more.npy" \
            "04-histogram reals.npy 10" "05-maximum-segment-sum ints.npy" "06-sample-sort reals.npy sorted.npy"; do
            # shellcheck disable=SC2086
            BMF_DEBUG=0 run --separate-stderr "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/"$example
            echo "$example on $ranks: $status $stderr"
            assert_success
            expected=$output
            # shellcheck disable=SC2086
            run --separate-stderr "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/"$example
            echo "$example on $ranks: $status $stderr"
            assert_success
            assert_equal "$stderr" ""
            assert_equal "$output" "$expected"
        done
    done
}

@test "every public function that takes a pointer is looked at" {
    # Any number of arguments; the text of a macro, without a context.
    unchecked="bmf_fail bmf_place_enter"
    python3 - "$BMF_SOURCE_DIR" "$unchecked" >missing.txt <<'PYTHON'
import glob, re, sys
root, allowed = sys.argv[1], sys.argv[2].split()
tables = "".join(open(name).read() for name in glob.glob(root + "/checked/functions_*.c"))
checked = set(re.findall(r"_FUNCTION\((?:[\w *]+, )?(bmf_\w+)", tables))
for name in glob.glob(root + "/include/bmf/*.h"):
    text = re.sub(r"/\*.*?\*/|^\s*#.*?(?<!\\)$", "", open(name).read(), flags=re.S | re.M)
    for function, parameters in re.findall(r"BMF_API (?!extern)[^;(]*?(bmf_\w+)\(([^;]*)\)", text):
        if ("*" in parameters or "[" in parameters) and function not in checked and function not in allowed:
            print(f"{name}: {function}")
if len(checked) < 100:
    print("the tables were not understood")
PYTHON
    run cat missing.txt
    assert_output ""
}
