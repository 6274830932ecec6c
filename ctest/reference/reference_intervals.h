/* Random runs, a reference for what bmf_intervals says of one processor, and how tests get at intervals. */
#ifndef BMF_REFERENCE_INTERVALS_H
#define BMF_REFERENCE_INTERVALS_H

#include "predict/report/intervals.h"

bmf_trace_run *reference_empty_run(int32_t lanes);
void reference_event(bmf_trace_run *run, bmf_event_kind kind, int32_t lane, int64_t begin, int64_t end, uint32_t node,
                     uint32_t instance, uint32_t round, int32_t peer, int64_t amount);

/* Events anywhere: of no length, overlapping, containers that cut into each other. At most 5 lanes. */
bmf_trace_run *reference_wild_run(uint64_t *random);
/* Regions and calls that nest; every instance of a node below the program lies in one of its parent. At most 6
 * lanes. */
bmf_trace_run *reference_tidy_run(uint64_t *random);

/* A lane in the interval of a node: execution, compute, file, communication, synchronisation, variation, overlap,
 * messages, bytes, and as insufficient what it lost while another lane computed alone. */
bmf_characteristics reference_lane(const bmf_trace_run *run, uint32_t root, int32_t lane);

/* The intervals of a run, which must be made; ideal may be NULL. The caller frees them. */
bmf_intervals *checked_intervals(bmf_trace_run *run, bmf_trace_run *ideal);
/* NULL if the node has no interval. */
const bmf_interval *interval_of_node(const bmf_intervals *intervals, uint32_t node);

#endif
