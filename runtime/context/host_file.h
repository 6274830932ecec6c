/* Where files about this host are kept: measured once for a host and an MPI library, in the user's cache directory.
 *
 * $XDG_CACHE_HOME/bmf/HOST-MPI with an ending, or ~/.cache/bmf/..; removing one has it measured again. */
#ifndef BMF_HOST_FILE_H
#define BMF_HOST_FILE_H

#include <limits.h>

/* Its path; ending: "-memory-2.sheet". Nothing is made. Not collective; MPI need not be initialised. */
void host_file_path(const char *ending, char path[PATH_MAX]);
/* The same, with the directory, which is made if it is not there. Errors: BMF_ERROR_FILE, in the process-wide slot. */
int host_file_make(const char *ending, char path[PATH_MAX]);

/* The ending of the table of costs by which algorithms are chosen (runtime/schedule/cost_table.h). */
extern const char host_file_costs[];

#endif
