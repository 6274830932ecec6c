#!/usr/bin/env bats
# bmf cop: what check and plan print, that plans do not change from run to run, and that mistakes end with one line that
# says where they are.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache # schedules
    EXAMPLES=$BMF_SOURCE_DIR/examples/cop
}

# refused TEXT ARGUMENT..: exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    run --separate-stderr timeout 60 "$BMF" cop "${@:2}"
    assert_failure 2
    assert_output ""
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ ${stderr_lines[0]} == "bmf: "* ]]
    [[ ${stderr_lines[0]} == *"$1"* ]] || fail "'${stderr_lines[0]}' does not say '$1'"
}

@test "every example is checked and planned" {
    local count=0
    for program in "$EXAMPLES"/*.cop; do
        "$BMF" cop check "$program" --size 3x3x3 >/dev/null
        "$BMF" cop plan "$program" --size 3x3 >/dev/null
        count=$((count + 1))
    done
    [ "$count" -ge 4 ]
}

@test "check prints the tree" {
    run "$BMF" cop check "(subset rows (broadcast 'b (runtime) :m 3))" --size 4x2
    assert_success
    assert_output "broadcast b (runtime), 3 words, 2 instances, 8 nodes, x 0..3 y 0..1"
    "$BMF" cop check "$EXAMPLES/gauss.cop" --size 5x5 --json >tree.json
    python3 - <<'END'
import json
tree = json.load(open("tree.json"))
assert [child["label"] for child in tree["children"]] == ["elim", "subst"]
assert [child["count"] for child in tree["children"]] == [210, 210]
END
}

@test "the matrix product has two phases that end by their messages" {
    run "$BMF" cop plan "$EXAMPLES/matmul.cop" --size 6x6 --rivals --draw 14
    assert_success
    assert_line --regexp "^phase 1  msg-sync  b: broadcast by str_bcast_dense, 60 streams, 0.458 words a cycle  T_io "
    assert_line --regexp "^phase 2  msg-sync  c: cshift by str_shift, 36 streams, 0.500 words a cycle  T_io "
    assert_line "phases  {b} {c}"
    assert_line "rival  b by str_bcast: needs a constant source"
    assert_line "schedule of phase 2"
}

@test "plans are the same bytes every time" {
    for program in matmul gauss; do
        "$BMF" cop plan "$EXAMPLES/$program.cop" --size 5x5 --json >one
        "$BMF" cop plan "$EXAMPLES/$program.cop" --size 5x5 --json >two
        cmp one two
        python3 -m json.tool one >/dev/null
    done
}

@test "limits are kept" {
    run "$BMF" cop plan "$EXAMPLES/gauss.cop" --size 3x3 --most-phases 2
    assert_success
    refute_line --regexp "^phase 3 "
    run "$BMF" cop plan "$EXAMPLES/gauss.cop" --size 3x3 --effort 1
    assert_success
    assert_line --partial "not searched to the end"
    run "$BMF" cop plan "(broadcast 'b 0 :m 100 :b 0.25)" --size 4x4
    assert_success
    assert_output --partial "0.250 words a cycle"
}

@test "mistakes have a place" {
    printf '(broadcast\n  (list 1 2) 0)' >bad.cop
    refused "bad.cop:1:2: the label is to be a name" check bad.cop --size 4x4
    refused "expression:1:2: 'brodcast' is not known; near names: broadcast" check "(brodcast 'b 0)" --size 4x4
    refused "broadcast 'b' has no implementation: str_bcast needs a constant source" \
        plan "(broadcast 'b (runtime) :impl str_bcast)" --size 4x4
    refused "there is no implementation 'magic'" plan "(broadcast 'b 0 :impl 'magic)" --size 4x4
    refused "str_shift implements cshift" plan "(broadcast 'b 0 :impl 'str_shift)" --size 4x4
    refused "the size of the mesh is wanted" check "(broadcast 'b 0)"
    refused "none.cop: No such file or directory" check none.cop --size 4x4
    refused "there is no such constant" plan "(broadcast 'b 0)" --size 4x4 --cost B_x=1
    refused "has no parameter 'slots'" plan "(broadcast 'b 0)" --size 4x4 --set slots=1
}

@test "the matrix product runs, with values that are right and the document's cycles of computing" {
    run "$BMF" cop run "$EXAMPLES/matmul.c" --size 3x3 --nodes
    assert_success
    assert_line --regexp "^nodes 9  cycles [0-9]+  cpu 120000 write [0-9]+ read [0-9]+ psync [0-9]+ router [0-9]+ reprog 0$"
    assert_line --regexp "^node 8 cpu 120000 "
    "$BMF" cop run "$EXAMPLES/matmul.c" --size 3x3 --json >one
    "$BMF" cop run "$EXAMPLES/matmul.c" --size 3x3 --json >two
    cmp one two
}

@test "Gaussian elimination runs, with the right solution, in more phases than routers hold" {
    run "$BMF" cop run "$EXAMPLES/gauss.c" --size 3x3
    assert_success
    assert_line --regexp "^nodes 9  cycles [0-9]+  cpu 3205158 write [0-9]+ read [0-9]+ psync [0-9]+ router [0-9]+ reprog 0$"
    # Table 8.4: 420836 cycles of writing and reading, 8686 of changing phases, 153 of loading
    local -a value
    read -ra value <<<"${lines[0]}"
    [ $((value[7] + value[9])) -le $((420836 * 115 / 100)) ]
    [ "${value[11]}" -le $((2 * 8686)) ]
    [ "${value[13]}" -ge 133 ] && [ "${value[13]}" -le 173 ]
}

@test "programs in C have functions for every operator, and each node its own variables" {
    cat >own.c <<'END'
;/*
(allreduce 'r 'join :m 2)
(prefix 's 'sum :type int64)
(gather 'g 1 :type float32)
(sequential (barrier 'wait))
*/
#include <stdio.h>
#include "own.cop.h"
void join(const int32_t *a, const int32_t *b, int32_t *out) { out[0] = a[0]; out[1] = b[1]; }
int64_t sum(int64_t a, int64_t b) { return a + b; }
static int calls;
int main(int argc, char **argv)
{
    int32_t ends[2] = {cop_node(), cop_node()};
    cop_init();
    calls++;
    r_load();
    r_func(ends, ends);
    s_load();
    const int64_t before = s_func(cop_node() + 1);
    g_load();
    float total = 0;
    if (cop_node() == 1)
        for (int k = 0; k < cop_nodes() - 1; k++)
            total = 10 * total + g_read();
    else
        g_write((float)cop_node());
    wait_load();
    wait_func();
    cop_fini();
    if (cop_node() == 1)
        printf("%s %s %d %d %lld %g %d\n", argv[0], argc > 1 ? argv[1] : "", ends[0], ends[1], (long long)before, total, calls);
    return 0;
}
END
    run "$BMF" cop run own.c --size 2x2 -- 60
    assert_success
    assert_line "[1] own.c 60 0 3 3 23 1"
}

@test "nodes print whole lines, those of others than node 0 with their number" {
    cat >says.c <<'END'
;/*
(broadcast 'b 0)
*/
#include <stdio.h>
#include "says.cop.h"
int main(void)
{
    int32_t x = 7;
    cop_init();
    b_load();
    printf("from %d", cop_node());
    if (cop_node() == 0)
        b_write(&x);
    else
        b_read(&x);
    printf(" comes %d\n\nend", x);
    cop_fini();
    return 0;
}
END
    run "$BMF" cop run says.c --size 2x2
    assert_success
    for node in 1 2 3; do
        assert_line "[$node] from $node comes 7"
        assert_line "[$node] "
        assert_line "[$node] end"
    done
    assert_line "from 0 comes 7"
    assert_line "end"
    refute_line --partial "[0]"
}

@test "what programs do wrong at run time is told with node, operator and cycle" {
    printf ';/*\n(broadcast (quote b) (runtime) :m 1)\n*/\n#include "bad.cop.h"\nint main(void) { int32_t x = 0; cop_init(); b_load(7); b_read(&x); return 0; }\n' >bad.c
    run --separate-stderr "$BMF" cop run bad.c --size 2x2
    assert_failure 1
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == *"operator 'b', cycle "*"operand 1 is 7, outside the subset of 4 nodes" ]]
    printf ';/*\n(broadcast (quote b) 0)\n*/\nint main(void) { return 0; }\n' >none.c
    refused "does not include its .cop.h" run none.c --size 2x2
}

# compiled NAME SIZE RANKS: a program of examples/cop for MPI, by mpicc without warnings, and its run
compiled()
{
    "$BMF" cop compile "$EXAMPLES/$1.c" --size "$2" --router mpi -o "$1.cop.h"
    "${MPICC:-mpicc.mpich}" -std=c11 -O2 -Wall -Wextra -Wno-unused-function -Werror -I. "$EXAMPLES/$1.c" -o "$1" -lm
    timeout 120 "$MPIRUN" -n "$3" "./$1"
}

@test "the matrix product is compiled for MPI and runs on 4 and 9 ranks" {
    compiled matmul 2x2 4
    compiled matmul 3x3 9
    run --separate-stderr "$MPIRUN" -n 2 ./matmul
    [[ $stderr == *"the program was compiled for 9 nodes; there are 2 ranks"* ]]
    "$BMF" cop compile "$EXAMPLES/matmul.c" --size 3x3 --router mpi -o - | cmp - matmul.cop.h
}

@test "elimination is compiled for MPI and finds the solution on 4 ranks" {
    compiled gauss 2x2 4
}

@test "what MPI cannot carry out is refused; headers for simulated routers check programs" {
    printf "(reduce 'r 'f (runtime :distributed t))" >far.cop
    refused "far.cop:1:2: reduce 'r': MPI needs a destination that all nodes know" compile far.cop --size 2x2 --router mpi -o far.h
    "$BMF" cop compile "$EXAMPLES/gauss.c" --size 3x3 -o gauss.cop.h
    cc -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only "$EXAMPLES/gauss.c"
    refused "no header to write" compile far.cop --size 2x2 --router mpi
    refused "cannot write 'none/far.h'" compile "(broadcast 'b 0)" --size 2x2 --router mpi -o none/far.h
    [ ! -e far.h ]
}

@test "the same programs run on dynamic routers, with the same values" {
    for router in ecube adaptive; do
        run "$BMF" cop run "$EXAMPLES/matmul.c" --size 3x3 --router $router
        assert_success
        assert_line --regexp "^nodes 9  cycles 1[0-9]+  cpu 120000 write [0-9]+ read [0-9]+ psync 0 router 0 reprog 0$"
        "$BMF" cop run "$EXAMPLES/gauss.c" --size 3x3 --router $router >/dev/null
    done
    run "$BMF" cop plan "(sequential (stream 'A 1 3) (stream 'B 1 3))" --size 2x2 --router ecube
    assert_line "B: stream by dyn_stream, address 2"
    refused "str_bcast is for scheduled routers" time "(broadcast 'b 0 :impl str_bcast)" --size 2x2 --router ecube
    refused "MPI is not simulated" time "(broadcast 'b 0)" --size 2x2 --router mpi
}

@test "traces of runs have a lane a node, the cycles that run prints, and equal messages on all routers" {
    for router in scheduled ecube; do
        "$BMF" cop run "$EXAMPLES/matmul.c" --size 3x3 --router $router --ghz 1 --trace $router.trace --json >$router.json
        "$BMF" convert $router.trace --to csv -o $router.csv
        "$BMF" report $router.trace --html $router.html
        python3 - $router <<'END'
import csv, json, sys
name = sys.argv[1]
mean = json.load(open(name + ".json"))["mean"]
events = list(csv.DictReader(open(name + ".csv")))
def total(wanted):
    return sum(round(float(e["end_ns"]) - float(e["begin_ns"])) for e in events if wanted(e)) / 9
lanes = {e["lane"] for e in events}
assert len(lanes) == 9, lanes
assert abs(total(lambda e: e["kind"] == "send") - mean["write"]) < 1
assert abs(total(lambda e: e["kind"] == "receive") - mean["read"]) < 1
for kernel in ("cpu", "psync", "router"):
    assert abs(total(lambda e: e["kind"] == "kernel" and e["name"] == kernel) - mean[kernel]) < 1, kernel
END
    done
    run "$BMF" compare scheduled.trace ecube.trace
    assert_line --regexp "^messages +45 +45 +equal$"
    assert_line --regexp "^bytes +144000 +144000 +equal$"
    refused "none/t" run "$EXAMPLES/matmul.c" --size 2x2 --trace none/t
}

# says TEXT COMMAND PROGRAM: the program, as a file, is refused with that text behind its name
says()
{
    printf '%s\n' "$3" >x.cop
    refused "x.cop:$1" "$2" x.cop --size 4x4
}

@test "mistakes in programs are told with their place and what is possible" {
    says "1:2: 'broadcst' is not known; near names: broadcast" check "(broadcst 'b 0)"
    says "1:2: ':imp' is no option; near names: :impl" check "(broadcast 'b 0 :imp str_bcast)"
    says "1:2: node 99 is outside the mesh of 16 nodes" check "(subset '((1 99)) (broadcast 'b 0))"
    says "1:2: node 1 is in the subset twice" check "(subset '((1 1)) (broadcast 'b 0))"
    says "1:12: two instances of 'b' are written by node 0" check "(parallel (stream 'b 0 1) (stream 'b 0 2))"
    says "1:42: the label 'b' is used in two contexts, also in line 1" check "(sequential (broadcast 'b 0) (loop 'l 3 (broadcast 'b 0)))"
    says "1:2: the destination of gather 'g' cannot be known at run time only" check "(gather 'g (runtime))"
    says "1:2: the distance of cshift 's' cannot be distributed" check "(cshift 's (runtime :distributed t))"
    says "1:2: :m is to be a whole number, not an operator or (runtime)" check "(broadcast 'b 0 :m (runtime))"
    says "1:2: :m is 0" check "(broadcast 'b 0 :m 0)"
    says "1:2: reduce 'r' needs a function" check "(reduce 'r)"
    says "1:2: the source of broadcast 'b' is node 99, outside the subset of 16" check "(broadcast 'b 99)"
    says "1:2: :values: node 99 is outside the subset of 16" check "(broadcast 'b (runtime :values '(99)))"
    says "1:2: the permutation of 'p' has 4 targets for 16 nodes" check "(permute 'p '(0 1 2 3))"
    says "1:2: broadcast 'b': messages of 3 words do not hold whole elements" check "(broadcast 'b 0 :m 3 :type int64*)"
    says "1:2: broadcast 'b' has no implementation: str_bcast needs a constant source" plan "(broadcast 'b (runtime) :impl str_bcast)"
    says "1:2: gather 'g' has no implementation: str_gather needs at most 15 nodes" plan "(gather 'g 0 :impl 'str_gather)"
    says "1:12: sequential(a, b) is in a parallel group, has operators in sequence, and is not the last" check \
        "(parallel (sequential (broadcast 'a 0) (broadcast 'b 0)) (sequential (broadcast 'c 0) (broadcast 'd 0)))"
    says "1:14: forms inside each other deeper than 2000" check "(define (f) (f)) (f)"
    says "1:29: the evaluation does not end within 10000000 steps" check "(dotimes (k 100000000) (+ k 1))"
}

@test "reads that nobody writes, and values that are not possible, end a run with node, operator and cycle" {
    printf ';/*\n(stream (quote s) 0 (runtime :values (quote (1 2))))\n*/\n#include "own.cop.h"\nint main(int n, char **v) { (void)v; cop_init(); s_load(n > 1 ? 3 : 1); if (cop_node() == 1) s_read(); cop_fini(); return 0; }\n' >own.c
    sed -i "s/(quote s)/'s/; s/(quote (1 2))/'(1 2)/; s/ s_read()/ { int32_t x; s_read(\&x); }/" own.c
    for router in scheduled ecube; do
        run --separate-stderr "$BMF" cop run own.c --size 2x2 --router $router
        [ "$status" -ne 0 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ ${stderr_lines[0]} == *cycle*"waits for ever"*"node 1 "*"'s'"* || ${stderr_lines[0]} == *"node 1 waits for ever, from cycle"*"node 1 in 's'"* ]]
        run --separate-stderr "$BMF" cop run own.c --size 2x2 --router $router -- more
        assert_failure 1
        [[ ${stderr_lines[0]} == *"node 0, operator 's', cycle "*"operand 1 is 3, which is not among its :values" ]]
    done
}

@test "a word to all by online routing takes about five times the dynamic router's time on every mesh" {
    local -a ratio=()
    for mesh in 4x4 8x8 16x16; do
        local word="(broadcast 'b (runtime) :impl dyn_bcast_dense)" scheduled ecube
        scheduled=$("$BMF" cop time "$word" --size $mesh --router scheduled | awk '/^nanoseconds/ {print $2}')
        ecube=$("$BMF" cop time "$word" --size $mesh --router ecube | awk '/^nanoseconds/ {print $2}')
        awk "BEGIN {exit !($scheduled >= 4 * $ecube && $scheduled <= 7 * $ecube)}" # document 004, figure 8-8
        ratio+=("$(awk "BEGIN {print $scheduled / $ecube}")")
    done
    awk "BEGIN {exit !(${ratio[2]} < 1.2 * ${ratio[0]} && ${ratio[0]} < 1.2 * ${ratio[2]})}"
    # handlers that take longer
    slow=$("$BMF" cop time "$word" --size 16x16 --set interrupt_cycles=200 | awk '/^nanoseconds/ {print $2}')
    awk "BEGIN {exit !($slow > 3 * $scheduled)}"
}

@test "what no schedule can do is carried out by online routing, beside what has one" {
    cat >any.c <<'END'
;/*
(loop 'l 3
  (cshift 'c (runtime) :type int32)
  (collect 'k 2 :m 40)
  (permute 'p (runtime) :type int64)
  (allreduce 'r 'add :type int32))
*/
#include <stdio.h>
#include "any.cop.h"
int32_t add(int32_t a, int32_t b) { return a + b; }
int main(void)
{
    const int n = cop_nodes(), own = cop_node();
    int32_t message[40] = {0}, target[65];
    cop_init();
    for (int pass = 0; pass < 3; pass++) {
        c_load(pass - 1);
        const int from = c_func(own);
        k_load();
        if (own == pass + 3) {
            message[39] = own;
            k_write(message);
        }
        if (own == 2)
            k_read(message);
        for (int k = 0; k < n; k++)
            target[k] = (7 * k + pass) % n;
        target[n] = -1;
        p_load(target);
        const int64_t sender = p_func(own + ((int64_t)1 << 40)) - ((int64_t)1 << 40);
        r_load();
        const int wrong = from != (own - pass + 1 + n) % n || target[sender] != own || (own == 2 && message[39] != pass + 3);
        if (r_func(wrong) != 0 && own == 0)
            printf("wrong in pass %d\n", pass);
        else if (own == 0)
            printf("right\n");
    }
    cop_fini();
}
END
    for router in scheduled ecube adaptive; do
        run "$BMF" cop run any.c --size 4x4 --router $router --trace $router.trace
        assert_success
        for line in 0 1 2; do assert_equal "${lines[line]}" right; done
        assert_line --partial "nodes 16  cycles"
        "$BMF" report $router.trace >/dev/null
    done
    run "$BMF" cop plan any.c --size 4x4 --rivals
    assert_line --partial "c: cshift by dyn_shift"
    assert_line --partial "r: allreduce by repl_allreduce"
    assert_line --partial "online: stream by online, 48 streams"
    assert_line "rival  c by str_shift: needs a constant"
    refute_output --partial "rival  r by dyn_allreduce" # only where nothing else fits, or by name
}

# plug_in NAME: compiles standard input to NAME.so
plug_in()
{
    cat >"$1.c"
    cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -I"$BMF_SOURCE_DIR/include" -o "$1.so" "$1.c"
}

@test "own implementations are chosen like the others, and carry the right words" {
    plug_in ring <"$EXAMPLES/ring.c"
    "$BMF" cop plan "(broadcast 'b (runtime) :m 64)" --size 4x4 --implementation ring.so:ring --rivals >plan
    grep -q "b: broadcast by ring, 16 streams" plan # the cheapest here
    grep -q "^rival  b by str_bcast_linear: [0-9]* cycles, +" plan
    "$BMF" cop plan "(broadcast 'b (runtime) :m 1)" --size 8x8 --implementation ring.so:ring --rivals >plan
    grep -q "^rival  b by ring: [0-9]* cycles, +" plan
    run "$BMF" cop plan "(broadcast 'b (runtime) :m 64 :impl 'ring)" --size 4x4 --implementation ring.so:ring
    assert_line --partial "b: broadcast by ring, 16 streams"
    cat >sum.c <<'END'
;/*
(loop 'l 5
  (subset rows (broadcast 'b (runtime) :m 64 :impl 'ring))
  (subset cols (broadcast 'c 1 :m 2 :impl 'ring))
  (barrier 'e))
*/
#include <stdio.h>
#include "sum.cop.h"
int main(void)
{
    int32_t message[64], two[2];
    cop_init();
    for (int pass = 0; pass < 5; pass++) {
        const int column = cop_node() % 4, row = cop_node() / 4;
        b_load(pass % 4);
        for (int k = 0; k < 64; k++)
            message[k] = 1000 * row + 100 * pass + k;
        if (column == pass % 4)
            b_write(message);
        else {
            for (int k = 0; k < 64; k++)
                message[k] = -1;
            b_read(message);
        }
        for (int k = 0; k < 64; k++)
            if (message[k] != 1000 * row + 100 * pass + k)
                printf("node %d has %d\n", cop_node(), message[k]);
        c_load();
        two[1] = column + pass;
        if (row == 1)
            c_write(two);
        else
            c_read(two);
        if (two[1] != column + pass)
            printf("node %d has %d\n", cop_node(), two[1]);
        e_load();
        e_func();
    }
    cop_fini();
    if (cop_node() == 0)
        printf("done\n");
}
END
    for slow in 1 20; do
        run "$BMF" cop run sum.c --size 4x4 --implementation ring.so:ring --trace sum.trace --set write_cycles=$slow
        assert_success
        assert_equal "${lines[0]}" done
    done
    "$BMF" report sum.trace >/dev/null
}

@test "own implementations that are none, or do what they must not, are told" {
    plug_in ring <"$EXAMPLES/ring.c"
    local word="(broadcast 'b 0)"
    refused "F.so:NAME is wanted" plan "$word" --size 4x4 --implementation ring.so
    refused "none.so: cannot open shared object file" plan "$word" --size 4x4 --implementation none.so:ring
    refused "ring.so:square: there is no record 'square'" plan "$word" --size 4x4 --implementation ring.so:square
    refused "ring.so:ring: there is an implementation 'ring' already" plan "$word" --size 4x4 \
        --implementation ring.so:ring --implementation ring.so:ring
    refused "broadcast 'b' has no implementation: ring needs at least three nodes" plan \
        "(broadcast 'b 0 :impl 'ring)" --size 2x1 --implementation ring.so:ring
    refused "ring implements broadcast" plan "(barrier 'b :impl 'ring)" --size 4x4 --implementation ring.so:ring
    refused "ring is for scheduled routers" plan "(broadcast 'b 0 :impl 'ring)" --size 4x4 --router ecube \
        --implementation ring.so:ring
    plug_in bad <<'END'
#include <bmf/cop.h>
#include <stddef.h>
static void streams(const cop_pattern *p, const cop_streams *list) { (void)p; list->add(list, 0, 1, &(int64_t){1}); }
static void write_message(const cop_io *io, const void *message) { io->move(io, COP_NO_STREAM, NULL, 1, &(int){0}, message); }
static void read_message(const cop_io *io, void *message) { io->move(io, 0, message, 0, NULL, NULL); }
#define RECORD(n, v, name_, operation_, s) \
    const cop_implementation n = {.version = v, .name = name_, .operation = operation_, .streams = s, .write = write_message, .read = read_message}
RECORD(old, 0, "old", "broadcast", streams);
RECORD(nameless, COP_IMPLEMENTATION_VERSION, "", "broadcast", streams);
RECORD(sing, COP_IMPLEMENTATION_VERSION, "sing", "sing", streams);
RECORD(dry, COP_IMPLEMENTATION_VERSION, "dry", "broadcast", NULL);
RECORD(callless, COP_IMPLEMENTATION_VERSION, "callless", "barrier", streams);
RECORD(str_bcast, COP_IMPLEMENTATION_VERSION, "str_bcast", "broadcast", streams);
RECORD(one, COP_IMPLEMENTATION_VERSION, "one", "broadcast", streams);
END
    refused "the record is of version 0" plan "$word" --size 4x4 --implementation bad.so:old
    refused "bad.so:nameless: the record has no name" plan "$word" --size 4x4 --implementation bad.so:nameless
    refused "'sing' is no operator" plan "$word" --size 4x4 --implementation bad.so:sing
    refused "the record of a broadcast needs streams, write and read" plan "$word" --size 4x4 --implementation bad.so:dry
    refused "the record of a barrier needs streams and call" plan "$word" --size 4x4 --implementation bad.so:callless
    refused "there is an implementation 'str_bcast' already" plan "$word" --size 4x4 --implementation bad.so:str_bcast
    run --separate-stderr "$BMF" cop time "(broadcast 'b 0 :impl 'one)" --size 3x1 --implementation bad.so:one
    assert_failure 1
    [[ ${stderr_lines[0]} == *"node 2, operator 'b', cycle "*": the implementation reads a stream that does not end here" ]]
}

@test "schedules are kept on disk: the same bytes with and without, for other requests others, damaged ones again" {
    local plan=(cop plan "$EXAMPLES/matmul.cop" --size 4x4 --json)
    "$BMF" "${plan[@]}" --schedules none >without
    "$BMF" "${plan[@]}" --schedules kept/here >first
    local -a files=(kept/here/*.routes)
    "$BMF" "${plan[@]}" --schedules kept/here >second
    cmp without first
    cmp without second
    assert_equal "$(ls kept/here/*.routes)" "$(printf '%s\n' "${files[@]}")" # none was made again under another name
    # what is read is what runs
    "$BMF" cop run "$EXAMPLES/matmul.c" --size 4x4 --schedules none >without
    "$BMF" cop run "$EXAMPLES/matmul.c" --size 4x4 --schedules kept/here >first
    "$BMF" cop run "$EXAMPLES/matmul.c" --size 4x4 --schedules kept/here >second
    cmp without first
    cmp without second
    # another schedule length, another bandwidth: other files
    local before=$(ls kept/here | wc -l)
    "$BMF" "${plan[@]}" --schedules kept/here --set schedule=20 >other
    ! cmp -s first other || fail "the plan is the same"
    [ "$(ls kept/here | wc -l)" -gt "$before" ]
    # bytes that are lost or changed, and a file that is right but not a schedule
    "$BMF" "${plan[@]}" --schedules none >without
    local file=${files[0]}
    for damage in "truncate -s 100" "sed -i s/found/fount/" "sed -i 2s/[0-9]/7/g" "truncate -s 0"; do
        $damage "$file"
        run --separate-stderr "$BMF" "${plan[@]}" --schedules kept/here
        assert_success
        assert_equal "$output" "$(cat without)"
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == "bmf: kept/here: damaged schedules that have been made again: 1" ]]
        run --separate-stderr "$BMF" "${plan[@]}" --schedules kept/here
        assert_equal "$stderr" ""
    done
    python3 - "$file" <<'PYTHON'
import sys
text = open(sys.argv[1]).read()
lines = text[:text.index("\nsum ") + 1].split("\n")
hop = next(k for k, line in enumerate(lines) if line.startswith("found")) + 2
numbers = lines[hop].split()
numbers[4] = str((int(numbers[4]) + 1) % 24)  # a slot later: the neighbour does not read it
lines[hop] = " ".join(numbers)
text = "\n".join(lines)
sum = 0xcbf29ce484222325
for byte in text.encode():
    sum = (sum ^ byte) * 0x100000001b3 % 2**64
open(sys.argv[1], "w").write("%ssum %x\n" % (text, sum))
PYTHON
    run --separate-stderr "$BMF" "${plan[@]}" --schedules kept/here
    assert_equal "$output" "$(cat without)"
    [[ ${stderr_lines[0]} == "bmf: kept/here: damaged schedules that have been made again: 1" ]]
    # nowhere to write: no error
    run --separate-stderr "$BMF" "${plan[@]}" --schedules /dev/null/none
    assert_success
    assert_equal "$output" "$(cat without)"
}

@test "nodes between those of a subset pass words on in phases in which they have no operator" {
    cat >apart.c <<'END'
;/*
(loop 'l 4
  (phase (barrier 'all))
  (phase (subset '((0 8)) (stream 's 0 1 :type int32)))
  (phase (subset '((6 2)) (broadcast 'b (runtime) :type int32)))
  (allreduce 'r 'add :type int32))
*/
#include <stdio.h>
#include "apart.cop.h"
int32_t add(int32_t a, int32_t b) { return a + b; }
int main(void)
{
    const int own = cop_node();
    cop_init();
    for (int pass = 0; pass < 4; pass++) {
        int wrong = 0;
        all_load();
        all_func();
        if (own == 0 || own == 8) {
            s_load();
            if (own == 0)
                s_write(100 + pass);
            else
                wrong += s_read() != 100 + pass;
        }
        if (own == 2 || own == 6) {
            b_load(pass % 2);
            if (own == (pass % 2 ? 2 : 6))
                b_write(200 + pass);
            else
                wrong += b_read() != 200 + pass;
        }
        r_load();
        if (r_func(wrong) == 0 && own == 4)
            printf("right\n");
    }
    cop_fini();
}
END
    run "$BMF" cop plan apart.c --size 3x3
    assert_line "phases  {all} {s} {b} {r}"
    run "$BMF" cop run apart.c --size 3x3
    assert_success
    for line in 0 1 2 3; do assert_equal "${lines[line]##*] }" right; done
    # nobody could tell node 1 how often
    refused ": node 1 is between those of 's', and does not know how often its router must pass words on" time \
        "(loop 'l 4 (phase (subset '((0 8)) (stream 's 0 1))) (phase (subset '((6 2)) (stream 'b 0 1))))" --size 3x3
}

@test "an operator goes on while others are carried out one after the other" {
    for router in scheduled ecube; do
        run "$BMF" cop run "$EXAMPLES/goes_on.c" --size 4x4 --router $router
        assert_success
        assert_equal "${lines[0]}" right
    done
    # in several phases, with the same schedule in all of them
    local phases="{stdin,b1} {stdin,b2} {stdin,r}"
    run "$BMF" cop run "$EXAMPLES/goes_on.c" --size 4x4 --phases "$phases"
    assert_success
    assert_equal "${lines[0]}" right
    run "$BMF" cop plan "$EXAMPLES/goes_on.c" --size 4x4 --phases "$phases"
    assert_line --partial "stdin: broadcast by str_bcast (goes on)"
    assert_line "phases  $phases"
}

@test "what has too many streams for a node's registers is carried out by online routing" {
    # two times 11 streams end at node 0, which has 16 registers
    local program="(parallel (gather 'a 0) (gather 'b 0))"
    run "$BMF" cop plan "$program" --size 4x3
    assert_success
    assert_line --partial "online: stream by online"
    run "$BMF" cop time "$program" --size 4x3
    assert_success
    assert_line --partial "nodes 12  cycles"
    # of programs that name their implementations nothing is taken over
    refused "no plan fits" plan "(parallel (gather 'a 0 :impl 'str_gather) (gather 'b 0 :impl 'str_gather))" --size 4x3
}

@test "own implementations build trees as bmf does, with limits of children and distance" {
    cat >tree.c <<'END'
/* A broadcast from node 0 of the subset, down a tree. */
#include <bmf/cop.h>
#include <stddef.h>
enum { MOST = 64, CHILDREN = 3 };
static const char *refuse(const cop_pattern *p)
{
    int64_t parent[MOST];
    if (p->nodes > MOST || p->operand[0].is_runtime || p->operand[0].value != 0)
        return "needs node 0 as its source, and at most 64 nodes";
    if (p->build_tree(p, NULL, p->nodes, CHILDREN, MOST, parent) || p->build_tree(p, NULL, -1, CHILDREN, MOST, parent))
        return "has a tree without a root";
    return p->build_tree(p, NULL, 0, CHILDREN, DISTANCE, parent) ? NULL : "needs a tree with such short links";
}
static void tree(const cop_pattern *p, int64_t *parent) { p->build_tree(p, NULL, 0, CHILDREN, DISTANCE, parent); }
/* Stream k - 1 ends at node k. */
static void streams(const cop_pattern *p, const cop_streams *list)
{
    int64_t parent[MOST];
    tree(p, parent);
    for (int64_t k = 1; k < p->nodes; k++)
        list->add(list, parent[k], 1, &k);
}
static void pass_on(const cop_io *io, int from, void *in, const void *out)
{
    int64_t parent[MOST];
    int to[CHILDREN], children = 0;
    tree(io->pattern, parent);
    for (int64_t k = 1; k < io->pattern->nodes; k++)
        if (parent[k] == io->node)
            to[children++] = (int)k - 1;
    io->move(io, from, in, children, to, out);
}
static void write_message(const cop_io *io, const void *message) { pass_on(io, COP_NO_STREAM, NULL, message); }
static void read_message(const cop_io *io, void *message) { pass_on(io, (int)io->node - 1, message, NULL); }
const cop_implementation tree_broadcast = {.version = COP_IMPLEMENTATION_VERSION, .name = "tree", .operation = "broadcast",
    .refuse = refuse, .streams = streams, .write = write_message, .read = read_message};
END
    for distance in 1 3; do
        cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -DDISTANCE=$distance -I"$BMF_SOURCE_DIR/include" -o tree$distance.so tree.c
    done
    cat >sent.c <<'END'
;/*
(subset rows (broadcast 'b 0 :m 9 :impl 'tree))
(broadcast 'c 0 :m 7 :impl 'tree)
*/
#include <stdio.h>
#include "sent.cop.h"
int main(void)
{
    int32_t message[9] = {0};
    cop_init();
    b_load();
    message[8] = 100 + cop_node();
    if (cop_node() % 5 == 0)
        b_write(message);
    else
        b_read(message);
    if (message[8] != 100 + cop_node() / 5 * 5)
        printf("node %d has %d\n", cop_node(), message[8]);
    c_load();
    message[6] = 200 + cop_node();
    if (cop_node() == 0)
        c_write(message);
    else
        c_read(message);
    cop_fini();
    printf("%d\n", message[6]);
}
END
    run "$BMF" cop run sent.c --size 5x3 --implementation tree3.so:tree_broadcast
    assert_success
    [ "$(grep -c '200$' <<<"$output")" -eq 15 ]
    refute_output --partial has
    # of neighbours in the order of the nodes: over rows there is one, over nodes that are none there is none
    "$BMF" cop time "(broadcast 'b 0 :impl 'tree)" --size 3x3 --implementation tree1.so:tree_broadcast
    refused "broadcast 'b' has no implementation: tree needs a tree with such short links" time \
        "(subset '((0 2 6 8)) (broadcast 'b 0 :impl 'tree))" --size 3x3 --implementation tree1.so:tree_broadcast
}

# wrong_at_run_time TEXT PROGRAM [OPTION..]: one line with TEXT, node, operator and cycle; exit code 1
wrong_at_run_time()
{
    printf '%s\n' "$2" >wrong.c
    run --separate-stderr timeout 60 "$BMF" cop run wrong.c --size 2x2 "${@:3}"
    assert_failure 1
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} =~ ^"bmf: node "[0-9]+", operator '"[a-z]+"', cycle "[0-9]+": "$1 ]] || fail "${stderr_lines[0]}"
}

@test "loads that are missing, two writers, operands that differ: every router tells node, operator and cycle" {
    local head='#include "wrong.cop.h"' router
    for router in scheduled ecube adaptive; do
        wrong_at_run_time "it has not been loaded" ";/* (broadcast 'b 0 :type int32) */
$head
int main(void) { cop_init(); if (cop_node() == 0) b_write(1); else b_read(); cop_fini(); return 0; }" --router $router
        # in the phase of an operator that has been
        wrong_at_run_time "it has not been loaded" ";/* (phase (barrier 'a) (broadcast 'b 0 :type int32)) */
$head
int main(void) { cop_init(); a_load(); a_func(); if (cop_node() == 0) b_write(1); else b_read(); cop_fini(); return 0; }" \
            --router $router
        wrong_at_run_time "(it has )?two writers" ";/* (collect 'c 0 :m 40) */
$head
int main(void) { int32_t m[40] = {0}; cop_init(); c_load(); if (cop_node() == 0) { c_read(m); c_read(m); }
    else if (cop_node() != 1) { cop_delay(cop_node()); c_write(m); } cop_fini(); return 0; }" --router $router
        wrong_at_run_time "load 2 has the operand [01] here and [01] on another node" \
            ";/* (broadcast 'b (runtime) :type int32) */
$head
int main(void) { cop_init(); b_load(0); if (cop_node() == 0) b_write(1); else b_read(); b_load(cop_node() % 2);
    cop_fini(); return 0; }" --router $router
    done
}

@test "rivals of the phases are told, and phases that are asked for are those of the plan, and run" {
    local program="(sequential (broadcast 'a 0 :m 40) (cshift 'b 1 :m 40) (barrier 'c))"
    "$BMF" cop plan "$program" --size 4x4 --rivals >plan
    local phases time
    phases=$(sed -n 's/^phases  //p' plan)
    time=$(sed -n 's/^predicted \([0-9]*\) .*/\1/p' plan)
    [ "$(grep -c "^rival  .*'[bc]': {.*} *[0-9]* cycles, +[0-9]*: T_io [+-][0-9]* T_sched [+-][0-9]* T_load [+-][0-9]*$" plan)" -eq 2 ]
    "$BMF" cop plan "$program" --size 4x4 --phases "$phases" | grep -q "^predicted $time cycles"
    # every rival's phases, asked for, take what it says
    while IFS=$'\t' read -r other cycles; do
        run "$BMF" cop plan "$program" --size 4x4 --phases "$other"
        assert_line "phases  $other"
        assert_line --partial "predicted $cycles cycles"
        "$BMF" cop time "$program" --size 4x4 --phases "$other" >/dev/null
    done < <(sed -n "s/^rival  .*'[bc]': \(.*\)  \([0-9]*\) cycles.*/\1\t\2/p" plan)
    refused "--phases {a,b}: 'c' is in none of them" plan "$program" --size 4x4 --phases "{a,b}"
    refused "there is no operator 'x'" plan "$program" --size 4x4 --phases "{a,x} {b,c}"
    refused "'b' is not in a phase, or not in the order of the program" plan "$program" --size 4x4 --phases "{b,a} {c}"
    refused "braces around the operators of every phase" plan "$program" --size 4x4 --phases "{a,{b} {c}"
    refused "the program cannot have them, but {a,b} {c}" plan "(sequential (phase (barrier 'a) (barrier 'b)) (barrier 'c))" \
        --size 4x4 --phases "{a} {b} {c}"
    refused "dynamic routers have no phases" plan "$program" --size 4x4 --phases "{a,b,c}" --router ecube
}

@test "more registers, entries or VFSMs than routers have can be planned for, with a warning, but not run" {
    local program="(parallel (gather 'a 0 :impl 'str_gather) (gather 'b 0 :impl 'str_gather))"
    refused "no plan fits" plan "$program" --size 4x3
    run --separate-stderr "$BMF" cop plan "$program" --size 4x3 --set registers=32
    assert_success
    assert_output --partial "b: gather by str_gather"
    assert_equal "$stderr" "bmf: warning: --set registers=32: a scheduled router has 16; such a plan cannot be run"
    for more in registers=17 vfsms=33 entries=129; do
        refused "--set $more: a scheduled router has " time "(barrier 'b)" --size 2x2 --set $more
    done
    # fewer: what needs them is refused or carried out otherwise
    refused "no plan fits" plan "(gather 'g 0 :impl 'str_gather)" --size 4x3 --set registers=8
    run --separate-stderr "$BMF" cop time "(barrier 'b)" --size 2x2 --set entries=24
    assert_failure
    assert_equal "$stderr" "bmf: no phase fits into the routers' memories beside the loader"
    run --separate-stderr "$BMF" cop time "(allreduce 'r 'f)" --size 4x4 --set vfsms=4
    assert_failure
    [[ $stderr == *"more than 2 VFSMs in a phase" ]]
}
