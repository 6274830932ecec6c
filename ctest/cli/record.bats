#!/usr/bin/env bats
# Any MPI program recorded: the same output, a trace with every message at both ends, whatever ends the program, and what
# reads it: trace, report, convert, compare, replay.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    load recorder.bash
    needs_recorder
    PATTERNS=$BMF_BIN_DIR/mpi_patterns
    ALL="ring exchange farm groups nonblocking persistent probes file steps"
}

# record RANKS FILE OPTION.. -- ARGUMENT..: standard output in FILE.out
record()
{
    local ranks=$1 file=$2 options=()
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    timeout 100 "$MPIRUN" -n "$ranks" "$BMF" record -o "$file.trace" "${options[@]}" -- "$PATTERNS" "$@" > "$file.out"
}

# column FILE KIND: how many events of a kind
events()
{
    "$BMF" convert "$1.trace" --to csv -o - | awk -F, -v kind="$2" '$4 == kind' | wc -l
}

# output_is_the_same RANKS..
output_is_the_same()
{
    for ranks in "$@"; do
        # shellcheck disable=SC2086
        timeout 100 "$MPIRUN" -n $ranks "$PATTERNS" $ALL > plain.out
        # shellcheck disable=SC2086
        record $ranks run -- $ALL
        cmp plain.out run.out
        [ ! -e run.trace.parts ] || fail "parts are left"
        "$BMF" convert run.trace --to csv -o run.csv
        assert_equal "$(awk -F, '$4 == "send" && $NF == ""' run.csv)" ""
        assert_equal "$(awk -F, '$4 == "receive" && $NF == ""' run.csv)" ""
        assert_equal "$(events run send)" "$(events run receive)"
        [ $ranks -eq 1 ] || [ "$(events run send)" -ge $((10 * ranks)) ] || fail "too few messages"
    done
}

@test "output is the same with the recorder, and every message has both ends, on 1 to 8 ranks" {
    MPIR_CVAR_NOLOCAL=0 output_is_the_same 1 2 3 5 8
}

@test "the same where every rank is taken for a host, whose clocks are compared by messages that are slow" {
    MPIR_CVAR_NOLOCAL=1 output_is_the_same 2 3 5 8 8
}

@test "what is recorded of a program that is known: calls, bytes, groups" {
    record 4 run -- ring groups
    # 5 steps of 100 doubles around 4 ranks
    run awk -F, '$4 == "send" && $5 ~ /ring/ { n++; bytes += $12 } END { print n, bytes }' \
        <("$BMF" convert run.trace --to csv -o -)
    assert_output "20 16000"
    # every rank: split, allreduce, allgather, alltoall, bcast, barrier, cart_create, cart_sub, scan, neighbours, reduce
    run awk -F, '$4 == "collective" && $5 ~ /groups/' <("$BMF" convert run.trace --to csv -o -)
    assert_equal "${#lines[@]}" 44
    run "$BMF" trace run.trace
    assert_output --partial main/ring
    assert_output --partial main/groups
}

@test "recording politely gives the same events" {
    record 3 plain -- ring exchange groups
    record 3 polite --polite -- ring exchange groups
    cmp plain.out polite.out
    structure() { "$BMF" convert "$1.trace" --to csv -o - | awk -F, '$4 != "kernel" { print $2, $4, $5, $6, $9, $12 }' | sort; }
    diff <(structure plain) <(structure polite)
}

@test "computing is measured by either clock" {
    for clock in wall cpu; do
        record 2 run --clock $clock -- ring
        [ "$(events run kernel)" -gt 0 ] || fail "no computing with --clock $clock"
    done
}

@test "sums instead of events" {
    record 3 run --sums -- ring
    run head -1 run.trace
    assert_output "rank,phase,operation,kind,partner,calls,seconds,amount"
    run awk -F, '$3 == "send" { calls += $6; bytes += $8 } END { print calls, bytes }' run.trace
    assert_output "15 12000"
}

@test "switched off, nothing is recorded" {
    record 2 run --off -- ring
    assert_equal "$(events run send)" 0
    run "$BMF" replay run.trace --machine ideal
    assert_failure 2
    assert_output --partial "switched off"
}

@test "call sites are named" {
    command -v addr2line > /dev/null || skip "there is no addr2line"
    record 2 run --sites -- ring
    run "$BMF" convert run.trace --to csv -o -
    assert_output --partial "send mpi_patterns.c:"
}

@test "a program that ends without MPI_Finalize leaves its parts, which say so" {
    for how in abort exit kill; do
        record 3 $how -- ring $how || true
        [ ! -e $how.trace ] || fail "a trace of an incomplete run"
        [ "$(events $how send)" -eq 15 ] || fail "$how lost messages"
        run "$BMF" replay $how.trace --machine ideal
        assert_failure 2
        assert_output --partial "the recording is incomplete: rank"
        assert_output --partial "last call was"
    done
    run "$BMF" replay abort.trace --machine ideal
    assert_output --partial "rank 2 ended by MPI_Abort; its last call was abort"
    # the next run replaces them
    record 3 abort -- ring
    [ ! -e abort.trace.parts ] || fail "old parts are left"
    "$BMF" replay abort.trace --machine ideal
}

@test "programs that cannot be recorded" {
    run "$MPIRUN" -n 2 "$BMF" record -o x.trace -- true
    assert_failure 1
    assert_output "bmf: 'true' never called MPI_Init of MPICH; recorded nothing"
    echo 'int main(void) { return 0; }' > static.c
    if gcc -static static.c -o static 2> /dev/null; then
        run "$BMF" record -o x.trace -- ./static
        assert_failure 1
        assert_output --partial "never called MPI_Init of MPICH"
    fi
    run "$BMF" record -o x.trace -- ./nothing
    assert_failure 2
    assert_output --partial "cannot run './nothing'"
    run "$BMF" record -o x.trace "$PATTERNS"
    assert_failure 2
    run "$BMF" record -- "$PATTERNS"
    assert_failure 2
    run timeout 60 "$MPIRUN" -n 2 "$BMF" record -o no/such/x.trace -- "$PATTERNS" ring
    assert_success
    assert_output --partial "cannot record to '"
    assert_output --partial "ring "
}

@test "nothing is left where nothing can be recorded" {
    local full=$BMF_BUILD_DIR/libbmf_full_disk.so
    if ldd "$BMF" | grep -q libasan; then skip "the sanitizers come first"; fi
    # the disk of one rank is full: from the beginning, and when it is half through its header
    for bytes in 0 50000; do
        run timeout 60 "$MPIRUN" -n 1 "$BMF" record -o x.trace -- "$PATTERNS" ring : \
            -n 1 env LD_PRELOAD="$full" BMF_DISK_BYTES=$bytes "$BMF" record -o x.trace -- "$PATTERNS" ring
        assert_success
        assert_output --partial "x.trace': File too large; recorded nothing"
        [ ! -e x.trace ] && [ ! -e x.trace.parts ] || fail "something is left"
    done
}

@test "a disk that fills up at one rank loses events, says so, and lets the program end" {
    local full=$BMF_BUILD_DIR/libbmf_full_disk.so many
    if ldd "$BMF" | grep -q libasan; then skip "the sanitizers come first"; fi
    many=$(printf 'ring %.0s' {1..300})
    # names that are new behind the end of the disk cannot be defined any more
    # shellcheck disable=SC2086
    run timeout 60 "$MPIRUN" -n 1 "$BMF" record -o x.trace -- "$PATTERNS" $many groups : \
        -n 1 env LD_PRELOAD="$full" BMF_DISK_BYTES=200000 "$BMF" record -o x.trace -- "$PATTERNS" $many groups
    assert_success
    assert_output --partial "groups "
    assert_output --partial "x.trace' is incomplete: events were lost because the disk was full"
    "$BMF" trace x.trace
    run "$BMF" replay x.trace --machine ideal
    assert_failure 2
    assert_output --partial "events were lost because the disk was full"
}

@test "while a program is recorded, no other is recorded to the same trace" {
    mkdir x.trace.parts
    exec 9< x.trace.parts
    flock 9
    run "$BMF" record -o x.trace -- "$PATTERNS" ring 9<&-
    assert_success
    assert_output --partial "x.trace': another program is being recorded there; recorded nothing"
    [ -d x.trace.parts ] && [ ! -e x.trace ]
    exec 9<&-
    "$BMF" record -o x.trace -- "$PATTERNS" ring
    "$BMF" trace x.trace
    [ ! -e x.trace.parts ]
    # a link is not followed to where parts would be removed
    mkdir other
    touch other/0.part
    ln -s other y.trace.parts
    run "$BMF" record -o y.trace -- "$PATTERNS" ring
    assert_success
    assert_output --partial "recorded nothing"
    [ -e other/0.part ]
}

@test "calls whose meaning is not recorded are named when the trace is replayed" {
    record 2 run -- ring opaque
    run "$BMF" replay run.trace --machine ideal
    assert_failure 2
    assert_output --partial "win_create, whose meaning is not recorded"
}

@test "every format takes a recorded trace" {
    # shellcheck disable=SC2086
    record 3 run -- $ALL
    for format in chrome perfetto paje csv svg hase picl prv otf2; do
        "$BMF" convert run.trace --to $format -o out.$format
        [ -s out.$format ] || [ -d out.$format ] || fail "$format wrote nothing"
    done
    "$BMF" report run.trace --html run.html
    [ -s run.html ]
}

@test "replay: deterministic, the same calls, on machines with and without collectives" {
    # shellcheck disable=SC2086
    record 4 run -- $ALL
    for machine in t3d-sheet hypercube fast-cluster ideal; do
        "$BMF" replay run.trace --machine $machine --trace one.trace > one.txt
        "$BMF" replay run.trace --machine $machine --trace two.trace > two.txt
        cmp one.trace two.trace
        grep -q "receives were from any source: they keep the sources that they had" one.txt
        run "$BMF" compare one.trace --json
        assert_output --partial '"only_measured": 0'
        assert_output --partial '"only_predicted": 0'
    done
    run "$BMF" compare one.trace --by call
    assert_success
    assert_output --partial ALLREDUCE
}

# ---- document 001, 2.4.2 ----

figure()
{
    printf '$types\nState COMPUTE BARRIER \\\n WAIT DONE\n$bars\np[0] State\n$events\n'
    while [ $# -gt 0 ]; do
        printf 'u:p[0] at %s: P %s\n' "$1" "$2"
        shift 2
    done
}

@test "figure 2.10 of document 001" {
    figure 0.00 COMPUTE 1.23 BARRIER 1.34 COMPUTE 3.80 WAIT 4.00 DONE > a.txt
    figure 0.00 COMPUTE 0.78 BARRIER 1.02 COMPUTE 2.30 WAIT 3.00 DONE > b.txt
    for f in a b; do "$BMF" convert $f.txt --from hase -o $f.trace; done
    run "$BMF" compare a.trace b.trace --by call --table -
    assert_success
    assert_output "# A: processor, state, measured, predicted, ratio of every event
p[0] COMPUTE 1.23 0.78 0.63
p[0] BARRIER 0.11 0.24 2.18
p[0] COMPUTE 2.46 1.28 0.52
p[0] WAIT 0.20 0.70 3.50
# B: processor, state, sums
p[0] COMPUTE 3.69 2.06 0.56
p[0] BARRIER 0.11 0.24 2.18
p[0] WAIT 0.20 0.70 3.50
# C: state, sums over all processors
COMPUTE 3.69 2.06 0.56
BARRIER 0.11 0.24 2.18
WAIT 0.20 0.70 3.50"
    # there and back
    "$BMF" convert a.trace --to hase -o back.txt
    "$BMF" convert back.txt --from hase -o back.trace
    diff <("$BMF" convert a.trace --to csv -o - | cut -d, -f2,4,6-14) \
        <("$BMF" convert back.trace --to csv -o - | cut -d, -f2,4,6-14)
}

# totals STATE SECONDS..: a trace whose states take so long
totals()
{
    printf '$types\nState\n$bars\np[0] State\n$events\n'
    printf '%s\n' "$@" | paste - - | awk '{ printf "u:p[0] at %.6f: P %s\n", t, $1; t += $2 }
                                          END { printf "u:p[0] at %.6f: P DONE\n", t }'
}

@test "the ratios of tables 5.1, 5.4 and 5.5 of document 001" {
    totals SEND 0.004571 RECV 0.367272 BARRIER 0.242121 BUSY 3.949576 BCAST 0.002806 ALLGATHER 0.004120 \
        GATHER 0.249811 ALLREDUCE 22.954994 > a.txt
    totals SEND 0.004605 RECV 0.357369 BARRIER 0.183040 BUSY 2.121767 BCAST 0.003097 ALLGATHER 0.005161 \
        GATHER 0.218897 ALLREDUCE 18.272695 > b.txt
    totals SEND 0.118 RECV 0.085 > life.txt
    totals SEND 0.049 RECV 0.114 > simple.txt
    totals SEND 0.084 RECV 0.109 > congested.txt
    for f in a b life simple congested; do "$BMF" convert $f.txt --from hase -o $f.trace; done
    ratios() { "$BMF" compare "$1.trace" "$2.trace" --table - --digits "$3" | sed '1,/^# C/d' | awk '{ print $1, $4 }'; }
    run ratios a b 4
    # BUSY is what others call COMPUTE
    assert_output "SEND 1.0074
RECV 0.9730
BARRIER 0.7560
BUSY 0.5372
BCAST 1.1037
ALLGATHER 1.2527
GATHER 0.8763
ALLREDUCE 0.7960"
    run ratios life simple 3
    assert_output "SEND 0.415
RECV 1.341"
    run ratios life congested 3
    assert_output "SEND 0.712
RECV 1.282"
}

@test "ALOG of document 001, and what is wrong in foreign traces" {
    printf '1 0 0 0 0 680407 start broadcast\n2 0 0 0 0 682514 end broadcast\n3 0 0 0 0 682600 start compute\n4 0 0 0 0 683600 end compute\n' > a.log
    "$BMF" convert a.log --from alog -o a.trace
    run "$BMF" compare a.trace a.trace --table - --digits 6
    assert_output --partial "BROADCAST 0.002107 0.002107 1.000000"
    assert_output --partial "COMPUTE 0.001000"
    printf '$events\nu:p[0] at 1.0: P A\nu:p[0] at 0.5: P B\n' > bad.txt
    run "$BMF" convert bad.txt --from hase -o bad.trace
    assert_failure 2
    assert_output "bmf: bad.txt:3: the time is before that of the processor's last line"
    printf '1 0 0 0 0 x start y\n' > bad.log
    run "$BMF" convert bad.log --from alog -o bad.trace
    assert_failure 2
    assert_output --partial "bad.log:1:"
    run "$BMF" convert bad.log -o bad.trace
    assert_failure 2
    run "$BMF" convert nothing --from hase -o bad.trace
    assert_failure 2
}

# ---- Fortran ----

@test "Fortran programs: mpif.h, use mpi, use mpi_f08, and marks" {
    command -v mpif90.mpich > /dev/null || skip "there is no Fortran compiler for MPICH"
    body='integer :: r, n, e
real(8) :: x, y
call MPI_Init(e)
call MPI_Comm_rank(MPI_COMM_WORLD, r, e)
call bmf_phase("input")
x = r
call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e)
if (r == 0) print *, y
call bmf_phase_end()
call MPI_Finalize(e)
end program'
    printf 'program p\nimplicit none\ninclude "mpif.h"\n%s\n' "$body" > h.f90
    printf 'program p\nuse mpi\nimplicit none\n%s\n' "$body" > m.f90
    printf 'program p\nuse mpi_f08\nimplicit none\n%s\n' "$body" > f.f90
    export LD_LIBRARY_PATH=$BMF_BUILD_DIR
    for p in h m f; do
        mpif90.mpich -o $p $p.f90 -L"$BMF_BUILD_DIR" -lbmf-record 2> compile.txt ||
            { grep -q "Cannot open module\|different version" compile.txt && continue; cat compile.txt; false; }
        run timeout 60 "$MPIRUN" -n 3 "$BMF" record -o $p.trace -- ./$p
        assert_success
        assert_output --partial "3.0"
        run "$BMF" convert $p.trace --to csv -o -
        assert_output --partial '"main/input","allreduce"'
    done
}
