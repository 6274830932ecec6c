/* A buffered output file, and numbers as text without printf.
 *
 * Writers ask for room (at most BMF_OUTPUT_ROOM bytes), put characters behind a pointer and hand the pointer back.
 * Errors are kept until output_close, which names the file; nothing needs to be checked in between.
 */
#ifndef BMF_OUTPUT_H
#define BMF_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/output_file.h"

enum { BMF_OUTPUT_SIZE = 1 << 20, BMF_OUTPUT_ROOM = 1 << 14 };

typedef struct bmf_output {
    int file;
    int failure; /* errno of the first failure, or 0 */
    size_t used;
    char *buffer;
    bmf_output_file whole; /* unless it is standard output */
    const char *path;
} bmf_output;

/* Opens a file that is to appear as a whole (runtime/base/output_file.h), or standard output for the path "-". The path
 * must live until the close. */
int output_open(bmf_context *ctx, bmf_output *out, const char *path);
/* Writes out what is buffered, in whole blocks of BMF_OUTPUT_SIZE, and keeps the rest in the buffer; a failure is kept
 * for output_close. */
void output_flush(bmf_output *out);
/* Gives the file its name if status is BMF_OK and everything was written, otherwise removes it. Returns the status to
 * go on with. Harmless on an output that was not opened. */
int output_close(bmf_context *ctx, bmf_output *out, int status);
/* The same for outputs that belong together: all appear or none. */
int outputs_close(bmf_context *ctx, bmf_output *out, int outputs, int status);
/* Any text. */
void output_text(bmf_output *out, const char *text);
/* As printf; at most BMF_OUTPUT_ROOM - 1 bytes. For the parts of a file that are not its bulk. */
void output_print(bmf_output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for BMF_OUTPUT_ROOM bytes; give the end of what was put there to output_end. */
static inline char *output_begin(bmf_output *out)
{
    if (out->used >= BMF_OUTPUT_SIZE)
        output_flush(out);
    return out->buffer + out->used;
}
/* Takes what was put up to `end` into the output. */
static inline void output_end(bmf_output *out, const char *end)
{
    out->used = (size_t)(end - out->buffer);
}

extern const char digit_pairs[201];  /* "000102..99" */
extern const char hex_pairs[256][2]; /* "00" .. "ff" */

/* Each puts characters at `to` and returns the place behind them. */
static inline char *put_bytes(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
    return to + size;
}
#define BMF_PUT(to, literal) put_bytes(to, "" literal, sizeof(literal) - 1)

/* Two digits of a number below 100. */
static inline char *put_digit_pair(char *to, uint64_t value)
{
    return put_bytes(to, digit_pairs + 2 * value, 2);
}

/* Eight digits of a number below 10^8. The divisions do not wait for each other. */
static inline char *put_eight(char *to, uint32_t value)
{
    uint32_t high = value / 10000, low = value % 10000;
    to = put_digit_pair(put_digit_pair(to, high / 100), high % 100);
    return put_digit_pair(put_digit_pair(to, low / 100), low % 100);
}

/* The digits of a number below 10^8. */
static inline char *put_small(char *to, uint32_t value)
{
    char *end = to + 1 + (value >= 10) + (value >= 100) + (value >= 1000) + (value >= 10000) + (value >= 100000) +
                (value >= 1000000) + (value >= 10000000);
    char *from = end;
    for (; value >= 100; value /= 100)
        from = put_digit_pair(from - 2, value % 100) - 2;
    if (value >= 10)
        put_digit_pair(from - 2, value);
    else
        from[-1] = (char)('0' + value);
    return end;
}

/* Decimal digits, at most 20. */
static inline char *put_unsigned(char *to, uint64_t value)
{
    const uint64_t unit = 100000000;
    if (value < unit)
        return put_small(to, (uint32_t)value);
    if (value < unit * unit)
        to = put_small(to, (uint32_t)(value / unit));
    else
        to = put_eight(put_small(to, (uint32_t)(value / unit / unit)), (uint32_t)(value / unit % unit));
    return put_eight(to, (uint32_t)(value % unit));
}

/* Decimal digits with a minus sign if negative, at most 20. */
static inline char *put_integer(char *to, int64_t value)
{
    if (value < 0) {
        *to++ = '-';
        return put_unsigned(to, 0 - (uint64_t)value);
    }
    return put_unsigned(to, (uint64_t)value);
}

/* Nanoseconds >= 0 as microseconds with three decimals. */
static inline char *put_micros(char *to, int64_t nanos)
{
    uint64_t value = (uint64_t)nanos, fraction = value % 1000;
    to = put_unsigned(to, value / 1000);
    *to++ = '.';
    *to++ = (char)('0' + fraction / 100);
    return put_digit_pair(to, fraction % 100);
}

/* Nanoseconds >= 0 as seconds with nine decimals. */
static inline char *put_seconds(char *to, int64_t nanos)
{
    uint64_t value = (uint64_t)nanos;
    uint32_t fraction = (uint32_t)(value % 1000000000);
    to = put_unsigned(to, value / 1000000000);
    *to++ = '.';
    *to++ = (char)('0' + fraction / 100000000);
    return put_eight(to, fraction % 100000000);
}

/* 16 hexadecimal digits. */
static inline char *put_hex(char *to, uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        to = put_bytes(to, hex_pairs[value >> shift & 255], 2);
    return to;
}

#endif
