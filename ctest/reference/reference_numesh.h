/* The scheduled router of the mesh once more, slow and obvious: every node, every pipeline, every stage, every
 * cycle. */
#ifndef REFERENCE_NUMESH_H
#define REFERENCE_NUMESH_H

#include "predict/mesh/simulate_scheduled.h"

typedef struct reference_numesh reference_numesh;

/* The machine is copied; the script is borrowed and only read. */
reference_numesh *reference_numesh_create(const bmf_scheduled_machine *machine, const bmf_processor_script *script);
void reference_numesh_step(reference_numesh *r);
bool reference_numesh_ended(const reference_numesh *r);
int64_t reference_numesh_cycle(const reference_numesh *r);
int64_t reference_numesh_hops(const reference_numesh *r);
/* Words read by a node that were not the next of their stream. */
int64_t reference_numesh_disordered(const reference_numesh *r);
void reference_numesh_view(const reference_numesh *r, int64_t node, bmf_scheduled_view *view);
/* Of a node's use: words so far, cycles of the first and last. */
void reference_numesh_use(const reference_numesh *r, int64_t node, int64_t use, int64_t *done, int64_t *first,
                          int64_t *last);
/* Cycle in which a step ended, -1: not yet. */
int64_t reference_numesh_step_ended(const reference_numesh *r, int64_t node, int64_t step);
void reference_numesh_free(reference_numesh *r);

#endif
