/* Comparing a measured run with a predicted one, or any two runs of one program, by structural ids.
 *
 * Source: document 001, cmptrace: levels A (event by event), B (processor and state), C (state). Events match if
 * (node path, instance, round, lane, kind, peer, occurrence) agree. With different numbers of processors only steps
 * (node path, instance) are compared. Cost: one hash table over the smaller run.
 */
#ifndef BMF_COMPARE_H
#define BMF_COMPARE_H

#include "runtime/trace/trace.h"

typedef struct bmf_ratio {
    double measured, predicted; /* seconds */
    int64_t events;             /* pairs */
    double median, p90;         /* of |predicted / measured - 1| over the pairs; NAN without pairs, infinite where
                                 * something took no time in the measured run only */
} bmf_ratio;

typedef struct bmf_comparison {
    bool same_processors;
    /* Length of what both runs have: the sum over the steps of the top level (right below the program) that are in both
     * and took time in both, each as long as on the processor it took longest on. So what came before the program and
     * reading files, which predictions do not have, are left out, and so is what lies between steps. Pairs are
     * steps. */
    bmf_ratio common;
    bmf_ratio total;                  /* length of the runs, with everything */
    bmf_ratio state[BMF_EVENT_KINDS]; /* level C: sums of durations over all events, matched or not */
    bmf_ratio *lane_state;            /* level B: lane * BMF_EVENT_KINDS + kind; NULL at different P */
    int64_t *match;                   /* level A: by event of the measured run, its match or -1; NULL at different P */
    int64_t pairs;                    /* of leaves: events that are not regions or calls */
    int64_t only_measured, only_predicted; /* leaves without a match */
    int64_t measured_messages, predicted_messages, measured_bytes, predicted_bytes;
    int64_t covered;       /* pairs whose measured duration is in the predicted interval */
    int64_t with_interval; /* pairs that have one */
    /* Steps: instances of regions and calls. The time of a step is that of the processor it took longest on. */
    int64_t nodes;                                            /* by node of the measured run */
    bmf_ratio *node;                                          /* sums over all steps of the node; pairs are steps */
    uint32_t *node_match;                                     /* its node in the predicted run, UINT32_MAX: none */
    int64_t steps, only_measured_steps, only_predicted_steps; /* pairs, and steps without a match */
    int64_t covered_steps, steps_with_interval;
} bmf_comparison;

/* Both runs are sorted if they were not. BMF_ERROR_ARGUMENT when the runs have no node below the program in common
 * although both have some (different programs); BMF_ERROR_MEMORY. The caller frees. */
int compare_runs(bmf_trace_run *measured, bmf_trace_run *predicted, bmf_comparison **comparison);
void comparison_free(bmf_comparison *comparison);

#endif
