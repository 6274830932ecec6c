/** @file
 * The Cowichan programs that there are in plain MPI and on bmf's skeletons, side by side: the same input as matrices
 * and as lists, and results that can be compared. For the program `skeletons` and for bmf-bench. */
#ifndef COWICHAN_VERSIONS_H
#define COWICHAN_VERSIONS_H

#include "skeletons.h"

enum { INPUTS = 2, RESULTS = 2 };

/** How a matrix is made a list: of its rows, of points, or of single elements. */
enum form { ROWS, POINTS, ELEMENTS };

/** The input of a program. Processors are ranks. */
struct input {
    struct matrix matrix[INPUTS];
    bmf_list *list[INPUTS];
};

struct version {
    const char *name, *what;
    enum form form[INPUTS];
    /** Reads or makes the matrices; sets n of the run. */
    void (*open)(struct run *run, const char *second, struct matrix matrix[INPUTS]);
    void (*plain)(const struct run *run, const struct matrix in[INPUTS], struct matrix out[RESULTS]);
    int (*skeletons)(bmf_context *ctx, const struct run *run, bmf_list *const in[INPUTS], bmf_list *out[RESULTS]);
};

/** All of them; the last has no name. */
extern const struct version versions[];
/** NULL: none. */
const struct version *find_version(const char *name);

/** Makes both forms of the input. Collective; a status. */
int input_open(bmf_context *ctx, const struct version *version, struct run *run, const char *second,
               struct input *input);
void input_close(struct input *input);
/** Results that are lists as matrices like those of plain MPI, with memory of their own. Not collective. */
void results_of_lists(const struct run *run, bmf_list *const list[RESULTS], const struct matrix like[RESULTS],
                      struct matrix out[RESULTS]);
/** Frees. */
void results_close(struct matrix out[RESULTS]);
/** Collective. */
uint64_t results_checksum(const struct matrix out[RESULTS]);

#endif
