/* Fuzz target of data files other than HDF5's, whose library reads those: the first line of an input is a name such as
 * x.csv:1,2, the rest the file. What is found is read, too, unless ranks read it as it lies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "ctest/fuzz/fuzz.h"
#include "runtime/base/text.h"
#include "runtime/files/format.h"

enum { LONGEST_NAME = 200, LARGEST = 1 << 20 };

static void read_items(data_file *file)
{
    const data_format *format = data_format_of(file);
    const int64_t width = data_file_width(file);
    demand(width >= 0, "rows have a width");
    if (file->shape[0] > LARGEST || width > LARGEST || file->shape[0] * width > LARGEST)
        return;
    if (format->read == data_read_binary || (format == &data_format_npz && !file->deflated))
        return;
    bmf_column items;
    demand(column_create(data_file_element(file, true), file->shape[0] * width, &items) == BMF_OK, "a column");
    if (items.count > 0) {
        const int status = format->read(NULL, file, 0, file->shape[0], &items);
        if (status != BMF_OK)
            demand_line(status);
    }
    column_free(&items);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char name[LONGEST_NAME + 1];
    const uint8_t *newline = size ? memchr(bytes, '\n', size < LONGEST_NAME ? size : LONGEST_NAME) : NULL;
    data_file file;
    if (!newline || memchr(bytes, 0, (size_t)(newline - bytes)))
        return 0;
    memcpy(name, bytes, (size_t)(newline - bytes));
    name[newline - bytes] = '\0';
    if (!data_file_named(name, &file))
        return 0;
    if (data_format_of(&file) != &data_format_hdf5) {
        const size_t skipped = (size_t)(newline + 1 - bytes);
        const char *path = file_of(newline + 1, size - skipped);
        char *named = file.path; /* endings matter */
        file.path = text_copy(path);
        free(named);
        int status = data_file_find(NULL, &file);
        if (status == BMF_OK) {
            demand(file.fields > 0 && file.fields <= BMF_MAX_LEAVES, "an item has scalars");
            status = data_file_count(NULL, &file);
        }
        if (status != BMF_OK)
            demand_line(status);
        else
            read_items(&file);
    }
    data_file_free(&file);
    return 0;
}
