#!/usr/bin/env bats
# bmf model: the fourteen programs of document 001 against tables worked out from the document, options, intervals, and
# that bad input ends with one line that says where it is.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    COMMAND=model
    # shellcheck source=ctest/cli/refused.bash
    source "$BMF_SOURCE_DIR/ctest/cli/refused.bash"
    unset BMF_MODELS BMF_SHEETS
    SHEET=$BMF_SOURCE_DIR/examples/sheets/cray-t3d.sheet
}

# refused_model TEXT LINES [OPTION..]: the same of `eval` with a file of these lines, written as printf's format
refused_model()
{
    # shellcheck disable=SC2059
    printf "$2" >x.model
    refused "$1" eval x.model -p 1,2 -d 20 "${@:3}"
}

# python SCRIPT on standard input, with the document's programs as `document` and a function evaluate
in_python()
{
    { cat <<'END'; cat; } >script.py
import json, os, subprocess, sys
sys.path.insert(0, os.environ["BMF_SOURCE_DIR"] + "/ctest/cli")
sys.dont_write_bytecode = True
import document_models as document
def evaluate(model, p, d, c, *options):
    """The points, times in microseconds."""
    text = subprocess.run([os.environ["BMF_BIN_DIR"] + "/bmf", "model", "eval", model, "-p", str(p), "-d", str(d), "-c",
                           str(c), "--json", *options], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text)["points"]
def microseconds(*of):
    return evaluate(*of)[0]["seconds"] * 1e6
END
    python3 script.py
}

# Worked out from the document by others; the empty places are compared with the second writing only.
@test "the fourteen programs on both machines are what the document's equations say" {
    in_python <<'END'
table = """
mandel 320040 - 2.56004e+06 128040 32040 329000 - 2.632e+06 272000 -
randmat 4087.93 1087.93 32121.2 - 444.06 13047.9 37047.9 - 145608 288404
half 2046 - 16326 1443 1481.5 8040 66540 274320 1.02712e+06 -
life 20200 8200 135416 - 9016 186600 - - 323200 462400
thresh 1877.6 - 10896 2027.12 2035.97 31739.6 80549.6 198522 552067 -
outer 22392 7531.39 176758 - 4663.47 49582 93352 - 430352 1.09133e+06
elastic 1.37273e+06 - 6.72353e+07 6.42225e+06 4.78024e+06 1.19768e+07 - 4.01991e+08 1.112e+09 -
invperc 12880 13341.8 1.23985e+06 - 1.29911e+06 420960 725280 - 3.58539e+08 1.3573e+09
product 5095 - 40480 2800 1940 22200 70050 188800 299600 -
sor 576210 185389 4.11989e+06 - 242847 2.4266e+06 - - 2.97204e+07 8.37897e+07
gauss 632850 - 4.02749e+07 2.15772e+06 684604 765250 829000 6.0162e+07 7.70562e+07 -
norm 1444 1386.55 1620.32 - 2024.11 51188 108173 - 698057 2.38419e+06
winnow 1795.82 - 18981.2 6153.05 8939.94 52337.2 - 792061 2.80298e+06 -
vecdiff 396 379.273 442.159 - 539.556 19554 54076.5 - 283026 814097
"""
points = [(1, 20, 1), (4, 20, 1), (8, 160, 1), (16, 160, 0.1), (32, 160, 0.05)]
rows = dict((words[0], words[1:]) for words in map(str.split, table.strip().split("\n")))
assert len(rows) == 14
for program in document.PROGRAMS:
    for k, (machine, costs) in enumerate(document.MACHINES.items()):
        for j, (p, d, c) in enumerate(points):
            expected = "%.6g" % program(costs, p, d, c)
            printed = rows[program.__name__][5 * k + j]
            assert printed in ("-", expected), (program.__name__, machine, p, d, c, expected, printed)
            found = "%.6g" % microseconds(program.__name__, p, d, c, "--as-printed", "--sheet", machine)
            assert found == expected, (program.__name__, machine, p, d, c, found, expected)
END
}

@test "speed-ups on the workstations are those that the document found" {
    in_python <<'END'
def speed_ups(program, d):
    return [round(x["speed_up"], 2) for x in evaluate(program, "1..16", d, "1us", "--as-printed", "--sheet", "now-1996")]
assert speed_ups("randmat", 160) == [1, 1.81, 2.65, 2.55, 1.66]
assert speed_ups("randmat", 20) == [1, 0.65, 0.35, 0.18, 0.09]
assert speed_ups("vecdiff", 160) == [1, 0.66, 0.37, 0.17, 0.07]
END
}

@test "an uneven winnow never gains; outer's speed-up hardly depends on the step" {
    in_python <<'END'
for p in evaluate("winnow", "2..128+1", 160, 1, "--set", "unevenness=1", "--as-printed"):
    assert p["speed_up"] < 1, p
# 8 processes, 160 points.
gains = [p["speed_up"] for p in evaluate("outer", 8, 160, "0.05,0.1,0.2,0.5", "--as-printed")]
assert all(6.8 <= gain <= 7.4 for gain in gains), gains
END
}

@test "whole rows keep 20 of 32 processes busy" {
    in_python <<'END'
assert "%.6g" % microseconds("mandel", 32, 20, 1, "--whole-rows") == "16040"
assert "%.6g" % microseconds("mandel", 32, 20, 1) == "10040"
END
}

@test "a sheet takes the place of the machine that is included" {
    in_python <<'END'
import math, os
sheet = os.environ["BMF_SOURCE_DIR"] + "/examples/sheets/cray-t3d.sheet"
assert "%.6g" % microseconds("gauss", 16, 160, "0.1us", "--sheet", sheet) == "2.15772e+06"
assert "%.6g" % microseconds("norm", 8, 160, 1, "--sheet", "cray-t3d") == "1615.27"
# By hand: the sheet's rows for up to 32 elements, and its barrier.
expected = 20 + 4 * (300 + 6 * 8 + 2 * math.log(8)) + 160 + 10 + 8 * math.log(8)
assert abs(microseconds("norm", 8, 160, 1, "--sheet", sheet) - expected) < 1e-9 * expected
# The program's own equations stay; those of files further in give way.
open("own.model", "w").write('include "life"\ntbarrier(p) = 123\n')
barrier = evaluate("own.model", 8, 20, 1, "--sheet", sheet)[0]["phases"][2]
assert barrier["name"] == "barrier" and abs(barrier["seconds"] - 123e-6) < 1e-15
END
}

@test "collectives of one process take nothing unless equations are taken as printed" {
    in_python <<'END'
for options, barrier in ((), 0), (("--as-printed",), 9000):
    point = evaluate("life", 1, 20, 1, "--sheet", "now-1996", *options)[0]
    assert abs(point["phases"][2]["seconds"] * 1e6 - barrier) < 1e-9, point
    # sends are no collectives
    assert abs(point["phases"][0]["seconds"] * 1e6 - 20 * 4 * 2020) < 1e-6, point
END
}

@test "intervals: one term is the sheet's, a thousand of it err once" {
    cat >errors.sheet <<'END'
format = "bmf sheet 1"; title = "errors"; units = "us"; logarithm = "natural";
entries = ( { operation = "bcast"; family = "collective"; p = [2, 64]; d = [1, 4096];
    c = 100.0; startup = "p"; s = 2.0; size = "log(p)*d"; k = 0.2; errors = [3.0, 0.5, 0.01];
    noise = 0.05; freedom = 12.0; } );
END
    sed 's/"bcast"/"bcast:cached"/' errors.sheet >cached.sheet
    "$BMF" sheet calc errors.sheet bcast 16 1000 --json >calc.json
    printf 'phase one(p,d,c) = tbcast(p,d)\n' >one.model
    printf 'param n = 1000\nphase many(p,d,c) = n*tbcast(p,d)\n' >many.model
    printf 'phase none(p,d,c) = 3*tbcast(p,d) - 3*tbcast(p,d) + 7\n' >none.model
    in_python <<'END'
import math
calc = json.load(open("calc.json"))
one = evaluate("one.model", 16, 1000, 1, "--sheet", "errors.sheet")[0]
assert evaluate("one.model", 16, 1000, 1, "--sheet", "cached.sheet")[0] == one
many = evaluate("many.model", 16, 1000, 1, "--sheet", "errors.sheet")[0]
for key, other in ("seconds", "avg"), ("lo", "low"), ("hi", "high"):
    assert math.isclose(one[key], calc[other], rel_tol=1e-12), (key, one, calc)
# The variance of coefficients grows by a million, that of the noise by a thousand; 12 degrees of freedom both times.
log = math.log(16)
coefficients = 3.0**2 + (16 * 0.5)**2 + (1000 * log * 0.01)**2
noise = (0.05 * one["seconds"] * 1e6)**2
half_one = (one["hi"] - one["lo"]) / 2 * 1e6
half_many = (many["hi"] - many["lo"]) / 2 * 1e6
assert math.isclose(half_many / half_one, math.sqrt((1e6 * coefficients + 1e3 * noise) / (coefficients + noise)), rel_tol=1e-9)
none = evaluate("none.model", 16, 1000, 1, "--sheet", "errors.sheet")[0]
assert math.isclose(none["seconds"], 7e-6)
END
}

@test "GNUplot's definitions are read as they stand" {
    cat >gnuplot.model <<'END'
# machine
tcomms = 10.0; tcompute = 1.0   # microseconds
tbcast(p,d)  = tcomms*d*log(p)
tgather(p,d) = tcomms*d*log(p)
ncols = 8
nrows = 4
maxmandeliter = 100
tbroadcast(p) = tbcast(p, 8)
tgatherresults(p) = \
    tgather(p, ncols*nrows/p)
tmandelcalc = tcompute*8*maxmandeliter
tmandelcomp(p) = ncols*(nrows/p)*tmandelcalc**1
ttotal(p) = tbroadcast(p) + tmandelcomp(p) + tgatherresults(p)
END
    in_python <<'END'
import math
for p in 1, 2, 8:
    expected = 80 * math.log(p) + 8 * (4 / p) * 800 + 10 * 32 / p * math.log(p)
    assert math.isclose(microseconds("gnuplot.model", p, 1, 1), expected, rel_tol=1e-12), p
assert math.isclose(microseconds("gnuplot.model", 1, 1, 1, "--set", "tcompute=2ms"), 8 * 4 * 2000 * 800)
END
}

@test "the table has intervals, shares and remarks" {
    run --separate-stderr "$BMF" model eval life --sheet "$SHEET" -p 1..4 -d 20,16384 -c 1us --phases
    assert_success
    assert_equal "$stderr" ""
    assert_line "life.model, messages as in MPI on the Cray T3D"
    assert_line --regexp '^ +1 +20160 +not known +1\.000 +1\.000$'
    assert_line --regexp '^ +16000 +- +79\.4%  compute$'
    assert_line --regexp '^\* p = 4, d = 16384: send: d is outside what was measured, 1 to 8192$'
}

@test "best finds the fastest p, where speed-up ends, and what overtakes what" {
    "$BMF" model best mandel-comm -p 1..512 -d 160 -c 0.01us --json >best.json
    "$BMF" model best winnow -p 1..128 -d 160 -c 1us --set unevenness=1 --as-printed >winnow.txt
    in_python <<'END'
import math
best = json.load(open("best.json"))["best"][0]
assert best["p"] == 87 and "%.6g" % (best["seconds"] * 1e6) == "5532.83" and best["end"] == 87
# A second search, over the document's formula.
def parts(p):
    return {"broadcast": 100 + 2 * p + 0.2 * math.log(p) * 8, "compute": 160 * (160 / p) * 0.01 * 8 * 100,
            "gather": 200 * math.log(p) + 0.0009 * p * p * 160 * (160 / p)}
def total(p):
    return sum(parts(p).values()) if p > 1 else parts(1)["compute"]
assert min(range(1, 513), key=total) == 87
near = [p for p in range(1, 513) if total(p) <= 1.05 * total(87)]
assert best["near"] == [near[0], near[-1]]
gain = [p for p in range(1, 513) if total(p) < total(1)]
assert best["faster_than_one"] == [gain[0], gain[-1]]
for crossing in best["crossings"]:
    p, longer, shorter = crossing["p"], crossing["longer"], crossing["shorter"]
    assert parts(p)[longer] > parts(p)[shorter] and parts(p - 1)[longer] <= parts(p - 1)[shorter], crossing
assert [c for c in best["crossings"] if c["longer"] == "gather" and c["shorter"] == "compute"]
END
    run cat winnow.txt
    assert_line --regexp '^  fastest: 1 process, '
    assert_line "  never faster than one process"
}

@test "check tells what is in a file, and what is odd" {
    run "$BMF" model check life
    assert_success
    assert_line "phases: swap(p,d,c), compute(p,d,c), barrier(p,d,c)"
    assert_line "parameters: nlifeiters = 20"
    assert_line "units: right"
    assert_line --partial "life.model:7:7: no p changes phase swap"
    refute_line --partial "phase compute"
    printf 'phase a(p,d,c) = c*c\nphase b(p,d,c) = p*log(c)\nphase e(p,d,c) = c/2ms + c\nhelp(x) = x\n' >odd.model
    run "$BMF" model check odd.model
    assert_failure 1
    assert_line "odd.model:1:7: a is a time to the power 2 and no time"
    assert_line "odd.model:2:20: the logarithm of a time"
    assert_line "odd.model:3:24: a sum of a number and a time"
    assert_line "odd.model:4:1: no phase uses function help"
    for name in $("$BMF" model list); do
        run "$BMF" model check "$name"
        assert_success
        assert_line "units: right"
    done
}

@test "mistakes in files have a place" {
    refused_model "x.model:3:10: tsend needs 1 argument, found 2" \
        'include "t3d-1996"\n\nf(d) = 2*tsend(d,3)\nphase x(p,d,c) = f(d)\n'
    refused_model "x.model:1:20: unknown name tsned; near: tsend" 'phase x(p,d,c) = 2*tsned(d)\ninclude "t3d-1996"\n'
    refused_model "x.model:1:18: unknown name tbcast; what messages cost comes from a sheet" 'phase x(p,d,c) = tbcast(p,d)\n'
    refused_model "near: tbcast" 'phase x(p,d,c) = tbcats(p,d)\n' --sheet "$SHEET"
    refused_model "x.model:2:8: f calls itself (f, g, f)" 'f(x) = g(x)\ng(x) = f(x) + 1\nphase x(p,d,c) = 2\n'
    refused_model "x.model:2:1: a is defined twice; the first time at x.model:1:1" 'a = 3\na = 4\nphase x(p,d,c) = 2\n'
    refused_model "x.model:1:11: the arguments of a phase are p" 'phase x(p,q,c) = 2\n'
    refused_model "x.model:1:1: unknown statement 'partner'" 'partner x = 2\n'
    refused_model "x.model:1:20: expected an operator or the end of the line, found '\$'" 'phase x(p,d,c) = 2 $\n'
    refused_model "x.model:1:21: expected a number, a name or '(', found the end of the line" 'phase x(p,d,c) = 2 +\n'
    refused_model "x.model:1:19: '1e400' does not fit a real" 'phase x(p,d,c) = (1e400)\n'
    refused_model "x.model:1:18: '3min' is no number" 'phase x(p,d,c) = 3min\n'
    refused_model "x.model:1:1: log is there already" 'log(x) = x\nphase x(p,d,c) = 2\n'
    refused_model "there is no model 'nope'" 'include "nope"\n'
    refused_model "nothing to evaluate" 'f = 3\n'
    refused_model "nested deeper than" "phase x(p,d,c) = $(printf '(%.0s' {1..500})"
}

@test "what cannot be evaluated is named with p, d and c" {
    refused_model "x.model:1:19: division by zero at p = 2, d = 20, c = 1 us" 'phase x(p,d,c) = d/(p-2) + 100\n'
    refused_model "x.model:1:7: x takes a negative time, -20 us, at p = 2, d = 20, c = 1 us" 'phase x(p,d,c) = d*(1-p)\n'
    refused_model "x.model:1:31: the logarithm of -1 at p = 2" 'phase x(p,d,c) = p == 1 ? 1 : log(1-p)\n'
    refused_model "x.model:1:18: the square root of -1 at p = 2" 'phase x(p,d,c) = sqrt(1-p)\n'
    # What is not chosen does no harm.
    printf 'phase x(p,d,c) = p == 2 ? 5 : 1/(p-2) + 10\n' >fine.model
    run "$BMF" model eval fine.model -p 1,2 -d 20
    assert_success
    assert_line --regexp '^ +1 +9 '
    assert_line --regexp '^ +2 +5 '
}

@test "a program beside its equations does not get in the way" {
    printf '\177ELF' >life
    run "$BMF" model eval life -p 1 -d 20
    assert_success
    printf 'phase x(p,d,c) = 42\n' >life.model
    run "$BMF" model eval life -p 1 -d 20
    assert_line --regexp '^ +1 +42 '
}

@test "bad options" {
    refused "life.model has no parameter 'nlifeitres'; near: nlifeiters" eval life -p 1 -d 20 --set nlifeitres=3
    refused "'nlifeiters' is not NAME=VALUE" eval life -p 1 -d 20 --set nlifeiters
    refused "the value '3x' of nlifeiters is no number" eval life -p 1 -d 20 --set nlifeiters=3x
    refused "there is no sheet 'nope'" eval life -p 1 -d 20 --sheet nope
    refused "there is no model 'nope'" eval nope -p 1 -d 20
    refused "'0' is no list of numbers of processes" eval life -p 0 -d 20
    refused "'1..' is no list of numbers of processes" eval life -p 1.. -d 20
    refused "'1.5' is no list of numbers of processes" eval life -p 1.5 -d 20
    refused "'1us,x' is no list of times" eval life -p 1 -d 20 -c 1us,x
    refused "exclude each other" eval life -p 1 -d 20 --as-printed --whole-rows
    refused "on how many processes" eval life -d 20
    refused "for which sizes" eval life -p 1
    refused "no file of equations" eval -p 1 -d 20
}
