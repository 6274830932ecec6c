#!/usr/bin/env bats
# The scripts: their options, and that scripts/count-tests counts what test programs of every kind say.

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_TEST_TMPDIR"
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
    for script in setup check demo bench cluster; do
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
