#!/usr/bin/env python3
"""Matrices in the language against NumPy, and their products against the reductions that they stand for, bit by bit.

usage: language_matrices.py

On random input whose seed is printed, of shapes around the sizes of tiles and blocks. BMF_BIN_DIR and MPIRUN say where things are.
"""

import os
import random
import subprocess
import tempfile

import numpy as np

BMF = os.path.join(os.environ["BMF_BIN_DIR"], "bmf")
MPIRUN = os.environ.get("MPIRUN", "mpirun.mpich")
SEED = random.SystemRandom().randrange(2 ** 32)
pick = np.random.default_rng(SEED)
REDUCTIONS = """let t = map(j -> map(row -> row[j], b), iota(length(b[0]))) in
    map(row -> map(c -> reduce(+, 0, zip(*, row, c)), t), a)"""


def run(folder, body, *data, ranks=1, procs=1, threads=1):
    """The value of main(a) or main(a, b) as an array."""
    names = ["a", "b"][:len(data)]
    with open(os.path.join(folder, "p.bmf"), "w") as text:
        text.write(f"main({', '.join(names)}) = {body}\n")
    arguments = []
    for name, array in zip(names, data):
        np.save(os.path.join(folder, name), array)
        arguments += ["--arg", os.path.join(folder, name + ".npy")]
    made = os.path.join(folder, "made.npy")
    launch = [MPIRUN, "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run([*launch, BMF, "run", os.path.join(folder, "p.bmf"), *arguments, "--procs", str(procs),
                           "--out", made], capture_output=True, text=True, env={**os.environ, "BMF_THREADS": str(threads)})
    assert done.returncode == 0, (body, [array.shape for array in data], done.stderr)
    return np.load(made)


def same(found, wanted):
    return found.shape == wanted.shape and found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes()


def reals(*shape):
    return pick.uniform(-1, 1, shape) * 2.0 ** pick.integers(-30, 30, shape)


def transposes(folder):
    shapes = [(1, 1), (7, 65), (129, 9), (300, 517)]
    for shape in shapes + [tuple(pick.integers(1, 200, 2))]:
        threads = int(pick.integers(1, 3))
        for m in reals(*shape), pick.integers(-9, 9, shape), pick.integers(0, 2, shape) == 1:
            assert same(run(folder, "transpose(a)", m, threads=threads), np.ascontiguousarray(m.T)), shape
    m = reals(37, 20)
    assert same(run(folder, "transpose(transpose(a))", m), m)
    doubled = "map(row -> map(x -> x + x, row), {})"
    assert same(run(folder, f"transpose({doubled.format('a')})", m), run(folder, doubled.format("transpose(a)"), m))


def slices(folder):
    """Those of NumPy, of random ranges, with bounds that are numbers and names."""
    m, c = reals(37, 20), pick.integers(-9, 9, (6, 7, 8))

    def bounds(n):
        return sorted(int(k) for k in pick.integers(0, n + 1, 2))

    for _ in range(3):
        (i, j), (k, l) = bounds(37), bounds(20)
        if j > i: # a file of arrays keeps no shape of a list without rows
            names = f"let {{i, j, k, l}} = {{{i}, {j}, {k}, {l}}} in a[i ..< j, k ..< l]"
            for text in f"a[{i} ..< {j}, {k} ..< {l}]", names:
                assert same(run(folder, text, m, threads=int(pick.integers(1, 3))), m[i:j, k:l]), text
        assert same(run(folder, f"a[_, {i % 20}]", m), np.ascontiguousarray(m[:, i % 20])), i
        rows = f"a |> split(procs) |> map(p -> p[_, {k} ..< {l}]) |> reduce(++)"
        assert same(run(folder, rows, m, ranks=2, procs=3), m[:, k:l]), rows
        (p, q), (r, s), t = bounds(7), bounds(8), int(pick.integers(0, 6))
        assert same(run(folder, f"a[{t}, {p} ..< 7, {r} ..< {s}]", c), c[t, p:, r:s]) or p == 7, (t, p, r, s)
        assert same(run(folder, f"a[_, {t}, {r} ..< {s}]", c), c[:, t, r:s]), (t, r, s)
    turned = "transpose(a[1 ..< 30, 2 ..< 9])"
    assert same(run(folder, turned, m), np.ascontiguousarray(m[1:30, 2:9].T))
    assert same(run(folder, "matmul(a[_, 0 ..< 5], a[0 ..< 5, _])", m), run(folder, "matmul(a, b)", m[:, :5], m[:5]))


def products(folder):
    """(m, k, n): below and above what is done one by one, tiles of 4 rows and 8 columns, blocks of 128 rows, chunks of 256."""
    shapes = [(1, 1, 1), (5, 300, 17), (131, 256, 9), (2, 1031, 8), (130, 7, 64)]
    for m, k, n in shapes + [tuple(pick.integers(1, 300, 3)) for _ in range(2)]:
        a, b = reals(m, k), reals(k, n)
        wanted = run(folder, REDUCTIONS, a, b)
        assert same(run(folder, "matmul(a, b)", a, b, threads=int(pick.integers(1, 3))), wanted), (m, k, n)
        procs = int(pick.integers(2, 6))
        split = "a |> split(procs) |> map(part -> matmul(part, b)) |> reduce(++)"
        assert same(run(folder, split, a, b, ranks=2, procs=procs), wanted), (m, k, n, procs)
        exact = np.abs(a) @ np.abs(b) * k * 2.0 ** -52
        assert (np.abs(wanted - a @ b) <= exact).all(), (m, k, n)
        c, d = pick.integers(-1000, 1000, (m, k)), pick.integers(-1000, 1000, (k, n))
        assert same(run(folder, "matmul(a, b)", c, d, threads=2), c @ d), (m, k, n)
        turned = run(folder, "matmul(transpose(b), transpose(a))", a, b)
        assert same(turned, np.ascontiguousarray(wanted.T)), (m, k, n)


def large_ints(folder):
    """So large that every sum is checked."""
    c, d = pick.integers(-2 ** 31, 2 ** 31, (9, 70)), pick.integers(-2 ** 24, 2 ** 24, (70, 11))
    c[0, 0] = 2 ** 62
    d[0] = 0
    assert same(run(folder, "matmul(a, b)", c, d), c @ d)


def main():
    print("seed", SEED)
    with tempfile.TemporaryDirectory() as folder:
        for part in transposes, slices, products, large_ints:
            part(folder)
            print(part.__name__)


main()
