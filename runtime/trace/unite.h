/* Names and nodes of a run that ranks have numbered differently; private to runtime. */
#ifndef BMF_TRACE_UNITE_H
#define BMF_TRACE_UNITE_H

#include "runtime/backend/backend.h"

/* Gives the runs of all ranks the same names and nodes, with the same numbers. Collective. BMF_OK or
 * BMF_ERROR_MEMORY. */
int run_unite(bmf_context *ctx, bmf_trace_run *run);

#endif
