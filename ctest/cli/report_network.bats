#!/usr/bin/env bats
# The network under a run, the parts of receives and messages coloured by size, in a headless Chromium. What is expected
# follows from document 000's figures 5-17, 5-18 and 6-6 and from the machine files.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_MACHINES="$BMF_SOURCE_DIR/examples/machines" BMF_THREADS=1 BMF="$BMF_BIN_DIR/bmf"
    list='[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]'
    sums='P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num 16)'
    echo "P_Scan (B_Op (B_Plus)) . $sums $list" >scan.bmf
    echo "P_Reduce (B_Op (B_Plus)) . $sums $list" >reduce.bmf
    echo "P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 16) $list" >gather.bmf
}

# in_browser PAGE: the script on standard input, with `page` open and a few helpers
in_browser()
{
    command -v chromium >/dev/null || skip "chromium is not installed"
    { cat "$BMF_SOURCE_DIR/ctest/cli/report_page.py"; cat; } >script.py
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli timeout 240 python3 script.py "$1"
}

@test "messages on every link at an instant and in the window" {
    "$BMF" predict scan.bmf --machine binary-tree-16 --procs 16 --html scan.html >/dev/null
    in_browser scan.html <<'END'
with report() as page:
    assert page.evaluate("network.topologies.map(t => t.name).join(' ')") == \
        "binary-tree-16 mesh torus hypercube binary-tree ring star"
    # The last level: 0 to 7 send to 8 to 15, all over the root (figure 6-6).
    page.evaluate("setInstant(Math.max(...report.runs[0].messageBegin) + 1)")
    loads = page.evaluate("[...linkLoads(report.runs[0], network.chosen).count]")
    assert max(loads) == 8 and loads.count(8) == 2 and loads.count(4) == 4 and loads.count(2) == 8 and loads.count(1) == 16
    # Links of an instant against messages and routes, one by one.
    assert page.evaluate("""(() => {
        const run = report.runs[0], topology = network.chosen, routes = new Map();
        for (let k = 0; k < topology.routes.length; k += 3 + topology.routes[k + 2])
            routes.set(topology.routes[k] + ' ' + topology.routes[k + 1], topology.routes.slice(k + 3, k + 3 + topology.routes[k + 2]));
        for (const time of [1, 0.3 * run.end, 0.75 * run.end, 0.9 * run.end]) {
            setInstant(time);
            const count = new Array(topology.links.length).fill(0);
            for (let k = 0; k < run.count; k++) {
                if (run.kind[k] !== KIND.SEND || run.begin[k] > time) continue;
                if (run.begin[run.partner[k]] + run.duration[run.partner[k]] <= time) continue;
                for (const link of routes.get(run.lane[k] + ' ' + run.peer[k])) count[link]++;
            }
            if (count.join() !== [...linkLoads(run, topology).count].join()) return false;
        }
        // Routes go from their sender to their receiver, link by link.
        for (const [pair, links] of routes) {
            let [at, to] = pair.split(' ').map(Number);
            for (const link of links) {
                if (topology.links[link][0] !== at) return false;
                at = topology.links[link][1];
            }
            if (at !== to) return false;
        }
        return true;
    })()""")
    page.evaluate("document.querySelector('input[name=network-when][value=window]').click()")
    assert page.evaluate("linkLoads(report.runs[0], network.chosen).messages") == 64
    assert page.evaluate("Math.max(...linkLoads(report.runs[0], network.chosen).count)") == 16  # as the table of links says
    assert page.evaluate("Math.max(...report.runs[0].facts.links.map(l => l[6]))") == 16
END
}

@test "a reduction congests neither tree nor mesh: at most one message on a link" {
    "$BMF" predict reduce.bmf --machine basic-16 --procs 16 --trace reduce.trace >/dev/null
    "$BMF" report reduce.trace --html reduce.html --network binary-tree --network mesh-16
    in_browser reduce.html <<'END'
with report() as page:
    names = page.evaluate("network.topologies.map(t => t.name)")
    assert names[:2] == ["binary-tree", "mesh-16"] and names.count("binary-tree") == 1, names
    for number, longest in ((0, 8), (1, 2)):
        page.evaluate(f"chooseTopology({number})")
        most = page.evaluate("""(() => {
            const run = report.runs[0];
            let most = 0;
            for (let k = 0; k < run.messageSend.length; k++) {
                if (nodeName(run, run.node[run.messageSend[k]]) !== 'P_Reduce') continue;
                setInstant(run.messageBegin[k]);
                most = Math.max(most, ...linkLoads(run, network.chosen).count);
            }
            return most;
        })()""")
        assert most == 1, (number, most)
    # Steps go from one instant at which something changes to the next, and back.
    page.evaluate("setInstant(0)")
    seen = [page.evaluate("(stepInstant(1), network.time)") for _ in range(6)]
    assert seen == sorted(set(seen)) and seen[0] > 0, seen
    back = [page.evaluate("(stepInstant(-1), network.time)") for _ in range(5)]
    assert back == seen[4::-1], (seen, back)
    page.evaluate("byId('network-play').click()")
    assert page.evaluate("network.playing")
    page.evaluate("byId('network-play').click()")
    assert not page.evaluate("network.playing")
    # Colours by size: one class for every size up to six.
    page.evaluate("byId('by-size').click()")
    sizes = page.evaluate("sizes.limits")
    assert sizes == sorted(set(page.evaluate("[...report.runs[0].messageSend].map(s => report.runs[0].amount[s])"))), sizes
    page.settle()
    assert page.evaluate("byId('size-legend').children.length") == len(sizes)
END
}

@test "a receive is waiting, transport and taking the message" {
    "$BMF" predict gather.bmf --machine basic-16 --procs 16 --html gather.html --trace gather.trace >/dev/null
    in_browser gather.html <<'END'
with report() as page:
    parts = page.evaluate("""[...report.runs[0].kind].map((kind, k) => kind === KIND.RECEIVE ?
        {...receiveParts(report.runs[0], k), bytes: report.runs[0].amount[k], takes: report.runs[0].duration[k],
         late: report.runs[0].begin[report.runs[0].partner[k]] - report.runs[0].begin[k]} : null).filter(p => p)""")
    assert len(parts) == 30
    for part in parts:
        assert part["work"] == 1000 * part["bytes"]  # receive_us_per_byte = 1
        assert part["waiting"] == max(0, min(part["late"], part["takes"] - part["work"]))
        assert abs(part["waiting"] + part["transport"] + part["work"] - part["takes"]) < 1
    assert page.evaluate("report.runs[0].leafState.filter(s => s === UNDER_WAY).length") > 15
END
}

@test "PICL: receives begin with their transfer, what comes before is idle" {
    "$BMF" predict gather.bmf --machine basic-16 --procs 16 --trace gather.trace >/dev/null
    "$BMF" convert gather.trace --to picl -o gather.trf
    python3 - <<'END'
begun, receives, idle = {}, 0, {}
for line in open("gather.trf"):
    kind, event, time, lane, *rest = line.split()
    time = float(time)
    if (kind, event) == ("-3", "-51"):
        begun[lane] = time
        assert lane not in idle, line
    if (kind, event) == ("-4", "-51"):
        size = int(rest[3])
        assert abs(time - begun[lane] - 1e-6 * size) < 1e-9, line
        receives += 1
    if event == "-601":
        idle[lane] = time
        if kind == "-4":
            del idle[lane]
assert receives == 30, receives
END
}

@test "what cannot be laid under a run is refused" {
    "$BMF" predict reduce.bmf --machine basic-16 --procs 16 --trace reduce.trace >/dev/null
    for network in "workstations-16 the network of workstations-16 is no graph of links" "nowhere nowhere"; do
        run --separate-stderr "$BMF" report reduce.trace --html x.html --network "${network%% *}"
        assert_failure 2
        [[ $stderr == *"${network#* }"* && ! -e x.html ]] || fail "$stderr"
    done
}
