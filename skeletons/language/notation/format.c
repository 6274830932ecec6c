/* The formatter.
 *
 * Method: tokens and remarks are written line by line as they stand, with the spaces that belong between two tokens and
 * the indentation that follows from the brackets that are open and from the words at the ends of lines. Where lines
 * break is the writer's choice, so that nothing depends on what was written before, and formatting twice is formatting
 * once.
 * Cost: O(bytes). */
#include "skeletons/language/notation/format.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/notation/builtins.h"
#include "skeletons/language/notation/lexer.h"

enum { INDENT = 4, NO_LEVEL = -1 };

typedef struct formatting {
    const bmf_text *text;
    FILE *out;
    notation_token last; /* before the present one; END: none */
    bool begun;          /* something has been written */
    int depth;           /* brackets that are open */
    bool own_line;       /* the definition's body begins on a line of its own */
    bool body;           /* the present line is the first of the body */
    bool unary;          /* the token before is a sign */
} formatting;

static bool is(const formatting *f, notation_token token, const char *what)
{
    return notation_is(f->text, token, what);
}

static bool is_one_of(const formatting *f, notation_token token, const char *const *words)
{
    for (; *words; words++)
        if (is(f, token, *words))
            return true;
    return false;
}

static bool is_open(const formatting *f, notation_token token)
{
    static const char *const words[] = {"(", "[", "{", NULL};
    return is_one_of(f, token, words);
}

static bool is_close(const formatting *f, notation_token token)
{
    static const char *const words[] = {")", "]", "}", NULL};
    return is_one_of(f, token, words);
}

/* A name, a number or a closing bracket: what an operand ends with. */
static bool ends_operand(const formatting *f, notation_token token)
{
    static const char *const constants[] = {"true", "false", "procs", "inf", "nan", "main", NULL};
    const char *bytes = f->text->bytes + token.begin;
    if (token.kind == NOTATION_TOKEN_WORD)
        return !notation_is_reserved(bytes, token.end - token.begin) || is_one_of(f, token, constants);
    return token.kind == NOTATION_TOKEN_NUMBER || is_close(f, token);
}

/* ---- spaces ---- */

static bool has_space(const formatting *f, notation_token token)
{
    if (is_open(f, f->last) || is_close(f, token) || is(f, token, ",") || f->unary)
        return false;
    if (is(f, token, ":") || is(f, token, ".") || is(f, f->last, "."))
        return false;
    if ((is(f, token, "(") || is(f, token, "[")) && ends_operand(f, f->last))
        return f->last.kind == NOTATION_TOKEN_NUMBER;
    return true;
}

/* ---- indentation ---- */

static bool begins_definition(const formatting *f, notation_token token)
{
    return f->depth == 0 && (is(f, token, "main") || is(f, token, "default") ||
                             (is(f, token, "let") && (f->last.kind == NOTATION_TOKEN_END || ends_operand(f, f->last))));
}

/* Of a line that begins with this token. */
static int level_of(const formatting *f, notation_token token)
{
    static const char *const fresh[] = {"in", "->", ",", "(", "[", "{", NULL};
    if (begins_definition(f, token) || token.kind == NOTATION_TOKEN_END)
        return 0;
    int level = 1 + f->depth - (is_close(f, token) && f->depth > 0);
    const bool continues = !f->body && !is(f, token, "in") && !is_close(f, token) && !is_one_of(f, f->last, fresh);
    return level + (continues && f->own_line && f->depth == 0);
}

/* ---- remarks and lines between two tokens ---- */

static void begin_line(formatting *f, bool blank, int level)
{
    if (f->begun)
        fputs(blank ? "\n\n" : "\n", f->out);
    fprintf(f->out, "%*s", level * INDENT, "");
    f->begun = true;
}

/* A remark without the blanks at its end. */
static int64_t write_remark(const formatting *f, int64_t at, int64_t end)
{
    const char *line = memchr(f->text->bytes + at, '\n', (size_t)(end - at));
    const int64_t stop = line ? line - f->text->bytes : end;
    int64_t last = stop;
    while (last > at && strchr(" \t\r\v\f", f->text->bytes[last - 1]))
        last--;
    fwrite(f->text->bytes + at, 1, (size_t)(last - at), f->out);
    return stop;
}

/* What stands between the last token and this one, a place for it included. */
static void write_gap(formatting *f, int64_t from, notation_token token)
{
    int lines = 0;
    const int level = level_of(f, token);
    for (int64_t at = from; at < token.begin; at++) {
        const char c = f->text->bytes[at];
        if (c == '\n') {
            lines++;
        } else if (c == '#') {
            if (lines == 0 && f->begun)
                fputs("  ", f->out);
            else
                begin_line(f, lines > 1, level);
            at = write_remark(f, at, token.begin) - 1;
            f->begun = true;
            lines = 0;
            if (at + 1 >= token.begin)
                return;
        }
    }
    if (token.kind == NOTATION_TOKEN_END)
        return;
    if (lines > 0 || !f->begun)
        begin_line(f, lines > 1, level);
    else if (has_space(f, token))
        fputc(' ', f->out);
}

/* ---- tokens ---- */

static void pass(formatting *f, notation_token token, notation_token next)
{
    const bool starts = begins_definition(f, token);
    const bool breaks =
        next.kind != NOTATION_TOKEN_END && memchr(f->text->bytes + token.end, '\n', (size_t)(next.begin - token.end));
    f->unary = is(f, token, "-") && !ends_operand(f, f->last);
    if (starts)
        f->own_line = f->body = false;
    if (is(f, token, "=") && f->depth == 0 && breaks && !f->own_line)
        f->own_line = f->body = true;
    else
        f->body = false;
    f->depth += is_open(f, token);
    f->depth -= is_close(f, token) && f->depth > 0;
    f->last = token;
}

/* Data stand as they are, but for the blanks around them. */
static void write_data(const formatting *f, int64_t begin)
{
    static const char blanks[] = " \t\r\n\v\f";
    int64_t end = f->text->size;
    while (begin < end && strchr(blanks, f->text->bytes[begin]))
        begin++;
    while (end > begin && strchr(blanks, f->text->bytes[end - 1]))
        end--;
    fputc(' ', f->out);
    fwrite(f->text->bytes + begin, 1, (size_t)(end - begin), f->out);
}

char *notation_format(const bmf_text *text)
{
    char *formatted = NULL;
    size_t size = 0;
    formatting f = {.text = text, .out = open_memstream(&formatted, &size), .last = {.kind = NOTATION_TOKEN_END}};
    if (!f.out)
        return allocate_clear(1, 1);
    int64_t from = text->size >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    notation_token token = notation_next(text, 0);
    while (token.kind != NOTATION_TOKEN_END) {
        const notation_token next = notation_next(text, token.end);
        write_gap(&f, from, token);
        fwrite(text->bytes + token.begin, 1, (size_t)(token.end - token.begin), f.out);
        from = token.end;
        if (f.depth == 0 && is(&f, token, "default"))
            break;
        pass(&f, token, next);
        token = next;
    }
    if (token.kind == NOTATION_TOKEN_END)
        write_gap(&f, from, token);
    else
        write_data(&f, from);
    fputs(f.begun ? "\n" : "", f.out);
    fclose(f.out);
    return formatted;
}
