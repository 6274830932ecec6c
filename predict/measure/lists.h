/* Skeletons under measurement: the lists they work on, and the steps that are the same for all of them. */
#ifndef BMF_MEASURE_LISTS_H
#define BMF_MEASURE_LISTS_H

#include "bmf.h"
#include "predict/measure/measure_private.h"

typedef struct measure_lists {
    bmf_list *xs, *ys, *zs; /* inputs; what is not needed is NULL */
    bmf_list *out;          /* what run makes; freed after every repetition */
    void *data;             /* of the operation; freed with the rest */
    double value;
} measure_lists;

/* open: makes site->state and n = p d elements of the kind in xs (and ys). */
int measure_open_ints(measure_site *site);      /* xs = 0, 1, .. */
int measure_open_reals(measure_site *site);     /* the same as reals */
int measure_open_two_reals(measure_site *site); /* xs and ys */
int measure_open_rows(measure_site *site);      /* xs: rows of MEASURE_ROW reals; ys: its elements; zs: lengths */
/* before, after, close: xs, ys and zs leave the caches unless those are wanted; out is freed; all is freed. */
int measure_before_lists(measure_site *site);
int measure_after_lists(measure_site *site);
void measure_close_lists(measure_site *site);

/* Elements of the whole list. */
static inline int64_t measure_length(const measure_site *site)
{
    return site->elements * site->ctx->ranks;
}

enum { MEASURE_ROW = 16 };

/* A row of a table of skeletons. copies: how many lists of d elements it needs, at most. */
#define MEASURE_SKELETON(name, meaning, min, memory, open, run)                                                        \
    {                                                                                                                  \
        name, BMF_FAMILY_SKELETON, meaning, 0, 1, min, 1 << 20, false, false, memory, open, measure_before_lists, run, \
            measure_after_lists, measure_close_lists                                                                   \
    }

/* Elements of memory for each of d: some lists of words on every rank; `whole`: and all of p d elements on one. */
int64_t measure_few_lists(int ranks);
int64_t measure_whole_list(int ranks);

#endif
