/* The reference simulator of scheduled routers. Method: as the hardware is described, in two halves of a cycle: from
 * the state at its start all valid and accept signals, then the state at its end. Nothing is skipped and nothing
 * remembered about where words are. Source: document 004, 1.4.2 and 7.1.1. */
#include "ctest/reference/reference_numesh.h"

#include <stdlib.h>
#include <string.h>

enum { P = BMF_SCHEDULED_PIPELINES, V = BMF_SCHEDULED_VFSMS, R = BMF_SCHEDULED_REGISTERS };
#define COMMAND_BIT (UINT64_C(1) << 63)

typedef struct latch {
    int vfsm, source, destination;
    bool copy, has_word;
    uint64_t word;
} latch;

typedef struct node {
    int pointer;
    int instruction[P]; /* VFSMs that the schedule stage has found */
    latch read[P], write[P];
    bool full[P][V], outbound_full[R], inbound_full[R];
    uint64_t buffer[P][V], outbound[R], inbound[R];
    int64_t step, begun, progress, drained; /* drained: cycle, -1: not yet */
    int turn;
    int64_t done[64], first[64], last[64], ended[64];
    bool finished;
} node;

struct reference_numesh {
    bmf_scheduled_hardware hardware;
    bmf_scheduled_node *memory;
    const bmf_processor_script *script;
    int64_t nodes, cycle, hops, disordered;
    node *old, *new;
};

reference_numesh *reference_numesh_create(const bmf_scheduled_machine *machine, const bmf_processor_script *script)
{
    reference_numesh *r = calloc(1, sizeof *r);
    r->hardware = machine->hardware;
    r->script = script;
    r->nodes = machine->hardware.mesh.nodes;
    r->memory = malloc((size_t)r->nodes * sizeof *r->memory);
    memcpy(r->memory, machine->node, (size_t)r->nodes * sizeof *r->memory);
    r->old = calloc((size_t)r->nodes, sizeof *r->old);
    r->new = calloc((size_t)r->nodes, sizeof *r->new);
    for (int64_t n = 0; n < r->nodes; n++) {
        node *at = &r->new[n];
        at->pointer = r->memory[n].pointer;
        at->begun = at->drained = -1;
        for (int p = 0; p < P; p++)
            at->read[p] = at->write[p] =
                (latch){.vfsm = BMF_VFSM_NOP, .source = BMF_PLACE_NOP, .destination = BMF_PLACE_NOP};
        for (int k = 0; k < 64; k++)
            at->first[k] = at->last[k] = at->ended[k] = -1;
    }
    return r;
}

/* ---- signals, all from the state at the cycle's start ---- */

static bool has_word(const node *at, int p)
{
    return at->full[p][at->write[p].vfsm] || at->write[p].has_word;
}

static uint64_t word_of(const node *at, int p)
{
    const int vfsm = at->write[p].vfsm;
    return at->full[p][vfsm] ? at->buffer[p][vfsm] : at->write[p].word;
}

static bool has_room(const node *at, int p)
{
    return !at->full[p][at->read[p].vfsm];
}

static bool is_fork(const node *at, int p)
{
    return at->read[p].copy && at->read[p].source == at->write[p].destination;
}

/* The pipeline that listens to a port, or -1. */
static int listener(const reference_numesh *r, int64_t n, int port)
{
    for (int p = 0; p < r->hardware.pipelines; p++)
        if (r->old[n].read[p].source == port && !r->old[n].read[p].copy)
            return p;
    return -1;
}

static bool accepted(const reference_numesh *r, int64_t n, int p)
{
    const node *at = &r->old[n];
    const int to = at->write[p].destination;
    if (place_is_port(to)) {
        const int64_t m = mesh_neighbour(&r->hardware.mesh, n, to);
        const int l = m < 0 ? -1 : listener(r, m, mesh_opposite(to));
        return l >= 0 && has_room(&r->old[m], l) && (!is_fork(at, p) || has_room(at, p));
    }
    if (place_is_register(to))
        return !at->inbound_full[to - BMF_PLACE_REGISTER];
    if (place_is_buffer(to))
        return to - BMF_PLACE_BUFFER != at->write[p].vfsm && !at->full[p][to - BMF_PLACE_BUFFER];
    return to == BMF_PLACE_NULL || to == BMF_PLACE_MEMADR;
}

/* ---- transfers ---- */

static void give(latch *to, uint64_t word)
{
    to->has_word = true;
    to->word = word;
}

static void deliver(reference_numesh *r, int64_t n, int p, latch (*taken)[P], int *delta, int *jump)
{
    const node *at = &r->old[n];
    node *after = &r->new[n];
    const int to = at->write[p].destination;
    const uint64_t word = word_of(at, p);
    if (place_is_port(to)) {
        const int64_t m = mesh_neighbour(&r->hardware.mesh, n, to);
        give(&taken[m][listener(r, m, mesh_opposite(to))], word);
        if (is_fork(at, p))
            give(&taken[n][p], word);
        r->hops++;
    } else if (place_is_register(to)) {
        after->inbound_full[to - BMF_PLACE_REGISTER] = true;
        after->inbound[to - BMF_PLACE_REGISTER] = word;
    } else if (place_is_buffer(to)) {
        after->full[p][to - BMF_PLACE_BUFFER] = true;
        after->buffer[p][to - BMF_PLACE_BUFFER] = word;
    } else if (to == BMF_PLACE_MEMADR) {
        bmf_command command;
        command_decode(word & ~COMMAND_BIT, &command);
        if (command.kind == BMF_COMMAND_ENTRY)
            r->memory[n].entry[command.index] = command.entry;
        else if (command.kind == BMF_COMMAND_ANNOTATION)
            r->memory[n].annotation[p][command.index] = command.annotation;
        else if (command.kind == BMF_COMMAND_DELTA)
            *delta += command.value;
        else
            *jump = command.value;
    }
}

static void write_stage(reference_numesh *r, int64_t n, int p, latch (*taken)[P], int *delta, int *jump)
{
    const node *at = &r->old[n];
    node *after = &r->new[n];
    const int vfsm = at->write[p].vfsm;
    if (!has_word(at, p))
        return;
    if (accepted(r, n, p)) {
        if (at->full[p][vfsm])
            after->full[p][vfsm] = false;
        deliver(r, n, p, taken, delta, jump);
    } else if (!at->full[p][vfsm]) {
        after->full[p][vfsm] = true;
        after->buffer[p][vfsm] = at->write[p].word;
    }
}

static void read_stage(reference_numesh *r, int64_t n, int p, latch (*taken)[P])
{
    const node *at = &r->old[n];
    node *after = &r->new[n];
    const int from = at->read[p].source;
    if (!has_room(at, p))
        return;
    if (place_is_register(from) && at->outbound_full[from - BMF_PLACE_REGISTER]) {
        after->outbound_full[from - BMF_PLACE_REGISTER] = false;
        give(&taken[n][p], at->outbound[from - BMF_PLACE_REGISTER]);
    } else if (place_is_buffer(from)) {
        const int other = from - BMF_PLACE_BUFFER;
        const bool passing = at->write[p].vfsm == other && at->write[p].destination == from && at->write[p].has_word;
        if (!at->full[p][other] && !passing)
            return;
        give(&taken[n][p], at->full[p][other] ? at->buffer[p][other] : at->write[p].word);
        after->full[p][other] = false;
    } else if (from == BMF_PLACE_NULL) {
        give(&taken[n][p], COMMAND_BIT);
    }
}

/* ---- processors: one access a cycle, registers as the router left them ---- */

static bool may_access(const node *at, const bmf_interface_use *use)
{
    return use->reads ? at->inbound_full[use->reg] : !at->outbound_full[use->reg];
}

static void access_word(reference_numesh *r, int64_t n, int64_t u)
{
    const bmf_interface_use *use = &r->script[n].use[u];
    node *at = &r->new[n];
    const uint64_t due = (uint64_t)use->stream << 40 | (uint64_t)(use->begin + at->done[u]);
    if (use->reads) {
        r->disordered += at->inbound[use->reg] != due;
        at->inbound_full[use->reg] = false;
    } else {
        at->outbound_full[use->reg] = true;
        at->outbound[use->reg] = due;
    }
    if (at->done[u]++ == 0)
        at->first[u] = r->cycle;
    at->last[u] = r->cycle;
    at->turn = (use->reg + (use->reads ? R : 0) + 1) % (2 * R);
}

/* The first wanted use at or after the turn, in the order of outbound, then inbound registers. -1: none. */
static int64_t next_use(const reference_numesh *r, int64_t n, const simulator_resume *step)
{
    const node *at = &r->new[n];
    for (int k = 0; k < 2 * R; k++) {
        const int place = (at->turn + k) % (2 * R);
        for (int64_t u = step->first; u < step->first + step->count; u++) {
            const bmf_interface_use *use = &r->script[n].use[u];
            if (use->reg + (use->reads ? R : 0) == place && at->done[u] < use->words &&
                (step->in_order || may_access(at, use)))
                return u;
        }
    }
    return -1;
}

/* true: the step ended before this cycle. */
static bool processor_step(reference_numesh *r, int64_t n, const simulator_resume *step)
{
    node *at = &r->new[n];
    if (at->begun < 0) {
        at->begun = r->cycle;
        at->progress = 0;
        at->drained = -1;
        at->turn = 0;
    }
    switch (step->kind) {
    case BMF_STEP_WAIT:
        return r->cycle >= at->begun + step->cycles;
    case BMF_STEP_UNTIL:
        return r->cycle >= step->cycles;
    case BMF_STEP_DRAIN:
        if (at->drained < 0 && !at->outbound_full[step->reg])
            at->drained = r->cycle;
        return at->drained >= 0 && r->cycle >= at->drained + step->cycles;
    case BMF_STEP_COMMANDS:
        if (at->progress == step->count)
            return true;
        if (!at->outbound_full[step->reg]) {
            at->outbound_full[step->reg] = true;
            at->outbound[step->reg] = r->script[n].word[step->first + at->progress++] | COMMAND_BIT;
        }
        return false;
    case BMF_STEP_HANDLED: /* there are no interrupts here */
        return true;
    case BMF_STEP_TRANSFER:
        break;
    }
    bool all = true;
    for (int64_t u = step->first; u < step->first + step->count; u++)
        all &= at->done[u] == r->script[n].use[u].words;
    if (all)
        return true;
    const int64_t u = next_use(r, n, step);
    if (u >= 0 && may_access(at, &r->script[n].use[u]))
        access_word(r, n, u);
    return false;
}

static void run_processor(reference_numesh *r, int64_t n)
{
    node *at = &r->new[n];
    while (at->step < r->script[n].steps) {
        if (!processor_step(r, n, &r->script[n].step[at->step]))
            return;
        at->ended[at->step] = r->cycle;
        at->step++;
        at->begun = -1;
    }
    at->finished = true;
}

/* ---- cycles ---- */

static void advance(reference_numesh *r, int64_t n, const bmf_scheduled_node *before, latch *taken, int delta, int jump)
{
    node *at = &r->new[n];
    for (int p = 0; p < r->hardware.pipelines; p++) {
        at->write[p] = r->old[n].read[p];
        at->write[p].has_word = taken[p].has_word;
        at->write[p].word = taken[p].word;
        const int vfsm = r->old[n].instruction[p];
        const bmf_annotation *found = &before->annotation[p][vfsm];
        at->read[p] =
            (latch){.vfsm = vfsm, .source = found->source, .destination = found->destination, .copy = found->copy};
        at->instruction[p] = before->entry[at->pointer].vfsm[p];
    }
    at->pointer = before->entry[at->pointer].next + delta;
    if (jump >= 0)
        at->pointer = jump;
}

void reference_numesh_step(reference_numesh *r)
{
    const size_t count = (size_t)r->nodes;
    memcpy(r->old, r->new, count * sizeof *r->old);
    bmf_scheduled_node *before = malloc(count * sizeof *before);
    memcpy(before, r->memory, count * sizeof *before);
    latch(*taken)[P] = calloc(count, sizeof *taken);
    int *delta = calloc(count, sizeof *delta), *jump = calloc(count, sizeof *jump);
    for (int64_t n = 0; n < r->nodes; n++) {
        jump[n] = -1;
        for (int p = 0; p < r->hardware.pipelines; p++)
            write_stage(r, n, p, taken, &delta[n], &jump[n]);
    }
    for (int64_t n = 0; n < r->nodes; n++) {
        for (int p = 0; p < r->hardware.pipelines; p++)
            read_stage(r, n, p, taken);
        run_processor(r, n);
        advance(r, n, &before[n], taken[n], delta[n], jump[n]);
    }
    free(before);
    free(taken);
    free(delta);
    free(jump);
    r->cycle++;
}

/* ---- asking ---- */

bool reference_numesh_ended(const reference_numesh *r)
{
    for (int64_t n = 0; n < r->nodes; n++)
        if (!r->new[n].finished)
            return false;
    return true;
}

int64_t reference_numesh_cycle(const reference_numesh *r)
{
    return r->cycle;
}

int64_t reference_numesh_hops(const reference_numesh *r)
{
    return r->hops;
}

int64_t reference_numesh_disordered(const reference_numesh *r)
{
    return r->disordered;
}

void reference_numesh_view(const reference_numesh *r, int64_t n, bmf_scheduled_view *view)
{
    const node *at = &r->new[n];
    memset(view, 0, sizeof *view);
    view->step = at->step;
    for (int k = 0; k < R; k++) {
        view->outbound_full |= (uint32_t)at->outbound_full[k] << k;
        view->inbound_full |= (uint32_t)at->inbound_full[k] << k;
        view->outbound[k] = at->outbound_full[k] ? at->outbound[k] : 0;
        view->inbound[k] = at->inbound_full[k] ? at->inbound[k] : 0;
    }
    for (int p = 0; p < r->hardware.pipelines; p++)
        for (int v = 0; v < V; v++) {
            view->buffer_full[p] |= (uint32_t)at->full[p][v] << v;
            view->buffer[p][v] = at->full[p][v] ? at->buffer[p][v] : 0;
        }
}

void reference_numesh_use(const reference_numesh *r, int64_t n, int64_t u, int64_t *done, int64_t *first, int64_t *last)
{
    *done = r->new[n].done[u];
    *first = r->new[n].first[u];
    *last = r->new[n].last[u];
}

int64_t reference_numesh_step_ended(const reference_numesh *r, int64_t n, int64_t step)
{
    return r->new[n].ended[step];
}

void reference_numesh_free(reference_numesh *r)
{
    free(r->memory);
    free(r->old);
    free(r->new);
    free(r);
}
