#!/usr/bin/python3
"""Random serial programs that take elements of a list by indices, in it and outside of it, for tests of `bmf parallelise`.

usage: random_picks.py SEED COUNT     prints the law, a definition of main, an argument on which it does not fail, and three arguments
                                      on which it may, on a line each
"""

import random
import sys

LISTS = ["map(x -> x * 3 + 1, xs)", "filter(x -> x > 0, map(x -> x * 3, xs))", "map(x -> {x, [x, x * x]}, xs)",
         "map(x -> [x, real(x) * 0.1], filter(x -> x mod 3 != 0, xs))", "sort(map(x -> -x, xs))", "shift(1, 0, filter(x -> x < 20, xs))"]
TAKEN = {  # by law; {k}: a number that is known, is: the first argument, a list of indices
    "pick": ["pick(ys, is)", "pick(ys, map(i -> i, is))", "pick(ys, iota({k}))", "pick(ys, iota(min(length(ys), {k})))", "pick(ys, [{k}, 0, {k}])",
             "ys[0 ..< {k}]", "ys[min({k}, 1) ..< min(length(ys), {k})]", "let k = {k} in pick(ys, iota(k + 1))"],
    "index": ["ys[{k}]", "ys[length(ys) - 1]", "ys[is[0]]", "let k = {k} in ys[k + 1]"],
}
USES = ["{{{some}, map(y -> {{y, 1}}, ys)}}", "let some = {some} in map(y -> {{y, some}}, ys)", "{{length(ys), {some}}}"]
EDGES = [-1, 2**63 - 1, -(2**63)]


def argument(rng, fails):
    n = rng.choice([0, 1, 2, 3, 5, 8, 17, 40]) if fails else 30
    indices = [rng.randrange(max(n, 1)) if fails else rng.randrange(3) for _ in range(rng.choice([1, 2, 7, 30]))]
    if fails and rng.random() < 0.4:
        indices[rng.randrange(len(indices))] = rng.choice([n, n + 1, *EDGES])
    return f"{{{indices}, {[rng.randrange(-50, 50) if fails else rng.randrange(-3, 15) for _ in range(n)]}}}"


def program(rng):
    law = rng.choice(list(TAKEN))
    some = rng.choice(TAKEN[law]).replace("{k}", str(rng.choice([0, 1, 2, 3])))
    return f"{law} promotion", f"main({{is, xs}}) = let ys = {rng.choice(LISTS)} in {rng.choice(USES).format(some=some)}"


if __name__ == "__main__":
    generator = random.Random(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        print(*program(generator), argument(generator, False), *(argument(generator, True) for _ in range(3)), sep="\n")
