/* A buffered output file, and numbers as text without printf.
 *
 * Writers ask for room (at most BMF_OUTPUT_ROOM bytes), put characters behind a pointer and hand the pointer back.
 * Errors are kept until bmf_output_close, which names the file; nothing needs to be checked in between.
 */
#ifndef BMF_OUTPUT_H
#define BMF_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/status.h"

enum { BMF_OUTPUT_SIZE = 1 << 20, BMF_OUTPUT_ROOM = 1 << 14 };

typedef struct bmf_output {
    int file;
    int failure; /* errno of the first failure, or 0 */
    size_t used;
    char *buffer;
    char *part; /* what is being written: PATH.part, or NULL for standard output, devices, pipes and links */
    const char *path;
} bmf_output;

/* Opens PATH.part for writing, standard output for the path "-", or PATH itself if it is a device, a pipe or a link. The
 * path must live until the close. */
int bmf_output_open(bmf_context *ctx, bmf_output *out, const char *path);
/* Writes out what is buffered; a failure is kept for bmf_output_close. */
void bmf_output_flush(bmf_output *out);
/* Renames the file to its path if status is BMF_OK and everything was written, otherwise removes it. Returns the
 * status to go on with. Harmless on an output that was not opened. */
int bmf_output_close(bmf_context *ctx, bmf_output *out, int status);
/* Any text. */
void bmf_output_text(bmf_output *out, const char *text);
/* As printf; at most BMF_OUTPUT_ROOM - 1 bytes. For the parts of a file that are not its bulk. */
void bmf_output_print(bmf_output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for BMF_OUTPUT_ROOM bytes; give the end of what was put there to bmf_output_end. */
static inline char *bmf_output_begin(bmf_output *out)
{
    if (out->used > BMF_OUTPUT_SIZE - BMF_OUTPUT_ROOM)
        bmf_output_flush(out);
    return out->buffer + out->used;
}
/* Takes what was put up to `end` into the output. */
static inline void bmf_output_end(bmf_output *out, const char *end)
{
    out->used = (size_t)(end - out->buffer);
}

extern const char bmf_digit_pairs[201]; /* "000102..99" */

/* Each puts characters at `to` and returns the place behind them. */
static inline char *bmf_put_bytes(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
    return to + size;
}
#define BMF_PUT(to, literal) bmf_put_bytes(to, "" literal, sizeof(literal) - 1)

/* Decimal digits, at most 20. */
static inline char *bmf_put_unsigned(char *to, uint64_t value)
{
    char text[20], *from = text + sizeof text;
    for (; value >= 100; value /= 100) {
        from -= 2;
        memcpy(from, bmf_digit_pairs + value % 100 * 2, 2);
    }
    from -= 2;
    memcpy(from, bmf_digit_pairs + value * 2, 2);
    from += value < 10;
    return bmf_put_bytes(to, from, (size_t)(text + sizeof text - from));
}

/* Decimal digits with a minus sign if negative, at most 20. */
static inline char *bmf_put_integer(char *to, int64_t value)
{
    if (value < 0) {
        *to++ = '-';
        return bmf_put_unsigned(to, 0 - (uint64_t)value);
    }
    return bmf_put_unsigned(to, (uint64_t)value);
}

/* Nanoseconds >= 0 as microseconds with three decimals. */
static inline char *bmf_put_micros(char *to, int64_t nanos)
{
    uint64_t value = (uint64_t)nanos, fraction = value % 1000;
    to = bmf_put_unsigned(to, value / 1000);
    *to++ = '.';
    *to++ = (char)('0' + fraction / 100);
    return bmf_put_bytes(to, bmf_digit_pairs + fraction % 100 * 2, 2);
}

/* Nanoseconds >= 0 as seconds with nine decimals. */
static inline char *bmf_put_seconds(char *to, int64_t nanos)
{
    uint64_t value = (uint64_t)nanos, fraction = value % 1000000000;
    to = bmf_put_unsigned(to, value / 1000000000);
    *to++ = '.';
    *to++ = (char)('0' + fraction / 100000000);
    fraction %= 100000000;
    for (uint64_t unit = 1000000; unit > 0; unit /= 100)
        to = bmf_put_bytes(to, bmf_digit_pairs + fraction / unit % 100 * 2, 2);
    return to;
}

/* 16 hexadecimal digits. */
static inline char *bmf_put_hex(char *to, uint64_t value)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        *to++ = "0123456789abcdef"[value >> shift & 15];
    return to;
}

#endif
