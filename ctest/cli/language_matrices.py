#!/usr/bin/env python3
"""Matrices in the language against NumPy, and their products against the reductions that they stand for, bit by bit.

usage: language_matrices.py

On random input whose seed is printed, of shapes around the sizes of tiles and blocks. BMF_BIN_DIR and MPIRUN say where things are.
"""

import itertools
import json
import math
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


def start(folder, body, *data, ranks=1, procs=1, threads=1, out=None):
    """Runs main(a) or main(a, b); what it prints."""
    names = ["a", "b"][:len(data)]
    with open(os.path.join(folder, "p.bmf"), "w") as text:
        text.write(f"main({', '.join(names)}) = {body}\n")
    arguments = []
    for name, array in zip(names, data):
        np.save(os.path.join(folder, name), array)
        arguments += ["--arg", os.path.join(folder, name + ".npy")]
    launch = [MPIRUN, "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run([*launch, BMF, "run", os.path.join(folder, "p.bmf"), *arguments, "--procs", str(procs),
                           *(["--out", out] if out else [])], capture_output=True, text=True, env={**os.environ, "BMF_THREADS": str(threads)})
    assert done.returncode == 0, (body, [array.shape for array in data], done.stderr)
    return done.stdout


def run(folder, body, *data, **how):
    """The value as an array."""
    made = os.path.join(folder, "made.npy")
    start(folder, body, *data, out=made, **how)
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


def starts(length, parts):
    return [length // parts * k + min(k, length % parts) for k in range(parts + 1)]


def cut(m, grid):
    """The blocks, each a nested list; the first parts have one element more. A list without lists has nothing inside."""
    def nested(block):
        return [nested(b) for b in block] if block.ndim > 1 else block.tolist()
    ends = [starts(n, p) for n, p in zip(m.shape, grid)]
    return [nested(m[tuple(slice(e[k], e[k + 1]) for e, k in zip(ends, place))])
            for place in itertools.product(*map(range, grid))]


def chosen(shape, procs):
    """The grid with most blocks that are not empty, then the shortest edges, then the longest rows."""
    def grids(rest, dimensions):
        if dimensions == 1:
            return [(rest,)]
        return [(k,) + g for k in range(rest, 0, -1) if rest % k == 0 for g in grids(rest // k, dimensions - 1)]

    def worth(grid):
        side = [math.ceil(n / p) for n, p in zip(shape, grid)]
        used = math.prod(min(n, p) for n, p in zip(shape, grid))
        return -used, sum(math.prod(side[:d] + side[d + 1:]) for d in range(len(grid)) if grid[d] > 1)
    return min(grids(procs, len(shape)), key=worth)


def written(grid):
    return "{" + ", ".join(map(str, grid)) + "}"


def grids(folder):
    """Blocks of matrices and of lists of matrices, larger and smaller than their grid, and their whole again."""
    for shape in [(7, 5), (2, 9), (1, 1), (64, 33), (5, 4, 6), (2, 3, 1), (17, 8, 9)]:
        m = pick.integers(-99, 99, shape)
        grid = tuple(int(k) for k in pick.integers(1, 5, len(shape)))
        procs = math.prod(grid)
        ranks, threads, more = int(pick.integers(1, 4)), int(pick.integers(1, 3)), int(pick.integers(0, 3))
        how = dict(ranks=ranks, procs=procs + more, threads=threads)
        assert json.loads(start(folder, f"split({written(grid)}, a)", m, **how)) == cut(m, grid), (shape, grid, how)
        assert json.loads(start(folder, f"cut({written(grid)}, a)", m)) == cut(m, grid), (shape, grid)
        assert same(run(folder, f"join({written(grid)}, cut({written(grid)}, a))", m), m), (shape, grid)
        best = chosen(shape, procs + more)
        any_grid = written("_" * len(shape))
        assert json.loads(start(folder, f"split({any_grid}, a)", m, **how)) == cut(m, best), (shape, procs + more, best)
        body = "x -> x + x"
        for name in "uvw"[:len(shape)]:
            body = f"{name} -> map({body}, {name})"
        doubled = f"join(map({body}, split({written(grid)}, a)))"
        for data in m, reals(*shape), m > 0:
            if data.dtype == bool:
                doubled = doubled.replace("x + x", "not x")
            assert same(run(folder, doubled, data, **how), ~data if data.dtype == bool else data + data), (shape, how)
    m = pick.integers(-99, 99, (6, 8))
    sums = "map(b -> reduce(+, 0, map(r -> reduce(+, 0, r), b)), split({2, 4}, a))"
    assert json.loads(start(folder, sums, m, ranks=2, procs=8)) == [int(np.sum(b)) for b in map(np.array, cut(m, (2, 4)))]


def distributed(folder):
    """Transposes of rows in parts and of blocks, and blocks of other grids."""
    for shape in [(1, 1), (3, 11), (70, 129), (int(pick.integers(1, 90)), int(pick.integers(1, 90)))]:
        procs, ranks = int(pick.integers(1, 7)), int(pick.integers(1, 4))
        r, c = int(pick.integers(1, 4)), int(pick.integers(1, 4))
        p, q = int(pick.integers(1, 4)), int(pick.integers(1, 4))
        how = dict(ranks=ranks, procs=max(procs, r * c, p * q), threads=int(pick.integers(1, 3)))
        for m in reals(*shape), pick.integers(-9, 9, shape), pick.integers(0, 2, shape) == 1:
            turned = np.ascontiguousarray(m.T)
            assert same(run(folder, f"reduce(++, transpose(split({procs}, a)))", m, **how), turned), (shape, how)
            assert same(run(folder, f"join(transpose(split({{{r}, {c}}}, a)))", m, **how), turned), (shape, how)
            moved = f"join(split({{{p}, {q}}}, transpose(split({procs}, a))))"
            assert same(run(folder, moved, m, **how), turned), (shape, moved, how)
    cube = reals(5, 6, 7)
    turned = np.ascontiguousarray(cube.transpose(1, 0, 2))
    assert same(run(folder, "join(transpose(split({2, 3, 1}, a)))", cube, ranks=2, procs=6), turned)
    assert same(run(folder, "reduce(++, transpose(split(4, a)))", cube, ranks=3, procs=4), turned)


def main():
    print("seed", SEED)
    with tempfile.TemporaryDirectory() as folder:
        for part in transposes, slices, products, large_ints, grids, distributed:
            part(folder)
            print(part.__name__)


main()
