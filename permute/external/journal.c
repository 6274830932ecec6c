/* The journal of a permutation of a file; see journal.h.
 *
 * Format: "bmf permute 1 KEY PASS TILE\n", the key in hexadecimal. */
#include "permute/external/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/output_file.h"

enum { MAX_LINE = 128 };

static bool parse(const char *line, bmf_external_journal *found)
{
    char again[MAX_LINE];
    if (sscanf(line, "bmf permute 1 %16" SCNx64 " %9d %18" SCNd64, &found->key, &found->pass, &found->tile) != 3)
        return false;
    snprintf(again, sizeof again, "bmf permute 1 %016" PRIx64 " %d %" PRId64 "\n", found->key, found->pass,
             found->tile);
    return found->pass >= 0 && found->tile >= 0 && strcmp(again, line) == 0;
}

int external_journal_read(bmf_context *ctx, const char *path, bmf_external_journal *journal)
{
    char line[MAX_LINE + 1];
    bmf_external_journal found;
    FILE *stream = fopen(path, "r");
    journal->pass = 0;
    journal->tile = 0;
    if (!stream && errno == ENOENT)
        return BMF_OK;
    if (!stream)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    const size_t length = fread(line, 1, MAX_LINE, stream);
    fclose(stream);
    line[length] = '\0';
    if (strlen(line) != length || !parse(line, &found))
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: not the journal of a permutation", path);
    if (found.key != journal->key)
        return bmf_fail(ctx, BMF_ERROR_FILE,
                        "%s: of another permutation, file, memory or number of ranks; remove it and its directory to "
                        "begin anew",
                        path);
    *journal = found;
    return BMF_OK;
}

int external_journal_write(bmf_context *ctx, const char *path, const bmf_external_journal *journal)
{
    bmf_output_file output;
    int failure = output_file_open_regular(&output, path);
    if (!failure) {
        fprintf(output_file_stream(&output), "bmf permute 1 %016" PRIx64 " %d %" PRId64 "\n", journal->key,
                journal->pass, journal->tile);
        failure = output_file_close(&output, 0);
    }
    return failure ? bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot write: %s", path, strerror(failure)) : BMF_OK;
}
