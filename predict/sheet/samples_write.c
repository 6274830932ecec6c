/* Writing RAW files: every line goes to the operating system as soon as it is known. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "predict/sheet/samples_private.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

struct bmf_samples_file {
    FILE *file;
    char *path;
    int64_t samples;
};

static int fail_write(const char *path)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s': %s", path, strerror(errno));
}

static bmf_samples_file *make_file(FILE *file, const char *path, int64_t samples)
{
    bmf_samples_file *made = allocate(sizeof *made);
    int64_t length = (int64_t)strlen(path) + 1;
    *made = (bmf_samples_file){.file = file, .path = allocate(length), .samples = samples};
    memcpy(made->path, path, (size_t)length);
    return made;
}

static int flush(bmf_samples_file *file)
{
    return fflush(file->file) == 0 && !ferror(file->file) ? BMF_OK : fail_write(file->path);
}

static void write_header(FILE *file, const bmf_samples_header *header)
{
    fputs("bmf samples 1\n", file);
    for (int k = 0; k < BMF_HEADER_LINES; k++) {
        const bmf_header_line *line = &header_lines[k];
        const void *at = (const char *)header + line->offset;
        if (line->kind == BMF_HEADER_TEXT)
            fprintf(file, "%s %s\n", line->keyword, (const char *)at);
        else if (line->kind == BMF_HEADER_COUNT)
            fprintf(file, "%s %d\n", line->keyword, *(const int32_t *)at);
        else
            fprintf(file, "%s %.10g\n", line->keyword, *(const double *)at);
    }
    fputs("units seconds\n", file);
}

int samples_create(const char *path, const bmf_samples_header *header, bmf_samples_file **file)
{
    const char *wrong = header_mistake(header);
    if (wrong)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "%s: %s", path, wrong);
    FILE *opened = fopen(path, "w");
    if (!opened)
        return fail_write(path);
    write_header(opened, header);
    *file = make_file(opened, path, 0);
    int status = flush(*file);
    if (status != BMF_OK) {
        samples_close(*file, false);
        *file = NULL;
    }
    return status;
}

/* Whether the run that resumes is the run that was interrupted. */
static int compare_headers(const char *path, const bmf_samples_header *was, const bmf_samples_header *is)
{
    for (int k = 0; k < BMF_HEADER_LINES; k++) {
        const bmf_header_line *line = &header_lines[k];
        const void *a = (const char *)was + line->offset, *b = (const char *)is + line->offset;
        bool same = line->may_differ || line->kind == BMF_HEADER_REAL ||
                    (line->kind == BMF_HEADER_COUNT ? *(const int32_t *)a == *(const int32_t *)b
                                                    : strcmp((const char *)a, (const char *)b) == 0);
        if (!same && line->kind == BMF_HEADER_COUNT)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "%s was measured with %s %d, not %d; it cannot be resumed", path,
                            line->keyword, *(const int32_t *)a, *(const int32_t *)b);
        if (!same)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "%s was measured with %s '%s', not '%s'; it cannot be resumed",
                            path, line->keyword, (const char *)a, (const char *)b);
    }
    return BMF_OK;
}

int samples_resume(const char *path, const bmf_samples_header *header, bmf_samples **samples, bmf_samples_file **file)
{
    long whole;
    *file = NULL;
    BMF_TRY(samples_read_until(path, true, samples, &whole));
    int status = compare_headers(path, &(*samples)->header, header);
    if (status == BMF_OK && !(*samples)->complete) {
        FILE *opened = truncate(path, whole) == 0 ? fopen(path, "a") : NULL;
        if (opened)
            *file = make_file(opened, path, (*samples)->count);
        else
            status = fail_write(path);
    }
    if (status != BMF_OK) {
        samples_free(*samples);
        *samples = NULL;
    }
    return status;
}

int samples_append(bmf_samples_file *file, const bmf_sample *sample)
{
    const char *wrong = sample_mistake(sample);
    if (wrong)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "sample of '%.47s': %s", sample->operation, wrong);
    fprintf(file->file, "sample %s %s p %d d %lld bytes %d threads %d %s %d", sample->operation,
            family_name(sample->family), sample->p, (long long)sample->d, sample->element_bytes, sample->threads,
            sample->cached ? "cached" : "fresh", sample->repeats);
    for (int32_t k = 0; k < sample->repeats; k++)
        fprintf(file->file, " %.10g", sample->seconds[k]);
    fputc('\n', file->file);
    file->samples++;
    return flush(file);
}

int samples_skip(bmf_samples_file *file, const char *operation, const char *reason)
{
    const char *wrong = skip_mistake(operation, reason);
    if (wrong)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "skip of '%.47s': %s", operation, wrong);
    fprintf(file->file, "skip %s %s\n", operation, reason);
    return flush(file);
}

int samples_close(bmf_samples_file *file, bool complete)
{
    if (!file)
        return BMF_OK;
    if (complete)
        fprintf(file->file, "complete %lld\n", (long long)file->samples);
    bool failed = ferror(file->file) != 0;
    failed = fclose(file->file) != 0 || failed;
    int status = failed ? fail_write(file->path) : BMF_OK;
    free(file->path);
    free(file);
    return status;
}
