/* One line of words, with colours where a person reads it. */
#include "runtime/base/message.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STRONG "\033[1;31m"
#define FAINT  "\033[2m"
#define PLAIN  "\033[0m"

bool message_in_colours(void)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (none && *none)
        return false;
    return terminal && *terminal && strcmp(terminal, "dumb") != 0 && isatty(STDERR_FILENO);
}

/* Bytes of the gutter, blanks, a number or none, and "| ", with which a line of source or of carets begins; or 0. */
static size_t gutter(const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && line[at] == ' ')
        at++;
    while (at < length && isdigit((unsigned char)line[at]))
        at++;
    if (at < length && line[at] == ' ')
        at++;
    if (at < 2 || at + 1 >= length || line[at] != '|' || line[at + 1] != ' ')
        return 0;
    return at + 2;
}

/* Whether nothing but blanks, a caret and its tail stand there, as below a line of source. */
static bool is_caret(const char *line, size_t length)
{
    size_t blanks = 0;
    while (blanks < length && line[blanks] == ' ')
        blanks++;
    if (blanks == length || line[blanks] != '^')
        return false;
    for (size_t k = blanks + 1; k < length; k++)
        if (line[k] != '~')
            return false;
    return true;
}

static void print_bytes(FILE *to, const char *colour, const char *bytes, size_t length)
{
    if (length == 0)
        return;
    if (*colour)
        fputs(colour, to);
    fwrite(bytes, 1, length, to);
    if (*colour)
        fputs(PLAIN, to);
}

static void print_coloured_line(FILE *to, const char *line, size_t length)
{
    const size_t margin = gutter(line, length);
    const bool caret = margin > 0 && is_caret(line + margin, length - margin);
    print_bytes(to, FAINT, line, margin);
    print_bytes(to, caret ? STRONG : "", line + margin, length - margin);
}

void message_print(FILE *to, const char *program, const char *text, bool colours)
{
    if (!colours) {
        fprintf(to, "%s: %s", program, text);
        return;
    }
    fprintf(to, STRONG "%s:" PLAIN " ", program);
    size_t length = strcspn(text, "\n");
    fwrite(text, 1, length, to);
    while (text[length] == '\n') {
        fputc('\n', to);
        text += length + 1;
        length = strcspn(text, "\n");
        print_coloured_line(to, text, length);
    }
}

void message_line(const char *program, const char *text)
{
    message_print(stderr, program, text, message_in_colours());
    fputc('\n', stderr);
}
