#!/usr/bin/python3
"""Whether the Cowichan programs in the language find what those in plain MPI find.

    cowichan_versions.py make N        writes what both read: plain-NAME.npy and its like for the one, NAME.npy for the other
    cowichan_versions.py compare NAME..   reads out-NAME.npy of the plain programs and NAME.out.npy of the others; ends with 1 if
                                          one differs

Integers, and reals that are not sums, are compared bit by bit, sums to 1e-12 of the largest. NumPy puts inputs and outputs together;
it computes nothing.
"""
import sys

import numpy as np

SUMS = {"product": 1e-12, "sor": 1e-9}  # sor ends after the same number of steps or one more, each of which changes 1e-10


def make(n):
    rng = np.random.default_rng(n)
    cells = rng.integers(0, 256, (n, n), dtype=np.int32)
    mask = (rng.integers(0, 3, (n, n)) == 0).astype(np.int32)
    mask[n // 2, n // 3] = 1
    board = rng.integers(0, 2, (n, n), dtype=np.int32)
    points = rng.normal(0, 5, (n, 2))
    m = 5 * n // 2
    system = rng.uniform(0, 1, (m, m)) + m * np.eye(m)
    vectors = rng.normal(0, 1, (m, 2))
    plain = {"half": cells, "thresh": cells, "life": board, "winnow": cells, "mask": mask, "outer": points, "norm": points,
             "system": system, "vector": vectors[:, :1], "first": vectors[:, :1], "second": vectors[:, 1:]}
    for name, values in plain.items():
        np.save(f"plain-{name}.npy", np.ascontiguousarray(values))
    extended = np.hstack([system, vectors[:, :1]])
    both = {"mandel": np.array([n]), "randmat": np.array([n, 681304]), "half": cells, "thresh": cells, "life": board,
            "winnow": np.hstack([cells, mask]), "outer": points, "norm": points, "product": extended, "gauss": extended,
            "sor": extended, "vecdiff": vectors}
    for name, values in both.items():
        np.save(f"{name}.npy", np.ascontiguousarray(values))


def plain_result(name):
    result = np.load(f"out-{name}.npy")
    if name == "outer":
        distances = np.load("out-distances.npy").reshape(-1, 1)
        result = np.hstack([result.reshape(len(distances), -1), distances])
    return result


def language_result(name, like):
    if name == "vecdiff":
        with open("vecdiff.out") as text:
            return np.full(like.shape, float(text.read()))
    return np.load(f"{name}.out.npy").reshape(like.shape)


def compare(names):
    wrong = 0
    for name in names:
        expected = plain_result(name)
        found = language_result(name, expected)
        if name in SUMS:
            same = np.abs(found - expected).max() <= SUMS[name] * np.abs(expected).max()
        else:
            same = (found == expected).all()
        if not same:
            print(f"{name} differs")
            wrong = 1
    return wrong


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
else:
    sys.exit(compare(sys.argv[2:]))
