#!/usr/bin/env bats
# A program whose messages come in another order every time, on virtual clocks: ten runs under random load are one prediction.

bats_require_minimum_version 1.5.0

@test "ten runs of a task farm under random load give the same predicted trace" {
    cd "$BATS_TEST_TMPDIR"
    for k in 1 2 3 4 5 6 7 8 9 10; do
        loads=()
        for ((l = RANDOM % 4; l > 0; l--)); do
            (while :; do :; done) &
            loads+=($!)
        done
        timeout 300 "$BMF_BIN_DIR/bmf" predict --mpi --launch "$MPIRUN -n {p}" --machine t3d-sheet --procs 8 --json \
            --compute steps --step 1e-6 --trace "farm$k.trace" -- "$BMF_BIN_DIR/../cowichan/farm" > "$k.json" 2> "$k.txt"
        [ ${#loads[@]} -eq 0 ] || kill "${loads[@]}"
        cmp farm1.trace "farm$k.trace"
        cmp 1.json "$k.json"
    done
}
