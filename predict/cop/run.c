/* Programs on the simulated mesh (run.h). Method: when the simulator finds that a node has no steps left, it resumes
 * the node's coroutine, which adds steps for its next access and gives way. Cost: that of the simulation, and two
 * changes of stacks an access. Source: document 004, 5.5 (load), 8.1. */
#include "predict/cop/run_private.h"
#include "predict/cop/online.h"
#include "predict/cop/plug_in_moves.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/allocate.h"

enum { WRONG = 200 };

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
    if (run->log)
        log_steps(&run->node[node]);
    script_clear(&run->script[node]);
    *ended = !coroutine_resume(run->node[node].coroutine);
    return run->status;
}

/* ---- services ---- */

static int64_t begin_call(bmf_cop_node *n, int64_t op)
{
    n->calling = op;
    return scheduled_simulation_cycle(n->run->simulation);
}

static void end_call(bmf_cop_node *n, int64_t op, int64_t begin)
{
    n->calling = -1;
    if (n->run->log)
        log_call(n, op, begin);
}

static void check_use(bmf_cop_node *n, int64_t op)
{
    const bmf_cop_running *r = &n->run->running[op];
    if (r->instance[n->node] < 0)
        run_fail(n, op, "the node is in none of its subsets");
    if (n->phase < r->phase || n->phase > r->last_phase || n->loads[op] == 0)
        run_fail(n, op, "it has not been loaded");
}

static void load(void *state, int op, int count, const int32_t *operand)
{
    bmf_cop_node *n = state;
    bmf_cop_running *r = &n->run->running[op];
    char text[WRONG];
    if (r->instance[n->node] < 0)
        run_fail(n, op, "the node is in none of its subsets");
    const char *wrong =
        cop_loads_check(&r->loads, r->instance[n->node], n->loads[op]++, count, operand, n->given, text, sizeof text);
    if (wrong)
        run_fail(n, op, "%s", wrong);
    begin_call(n, op);
    changes_for(n, op); /* with the operands of the load before */
    memcpy(n->operand[op], n->given, (size_t)r->loads.size * sizeof *n->given);
    if (online_carries(r))
        online_load(n, op);
    else if (plug_in_carries(r))
        plug_in_load(n, op);
    else
        moves_load(n, op);
    n->calling = -1;
}

static void write_message(void *state, int op, const void *message)
{
    bmf_cop_node *n = state;
    const int64_t begin = begin_call(n, op);
    check_use(n, op);
    if (online_carries(&n->run->running[op]))
        online_write(n, op, message);
    else if (plug_in_carries(&n->run->running[op]))
        plug_in_write(n, op, message);
    else
        moves_write(n, op, message);
    changes_note_end(n, op);
    end_call(n, op, begin);
}

static void read_message(void *state, int op, void *message)
{
    bmf_cop_node *n = state;
    const int64_t begin = begin_call(n, op);
    check_use(n, op);
    if (online_carries(&n->run->running[op]))
        online_read(n, op, message);
    else if (plug_in_carries(&n->run->running[op]))
        plug_in_read(n, op, message);
    else
        moves_read(n, op, message);
    changes_note_end(n, op);
    end_call(n, op, begin);
}

static void call(void *state, int op, const void *in, void *out, bmf_cop_combine *combine)
{
    bmf_cop_node *n = state;
    const int64_t begin = begin_call(n, op);
    check_use(n, op);
    if (online_carries(&n->run->running[op]))
        online_call(n, op, in, out, combine);
    else if (plug_in_carries(&n->run->running[op]))
        plug_in_call(n, op, in, out, combine);
    else
        moves_call(n, op, in, out, combine);
    changes_note_end(n, op);
    end_call(n, op, begin);
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

static void make_running(bmf_cop_run *run)
{
    run->phases = cop_list_phases(run->plan, &run->phase);
    run->operators = run->plan->program->operators + run->plan->made;
    run->running = allocate_clear(run->operators, sizeof *run->running);
    run->channels = run->operators * BMF_COP_BANKS * run->nodes;
    for (int64_t p = 0; p < run->phases; p++)
        for (int64_t u = 0, stream = 0; u < run->phase[p]->uses; u++) {
            const bmf_cop_use *use = &run->phase[p]->use[u];
            bmf_cop_running *r = &run->running[use->op->number];
            if (use->continues) {
                r->last_phase = p;
                stream += r->candidate->streams.count;
                continue;
            }
            *r = (bmf_cop_running){.op = use->op, .first_stream = stream, .words = use->op->words};
            r->phase = r->last_phase = p;
            r->chosen = use->candidate;
            r->candidate = &run->plan->candidates[use->op->number].candidate[use->candidate];
            cop_loads_create(&r->loads, use->op);
            r->collecting = allocate_clear(use->op->instances, sizeof *r->collecting);
            r->closed_from = allocate_clear(run->nodes, sizeof *r->closed_from);
            locate_nodes(run, r);
            r->sync_words = use->sync_words;
            stream += r->candidate->streams.count;
            r->first_channel = plug_in_carries(r) ? run->channels : INT64_MAX;
            run->channels += plug_in_carries(r) ? r->candidate->streams.count : 0;
        }
}

static void make_operands(bmf_cop_node *n)
{
    const bmf_cop_run *run = n->run;
    int64_t most = 1;
    n->operand = allocate_clear(run->operators, (int64_t)sizeof *n->operand);
    for (int64_t op = 0; op < run->operators; op++) {
        const int64_t size = run->running[op].loads.size;
        n->operand[op] = allocate_clear(size, sizeof **n->operand);
        most = size > most ? size : most;
    }
    n->given = allocate_clear(most, sizeof *n->given);
}

static void make_nodes(bmf_cop_run *run, bool in_phase)
{
    run->channel = allocate_clear(run->channels, sizeof *run->channel);
    run->node = allocate_clear(run->nodes, sizeof *run->node);
    for (int64_t k = 0; k < run->nodes; k++) {
        bmf_cop_node *n = &run->node[k];
        *n = (bmf_cop_node){.run = run, .node = k, .phase = in_phase ? 0 : -1, .last_load = -1, .calling = -1};
        n->services = (bmf_cop_services){.state = n,
                                         .node = (int)k,
                                         .nodes = (int)run->nodes,
                                         .init = changes_init,
                                         .fini = changes_fini,
                                         .delay = delay,
                                         .cycle = cycle,
                                         .load = load,
                                         .write = write_message,
                                         .read = read_message,
                                         .call = call};
        n->moved = allocate_clear(run->channels, sizeof *n->moved);
        n->loads = allocate_clear(run->operators, sizeof *n->loads);
        n->calls = allocate_clear(run->operators, sizeof *n->calls);
        n->begins = allocate_clear(run->operators, sizeof *n->begins);
        n->is_loaded = allocate_clear(run->operators, sizeof *n->is_loaded);
        n->resident = allocate_array(scheduled_blocks(&run->plan->settings.hardware), (int64_t)sizeof *n->resident);
        changes_begin(n);
        make_operands(n);
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
        free(run->node[k].is_loaded);
        free(run->node[k].resident);
        for (int64_t op = 0; run->node[k].operand && op < run->operators; op++)
            free(run->node[k].operand[op]);
        free(run->node[k].operand);
        free(run->node[k].given);
        free(run->node[k].work);
    }
    for (int64_t k = 0; run->channel && k < run->channels; k++)
        free(run->channel[k].word);
    for (int64_t k = 0; run->running && k < run->operators; k++) {
        cop_loads_free(&run->running[k].loads);
        free(run->running[k].collecting);
        free(run->running[k].closed_from);
        free(run->running[k].pause);
        free(run->running[k].instance);
        free(run->running[k].number);
    }
    online_free(run->online);
    scheduled_simulation_free(run->simulation);
    scripts_free(&run->plan->settings.hardware.mesh, run->script);
    scheduled_free(run->machine);
    for (int64_t p = 0; run->image && p < run->phases; p++)
        scheduled_free(run->image[p]);
    free(run->image);
    free(run->block);
    free(run->reserved);
    free(run->passes);
    free(run->running);
    free(run->node);
    free(run->channel);
    free(run->phase);
}

/* What nodes were at when the simulation found that some wait for ever, or that words are wrong. */
static int name_operators(const bmf_cop_run *run, int status)
{
    enum { LISTED = 4 };
    char text[400] = "";
    int listed = 0;
    for (int64_t k = 0; k < run->nodes && listed < LISTED; k++) {
        const bmf_cop_node *n = &run->node[k];
        const size_t used = strlen(text);
        if (n->calling < 0)
            continue;
        listed++;
        snprintf(text + used, sizeof text - used, "%s node %" PRId64 " in '%s'", used > 0 ? "," : "", k,
                 run->running[n->calling].op->label);
    }
    char *said = strdup(bmf_error_text(NULL));
    const int code = listed > 0 ? bmf_fail(NULL, status, "%s;%s", said ? said : "", text) : status;
    free(said);
    return code;
}

/* Routers are given their first state; what they load later is the same. */
static int simulate(bmf_cop_run *run, const bmf_simulation_settings *settings, bmf_cop_times *times)
{
    run->script = scripts_create(&run->plan->settings.hardware.mesh);
    run->simulation = scheduled_simulation_create(run->machine, run->script, settings);
    run->online = online_create(run, settings);
    scheduled_simulation_feed(run->simulation, feed, run, run->channels + online_streams(run));
    if (run->online)
        scheduled_simulation_interrupt(run->simulation, online_handler(run->online));
    const int status = scheduled_simulation_run(run->simulation);
    if (status != BMF_OK)
        return run->status == BMF_OK ? name_operators(run, status) : status;
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
            void *state, const bmf_cop_log *log, bmf_cop_times *times)
{
    bmf_cop_run run = {
        .plan = plan, .nodes = plan->settings.hardware.mesh.nodes, .body = body, .body_state = state, .log = log};
    run.access = settings->write_cycles;
    run.is_prompt = settings->read_cycles <= 1 && settings->write_cycles <= 1;
    make_running(&run);
    int status = changes_prepare(&run);
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
        "str_stream",          "str_bcast",        "str_bcast_dense",  "str_shift",          "str_eoshift",
        "str_permute",         "str_reduce",       "repl_allreduce",   "str_prefix",         "repl_allreduce_barrier",
        "str_spread",          "str_gather",       "str_bcast_linear", "str_stream_runtime", "str_stream_rtdest",
        "repl_runtime_reduce", "str_stream_dense", "str_collect",      "str_barrier"};
    for (size_t k = 0; k < sizeof able / sizeof *able; k++)
        if (strcmp(able[k], implementation->name) == 0)
            return true;
    return implementation->by_messages || implementation->plug_in;
}
