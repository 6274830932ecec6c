#!/usr/bin/env bats
# bmf permute --machine: messages and bytes are those of the plan and of the real run, times are those of the network,
# and bad input ends with exit code 2 and one line; bmf-bench edn: the constants of the machine files come from it.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    machines="$BATS_TEST_DIRNAME/../../examples/machines"
    export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache" BMF_THREADS=1 BMF_MACHINES="$machines"
}

# permute RANKS ARGUMENT...
permute()
{
    run --separate-stderr timeout 60 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/bmf" permute "${@:2}"
}

# refused TEXT ARGUMENT...: exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    permute 1 "${@:2}"
    assert_failure 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
}

# json_holds EXPRESSION: a Python expression over d, the object printed, and w, the one of before
json_holds()
{
    python3 -c 'import json, sys; d, w = (json.loads(t or "{}") for t in sys.argv[1:3])
sys.exit(not eval(sys.argv[3]))' "$output" "$before" "$1" || fail "not $1: $output"
}

# A machine with a lockstep network for 64 processors.
small_machine()
{
    cat > small.machine <<'END'
name = "small";
processors = 64;
compute = { zero = true; };
network = { type = "edn"; ports = 16; inputs = 8; buckets = 4; capacity = 2; processors_per_port = 4; map = "matrix";
            iteration_us = 10.0; word_bytes = 8; send_us = 5.0; receive_us = 0.0; };
END
}

@test "predicted messages and bytes are those of the plan and of the real run" {
    for matrix in identity bitrev random:7; do
        for method in rounds alltoallv naive; do
            permute 1 --bits 8 --elem 12 --matrix "$matrix" --method "$method" --machine ideal --procs 4 --json
            assert_success
            before="$output"
            permute 4 --bits 8 --elem 12 --matrix "$matrix" --method "$method" --json --verify
            assert_success
            json_holds 'all(w["runs"][0][k] == d[k] for k in ("messages", "rounds", "bytes"))'
            json_holds 'd["bytes"] == d["predicted_bytes"]' # of the plan
            json_holds 'all(w[k] == d[k] for k in ("bits", "elem", "class", "rank_r"))'
        done
    done
}

@test "processors that are no power of two, and more than elements" {
    for procs in 3 7 40; do
        permute 1 --bits 5 --elem 8 --matrix bitrev --method rounds --machine ideal --procs $procs --json
        assert_success
        before="$output"
        permute 2 --bits 5 --elem 8 --matrix bitrev --method rounds --bmf-procs $procs --plan --json
        assert_success
        json_holds 'w["runs"][0]["messages"] == d["messages"] and w["runs"][0]["bytes"] == d["predicted_bytes"]'
    done
}

@test "the object has the promised keys, and is the same each time" {
    small_machine
    permute 1 --bits 10 --elem 8 --matrix bitrev --machine small.machine --json
    assert_success
    json_holds 'list(d) == ["machine", "processors", "bits", "elem", "class", "rank_r", "fastest", "runs"]'
    json_holds 'list(d["runs"][0]) == ["method", "rounds", "messages", "bytes", "seconds", "lo", "hi", "in_domain"]'
    json_holds '[r["method"] for r in d["runs"]] == ["rounds", "alltoallv", "naive", "sets", "clusters", "rows", "two-pass",
                                                    "coloured"]'
    json_holds '(d["machine"], d["processors"], d["bits"], d["elem"]) == ("small", 64, 10, 8)'
    json_holds '(d["class"], d["rank_r"]) == ("BPC", 4)'
    json_holds 'd["fastest"] == min(d["runs"], key=lambda r: r["seconds"])["method"]'
    before="$output"
    permute 1 --bits 10 --elem 8 --matrix bitrev --machine small.machine --json
    assert_equal "$output" "$before"
}

# By hand. Every processor's number complemented in its lowest bit: a port keeps its four messages, one iteration each,
# two words an element. The 2^10 / 64 = 16 records of a processor are 16 sets, or 64 sets of the 16 clusters.
@test "times on a lockstep network are rounds and iterations" {
    small_machine
    permute 1 --bits 10 --elem 16 --matrix identity --complement 10 --machine small.machine --json
    assert_success
    json_holds '[r["messages"] for r in d["runs"][:6]] == [64, 64, 64, 1024, 1024, 1024]'
    json_holds 'all(r["bytes"] == 16384 for r in d["runs"][:6])'
    json_holds 'abs(d["runs"][3]["seconds"] - 16 * (5 + 4 * 2 * 10) * 1e-6) < 1e-12'
    json_holds 'abs(d["runs"][4]["seconds"] - 64 * (5 + 2 * 10) * 1e-6) < 1e-12'
    json_holds 'd["runs"][5]["seconds"] == d["runs"][3]["seconds"]' # the rows are sets
    # Records that stay cost nothing, or as much as others; then sets take their setup, too.
    permute 1 --bits 10 --elem 16 --matrix identity --machine small.machine --json
    json_holds 'd["runs"][3]["seconds"] == 0'
    sed -i 's/receive_us = 0.0;/receive_us = 0.0; setup_us = 100.0; own_records = "routed";/' small.machine
    permute 1 --bits 10 --elem 16 --matrix identity --machine small.machine --json
    json_holds 'all(r["messages"] == r["bytes"] == 0 for r in d["runs"][:6])'
    json_holds 'abs(d["runs"][3]["seconds"] - (100 + 16 * (5 + 4 * 2 * 10)) * 1e-6) < 1e-12'
    json_holds 'abs(d["runs"][4]["seconds"] - (100 + 64 * (5 + 2 * 10)) * 1e-6) < 1e-12'
    json_holds 'abs(d["runs"][5]["seconds"] - 16 * (5 + 4 * 2 * 10) * 1e-6) < 1e-12'
}

# 64 sets of 16 records, each in two passes of one iteration; sets by colouring are made beforehand.
@test "two passes take two iterations a set, whatever the permutation" {
    small_machine
    sed -i 's/receive_us = 0.0;/receive_us = 0.0; setup_us = 100.0; own_records = "routed";/' small.machine
    for matrix in identity bitrev random:1 random:2 transpose:5; do
        permute 1 --bits 10 --elem 16 --matrix $matrix --machine small.machine --json
        assert_success
        json_holds '[r["rounds"] for r in d["runs"][6:]] == [128, 128]'
        json_holds 'abs(d["runs"][6]["seconds"] - (100 + 128 * (5 + 2 * 10)) * 1e-6) < 1e-12'
        json_holds 'abs(d["runs"][7]["seconds"] - 128 * (5 + 2 * 10) * 1e-6) < 1e-12'
        json_holds 'all(r["bytes"] == 16 * r["messages"] <= 2 * 16384 for r in d["runs"][6:])'
    done
    permute 1 --bits 10 --matrix random:1 --describe --machine small.machine
    assert_line --regexp '^two-pass +128 +1 +1 +yes$'
    assert_line --regexp '^coloured +128 +1 +1 +yes$'
    refused "two passes need all 64 processors" --bits 10 --elem 4 --matrix bitrev --machine small.machine --procs 32 --method coloured
    sed -i 's/capacity = 2/capacity = 1/' small.machine
    refused "one stage of hyperbars whose buckets carry all" --bits 10 --elem 4 --matrix bitrev --machine small.machine --method coloured
}

@test "further stages of hyperbars" {
    small_machine
    # two hyperbars of 8 inputs, 4 buckets of capacity 2; behind each bucket one of 4 inputs and 4 buckets, one port each
    sed -i 's/capacity = 2;/capacity = 2; further = ( { inputs = 4; buckets = 4; capacity = 1; } );/' small.machine
    run "$BMF_BIN_DIR/bmf" machine show small.machine
    assert_line --partial "then hyperbars of 4 inputs and 4 buckets; a thick wire carries 1"
    # a hyperbar for every bucket passes all that its ports take: nothing changes
    permute 1 --bits 10 --elem 16 --matrix identity --complement 10 --machine small.machine --method clusters --json
    json_holds 'abs(d["runs"][0]["seconds"] - 64 * (5 + 2 * 10) * 1e-6) < 1e-12'
    sed 's/inputs = 4; buckets = 4/inputs = 3; buckets = 4/' small.machine >bad.machine
    refused "stage 2 does not fit: its inputs" --bits 10 --elem 4 --matrix bitrev --machine bad.machine
    sed 's/inputs = 4; buckets = 4/inputs = 4; buckets = 3/' small.machine >bad.machine
    refused "stage 2 does not fit: its buckets" --bits 10 --elem 4 --matrix bitrev --machine bad.machine
    sed 's/further = (.*);/further = 3;/' small.machine >bad.machine
    refused "'further' must be a list" --bits 10 --elem 4 --matrix bitrev --machine bad.machine
}

@test "figures 5.3 to 5.6 as curves, and every matrix of the scatter" {
    run --separate-stderr timeout 60 "$BMF_BIN_DIR/bmf-bench" edn --json --matrices 7 --counts 1 --html edn.html
    assert_success
    before=""
    json_holds 'all(len(r["scatter"][m]) == 7 for r in d["random"] for m in ("rows", "sets", "clusters"))'
    json_holds 'all(abs(sum(r["scatter"][m]) / 7 - r[m + "_seconds"]) < 1e-9 for r in d["random"] for m in ("rows", "sets", "clusters"))'
    # sets of clusters never win (document 003, 5.3) but against large rounds of rows
    json_holds 'all(r["clusters_seconds"] > r["sets_seconds"] for r in d["random"])'
    grep -q "Figure 5.5" edn.html
    [ "$(grep -o '<svg' edn.html | wc -l)" -ge 4 ]
}

@test "--bmf-trace and --html leave the predicted run, as long as it was said to be" {
    small_machine
    sed -i 's/receive_us = 0.0;/receive_us = 0.0; setup_us = 100.0;/' small.machine
    local method machine
    echo 'name = "plain"; compute = { zero = true; };
          network = { type = "hockney"; latency_us = 20.0; bandwidth_mb_per_s = 15.0; ports = "single"; };' >plain.machine
    for machine in small.machine plain.machine; do
        for method in rounds alltoallv naive sets; do
            permute 1 --bits 9 --elem 8 --matrix random:3 --machine $machine --procs 16 --method $method --json \
                --bmf-trace p.trace --html p.html
            assert_success
            before="$output"
            run --separate-stderr "$BMF_BIN_DIR/bmf" report p.trace --json
            assert_success
            json_holds 'd["runs"][0]["processors"] == 16'
            json_holds '(d["runs"][0]["intervals"][1]["path"]) == "main/permute '$method'"'
            json_holds 'all(w["runs"][0][k] == d["runs"][0]["intervals"][0]["all"][k] for k in ("messages", "bytes"))'
            json_holds 'abs(w["runs"][0]["seconds"] - d["runs"][0]["seconds"]) < 2e-9'
            grep -q "permute $method" p.html
        done
    done
    for method in clusters rows two-pass coloured; do
        permute 1 --bits 9 --elem 8 --matrix random:3 --machine small.machine --method $method --json --bmf-trace p.trace
        assert_success
        before="$output"
        run --separate-stderr "$BMF_BIN_DIR/bmf" report p.trace --json
        json_holds 'all(w["runs"][0][k] == d["runs"][0]["intervals"][0]["all"][k] for k in ("messages", "bytes"))'
        json_holds 'abs(w["runs"][0]["seconds"] - d["runs"][0]["seconds"]) < 2e-9'
    done
    # without a method it is the fastest one's
    permute 1 --bits 9 --elem 8 --matrix random:3 --machine small.machine --json --bmf-trace p.trace
    before="$output"
    run --separate-stderr "$BMF_BIN_DIR/bmf" report p.trace --json
    json_holds 'd["runs"][0]["intervals"][1]["path"] == "main/permute " + w["fastest"]'
    refused "--html goes with a prediction" --bits 5 --elem 8 --matrix bitrev --html p.html
}

@test "a real run and the predicted one are compared event by event" {
    "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" permute --bits 9 --elem 8 --matrix bitrev --method rounds --bmf-procs 16 \
        --bmf-trace real.trace >/dev/null
    permute 1 --bits 9 --elem 8 --matrix bitrev --method rounds --machine workstations-16 --bmf-trace p.trace
    assert_success
    run "$BMF_BIN_DIR/bmf" compare real.trace p.trace --html both.html
    assert_success
    assert_line --regexp "permute rounds"
    grep -q "permute rounds" both.html
}

@test "the command and bmf-bench edn are one model of the DECmpp" {
    run --separate-stderr timeout 60 "$BMF_BIN_DIR/bmf-bench" edn --json --matrices 1 --counts 1
    assert_success
    before="$output"
    for permutation in identity transpose:11; do
        for bits in 11 14 18; do
            permute 1 --bits $bits --elem 4 --matrix $permutation --machine decmpp-2048 --json
            assert_success
            json_holds "all(abs(r['seconds'] / s['predicted'] - 1) < 0.005
                for c in w['columns'] if c['permutation'][:5] == '$permutation'[:5]
                for s in c['sizes'] if s['records'] == 2**($bits - 11)
                for r in d['runs'] if r['method'] == c['method'])"
            json_holds "len([r for r in d['runs'] for c in w['columns']
                             if r['method'] == c['method'] and c['permutation'][:5] == '$permutation'[:5]]) == 3"
        done
    done
}

# Document 003, 4.1: five bits on three of disks; bits are written with the least significant first.
@test "the worked example of document 003 is described to the last bit" {
    printf '01110\n00011\n01100\n11001\n10010\n' >example
    permute 1 --bits 5 --matrix file:example --describe --disks --procs 8
    assert_success
    assert_line "S = {1, 3, 4}, T = {0, 2}, U = {1}, V = {}"
    assert_line "Q^-1, by rows: 001 101 111"
    assert_line "4 1-permutable sets of 8 records; any k of them are a k-permutable set"
    local order=(0 2 1 3 4 6 5 7) source=(00000 10010 01000 11010 01101 11111 00101 10111)
    local target=(00000 11010 10110 01100 01000 10010 11110 00100)
    for i in 0 1 2 3 4 5 6 7; do
        assert_line --regexp "^ +$i +${order[i]}  ${source[i]} ${target[i]}\$"
    done
    permute 1 --bits 5 --matrix file:example --describe --disks --procs 8 --json
    assert_success
    json_holds '(d["S"], d["T"], d["U"], d["V"], d["R"]) == ([1, 3, 4], [0, 2], [1], [], [0, 2, 1, 3, 4, 6, 5, 7])'
}

# Document 003, 5.1: a set of processors goes through a port 16 times, a set of clusters once; a row of a transposition of
# 1024 records a processor goes to one processor.
@test "what the router makes of a permutation" {
    permute 1 --bits 21 --matrix transpose:11 --describe --machine decmpp-2048 --json
    assert_success
    json_holds '{m["method"]: m["port_serialisation"] for m in d["methods"]} == {"rows": 2048, "sets": 16, "clusters": 1,
                                                                                     "two-pass": 1, "coloured": 1}'
    json_holds '(d["rank_alpha"], d["sets"], d["devices"]) == (10, 1024, 2048)'
    permute 1 --bits 11 --matrix identity --describe --machine decmpp-2048
    assert_success
    assert_line --regexp '^clusters +16 +1 +1  yes$'
    assert_line --regexp '^sets +1 +16 +16  no$'
    refused "power of two of devices" --bits 5 --matrix gray --describe --procs 3
    refused "--disks goes with --describe" --bits 5 --elem 8 --matrix gray --disks
    refused "--describe does not go with --in" --in x.npy --matrix gray --describe
}

@test "a table for people" {
    permute 1 --bits 13 --elem 4 --matrix transpose:11 --machine decmpp-2048
    assert_success
    assert_line --partial "on 2048 processors of decmpp-2048: BPC, rank 2"
    assert_line --regexp '^clusters +64 +'
    assert_line --regexp '^fastest: '
    refute_output --partial "outside"
}

@test "what cannot be followed is planned without a time" {
    permute 1 --bits 40 --elem 8 --matrix transpose:20 --machine ideal --procs 1024
    assert_success
    assert_line --regexp '^naive .* - +more messages than can be followed'
    assert_line --regexp '^rounds +1024 +1047552 .* s'
}

@test "what is refused" {
    small_machine
    local common=(--bits 8 --elem 8 --matrix gray)
    refused "--procs goes with --machine" "${common[@]}" --procs 4
    refused "--procs needs a whole number" "${common[@]}" --machine ideal --procs 0
    refused "how many? give --procs" "${common[@]}" --machine ideal
    refused "nowhere.machine" "${common[@]}" --machine nowhere.machine
    refused "has 64 processors, not 65" "${common[@]}" --machine small.machine --procs 65
    refused "unknown method 'fast'" "${common[@]}" --machine ideal --procs 4 --method fast
    refused "unknown method 'sets'" "${common[@]}" --method sets
    refused "needs a machine whose network is of type edn" "${common[@]}" --machine ideal --procs 4 --method clusters
    refused "5000 processors are no power of two of at most 256" "${common[@]}" --machine ideal --procs 5000
    refused "power of two" "${common[@]}" --machine ideal --procs 3 --method sets
    refused "leave out --verify" "${common[@]}" --machine ideal --procs 4 --verify
    echo 'network = { type = "edn"; ports = 4; };' > bad.machine
    refused "bad.machine:1: 'inputs' is missing" "${common[@]}" --machine bad.machine --procs 4
    permute 2 "${common[@]}" --machine ideal --procs 4
    assert_failure 2
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == *"one process for all processors, not 2 ranks"* ]] || fail "${stderr_lines[0]}"
}

@test "the machine files have the constants that are fitted to the published tables" {
    run --separate-stderr timeout 60 "$BMF_BIN_DIR/bmf-bench" edn --json --matrices 1 --counts 20000
    assert_success
    before=""
    json_holds 'all(abs(c["published"] - c["predicted"]) < 1 for c in d["router_counts"])'
    json_holds 'sum(c["fitted"] for c in d["columns"]) == 2'
    for file in decmpp-2048 decmpp-4096; do
        iteration=$(sed -n 's/^ *iteration_us = \([0-9.]*\);.*/\1/p' "$machines/$file.machine")
        round=$(sed -n 's/^ *send_us = \([0-9.]*\);.*/\1/p' "$machines/$file.machine")
        json_holds "abs(d['iteration_us'] / $iteration - 1) < 0.005 and abs(d['round_us'] / $round - 1) < 0.005"
    done
    run --separate-stderr "$BMF_BIN_DIR/bmf-bench" edn --machine ideal
    assert_failure 2
    assert_equal "${#stderr_lines[@]}" 1
}

# Where all do the same in every round two stand for all; with a trace everybody is followed.
@test "processors that are always equally far are followed once, also very many of them" {
    cat >ports.machine <<'MACHINE'
compute = { operations_us = { other = 0.01; }; };
network = { type = "hockney"; latency_us = 2.0; bandwidth_mb_per_s = 1000.0; ports = "single"; send_us = 0.3; };
MACHINE
    for matrix in bitrev transpose:5 random:3 gray; do
        for procs in 4 64; do
            permute 1 --bits 10 --elem 8 --matrix $matrix --method rounds --machine ports.machine --procs $procs --json
            assert_success
            before="$output"
            permute 1 --bits 10 --elem 8 --matrix $matrix --method rounds --machine ports.machine --procs $procs --json \
                --bmf-trace all.trace
            assert_success
            json_holds 'all(w["runs"][0][k] == d["runs"][0][k] for k in ("messages", "bytes", "rounds"))'
            json_holds 'abs(w["runs"][0]["seconds"] / d["runs"][0]["seconds"] - 1) < 1e-9'
        done
    done
    permute 1 --bits 30 --elem 8 --matrix bitrev --method rounds --machine ports.machine --procs 32768 --json
    assert_success
    json_holds 'd["runs"][0]["messages"] == 32768 * 32767 and d["runs"][0]["seconds"] > 0'
}
