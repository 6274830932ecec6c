/* What a node does for an operator whose implementation is a plug-in (include/bmf/cop.h). */
#ifndef BMF_COP_PLUG_IN_MOVES_H
#define BMF_COP_PLUG_IN_MOVES_H

#include "predict/cop/run_private.h"

static inline bool plug_in_carries(const bmf_cop_running *r)
{
    return r->candidate->implementation->plug_in;
}
void plug_in_load(bmf_cop_node *n, int64_t op);
void plug_in_write(bmf_cop_node *n, int64_t op, const void *message);
void plug_in_read(bmf_cop_node *n, int64_t op, void *message);
void plug_in_call(bmf_cop_node *n, int64_t op, const void *in, void *out, bmf_cop_combine *combine);

#endif
