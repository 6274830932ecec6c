/* Programs on the simulated mesh (run.h). Method: when the simulator finds that a node has no steps left, it resumes
 * the node's coroutine, which adds steps for its next access and gives way. Cost: that of the simulation, and two
 * changes of stacks an access. Source: document 004, 5.5 (load), 8.1. */
#include "predict/cop/run_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/allocate.h"

/* ---- steps ---- */

void run_steps(bmf_cop_node *n)
{
    coroutine_yield(n->coroutine);
}

void run_fail(bmf_cop_node *n, int64_t op, const char *format, ...)
{
    bmf_cop_run *run = n->run;
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (run->status == BMF_OK)
        run->status =
            bmf_fail(NULL, BMF_ERROR_KERNEL, "node %" PRId64 ", operator '%s', cycle %" PRId64 ": %s", n->node,
                     op >= 0 ? run->running[op].op->label : "-", scheduled_simulation_cycle(run->simulation), text);
    for (;;)
        coroutine_yield(n->coroutine);
}

static int feed(void *state, int64_t node, bool *ended)
{
    bmf_cop_run *run = state;
    script_clear(&run->script[node]);
    *ended = !coroutine_resume(run->node[node].coroutine);
    return run->status;
}

/* ---- changes of phases ---- */

static int64_t barrier_of(const bmf_cop_run *run, int64_t phase)
{
    for (int64_t k = run->plan->program->operators; k < run->operators; k++)
        if (run->running[k].phase == phase)
            return k;
    return -1;
}

/* Whether the node talks with a neighbour in both phases, so that it must have changed, too. */
static bool shares_link(const bmf_cop_run *run, int64_t node, int64_t before, int64_t after)
{
    uint32_t ports[2] = {0, 0};
    const bmf_cop_phase *const phase[2] = {run->phase[before], run->phase[after]};
    for (int side = 0; side < 2; side++)
        for (int64_t k = 0; k < phase[side]->streams; k++)
            for (int64_t h = 0; h < phase[side]->routes->route[k].hops; h++) {
                const bmf_stream_hop *hop = &phase[side]->routes->route[k].hop[h];
                for (int o = 0; o < hop->outs && hop->node == node; o++)
                    ports[side] |= 1U << hop->out[o];
                if (hop->node == node && hop->in >= 0)
                    ports[side] |= 1U << hop->in;
            }
    return ports[0] & ports[1];
}

static void leave_phase(bmf_cop_node *n)
{
    bmf_cop_run *run = n->run;
    const int64_t barrier = barrier_of(run, n->phase);
    int32_t in = 0, out = 0;
    discards_finish(n, -1);
    if (barrier >= 0 && run->running[barrier].instance[n->node] >= 0)
        moves_call(n, barrier, &in, &out, NULL);
    const int64_t last = scheduled_simulation_cycle(run->simulation) + (int64_t)ceil(run->pause[n->phase]);
    if (barrier >= 0)
        n->not_before = last;
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

static void change_phase(bmf_cop_node *n, int64_t to)
{
    bmf_cop_run *run = n->run;
    bmf_processor_script *script = &run->script[n->node];
    const int64_t from = n->phase;
    if (from == to)
        return;
    if (from >= 0) {
        leave_phase(n);
        script_until(script, BMF_TIME_PSYNC, n->not_before);
    }
    script_change_phase(script, &run->plan->settings.hardware, (int)from + 1, (int)to + 1);
    /* a neighbour may change later by the way of the last words, and by a schedule until its command is taken */
    if (from >= 0 && shares_link(run, n->node, from, to))
        script_wait(script, BMF_TIME_PSYNC, (int64_t)ceil(run->pause[from]) + run->plan->settings.hardware.length);
    n->phase = to;
    run_steps(n);
}

/* An operator's message is over: its last words pass the routers for a while. */
static void note_end(bmf_cop_node *n, int64_t op)
{
    const int64_t phase = n->run->running[op].phase;
    const int64_t over = scheduled_simulation_cycle(n->run->simulation) + (int64_t)ceil(n->run->pause[phase]);
    n->not_before = over > n->not_before ? over : n->not_before;
}

/* ---- services ---- */

static int64_t check_use(bmf_cop_node *n, int op)
{
    const bmf_cop_running *r = &n->run->running[op];
    if (r->instance[n->node] < 0)
        run_fail(n, op, "the node is in none of its subsets");
    if (r->phase != n->phase)
        run_fail(n, op, "it has not been loaded");
    return op;
}

/* All nodes of an instance must hand over the same operands. */
static void compare_operands(bmf_cop_node *n, int op, const int32_t given[BMF_COP_OPERANDS])
{
    bmf_cop_running *r = &n->run->running[op];
    const int64_t i = r->instance[n->node], load = n->loads[op]++;
    if (load == r->loads[i]) {
        r->operand[i] = reallocate_array(r->operand[i], load, load + 1, (int64_t)sizeof *r->operand[i]);
        memcpy(r->operand[i][load], given, sizeof r->operand[i][load]);
        r->loads[i]++;
    }
    for (int k = 0; k < BMF_COP_OPERANDS; k++)
        if (r->operand[i][load][k] != given[k] && !r->op->instance[i].operand[k].distributed &&
            !r->op->instance[i].operand[k].dynamic)
            run_fail(n, op, "load %" PRId64 " has the operand %d here and %d on another node", load + 1, given[k],
                     r->operand[i][load][k]);
}

static void load(void *state, int op, int count, const int32_t *operand)
{
    bmf_cop_node *n = state;
    const bmf_cop_running *r = &n->run->running[op];
    int32_t given[BMF_COP_OPERANDS] = {0};
    int next = 0;
    if (r->instance[n->node] < 0)
        run_fail(n, op, "the node is in none of its subsets");
    const bmf_cop_instance *instance = &r->op->instance[r->instance[n->node]];
    for (int k = 0; k < BMF_COP_OPERANDS; k++) {
        if (!instance->operand[k].runtime)
            continue;
        given[k] = next < count ? operand[next] : 0;
        next++;
        if (given[k] < 0 || given[k] >= instance->nodes)
            run_fail(n, op, "operand %d is %d, outside the subset of %" PRId64 " nodes", next, given[k],
                     instance->nodes);
        bool possible = instance->operand[k].count == 0;
        for (int64_t v = 0; v < instance->operand[k].count; v++)
            possible |= instance->operand[k].values[v] == given[k];
        if (!possible)
            run_fail(n, op, "operand %d is %d, which is not among its :values", next, given[k]);
    }
    memcpy(n->operand[op], given, sizeof given);
    compare_operands(n, op, given);
    if (was_left(n, op))
        leave_and_return(n);
    n->last_load = op;
    change_phase(n, r->phase);
    moves_load(n, op);
}

static void write_message(void *state, int op, const void *message)
{
    bmf_cop_node *n = state;
    moves_write(n, check_use(n, op), message);
    note_end(n, op);
}

static void read_message(void *state, int op, void *message)
{
    bmf_cop_node *n = state;
    moves_read(n, check_use(n, op), message);
    note_end(n, op);
}

static void call(void *state, int op, const void *in, void *out, bmf_cop_combine *combine)
{
    bmf_cop_node *n = state;
    moves_call(n, check_use(n, op), in, out, combine);
    note_end(n, op);
}

static void delay(void *state, double cycles)
{
    bmf_cop_node *n = state;
    if (!(cycles >= 0 && cycles < 1e15))
        run_fail(n, -1, "a delay of %g cycles", cycles);
    n->fraction += cycles;
    const int64_t whole = (int64_t)floor(n->fraction);
    n->fraction -= (double)whole;
    if (whole == 0)
        return;
    script_wait(&n->run->script[n->node], BMF_TIME_CPU, whole);
    run_steps(n);
}

static int64_t cycle(void *state)
{
    const bmf_cop_node *n = state;
    return scheduled_simulation_cycle(n->run->simulation);
}

/* All phases are loaded into the node's router, which is in the loader phase. */
static void init(void *state)
{
    bmf_cop_node *n = state;
    if (n->phase >= 0)
        return;
    for (int64_t p = 0; p < n->run->phases; p++)
        script_load(&n->run->script[n->node], n->run->machine, n->node, (int)p + 1);
    run_steps(n);
}

/* Those who have gone on to later phases wait for the node at the end of its own. */
static void fini(void *state)
{
    bmf_cop_node *n = state;
    discards_finish(n, -1);
    if (n->phase >= 0 && n->phase + 1 < n->run->phases && barrier_of(n->run, n->phase) >= 0)
        leave_and_return(n);
}

/* ---- making ---- */

static void run_body(void *state)
{
    bmf_cop_node *n = state;
    n->exit_code = n->run->body(n->run->body_state, &n->services);
}

static void locate_nodes(const bmf_cop_run *run, bmf_cop_running *r)
{
    r->instance = allocate_array(run->nodes, (int64_t)sizeof *r->instance);
    r->number = allocate_array(run->nodes, (int64_t)sizeof *r->number);
    for (int64_t k = 0; k < run->nodes; k++)
        r->instance[k] = r->number[k] = -1;
    for (int64_t i = 0; i < r->op->instances; i++)
        for (int64_t k = 0; k < r->op->instance[i].nodes; k++) {
            r->instance[r->op->instance[i].node[k]] = i;
            r->number[r->op->instance[i].node[k]] = k;
        }
}

static int make_running(bmf_cop_run *run)
{
    run->phases = cop_list_phases(run->plan, &run->phase);
    run->operators = run->plan->program->operators + run->plan->barriers;
    run->running = allocate_clear(run->operators, sizeof *run->running);
    for (int64_t p = 0; p < run->phases; p++)
        for (int64_t u = 0, stream = 0; u < run->phase[p]->uses; u++) {
            const bmf_cop_use *use = &run->phase[p]->use[u];
            bmf_cop_running *r = &run->running[use->op->number];
            if (use->continues)
                return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                                "operator '%s' goes on through several phases, which cannot be run", use->op->label);
            *r = (bmf_cop_running){.op = use->op, .phase = p, .first_stream = stream, .words = use->op->words};
            r->candidate = &run->plan->candidates[use->op->number].candidate[use->candidate];
            r->loads = allocate_clear(use->op->instances, sizeof *r->loads);
            r->operand = allocate_clear(use->op->instances, (int64_t)sizeof *r->operand);
            locate_nodes(run, r);
            stream += r->candidate->streams.count;
        }
    return BMF_OK;
}

/* Cycles until all buffers of the phase's longest stream are empty, and a pipeline's stages. */
static double find_pause(const bmf_cop_run *run, const bmf_cop_phase *phase)
{
    double longest = 0;
    for (int64_t k = 0; k < phase->streams; k++) {
        const bmf_stream_route *route = &phase->routes->route[k];
        for (int64_t h = 0; h < route->hops; h++) {
            double buffers = 1; /* the reader's register */
            for (int64_t at = h; at >= 0; at = route->hop[at].parent)
                buffers += 1 + (route->hop[at].delay > 0);
            longest = fmax(longest, buffers * run->plan->settings.hardware.length / route->slots);
        }
    }
    return longest + BMF_SCHEDULED_STAGES;
}

static int make_machine(bmf_cop_run *run)
{
    const bmf_scheduled_hardware *hardware = &run->plan->settings.hardware;
    run->pause = allocate_array(run->phases, (int64_t)sizeof *run->pause);
    if (run->phases >= scheduled_blocks(hardware))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                        "%" PRId64 " phases do not fit into %d blocks of the routers' memories", run->phases,
                        scheduled_blocks(hardware) - 1);
    if (run->phases > 1 && !run->plan->registers_apart)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the streams of all phases do not fit into the registers of a node");
    BMF_TRY(scheduled_create(hardware, &run->machine));
    uint8_t(*used)[BMF_SCHEDULED_PIPELINES] = allocate_clear(run->nodes, sizeof *used);
    int status = BMF_OK;
    for (int64_t p = 0; p < run->phases && status == BMF_OK; p++) {
        run->pause[p] = BMF_SCHEDULED_STAGES;
        if (!run->phase[p]->routes) {
            scheduled_fill_reprogram(run->machine, (int)p + 1);
            continue;
        }
        run->pause[p] = find_pause(run, run->phase[p]);
        if (streams_emit_more(run->phase[p]->routes, run->machine, (int)p + 1, used) != BMF_OK)
            status = bmf_fail(NULL, BMF_ERROR_ARGUMENT, "phase %" PRId64 " does not fit beside those before: %s", p + 1,
                              bmf_error_text(NULL));
    }
    free(used);
    return status;
}

static void make_nodes(bmf_cop_run *run, bool in_phase)
{
    run->channel = allocate_clear(run->operators * BMF_COP_BANKS * run->nodes, sizeof *run->channel);
    run->node = allocate_clear(run->nodes, sizeof *run->node);
    for (int64_t k = 0; k < run->nodes; k++) {
        bmf_cop_node *n = &run->node[k];
        *n = (bmf_cop_node){.run = run, .node = k, .phase = in_phase ? 0 : -1, .last_load = -1};
        n->services = (bmf_cop_services){.state = n,
                                         .node = (int)k,
                                         .nodes = (int)run->nodes,
                                         .init = init,
                                         .fini = fini,
                                         .delay = delay,
                                         .cycle = cycle,
                                         .load = load,
                                         .write = write_message,
                                         .read = read_message,
                                         .call = call};
        n->moved = allocate_clear(run->operators * BMF_COP_BANKS * run->nodes, sizeof *n->moved);
        n->loads = allocate_clear(run->operators, sizeof *n->loads);
        n->calls = allocate_clear(run->operators, sizeof *n->calls);
        n->begins = allocate_clear(run->operators, sizeof *n->begins);
        n->operand = allocate_clear(run->operators, sizeof *n->operand);
        n->coroutine = coroutine_create(run_body, n);
        run->machine->node[k].pointer = (uint8_t)(in_phase ? run->plan->settings.hardware.length : 0);
    }
}

static void free_run(bmf_cop_run *run)
{
    for (int64_t k = 0; run->node && k < run->nodes; k++) {
        coroutine_free(run->node[k].coroutine);
        free(run->node[k].moved);
        free(run->node[k].loads);
        free(run->node[k].calls);
        free(run->node[k].begins);
        free(run->node[k].operand);
        free(run->node[k].work);
    }
    for (int64_t k = 0; run->channel && k < run->operators * BMF_COP_BANKS * run->nodes; k++)
        free(run->channel[k].word);
    for (int64_t k = 0; run->running && k < run->operators; k++) {
        for (int64_t i = 0; run->running[k].operand && i < run->running[k].op->instances; i++)
            free(run->running[k].operand[i]);
        free(run->running[k].operand);
        free(run->running[k].loads);
        free(run->running[k].instance);
        free(run->running[k].number);
    }
    scheduled_simulation_free(run->simulation);
    scripts_free(&run->plan->settings.hardware.mesh, run->script);
    scheduled_free(run->machine);
    free(run->running);
    free(run->node);
    free(run->channel);
    free(run->pause);
    free(run->phase);
}

/* Routers are given their first state; what they load later is the same. */
static int simulate(bmf_cop_run *run, const bmf_simulation_settings *settings, bmf_cop_times *times)
{
    run->script = scripts_create(&run->plan->settings.hardware.mesh);
    run->simulation = scheduled_simulation_create(run->machine, run->script, settings);
    scheduled_simulation_feed(run->simulation, feed, run, run->operators * BMF_COP_BANKS * run->nodes);
    BMF_TRY(scheduled_simulation_run(run->simulation));
    *times = (bmf_cop_times){.cycles = scheduled_simulation_length(run->simulation), .nodes = run->nodes};
    times->time = allocate_array(run->nodes, (int64_t)sizeof *times->time);
    for (int64_t k = 0; k < run->nodes; k++) {
        scheduled_simulation_times(run->simulation, k, times->time[k]);
        if (times->exit_code == 0)
            times->exit_code = run->node[k].exit_code;
    }
    return BMF_OK;
}

int cop_run(const bmf_cop_plan *plan, const bmf_simulation_settings *settings, bool in_phase, bmf_cop_body *body,
            void *state, bmf_cop_times *times)
{
    bmf_cop_run run = {.plan = plan, .nodes = plan->settings.hardware.mesh.nodes, .body = body, .body_state = state};
    int status = make_running(&run);
    if (status == BMF_OK)
        status = make_machine(&run);
    if (status == BMF_OK) {
        make_nodes(&run, in_phase);
        status = simulate(&run, settings, times);
    }
    free_run(&run);
    return status;
}

bool cop_can_run(const bmf_cop_implementation *implementation)
{
    static const char *const able[] = {
        "str_stream",         "str_bcast",  "str_bcast_dense",  "str_shift",          "str_eoshift",
        "str_permute",        "str_reduce", "repl_allreduce",   "str_prefix",         "repl_allreduce_barrier",
        "str_spread",         "str_gather", "str_bcast_linear", "str_stream_runtime", "str_stream_rtdest",
        "repl_runtime_reduce"};
    for (size_t k = 0; k < sizeof able / sizeof *able; k++)
        if (strcmp(able[k], implementation->name) == 0)
            return true;
    return false;
}

/* ---- kernels ---- */

static void keep_first(const void *a, const void *b, void *out)
{
    (void)b;
    memmove(out, a, sizeof(int32_t));
}

static void call_kernel(const bmf_cop_services *s, const bmf_cop_operator *op, int64_t number,
                        const bmf_cop_instance *instance, int32_t *in, int32_t *out)
{
    const int64_t first = instance->operand[0].runtime ? 0 : instance->operand[0].value;
    const bool is_one = number == first, inward = op->kind == BMF_COP_GATHER || op->kind == BMF_COP_COLLECT;
    const int id = (int)op->number;
    if (cop_is_functional(op->kind)) {
        s->call(s->state, id, in, out, keep_first);
        return;
    }
    const bool many = op->kind == BMF_COP_GATHER || op->kind == BMF_COP_SPREAD;
    for (int64_t k = 0; k < (many && is_one ? instance->nodes - 1 : 1); k++)
        if (is_one != inward)
            s->write(s->state, id, in);
        else if (op->kind != BMF_COP_STREAM ||
                 number == (instance->operand[1].runtime ? 0 : instance->operand[1].value))
            s->read(s->state, id, out);
}

int cop_kernel(void *state, const bmf_cop_services *s)
{
    const bmf_cop_plan *plan = state;
    static const int32_t zeros[BMF_COP_OPERANDS];
    s->init(s->state);
    for (int64_t k = 0; k < plan->program->operators; k++) {
        const bmf_cop_operator *op = plan->program->op[k];
        int32_t *in = allocate_clear(op->words, sizeof *in), *out = allocate_clear(op->words, sizeof *out);
        bool loaded = false;
        for (int64_t i = 0; i < op->instances; i++)
            for (int64_t n = 0; n < op->instance[i].nodes; n++)
                if (op->instance[i].node[n] == s->node) {
                    if (!loaded)
                        s->load(s->state, (int)k, BMF_COP_OPERANDS, zeros);
                    loaded = true;
                    call_kernel(s, op, n, &op->instance[i], in, out);
                }
        free(in);
        free(out);
    }
    s->fini(s->state);
    return 0;
}
