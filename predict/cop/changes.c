/* Changes of phases while a program runs: what a node does before it leaves a phase, and what it loads into its router.
 * Method: a phase that ends by messages is left when the words of its last message have passed, after one more
 * message where those of the program are too short to keep nodes together; others are left by barriers. What is not in
 * the router's memory is loaded through the loader phase (cache_map.c says where). Cost: O(operators) a change. Source:
 * document 004, 5.2, 5.4 and 5.5. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "predict/cop/joints.h"
#include "predict/cop/run_private.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

/* ---- leaving ---- */

static int64_t barrier_of(const bmf_cop_run *run, int64_t phase)
{
    for (int64_t k = run->plan->program->operators; k < run->operators; k++)
        if (run->running[k].phase == phase && run->running[k].op->kind == BMF_COP_BARRIER)
            return k;
    return -1;
}

void changes_note_end(bmf_cop_node *n, int64_t op)
{
    const int64_t over = scheduled_simulation_cycle(n->run->simulation) + n->run->running[op].pause[n->node];
    n->not_before = over > n->not_before ? over : n->not_before;
}

/* Operators that the node has loaded in this phase send one more message if theirs are too short. */
static void send_sync_messages(bmf_cop_node *n)
{
    for (int64_t op = 0; op < n->run->plan->program->operators; op++) {
        const bmf_cop_running *r = &n->run->running[op];
        if (!n->is_loaded[op] || r->phase != n->phase)
            continue;
        n->is_loaded[op] = false;
        if (r->sync_words == 0)
            continue;
        moves_synchronise(n, op);
        changes_note_end(n, op);
    }
}

static void leave_phase(bmf_cop_node *n)
{
    bmf_cop_run *run = n->run;
    const int64_t barrier = barrier_of(run, n->phase);
    int32_t in = 0, out = 0;
    discards_finish(n, -1);
    send_sync_messages(n);
    if (barrier < 0)
        return;
    if (run->running[barrier].instance[n->node] >= 0)
        moves_call(n, barrier, &in, &out, NULL);
    /* others may leave later by the way of the last words and their pause, and by a schedule until their command is
     * taken and has come through */
    const bmf_cop_running *r = &run->running[barrier];
    n->not_before = scheduled_simulation_cycle(run->simulation) + r->pause[n->node];
    const int64_t clear = scheduled_simulation_cycle(run->simulation) + r->way + r->longest_pause +
                          run->plan->settings.hardware.length + BMF_SCHEDULED_STAGES;
    n->clear_from = clear > n->clear_from ? clear : n->clear_from; /* fewer nodes may have met than the last time */
}

static bool is_in_loop(const bmf_cop_run *run, int64_t op, const bmf_cop_tree *loop)
{
    const bmf_cop_candidates *c = &run->plan->candidates[op];
    for (int64_t k = 0; k < c->loops; k++)
        if (c->loop[k] == loop)
            return true;
    return false;
}

/* Whether the node begins another pass of a loop that has phases in which it has nothing to do: the others have left
 * this phase and wait for the node at its end. */
static bool was_left(const bmf_cop_node *n, int64_t op)
{
    const bmf_cop_run *run = n->run;
    const bmf_cop_candidates *c = &run->plan->candidates[op];
    if (n->last_load < op || run->running[op].phase != n->phase)
        return false;
    for (int64_t k = c->loops - 1; k >= 0; k--) {
        if (!is_in_loop(run, n->last_load, c->loop[k]))
            continue;
        for (int64_t other = 0; other < run->plan->program->operators; other++)
            if (run->running[other].phase != n->phase && is_in_loop(run, other, c->loop[k]))
                return true;
        return false;
    }
    return false;
}

/* Takes part in the end of the phase and stays in it. */
static void leave_and_return(bmf_cop_node *n)
{
    bmf_processor_script *script = &n->run->script[n->node];
    leave_phase(n);
    script_until(script, BMF_TIME_PSYNC, n->not_before);
    run_steps(n);
}

/* ---- memories ---- */

static void load_phase(bmf_cop_node *n, int64_t phase)
{
    const bmf_cop_run *run = n->run;
    script_load(&run->script[n->node], run->image[phase], n->node, (int)run->block[phase]);
    n->resident[run->block[phase]] = phase;
    for (int64_t op = 0; op < run->operators; op++)
        if (run->running[op].phase == phase)
            n->begins[op] = false;
}

/* The way into the loader phase and out of it is part of loading (document 004's l_rbulk). */
static void change_block(bmf_cop_node *n, int from, int to)
{
    const bmf_cop_run *run = n->run;
    bmf_processor_script *script = &run->script[n->node];
    const int64_t first = script->steps;
    script_change_phase(script, &run->plan->settings.hardware, from, to);
    for (int64_t s = first; s < script->steps && (from == 0 || to == 0); s++)
        script->step[s].time = BMF_TIME_ROUTER;
}

/* In the loader phase no link is read or written. There a node waits until all others have left the phases whose links
 * the next phase uses, too: its router would pass their words on at once. */
static void change_phase(bmf_cop_node *n, int64_t to)
{
    bmf_cop_run *run = n->run;
    bmf_processor_script *script = &run->script[n->node];
    const bool loads = n->resident[run->block[to]] != to;
    if (n->phase == to)
        return;
    int block = n->phase < 0 ? 0 : (int)run->block[n->phase];
    if (n->phase >= 0) {
        leave_phase(n);
        script_until(script, BMF_TIME_PSYNC, n->not_before);
    }
    const bool waits = !run->phase[to]->apart && n->clear_from > n->not_before;
    if (block != 0 && (loads || waits)) {
        change_block(n, block, 0);
        block = 0;
    }
    if (loads)
        load_phase(n, to);
    if (waits)
        script_until(script, BMF_TIME_PSYNC, n->clear_from);
    change_block(n, block, (int)run->block[to]);
    n->phase = to;
    run_steps(n);
}

/* Enters the phase if the node only passes words on in it. */
static bool pass_phase(bmf_cop_node *n, int64_t phase)
{
    if (phase == n->phase || !n->run->passes[phase * n->run->nodes + n->node])
        return false;
    change_phase(n, phase);
    return true;
}

static bool pass_range(bmf_cop_node *n, int64_t first, int64_t end)
{
    bool passed = false;
    for (int64_t op = first; op < end; op++)
        passed |= pass_phase(n, n->run->running[op].phase);
    return passed;
}

/* The innermost loop around both operators; NULL: none. */
static const bmf_cop_tree *common_loop(const bmf_cop_run *run, int64_t a, int64_t b)
{
    const bmf_cop_candidates *c = &run->plan->candidates[a];
    for (int64_t k = c->loops - 1; k >= 0; k--)
        if (is_in_loop(run, b, c->loop[k]))
            return c->loop[k];
    return NULL;
}

/* The phases between the node's last load and this operator, in the order of the program, once round a loop where it
 * begins another pass: true if it came through any. */
static bool pass_phases(bmf_cop_node *n, int64_t op)
{
    const bmf_cop_run *run = n->run;
    const int64_t operators = run->plan->program->operators;
    if (op > n->last_load)
        return pass_range(n, n->last_load + 1, op);
    const bmf_cop_tree *loop = common_loop(run, n->last_load, op);
    int64_t first = op, end = op;
    while (loop && first > 0 && is_in_loop(run, first - 1, loop))
        first--;
    while (loop && end < operators && is_in_loop(run, end, loop))
        end++;
    const bool behind = pass_range(n, n->last_load + 1, end);
    return pass_range(n, first, op) || behind;
}

void changes_for(bmf_cop_node *n, int64_t op)
{
    if (!pass_phases(n, op) && was_left(n, op))
        leave_and_return(n);
    n->last_load = op;
    change_phase(n, n->run->running[op].phase);
    n->is_loaded[op] = true;
}

/* The first phase of every block is there from the beginning, or is loaded by cop_init. */
static bool is_first(const bmf_cop_run *run, int64_t phase)
{
    for (int64_t p = 0; p < phase; p++)
        if (run->block[p] == run->block[phase])
            return false;
    return true;
}

void changes_begin(bmf_cop_node *n)
{
    const bmf_cop_run *run = n->run;
    for (int b = 0; b < scheduled_blocks(&run->plan->settings.hardware); b++)
        n->resident[b] = -1;
    for (int64_t p = 0; p < run->phases && n->phase >= 0; p++)
        if (is_first(run, p))
            n->resident[run->block[p]] = p;
}

void changes_init(void *node)
{
    bmf_cop_node *n = node;
    if (n->phase >= 0)
        return;
    for (int64_t p = 0; p < n->run->phases; p++)
        if (is_first(n->run, p))
            load_phase(n, p);
    run_steps(n);
}

static bool ends_together(const bmf_cop_run *run, int64_t phase)
{
    bool found = barrier_of(run, phase) >= 0;
    for (int64_t op = 0; op < run->operators; op++)
        found |= run->running[op].phase == phase && run->running[op].sync_words > 0;
    return found;
}

/* Those who have gone on to later phases wait for the node at the end of its own. Where operators may be left out, the
 * last phase of one node need not be that of others: then all leave theirs. */
void changes_fini(void *node)
{
    bmf_cop_node *n = node;
    const bmf_cop_run *run = n->run;
    discards_finish(n, -1);
    pass_range(n, n->last_load + 1, run->plan->program->operators);
    if (n->phase >= 0 && (n->phase + 1 < run->phases || cop_has_optionals(run->plan->program->root)) &&
        ends_together(run, n->phase))
        leave_and_return(n);
}

/* ---- preparing ---- */

static int64_t buffers_of(const bmf_stream_route *route)
{
    int64_t buffers = 0;
    for (int64_t h = 0; h < route->hops; h++)
        buffers += 1 + (route->hop[h].delay > 0);
    return buffers;
}

/* Words that may be in the node's router at a hop when its processor is through. Where words are delivered, they are
 * gone, too, but for those of a second fork; at a source the last ones are in the register and the first VFSM; and of
 * those that only pass, as many as stand in all the stream's buffers. */
static int64_t words_left(const bmf_stream_route *route, int64_t h)
{
    const bmf_stream_hop *hop = &route->hop[h];
    if (hop->delivers)
        return hop->outs > 1 || hop->own >= 0 ? 2 : 0;
    if (hop->parent < 0)
        return 2 + (hop->delay > 0) + (hop->outs > 1);
    return buffers_of(route) + 1;
}

/* A full VFSM takes no word in the slot in which it hands its own on. */
static int64_t slot_cycles(const bmf_cop_run *run, const bmf_stream_route *route)
{
    return 2 * run->plan->settings.hardware.length / route->slots;
}

/* Round a shift: how many nodes back, each the one that the next reads from, the source is whose words pass; the
 * instance's nodes if it is none of them, 0: they are no shift's. */
static int64_t steps_behind(const bmf_cop_running *r, int64_t node, int64_t source)
{
    const bmf_cop_instance *instance = r->instance[node] >= 0 ? &r->op->instance[r->instance[node]] : NULL;
    if (!instance || r->op->kind != BMF_COP_CSHIFT || r->instance[source] != r->instance[node])
        return 0;
    int64_t steps = 0;
    for (int64_t at = r->number[node]; at != r->number[source] && steps < instance->nodes; steps++)
        at = ((at - instance->operand[0].value) % instance->nodes + instance->nodes) % instance->nodes;
    return steps;
}

/* Words of a shift that pass. Every node is at most a window behind the one that reads from it, so no more of them are
 * left than their reader has not read, a window for every node between; they come a slot apart, but those that stand in
 * buffers two. */
static int64_t passing_pause(const bmf_cop_run *run, const bmf_stream_route *route, int64_t steps)
{
    const int64_t period = run->plan->settings.hardware.length / route->slots, left = BMF_COP_WINDOW * (steps - 1);
    int64_t way = buffers_of(route);
    const int64_t backed_up = left < way + 1 ? left : way + 1;
    for (int64_t h = 0; h < route->hops; h++)
        way += route->hop[h].delay;
    return (left + backed_up + 1) * period + way;
}

/* Where calls of all nodes end with reading what one of them writes, they wait for it: nothing is held up on its way,
 * the words of what went before have been read, and the writer's last one leaves in its next slot. Of a reduction only
 * the destination waits. */
static bool is_awaited(const bmf_cop_run *run, const bmf_cop_running *r)
{
    return r->candidate->metric.any_length_syncs && r->op->kind != BMF_COP_REDUCE && run->is_prompt;
}

static int64_t awaited_pause(const bmf_cop_run *run, const bmf_cop_running *r, const bmf_stream_route *route, int64_t h)
{
    const bmf_stream_hop *hop = &route->hop[h];
    const bool is_last = route->hop[0].node == moves_root(r, r->instance[route->hop[0].node]);
    if (!is_last)
        return 0;
    if (hop->parent >= 0 && !hop->delivers)
        return words_left(route, h) * slot_cycles(run, route);
    return hop->parent < 0 || hop->outs > 1
               ? run->plan->settings.hardware.length / route->slots + hop->delay + hop->outs
               : 0;
}

/* Of a barrier in the routers: the last child's second command comes a slot behind the one that opens what is next. */
static int64_t joint_pause(const bmf_cop_run *run, const bmf_stream_route *route, const bmf_stream_hop *hop)
{
    return hop->delivers ? run->access + 2 * slot_cycles(run, route) : 0;
}

/* Cycles until they have left, with a slot for each word and one for the space behind it; and a pipeline's stages. */
static int64_t find_pause(const bmf_cop_run *run, const bmf_cop_running *r, int64_t node)
{
    const bmf_stream_routes *routes = run->phase[r->phase]->routes;
    int64_t longest = 0;
    for (int64_t k = 0; routes && k < r->candidate->streams.count; k++) {
        const bmf_stream_route *route = &routes->route[r->first_stream + k];
        for (int64_t h = 0; h < route->hops; h++) {
            const bool passes = route->hop[h].parent >= 0 && !route->hop[h].delivers;
            const int64_t steps = passes ? steps_behind(r, node, route->hop[0].node) : 0;
            int64_t cycles = (words_left(route, h) + BMF_COP_WINDOW * steps / 2) * slot_cycles(run, route);
            if (r->candidate->streams.stream[k].joins)
                cycles += joint_pause(run, route, &route->hop[h]);
            else if (is_awaited(run, r))
                cycles = awaited_pause(run, r, route, h);
            else if (run->is_prompt && steps > 0 && steps < r->op->instance[r->instance[node]].nodes &&
                     passing_pause(run, route, steps) < cycles)
                cycles = passing_pause(run, route, steps);
            if (route->hop[h].node == node && cycles > longest)
                longest = cycles;
        }
    }
    return longest + BMF_SCHEDULED_STAGES;
}

/* At most, from the first node that has the last word to the last one. */
static int64_t find_way(const bmf_cop_run *run, const bmf_cop_running *r)
{
    const bmf_stream_routes *routes = run->phase[r->phase]->routes;
    int64_t longest = 0;
    for (int64_t k = 0; routes && k < r->candidate->streams.count; k++) {
        const bmf_stream_route *route = &routes->route[r->first_stream + k];
        const int64_t buffers = buffers_of(route) + 1;
        if (buffers * slot_cycles(run, route) > longest)
            longest = buffers * slot_cycles(run, route);
    }
    return longest + BMF_SCHEDULED_STAGES;
}

static void find_pauses(bmf_cop_run *run)
{
    for (int64_t op = 0; op < run->operators; op++) {
        bmf_cop_running *r = &run->running[op];
        r->pause = allocate_array(run->nodes, (int64_t)sizeof *r->pause);
        for (int64_t node = 0; node < run->nodes; node++) {
            r->pause[node] = find_pause(run, r, node);
            r->longest_pause = r->pause[node] > r->longest_pause ? r->pause[node] : r->longest_pause;
        }
        r->way = find_way(run, r);
    }
}

/* What is in a block's memories from the beginning. */
static void copy_block(const bmf_cop_run *run, int64_t phase)
{
    const bmf_scheduled_hardware *hardware = &run->plan->settings.hardware;
    const int first = (int)run->block[phase] * hardware->length;
    for (int64_t node = 0; node < run->nodes; node++) {
        const bmf_scheduled_node *from = &run->image[phase]->node[node];
        bmf_scheduled_node *to = &run->machine->node[node];
        for (int e = first; e < first + hardware->length; e++) {
            to->entry[e] = from->entry[e];
            for (int p = 0; p < hardware->pipelines; p++)
                to->annotation[p][from->entry[e].vfsm[p]] = from->annotation[p][from->entry[e].vfsm[p]];
        }
    }
}

typedef uint8_t used_vfsms[BMF_SCHEDULED_PIPELINES];

/* What goes on has the same VFSMs in all its phases. */
static int emit_uses(bmf_cop_run *run, int64_t phase, used_vfsms *used)
{
    const bmf_stream_routes *routes = run->phase[phase]->routes;
    const size_t size = (size_t)run->nodes * sizeof *used;
    const int block = (int)run->block[phase];
    used_vfsms *own = allocate_array(run->nodes, (int64_t)sizeof *own);
    int status = BMF_OK;
    for (int64_t u = 0, first = 0; u < run->phase[phase]->uses && status == BMF_OK; u++) {
        const bmf_cop_running *r = &run->running[run->phase[phase]->use[u].op->number];
        const int64_t streams = r->candidate->streams.count;
        if (r->last_phase > r->phase)
            memcpy(own, run->reserved + run->phase[phase]->use[u].op->number * run->nodes, size);
        status =
            streams_emit_some(routes, first, streams, run->image[phase], block, r->last_phase > r->phase ? own : used);
        first += streams;
    }
    free(own);
    BMF_TRY(status);
    scheduled_fill_reprogram(run->image[phase], block);
    return scheduled_check(run->image[phase], block);
}

/* VFSMs of operators that go on, for as long as the program runs. */
static void reserve_vfsms(bmf_cop_run *run, used_vfsms *used)
{
    for (int64_t op = 0; op < run->operators; op++) {
        const bmf_cop_running *r = &run->running[op];
        const bmf_stream_routes *routes = run->phase[r->phase]->routes;
        memcpy(run->reserved + op * run->nodes, used, (size_t)run->nodes * sizeof *used);
        for (int64_t k = 0; r->last_phase > r->phase && routes && k < r->candidate->streams.count; k++)
            for (int64_t h = 0; h < routes->route[r->first_stream + k].hops; h++) {
                const bmf_stream_hop *hop = &routes->route[r->first_stream + k].hop[h];
                uint8_t *at = &used[hop->node][hop->pipeline];
                *at = (uint8_t)(*at + (hop->delay > 0) + hop->outs + hop->delivers);
            }
    }
}

static int make_image(bmf_cop_run *run, int64_t phase, used_vfsms *used)
{
    const int block = (int)run->block[phase];
    BMF_TRY(scheduled_create(&run->plan->settings.hardware, &run->image[phase]));
    if (!run->phase[phase]->routes) {
        scheduled_fill_reprogram(run->image[phase], block);
        return BMF_OK;
    }
    if (emit_uses(run, phase, used) == BMF_OK)
        return cop_rewrite_joints(run->plan, run->phase[phase], run->image[phase], block);
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "phase %" PRId64 " does not fit into the routers' memories: %s",
                    phase + 1, bmf_error_text(NULL));
}

/* Phases of one block take each other's VFSMs, too. */
static int make_block(bmf_cop_run *run, int block, used_vfsms *used)
{
    const size_t size = (size_t)run->nodes * sizeof *used;
    used_vfsms *most = allocate_array(run->nodes, (int64_t)sizeof *most),
               *now = allocate_array(run->nodes, (int64_t)sizeof *now);
    int status = BMF_OK;
    memcpy(most, used, size);
    for (int64_t p = 0; p < run->phases && status == BMF_OK; p++) {
        if (run->block[p] != block)
            continue;
        memcpy(now, used, size);
        status = make_image(run, p, now);
        for (int64_t n = 0; n < run->nodes; n++)
            for (int k = 0; k < BMF_SCHEDULED_PIPELINES; k++)
                most[n][k] = now[n][k] > most[n][k] ? now[n][k] : most[n][k];
    }
    memcpy(used, most, size);
    free(most);
    free(now);
    return status;
}

static int fill_blocks(bmf_cop_run *run, int blocks)
{
    used_vfsms *used = allocate_clear(run->nodes, sizeof *used);
    int status = BMF_OK;
    for (int64_t p = 0; p < run->phases; p++) {
        scheduled_free(run->image[p]);
        run->image[p] = NULL;
    }
    free(run->block);
    run->block = cop_map_phases(run->plan, blocks);
    reserve_vfsms(run, used);
    for (int b = 1; b < blocks && status == BMF_OK; b++)
        status = make_block(run, b, used);
    free(used);
    return status;
}

/* Where all blocks together need too many VFSMs, fewer are used, and phases are loaded more often. */
int changes_prepare(bmf_cop_run *run)
{
    const bmf_scheduled_hardware *hardware = &run->plan->settings.hardware;
    int blocks = scheduled_blocks(hardware);
    run->image = allocate_clear(run->phases, (int64_t)sizeof *run->image);
    run->reserved = allocate_array(run->operators * run->nodes, (int64_t)sizeof *run->reserved);
    if (run->phases > 1 && !run->plan->registers_apart)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the streams of all phases do not fit into the registers of a node");
    if (blocks < 2)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "no phase fits into the routers' memories beside the loader");
    int status = fill_blocks(run, blocks);
    while (status != BMF_OK && --blocks >= 2)
        status = fill_blocks(run, blocks);
    BMF_TRY(status);
    for (int64_t p = 0; p < run->phases && run->phases >= blocks; p++)
        if (cop_find_lasting_fork(run->plan, run->phase[p]))
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                            "phases through which '%s' goes on do not fit into the routers' memories together",
                            cop_find_lasting_fork(run->plan, run->phase[p])->label);
    find_pauses(run);
    run->passes = allocate_clear(run->phases * run->nodes, sizeof *run->passes);
    for (int64_t p = 0; p < run->phases; p++)
        cop_find_passers(run->plan, run->phase[p], run->passes + p * run->nodes);
    BMF_TRY(scheduled_create(hardware, &run->machine));
    for (int64_t p = 0; p < run->phases; p++)
        if (is_first(run, p))
            copy_block(run, p);
    return BMF_OK;
}
