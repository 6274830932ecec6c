/* Starting all processes of a group together.
 *
 * Method: barrier: everybody starts when leaving a barrier; short operations then also measure how raggedly barriers
 * end. Agreed: the first rank names a moment a little ahead on its own clock, everybody converts it and waits for it;
 * whoever heard of it too late says so, and the
 * point is measured again with twice the margin. Cost: a barrier or a broadcast, and the margin.
 * Source: document 001, 3.2.2. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "predict/measure/measure_private.h"
#include "runtime/backend/clock.h"
#include "runtime/backend/wait.h"

static const int64_t FIRST_MARGIN = 20000, LARGEST_MARGIN = 20000000, SPIN = 60000; /* ns */

const char *measure_clock_name(bmf_measure_clock clock)
{
    return clock == BMF_MEASURE_AGREED ? "agreed" : "barrier";
}

bool measure_clock_find(const char *name, bmf_measure_clock *clock)
{
    for (bmf_measure_clock c = BMF_MEASURE_BARRIER; c <= BMF_MEASURE_AGREED; c++)
        if (strcmp(name, measure_clock_name(c)) == 0) {
            *clock = c;
            return true;
        }
    return false;
}

measure_starter measure_starter_create(bmf_context *ctx, bmf_measure_clock clock)
{
    return (measure_starter){
        .clock = clock, .offset = clock == BMF_MEASURE_AGREED ? clock_offset(ctx) : 0, .margin = FIRST_MARGIN};
}

bool measure_starter_widen(measure_starter *starter)
{
    starter->late = false;
    if (starter->margin >= LARGEST_MARGIN)
        return false;
    starter->margin *= 2;
    return true;
}

static void sleep_ns(int64_t ns)
{
    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

/* Sleeps until shortly before `moment` where that helps others, and spins the rest. */
static void wait_until(const bmf_context *ctx, int64_t moment)
{
    for (int64_t left; (left = moment - monotonic_ns()) > 0;)
        if (ctx->oversubscribed && left > SPIN)
            sleep_ns(left - SPIN);
}

long measure_interruptions(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

static void start_agreed(measure_starter *starter, measure_site *site)
{
    bmf_context *ctx = site->ctx;
    bmf_barrier(ctx);
    int64_t moment = monotonic_ns() + starter->margin;
    ctx->backend->bcast(ctx, 0, &moment, sizeof moment);
    site->begin = moment - starter->offset;
    starter->late = starter->late || monotonic_ns() > site->begin;
    site->interruptions = measure_interruptions();
    wait_until(ctx, site->begin);
}

void measure_start(measure_starter *starter, measure_site *site)
{
    if (starter->clock == BMF_MEASURE_AGREED) {
        start_agreed(starter, site);
        return;
    }
    bmf_barrier(site->ctx);
    site->interruptions = measure_interruptions();
    site->begin = monotonic_ns();
}

double measure_elapsed(const measure_site *site)
{
    return 1e-9 * (double)(monotonic_ns() - site->begin);
}

void measure_delay(const measure_site *site, int64_t ns)
{
    const int64_t end = monotonic_ns() + ns;
    wait_until(site->ctx, end);
}

void measure_wait(const measure_site *site, MPI_Request *request)
{
    wait_all(site->ctx, 1, request);
}
