/* What the fuzz targets share. */
#define _GNU_SOURCE
#include "ctest/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bmf/status.h"
#include "runtime/base/text.h"

void demand(bool held, const char *what)
{
    if (held)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

void demand_line(int status)
{
    const char *text = bmf_error_text(NULL);
    demand(status > BMF_OK && bmf_exit_code(status) > 0, "the status of a failure");
    demand(*text && !strchr(text, '\n'), "a failure is one line");
    for (; *text; text++)
        demand(control_character(text) == 0, "a line without control characters");
}

const char *file_of(const uint8_t *bytes, size_t size)
{
    static char path[64];
    static int file = -1;
    if (file >= 0)
        close(file);
    file = memfd_create("fuzz", MFD_CLOEXEC);
    demand(file >= 0 && write(file, bytes, size) == (ssize_t)size, "a file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}
