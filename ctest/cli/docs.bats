#!/usr/bin/env bats
# The snippets of docs/c-programs.md compile; links and file names in the README and all pages lead somewhere.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

# Snippets that start like a declaration stand in the file in order; the others become bodies of functions at its end.
snippets()
{
    awk '
    /^```c$/ { inside = 1; text = ""; next }
    /^```/ && inside {
        inside = 0
        count++
        if (text ~ /^(#include|typedef|static|BMF_((MAP|ZIP|FOLD|STENCIL)_KERNEL|(NON)?COMMUTATIVE_OPERATOR))/)
            print text
        else
            bodies = bodies "static int snippet" count "(bmf_context *ctx, bmf_list *xs, bmf_list *ys, bmf_list *ints)\n" \
                     "{\n(void)ctx, (void)xs, (void)ys, (void)ints;\n" text "return BMF_OK;\n}\n"
        next
    }
    inside { text = text $0 "\n" }
    END { print bodies }' "$1"
}

@test "the snippets of c-programs.md compile without a warning" {
    snippets "$BMF_SOURCE_DIR/docs/c-programs.md" >snippets.c
    [ "$(grep -c '^static int snippet' snippets.c)" -ge 8 ]
    run "${MPICC:-mpicc.mpich}" -std=gnu17 -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only -I "$BMF_SOURCE_DIR/include" snippets.c
    assert_success
    assert_output ""
}

# lines PAGE: what is no code
lines()
{
    awk '/^```/ { code = !code; next } !code' "$1"
}

# anchors PAGE: its headings as links name them
anchors()
{
    lines "$1" | sed -n 's/^##* //p' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'
}

@test "no section of the index names a page twice" {
    run awk -F'[][]' '/^## / { section = $0 } /^\| \[/ && seen[section, $2]++ { print section ": " $2 }' "$BMF_SOURCE_DIR/docs/README.md"
    assert_output ""
}

@test "every link in the README and in docs leads somewhere" {
    cd "$BMF_SOURCE_DIR"
    links=0
    for page in README.md docs/*.md; do
        folder=$(dirname "$page")
        for target in $(lines "$page" | grep -o ']([^)]*)' | sed 's/^](//; s/)$//'); do
            [[ $target != *://* ]] || continue
            links=$((links + 1))
            file=$page
            [ -z "${target%%#*}" ] || file=$folder/${target%%#*}
            [ -e "$file" ] || fail "$page: there is no $target"
            [[ $target != *#* ]] || anchors "$file" | grep -qxF -- "${target#*#}" || fail "$page: no heading for $target"
        done
    done
    [ "$links" -ge 50 ] || fail "only $links links were found"
}

@test "every page is in the index of docs" {
    cd "$BMF_SOURCE_DIR/docs"
    for page in *.md; do
        [ "$page" = README.md ] || grep -qF "]($page)" README.md || fail "docs/README.md does not name $page"
    done
}

@test "files of the project that docs name are there" {
    cd "$BMF_SOURCE_DIR"
    for page in README.md docs/*.md; do
        for file in $(lines "$page" | grep -oE '`(ctest|examples|runtime|skeletons|permute|predict|drivers|bench|scripts|include)/[^` ]*`' |
                      tr -d '`'); do
            # patterns such as ctest/unit/*.c, too
            compgen -G "$file" >/dev/null || fail "$page: there is no $file"
        done
    done
}

# paths GROUP...: the commands that its help names, and those below them
paths()
{
    for command in $("$BMF_BIN_DIR/bmf" "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        echo "$@" "$command"
        paths "$@" "$command"
    done
}

@test "every command has a manual page, with all options, sections and no warnings" {
    pages=$BMF_BUILD_DIR/man
    commands=$(paths)
    [ "$(wc -l <<<"$commands")" -ge 20 ] || fail "too few commands: $commands"
    while read -r command below; do
        grep -qx "\.B $command" "$pages/bmf.1" || fail "bmf.1 does not name $command"
        text=$(man --warnings -l "$pages/bmf-$command.1" 2>warnings | col -b)
        [ ! -s warnings ] || fail "bmf-$command.1: $(cat warnings)"
        for section in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" EXAMPLE "SEE ALSO"; do
            grep -qx "$section" <<<"$text" || fail "bmf-$command.1 has no $section"
        done
        help=$("$BMF_BIN_DIR/bmf" "$command" $below --help </dev/null)
        grep -q "^Exit codes: " <<<"$help" || fail "help of $command $below says no exit codes"
        grep -q "^Example:" <<<"$help" || fail "help of $command $below has no example"
        for option in $(grep -oE '^  (-[a-z], )?--[a-z-]+' <<<"$help" | grep -oE -- '--[a-z-]+'); do
            grep -qE -- "$option\>" <<<"$text" || fail "bmf-$command.1 does not name $option"
        done
    done <<<"$commands"
}

@test "what is written by hand about commands gets into their manual pages" {
    for fragment in "$BMF_SOURCE_DIR"/docs/man/*.roff; do
        page=$BMF_BUILD_DIR/man/$(basename "$fragment" .roff).1
        [ -e "$page" ] || fail "no page for $fragment"
        while IFS= read -r line; do
            grep -qxF -- "$line" "$page" || fail "$page lacks: $line"
        done < <(grep -v '^\.SH --' "$fragment")
    done
}

# reference FOLDER: what doxygen says of the headers in FOLDER
reference()
{
    BMF_HEADERS=$1 BMF_DOC=$BATS_TEST_TMPDIR/doc BMF_VERSION=0 run doxygen "$BMF_SOURCE_DIR/docs/Doxyfile"
}

@test "everything public has a comment, and the reference is made of them" {
    [ -n "$(command -v doxygen)" ] || skip "there is no doxygen"
    mkdir doc
    reference "$BMF_SOURCE_DIR/include"
    assert_success
    assert_output ""
    grep -q bmf_zip_map_reduce doc/html/skeletons_8h.html
    cp -r "$BMF_SOURCE_DIR/include" headers
    printf '#ifndef BMF_EXTRA_H\n#define BMF_EXTRA_H\n/** @file\n * An extra header. */\nint bmf_bare(int x);\n#endif\n' >headers/bmf/extra.h
    reference "$PWD/headers"
    assert_failure
    assert_output --partial "bmf_bare(int x)"
}
