/* Progress: nothing in the first two seconds, then five times a second. What is left is the time so far, in proportion;
 * a share that goes back is not shown. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/base/progress.h"

#include <time.h>

static const double first_after = 2.0, every = 0.2;

static bmf_progress_watcher *watcher;
static const char *under_way;
static double begun, shown, furthest;

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

void progress_watch(bmf_progress_watcher *new_watcher)
{
    watcher = new_watcher;
    under_way = NULL;
}

void progress_begin(bmf_progress *progress, const char *what)
{
    *progress = (bmf_progress){.told = watcher && !under_way};
    if (!progress->told)
        return;
    under_way = what;
    begun = now();
    shown = furthest = 0.0;
}

void progress_tell(bmf_progress *progress, double done)
{
    if (!progress->told)
        return;
    const double at = now(), seconds = at - begun;
    furthest = done > furthest ? done : furthest;
    if (seconds < first_after || at - shown < every)
        return;
    shown = at;
    watcher(under_way, furthest < 1.0 ? furthest : 1.0, furthest > 0.01 ? seconds * (1.0 - furthest) / furthest : -1.0);
}

void progress_end(bmf_progress *progress)
{
    if (!progress->told)
        return;
    if (shown > 0.0)
        watcher(NULL, 1.0, 0.0);
    under_way = NULL;
    *progress = (bmf_progress){0};
}
