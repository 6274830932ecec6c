/* Time in which a run recorded nothing, as replay needs it; private to predict/model. */
#ifndef BMF_REPLAY_GAPS_H
#define BMF_REPLAY_GAPS_H

#include "predict/replay/replay_private.h"

/* A time in which a rank was in events without a break. */
typedef struct replay_stretch {
    int64_t begin, end;
    int64_t idle;                  /* nanoseconds in no event before it, since the start of the run */
    const bmf_event *first, *last; /* that begins first, ends last */
} replay_stretch;

/* All processors have met: the last one came at `from`, and all went on at `to` or later. */
typedef struct replay_barrier {
    int64_t from, to;
    int64_t times; /* agreements */
    int64_t rest;  /* nanoseconds of from .. to that were needed for something else */
} replay_barrier;

typedef struct replay_gaps {
    const bmf_trace_run *run;
    const replay_scopes *scopes;
    int64_t units;           /* ranks, or processors of a predicted run */
    replay_stretch *stretch; /* those of a unit: [first_stretch[u], first_stretch[u + 1]), in order of time */
    int64_t *first_stretch;
    int64_t meetings, barrier_capacity;
    replay_barrier *barrier; /* in order of time, disjoint */
    int64_t *program_end;    /* by lane; -1: not recorded */
    int64_t *clock;          /* by lane: what came before was taken */
    int64_t *met;            /* by lane: meetings that were taken */
} replay_gaps;

/* What lies between two events of a lane, or between one and the boundary of a call: first so many agreements, then
 * time in which the lane's rank recorded nothing although it did not wait. */
typedef struct replay_gap {
    int64_t meetings;
    int64_t begin, end;
    int64_t idle;                    /* nanoseconds of begin .. end */
    const bmf_event *before, *after; /* of the rank, NULL: none */
} replay_gap;

/* quickest: as replay_leaves says. */
void replay_gaps_find(replay_gaps *gaps, const replay_scopes *scopes, const replay_leaf *leaf, int64_t leaves,
                      int64_t quickest);
void replay_gaps_free(replay_gaps *gaps);
/* The next gap of the lane that is over at `until`; false: there is none. Times of a lane only grow; others are taken
 * for the latest one. */
bool replay_gaps_next(replay_gaps *gaps, int32_t lane, int64_t until, replay_gap *gap);
/* When a scope was entered or left on a lane; the program is entered at 0, and left at -1 if nobody recorded that. */
int64_t replay_gaps_boundary(const replay_gaps *gaps, int64_t scope, bool leaves, int32_t lane);
/* By lane: until when its time at the end of the program is to be kept, at least to the last meeting. In a predicted
 * run all programs end together; that is the end of those who were busy last. */
void replay_gaps_ends(const replay_gaps *gaps, int64_t *until);

#endif
