#!/usr/bin/python3
"""Serial forms of examples, and what bmf parallelise makes of them against the examples as they were written by hand.

usage: serial_examples.py MACHINE      prints a line for each and number of processors: name, processors, predicted time of the
                                      found program / that of the one by hand; leaves NAME.found.bmf for 2 processors behind
BMF_BIN_DIR and BMF_SOURCE_DIR say where things are.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

BMF = os.path.join(os.environ["BMF_BIN_DIR"], "bmf")
EXAMPLES = pathlib.Path(os.environ["BMF_SOURCE_DIR"]) / "examples"
LOOPS = pathlib.Path(__file__).parent / "matrix_product_loops.bmf"  # 14-matrix-product is one operation, which is not split
SERIAL = {  # the body of main without processors
    "14-matrix-product": "let columns = columns_of(rows) in map(row -> map(c -> dot(row, c), columns), rows)",
    "15-matrix-vector": "let v = rows[0] in map(row -> dot(v, row), rows)",
    "18-primes": "let divisors = sieve(more_than_1(0 ..< 32), more_than_1(0 ..< 1001)) in sieve(divisors, ns)",
    "19-mandelbrot": "map(c -> steps(c[0], c[1]), points)",
    "21-all-pairs": "let points = map(row -> {row[0], row[1]}, rows) in map(p -> nearest(p, points), points)",
}


def bmf(processors, *words):
    line = [BMF, *words, "--machine", sys.argv[1], "--procs", str(processors), "--json"]
    return json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout)


for name, body in SERIAL.items():
    hand = LOOPS if name == "14-matrix-product" else EXAMPLES / f"{name}.bmf"
    text, found = re.subn(r"(main\(\w+\) =).*?(?=^default)", lambda match: f"{match[1]} {body}\n", hand.read_text(), flags=re.S | re.M)
    assert found == 1 and "split(" not in text.split("main(")[1], name
    pathlib.Path(f"{name}.serial.bmf").write_text(text)
    for processors in (2, 4):
        best = bmf(processors, "parallelise", f"{name}.serial.bmf")["candidates"][0]
        by_hand = bmf(processors, "predict", str(hand))["runs"][0]["seconds"]
        print(name, processors, f"{best['seconds'] / by_hand:.4f}")
        if processors == 2:
            pathlib.Path(f"{name}.found.bmf").write_text(best["program"])
