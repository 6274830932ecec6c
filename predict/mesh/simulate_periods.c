/* Skips whole periods of a mesh of scheduled routers.
 *
 * Method: at the start of a schedule everything that decides about the future, but for how many words have been moved,
 * is compared with what it was some schedules before. If it is the same, every later period moves the same words one
 * period further, until a transfer ends or a processor wakes up; so the clock, the counts and the words' places go on
 * by that many periods at once. Which earlier state is compared follows Brent (An improved Monte Carlo factorization
 * algorithm, 1980).
 * Cost: O(nodes) a schedule. */
#include <stdlib.h>
#include <string.h>

#include "predict/mesh/simulate_scheduled_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "bmf/status.h"

enum { MAX_SCHEDULES = 64 }; /* longest period that is looked for, in schedules */

/* ---- the state ---- */

static void put(bmf_scheduled_simulation *s, int64_t *length, uint64_t value)
{
    *ARRAY_APPEND(s->state, *length, s->state_capacity) = value;
}

static void put_words(bmf_scheduled_simulation *s, int64_t *length, uint32_t full, const uint64_t *word)
{
    put(s, length, full);
    for (; full; full &= full - 1)
        put(s, length, word[__builtin_ctz(full)] >> STREAM_SHIFT);
}

/* How far the written use of a step with a window is ahead of the read one. */
static int64_t lead_of(const bmf_scheduled_simulation *s, int64_t n)
{
    const bmf_processor_script *script = &s->script[n];
    const int64_t at = s->node[n].cpu.step;
    int64_t lead = 0;
    if (at >= script->steps || script->step[at].window == 0)
        return 0;
    const simulator_resume *step = &script->step[at];
    for (int64_t u = step->first; u < step->first + step->count - step->background; u++)
        lead += script->use[u].reads ? -script->use[u].done : script->use[u].done;
    return lead;
}

static int64_t write_state(bmf_scheduled_simulation *s)
{
    int64_t length = 0;
    for (int64_t n = 0; n < s->nodes; n++) {
        const node_state *state = &s->node[n];
        const processor *cpu = &state->cpu;
        put_words(s, &length, state->outbound_full, state->outbound);
        put_words(s, &length, state->inbound_full, state->inbound);
        for (int p = 0; p < s->pipelines; p++) {
            const inflight *w = &state->writing[s->cycle & 1][p];
            put_words(s, &length, state->buffer_full[p], state->buffer[p]);
            put(s, &length, w->valid ? (uint64_t)w->vfsm << 1 | 1 : 0);
            if (w->valid)
                put(s, &length, w->word >> STREAM_SHIFT << 1 | w->retry);
        }
        put(s, &length, (uint64_t)cpu->step << 8 | (uint64_t)cpu->turn << 1 | cpu->drained);
        put(s, &length, (uint64_t)cpu->progress << 32 | cpu->pending);
        put(s, &length, (uint64_t)lead_of(s, n));
        put(s, &length,
            (uint64_t)(cpu->busy_until > s->cycle ? cpu->busy_until - s->cycle : 0) << 16 | (uint64_t)state->base);
    }
    return length;
}

static void save(bmf_scheduled_simulation *s, int64_t length)
{
    snapshot *saved = &s->saved;
    const int64_t size = (int64_t)sizeof *saved->state;
    if (!saved->done) {
        saved->done = allocate((s->uses + 1) * (int64_t)sizeof *saved->done);
        saved->time = allocate(s->nodes * (int64_t)sizeof *saved->time);
    }
    ARRAY_RESERVE(saved->state, saved->capacity, length);
    memcpy(saved->state, s->state, (size_t)(length * size));
    saved->length = length;
    saved->cycle = s->cycle;
    saved->hops = s->hops;
    saved->age = 0;
    saved->taken = true;
    for (int64_t n = 0; n < s->nodes; n++) {
        processor_count(s, n);
        memcpy(saved->time[n], s->node[n].cpu.time, sizeof saved->time[n]);
        for (int64_t u = 0; u < s->script[n].uses; u++)
            saved->done[s->first_use[n] + u] = s->script[n].use[u].done;
    }
}

/* ---- skipping ---- */

/* Periods until a transfer would end or a sleeper wake; -1: neither will ever be. *moved by stream: words a period. */
static int64_t periods_alike(const bmf_scheduled_simulation *s, int64_t period, int64_t *moved)
{
    int64_t periods = s->sleepers > 0 ? (s->heap[0].wake - s->cycle) / period : -1;
    for (int64_t n = 0; n < s->nodes; n++)
        for (int64_t u = 0; u < s->script[n].uses; u++) {
            const bmf_interface_use *use = &s->script[n].use[u];
            const int64_t words = use->done - s->saved.done[s->first_use[n] + u];
            if (words == 0)
                continue;
            moved[use->stream] = words;
            const int64_t max = (use->words - use->done - 1) / words;
            if (periods < 0 || max < periods)
                periods = max;
        }
    return periods;
}

static void shift_word(uint64_t *word, const int64_t *moved, int64_t periods)
{
    if (!(*word & RAW_WORD))
        *word += (uint64_t)(moved[*word >> STREAM_SHIFT] * periods);
}

static void shift_words(uint32_t full, uint64_t *word, const int64_t *moved, int64_t periods)
{
    for (; full; full &= full - 1)
        shift_word(&word[__builtin_ctz(full)], moved, periods);
}

static void shift_node(bmf_scheduled_simulation *s, int64_t n, const int64_t *moved, int64_t periods, int64_t cycles)
{
    node_state *state = &s->node[n];
    processor *cpu = &state->cpu;
    shift_words(state->outbound_full, state->outbound, moved, periods);
    shift_words(state->inbound_full, state->inbound, moved, periods);
    for (int p = 0; p < s->pipelines; p++) {
        shift_words(state->buffer_full[p], state->buffer[p], moved, periods);
        inflight *now = &state->writing[s->cycle & 1][p], *then = &state->writing[(s->cycle + cycles) & 1][p];
        if (now->valid)
            shift_word(&now->word, moved, periods);
        if (now != then) {
            *then = *now;
            now->valid = false;
        }
    }
    processor_count(s, n);
    for (int k = 0; k < BMF_TIMES; k++)
        cpu->time[k] += periods * (cpu->time[k] - s->saved.time[n][k]);
    if (cpu->counted_from >= 0)
        cpu->counted_from += cycles;
    if (cpu->busy_until > s->cycle)
        cpu->busy_until += cycles;
    if (state->last_move >= s->saved.cycle)
        state->last_move += cycles;
    for (int64_t u = 0; u < s->script[n].uses; u++) {
        bmf_interface_use *use = &s->script[n].use[u];
        const int64_t words = use->done - s->saved.done[s->first_use[n] + u];
        use->done += periods * words;
        if (words > 0)
            use->last += cycles;
    }
}

int scheduled_skip_periods(bmf_scheduled_simulation *s)
{
    snapshot *saved = &s->saved;
    const int64_t length = write_state(s);
    const bool same = saved->taken && length == saved->length &&
                      memcmp(saved->state, s->state, (size_t)length * sizeof *s->state) == 0;
    if (same && s->cycle > saved->cycle) {
        const int64_t period = s->cycle - saved->cycle;
        int64_t *moved = allocate_clear(s->streams + 1, sizeof *moved);
        const int64_t periods = periods_alike(s, period, moved);
        if (periods > 0) {
            for (int64_t n = 0; n < s->nodes; n++)
                shift_node(s, n, moved, periods, periods * period);
            s->hops += periods * (s->hops - saved->hops);
            s->cycle += periods * period;
        }
        free(moved);
        saved->taken = false;
        return periods < 0 ? scheduled_waits_for_ever(s) : BMF_OK;
    }
    if (!saved->taken || ++saved->age >= saved->power) {
        saved->power = !saved->taken || saved->power >= MAX_SCHEDULES ? 1 : 2 * saved->power;
        save(s, length);
    }
    return BMF_OK;
}
