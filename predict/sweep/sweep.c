/* Files of sweeps: reading, writing, and the statistics of their points. */
#include "predict/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/output_file.h"
#include "runtime/base/text.h"
#include "runtime/convert/output.h"

static const char *const kind_names[BMF_SWEEP_KINDS] = {"measured", "machine", "model"};
static const char first_line[] = "bmf sweep 1";

const char *sweep_kind_name(bmf_sweep_kind kind)
{
    return kind_names[kind];
}

void sweep_free(bmf_sweep *sweep)
{
    if (!sweep)
        return;
    free(sweep->time);
    free(sweep->failure);
    free(sweep);
}

bool sweep_has(const bmf_sweep *sweep, bmf_sweep_kind kind, int64_t p, double n, int32_t repeat)
{
    for (int64_t k = 0; k < sweep->times; k++) {
        const bmf_sweep_time *at = &sweep->time[k];
        if (at->kind == kind && at->p == p && at->n == n && at->repeat == repeat && strcmp(at->phase, "total") == 0)
            return true;
    }
    return false;
}

/* ---- reading ---- */

typedef struct reader {
    const char *path;
    int64_t line;
    bmf_sweep *sweep;
    int64_t time_capacity, failure_capacity;
    bool in_block;    /* of the document's files */
    int64_t p, block; /* of the block; times before it */
    double n;
} reader;

static int fail(const reader *r, const char *what)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: %s", r->path, (long long)r->line, what);
}

static bool is_point(double p, double n, int repeat, double seconds)
{
    return p >= 1 && p <= INT32_MAX && isfinite(n) && n >= 0 && repeat >= 1 && isfinite(seconds) && seconds >= 0;
}

static bool find_kind(const char *name, bmf_sweep_kind *kind)
{
    for (int k = 0; k < BMF_SWEEP_KINDS; k++)
        if (strcmp(kind_names[k], name) == 0) {
            *kind = (bmf_sweep_kind)k;
            return true;
        }
    return false;
}

static int read_time(reader *r, const char *line)
{
    char kind[16], rest;
    long long p;
    bmf_sweep_time made = {0};
    const int words = sscanf(line, "time %15s p %lld n %lf repeat %d phase %47s %lf %c", kind, &p, &made.n,
                             &made.repeat, made.phase, &made.seconds, &rest);
    made.p = p;
    if (words != 6 || !find_kind(kind, &made.kind) || !is_point((double)p, made.n, made.repeat, made.seconds))
        return fail(r, "expected time KIND p P n N repeat R phase NAME SECONDS");
    *ARRAY_APPEND(r->sweep->time, r->sweep->times, r->time_capacity) = made;
    return BMF_OK;
}

static int read_failure(reader *r, const char *line)
{
    char kind[16];
    long long p;
    int at = 0;
    bmf_sweep_failure made = {0};
    const int words = sscanf(line, "fail %15s p %lld n %lf repeat %d %n", kind, &p, &made.n, &made.repeat, &at);
    made.p = p;
    if (words != 4 || at == 0 || !find_kind(kind, &made.kind) || !is_point((double)p, made.n, made.repeat, 0.0))
        return fail(r, "expected fail KIND p P n N repeat R REASON");
    snprintf(made.reason, sizeof made.reason, "%s", line + at);
    *ARRAY_APPEND(r->sweep->failure, r->sweep->failures, r->failure_capacity) = made;
    return BMF_OK;
}

static int read_complete(reader *r, const char *line)
{
    if (strtoll(line + strlen("complete "), NULL, 10) != r->sweep->times)
        return fail(r, "the number of times is another one");
    r->sweep->complete = true;
    return BMF_OK;
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

static int read_line(reader *r, const char *line)
{
    if (r->sweep->complete)
        return fail(r, "something stands behind the line `complete`");
    if (begins(line, "time "))
        return read_time(r, line);
    if (begins(line, "fail "))
        return read_failure(r, line);
    if (begins(line, "complete "))
        return read_complete(r, line);
    if (begins(line, "program "))
        snprintf(r->sweep->program, sizeof r->sweep->program, "%s", line + strlen("program "));
    else if (begins(line, "launch "))
        snprintf(r->sweep->launch, sizeof r->sweep->launch, "%s", line + strlen("launch "));
    else if (line[0] && line[0] != '#' && strcmp(line, "units seconds") != 0)
        return fail(r, "expected time, fail or complete");
    return BMF_OK;
}

/* ---- the document's blocks ---- */

/* The last line of a block is its total, whatever it is called. */
static void end_block(reader *r)
{
    bmf_sweep *s = r->sweep;
    if (r->in_block && s->times > r->block)
        snprintf(s->time[s->times - 1].phase, sizeof s->time[0].phase, "total");
}

static int begin_block(reader *r, const char *line)
{
    long long p;
    double n;
    char rest;
    if (sscanf(line, "# %lld %lf %c", &p, &n, &rest) != 2 || !is_point((double)p, n, 1, 0.0))
        return fail(r, "expected # PROCESSES DATA");
    end_block(r);
    r->in_block = true;
    r->block = r->sweep->times;
    r->p = p;
    r->n = n;
    return BMF_OK;
}

static int read_block_line(reader *r, const char *line)
{
    char rest;
    bmf_sweep_time made = {.kind = BMF_SWEEP_MEASURED, .p = r->p, .n = r->n, .repeat = 1};
    if (line[0] == '#')
        return begin_block(r, line);
    if (!line[0])
        return BMF_OK;
    if (sscanf(line, "%47s %lf %c", made.phase, &made.seconds, &rest) != 2 ||
        !is_point((double)made.p, made.n, 1, made.seconds))
        return fail(r, "expected PHASE SECONDS");
    while (sweep_has(r->sweep, made.kind, made.p, made.n, made.repeat))
        made.repeat++;
    *ARRAY_APPEND(r->sweep->time, r->sweep->times, r->time_capacity) = made;
    return BMF_OK;
}

/* ---- a whole file ---- */

/* Repetitions that were interrupted before their total. */
static void drop_incomplete(bmf_sweep *s)
{
    int64_t kept = 0, first = 0; /* first: of the repetition at hand */
    for (int64_t k = 0; k < s->times; k++) {
        const bmf_sweep_time *at = &s->time[k], *before = k > first ? &s->time[k - 1] : at;
        if (at->kind != before->kind || at->p != before->p || at->n != before->n || at->repeat != before->repeat)
            first = k;
        if (strcmp(at->phase, "total") != 0)
            continue;
        memmove(s->time + kept, s->time + first, (size_t)(k - first + 1) * sizeof *s->time);
        kept += k - first + 1;
        first = k + 1;
    }
    s->times = kept;
}

static int read_file(reader *r, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int status = BMF_OK;
    bool blocks = false;
    while (status == BMF_OK && (length = getline(&line, &room, file)) > 0) {
        const bool whole = line[length - 1] == '\n';
        line[strcspn(line, "\r\n")] = 0;
        r->line++;
        if (r->line == 1) {
            blocks = line[0] == '#';
            if (!blocks && strcmp(line, first_line) != 0)
                status = fail(r, "neither a sweep nor the document's blocks");
        }
        if (status == BMF_OK && blocks)
            status = read_block_line(r, line);
        else if (status == BMF_OK && r->line > 1 && whole) /* a torn last line does not count */
            status = read_line(r, line);
    }
    if (status == BMF_OK && r->line == 0)
        status = bmf_fail(NULL, BMF_ERROR_FILE, "%s: an empty file is no sweep", r->path);
    if (status == BMF_OK && ferror(file))
        status = bmf_fail(NULL, BMF_ERROR_FILE, "cannot read '%s': %s", r->path, strerror(errno));
    end_block(r);
    r->sweep->complete = r->sweep->complete || blocks;
    free(line);
    return status;
}

int sweep_read(const char *path, bmf_sweep **sweep)
{
    reader r = {.path = path, .sweep = allocate_clear(1, (int64_t)sizeof *r.sweep)};
    FILE *file = fopen(path, "r");
    int status =
        file ? read_file(&r, file) : bmf_fail(NULL, BMF_ERROR_FILE, "cannot read '%s': %s", path, strerror(errno));
    if (file)
        fclose(file);
    if (status == BMF_OK) {
        drop_incomplete(r.sweep);
        *sweep = r.sweep;
    } else {
        sweep_free(r.sweep);
    }
    return status;
}

/* ---- writing ---- */

struct bmf_sweep_file {
    FILE *file;
    char *path;
    int64_t times;
    int failure; /* errno of the first write that failed */
};

static int fail_write(const char *path, int reason)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s': %s", path, strerror(reason));
}

static void put_time(FILE *to, const bmf_sweep_time *t)
{
    fprintf(to, "time %s p %lld n %.17g repeat %d phase %s %.9g\n", kind_names[t->kind], (long long)t->p, t->n,
            t->repeat, t->phase, t->seconds);
}

static int begin_file(const char *path, const char *program, const char *launch, const bmf_sweep *from)
{
    bmf_output_file output;
    int failure = output_file_open_regular(&output, path);
    if (failure)
        return fail_write(path, failure);
    FILE *to = output_file_stream(&output);
    fprintf(to, "%s\nprogram %s\nlaunch %s\nunits seconds\n", first_line, program, launch);
    for (int64_t k = 0; from && k < from->times; k++)
        put_time(to, &from->time[k]);
    failure = output_file_close(&output, 0);
    return failure ? fail_write(path, failure) : BMF_OK;
}

int sweep_create(const char *path, const char *program, const char *launch, const bmf_sweep *from,
                 bmf_sweep_file **file)
{
    BMF_TRY(begin_file(path, program, launch, from));
    FILE *to = fopen(path, "a");
    if (!to)
        return fail_write(path, errno);
    *file = allocate(sizeof **file);
    **file = (bmf_sweep_file){.file = to, .path = text_copy(path), .times = from ? from->times : 0};
    return BMF_OK;
}

static int flush(bmf_sweep_file *file)
{
    if (fflush(file->file) != 0 && file->failure == 0)
        file->failure = errno;
    return file->failure == 0 ? BMF_OK : fail_write(file->path, file->failure);
}

int sweep_append(bmf_sweep_file *file, const bmf_sweep_time *time)
{
    put_time(file->file, time);
    file->times++;
    return flush(file);
}

int sweep_append_failure(bmf_sweep_file *file, const bmf_sweep_failure *f)
{
    fprintf(file->file, "fail %s p %lld n %.17g repeat %d %s\n", kind_names[f->kind], (long long)f->p, f->n, f->repeat,
            f->reason);
    return flush(file);
}

int sweep_close(bmf_sweep_file *file, bool complete)
{
    if (!file)
        return BMF_OK;
    if (complete)
        fprintf(file->file, "complete %lld\n", (long long)file->times);
    flush(file);
    const int closed = fclose(file->file) == 0 ? 0 : errno, failure = file->failure != 0 ? file->failure : closed;
    const int status = failure == 0 ? BMF_OK : fail_write(file->path, failure);
    free(file->path);
    free(file);
    return status;
}

/* ---- points ---- */

/* A time with the number of its phase, in the order of the file; the total comes last. */
typedef struct entry {
    const bmf_sweep_time *time;
    int64_t phase;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->time->kind != y->time->kind)
        return x->time->kind < y->time->kind ? -1 : 1;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    if (x->time->n != y->time->n)
        return x->time->n < y->time->n ? -1 : 1;
    if (x->time->p != y->time->p)
        return x->time->p < y->time->p ? -1 : 1;
    return (x->time->seconds > y->time->seconds) - (x->time->seconds < y->time->seconds);
}

static int64_t phase_number(const bmf_sweep *sweep, const char *phase)
{
    int64_t k = 0;
    if (strcmp(phase, "total") == 0)
        return INT64_MAX;
    while (strcmp(sweep->time[k].phase, phase) != 0)
        k++;
    return k;
}

static bool is_same_point(const entry *a, const entry *b)
{
    return a->time->kind == b->time->kind && a->phase == b->phase && a->time->n == b->time->n &&
           a->time->p == b->time->p;
}

/* Of sorted entries of one point. */
static bmf_sweep_point make_point(const entry *e, int64_t count)
{
    const double low = e[(count - 1) / 2].time->seconds, high = e[count / 2].time->seconds;
    return (bmf_sweep_point){.kind = e->time->kind,
                             .phase = e->time->phase,
                             .p = e->time->p,
                             .n = e->time->n,
                             .repeats = count,
                             .least = e[0].time->seconds,
                             .median = 0.5 * (low + high),
                             .most = e[count - 1].time->seconds,
                             .speed_up = NAN};
}

const bmf_sweep_point *sweep_find_point(const bmf_sweep_point *point, int64_t points, bmf_sweep_kind kind,
                                        const char *phase, int64_t p, double n)
{
    for (int64_t k = 0; k < points; k++)
        if (point[k].kind == kind && point[k].p == p && point[k].n == n && strcmp(point[k].phase, phase) == 0)
            return &point[k];
    return NULL;
}

int64_t sweep_points(const bmf_sweep *sweep, bmf_sweep_point **point)
{
    int64_t count = 0;
    entry *e = allocate_array(sweep->times, (int64_t)sizeof *e);
    *point = allocate_array(sweep->times, (int64_t)sizeof **point);
    for (int64_t k = 0; k < sweep->times; k++)
        e[k] = (entry){&sweep->time[k], phase_number(sweep, sweep->time[k].phase)};
    if (sweep->times > 0)
        qsort(e, (size_t)sweep->times, sizeof *e, compare_entries);
    for (int64_t first = 0, end; first < sweep->times; first = end) {
        for (end = first + 1; end < sweep->times && is_same_point(&e[first], &e[end]);)
            end++;
        (*point)[count++] = make_point(e + first, end - first);
    }
    for (int64_t k = 0; k < count; k++) {
        const bmf_sweep_point *at = &(*point)[k], *one = sweep_find_point(*point, count, at->kind, at->phase, 1, at->n);
        if (one && at->median > 0.0)
            (*point)[k].speed_up = one->median / at->median;
    }
    free(e);
    return count;
}

int sweep_write_blocks(const bmf_sweep *sweep, bmf_sweep_kind kind, const char *path)
{
    bmf_output out;
    bmf_sweep_point *point;
    const int64_t points = sweep_points(sweep, &point);
    int status = output_open(NULL, &out, path);
    for (int64_t k = 0; k < points && status == BMF_OK; k++) {
        if (point[k].kind != kind || strcmp(point[k].phase, "total") != 0)
            continue;
        output_print(&out, "# %lld %.17g\n", (long long)point[k].p, point[k].n);
        for (int64_t j = 0; j < points; j++)
            if (point[j].kind == kind && point[j].p == point[k].p && point[j].n == point[k].n)
                output_print(&out, "%s %.9g\n", point[j].phase, point[j].median);
    }
    free(point);
    return output_close(NULL, &out, status);
}
