#!/usr/bin/env bats
# bmf predict: tables, objects, files, C programs, and bad input.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1
    examples=$BMF_SOURCE_DIR/examples
    # A message of n bytes takes 10 us + n / (100 MB/s) from clock to clock; computing nothing.
    cat >simple.machine <<'END'
name = "simple";
processors = 64;
compute = { zero = true; };
network = { type = "hockney"; latency_us = 10.0; bandwidth_mb_per_s = 100.0; };
agreement_us = 0.0;
relative_error = 0.0;
END
    cat >sum.bmf <<'END'
P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Procs) [1, 2, 3, 4, 5, 6, 7, 8]
END
}

bmf()
{
    run --separate-stderr timeout 120 "$BMF_BIN_DIR/bmf" "$@"
}

# refuses MESSAGE ARGUMENT...: exit code 2, nothing on standard output, one line that says MESSAGE
refuses()
{
    bmf "${@:2}"
    assert_equal "$status" 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    assert_regex "${stderr_lines[0]}" "^bmf: "
    [[ "$stderr" == *"$1"* ]] || fail "not '$1': $stderr"
}

@test "help has an example" {
    bmf predict --help
    assert_success
    assert_output --partial "Example: bmf predict"
}

# Adding up 8 numbers on 8 processors, one each: three levels of a tree down (the split: 4, 2 and 1 numbers of 8 bytes) and
# three up (a sum), each of them latency and bytes over bandwidth; nothing else costs anything.
@test "a time, by hand" {
    BMF_SCHEDULE=split=tree bmf predict sum.bmf --machine simple.machine --procs 8 --json
    assert_success
    python3 - "$output" <<'END'
import json, sys
run = json.loads(sys.argv[1])["runs"][0]
down, up = [4 * 8, 2 * 8, 1 * 8], [8] * 3
expected = sum(10e-6 + b / 100e6 for b in down + up)
assert run["messages"] == (1 + 2 + 4) + (4 + 2 + 1), run
assert run["bytes"] == 1 * down[0] + 2 * down[1] + 4 * down[2] + 7 * up[0], run
assert abs(run["seconds"] / expected - 1) < 1e-12, (run, expected)
assert run["lo"] == run["hi"] == run["seconds"] and run["in_domain"], run
END
}

# A machine that states its costs gets an interval of the stated error, around the same time.
@test "costs that nobody has measured are uncertain by what the machine says" {
    sed 's/relative_error = 0.0/relative_error = 0.1/' simple.machine >stated.machine
    grep -v relative_error simple.machine >default.machine
    for machine in simple stated default; do
        bmf predict sum.bmf --machine $machine.machine --procs 8 --json
        assert_success
        echo "$output" >$machine.json
    done
    python3 - <<'END'
import json, math
run = {m: json.load(open(f"{m}.json"))["runs"][0] for m in ("simple", "stated", "default")}
exact = run["simple"]["seconds"]
for machine, error in (("simple", 0.0), ("stated", 0.1), ("default", 0.3)):
    r, side = run[machine], 1.96 * math.sqrt(math.log1p(error * error))
    assert abs(r["seconds"] / exact - 1) < 1e-12, r
    assert abs(math.log(r["hi"] / exact) - side) <= 0.1 * side and abs(math.log(exact / r["lo"]) - side) <= 0.1 * side, r
END
    bmf predict sum.bmf --machine default.machine --procs 8
    assert_output --partial "off by 30 % (relative_error)"
    sed 's/relative_error = 0.0/relative_error = -1.0/' simple.machine >bad.machine
    refuses "'relative_error'" predict sum.bmf --machine bad.machine --procs 8
}

# What the table says is what pages and traces say: the median, the interval, and how long reading the argument takes.
@test "pages and traces have the median and the interval of the table" {
    python3 -c 'import numpy' 2>/dev/null || skip "NumPy is not installed"
    sed 's/relative_error = 0.0/relative_error = 0.1/' simple.machine >stated.machine
    echo 'file_bytes_per_second = 1e9;' >>stated.machine
    python3 -c 'import numpy; numpy.save("numbers.npy", numpy.arange(100000.0))'
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Procs)' >file.bmf
    "$BMF_BIN_DIR/bmf" predict file.bmf --machine stated.machine --procs 4 --arg numbers.npy --samples 50 \
        --trace predicted.trace --html predicted.html --json >predicted.json
    "$BMF_BIN_DIR/bmf" report predicted.trace --html report.html --json >report.json
    "$BMF_BIN_DIR/bmf" replay predicted.trace --machine stated.machine --samples 60 --trace replayed.trace --json >replayed.json
    "$BMF_BIN_DIR/bmf" report replayed.trace --json >again.json
    python3 - <<'END'
import json, re

def close(a, b):
    return abs(a - b) <= 1e-9

def numbers(text):  # "20.10 us" and so on, in seconds
    unit = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    return [float(n) * unit[u] for n, u in re.findall(r"([0-9.]+) (s|ms|us|ns)\b", text)]

said = json.load(open("predicted.json"))["runs"][0]
assert said["file_seconds"] > 0 and said["lo"] < said["seconds"] < said["hi"], said
answers = [json.load(open("report.json"))["runs"][0]["answer"][0]]
for page in ("predicted.html", "report.html"):
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', open(page, encoding="utf-8").read(), re.S)[1])
    run = facts["runs"][0]
    for key, name in (("median", "seconds"), ("low", "lo"), ("high", "hi"), ("files", "file_seconds")):
        assert close(run[key], said[name]), (page, key, run[key], said)
    assert close(run["end"] * 1e-9, said["best"] + said["file_seconds"]), (run["end"], said)
    answers.append(facts["answer"][0])
for answer in answers:
    assert answer.startswith("How long: On 4 processors of simple a run takes "), answer
    for found, name in zip(numbers(answer), ("seconds", "lo", "hi", "file_seconds")):
        assert abs(found / said[name] - 1) < 1e-3, (answer, said)
    assert len(numbers(answer)) == 5, answer
replayed, answer = json.load(open("replayed.json")), json.load(open("again.json"))["runs"][1]["answer"][0]
for found, name in zip(numbers(answer), ("seconds", "lo", "hi")):
    assert abs(found / replayed[name] - 1) < 1e-3, (answer, replayed)
END
}

# Kernels that are timed here: the times of several runs, an interval, and no nonsense about efficiency.
@test "measured kernels are repeated and have an interval" {
    sed 's/compute = .*/compute = { power = 1.0; };/' simple.machine >measured.machine
    bmf predict sum.bmf --machine measured.machine --procs 1,8 --json
    assert_success
    python3 - "$output" <<'END'
import json, sys
for run in json.loads(sys.argv[1])["runs"]:
    assert run["runs"] >= 4 and run["measured_error"] is not None, run
    assert 0 < run["lo"] < run["seconds"] < run["hi"] and run["best"] > 0, run
END
    bmf predict sum.bmf --machine measured.machine --procs 8 --repeats 2 --json
    assert_success
    [[ "$output" == *'"runs": 2'* ]]
    bmf predict --machine measured.machine --procs 2 --json -- "$BMF_BIN_DIR/01-sum-of-squares" 1000
    assert_success
    python3 - "$output" "$stderr" <<'END'
import json, sys
run = json.loads(sys.argv[1])["runs"][0]
assert run["runs"] >= 4 and run["lo"] < run["seconds"] < run["hi"], run
assert sys.argv[2].count("\n") < 4, "the program's output stands once: " + sys.argv[2]
END
    refuses "--repeats" predict sum.bmf --machine measured.machine --procs 2 --repeats 0
}

@test "several numbers of processors, the fastest, and the same bytes twice" {
    bmf predict sum.bmf --machine simple.machine --procs 1..4,3
    assert_success
    assert_output --partial "fastest: 1 processor, 0 s"
    first=$output
    bmf predict sum.bmf --machine simple.machine --procs 1..4,3
    assert_equal "$output" "$first"
    bmf predict sum.bmf --machine simple.machine --procs 2,4 --trace a.trace --html a.html
    bmf predict sum.bmf --machine simple.machine --procs 2,4 --trace b.trace --html b.html
    cmp a.trace b.trace
    cmp a.html b.html
}

@test "messages between ranks are those of the real run" {
    for ranks in 1 2 3; do
        real=$("$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run sum.bmf --procs 6 --json)
        bmf predict sum.bmf --machine simple.machine --procs 6 --ranks "$ranks" --json
        assert_success
        python3 - "$real" "$output" <<'END'
import json, sys
real, run = json.loads(sys.argv[1]), json.loads(sys.argv[2])["runs"][0]
for key in ("messages", "bytes", "rank_messages", "rank_bytes"):
    assert real[key] == run[key], (key, real, run)
END
    done
}

# sends_what_is_predicted PROGRAM PROCESSORS OPTIONS..: on 2 ranks, with each of the options, which are some words or none.
sends_what_is_predicted()
{
    for way in "${@:3}"; do
        # shellcheck disable=SC2086 # none, or two words
        real=$("$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run "$1" --procs "$2" --json $way)
        # shellcheck disable=SC2086
        bmf predict "$1" --machine simple.machine --procs "$2" --ranks 2 --json $way
        assert_success
        python3 - "$real" "$output" <<'END'
import json, sys
real, run = json.loads(sys.argv[1]), json.loads(sys.argv[2])["runs"][0]
for key in ("messages", "bytes", "rank_messages", "rank_bytes"):
    assert real[key] == run[key] > 0, (key, real, run)
END
    done
}

# Sums of 5000 reals by few keys or by more than a processor has elements.
sums_by_key()
{
    cat >keys.bmf <<END
main(n) =
    split(procs, iota(n)) |> map(part -> map(i -> {i * 7919 mod $1, real(i)}, part)) |> reduce_by_key(+, 0.0, $1) |> reduce(+)
default 5000
END
}

@test "both ways of reducing by key, and the one chosen, send what is predicted" {
    for keys in 3 4000; do
        sums_by_key "$keys"
        sends_what_is_predicted keys.bmf 6 "" "--bmf-schedule reduce_by_key=tables" "--bmf-schedule reduce_by_key=owners"
    done
}

@test "both ways of sorting, and the one chosen, send what is predicted" {
    echo 'main(n) = iota(n) |> split(procs) |> map(part -> map(i -> i * 7919 mod 100003, part)) |> sort |> map(part -> part |> reduce(+, 0)) |> reduce(+)
default 60000' >sorted.bmf
    sends_what_is_predicted sorted.bmf 5 "" "--bmf-schedule sort=whole" "--bmf-schedule sort=stages"
}

@test "a reduction by few keys goes by tables, by many to their owners" {
    sums_by_key 3
    bmf run keys.bmf --procs 6 --bmf-plan
    assert_success
    [[ "$stderr" =~ "tables: about "[^$'\n']*", chosen" ]] || fail "$stderr"
    sums_by_key 4000
    bmf run keys.bmf --procs 6 --bmf-plan
    assert_success
    [[ "$stderr" =~ "owners: about "[^$'\n']*", chosen" ]] || fail "$stderr"
    bmf run keys.bmf --procs 6 --bmf-plan --bmf-schedule reduce_by_key=tables
    [[ "$stderr" =~ "tables: about "[^$'\n']*", chosen" ]] || fail "$stderr"
    refuses "reduce_by_key has no algorithm 'table' (known: tables, owners)" run keys.bmf --bmf-schedule reduce_by_key=table
}

@test "measured beside predicted" {
    "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run sum.bmf --procs 2 --trace real.trace
    bmf predict sum.bmf --machine simple.machine --procs 2 --measured real.trace --trace both.trace --html both.html
    assert_success
    bmf trace both.trace
    assert_output --partial "measured: sum.bmf"
    assert_output --partial "predicted: sum.bmf on simple"
    [ -s both.html ]
}

@test "learning from traces: a kernel sheet, and a machine made of it" {
    for n in 1 2 3; do
        "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run sum.bmf --procs 2 --trace small$n.trace
    done
    bmf sheet kernels small?.trace -o sum.kernels
    assert_success
    refute_output --partial "run once"
    cat >here.machine <<'END'
name = "here";
compute = { sheet = "sum.kernels"; };
network = { type = "sheet"; sheet = "sum.kernels"; };
END
    bmf predict sum.bmf --machine here.machine --procs 2 --json
    assert_success
    python3 - "$output" <<'END'
import json, sys
run = json.loads(sys.argv[1])["runs"][0]
assert 0 < run["lo"] < run["seconds"] < run["hi"], run
END
    echo 'P_Map (B_Map (B_Op (B_Sqrt) . B_Op (B_Real))) . P_Split (B_Procs) [1, 2]' >other.bmf
    refuses "its sheet has no kernel" predict other.bmf --machine here.machine --procs 2
    refuses "no trace" sheet kernels -o x.kernels
    bmf predict sum.bmf --machine simple.machine --procs 2 --trace predicted.trace
    refuses "a predicted run has no times" sheet kernels predicted.trace -o x.kernels
}

@test "learning from traces: sizes that were run once" {
    learn() # TRACE..
    {
        bmf sheet kernels "$@" -o once.kernels
        assert_success
    }
    for n in 1000 2000 4000; do
        for k in 1 2; do
            "$MPIRUN" -n 2 "$BMF_BIN_DIR/01-sum-of-squares" "$n" --bmf-trace "$n-$k.trace" >sum
        done
    done
    "$MPIRUN" -n 1 "$BMF_BIN_DIR/01-sum-of-squares" 1000 --bmf-trace alone.trace >sum
    learn 1000-1.trace 2000-1.trace 4000-1.trace
    assert_line --partial "3 of 3 sizes were run once"
    learn 1000-1.trace 2000-1.trace 2000-2.trace 4000-1.trace 4000-2.trace
    assert_line --partial "1 of 3 sizes were run once"
    learn 1000-1.trace alone.trace # one number of elements, two of ranks
    assert_line --partial "2 of 2 sizes were run once"
    learn 4000-1.trace
    assert_line --partial "1 of 1 size was run once"
    learn ?000-?.trace
    refute_output --partial "run once"
}

@test "a C program" {
    bmf predict --machine simple.machine --procs 1,4 --trace c.trace --json -- "$BMF_BIN_DIR/01-sum-of-squares" 1000
    assert_success
    python3 - "$output" <<'END'
import json, sys
one, four = json.loads(sys.argv[1])["runs"]
assert one["messages"] == 0 and one["seconds"] == 0, one
assert four["messages"] > 0 and four["seconds"] >= 10e-6, four
END
    assert_equal "$stderr" 332833500 # once for both
    bmf trace c.trace
    assert_output --partial "predicted: 01-sum-of-squares on simple"
}

@test "under mpirun one process works and speaks" {
    run --separate-stderr timeout 60 "$MPIRUN" -n 3 "$BMF_BIN_DIR/bmf" predict sum.bmf --machine simple.machine --procs 2
    assert_success
    assert_output --partial "sum.bmf on simple"
    run --separate-stderr timeout 60 "$MPIRUN" -n 3 "$BMF_BIN_DIR/bmf" predict --machine simple.machine --procs 2 -- \
        "$BMF_BIN_DIR/01-sum-of-squares" 1000
    assert_success
    run --separate-stderr timeout 60 "$MPIRUN" -n 3 "$BMF_BIN_DIR/bmf" predict sum.bmf --machine nowhere --procs 2
    assert_equal "$status" 2
    assert_equal "${#stderr_lines[@]}" 1
}

@test "bad usage" {
    refuses "which program" predict --machine simple.machine --procs 2
    refuses "for which machine" predict sum.bmf --procs 2
    refuses "on how many processors" predict sum.bmf --machine simple.machine
    for list in 0 -1 x 1, ,1 1..0 4..2 99999999999 1.2; do
        refuses "is no list of numbers from 1 to 1073741824" predict sum.bmf --machine simple.machine --procs "$list"
    done
    refuses "unknown option" predict sum.bmf --machine simple.machine --procs 2 --bogus
    refuses "needs a value" predict sum.bmf --machine
    refuses "a C program stands behind --" predict sum.bmf ./other --machine simple.machine --procs 2
    refuses "--measured stands beside" predict sum.bmf --machine simple.machine --procs 2 --measured x.trace
    refuses "which program? give it behind --" predict --machine simple.machine --procs 2 --
}

@test "Ctrl-C ends the program, and the prediction tidies up" {
    run --separate-stderr timeout -s INT 1 "$BMF_BIN_DIR/bmf" predict --machine simple.machine --procs 2 -- sleep 60
    assert_equal "$stderr" "bmf: 'sleep' was ended by signal 2"
}

@test "bad input" {
    refuses "there is no machine 'nowhere'" predict sum.bmf --machine nowhere --procs 2
    refuses "64" predict sum.bmf --machine simple.machine --procs 65
    refuses "missing.bmf" predict missing.bmf --machine simple.machine --procs 2
    echo 'P_Map (B_Id) . P_Split (B_Num 4) [1, 2, 3, 4]' >four.bmf
    refuses "--procs 2 are too few" predict four.bmf --machine simple.machine --procs 2
    refuses "absent.trace" predict sum.bmf --machine simple.machine --procs 2 --trace o --measured absent.trace
    refuses "cannot run './absent': No such file" predict --machine simple.machine --procs 2 -- ./absent
    refuses "64" predict --machine simple.machine --procs 65 -- true
    bmf predict --machine simple.machine --procs 2 -- true
    assert_equal "$status" 2
    [[ "$stderr" == *"predicted nothing"* ]] || fail "$stderr"
    bmf predict --machine simple.machine --procs 2 -- false
    assert_equal "$status" 1
}
