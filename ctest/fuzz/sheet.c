/* Fuzz target of data sheets; what can be read can be written and is read again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctest/fuzz/fuzz.h"
#include "predict/sheet/sheet.h"
#include "bmf/status.h"

static void write_and_read(bmf_sheet *sheet)
{
    static char path[64];
    bmf_sheet *again;
    const int file = memfd_create("fuzz-written", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    demand(sheet_write(sheet, path) == BMF_OK, "a sheet is written");
    demand(sheet_read(path, &again) == BMF_OK && again->entries == sheet->entries, "a written sheet is read");
    sheet_free(again);
    sheet_free(sheet);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_sheet *sheet;
    int status = sheet_read(file_of(bytes, size), &sheet);
    if (status != BMF_OK)
        demand_line(status);
    else
        write_and_read(sheet);
    return 0;
}
