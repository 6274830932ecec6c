/* MPI programs that run on virtual clocks, for `bmf predict --mpi`.
 *
 * The program's ranks say what they do, and ask for what depends on times (runtime/trace/virtual_clock.h). Here their
 * actions are carried out with the machine's network as in replays, while they come, and questions are answered by
 * simulated time: which message a receive from any source gets, which of several requests is finished first, whether a
 * test or a probe finds something. Method and cost: online.c. */
#ifndef BMF_REPLAY_ONLINE_H
#define BMF_REPLAY_ONLINE_H

#include <sys/types.h>

#include "predict/replay/recorded.h"
#include "runtime/trace/virtual_clock.h"

/* How ranks reach this process. */
typedef struct online_connection {
    int listening; /* a socket */
    bmf_virtual_page *page;
} online_connection;

/* Serves `ranks` ranks that connect, until all have ended, or `running` says that the program is
 * not there any more. BMF_ERROR_ARGUMENT, in one line: the ranks wait for each other for ever, or call something whose
 * meaning is not known. */
int online_serve(const bmf_machine *machine, bmf_network *network, const bmf_recorded_options *options, int32_t ranks,
                 const online_connection *connection, bool (*running)(void *state), void *state);

#endif
