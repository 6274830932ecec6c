/* Data as text: printing.
 *
 * Method: elements go into a block of text that is written when it is full. Reals of up to 15 digits are found as a whole number over a
 * power of ten, both exact as doubles, whose quotient is the real again; others are scaled to 16 or 17 digits and read back;
 * what that misses (very large, very small) goes through the C library. The text is laid out from digits and exponent in one place.
 * Cost: about 0.1 us for a short real, 0.5 us for one of 17 digits. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "skeletons/language/data.h"

enum { BLOCK_BYTES = 1 << 16, WORD_BYTES = 32, POWERS = 28 };

typedef struct writer {
    FILE *stream;
    int64_t used;
    bool failed;
    char block[BLOCK_BYTES];
} writer;

/* The digits d1 d2 .. of a positive real d1.d2.. * 10^exponent, without zeros at the end. */
typedef struct digits {
    char digit[24];
    int count, exponent;
} digits;

static const long double power_of_ten[POWERS] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                                 1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                                 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* The decimal notation of a number; returns its length. */
static int print_whole(uint64_t number, char *text)
{
    char backwards[20];
    int length = 0;
    do
        backwards[length++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    for (int k = 0; k < length; k++)
        text[k] = backwards[length - 1 - k];
    return length;
}

static void drop_zeros(digits *d)
{
    while (d->count > 1 && d->digit[d->count - 1] == '0')
        d->count--;
}

/* whole * 10^-places */
static void from_whole(uint64_t whole, int places, digits *d)
{
    d->count = print_whole(whole, d->digit);
    d->exponent = d->count - 1 - places;
    drop_zeros(d);
}

/* A decimal of at most 15 digits that reads back as the real, if there is one: rounding cannot miss it, since it is off by less than
 * a quarter. */
static bool find_short(double real, digits *d)
{
    if (real < 1e-5 || real >= 1e15)
        return false;
    for (int places = 0; places <= 20; places++) {
        double power = (double)power_of_ten[places], whole = rint(real * power);
        if (whole >= 1e15)
            return false;
        if (whole / power == real) {
            from_whole((uint64_t)whole, places, d);
            return true;
        }
    }
    return false;
}

static bool reads_back(const digits *d, double real)
{
    char text[WORD_BYTES];
    snprintf(text, sizeof text, "%.*se%d", d->count, d->digit, d->exponent - d->count + 1);
    return strtod(text, NULL) == real;
}

/* 15 to 17 digits by scaling in extended precision. */
static bool find_scaled(double real, digits *d)
{
    if (real < 1e-9 || real >= 1e15)
        return false;
    int exponent = (int)floor(log10(real));
    /* from 1e-5 on, find_short has tried 15 digits */
    for (int places = (real < 1e-5 ? 14 : 15) - exponent; places <= 16 - exponent; places++) {
        if (places < 0 || places >= POWERS)
            return false;
        long double scaled = (long double)real * power_of_ten[places], whole = rintl(scaled);
        if (fabsl(fabsl(scaled - whole) - 0.5L) < 0.01L)
            return false; /* too near to call: the product is rounded, too */
        from_whole((uint64_t)whole, places, d);
        if (d->count <= 17 && reads_back(d, real))
            return true;
    }
    return false;
}

/* Digits by digits, by the C library. Below the normal reals fewer than 15 digits may do. */
static void find_any(double real, digits *d)
{
    char text[WORD_BYTES + 8];
    for (int count = real < DBL_MIN ? 1 : 15; count <= 17; count++) {
        snprintf(text, sizeof text, "%.*e", count - 1, real);
        if (strtod(text, NULL) == real || count == 17)
            break;
    }
    char *mark = strchr(text, 'e');
    d->count = 0;
    for (char *at = text; at < mark; at++)
        if (*at != '.')
            d->digit[d->count++] = *at;
    d->exponent = atoi(mark + 1);
    drop_zeros(d);
}

/* Digits [from, to), zeros beyond the last. */
static char *put_digits(const digits *d, int from, int to, char *at)
{
    for (int k = from; k < to; k++)
        *at++ = k >= 0 && k < d->count ? d->digit[k] : '0';
    return at;
}

/* 1234.5, 0.00012 or, outside [1e-4, 1e16), 1.5e+300. */
static char *lay_out(const digits *d, char *at)
{
    bool plain = d->exponent >= -4 && d->exponent < 16;
    int whole = !plain ? 1 : d->exponent >= 0 ? d->exponent + 1 : 0;
    if (whole == 0)
        *at++ = '0';
    at = put_digits(d, 0, whole, at);
    if (plain || d->count > 1) {
        *at++ = '.';
        at = put_digits(d, whole > 0 ? whole : d->exponent + 1, d->count > whole ? d->count : whole + 1, at);
    }
    if (!plain) {
        int power = abs(d->exponent);
        *at++ = 'e';
        *at++ = d->exponent < 0 ? '-' : '+';
        if (power < 10)
            *at++ = '0';
        at += print_whole((uint64_t)power, at);
    }
    return at;
}

/* Returns the end of the text. */
static char *print_real(double value, char *at)
{
    digits d = {.digit = "0", .count = 1};
    if (isnan(value))
        return (char *)memcpy(at, "nan", 3) + 3;
    if (signbit(value))
        *at++ = '-';
    double real = fabs(value);
    if (isinf(real))
        return (char *)memcpy(at, "inf", 3) + 3;
    if (real > 0 && !find_short(real, &d) && !find_scaled(real, &d))
        find_any(real, &d);
    return lay_out(&d, at);
}

char *bmf_real_print(double value, char text[32])
{
    *print_real(value, text) = '\0';
    return text;
}

static char *print_int(int64_t value, char *at)
{
    if (value < 0)
        *at++ = '-';
    return at + print_whole(value < 0 ? -(uint64_t)value : (uint64_t)value, at);
}

static void flush(writer *w)
{
    if (fwrite(w->block, 1, (size_t)w->used, w->stream) != (size_t)w->used)
        w->failed = true;
    w->used = 0;
}

/* Room for one word. */
static char *claim(writer *w)
{
    if (w->used + WORD_BYTES > BLOCK_BYTES)
        flush(w);
    return w->block + w->used;
}

static void put(writer *w, const char *word)
{
    char *at = claim(w);
    size_t length = strlen(word);
    memcpy(at, word, length);
    w->used += (int64_t)length;
}

static void print_element(const bmf_column *column, int64_t i, writer *w);

static void print_list(const bmf_column *column, int64_t i, writer *w)
{
    int64_t begin = column->offsets[i], end = column->offsets[i + 1];
    put(w, "[");
    for (int64_t k = begin; k < end && !w->failed; k++) {
        if (k > begin)
            put(w, ", ");
        print_element(&column->child[0], k, w);
    }
    put(w, "]");
}

static void print_tuple(const bmf_column *column, int64_t i, writer *w)
{
    for (int k = 0; k < column->type->components; k++) {
        put(w, k == 0 ? "{" : ", ");
        print_element(&column->child[k], i, w);
    }
    put(w, "}");
}

static void print_element(const bmf_column *column, int64_t i, writer *w)
{
    const char *data = (const char *)column->data + (column->data != NULL ? i * column->stride : 0);
    char *at = claim(w);
    switch (column->type->kind) {
    case BMF_LIST:
        print_list(column, i, w);
        break;
    case BMF_TUPLE:
        print_tuple(column, i, w);
        break;
    case BMF_INT:
        w->used += print_int(*(const int64_t *)data, at) - at;
        break;
    case BMF_REAL:
        w->used += print_real(*(const double *)data, at) - at;
        break;
    case BMF_BOOL:
        put(w, *data != 0 ? "true" : "false");
        break;
    default:
        put(w, "?"); /* structs of C programs have no notation */
    }
}

int bmf_data_print(const bmf_column *column, int64_t i, FILE *stream)
{
    writer *w = malloc(sizeof *w);
    if (w == NULL)
        return -1;
    w->stream = stream; /* the block stays undefined */
    w->used = 0;
    w->failed = false;
    print_element(column, i, w);
    flush(w);
    int result = w->failed ? -1 : 0;
    free(w);
    return result;
}
