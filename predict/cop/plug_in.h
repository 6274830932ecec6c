/* Implementations of operators from shared objects (include/bmf/cop.h). */
#ifndef BMF_COP_PLUG_IN_H
#define BMF_COP_PLUG_IN_H

#include "bmf/cop.h"
#include "predict/cop/plan.h"

typedef struct bmf_cop_plug_ins bmf_cop_plug_ins;

/* Opens each "F.so:NAME". BMF_ERROR_FILE: a file that is no shared object, has no such record, or one of another
 * version, or that is not complete; a name that there is already. The caller frees, after everything that was planned
 * with them. */
int cop_open_plug_ins(int count, const char *const *text, bmf_cop_plug_ins **plug_ins);
void cop_close_plug_ins(bmf_cop_plug_ins *plug_ins);
/* For plan settings: pointers to all of them, NULL at the end. */
const bmf_cop_implementation *const *cop_plug_in_list(const bmf_cop_plug_ins *plug_ins);

/* What the record says of an operator's instance. */
cop_pattern cop_plug_in_pattern(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t instance);

#endif
