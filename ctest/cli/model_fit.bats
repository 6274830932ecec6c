#!/usr/bin/env bats
# Programs fitted to recordings of them: what is predicted at sizes and numbers of processes that were not recorded does
# what a recording there does, event by event; files that are read, and what is refused.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    load recorder.bash
    needs_recorder
    load model_fit.bash
    COWICHAN=$BMF_BIN_DIR/../cowichan
}

# refused TEXT ARGUMENT..: exit code 2, one line with TEXT
refused()
{
    run --separate-stderr "$BMF" "${@:2}"
    assert_failure 2
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
}

@test "partners and roles of odd and even ranks" {
    fit pingpong "1 2 4 6" "10 20 40" --iters 7
    same pingpong 8 100 --iters 7
}

@test "with computing in steps predictions are those of --mpi, to the last bit; files are equations; reports, intervals" {
    fit life "1 2 3 4" "10 20 40" --iters 4
    same life 6 50 --iters 4
    "$BMF" predict life.model --machine t3d-sheet --procs 8 --set n=48 --compute steps --step 1e-7 --samples 2 --json > model.json
    timeout 100 "$BMF" predict --mpi --launch "$MPIRUN -n {p}" --machine t3d-sheet --procs 8 --compute steps --step 1e-7 \
        --json -- "$COWICHAN/life" --n 48 --iters 4 > mpi.json 2> output
    "$BMF" predict life.model --machine t3d-sheet --procs 2,8,32 --set n=100 --html life.html --json > life.json
    [ -s life.html ]
    python3 - <<'END'
import json
model, mpi = (json.load(open(name))["runs"][0] for name in ("model.json", "mpi.json"))
assert model["messages"] == mpi["messages"] > 0 and model["bytes"] == mpi["bytes"], (model, mpi)
assert model["best"] == mpi["best"], (model, mpi)
runs = json.load(open("life.json"))["runs"]
assert [run["processors"] for run in runs] == [2, 8, 32]
for run in runs:
    assert 0 < run["lo"] <= run["seconds"] <= run["hi"] and run["best"] <= run["hi"], run
    assert run["messages"] == 2 * 4 * run["processors"], run
END
    run "$BMF" model check life.model --sheet cray-t3d
    assert_success
    assert_output --partial "swap"
    run "$BMF" model eval life.model --sheet cray-t3d -p 1,2,64 -d 40,1000 --phases
    assert_success
    run "$BMF" model fit life-*.trace --param n -o again.model --phases
    assert_success
    assert_line --partial "ranks with (p > 1)"
    cmp life.model again.model
    # --at takes the place of what the recordings say: here the same
    run "$BMF" model fit life-*.trace --param n -o again.model --at life-1-10.trace:n=10
    assert_success
    cmp life.model again.model
}

@test "what a fit needs is said" {
    for n in 10 20; do
        record 2 two-$n.trace life --n $n --iters 2
    done
    refused "a fit needs recordings at three values of n and three numbers of processes; there are 2 and 1" model fit two-*.trace --param n -o x.model
    refused "does not say its m: neither a value of bmf_value (n)" model fit two-10.trace --param m -o x.model
    refused "is not TRACE:n=NUMBER" model fit two-10.trace --param n --at two-10.trace -o x.model
    refused "is of none of the traces" model fit two-10.trace --param n --at other:n=3 -o x.model
    refused "which parameter" model fit two-10.trace -o x.model
    refused "give -o" model fit two-10.trace --param n
    "$BMF_BIN_DIR/make_trace" other.trace 1 2 4 1
    refused "not a recording of an MPI program" model fit other.trace --param n --at other.trace:n=1 -o x.model
    [ ! -e x.model ]
    for n in 1 2 3; do
        for ranks in 3 4 5; do
            record $ranks farm-$ranks-$n.trace farm --n $n --packets 6 --mean 0
        done
    done
    refused "receives from any source: whom from depends on times" model fit farm-*.trace --param n -o x.model
}

@test "damaged rules and sizes that are not there are refused with their place" {
    rules()
    {
        printf '%s\n' "$@" > bad.model
    }
    predict=(predict bad.model --machine ideal --procs 2 --set n=4)
    rules 'program "x", "n"' 'ranks 1' '  call send "send" to 1 bytes 8 tag 0'
    refused "at which size? give --set n=X" predict bad.model --machine ideal --procs 2
    refused "a size is a number from 1 on" predict bad.model --machine ideal --procs 2 --set n=x
    refused "has no parameter 'm'" predict bad.model --machine ideal --procs 2 --set n=4 --set m=1
    refused "no receive" "${predict[@]}"
    rules 'program "x", "n"' 'ranks r > 0' '  call collective "barrier" bytes 0'
    refused "no rules are for rank 0 of 2" "${predict[@]}"
    rules 'program "x", "n"' 'ranks 1' '  call send "send" to p bytes 8 tag 0'
    refused "bad.model:3:23: a rank is 2" "${predict[@]}"
    rules 'program "x", "n"' 'ranks 1' '  call send "send" to 0 bytes d/3 tag 0'
    refused "it has to be a whole number" "${predict[@]}"
    rules 'program "x", "n"' 'ranks 1' '  repeat 2' '  call collective "barrier" bytes 0'
    refused "this loop has no end" "${predict[@]}"
    rules 'program "x", "n"' 'ranks 1' '  call wait "wait" request 0'
    refused "only 0 are open" "${predict[@]}"
    rules 'ranks 1'
    refused 'expected program "NAME", "SIZE" before all rules' "${predict[@]}"
    rules 'program "x", "n"' 'ranks 1' '  call shout "x"'
    refused "expected send, receive, post, wait or collective, found 'shout'" "${predict[@]}"
    rules 'program "x", "n"' 'ranks 1' '  work 1, 2'
    refused "bad.model:3:12: expected of" "${predict[@]}"
    rules 'phase x(p,d) = p'
    refused "has no rules of a program" "${predict[@]}"
    refused "--set is for files of equations" predict --machine ideal --procs 2 --set n=4 -- true
    refused "are for --mpi" predict bad.model --machine ideal --procs 2 --set n=4 --launch x
}
