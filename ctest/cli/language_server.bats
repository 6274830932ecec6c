#!/usr/bin/env bats
# bmf language-server: the protocol, message by message, and with a real editor.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

# protocol TEST [FILE...]
protocol()
{
    run timeout 120 python3 "$BMF_SOURCE_DIR/ctest/cli/language_server.py" "$BMF_BIN_DIR/bmf" "$@"
    assert_success
}

@test "it starts, shuts down and exits by the protocol" {
    protocol life
}

@test "malformed messages get the errors of JSON-RPC, and the next one is understood" {
    protocol malformed
}

@test "errors, broadcasts and missing data are marked exactly, in UTF-16 columns" {
    protocol diagnostics
}

@test "every definition has its first error, behind broken ones too" {
    protocol several
}

@test "changes of texts are followed: characters of all lengths, all line ends" {
    protocol changes
}

@test "hovering shows types and what functions do" {
    protocol hover
}

@test "definitions are found, also in libraries" {
    protocol definition "$BMF_SOURCE_DIR/examples/library/lists.bmf"
}

@test "a name's places are found, and it gets another one only if nothing changes its meaning" {
    protocol references "$BMF_SOURCE_DIR/examples/library/lists.bmf"
}

@test "what is wrong with libraries is said" {
    echo 'let f(x) = = x' >broken.bmf
    protocol library_errors "$PWD/broken.bmf"
}

@test "outlines, completion and formatting" {
    protocol rest
}

@test "half-typed programs are answered" {
    protocol half_typed "$BMF_SOURCE_DIR"/examples/2[5-8]-*.bmf "$BMF_SOURCE_DIR"/examples/13-*.bmf
}

@test "arguments are refused" {
    run "$BMF_BIN_DIR/bmf" language-server prog.bmf
    assert_failure 2
    assert_output --partial "prog.bmf"
}

@test "neovim marks an error, hovers, jumps, formats and renames" {
    command -v nvim >/dev/null || skip "there is no neovim"
    printf 'let square( x )=x*x\nmain(xs) = map(sqare, xs)\ndefault [1, 2]\n' >prog.bmf
    BMF="$BMF_BIN_DIR/bmf" HOME=$PWD XDG_STATE_HOME=$PWD run timeout 120 nvim --headless --clean -n \
        -u "$BMF_SOURCE_DIR/ctest/cli/language_server.lua" prog.bmf
    assert_success
    assert_line "error 2:16 sqare is not defined; is square meant?"
    assert_line "fixed"
    assert_line "hover let square(x) : int -> int"
    assert_line "jump 1:5"
    assert_line "formatted let square(x) = x * x"
    assert_line "renamed main(xs) = map(double, xs)"
}
