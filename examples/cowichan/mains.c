/* What main programs of the Cowichan programs share: of masks of a fraction of all cells, and of linear systems. */
#include "mains.h"

#include <stdlib.h>

int mask_main(int argc, char **argv, const struct mask_program *program)
{
    double fraction = 0.1;
    const struct option options[] = {{"fraction", OPTION_REAL, &fraction, program->fraction},
                                     {NULL, OPTION_FLAG, NULL, NULL}};
    struct run run = run_open(argc, argv, program->name, program->what, options);
    if (!(fraction >= 0 && fraction <= 1))
        fail(&run, 2, "--fraction %g: from 0 to 1", fraction);
    struct matrix in = run.in ? matrix_read(&run, run.in, INTS, 0) : random_matrix(&run, run.n);
    run.n = in.rows;
    run_begin(&run);
    struct matrix out = program->mask(&run, &in, fraction);
    run_end(&run);
    output(&run, &out);
    if (run.check) {
        int32_t *const whole = matrix_gather(&run, &in);
        check_equal(&run, "the mask", &out, whole ? program->reference(whole, run.n, fraction) : NULL, 0);
        free(whole);
    }
    const uint64_t checksum = matrix_checksum(&out);
    matrix_free(&in);
    matrix_free(&out);
    return run_close(&run, checksum);
}

int system_close(struct run *run, struct matrix *a, struct matrix *b, struct matrix *x, const char *what,
                 system_reference *reference, const void *how)
{
    run_end(run);
    output(run, x);
    if (run->check) {
        double *const whole = matrix_gather(run, a), *const right = matrix_gather(run, b);
        check_equal(run, what, x, whole ? reference(whole, right, a->rows, how) : NULL, 0);
        free(whole);
        free(right);
    }
    const uint64_t checksum = matrix_checksum(x);
    matrix_free(a);
    matrix_free(b);
    matrix_free(x);
    return run_close(run, checksum);
}
