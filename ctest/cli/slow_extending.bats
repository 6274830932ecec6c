#!/usr/bin/env bats
# docs/extending.md is true: what it says is done to a copy of the sources, which is built, and every addition is used.

bats_require_minimum_version 1.5.0

# The copy is built once for all tests.
setup_file()
{
    export COPY=$BATS_FILE_TMPDIR/copy BUILD=$BATS_FILE_TMPDIR/build
    mkdir "$COPY"
    tar -C "$BMF_SOURCE_DIR" --exclude=./build --exclude=./.git -cf - . | tar -C "$COPY" -xf -
    python3 "$BMF_SOURCE_DIR/ctest/cli/extend.py" "$BMF_SOURCE_DIR/docs/extending.md" "$COPY" >"$BATS_FILE_TMPDIR/touched"
    cmake -S "$COPY" -B "$BUILD" -DCMAKE_BUILD_TYPE=Debug -DBMF_WERROR=ON -DBMF_TESTS=OFF >"$BATS_FILE_TMPDIR/log" 2>&1 &&
        cmake --build "$BUILD" -j 2 >>"$BATS_FILE_TMPDIR/log" 2>&1 || { tail -n 40 "$BATS_FILE_TMPDIR/log" >&2; return 1; }
}

load set_up.bash

setup()
{
    set_up
    BMF=$BUILD/bin/bmf
}

# touches MOST SECTION: the section touches at most so many files of code
touches()
{
    run sed -n "s/^$2: \([0-9]*\) files:.*/\1/p" "$BATS_FILE_TMPDIR/touched"
    assert_output --regexp '^[0-9]+$'
    [ "$output" -le "$1" ] || fail "$2 touches $output files: $(grep "^$2:" "$BATS_FILE_TMPDIR/touched")"
}

# predicts MICROSECONDS: the output is that of bmf predict --json
predicts()
{
    python3 -c 'import json, sys
assert abs(json.loads(sys.argv[2])["runs"][0]["seconds"] / (1e-6 * float(sys.argv[1])) - 1) < 1e-12, sys.argv[2]' "$1" "$output"
}

# Starting a message takes 10 us, each link 1 us. Down the tree of the split: 0 to 2 at 0 us, 2 links, there at 12 us; 0 to 1
# at 10, there at 21; 2 to 3 at 12, there at 23. Back up: 1 to 0 at 21, there at 32; 3 to 2 at 23, there at 34; 2 to 0 at
# 34, 2 links, there at 46.
@test "a network" {
    touches 2 "A network"
    cat >ring.machine <<'END'
name = "ring of four";
processors = 4;
compute = { zero = true; };
network = { type = "ring"; startup_us = 10.0; link_us = 1.0; };
agreement_us = 0.0;
END
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Procs) [1, 2, 3, 4]' >sum.bmf
    BMF_SCHEDULE=split=tree,reduce=levels run "$BMF" predict sum.bmf --machine ring.machine --procs 4 --json
    assert_success
    predicts 46
    run "$BMF" machine show ring.machine
    assert_output --partial "a ring of 4 processors: 10 us to start a message"
    run "$BMF" machine --help
    assert_output --partial "a constant, and a time for each link of a ring"
    sed -i s/link_us/lnik_us/ ring.machine
    run "$BMF" machine show ring.machine
    assert_failure 2
    assert_output --partial "ring.machine:4: unknown key 'lnik_us'; near: link_us"
}

# make_trace: a run on 4 processors and 2 ranks
make_trace()
{
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num 4) [1, 2, 3, 4]' >sum.bmf
    "$MPIRUN" -n 2 "$BMF" run sum.bmf --procs 4 --trace sum.trace
}

@test "a trace format" {
    touches 2 "A trace format"
    make_trace
    "$BMF" convert sum.trace --to ndjson -o sum.ndjson
    "$BMF" convert sum.trace --to csv -o sum.csv
    python3 - <<'END'
import csv, json
events = [json.loads(line) for line in open("sum.ndjson")]
rows = list(csv.DictReader(open("sum.csv")))
assert len(events) == len(rows) > 20
for event, row in zip(events, rows):
    for key, column in ("kind", "kind"), ("lane", "lane"), ("peer", "peer"), ("begin", "begin_ns"), ("end", "end_ns"), \
                       ("amount", "amount"):
        assert str(event[key]) == row[column], (event, row)
    if event["kind"] == "send":
        other = events[event["partner"]]
        assert (other["kind"], other["lane"], other["peer"]) == ("receive", event["peer"], event["lane"])
END
    "$BMF" convert sum.trace --to ndjson -o - | cmp - sum.ndjson
    run "$BMF" convert --help
    assert_output --partial "ndjson"
}

@test "a law" {
    touches 2 "A law"
    echo 'B_Op (B_Length) . B_Map (B_Op (B_Abs)) [1.5, -2.5, 3.5]' >length.bmf
    run "$BMF" plan length.bmf
    assert_success
    assert_output --partial "map-length: length o map f = length, if f cannot fail"
    run "$BMF" run length.bmf
    assert_output 3
    # of an int, the absolute value may fail
    echo 'B_Op (B_Length) . B_Map (B_Op (B_Abs)) [1, -9223372036854775808]' >length.bmf
    run "$BMF" plan length.bmf
    refute_output --partial "map-length"
    run "$BMF" run length.bmf
    assert_failure 2
}

# 5 + 2 log(p) + 0.5 sqrt(d) microseconds, and up to 1 in 1000 more or less
@test "a form of equation" {
    touches 2 "A form of equation"
    python3 - >root.raw <<'END'
import math, random
random.seed(1)
print("bmf samples 1\nmachine made up\ndate 2026-11-20T12:00:00Z\nversion 0\nmpi none\nranks 16\nthreads 1\ncores 16\n"
      "tick 1e-9\nclock barrier\noptions none\nunits seconds")
lines = [f"sample bcast collective p {p} d {4 ** k} bytes 8 threads 1 fresh 8 " + " ".join(
            f"{(5 + 2 * math.log(p) + 0.5 * math.sqrt(4 ** k)) * 1e-6 * random.uniform(0.999, 1.001):.8g}" for _ in range(8))
         for k in range(9) for p in (2, 4, 8, 16)]
print("\n".join(lines))
print("complete", len(lines))
END
    "$BMF" sheet fit root.raw -o root.sheet
    grep -q "sqrt(d)" root.sheet
    run "$BMF" sheet show root.sheet
    assert_success
    assert_output --partial "sqrt(d)"
    "$BMF" sheet show root.sheet --tex root.tex
    grep -qF '\sqrt d' root.tex
    # between the measured sizes: 5 + 2 log(8) + 0.5 * 30 = 24.16
    run "$BMF" sheet calc root.sheet bcast 8 900 --json
    assert_success
    python3 -c 'import json, sys
assert abs(1e6 * json.loads(sys.argv[1])["avg"] / 24.16 - 1) < 0.01, sys.argv[1]' "$output"
}

@test "a subcommand" {
    touches 2 "A subcommand"
    make_trace
    run "$BMF" events sum.trace
    assert_success
    assert_line "send 6" # 3 of the split, 3 of the reduction
    assert_line "receive 6"
    run "$BMF" events sum.trace --lane 3
    assert_line "send 1"
    assert_line "receive 1"
    run "$BMF" events
    assert_failure 2
    assert_output "bmf: no trace (see \`bmf events --help\`)"
    run "$BMF" events --help
    assert_line --partial "usage: bmf events TRACE [--lane LANE]"
    run "$BMF" --help
    assert_output --partial "count the events of a trace"
    grep -q "Only events of this processor" "$BUILD/man/bmf-events.1"
}

# compile NAME: NAME.c with the built library
compile()
{
    mpicc.mpich -std=c17 -Wall -Wextra -Werror -I "$COPY/include" "$1.c" -o "$1" -L "$BUILD" -lbmf -Wl,-rpath,"$BUILD"
}

# Maps x -> a x + b modulo 97, one after the other, which do not commute.
@test "an algorithm for a skeleton" {
    touches 2 "An algorithm for a skeleton"
    cat >maps.c <<'END'
#include <stdio.h>

#include <bmf.h>

/* A map is 100 a + b. */
static int64_t then(int64_t first, int64_t second)
{
    int64_t a = second / 100, b = second % 100;
    return (first / 100 * a) % 97 * 100 + (a * (first % 100) + b) % 97;
}
BMF_NONCOMMUTATIVE_OPERATOR(after, int64_t, x, y, then(x, y), 100)
BMF_MAP_KERNEL(number, int64_t, i, int64_t, (i % 95 + 2) * 100 + i % 96)
BMF_COMMUTATIVE_OPERATOR(plus, double, x, y, x + y, 0.0)
BMF_MAP_KERNEL(inverse, int64_t, i, double, 1.0 / (double)(i + 1))

int main(int argc, char **argv)
{
    bmf_context *ctx;
    bmf_list *xs;
    int64_t total;
    double sum;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    BMF_CHECK(bmf_iota(ctx, 1000, &xs));
    BMF_CHECK(bmf_map_reduce(xs, &number, &after, &total));
    BMF_CHECK(bmf_map_reduce(xs, &inverse, &plus, &sum));
    if (bmf_is_root(ctx))
        printf("%lld %a\n", (long long)total, sum);
    bmf_list_free(xs);
    return bmf_close(ctx);
}
END
    compile maps
    total=$(python3 -c 'a, b = 1, 0
for i in range(1000):
    c, d = i % 95 + 2, i % 96
    a, b = a * c % 97, (c * b + d) % 97
print(100 * a + b)')
    run ./maps
    assert_output --regexp "^$total 0x"
    all=$output
    for ranks in 1 3 5; do
        for processors in "$ranks" 8; do
            for algorithm in levels chain; do
                run "$MPIRUN" -n "$ranks" ./maps --bmf-procs "$processors" --bmf-schedule "reduce=$algorithm"
                assert_success
                assert_output "$all"
            done
        done
    done
    run --separate-stderr "$MPIRUN" -n 3 ./maps --bmf-schedule reduce=chain --bmf-plan
    assert_regex "$output$stderr" "chain: [0-9]* rounds?, "
}

@test "a skeleton in C and in the language" {
    touches 4 "A skeleton in C and in the language"
    cat >backwards.c <<'END'
#include <stdio.h>

#include <bmf.h>

int main(int argc, char **argv)
{
    bmf_context *ctx;
    bmf_list *xs, *ys;
    int64_t y[7];
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    BMF_CHECK(bmf_iota(ctx, 7, &xs));
    BMF_CHECK(bmf_reverse(xs, &ys));
    BMF_CHECK(bmf_to_array(ys, y));
    for (int i = 0; bmf_is_root(ctx) && i < 7; i++)
        printf("%lld%c", (long long)y[i], i < 6 ? ' ' : '\n');
    bmf_list_free(xs);
    bmf_list_free(ys);
    return bmf_close(ctx);
}
END
    compile backwards
    # the parts [8, 7], [6, 5], [4, 3], [2, 1] backwards
    echo 'P_Reduce (B_Op (B_Conc)) . P_Reverse . P_Split (B_Num 4) . B_Op (B_Reverse) [1, 2, 3, 4, 5, 6, 7, 8]' >parts.bmf
    echo 'B_Map (B_Op (B_Reverse)) [[1, 2, 3], [], [4], [5, 6]]' >inner.bmf
    for ranks in 1 3 4; do
        run "$MPIRUN" -n "$ranks" ./backwards --bmf-trace c.trace
        assert_success
        assert_output "6 5 4 3 2 1 0"
        run "$MPIRUN" -n "$ranks" "$BMF" run parts.bmf --trace language.trace
        assert_success
        assert_output "[2, 1, 4, 3, 6, 5, 8, 7]"
        run "$MPIRUN" -n "$ranks" "$BMF" run inner.bmf
        assert_success
        assert_output "[[3, 2, 1], [], [4], [6, 5]]"
    done
    run "$BMF" check parts.bmf
    assert_success
    assert_output --partial "[int]"
    run "$BMF" plan parts.bmf
    assert_output --partial "P_Reverse"
    run "$BMF" trace c.trace
    assert_output --partial "main/reverse"
    run "$BMF" trace language.trace
    assert_output --partial "P_Reverse"
    echo 'B_Op (B_Reverse) {1, 2}' >wrong.bmf
    run "$BMF" check wrong.bmf
    assert_failure 2
    assert_output --partial "B_Reverse needs a list, found {int, int}"
    # Predicted: a message takes 10 us, and two after each other are needed to split, two to ask for an element and get it,
    # two to gather.
    echo 'compute = { zero = true; }; network = { type = "fixed"; transport_us = 10.0; }; agreement_us = 0.0;' >fixed.machine
    BMF_SCHEDULE=split=tree,gather=levels run "$BMF" predict parts.bmf --machine fixed.machine --procs 4 --json
    assert_success
    predicts 60
    run ./backwards --bmf-procs 4 --bmf-machine fixed.machine
    assert_success
    assert_output --partial "6 5 4 3 2 1 0"
}
