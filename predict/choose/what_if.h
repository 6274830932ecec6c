/* Machines that are better in one part: "network.latency/2", "network.bandwidth*2", "compute*2", "memory*2",
 * "ranks-per-node=32", or any value of the machine's file as machine_read_changed takes it ("network.gap_us/2").
 *
 * What the words of a network mean is told by the units of its keys: what ends with _us is latency; what ends with
 * _us_per_byte or _mb_per_s is bandwidth. Nothing here is collective; messages go to the process-wide slot. */
#ifndef BMF_WHAT_IF_H
#define BMF_WHAT_IF_H

#include "predict/machine/machine.h"

/* The machine of `name` with that change. BMF_ERROR_USAGE: no such change, or the machine has nothing that it could
 * change (the times of a data sheet). The caller frees. */
int what_if_machine(const char *name, const bmf_machine *machine, const char *change, bmf_machine **changed);

#endif
