/* Files with a sum (kept_text.h). Method: FNV-1a of all lines but the last. Cost: O(bytes). */
#include "predict/mesh/kept_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/hash.h"
#include "runtime/base/output_file.h"

enum { PATH = 4096 };

char *kept_text_read(const char *path, size_t *length, bool *damaged)
{
    FILE *file = fopen(path, "r");
    if (damaged)
        *damaged = false;
    if (!file)
        return NULL;
    char *text = NULL;
    size_t capacity = 0;
    const ssize_t got = getdelim(&text, &capacity, '\0', file);
    fclose(file);
    uint64_t sum;
    char *last = got > 0 ? strstr(text, "\nsum ") : NULL;
    if (last && sscanf(last, "\nsum %" SCNx64, &sum) == 1 &&
        hash_bytes(HASH_START, text, (size_t)(last - text) + 1) == sum) {
        *length = (size_t)(last - text) + 1;
        return text;
    }
    free(text);
    if (damaged)
        *damaged = true;
    return NULL;
}

static void make_directories(const char *directory)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s", directory);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    mkdir(path, 0755);
}

void kept_text_write(const char *directory, const char *path, const char *text, size_t length)
{
    bmf_output_file output;
    make_directories(directory);
    if (output_file_open(&output, path) != 0)
        return;
    output.unsynced = true;
    fwrite(text, 1, length, output_file_stream(&output));
    fprintf(output_file_stream(&output), "sum %" PRIx64 "\n", hash_bytes(HASH_START, text, length));
    (void)output_file_close(&output, 0);
}
