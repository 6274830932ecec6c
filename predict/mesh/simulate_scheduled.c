/* The engine of simulate_scheduled.h.
 *
 * Method: cycle by cycle, but only nodes that hold a word or whose processor can do something are looked at; a transfer
 * is decided once, by its writer, in the cycle in which its write stage meets the reader's read stage. What is in the
 * stages of other nodes follows from the clock, because all run their blocks in step. When nothing can happen before a
 * processor wakes up, the clock goes there at once; when a whole schedule left everything as it was, but for words
 * having moved on, as many schedules as will do the same are skipped (simulate_periods.c). Results are those of
 * carrying out every cycle.
 * Cost: about 100 ns for a node that holds words and cycle.
 * Source: document 004, 1.4 (transfers) and 7.1.1 (stages). */
#include <inttypes.h>
#include <stdlib.h>

#include "predict/mesh/simulate_scheduled_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/progress.h"
#include "bmf/status.h"

/* ---- making ---- */

static void count_uses(bmf_scheduled_simulation *s)
{
    s->first_use = allocate((s->nodes + 1) * (int64_t)sizeof *s->first_use);
    for (int64_t n = 0; n < s->nodes; n++) {
        s->first_use[n] = s->uses;
        s->uses += s->script[n].uses;
        for (int64_t u = 0; u < s->script[n].uses; u++)
            if (s->script[n].use[u].stream >= s->streams)
                s->streams = s->script[n].use[u].stream + 1;
    }
    s->first_use[s->nodes] = s->uses;
}

bmf_scheduled_simulation *scheduled_simulation_create(bmf_scheduled_machine *machine, bmf_processor_script *script,
                                                      const bmf_simulation_settings *settings)
{
    bmf_scheduled_simulation *s = allocate_clear(1, sizeof *s);
    s->machine = machine;
    s->script = script;
    s->settings = *settings;
    s->settings.read_cycles += settings->read_cycles == 0;
    s->settings.write_cycles += settings->write_cycles == 0;
    s->nodes = machine->hardware.mesh.nodes;
    s->pipelines = machine->hardware.pipelines;
    s->slots = machine->hardware.length;
    s->node = allocate_clear(s->nodes, sizeof *s->node);
    s->neighbour = allocate_clear(s->nodes, sizeof *s->neighbour);
    s->hot = allocate(s->nodes * (int64_t)sizeof *s->hot);
    s->next_hot = allocate(s->nodes * (int64_t)sizeof *s->next_hot);
    s->unsteady = allocate(s->nodes * (int64_t)sizeof *s->unsteady);
    s->heap = allocate(s->nodes * (int64_t)sizeof *s->heap);
    s->running = s->nodes;
    count_uses(s);
    for (int64_t n = 0; n < s->nodes; n++) {
        node_state *state = &s->node[n];
        state->base = machine->node[n].pointer / s->slots * s->slots;
        s->commanded |= state->base != s->node[0].base;
        state->unsteady_until = state->last_move = state->cpu.counted_from = -1;
        for (int port = 0; port < BMF_MESH_PORTS; port++)
            s->neighbour[n][port] = mesh_neighbour(&machine->hardware.mesh, n, port);
        scheduled_wake(s, n);
    }
    return s;
}

void scheduled_simulation_feed(bmf_scheduled_simulation *s, bmf_script_feed *feed, void *state, int64_t streams)
{
    s->feed = feed;
    s->feed_state = state;
    s->streams = streams;
    s->uses = s->nodes * ACCESSES;
    for (int64_t n = 0; n <= s->nodes; n++)
        s->first_use[n] = n * ACCESSES;
}

void scheduled_simulation_interrupt(bmf_scheduled_simulation *s, const bmf_interrupt_handler *handler)
{
    s->handler = handler;
}

void scheduled_simulation_free(bmf_scheduled_simulation *s)
{
    if (!s)
        return;
    void *const owned[] = {s->node,      s->neighbour, s->hot,         s->next_hot,   s->unsteady,  s->heap,
                           s->first_use, s->state,     s->saved.state, s->saved.done, s->saved.time};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        free(owned[k]);
    free(s);
}

/* ---- stages ---- */

void scheduled_wake(bmf_scheduled_simulation *s, int64_t n)
{
    if (s->node[n].listed)
        return;
    s->node[n].listed = true;
    s->next_hot[s->next_hots++] = n;
}

stage scheduled_stage(const bmf_scheduled_simulation *s, int64_t n, int64_t fetched, int pipeline)
{
    const node_state *state = &s->node[n];
    if (fetched < 0)
        return (stage){BMF_VFSM_NOP, {BMF_PLACE_NOP, BMF_PLACE_NOP, false}};
    if (s->cycle <= state->unsteady_until)
        return state->ring[fetched % RING][pipeline];
    const bmf_scheduled_node *memory = &s->machine->node[n];
    const uint8_t vfsm = memory->entry[state->base + fetched % s->slots].vfsm[pipeline];
    return (stage){vfsm, memory->annotation[pipeline][vfsm]};
}

static stage reading(const bmf_scheduled_simulation *s, int64_t n, int pipeline)
{
    return scheduled_stage(s, n, s->cycle - 2, pipeline);
}

/* The pipeline whose VFSM reads from the port in this cycle, or -1. */
static int reader_of(const bmf_scheduled_simulation *s, int64_t n, int port, stage *reader)
{
    for (int p = 0; p < s->pipelines; p++) {
        *reader = reading(s, n, p);
        if (reader->at.source == port && !reader->at.copy)
            return p;
    }
    return -1;
}

/* The VFSM has the word from this cycle on. */
static void hand_over(bmf_scheduled_simulation *s, int64_t n, int pipeline, const stage *to, uint64_t word, bool retry)
{
    s->node[n].writing[(s->cycle + 1) & 1][pipeline] =
        (inflight){.valid = true, .retry = retry, .vfsm = to->vfsm, .destination = to->at.destination, .word = word};
}

/* ---- the write stage ---- */

static bool write_port(bmf_scheduled_simulation *s, int64_t n, int pipeline, const inflight *w)
{
    const int64_t to = s->neighbour[n][w->destination];
    const stage fork = reading(s, n, pipeline);
    const bool forks = fork.at.copy && fork.at.source == w->destination;
    if (to < 0 || (forks && s->node[n].buffer_full[pipeline] >> fork.vfsm & 1))
        return false;
    stage reader;
    const int at = reader_of(s, to, mesh_opposite(w->destination), &reader);
    if (at < 0 || s->node[to].buffer_full[at] >> reader.vfsm & 1)
        return false;
    hand_over(s, to, at, &reader, w->word, false);
    s->node[to].last_move = s->cycle;
    scheduled_wake(s, to);
    if (forks)
        hand_over(s, n, pipeline, &fork, w->word, false);
    s->hops++;
    return true;
}

static bool write_buffer(node_state *state, int pipeline, int vfsm, uint64_t word)
{
    if (state->buffer_full[pipeline] >> vfsm & 1)
        return false;
    state->buffer_full[pipeline] |= 1U << vfsm;
    state->buffer[pipeline][vfsm] = word;
    return true;
}

/* *accepted: whether the destination takes the word. */
static int write_word(bmf_scheduled_simulation *s, int64_t n, int pipeline, const inflight *w, bool *accepted)
{
    node_state *state = &s->node[n];
    const int to = w->destination;
    *accepted = true;
    if (place_is_port(to)) {
        *accepted = write_port(s, n, pipeline, w);
    } else if (place_is_register(to)) {
        const int reg = to - BMF_PLACE_REGISTER;
        *accepted = !(state->inbound_full >> reg & 1);
        if (*accepted) {
            state->inbound_full |= 1U << reg;
            state->inbound[reg] = w->word;
        }
    } else if (place_is_buffer(to)) {
        *accepted = write_buffer(state, pipeline, to - BMF_PLACE_BUFFER, w->word);
    } else if (to == BMF_PLACE_MEMADR) {
        return scheduled_command(s, n, pipeline, w->word);
    } else {
        *accepted = to == BMF_PLACE_NULL;
    }
    return BMF_OK;
}

static int write_stage(bmf_scheduled_simulation *s, int64_t n, int pipeline)
{
    node_state *state = &s->node[n];
    inflight *w = &state->writing[s->cycle & 1][pipeline];
    if (!w->valid)
        return BMF_OK;
    bool accepted;
    BMF_TRY(write_word(s, n, pipeline, w, &accepted));
    w->valid = false;
    if (accepted)
        state->last_move = s->cycle;
    if (accepted && w->retry)
        state->buffer_full[pipeline] &= ~(1U << w->vfsm);
    else if (!accepted && !w->retry)
        write_buffer(state, pipeline, w->vfsm, w->word);
    return BMF_OK;
}

/* ---- the read stage ---- */

static int read_stage(bmf_scheduled_simulation *s, int64_t n, int pipeline, bool wrote)
{
    node_state *state = &s->node[n];
    const stage at = reading(s, n, pipeline);
    const int from = at.at.source, to = at.at.destination;
    if (wrote && s->commanded && state->writing[s->cycle & 1][pipeline].vfsm == at.vfsm && to != BMF_PLACE_NULL &&
        to != BMF_PLACE_MEMADR)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                        "cycle %" PRId64 ": node %" PRId64 ", pipeline %d: VFSM %d runs in two cycles in a row after a "
                        "change of phases",
                        s->cycle, n, pipeline, at.vfsm);
    if (state->buffer_full[pipeline] >> at.vfsm & 1) {
        if (to != BMF_PLACE_BUFFER + at.vfsm)
            hand_over(s, n, pipeline, &at, state->buffer[pipeline][at.vfsm], true);
    } else if (place_is_register(from) && state->outbound_full >> (from - BMF_PLACE_REGISTER) & 1) {
        state->outbound_full &= ~(1U << (from - BMF_PLACE_REGISTER));
        hand_over(s, n, pipeline, &at, state->outbound[from - BMF_PLACE_REGISTER], false);
        state->last_move = s->cycle;
    } else if (place_is_buffer(from) && state->buffer_full[pipeline] >> (from - BMF_PLACE_BUFFER) & 1) {
        state->buffer_full[pipeline] &= ~(1U << (from - BMF_PLACE_BUFFER));
        hand_over(s, n, pipeline, &at, state->buffer[pipeline][from - BMF_PLACE_BUFFER], false);
        state->last_move = s->cycle;
    } else if (from == BMF_PLACE_NULL) {
        hand_over(s, n, pipeline, &at, RAW_WORD, false);
    }
    return BMF_OK;
}

/* ---- cycles ---- */

static bool stays_hot(const bmf_scheduled_simulation *s, int64_t n)
{
    const node_state *state = &s->node[n];
    if (state->outbound_full != 0)
        return true;
    for (int p = 0; p < s->pipelines; p++)
        if (state->buffer_full[p] != 0 || state->writing[(s->cycle + 1) & 1][p].valid)
            return true;
    return processor_is_awake(s, n);
}

static int run_node(bmf_scheduled_simulation *s, int64_t n)
{
    bool wrote[PIPELINES];
    for (int p = 0; p < s->pipelines; p++) {
        wrote[p] = s->node[n].writing[s->cycle & 1][p].valid;
        BMF_TRY(write_stage(s, n, p));
    }
    for (int p = 0; p < s->pipelines; p++)
        BMF_TRY(read_stage(s, n, p, wrote[p]));
    processor_choose(s, n);
    BMF_TRY(s->feed_status);
    return processor_access(s, n);
}

static void take_sleeper(bmf_scheduled_simulation *s)
{
    const int64_t node = sleepers_pop(s->heap, &s->sleepers).node;
    s->node[node].cpu.asleep = false;
    scheduled_wake(s, node);
}

int scheduled_simulation_step(bmf_scheduled_simulation *s)
{
    while (s->sleepers > 0 && s->heap[0].wake <= s->cycle)
        take_sleeper(s);
    int64_t *const swapped = s->hot;
    s->hot = s->next_hot;
    s->next_hot = swapped;
    s->hots = s->next_hots;
    s->next_hots = 0;
    for (int64_t k = 0; k < s->hots; k++)
        s->node[s->hot[k]].listed = false;
    if (s->commanded) {
        scheduled_advance_stages(s);
        BMF_TRY(scheduled_check_links(s));
    }
    for (int64_t k = 0; k < s->hots; k++)
        BMF_TRY(run_node(s, s->hot[k]));
    for (int64_t k = 0; k < s->hots; k++)
        if (stays_hot(s, s->hot[k]))
            scheduled_wake(s, s->hot[k]);
    s->carried_out++;
    s->cycle++;
    return BMF_OK;
}

/* Nothing can happen before the first sleeper wakes. */
static void skip_idle(bmf_scheduled_simulation *s)
{
    if (!s->settings.every_cycle && s->next_hots == 0 && !s->commanded && s->sleepers > 0 && s->heap[0].wake > s->cycle)
        s->cycle = s->heap[0].wake;
}

int scheduled_waits_for_ever(const bmf_scheduled_simulation *s)
{
    for (int64_t n = 0; n < s->nodes; n++)
        if (s->node[n].cpu.step < s->script[n].steps)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                            "the processor of node %" PRId64 " waits for ever, from cycle %" PRId64, n, s->cycle);
    return BMF_OK;
}

/* The words that are through of all; of scripts that grow nobody knows how many there will be. */
static void tell(const bmf_scheduled_simulation *s, bmf_progress *progress)
{
    int64_t done = 0, words = 0;
    for (int64_t n = 0; n < s->nodes && !s->feed; n++)
        for (int64_t u = 0; u < s->script[n].uses; u++) {
            done += s->script[n].use[u].done;
            words += s->script[n].use[u].words;
        }
    if (words > 0)
        progress_tell(progress, (double)done / (double)words);
    else
        progress_note(progress, "cycle %" PRId64 ", %" PRId64 " of %" PRId64 " nodes through", s->cycle,
                      s->nodes - s->running, s->nodes);
}

static int carry_out(bmf_scheduled_simulation *s, bmf_progress *progress)
{
    while (s->running > 0) {
        if (progress_due(progress))
            tell(s, progress);
        skip_idle(s);
        if (s->next_hots == 0 && s->sleepers == 0 && s->unsteadies == 0)
            return scheduled_waits_for_ever(s);
        if (!s->settings.every_cycle && s->cycle % s->slots == 0 && s->unsteadies == 0)
            BMF_TRY(scheduled_skip_periods(s));
        BMF_TRY(scheduled_simulation_step(s));
    }
    return BMF_OK;
}

int scheduled_simulation_run(bmf_scheduled_simulation *s)
{
    bmf_progress progress;
    progress_begin(&progress, "simulating");
    const int status = carry_out(s, &progress);
    progress_end(&progress);
    return status;
}

/* ---- asking ---- */

bool scheduled_simulation_ended(const bmf_scheduled_simulation *s)
{
    return s->running == 0;
}

int64_t scheduled_simulation_cycle(const bmf_scheduled_simulation *s)
{
    return s->cycle;
}

int64_t scheduled_simulation_length(const bmf_scheduled_simulation *s)
{
    return s->length;
}

int64_t scheduled_simulation_hops(const bmf_scheduled_simulation *s)
{
    return s->hops;
}

int64_t scheduled_simulation_carried_out(const bmf_scheduled_simulation *s)
{
    return s->carried_out;
}

int64_t scheduled_simulation_last_move(const bmf_scheduled_simulation *s, int64_t node)
{
    return s->node[node].last_move;
}

void scheduled_simulation_times(const bmf_scheduled_simulation *s, int64_t node, int64_t time[BMF_TIMES])
{
    const processor *cpu = &s->node[node].cpu;
    for (int k = 0; k < BMF_TIMES; k++)
        time[k] = cpu->time[k];
    if (cpu->counted_from >= 0)
        time[cpu->counting] += s->cycle - cpu->counted_from;
}

void scheduled_simulation_view(const bmf_scheduled_simulation *s, int64_t node, bmf_scheduled_view *view)
{
    const node_state *state = &s->node[node];
    *view = (bmf_scheduled_view){
        .outbound_full = state->outbound_full, .inbound_full = state->inbound_full, .step = state->cpu.step};
    for (int r = 0; r < REGISTERS; r++) {
        view->outbound[r] = state->outbound_full >> r & 1 ? state->outbound[r] : 0;
        view->inbound[r] = state->inbound_full >> r & 1 ? state->inbound[r] : 0;
    }
    for (int p = 0; p < s->pipelines; p++) {
        view->buffer_full[p] = state->buffer_full[p];
        for (int v = 0; v < BMF_SCHEDULED_VFSMS; v++)
            view->buffer[p][v] = state->buffer_full[p] >> v & 1 ? state->buffer[p][v] : 0;
    }
}
