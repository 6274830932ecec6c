/* Reading RAW files: one pass, line by line; every mistake is reported with file and line.
 *
 * Cost: linear in the file, and a sort of the samples to find points that stand twice.
 */
#include "predict/sheet/samples_private.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "runtime/base/array.h"
#include "bmf/status.h"

static const char *const family_names[BMF_FAMILIES] = {"point-to-point", "links",   "collective", "barrier", "skeleton",
                                                       "local",          "threads", "file",       "memory"};

const bmf_header_line header_lines[BMF_HEADER_LINES] = {
    {"machine", offsetof(bmf_samples_header, machine), BMF_HEADER_TEXT, false},
    {"date", offsetof(bmf_samples_header, date), BMF_HEADER_TEXT, true},
    {"version", offsetof(bmf_samples_header, version), BMF_HEADER_TEXT, false},
    {"mpi", offsetof(bmf_samples_header, mpi), BMF_HEADER_TEXT, false},
    {"ranks", offsetof(bmf_samples_header, ranks), BMF_HEADER_COUNT, false},
    {"threads", offsetof(bmf_samples_header, threads), BMF_HEADER_COUNT, false},
    {"cores", offsetof(bmf_samples_header, cores), BMF_HEADER_COUNT, false},
    {"tick", offsetof(bmf_samples_header, tick_seconds), BMF_HEADER_REAL, true},
    {"clock", offsetof(bmf_samples_header, clock), BMF_HEADER_TEXT, false},
    {"options", offsetof(bmf_samples_header, options), BMF_HEADER_TEXT, false},
};

const char *family_name(bmf_family family)
{
    return family_names[family];
}

bool family_find(const char *name, bmf_family *family)
{
    for (int k = 0; k < BMF_FAMILIES; k++)
        if (strcmp(family_names[k], name) == 0) {
            *family = (bmf_family)k;
            return true;
        }
    return false;
}

/* ---- what is valid ---- */

static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)name[0]) || strlen(name) >= BMF_SAMPLE_NAME)
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
            return false;
    return true;
}

const char *sample_mistake(const bmf_sample *sample)
{
    if (!is_name(sample->operation))
        return "the name of an operation is a letter, then letters, digits, '_', '-' and '.', at most 47";
    if (sample->p < 1)
        return "p must be at least 1";
    if (sample->d < 0)
        return "d must not be negative";
    if (sample->element_bytes < 1)
        return "an element has at least 1 byte";
    if (sample->threads < 1)
        return "there is at least 1 thread";
    if (sample->repeats < 1 || sample->repeats > BMF_SAMPLE_REPEATS)
        return "a sample has 1 to 65536 repetitions";
    for (int32_t k = 0; k < sample->repeats; k++)
        if (!isfinite(sample->seconds[k]) || sample->seconds[k] < 0.0)
            return "a time must be finite and not negative";
    return NULL;
}

static bool is_text(const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || length >= BMF_SAMPLE_TEXT || text[0] == ' ' || text[length - 1] == ' ')
        return false;
    for (const char *c = text; *c; c++)
        if (control_character(c) || *c == '\n' || *c == '\t')
            return false;
    return true;
}

const char *skip_mistake(const char *operation, const char *reason)
{
    if (!is_name(operation))
        return "the name of an operation is a letter, then letters, digits, '_', '-' and '.', at most 47";
    return is_text(reason) ? NULL : "a reason is one line of 1 to 255 bytes";
}

const char *header_mistake(const bmf_samples_header *header)
{
    for (int k = 0; k < BMF_HEADER_LINES; k++) {
        const bmf_header_line *line = &header_lines[k];
        const char *at = (const char *)header + line->offset;
        if (line->kind == BMF_HEADER_TEXT && !is_text(at))
            return "a text of the header is one line of 1 to 255 bytes, without spaces at its ends";
        if (line->kind == BMF_HEADER_COUNT && *(const int32_t *)(const void *)at < 1)
            return "a number of the header must be at least 1";
        double real = line->kind == BMF_HEADER_REAL ? *(const double *)(const void *)at : 1.0;
        if (!isfinite(real) || real <= 0.0)
            return "the tick must be above 0";
    }
    if (strcmp(header->clock, "barrier") != 0 && strcmp(header->clock, "agreed") != 0)
        return "the clock is 'barrier' or 'agreed'";
    return NULL;
}

/* ---- lines ---- */

typedef struct reader {
    const char *path;
    FILE *file;
    char *text; /* of the line, without its newline */
    size_t room;
    long number;
    bool torn;      /* the line has no newline */
    long whole;     /* bytes up to the end of the last whole line */
    char *rest;     /* of the line, while its words are taken */
    int64_t places; /* in samples->sample */
    int64_t skip_places;
    bmf_samples *samples;
} reader;

__attribute__((format(printf, 2, 3))) static int mistake(const reader *r, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%ld: %s", r->path, r->number, text);
}

/* The next line that says something; false at the end. */
static bool next_line(reader *r)
{
    for (;;) {
        ssize_t length = getline(&r->text, &r->room, r->file);
        if (length <= 0)
            return false;
        r->number++;
        r->torn = r->text[length - 1] != '\n';
        if (!r->torn)
            r->text[--length] = 0;
        if (length > 0 && r->text[length - 1] == '\r')
            r->text[--length] = 0;
        if (!r->torn && length > 0 && r->text[0] != '#') {
            r->rest = r->text;
            return true;
        }
        if (r->torn)
            return true;
        r->whole = ftell(r->file);
    }
}

/* The next word of the line, or NULL. */
static char *take_word(reader *r)
{
    char *word = r->rest;
    if (!word)
        return NULL;
    char *space = strchr(word, ' ');
    if (space)
        *space = 0;
    r->rest = space ? space + 1 : NULL;
    return *word ? word : NULL;
}

static int take_count(reader *r, const char *what, int64_t low, int64_t high, int64_t *value)
{
    char *word = take_word(r), *end = NULL;
    errno = 0;
    long long number = word ? strtoll(word, &end, 10) : 0;
    if (!word || end == word || *end || errno || number < low || number > high)
        return mistake(r, "%s must be a whole number from %lld to %lld, not '%s'", what, (long long)low,
                       (long long)high, word ? word : "");
    *value = number;
    return BMF_OK;
}

static int take_real(reader *r, const char *what, double *value)
{
    char *word = take_word(r), *end = NULL;
    *value = word ? strtod(word, &end) : 0.0;
    if (!word || end == word || *end || !isfinite(*value) || *value < 0.0)
        return mistake(r, "%s must be a number of seconds, not '%s'", what, word ? word : "");
    return BMF_OK;
}

/* A keyword and a whole number. */
static int take_named(reader *r, const char *keyword, int64_t low, int64_t high, int64_t *value)
{
    char *word = take_word(r);
    if (!word || strcmp(word, keyword) != 0)
        return mistake(r, "expected '%s', found '%s'", keyword, word ? word : "the end of the line");
    return take_count(r, keyword, low, high, value);
}

static int read_header_line(reader *r, const bmf_header_line *line)
{
    if (!next_line(r) || r->torn)
        return mistake(r, "the file ends in its header; expected '%s'", line->keyword);
    char *word = take_word(r), *at = (char *)&r->samples->header + line->offset;
    if (!word || strcmp(word, line->keyword) != 0)
        return mistake(r, "expected '%s', found '%s'", line->keyword, word ? word : "");
    if (line->kind == BMF_HEADER_TEXT) {
        if (!r->rest || !is_text(r->rest))
            return mistake(r, "'%s' needs a text of 1 to 255 bytes", line->keyword);
        strcpy(at, r->rest);
        return BMF_OK;
    }
    if (line->kind == BMF_HEADER_REAL)
        BMF_TRY(take_real(r, line->keyword, (double *)(void *)at));
    int64_t number = 0;
    if (line->kind == BMF_HEADER_COUNT) {
        BMF_TRY(take_count(r, line->keyword, 1, INT32_MAX, &number));
        *(int32_t *)(void *)at = (int32_t)number;
    }
    return r->rest ? mistake(r, "'%s' after the value", r->rest) : BMF_OK;
}

static int read_header(reader *r)
{
    if (!next_line(r) || r->torn || strncmp(r->text, "bmf samples ", 12) != 0)
        return mistake(r, "this is no file of samples: it does not start with 'bmf samples 1'");
    if (strcmp(r->text, "bmf samples 1") != 0)
        return mistake(r, "this version of the format is not known: '%s'", r->text);
    for (int k = 0; k < BMF_HEADER_LINES; k++)
        BMF_TRY(read_header_line(r, &header_lines[k]));
    const char *wrong = header_mistake(&r->samples->header);
    if (wrong)
        return mistake(r, "%s", wrong);
    if (!next_line(r) || r->torn || strcmp(r->text, "units seconds") != 0)
        return mistake(r, "expected 'units seconds'");
    r->whole = ftell(r->file);
    return BMF_OK;
}

static int read_times(reader *r, bmf_sample *sample)
{
    sample->seconds = allocate((int64_t)sample->repeats * (int64_t)sizeof *sample->seconds);
    for (int32_t k = 0; k < sample->repeats; k++) {
        int status = r->rest ? take_real(r, "a time", &sample->seconds[k])
                             : mistake(r, "%d of the %d times are there", k, sample->repeats);
        if (status != BMF_OK)
            return status;
    }
    if (r->rest)
        return mistake(r, "more than %d times", sample->repeats);
    const char *wrong = sample_mistake(sample);
    return wrong ? mistake(r, "%s", wrong) : BMF_OK;
}

static int read_sample(reader *r, bmf_sample *sample)
{
    int64_t p = 0, d = 0, bytes = 0, threads = 0, repeats = 0;
    char *operation = take_word(r), *family = take_word(r);
    if (!operation || !is_name(operation))
        return mistake(r, "'%s' is no name of an operation", operation ? operation : "");
    strcpy(sample->operation, operation);
    if (!family || !family_find(family, &sample->family))
        return mistake(r, "unknown family '%s'", family ? family : "");
    BMF_TRY(take_named(r, "p", 1, INT32_MAX, &p));
    BMF_TRY(take_named(r, "d", 0, INT64_MAX, &d));
    BMF_TRY(take_named(r, "bytes", 1, INT32_MAX, &bytes));
    BMF_TRY(take_named(r, "threads", 1, INT32_MAX, &threads));
    char *buffers = take_word(r);
    sample->cached = buffers && strcmp(buffers, "cached") == 0;
    if (!buffers || (!sample->cached && strcmp(buffers, "fresh") != 0))
        return mistake(r, "expected 'fresh' or 'cached', found '%s'", buffers ? buffers : "the end of the line");
    BMF_TRY(take_count(r, "the number of repetitions", 1, BMF_SAMPLE_REPEATS, &repeats));
    sample->p = (int32_t)p;
    sample->d = d;
    sample->element_bytes = (int32_t)bytes;
    sample->threads = (int32_t)threads;
    sample->repeats = (int32_t)repeats;
    return read_times(r, sample);
}

static int read_skip(reader *r)
{
    bmf_samples *s = r->samples;
    char *operation = take_word(r);
    const char *reason = r->rest ? r->rest : "", *wrong = skip_mistake(operation ? operation : "", reason);
    if (wrong)
        return mistake(r, "%s", wrong);
    bmf_skip *skip = ARRAY_APPEND(s->skip, s->skips, r->skip_places);
    strcpy(skip->operation, operation);
    strcpy(skip->reason, reason);
    return BMF_OK;
}

static int add_sample(reader *r)
{
    bmf_samples *s = r->samples;
    bmf_sample *sample = ARRAY_APPEND(s->sample, s->count, r->places);
    *sample = (bmf_sample){0};
    return read_sample(r, sample);
}

static int read_trailer(reader *r)
{
    int64_t count = 0;
    BMF_TRY(take_count(r, "the number of samples", 0, INT64_MAX, &count));
    if (count != r->samples->count)
        return mistake(r, "%lld samples were written, %lld are there", (long long)count, (long long)r->samples->count);
    r->samples->complete = true;
    return next_line(r) ? mistake(r, "nothing may follow the last line") : BMF_OK;
}

static int read_body(reader *r, bool partial)
{
    while (next_line(r)) {
        if (r->torn && partial)
            break;
        if (r->torn)
            return mistake(r, "the file ends inside this line; the measurement was interrupted");
        const char *word = take_word(r);
        if (word && strcmp(word, "complete") == 0)
            return read_trailer(r);
        bool sample = word && strcmp(word, "sample") == 0;
        if (!sample && (!word || strcmp(word, "skip") != 0))
            return mistake(r, "expected 'sample', 'skip' or 'complete', found '%s'", word ? word : "");
        BMF_TRY(sample ? add_sample(r) : read_skip(r));
        r->whole = ftell(r->file);
    }
    if (!partial)
        return mistake(r, "the file ends without a 'complete' line; the measurement was interrupted");
    return BMF_OK;
}

/* ---- the whole ---- */

static int by_point(const void *a, const void *b)
{
    const bmf_sample *x = *(const bmf_sample *const *)a, *y = *(const bmf_sample *const *)b;
    int name = strcmp(x->operation, y->operation);
    if (name)
        return name;
    if (x->cached != y->cached)
        return x->cached ? 1 : -1;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->d > y->d) - (x->d < y->d);
}

static int check_pair(const char *path, const bmf_sample *a, const bmf_sample *b)
{
    if (strcmp(a->operation, b->operation) != 0)
        return BMF_OK;
    bool threads_differ = a->threads != b->threads && a->family != BMF_FAMILY_THREADS;
    if (a->family != b->family || a->element_bytes != b->element_bytes || threads_differ)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: '%s' has samples of different families, element sizes or threads",
                        path, a->operation);
    if (a->cached == b->cached && a->p == b->p && a->d == b->d)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: '%s' has two samples with p %d and d %lld", path, a->operation, a->p,
                        (long long)a->d);
    return BMF_OK;
}

static int check_together(const char *path, const bmf_samples *s)
{
    const bmf_sample **order = allocate(s->count * (int64_t)sizeof *order);
    for (int64_t k = 0; k < s->count; k++)
        order[k] = &s->sample[k];
    qsort(order, (size_t)s->count, sizeof *order, by_point);
    int status = BMF_OK;
    for (int64_t k = 1; k < s->count && status == BMF_OK; k++)
        status = check_pair(path, order[k - 1], order[k]);
    free(order);
    return status;
}

int samples_read_until(const char *path, bool partial, bmf_samples **samples, long *whole)
{
    reader r = {.path = path, .file = fopen(path, "r"), .samples = allocate_clear(1, sizeof *r.samples)};
    int status = r.file ? BMF_OK : bmf_fail(NULL, BMF_ERROR_FILE, "cannot read '%s': %s", path, strerror(errno));
    if (status == BMF_OK)
        status = read_header(&r);
    if (status == BMF_OK)
        status = read_body(&r, partial);
    if (status == BMF_OK)
        status = check_together(path, r.samples);
    if (r.file)
        fclose(r.file);
    free(r.text);
    *whole = r.whole;
    if (status == BMF_OK)
        *samples = r.samples;
    else
        samples_free(r.samples);
    return status;
}

int samples_read(const char *path, bool partial, bmf_samples **samples)
{
    long whole;
    return samples_read_until(path, partial, samples, &whole);
}

void samples_free(bmf_samples *samples)
{
    if (!samples)
        return;
    for (int64_t k = 0; k < samples->count; k++)
        free(samples->sample[k].seconds);
    free(samples->sample);
    free(samples->skip);
    free(samples);
}

const bmf_sample *samples_find(const bmf_samples *samples, const char *operation, bool cached, int32_t p, int64_t d)
{
    for (int64_t k = 0; k < samples->count; k++) {
        const bmf_sample *s = &samples->sample[k];
        if (s->p == p && s->d == d && s->cached == cached && strcmp(s->operation, operation) == 0)
            return s;
    }
    return NULL;
}
