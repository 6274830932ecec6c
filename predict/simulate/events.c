/* A run without noise, event by event, with the interval that each of its events has in one run.
 *
 * Method: Monte Carlo. Samples of the whole run, with all waiting for each other, give every event and every step a
 * sample of its own length. Of n samples in order, the k-th smallest and the k-th largest hold the next one in
 * (n + 1 - 2 k) / (n + 1) of all cases, whatever its distribution: n = 39, k = 1 and n = 79, k = 2 are 95 %. Where that
 * takes too much memory events keep the bounds of their own costs, without waiting (record.c).
 * Source: Wilks, "Determination of sample sizes for setting tolerance limits", Ann. Math. Stat. 12 (1941). Cost: a
 * simulation a sample; 4 bytes a sample and event.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/simulate/simulate_private.h"
#include "predict/statistics/sample.h"
#include "runtime/base/allocate.h"

enum { FEW = 39, MANY = 79 };
static const int64_t max_bytes = INT64_C(1) << 28, many_actions = 200000;

/* Actions, and scopes on every lane. */
static int64_t count_slots(const bmf_actions *actions)
{
    return actions->count + actions->scopes * actions->processors;
}

static int draw(const bmf_actions *actions, bmf_network *network, int64_t samples, float *length)
{
    const int64_t slots = count_slots(actions);
    int status = BMF_OK;
    bmf_sample_factors *by = sample_factors(actions->relative_error, actions->spread.common, network->relative_error, 0,
                                            (uint64_t)actions->processors, samples);
    for (int64_t k = 0; k < samples && status == BMF_OK; k++) {
        bmf_simulator *simulator = simulator_create(actions, network, k + 1);
        simulator->compute_factor = by[k].compute / by[k].network;
        record_lengths(simulator, length + k * slots, by[k].network);
        status = simulator_run(simulator);
        simulator_free(simulator);
    }
    free(by);
    return status;
}

static void set_bounds(const bmf_actions *actions, const int64_t *slot, int64_t samples, const float *length,
                       int64_t first, bmf_trace_run *run)
{
    const int64_t slots = count_slots(actions), outside = samples == MANY ? 1 : 0;
    float *sorted = allocate(samples * (int64_t)sizeof *sorted);
    for (int64_t e = first; e < run->events; e++) {
        bmf_event *event = &run->event[e];
        for (int64_t k = 0; k < samples; k++)
            sorted[k] = length[k * slots + slot[e - first]];
        sort_floats(sorted, samples);
        event->low = llround((double)sorted[outside] * 1e9);
        event->high = llround((double)sorted[samples - 1 - outside] * 1e9);
        if (event->low == event->high)
            event->low = event->high = event->end - event->begin;
    }
    free(sorted);
}

static int add_intervals(const bmf_actions *actions, bmf_network *network, const int64_t *slot, int64_t first,
                         bmf_trace_run *run)
{
    const int64_t samples = actions->count > many_actions ? FEW : MANY;
    const int64_t each = count_slots(actions) * (int64_t)sizeof(float);
    if (each > max_bytes / samples)
        return BMF_OK;
    float *length = allocate_clear(samples, each);
    const int status = draw(actions, network, samples, length);
    if (status == BMF_OK)
        set_bounds(actions, slot, samples, length, first, run);
    free(length);
    return status;
}

int simulate_events(const bmf_actions *actions, bmf_network *network, bmf_trace_run *run, bmf_simulation *result,
                    bmf_prediction *whole)
{
    const int64_t first = run->events;
    BMF_TRY(simulate_interval(actions, network, 0, whole));
    bmf_simulator *simulator = simulator_create(actions, network, 0);
    simulator_record(simulator, run);
    int status = simulator_run(simulator);
    simulator_result(simulator, result);
    int64_t *slot = record_take_slots(simulator);
    simulator_free(simulator);
    if (status == BMF_OK && whole->high > whole->low && run->dropped == 0)
        status = add_intervals(actions, network, slot, first, run);
    free(slot);
    return status;
}
