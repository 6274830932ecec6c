/** @file
 * What main programs of the Cowichan programs share. */
#ifndef COWICHAN_MAINS_H
#define COWICHAN_MAINS_H

#include "common.h"

/** A program that marks a fraction of all cells: thresh, invperc. */
struct mask_program {
    const char *name, *what, *fraction; /* the last two for --help */
    struct matrix (*mask)(const struct run *run, const struct matrix *in, double fraction);
    /** The mask of n x n cells, to be freed. */
    void *(*reference)(const int32_t *in, int64_t n, double fraction);
};

/** The whole of it. */
int mask_main(int argc, char **argv, const struct mask_program *program);

/** The result, to be freed, of a system (or matrix and vector) of n rows; may change both. `how` is the program's. */
typedef void *system_reference(double *a, double *b, int64_t n, const void *how);
/** What follows the parallel part of product, sor and gauss: output, check, the end of the run. Frees all three. */
int system_close(struct run *run, struct matrix *a, struct matrix *b, struct matrix *x, const char *what,
                 system_reference *reference, const void *how);

#endif
