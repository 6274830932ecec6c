/* The lexer of the notation.
 *
 * Method: a token is found from its first byte on, without a buffer; of marks the longest that fits.
 * Cost: O(bytes). */
#include "skeletons/language/notation/lexer.h"

#include <stdio.h>
#include <string.h>

/* The longest first. */
static const char *const marks[] = {"..<", "->", "|>", "==", "!=", "<=", ">=", "++", "**", "=", "<", ">", "+",
                                    "-",   "*",  "/",  "(",  ")",  "[",  "]",  "{",  "}",  ",", ":", "."};

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int64_t skip_blanks(const bmf_text *text, int64_t at)
{
    if (at == 0 && text->size >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0)
        at = 3; /* a byte order mark */
    while (at < text->size) {
        const int c = (unsigned char)text->bytes[at];
        if (c == '#') {
            const char *end = memchr(text->bytes + at, '\n', (size_t)(text->size - at));
            at = end ? end - text->bytes : text->size;
        } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
            at++;
        } else {
            break;
        }
    }
    return at;
}

static int64_t word_end(const bmf_text *text, int64_t at)
{
    while (at < text->size && (is_letter(text->bytes[at]) || is_digit(text->bytes[at])))
        at++;
    return at;
}

/* Digits, letters and points, so that 12abc and 1.2.3 are one mistake; but 0..<n is a range. */
static int64_t number_end(const bmf_text *text, int64_t at)
{
    const char *byte = text->bytes;
    for (; at < text->size; at++) {
        const bool sign = (byte[at] == '+' || byte[at] == '-') && (byte[at - 1] == 'e' || byte[at - 1] == 'E') &&
                          at + 1 < text->size && is_digit(byte[at + 1]);
        const bool range = byte[at] == '.' && at + 1 < text->size && byte[at + 1] == '.';
        if (range || (!is_letter(byte[at]) && !is_digit(byte[at]) && byte[at] != '.' && !sign))
            break;
    }
    return at;
}

notation_token notation_next(const bmf_text *text, int64_t at)
{
    at = skip_blanks(text, at);
    if (at >= text->size)
        return (notation_token){NOTATION_TOKEN_END, text->size, text->size};
    const int c = (unsigned char)text->bytes[at];
    if (is_letter(c))
        return (notation_token){NOTATION_TOKEN_WORD, at, word_end(text, at)};
    if (is_digit(c))
        return (notation_token){NOTATION_TOKEN_NUMBER, at, number_end(text, at + 1)};
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
        const int64_t length = (int64_t)strlen(marks[k]);
        if (length <= text->size - at && memcmp(text->bytes + at, marks[k], (size_t)length) == 0)
            return (notation_token){NOTATION_TOKEN_MARK, at, at + length};
    }
    return (notation_token){NOTATION_TOKEN_BAD, at, at + 1};
}

bool notation_is(const bmf_text *text, notation_token token, const char *what)
{
    const int64_t length = (int64_t)strlen(what);
    return (token.kind == NOTATION_TOKEN_WORD || token.kind == NOTATION_TOKEN_MARK) &&
           token.end - token.begin == length && memcmp(text->bytes + token.begin, what, (size_t)length) == 0;
}

char *notation_token_print(const bmf_text *text, notation_token token, char words[64])
{
    const int64_t size = token.end - token.begin;
    const int c = size > 0 ? (unsigned char)text->bytes[token.begin] : 0;
    if (token.kind == NOTATION_TOKEN_END)
        snprintf(words, 64, "the end of the text");
    else if (token.kind == NOTATION_TOKEN_BAD && (c < 0x20 || c >= 0x7f))
        snprintf(words, 64, "the byte 0x%02x", (unsigned)c);
    else if (token.kind == NOTATION_TOKEN_WORD || token.kind == NOTATION_TOKEN_NUMBER)
        snprintf(words, 64, "%.*s%s", size > 40 ? 40 : (int)size, text->bytes + token.begin, size > 40 ? "..." : "");
    else
        snprintf(words, 64, "'%.*s'", (int)size, text->bytes + token.begin);
    return words;
}

bool notation_begins(const bmf_text *text)
{
    const notation_token token = notation_next(text, 0);
    return notation_is(text, token, "let") || notation_is(text, token, "main");
}
