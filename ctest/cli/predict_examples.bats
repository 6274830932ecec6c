#!/usr/bin/env bats
# Every example in C, and permutations with large messages, on a modelled machine and for real: the same output, the same
# messages and bytes between processors, between ranks what MPI's profiling interface counts, and, with a processor a
# rank, the same events. Ranks of three threads have the same output, messages and bytes.

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR"
    cat >h.machine <<'MACHINE'
compute = { zero = true; };
network = { type = "hockney"; latency_us = 2.0; bandwidth_mb_per_s = 1000.0; };
node = { processors = 4; };
MACHINE
    python3 -c 'import numpy' 2>/dev/null || return 0
    python3 - <<'PYTHON'
import numpy as np
rng = np.random.default_rng(7)
np.save("reals.npy", rng.normal(10.0, 3.0, 4321))
np.save("more.npy", rng.normal(-1.0, 2.0, 4321))
np.save("many.npy", rng.normal(10.0, 3.0, 154321))
PYTHON
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_FILE_TMPDIR"
    counter=$BMF_BUILD_DIR/libbmf_count_sends.so
    [ -e "$counter" ] || skip "the counter of messages is not built"
    if ldd "$BMF_BIN_DIR/bmf" | grep -q libasan; then skip "the sanitizers come first"; fi
}

# same RANKS PROCESSORS COMMAND..: runs it for real and predicts it. Under a limit for the size of files ranks do not map each
# other's memory: then all messages are handed to MPI, where they are counted.
same()
{
    local ranks=$1 processors=$2
    shift 2
    rm -f real.trace model.trace counted predicted.json
    (
        ulimit -f 1000000
        "$MPIRUN" -n "$ranks" env LD_PRELOAD="$counter" BMF_COUNT_SENDS=counted BMF_THREADS=1 \
            BMF_PROCS="$processors" BMF_TRACE=real.trace "$@" >real.out
    )
    BMF_MACHINE=h.machine BMF_RANKS=$ranks BMF_PROCS=$processors BMF_THREADS=1 BMF_TRACE=model.trace \
        BMF_PREDICTION=predicted.json "$@" >model.out
    BMF_MACHINE=h.machine BMF_MACHINE_SET=threads=3 BMF_RANKS=$ranks BMF_PROCS=$processors BMF_PREDICTION=threads.json \
        "$@" >threads.out
    diff threads.out model.out
    "$BMF_BIN_DIR/bmf" compare real.trace model.trace --json >compared.json
    python3 - "$ranks" "$processors" <<'PYTHON'
import json, sys
p = json.load(open("predicted.json"))
t = json.load(open("threads.json"))
for key in ("messages", "bytes", "rank_messages", "rank_bytes"):
    assert t[key] == p[key], (key, t, p)
counted = [int(word) for word in open("counted").read().split()]
assert [p["rank_messages"], p["rank_bytes"]] == counted, (p, counted)
assert [p["ranks"], p["processors"]] == [int(word) for word in sys.argv[1:]], p
c = json.load(open("compared.json"))
assert c["messages"]["measured"] == p["messages"], (c["messages"], p)
assert c["bytes"]["measured"] == p["bytes"], (c["bytes"], p)
PYTHON
    if [ "$ranks" -eq "$processors" ]; then "$BMF_BIN_DIR/make_same_events" real.trace model.trace; fi
}

# everywhere COMMAND..: a processor a rank, and eight processors on fewer ranks.
everywhere()
{
    for ranks in 1 2 3 4 8; do
        same "$ranks" "$ranks" "$@"
        cmp real.out model.out
    done
    for ranks in 1 3; do
        same "$ranks" 8 "$@"
        cmp real.out model.out
    done
}

need_numpy()
{
    [ -e reals.npy ] || skip "numpy is not here"
}

@test "01: the sum of squares" {
    everywhere "$BMF_BIN_DIR/01-sum-of-squares" 10000
}

@test "02: mean and variance" {
    need_numpy
    everywhere "$BMF_BIN_DIR/02-mean-variance" reals.npy
}

@test "03: the dot product" {
    need_numpy
    everywhere "$BMF_BIN_DIR/03-dot-product" reals.npy more.npy
}

@test "04: the histogram" {
    need_numpy
    everywhere "$BMF_BIN_DIR/04-histogram" reals.npy 20
}

@test "05: the maximum segment sum" {
    need_numpy
    everywhere "$BMF_BIN_DIR/05-maximum-segment-sum" reals.npy
}

@test "06: sample sort, with parcels of more than a packet" {
    need_numpy
    everywhere "$BMF_BIN_DIR/06-sample-sort" many.npy sorted.npy
}

@test "07: the heat of a plate, whose edges travel while the inside is computed" {
    everywhere "$BMF_BIN_DIR/07-heat" 40 33 60
}

@test "permutations with messages of more than 64 kB and of less" {
    for method in rounds alltoallv; do
        for ranks in 1 2 4; do
            same "$ranks" 4 "$BMF_BIN_DIR/bmf" permute --bits 17 --elem 8 --matrix bitrev --method "$method" --verify
        done
    done
    same 2 2 "$BMF_BIN_DIR/bmf" permute --bits 10 --elem 8 --matrix random:5 --method naive --verify
}
