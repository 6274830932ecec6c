/* How long one run of what was predicted takes; see expected_length.h. */
#include "runtime/trace/expected_length.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"

enum { NUMBERS = 4 };
static const char fact[] = "expected length";

static bool make_sense(const double *nanoseconds)
{
    for (int k = 0; k < NUMBERS; k++)
        if (!(nanoseconds[k] >= 0 && nanoseconds[k] <= (double)BMF_TRACE_MAX_NUMBER))
            return false;
    return nanoseconds[1] <= nanoseconds[0] && nanoseconds[0] <= nanoseconds[2];
}

/* In place of what is there. */
static void set_fact(bmf_trace_run *run, const char *value)
{
    for (uint32_t k = 0; k < run->facts; k++)
        if (strcmp(run->fact[k].key, fact) == 0) {
            free(run->fact[k].value);
            run->fact[k].value = text_copy(value);
            return;
        }
    run_add_fact(run, fact, value);
}

void expected_length_write(const bmf_expected_length *expected, bmf_trace_run *run)
{
    char text[NUMBERS * 24];
    const double number[NUMBERS] = {1e9 * expected->median, 1e9 * expected->low, 1e9 * expected->high,
                                    1e9 * expected->files};
    if (!make_sense(number))
        return;
    snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, (int64_t)llround(number[0]),
             (int64_t)llround(number[1]), (int64_t)llround(number[2]), (int64_t)llround(number[3]));
    set_fact(run, text);
}

bool expected_length_read(const bmf_trace_run *run, bmf_expected_length *expected)
{
    const char *text = run_fact(run, fact);
    int64_t number[NUMBERS];
    int size = 0;
    *expected = (bmf_expected_length){0};
    if (!text ||
        sscanf(text, "%19" SCNd64 " %19" SCNd64 " %19" SCNd64 " %19" SCNd64 "%n", &number[0], &number[1], &number[2],
               &number[3], &size) != NUMBERS ||
        text[size] != '\0' ||
        !make_sense((double[]){(double)number[0], (double)number[1], (double)number[2], (double)number[3]}))
        return false;
    *expected = (bmf_expected_length){.median = 1e-9 * (double)number[0],
                                      .low = 1e-9 * (double)number[1],
                                      .high = 1e-9 * (double)number[2],
                                      .files = 1e-9 * (double)number[3]};
    return true;
}
