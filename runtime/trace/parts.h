/* Traces from the parts that the ranks of a recorded MPI program left (part_format.h). */
#ifndef BMF_TRACE_PARTS_H
#define BMF_TRACE_PARTS_H

#include "runtime/trace/trace.h"

/* The directory of the parts of a trace, TRACE.parts, to be freed; a path that is such a directory is its own. */
char *parts_directory(const char *path);
/* Whether there are parts in it. */
bool parts_exist(const char *directory);
/* Reads all parts; the trace has one measured run. A run that did not come to its end has the fact "incomplete". Not
 * collective; ctx (may be NULL) only takes the message. Errors: BMF_ERROR_FILE, BMF_ERROR_MEMORY. */
int parts_read(bmf_context *ctx, const char *directory, bmf_trace **trace);
/* Removes the parts; their directory stays. */
void parts_clear(const char *directory);
/* Removes the parts and their directory, as far as that is possible. */
void parts_remove(const char *directory);

#endif
