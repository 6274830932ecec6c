/* All computing of a run, for samples that draw its times together (chances_draw).
 *
 * Memory: 16 bytes a computation. Not thread-safe while it is filled.
 */
#ifndef BMF_COMPUTATIONS_H
#define BMF_COMPUTATIONS_H

#include "predict/model/actions.h"
#include "runtime/base/table.h"

/* What calls have the same errors. */
typedef struct bmf_computation_kind {
    float shared, own;
    uint8_t equation;
} bmf_computation_kind;

typedef struct bmf_computations {
    int64_t count;
    uint32_t *action;           /* by computation: its action's number */
    double *expected;           /* seconds */
    int32_t *of;                /* its kind */
    bmf_computation_kind *kind; /* the different ones */
    int64_t kinds, kind_capacity;
    bmf_table table;
} bmf_computations;

/* Room for that many; all are to be set before they are drawn. */
void computations_open(bmf_computations *all, int64_t count);
/* Computation number k is this action. */
void computations_set(bmf_computations *all, const bmf_actions *actions, int64_t k, int64_t action);
void computations_close(bmf_computations *all);

#endif
