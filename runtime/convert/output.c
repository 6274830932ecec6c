/* The buffered output file of the converters. */
#include "runtime/convert/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/allocate.h"

const char digit_pairs[201] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                              "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                              "8081828384858687888990919293949596979899";

#define ROW(d)                                                                                                         \
    {d, '0'}, {d, '1'}, {d, '2'}, {d, '3'}, {d, '4'}, {d, '5'}, {d, '6'}, {d, '7'}, {d, '8'}, {d, '9'}, {d, 'a'},      \
        {d, 'b'}, {d, 'c'}, {d, 'd'}, {d, 'e'},                                                                        \
    {                                                                                                                  \
        d, 'f'                                                                                                         \
    }
const char hex_pairs[256][2] = {ROW('0'), ROW('1'), ROW('2'), ROW('3'), ROW('4'), ROW('5'), ROW('6'), ROW('7'),
                                ROW('8'), ROW('9'), ROW('a'), ROW('b'), ROW('c'), ROW('d'), ROW('e'), ROW('f')};
#undef ROW

static int fail_output(bmf_context *ctx, const bmf_output *out, int failure)
{
    if (strcmp(out->path, "-") == 0)
        return bmf_fail(ctx, BMF_ERROR_OUTPUT, "cannot write to standard output: %s", strerror(failure));
    return bmf_fail(ctx, BMF_ERROR_FILE, "cannot write '%s': %s", out->path, strerror(failure));
}

int output_open(bmf_context *ctx, bmf_output *out, const char *path)
{
    *out = (bmf_output){.file = -1, .path = path, .whole = {.file = -1}};
    if (strcmp(path, "-") != 0) {
        int failure = output_file_open(&out->whole, path);
        if (failure)
            return fail_output(ctx, out, failure);
    }
    out->file = strcmp(path, "-") == 0 ? STDOUT_FILENO : out->whole.file;
    out->buffer = allocate(BMF_OUTPUT_SIZE + BMF_OUTPUT_ROOM);
    return BMF_OK;
}

/* The first `size` bytes of the buffer. */
static void write_out(bmf_output *out, size_t size)
{
    for (size_t done = 0; done < size && !out->failure;) {
        ssize_t wrote = write(out->file, out->buffer + done, size - done);
        if (wrote < 0 && errno != EINTR)
            out->failure = errno;
        else if (wrote > 0)
            done += (size_t)wrote;
    }
    out->used -= size;
    memmove(out->buffer, out->buffer + size, out->used);
}

void output_flush(bmf_output *out)
{
    write_out(out, out->used / BMF_OUTPUT_SIZE * BMF_OUTPUT_SIZE);
}

int outputs_close(bmf_context *ctx, bmf_output *out, int outputs, int status)
{
    bmf_output_file *whole = allocate(outputs * (int64_t)sizeof *whole);
    const bmf_output *failed = out;
    int failure = 0;
    for (int k = 0; k < outputs; k++) {
        if (out[k].buffer)
            write_out(&out[k], out[k].used);
        if (out[k].failure && !failure) {
            failure = out[k].failure;
            failed = &out[k];
        }
        free(out[k].buffer);
        whole[k] = out[k].whole;
    }
    failure = output_files_close(whole, outputs, status != BMF_OK ? ECANCELED : failure);
    if (status == BMF_OK && failure)
        status = fail_output(ctx, failed, failure);
    for (int k = 0; k < outputs; k++)
        out[k] = (bmf_output){.file = -1, .whole = {.file = -1}};
    free(whole);
    return status;
}

int output_close(bmf_context *ctx, bmf_output *out, int status)
{
    return outputs_close(ctx, out, 1, status);
}

void output_text(bmf_output *out, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        size_t size = left < BMF_OUTPUT_ROOM ? left : BMF_OUTPUT_ROOM;
        output_end(out, put_bytes(output_begin(out), text, size));
        text += size;
        left -= size;
    }
}

void output_print(bmf_output *out, const char *format, ...)
{
    char *to = output_begin(out);
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(to, BMF_OUTPUT_ROOM, format, arguments);
    va_end(arguments);
    if (size > 0)
        output_end(out, to + (size < BMF_OUTPUT_ROOM ? size : BMF_OUTPUT_ROOM - 1));
}
