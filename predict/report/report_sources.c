/* The source texts that a report quotes.
 *
 * Method: places are "FILE:LINE" or "FILE:LINE:COLUMN". A file is looked for under its name, from where the report is
 * made, and under its name without directories in the directory that was given. What is not there, no text, or larger
 * than MAX_TEXT is left out, and the page shows the place alone. A text stands in the page as a JSON string. Cost: the
 * bytes of the files, once each. */
#include <stdlib.h>
#include <string.h>

#include "predict/report/report_private.h"
#include "runtime/base/allocate.h"

enum { MAX_TEXT = 256 << 10, MAX_FILES = 64, MAX_NAME = 4096 };

/* The length of the file's name in a place: what is before one or two numbers. */
static size_t file_of(const char *place)
{
    size_t size = strlen(place);
    for (int numbers = 0; numbers < 2; numbers++) {
        size_t at = size;
        while (at > 0 && place[at - 1] >= '0' && place[at - 1] <= '9')
            at--;
        if (at == size || at < 2 || place[at - 1] != ':')
            break;
        size = at - 1;
    }
    return size;
}

/* The text of a file, to be freed; NULL if there is none that can be shown. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = allocate(MAX_TEXT + 1);
    const size_t size = fread(text, 1, MAX_TEXT + 1, file);
    fclose(file);
    if (size == 0 || size > MAX_TEXT || memchr(text, '\0', size)) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

static char *find_text(const char *name, const char *directory)
{
    char *text = read_text(name);
    const char *last = strrchr(name, '/');
    char path[MAX_NAME];
    if (text || !directory)
        return text;
    const int length = snprintf(path, sizeof path, "%s/%s", directory, last ? last + 1 : name);
    return length < (int)sizeof path ? read_text(path) : NULL;
}

/* Lines and tabs stay, other control characters do not. */
static void put_text(bmf_output *out, const char *text)
{
    output_text(out, "\"");
    for (const char *line = text; *line;) {
        const size_t size = strcspn(line, "\n\t");
        char *piece = allocate((int64_t)size + 1);
        memcpy(piece, line, size);
        piece[size] = '\0';
        report_put_piece(out, piece);
        free(piece);
        line += size;
        if (*line)
            output_text(out, *line++ == '\n' ? "\\n" : "\\t");
    }
    output_text(out, "\"");
}

typedef struct files {
    int count;
    char *name[MAX_FILES];
} files;

static bool is_new(files *known, const char *place, size_t size)
{
    for (int k = 0; k < known->count; k++)
        if (strlen(known->name[k]) == size && memcmp(known->name[k], place, size) == 0)
            return false;
    if (known->count == MAX_FILES || size >= MAX_NAME)
        return false;
    char *name = allocate((int64_t)size + 1);
    memcpy(name, place, size);
    name[size] = '\0';
    known->name[known->count++] = name;
    return true;
}

void report_put_sources(bmf_output *out, const bmf_report_contents *report)
{
    files known = {0};
    bool any = false;
    output_text(out, ",\"sources\":{");
    for (int r = 0; r < report->runs; r++) {
        const bmf_intervals *intervals = report->intervals[r];
        for (int64_t i = 0; intervals && i < intervals->count; i++)
            for (int64_t k = 0; k < intervals->interval[i].places; k++) {
                const char *place = report->run[r]->name[intervals->place[intervals->interval[i].first_place + k]];
                if (!is_new(&known, place, file_of(place)))
                    continue;
                char *name = known.name[known.count - 1], *text = find_text(name, report->sources);
                if (text) {
                    output_text(out, any ? "," : "");
                    report_put_text(out, name);
                    output_text(out, ":");
                    put_text(out, text);
                    any = true;
                }
                free(text);
            }
    }
    output_text(out, "}");
    for (int k = 0; k < known.count; k++)
        free(known.name[k]);
}
