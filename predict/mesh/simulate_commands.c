/* Commands to MEMADR and what follows from them: for some cycles the stages of a node hold what was fetched before, and
 * as long as nodes run different blocks, neighbours may both use a link. Method: a node whose memories change keeps
 * what is in its stages in a ring, filled as the hardware fills its stages, until they are all of the new kind; links
 * between nodes in different blocks are looked at every cycle. Cost: O(nodes pipelines^2) a cycle while blocks differ.
 * Source: document 004, 7.1.1 (reprogramming, aliased flow-control wires) and 7.1.2 (changes of phases). */
#include <inttypes.h>

#include "predict/mesh/simulate_scheduled_private.h"
#include "bmf/status.h"

static uint8_t fetch(const bmf_scheduled_simulation *s, int64_t n, int64_t cycle, int pipeline)
{
    return s->machine->node[n].entry[s->node[n].base + cycle % s->slots].vfsm[pipeline];
}

/* The stages from now on come from the ring. What was fetched in this cycle gets its annotation in the next. */
static void keep_stages(bmf_scheduled_simulation *s, int64_t n)
{
    node_state *state = &s->node[n];
    s->commanded = true;
    if (state->unsteady_until < s->cycle) {
        stage kept[RING][PIPELINES];
        for (int64_t fetched = s->cycle - RING + 1; fetched <= s->cycle; fetched++)
            for (int p = 0; p < s->pipelines; p++)
                kept[(fetched + RING) % RING][p] = scheduled_stage(s, n, fetched, p);
        for (int k = 0; k < RING; k++)
            for (int p = 0; p < s->pipelines; p++)
                state->ring[k][p] = kept[k][p];
        s->unsteady[s->unsteadies++] = n;
    }
    state->unsteady_until = s->cycle + RING;
}

void scheduled_advance_stages(bmf_scheduled_simulation *s)
{
    int64_t left = 0;
    for (int64_t k = 0; k < s->unsteadies; k++) {
        const int64_t n = s->unsteady[k];
        node_state *state = &s->node[n];
        if (s->cycle > state->unsteady_until)
            continue;
        s->unsteady[left++] = n;
        for (int p = 0; p < s->pipelines; p++) {
            if (s->cycle > 0) {
                stage *fetched = &state->ring[(s->cycle - 1) % RING][p];
                fetched->at = s->machine->node[n].annotation[p][fetched->vfsm];
            }
            state->ring[s->cycle % RING][p].vfsm = fetch(s, n, s->cycle, p);
        }
    }
    s->unsteadies = left;
    if (left > 0)
        return;
    s->commanded = false;
    for (int64_t n = 1; n < s->nodes; n++)
        s->commanded |= s->node[n].base != s->node[0].base;
}

static int bad_command(const bmf_scheduled_simulation *s, int64_t n, int pipeline, const char *what)
{
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "cycle %" PRId64 ": node %" PRId64 ", pipeline %d: %s", s->cycle, n,
                    pipeline, what);
}

int scheduled_command(bmf_scheduled_simulation *s, int64_t n, int pipeline, uint64_t word)
{
    node_state *state = &s->node[n];
    bmf_scheduled_node *memory = &s->machine->node[n];
    const int last_base = (scheduled_blocks(&s->machine->hardware) - 1) * s->slots;
    bmf_command command;
    if (!(word & RAW_WORD) || !command_decode(word & ~RAW_WORD, &command))
        return bad_command(s, n, pipeline, "a word at MEMADR is no command");
    if (pipeline != 0 && command.kind != BMF_COMMAND_ANNOTATION)
        return bad_command(s, n, pipeline, "only pipeline 0 changes schedules and their pointer");
    keep_stages(s, n);
    s->saved.taken = false; /* what was the same before is not now */
    int base = state->base;
    switch (command.kind) {
    case BMF_COMMAND_ENTRY:
        if (command.entry.next != memory->entry[command.index].next)
            return bad_command(s, n, pipeline, "an entry would lead out of its block");
        memory->entry[command.index] = command.entry;
        break;
    case BMF_COMMAND_ANNOTATION:
        memory->annotation[pipeline][command.index] = command.annotation;
        break;
    case BMF_COMMAND_POINTER:
        base = command.value - (int)((s->cycle + 1) % s->slots);
        break;
    case BMF_COMMAND_DELTA:
        base += command.value;
        break;
    }
    if (base < 0 || base > last_base || base % s->slots != 0)
        return bad_command(s, n, pipeline, "the schedule pointer would lose its place in the schedule");
    state->base = base;
    return BMF_OK;
}

/* ---- links between nodes in different blocks ---- */

/* A VFSM that reads the port in this cycle and has room, so that its node raises the wire. */
static bool accepts(const bmf_scheduled_simulation *s, int64_t n, int port)
{
    for (int p = 0; p < s->pipelines; p++) {
        const stage at = scheduled_stage(s, n, s->cycle - 2, p);
        if (at.at.source == port && !at.at.copy && !(s->node[n].buffer_full[p] >> at.vfsm & 1))
            return true;
    }
    return false;
}

static bool offers(const bmf_scheduled_simulation *s, int64_t n, int port)
{
    for (int p = 0; p < s->pipelines; p++) {
        const inflight *w = &s->node[n].writing[s->cycle & 1][p];
        if (w->valid && w->destination == port)
            return true;
    }
    return false;
}

int scheduled_check_links(const bmf_scheduled_simulation *s)
{
    if (s->machine->hardware.separate_wires)
        return BMF_OK;
    for (int64_t n = 0; n < s->nodes; n++)
        for (int port = 1; port < BMF_MESH_PORTS; port += 2) {
            const int64_t to = s->neighbour[n][port];
            const bool steady = s->node[n].unsteady_until < s->cycle;
            if (to < 0 || (s->node[n].base == s->node[to].base && steady && s->node[to].unsteady_until < s->cycle))
                continue;
            const char *both = accepts(s, n, port) && accepts(s, to, mesh_opposite(port)) ? "read"
                               : offers(s, n, port) && offers(s, to, mesh_opposite(port)) ? "write"
                                                                                          : NULL;
            if (both)
                return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                                "cycle %" PRId64 ": nodes %" PRId64 " and %" PRId64
                                " both %s the link between them: each "
                                "takes the other's signal for its own transfer's",
                                s->cycle, n, to, both);
        }
    return BMF_OK;
}
