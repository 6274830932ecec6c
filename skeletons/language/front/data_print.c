/* Data as text: printing.
 *
 * Method: elements go into a block of text that is written when it is full. Reals of up to 15 digits are found as a
 * whole number over a power of ten, both exact as doubles, whose quotient is the real again; of the others, those of
 * usual size are scaled to 15, 16, 17 digits in exact 128-bit arithmetic, the rest goes through the C library. The
 * text is laid out from digits and exponent in one place.
 * Cost: about 0.1 us for a short real, 0.2 us for one of 17 digits. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/data/type.h"
#include "skeletons/language/front/data.h"

enum { BLOCK_BYTES = 1 << 16, WORD_BYTES = 32, MAX_PLACES = 27 };

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

/* For products of 53 and 63 bits. */
__extension__ typedef unsigned __int128 wide;

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9, 1e10,
                                      1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20};

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

/* A decimal of at most 15 digits that reads back as the real, if there is one: rounding cannot miss it, since it is
 * off by less than a quarter. */
static bool find_short(double real, digits *d)
{
    if (real < 1e-5 || real >= 1e15)
        return false;
    for (int places = 0; places <= 20; places++) {
        double power = power_of_ten[places], whole = rint(real * power);
        if (whole >= 1e15)
            return false;
        if (whole / power == real) {
            from_whole((uint64_t)whole, places, d);
            return true;
        }
    }
    return false;
}

/* The whole number nearest to real * 10^places, if that many digits read back as the real. All is exact: real =
 * mantissa 2^-shift 2^-places, so real 10^places = mantissa 5^places 2^-shift, and half of the distance to the
 * neighbours is 5^places / 2 in the same units. */
static bool find_places(uint64_t mantissa, int exponent, int places, digits *d)
{
    wide power = 1, scaled;
    int shift = -(exponent + places);
    if (places < 0 || places > MAX_PLACES || shift < 0 || shift > 64)
        return false;
    for (int k = 0; k < places; k++)
        power *= 5;
    scaled = mantissa * power;
    wide whole = scaled >> shift, rest = scaled - (whole << shift), half = (wide)1 << shift >> 1;
    if (rest > half || (rest == half && shift > 0 && (whole & 1) != 0))
        whole++;
    wide off = whole << shift > scaled ? (whole << shift) - scaled : scaled - (whole << shift);
    if (2 * off > power || (2 * off == power && (mantissa & 1) != 0))
        return false;
    from_whole((uint64_t)whole, places, d);
    return true;
}

/* 15 to 17 digits. */
static bool find_long(double real, digits *d)
{
    int exponent, tens;
    if (real < 1e-9 || real >= 1e15)
        return false;
    uint64_t mantissa = (uint64_t)ldexp(frexp(real, &exponent), 53);
    if (mantissa == (uint64_t)1 << 52)
        return false; /* the neighbour below is nearer than the one above */
    tens = (int)floor(log10(real));
    /* from 1e-5 on, find_short has tried 15 digits */
    for (int count = real < 1e-5 ? 15 : 16; count <= 17; count++)
        if (find_places(mantissa, exponent - 53, count - 1 - tens, d))
            return true;
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
    if (real > 0 && !find_short(real, &d) && !find_long(real, &d))
        find_any(real, &d);
    return lay_out(&d, at);
}

char *real_print(double value, char text[32])
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

/* names: the type with the names of fields, or NULL: there are none. */
static void print_element(const bmf_column *column, const bmf_type *names, int64_t i, writer *w);

static const bmf_type *names_inside(const bmf_type *names, int k)
{
    return names && k < names->components ? names->component[k] : NULL;
}

static void print_list(const bmf_column *column, const bmf_type *names, int64_t i, writer *w)
{
    int64_t begin = column->offsets[i], end = column->offsets[i + 1];
    put(w, "[");
    for (int64_t k = begin; k < end && !w->failed; k++) {
        if (k > begin)
            put(w, ", ");
        print_element(&column->child[0], names_inside(names, 0), k, w);
    }
    put(w, "]");
}

static void print_field(const bmf_type *names, int k, writer *w)
{
    char text[WORD_BYTES];
    int size = 0;
    const char *field = names && names->kind == BMF_TUPLE ? field_in(names->name, k, &size) : NULL;
    for (int at = 0, part; field && at < size; at += part) { /* a word has at most 32 bytes, a field 39 */
        part = size - at < WORD_BYTES - 1 ? size - at : WORD_BYTES - 1;
        memcpy(text, field + at, (size_t)part);
        text[part] = '\0';
        put(w, text);
    }
    if (field)
        put(w, ": ");
}

static void print_tuple(const bmf_column *column, const bmf_type *names, int64_t i, writer *w)
{
    for (int k = 0; k < column->type->components; k++) {
        put(w, k == 0 ? "{" : ", ");
        print_field(names, k, w);
        print_element(&column->child[k], names_inside(names, k), i, w);
    }
    put(w, "}");
}

static void print_element(const bmf_column *column, const bmf_type *names, int64_t i, writer *w)
{
    const char *data = column->data ? (const char *)column->data + i * column->stride : NULL; /* lists have none */
    char *at = claim(w);
    switch (column->type->kind) {
    case BMF_LIST:
        print_list(column, names, i, w);
        break;
    case BMF_TUPLE:
        print_tuple(column, names, i, w);
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

int data_print(const bmf_column *column, int64_t i, FILE *stream)
{
    return data_print_as(column, NULL, i, stream);
}

int data_print_as(const bmf_column *column, const bmf_type *type, int64_t i, FILE *stream)
{
    writer *w = malloc(sizeof *w);
    if (!w)
        return -1;
    w->stream = stream; /* the block stays undefined */
    w->used = 0;
    w->failed = false;
    print_element(column, type, i, w);
    flush(w);
    int result = w->failed ? -1 : 0;
    free(w);
    return result;
}
