/* A launcher that is slow to see what happened, as on a busy host: poll returns BMF_POLL_MS milliseconds late.
 *
 * Preloaded into mpirun; its proxies inherit it, and the ranks, which do nothing else with poll. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

int poll(struct pollfd *descriptors, nfds_t count, int timeout)
{
    __typeof__(&poll) next = (__extension__(__typeof__(&poll)) dlsym(RTLD_NEXT, "poll"));
    const int ready = next(descriptors, count, timeout), why = errno;
    const char *milliseconds = getenv("BMF_POLL_MS");
    if (ready > 0 && milliseconds)
        usleep((useconds_t)(1000 * strtoul(milliseconds, NULL, 10)));
    errno = why;
    return ready;
}
