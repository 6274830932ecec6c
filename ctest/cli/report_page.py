# What the tests of reports in a browser share; stands before each of them.
import contextlib
import sys

from browser import Browser

CTRL = 2


@contextlib.contextmanager
def report(scheme="light", timeout=60):
    """The report of the command line in a browser; afterwards nothing may have been said or asked for."""
    with Browser(timeout=timeout) as page:
        page.prefer(scheme)
        page.open(sys.argv[1])
        page.settle()
        yield page
        page.settle()
        # Reading pixels is what these tests do, not the page.
        said = [text for text in page.console if "getImageData" not in text]
        assert said == [], said
        assert page.requests == [], page.requests


def window_of(page):
    return [float(page.evaluate(f"document.documentElement.dataset.{side}")) for side in ("from", "to")]


def middle(page, chart):
    """The middle of the upper panel of a chart, scrolled into sight."""
    page.evaluate(f"document.getElementById('{chart}').scrollIntoView({{block: 'center'}})")
    page.settle()
    return page.evaluate(f"(b => [b.left + b.width / 2, b.top + b.height / 3])(document.querySelector('#{chart} canvas').getBoundingClientRect())")


def picture_of(page, chart):
    return page.evaluate(f"document.querySelector('#{chart} canvas').toDataURL()")


def colours(page, canvas):
    """How many colours a canvas shows, up to 50."""
    return page.evaluate("(c => { const seen = new Set(), d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);"
                         f"for (let k = 0; k < d.length && seen.size < 50; k += 7) seen.add(d[k]); return seen.size; }})({canvas})")
