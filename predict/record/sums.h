/* bmf record --sums: no events, but how often, how long and how many bytes, by phase, operation and partner. */
#ifndef BMF_RECORD_SUMS_H
#define BMF_RECORD_SUMS_H

#include "predict/record/record.h"

/* Adds a call to its sum. */
void sums_add(uint32_t node, uint16_t name, const bmf_event_facts *facts, int64_t nanoseconds);
/* Writes the sums to the part, as events. */
void sums_write(void);
/* On one process: the sums of all ranks as comma separated values. A status. */
int sums_print(const bmf_trace_run *run, const char *path);

#endif
