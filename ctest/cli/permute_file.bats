#!/usr/bin/env bats
# bmf permute --in --out: files are permuted as NumPy does it, with little memory, on one rank and on several; a run that was
# killed goes on; bad input ends with one line and leaves the target as it was.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1
}

# permute RANKS ARGUMENT...
permute()
{
    run --separate-stderr timeout 120 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/bmf" permute "${@:2}"
}

# refused TEXT ARGUMENT...: exit code 2 and one line with TEXT; what stood in out.npy stays
refused()
{
    echo old >out.npy
    for ranks in 1 3; do
        permute "$ranks" "${@:2}"
        assert_failure 2
        assert_output ""
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
        assert_equal "$(cat out.npy)" old
        ! ls out.npy.*.part 2>/dev/null || fail "something is left"
    done
}

python()
{
    run python3 -c "import numpy as np
$1"
    assert_success
}

@test "shapes and types are those of NumPy's transpose" {
    python '
for name, dtype in enumerate(["<i8", "<i4", "<f8", "<f4", "<c16"]):
    np.save(f"in{name}.npy", np.arange(2048).astype(dtype).reshape(32, 64))
np.save("in5.npy", (np.arange(2048) % 7 < 3).reshape(32, 64))'
    for name in 0 1 2 3 4 5; do
        for ranks in 1 3; do
            permute $ranks --in in$name.npy --out out.npy --matrix transpose:5 --memory 1K
            assert_success
            python "
a, b = np.load('in$name.npy'), np.load('out.npy')
assert b.dtype == a.dtype and b.shape == (64, 32) and (b == a.T).all()"
        done
    done
}

@test "any matrix and complement, in one pass and in several, on 1, 2 and 5 ranks" {
    "$BMF_BIN_DIR/make_addresses" in.npy 14
    for matrix in identity bitrev gray invgray shuffle:3 reblock:3,4,5,2 random:11 randombpc:12; do
        for block in 8 256 4K; do
            permute $((RANDOM % 2 ? 1 : 2)) --in in.npy --out out.npy --matrix $matrix --complement 1a2b --memory 16K \
                --block $block --json
            assert_success
            python3 -c 'import json, sys
d = json.loads(sys.argv[1]); window = (d["memory_records"] // d["block_records"]).bit_length() - 1; g = d["rank_gamma"]
assert d["passes"] == (1 if g == 0 else -(-g // window)) and d["passes"] <= d["bound"], d
assert d["bytes"] == 2 * d["passes"] * 8 * 2**14, d' "$output"
            run "$BMF_BIN_DIR/make_addresses" out.npy 14 $matrix 1a2b
            assert_success
        done
    done
    permute 5 --in in.npy --out out.npy --matrix random:5 --memory 4K
    assert_success
    run "$BMF_BIN_DIR/make_addresses" out.npy 14 random:5 0
    assert_success
}

@test "rows move as wholes, and the input may be the output" {
    python 'np.save("out.npy", np.arange(64 * 7.0).reshape(64, 7))'
    permute 1 --in out.npy --out out.npy --matrix bitrev --rows --memory 2K
    assert_success
    python '
b, back = np.load("out.npy"), [int(format(k, "06b")[::-1], 2) for k in range(64)]
assert (b == np.arange(64 * 7.0).reshape(64, 7)[back]).all()'
}

@test "a plan needs no output" {
    "$BMF_BIN_DIR/make_addresses" in.npy 12
    permute 1 --in in.npy --matrix bitrev --memory 4K --block 512 --plan
    assert_success
    assert_line "2^12 records of 8 bytes, BPC: rank of gamma 6, M = 2^8 records, B = 2^6; 3 passes (bound: 4)"
    [ -z "$(ls | grep -v -e in.npy -e separate)" ] || fail "$(ls)"
}

@test "a run that is killed goes on where it was" {
    "$BMF_BIN_DIR/make_addresses" in.npy 22
    local arguments="--in in.npy --out out.npy --matrix bitrev --complement 5 --memory 64K --block 8K --work dir"
    for ranks in 1 3; do
        rm -rf dir out.npy
        last=
        for try in $(seq 40); do
            launch=
            if [ $ranks -gt 1 ]; then launch="$MPIRUN -n $ranks"; fi
            $launch "$BMF_BIN_DIR/bmf" permute $arguments --json >said 2>&1 3>&- &
            # until it has noted something new
            for wait in $(seq 500); do
                if ! kill -0 $! 2>/dev/null || [ "$(cat dir/journal.0 2>/dev/null)" != "${last:-}" ]; then break; fi
                sleep 0.01
            done
            last=$(cat dir/journal.0 2>/dev/null || true)
            if [ $try -lt 4 ]; then kill -KILL $! 2>/dev/null || true; fi
            wait $! 2>/dev/null && break
            # of ranks that outlive their mpirun
            for wait in $(seq 500); do
                flock -n dir/lock true 2>/dev/null && break
                sleep 0.01
            done
            [ ! -e out.npy ] || break
        done
        [ -e out.npy ] || fail "no output: $(cat said)"
        if [ $ranks -eq 1 ]; then
            [ $try -ge 4 ] || fail "ended too early"
            grep -q '"resumed": true' said || fail "began anew: $(cat said)"
        fi
        run "$BMF_BIN_DIR/make_addresses" out.npy 22 bitrev 5
        assert_success
        [ ! -e dir ] || fail "the directory is left: $(ls dir)"
    done
}

@test "a directory of another run is refused" {
    "$BMF_BIN_DIR/make_addresses" in.npy 10
    mkdir dir
    echo "bmf permute 1 0000000000000001 0 1" >dir/journal.0
    cp dir/journal.0 dir/journal.1
    cp dir/journal.0 dir/journal.2
    refused "of another permutation, file, memory or number of ranks" --in in.npy --out out.npy --matrix gray --work dir
    echo nonsense >dir/journal.0
    refused "not the journal of a permutation" --in in.npy --out out.npy --matrix gray --work dir
}

@test "a journal that says more than can be is refused" {
    "$BMF_BIN_DIR/make_addresses" in.npy 22
    local arguments="--in in.npy --out out.npy --matrix bitrev --memory 64K --block 8K --work dir"
    "$BMF_BIN_DIR/bmf" permute $arguments >said 2>&1 3>&- &
    for wait in $(seq 500); do
        if [ -s dir/journal.0 ] || ! kill -0 $! 2>/dev/null; then break; fi
        sleep 0.01
    done
    kill -KILL $!
    wait $! || true
    cp dir/journal.0 noted
    for state in "9 0" "0 999999999" "1 999999999" "999999999 999999999999999999"; do
        sed "s/ [0-9]* [0-9]*\$/ $state/" noted >dir/journal.0
        run -2 "$BMF_BIN_DIR/bmf" permute $arguments
        assert_output "bmf: dir/journal.0: pass ${state% *} and tile ${state#* } are not of this permutation; remove the directory to begin anew"
        [ ! -e out.npy ] || fail "there is an output"
    done
    cp noted dir/journal.0
    run "$BMF_BIN_DIR/bmf" permute $arguments
    assert_success
    assert_output --partial "went on where an earlier run had ended"
    run "$BMF_BIN_DIR/make_addresses" out.npy 22 bitrev 0
    assert_success
}

@test "bad input" {
    python 'np.save("in.npy", np.arange(64)); np.save("odd.npy", np.arange(12)); np.save("long.npy", np.zeros((2, 513)))'
    refused "no.npy: cannot open" --in no.npy --out out.npy --matrix gray
    refused "12 elements; a permutation of address bits needs a power of two" --in odd.npy --out out.npy --matrix gray
    refused "rows of 4104 bytes; bmf permutes 1 to 4096" --in long.npy --rows --out out.npy --matrix gray
    refused "where to? give --out" --in in.npy --matrix gray
    refused "--bits does not go with --in" --in in.npy --out out.npy --matrix gray --bits 3
    refused "--out goes with --in" --out out.npy --bits 3 --elem 8 --matrix gray
    refused "'1X' is no number of bytes" --in in.npy --out out.npy --matrix gray --memory 1X
    refused "bytes are too few for blocks of" --in in.npy --out out.npy --matrix bitrev --memory 256 --block 128
    refused "GB are available" --in in.npy --out out.npy --matrix gray --memory 1000T
    refused "cannot create" --in in.npy --out no/out.npy --matrix gray
    refused "cannot make this directory" --in in.npy --out out.npy --matrix gray --work no/where
    head -c 200 in.npy >short.npy
    refused "truncated data" --in short.npy --out out.npy --matrix gray
    permute 2 --in in.npy --out out.npy --matrix gray --copy
    assert_failure 2
    assert_equal "${stderr_lines[*]}" "bmf: --copy takes one process, not 2 ranks"
}
