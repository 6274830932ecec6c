#!/usr/bin/env bats
# The documents as a site: every page is there, links lead somewhere, search and keys work without a server or a network.

bats_require_minimum_version 1.5.0

setup_file()
{
    [ -n "$(command -v cmark-gfm)" ] && [ -n "$(command -v mandoc)" ] || skip "cmark-gfm and mandoc are not installed"
    cd "$BATS_FILE_TMPDIR"
    options=()
    if [ -n "$(command -v doxygen)" ]; then
        mkdir reference
        BMF_HEADERS=$BMF_SOURCE_DIR/include BMF_DOC=$PWD/reference BMF_VERSION=0 doxygen "$BMF_SOURCE_DIR/docs/Doxyfile"
        options=(--reference reference)
    fi
    "$BMF_SOURCE_DIR/scripts/site" --man "$BMF_BUILD_DIR/man" "${options[@]}" site
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_FILE_TMPDIR"
}

# in_browser: the script on standard input, with the site's contents open as `page`
in_browser()
{
    command -v chromium >/dev/null || skip "chromium is not installed"
    { cat <<'PYTHON'; cat; } >script.py
from browser import Browser
def look(run, scheme="light"):
    with Browser() as page:
        page.prefer(scheme)
        page.open("site/docs/index.html")
        run(page)
        assert page.console == [], page.console
        assert all(r.startswith("file:") for r in page.requests), page.requests
PYTHON
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli timeout 120 python3 script.py
}

@test "every document and manual page is a page, and every link leads somewhere" {
    for page in "$BMF_SOURCE_DIR"/docs/*.md; do
        name=$(basename "$page" .md)
        [ "$name" != README ] || name=index
        [ -s "site/docs/$name.html" ] || fail "no page for $page"
    done
    for page in "$BMF_BUILD_DIR"/man/*.1; do
        [ -s "site/man/$(basename "$page" .1).html" ] || fail "no page for $page"
    done
    run -0 python3 "$BMF_SOURCE_DIR/ctest/cli/site_links.py" site
    assert_output --regexp '^[0-9]{3} pages, [0-9]{4,} links$'
}

@test "every page is in the navigation of every other" {
    for page in "$BMF_SOURCE_DIR"/docs/*.md; do
        name=$(basename "$page" .md)
        [ "$name" != README ] || name=index
        sed -n '/<nav class="pages"/,/<\/nav>/p' site/index.html | grep -qF "href=\"docs/$name.html\"" || fail "$name is not in the navigation"
    done
}

@test "the text of a page is that of its source" {
    # The words of a document, without marks, are those of its page, in order.
    python3 - "$BMF_SOURCE_DIR" <<'PYTHON'
import html, pathlib, re, sys
for source in sorted(pathlib.Path(sys.argv[1], "docs").glob("*.md")):
    name = "index" if source.stem == "README" else source.stem
    page = pathlib.Path("site/docs", name + ".html").read_text()
    main = re.search(r'<main.*?>(.*?)(?:<nav class="neighbours"|</main>)', page, re.S)[1]
    main = re.sub(r'<a class="here".*?</a>', "", main)
    alts = lambda m: " " + m[1] + " "
    shown = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r'<img[^>]*alt="([^"]*)"[^>]*>', alts, main)))
    written = re.sub(r"\]\([^)\s]*\)", "]", source.read_text())
    words = lambda text: re.findall(r"[a-z]{3,}", text.lower())
    # Languages of fenced blocks are no words; numbers and short words may hide in entities.
    written = re.sub(r"(?m)^```.*$|<!--.*?-->", "", written)
    assert words(shown) == words(written), next((i, a, b) for i, (a, b) in enumerate(zip(words(shown) + ["end"], words(written) + ["end"])) if a != b)[:3] + (source.name,)
PYTHON
}

@test "the search finds sections, manual pages and functions, by keys alone" {
    in_browser <<'PYTHON'
import os
def search(page, words):
    page.evaluate(f"box.value = {words!r}, box.dispatchEvent(new Event('input'))")
    return page.evaluate("[...document.querySelectorAll('#found a')].map(a => [a.textContent, a.href])")
def run(page):
    assert page.evaluate("found.hidden")
    page.key("/")
    assert page.evaluate("document.activeElement.id") == "search"
    hits = search(page, "larger than memory")
    assert any(h[1].endswith("permutations.html#files-larger-than-memory") for h in hits[:3]), hits[:5]
    hits = search(page, "bmf choose")
    assert any("/man/bmf-choose.html" in h[1] or "choosing.html" in h[1] for h in hits[:5]), hits[:5]
    if os.path.exists("site/reference"):
        hits = search(page, "bmf_zip_map_reduce")
        assert "/reference/skeletons_8h.html#" in hits[0][1] or any("/reference/" in h[1] for h in hits[:3]), hits[:3]
    assert search(page, "no-such-word-anywhere") == []
    assert "Nothing has all" in page.evaluate("found.textContent")
    assert search(page, "<img src=x onerror=alert(1)>") == []
    hits = search(page, "prediction")
    assert len(hits) == 30
    page.key("ArrowDown")
    assert page.evaluate("document.activeElement.href") == hits[0][1]
    page.key("ArrowDown")
    assert page.evaluate("document.activeElement.href") == hits[1][1]
    page.key("Escape")
    assert page.evaluate("found.hidden && document.activeElement.id === 'search'")
look(run)
PYTHON
}

@test "pages fit narrow and wide windows, and have a visible focus, light and dark" {
    in_browser <<'PYTHON'
def run(page):
    for name in ("docs/index.html", "docs/performance.html", "man/bmf-run.html", "index.html"):
        page.open("site/" + name)
        for width in (360, 800, 1600):
            page.resize(width, 900)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
    page.key("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
look(run)
look(run, "dark")
PYTHON
}

@test "a link without a target is an error with the page's name, and nothing foreign is overwritten" {
    mkdir copy
    cp -r "$BMF_SOURCE_DIR"/{README.md,CONTRIBUTING.md,CHANGELOG.md,LICENSE,docs,scripts,include,examples,runtime,predict} copy
    run -0 copy/scripts/site out
    echo 'See [this](no-such-page.md) and [that](tutorial.md#no-such-heading).' >>copy/docs/data.md
    run -1 --separate-stderr copy/scripts/site out
    [ "$stderr" = "site: docs/data.md: there is no no-such-page.md
site: docs/data.md: no heading for tutorial.md#no-such-heading" ] || fail "$stderr"
    mkdir mine
    echo precious >mine/thesis.txt
    run -1 --separate-stderr "$BMF_SOURCE_DIR/scripts/site" mine
    [[ $stderr == "site: "*"/mine holds something else; give an empty directory" ]] || fail "$stderr"
    [ "$(cat mine/thesis.txt)" = precious ]
    run -2 "$BMF_SOURCE_DIR/scripts/site" --no-such-option out
    run -2 "$BMF_SOURCE_DIR/scripts/site"
}
