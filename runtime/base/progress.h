/* How far something long has come, for people who wait. Whoever does the work tells; whoever started the process may
 * watch. Not collective; one at a time: work inside of other work tells nothing. */
#ifndef BMF_PROGRESS_H
#define BMF_PROGRESS_H

#include <stdbool.h>

/* done: 0 to 1, negative if nobody can know (what says how far it has come); seconds_left: negative if nobody can know
 * yet. what NULL: over. */
typedef void bmf_progress_watcher(const char *what, double done, double seconds_left);

/* NULL: nobody watches. */
void progress_watch(bmf_progress_watcher *watcher);

typedef struct bmf_progress {
    bool told; /* this is the work that is told of */
    unsigned calls;
} bmf_progress;

/* what: a text that lives until the end, such as "replaying". */
void progress_begin(bmf_progress *progress, const char *what);
void progress_tell(bmf_progress *progress, double done);
/* Of work whose end nobody knows, such as a search: what it is at, such as "cycle 120000, 3 of 64 nodes through". */
__attribute__((format(printf, 2, 3))) void progress_note(bmf_progress *progress, const char *format, ...);
/* In inner loops: looks at the clock only once in 1024 calls. */
static inline bool progress_due(bmf_progress *progress)
{
    return progress->told && (progress->calls++ & 1023) == 0;
}
void progress_end(bmf_progress *progress);

#endif
