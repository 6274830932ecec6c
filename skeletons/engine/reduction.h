/* Bringing partial results together: the rounds of a reduction. Private to skeletons. */
#ifndef BMF_REDUCTION_ROUNDS_H
#define BMF_REDUCTION_ROUNDS_H

#include "skeletons/engine/partials.h"

typedef struct bmf_reduction_rounds {
    bmf_partials *partials;
    bool placed; /* the total stays on the first processor */
    const bmf_algorithm *algorithm;
    bmf_schedule *schedule;
    char *value; /* the totals, one record behind the other, where they are known; `bytes` of them */
    char *own;   /* memory for them, or NULL: they are in somebody else's */
    int64_t bytes;
    int combining; /* rounds that combine; those behind them tell the total */
    int round;     /* the next one, or the one under way */
    bool each;     /* values are collected, not joined pair by pair */
    bool taken;
    int failed; /* status of the first join that failed */
    bmf_exchange *under_way;
} bmf_reduction_rounds;

/* Plans the rounds. into: room for the totals on every rank, which is left as it is where they do not become known, or
 * NULL on all: memory of the rounds' own, zeros until then. */
void reduction_open(bmf_reduction_rounds *r, bmf_partials *partials, const char *skeleton, const bmf_list *xs,
                    bool placed, void *into);
void reduction_close(bmf_reduction_rounds *r);

/* One round after the other: begin and end, while there are any; then finish, after which `value` is there on every
 * rank (or, placed, on the first processor's). Finish is collective if may_fail, or if ranks have no parts. */
bool reduction_has_rounds(const bmf_reduction_rounds *r);
int reduction_round_begin(bmf_reduction_rounds *r);
int reduction_round_end(bmf_reduction_rounds *r);
int reduction_finish(bmf_reduction_rounds *r, bool may_fail);
/* All of it. */
int reduction_run(bmf_reduction_rounds *r, bool may_fail);

#endif
