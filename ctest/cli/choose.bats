#!/usr/bin/env bats
# bmf choose: decisions on machines whose times are exact, so that they can be worked out by hand; pages and objects; bad
# input.

bats_require_minimum_version 1.5.0

load compared_machines.bash

setup()
{
    set_up
    COMMAND=choose
    make_machines
    make_programs
}

@test "costs, efficiencies and decisions are those worked out by hand" {
    for p in 2 4 8; do
        seconds[p]=$("$BMF" predict sum.bmf --machine slow.machine --procs $p --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["runs"][0]["seconds"])')
    done
    "$BMF" choose sum.bmf --threads 1 --machine slow.machine,fast.machine --procs 2,4,8 --json >all.json
    python3 - "${seconds[2]}" "${seconds[4]}" "${seconds[8]}" <<'END'
import json, sys
seconds = dict(zip((2, 4, 8), map(float, sys.argv[1:])))
all = json.load(open("all.json"))
assert len(all["offers"]) == 6 and all["currency"] == "USD"
for o in all["offers"]:
    slow = o["machine"] == "slow"
    t = seconds[o["processors"]] * (1 if slow else 0.5)
    near = lambda a, b: abs(a - b) <= 1e-6 * abs(b)
    assert near(o["seconds"], t), o
    assert o["nodes"] == o["processors"] // 2
    assert near(o["cost"], t * o["nodes"] * (1 if slow else 8000 / 3600)), o
    assert near(o["node_hours"], t * o["nodes"] / 3600)
    assert near(o["efficiency"], seconds[2] / seconds[o["processors"]] * 2 / o["processors"])
    assert o["limit"] == "latency" and near(o["parts"]["latency"], t)
    # fewer processors are both faster and cheaper here
    assert o["pareto"] == (o["processors"] == 2)
assert all["knee"]["machine"] == "fast" and all["knee"]["processors"] == 2
END
}

@test "threads: what ranks of several take, where they run, and how they are started" {
    make_rows
    # a message costs a second, and a rank's threads need none; a team costs 7 us, twice that for four
    cat >teams.machine <<'END'
name = "teams";
compute = { operations_us = { other = 1.0; }; };
relative_error = 0.0;
agreement_us = 0.0;
network = { type = "hockney"; latency_us = 1000000.0; bandwidth_mb_per_s = 1e9; };
node = { processors = 4; fork_join_us = 7; price_per_hour = 3600.0; };
END
    for t in 1 2 4; do
        "$BMF" predict squares.bmf --arg reals40010.npy --machine teams.machine --procs 1,2 --threads $t --json >predict$t.json
    done
    "$BMF" choose squares.bmf --arg reals40010.npy --machine teams.machine --procs 1,2,4,6,8 --threads 4,1,2,8 --json >all.json
    python3 - <<'END'
import json
of = {(o["ranks"], o["threads"]): o for o in json.load(open("all.json"))["offers"]}
# 8 threads are more than a node has; 4 do not share 6 processors
assert set(of) == {(1, 1), (2, 1), (1, 2), (4, 1), (2, 2), (1, 4), (6, 1), (3, 2), (8, 1), (4, 2), (2, 4)}, set(of)
alone = of[1, 1]["seconds"]
for t in (2, 4):
    team = 7e-6 * (1 if t == 2 else 2)
    # blocks of the tree are not cut, so that one thread has a block more
    share = of[1, t]["seconds"] - team
    assert alone / t <= share <= alone / t * 1.06, (t, share, alone)
    for r in (1, 2):
        said = json.load(open(f"predict{t}.json"))
        assert said["threads"] == t and abs(said["runs"][r - 1]["seconds"] - of[r, t]["seconds"]) <= 1e-9, (r, t)
assert {k: o["nodes"] for k, o in of.items() if o["processors"] in (6, 8)} == \
    {(6, 1): 2, (3, 2): 2, (8, 1): 2, (4, 2): 2, (2, 4): 2}
assert of[2, 4]["processors"] == 8 and of[2, 4]["command"].startswith("OMP_NUM_THREADS=4 "), of[2, 4]
assert of[4, 1]["command"].endswith(" bmf run squares.bmf --arg reals40010.npy"), of[4, 1]
# a message less is a second less
assert of[1, 2]["seconds"] + 0.99 < of[2, 1]["seconds"]
END
    run --separate-stderr "$BMF" choose squares.bmf --arg reals40010.npy --machine teams.machine --procs 1,2,4
    assert_success
    assert_line --regexp '^to take: 1 rank of [24] threads on teams \(1 node\)'
    assert_line --regexp '^run it: OMP_NUM_THREADS=[24] .* bmf run squares.bmf --arg reals40010.npy$'
    assert_line --regexp '^ +4 +1 x 4 +1 '
    refute_line --regexp '^ +4 +4 x 1 '
    run --separate-stderr "$BMF" choose squares.bmf --arg reals40010.npy --machine teams.machine --procs 4 --threads 8
    assert_equal "$status" 1
    assert_line --partial "no machine has ranks of so many threads on such numbers of processors"
    refused 'is no list of at most' squares.bmf --machine teams.machine --procs 2 --threads 0
    refused 'is no list of at most' squares.bmf --machine teams.machine --procs 2 --threads many
    refused '--threads is for programs of bmf' rules.model --machine teams.machine --procs 2 --set n=1 --threads 2
}

@test "threads: a rank with more holds what a rank holds once, and nodes hold fewer ranks" {
    make_rows
    cat >held.machine <<'END'
name = "held";
compute = { zero = true; };
network = { type = "fixed"; };
node = { processors = 4; memory_gb = 1; };
END
    "$BMF" choose squares.bmf --arg reals40010.npy --machine held.machine --procs 4,8 --threads 1,2,4 --json >all.json
    python3 - <<'END'
import json
of = {(o["ranks"], o["threads"]): o["node_bytes"] for o in json.load(open("all.json"))["offers"]}
list_bytes = 40010 * 8
for (ranks, threads), held in of.items():
    nodes = ranks * threads // 4
    assert list_bytes / nodes <= held <= 1.02 * list_bytes / nodes + 4096, (ranks, threads, held)
END
}

@test "work that all processors do between the same two messages is not one processor's" {
    make_rows
    sed -i 's/0.0002/1/' counted.machine
    # two kernels each
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Max)) . B_Scan (B_Op (B_Plus)) . B_Op (B_Sort)) . P_Split (B_Procs)' >two.bmf
    "$BMF" choose two.bmf --threads 1 --arg reals40010.npy --machine counted.machine --procs 1,2,5 --json >all.json
    python3 - <<'END'
import json
for o in json.load(open("all.json"))["offers"]:
    if o["processors"] > 1 and o["fits"]:
        assert o["parts"]["computing"] > 100 * o["parts"]["one_processor"], o
END
}

@test "a deadline and a budget decide, and what cannot be had is said" {
    limit=$("$BMF" choose sum.bmf --threads 1 --machine slow.machine --procs 2 --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["offers"][0]["seconds"])')
    run --separate-stderr "$BMF" choose sum.bmf --threads 1 --machine slow.machine,fast.machine --procs 2,4 --deadline 1h
    assert_success
    assert_line --partial 'to take: 2 processors of slow (1 node)'
    # half of what slow needs: only fast will do
    run --separate-stderr "$BMF" choose sum.bmf --threads 1 --machine slow.machine,fast.machine --procs 2,4 \
        --deadline "$(python3 -c "print($limit * 0.6)")s"
    assert_success
    assert_line --partial 'to take: 2 processors of fast (1 node)'
    run --separate-stderr "$BMF" choose sum.bmf --threads 1 --machine slow.machine,fast.machine --procs 2,4 --deadline 1ms
    assert_equal "$status" 1
    assert_line --partial 'nothing ends within 1 ms with 95 % confidence'
    run --separate-stderr "$BMF" choose sum.bmf --threads 1 --machine slow.machine,fast.machine --procs 2,4 --budget 0.1
    assert_equal "$status" 1
    assert_line --partial 'the cheapest needs'
    assert_line --partial '2 processors of slow'
}

@test "what does not fit into memory is not offered, and what would fit is said" {
    sed 's/memory_gb = 1/memory_gb = 1e-9/' slow.machine >tiny.machine
    run --separate-stderr "$BMF" choose sum.bmf --threads 1 --machine tiny.machine --procs 2
    assert_equal "$status" 1
    assert_line --partial 'it fits on no machine that was asked for'
    run --separate-stderr "$BMF" choose sum.bmf --threads 1 --machine tiny.machine,slow.machine --procs 2
    assert_success
    assert_line --partial '(does not fit)'
    assert_line --partial 'to take: 2 processors of slow'
}

@test "machines with fewer processors or nodes are left out" {
    sed 's/processors = 2;/processors = 2; count = 2;/' slow.machine >few.machine
    run --separate-stderr "$BMF" choose sum.bmf --threads 1 --machine few.machine --procs 4,8
    assert_success
    assert_line --partial 'the machine has not so many'
    assert_line --partial 'to take: 4 processors'
}

@test "what a better part buys" {
    run --separate-stderr "$BMF" choose sum.bmf --threads 1 --machine slow.machine --procs 2 \
        --what-if network.latency/2,network.bandwidth*2,ranks-per-node=1
    assert_success
    assert_line --partial 'what would help most there: network.latency/2, 2 times as fast'
    assert_line --regexp '^ranks-per-node=1 +.* 1\.000 '
    refused 'is no list of changes' sum.bmf --machine slow.machine --procs 2 --what-if a,,b
    refused 'a change is one like' sum.bmf --machine slow.machine --procs 2 --what-if network.latency=2
    refused "says nothing of nodes" sum.bmf --machine ideal --procs 2 --what-if ranks-per-node=2
}

@test "predict --set: values of the machine's file" {
    for change in 'network.latency_us=500000' 'network.latency_us/2'; do
        "$BMF" predict sum.bmf --machine slow.machine --procs 4 --set "$change" --json >set.json
        "$BMF" predict sum.bmf --machine fast.machine --procs 4 --json >fast.json
        python3 -c 'import json
a, b = (json.load(open(f))["runs"][0]["seconds"] for f in ("set.json", "fast.json"))
assert abs(a - b) < 1e-9 * b, (a, b)'
    done
    run --separate-stderr "$BMF" predict sum.bmf --machine slow.machine --procs 4 --set network.latency=1
    assert_equal "$status" 2
    [[ "${stderr_lines[0]}" == *"unknown key 'latency'; near: latency_us"* ]]
    run --separate-stderr "$BMF" predict --machine slow.machine --procs 4 --set network.latency_us=1 -- true
    assert_equal "$status" 2
    [[ "${stderr_lines[0]}" == *"'true' predicted nothing"* ]]
}

@test "files of equations: weak scaling and isoefficiency" {
    run --separate-stderr "$BMF" choose rules.model --set n=1000 --machine slow.machine,fast.machine --procs 2,4,8 \
        --scale n=1000..8000 --json
    assert_success
    python3 - "$output" <<'END'
import json, sys
all = json.loads(sys.argv[1])
assert all["parameter"] == "n" and len(all["scaling"]) == 2 * 3 * 4
assert {o["limit"] for o in all["offers"]} == {"latency"}
assert all["isoefficiency"][0]["size"] == 1000
END
}

# make_rows: a program of the language, few rows and many, and a machine that counts operations
make_rows()
{
    python3 -c 'import numpy' 2>/dev/null || skip "NumPy is not installed"
    cat >counted.machine <<'END'
name = "counted";
compute = { operations_us = { B_Plus = 0.02; B_Times = 0.03; other = 0.01; }; };
relative_error = 0.0;
network = { type = "loggp"; latency_us = 1.0; overhead_us = 0.3; gap_us = 0.1; gap_us_per_byte = 0.0008; eager_bytes = 4096; };
node = { processors = 2; memory_gb = 0.0002; };
END
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id])) . P_Split (B_Procs)' >squares.bmf
    python3 - <<'END'
import numpy as np
np.save("reals.npy", np.random.default_rng(11).uniform(-1.0, 1.0, 1237))
for n in (5003, 20011, 40010):
    np.save(f"reals{n}.npy", np.resize(np.load("reals.npy"), n))
END
}

@test "programs of the language: sizes are rows, and times those of arguments that large" {
    make_rows
    for n in 5003 20011 40010; do
        "$BMF" choose squares.bmf --threads 1 --arg reals$n.npy --machine counted.machine,slow.machine --procs 1,2,5 --json >whole$n.json
    done
    "$BMF" choose squares.bmf --threads 1 --arg reals.npy --machine counted.machine,slow.machine --procs 1,2,5 --scale n=40010,5003,20011 --json >all.json
    python3 - <<'END'
import json
all = json.load(open("all.json"))
sizes = (5003, 20011, 40010)
whole = {(n, o["machine"], o["processors"]): o for n in sizes for o in json.load(open(f"whole{n}.json"))["offers"]}
times = {}
assert len(all["scaling"]) == len(whole) == 18
for s in all["scaling"]:
    o = whole[s["size"], s["machine"], s["processors"]]
    times[s["size"], s["machine"], s["processors"]] = s["seconds"]
    if o["best"] is not None:
        assert abs(s["seconds"] - o["best"]) <= 0.01 * o["best"], (s, o)
        assert abs(s["node_bytes"] - o["node_bytes"]) <= 0.01 * o["node_bytes"] + 200, (s, o)
for i in all["isoefficiency"]:
    m, p = i["machine"], i["processors"]
    fitting = [n for n in sizes if whole[n, m, p].get("refused") is None]
    assert i["largest_that_fits"] == max(fitting), (i, fitting)
    if m == "counted":
        efficiency = {n: times[n, m, 1] / (p * times[n, m, p]) for n in sizes}
        least = min(n for n in sizes if efficiency[n] >= 0.8)
        before = max([0] + [n for n in sizes if n < least])
        assert before < i["size"] <= least, (i, efficiency)
# 320 kB do not fit into a node of 200 kB, and two fifths of that do
assert whole[40010, "counted", 1]["refused"] and "refused" not in whole[40010, "counted", 5]
END
    run --separate-stderr "$BMF" choose squares.bmf --threads 1 --arg reals.npy --machine counted.machine --procs 1,5 --scale n=5003,40010
    assert_success
    assert_line --regexp '^ +1 +5003 .* fits up to 5003$'
}

@test "programs of the language: offers for more elements than there are" {
    make_rows
    sed -i 's/0.0002/1/' counted.machine
    "$BMF" choose squares.bmf --threads 1 --arg reals40010.npy --machine counted.machine,slow.machine --procs 1,5 --json >whole.json
    "$BMF" choose squares.bmf --threads 1 --arg reals.npy --elements 40010 --machine counted.machine,slow.machine --procs 1,5 --json >all.json
    python3 - <<'END'
import json
whole, all = (json.load(open(f"{name}.json"))["offers"] for name in ("whole", "all"))
for w, a in zip(whole, all, strict=True):
    for key in ("seconds", "best", "lo", "hi"):
        assert abs(a[key] - w[key]) <= 0.01 * w[key], (key, a, w)
    for part, seconds in w["parts"].items():
        assert abs(a["parts"][part] - seconds) <= 0.01 * w["best"], (part, a, w)
    assert (a["machine"], a["processors"], a["limit"]) == (w["machine"], w["processors"], w["limit"])
END
    # what depends on the data is between the least and the most that small sizes show, and said: of 16, 24, 32 and 40
    # elements a third is 5 or 6, 8, 10 or 11, and 13 or 14
    python3 -c 'import numpy as np
for name, n in (("thirds", 1236), ("thirds40010", 40010)):
    np.save(name, np.resize([1.0, -1.0, -1.0], n))'
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0.0)) . B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id])
. B_Filter (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Real 0.25)])) . P_Split (B_Procs)' >filter.bmf
    "$BMF" choose filter.bmf --threads 1 --arg thirds.npy --elements 40010 --scale n=40010 --machine counted.machine --procs 5 --json >all.json
    "$BMF" choose filter.bmf --threads 1 --arg thirds40010.npy --machine counted.machine --procs 5 --json >whole.json
    python3 - <<'END'
import json
all, whole = (json.load(open(f"{name}.json")) for name in ("all", "whole"))
a, w = all["offers"][0], whole["offers"][0]
assert any("depends on the data" in remark for remark in all["remarks"]), all["remarks"]
assert a["lo"] < a["hi"] and a["lo"] <= w["seconds"] <= a["hi"], (a, w)
assert abs(sum(a["parts"].values()) - a["best"]) <= 1e-6 * a["best"], a
assert a["lo"] <= all["scaling"][0]["seconds"] <= a["hi"], all["scaling"]
END
}

@test "what keeps it from scaling, part by part" {
    # splitting takes log2(p) rounds of 1 s on slow, reducing as many; the first processor, which is free when it has sent,
    # waits for the others inside of the reduction
    "$BMF" choose sum.bmf --threads 1 --machine slow.machine,fast.machine --procs 2,4,8 --bmf-schedule split=tree,reduce=doubling --json >all.json
    python3 - <<'END'
import json
regions = json.load(open("all.json"))["regions"]
for machine, second in (("slow", 1.0), ("fast", 0.5)):
    part = next(r for r in regions if r["machine"] == machine and r["part"] == "P_Reduce")
    assert part["call"] and not part["has_parts"]
    for t, rounds in zip(part["times"], (1, 2, 3), strict=True):
        assert abs(t["seconds"] - 2 * rounds * second) < 1e-6, part
    e = part["equation"]
    assert abs(e["log2_p"] - 2 * second) < 1e-6 and e["constant"] < 1e-6 and e["divided_by_p"] < 1e-6 and e["p"] < 1e-6, e
    assert e["least_at"] == 1
END
    run --separate-stderr "$BMF" choose sum.bmf --threads 1 --machine slow.machine --procs 2,4,8 --bmf-schedule split=tree,reduce=doubling
    assert_success
    assert_line --regexp '^slow: what falls least is P_Reduce, 2 s log2\(p\): [0-9]+ % of the time on 8 processors; it never falls$'
    assert_line --regexp '^P_Reduce +2 s +6 s +2 s log2\(p\)$'
    # $names are parts with parts in them
    cat >named.bmf <<'END'
$Total = P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)))
$Total . P_Split (B_Procs) [1, 2, 3, 4, 5, 6, 7, 8]
END
    "$BMF" choose named.bmf --threads 1 --machine slow.machine --procs 2,4,8 --json | python3 -c 'import json, sys
regions = {r["part"]: r for r in json.load(sys.stdin)["regions"]}
assert not regions["$Total"]["call"] and regions["$Total"]["has_parts"], regions.keys()
assert "$Total/P_Reduce" in regions, regions.keys()'
    "$BMF" choose named.bmf --threads 1 --machine slow.machine --procs 2,4,8 --html page.html >text
    grep -q 'Part by part' page.html
    grep -q 'Total/P_Reduce' page.html
}

@test "the page stands alone and has the answers" {
    "$BMF" choose sum.bmf --threads 1 --machine slow.machine,fast.machine --procs 2,4 --deadline 1h --html page.html >text
    grep -q 'to take: 2 processors of slow' page.html
    grep -q '<svg' page.html
    stands_alone page.html
}

@test "texts of the page's charts are inside of them, however long machines are called" {
    command -v chromium >/dev/null || skip "chromium is not installed"
    sed 's/"slow"/"a machine with a name that is longer than what is usual"/' slow.machine >long.machine
    "$BMF" choose sum.bmf --threads 1 --machine long.machine,fast.machine --procs 2,4 --html page.html >text
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli timeout 60 python3 - <<'END'
import pathlib
from browser import Browser
with Browser() as page:
    page.call("Page.navigate", url=pathlib.Path("page.html").resolve().as_uri())
    page.wait("document.readyState === 'complete' && document.querySelectorAll('.chart svg').length > 1")
    for width in (1280, 420):
        page.resize(width, 900)
        out = page.evaluate("""[...document.querySelectorAll('.chart svg text')].filter(t => {
            const box = t.getBoundingClientRect(), around = t.ownerSVGElement.getBoundingClientRect();
            return box.left < around.left - 1 || box.right > around.right + 1; }).map(t => t.textContent)""")
        assert out == [], out
    assert page.requests == [] and page.console == []
END
}

@test "bad input is refused in one line" {
    refused 'which program' --machine ideal --procs 2
    refused 'which machines are there' sum.bmf --procs 2
    refused 'on how many processors' sum.bmf --machine ideal
    refused 'is no time above 0' sum.bmf --machine ideal --procs 2 --deadline soon
    refused 'is no time above 0' sum.bmf --machine ideal --procs 2 --deadline 0s
    refused 'is no time above 0' sum.bmf --machine ideal --procs 2 --deadline 10x
    refused 'is no amount above 0' sum.bmf --machine slow.machine --procs 2 --budget much
    refused 'is no amount above 0' sum.bmf --machine slow.machine --procs 2 --budget -1
    refused '--budget is for machines whose files say a price' sum.bmf --machine ideal --procs 2 --budget 1
    refused 'stands there twice' sum.bmf --machine ideal,ideal --procs 2
    refused 'is no list of 1 to' sum.bmf --machine ideal, --procs 2
    refused '--confidence is between' sum.bmf --machine ideal --procs 2 --confidence 0.3
    refused '--scale takes an --arg FILE' sum.bmf --machine ideal --procs 2 --scale n=1,2
    refused '--elements takes an --arg FILE' sum.bmf --machine ideal --procs 2 --elements 5
    refused '--elements is for programs of the language' rules.model --machine ideal --procs 2 --set n=1 --elements 5
    refused 'is no whole number' sum.bmf --machine ideal --procs 2 --elements few
    refused 'none.npy' sum.bmf --arg none.npy --machine ideal --procs 2 --scale n=1e6
    echo '[1.0, 2.0]' >numbers.bmfdata
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Procs)' >total.bmf
    refused '--scale n: 2.5 is no whole number' total.bmf --arg numbers.bmfdata --machine ideal --procs 2 --scale n=1,2.5
    refused 'numbers.bmfdata: a number of rows needs a data file' total.bmf --arg numbers.bmfdata --machine ideal --procs 2 --scale n=1e6
    refused 'is not NAME=LIST of sizes' rules.model --machine ideal --procs 2 --set n=1 --scale n
    refused '--set is for files of equations' sum.bmf --machine ideal --procs 2 --set n=1
    refused 'at which size' rules.model --machine ideal --procs 2
    sed 's/price_per_hour = 3600.0;/price_per_hour = 1; currency = "EUR";/' slow.machine >euro.machine
    refused 'its prices are in EUR' sum.bmf --machine slow.machine,euro.machine --procs 2
    sed 's/price_per_hour = 3600.0;/price_per_hour = "much";/' slow.machine >wrong.machine
    refused "wrong.machine:6: 'price_per_hour'" sum.bmf --machine wrong.machine --procs 2
}

@test "the machines of today are right, and have nodes" {
    for name in hpc-milan-hdr hpc-genoa-ndr cloud-milan-100g cloud-25g cray-milan-slingshot laboratory-10g; do
        run --separate-stderr "$BMF" machine check "$BMF_SOURCE_DIR/examples/machines/$name.machine" --procs 512
        [ "$name" = laboratory-10g ] || assert_success
        grep -q '^node = ' "$BMF_SOURCE_DIR/examples/machines/$name.machine"
    done
}

@test "first calls are in offers of machines whose kernels are timed here, and in no others" {
    make_rows
    python3 -c 'import numpy as np; np.save("reals16.npy", np.arange(16.0))'
    cat >here.machine <<'END'
name = "here";
compute = { power = 1.0; };
relative_error = 0.0;
network = { type = "fixed"; };
node = { processors = 1; };
END
    cat >stated.machine <<'END'
name = "stated";
compute = { zero = true; };
relative_error = 0.0;
network = { type = "fixed"; };
node = { processors = 1; };
END
    "$BMF" predict squares.bmf --arg reals16.npy --machine here.machine --procs 1 --json >warm.json
    "$BMF" choose squares.bmf --arg reals16.npy --machine here.machine,stated.machine --threads 1 --procs 1,2 --json >all.json
    python3 - <<'END'
import json
warm = json.load(open("warm.json"))["runs"][0]["seconds"]
here = {o["processors"]: o for o in json.load(open("all.json"))["offers"] if o["machine"] == "here"}
stated = [o for o in json.load(open("all.json"))["offers"] if o["machine"] == "stated"]
assert all(o["seconds"] == 0 for o in stated), stated
# 16 reals are nothing beside a first call; each of two processors has at least half of them
assert here[1]["best"] > 2 * warm, (here[1], warm)
assert here[2]["best"] >= 0.49 * here[1]["best"], here
assert here[1]["limit"] == "computing", here[1]
END
}
