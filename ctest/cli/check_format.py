#!/usr/bin/python3
"""Checks one converted trace against the CSV of the same trace: check_format.py FORMAT CSV OUTPUT [ARGUMENT].

Every reader here is written from the description of the format, not from the converter. Each check counts events,
compares ids and times, and makes sure that intervals nest and that no message has only one end. Prints what it
counted; exits with 1 and says what differs.
"""
import collections
import csv
import json
import re
import subprocess
import sys

LEAVES = ("kernel", "send", "receive", "wait", "file")


def check(held, *what):
    if not held:
        sys.exit("check_format: " + " ".join(str(w) for w in what))


def same(name, found, expected):
    found, expected = collections.Counter(found), collections.Counter(expected)
    check(found == expected, name, "differ: only there", list((found - expected).items())[:3], "only in the CSV",
          list((expected - found).items())[:3])


class Trace:
    """The CSV, checked in itself."""

    def __init__(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))
        for row in self.rows:
            for key in ("run", "lane", "rank", "instance", "round", "peer", "begin_ns", "end_ns", "amount"):
                row[key] = int(row[key])
            row["id"] = int(row["id"], 16)
            row["partner"] = int(row["partner"]) - 1 if row["partner"] else None
        self.matched = [row for row in self.rows if row["kind"] == "send" and row["partner"] is not None]
        for number, row in enumerate(self.rows):
            check(row["begin_ns"] <= row["end_ns"], "event", number, "ends before it begins")
            if row["partner"] is not None:
                self.check_partner(number, row, self.rows[row["partner"]])

    @staticmethod
    def check_partner(number, row, other):
        check(other["partner"] == number, "partners of", number, "disagree")
        check({row["kind"], other["kind"]} == {"send", "receive"}, "partners of", number, "are no message")
        check((row["lane"], row["peer"]) == (other["peer"], other["lane"]), "partners of", number, "are elsewhere")
        for key in ("run", "path", "instance", "round"):
            check(row[key] == other[key], "partners of", number, "differ in", key)

    def lanes(self, run):
        return 1 + max(row["lane"] for row in self.rows if row["run"] == run)

    def end(self, run=None):
        return max(row["end_ns"] for row in self.rows if run in (None, row["run"]))

    def slices(self):
        return [(row["run"], row["lane"], row["begin_ns"], row["end_ns"], row["id"]) for row in self.rows]


class Nest:
    """Stacks of open events, one per place; every event must end before what it stands in."""

    def __init__(self):
        self.open = collections.defaultdict(list)
        self.time = collections.defaultdict(int)

    def move(self, place, time):
        check(time >= self.time[place], "time goes back at", place)
        self.time[place] = time

    def enter(self, place, time, what):
        self.move(place, time)
        self.open[place].append((time, what))

    def leave(self, place, time):
        self.move(place, time)
        check(self.open[place], "nothing to end at", place)
        return self.open[place].pop()

    def finish(self):
        check(not any(self.open.values()), "events that never end")


def check_flows(begins, ends, trace):
    check(len(set(begins)) == len(begins), "flows that begin twice")
    same("flow ends", ends, begins)
    check(len(begins) == len(trace.matched), len(begins), "flows,", len(trace.matched), "matched messages")


def check_nesting(slices):
    """slices: by thread, lists of (begin, end)."""
    for thread, of_thread in slices.items():
        nest = []
        for begin, end in sorted(of_thread, key=lambda s: (s[0], -s[1])):
            while nest and nest[-1] <= begin:
                nest.pop()
            check(not nest or end <= nest[-1], "slices overlap on", thread, "at", begin)
            nest.append(end)


def chrome(trace, path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file, parse_float=lambda text: int(text.replace(".", "")))["traceEvents"]
    slices, by_thread, flows = [], collections.defaultdict(list), {"s": [], "f": []}
    for event in events:
        if event["ph"] == "X":
            run = event["pid"] - 1
            begin, end = event["ts"], event["ts"] + event["dur"]
            slices.append((run, event["tid"] % trace.lanes(run), begin, end, int(event["args"]["id"], 16)))
            by_thread[event["pid"], event["tid"]].append((begin, end))
        elif event["ph"] in flows:
            flows[event["ph"]].append(event)
    same("slices", slices, trace.slices())
    check_nesting(by_thread)
    check_flows([e["id"] for e in flows["s"]], [e["id"] for e in flows["f"]], trace)
    inside = {(pid, tid): sorted(of_thread) for (pid, tid), of_thread in by_thread.items()}
    for event in flows["s"] + flows["f"]:
        check(any(b <= event["ts"] and (event["ts"] < e or b == e == event["ts"])
                  for b, e in inside[event["pid"], event["tid"]]), "a flow outside any slice at", event["ts"])
        check(event["id"] % 2 == event["pid"] % 2, "flow numbers of two runs may meet")
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    for row in trace.rows:
        check(names[row["run"] + 1].startswith(("measured", "predicted")[row["run"]]), "processes are not named")


def fields(data):
    """The fields of a protobuf message: (number, value), bytes for length-delimited ones."""
    at = 0

    def varint():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 1:
            yield tag >> 3, int.from_bytes(data[at:at + 8], "little")
            at += 8
        else:
            check(tag & 7 == 2, "wire type", tag & 7)
            size = varint()
            check(at + size <= len(data), "a field beyond its message")
            yield tag >> 3, data[at:at + size]
            at += size


def perfetto(trace, path):
    with open(path, "rb") as file:
        packets = list(fields(file.read()))
    tracks, nest, slices, begins, ends = {}, Nest(), [], [], []
    for number, packet in packets:
        check(number == 1, "a packet is field", number)
        packet = dict(fields(packet))
        if 60 in packet:
            track = dict(fields(packet[60]))
            check(track[1] not in tracks, "a track is described twice")
            check(5 not in track or track[5] in tracks, "a track's parent is unknown")
            tracks[track[1]] = dict(fields(track[4])) if 4 in track else None
            continue
        check(packet[10] != 0, "no sequence")
        event = dict(fields(packet[11]))
        thread = tracks[event[11]]
        check(thread is not None and thread[2] > 0, "an event on no thread")
        if event[9] == 1:
            nest.enter(event[11], packet[8], event[52])
            check(event[22].decode() in LEAVES + ("region", "skeleton") and event[23].decode(), "no name or category")
            begins += [event[47]] if 47 in event else []
        else:
            check(event[9] == 2, "event type", event[9])
            begin, identity = nest.leave(event[11], packet[8])
            run = thread[1] - 1
            slices.append((run, (thread[2] - 1) % trace.lanes(run), begin, packet[8], identity))
            ends += [event[48]] if 48 in event else []
    nest.finish()
    same("slices", slices, trace.slices())
    check_flows(begins, ends, trace)


def nanos(text):
    whole, fraction = text.split(".")
    return int(whole) * 1000000000 + int(fraction.ljust(9, "0"))


def paje(trace, path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split(" ") for line in file.read().splitlines() if line[0] not in "%0123"]
    nest, slices, begins, ends, last = Nest(), [], [], [], 0
    for line in lines:
        time = nanos(line[1])
        check(time >= last, "not sorted by time")
        last = time
        if line[0] == "6":
            nest.enter(line[3], time, int(line[5]))
        elif line[0] == "7":
            begin, identity = nest.leave(line[3], time)
            slices.append(("mp".index(line[3][0]), int(line[3][1:].split(".")[0]), begin, time, identity))
        elif line[0] in "89":
            (begins if line[0] == "8" else ends).append(line[6])
    nest.finish()
    same("states", slices, trace.slices())
    check_flows(begins, ends, trace)
    dump = subprocess.run(["pj_dump", path], capture_output=True, text=True, check=False)
    check(dump.returncode == 0 and not dump.stderr, "pj_dump:", dump.stderr)
    counts = collections.Counter(line.split(",")[0] for line in dump.stdout.splitlines())
    # Of a trace without any length pj_dump leaves out states.
    check(counts["State"] == len(trace.rows) or trace.end() == 0, "pj_dump reads", counts["State"], "states")
    check(counts["Link"] == len(trace.matched), "pj_dump reads", counts["Link"], "links")


def otf2(trace, path):
    dump = subprocess.run(["otf2-print", path], capture_output=True, text=True, check=False)
    check(dump.returncode == 0 and not dump.stderr, "otf2-print:", dump.stderr)
    definitions = subprocess.run(["otf2-print", "-G", path], capture_output=True, text=True, check=True).stdout
    place = {int(number): (("measured", "predicted").index(run), int(lane)) for number, run, lane in re.findall(
        r'^LOCATION +(\d+) +Name: "(measured|predicted) processor (\d+)(?: overlap \d+)?"', definitions, re.M)}
    nest, slices, messages, pending = Nest(), [], [], None
    for line in dump.stdout.splitlines():
        identity = re.search(r'"structural id" <0>; UINT64; (\d+)', line)
        event = re.match(r"(ENTER|LEAVE|MPI_SEND|MPI_RECV) +(\d+) +(\d+) +(.*)", line)
        if identity:
            nest.enter(*pending, int(identity[1]))
        elif event and event[1] == "ENTER":
            pending = int(event[2]), int(event[3])
        elif event and event[1] == "LEAVE":
            begin, identity = nest.leave(int(event[2]), int(event[3]))
            slices.append((*place[int(event[2])], begin, int(event[3]), identity))
        elif event:
            peer, size = re.search(r"(?:Receiver|Sender): (\d+)", event[4]), re.search(r"Length: (\d+)", event[4])
            messages.append((event[1], *place[int(event[2])], int(event[3]), int(peer[1]), int(size[1])))
    nest.finish()
    same("regions", slices, trace.slices())
    sends = [("MPI_SEND", r["run"], r["lane"], r["begin_ns"], r["peer"], r["amount"]) for r in trace.matched]
    partners = [trace.rows[r["partner"]] for r in trace.matched]
    receives = [("MPI_RECV", r["run"], r["lane"], r["end_ns"], r["peer"], r["amount"]) for r in partners]
    same("messages", messages, sends + receives)


def prv_places(header):
    machine = re.match(r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):(\d+)((?::\d+\([\d:,]+\),1)+)$",
                       header)
    check(machine, "header", header)
    check(int(machine[2]) == len(machine[3].split(",")), "nodes")
    applications = re.findall(r":(\d+)\(([\d:,]+)\),1", machine[5])
    check(int(machine[4]) == len(applications), "applications")
    for tasks, layout in applications:
        check(int(tasks) == len(layout.split(",")), "tasks")
    return int(machine[1]), sum(int(n) for n in machine[3].split(",")), [int(tasks) for tasks, _ in applications]


def prv(trace, path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    length, cpus, tasks = prv_places(lines[0])
    check(length == trace.end(), "length", length)
    kinds = {1: "kernel", 3: "receive", 4: "send", 8: "wait", 12: "file", 13: "collective"}
    states, ids, messages, busy_until, last = [], [], 0, collections.defaultdict(int), 0
    for line in lines[1:]:
        if line[0] == "c":
            continue
        record = [int(field) for field in line.split(":")]
        check(1 <= record[1] <= cpus and 1 <= record[3] <= tasks[record[2] - 1] and record[4] == 1, "place in", line)
        check(record[5] >= last, "not sorted by time:", line)
        last = record[5]
        place = record[2] - 1, record[3] - 1
        if record[0] == 1:
            check(busy_until[place] == record[5] <= record[6], "states with a hole or overlap:", line)
            busy_until[place] = record[6]
            states += [(*place, record[6], kinds[record[7]])] if record[7] else []
        elif record[0] == 2:
            ids += [value for kind, value in zip(record[6::2], record[7::2]) if kind == 9000001]
        else:
            messages += 1
    same("states", states, [(r["run"], r["lane"], r["end_ns"], r["kind"]) for r in trace.rows if r["kind"] in LEAVES])
    same("ids", ids, [row["id"] for row in trace.rows])
    check(messages == len(trace.matched), messages, "messages")
    for place, time in busy_until.items():
        check(time == trace.end(place[0]), "states of", place, "end at", time)


def picl_data(record):
    """What stands behind the six basic fields."""
    count = int(record[5])
    check(len(record) == (7 + count if count else 6) and (not count or record[6] == "2"), "fields of", record)
    return [int(field) for field in record[7:]]


def picl(trace, path, process):
    """process: all (both runs, processes 0 and 1), or the number of the only run."""
    rows = [row for row in trace.rows if process == "all" or row["run"] == int(process)]
    with open(path, encoding="utf-8") as file:
        records = [line.split(" ") for line in file.read().splitlines()]
    open_events, last, ids, sends, receives = collections.defaultdict(list), 0, [], [], []
    idle = collections.Counter()
    for record in records:
        kind, event, time, lane = int(record[0]), int(record[1]), nanos(record[2]), int(record[3])
        run = int(record[4]) if process == "all" else int(process)
        check(process == "all" or record[4] == "-1", "process of", record)
        check(time >= last, "not sorted by time:", record)
        last = time
        data, place = picl_data(record), (run, lane)
        if kind == -3:
            open_events[place, event].append(time)
            sends += [(*place, *data)] if event == -21 else []
            ids += [(data[0] << 31) + data[1]] if event > 0 else []
            check(event not in (-21, -51, 3, 4, 5, 6, 7) or not open_events[place, -601], "busy while idle:", record)
        else:
            check(kind == -4 and open_events[place, event], "an end without a begin:", record)
            begin = open_events[place, event].pop()
            receives += [(*place, *data)] if event == -51 else []
            idle[place] += time - begin if event == -601 else 0
    check(not any(open_events.values()), "events that never end")
    same("ids", ids, [row["id"] for row in rows])
    for name, found, kind in (("sends", sends, "send"), ("receives", receives, "receive")):
        same(name, found, [(r["run"], r["lane"], r["amount"], 1, r["peer"]) for r in rows if r["kind"] == kind])
    for place, time in idle.items():
        busy = flat_busy([r for r in rows if (r["run"], r["lane"]) == place and r["kind"] in LEAVES])
        check(time == trace.end(place[0]) - busy, "idle time of", place, "is", time, "busy", busy)


def flat_busy(leaves):
    """Busy nanoseconds of leaves, each starting when the one that ended before it ended."""
    until = busy = 0
    for row in sorted(leaves, key=lambda r: r["end_ns"]):
        busy += row["end_ns"] - max(row["begin_ns"], until)
        until = row["end_ns"]
    return busy


def main():
    readers = {"csv": lambda trace, path: None, "chrome": chrome, "perfetto": perfetto, "paje": paje, "otf2": otf2,
               "prv": prv, "picl": picl}
    trace = Trace(sys.argv[2])
    check(trace.rows, "no events")
    readers[sys.argv[1]](trace, *sys.argv[3:])
    print(len(trace.rows), "events,", len(trace.matched), "messages")


main()
