#!/usr/bin/python3
"""Every output of every command: two writers at once, full disks, calls that fail, links at every name.

Method: OUTPUTS lists them; that none is missing is checked against the options that --help names. Each is written from two
different inputs, which gives two contents. A test then disturbs the second while the first is there, and looks at what the
target has become.

usage: outputs.py TEST [--all] [--only WORDS]

  options    every option that names an output is in the list
  writers    two at once leave one whole file of either
  disk       a disk that is full after N bytes, or a call that fails, leaves the old file, one line, and nothing else;
             --all: every N of small files, and a ladder of others
  links      nothing is written through what somebody prepared under the private name; links to the target stay;
             --all: everything that can be prepared, for every output
  small      a file system of a few pages (needs root to mount it): the same as disk, with the system's own words

BMF_BIN_DIR, BMF_BUILD_DIR, BMF_SOURCE_DIR and MPIRUN say where things are.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BIN = os.path.abspath(os.environ["BMF_BIN_DIR"])
MPIRUN = os.environ.get("MPIRUN", "mpirun.mpich")
BMF = os.path.join(BIN, "bmf")
PRIVATE = re.compile(r"\.[a-z2-7]{8}\.part$")
OLD = b"what was there before\n"
PART = 4096 + 2 * 1024 * 80  # bytes that a rank reserves when it is recorded

# Name, ranks, the command with K for the number of the input (1 or 2) and OUT for the target, and how the content is looked
# at: "same" is compared bit by bit; what has times in it must be a whole "trace", "page", table of "costs" or list of "samples". What takes
# several steps has rules of its own: see is_partial, and records_nothing for a "recording".
OUTPUTS = [
    ("run --out", 1, "bmf run listK.bmf --out OUT", "same"),
    ("run --out on 3 ranks", 3, "bmf run listK.bmf --out OUT", "same"),
    ("bmf_npy_write on 2 ranks", 2, "make_npy_copy K.npy OUT", "same"),
    ("permute --out", 1, "bmf permute --in eachK.npy --out OUT --matrix bitrev --memory 256", "same"),
    ("permute --out on 2 ranks", 2, "bmf permute --in eachK.npy --out OUT --matrix bitrev --memory 256 --block 64", "same"),
    ("run --trace", 1, "bmf run sumK.bmf --trace OUT", "trace"),
    ("run --trace on 2 ranks", 2, "bmf run sumK.bmf --trace OUT", "trace"),
    ("plan --trace", 1, "bmf plan sumK.bmf --trace OUT", "trace"),
    ("predict --trace", 1, "bmf predict sumK.bmf --machine one.machine --procs 4 --trace OUT", "trace"),
    ("predict --html", 1, "bmf predict sumK.bmf --machine one.machine --procs 4 --html OUT", "page"),
    ("predict --compare --html", 1, "bmf predict sumK.bmf --compare one.machine,ideal --procs 4,8 --html OUT", "page"),
    ("choose --html", 1, "bmf choose sumK.bmf --machine one.machine --procs 4,8 --html OUT", "page"),
    ("parallelise -o", 1, "bmf parallelise serialK.bmf --machine one.machine --procs 2 -o OUT", "same"),
    ("predict --trace of a program", 1, "bmf predict --machine one.machine --procs 2 --trace OUT -- BIN/make_sum K000", "trace"),
    ("replay --trace", 1, "bmf replay K.trace --machine one.machine --trace OUT", "trace"),
    ("report --html", 1, "bmf report K.trace --html OUT", "page"),
    ("compare --html", 1, "bmf compare K.trace 3.trace --html OUT", "page"),
    ("compare --table", 1, "bmf compare K.trace 3.trace --table OUT", "same"),
    ("compare --events", 1, "bmf compare K.trace 3.trace --events OUT", "same"),
    ("sheet measure on 2 ranks", 2,
     "bmf sheet measure --ops send --max-elements 64 --repeats 3 --seconds 1 -o OUT", "samples"),
    ("sheet schedules", 1, "bmf sheet schedules --seconds 1 --procs 4 --skeletons scan -o OUT", "costs"),
    ("sheet fit", 1, "bmf sheet fit K.raw -o OUT", "same"),
    ("sheet kernels", 1, "bmf sheet kernels runK.trace -o OUT", "same"),
    ("sheet show --html", 1, "bmf sheet show K.sheet --html OUT", "same"),
    ("sheet show --tex", 1, "bmf sheet show K.sheet --tex OUT", "same"),
    ("sheet plot", 1, "bmf sheet plot K.sheet send -o OUT", "same"),
    ("machine make", 1, "bmf machine make K.sheet --kernels K.kernels -o OUT", "same"),
    ("convert --to otf2", 1, "bmf convert K.trace --to otf2 -o OUT", "directory"),
    ("model fit", 1, "bmf model fit " + " ".join(f"fitK-{p}-{n}.trace" for p in (1, 2, 4) for n in (8, 16, 32)) +
     " --param n -o OUT", "same"),
    ("predict --trace of rules", 1, "bmf predict rulesK.model --machine one.machine --procs 2 --set n=8 --trace OUT", "trace"),
    ("model plot --html", 1, "bmf model plot K.model -p 1,2 -d 20,40 -o OUT.html", "same"),
    ("model plot --svg", 1, "bmf model plot K.model -p 1,2 -d 20 -o OUT.svg", "same"),
    ("model plot --gp", 1, "bmf model plot K.model -p 1,2 -d 20 -o OUT.gp", "same"),
    ("sweep run", 1, "bmf sweep run -p 1,2 -n K --repeat 2 --launch env -o OUT -- ./program {n} {p}", "growing"),
    ("record", 1, "bmf record -o OUT -- BIN/make_sum K000", "recording"),
    ("record on 2 ranks", 2, "bmf record -o OUT -- BIN/make_sum K000", "recording"),
    ("record --sums", 1, "bmf record --sums -o OUT -- BIN/make_sum K000", "recording"),
    ("cop time --trace", 1, "bmf cop time programK.cop --size 2x2 --trace OUT", "trace"),
    ("cop run --trace", 1, "bmf cop run programK.c --size 2x2 --trace OUT", "trace"),
    ("cop compile", 1, "bmf cop compile programK.cop --size 2x2 --router mpi -o OUT", "same"),
    ("calibrate", 1, "bmf calibrate --args 2000,20000,200000 --memory memory.sheet --ranks 1 --launch ./launch{p} --repeats 3 -o OUT "
     "-- ./costs {n} K", "calibration"),
    ("validate", 1, "bmf validate oneK.bmf --machine one.machine --ranks 1 --launch ./launch{p} --repeats 1 -o OUT", "validation"),
    ("sweep show --html", 1, "bmf sweep show K.sweep --html OUT", "page"),
    ("sweep show --csv", 1, "bmf sweep show K.sweep --csv OUT", "same"),
    ("sweep show --gp", 1, "bmf sweep show K.sweep --gp OUT", "same"),
    ("sweep show --blocks", 1, "bmf sweep show K.sweep --blocks OUT", "same"),
] + [
    (f"convert --to {form}", 1, f"bmf convert K.trace --to {form} -o OUT", "same")
    for form in ("chrome", "perfetto", "paje", "picl", "csv", "svg", "prv", "hase")
]

# Programs are recorded where bmf is built for MPICH.
HAS_RECORDER = os.path.exists(os.path.join(os.path.dirname(BIN), "libbmf-record.so"))

STEPS = ("growing", "recording", "calibration", "validation")

# What a file system that is too small may keep of them: earlier passes, whole runs, parts that are not united.
STEPS_LEAVE = {"samples": {"out"}, "validation": {"out"}, "calibration": {"out.kernels", "out.runs"}, "recording": {"out.parts"}}

failures = 0


def failed(what):
    global failures
    failures += 1
    print("failed:", what, flush=True)


DATES = re.compile(rb"\d{4}-\d\d-\d\dT[\d:]+Z|(?<=^#Paraver )\([^)]*\)")


def content(path):
    """What stands in a file, but for dates; None if there is none."""
    try:
        with open(path, "rb") as file:
            return DATES.sub(b"date", file.read())
    except FileNotFoundError:
        return None


def put(path, content):
    with open(path, "wb") as file:
        file.write(content)


def is_whole_trace(path):
    return subprocess.run([BMF, "trace", path], capture_output=True).returncode == 0


class Output:
    def __init__(self, name, ranks, command, kind):
        self.name, self.ranks, self.words, self.kind = name, ranks, command.split(), kind
        self.target = next(word for word in self.words if "OUT" in word).replace("OUT", "out")

    def command(self, number, target="out"):
        words = [word.replace("OUT", target).replace("BIN", BIN).replace("K", str(number)) for word in self.words]
        words[0] = os.path.join(BIN, words[0])
        return words if self.ranks == 1 else [MPIRUN, "-n", str(self.ranks)] + words

    def run(self, number, target="out", **environment):
        return subprocess.run(self.command(number, target), env={**os.environ, **environment}, capture_output=True)

    def learn(self):
        """What it writes from each input: two whole directories."""
        self.whole = {}
        for number in (1, 2):
            clear()
            self.write(number)
            self.whole[number] = snapshot()
            if not self.is_whole(self.whole[number], number):
                failed(f"{self.name}: what it writes is not whole")
        clear()

    def write(self, number, **environment):
        ended = self.run(number, **environment)
        if ended.returncode != 0:
            failed(f"{self.name}: {ended.stderr.decode()}")

    def is_whole(self, found, number=None):
        """Whether the directory is as the command leaves it."""
        if self.kind == "same" and hasattr(self, "whole") and number in self.whole:
            return found == self.whole[number]
        if self.kind == "directory":
            return "out/traces.otf2" in found and "out/traces.def" in found
        if self.target not in found or any(PRIVATE.search(name) for name in found):
            return False
        if self.kind == "recording":
            return list(found) == [self.target] and (found[self.target].startswith(b"rank,phase,") if "--sums" in self.words
                                                     else is_whole_trace(self.target))
        if self.kind == "validation":
            return list(found) == [self.target] and "measured" in json.loads(found[self.target])
        if self.kind == "calibration" and number in getattr(self, "whole", {}):
            return found == self.whole[number]
        if self.kind == "trace":
            return is_whole_trace(self.target)
        if self.kind == "costs":
            return found[self.target].startswith(b"bmf costs 1\n") and found[self.target].endswith(b"\n")
        return found[self.target].rstrip().endswith(b"</html>") if self.kind == "page" else (
            b"\ncomplete " in found[self.target] if self.kind in ("samples", "growing") else True)

    def is_partial(self, found, before):
        """Measurements are written after every pass: what was there is from the one before. A sweep grows by lines. A
        validation has its prediction first. A calibration keeps its runs; its sheet is whole and comes before the machine
        file, which names it."""
        if self.kind == "validation":
            return list(found) == [self.target] and "predicted" in json.loads(found[self.target])
        if self.kind == "calibration":
            runs, sheet = self.target + ".runs" + os.sep, self.target + ".kernels"
            return (found.get(sheet) in (before.get(sheet), self.whole[2][sheet]) and
                    {name: text for name, text in found.items() if name != sheet and not name.startswith(runs)} ==
                    {name: text for name, text in before.items() if name != sheet and not name.startswith(runs)} and
                    all(is_whole_trace(name) for name in found if name.startswith(runs)))
        if self.kind == "growing":
            return list(found) == [self.target]
        return (self.kind == "samples" and list(found) == ["out"] and found["out"].startswith(b"bmf samples") and
                found["out"].endswith(b"\n"))

    def explains(self, lines):
        """One line; of a program two, its own and that it failed."""
        two = "--" in self.words and self.kind not in ("growing", "recording", "calibration")
        lines = [line for line in lines if line.startswith("bmf: ") or not two]
        return len(lines) == 1 + two and all(line.startswith("bmf: ") for line in lines)


# ---- the directory ----

inputs = set()


OPENMPI = os.path.join("tmp", "ompi.")  # what Open MPI's processes tell each other by


def snapshot():
    """{name: content} of everything but the inputs."""
    found = {}
    for folder, _, names in os.walk("."):
        for name in names:
            path = os.path.normpath(os.path.join(folder, name))
            if path not in inputs and not path.startswith(OPENMPI):
                found[path] = content(path)
    return found


def clear():
    for name in os.listdir("."):
        if name not in inputs and name != "tmp":
            (shutil.rmtree if os.path.isdir(name) and not os.path.islink(name) else os.remove)(name)


def make_inputs():
    source = os.environ["BMF_SOURCE_DIR"]
    put("one.machine", b'name = "one"; network = { type = "hockney"; latency_us = 1.0; bandwidth_mb_per_s = 100.0; };\n')
    samples = content(os.path.join(source, "ctest/cli/hostile/bigd.raw")).decode()
    sends = "".join(line + "\n" for line in samples.splitlines() if line.startswith("sample send"))
    more = ["recv", "recvmin", "sendmin"]
    samples = samples.replace("complete 6", "".join(sends.replace("sample send", "sample " + name) for name in more) +
                              f"complete {6 + 6 * len(more)}")
    for number in (1, 2, 3):
        put(f"program{number}.cop", b"(broadcast 'b 0 :m %d)\n" % number)
        put(f"program{number}.c", b";/*\n(barrier 'b)\n*/\n#include \"program%d.cop.h\"\nint main(void) { cop_init(); cop_delay(%d); return 0; }\n"
            % (number, 10 * number))
        put(f"list{number}.bmf", b"P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 4) . B_Op (B_Iota) %d\n" % (30 * number))
        put(f"sum{number}.bmf",
            b"P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num %d) . B_Op (B_Iota) 9\n" % (number + 1))
        put(f"serial{number}.bmf", b"B_Op (B_Plus) {1, %d}\n" % number)
        put(f"each{number}.bmf", b"P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 4) . B_Op (B_Iota) %d\n" % (32 << number))
        put(f"{number}.raw", samples.replace("Intel", f"{number} Intel").encode())
        put(f"one{number}.bmf",
            b"P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num 1) . B_Op (B_Iota) %d\n" % number)
        for size in (2000, 20000, 200000):
            put("size.bmf", b"P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num 2) . B_Op (B_Iota) %d\n" % size)
            subprocess.run([BMF, "run", "size.bmf", "--trace", f"cost{number}-{size}.trace"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([BMF, "sheet", "measure", "--ops", "memory_read,memory_write", "--max-elements", "4096", "--factor", "4",
                    "--repeats", "3", "--seconds", "1", "-o", "memory.raw"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([BMF, "sheet", "fit", "memory.raw", "-o", "memory.sheet"], check=True, stdout=subprocess.DEVNULL)
    for name, text in (("launch1", b'#!/bin/sh\nexec "$@"\n'),
                       ("costs", b'#!/bin/sh\ncp cost$2-$1.trace "$BMF_TRACE.new" && mv "$BMF_TRACE.new" "$BMF_TRACE"\n')):
        put(name, text)
        os.chmod(name, 0o755)
    put("program", b'#!/bin/sh\necho "{\\"seconds\\": 0.$1, \\"phases\\": {\\"swap\\": 0.00$1}}"\n')
    os.chmod("program", 0o755)
    for number in (1, 2, 3):
        put(f"{number}.model", b"phase work(p,d,c) = %d * d / p\nphase wait(p) = p\n" % number)
        put(f"rules{number}.model", b'program "rules", "n"\nranks 1\nwork %d\ncall collective "bcast" root 0 bytes 8*d\n' % number)
        for processes in (1, 2, 4):
            for size in (8, 16, 32):
                predict = ["predict", f"rules{number}.model", "--machine", "one.machine", "--procs", str(processes), "--set", f"n={size}",
                           "--trace", f"fit{number}-{processes}-{size}.trace"]
                subprocess.run([BMF, *predict], check=True, stdout=subprocess.DEVNULL)
        sweep = ["sweep", "run", "-p", "1,2", "-n", f"{number}0,{number}5", "--launch", "env", "-o", f"{number}.sweep"]
        subprocess.run([BMF, *sweep, "--", "./program", "{n}", "{p}"], check=True)
    commands = ["run listK.bmf --out K.npy", "run eachK.bmf --out eachK.npy", "predict sumK.bmf --machine one.machine --procs 4 --trace K.trace",
                "sheet fit K.raw -o K.sheet", "run sumK.bmf --trace runK.trace", "sheet kernels runK.trace -o K.kernels"]
    for number in (1, 2, 3):
        for command in commands:
            subprocess.run([BMF] + command.replace("K", str(number)).split(), check=True, stdout=subprocess.DEVNULL)
    os.makedirs("tmp", exist_ok=True)
    inputs.update(name for name in os.listdir(".") if name != "tmp")


# ---- the tests ----


def options(_, __):
    """The help names what is written."""
    listed, found = {command for _, _, command, _ in OUTPUTS}, 0
    helps = subprocess.run([BMF, "--help"], capture_output=True, text=True).stdout
    commands = re.findall(r"^  ([a-z]+)  +", helps.split("Commands:")[1].split("\n\n")[0], re.M)
    for command in list(commands):
        text = subprocess.run([BMF, command, "--help"], capture_output=True, text=True).stdout
        if "Commands:" in text:
            commands.remove(command)
            commands += [f"{command} {word}"
                         for word in re.findall(r"^  ([a-z]+)  +", text.split("Commands:")[1].split("\n\n")[0], re.M)]
    for command in commands:
        text = subprocess.run([BMF, *command.split(), "--help"], capture_output=True, text=True).stdout
        for option in re.findall(r"^  (?:-\w, )?(?:--?)([a-z]+) [A-Z][^ ]*  +(?:write|record|the \w+ ?\w* to write|the picture)",
                                 text, re.M):
            found += 1
            short = "-o" if option == "output" else "--" + option
            if not any(words.startswith(f"bmf {command} ") and f" {short} OUT" in words for words in listed):
                failed(f"bmf {command} --{option} writes, but is not tested")
    if found < 15:
        failed(f"only {found} options that write were found")


def writers(output, all_cases):
    if output.kind in ("directory", "growing"):
        return
    for _ in range(10 if all_cases else 1):
        put(output.target, OLD)
        both = [subprocess.Popen(output.command(number), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for number in (1, 2)]
        codes = [writer.wait() for writer in both]
        # Of two calibrations at once one may be refused; of two programs one may not be recorded.
        if codes != [0, 0] and not (output.kind == "calibration" and sorted(codes) == [0, 2]):
            failed(f"{output.name}: one of two writers failed")
        found = snapshot()
        if output.kind in ("same", "calibration") and output.name != "convert --to prv" and found not in output.whole.values():
            failed(f"{output.name}: two writers left neither's file")
        # Of a group of files each is whole, but they may be of different writers.
        if any(found.get(name) not in [whole.get(name) for whole in output.whole.values()]
               for name in found if output.kind == "same") or not output.is_whole(found):
            failed(f"{output.name}: two writers left a damaged file, or more than that: {sorted(found)}")
        clear()


def said_by(ended):
    """Its lines on standard error, without those that Open MPI's components write of a file's error (mca_..)."""
    return [line for line in ended.stderr.decode().splitlines() if not line.startswith("mca_")]


def records_nothing(output, lines, before, after):
    """A program is not disturbed by its recorder: its exit code stays, one line says what is missing, and what was there
    is there, with all parts or none."""
    parts = output.target + ".parts" + os.sep
    kept = {name for name in after if name.startswith(parts)}
    return (len(lines) == 1 and lines[0].startswith("bmf: ") and ("; the parts are in " in lines[0]) == bool(kept) and
            os.path.isdir(output.target + ".parts") == bool(kept) and
            {name: text for name, text in after.items() if name not in kept} == before)


def disturbed(output, what, number=2, **environment):
    """Writes input `number` over what is there: all of it, or nothing has happened."""
    before = snapshot()
    ended = output.run(number, **environment)
    after = snapshot()
    lines = said_by(ended)
    left = [name for name in os.listdir("tmp") if not os.path.join("tmp", name).startswith(OPENMPI)]
    if left:
        failed(f"{output.name}, {what}: left in TMPDIR: {left}")
    if ended.returncode == 0:
        said = output.kind == "recording" and lines
        if not (records_nothing(output, lines, before, after) if said else output.is_whole(after, number)):
            failed(f"{output.name}, {what}: {lines}, exit code 0, but the output is not whole: {sorted(after)}")
    elif ended.returncode not in (1, 2) or not output.explains(lines):
        failed(f"{output.name}, {what}: exit code {ended.returncode}, {lines}")
    elif after != before and not (after and output.is_partial(after, before)):
        failed(f"{output.name}, {what}: exit code {ended.returncode}, and there is {sorted(after)} instead of {sorted(before)}")
    return ended.returncode


def ladder(size, all_cases):
    """Sizes at which the disk is full, all too small."""
    if not all_cases:
        steps = {0, 1, size // 2, size - 1}
    elif size <= 600:
        steps = set(range(size))
    else:
        steps = {0, 1, size - 1, size - 2, size - 8, size - 64} | {size * k // 40 for k in range(40)}
        steps |= {8 * k + d for k in range(20) for d in (0, 1)}
        steps |= {(1 << k) + d for k in range(30) for d in (-1, 0, 1)}
    return sorted(step for step in steps if 0 <= step < size)


def disk(output, all_cases):
    preload = os.path.join(os.environ["BMF_BUILD_DIR"], "libbmf_full_disk.so")
    size = PART if output.kind == "recording" else max(len(text) for text in output.whole[2].values())
    for old in (None, OLD) if output.kind not in ("directory", "growing") else (None,):
        if old:
            put(output.target, old)
        steps, calls = ladder(size, all_cases), ("fsync:1", "fsync:2", "rename:1", "rename:2", "rename:3", "link:1")
        if not old and not all_cases:
            steps, calls = [size // 2], ("rename:1", "link:1")
        for step in steps:
            code = disturbed(output, f"disk full after {step} bytes", LD_PRELOAD=preload, BMF_DISK_BYTES=str(step))
            if code == 0 and output.kind == "same":
                failed(f"{output.name}: {size} bytes on a disk of {step}")
            elif code == 0 or output.kind in STEPS and output.kind != "calibration":  # that goes on with its runs
                clear()  # times take more or fewer bytes; what takes several steps keeps what it has
                if old:
                    put(output.target, old)
        for call in calls:
            code = disturbed(output, f"{call} fails", LD_PRELOAD=preload, BMF_DISK_FAILS=call)
            if code == 0 or output.kind != "calibration":
                clear()
                if old:
                    put(output.target, old)
        clear()


def expect(holds, output, what):
    if not holds:
        failed(f"{output.name}: {what}")


PLANTS = [lambda name: os.symlink("victim", name), lambda name: os.symlink("nothing", name),
          lambda name: os.link("victim", name), os.mkdir, os.mkfifo]


def links(output, all_cases):
    if output.kind == "growing":
        return
    preload = os.path.join(os.environ["BMF_BUILD_DIR"], "libbmf_full_disk.so")
    PLANTS.append(PLANTS.pop(0))  # the outputs meet them in turns
    for plant in PLANTS if all_cases else PLANTS[:1]:
        put("victim", OLD)
        plant(f"{output.target}.aaaaaaaa.part")
        output.write(2, LD_PRELOAD=preload, BMF_DISK_NAMES="3")
        expect(content("victim") == OLD and not os.path.exists("nothing"), output, "wrote through a planted private name")
        expect(os.path.lexists(f"{output.target}.aaaaaaaa.part"), output, "removed what somebody planted")
        expect(os.path.exists(output.target) and not os.path.islink(output.target), output, "did not make its output")
        clear()
    if output.kind == "directory":
        return
    for first in (None, OLD):  # a chain of links, with a file at its end or none yet
        os.makedirs("there/deep")
        if first:
            put("there/deep/target", first)
        os.symlink("there/middle", output.target)
        os.symlink("deep/target", "there/middle")
        output.write(2)
        expect(os.path.islink(output.target) and os.path.islink("there/middle"), output, "replaced a link")
        expect(os.path.isfile("there/deep/target") and content("there/deep/target") != OLD, output, "did not follow its link")
        expect(sorted(os.listdir("there/deep")) == ["target"], output, "left something behind a link")
        clear()
    put(output.target, OLD)  # another name of the old file keeps it
    os.link(output.target, "other")
    output.write(2)
    expect(content("other") == OLD and content(output.target) != OLD, output, "wrote into a file with two names")
    clear()
    os.symlink(output.target, output.target)
    ended = output.run(2)
    expect(ended.returncode in ((0,) if output.kind == "recording" else (1, 2)) and b"\nbmf: " in b"\n" + ended.stderr, output, "accepts a link to itself")
    clear()


def small(output, _):
    """With `size` pages of memory as a disk, from none on until it succeeds."""
    os.mkdir("disk")
    target, codes = "disk/out", []
    for pages in range(1, 200):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={4096 * pages}", "none", "disk"], capture_output=True).returncode:
            print("# skip: cannot mount a file system")
            os.rmdir("disk")
            sys.exit(77)
        try:
            ended = output.run(2, target)
            left = os.listdir("disk")
        finally:
            subprocess.run(["umount", "disk"], check=True)
        codes.append(ended.returncode if output.kind != "recording" or left == ["out"] else 2)  # the program's own is 0
        if codes[-1] == 0:
            break
        partial = set(left) <= STEPS_LEAVE.get(output.kind, set())
        if (left and not partial) or not output.explains(said_by(ended)):
            failed(f"{output.name} on {pages} pages: left {left}, {ended.stderr.decode()}")
    if codes[-1] != 0:
        failed(f"{output.name}: 200 pages are not enough: {ended.stderr.decode()}")
    clear()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", choices=["options", "writers", "disk", "links", "small"])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="", help="of outputs with these words in their names")
    arguments = parser.parse_args()
    os.environ.update(BMF_THREADS="1", OMP_WAIT_POLICY="passive")
    outputs = [Output(*line) for line in OUTPUTS if arguments.only in line[0] and (HAS_RECORDER or line[3] != "recording")]
    with tempfile.TemporaryDirectory(prefix="bmf-outputs-") as directory:
        os.chdir(directory)
        os.environ["TMPDIR"] = os.path.join(directory, "tmp")
        if arguments.test == "options":
            options(outputs, arguments.all)
        else:
            make_inputs()
            for output in outputs:
                output.learn()
                globals()[arguments.test](output, arguments.all)
        os.chdir("/")
    print(f"{len(outputs)} outputs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
