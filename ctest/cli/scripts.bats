#!/usr/bin/env bats
# The scripts: their options, and that scripts/count-tests counts what test programs of every kind say.

load set_up.bash

setup()
{
    set_up
    scripts=$BMF_SOURCE_DIR/scripts
}

# case_of NAME STATUS TEXT: one test program in a JUnit report
case_of()
{
    printf '<testcase name="%s" status="%s"><system-out>%s</system-out></testcase>\n' "$@"
}

# count CASE...: counts a report of these
count()
{
    printf '<testsuite>%s</testsuite>' "$*" >report.xml
    run "$scripts/count-tests" report.xml
}

@test "every script explains itself and refuses what it does not know" {
    for script in setup check demo bench cluster fuzz lint compare-bench compare-fftw site; do
        run "$scripts/$script" --help
        assert_success
        assert_output --partial "usage: scripts/$script"
        assert_output --partial "Example: scripts/$script"
        run "$scripts/$script" --no-such-option
        assert_failure 2
    done
    run "$scripts/check" --jobs
    assert_failure 2
    for hosts in 0 65 two; do
        run "$scripts/cluster" --hosts $hosts -- true
        assert_failure 2
        assert_output --partial "--hosts takes a whole number from 1 to 64"
    done
    for rate in garbage 0mbit 5 mbit "1 mbit"; do
        run "$scripts/cluster" --rate "$rate" -- true
        assert_failure 2
        assert_output --partial "--rate takes a rate as tc writes it"
    done
    for burst in "" 0 1599 1000001 64kb -1 99999999999999999999; do
        run "$scripts/cluster" --burst "$burst" -- true
        assert_failure 2
        assert_output --partial "--burst takes a number of bytes from 1600 to 1000000"
    done
    run "$scripts/fuzz" 1 no-such-target
    assert_failure 2
    assert_output --partial "no target 'no-such-target'"
}

@test "transposes of FFTW and bmf are timed in turns where FFTW is" {
    run "$scripts/compare-fftw" "$BMF_BIN_DIR" 12,5
    assert_failure 2
    assert_output --partial "a shape is BITS,ROWBITS"
    [ -x "$BMF_BIN_DIR/bmf-bench-fftw" ] || skip "FFTW for MPI is not installed"
    run "$scripts/compare-fftw" --turns 1 --json "$BMF_BIN_DIR" 12,6 12,3
    assert_success
    python3 - 3<<<"$output" <<'END'
import json, os

result = json.load(os.fdopen(3))
assert result["machine"]["model"] and result["ranks"] == 2 and result["turns"] == 1
assert [(row["rows"], row["columns"]) for row in result["rows"]] == [(64, 64), (8, 512)]
for row in result["rows"]:
    assert abs(row["ratio"] * row["seconds"] / row["fftw_seconds"] - 1) < 1e-6, row
END
}

@test "a program without cases counts as one" {
    count "$(case_of a run "whatever it says")" "$(case_of b run "")"
    assert_success
    assert_output "2 passed, 0 failed"
    count "$(case_of a fail "")"
    assert_failure
    assert_line "failed: a (report.xml)"
    assert_line "0 passed, 1 failed"
}

@test "cmocka's cases count one by one" {
    count "$(case_of a run "[  PASSED  ] 12 test(s).")"
    assert_success
    assert_output "12 passed, 0 failed"
    count "$(case_of a fail "[  PASSED  ] 12 test(s).
[  FAILED  ] a: 2 test(s), listed below:
[  FAILED  ] this
[  FAILED  ] that")"
    assert_failure
    assert_line "12 passed, 2 failed"
}

@test "BATS's cases count one by one, skipped ones are named and not counted" {
    count "$(case_of a run "1..3
ok 1 one
ok 2 two # skip no network
ok 3 three")"
    assert_success
    assert_line "skipped: a: ok 2 two # skip no network"
    assert_line "2 passed, 0 failed"
    count "$(case_of a fail "1..2
not ok 1 one
ok 2 two")"
    assert_failure
    assert_line "1 passed, 1 failed"
}

@test "a crash after cases that passed is a failure" {
    count "$(case_of a fail "ok 1 one")"
    assert_failure
    assert_line "1 passed, 1 failed"
}

@test "no test at all is no success" {
    count ""
    assert_failure
    assert_output "0 passed, 0 failed"
}

# a project of one file for scripts/lint: lint_of PATH, with the text from standard input
lint_of()
{
    mkdir -p project/scripts "project/$(dirname "$1")"
    cp "$scripts/lint" project/scripts/
    cp "$BMF_SOURCE_DIR/.clang-format" project/
    cat >"project/$1"
    run project/scripts/lint "project/$1"
}

@test "lint: an include against the dependencies is found" {
    mkdir -p project/skeletons project/predict/mesh
    touch project/skeletons/map.h project/predict/mesh/mesh.h
    lint_of runtime/a.c <<<'#include "skeletons/map.h"'
    assert_failure 1
    assert_output "runtime/a.c:1: runtime/ does not depend on skeletons/ (skeletons/map.h)"
    lint_of predict/mesh/a.c <<<'#include "skeletons/map.h"'
    assert_failure 1
    lint_of predict/a.c <<<'#include "predict/mesh/mesh.h"'
    assert_success
    lint_of examples/a.c <<<'#include "skeletons/map.h"'
    assert_failure 1
    assert_output --partial "examples/ does not depend on skeletons/"
    lint_of examples/a.c <<<'#include <bmf.h>'
    assert_success
}

@test "lint: an include of another module's private header is found" {
    mkdir -p project/runtime/files
    touch project/runtime/files/private.h project/runtime/files/npy_private.h
    for header in private npy_private; do
        lint_of permute/a.c <<<"#include \"runtime/files/$header.h\""
        assert_failure 1
        assert_output "permute/a.c:1: runtime/files/$header.h is private to runtime/"
        lint_of runtime/data/a.c <<<"#include \"runtime/files/$header.h\""
        assert_success
    done
}

@test "lint: long lines, comparisons with NULL and another layout are found" {
    lint_of runtime/a.c <<<"/* $(printf '%0120d' 0) */"
    assert_failure 1
    assert_output "runtime/a.c:1: 126 columns, more than 120"
    lint_of runtime/a.c <<<'/* p != NULL, in words */'
    assert_success
    lint_of runtime/a.c < <(printf 'int f(int *p)\n{\n    return p != NULL;\n}\n')
    assert_failure 1
    assert_output "runtime/a.c:3: compares a pointer with NULL"
    lint_of runtime/a.c < <(printf 'int f(int *p) {\n  return !p;\n}\n')
    assert_failure 1
    assert_output --partial "clang-format lays this out otherwise"
}

@test "lint: a negated command that fails no test is found" {
    lint_of ctest/cli/a.bats < <(printf '@test "a" {\n    ! grep x file\n    ! grep x file || fail "x"\n}\n')
    assert_failure 1
    assert_output "ctest/cli/a.bats:2: fails nothing; \`! COMMAND || fail\` does"
}

@test "lint: the marks of a merge that was left open are found" {
    lint_of docs/a.md < <(printf 'Title\n=====\n\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> main\n')
    assert_failure 1
    assert_line --index 0 "docs/a.md:4: the mark of a merge that was left open"
    assert_line --index 1 "docs/a.md:8: the mark of a merge that was left open"
    assert [ "${#lines[@]}" -eq 2 ]
}

@test "compare-bench: medians of turns, and what both programs have" {
    for program in old new; do
        cat >$program <<END
#!/bin/sh
echo x >>turns
[ $program = old ] && n=\$(grep -c x turns) || n=8
printf '{"rows": [{"skeleton": "map", "seconds": %s}, {"skeleton": "$program", "seconds": 1}], "arguments": "%s"}' "\$n" "\$*" |
    tee -a output
END
        chmod +x $program
    done
    # the turns are old new, new old, old new: old takes 1, 4 and 5 seconds
    run "$scripts/compare-bench" --turns 3 ./old ./new skeletons --bmf-threads 2
    assert_success
    assert_line --regexp '^map +4 +8 +2\.000 +0\.25 to 1\.25 +1\.00 to 1\.00$'
    assert [ "${#lines[@]}" -eq 2 ]
    assert [ "$(grep -o 'skeletons --bmf-threads 2 --json' output | wc -l)" -eq 6 ]
    run "$scripts/compare-bench" --turns 0 ./old ./new skeletons
    assert_failure 2
    printf '#!/bin/sh\necho broken >&2' >old
    run "$scripts/compare-bench" ./old ./new skeletons
    assert_failure 1
    assert_output "compare-bench: ./old failed: broken"
}
