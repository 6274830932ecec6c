#!/usr/bin/python3
"""What bmf parallelise makes of the serial programs in examples/serial against the examples as they were written by hand.

usage: serial_examples.py MACHINE [NAME..]     prints a line for each and number of processors: name, processors, predicted time of
                                               the found program / that of the one by hand; with names those only, on the first
                                               number of processors. The found program makes what the serial one does, or the
                                               exit code is 1; reals may differ by rounding where sums in another order are allowed.
BMF_BIN_DIR and BMF_SOURCE_DIR say where things are.
"""

import json
import math
import os
import pathlib
import re
import subprocess
import sys

BMF = os.path.join(os.environ["BMF_BIN_DIR"], "bmf")
EXAMPLES = pathlib.Path(os.environ["BMF_SOURCE_DIR"]) / "examples"
PROCESSORS = {"11-factorials": (4,), "24-nested-split": (16,), "26-regression": (2, 3)}  # the programs by hand are for no fewer
FREE = {"12-mean-variance", "25-k-means", "26-regression", "27-k-means-step"}  # by hand, parts are summed up on their own
# so many points that the first part has 8, with which the program by hand begins
ARGUMENT = {"25-k-means": [[(7 * k) % 20 * 1.5, (3 * k) % 7 * 2.0] for k in range(40)]}


def by_hand(name):
    places = (EXAMPLES, EXAMPLES / "cowichan", pathlib.Path(__file__).parent)
    return next(place / f"{name}.bmf" for place in places if (place / f"{name}.bmf").exists())


def bmf(processors, *words):
    line = [BMF, *words, "--machine", sys.argv[1], "--procs", str(processors), "--json"]
    return json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout)


def value(processors, *words):
    line = [BMF, "run", *words, "--procs", str(processors)]
    return subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout


def same(a, b, rounded):
    if not rounded:
        return a == b
    number = r"-?\d[\d.]*(?:e[-+]?\d+)?"
    return re.sub(number, "x", a) == re.sub(number, "x", b) and all(
        math.isclose(float(x), float(y), rel_tol=1e-9, abs_tol=1e-12) for x, y in zip(re.findall(number, a), re.findall(number, b)))


def compare(serial, all_processors):
    name = serial.stem
    argument = []
    if name in ARGUMENT:
        pathlib.Path(f"{name}.data").write_text(json.dumps(ARGUMENT[name]))
        argument = ["--arg", f"{name}.data"]
    for processors in PROCESSORS.get(name, (2, 4))[:None if all_processors else 1]:
        best = bmf(processors, "parallelise", str(serial), *argument, *["--free"] * (name in FREE))["candidates"][0]
        if best["rough"]:
            sys.exit(f"{name}: the best program was predicted roughly only")
        hand = bmf(processors, "predict", str(by_hand(name)), *argument)["runs"][0]["seconds"]
        print(name, processors, f"{best['seconds'] / hand:.4f}", flush=True)
        pathlib.Path("found.bmf").write_text(best["program"])
        if not same(value(processors, "found.bmf", *argument), value(1, str(serial), *argument), name in FREE):
            sys.exit(f"{name} on {processors} processors: another value than the serial program's")


for path in sorted((EXAMPLES / "serial").glob("*.bmf")):
    if not sys.argv[2:] or path.stem in sys.argv[2:]:
        compare(path, not sys.argv[2:])
