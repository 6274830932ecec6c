/* What document 003 published of the DECmpp's router, and what the model of it says. */
#ifndef BENCH_EDN_FIGURES_H
#define BENCH_EDN_FIGURES_H

#include "predict/network/record_rounds.h"

enum {
    EDN_SIZES = 11, /* 1, 2, .. 1024 records on a processor */
    EDN_PERMUTATIONS = 2,
    EDN_METHODS = 3,   /* rows, sets, clusters */
    EDN_SCATTER = 100, /* random matrices of each size in figure 5.5, at most */
    EDN_COUNTS = 3,    /* router counts 1, 2 and 4 */
    EDN_MACHINES = 2,  /* with 128 and with 256 ports */
    EDN_PROCESSOR_BITS = 11
};

/* Figures 5.3 and 5.4: seconds of a whole permutation. */
typedef struct edn_column {
    const char *permutation;
    bmf_record_method method;
    double published[EDN_SIZES], predicted[EDN_SIZES];
    int64_t count[EDN_SIZES]; /* iterations of a round */
    int64_t rounds[EDN_SIZES];
    bool doubtful[EDN_SIZES]; /* out of order as published */
    bool fitted;              /* constants come from this column */
} edn_column;

/* Figure 5.1: how many per cent of the matrices had router count 1, 2, 4. */
typedef struct edn_frequencies {
    int64_t ports;
    double published[EDN_COUNTS], counted[EDN_COUNTS];
} edn_frequencies;

/* Figure 5.2, figure 5.5 and the averages behind figure 5.6. */
typedef struct edn_random {
    int64_t published_min, published_max, min, max; /* port serialisation of rows */
    double published_mean, mean;
    double seconds[EDN_METHODS]; /* means of a permutation */
    int64_t scattered;
    double scatter[EDN_METHODS][EDN_SCATTER]; /* seconds of the first matrices, by method */
} edn_random;

typedef struct edn_figures {
    double iteration, round, setup; /* seconds, fitted */
    edn_column column[EDN_PERMUTATIONS * EDN_METHODS];
    edn_frequencies frequencies[EDN_MACHINES];
    edn_random random[EDN_SIZES];
    int64_t crossing; /* least records a processor from which sets are faster than rows on average; 0: none */
    int64_t routed;   /* messages, in so many seconds */
    double seconds;
} edn_figures;

/* Computes all of them; matrices: how many random ones for every average, frequencies: for figure 5.1. place: the
 * machine with 2048 processors in 128 ports. */
void edn_figures_make(const bmf_edn_place *place, int64_t matrices, int64_t frequencies, edn_figures *figures);
/* A page with figures 5.3 to 5.6 as curves. BMF_ERROR_FILE. */
int edn_page_write(const edn_figures *figures, const char *machine, const char *path);

#endif
