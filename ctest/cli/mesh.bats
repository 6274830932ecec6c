#!/usr/bin/env bats
# bmf mesh: what it prints for patterns and files of messages on scheduled and dynamic routers; machines of the type
# numesh; and that bad input ends with one line that says where it is.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    COMMAND=mesh
    # shellcheck source=ctest/cli/refused.bash
    source "$BMF_SOURCE_DIR/ctest/cli/refused.bash"
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

@test "help has an example, the routers and their parameters" {
    run "$BMF" mesh --help
    assert_success
    assert_output --partial "Example: bmf mesh run bitrev"
    assert_output --partial "scheduled:"
    assert_output --partial "pipelines"
}

@test "the keys of the JSON object are those agreed upon, and its values fit together" {
    run --separate-stderr "$BMF" mesh run shift --size 4x4 --words 100 --json
    assert_success
    python3 - "$output" <<'END'
import json, sys
o = json.loads(sys.argv[1])
assert list(o) == ["pattern", "nodes", "router", "words", "cycles", "nanoseconds", "accepted", "latency_mean",
                   "hops_mean", "flit_hops_per_second"], list(o)
assert (o["pattern"], o["nodes"], o["router"], o["words"]) == ("shift", 16, "scheduled", 100)
assert o["hops_mean"] == (3 * 1 + 3) / 4                    # three neighbours and one way round in a column of 4
assert 200 <= o["cycles"] < 230                             # half a word a cycle, and the way
assert o["nanoseconds"] == o["cycles"] / 2                  # 2 GHz
assert abs(o["accepted"] - 100 / o["cycles"]) < 1e-9
assert 199 <= o["latency_mean"] <= o["cycles"]
END
}

@test "the clock and parameters can be set" {
    run --separate-stderr "$BMF" mesh run shift --size 4x4 --ghz 1 --set schedule=6 --set shared_wires=1 --json
    assert_success
    python3 -c 'import json, sys; o = json.loads(sys.argv[1]); assert o["nanoseconds"] == o["cycles"]' "$output"
}

@test "messages of a file, several phases" {
    { for k in $(seq 1 20); do echo "0 $((k % 8 + 1)) 3"; done; echo "8 0,1,2 7 bandwidth=0.125 # three"; } > some.txt
    run "$BMF" mesh run file:some.txt --size 3x3
    assert_success
    assert_output --partial "2 phases"
    assert_output --partial "words delivered 81"
}

@test "a schedule is drawn" {
    run "$BMF" mesh run file:/dev/stdin --size 2x1 --set schedule=4 --draw all <<< "0 1 10 bandwidth=0.5"
    assert_success
    assert_output --partial "phase 1: 1 streams"
    assert_output --partial "node 1 (1, 0)"
    assert_output --regexp "2: register 0 > \+x"
    assert_output --regexp "2: -x > register 0"
}

@test "bad input is named" {
    refused "'run' and a pattern" bitrev
    refused "no pattern 'gossip'" run gossip
    refused "no router 'fast'" run bitrev --router fast
    refused "'8by8' is no size" run bitrev --size 8by8
    refused "a power of two of nodes, not 9" run bitrev --size 3x3
    refused "--words needs a whole number" run bitrev --words 0
    refused "--load needs a number" run random --load 1.5
    refused "no parameter 'speed'" run bitrev --set speed=3
    refused "a whole number from 1 to 4" run bitrev --set pipelines=5
    refused "outside the mesh" run bitrev --draw 64
    refused "unknown option" run bitrev --fast
    printf '0 1 5\n0 99 5\n' > outside.txt
    refused "outside.txt:2: destinations outside the mesh" run file:outside.txt
    echo '0 1 5 bandwidth=2' > fast.txt
    refused "fast.txt:1: a bandwidth above 0 and at most 1" run file:fast.txt
}

@test "a machine with scheduled routers is shown with a schedule" {
    run "$BMF" machine show "$BMF_SOURCE_DIR/examples/machines/numesh-8x8.machine"
    assert_success
    assert_output --partial "NuMesh with scheduled routers: 8x8 nodes, 2 GHz"
    assert_output --partial "pipeline 1 |"
}

@test "a program is predicted; schedules are kept and found again; a damaged one is made again" {
    cat > zero.machine <<'END'
processors = 16; compute = { zero = true; };
network = { type = "numesh"; router = "scheduled"; size = "4x4"; };
END
    predict=("$BMF" predict "$BMF_SOURCE_DIR/examples/12-mean-variance.bmf" --machine zero.machine --procs 16 --json)
    run --separate-stderr "${predict[@]}"
    assert_success
    first=$output
    kept=$(ls cache/bmf/schedules/*.schedule | wc -l)
    [ "$kept" -ge 4 ]
    for file in cache/bmf/schedules/*.schedule; do truncate -s -9 "$file"; break; done
    run --separate-stderr "${predict[@]}"
    assert_success
    assert_equal "$output" "$first"
    assert_equal "$(ls cache/bmf/schedules/*.schedule | wc -l)" "$kept"
}

@test "mistakes in machine files are named with the line" {
    make_machine() { printf 'processors = 16; compute = { zero = true; };\nnetwork = { type = "numesh"; %s };\n' "$1" > m.machine; }
    for bad in 'size = "4x"|is no size of a mesh' 'size = "3x3"|do not fit' 'router = "slow"|slow' \
               'pipelines = 9|pipelines' 'torus = true|no links over the edges' 'sizes = "4x4"|sizes'; do
        make_machine "${bad%|*};"
        run --separate-stderr "$BMF" machine check m.machine --procs 16
        assert_failure 2
        [[ ${stderr_lines[0]} == "bmf: "*"m.machine:2: "* ]] || fail "${stderr_lines[0]}"
        [[ ${stderr_lines[0]} == *"${bad#*|}"* ]] || fail "${stderr_lines[0]}"
    done
}

@test "dynamic routers run, on meshes and tori, and refuse what would block" {
    for router in ecube adaptive; do
        run --separate-stderr "$BMF" mesh run shift:1,x --size 5x3 --torus --words 30 --router "$router" --json
        assert_success
        # header, way to the router, one link, way to the processor; it alternates with reading
        python3 -c 'import json, sys; o = json.loads(sys.argv[1])
assert o["router"] == sys.argv[2] and o["nanoseconds"] == o["cycles"] and o["hops_mean"] == 1
assert 62 <= o["cycles"] <= 70, o' "$output" "$router"
    done
    refused "at least 2 virtual channels" run shift --torus --router ecube --set channels=1
    refused "at least 2 virtual channels" run shift --router adaptive --set channels=1
    refused "has no parameter 'misroutes'" run shift --router ecube --set misroutes=1
    refused "a whole number from 1 to 4096" run shift --router ecube --set buffer=0
    run "$BMF" machine show "$BMF_SOURCE_DIR/examples/machines/numesh-8x8-adaptive.machine"
    assert_success
    assert_output --partial "5 virtual channels a link, buffers of 8 words"
}
