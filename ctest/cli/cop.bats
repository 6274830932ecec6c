#!/usr/bin/env bats
# bmf cop: what check and plan print, that plans do not change from run to run, and that mistakes end with one line that
# says where they are.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_TEST_TMPDIR"
    BMF=$BMF_BIN_DIR/bmf
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
