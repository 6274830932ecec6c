/* Waiting that leaves the cores to others.
 *
 * Method: a few tries without a pause; then tries with the core given up in between, which costs a microsecond where
 * nobody else wants it, and lets a message that another process of this core sends come within microseconds; then
 * sleeps, which double every eight tries: short waits stay short, long ones leave the cores alone. Each sleep takes 50
 * microseconds more than asked for: Linux bundles timers. */
#define _GNU_SOURCE
#include "runtime/base/pause.h"

#include <sched.h>
#include <time.h>

enum { TRIES_BEFORE_YIELD = 20, TRIES_TO_DOUBLE = 8, MOST_DOUBLINGS = 7 };
static const long shortest_sleep_ns = 1000, longest_sleep_ns = 200000;

void pause_between_tries(int *tries)
{
    if (++*tries < TRIES_BEFORE_YIELD)
        return;
    if (*tries < PAUSE_BEFORE_SLEEP) {
        sched_yield();
        return;
    }
    const int doublings = (*tries - PAUSE_BEFORE_SLEEP) / TRIES_TO_DOUBLE;
    const long sleep_ns = doublings > MOST_DOUBLINGS ? longest_sleep_ns : shortest_sleep_ns << doublings;
    nanosleep(&(struct timespec){0, sleep_ns}, NULL);
}
