#!/usr/bin/env bats
# The programs of docs/tutorial.md, docs/core-tutorial.md and docs/language.md print what stands beside them.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

extract()
{
    python3 "$BMF_SOURCE_DIR/ctest/cli/extract_programs.py" "$BMF_SOURCE_DIR/docs/$1" .
}

# One program at some number of ranks, as prog.bmf, which is what messages call it.
check_program()
{
    local number=$1 ranks=$2 status=0
    cp "$number.bmf" prog.bmf
    "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run prog.bmf >found.out 2>found.err || status=$?
    if [ -e "$number.result" ]; then
        [ "$status" -eq 0 ] && diff "$number.result" found.out >&2 && return 0
    else
        local missing=0
        while IFS= read -r line; do
            grep -qF -- "$line" found.err || missing=1
        done <"$number.error"
        [ "$status" -eq 2 ] && [ "$missing" -eq 0 ] && [ -s found.err ] && return 0
    fi
    echo "on $ranks ranks, status $status:" >&2
    cat prog.bmf found.err >&2
    return 1
}

# All extracted programs; those without P_ only on the first number of ranks if there are many.
check_all()
{
    local wrong=0 file ranks
    for file in *.bmf; do
        [ "$file" = prog.bmf ] && continue
        for ranks in "$@"; do
            check_program "${file%.bmf}" "$ranks" || wrong=$((wrong + 1))
        done
    done
    [ "$wrong" -eq 0 ]
}

@test "the programs of the tutorial print their results on one rank" {
    extract tutorial.md
    [ "$(ls ./*.bmf | wc -l)" -ge 18 ]
    check_all 1
}

@test "the parallel programs of the tutorial print their results on 2 and 5 ranks" {
    extract tutorial.md
    grep -L 'split(' ./*.bmf | xargs rm -f
    [ "$(ls ./*.bmf | wc -l)" -ge 9 ]
    check_all 2 5
}

@test "the tutorial is in the notation, formatted, and its first page has a program and none of the system's words" {
    local file
    extract tutorial.md
    ! grep -n '[BP]_[A-Z]' "$BMF_SOURCE_DIR/docs/tutorial.md" || fail "words of the core"
    for file in ./*.bmf; do
        [ -e "${file%.bmf}.error" ] || "$BMF_BIN_DIR/bmf" format --check "$file"
    done
    sed '/^## In parallel/,$d' "$BMF_SOURCE_DIR/docs/tutorial.md" >first
    grep -q '^```result' first
    ! grep -niE 'skeleton|distl|project' first || fail "words of the system"
}

@test "the programs of the core's steps print their results on one rank" {
    extract core-tutorial.md
    [ "$(ls ./*.bmf | wc -l)" -ge 30 ]
    check_all 1
}

@test "the parallel programs of the core's steps print their results on 2 and 5 ranks" {
    extract core-tutorial.md
    grep -L 'P_' ./*.bmf | xargs rm -f
    [ "$(ls ./*.bmf | wc -l)" -ge 7 ]
    check_all 2 5
}

# The keywords of the grammar in the reference.
keywords()
{
    sed -n '/^form = /,/^```/p' "$BMF_SOURCE_DIR/docs/language.md" | grep -o "'[BP]_[A-Za-z_]*'" | tr -d "'" | sort -u
}

# every_keyword FILE: each stands in the file as a word
every_keyword()
{
    local keyword
    [ "$(keywords | wc -l)" -ge 50 ]
    for keyword in $(keywords); do
        grep -qw "$keyword" "$1" || { echo "$keyword is missing" >&2; return 1; }
    done
}

@test "the core's steps meet every keyword of the language" {
    extract core-tutorial.md
    cat ./*.bmf >all.txt
    echo "B_True B_False" >>all.txt # data has them as true and false
    every_keyword all.txt
}

@test "the editor's syntax file knows every keyword" {
    every_keyword "$BMF_SOURCE_DIR/share/vim/syntax/bmf.vim"
}

@test "the fuzzer's dictionary knows every keyword" {
    every_keyword "$BMF_SOURCE_DIR/ctest/fuzz/language.dict"
}

@test "the grammar of the reference has every form and operation" {
    local keyword
    keywords >grammar.txt
    cd "$BMF_SOURCE_DIR/skeletons/language"
    grep -ohE '(keyword|parallel) = "[BP]_[A-Za-z]+"|X\([A-Z]+, "B_[A-Za-z]+"' forms/*.c operations/*.[ch] |
        grep -oE '[BP]_[A-Za-z]+' | sort -u >"$BATS_TEST_TMPDIR/table.txt"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/table.txt")" -ge 50 ]
    while read -r keyword; do
        grep -qx "$keyword" "$OLDPWD/grammar.txt" || { echo "$keyword is missing" >&2; return 1; }
    done <"$BATS_TEST_TMPDIR/table.txt"
}

@test "the examples of the reference print their results" {
    extract language.md
    [ "$(ls ./*.result | wc -l)" -ge 70 ]
    check_all 1
}

@test "the parallel examples of the reference print their results on 3 ranks" {
    extract language.md
    grep -L 'P_' ./*.bmf | xargs rm -f
    [ "$(ls ./*.bmf | wc -l)" -ge 10 ]
    check_all 3
}
