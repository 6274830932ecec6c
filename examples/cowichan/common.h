/** @file
 * What the Cowichan programs share: options, rows dealt to ranks, matrices that are read and written at rank 0, random
 * numbers, errors, the line at the end. Plain MPI; nothing of bmf but the marks, which do nothing unless a recorder is
 * loaded. Every function is collective over MPI_COMM_WORLD unless it says `local`. */
#ifndef COWICHAN_COMMON_H
#define COWICHAN_COMMON_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An option of one program: `--name VALUE`, or `--name` alone if it is a flag. A table ends with a name of NULL. */
struct option {
    const char *name;
    enum { OPTION_INT, OPTION_REAL, OPTION_TEXT, OPTION_FLAG } kind;
    void *value; /* int64_t, double, const char * or bool */
    const char *help;
};

/** A run of a program, as all ranks know it. */
struct run {
    const char *program;
    int rank, ranks;
    int64_t n;
    int64_t seed, threads;
    const char *in, *out; /* .npy files, or NULL */
    bool check, json;
    double seconds; /* of the parallel part, on this rank */
};

/** Starts MPI and reads the options; --help ends here. `what` is one line about the program, n is d of its
 * equations. */
struct run run_open(int argc, char **argv, const char *program, const char *what, const struct option *options);
/** Begins and ends the parallel part: the time between, of the slowest rank, is that of the run. */
void run_begin(struct run *run);
void run_end(struct run *run);
/** Prints the line of the run with its checksum, ends MPI and returns the exit code. */
int run_close(struct run *run, uint64_t checksum);

/** Local: ends the phase before and begins this one, for a recorder (bmf_mark.h) and for the times that --json prints:
 * of the phases of the parallel part that rank 0 has, each on the rank it took longest on. `name` is kept. */
void phase(const char *name);

/** Ends the run with one line from rank 0: 2 for what was asked, 1 for what happened. All ranks call it alike. */
_Noreturn void fail(const struct run *run, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** Goes on if `error` of rank 0 is empty; otherwise ends the run with it. */
void fail_if_root(const struct run *run, int code, const char *error);
/** Local: memory, cleared; ends everything if there is none. */
void *memory(int64_t count, size_t size);

/** Rows dealt to ranks: rank r has count[r] of them, from first[r]. */
struct deal {
    int ranks;
    int *count, *first;
};

/** Local: blocks, the first n mod p ranks have one more. */
struct deal deal_evenly(int64_t n, int ranks);
/** Rank r has what it says. */
struct deal deal_counted(int64_t count, int ranks);
/** Local: who has row i. */
int deal_owner(const struct deal *deal, int row);

/** A matrix (or vector, or points: columns 1 or 2) of ints or of reals, dealt by rows: one of the two pointers is
 * set. */
struct matrix {
    int rows, columns;
    struct deal deal;
    int first, count; /* the rows of this rank */
    int32_t *ints;
    double *reals;
};

enum kind { INTS, REALS };

/** Local: a matrix of zeros. */
struct matrix matrix_make(const struct run *run, int64_t rows, int64_t columns, enum kind kind);
/** Local: the same with rows dealt as said; takes the deal over. */
struct matrix matrix_make_dealt(const struct run *run, int64_t columns, enum kind kind, struct deal deal);
void matrix_free(struct matrix *matrix);
/** Local: where row i, one of this rank's, begins. */
int32_t *int_row(const struct matrix *matrix, int i);
double *real_row(const struct matrix *matrix, int i);
/** Rank 0 reads a .npy file and deals it. columns: what there must be, 0 for as many as rows. */
struct matrix matrix_read(const struct run *run, const char *path, enum kind kind, int columns);
/** Rank 0 writes a .npy file. */
void matrix_write(const struct run *run, const char *path, const struct matrix *matrix);
/** The whole, on rank 0; NULL elsewhere. To be freed. */
void *matrix_gather(const struct run *run, const struct matrix *matrix);
/** The whole, everywhere. To be freed. */
double *matrix_to_all(const struct matrix *matrix);
/** The same number for the same elements, however they are dealt. */
uint64_t matrix_checksum(const struct matrix *matrix);
/** Rank 0 compares the whole with what a sequential reference made (read on rank 0 only; freed): every bit, or, for
 * reals, within `tolerance` relative to the largest. Ends the run with 1 if they differ. */
void check_equal(const struct run *run, const char *what, const struct matrix *matrix, void *expected,
                 double tolerance);

/** Random numbers r' = (1664525 r + 1013904223) mod 2^32. */
enum { RANDOM_VALUES = 256 };
/** Local: the next one. */
static inline uint32_t random_next(uint32_t r)
{
    return 1664525u * r + 1013904223u;
}
/** Local: k steps after r, in log2(k) of them: the map (a, b) is squared to (a a, a b + b). */
uint32_t random_jump(uint32_t r, uint64_t k);
/** Local: the matrix that `randmat` makes with this seed, the input of programs that are given none. */
struct matrix random_matrix(const struct run *run, int64_t n);
/** Local: reals from [0, 1), the same on any number of ranks. */
struct matrix random_reals(const struct run *run, int64_t rows, int columns, uint32_t seed);
/** The system of product, sor and gauss: from --in and `vector_path`, or random: m = floor(2.5 n) rows of reals from
 * [0, 1) with m on the diagonal, and a vector. Sets n of the run to the rows if they were read. */
void system_open(struct run *run, const char *vector_path, struct matrix *a, struct matrix *b);

/** Begins the output phase: writes --out if it was given. */
void output(const struct run *run, const struct matrix *matrix);

#endif
