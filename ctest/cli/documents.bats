#!/usr/bin/env bats
# docs/documents.md: every command of its table prints what the last column says.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export BMF_THREADS=1 BMF_MACHINES="$BMF_SOURCE_DIR/examples/machines" PATH="$BMF_BIN_DIR:$PATH"
}

@test "what the documents say is found by the commands" {
    local page="$BMF_SOURCE_DIR/docs/documents.md" rows=0 failed=0
    awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >setup.sh
    # Columns are separated by bars that are not escaped.
    awk '/^## Figures/ { inside = 1 } /^## Decided/ { inside = 0 } inside && /^\| 00/' "$page" |
        sed 's/\\|/\x01/g; s/^| //; s/ |$//; s/ | /\x02/g' | tr '\001' '|' >rows
    while IFS=$'\002' read -r -u 5 where published command found; do
        rows=$((rows + 1))
        command=${command#\`}
        bash -uc ". ./setup.sh; ${command%\`}" >printed 2>said || true
        if [ "$(tr -s ' \n' ' ' <printed | sed 's/ $//')" != "$found" ]; then
            echo "$where: '$found' expected, '$(cat printed)' printed; $(cat said)"
            failed=$((failed + 1))
        fi
    done 5<rows
    [ $rows -ge 20 ] || fail "only $rows rows"
    [ $failed -eq 0 ] || fail "$failed of $rows rows"
}
