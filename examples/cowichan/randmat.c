/* randmat: an n x n matrix of random numbers from 0 to 255, the same on any number of ranks.
 *
 * Every rank jumps to the number before its first cell, in log2 of the distance steps; nothing is sent. */
#include "bmf_mark.h"
#include "programs.h"

struct matrix randmat(const struct run *run)
{
    phase("compute");
    struct matrix out = random_matrix(run, run->n);
    bmf_compute(10.0 * out.count * out.columns);
    phase("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    return out;
}

#ifndef COWICHAN_CHAIN
/* One number after the other. */
static void *reference(const struct run *run)
{
    int32_t *const out = memory(run->n * run->n, sizeof *out);
    uint32_t r = (uint32_t)run->seed;
    for (int64_t k = 0; k < run->n * run->n; k++) {
        r = random_next(r);
        out[k] = (int32_t)(r / (UINT32_MAX / RANDOM_VALUES + 1));
    }
    return out;
}

int main(int argc, char **argv)
{
    struct run run = run_open(argc, argv, "randmat", "Makes an n x n matrix of random numbers from 0 to 255.", NULL);
    run_begin(&run);
    struct matrix out = randmat(&run);
    run_end(&run);
    output(&run, &out);
    if (run.check)
        check_equal(&run, "the matrix", &out, run.rank == 0 ? reference(&run) : NULL, 0);
    const uint64_t checksum = matrix_checksum(&out);
    matrix_free(&out);
    return run_close(&run, checksum);
}
#endif
