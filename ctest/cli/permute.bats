#!/usr/bin/env bats
# bmf permute: what it prints, that its numbers are those of the algebra, and that bad input ends with exit code 2 and one
# line, however many ranks there are.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache" BMF_THREADS=1
}

# permute RANKS ARGUMENT...
permute()
{
    run --separate-stderr timeout 60 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/bmf" permute "${@:2}"
}

# refused TEXT ARGUMENT...: exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    for ranks in 1 3; do
        permute "$ranks" "${@:2}"
        assert_failure 2
        assert_output ""
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
    done
}

# json_holds EXPRESSION: a Python expression over d, the object printed
json_holds()
{
    python3 -c 'import json, sys; d = json.loads(sys.argv[1]); sys.exit(not eval(sys.argv[2]))' "$output" "$1" ||
        fail "not $1: $output"
}

@test "every named permutation is verified on 1 to 5 ranks" {
    for ranks in 1 2 3 4 5; do
        for matrix in identity bitrev transpose:3 gray invgray shuffle:1 reblock:2,3,1,4 random:7 randombpc:7; do
            permute "$ranks" --bits 10 --elem 12 --matrix "$matrix" --complement 2a5 --verify
            assert_success
            assert_line "every element verified"
        done
    done
}

@test "the object has the promised keys" {
    permute 2 --bits 12 --elem 8 --matrix bitrev --json
    assert_success
    json_holds 'list(d) == ["bits", "elem", "ranks", "threads", "class", "rank_r", "method", "rounds", "messages", "bytes",
        "predicted_bytes", "seconds", "memcpy_seconds", "fraction_of_memcpy"]'
    json_holds '(d["bits"], d["elem"], d["ranks"], d["threads"], d["class"], d["rank_r"]) == (12, 8, 2, 1, "BPC", 1)'
    permute 2 --bits 12 --elem 8 --matrix bitrev --json --naive --verify
    assert_success
    json_holds 'd["naive_seconds"] > 0 and d["verified"] is True'
}

# Bit reversal over 4 ranks: everybody sends a quarter to everybody, 12 messages of 2^12 * 8 / 16 bytes.
@test "messages and bytes are those of the algebra" {
    for method in rounds alltoallv; do
        permute 4 --bits 12 --elem 8 --matrix bitrev --method $method --json
        assert_success
        json_holds '(d["messages"], d["bytes"], d["predicted_bytes"]) == (12, 12 * 2048, 12 * 2048)'
        json_holds 'd["rank_r"] == 2 and d["rounds"] == (4 if d["method"] == "rounds" else 1)'
    done
    permute 4 --bits 12 --elem 8 --matrix bitrev --method naive --json
    json_holds '(d["messages"], d["bytes"], d["rounds"]) == (3072, 12 * 2048, 1024)'
}

# Complementing the top bit moves every block; relabelled, nothing moves.
@test "relabelling moves what it can in the mind" {
    permute 4 --bits 10 --elem 8 --matrix identity --complement 200 --json
    json_holds '(d["class"], d["rank_r"], d["messages"], d["bytes"]) == ("complement", 0, 4, 8192)'
    permute 4 --bits 10 --elem 8 --matrix identity --complement 200 --relabel --verify
    assert_line "the block of rank 0 is on 2, 1 is on 3, 2 is on 0, 3 is on 1"
    assert_line "counted 0 messages, 0 bytes"
}

@test "a plan needs no memory" {
    permute 2 --bits 50 --elem 8 --matrix transpose:25 --plan
    assert_success
    assert_line "permute 2^50 elements of 8 bytes on 2 processors: BPC"
    assert_line "  rank 1: 1 groups of 2 processors"
    permute 2 --bits 50 --elem 8 --matrix transpose:25 --plan --json
    json_holds 'd["messages"] == 2 and d["predicted_bytes"] == 2 ** 52'
}

@test "ranks that are no power of two, and fewer elements than ranks" {
    for ranks in 3 5 6; do
        for method in rounds alltoallv naive; do
            permute "$ranks" --bits 2 --elem 3 --matrix random:1 --method $method --verify --json
            assert_success
            json_holds 'd["rank_r"] is None and d["bytes"] == d["predicted_bytes"]'
        done
    done
}

@test "tuning remembers a method" {
    permute 2 --bits 12 --elem 8 --matrix bitrev --tune --json
    assert_success
    run cat "$XDG_CACHE_HOME/bmf/permute"
    assert_line --regexp '^processors=2 ranks=2 .* (rounds|alltoallv|naive)$'
    # what is remembered is taken, however slow
    sed -i 's/ [a-z]*$/ naive/' "$XDG_CACHE_HOME/bmf/permute"
    permute 2 --bits 12 --elem 8 --matrix random:3 --json
    json_holds 'd["method"] == "naive"'
}

@test "a matrix file, and what can be wrong with it" {
    printf '011\n100\n111\n' > singular
    printf '011\n100\n010\n' > good
    printf '011\n1x0\n010\n' > letter
    permute 2 --bits 3 --elem 1 --matrix file:good --verify
    assert_success
    refused "its rank is 2, not 3" --bits 3 --elem 8 --matrix file:singular
    refused "letter:2:2: neither 0 nor 1" --bits 3 --elem 8 --matrix file:letter
    refused "good:1:4: the line is too short" --bits 4 --elem 8 --matrix file:good
    refused "cannot open 'none'" --bits 4 --elem 8 --matrix file:none
}

@test "bad usage" {
    refused "give --bits" --elem 8 --matrix gray
    refused "give --elem" --bits 8 --matrix gray
    refused "give --matrix" --bits 8 --elem 8
    refused "--elem needs a whole number from 1 to 4096" --bits 8 --elem 0 --matrix gray
    refused "--elem needs a whole number from 1 to 4096" --bits 8 --elem 4097 --matrix gray
    refused "--bits needs a whole number from 0 to 63" --bits 64 --elem 8 --matrix gray
    refused "--bits needs a whole number from 0 to 63" --bits eight --elem 8 --matrix gray
    refused "unknown permutation 'grey'" --bits 8 --elem 8 --matrix grey
    refused "unknown method 'fast'" --bits 8 --elem 8 --matrix gray --method fast
    refused "has more than 8 bits" --bits 8 --elem 8 --matrix gray --complement 100
    refused "unknown option" --bits 8 --elem 8 --matrix gray --quick
    refused "unexpected argument" --bits 8 --elem 8 --matrix gray more
    # Open MPI's launcher takes --tune for an option of its own, wherever it stands.
    "$BMF_BIN_DIR/bmf" --version | grep -q "Open MPI" ||
        refused "leave out --method" --bits 8 --elem 8 --matrix gray --tune --method naive
    refused "need" --bits 45 --elem 4096 --matrix gray
    refused "more than 2^62 bytes" --bits 63 --elem 4096 --matrix gray
}

@test "help, with an example" {
    permute 2 --help
    assert_success
    assert_line --index 0 "usage: $(basename "$MPIRUN") -n R bmf permute --bits N --elem B --matrix SPEC [OPTION].."
    assert_line --partial "Example: $(basename "$MPIRUN")"
    assert_equal "$stderr" ""
}
