#!/usr/bin/python3
"""Runs a program with bmf from Python, reads its result and its trace, and prints where the time went.

    29-from-python.py [POINTS] [RANKS,RANKS,..]     default: 200000 1,2,4; bmf and mpirun.mpich are in the path (or BMF, MPIRUN say)

The program is the step of k-means in 27-k-means-step.bmf. Each part below is a cell of a notebook; it needs Python and NumPy.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy

bmf, mpirun = os.environ.get("BMF", "bmf"), os.environ.get("MPIRUN", "mpirun.mpich")
program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "27-k-means-step.bmf")
points = int(sys.argv[1]) if len(sys.argv) > 1 else 200000
ranks = [int(r) for r in sys.argv[2].split(",")] if len(sys.argv) > 2 else [1, 2, 4]
directory = tempfile.TemporaryDirectory(prefix="bmf-python-")  # removed at the end
os.chdir(directory.name)

# %% Data: three clouds of points, an (n, 2) array.
rng = numpy.random.default_rng(1)
means = numpy.array([[0.2, 0.1], [0.5, 0.8], [0.8, 0.3]])
data = means[rng.integers(0, 3, points)] + 0.1 * rng.standard_normal((points, 2))
numpy.save("points.npy", data)

# %% What NumPy gives: the centres of the points nearest to those of the program.
start = numpy.array([[0.1, 0.1], [0.5, 0.9], [0.9, 0.2]])
nearest = ((data[:, None] - start) ** 2).sum(2).argmin(1)
expected = numpy.array([data[nearest == k].mean(0) for k in range(3)])


# %% One run: the result is an array with a field for each component, the trace one line of JSON.
def run(r):
    subprocess.run([mpirun, "-n", str(r), bmf, "run", program, "--arg", "points.npy", "--out", "centres.npy", "--trace", "run.trace"],
                   check=True)
    centres = numpy.load("centres.npy")
    report = json.loads(subprocess.check_output([bmf, "report", "run.trace", "--json"]))["runs"][0]
    return numpy.column_stack([centres["f0"], centres["f1"]]), report


# %% A table: the longest time any processor spent in computing, communication and files.
print(f"{'ranks':>5} {'time':>10} {'computing':>10} {'communic.':>10} {'productive':>10}  largest difference to NumPy")
for r in ranks:
    centres, report = run(r)
    program_interval = report["intervals"][0]
    most, whole = program_interval["most"], program_interval["all"]
    error = abs(centres - expected).max()
    print(f"{r:5} {report['seconds'] * 1e3:7.2f} ms {most['compute'] * 1e-6:7.2f} ms {most['communication'] * 1e-6:7.2f} ms "
          f"{whole['productive'] / whole['total']:10.1%}  {error:.1e}  " + "#" * round(30 * whole["productive"] / whole["total"]))
    assert error < 1e-12 * points, "the centres are not NumPy's"

# %% The same in words, of the last run.
print("\n" + "\n".join(report["answer"]))
