#!/usr/bin/env python3
"""Programs in the notation cost what the core language costs that was written by hand before.

usage: notation_cost.py [NAME...]

For every program of ctest/cli/core_examples and the one of examples/ of the same name, on small random input whose seed is
printed: the same value, messages and bytes, run and predicted, on a random number of
processors.
BMF_BIN_DIR, BMF_SOURCE_DIR and MPIRUN say where things are.
"""

import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

BMF = os.path.join(os.environ["BMF_BIN_DIR"], "bmf")
SOURCE = os.environ["BMF_SOURCE_DIR"]
MPIRUN = os.environ.get("MPIRUN", "mpirun.mpich")
SEED = random.SystemRandom().randrange(2 ** 32)
pick = np.random.default_rng(SEED)

INPUT = {
    "11": lambda: pick.integers(0, 21, 500),
    "12": lambda: pick.uniform(5, 9, 501),
    "13": lambda: pick.uniform(-1, 1, (20, 31)),
    "14": lambda: pick.uniform(-1, 1, (30, 30)),
    "15": lambda: pick.uniform(-1, 1, (31, 30)),
    "16": lambda: pick.integers(-1000, 1001, 502),
    "17": lambda: pick.integers(0, 10, 503),
    "18": lambda: pick.integers(0, 10 ** 6, 504),
    "19": lambda: pick.uniform(-2, 1, (100, 2)),
    "20": lambda: pick.uniform(-1, 1, 505),
    "21": lambda: pick.uniform(-1, 1, (101, 2)),
    "22": lambda: pick.uniform(-50, 120, (506, 2)),
    "23": lambda: pick.integers(-1, 9, 507),
    "24": lambda: pick.integers(0, 9, (8, 12)),
    "25": lambda: pick.uniform(-50, 120, (508, 2)),
}


def output(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout, done.stderr


def costs(path, data, processors):
    """Value, what a run sent, and what a prediction sends."""
    value, said = output(MPIRUN, "-n", min(processors, 3), BMF, "run", path, "--arg", data, "--procs", processors, "--stats")
    sent = re.search(r"(\d+) messages?, (\d+) bytes?", said)
    assert sent or "messages" not in said, said
    text, _ = output(BMF, "predict", path, "--arg", data, "--machine", "fast-cluster", "--procs", processors, "--json")
    run = json.loads(text)["runs"][0]
    return value, sent and sent.groups(), (run["messages"], run["bytes"])


def compare(name, folder):
    data = os.path.join(folder, "input.npy")
    np.save(data, INPUT[name[:2]]())
    processors = 16 if name.startswith("24") else int(pick.integers(4 if name.startswith("11") else 2, 9))
    core = costs(os.path.join(SOURCE, "ctest/cli/core_examples", name), data, processors)
    notation = costs(os.path.join(SOURCE, "examples", name), data, processors)
    assert core == notation, (name, processors, core, notation)
    print(f"{name} on {processors}: {notation[2][0]} messages, {notation[2][1]} bytes")


def main():
    print("seed", SEED)
    names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(SOURCE, "ctest/cli/core_examples/*.bmf")))
    assert [name[:2] for name in names] == sorted(INPUT), names
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or names:
            compare(name, folder)


main()
