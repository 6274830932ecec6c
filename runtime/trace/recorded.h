/* Reading what traces of recorded MPI programs have besides (docs/trace-format.md); private to runtime/trace. */
#ifndef BMF_TRACE_RECORDED_H
#define BMF_TRACE_RECORDED_H

#include "runtime/trace/format.h"

/* Takes the section out of `bytes` bytes into a run whose names and events are there. NULL, or what is wrong: a text in
 * `fault`, of `size` bytes. */
const char *trace_take_recorded(bmf_trace_run *run, const char *section, int64_t bytes, char *fault, size_t size);

#endif
