/* What kernels did, as trace files have it; private to runtime/trace. */
#ifndef BMF_TRACE_WORKS_H
#define BMF_TRACE_WORKS_H

#include "runtime/trace/format.h"

/* In the order in which files have them and searches want them. */
void run_sort_works(bmf_trace_run *run);
/* By lane and time; those of one time stay in their order. */
void run_sort_helds(bmf_trace_run *run);
/* What is wrong with one, or NULL. */
const char *trace_held_fault(const bmf_trace_run *run, const bmf_trace_held *held);
/* What is wrong with one, or NULL. */
const char *trace_work_fault(const bmf_trace_run *run, const bmf_trace_work *work);

#endif
