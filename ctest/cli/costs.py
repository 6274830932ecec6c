#!/usr/bin/python3
"""costs.py BMF SOURCES [NAME..]: that what bmf reads costs no more than in proportion to its size.

Every family makes an input of a given size. bmf runs on one of n and on one of 4 n; the processor time of the second may
be 8 times that of the first, where a quadratic cost would be 16 times. Times below FLOOR seconds are those of starting.
"""
import os
import resource
import subprocess
import sys

BMF, SOURCES = sys.argv[1:3]
FLOOR = 0.3
LIMIT = 60  # seconds of processor time: ends what explodes
MACHINE = 'name = "m"; network = { type = "fixed"; };\n'
families = []


def family(size):
    def add(make):
        families.append((make.__name__, size, make))
        return make
    return add


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)
    return name


def check(text):
    return ["check", write("program.bmf", text)]


def samples(count, line):
    with open(f"{SOURCES}/ctest/cli/hostile/bigd.raw", encoding="ascii") as file:
        lines = file.read().splitlines()
    head = [text for text in lines if not text.startswith(("sample", "complete"))]
    return write("in.raw", "\n".join(head + [line(k) for k in range(count)] + [f"complete {count}"]) + "\n")


@family(25000)
def definitions(n):
    return check("".join(f"$a{k} = B_Id\n" for k in range(n)) + f"$a{n - 1} 1")


@family(25000)
def name_that_is_missing(n):
    return check("".join(f"$abcdefgh{k} = B_Id\n" for k in range(n)) + "$abcdefghx 1")


@family(25000)
def libraries(n):
    paths = [write(f"library{k}.bmf", "".join(f"$l{k}_{i} = B_Id\n" for i in range(n // 20))) for k in range(20)]
    return check("B_Id 1") + [word for path in paths for word in ("--library", path)]


@family(100000)
def list_of_lists_promoted(n):
    return check("B_Id [" + "[1]," * n + "[1.5]]")


@family(200000)
def long_line_with_a_mistake(n):
    return check("B_Foo [" + "1," * n + "1]")


@family(200000)
def lines_before_a_mistake(n):
    return check("#\n" * n + "B_Foo 1")


@family(300000)
def digits(n):
    return check("B_Id " + "1" * n + ".0")


@family(200000)
def brackets(n):
    return check("(" * n + "B_Id" + ")" * n + " 1")


@family(200000)
def maps(n):
    return check("B_Map (" * n + "B_Id" + ")" * n + " 1")


@family(50000)
def npy_header(n):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': " + b"(" * n + b"1," + b")" * n + b"}\n"
    with open("in.npy", "wb") as file:
        file.write(b"\x93NUMPY\x02\x00" + len(header).to_bytes(4, "little") + header + bytes(8))
    return check("B_Id") + ["--arg", "in.npy"]


@family(50000)
def groups_of_a_machine(n):
    return ["machine", "check", write("in.machine", MACHINE + "a = (" + ",".join(["{ b = 1; }"] * n) + ");")]


@family(50000)
def brackets_of_a_machine(n):
    return ["machine", "check", write("in.machine", MACHINE + "a = " + "{ a = " * n + "1;" + "};" * n)]


@family(1000)
def sizes_of_samples(n):
    return ["sheet", "fit", samples(n, lambda k: f"sample send point-to-point p 2 d {k + 1} bytes 8 threads 1 fresh 3 "
                                                 f"{1e-6 * (k + 1)} {1.01e-6 * (k + 1)} {1.02e-6 * (k + 1)}"),
            "-o", "out.sheet"]


@family(4000)
def operations_of_samples(n):
    return ["sheet", "fit", samples(n, lambda k: f"sample op{k} point-to-point p 2 d 1 bytes 8 threads 1 fresh 1 1e-6"),
            "-o", "out.sheet"]


@family(4000)
def entries_of_a_sheet(n):
    subprocess.run([BMF] + operations_of_samples(n), check=True, stdout=subprocess.DEVNULL)
    return ["sheet", "show", "out.sheet", "--front"]


@family(20000)
def messages(n):
    text = "".join(f"{k % 64} {(k % 64 + 1 + k % 7) % 64} 1\n" for k in range(n))
    return ["mesh", "run", "file:" + write("in.messages", text), "--router", "ecube"]


@family(100000)
def line_of_a_matrix(n):
    return ["permute", "--bits", "4", "--elem", "8", "--plan", "--matrix", "file:" + write("in.matrix", "1" * n)]


@family(2000)
def events_of_a_trace(n):
    subprocess.run([f"{os.path.dirname(BMF)}/make_trace", "in.trace", "1", "16", str(n), "1"], check=True,
                   stderr=subprocess.DEVNULL)
    return ["compare", "in.trace", "in.trace"]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))


def processor_time(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([BMF] + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit,
                          env=dict(os.environ, OMP_NUM_THREADS="1"), check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 2):
        sys.exit(f"bmf {' '.join(arguments)}: exit code {done.returncode}: {done.stderr[:200]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


failures = 0
for name, size, make in families:
    if sys.argv[3:] and name not in sys.argv[3:]:
        continue
    small, large = processor_time(make(size)), processor_time(make(4 * size))
    good = large <= 8 * small + FLOOR
    print(f"{name}: {small:.2f} s for {size}, {large:.2f} s for {4 * size}{'' if good else ': TOO MUCH'}")
    failures += not good
sys.exit(failures > 0)
