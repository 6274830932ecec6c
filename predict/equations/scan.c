/* Tokens of equations.
 *
 * Method: a token is found from its first byte on, without a buffer. A backslash at the end of a line joins it with the
 * next one, `#` begins a remark, `**` is the power that GNUplot knows. Units stand right behind their number, or behind
 * blanks: 5us, 1.5 ms.
 * Cost: O(bytes). */
#include <string.h>

#include "predict/equations/equations_private.h"
#include "skeletons/language/front/lexer.h"

enum { NUMBER_BYTES = 64 };

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static int byte_at(const bmf_text *text, int64_t at)
{
    return at < text->size ? (unsigned char)text->bytes[at] : -1;
}

/* The end of a backslash with its line's end, or `at` if none stands there. */
static int64_t skip_continuation(const bmf_text *text, int64_t at)
{
    if (byte_at(text, at) != '\\')
        return at;
    int64_t end = at + 1;
    while (is_blank(byte_at(text, end)))
        end++;
    return byte_at(text, end) == '\n' ? end + 1 : at;
}

static int64_t skip_blanks(const bmf_text *text, int64_t at)
{
    for (int64_t from = -1; from != at;) {
        from = at;
        at = skip_continuation(text, at);
        while (is_blank(byte_at(text, at)))
            at++;
        if (byte_at(text, at) == '#')
            while (at < text->size && text->bytes[at] != '\n')
                at++;
    }
    return at;
}

static int64_t word_end(const bmf_text *text, int64_t at)
{
    while (is_letter(byte_at(text, at)) || is_digit(byte_at(text, at)))
        at++;
    return at;
}

/* Bytes of a unit word at `at`: us, ms or s, and nothing that makes it a longer word; 0 for none. */
static int64_t unit_size(const bmf_text *text, int64_t at)
{
    const int64_t size = word_end(text, at) - at;
    const char *word = text->bytes + at;
    return (size == 2 && (memcmp(word, "us", 2) == 0 || memcmp(word, "ms", 2) == 0)) || (size == 1 && *word == 's')
               ? size
               : 0;
}

/* Digits, a point and an exponent; letters and digits right behind are part of the token, so that 12abc is one mistake.
 * A unit behind blanks belongs to it. */
static int64_t number_end(const bmf_text *text, int64_t at)
{
    for (at++; is_digit(byte_at(text, at)) || is_letter(byte_at(text, at)) || byte_at(text, at) == '.' ||
               ((byte_at(text, at) == '+' || byte_at(text, at) == '-') &&
                (text->bytes[at - 1] == 'e' || text->bytes[at - 1] == 'E'));)
        at++;
    if (is_letter(text->bytes[at - 1]))
        return at;
    int64_t unit = at;
    while (byte_at(text, unit) == ' ' || byte_at(text, unit) == '\t')
        unit++;
    const int64_t size = unit > at ? unit_size(text, unit) : 0;
    return size > 0 ? unit + size : at;
}

/* Behind the closing quote, or at the end of the line if there is none. */
static int64_t string_end(const bmf_text *text, int64_t at)
{
    for (at++; at < text->size && text->bytes[at] != '\n'; at++)
        if (text->bytes[at] == '"')
            return at + 1;
    return at;
}

/* The kind of two characters that belong together, or 0. */
static int pair_kind(int c, int next)
{
    if (c == '*' && next == '*')
        return '^';
    if (next != '=')
        return 0;
    return c == '<'   ? BMF_EQUATION_LE
           : c == '>' ? BMF_EQUATION_GE
           : c == '=' ? BMF_EQUATION_EQ
           : c == '!' ? BMF_EQUATION_NE
                      : 0;
}

bmf_equation_token equation_token(const bmf_text *text, int64_t at)
{
    if (at == 0 && text->size >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0)
        at = 3; /* a byte order mark */
    at = skip_blanks(text, at);
    const int c = byte_at(text, at), next = byte_at(text, at + 1);
    if (c < 0)
        return (bmf_equation_token){BMF_EQUATION_END, text->size, text->size};
    if (is_letter(c))
        return (bmf_equation_token){BMF_EQUATION_WORD, at, word_end(text, at)};
    if (is_digit(c) || (c == '.' && is_digit(next)))
        return (bmf_equation_token){BMF_EQUATION_NUMBER, at, number_end(text, at)};
    if (c == '"')
        return (bmf_equation_token){BMF_EQUATION_STRING, at, string_end(text, at)};
    if (pair_kind(c, next))
        return (bmf_equation_token){pair_kind(c, next), at, at + 2};
    return (bmf_equation_token){c != 0 && strchr("(),=;?:+-*/^<>\n", c) ? c : BMF_EQUATION_BAD, at, at + 1};
}

const char *equation_number(const char *bytes, int64_t size, double *value, bool *is_time)
{
    static const struct {
        const char *unit;
        double microseconds;
    } units[] = {{"us", 1.0}, {"ms", 1e3}, {"s", 1e6}};
    char digits[NUMBER_BYTES];
    int64_t end = size;
    double scale = 1.0;
    bmf_constant constant;
    *is_time = false;
    for (size_t k = 0; k < sizeof units / sizeof units[0] && !*is_time; k++) {
        const int64_t length = (int64_t)strlen(units[k].unit);
        if (size > length && memcmp(bytes + size - length, units[k].unit, (size_t)length) == 0) {
            *is_time = true;
            scale = units[k].microseconds;
            end = size - length;
        }
    }
    while (end > 0 && is_blank(bytes[end - 1]))
        end--;
    if (end >= NUMBER_BYTES - 1)
        return "has too many digits";
    /* A number may begin with its point. */
    digits[0] = '0';
    memcpy(digits + 1, bytes, (size_t)end);
    digits[end + 1] = 0;
    const int64_t first = end > 0 && bytes[0] == '.' ? 0 : 1;
    const char *wrong = number_read(digits + first, end + 1 - first, true, &constant);
    if (wrong)
        return wrong;
    *value = constant.real * scale;
    return *value <= 1e300 && *value >= -1e300 ? NULL : "is too large";
}
