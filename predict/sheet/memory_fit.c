/* The machine's memory in a sheet: curves from the samples of the family "memory".
 *
 * Method: a point's seconds for a byte are the median of its repetitions, because what disturbs a measurement makes it
 * longer; a curve goes through the points of one operation and number of cores from min_bytes on. */
#include <stdlib.h>
#include <string.h>

#include "predict/sheet/sheet_private.h"
#include "predict/statistics/sample.h"
#include "runtime/base/allocate.h"

static const double min_bytes = 4096.0; /* below, a loop's own start counts */
enum { WORD = 8, MIN_POINTS = 3 };

static int by_size(const void *a, const void *b)
{
    const bmf_memory_point *x = a, *y = b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static bool is_of(const bmf_sample *sample, bmf_memory_access access)
{
    return sample->family == BMF_FAMILY_MEMORY && strcmp(sample->operation, memory_access_operation(access)) == 0;
}

/* There is no huge page in less than one. */
static double first_bytes(bmf_memory_access access)
{
    return access == BMF_MEMORY_TOUCH ? BMF_MEMORY_HUGE_PAGE : min_bytes;
}

static double median_of(const bmf_sample *sample)
{
    double *sorted = allocate_array(sample->repeats, (int64_t)sizeof *sorted);
    memcpy(sorted, sample->seconds, (size_t)sample->repeats * sizeof *sorted);
    const double median = sample_median(sorted, sample->repeats);
    free(sorted);
    return median;
}

static void fit_curve(const bmf_samples *samples, bmf_memory_access access, int32_t p, bmf_memory *memory)
{
    bmf_memory_point *point = allocate_array(samples->count, (int64_t)sizeof *point);
    int64_t count = 0;
    for (int64_t k = 0; k < samples->count; k++) {
        const bmf_sample *sample = &samples->sample[k];
        const double bytes = (double)sample->d * WORD;
        if (is_of(sample, access) && sample->p == p && bytes >= first_bytes(access))
            point[count++] = (bmf_memory_point){bytes, median_of(sample) / bytes};
    }
    qsort(point, (size_t)count, sizeof *point, by_size);
    if (count >= MIN_POINTS) {
        memory->curve =
            reallocate_array(memory->curve, memory->curves, memory->curves + 1, (int64_t)sizeof *memory->curve);
        bmf_memory_curve *curve = &memory->curve[memory->curves++];
        *curve = (bmf_memory_curve){.access = access, .p = p};
        memory_curve_fit(count, point, curve);
    }
    free(point);
}

/* The next number of cores after p, or 0. */
static int32_t next_p(const bmf_samples *samples, bmf_memory_access access, int32_t p)
{
    int32_t next = 0;
    for (int64_t k = 0; k < samples->count; k++) {
        const bmf_sample *sample = &samples->sample[k];
        if (is_of(sample, access) && sample->p > p && (next == 0 || sample->p < next))
            next = sample->p;
    }
    return next;
}

void sheet_fit_memory(const bmf_samples *samples, bmf_memory *memory)
{
    for (int access = 0; access < BMF_MEMORY_ACCESS_COUNT; access++)
        for (int32_t p = 0; (p = next_p(samples, (bmf_memory_access)access, p)) > 0;)
            fit_curve(samples, (bmf_memory_access)access, p, memory);
}

void sheet_copy_memory(const bmf_memory *from, bmf_memory *to)
{
    free(to->curve);
    to->curves = from->curves;
    to->curve = allocate_array(from->curves, (int64_t)sizeof *to->curve);
    if (from->curves > 0)
        memcpy(to->curve, from->curve, (size_t)from->curves * sizeof *to->curve);
}
