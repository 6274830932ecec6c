"""Input for the programs examples/*.bmf, and their results by other means.

    language_examples.py make NAME DIR     writes DIR/input.npy
    language_examples.py verify NAME DIR   reads DIR/input.npy and DIR/output (text) or DIR/output.npy; ends with 1 if it is wrong

Nothing here knows how bmf works: results are NumPy's, math.fsum's, or a plain loop's.
"""
import math
import os
import sys

import numpy as np


def reals(shape, low=-1.0, high=1.0):
    return np.random.default_rng(12345).uniform(low, high, shape)


def ints(count, low, high):
    return np.random.default_rng(12345).integers(low, high, count)


def read_text(folder):
    with open(os.path.join(folder, "output")) as file:
        return file.read().strip()


def read_array(folder):
    return np.load(os.path.join(folder, "output.npy"))


def close(a, b, relative=1e-9):
    return np.allclose(np.asarray(a, dtype=float), np.asarray(b, dtype=float), rtol=relative, atol=relative)


def numbers(text):
    return [float(part) for part in text.strip("{}").split(",")]


def factorials(x, folder):
    return np.array_equal(read_array(folder), np.array([math.factorial(n) for n in range(21)])[x])


def mean_variance(x, folder):
    mean = math.fsum(x) / len(x)
    variance = math.fsum((v - mean) ** 2 for v in x) / len(x)
    return close(numbers(read_text(folder)), [mean, variance])


def transpose(x, folder):
    return np.array_equal(read_array(folder), x.T)


def matrix_product(x, folder):
    return close(read_array(folder), x @ x)


def matrix_vector(x, folder):
    return close(read_array(folder), x @ x[0])


def maximum_segment_sum(x, folder):
    best = here = -(10**18)
    for v in x.tolist():
        here = max(here + v, v)
        best = max(best, here)
    return int(read_text(folder)) == best


def histogram(x, folder):
    return read_text(folder) == "[" + ", ".join(str(n) for n in np.bincount(x, minlength=10)) + "]"


def primes(x, folder):
    sieve = np.ones(10**6 + 1, dtype=bool)
    sieve[:2] = False
    for d in range(2, 1001):
        if sieve[d]:
            sieve[d * d :: d] = False
    return np.array_equal(read_array(folder), x[sieve[x]])


def mandelbrot(x, folder):
    cx, cy = x[:, 0], x[:, 1]
    zx, zy, count = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(x), dtype=np.int64)
    going = np.ones(len(x), dtype=bool)
    for _ in range(200):
        going &= zx * zx + zy * zy <= 4.0
        nx = np.where(going, zx * zx - zy * zy + cx, zx)
        ny = np.where(going, 2.0 * (zx * zy) + cy, zy)
        zx, zy = nx, ny
        count += going
    return np.array_equal(read_array(folder), count)


def polynomial(x, folder):
    value = 0.0
    for coefficient in reversed(x.tolist()):  # Horner
        value = value * 0.99999 + coefficient
    return close(float(read_text(folder)), value, 1e-8)


def all_pairs(x, folder):
    nearest = []
    for point in x:
        squared = ((x - point) ** 2).sum(axis=1)
        nearest.append(math.sqrt(squared[squared > 0].min()))
    return close(read_array(folder), nearest)


def unit_square(x, folder):
    low, high = x.min(axis=0), x.max(axis=0)
    return close(read_array(folder), (x - low) / (high - low))


def brackets(x, folder):
    kept = np.where(np.abs(x) <= 1, x, 0)
    depth = np.cumsum(kept)
    balanced = depth[-1] == 0 and depth.min() >= 0
    return read_text(folder) == "{%s, %d}" % (str(bool(balanced)).lower(), max(0, depth.max()))


def balanced_text():
    """A million characters: brackets that match, and others between them."""
    half = np.random.default_rng(7).permutation(np.r_[np.ones(200000, int), -np.ones(200000, int)])
    depth = np.cumsum(half)
    turned = np.roll(half, -(int(depth.argmin()) + 1))  # starts after the lowest point: never negative
    text = np.random.default_rng(8).integers(2, 100, 10**6)
    text[np.sort(np.random.default_rng(9).choice(10**6, 400000, replace=False))] = turned
    return text


def k_means(x, folder):
    centres = x[:8].copy()
    for _ in range(20):
        near = np.argmin([((x - centre) ** 2).sum(axis=1) for centre in centres], axis=0)
        count = np.bincount(near, minlength=8)
        sums = np.column_stack([np.bincount(near, column, 8) for column in x.T])
        moved = np.where(count[:, None] > 0, sums / np.maximum(count, 1)[:, None], centres)
        change, centres = np.abs(moved - centres).max(), moved
        if change < 1e-6:
            break
    return close(read_array(folder), centres)


EXAMPLES = {
    "factorials": (lambda: ints(10**6, 0, 21), factorials),
    "mean-variance": (lambda: reals(10**6, 5.0, 9.0), mean_variance),
    "transpose": (lambda: reals((1000, 1013)), transpose),
    "matrix-product": (lambda: reals((1000, 1000)), matrix_product),
    "matrix-vector": (lambda: reals((1017, 1000)), matrix_vector),
    "maximum-segment-sum": (lambda: ints(10**6, -1000, 1001), maximum_segment_sum),
    "histogram": (lambda: ints(10**6, 0, 10), histogram),
    "primes": (lambda: ints(10**6, 0, 10**6), primes),
    "mandelbrot": (lambda: np.column_stack([reals(10**6, -2.2, 0.8), reals(2 * 10**6, -1.3, 1.3)[10**6 :]]), mandelbrot),
    "polynomial": (lambda: reals(10**6), polynomial),
    "all-pairs": (lambda: reals((1500, 2)), all_pairs),
    "unit-square": (lambda: reals((10**6, 2), -50.0, 120.0), unit_square),
    "brackets": (balanced_text, brackets),
    "k-means": (lambda: reals((10**6, 2), -50.0, 120.0), k_means),
}


def main():
    action, name, folder = sys.argv[1:]
    make, verify = EXAMPLES[name]
    path = os.path.join(folder, "input.npy")
    if action == "make":
        np.save(path, make())
    elif not verify(np.load(path), folder):
        sys.exit(f"{name}: the result is wrong")


main()
