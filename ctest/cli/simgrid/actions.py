"""actions.py TRACE.csv: what every processor of a trace sends, receives and waits for, in its order, for replay.cpp."""
import csv
import sys

WORDS = {"send": "send {peer} {amount}", "receive": "receive {peer}", "wait": "wait", "collective": "meet"}

with open(sys.argv[1]) as file:
    rows = [row for row in csv.DictReader(file) if row["kind"] in WORDS]
rows.sort(key=lambda row: (int(row["lane"]), int(row["begin_ns"]), int(row["end_ns"])))
for row in rows:
    print(row["lane"], WORDS[row["kind"]].format(**row))
