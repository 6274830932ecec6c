#!/usr/bin/env bats
# Reports in a headless Chromium: they open, zoom, listen to mouse and keys, lead from an event to its match, and print.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    command -v chromium >/dev/null || skip "chromium is not installed"
    MAKE=$BMF_BIN_DIR/make_report
}

# in_browser PAGE: the script on standard input, with `page` open and a few helpers; it fails on any console message or
# request.
in_browser()
{
    { cat "$BMF_SOURCE_DIR/ctest/cli/report_page.py"; cat; } >script.py
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli timeout 240 python3 script.py "$1"
}

@test "a report opens without a message, with every section and no request" {
    "$MAKE" report.html
    in_browser report.html <<'END'
with report() as page:
    assert page.evaluate("document.title") == "relax on 8 workstations and on the DECmpp"
    for section in ("summary", "scaling", "time", "matrix", "links", "intervals", "comparison"):
        assert page.evaluate(f"document.getElementById('{section}').getBoundingClientRect().height") > 100, section
    for canvas in range(page.evaluate("document.querySelectorAll('canvas').length")):
        page.evaluate(f"document.querySelectorAll('canvas')[{canvas}].scrollIntoView()")
        page.settle()
        hidden = page.evaluate(f"document.querySelectorAll('canvas')[{canvas}].getBoundingClientRect().height === 0")
        assert hidden or colours(page, f"document.querySelectorAll('canvas')[{canvas}]") > 2, canvas
    # The answer comes first, in words, and is that of the file.
    lines = page.evaluate("report.facts.answer")
    assert [line.split(":")[0] for line in lines] == ["How long", "Where the time goes", "What limits it", "What would help", "How sure"], lines
    assert page.evaluate("document.querySelector('main').firstElementChild.firstElementChild.textContent.trim()") == " ".join(lines)
    # Everything one can look at has a name.
    assert page.evaluate("[...document.querySelectorAll('canvas, svg')].every(c => c.getAttribute('aria-label'))")
END
}

@test "the numbers on the page are those of the file" {
    "$MAKE" report.html full 5 900 3
    in_browser report.html <<'END'
import json, re
text = open("report.html", encoding="utf-8").read()
facts = json.loads(re.search(r'id="facts">(.*?)</script>', text, re.S)[1])
with report() as page:
    for k, run in enumerate(facts["runs"]):
        assert page.evaluate(f"report.runs[{k}].count") == run["events"]
        ends = page.evaluate(f"[...report.runs[{k}].begin].map((b, i) => b + report.runs[{k}].duration[i])")
        assert max(ends) == run["end"]
        # Computing of the whole run, from the events and from the intervals.
        kernels = page.evaluate(f"[...report.runs[{k}].duration].filter((d, i) => report.runs[{k}].kind[i] === 2).reduce((a, b) => a + b, 0)")
        assert kernels == run["intervals"][0]["all"][facts["columns"].index("compute")]
        total, productive, lost = (run["intervals"][0]["all"][facts["columns"].index(c)] for c in ("total", "productive", "lost"))
        assert productive + lost == total
        # Shares of states in 200 pixels of the whole run and the totals of the levels of detail add up to the same.
        exact = page.evaluate(f"[...totalCounts(report.runs[{k}], 0, report.runs[{k}].end, 200).slice(0, 200)].reduce((a, b) => a + b, 0)")
        assert abs(exact / 200 * run["end"] - kernels) < 1e-3 * kernels
        levels = page.evaluate(f"report.runs[{k}].totals[0][TOTAL_BINS] / TOTAL_BINS * report.runs[{k}].end")
        assert abs(levels - kernels) < 1e-3 * kernels
    # Partners and matches point back.
    assert page.evaluate("report.runs.every(r => r.partner.every((p, k) => p < 0 || (r.partner[p] === k && r.peer[p] === r.lane[k])))")
    assert page.evaluate("report.runs.every((r, n) => r.match.every((t, k) => t < 0 || report.runs[1 - n].match[t] === k))")
    # The matrix holds every message, on the right side of the diagonal.
    assert page.evaluate("matrices.list[0].messages.reduce((a, b) => a + b, 0)") == facts["comparison"]["messages"][0]
    assert page.evaluate("matrices.list[0].bytes.reduce((a, b) => a + b, 0)") == facts["comparison"]["bytes"][0]
END
}

@test "levels of detail show what the events show" {
    "$MAKE" report.html full 300 40000
    in_browser report.html <<'END'
with report() as page:
    # The same rows by events and by the pyramid: EXACT_LEAVES is a limit of visible leaves.
    far = page.evaluate("""(() => {
        const run = report.runs[0], lanes = [0, 2, 100, 299, 300], width = 128, size = LEAF_STATES * width;
        let most = 0;
        for (const [from, to] of [[0, run.end], [run.end * 0.25, run.end * 0.5]]) {
            const exact = rowShares(run, lanes, from, to, width).sum, rough = new Float32Array(exact.length);
            for (let row = 0; row < lanes.length - 1; row++) {
                addPyramidRow(run, lanes[row], lanes[row + 1], from, to, width, rough, row * size);
                for (let k = row * size; k < (row + 1) * size; k++) rough[k] /= lanes[row + 1] - lanes[row];
            }
            // Of the rows of many lanes: groups of two lanes and bins of a 1024th round a little.
            for (let k = size; k < 3 * size; k++) most = Math.max(most, Math.abs(exact[k] - rough[k]));
        }
        return most;
    })()""")
    assert far < 0.05, far
    # The most messages on their way, against counting them one by one at every change.
    peaks = page.evaluate("""(() => {
        const run = report.runs[0], marks = [];
        run.messageSend.forEach((send, k) => marks.push([run.messageBegin[k], 1], [run.messageEnd[k], -1]));
        marks.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        let now = 0, most = 0;
        for (const [, step] of marks) most = Math.max(most, now += step);
        return [most, peak(run, 'count'), Math.max(...flightTops(run, 'count', 0, run.end * 1.0001, 317))];
    })()""")
    assert peaks[0] == peaks[1] == peaks[2], peaks
END
}

@test "mouse and wheel zoom and move, on one axis for both runs" {
    "$MAKE" report.html
    in_browser report.html <<'END'
with report() as page:
    x, y = middle(page, "gantt")
    whole = window_of(page)
    page.wheel(x, y, -300)
    assert window_of(page) == whole, "without focus the page scrolls"
    page.evaluate("scrollTo(0, 0)")
    x, y = middle(page, "gantt")
    page.wheel(x, y, -300, modifiers=CTRL)
    near = window_of(page)
    assert near[1] - near[0] < 0.7 * (whole[1] - whole[0])
    page.drag(x, y, x + 150, y)
    moved = window_of(page)
    assert moved[0] < near[0] and abs((moved[1] - moved[0]) - (near[1] - near[0])) < 1e-6 * whole[1]
    page.evaluate("document.getElementById('whole').click()")
    page.settle()
    assert window_of(page) == whole
    # Another window is another picture, in every chart over time.
    for chart in ("gantt", "space-time", "utilisation", "traffic"):
        middle(page, chart)
        before = picture_of(page, chart)
        page.evaluate("zoomTime(0.3)")
        page.settle()
        assert picture_of(page, chart) != before, chart
        page.evaluate("showWhole()")
        page.settle()
        assert picture_of(page, chart) == before, chart
    # One axis: the same time stands at the same x; with own lengths both runs end at the right edge.
    ends = "charts[0].panels.map(p => xOf(charts[0].page, p.run.end * stretchOf(p.run)))"
    common = page.evaluate(ends)
    assert common[1] < common[0] - 20
    page.evaluate("document.getElementById('own').click()")
    page.settle()
    own = page.evaluate(ends)
    assert abs(own[0] - own[1]) < 1e-6
END
}

@test "one click leads from an event to its match" {
    "$MAKE" report.html
    in_browser report.html <<'END'
with report() as page:
    # The predicted panel stands below the bottom of the window.
    page.evaluate("scrollBy(0, document.querySelector('#gantt canvas').getBoundingClientRect().top + 250 - innerHeight)")
    page.settle()
    # Zoomed to its right half, the measured run is longer than the predicted one: the match is out of sight.
    page.evaluate("setWindow(report.longest * 0.9, report.longest)")
    page.settle()
    spot = page.evaluate("""(() => {
        const chart = charts[0], panel = chart.panels[0], run = panel.run, lane = 3;
        const time = view.from + (view.to - view.from) * 0.4, event = leafAt(run, lane, time);
        const box = chart.canvas.getBoundingClientRect();
        const from = Math.max(LEFT, xOf(chart.page, run.begin[event])), to = Math.min(chart.page.width - RIGHT, xOf(chart.page, run.begin[event] + run.duration[event]));
        return {event, x: box.left + (from + to) / 2, y: box.top + chart.laneMiddle(panel, lane)};
    })()""")
    page.click(spot["x"], spot["y"])
    assert page.evaluate("document.documentElement.dataset.selected") == f"0:{spot['event']}"
    match = page.evaluate(f"report.runs[0].match[{spot['event']}]")
    assert match >= 0 and page.evaluate("document.documentElement.dataset.match") == f"1:{match}"
    same = ["node", "instance", "round", "lane", "kind", "peer"]
    assert page.evaluate(f"{same}.every(f => report.runs[0][f][{spot['event']}] === report.runs[1][f][{match}])")
    # Both are in the window, and both durations and their ratio are told.
    low, high = window_of(page)
    for run, event in ((0, spot["event"]), (1, match)):
        begin = page.evaluate(f"report.runs[{run}].begin[{event}]")
        assert low <= begin and begin + page.evaluate(f"report.runs[{run}].duration[{event}]") <= high
    # Nor are they hidden behind the inspector or outside of what is scrolled to.
    places = page.evaluate("chosen().map(c => charts[0].canvas.getBoundingClientRect().top + charts[0].laneMiddle(charts[0].panels[c.run.index], c.run.lane[c.event]))")
    assert all(0 < y < page.evaluate("document.getElementById('inspector').getBoundingClientRect().top") for y in places), places
    told = page.evaluate("document.getElementById('inspector').innerText")
    for run, event in ((0, spot["event"]), (1, match)):
        assert page.evaluate(f"formatTime(report.runs[{run}].duration[{event}], 4)") in told, told
    ratio = page.evaluate(f"report.runs[1].duration[{match}] / report.runs[0].duration[{spot['event']}]")
    shown = float(page.evaluate("document.querySelector('#inspector .figure').textContent").strip("\u00d7\u2009"))
    assert abs(shown / ratio - 1) < 0.006, (shown, ratio)
    # Enter goes to the match and back; Escape ends it.
    page.evaluate("document.querySelector('#gantt canvas').focus()")
    page.key("Enter")
    assert page.evaluate("document.documentElement.dataset.selected") == f"1:{match}"
    page.key("Enter")
    assert page.evaluate("document.documentElement.dataset.selected") == f"0:{spot['event']}"
    page.key("Escape")
    assert page.evaluate("document.getElementById('inspector').hidden")
END
}

@test "everything works by keyboard" {
    "$MAKE" report.html
    in_browser report.html <<'END'
with report() as page:
    # Tab reaches the four charts over time in order, and the matrices.
    reached = []
    for _ in range(60):
        page.key("Tab")
        name = page.evaluate("document.activeElement.closest('figure')?.id || document.activeElement.id || document.activeElement.closest('section')?.id")
        if not reached or reached[-1] != name:
            reached.append(name)
    order = [n for n in reached if n in ("gantt", "space-time", "utilisation", "traffic")]
    assert order[:4] == ["gantt", "space-time", "utilisation", "traffic"], reached
    assert "matrix" in reached, reached
    page.evaluate("document.querySelector('#gantt canvas').focus()")
    page.settle()
    assert page.evaluate("document.querySelector('#gantt canvas').matches(':focus-visible')")
    whole = window_of(page)
    page.key("+")
    page.key("+")
    near = window_of(page)
    assert abs((near[1] - near[0]) / (whole[1] - whole[0]) - 1 / 1.6 ** 2) < 1e-6
    page.key("ArrowRight")
    assert window_of(page)[0] > near[0]
    page.key("ArrowLeft")
    assert abs(window_of(page)[0] - near[0]) < 1e-6 * whole[1]
    page.key("-")
    assert window_of(page)[1] - window_of(page)[0] > near[1] - near[0]
    page.key("Home")
    assert window_of(page) == whole
    # Enter selects an event, n and p step through those of its processor, down goes to the next processor.
    page.key("Enter")
    first = page.evaluate("({...selection})")
    page.key("n")
    second = page.evaluate("({...selection})")
    assert second["event"] > first["event"]
    page.key("p")
    assert page.evaluate("({...selection})") == first
    page.key("ArrowDown")
    assert page.evaluate("report.runs[0].lane[selection.event]") == 1
    assert page.evaluate("document.getElementById('said').textContent") != ""
    # Rows of the intervals: arrows move, close and open.
    page.evaluate("document.querySelector('#tree tbody tr').focus()")
    rows = page.evaluate("document.querySelectorAll('#tree tbody tr').length")
    page.key("ArrowLeft")
    assert page.evaluate("document.querySelectorAll('#tree tbody tr').length") == 1
    page.key("ArrowRight")
    assert page.evaluate("document.querySelectorAll('#tree tbody tr').length") == rows
    page.key("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.interval") == "1"
END
}

@test "intervals sort and open, and their columns can be chosen" {
    "$MAKE" report.html
    in_browser report.html <<'END'
column = "[...document.querySelectorAll('#tree tbody tr[aria-level=\"2\"]')].map(r => r.dataset.interval).map(i => report.runs[0].intervals[i].all.idle)"
with report() as page:
    heads = page.evaluate("[...document.querySelectorAll('#tree thead th')].map(h => h.textContent)")
    idle = heads.index("idle")
    page.evaluate(f"document.querySelectorAll('#tree thead th')[{idle}].querySelector('button').click()")
    values = page.evaluate(column)
    assert len(values) > 2 and values == sorted(values, reverse=True)
    assert page.evaluate(f"document.querySelectorAll('#tree thead th')[{idle}].getAttribute('aria-sort')") == "descending"
    page.evaluate(f"document.querySelectorAll('#tree thead th')[{idle}].querySelector('button').click()")
    assert page.evaluate(column) == sorted(values)
    groups = page.evaluate("[...document.querySelectorAll('#tree-group option')].map(o => o.textContent)")
    assert "POP factors" in groups and "Lost time" in groups and "Communication" in groups
    for group in groups:
        page.evaluate(f"(() => {{ const g = document.getElementById('tree-group'); g.value = '{group}'; g.dispatchEvent(new Event('change')); }})()")
        assert page.evaluate("document.querySelectorAll('#tree tbody tr:first-child td').length") > 1, group
        assert "NaN" not in page.evaluate("document.getElementById('tree').textContent")
END
}

@test "a report prints light, whole, and inside the page" {
    "$MAKE" report.html
    in_browser report.html <<'END'
with report(scheme="dark") as page:
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    page.evaluate("window.addEventListener('beforeprint', () => { window.printed = [...document.querySelectorAll('.paper canvas')].map(c => [c.width, c.height, "
                  "[...c.getContext('2d').getImageData(2, c.height - 3, 1, 1).data].join()]); })")
    page.evaluate("document.querySelector('#summary details').open = false")
    page.prefer("dark", media="print")
    page.resize(700, 1000)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    # on paper nothing can be opened or pressed
    assert page.evaluate("document.querySelectorAll('main details:not(.help):not([open])').length") == 0
    assert page.evaluate("[...document.querySelectorAll('button, input, select')].filter(e => e.getClientRects().length && !e.closest('#tree')).map(e => e.id)") == []
    wide = page.evaluate("Math.max(...[...document.querySelectorAll('canvas, svg, table, .card')].map(e => e.getBoundingClientRect().right))")
    assert wide <= 701, wide
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for width, height, corner in page.evaluate("printed.filter(c => c[0] > 0)"):
        if width > 1000:
            assert corner == "255,255,255,255", corner
    for hidden in ("#tip", "#inspector", ".help", "nav", "#zoom-in"):
        assert page.evaluate(f"getComputedStyle(document.querySelector('{hidden}')).display") == "none", hidden
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.evaluate("document.querySelector('#summary details').open")
    page.prefer("dark")
    page.pdf("report.pdf")
END
    [ "$(head -c 5 report.pdf)" = "%PDF-" ]
}

@test "nothing that a trace says gets out of its place" {
    "$MAKE" report.html nasty
    in_browser report.html <<'END'
with report() as page:
    assert page.evaluate("document.title").startswith("</script><script>")
    assert page.evaluate("document.querySelectorAll('img, main b, main i:not([class]):not([id])').length") == 0
    assert page.evaluate("document.scripts.length") == 2  # facts and the page's own; the columns are taken out when read
    assert page.evaluate("document.getElementById('tree').textContent.includes('</SCRIPT ><img src=x')")
    for event in range(0, 300, 7):
        page.evaluate(f"select(report.runs[0], {event})")
    assert page.evaluate("document.title").startswith("</script><script>")
END
}

@test "one processor, one run, other numbers of processors, and nothing at all" {
    for kind in lone single different empty; do
        "$MAKE" $kind.html $kind
        in_browser $kind.html <<END
kind = "$kind"
with report() as page:
    text = page.evaluate("document.body.innerText")
    assert "NaN" not in text and "undefined" not in text and "Infinity" not in text, text
    if kind == "lone":
        assert "One processor sends no messages." in text
    if kind in ("single", "empty"):
        assert page.evaluate("document.getElementById('own-choice').hidden")
        assert page.evaluate("document.getElementById('comparison') === null")
    if kind == "different":
        page.evaluate("select(report.runs[0], report.runs[0].leaf[5])")
        assert "have no matches" in page.evaluate("document.getElementById('inspector').innerText")
    page.evaluate("document.querySelector('#gantt canvas').focus()")
    for key in ("Enter", "+", "n", "Home", "Escape", "f", "m"):
        page.key(key)
END
    done
}

@test "a report of a million events opens and zooms" {
    "$MAKE" report.html full 8 1000000
    [ "$(stat -c %s report.html)" -lt 5000000 ]
    "$MAKE" report.html full 64 1000000
    in_browser report.html <<'END'
with report(timeout=200) as page:
    assert page.evaluate("report.runs[0].count") > 900000
    page.evaluate("document.getElementById('gantt').scrollIntoView()")
    for share in (1, 0.3, 0.1, 0.01, 0.0001):
        page.evaluate(f"setWindow(report.longest * 0.5, report.longest * (0.5 + {share} / 2))")
        page.settle()
        assert colours(page, "document.querySelector('#gantt canvas')") > 2, share
END
}
