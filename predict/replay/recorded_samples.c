/* Intervals of replays of recorded programs.
 *
 * Method: Monte Carlo, as for bmf's own programs (predict/simulate/interval.c): the steps of the lanes are carried out
 * again for every random sample of the network and of the machine's speed. An event's interval is 1.96 standard
 * deviations of its lengths in the samples to both sides of their mean. What the program computed is taken as it was
 * recorded. Cost: a replay a sample.
 */
#include <stdlib.h>

#include "predict/replay/recorded_private.h"
#include "runtime/base/allocate.h"

static void reset_message(bmf_recorded_message *m)
{
    const bmf_transit *t = &m->transit;
    *m = (bmf_recorded_message){
        .transit =
            {.from = t->from, .to = t->to, .bytes = t->bytes, .round = t->round, .mode = t->mode, .posted = INFINITY},
        .waiting = {-1, -1}};
}

/* Back to the beginning, in another sample. Which collectives are messages does not depend on it. */
static void begin_sample(bmf_recorded_program *p, int64_t sample)
{
    recorded_start(p, sample);
    p->waiting = 0;
    for (int64_t m = 0; m < p->messages; m++)
        reset_message(message_at(p, m));
    for (int64_t k = 0; k < p->collectives; k++) {
        bmf_recorded_collective *c = &p->collective[k];
        c->arrived = 0;
        c->latest = 0.0;
        c->waiting = -1;
        if (!isnan(c->seconds))
            c->seconds = recorded_collective_seconds(p, c);
    }
    for (int32_t k = 0; k < p->lanes; k++) {
        p->lane[k].at = 0;
        p->lane[k].clock = 0.0;
        p->lane[k].next = -1;
    }
}

static void add_lengths(void *state, double time_factor)
{
    bmf_recorded_program *p = state;
    p->drawn++;
    for (int64_t k = 0; k < p->run->events; k++) {
        const double length = (p->end[k] - p->begin[k]) * time_factor;
        p->sum[k] += length;
        p->squares[k] += length * length;
    }
}

static int simulate(void *state, int64_t sample, double compute_factor, double *seconds)
{
    bmf_recorded_program *p = state;
    begin_sample(p, sample);
    p->compute_factor = compute_factor;
    return recorded_run(p, seconds);
}

void recorded_event_interval(const bmf_recorded_program *p, int64_t event, double seconds, double *low, double *high)
{
    static const double normal_quantile = 1.959963984540054;
    *low = *high = seconds;
    if (p->drawn < 2)
        return;
    const double n = (double)p->drawn, mean = p->sum[event] / n;
    const double variance = fmax(p->squares[event] / n - mean * mean, 0.0) * n / (n - 1);
    const double side = normal_quantile * sqrt(variance);
    *low = fmax(mean - side, 0.0);
    *high = mean + side;
}

/* Fewer samples than of bmf's own programs: a replay is to be faster than the run. */
enum { STEP_COST = 16 };

static int64_t count_steps(const bmf_recorded_program *p)
{
    int64_t steps = 0;
    for (int32_t k = 0; k < p->lanes; k++)
        steps += p->lane[k].steps;
    return steps;
}

int recorded_predict(bmf_recorded_program *p, bmf_prediction *prediction)
{
    const int64_t events = p->run->events;
    p->begin = allocate_clear(events, (int64_t)sizeof *p->begin);
    p->end = allocate_clear(events, (int64_t)sizeof *p->end);
    int status = BMF_OK;
    if (!p->options->exact) {
        p->sum = allocate_clear(2 * events, (int64_t)sizeof *p->sum);
        p->squares = p->sum + events;
        status = sampled_interval(&(bmf_sampled_run){.simulate = simulate,
                                                     .drawn = add_lengths,
                                                     .state = p,
                                                     .steps = STEP_COST * count_steps(p),
                                                     .compute_error = machine_compute_error(p->machine),
                                                     .network_error = p->network->relative_error},
                                  p->options->samples, prediction);
    }
    if (status != BMF_OK)
        return status;
    begin_sample(p, p->options->bound);
    double seconds;
    status = recorded_run(p, &seconds);
    if (p->options->exact)
        *prediction =
            (bmf_prediction){.seconds = seconds, .median = seconds, .low = seconds, .high = seconds, .samples = 1};
    return status;
}
