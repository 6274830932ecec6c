#!/usr/bin/env bats
# What bash and zsh offer behind the words of a command.

load set_up.bash

setup()
{
    set_up
    "$BMF_BIN_DIR/bmf" --completions .
    PATH=$BMF_BIN_DIR:$PATH
}

# offers WORD..: what bash offers for the last word, which may be unfinished
offers()
{
    bash -c 'source ./bmf && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _bmf && printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

@test "commands, and commands of groups" {
    run offers bmf re
    assert_output $'record\nreplay\nreport'
    run offers bmf sheet me
    assert_output --partial measure
    run offers bmf sheet fit --he
    assert_output -- --help
}

@test "every command that --help lists is offered, and every option" {
    local command option
    for command in $(bmf --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        run offers bmf "$command"
        [ "$status" -eq 0 ]
        run offers bmf ""
        assert_line "$command"
        for option in $(bmf "$command" --help | sed -n 's/^  \(-[a-zA-Z], \)\?--\([a-z-]*\).*/\2/p'); do
            run offers bmf "$command" --
            assert_line -- "--$option"
        done
    done
}

@test "values: choices, machines, files" {
    touch data.npy dot.bmf
    run offers bmf convert x.trace --to pa
    assert_output $'paje'
    run offers bmf predict --machine decm
    assert_line decmpp-2048
    run offers bmf predict --machine = decm
    assert_line decmpp-2048
    run offers bmf run d
    assert_line data.npy
    assert_line dot.bmf
    run offers bmf run dot.bmf --arg data
    assert_output data.npy
}

@test "zsh reads its script" {
    command -v zsh >/dev/null || skip "no zsh"
    run zsh -n _bmf
    assert_success
    run zsh -c 'compdef() { : }; source ./_bmf; _bmf_commands bmf; _bmf_values "bmf predict --machine"'
    assert_success
    assert_output --partial 'run:'
    assert_output --partial ':machines'
}
