#!/usr/bin/env python3
"""Words of the language for lists by keys and with neighbours: values are NumPy's, bit by bit where the order of additions is the
same, and do not depend on processors.

usage: language_words.py

On random input whose seed is printed, on random numbers of processors. BMF_BIN_DIR, BMF_SOURCE_DIR, MPIRUN say where things are.
"""

import ast
import os
import random
import re
import subprocess
import tempfile

import numpy as np

BMF = os.path.join(os.environ["BMF_BIN_DIR"], "bmf")
SOURCE = os.environ["BMF_SOURCE_DIR"]
MPIRUN = os.environ.get("MPIRUN", "mpirun.mpich")
SEED = random.SystemRandom().randrange(2 ** 32)
pick = np.random.default_rng(SEED)


def run(folder, program, *data, processors=1, ranks=None):
    """The value, and what was sent: messages and bytes."""
    path = os.path.join(folder, "program.bmf")
    with open(path, "w") as text:
        text.write(program)
    arguments = []
    for k, array in enumerate(data):
        np.save(os.path.join(folder, f"{k}.npy"), array)
        arguments += ["--arg", os.path.join(folder, f"{k}.npy")]
    command = [MPIRUN, "-n", str(ranks or min(processors, 3)), BMF, "run", path, *arguments, "--procs", str(processors), "--stats"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (program, done.stderr)
    sent = re.search(r"(\d+) messages?, (\d+) bytes?", done.stderr)
    words = re.sub(r"\btrue\b", "True", re.sub(r"\bfalse\b", "False", done.stdout)).replace("{", "(").replace("}", ")")
    return ast.literal_eval(words), (int(sent[1]), int(sent[2])) if sent else (0, 0)


def some_processors():
    return int(pick.integers(2, 8))


def by_key(folder):
    """1, 2, 4, .. blocks, as many as have 1024 elements and 6 for each key, the fixed tree over blocks: computed in Python."""
    keys = int(pick.integers(1, 300))
    numbers = pick.integers(0, keys, 5000 + int(pick.integers(0, 3000)))
    values = pick.uniform(-1, 1, len(numbers))
    blocks = 1
    while len(numbers) >= 2 * blocks * max(1024, 6 * keys):
        blocks *= 2
    block = -(-len(numbers) // blocks)
    tables = []
    for begin in range(0, len(numbers), block):
        table = [0.0] * keys
        for key, value in zip(numbers[begin:begin + block], values[begin:begin + block]):
            table[key] += value
        tables.append(table)

    def join(a, b):
        return [x if y == 0.0 else y if x == 0.0 else x + y for x, y in zip(a, b)]

    def node(begin, count):
        return tables[begin] if count == 1 else join(node(begin, count // 2), node(begin + count // 2, count // 2))

    total, done = None, 0
    for digit in reversed(range(20)):
        if len(tables) >> digit & 1:
            one = node(done, 1 << digit)
            total = one if total is None else join(total, one)
            done += 1 << digit
    program = "main(keys, values) = let n = %d in {%s}\n"
    placed = "zip(keys, values) |> reduce_by_key(+, 0.0, n)"
    spread = "zip(keys, values) |> split(procs) |> reduce_by_key(+, 0.0, n)"
    (a, b), sent = run(folder, program % (keys, placed + ", " + spread), numbers, values, processors=some_processors())
    assert a == b == total, "sums by key"
    assert np.allclose(a, np.bincount(numbers, values, keys))
    counts, _ = run(folder, "main(xs) = xs |> split(procs) |> map(p -> map(x -> {x, 1}, p)) |> reduce_by_key(+, 0, %d)\n" % keys,
                    numbers, processors=some_processors())
    assert counts == np.bincount(numbers, minlength=keys).tolist()
    print(f"sums of {len(numbers)} values by {keys} keys")


def messages_by_key(folder):
    """A message from all processors but the first: what the levels of a reduction send, a table for every node of the fixed
    tree among the blocks, one of every processor, that a value covers. Processors are as many as there can be blocks."""
    processors = 2 ** int(pick.integers(1, 4))
    xs = pick.integers(0, 4, 1024 * processors)
    _, alone = run(folder, "main(xs) = xs |> split(procs) |> map(length) |> reduce(+)\n", xs, processors=processors)
    table, sent = run(folder, "main(xs) = {xs |> split(procs) |> map(length) |> reduce(+), "
                      "xs |> split(procs) |> map(p -> map(x -> {x, real(x)}, p)) |> reduce_by_key(+, 0.0, 4)}\n",
                      xs, processors=processors)
    _, split = run(folder, "main(xs) = {xs |> split(procs) |> map(length) |> reduce(+), xs |> split(procs) |> length}\n", xs,
                   processors=processors)
    assert sent[0] - split[0] == processors - 1, (sent, split)
    tables = sum(bin(min(distance, processors - item)).count("1")
                 for distance in (1, 2, 4) for item in range(distance, processors, 2 * distance))
    assert sent[1] - split[1] == tables * 4 * 8, (sent, split)


def sorting(folder):
    keys = pick.integers(0, 40, 700)
    values = pick.uniform(-1, 1, 700)
    order = np.argsort(keys, kind="stable")
    pairs = [(int(k), float(v)) for k, v in zip(keys[order], values[order])]
    expected = [(int(k), values[keys == k].tolist()) for k in np.unique(keys)]
    program = ("main(keys, values) = let pairs = zip(keys, values) in "
               "{sort_by({k, _} -> k, pairs), pairs |> split(procs) |> sort_by({k, _} -> k) |> reduce(++), "
               "group({k, _} -> k, pairs) |> map({k, all} -> {k, map({_, v} -> v, all)}), unique(keys), "
               "pairs |> split(procs) |> group({k, _} -> k) |> map(p -> map({k, all} -> {k, map({_, v} -> v, all)}, p)) |> "
               "reduce(++), keys |> split(procs) |> unique |> reduce(++), let n = keys[0] + 1 in "
               "{group(x -> x mod n, keys), keys |> split(procs) |> group(x -> x mod n) |> reduce(++)}}\n")
    (a, b, groups, unique, joint_groups, joint_unique, by_name), _ = run(folder, program, keys, values,
                                                                         processors=some_processors())
    assert a == b == pairs
    assert groups == joint_groups == expected
    rests = keys % (keys[0] + 1)
    assert by_name[0] == by_name[1] == [(int(r), keys[rests == r].tolist()) for r in np.unique(rests)]
    assert unique == joint_unique == np.unique(keys).tolist()


def shifts(folder):
    xs = pick.uniform(-1, 1, int(pick.integers(1, 60)))
    k = int(pick.integers(1, 9))
    program = f"main(xs) = {{shift({k}, xs), shift(-{k}, xs), shift({k}, 0.0, xs), shift(-{k}, x -> 2.0 * x, xs)}}\n"
    (on, back, zeros, own), _ = run(folder, program, xs)
    assert on == np.roll(xs, k).tolist() and back == np.roll(xs, -k).tolist()
    n = min(k, len(xs))
    assert zeros == [0.0] * n + xs[:len(xs) - n].tolist()
    assert own == xs[n:].tolist() + (2.0 * xs[len(xs) - n:]).tolist()


def shift_messages(folder):
    """One message to a neighbour from all processors but one, or from all."""
    processors = some_processors()
    xs = pick.uniform(-1, 1, 4 * processors)
    _, split = run(folder, "main(xs) = xs |> split(procs) |> length\n", xs, processors=processors)
    for words, expected in ("shift(1, 0.0, es)", processors - 1), ("shift(-1, 0.0, es)", processors - 1), ("shift(1, es)", processors):
        _, sent = run(folder, f"main(xs) = let es = xs |> split(procs) |> map(p -> p[0]) in length({words})\n", xs,
                      processors=processors)
        assert (sent[0] - split[0], sent[1] - split[1]) == (expected, 8 * expected), (words, sent, split)


def runs_around(length, processors, reach, ring):
    """Messages and elements that parts get of each other: a message for every run of elements that a part does not have."""
    start = np.cumsum([0] + [length // processors + (k < length % processors) for k in range(processors)])
    owner = np.repeat(np.arange(processors), np.diff(start))
    messages = elements = 0
    for part in range(processors):
        if start[part] == start[part + 1]:
            continue
        for side in range(start[part] - reach, start[part]), range(start[part + 1], start[part + 1] + reach):
            before = None
            for i in side:
                if not ring and not 0 <= i < length:
                    continue
                element = i % length
                if owner[element] != part:
                    messages += before is None or owner[before] != owner[element] or element != before + 1
                    elements += 1
                before = element
    return messages, elements


def windows(folder):
    """Of any reach, on short and long lists and parts, in rings, with constants and functions beyond the ends."""
    for length in int(pick.integers(1, 12)), int(pick.integers(300, 3000)):
        reach, processors = int(pick.integers(1, 6)), some_processors()
        xs = pick.integers(-100, 100, length)
        names = [f"x{k}" for k in range(2 * reach + 1)]
        function = "{" + ", ".join(names) + "} -> " + " + ".join(f"{k + 1} * {name}" for k, name in enumerate(names))
        for words, beyond in ("", None), (", 7", lambda x: 7), (", x -> 2 * x", lambda x: 2 * x):
            def near(i, k):
                return xs[(i + k) % length] if beyond is None or 0 <= i + k < length else beyond(xs[i])
            expected = [sum((reach + k + 1) * int(near(i, k)) for k in range(-reach, reach + 1)) for i in range(length)]
            call = f"stencil({reach}, {function}{words}, "
            (placed, parts, rows), _ = run(folder, f"main(xs) = {{{call}xs), reduce(++, {call}split(procs, xs))), "
                                           f"map(row -> {call}row), [xs, pick(xs, iota(0)), xs])}}\n", xs, processors=processors)
            assert placed == parts == expected and rows == [expected, [], expected], (call, length, processors)
            _, split = run(folder, "main(xs) = xs |> split(procs) |> length\n", xs, processors=processors)
            _, sent = run(folder, f"main(xs) = length({call}split(procs, xs)))\n", xs, processors=processors)
            messages, elements = runs_around(length, processors, reach, beyond is None)
            assert (sent[0] - split[0], sent[1] - split[1]) == (messages, 8 * elements), (call, length, processors, sent, split)
            if beyond and length >= reach * processors:
                assert messages == 2 * (processors - 1), "2 messages between neighbours, whatever the reach"


def planes(folder):
    """Of rows: NumPy's padding beyond the edges, by native code and by lists, with a name from outside, placed and in parts."""
    for rows, columns in (int(pick.integers(1, 8)), int(pick.integers(1, 8))), (int(pick.integers(3, 9)), int(pick.integers(1025, 1300))):
        high, wide = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1))[int(pick.integers(0, 5))]
        processors = some_processors()
        xs = pick.integers(-100, 100, (rows, columns))
        names = [[f"x{dy}_{dx}" for dx in range(2 * wide + 1)] for dy in range(2 * high + 1)]
        weights = pick.integers(-9, 10, (2 * high + 1, 2 * wide + 1))
        terms = " + ".join(f"({weights[y][x]}) * {name}" for y, row in enumerate(names) for x, name in enumerate(row))
        window = "{" + ", ".join("{" + ", ".join(row) + "}" for row in names) + "}"
        pad = (high, high), (wide, wide)
        for words, around in (("", np.pad(xs, pad, "wrap")), (", 7", np.pad(xs, pad, constant_values=7)),
                              (", u -> u", np.pad(xs, pad, "symmetric"))):
            expected = sum(int(weights[y, x]) * around[y:y + rows, x:x + columns]
                           for y in range(2 * high + 1) for x in range(2 * wide + 1))
            call = f"stencil({{{high}, {wide}}}, {window} -> k + {terms}{words}, "
            by_lists = f"stencil({{{high}, {wide}}}, {window} -> reduce(+, [k, {terms}]){words}, "
            (placed, parts, listed), _ = run(folder, f"let k = 3\nmain(xs) = {{{call}xs), reduce(++, {call}split(procs, xs))), "
                                             f"reduce(++, {by_lists}split(procs, xs)))}}\n", xs, processors=processors)
            assert placed == parts == listed == (3 + expected).tolist(), (call, rows, columns, processors)
            (handed, twice), _ = run(folder, f"main(ks, xs) = let k = length(ks) in {{reduce(++, {call}split(procs, xs))), "
                                     f"map(x -> {call}x), [xs, xs])}}\n", np.arange(3), xs, processors=processors)
            assert handed == placed and twice == [placed, placed], (call, rows, columns, processors)
        _, split = run(folder, "main(xs) = xs |> split(procs) |> length\n", xs, processors=processors)
        _, sent = run(folder, f"main(xs) = let k = 3 in length({call}split(procs, xs)))\n", xs, processors=processors)
        messages, elements = runs_around(rows, processors, high, False)
        assert sent[0] - split[0] == messages + processors - 1, (call, sent, split)  # and k to all
        assert sent[1] - split[1] == elements * (16 + 8 * columns) + 8 * (processors - 1), (call, sent, split)


EDGES = "front", "back", "above", "below", "left", "right"


def beyond(xs, reach, edges):
    """xs with what stands beyond its edges, dimension by dimension, the last first. edges: "ring", a number or a function for each."""
    for axis in reversed(range(xs.ndim)):
        r, n = reach[axis], xs.shape[axis]
        index = np.arange(-r, n + r)
        ring, mirror = index % n, np.minimum(index % (2 * n), 2 * n - 1 - index % (2 * n))
        wide = np.take(xs, ring if edges[2 * axis] == "ring" else mirror, axis)
        ends = np.moveaxis(wide, axis, 0)
        for edge, side in (edges[2 * axis], slice(0, r)), (edges[2 * axis + 1], slice(n + r, n + 2 * r)):
            if edge != "ring":
                ends[side] = edge(ends[side]) if callable(edge) else edge
        xs = wide
    return xs


def some_edges(dimensions):
    """For each of a stencil: the words of the notation, and what they mean."""
    offered = (("-3", -3), ("100", 100), ("u -> u", lambda u: u), ("u -> 2 * u - 7", lambda u: 2 * u - 7), ("5 * k", 15), ("u -> u * k", lambda u: 3 * u))
    words, edges = [], []
    for _ in range(dimensions):
        for _ in range(2):
            text, edge = offered[int(pick.integers(0, len(offered)))]
            words.append(text)
            edges.append(edge)
        if pick.integers(0, 3) == 0:
            words[-2:] = edges[-2:] = "ring", "ring"
    names = EDGES[6 - 2 * dimensions:]
    order = pick.permutation(2 * dimensions)
    return "{" + ", ".join(f"{names[k]}: {words[k]}" for k in order) + "}", edges


def names_of(reach, prefix="x"):
    """The pattern of a window, and its names in order."""
    if not reach:
        return prefix, [prefix]
    inner = [names_of(reach[1:], f"{prefix}_{k}") for k in range(2 * reach[0] + 1)]
    return "{" + ", ".join(text for text, _ in inner) + "}", [name for _, names in inner for name in names]


def edges(folder):
    """Lists, planes and cubes of any shape: what NumPy makes of them with the same edges, placed and in parts."""
    shapes = [(int(pick.integers(1, 9)),), (int(pick.integers(300, 900)),), tuple(pick.integers(1, 8, 2)), tuple(pick.integers(1, 6, 3)),
              (int(pick.integers(4, 9)), int(pick.integers(3, 7)), int(pick.integers(60, 300))), (int(pick.integers(20, 40)), 1, 3)]
    for shape in shapes:
        reach = (1,) * len(shape)
        if len(shape) == 2:
            reach = ((1, 1), (1, 2), (2, 1), (2, 2))[int(pick.integers(0, 4))]
        xs = pick.integers(-100, 100, shape)
        processors = some_processors()
        pattern, names = names_of(reach)
        weights = pick.integers(-9, 10, len(names))
        terms = " + ".join(f"({weight}) * {name}" for weight, name in zip(weights, names))
        reaches = str(reach[0]) if len(reach) == 1 else "{" + ", ".join(map(str, reach)) + "}"
        sides = [("", ["ring"] * 2 * len(shape)), ("7, ", [7] * 2 * len(shape)), ("u -> u, ", [lambda u: u] * 2 * len(shape))]
        for _ in range(3):
            text, chosen = some_edges(len(shape))
            sides.append((text + ", ", chosen))
        for words, chosen in sides:
            around = beyond(xs, reach, chosen)
            places = np.ndindex(*(2 * r + 1 for r in reach))
            expected = sum(int(weight) * around[tuple(slice(k, k + n) for k, n in zip(place, shape))] for weight, place in zip(weights, places))
            scalar = f"stencil({reaches}, {pattern} -> k + {terms}, {words}"
            listed = f"stencil({reaches}, {pattern} -> reduce(+, [k, {terms}]), {words}"
            (placed, parts, by_lists, twice), _ = run(folder, f"main(ks, xs) = let k = length(ks) in {{{scalar}xs), reduce(++, {scalar}split(procs, xs))), "
                f"reduce(++, {listed}split(procs, xs))), map(x -> {scalar}x), [xs, xs])}}\n", np.arange(3), xs, processors=processors)
            assert placed == parts == by_lists == (3 + expected).tolist() and twice == [placed, placed], (scalar, shape, processors)
        if len(shape) == 1:
            continue
        call = f"stencil({reaches}, {pattern} -> {terms}, 7, "
        _, split = run(folder, "main(xs) = xs |> split(procs) |> length\n", xs, processors=processors)
        _, sent = run(folder, f"main(xs) = length({call}split(procs, xs)))\n", xs, processors=processors)
        messages, elements = runs_around(shape[0], processors, reach[0], False)
        bytes_each = 16 + 8 * shape[1] if len(shape) == 2 else 16 + 8 * shape[1] + 8 * shape[1] * shape[2]
        assert (sent[0] - split[0], sent[1] - split[1]) == (messages, elements * bytes_each), (call, shape, sent, split)


def halos(shape, grid, reach, rings):
    """Messages and points that blocks of a grid get: axis by axis, the last first, runs of another block's points along the axis, of all
    points across it, with what was got before along the axes behind."""
    starts = [[k * (n // p) + min(k, n % p) for k in range(p + 1)] for n, p in zip(shape, grid)]
    messages = points = 0
    for block in np.ndindex(*grid):
        width = [s[k + 1] - s[k] for s, k in zip(starts, block)]
        if 0 in width:
            continue
        for axis in reversed(range(len(shape))):
            n, begin, end = shape[axis], starts[axis][block[axis]], starts[axis][block[axis] + 1]
            got = 0
            for side in range(begin - reach[axis], begin), range(end, end + reach[axis]):
                last = None
                for at in side:
                    if not (rings[axis] or 0 <= at < n):
                        continue
                    got += 1
                    owner = max(k for k in range(grid[axis]) if starts[axis][k] <= at % n)
                    if owner != block[axis]:
                        across = int(np.prod(width)) // width[axis]
                        messages += last != (owner, at % n - 1)
                        points += across
                    last = owner, at % n
            width[axis] += got
    return messages, points


def numbers_of(numbers):
    return "{" + ", ".join(map(str, numbers)) + "}"


def grids(folder):
    """Stencils of the blocks of a grid, of any shape, also empty and narrower than windows reach, with any edges: NumPy's values, what
    a placed stencil makes, in one step and in loops, by native code and by lists, with names from outside; and their messages."""
    shapes = [tuple(pick.integers(1, 12, 2)), tuple(pick.integers(1, 12, 2)), tuple(pick.integers(30, 60, 2)),
              tuple(pick.integers(1, 7, 3)), tuple(pick.integers(1, 7, 3))]
    for shape in shapes:
        shape = tuple(map(int, shape))
        reach = tuple(map(int, pick.integers(1, 3, 2))) if len(shape) == 2 else (1, 1, 1)
        grid = tuple(map(int, pick.integers(1, 5, 2) if len(shape) == 2 else pick.integers(1, 4, 3)))
        processors = int(np.prod(grid)) + int(pick.integers(0, 3))
        xs = pick.integers(-100, 100, shape)
        pattern, names = names_of(reach)
        weights = pick.integers(-9, 10, len(names))
        terms = " + ".join(f"({weight}) * {name}" for weight, name in zip(weights, names))
        sides = [("", ["ring"] * 2 * len(shape)), ("7, ", [7] * 2 * len(shape)), ("u -> u, ", [lambda u: u] * 2 * len(shape))]
        for _ in range(2):
            text, chosen = some_edges(len(shape))
            sides.append((text + ", ", chosen))
        for words, chosen in [sides[k] for k in pick.permutation(len(sides))[:3]]:
            expected = [xs]
            for _ in range(3):
                around = beyond(expected[-1], reach, chosen)
                places = np.ndindex(*(2 * r + 1 for r in reach))
                summed = 3 + sum(int(weight) * around[tuple(slice(k, k + n) for k, n in zip(place, shape))]
                                 for weight, place in zip(weights, places))
                expected.append(summed % 1009)
            scalar = f"stencil({numbers_of(reach)}, {pattern} -> ((k + {terms}) mod 1009 + 1009) mod 1009, {words}"
            listed = f"stencil({numbers_of(reach)}, {pattern} -> (reduce(+, [k, {terms}]) mod 1009 + 1009) mod 1009, {words}"
            blocks = f"split({numbers_of(grid)}, xs)"
            (placed, whole, by_lists, steps), _ = run(folder, f"main(ks, xs) = let k = length(ks) in {{{scalar}xs), join({scalar}{blocks})), "
                f"join({listed}{blocks})), join(loop b = {blocks} for i < 3 do {scalar}b))}}\n", np.arange(3), xs, processors=processors,
                ranks=int(pick.integers(1, min(processors, 4) + 1)))
            assert placed == whole == by_lists == expected[1].tolist() and steps == expected[3].tolist(), (scalar, shape, grid)
            if "k" in words:
                continue
            call = f"stencil({numbers_of(reach)}, {pattern} -> {terms}, {words}"
            _, split = run(folder, f"main(xs) = length({blocks})\n", xs, processors=processors)
            _, sent = run(folder, f"main(xs) = length({call}{blocks}))\n", xs, processors=processors)
            messages, points = halos(shape, grid, reach, [edge == "ring" for edge in chosen[::2]])
            assert (sent[0] - split[0], sent[1] - split[1]) == (messages, 8 * points), (call, shape, grid, sent, split)


def run_to_array(folder, program, xs, processors):
    path, made = os.path.join(folder, "program.bmf"), os.path.join(folder, "made.npy")
    with open(path, "w") as text:
        text.write(program)
    np.save(os.path.join(folder, "0.npy"), xs)
    subprocess.run([MPIRUN, "-n", str(min(processors, 3)), BMF, "run", path, "--arg", os.path.join(folder, "0.npy"), "--procs", str(processors),
                    "--out", made], check=True, capture_output=True)
    return np.load(made)


def relaxed_window(x, any_of, all_of):
    """For names or arrays of a window of five, or seven: functions that ask whether neighbours are infinite, as those at edges do."""
    u, near = x[0], x[1:]
    total = near[0]
    for y in near[1:]:
        total = total + y
    product = near[0] * 0.5 - near[1] + near[2] * near[3]
    return (any_of([y == np.inf for y in near]), u, 0.25 * total), (all_of([y < np.inf for y in near]), product, u), \
        (any_of([y == -np.inf for y in near]), near[0], total / (u * u + 1.0))


def relaxed(folder):
    """Reals with infinities, NaN and zeros of both signs, many or few or none, in planes and cubes of odd sizes, of one column, of one
    row, and of more points than are computed at a time: NumPy's bits."""
    shapes = [(1, 1), (int(pick.integers(130, 200)), 1), (1, int(pick.integers(2, 90))), (int(pick.integers(40, 90)), 2 * int(pick.integers(1, 40)) + 1),
              (5, int(pick.integers(1025, 2000))), (150, 511), (3, 70001), (6, int(pick.integers(3, 60)), int(pick.integers(1, 60))), (3, 1, 40)]
    conditions = ("{0} == inf", " or "), ("{0} < inf", " and "), ("-inf == {0}", " or ")
    for shape in shapes:
        processors = some_processors()
        xs = pick.uniform(-4, 4, shape)
        special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e308])
        where = pick.uniform(0, 1, shape) < (0, 0.002, 0.1)[int(pick.integers(0, 3))]
        xs[where] = special[pick.integers(0, 6, int(where.sum()))]
        steps = [tuple(int(k == axis) * side for k in range(len(shape))) for axis in range(len(shape)) for side in (-1, 1)]
        places = [(0,) * len(shape), *steps]
        pattern, names = names_of((1,) * len(shape))
        index = [int(np.ravel_multi_index([k + 1 for k in place], (3,) * len(shape))) for place in places]
        x = [names[i] for i in index]
        texts = (x[0], "0.25 * (" + " + ".join(x[1:]) + ")"), (f"{x[1]} * 0.5 - {x[2]} + {x[3]} * {x[4]}", x[0]), \
            (x[1], "(" + " + ".join(x[1:]) + f") / ({x[0]} * {x[0]} + 1.0)")
        for k, ((condition, join), (then, otherwise)) in enumerate(zip(conditions, texts)):
            edge, fill = (("inf", np.inf), ("-inf", -np.inf), ("-0.5", -0.5))[int(pick.integers(0, 3))]
            expected = xs
            with np.errstate(all="ignore"):
                for _ in range(2):
                    around = np.pad(expected, 1, constant_values=fill)
                    shown = [around[tuple(slice(1 + d, 1 + d + n) for d, n in zip(place, shape))] for place in places]
                    asked, first, second = relaxed_window(shown, np.logical_or.reduce, np.logical_and.reduce)[k]
                    expected = np.where(asked, first, second)
            function = f"{pattern} -> if {join.join(condition.format(y) for y in x[1:])} then {then} else {otherwise}"
            call = f"stencil({{{', '.join('1' * len(shape))}}}, {function}, {edge}, "
            program = f"main(xs) = reduce(++, loop parts = split(procs, xs) for i < 2 do {call}parts))\n"
            if pick.integers(0, 2):
                program = f"main(xs) = {call}{call}xs))\n"
            made = run_to_array(folder, program, xs, processors)
            nan = np.isnan(expected)
            assert made.shape == shape and (np.isnan(made) == nan).all(), (program, shape, processors)
            assert (made.view(np.int64) == expected.view(np.int64))[~nan].all(), (program, shape, processors)


def jacobi(folder):
    """2-D relaxation of rows in parts: NumPy's bits, and 2 messages of a row a step and part, but at the ends."""
    program = """
let five({n, {w, c, e}, s}) = if w == inf then c else 0.25 * (n + s + (w + e))
let row({n, c, s}) =
    zip({n, {window, s}} -> five({n, window, s}), n, zip(stencil(1, {w, c, e} -> {if e == inf then inf else w, c, e}, inf, c), s))
let inner({n, c, s}) = if length(n) == 0 or length(s) == 0 then c else row({n, c, s})
main(us) =
    let parts = loop parts = split(procs, us) for i < %d do stencil(1, inner, c -> pick(c, iota(0)), parts) in
    reduce(++, parts)
"""
    rows, columns = int(pick.integers(9, 20)), int(pick.integers(3, 12))
    us = pick.uniform(0, 1, (rows, columns))
    v = us.copy()
    for _ in range(7):
        v[1:-1, 1:-1] = 0.25 * (v[:-2, 1:-1] + v[2:, 1:-1] + (v[1:-1, :-2] + v[1:-1, 2:]))
    processors = some_processors()
    found, sent = run(folder, program % 7, us, processors=processors)
    assert found == v.tolist()
    _, before = run(folder, program % 0, us, processors=processors)
    assert sent[0] - before[0] == 7 * 2 * (processors - 1), (sent, before)


def characters(name):
    """Of a program, without comments and its default."""
    with open(os.path.join(SOURCE, "examples", name)) as file:
        text = file.read()
    lines = text[:text.rindex("default")].split("\n")
    return len("\n".join(line for line in lines if not line.startswith("#")).strip())


def review(folder):
    """The three programs that a new user wrote: at most 60 % of their characters in C with skeletons (746 for the regression,
    1617 for one step of k-means, 2342 for Jacobi without residuals), and NumPy's values. Jacobi is in notation.bats."""
    for name, in_c in ("26-regression.bmf", 746), ("31-k-means-by-key.bmf", 1617), ("30-jacobi-plane.bmf", 2342):
        assert characters(name) <= 0.6 * in_c, (name, characters(name))
        print(f"{name}: {characters(name)} characters, {100 * characters(name) / in_c:.0f} %")
    with open(os.path.join(SOURCE, "examples", "26-regression.bmf")) as file:
        regression = file.read()
    x = pick.uniform(0, 10, 501)
    points = np.stack([x, 3 * x - 2 + pick.normal(0, 0.1, 501)], 1)
    found, _ = run(folder, regression, points, processors=some_processors())
    assert np.allclose(found, np.polyfit(points[:, 0], points[:, 1], 1)[::-1], rtol=1e-9)
    with open(os.path.join(SOURCE, "examples", "31-k-means-by-key.bmf")) as file:
        means = file.read()
    middle = pick.uniform(-50, 50, (4, 2))
    points = middle[pick.integers(0, 4, 3000)] + pick.normal(0, 9, (3000, 2))
    found, _ = run(folder, means, points, points[:4], processors=some_processors())
    again, _ = run(folder, means, points, points[:4])
    assert found == again, "the same bits on any number of processors"
    centres, change = points[:4], np.inf
    while change >= 1e-6:
        label = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
        count = np.bincount(label, minlength=4)
        sums = np.stack([np.bincount(label, points[:, d], 4) for d in (0, 1)], 1)
        following = np.where(count[:, None] == 0, centres, sums / np.maximum(count, 1)[:, None])
        change, centres = np.abs(following - centres).max(), following
    assert np.allclose(found, centres, rtol=1e-9), (found, centres)


def main():
    print("seed", SEED)
    with tempfile.TemporaryDirectory() as folder:
        for part in by_key, messages_by_key, sorting, shifts, shift_messages, windows, planes, edges, grids, relaxed, jacobi, review:
            part(folder)
            print(part.__name__)


main()
