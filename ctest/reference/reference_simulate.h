/* A simulator that is slow and obviously right: looks at everything to find the earliest thing that can happen, and
 * does only that. */
#ifndef CTEST_REFERENCE_SIMULATE_H
#define CTEST_REFERENCE_SIMULATE_H

#include "predict/network/network.h"
#include "predict/model/actions.h"

/* Fills clock (one value a processor) from sample 0. Returns false when somebody waits for ever. */
bool reference_simulate(const bmf_actions *actions, bmf_network *network, double *clock);

#endif
