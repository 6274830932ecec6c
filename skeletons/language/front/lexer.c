/* The lexer: blanks, comments, tokens, keywords, numbers.
 *
 * Method: a token is found from its first byte on, without a buffer; keywords are those of the tables of forms and
 * operations, without regard to case. Reals of up to 19 digits and small exponents are made exactly from two exact
 * doubles, as W. D. Clinger, How to read floating point numbers accurately, 1990, section 4; others go through the C
 * library.
 * Cost: O(bytes). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/base/edit_distance.h"
#include "runtime/base/near_names.h"
#include "skeletons/language/front/lexer.h"
#include "skeletons/language/operations/operation.h"

static bool is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

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
    while (at < text->size) {
        if (text->bytes[at] == '#') {
            const char *end = memchr(text->bytes + at, '\n', (size_t)(text->size - at));
            at = end ? end - text->bytes : text->size;
        } else if (!is_blank(text->bytes[at])) {
            break;
        } else {
            at++;
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

/* Everything that looks like a part of a number, so that 12abc and 1.2.3 are one token and one mistake. */
static int64_t number_end(const bmf_text *text, int64_t at)
{
    const char *byte = text->bytes;
    for (at++; at < text->size; at++) {
        bool sign = (byte[at] == '+' || byte[at] == '-') && (byte[at - 1] == 'e' || byte[at - 1] == 'E');
        if (!is_letter(byte[at]) && !is_digit(byte[at]) && byte[at] != '.' && !sign)
            break;
    }
    return at;
}

bmf_token token_next(const bmf_text *text, int64_t at)
{
    if (at == 0 && text->size >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0)
        at = 3; /* a byte order mark */
    at = skip_blanks(text, at);
    if (at >= text->size)
        return (bmf_token){BMF_TOKEN_END, text->size, text->size};
    int c = (unsigned char)text->bytes[at];
    if (c == '$')
        return (bmf_token){BMF_TOKEN_NAME, at, word_end(text, at + 1)};
    if (is_letter(c))
        return (bmf_token){BMF_TOKEN_WORD, at, word_end(text, at)};
    if (is_digit(c) || c == '+' || c == '-')
        return (bmf_token){BMF_TOKEN_NUMBER, at, number_end(text, at)};
    return (bmf_token){c != 0 && strchr("()[]{},.=:", c) ? c : BMF_TOKEN_BAD, at, at + 1};
}

char *token_print(const bmf_text *text, bmf_token token, char words[64])
{
    int c = (unsigned char)text->bytes[token.begin];
    int64_t size = token.end - token.begin;
    if (token.kind == BMF_TOKEN_END)
        snprintf(words, 64, "the end of the text");
    else if (token.kind == BMF_TOKEN_BAD && (c < 0x20 || c >= 0x7f))
        snprintf(words, 64, "the byte 0x%02x", (unsigned)c);
    else if (token.kind >= BMF_TOKEN_NAME && token.kind <= BMF_TOKEN_NUMBER)
        snprintf(words, 64, "%.*s%s", size > 40 ? 40 : (int)size, text->bytes + token.begin, size > 40 ? "..." : "");
    else
        snprintf(words, 64, "'%c'", c);
    return words;
}

bool token_is(const bmf_text *text, bmf_token token, const char *word)
{
    size_t length = strlen(word);
    return token.kind == BMF_TOKEN_WORD && (size_t)(token.end - token.begin) == length &&
           strncasecmp(text->bytes + token.begin, word, length) == 0;
}

/* The kinds that are never written ($, <convert>) are never met, because no word looks like them. */
static bmf_keyword form_keyword(bmf_expression_kind kind, bool parallel)
{
    const bmf_expression_form *form = form_of_kind(kind);
    return (bmf_keyword){parallel ? form->parallel : form->keyword, BMF_KEYWORD_FORM, kind, 0, parallel};
}

static bmf_keyword operation_word(const char *text, bmf_operation operation, bool parallel)
{
    return (bmf_keyword){text, parallel ? BMF_KEYWORD_FORM : BMF_KEYWORD_OPERATION, BMF_EXPRESSION_OP, operation,
                         parallel};
}

bool keyword_at(int n, bmf_keyword *keyword)
{
    static const char *const others[] = {"B_Num", "B_Procs", "B_True", "B_False"};
    enum { FORMS = BMF_EXPRESSION_KINDS, OTHERS = sizeof others / sizeof others[0] };
    if (n < FORMS) {
        *keyword = form_keyword((bmf_expression_kind)n, false);
    } else if ((n -= FORMS) < BMF_OPERATIONS) {
        *keyword = operation_word(operation_descriptor((bmf_operation)n)->keyword, (bmf_operation)n, false);
    } else if ((n -= BMF_OPERATIONS) < BMF_OPERATIONS) {
        *keyword = operation_word(operation_descriptor((bmf_operation)n)->alias, (bmf_operation)n, false);
    } else if ((n -= BMF_OPERATIONS) < FORMS) {
        *keyword = form_keyword((bmf_expression_kind)n, true);
    } else if ((n -= FORMS) < 2 * BMF_OPERATIONS) {
        const bmf_operation_descriptor *operation = operation_descriptor((bmf_operation)(n / 2));
        *keyword =
            operation_word(n % 2 == 0 ? operation->parallel : operation->parallel_alias, (bmf_operation)(n / 2), true);
    } else if ((n -= 2 * BMF_OPERATIONS) < OTHERS) {
        *keyword = (bmf_keyword){others[n], BMF_KEYWORD_OTHER, 0, 0, false};
    } else {
        return false;
    }
    return true;
}

bmf_keyword keyword_of(const bmf_text *text, bmf_token token)
{
    bmf_keyword keyword;
    for (int n = 0; keyword_at(n, &keyword); n++)
        if (keyword.text && token_is(text, token, keyword.text))
            return keyword;
    return (bmf_keyword){"", BMF_KEYWORD_NONE, 0, 0, false};
}

/* What other languages call an operation or a skeleton. */
static const char *const other_names[][2] = {
    {"B_Fold", "B_Reduce"},    {"B_Foldl", "B_Reduce"}, {"B_Foldr", "B_Reduce"}, {"P_Fold", "P_Reduce"},
    {"B_Add", "B_Plus"},       {"B_Sub", "B_Minus"},    {"B_Mul", "B_Times"},    {"B_Div", "B_Divide"},
    {"B_Len", "B_Length"},     {"B_Size", "B_Length"},  {"B_Concat", "B_Conc"},  {"B_Append", "B_Conc"},
    {"B_Select", "B_Filter"},  {"B_Range", "B_Iota"},   {"B_Tuple", "B_Alltup"}, {"B_List", "B_Allvec"},
    {"B_Gather", "B_Project"}, {"B_Const", "B_Con"},    {"B_Compose", "B_Comp"}, {"B_Power", "B_Pow"},
};

const char *keyword_near(const bmf_text *text, bmf_token token)
{
    bmf_keyword keyword;
    for (size_t k = 0; k < sizeof other_names / sizeof other_names[0]; k++)
        if (token_is(text, token, other_names[k][0]))
            return other_names[k][1];
    const int64_t size = token.end - token.begin;
    near_names near = {.max = 1, .limit = size < 5 ? 1 : 2};
    for (int n = 0; keyword_at(n, &keyword); n++)
        if (keyword.text && is_letter(keyword.text[0]))
            near_names_offer(
                &near, keyword.text,
                edit_distance_caseless(text->bytes + token.begin, size, keyword.text, (int64_t)strlen(keyword.text)));
    return near.name[0];
}

/* A number taken apart: sign, up to 19 significant digits as an integer, power of ten. */
typedef struct decimal {
    bool negative, whole, exact; /* exact: no digit had to be left out */
    uint64_t digits;
    int64_t exponent;
} decimal;

/* Adds digits; those beyond the 19th only count. Returns the end of the digits. */
static const char *read_digits(const char *at, const char *end, decimal *number, int64_t places)
{
    for (; at < end && is_digit(*at); at++) {
        if (number->digits < UINT64_C(1000000000000000000)) {
            number->digits = number->digits * 10 + (uint64_t)(*at - '0');
            number->exponent -= places;
        } else {
            number->exact = number->exact && *at == '0';
            number->exponent += 1 - places;
        }
    }
    return at;
}

static const char *read_exponent(const char *at, const char *end, decimal *number)
{
    bool negative = at < end && *at == '-';
    int64_t exponent = 0;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !is_digit(*at))
        return NULL;
    for (; at < end && is_digit(*at); at++)
        exponent = exponent < 1000000 ? exponent * 10 + (*at - '0') : exponent;
    number->exponent += negative ? -exponent : exponent;
    return at;
}

/* True if bytes are a number in the usual notation. */
static bool read_decimal(const char *at, const char *end, decimal *number)
{
    *number = (decimal){.negative = at < end && *at == '-', .whole = true, .exact = true};
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !is_digit(*at))
        return false;
    at = read_digits(at, end, number, 0);
    if (at < end && *at == '.') {
        number->whole = false;
        at = read_digits(at + 1, end, number, 1);
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        number->whole = false;
        at = read_exponent(at + 1, end, number);
    }
    return at == end;
}

static double to_real(const decimal *number, const char *bytes)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (!number->exact || number->digits > UINT64_C(1) << 53 || number->exponent < -22 || number->exponent > 22)
        return strtod(bytes, NULL); /* stops at the number's end: what follows it in a text is no part of one */
    double digits = (double)number->digits;
    double real = number->exponent < 0 ? digits / ten[-number->exponent] : digits * ten[number->exponent];
    return number->negative ? -real : real;
}

static const char *read_int(const decimal *number, bmf_constant *constant)
{
    uint64_t max = (uint64_t)INT64_MAX + (number->negative ? 1 : 0);
    if (number->exponent != 0 || number->digits > max)
        return "does not fit a 64-bit int";
    constant->kind = BMF_INT;
    constant->integer = (int64_t)(number->negative ? -number->digits : number->digits);
    return NULL;
}

/* inf and nan with or without a sign. */
static bool read_special(const char *bytes, int64_t size, bmf_constant *constant)
{
    int64_t sign = size > 0 && (bytes[0] == '-' || bytes[0] == '+');
    if (size - sign != 3)
        return false;
    bool infinite = strncasecmp(bytes + sign, "inf", 3) == 0;
    if (!infinite && strncasecmp(bytes + sign, "nan", 3) != 0)
        return false;
    constant->kind = BMF_REAL;
    constant->real = !infinite ? (double)NAN : bytes[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
}

const char *number_read(const char *bytes, int64_t size, bool real, bmf_constant *constant)
{
    decimal number;
    *constant = (bmf_constant){.kind = BMF_INT};
    if (!read_decimal(bytes, bytes + size, &number))
        return read_special(bytes, size, constant) ? NULL : "is no number";
    if (number.whole && !real)
        return read_int(&number, constant);
    constant->kind = BMF_REAL;
    constant->real = to_real(&number, bytes);
    return isinf(constant->real) ? "does not fit a real" : NULL;
}
