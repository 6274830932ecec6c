/* What the two halves of bmf-bench permute share: in memory (permute.c) and between ranks (ranks.c). */
#ifndef BENCH_PERMUTE_H
#define BENCH_PERMUTE_H

#include "bench/measure.h"
#include "bmf.h"
#include "bmf/permutation.h"

typedef struct bench_permute_options {
    int bits, repeats;
    double link_mbit; /* of every rank's link, 10^6 bits a second each way; 0: not known */
    bool json;
    const char *only; /* names of rows with commas, without what follows a colon or a space; NULL: all */
} bench_permute_options;

/* Is the row of this name chosen? */
bool bench_permute_chosen(const bench_permute_options *o, const char *name);

/* The time of recognising a random permutation of 2^bits indices by that of reading them. Collective; a bmf status. */
int bench_permute_detection(bmf_context *ctx, const bench_permute_options *o, bench_spread *reads);
/* Permutes 2^bits words between the ranks by every method, prints and verifies. Collective; a bmf status. */
int bench_permute_ranks(bmf_context *ctx, const bench_permute_options *o);

#endif
