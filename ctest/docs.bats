#!/usr/bin/env bats
# The snippets of docs/c-programs.md compile.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_TEST_TMPDIR"
}

# Snippets that start like a declaration stand in the file in order; the others become bodies of functions at its end.
snippets()
{
    awk '
    /^```c$/ { inside = 1; text = ""; next }
    /^```/ && inside {
        inside = 0
        count++
        if (text ~ /^(#include|typedef|static|BMF_(MAP|ZIP|FOLD)_KERNEL)/)
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
    run gcc -std=gnu17 -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only -I "$BMF_SOURCE_DIR" snippets.c
    assert_success
    assert_output ""
}

@test "links in c-programs.md and reproducible.md lead somewhere" {
    for page in c-programs.md reproducible.md; do
        for target in $(grep -o ']([^)#]*)' "$BMF_SOURCE_DIR/docs/$page" | sed 's/^](//; s/)$//'); do
            [ -e "$BMF_SOURCE_DIR/docs/$target" ]
        done
        for file in $(grep -o '`ctest/[^`]*`' "$BMF_SOURCE_DIR/docs/$page" | tr -d '`'); do
            [ -e "$BMF_SOURCE_DIR/$file" ]
        done
    done
}
