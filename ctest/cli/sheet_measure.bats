#!/usr/bin/env bats
# bmf sheet measure: options, what it prints, interruption and resumption, and that sheets can be fitted to its files.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1
}

# measure RANKS ARGUMENT...
measure()
{
    run --separate-stderr timeout 120 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/bmf" sheet measure "${@:2}"
}

# refused TEXT ARGUMENT...: exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    for ranks in 1 3; do
        measure "$ranks" "${@:2}"
        assert_failure 2
        assert_output ""
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
    done
}

# json_holds EXPRESSION: a Python expression over d, the object printed
json_holds()
{
    python3 -c 'import json, sys; d = json.loads(sys.argv[1]); sys.exit(not eval(sys.argv[2]))' "$output" "$1" ||
        fail "not $1: $output"
}

@test "help has an example, and --list names operations of every family" {
    measure 2 --help
    assert_success
    assert_line --partial "Example: $(basename "$MPIRUN") -n 2 -bind-to core bmf sheet measure"
    measure 2 --list
    assert_success
    for word in point-to-point links collective barrier skeleton local threads file; do
        assert_line "$word"
    done
    for word in send ssend rsend recv recvmin isend1 isend2 isendoverlap irecv1 irecv2 irecvoverlap sendrecv pingpong first \
        gapout gapin gapring allsend bcast reduce allreduce gather allgather scatter alltoall allgatherv alltoallv scan exscan \
        reduce_scatter comm_split; do
        assert_line --regexp "^  $word +[^ ]"
    done
}

@test "every skeleton of the library is measured" {
    measure 1 --list
    assert_success
    while read -r name; do
        case $name in
            bmf_each_part) continue ;; # runs the caller's own loop and has no cost of its own
            bmf_reduction_test | bmf_reduction_wait) continue ;; # the rest of bmf_reduce_begin, measured with it
        esac
        assert_line --regexp "^  $name +[^ ]"
    done < <(sed -n 's/^BMF_API int \(bmf_[a-z_]*\)(.*/\1/p' "$BMF_SOURCE_DIR/include/bmf/skeletons.h")
}

@test "a measurement can be fitted, and its object has the promised keys" {
    measure 2 -o a.raw --ops bcast,send,bmf_reduce --max-elements 4096 --repeats 5 --json
    assert_success
    assert_equal "$stderr" ""
    json_holds 'list(d) == ["output", "ranks", "threads", "points", "repetitions", "resumed", "skipped", "left_out",
        "disturbed", "seconds", "interrupted", "crowded"]'
    json_holds '(d["output"], d["ranks"], d["threads"], d["skipped"], d["interrupted"]) == ("a.raw", 2, 1, 0, False)'
    json_holds 'd["points"] > 0 and d["repetitions"] == 5 * d["points"]'
    run tail -n 1 a.raw
    assert_output --regexp '^complete [1-9][0-9]*$'
    run --separate-stderr "$BMF_BIN_DIR/bmf" sheet fit a.raw -o a.sheet
    assert_success
    run --separate-stderr "$BMF_BIN_DIR/bmf" sheet calc a.sheet bcast 2 1000
    assert_success
}

@test "one rank skips what needs two, with a note" {
    measure 1 -o a.raw --ops send,bcast,bmf_reduce --max-elements 16 --repeats 2
    assert_success
    assert_line "skipped (needs at least 2 ranks): send bcast"
    run grep -c '^skip ' a.raw
    assert_output 2
    run grep -c '^sample bmf_reduce ' a.raw
    refute_output 0
}

@test "trains of messages: no time is zero, and incast needs three ranks" {
    measure 2 -o two.raw --ops links --max-elements 4096 --repeats 4
    assert_success
    assert_line "skipped (needs at least 3 ranks): gapin"
    measure 3 -o three.raw --ops links --max-elements 64 --repeats 3
    assert_success
    for name in gapout gapin gapring; do
        run awk -v name="$name" '$1 == "sample" && $2 == name && $3 == "links" { print $5; for (k = 14; k <= NF; k++) if ($k <= 0) exit 1 }' three.raw
        assert_success
        assert_line 3
    done
    run awk '$1 == "sample" { for (k = 14; k <= NF; k++) if ($k <= 0) exit 1 }' two.raw
    assert_success
}

@test "sizes, repetitions, clock and buffers are as asked for" {
    measure 2 -o a.raw --ops send --max-elements 100 --factor 10 --repeats 4 --clock agreed --cached
    assert_success
    run grep -c '^clock agreed$' a.raw
    assert_output 1
    run awk '/^sample/ {print $7, $12, $13}' a.raw
    assert_output $'1 cached 4\n10 cached 4\n100 cached 4'
}

# Waits until the file says more than its header, or gives up after a minute.
wait_for_samples()
{
    for _ in $(seq 600); do
        if grep -q '^sample' "$1" 2>/dev/null; then return; fi
        sleep 0.1
    done
    fail "nothing was measured"
}

@test "Ctrl-C keeps what was measured, and --resume goes on" {
    local arguments=(-o a.raw --ops kernel_exp,kernel_sum --max-elements 65536 --factor 4)
    local pid
    # launchers may drop what ranks say after the signal
    "$MPIRUN" -n 2 sh -c 'exec "$@" 2>>err' sh "$BMF_BIN_DIR/bmf" sheet measure "${arguments[@]}" --repeats 5000 --seconds 150 \
        >out 2>launcher 3>&- &
    pid=$!
    wait_for_samples a.raw
    kill -INT "$pid"
    wait "$pid" || true # mpirun's own exit code after a signal varies
    run cat err
    assert_line "bmf: interrupted; a.raw keeps what was measured, --resume goes on"
    run grep -c '^complete' a.raw
    assert_output 0
    grep '^sample kernel_exp ' a.raw | cut -d ' ' -f 1-12,14 | sort >before
    assert [ -s before ]
    measure 2 "${arguments[@]}" --repeats 3 --resume
    assert_success
    run tail -n 1 a.raw
    assert_output --regexp '^complete [1-9][0-9]*$'
    grep '^sample kernel_exp ' a.raw | cut -d ' ' -f 1-12,14 | sort >after
    run comm -23 before after # every point is still there, with the first of its old repetitions
    assert_output ""
}

@test "an interrupted measurement ends with exit code 1" {
    local pid code
    for signal in TERM HUP; do # a shell without job control lets its children ignore SIGINT
        rm -f b.raw
        "$BMF_BIN_DIR/bmf" sheet measure -o b.raw --ops kernel_exp,kernel_sum --max-elements 65536 --repeats 5000 \
            --seconds 150 >out 2>err 3>&- &
        pid=$!
        wait_for_samples b.raw
        kill -s "$signal" "$pid"
        code=0
        wait "$pid" || code=$?
        assert_equal "$code" 1
        run cat err
        assert_line "bmf: interrupted; b.raw keeps what was measured, --resume goes on"
    done
}

@test "a signal while files are measured leaves none of them" {
    local pid code there
    for signal in TERM HUP; do # a shell without job control lets its children ignore SIGINT
        rm -rf measured && mkdir measured
        there=
        "$BMF_BIN_DIR/bmf" sheet measure -o measured/b.raw --ops file_write,file_read --repeats 5000 --seconds 150 \
            >out 2>err 3>&- &
        pid=$!
        for _ in $(seq 600); do
            if compgen -G 'measured/bmf-measure-*' >/dev/null; then there=yes && break; fi
            sleep 0.1
        done
        assert_equal "$there" yes
        kill -s "$signal" "$pid"
        code=0
        wait "$pid" || code=$?
        assert_equal "$code" 1
        run compgen -G 'measured/bmf-measure-*'
        assert_failure
    done
}

@test "more ranks than cores are pointed out" {
    local cores
    cores=$(nproc)
    measure $((cores + 1)) -o a.raw --ops barrier --repeats 3
    assert_success
    assert_line --regexp "^$((cores + 1)) ranks share .* cores: these are times of waiting"
}

@test "bad usage" {
    refused "where to" --ops send
    refused "unknown operation 'bcats'; near: bcast" -o a.raw --ops send,bcats
    refused "unknown clock 'sundial'; known: barrier, agreed" -o a.raw --clock sundial
    refused "--repeats needs a whole number from 1 to 10000, not '0'" -o a.raw --repeats 0
    refused "--max-elements needs a whole number" -o a.raw --max-elements 1e3
    refused "--factor needs a whole number from 2" -o a.raw --factor 1
    refused "unknown option '--fast'" -o a.raw --fast
    refused "needs a value" -o
    refused "unexpected argument 'b.raw'" -o a.raw b.raw
    refused "cannot write '/nonexistent/a.raw'" -o /nonexistent/a.raw --ops bmf_iota
    [ ! -e a.raw ]
}

@test "a file of another measurement, or no RAW file, is not resumed" {
    measure 1 -o a.raw --ops bmf_iota --max-elements 4 --repeats 2
    assert_success
    cp a.raw old
    refused "cannot be resumed" -o a.raw --ops bmf_iota --resume --clock agreed
    echo "not a raw file" >b.raw
    refused "b.raw:1" -o b.raw --ops bmf_iota --resume
    run cmp a.raw old
    assert_success
    run cat b.raw
    assert_output "not a raw file"
}
