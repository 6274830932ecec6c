#!/usr/bin/env bats
# A file of 4 GB permuted with 512 MB of memory.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    local free
    free=$(df --output=avail -k . | tail -1)
    [ "$free" -ge $((14 * 1048576)) ] || skip "needs 14 GiB of disk, $((free / 1048576)) are free"
}

@test "4 GB with 512 MB: bit reversal in one pass, a random matrix in two, every element checked" {
    "$BMF_BIN_DIR/make_addresses" in.npy 29
    run bash -c "ulimit -v 2500000; '$BMF_BIN_DIR/bmf' permute --in in.npy --out out.npy --matrix bitrev --complement 1f --memory 512M --json"
    assert_success
    [[ $output == *'"passes": 1,'* ]] || fail "$output"
    run "$BMF_BIN_DIR/make_addresses" out.npy 29 bitrev 1f
    assert_success
    rm out.npy
    run "$BMF_BIN_DIR/bmf" permute --in in.npy --out out.npy --matrix random:6 --memory 512M --block 1M --json
    assert_success
    [[ $output == *'"passes": 2,'* ]] || fail "$output"
    run "$BMF_BIN_DIR/make_addresses" out.npy 29 random:6 0
    assert_success
}
