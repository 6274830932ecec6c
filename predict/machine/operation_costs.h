/* Virtual time of operations: what a machine says that one of them takes on one element.
 *
 * In a machine file: operations_us = { B_Plus = 1.0; B_Conc = 0.5; other = 1.0; }. Names are operations and forms of
 * the language (B_Plus, B_Alltup) and kernels of programs in C (square). Operations of lists, as B_Conc, cost that much
 * for every element of the list that they make. `other` is for operations and kernels that are not named (0 if it is
 * left out); forms that are not named cost nothing.
 * Source: document 000, 4.6.2. */
#ifndef BMF_OPERATION_COSTS_H
#define BMF_OPERATION_COSTS_H

#include "predict/machine/machine.h"

typedef struct bmf_operation_costs bmf_operation_costs;

/* The group "operations_us" of the group; *costs is NULL without one. BMF_ERROR_FILE. */
int operation_costs_read(const bmf_machine *machine, const config_setting_t *group, bmf_operation_costs **costs);
void operation_costs_free(bmf_operation_costs *costs);
/* Seconds of the named ones, once each: words with a space behind each; "" takes no time. */
double operation_costs_of(const bmf_operation_costs *costs, const char *words);

#endif
