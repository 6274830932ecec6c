#!/usr/bin/python3
"""Kills runs of bmf that write, at random moments: nothing may hang, no process may stay, no output may be damaged.

Method: this process takes over all orphans (PR_SET_CHILD_SUBREAPER), so that every process that a run started is found
again whatever died above it. A run is killed by SIGKILL, some time after its start or after its private file has
appeared; one of its ranks, mpirun alone, or all processes at once. Then all of its processes must end by themselves, the
target must be absent or have its old or its whole new content, and beside it only files of private names may be left.
Runs that end before they are killed are checked as well, and do not count.

usage: kills.py [--kills N] [--seed S] [--ranks LIST]

BMF_BIN_DIR and MPIRUN say where the programs are. The last line has the counts; exit code 1 if anything was wrong.
"""

import argparse
import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from outputs import BIN, MPIRUN, OLD, PRIVATE, content, is_whole_trace, put

PR_SET_CHILD_SUBREAPER = 36
STARTERS = ("mpirun", "mpiexec", "hydra")
LOOKS, PAUSE = 12000, 0.01  # how long a process may stay: two minutes in which this one runs, too

PROGRAM = """P_Reduce (B_Op (B_Conc)) . P_Map (B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id])) . P_Split (B_Num 32)
    . B_Op (B_Iota) %d
"""


class Case:
    """A command that writes `target`; `new` is what it writes, or None if that is never the same. One rank needs no
    mpirun."""

    def __init__(self, name, ranks, arguments, target):
        self.name, self.ranks, self.arguments, self.target = name, ranks, arguments, target
        self.new, self.seconds = None, 0.0

    def command(self):
        program = [os.path.join(BIN, self.arguments[0])] + self.arguments[1:]
        return program if self.ranks <= 1 else [MPIRUN, "-n", str(self.ranks)] + program


def cases(ranks):
    for r in ranks:
        yield Case("run --out", r, ["bmf", "run", "squares.bmf", "--out", "out.npy"], "out.npy")
        yield Case("bmf_npy_write", r, ["make_npy_copy", "in.npy", "out.npy"], "out.npy")
        yield Case("run --trace", r, ["bmf", "run", "sum.bmf", "--trace", "out.trace"], "out.trace")
    for form in ("chrome", "paje", "csv", "prv"):
        yield Case("convert " + form, 1, ["bmf", "convert", "in.trace", "--to", form, "-o", "out.txt"], "out.txt")
    yield Case("report", 1, ["bmf", "report", "in.trace", "--html", "out.html"], "out.html")
    yield Case("predict", 1, ["bmf", "predict", "sum.bmf", "--machine", "ideal.machine", "--procs", "32", "--trace", "out.trace"],
               "out.trace")


# ---- processes ----


def descendants():
    """All processes below this one: {process: name}."""
    parent, name = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    text = file.read()
            except OSError:
                continue
            end = text.rindex(")")
            state, above = text[end + 2 :].split()[:2]
            if state != "Z":
                parent[int(entry)], name[int(entry)] = int(above), text[text.index("(") + 1 : end]
    found, before = {os.getpid()}, 0
    while len(found) != before:
        before = len(found)
        found |= {process for process, above in parent.items() if above in found}
    found.discard(os.getpid())
    return {process: name[process] for process in found}


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def start(command):
    null = os.open(os.devnull, os.O_RDWR)
    said = os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, said, 2)]
    process = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    os.close(null)
    os.close(said)
    return process


def reap(main, block):
    """Takes in what has ended. (whether any process is left, the exit code of `main` if it is among them)"""
    code = None
    while True:
        try:
            process, status = os.waitpid(-1, 0 if block else os.WNOHANG)
        except ChildProcessError:
            return False, code
        if process == 0:
            return True, code
        if process == main:
            code = os.waitstatus_to_exitcode(status)


def finish(main):
    """Waits for all processes. The exit code of `main`, or None if something hung."""
    code = None
    for _ in range(LOOKS):
        left, found = reap(main, False)
        code = found if found is not None else code
        if not left:
            return code
        time.sleep(PAUSE)
    print("still there:", descendants())
    for process in descendants():
        kill(process)
    reap(main, True)
    return None


# ---- one run ----


def is_new(case, found):
    """Times make every trace another: bmf must be able to read it."""
    if case.new is not None or found is None:
        return found == case.new
    put("look.trace", found)
    whole = is_whole_trace("look.trace")
    os.remove("look.trace")
    return whole


def learn(case):
    """Two whole runs: what is written, and how long it takes."""
    contents = []
    for _ in range(2):
        began = time.monotonic()
        if finish(start(case.command())) != 0:
            sys.exit(f"{case.name} on {case.ranks} ranks fails: {content('said').decode()}")
        case.seconds = time.monotonic() - began
        contents.append(content(case.target))
        whole = is_whole_trace(case.target)
        os.remove(case.target)
    if contents[0] == contents[1]:
        case.new = contents[0]
    elif not whole:
        sys.exit(f"{case.name}: writes something else every time")


def wait_for_private(seconds):
    """Until a private file is there, but not longer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if any(PRIVATE.search(name) for name in os.listdir(".")):
            return
        time.sleep(0.0005)


def choose_victims(chance, main):
    """(who is killed, in words; the processes, the main one first where all are killed)"""
    alive = descendants()
    ranks = [process for process, name in alive.items() if not name.startswith(STARTERS)]
    which = chance.choice(["rank", "rank", "mpirun", "all"])
    if which == "rank" and ranks:
        return "one rank", [chance.choice(sorted(ranks))]
    if which == "mpirun":
        return "the main process", [main]
    return "all", [main] + sorted(alive)


def check(case, old, code, inputs):
    """What is wrong after a run, or None, and which content is there."""
    there = content(case.target)
    found = "old" if there == old else "new" if is_new(case, there) else None
    if code is None:
        return "it hangs", found
    if not found:
        return f"the output is damaged ({len(there or b'')} bytes)", found
    if code == 0 and found != "new":
        return "exit code 0 without its output", found
    strangers = [name for name in os.listdir(".") if name not in inputs and name not in (case.target, "said")]
    strangers = [name for name in strangers if not PRIVATE.search(name) and not is_group_member(case, name)]
    return (f"left behind: {strangers}" if strangers else None), found


def is_group_member(case, name):
    """.prv comes with two files."""
    return case.name == "convert prv" and name.startswith("out.")


def run(case, chance, counts, inputs):
    old = chance.choice([None, OLD])
    if old:
        put(case.target, old)
    main = start(case.command())
    if chance.random() < 0.5:
        wait_for_private(3 * case.seconds)
        delay = chance.random() ** 3 * 0.02
    else:
        delay = chance.random() * 1.1 * case.seconds
    time.sleep(delay)
    who, victims = choose_victims(chance, main)
    for victim in victims:
        kill(victim)
    code = finish(main)
    wrong, found = check(case, old, code, inputs)
    counts["late" if code == 0 else case.ranks] += 1
    counts[found or "wrong"] += code != 0
    for name in os.listdir("."):
        if name not in inputs:
            counts["left"] += bool(PRIVATE.search(name))
            (shutil.rmtree if os.path.isdir(name) else os.remove)(name)
    if wrong:
        counts["failures"] += 1
        print(f"{case.name} on {case.ranks} ranks, {who} killed after {delay:.4f} s: {wrong}")


# ---- all ----


def make_inputs():
    with open("squares.bmf", "w") as file:
        file.write(PROGRAM % 60000)
    with open("sum.bmf", "w") as file:
        file.write("P_Reduce (B_Op (B_Plus)) . P_Scan (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num 32)"
                   " . B_Op (B_Iota) 20000\n")
    with open("ideal.machine", "w") as file:
        file.write('name = "ideal"; network = { type = "fixed"; };\n')
    bmf = os.path.join(BIN, "bmf")
    subprocess.run([bmf, "run", "squares.bmf", "--out", "in.npy"], check=True)
    subprocess.run([bmf, "run", "sum.bmf", "--trace", "in.trace"], check=True, stdout=subprocess.DEVNULL)


def choose_case(chance, known):
    """Runs with many ranks are rarer: they take longer."""
    return chance.choices(known, weights=[1 / (1 + case.ranks / 3) for case in known])[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", default="1,2,4,8,32", help="numbers of ranks (default: 1,2,4,8,32)")
    arguments = parser.parse_args()
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.environ.update(BMF_THREADS="1", OMP_WAIT_POLICY="passive")
    chance = random.Random(arguments.seed)
    ranks = [int(r) for r in arguments.ranks.split(",")]
    counts = dict.fromkeys(ranks + [1, "late", "new", "old", "wrong", "left", "failures"], 0)
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="bmf-kills-") as directory:
        os.chdir(directory)
        make_inputs()
        inputs = set(os.listdir("."))
        known, learnt = list(cases(ranks)), set()
        while sum(counts[r] for r in {1, *ranks}) < arguments.kills:
            case = choose_case(chance, known)
            if case not in learnt:
                learn(case)
                learnt.add(case)
                for name in set(os.listdir(".")) - inputs:
                    os.remove(name)
            run(case, chance, counts, inputs)
        os.chdir("/")
    by_ranks = ", ".join(f"{counts[r]} on {r}" for r in sorted({1, *ranks}))
    print(f"kills: {by_ranks} ranks; {counts['late']} runs ended before")
    print(f"{arguments.kills} kills, {counts['new']} new files, {counts['old']} as before, {counts['left']} private files left, "
          f"{counts['failures']} failures")
    return 1 if counts["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
