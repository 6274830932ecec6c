/* Products of matrices of reals by a library of BLAS, where one is installed: found when the first product wants it.
 *
 * BMF_BLAS in the environment names the library, by its file or as the loader finds it; 0 or empty: none. Default: the
 * first of OpenBLAS, BLIS and MKL that the loader finds. The reference library, libblas.so.3, is only taken by name: it
 * is slower than the library's own products. The library's own threads are turned off, because its callers are threads
 * already. Private to skeletons. */
#ifndef BMF_BLAS_H
#define BMF_BLAS_H

#include <stdbool.h>
#include <stdint.h>

/* A matrix by rows: row i begins at data + i * row. */
typedef struct blas_matrix {
    const double *data;
    int64_t row, rows, columns; /* row >= columns */
} blas_matrix;

/* Its file name; NULL: there is none. From any thread. */
const char *blas_library(void);
/* Why the library that BMF_BLAS names is not there, in words; NULL: it is, or none is named. From any thread. */
const char *blas_problem(void);

/* out = a b, whose rows begin `row` apart. In what order products are added up, and with how many roundings, is the
 * library's choice. false: there is no library, or it cannot count that far; nothing was written then. From several
 * threads at once. */
bool blas_multiply(const blas_matrix *a, const blas_matrix *b, double *out, int64_t row);

#endif
