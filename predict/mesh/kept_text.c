/* Files with a key and a sum (kept_text.h). Method: files are named by FNV-1a (Fowler, Noll, Vo) of the key, and keys
 * are compared in full; the sum is that of all lines but the last. Cost: O(bytes). */
#include "predict/mesh/kept_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/hash.h"
#include "runtime/base/output_file.h"

enum { PATH = 4096 };

static void find_path(const bmf_kept_text *kept, char path[PATH])
{
    snprintf(path, PATH, "%.3900s/%016" PRIx64 ".%.20s", kept->directory, hash_text(kept->key), kept->ending);
}

/* The text without its last line, the sum; NULL: it is not there, or damaged. The caller frees. */
static char *read_summed(const char *path, size_t *length, bool *damaged)
{
    FILE *file = fopen(path, "r");
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
    *damaged = true;
    return NULL;
}

static bool take(char *text, size_t length, bmf_kept_reader *reader, void *state)
{
    FILE *stream = fmemopen(text, length, "r");
    const bool right = stream && reader(state, stream, (int64_t)length);
    if (stream)
        fclose(stream);
    return right;
}

bmf_kept kept_text_read(const bmf_kept_text *kept, bmf_kept_reader *reader, void *state)
{
    char path[PATH];
    bool damaged;
    size_t length;
    if (!kept->directory)
        return BMF_NOT_KEPT;
    find_path(kept, path);
    char *text = read_summed(path, &length, &damaged);
    const size_t head = strlen(kept->key);
    bmf_kept found = damaged ? BMF_KEPT_DAMAGED : BMF_NOT_KEPT;
    if (text && length >= head && strncmp(text, kept->key, head) == 0)
        found = length > head && take(text + head, length - head, reader, state) ? BMF_KEPT : BMF_KEPT_DAMAGED;
    free(text);
    return found;
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

void kept_text_write(const bmf_kept_text *kept, bmf_kept_writer *writer, void *state)
{
    bmf_output_file output;
    char path[PATH], *text;
    size_t length;
    FILE *stream = kept->directory ? open_memstream(&text, &length) : NULL;
    if (!stream)
        return;
    fputs(kept->key, stream);
    writer(state, stream);
    fclose(stream);
    find_path(kept, path);
    make_directories(kept->directory);
    if (output_file_open(&output, path) == 0) {
        output.unsynced = true;
        fwrite(text, 1, length, output_file_stream(&output));
        fprintf(output_file_stream(&output), "sum %" PRIx64 "\n", hash_bytes(HASH_START, text, length));
        (void)output_file_close(&output, 0);
    }
    free(text);
}
