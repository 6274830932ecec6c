/* Waiting that leaves the cores to others; the times are those of runtime/backend/wait.c. */
#define _GNU_SOURCE
#include <time.h>

#include "predict/record/record.h"

enum { TRIES_BEFORE_SLEEP = 20, TRIES_TO_DOUBLE = 8 };
static const long shortest_sleep_ns = 1000, longest_sleep_ns = 200000;

void polite_pause(int *tries)
{
    if (++*tries < TRIES_BEFORE_SLEEP)
        return;
    const int doublings = (*tries - TRIES_BEFORE_SLEEP) / TRIES_TO_DOUBLE;
    const long sleep_ns = doublings > 7 ? longest_sleep_ns : shortest_sleep_ns << doublings;
    nanosleep(&(struct timespec){0, sleep_ns}, NULL);
}

int polite_wait(int started, MPI_Request *request, MPI_Status *status)
{
    int done = 0, tries = 0, result = started;
    while (result == MPI_SUCCESS && !done) {
        result = PMPI_Test(request, &done, status);
        if (!done)
            polite_pause(&tries);
    }
    return result;
}
