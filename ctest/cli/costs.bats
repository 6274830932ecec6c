#!/usr/bin/env bats
# Costs of hostile input: in proportion to its size (costs.py), or limited with a line that says so.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

# refused TEXT ARGUMENT..: exit code 2 and one line with TEXT on standard error
refused()
{
    run --separate-stderr timeout 60 "$BMF" "${@:2}"
    assert_failure 2
    [ "$(grep -c '^bmf: ' <<<"$stderr")" -eq 1 ] || fail "$stderr"
    [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "'${stderr_lines[0]}' does not say '$1'"
}

@test "what is read costs time in proportion to its size" {
    run python3 "$BMF_SOURCE_DIR/ctest/cli/costs.py" "$BMF" "$BMF_SOURCE_DIR"
    assert_success
}

@test "names that double are replaced up to a limit" {
    for body in '$a%d . $a%d' 'B_Alltup [$a%d, $a%d]' 'B_If (B_Con (B_True)) ($a%d) ($a%d)'; do
        {
            echo '$a0 = B_Id'
            for k in {0..39}; do printf "\$a$((k + 1)) = $body\n" $k $k; done
            echo '$a40 1'
        } >doubling.bmf
        for command in check plan run; do
            refused "with all names replaced the program has more than 1000000 parts" $command doubling.bmf
        done
    done
}

@test "tuples that double are limited" {
    { echo '$d = B_Alltup [B_Id, B_Id]'; printf '$d . %.0s' {1..60}; echo '$d 1'; } >doubling.bmf
    refused "B_Alltup makes a tuple of more than 32 scalars" check doubling.bmf
}

@test "a group of a machine file has a limited number of keys" {
    { echo 'name = "m"; network = { type = "fixed";'; for k in {1..5000}; do echo "k$k = 1;"; done; echo '};'; } >m.machine
    refused "m.machine:4097: a group has more than 4096 keys" machine check m.machine
}

@test "files are included a limited number of times" {
    echo 'name = "m"; network = { type = "fixed"; };' >m.machine
    echo '@include "a1"' >>m.machine
    for k in {1..8}; do for _ in {1..10}; do echo "@include \"a$((k + 1))\""; done >a$k; done
    echo >a9
    refused "m.machine: more than 1000 files are included" machine check m.machine
    echo '@include "a1"' >a1
    refused "include file nesting too deep" machine check m.machine
}

@test "brackets of machine files are limited" {
    {
        echo 'name = "m"; network = { type = "fixed"; };'
        printf 'a = '
        printf '{ a = %.0s' {1..501}
        printf '1; };%.0s' {1..501}
    } >m.machine
    refused "m.machine:2: brackets are nested more than 500 deep" machine check m.machine
}
