#!/usr/bin/env bats
# Permutations on hosts of network namespaces with limited links (scripts/cluster). Skipped where such hosts cannot be made.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1 XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
    cluster=$BMF_SOURCE_DIR/scripts/cluster
}

# on_hosts OPTION... -- PROGRAM ARGUMENT...: skips the test if there can be no hosts
on_hosts()
{
    run --separate-stderr timeout 300 "$cluster" "$@"
    [ "$status" -ne 77 ] || skip "$stderr"
}

# hosts_of PROCESS: how many namespaces, the switch counted, that run of the script has
hosts_of()
{
    ip netns list | grep -c "^bmf$1-" || true
}

@test "every method permutes on 8 hosts, with the messages and bytes of the plan" {
    for method in rounds alltoallv; do
        on_hosts --hosts 8 -- "$BMF_BIN_DIR/bmf" permute --bits 16 --elem 8 --matrix random:5 --method $method --verify --json
        assert_success
        run python3 -c 'import json, sys; d = json.loads(sys.argv[1])
assert d["verified"] and d["ranks"] == 8 and d["bytes"] == d["predicted_bytes"] > 0, d' "$output"
        assert_success
    done
}

# 2^19 words on two hosts: bit reversal sends half of each host's 2 MiB, which at 50 Mbit/s takes 2^20 * 8 / 50e6 = 0.168 s.
@test "links carry what they are limited to, and not more" {
    on_hosts --hosts 2 --rate 50mbit -- "$BMF_BIN_DIR/bmf" permute --bits 18 --elem 8 --matrix bitrev --json
    assert_success
    run python3 -c 'import json, sys; d = json.loads(sys.argv[1])
least = d["bytes"] / d["ranks"] * 8 / 50e6 - 64 * 1024 * 8 / 50e6  # what the bucket holds goes at once
assert d["seconds"] > least, (d["seconds"], least)' "$output"
    assert_success
}

@test "the benchmark prints the limit of the links beside the methods" {
    on_hosts --hosts 4 -- "$BMF_BIN_DIR/bmf-bench" permute --bits 14 --repeats 1 --link-mbit 200 --json
    assert_success
    run python3 -c 'import json, sys; d = json.loads(sys.argv[1])
for row in d["rows"]:
    least = row["bytes"] / 4 * 8 / 200e6
    assert row["verified"] and (row["limit_seconds"] or 0) >= least * 0.999, row
    assert row["bytes"] == row["predicted_bytes"], row
' "$output"
    assert_success
}

@test "the exit code is that of the program, and nothing stays behind" {
    on_hosts --hosts 2 -- "$BMF_BIN_DIR/bmf" permute --bits 8 --elem 8 --matrix identity
    assert_success
    "$cluster" --hosts 2 -- "$BMF_BIN_DIR/bmf" permute --bits 8 --elem 8 --matrix grey &
    local process=$!
    status=0
    wait "$process" || status=$?
    assert_equal "$status" 2
    assert_equal "$(hosts_of "$process")" 0
}

@test "a run that is ended leaves nothing behind" {
    on_hosts --hosts 2 -- "$BMF_BIN_DIR/bmf" permute --bits 8 --elem 8 --matrix identity
    "$cluster" --hosts 2 -- sleep 60 &
    local process=$!
    for _ in $(seq 100); do
        [ "$(hosts_of "$process")" -lt 3 ] || break
        sleep 0.1
    done
    assert_equal "$(hosts_of "$process")" 3
    kill -TERM "$process"
    status=0
    wait "$process" || status=$?
    assert_equal "$status" 143
    assert_equal "$(hosts_of "$process")" 0
}

@test "what a killed script leaves behind can be removed" {
    on_hosts --hosts 2 -- true
    assert_success
    "$cluster" --hosts 2 -- sleep 100 >/dev/null 2>&1 &
    script=$!
    for _ in {1..100}; do [ "$(hosts_of $script)" -lt 3 ] && sleep 0.1 || break; done
    sleep 1
    kill -9 $script
    [ "$(hosts_of $script)" -eq 3 ]
    run "$cluster" --clean
    assert_success
    assert_output --partial "removed bmf$script-switch"
    [ "$(hosts_of $script)" -eq 0 ]
    ! ls -d "${TMPDIR:-/tmp}/bmf-cluster-$script-"* 2>/dev/null || fail "something is left"
}
