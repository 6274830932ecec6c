/* Comparing two runs by operation instead of by kind of event: BARRIER, SEND, COMPUTE, .. Document 001, cmptrace. */
#ifndef BMF_COMPARE_CALLS_H
#define BMF_COMPARE_CALLS_H

#include <stdio.h>

#include "predict/report/compare.h"

/* The state an event is of, in capitals: of a recorded MPI program the call, of bmf's own programs COMPUTE, FILE, or
 * the skeleton that a message is of. */
enum { BMF_STATE_TEXT = 64 };
char *event_state(const bmf_trace_run *run, const bmf_event *event, char text[BMF_STATE_TEXT]);

typedef struct bmf_call_comparison {
    int64_t states;
    char (*name)[BMF_STATE_TEXT]; /* in the order of first appearance */
    int32_t lanes;                /* 0: the runs have different numbers */
    double (*all)[2];             /* by state: seconds in the measured and in the predicted run */
    double (*lane)[2];            /* by lane * states + state */
} bmf_call_comparison;

void compare_calls(const bmf_trace_run *measured, const bmf_trace_run *predicted, bmf_call_comparison *calls);
void call_comparison_free(bmf_call_comparison *calls);
/* cmptrace's three levels: every event, if there are matches (by event of the measured run; NULL: left out), every
 * processor and state, every state. */
void compare_calls_print(const bmf_trace_run *measured, const bmf_trace_run *predicted,
                         const bmf_call_comparison *calls, const int64_t *match, int digits, FILE *stream);

#endif
