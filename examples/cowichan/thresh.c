/* thresh: the cells among the brightest: those at least as large as the largest value that a fraction of all cells
 * reaches.
 *
 * Two reductions: the largest value, and the sum of all ranks' histograms. */
#include "bmf_mark.h"
#include "formulas.h"
#include "mains.h"
#include "programs.h"

#include <stdlib.h>

enum { MAX_VALUE = 1 << 24 };

/* The histogram of all cells; *largest is set to the largest value. */
static int64_t *histogram(const struct run *run, const struct matrix *in, int32_t *largest)
{
    const int64_t cells = (int64_t)in->count * in->columns;
    uint32_t own = 0, all; /* negative values are larger than all others here */
    phase("largest");
    for (int64_t i = 0; i < cells; i++)
        if ((uint32_t)in->ints[i] > own)
            own = (uint32_t)in->ints[i];
    bmf_compute((double)cells);
    MPI_Allreduce(&own, &all, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
    if (all > MAX_VALUE)
        fail(run, 2, "values are from 0 to %d", MAX_VALUE);
    *largest = (int32_t)all;
    phase("histogram");
    int64_t *const count = memory((int64_t)all + 1, sizeof *count);
    for (int64_t i = 0; i < cells; i++)
        count[in->ints[i]]++;
    bmf_compute((double)cells);
    MPI_Allreduce(MPI_IN_PLACE, count, *largest + 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return count;
}

struct matrix thresh(const struct run *run, const struct matrix *in, double fraction)
{
    int32_t largest;
    int64_t *const count = histogram(run, in, &largest);
    phase("threshold");
    const int32_t least = threshold(count, largest, fraction * in->rows * in->columns);
    bmf_compute(fraction * largest);
    free(count);
    phase("mask");
    struct matrix out = matrix_make(run, in->rows, in->columns, INTS);
    const int64_t cells = (int64_t)in->count * in->columns;
    for (int64_t i = 0; i < cells; i++)
        out.ints[i] = in->ints[i] >= least;
    bmf_compute((double)cells);
    phase("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    return out;
}

#ifndef COWICHAN_CHAIN
/* Tries every value. */
static void *reference(const int32_t *in, int64_t n, double fraction)
{
    int32_t *const out = memory(n * n, sizeof *out);
    int32_t least = 0;
    for (int32_t t = 1, enough = 1; enough; t++) {
        int64_t reached = 0;
        for (int64_t i = 0; i < n * n; i++)
            reached += in[i] >= t;
        enough = reached > 0 && (double)reached >= fraction * (double)(n * n);
        if (enough)
            least = t;
    }
    for (int64_t i = 0; i < n * n; i++)
        out[i] = in[i] >= least;
    return out;
}

int main(int argc, char **argv)
{
    const struct mask_program program = {"thresh", "Marks the largest of n x n cells.", "of the cells, at least (0.1)",
                                         thresh, reference};
    return mask_main(argc, argv, &program);
}
#endif
