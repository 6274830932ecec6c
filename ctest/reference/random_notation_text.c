/* Random programs of the notation as texts. */
#include "ctest/reference/random_notation.h"

#include <stdio.h>

static void print(const term *t, FILE *out);

/* With brackets unless it is one word. */
static void print_operand(const term *t, FILE *out)
{
    const bool word = (t->form == LITERAL && t->literal >= 0) || t->form == NAME;
    fputs(word ? "" : "(", out);
    print(t, out);
    fputs(word ? "" : ")", out);
}

/* Every % is the next child, every @ the next name, # the literal; ~ a child in brackets. */
static void print_form(const term *t, const char *words, FILE *out)
{
    int child = 0, name = 0;
    for (; *words; words++) {
        if (*words == '%')
            print(t->child[child++], out);
        else if (*words == '~')
            print_operand(t->child[child++], out);
        else if (*words == '@')
            fprintf(out, "v%d", t->name[name++]);
        else if (*words == '#')
            fprintf(out, "%lld", (long long)t->literal);
        else
            fputc(*words, out);
    }
}

static const char *const words_of[] = {
    [NAME] = "@",
    [ADD] = "(~ + ~) mod 97",
    [SUBTRACT] = "(~ - ~) mod 97",
    [MULTIPLY] = "~ * ~ mod 97",
    [MAX] = "max(%, %)",
    [MINUS] = "-~",
    [LESS] = "~ < ~",
    [EQUAL] = "~ == ~",
    [DIFFERENT] = "~ != ~",
    [AND] = "~ and ~",
    [OR] = "~ or ~",
    [NOT] = "not ~",
    [IF] = "if % then % else %",
    [LET] = "let @ = % in %",
    [LET_PAIR] = "let {@, @} = % in\n    %",
    [TUPLE] = "{%, %}",
    [RECORD] = "{x: %, y: %}",
    [FIELD_X] = "~.x",
    [FIELD_Y] = "~.y",
    [UPDATE] = "{% with x: %}",
    [LET_POINT] = "let {@, @} = % in\n    %",
    [CALL] = "f(%, %)",
    [LENGTH] = "length(%)",
    [ELEMENT] = "(~ ++ [%])[0]",
    [REDUCE_SUM] = "reduce(+, 0, %) mod 97",
    [LIST] = "[%, %]",
    [PIPED] = "~ |> map(@ -> %)",
    [SCAN] = "scan(max, %)",
    [JOIN] = "~ ++ ~",
    [SHIFT] = "shift(#, 5, %)",
    [SHIFT_RING] = "shift(#, %)",
    [SORT] = "sort(%)",
    [UNIQUE] = "unique(%)",
    [UNIQUE_SPLIT] = "reduce(++, [], unique(split(3, %)))",
    [SLICE] = "let {s, n} = {%, abs(%)} in s[n mod (length(s) + 1) ..< length(s)]",
    [RECTANGLE] = "let {s, n} = {%, abs(%)} in [s ++ [n], [n] ++ s][n mod 2 ..< 2, 0 ..< length(s)][0]",
    [COLUMN] = "let {s, n} = {%, abs(%)} in [s ++ [n], [n] ++ s][_, length(s)]",
    [GRID] = "let {s, n} = {%, abs(%)} in join({2, 3}, cut({2, 3}, [s ++ [n], [n] ++ s]))[n mod 2]",
    [GRID_SPLIT] =
        "let {s, n} = {%, abs(%)} in [s ++ [n], [n] ++ s] |> split({2, 3}) |> map(b -> map(r -> map(x -> x, r), "
        "b)) |> join |> map(r -> [n] ++ r) |> reduce(++, [])",
    [SPLIT] = "~ |> split(3) |> map(p -> map(@ -> %, p)) |> reduce(++, [])",
};

static void print_function(const term *t, const char *before, const char *between, const char *after, FILE *out)
{
    fputs(before, out);
    print_form(t, between, out);
    print(t->child[1], out);
    fputs(after, out);
    print(t->child[0], out);
}

/* What is written before and behind the function, which stands before its list. */
typedef struct function_words {
    term_form form;
    const char *before, *between, *after, *end;
} function_words;

static const function_words functions[] = {
    {MAP, "map(", "@ -> ", ", ", ")"},
    {FILTER, "filter(", "@ -> ", ", ", ")"},
    {REDUCE, "reduce(", "{@, @} -> ", ", 0, ", ")"},
    {STENCIL, "stencil(1, ", "{@, @, @} -> ", ", 5, ", ")"},
    {STENCIL_RING, "stencil(1, ", "{@, @, @} -> ", ", ", ")"},
    {STENCIL_SPLIT, "reduce(++, [], stencil(1, ", "{@, @, @} -> ", ", 5, split(3, ", ")))"},
    {STENCIL_GRID, "join(stencil({1, 1}, ", "{{_, _, _}, {@, @, @}, {_, _, _}} -> ", ", 5, split({2, 2}, [", "])))[0]"},
    {SORT_BY, "sort_by(", "@ -> ", ", ", ")"},
    {SORT_BY_SPLIT, "reduce(++, [], sort_by(", "@ -> ", ", split(3, ", ")))"},
    {GROUP, "map({k, g} -> (k + reduce(+, 0, g)) mod 97, group(", "@ -> ", ", ", "))"},
    {GROUP_SPLIT, "map({k, g} -> (k + reduce(+, 0, g)) mod 97, reduce(++, [], group(", "@ -> ", ", split(3, ", "))))"},
};

static const function_words *words_of_function(term_form form)
{
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++)
        if (functions[k].form == form)
            return &functions[k];
    return NULL;
}

static void print_by_key(const term *t, FILE *out)
{
    const char *keyed = "map(k -> {abs(k mod";
    fputs("reduce_by_key(", out);
    print_form(t, "{@, @} -> ", out);
    print(t->child[1], out);
    fprintf(out, ", 0, %lld, ", (long long)t->literal);
    if (t->form == BY_KEY_SPLIT)
        fputs("map(p -> ", out);
    fprintf(out, "%s %lld), k}, ", keyed, (long long)t->literal);
    if (t->form == BY_KEY_SPLIT)
        fputs("p), split(3, ", out);
    print(t->child[0], out);
    fputs(t->form == BY_KEY_SPLIT ? ")))" : "))", out);
}

static void print_loop(const term *t, FILE *out)
{
    if (t->form == LOOP_FOR) {
        fprintf(out, "loop v%d = ", t->name[0]);
        print(t->child[0], out);
        fprintf(out, " for v%d < %lld do ", t->name[1], (long long)t->literal);
        print(t->child[1], out);
        return;
    }
    fprintf(out, "let {_, w} = loop {v%d, v%d} = {0, ", t->name[1], t->name[0]);
    print(t->child[0], out);
    fprintf(out, "} while v%d < %lld do {v%d + 1, ", t->name[1], (long long)t->literal, t->name[1]);
    print(t->child[1], out);
    fputs("} in w", out);
}

static void print(const term *t, FILE *out)
{
    const function_words *words = words_of_function(t->form);
    if (t->form == LITERAL && t->kind == BOOL) {
        fputs(t->literal ? "true" : "false", out);
    } else if (t->form == LITERAL) {
        fprintf(out, "%lld", (long long)t->literal);
    } else if (t->form == RANGE) {
        fputs("let r = ", out);
        print(t->child[0], out);
        fprintf(out, " in r ..< r + %lld", (long long)t->literal);
    } else if (words) {
        print_function(t, words->before, words->between, words->after, out);
        fputs(words->end, out);
    } else if (t->form == BY_KEY || t->form == BY_KEY_SPLIT) {
        print_by_key(t, out);
    } else if (t->form == ZIP) {
        print_function(t, "zip(", "{@, @} -> ", ", ", out);
        fputs(", ", out);
        print(t->child[0], out);
        fputc(')', out);
    } else if (t->form == LOOP_FOR || t->form == LOOP_WHILE) {
        print_loop(t, out);
    } else {
        print_form(t, words_of[t->form], out);
    }
}

char *program_text(const program *p, int64_t argument)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("let f(v0, v1) = ", out);
    print(p->function, out);
    fputs(argument % 2 == 0 ? "\nmain(v2) = " : "\nmain(v2: int) = ", out);
    print(p->main, out);
    fprintf(out, "\ndefault %lld\n", (long long)argument);
    fclose(out);
    return text;
}
