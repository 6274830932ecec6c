/* What the files of the language benchmark share: rows, their data and the loops written by hand. */
#ifndef BENCH_LANGUAGE_H
#define BENCH_LANGUAGE_H

#include "runtime/base/memory.h"
#include "skeletons/language/program.h"

typedef struct language_row language_row;

/* One row being measured: its input as plain arrays, the same as a value, and both results. */
typedef struct language_case {
    bmf_context *ctx;
    const language_row *row;
    int64_t elements;           /* scalars of the input, or points */
    int64_t lists;              /* inner lists */
    bmf_buffer *x, *y, *starts; /* starts: lists + 1 offsets */
    bmf_buffer *expected;       /* of the loops: expected_count words */
    int64_t expected_count;
    int64_t input_bytes;
    bmf_program program;
    bmf_value input, out;
    bmf_frame frame;
    bmf_evaluator evaluator;
    bool once; /* the input is handed over and not kept */
} language_case;

struct language_row {
    const char *name, *what;
    const char *text; /* the program, with data of the right type */
    int64_t divisor;  /* the default number of elements is divided by this */
    double bar, memory_bar;
    int (*prepare)(language_case *c);
    void (*reference)(language_case *c);
    const bmf_value *(*words)(const bmf_value *out); /* of the result: 8 bytes each */
    void (*peer)(language_case *c);                  /* the same by a peer, or NULL */
};

extern const language_row bench_language_rows[];
extern const int bench_language_row_count;

/* ---- the loops; every thread works on a contiguous share unless they say otherwise ---- */

double language_sum_of_squares(int threads, int64_t count, const double *x);
/* y[i] = f(x[0]) + .. + f(x[i]), f(x) = (2 x + 1) / 4; two passes */
void language_scan(int threads, int64_t count, const double *x, double *y);
double language_dot(int threads, int64_t count, const double *x, const double *y);
void language_inner_sums(int threads, int64_t lists, const int64_t *start, const double *x, double *sum);
/* point i is {x[i], y[i]}; chunks of points to whoever is free */
void language_mandelbrot(int threads, int64_t count, const double *x, const double *y, int64_t *steps);
int64_t language_count(int threads, int64_t count, const double *x);
/* those above the limit, in order; two passes; returns how many */
int64_t language_filter(int threads, int64_t count, const double *x, double *y);
void language_map(int threads, int64_t count, const double *x, double *y);
/* y[i] = (x[i] - mean) / deviation; two passes */
void language_normalise(int threads, int64_t count, const double *x, double *y);
/* z[i side + j] = x[i side ..] times y[j side ..]; in tiles of 4 x 4 that stay in registers */
void language_matrix_product(int threads, int64_t side, const double *x, const double *y, double *z);
/* bins of 103 from 0 on; every thread has its own */
void language_histogram(int threads, int64_t count, const double *x, int64_t *bin);
void language_nearest(int threads, int64_t count, const double *x, const double *y, int64_t *which);
void language_inner_maxima(int threads, int64_t lists, const int64_t *start, const double *x, double *max);
void language_sixteen(int threads, int64_t count, const double *x, double *y);

enum { LANGUAGE_BINS = 10, LANGUAGE_CENTRES = 8 };
enum { LANGUAGE_STEPS = 256, LANGUAGE_LIMIT = 600 };

#endif
