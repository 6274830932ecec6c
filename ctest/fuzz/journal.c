/* Fuzz target of the journals of permutations of files: what is accepted is a state that is written the same again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctest/fuzz/fuzz.h"
#include "permute/external/journal.h"

enum { MAX_LINE = 128 };

static bool is_text_of(const bmf_external_journal *journal, const uint8_t *bytes, size_t size)
{
    char line[MAX_LINE];
    const int length = snprintf(line, sizeof line, "bmf permute 1 %016" PRIx64 " %d %" PRId64 "\n", journal->key,
                                journal->pass, journal->tile);
    return size == (size_t)length && memcmp(line, bytes, size) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_external_journal journal = {0};
    const int status = external_journal_read(NULL, file_of(bytes, size), &journal);
    if (status != BMF_OK)
        demand_line(status);
    else
        demand(journal.key == 0 && journal.pass >= 0 && journal.tile >= 0 && is_text_of(&journal, bytes, size),
               "a journal is what it says");
    return 0;
}
