#!/usr/bin/env bats
# bmf-bench figures: what document 000 publishes is found, but for what is known to differ; the page holds its pictures.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_MACHINES="$BMF_SOURCE_DIR/examples/machines" BMF_THREADS=1
}

@test "what the document says of its figures is found" {
    run --separate-stderr "$BMF_BIN_DIR/bmf-bench" figures --json --html figures.html
    assert_success
    python3 - "$output" <<'END'
import json, sys
# The document's statements, from its text.
published = {
    "5-3": "7 2", "5-4": "1", "5-5": "7", "5-6": "4 8 12, 12 shorter", "5-7": "15", "5-9": "15", "5-14": "1 2 4 8",
    "5-15": "8 8 8 8", "5-16": "8 4 2 1", "5-17": "1 8", "5-19": "30", "5-20": "1", "5-22": "15 14 12 8",
    "5-24": "15 14 12 8", "5-10, 5-11": "7 112", "5-28": "16",
    "5-30": "15", "6-3": "3 6", "6-4": "none", "6-5": "4 8 12", "6-6": "8",
}
figures = json.loads(sys.argv[1])["figures"]
found = {}
for figure in figures:
    found.setdefault(figure["figure"], figure["found"])
    agree = figure["published"] == "-" or len(figure["published"].split()) == len(figure["found"].split()) and all(
        p in ("-", f) for p, f in zip(figure["published"].split(), figure["found"].split()))
    assert figure["same"] == agree, figure
    assert figure["same"] or figure["remark"], figure
for name, text in published.items():
    assert found[name] == text, (name, text, found[name])
# Figures 6-7 and 6-8: a reversal staggers more on the tree.
stagger = {f["figure"]: int(f["found"]) for f in figures if f["figure"] in ("6-7", "6-8")}
assert stagger["6-7"] > stagger["6-8"] > 0, stagger
text = open("figures.html", encoding="utf-8").read()
for figure in {f["figure"] for f in figures} - {"5-11"}:  # which stands with 5-10
    assert f"<h2>{figure}:" in text, figure
assert text.count("<svg") > 30 and "<script" not in text and "http" not in text
END
}

@test "the page opens without a message or a request, light and dark" {
    command -v chromium >/dev/null || skip "chromium is not installed"
    "$BMF_BIN_DIR/bmf-bench" figures --html figures.html >table
    grep -q '^5-24  *items of the bursts' table
    cat >script.py <<'END'
import sys
from browser import Browser
for scheme in ("light", "dark"):
    with Browser(timeout=60) as page:
        page.prefer(scheme)
        page.open(sys.argv[1])
        assert page.evaluate("document.title") == "Figures of document 000"
        assert page.evaluate("[...document.querySelectorAll('svg')].every(s => s.getBoundingClientRect().height > 20)")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.console == [] and page.requests == [], (page.console, page.requests)
END
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli timeout 240 python3 script.py figures.html
}

@test "bad usage" {
    run --separate-stderr "$BMF_BIN_DIR/bmf-bench" figures --html /nowhere/figures.html
    assert_failure
    [[ $stderr == *"/nowhere/figures.html"* ]] || fail "$stderr"
    run --separate-stderr "$BMF_BIN_DIR/bmf-bench" figures more
    assert_failure 2
}
