#!/usr/bin/env bats
# bmf choose for programs in C and for MPI programs: offers are the predictions of `bmf predict`; parts, sizes, bad input.

bats_require_minimum_version 1.5.0

load compared_machines.bash

setup()
{
    set_up
    COMMAND=choose
    SUM=$BMF_BIN_DIR/01-sum-of-squares
    LIFE=$BMF_BIN_DIR/../cowichan/life
    make_machines
    # a message takes what its bytes take
    sed -e 's/"slow"/"thin"/' -e 's/1000000.0/0.0/' -e 's/1e9/0.001/' slow.machine >thin.machine
}

# choose OPTION.. -- PROGRAM ARGUMENT..: the object in all.json
choose()
{
    timeout 100 "$BMF" choose --json "$@" >all.json 2>said
}

# offers_are_predictions OPTION.. -- PROGRAM ARGUMENT..: of slow and thin on 2 and 4 processors
offers_are_predictions()
{
    for name in slow thin; do
        timeout 100 "$BMF" predict --machine $name.machine --procs 2,4 --json "$@" >$name.json 2>said || fail "$(cat said)"
    done
    python3 - <<'END'
import json
all = json.load(open("all.json"))
assert len(all["offers"]) == 4
for o in all["offers"]:
    run = next(r for r in json.load(open(o["machine"] + ".json"))["runs"] if r["processors"] == o["processors"])
    near = lambda a, b: abs(a - b) <= 1e-6 * abs(b) + 1e-12
    assert near(o["seconds"], run["seconds"]) and near(o["lo"], run["lo"]) and near(o["hi"], run["hi"]), (o, run)
    assert near(sum(o["parts"].values()), o["best"]), o
    assert o["limit"] == {"slow": "latency", "thin": "network bandwidth"}[o["machine"]], o
    assert near(o["cost"], o["seconds"] * o["nodes"])
END
}

@test "a program in C" {
    choose --machine slow.machine,thin.machine --procs 2,4 -- "$SUM" 1000
    offers_are_predictions -- "$SUM" 1000
    # it holds 1000 reals, half of them or a quarter on a processor, and nodes have two
    python3 -c 'import json
for o in json.load(open("all.json"))["offers"]:
    assert 8000 * 2 / o["processors"] <= o["node_bytes"] < 3 * 8000, o'
    run --separate-stderr "$BMF" choose --machine slow.machine,fast.machine --procs 2,4 --deadline 1h -- "$SUM" 1000
    assert_success
    assert_line --partial 'to take: 2 processors of slow (1 node)'
    assert_line --partial 'most of its time is latency (100 %)'
    assert_line --partial 'what would help most there: network.latency/2, 2 times as fast'
}

@test "an MPI program" {
    load recorder.bash
    needs_recorder
    [ -x "$LIFE" ] || skip "no MPI programs"
    mpi=(--mpi --launch "$MPIRUN -n {p}" --compute zero)
    choose "${mpi[@]}" --machine slow.machine,thin.machine --procs 2,4 -- "$LIFE" --n 12 --iters 2
    offers_are_predictions "${mpi[@]}" -- "$LIFE" --n 12 --iters 2
    python3 -c 'import json
study = json.load(open("all.json"))
assert {o["node_bytes"] for o in study["offers"]} == {None}
# its phases are its parts; in each of two generations a rank sends to its neighbours and gets from them, 1 s
swap = next(r for r in study["regions"] if r["part"] == "swap" and r["machine"] == "slow")
assert [round(t["seconds"], 6) for t in swap["times"]] == [2, 2], swap
assert {c["change"] for c in study["what_if"] if c["ratio"]} >= {"network.bandwidth*2"}, study["what_if"]'
}

@test "sizes in the arguments" {
    choose --machine slow.machine,thin.machine --procs 2,4 --set n=1000 --scale n=500,1000 -- "$SUM" {n}
    for n in 500 1000; do
        "$BMF" predict --machine thin.machine --procs 2,4 --json -- "$SUM" $n >$n.json 2>said
    done
    python3 - <<'END'
import json
all = json.load(open("all.json"))
assert all["parameter"] == "n" and len(all["scaling"]) == 2 * 2 * 2
for s in all["scaling"]:
    if s["machine"] == "thin":
        runs = json.load(open("%d.json" % s["size"]))["runs"]
        expected = next(r["best"] for r in runs if r["processors"] == s["processors"])
        assert abs(s["seconds"] - expected) <= 1e-9 * expected, (s, expected)
for o in all["offers"]:
    at = next(s for s in all["scaling"] if (s["machine"], s["processors"], s["size"]) == (o["machine"], o["processors"], 1000))
    assert abs(o["best"] - at["seconds"]) <= 1e-9 * o["best"], (o, at)
END
}

@test "bad input is refused in one line" {
    refused 'which program' --machine ideal --procs 2 --
    refused 'stands behind --' --machine ideal --procs 2 one.bmf two.bmf
    refused 'give a program behind -- its own arguments' --machine ideal --procs 2 --arg x.npy -- "$SUM" 10
    refused '--mpi is for a program behind --' --machine ideal --procs 2 --mpi sum.bmf
    refused 'are for --mpi' --machine ideal --procs 2 --compute zero -- "$SUM" 10
    refused 'are not for --mpi' --machine ideal --procs 2 --mpi --repeats 2 -- "$SUM" 10
    refused 'goes with --step' --machine ideal --procs 2 --mpi --compute steps -- "$SUM" 10
    refused '{n} stands nowhere' --machine ideal --procs 2 --set n=10 -- "$SUM" 10
    refused '{m} stands nowhere' --machine ideal --procs 2 --set n=10 --scale m=1,2 -- "$SUM" {n}
    refused 'is not NAME=X' --machine ideal --procs 2 --set n -- "$SUM" {n}
    refused "cannot run './none'" --machine ideal --procs 2 -- ./none
    refused "'true' predicted nothing" --machine ideal --procs 2 -- true
    run --separate-stderr "$BMF" choose --machine ideal --procs 2 --what-if ranks-per-node=4 -- "$SUM" 10
    assert_equal "$status" 2
    [[ "$stderr" == *'says nothing of nodes'* ]]
}
