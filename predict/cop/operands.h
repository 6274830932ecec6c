/* Operands that are known at run time, as programs hand them over: whether they are possible, and the same on all nodes
 * of an instance. */
#ifndef BMF_COP_OPERANDS_H
#define BMF_COP_OPERANDS_H

#include "predict/cop/program.h"

/* Of all loads of an operator, instance by instance. */
typedef struct bmf_cop_loads {
    const bmf_cop_operator *op;
    int64_t *loads;    /* by instance */
    int32_t **operand; /* by instance: `size` operands for each load */
    int64_t size;
} bmf_cop_loads;

void cop_loads_create(bmf_cop_loads *loads, const bmf_cop_operator *op);
void cop_loads_free(bmf_cop_loads *loads);
/* The node's load number `load` of an instance, with `count` operands. given: loads->size operands, those that are
 * constant 0. Returns NULL, or what is wrong with them, in `text`. */
const char *cop_loads_check(bmf_cop_loads *loads, int64_t instance, int64_t load, int count, const int32_t *operand,
                            int32_t *given, char *text, size_t size);

#endif
