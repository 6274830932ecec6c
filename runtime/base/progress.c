/* Progress: nothing in the first two seconds, then five times a second. What is left is the time so far, in proportion;
 * a share that goes back is not shown. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/base/progress.h"

#include <stdarg.h>
#include <stdio.h>
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

/* Whether it is time to show something, *seconds after the begin. */
static bool is_time(double *seconds)
{
    const double at = now();
    *seconds = at - begun;
    if (*seconds < first_after || at - shown < every)
        return false;
    shown = at;
    return true;
}

void progress_note(bmf_progress *progress, const char *format, ...)
{
    char text[200];
    double seconds;
    if (!progress->told || !is_time(&seconds))
        return;
    const int used = snprintf(text, sizeof text, "%.60s: ", under_way);
    va_list values;
    va_start(values, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, values);
    va_end(values);
    watcher(text, -1.0, -1.0);
}

void progress_tell(bmf_progress *progress, double done)
{
    double seconds;
    if (!progress->told)
        return;
    furthest = done > furthest ? done : furthest;
    if (!is_time(&seconds))
        return;
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
