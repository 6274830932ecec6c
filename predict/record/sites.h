/* bmf record --sites: from where calls were made, FILE:LINE behind the call's name. */
#ifndef BMF_RECORD_SITES_H
#define BMF_RECORD_SITES_H

#include "runtime/trace/trace.h"

/* The number of "NAME MODULE+OFFSET" among this rank's names. */
uint16_t site_name(const char *name, void *address);
/* Makes "NAME FILE:LINE" of these, as far as addr2line knows. */
void sites_resolve(bmf_trace_run *run);

#endif
