/* Files of samples and sheets: what is written is read, what is damaged is refused with its line. Evaluation, sums,
 * rounding, buckets, near names, comparison: against numbers worked out by hand or printed in document 001. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/sheet/compare.h"
#include "predict/sheet/text.h"
#include "bmf/status.h"

static char raw[] = "unit_sheet_XXXXXX.raw", sheet_path[] = "unit_sheet_XXXXXX.sheet";

static int make_paths(void **state)
{
    (void)state;
    int a = mkstemps(raw, 4), b = mkstemps(sheet_path, 6);
    return a < 0 || b < 0 || close(a) != 0 || close(b) != 0;
}

static int remove_paths(void **state)
{
    (void)state;
    return unlink(raw) != 0 || unlink(sheet_path) != 0;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_message(const char *part)
{
    if (!strstr(bmf_error_text(NULL), part))
        fail_msg("the message should say `%s`, but says `%s`", part, bmf_error_text(NULL));
}

/* ---- samples ---- */

static const bmf_samples_header header = {.machine = "a machine, 2 cores",
                                          .date = "2026-11-20T12:00:00Z",
                                          .version = "0.1.0",
                                          .mpi = "MPICH 4.0.2",
                                          .ranks = 8,
                                          .threads = 2,
                                          .cores = 2,
                                          .tick_seconds = 1e-9,
                                          .clock = "barrier",
                                          .options = "--repeats 3"};

static bmf_sample sample_of(const char *operation, bmf_family family, int32_t p, int64_t d, int32_t repeats,
                            double *seconds)
{
    bmf_sample sample = {
        .family = family, .p = p, .d = d, .element_bytes = 8, .threads = 1, .repeats = repeats, .seconds = seconds};
    snprintf(sample.operation, sizeof sample.operation, "%s", operation);
    return sample;
}

static void samples_are_read_as_written(void **state)
{
    (void)state;
    bmf_samples_file *file;
    bmf_samples *samples;
    double seconds[] = {1.25e-5, 0.0, 3.000000001e-5};
    bmf_sample first = sample_of("bcast", BMF_FAMILY_COLLECTIVE, 4, 1024, 3, seconds), second = first;
    second.cached = true;
    assert_int_equal(samples_create(raw, &header, &file), BMF_OK);
    assert_int_equal(samples_append(file, &first), BMF_OK);
    assert_int_equal(samples_skip(file, "allsend", "needs 4 ranks"), BMF_OK);
    assert_int_equal(samples_append(file, &second), BMF_OK);
    assert_int_equal(samples_close(file, true), BMF_OK);
    assert_int_equal(samples_read(raw, false, &samples), BMF_OK);
    assert_true(samples->complete);
    assert_int_equal(samples->count, 2);
    assert_int_equal(samples->skips, 1);
    assert_string_equal(samples->skip[0].reason, "needs 4 ranks");
    assert_string_equal(samples->header.machine, header.machine);
    assert_string_equal(samples->header.options, header.options);
    assert_int_equal(samples->header.ranks, 8);
    const bmf_sample *found = samples_find(samples, "bcast", true, 4, 1024);
    assert_ptr_equal(found, &samples->sample[1]);
    assert_null(samples_find(samples, "bcast", true, 4, 1025));
    for (int k = 0; k < 3; k++)
        assert_true(found->seconds[k] == seconds[k]);
    samples_free(samples);
}

static void an_interrupted_measurement_goes_on(void **state)
{
    (void)state;
    bmf_samples_file *file;
    bmf_samples *samples;
    double seconds[] = {1e-5};
    bmf_sample sample = sample_of("send", BMF_FAMILY_PAIR, 2, 1, 1, seconds);
    assert_int_equal(samples_create(raw, &header, &file), BMF_OK);
    assert_int_equal(samples_append(file, &sample), BMF_OK);
    assert_int_equal(samples_close(file, false), BMF_OK);
    FILE *torn = fopen(raw, "a"); /* killed inside a line */
    assert_non_null(torn);
    fputs("sample send point-to-point p 2 d 2 by", torn);
    fclose(torn);
    assert_int_equal(samples_read(raw, false, &samples), BMF_ERROR_FILE);
    assert_message(".raw:14: the file ends inside this line");
    assert_int_equal(samples_resume(raw, &header, &samples, &file), BMF_OK);
    assert_int_equal(samples->count, 1);
    assert_false(samples->complete);
    samples_free(samples);
    sample.d = 2;
    assert_int_equal(samples_append(file, &sample), BMF_OK);
    assert_int_equal(samples_close(file, true), BMF_OK);
    assert_int_equal(samples_read(raw, false, &samples), BMF_OK);
    assert_int_equal(samples->count, 2);
    samples_free(samples);
    assert_int_equal(samples_resume(raw, &header, &samples, &file), BMF_OK);
    assert_null(file);
    assert_true(samples->complete);
    samples_free(samples);
    bmf_samples_header other = header;
    other.ranks = 3;
    assert_int_equal(samples_resume(raw, &other, &samples, &file), BMF_ERROR_ARGUMENT);
    assert_message("measured with ranks 8, not 3");
}

#define HEAD                                                                                                           \
    "bmf samples 1\nmachine m\ndate d\nversion v\nmpi m\nranks 2\nthreads 1\ncores 2\ntick 1e-9\nclock barrier\n"      \
    "options o\nunits seconds\n"
#define GOOD "sample send point-to-point p 2 d 1 bytes 8 threads 1 fresh 2 1e-6 2e-6\n"

static void damaged_samples_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "does not start with 'bmf samples 1'"},
        {"bmf samples 2\n", ":1: this version"},
        {"bmf samples 1\nmachine m\n", ":2: the file ends in its header; expected 'date'"},
        {"bmf samples 1\ndate d\n", ":2: expected 'machine', found 'date'"},
        {"bmf samples 1\nmachine m\ndate d\nversion v\nmpi m\nranks 0\n", ":6: ranks must be a whole number from 1"},
        {"bmf samples 1\nmachine m\ndate d\nversion v\nmpi m\nranks 2x\n", ":6: ranks must be"},
        {HEAD GOOD, ":13: the file ends without a 'complete' line"},
        {HEAD GOOD "complete 2\n", ":14: 2 samples were written, 1 are there"},
        {HEAD GOOD "complete 1\n" GOOD, ":15: nothing may follow"},
        {HEAD GOOD GOOD "complete 2\n", "two samples with p 2 and d 1"},
        {HEAD "sample send pair p 2 d 1 bytes 8 threads 1 fresh 1 1e-6\n", ":13: unknown family 'pair'"},
        {HEAD "sample send point-to-point p 0 d 1 bytes 8 threads 1 fresh 1 1e-6\n", ":13: p must be"},
        {HEAD "sample send point-to-point p 2 d -1 bytes 8 threads 1 fresh 1 1e-6\n", ":13: d must be"},
        {HEAD "sample send point-to-point p 2 bytes 8 threads 1 fresh 1 1e-6\n", ":13: expected 'd', found 'bytes'"},
        {HEAD "sample send point-to-point p 2 d 1 bytes 8 threads 1 warm 1 1e-6\n", ":13: expected 'fresh' or"},
        {HEAD "sample send point-to-point p 2 d 1 bytes 8 threads 1 fresh 3 1e-6 2e-6\n", ":13: 2 of the 3 times"},
        {HEAD "sample send point-to-point p 2 d 1 bytes 8 threads 1 fresh 1 1e-6 2e-6\n", ":13: more than 1 times"},
        {HEAD "sample send point-to-point p 2 d 1 bytes 8 threads 1 fresh 1 nan\n", ":13: a time must be"},
        {HEAD "sample send point-to-point p 2 d 1 bytes 8 threads 1 fresh 1 -1e-6\n", ":13: a time must be"},
        {HEAD "sample 2send point-to-point p 2 d 1 bytes 8 threads 1 fresh 1 1e-6\n", ":13: '2send' is no name"},
        {HEAD "# a remark\n\nskip allsend\n", ":15: a reason is one line"},
        {HEAD "measure send\n", ":13: expected 'sample', 'skip' or 'complete', found 'measure'"},
        {HEAD GOOD "sample send local p 1 d 9 bytes 8 threads 1 fresh 1 1e-6\ncomplete 2\n", "different families"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        bmf_samples *samples;
        write_text(raw, bad[k].text);
        assert_int_equal(samples_read(raw, false, &samples), BMF_ERROR_FILE);
        assert_message(bad[k].message);
    }
    bmf_samples *samples;
    assert_int_equal(samples_read("no-such.raw", false, &samples), BMF_ERROR_FILE);
    assert_message("cannot read 'no-such.raw'");
}

static void what_cannot_be_read_is_not_written(void **state)
{
    (void)state;
    bmf_samples_file *file;
    double seconds[] = {INFINITY};
    bmf_sample sample = sample_of("send", BMF_FAMILY_PAIR, 2, 1, 1, seconds);
    assert_int_equal(samples_create(raw, &header, &file), BMF_OK);
    assert_int_equal(samples_append(file, &sample), BMF_ERROR_ARGUMENT);
    seconds[0] = 1e-6;
    sample.p = 0;
    assert_int_equal(samples_append(file, &sample), BMF_ERROR_ARGUMENT);
    assert_int_equal(samples_skip(file, "send", "two\nlines"), BMF_ERROR_ARGUMENT);
    samples_close(file, true);
    bmf_samples *samples;
    assert_int_equal(samples_read(raw, false, &samples), BMF_OK);
    assert_int_equal(samples->count + samples->skips, 0);
    samples_free(samples);
}

/* ---- sheets ---- */

/* Samples of c + s log(p) + k d for a collective, c + k d for a pair, both exact but for alternating one percent. */
static bmf_samples *make_samples(int32_t p_first, int32_t p_last)
{
    bmf_samples *made = calloc(1, sizeof *made);
    made->header = header;
    made->complete = true;
    made->sample = calloc(256, sizeof *made->sample);
    for (int32_t p = p_first; p <= p_last; p *= 2)
        for (int64_t d = 1; d <= 1024; d *= 2)
            for (int pair = 0; pair < (p == 2 ? 2 : 1); pair++) {
                double time = pair ? 10e-6 + 0.1e-6 * (double)d : 20e-6 + 8e-6 * log(p) + 0.2e-6 * (double)d;
                double *seconds = malloc(4 * sizeof *seconds);
                for (int k = 0; k < 4; k++)
                    seconds[k] = time * (1.0 + (k % 2 == 0 ? 0.01 : -0.01));
                made->sample[made->count++] = sample_of(
                    pair ? "send" : "bcast", pair ? BMF_FAMILY_PAIR : BMF_FAMILY_COLLECTIVE, p, d, 4, seconds);
            }
    return made;
}

static bmf_sheet *fit(int32_t p_first, int32_t p_last)
{
    bmf_sheet *sheet;
    bmf_samples *samples = make_samples(p_first, p_last);
    assert_int_equal(sheet_fit(samples, &sheet), BMF_OK);
    samples_free(samples);
    return sheet;
}

static void same_real(double a, double b)
{
    if (!(fabs(a - b) <= 1e-14 * fabs(a) || (isnan(a) && isnan(b))))
        fail_msg("%.17g and %.17g differ", a, b);
}

static void sheets_are_read_as_written(void **state)
{
    (void)state;
    bmf_sheet *was = fit(1, 16), *is;
    snprintf(was->title, sizeof was->title, "quotes \" and \\ backslashes");
    assert_int_equal(sheet_write(was, sheet_path), BMF_OK);
    assert_int_equal(sheet_read(sheet_path, &is), BMF_OK);
    assert_string_equal(is->title, was->title);
    assert_string_equal(is->header.date, was->header.date);
    same_real(is->header.tick_seconds, was->header.tick_seconds);
    assert_int_equal(is->entries, was->entries);
    assert_true(was->entries >= 3); /* bcast with one process, bcast with more, send */
    for (int64_t k = 0; k < is->entries; k++) {
        const bmf_sheet_entry *a = &is->entry[k], *b = &was->entry[k];
        assert_string_equal(a->operation, b->operation);
        assert_true(a->family == b->family && form_equal(a->form, b->form));
        assert_true(a->p_low == b->p_low && a->p_high == b->p_high && a->d_low == b->d_low && a->d_high == b->d_high);
        for (int i = 0; i < BMF_TERMS; i++) {
            same_real(a->coefficient[i], b->coefficient[i]);
            for (int j = 0; j < BMF_TERMS; j++)
                same_real(a->covariance[i][j], b->covariance[i][j]);
        }
        same_real(a->noise, b->noise);
        same_real(a->q, b->q);
        same_real(a->freedom, b->freedom);
        assert_int_equal(a->alternatives, b->alternatives);
        assert_int_equal(a->points, b->points);
        for (int64_t j = 0; j < a->points; j++)
            same_real(a->point[j].typical, b->point[j].typical);
    }
    sheet_free(is);
    sheet_free(was);
}

static void groups_of_one_stand_apart(void **state)
{
    (void)state;
    bmf_sheet *sheet = fit(1, 16);
    int64_t count;
    const bmf_sheet_entry *entry = sheet_find(sheet, "bcast", &count);
    assert_int_equal(entry[0].p_low, 1);
    assert_int_equal(entry[0].p_high, 1);
    assert_int_equal(entry[count - 1].p_low, 2);
    assert_int_equal(entry[count - 1].p_high, 16);
    bmf_estimate estimate;
    assert_int_equal(sheet_evaluate(sheet, "bcast", 1, 64, &estimate), BMF_OK);
    assert_true(fabs(estimate.mean - (20e-6 + 0.2e-6 * 64)) < 1e-7);
    assert_true(estimate.inside);
    assert_int_equal(sheet_evaluate(sheet, "bcast", 8, 64, &estimate), BMF_OK);
    assert_true(fabs(estimate.mean - (20e-6 + 8e-6 * log(8) + 0.2e-6 * 64)) < 2e-7);
    assert_int_equal(sheet_evaluate(sheet, "send", 128, 64, &estimate), BMF_OK); /* any p */
    assert_true(estimate.inside);
    sheet_free(sheet);
}

/* A kernel traced on one rank and on two, which have half of the elements each. */
static void kernels_of_one_and_two_ranks(void **state)
{
    (void)state;
    bmf_samples *samples = calloc(1, sizeof *samples);
    samples->header = header;
    samples->complete = true;
    samples->sample = calloc(32, sizeof *samples->sample);
    for (int32_t p = 1; p <= 2; p++)
        for (int64_t n = 1024; n <= 65536; n *= 2) {
            double *seconds = malloc(4 * sizeof *seconds);
            for (int k = 0; k < 4; k++)
                seconds[k] = (p == 1 ? 1e-9 : 1.5e-9) * (double)(n / p) * (1.0 + (k % 2 == 0 ? 0.01 : -0.01));
            samples->sample[samples->count++] = sample_of("kernel", BMF_FAMILY_LOCAL, p, n / p, 4, seconds);
        }
    bmf_sheet *was, *is;
    bmf_estimate estimate;
    assert_int_equal(sheet_fit(samples, &was), BMF_OK);
    assert_int_equal(sheet_write(was, sheet_path), BMF_OK);
    assert_int_equal(sheet_read(sheet_path, &is), BMF_OK);
    for (int32_t p = 1; p <= 2; p++) {
        assert_int_equal(sheet_evaluate(is, "kernel", p, 10000, &estimate), BMF_OK);
        assert_true(fabs(estimate.mean / (p == 1 ? 10e-6 : 15e-6) - 1.0) < 0.02);
        assert_true(estimate.inside);
    }
    assert_int_equal(sheet_evaluate(is, "kernel", 4, 10000, &estimate), BMF_OK);
    assert_non_null(strstr(estimate.outside, "p is outside what was measured, 1 to 2"));
    sheet_free(is);
    sheet_free(was);
    samples_free(samples);
}

static void cached_buffers_stand_apart(void **state)
{
    (void)state;
    bmf_samples *samples = make_samples(2, 2);
    int64_t count = samples->count;
    for (int64_t k = 0; k < count; k++) {
        bmf_sample *sample = &samples->sample[samples->count++];
        *sample = samples->sample[k];
        sample->cached = true;
        sample->seconds = malloc(4 * sizeof *sample->seconds);
        for (int j = 0; j < 4; j++)
            sample->seconds[j] = samples->sample[k].seconds[j] / 4;
    }
    bmf_sheet *sheet;
    bmf_estimate fresh, cached;
    assert_int_equal(sheet_fit(samples, &sheet), BMF_OK);
    assert_int_equal(sheet_evaluate(sheet, "send", 2, 100, &fresh), BMF_OK);
    assert_int_equal(sheet_evaluate(sheet, "send:cached", 2, 100, &cached), BMF_OK);
    assert_true(fabs(cached.mean / fresh.mean - 0.25) < 0.01);
    sheet_free(sheet);
    samples_free(samples);
}

static void what_is_outside_is_said(void **state)
{
    (void)state;
    bmf_sheet *sheet = fit(2, 16);
    bmf_estimate estimate;
    assert_int_equal(sheet_evaluate(sheet, "bcast", 32, 64, &estimate), BMF_OK);
    assert_false(estimate.inside);
    assert_non_null(strstr(estimate.outside, "p is outside what was measured, 2 to 16"));
    assert_int_equal(sheet_evaluate(sheet, "bcast", 8, 2000, &estimate), BMF_OK);
    assert_non_null(strstr(estimate.outside, "d is outside what was measured, 1 to 1024"));
    assert_int_equal(sheet_evaluate(sheet, "bcast", 0, 1, &estimate), BMF_ERROR_ARGUMENT);
    assert_int_equal(sheet_evaluate(sheet, "bcast", 2, -1, &estimate), BMF_ERROR_ARGUMENT);
    assert_int_equal(sheet_evaluate(sheet, "bcats", 2, 1, &estimate), BMF_ERROR_ARGUMENT);
    assert_message("no operation 'bcats'; near: bcast");
    assert_int_equal(sheet_evaluate(sheet, "zzzzzzzzzzzz", 2, 1, &estimate), BMF_ERROR_ARGUMENT);
    assert_message("it has send, bcast");
    sheet_free(sheet);
}

static void two_group_sizes_are_reported(void **state)
{
    (void)state;
    bmf_sheet *sheet = fit(2, 4);
    int64_t count;
    const bmf_sheet_entry *entry = sheet_find(sheet, "bcast", &count);
    assert_non_null(strstr(entry->note, "ill-conditioned: p takes the values 2 and 4 only"));
    /* With p 2 and 4, p and log(p) are the same column but for its scale and the constant. */
    bool rival = false;
    for (int32_t k = 0; k < entry->alternatives; k++)
        rival = rival || entry->alternative[k].startup != entry->form.startup;
    assert_true(rival);
    entry = sheet_find(sheet, "send", &count);
    assert_string_equal(entry->note, "");
    sheet_free(sheet);
}

#define SHEET_HEAD "format = \"bmf sheet 1\";\nunits = \"us\";\nlogarithm = \"natural\";\n"
#define ENTRY      "{ operation = \"send\"; family = \"point-to-point\"; d = [1, 32]; size = \"d\"; c = 1.0; k = 2.0; "

static void damaged_sheets_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "is no sheet"},
        {"units = \"us\";\n", "is no sheet"},
        {"format = \"bmf sheet 1\"\nunits = \n\n;", ":4: syntax error"},
        {"format = \"bmf sheet 2\";\n", ":1: this version"},
        {SHEET_HEAD, "'entries' is missing"},
        {SHEET_HEAD "entries = ();\n", ":4: 'entries' must be a list"},
        {SHEET_HEAD "entries = (\n" ENTRY "}\n", "syntax error"},
        {SHEET_HEAD "entires = ();\n", ":4: unknown name 'entires'"},
        {"format = \"bmf sheet 1\";\nunits = \"h\";\nlogarithm = \"natural\";\n", ":2: 'units' are us, ms or s"},
        {"format = \"bmf sheet 1\";\nunits = \"us\";\nlogarithm = \"2\";\n", ":3: 'logarithm' must be natural"},
        {SHEET_HEAD "entries = (\n" ENTRY "\nslope = 3.0; });", ":6: unknown name 'slope'"},
        {SHEET_HEAD "entries = (\n{ operation = \"send\"; family = \"pair\"; });", ":5: unknown family 'pair'"},
        {SHEET_HEAD "entries = (\n{ family = \"local\"; c = 1.0; });", ":5: 'operation' is missing"},
        {SHEET_HEAD "entries = ({ operation = \"a\"; family = \"local\"; size = \"d\"; d = [1, 2]; c = 1.0; });",
         ":4: 'k' is missing"},
        {SHEET_HEAD "entries = ({ operation = \"a\"; family = \"local\"; c = 1.0; s = 1.0; });",
         ":4: 's' belongs to a term"},
        {SHEET_HEAD "entries = ({ operation = \"a\"; family = \"local\"; c = \"1\"; });", ":4: 'c' must be a number"},
        {SHEET_HEAD "entries = ({ operation = \"a\"; family = \"local\"; size = \"d*d\"; c = 1.0; });",
         ":4: 'size' is none, d, p*d"},
        {SHEET_HEAD "entries = ({ operation = \"a\"; family = \"barrier\"; startup = \"p\"; c = 1.0; s = 1.0; });",
         ":4: 'p' is missing"},
        {SHEET_HEAD "entries = (\n" ENTRY "p = [4, 2]; });", ":5: the range 'p' runs backwards"},
        {SHEET_HEAD "entries = (\n" ENTRY "errors = [1.0, 2.0]; });", ":5: 'errors' must hold 3 numbers"},
        {SHEET_HEAD "entries = (\n" ENTRY "errors = [-1.0, 0.0, 0.0]; });", ":5: a standard error is not negative"},
        {SHEET_HEAD "entries = (\n" ENTRY "covariance = [1.0, 0.0, 5.0, 0.0, 0.0, 1.0]; });",
         ":5: these cannot be variances"},
        {SHEET_HEAD "entries = (\n" ENTRY "q = 2.0; });", ":5: q is a probability"},
        {SHEET_HEAD "entries = (\n" ENTRY "noise = -0.1; });", ":5: 'noise' is out of range"},
        {SHEET_HEAD "entries = (\n" ENTRY "points = ( (2, 1, 3, 1.0, 2.0, 3.0) ); });", ":5: a point is"},
        {SHEET_HEAD "entries = (\n" ENTRY "},\n" ENTRY "});", ":6: 'send' has another entry"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        bmf_sheet *sheet;
        write_text(sheet_path, bad[k].text);
        if (sheet_read(sheet_path, &sheet) != BMF_ERROR_FILE)
            fail_msg("taken: %s", bad[k].text);
        assert_message(bad[k].message);
    }
}

/* A sheet cut anywhere is refused, never misread. */
static void every_cut_of_a_sheet_is_refused(void **state)
{
    (void)state;
    const char *whole = SHEET_HEAD "entries = (\n" ENTRY "errors = [1.0, 0.0, 2.0]; note = \"n\"; }\n);\n";
    char cut[1024];
    bmf_sheet *sheet;
    for (size_t length = 0; length <= strlen(whole); length++) {
        snprintf(cut, sizeof cut, "%.*s", (int)length, whole);
        write_text(sheet_path, cut);
        int status = sheet_read(sheet_path, &sheet);
        bool whole_enough = length >= strlen(whole) - 2; /* the ; and newline at the end may be missing */
        assert_int_equal(status, whole_enough ? BMF_OK : BMF_ERROR_FILE);
        if (status == BMF_OK)
            sheet_free(sheet);
    }
}

/* ---- errors ---- */

/* One entry with c = 100 us +- 10, k = 2 us +- 0.1, correlated, and 5 % noise. */
static bmf_sheet *known_sheet(void)
{
    bmf_sheet *sheet;
    write_text(sheet_path,
               SHEET_HEAD "entries = ({ operation = \"op\"; family = \"collective\"; p = [2, 8]; d = [0, 100];"
                          "size = \"d\"; c = 100.0; k = 2.0; noise = 0.05; freedom = 1e9;"
                          "covariance = [100.0, 0.0, -0.5, 0.0, 0.0, 0.01]; },\n"
                          "{ operation = \"bare\"; family = \"local\"; c = 7.0; });");
    assert_int_equal(sheet_read(sheet_path, &sheet), BMF_OK);
    return sheet;
}

static void about(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * fabs(expected))
        fail_msg("%.12g should be %.12g", value, expected);
}

static void intervals_follow_from_the_errors(void **state)
{
    (void)state;
    bmf_sheet *sheet = known_sheet();
    bmf_estimate e;
    assert_int_equal(sheet_evaluate(sheet, "op", 4, 50, &e), BMF_OK);
    about(e.mean, 200e-6);
    about(e.coefficient_variance, (100.0 - 2 * 50 * 0.5 + 2500 * 0.01) * 1e-12); /* x'Cx, x = (1, 50) */
    about(e.noise_variance, 100e-12);
    about(e.min, (90 + 50 * 1.9) * 1e-6);
    about(e.max, (110 + 50 * 2.1) * 1e-6);
    /* 1.959964 standard deviations; freedom is a billion */
    assert_true(fabs(e.high - (200e-6 + 1.959964 * sqrt(175e-12))) < 1e-11);
    assert_int_equal(sheet_evaluate(sheet, "bare", 1, 0, &e), BMF_OK);
    assert_false(e.has_errors);
    about(e.low, 7e-6);
    about(e.high, 7e-6);
    sheet_free(sheet);
}

/* A thousand uses of one equation share its error: the variance of the coefficients grows by a million, that of the
 * noise by a thousand. */
static void repeated_use_shares_its_error(void **state)
{
    (void)state;
    bmf_sheet *sheet = known_sheet();
    bmf_estimate one, sum;
    assert_int_equal(sheet_evaluate(sheet, "op", 4, 50, &one), BMF_OK);
    bmf_cost *cost = cost_new(sheet);
    for (int k = 0; k < 10; k++)
        assert_int_equal(cost_add(cost, "op", 4, 50, 100), BMF_OK);
    assert_int_equal(cost_add(cost, "po", 4, 50, 1), BMF_ERROR_ARGUMENT);
    cost_sum(cost, &sum);
    about(sum.mean, 1000 * one.mean);
    about(sum.coefficient_variance, 1e6 * one.coefficient_variance);
    about(sum.noise_variance, 1e3 * one.noise_variance);
    assert_true(sum.inside && sum.has_errors);
    /* Different sizes: g = (1, 0) + (1, 100), so g'Cg = 4 * 100 + 2 * 2 * 100 * -0.5 + 10000 * 0.01. */
    bmf_cost *mixed = cost_new(sheet);
    assert_int_equal(cost_add(mixed, "op", 4, 0, 1), BMF_OK);
    assert_int_equal(cost_add(mixed, "op", 4, 100, 1), BMF_OK);
    cost_sum(mixed, &sum);
    about(sum.coefficient_variance, (400.0 - 200.0 + 100.0) * 1e-12);
    assert_int_equal(cost_add(mixed, "bare", 1, 0, 2), BMF_OK);
    assert_int_equal(cost_add(mixed, "op", 4, 200, 1), BMF_OK);
    cost_sum(mixed, &sum);
    about(sum.mean, (100 + 300 + 14 + 500) * 1e-6);
    assert_false(sum.has_errors);
    assert_false(sum.inside);
    assert_non_null(strstr(sum.outside, "op: d is outside"));
    cost_free(mixed);
    cost_free(cost);
    sheet_free(sheet);
}

static void sheets_are_compared_by_their_errors(void **state)
{
    (void)state;
    bmf_sheet *a = known_sheet(), *b = known_sheet();
    bmf_sheet_comparison *c;
    int64_t count = sheet_compare(a, b, &c);
    assert_int_equal(count, 2);
    assert_string_equal(c[0].operation, "op");
    about(c[0].mean, 1.0);
    assert_false(c[0].differ);
    free(c);
    int64_t one;
    bmf_sheet_entry *entry = (bmf_sheet_entry *)sheet_find(b, "op", &one);
    entry->coefficient[0] = 200e-6; /* ten standard errors, seven of both together */
    count = sheet_compare(a, b, &c);
    assert_int_equal(count, 2);
    assert_true(c[0].differ);
    about(c[0].max, 2.0);
    /* The largest quotient is at d = 50, where x'Cx is least (75): 100 / sqrt(2 * 75); the grid has 32 and 64. */
    assert_true(c[0].errors > 7.9 && c[0].errors <= 100.0 / sqrt(150.0) + 1e-9);
    assert_false(c[1].has_errors);
    free(c);
    snprintf(entry->operation, sizeof entry->operation, "other");
    count = sheet_compare(a, b, &c);
    assert_int_equal(count, 3);
    assert_true(c[0].in_first && !c[0].in_second && !c[0].both);
    free(c);
    sheet_free(a);
    sheet_free(b);
}

/* ---- rounding (document 001, 3.2) ---- */

static void figures(double value, int count, const char *expected)
{
    char text[64];
    assert_string_equal(figures_text(value, count, text, sizeof text), expected);
}

static void coefficients_are_rounded_as_printed(void **state)
{
    (void)state;
    bmf_sheet_entry entry = {.form = {BMF_STARTUP_LOG, BMF_SIZE_LOG_D}, .coefficient = {14e-6, 123e-6, 1.2e-6}};
    char text[BMF_SHEET_TEXT];
    assert_string_equal(equation_text(&entry, BMF_EQUATION_ROUNDED, 1e-6, text, sizeof text),
                        "10 + 100 log(p) + 1 log(p)*d");
    entry.coefficient[0] = -14e-6;
    entry.coefficient[1] = -250e-6;
    assert_string_equal(equation_text(&entry, BMF_EQUATION_ROUNDED, 1e-6, text, sizeof text),
                        "-10 - 300 log(p) + 1 log(p)*d");
    figures(0.0009, 1, "0.0009");
    figures(95.0, 1, "100");
    figures(9.5, 1, "10");
    figures(0.25, 1, "0.3");
    figures(0.15, 1, "0.2");
    figures(0.05, 1, "0.05");
    figures(0.0, 1, "0");
    figures(3e-5, 1, "3e-05");
    figures(123456.0, 3, "123000");
    figures(1.04, 2, "1");
    figures(0.996, 2, "1");
    figures(40.0, 1, "40");
}

static void times_fall_into_buckets(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } bucket[] = {{1e-6, "1 us"},     {3e-6, "1 us"},     {3.2e-6, "10 us"}, {3.1e-5, "10 us"},
                  {3.2e-5, "100 us"}, {1.2e-4, "100 us"}, {9.1e-4, "1 ms"},  {5e-3, "10 ms"},
                  {1e-8, "1 us"},     {0.0, "1 us"},      {0.5, "1 s"}};
    char text[32];
    for (size_t k = 0; k < sizeof bucket / sizeof bucket[0]; k++)
        assert_string_equal(bucket_text(bucket[k].seconds, text, sizeof text), bucket[k].text);
}

static void errors_decide_the_digits(void **state)
{
    (void)state;
    bmf_sheet_entry entry = {
        .form = {BMF_STARTUP_NONE, BMF_SIZE_D}, .coefficient = {106.549e-6, 0, 0.0439693e-6}, .has_errors = true};
    entry.covariance[0][0] = 12.3071e-6 * 12.3071e-6;
    entry.covariance[2][2] = 0.00175882e-6 * 0.00175882e-6;
    char text[BMF_SHEET_TEXT];
    assert_string_equal(equation_text(&entry, BMF_EQUATION_ERRORS, 1e-6, text, sizeof text),
                        "(107 +- 12) + (0.044 +- 0.0018) d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_read_as_written),
        cmocka_unit_test(an_interrupted_measurement_goes_on),
        cmocka_unit_test(damaged_samples_are_refused),
        cmocka_unit_test(what_cannot_be_read_is_not_written),
        cmocka_unit_test(sheets_are_read_as_written),
        cmocka_unit_test(groups_of_one_stand_apart),
        cmocka_unit_test(kernels_of_one_and_two_ranks),
        cmocka_unit_test(cached_buffers_stand_apart),
        cmocka_unit_test(what_is_outside_is_said),
        cmocka_unit_test(two_group_sizes_are_reported),
        cmocka_unit_test(damaged_sheets_are_refused),
        cmocka_unit_test(every_cut_of_a_sheet_is_refused),
        cmocka_unit_test(intervals_follow_from_the_errors),
        cmocka_unit_test(repeated_use_shares_its_error),
        cmocka_unit_test(sheets_are_compared_by_their_errors),
        cmocka_unit_test(coefficients_are_rounded_as_printed),
        cmocka_unit_test(times_fall_into_buckets),
        cmocka_unit_test(errors_decide_the_digits),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_paths);
}
