/* Traces of COP programs on simulated routers: a lane a node, as runtime/trace writes them. */
#ifndef BMF_COP_TRACE_H
#define BMF_COP_TRACE_H

#include "predict/cop/run.h"
#include "runtime/trace/trace.h"

typedef struct bmf_cop_trace bmf_cop_trace;

/* log: to be handed to cop_run. Frees nothing of the program, which must outlive the trace. */
bmf_cop_trace *cop_trace_create(const bmf_cop_program *program, const char *name, const char *machine, double gigahertz,
                                bmf_cop_log *log);
/* BMF_ERROR_FILE. */
int cop_trace_write(bmf_cop_trace *trace, const char *path);
void cop_trace_free(bmf_cop_trace *trace);

#endif
