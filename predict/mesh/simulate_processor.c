/* Processors of a mesh of scheduled routers: they run their scripts. Method: in every cycle in which a processor could
 * do something, one access is chosen and carried out, after the router's stages. A processor that waits for a time
 * sleeps in a heap. Cost: O(1) an access, O(log nodes) a sleep. Source: document 004, 7.1.1 (interface) and 8.1.3 (what
 * cycles are counted as). */
#include <inttypes.h>

#include "predict/mesh/simulate_scheduled_private.h"
#include "bmf/status.h"

void processor_count(bmf_scheduled_simulation *s, int64_t n)
{
    processor *cpu = &s->node[n].cpu;
    if (cpu->counted_from >= 0) {
        cpu->time[cpu->counting] += s->cycle - cpu->counted_from;
        cpu->counted_from = s->cycle;
    }
}

static void count_as(bmf_scheduled_simulation *s, int64_t n, bmf_mesh_time time)
{
    processor_count(s, n);
    s->node[n].cpu.counting = time;
    s->node[n].cpu.counted_from = s->cycle;
}

static void sleep_until(bmf_scheduled_simulation *s, int64_t n, int64_t wake)
{
    if (s->node[n].cpu.asleep)
        return;
    s->node[n].cpu.asleep = true;
    sleepers_push(s->heap, &s->sleepers, (sleeper){wake, n});
}

static simulator_resume *step_of(const bmf_scheduled_simulation *s, int64_t n)
{
    const int64_t step = s->node[n].cpu.step;
    return step < s->script[n].steps ? &s->script[n].step[step] : NULL;
}

static void begin_step(bmf_scheduled_simulation *s, int64_t n, simulator_resume *step)
{
    processor *cpu = &s->node[n].cpu;
    step->begun = s->cycle;
    cpu->wake = step->kind == BMF_STEP_UNTIL ? step->cycles : s->cycle + step->cycles;
    cpu->drained = step->kind != BMF_STEP_DRAIN;
    cpu->progress = 0;
    cpu->pending = cpu->background = 0;
    cpu->turn = step->reads_first ? REGISTERS : 0;
    if (step->kind == BMF_STEP_COMMANDS)
        return;
    for (int64_t u = step->first; u < step->first + step->count; u++) {
        const bmf_interface_use *use = &s->script[n].use[u];
        const int access = use->reg + (use->reads ? REGISTERS : 0);
        cpu->use[access] = u;
        if (use->words > 0)
            cpu->pending |= 1U << access;
        if (u >= step->first + step->count - step->background)
            cpu->background |= 1U << access;
    }
}

/* Accesses that would go further ahead than the step's window. */
static uint32_t too_far(const bmf_scheduled_simulation *s, int64_t n, const simulator_resume *step)
{
    const processor *cpu = &s->node[n].cpu;
    const uint32_t writes = (1U << REGISTERS) - 1;
    int64_t ahead = 0;
    const uint32_t waited = cpu->pending & ~cpu->background;
    if (step->window == 0 || !(waited & writes) || !(waited & ~writes))
        return 0;
    for (int64_t u = step->first; u < step->first + step->count - step->background; u++)
        ahead += s->script[n].use[u].reads ? -s->script[n].use[u].done : s->script[n].use[u].done;
    return (ahead >= step->window ? writes : -ahead >= step->window ? ~writes : 0) & ~cpu->background;
}

/* Accesses that registers allow now. */
static uint32_t ready_of(const node_state *state)
{
    return (~state->outbound_full & 0xffffU) | state->inbound_full << REGISTERS;
}

/* The next access of a transfer: in its turn among those that are ready. */
static void choose_transfer(bmf_scheduled_simulation *s, int64_t n, const simulator_resume *step)
{
    node_state *state = &s->node[n];
    processor *cpu = &state->cpu;
    const uint32_t ready = ready_of(state);
    const uint32_t waited = cpu->pending & ~cpu->background;
    const uint32_t wanted = step->in_order ? waited : waited & ready & ~too_far(s, n, step);
    const uint32_t later = wanted & ~((1U << cpu->turn) - 1);
    const int next = wanted == 0 ? NO_ACCESS : __builtin_ctz(later ? later : wanted);
    const bool reads = next == NO_ACCESS ? waited >> REGISTERS != 0 : next >= REGISTERS;
    const uint32_t others = cpu->pending & cpu->background & ready;
    count_as(s, n, reads ? BMF_TIME_READ : BMF_TIME_WRITE);
    if (next != NO_ACCESS && ready >> next & 1)
        cpu->access = next;
    else if (others)
        cpu->access = __builtin_ctz(others);
}

/* Whether the step goes on in this cycle; false: it has ended. */
static bool go_on(bmf_scheduled_simulation *s, int64_t n, const simulator_resume *step)
{
    node_state *state = &s->node[n];
    processor *cpu = &state->cpu;
    const bool full = state->outbound_full >> step->reg & 1;
    if (s->cycle < cpu->busy_until)
        return true;
    switch (step->kind) {
    case BMF_STEP_TRANSFER:
        if ((cpu->pending & ~cpu->background) == 0)
            return false;
        choose_transfer(s, n, step);
        return true;
    case BMF_STEP_COMMANDS:
        if (cpu->progress == step->count)
            return false;
        count_as(s, n, step->time);
        cpu->access = full ? NO_ACCESS : COMMAND_ACCESS;
        return true;
    case BMF_STEP_DRAIN:
        if (!cpu->drained && !full) {
            cpu->drained = true;
            cpu->wake = s->cycle + step->cycles;
        }
        if (!cpu->drained && cpu->pending & state->inbound_full << REGISTERS)
            cpu->access = __builtin_ctz(cpu->pending & state->inbound_full << REGISTERS);
        break;
    case BMF_STEP_HANDLED:
        if (!s->handler->goes_on(s->handler->state, n))
            return false;
        count_as(s, n, step->time);
        if (cpu->pending & ready_of(state))
            cpu->access = __builtin_ctz(cpu->pending & ready_of(state));
        return true;
    case BMF_STEP_WAIT:
    case BMF_STEP_UNTIL:
        break;
    }
    if (cpu->drained && s->cycle >= cpu->wake)
        return false;
    count_as(s, n, step->time);
    if (cpu->drained)
        sleep_until(s, n, cpu->wake);
    return true;
}

/* More steps for a node that has none left. What was remembered for skipping speaks of the old ones. */
static bool fed(bmf_scheduled_simulation *s, int64_t n)
{
    bool ended = true;
    if (!s->feed || s->feed_status != BMF_OK)
        return false;
    s->feed_status = s->feed(s->feed_state, n, &ended);
    s->node[n].cpu.step = 0;
    s->saved.taken = false;
    return s->feed_status == BMF_OK && !ended;
}

/* Whether the handler takes this cycle from the script. What was remembered for skipping does not know its state. */
static bool is_interrupted(bmf_scheduled_simulation *s, int64_t n)
{
    node_state *state = &s->node[n];
    processor *cpu = &state->cpu;
    cpu->interrupted = s->handler && s->cycle >= cpu->busy_until &&
                       s->handler->take(s->handler->state, n, state->inbound_full, state->outbound_full, &cpu->handled);
    if (!cpu->interrupted)
        return false;
    const simulator_resume *step = step_of(s, n);
    if (step && step->kind == BMF_STEP_WAIT && step->begun >= 0)
        cpu->wake++;
    cpu->access = cpu->handled.reg >= 0 ? HANDLER_ACCESS : NO_ACCESS;
    s->saved.taken = false;
    return true;
}

void processor_choose(bmf_scheduled_simulation *s, int64_t n)
{
    processor *cpu = &s->node[n].cpu;
    cpu->access = NO_ACCESS;
    if (is_interrupted(s, n))
        return;
    if (cpu->step > s->script[n].steps)
        return;
    for (simulator_resume *step; (step = step_of(s, n)) || fed(s, n);) {
        if (!step)
            continue;
        if (step->begun < 0)
            begin_step(s, n, step);
        if (go_on(s, n, step))
            return;
        step->ended = s->cycle;
        cpu->step++;
    }
    if (s->feed)
        script_clear(&s->script[n]);
    cpu->step = s->script[n].steps;
    processor_count(s, n);
    cpu->counted_from = -1;
    cpu->step++; /* past the end: told once */
    s->running--;
    if (s->cycle > s->length)
        s->length = s->cycle;
}

static uint64_t word_of(int64_t stream, int64_t place)
{
    return (uint64_t)stream << STREAM_SHIFT | (uint64_t)place;
}

static int read_word(bmf_scheduled_simulation *s, int64_t n, int reg, int64_t stream, int64_t place)
{
    node_state *state = &s->node[n];
    const uint64_t word = state->inbound[reg], due = word_of(stream, place);
    state->inbound_full &= ~(1U << reg);
    if (word == due)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                    "cycle %" PRId64 ": node %" PRId64 ", register %d: word %" PRId64 " of stream %" PRId64
                    " is due, not word %" PRId64 " of %" PRId64,
                    s->cycle, n, reg, place, stream, (int64_t)word & PLACE_MASK, (int64_t)(word >> STREAM_SHIFT));
}

int processor_access(bmf_scheduled_simulation *s, int64_t n)
{
    node_state *state = &s->node[n];
    processor *cpu = &state->cpu;
    const int access = cpu->access;
    if (access == NO_ACCESS)
        return BMF_OK;
    const bool reads = access == HANDLER_ACCESS ? cpu->handled.reads : access >= REGISTERS && access < ACCESSES;
    cpu->busy_until = s->cycle + (reads ? s->settings.read_cycles : s->settings.write_cycles);
    if (access == HANDLER_ACCESS) {
        const bmf_handler_access *at = &cpu->handled;
        if (at->reads)
            return read_word(s, n, at->reg, at->stream, at->place);
        state->outbound_full |= 1U << at->reg;
        state->outbound[at->reg] = word_of(at->stream, at->place);
        return BMF_OK;
    }
    if (access == COMMAND_ACCESS) {
        const simulator_resume *step = step_of(s, n);
        state->outbound_full |= 1U << step->reg;
        state->outbound[step->reg] = s->script[n].word[step->first + cpu->progress++] | RAW_WORD;
        return BMF_OK;
    }
    bmf_interface_use *use = &s->script[n].use[cpu->use[access]];
    if (reads) {
        BMF_TRY(read_word(s, n, use->reg, use->stream, use->begin + use->done));
    } else {
        state->outbound_full |= 1U << use->reg;
        state->outbound[use->reg] = word_of(use->stream, use->begin + use->done);
    }
    if (use->done++ == 0)
        use->first = s->cycle;
    use->last = s->cycle;
    if (use->done == use->words)
        cpu->pending &= ~(1U << access);
    if (!(cpu->background >> access & 1))
        cpu->turn = (access + 1) % ACCESSES;
    return BMF_OK;
}

bool processor_is_awake(const bmf_scheduled_simulation *s, int64_t n)
{
    const node_state *state = &s->node[n];
    const processor *cpu = &state->cpu;
    const simulator_resume *step = step_of(s, n);
    if (cpu->interrupted ||
        (s->handler && s->handler->wants(s->handler->state, n, state->inbound_full, state->outbound_full)))
        return true;
    if (!step)
        return cpu->step == s->script[n].steps;
    if (step->kind == BMF_STEP_HANDLED)
        return (cpu->pending & ready_of(state)) != 0 || !s->handler->goes_on(s->handler->state, n);
    if (step->kind == BMF_STEP_TRANSFER) {
        const uint32_t ready = ready_of(state);
        return (cpu->pending & ~cpu->background) == 0 || cpu->busy_until > s->cycle ||
               (cpu->pending & ready & ~too_far(s, n, step)) != 0;
    }
    return step->kind == BMF_STEP_COMMANDS || !cpu->drained;
}
