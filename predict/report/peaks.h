/* The most memory that processors of a run held: document 000, 4.6.2. */
#ifndef BMF_REPORT_PEAKS_H
#define BMF_REPORT_PEAKS_H

#include "runtime/trace/trace.h"

typedef struct bmf_held_peak {
    int64_t bytes, time; /* the most, and when it was first held */
    int32_t lane;
} bmf_held_peak;

/* Of every lane (lanes values), if the run says what they held; returns the number of the lane with most, the first of
 * equal ones, or -1 if it does not. */
int32_t held_peaks(const bmf_trace_run *run, bmf_held_peak *peak);
/* Of all lanes; false if the run does not say. */
bool held_peak(const bmf_trace_run *run, bmf_held_peak *peak);

#endif
