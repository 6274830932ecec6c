/* The simulator: from the actions that were recorded to the clocks of all processors. See simulate.h.
 *
 * Method: every action knows the next one of its processor, so that more of them can be added at any time; events are
 * carried out by simulator_resume (step.c) and the network, the earliest first.
 * Cost: one pass over the actions to link them, then as step.c says.
 */
#include "predict/simulate/simulate.h"
#include "runtime/base/progress.h"

#include <math.h>
#include <stdlib.h>

#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

/* At the start of a run with nothing linked. */
static void begin(bmf_simulator *s)
{
    for (int64_t p = 0; p < s->actions->processors; p++)
        s->processor[p] = (processor){.at = -1, .last = -1, .open = -1};
    s->linked = s->heap_count = s->barrier = s->meetings = 0;
    s->loading = 0;
    s->rounds = 0;
    s->round_spare = -1;
    s->now = -1;
    for (int64_t r = 0; r < s->missing_capacity; r++)
        s->missing[r] = 0;
    flights_clear(s);
    s->agreement = step_agreement(s->network, s->sample);
    chances_begin(&s->chances, s->actions, s->network, s->sample);
    s->network->complete = step_complete;
    s->network->freed = step_freed;
    s->network->simulator = s;
    s->type->start(s->network, s->sample);
    if (s->recorder)
        record_restart(s);
}

bmf_simulator *simulator_create(const bmf_actions *actions, bmf_network *network, int64_t sample)
{
    bmf_simulator *s = allocate_clear(1, (int64_t)sizeof *s);
    s->actions = actions;
    s->network = network;
    s->type = network->type;
    s->sample = sample;
    s->compute_factor = 1.0;
    s->processor = allocate(actions->processors * (int64_t)sizeof *s->processor);
    s->heap = allocate((actions->processors + 1) * (int64_t)sizeof *s->heap);
    begin(s);
    return s;
}

void simulator_free(bmf_simulator *s)
{
    if (!s)
        return;
    flights_clear(s);
    record_finish(s);
    record_free(s);
    free(s->block);
    free(s->processor);
    free(s->next);
    free(s->heap);
    free(s->round);
    free(s->taken);
    free(s->missing);
    free(s->together);
    free(s);
}

/* ---- running ---- */

/* True when an action that was added belongs before something that was carried out. */
static bool comes_too_late(const bmf_simulator *s)
{
    for (int64_t k = s->linked; k < s->actions->count; k++)
        if (s->processor[s->action[k].processor].clock <= s->now)
            return true;
    return false;
}

static void link_actions(bmf_simulator *s)
{
    ARRAY_RESERVE(s->next, s->next_capacity, s->actions->count);
    for (; s->linked < s->actions->count; s->linked++) {
        processor *me = &s->processor[s->action[s->linked].processor];
        if (me->at < 0)
            me->at = s->linked;
        else
            s->next[me->last] = s->linked;
        s->next[s->linked] = -1;
        me->last = s->linked;
    }
}

/* Names the first processor that cannot go on. */
static int fail_starved(const bmf_simulator *s)
{
    int64_t p = 0;
    while (p < s->actions->processors &&
           (s->processor[p].blocked_on == BLOCKED_NOT || s->processor[p].blocked_on == BLOCKED_BARRIER))
        p++;
    if (p == s->actions->processors)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "some processors wait for all to meet, and others never do");
    const processor *me = &s->processor[p];
    const long long number = (long long)p;
    if (me->blocked_on == BLOCKED_WAIT)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "processor %lld waits for messages that nobody takes", number);
    if (me->blocked_on == BLOCKED_ROUND)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "processor %lld waits for others to send in its round", number);
    const bmf_scheduled_message *message = &s->actions->message[s->action[me->awaited].message];
    if (me->blocked_on == BLOCKED_SEND)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "processor %lld sends to processor %lld, which never takes it",
                        number, (long long)message->to);
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "processor %lld waits for a message that processor %lld never sends",
                    number, (long long)message->from);
}

/* About how far the run is, by the processor that goes on next: actions stand in the order of the program. */
static double share_done(const bmf_simulator *s, int64_t p)
{
    const int64_t at = s->processor[p].at;
    return at < 0 ? 0.0 : (double)at / (double)s->actions->count;
}

static void carry_out(bmf_simulator *s)
{
    bmf_progress progress;
    progress_begin(&progress, "simulating");
    while (s->status == BMF_OK) {
        if (progress_due(&progress) && s->heap_count > 0)
            progress_tell(&progress, share_done(s, s->heap[0].processor));
        const double own = s->type->next ? s->type->next(s->network) : INFINITY;
        if (own < INFINITY && (s->heap_count == 0 || own <= s->heap[0].time)) {
            s->now = fmax(s->now, own);
            s->type->advance(s->network);
        } else if (s->heap_count > 0) {
            simulator_resume(s);
        } else {
            break;
        }
    }
    progress_end(&progress);
    for (int64_t p = 0; p < s->actions->processors && s->status == BMF_OK; p++)
        if (s->processor[p].at >= 0)
            s->status = fail_starved(s);
}

int simulator_run(bmf_simulator *s)
{
    if (s->status != BMF_OK)
        return s->status;
    s->action = actions_list(s->actions);
    if (s->now >= 0 && comes_too_late(s))
        begin(s);
    link_actions(s);
    if (s->recorder)
        record_refresh(s);
    for (int64_t p = 0; p < s->actions->processors; p++)
        if (s->processor[p].at >= 0 && s->processor[p].blocked_on == BLOCKED_NOT)
            step_on(s, p);
    carry_out(s);
    for (int64_t p = 0; s->recorder && p < s->actions->processors; p++)
        record_scopes(s, p, s->actions->count);
    return s->status;
}

/* ---- results ---- */

double simulator_clock(const bmf_simulator *s, int64_t p)
{
    return s->processor[p].clock;
}

void simulator_result(const bmf_simulator *s, bmf_simulation *result)
{
    *result = (bmf_simulation){.actions = s->linked, .loading = s->loading};
    for (int64_t p = 0; p < s->actions->processors; p++) {
        result->seconds = fmax(result->seconds, s->processor[p].clock);
        result->idle += s->processor[p].idle;
    }
    actions_totals(s->actions, &result->messages, &result->bytes);
}
