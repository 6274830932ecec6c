#!/usr/bin/env bats
# bmf report and bmf compare: sums that must hold, runs against themselves, other numbers of processors, bad input.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

# made FILE ARGUMENT...: a trace from a seed that a failing test shows
made()
{
    run "$BMF_BIN_DIR/make_trace" "$@"
    assert_success
    echo "$output: make_trace $*"
}

# record RANKS PROCESSORS FILE: a real run
record()
{
    BMF_TRACE=$3 run timeout 60 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/make_sum" 100000 --bmf-procs "$2" --bmf-threads 1
    assert_success
}

# holds FILE EXPRESSION: a Python expression over the JSON object j
holds()
{
    run python3 -c "import json, sys; j = json.load(open(sys.argv[1])); assert ($2), j" "$1"
    assert_success
}

# refused TEXT ARGUMENT...: exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    run --separate-stderr "$BMF" "${@:2}"
    assert_failure 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
}

@test "productive and lost time add up on every interval of every run" {
    record 2 2 real.trace
    record 2 5 shared.trace
    made made.trace $RANDOM 7 12 2
    "$BMF" report real.trace shared.trace made.trace --processors --json >report.json
    holds report.json 'len(j["runs"]) == 4'
    holds report.json 'all(i[k]["productive"] + i[k]["lost"] == i[k]["total"] for r in j["runs"] for i in r["intervals"] for k in ["all"])'
    holds report.json 'all(c["productive"] + c["lost"] == c["total"] for r in j["runs"] for c in r["each_processor"])'
    holds report.json 'all(i["all"]["lost"] == i["all"]["insufficient"] + i["all"]["communication"] + i["all"]["idle"]
                           for r in j["runs"] for i in r["intervals"])'
    holds report.json 'all(sum(k["nanoseconds"] for k in i["all"]["kinds"].values()) == i["all"]["communication"]
                           for r in j["runs"] for i in r["intervals"])'
    holds report.json 'all(sum(k["overlap"] for k in i["all"]["kinds"].values()) == i["all"]["overlap"]
                           for r in j["runs"] for i in r["intervals"])'
    holds report.json 'all(sum(c["compute"] for c in r["each_processor"]) == r["intervals"][0]["all"]["compute"] for r in j["runs"])'
    holds report.json 'all(len(r["each_processor"]) == r["processors"] for r in j["runs"])'
}

@test "a real run: messages as counted, its intervals, factors that multiply" {
    record 2 2 run.trace
    "$BMF" report run.trace --json >report.json
    "$BMF" convert run.trace --to csv -o run.csv
    sends=$(grep -c ',send,' run.csv)
    bytes=$(awk -F, '$4 == "send" { sum += $12 } END { print sum }' run.csv)
    holds report.json "j['runs'][0]['intervals'][0]['all']['messages'] == $sends"
    holds report.json "j['runs'][0]['intervals'][0]['all']['bytes'] == $bytes"
    holds report.json '[i["path"] for i in j["runs"][0]["intervals"]] ==
        ["main", "main/tabulate iota_real", "main/map_reduce plus square"]'
    holds report.json 'j["runs"][0]["intervals"][2]["all"]["kinds"]["reduce"]["rounds"] > 0'
    # Both processors combine the same two parts: half of it is repeated.
    holds report.json 'j["runs"][0]["intervals"][2]["all"]["repeated"] > 0'
    holds report.json 'all(abs(e["parallel"] - e["load_balance"] * e["communication"]) < 1e-12 and
                           abs(e["efficiency"] - e["parallel"] * e["replication"]) < 1e-12
                           for i in j["runs"][0]["intervals"] for e in [i["efficiencies"]])'
    holds report.json 'all(abs(e["communication"] - e["serialisation"] * e["transfer"]) < 1e-12
                           for i in j["runs"][0]["intervals"] for e in [i["efficiencies"]])'
    holds report.json 'j["runs"][0]["intervals"][0]["efficiencies"]["serialisation"] <= 1'
}

@test "work on one processor is insufficient parallelism of the whole program" {
    local machine="$BMF_SOURCE_DIR/examples/machines/ideal.machine"
    cat >serial.bmf <<'END'
$Sum = B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Op (B_Iota)
B_Op (B_Plus) . B_Alltup [$Sum . B_Con (B_Int 3000000), P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map ($Sum)) . P_Split (B_Num 8)] [1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000]
END
    "$BMF" predict serial.bmf --machine "$machine" --procs 8 --trace serial.trace
    "$BMF" report serial.trace --json >report.json
    # messages cost nothing: seven processors lose what the first one computes alone, and nobody communicates
    python3 - report.json <<'END'
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
interval = {i["path"]: i["all"] for i in run["intervals"]}
main, top = interval["main"], [i for i in run["intervals"] if i["level"] == 1]
serial = max(top, key=lambda i: i["all"]["insufficient"])["all"]
assert serial["insufficient"] == 7 * serial["compute"] > 0, serial
assert serial["insufficient"] <= main["insufficient"] < 1.2 * serial["insufficient"] + 100000, (serial, main)
assert main["communication"] == main["synchronisation"], main
for key in ("insufficient", "communication", "synchronisation", "compute", "file", "repeated"):
    assert sum(i["all"][key] for i in top) <= main[key], key
END
}

@test "the table shows the tree as deep as asked for" {
    made in.trace $RANDOM 4 10 1
    run "$BMF" report in.trace
    assert_success
    assert_line --regexp '^main  .* [0-9.]+ %'
    assert_line --regexp '^  steps  .* [0-9.]+ %'
    assert_line --regexp '^    (split|scan plus|reduce max|map )'
    refute_line --partial 'intervals below'
    run "$BMF" report in.trace --depth 2
    assert_success
    assert_line --regexp '^  steps  '
    refute_line --regexp '^    (split|scan plus|reduce max|map )'
    assert_line --regexp '^  \.\. and [0-9]+ intervals? below$'
    run "$BMF" report in.trace --depth 1 --processors
    assert_equal "$(grep -cE '^ +[0-3] ' <<<"$output")" 4
}

@test "one interval, and one instance of it" {
    made in.trace $RANDOM 3 10 1
    "$BMF" report in.trace --json >whole.json
    "$BMF" report in.trace --interval main/steps --instance 0 --json >part.json
    holds part.json 'j["runs"][0]["intervals"][0]["path"] == "main/steps"'
    holds part.json 'j["runs"][0]["intervals"][0]["all"] == json.load(open("whole.json"))["runs"][0]["intervals"][1]["all"]'
    run "$BMF" report in.trace --interval main/steps
    assert_success
    assert_line --regexp '^steps  '
    refused "no interval 'main/nothing'" report in.trace --interval main/nothing
    refused "never entered 'main/steps'" report in.trace --interval main/steps --instance 1
}

@test "a run is equal to itself" {
    record 2 4 run.trace
    "$BMF" compare run.trace run.trace --processors --json >same.json
    holds same.json 'j["seconds"]["ratio"] == 1 and j["messages"]["equal"] and j["bytes"]["equal"]'
    holds same.json 'j["common"]["ratio"] == 1 and j["common"]["pairs"] > 0 and abs(j["common"]["measured"] -
        sum(s["measured"] for s in j["steps"] if s["path"].count("/") == 1)) < 1e-9'
    holds same.json 'j["events"]["only_measured"] == 0 and j["events"]["only_predicted"] == 0 and j["events"]["pairs"] > 0'
    holds same.json 'all(s["measured"] == s["predicted"] and s["median"] in (0, None) for s in j["states"].values())'
    holds same.json 'len(j["processors"]) == 4 and all(s["ratio"] in (1, None) for p in j["processors"] for s in p.values())'
    run "$BMF" compare run.trace run.trace
    assert_success
    assert_line --regexp '^messages +[0-9]+ +[0-9]+ +equal$'
    run grep -A 2 'predicted / measured' <<<"$output"
    assert_line --index 1 --regexp '^common steps .* 1\.000 '
    assert_line --index 2 --regexp '^time .* 1\.000 '
}

@test "two real runs have the same events, messages and bytes" {
    record 2 3 one.trace
    record 3 3 other.trace
    "$BMF" compare one.trace other.trace --json >both.json
    holds both.json 'j["messages"]["equal"] and j["bytes"]["equal"] and j["step_pairs"]["only_measured"] == 0'
    # Only waits for own sends depend on which processors share a rank.
    "$BMF" compare one.trace other.trace --events both.csv >/dev/null
    run awk -F, 'NR > 1 && ($7 == "" || $9 == "") && $2 != "wait"' both.csv
    assert_output ""
}

@test "both runs of one file; every event beside its match" {
    made two.trace $RANDOM 4 10 2
    "$BMF" compare two.trace --json >both.json
    holds both.json 'j["measured"]["run"] == "measured" and j["predicted"]["run"] == "predicted"'
    holds both.json 'j["events"]["only_measured"] == 0 and 0 <= j["events"]["covered"] <= j["events"]["with_interval"]'
    "$BMF" compare two.trace --events events.csv --json >again.json
    cmp both.json again.json
    "$BMF" convert two.trace --to csv -o two.csv
    assert_equal "$(wc -l <events.csv)" $((($(wc -l <two.csv) - 1) / 2 + 1))
    # Durations of matches as they stand in the trace.
    run python3 - <<'EOF'
import csv
rows = list(csv.DictReader(open("two.csv")))
begin = {}
for r in rows:
    key = (r["run"], r["lane"], r["kind"], r["path"], r["instance"], r["round"], r["peer"], r["begin_ns"])
    begin.setdefault(key, []).append(int(r["end_ns"]) - int(r["begin_ns"]))
for e in csv.DictReader(open("events.csv")):
    for run, which in (("0", "measured"), ("1", "predicted")):
        key = (run, e["processor"], e["kind"], e["path"], e["instance"], e["round"], e["peer"], e[which + "_begin_ns"])
        assert int(e[which + "_ns"]) in begin[key], e
    inside = int(e["low_ns"]) <= int(e["measured_ns"]) <= int(e["high_ns"])
    assert inside == (e["inside"] == "1"), e
EOF
    assert_success
}

@test "another number of processors: steps" {
    record 2 2 few.trace
    record 2 4 many.trace
    "$BMF" compare few.trace many.trace --json >steps.json
    holds steps.json 'not j["same_processors"] and "events" not in j and j["step_pairs"]["pairs"] == 3'
    run "$BMF" compare few.trace many.trace
    assert_success
    assert_output --partial "only steps are compared"
    refused "another number of processors" compare few.trace many.trace --events -
}

@test "bad input is one line and exit code 2" {
    record 2 2 sum.trace
    made other.trace 1 2 3 1
    refused "different programs" compare sum.trace other.trace
    head -c 300 sum.trace >cut.trace
    refused "cut.trace" compare sum.trace cut.trace
    refused "cut.trace" report cut.trace
    refused "holds one run" compare sum.trace
    refused "missing.trace" report missing.trace
    refused "no traces" compare
    refused "more than two traces" compare a b c
    refused "no trace" report
    refused "unknown option '--wrong'" report sum.trace --wrong
    refused "needs a value" compare sum.trace sum.trace --events
    refused "--depth" report sum.trace --depth 0
    refused "needs an --interval" report sum.trace --instance 0
    refused "standard output" compare sum.trace sum.trace --json --events -
}

@test "help has an example; started on several ranks, one works" {
    for command in report compare; do
        run "$BMF" "$command" --help
        assert_success
        assert_output --partial "Example"
    done
    made in.trace 1 2 3 2
    "$BMF" report in.trace >alone.txt
    timeout 60 "$MPIRUN" -n 3 "$BMF" report in.trace >three.txt
    cmp alone.txt three.txt
}

@test "both write a page with both runs" {
    made two.trace $RANDOM 4 10 2
    run "$BMF" report two.trace --html report.html
    assert_success
    assert_output ""
    run "$BMF" compare two.trace --html both.html
    assert_success
    for page in report.html both.html; do
        grep -q '</html>' "$page"
    done
    refused "nowhere/report.html" report two.trace --html nowhere/report.html
}
