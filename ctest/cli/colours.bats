#!/usr/bin/env bats
# Colours of reports that mean something can be told apart with every common colour vision, light and dark; texts can be read.

bats_require_minimum_version 1.5.0

@test "states are told apart with normal vision, protanopia, deuteranopia and tritanopia" {
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli python3 - "$BMF_SOURCE_DIR" <<'END_OF_SCRIPT'
import itertools, re, sys
from colours import VISION, contrast, distance
text = open(sys.argv[1] + "/predict/report/page_view.js").read()
themes = re.findall(r"(light|dark): \{\n(.*?)\n  \}", text, re.S)
assert [name for name, _ in themes] == ["light", "dark"]
for name, body in themes:
    lists = {key: re.findall(r"#[0-9a-f]{6}", value) for key, value in re.findall(r"(\w+): (\[[^\]]*\]|'[^']*')", body)}
    assert len(lists["states"]) == 9
    # Twice what is just noticed beside each other is about 5; 10 are told apart in a legend and a chart away from it.
    for vision in VISION:
        for one, other in itertools.combinations(lists["states"], 2):
            assert distance(one, other, vision) >= 10, (name, vision, one, other, distance(one, other, vision))
        assert distance(*lists["flight"], vision) >= 10, (name, vision, lists["flight"])
    # WCAG 2.1, AA: texts 4.5
    for ink in ("ink", "soft"):
        assert contrast(lists[ink][0], lists["paper"][0]) >= 4.5, (name, ink)
END_OF_SCRIPT
}

@test "texts of reports and of the documents' site have the contrast of WCAG 2.1 AA, light and dark" {
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli python3 - "$BMF_SOURCE_DIR" <<'END_OF_SCRIPT'
import re, sys
from colours import contrast
for sheet in ("predict/report/page.css", "docs/site/site.css"):
    roots = re.findall(r":root \{(.*?)\}", open(f"{sys.argv[1]}/{sheet}").read(), re.S)
    assert len(roots) == 2, sheet
    for root in roots:
        colour = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})\b", root))
        for ink in ("ink", "soft", "accent"):
            for paper in ("paper", "page"):
                assert contrast(colour[ink], colour[paper]) >= 4.5, (sheet, ink, paper, contrast(colour[ink], colour[paper]))
END_OF_SCRIPT
}

@test "curves are told apart with every common colour vision, light and dark" {
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli python3 - "$BMF_SOURCE_DIR" <<'END_OF_SCRIPT'
import itertools, re, sys
from colours import VISION, contrast, distance
text = open(sys.argv[1] + "/predict/sheet/chart_style.c").read()
for theme, least in (("light", 2), ("dark", 3)):  # lines on paper: seen, but not texts
    colours = re.findall(r'"(#[0-9a-f]{6})"', re.search(theme + r"_colours\[\w+\] = \{(.*?)\};", text, re.S)[1])
    assert len(colours) == 7, theme
    for vision in VISION:
        for one, other in itertools.combinations(colours, 2):
            assert distance(one, other, vision) >= 10, (theme, vision, one, other, distance(one, other, vision))
    ink, paper = re.findall(r'"(#[0-9a-f]{6})"', re.search(r"put_colours\(out, (.*?)" + theme + "_colours", text)[1])[:2]
    assert contrast(ink, paper) >= 4.5, theme
    assert min(contrast(colour, paper) for colour in colours) >= least, theme
END_OF_SCRIPT
}

@test "classes of sizes and the colours of surfaces are told apart, and rise in lightness, with every common colour vision" {
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli python3 - "$BMF_SOURCE_DIR" <<'END_OF_SCRIPT'
import itertools, re, sys
from colours import VISION, contrast, distance, lab, seen
view, surface = (open(f"{sys.argv[1]}/predict/report/page_{name}.js").read() for name in ("view", "surface"))
of = lambda text: re.findall(r"#[0-9a-f]{6}", text)
themes = dict(re.findall(r"(light|dark): \{\n(.*?)\n  \}", view, re.S))
papers = {name: of(re.search(r"paper: '[^']*'", body)[0])[0] for name, body in themes.items()}
lists = [(name, of(re.search(r"sizes: \[.*?\]", body)[0]), [papers[name]], 2) for name, body in themes.items()]
lists.append(("surface", of(re.search(r"const RAMP = \[.*?\]", surface)[0]), papers.values(), 1.35))
for name, colours, on, least in lists:
    assert len(colours) == 6, name
    for vision in VISION:
        for one, other in itertools.combinations(colours, 2):
            assert distance(one, other, vision) >= 10, (name, vision, one, other, distance(one, other, vision))
        lightness = [lab(seen(colour, vision))[0] for colour in colours]
        steps = [b - a for a, b in zip(lightness, lightness[1:])]
        assert min(steps) > 2 or max(steps) < -2, (name, vision, lightness)
    for paper in on:
        assert min(contrast(colour, paper) for colour in colours) >= least, (name, paper)
END_OF_SCRIPT
}
