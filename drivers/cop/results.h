/* How runs of COP programs are told. */
#ifndef BMF_DRIVERS_COP_RESULTS_H
#define BMF_DRIVERS_COP_RESULTS_H

#include "drivers/command/command.h"
#include "predict/cop/run.h"

typedef struct bmf_cop_result_options {
    bool nodes, worst, json;
    double gigahertz;
} bmf_cop_result_options;

/* Returns an exit code. */
int cop_print_times(const bmf_cop_times *times, const bmf_cop_result_options *o);

#endif
