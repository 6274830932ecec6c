/* The model backend: all processors of a machine in this process.
 *
 * Method: kernels run on the real data and messages are copied at once, in the order in which they are called; what is
 * recorded are actions without times (predict/model/actions.h), which the simulator times. A clock is asked for rarely;
 * then everything recorded so far is simulated. When computing is to be measured, pieces run one after the other on one
 * thread, because that is what one processor would do; otherwise the threads of this host share them.
 * Cost: what the program costs on one rank, 48 bytes an action that is stored (predict/model/actions.h) and 40 a
 * message.
 */
#include "predict/model/model.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "predict/kernels/kernels.h"
#include "predict/model/model_private.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/host.h"

enum { ACTIONS_BETWEEN = 256, ACTIONS_OF_MESSAGE = 2 }; /* between two looks at the clocks; of a message; at least */

const char *model_call(const bmf_context *ctx)
{
    const bmf_position *at = &ctx->position[ctx->depth < BMF_NODE_DEPTH ? ctx->depth : BMF_NODE_DEPTH - 1];
    return kernel_call(ctx->run, at->node);
}

/* What every processor does before it meets the others, as far as the machine's sheet knows. */
static int record_coming(bmf_context *ctx)
{
    bmf_model *model = model_of(ctx);
    char operation[BMF_SAMPLE_NAME];
    bmf_model_cost cost;
    if (!model_costs_know_overhead(model->costs, model_call(ctx), backend_agreement, operation))
        return BMF_OK;
    BMF_TRY(model_costs_find(model->costs, ctx, &(bmf_model_call){.kernel = operation}, &cost));
    actions_overhead_of_all(model->actions, cost.seconds, cost.shared, cost.own, cost.equation);
    return BMF_OK;
}

/* All processors wait for each other: also where it costs nothing, because programs need it. */
static void meet(bmf_context *ctx, const char *what)
{
    bmf_model *model = model_of(ctx);
    model_copies_pause(model);
    if (record_coming(ctx) != BMF_OK)
        failure_note(ctx, BMF_ERROR_ARGUMENT);
    actions_barrier(model->actions, (uint16_t)run_name(ctx->run, what), model->machine->agreement);
    model_copies_resume(model);
}

static void model_barrier(bmf_context *ctx)
{
    meet(ctx, backend_barrier);
}

void model_synchronise(const bmf_model *model)
{
    if (model->machine->bulk_synchronous && !model->notes)
        actions_barrier(model->actions, 0, 0.0);
}

/* A call that is no part of another one. */
static bool is_operation(const bmf_context *ctx)
{
    const bmf_trace_node *node = ctx->run->node, *own = &node[ctx->position[ctx->depth].node];
    return own->kind == BMF_EVENT_SKELETON && node[own->parent].kind != BMF_EVENT_SKELETON;
}

/* ---- bookkeeping ---- */

static int settle(bmf_context *ctx, const char *what)
{
    meet(ctx, what);
    return failure_settle_alone(ctx);
}

static int model_agree(bmf_context *ctx, int status)
{
    if (status != BMF_OK)
        failure_note(ctx, status);
    return settle(ctx, backend_agreement);
}

static int model_bcast(bmf_context *ctx, int64_t processor, void *data, int64_t bytes)
{
    (void)processor, (void)data, (void)bytes;
    return settle(ctx, backend_broadcast);
}

static int model_allgather(bmf_context *ctx, const int64_t *values, int64_t count, const int64_t *counts, int64_t *all)
{
    (void)counts;
    memcpy(all, values, (size_t)count * sizeof *all);
    return settle(ctx, backend_allgather);
}

/* The network of clocks that are asked for is another one than that of predictions and traces, which begin anew. */
static bool open_clocks(bmf_model *model, int64_t processors)
{
    if (model->simulator)
        return true;
    if (machine_network(model->machine, processors, &model->clock_network) != BMF_OK)
        return false;
    model->simulator = simulator_create(model->actions, model->clock_network, 0);
    return true;
}

static void close_clocks(bmf_model *model)
{
    simulator_free(model->simulator);
    if (model->clock_network)
        model->clock_network->type->destroy(model->clock_network);
    model->simulator = NULL;
    model->clock_network = NULL;
}

/* The largest clock, after all that was recorded. */
static int latest_clock(bmf_context *ctx, double *latest)
{
    bmf_model *model = model_of(ctx);
    *latest = 0.0;
    if (!open_clocks(model, ctx->processors))
        return BMF_ERROR_ARGUMENT;
    BMF_TRY(simulator_run(model->simulator));
    for (int64_t p = 0; p < ctx->processors; p++)
        *latest = fmax(*latest, simulator_clock(model->simulator, p));
    return BMF_OK;
}

/* Clocks only grow, so that what they show is a lower bound. They are looked at each time that a quarter more is
 * recorded, or is about to be; what was simulated is not simulated again, so that this costs one simulation. */
int model_within_bound(bmf_context *ctx, int64_t messages)
{
    bmf_model *model = model_of(ctx);
    bmf_model_bound *bound = &model->bound;
    const int64_t count = model->actions->count + ACTIONS_OF_MESSAGE * messages;
    double latest;
    if (!bound->set || model->actions->start == 0 || (count < bound->next && count <= bound->actions))
        return BMF_OK;
    bound->next = count + count / 4 + ACTIONS_BETWEEN;
    BMF_TRY(latest_clock(ctx, &latest));
    bound->taken = latest - bound->loaded;
    bound->reached = bound->reached || bound->taken > bound->seconds || count > bound->actions;
    if (!bound->reached)
        return BMF_OK;
    bound->next = 0;
    return bmf_fail(ctx, BMF_ERROR_KERNEL, "given up after %.3g s on the machine", bound->taken);
}

static int64_t model_now(bmf_context *ctx, int64_t processor)
{
    bmf_model *model = model_of(ctx);
    double latest = 0.0;
    if (model->clockless)
        return 0;
    if (!open_clocks(model, ctx->processors) || simulator_run(model->simulator) != BMF_OK)
        return 0;
    const bmf_simulator *simulator = model->simulator;
    for (int64_t p = 0; processor < 0 && p < ctx->processors; p++)
        latest = fmax(latest, simulator_clock(simulator, p));
    return llround((processor < 0 ? latest : simulator_clock(simulator, processor)) * 1e9);
}

static void model_held(bmf_context *ctx, int64_t processor, int64_t bytes)
{
    model_record_held(model_of(ctx), processor, bytes);
}

static void model_enter(bmf_context *ctx, bmf_event_kind kind)
{
    const bmf_position *at = &ctx->position[ctx->depth];
    if (is_operation(ctx))
        model_synchronise(model_of(ctx));
    model_record_enter(model_of(ctx), at->node, at->instance, at->place, kind);
    if (is_operation(ctx))
        model_copies_enter(model_of(ctx));
}

static void model_leave(bmf_context *ctx, const bmf_partition *partition)
{
    int64_t *amount = NULL;
    if (partition) {
        amount = allocate(ctx->processors * (int64_t)sizeof *amount);
        for (int64_t p = 0; p < ctx->processors; p++)
            amount[p] = bmf_partition_length_on(partition, p);
    }
    model_copies_leave(model_of(ctx), is_operation(ctx));
    if (is_operation(ctx))
        model_synchronise(model_of(ctx));
    model_record_leave(model_of(ctx), amount);
}

/* What reading or writing so many bytes takes a processor: what the machine's file says; what its sheet says; where
 * computing is measured, its share of the time that all of them took here; otherwise nothing. */
static int find_file_cost(bmf_context *ctx, int64_t bytes, double measured, bmf_model_cost *cost)
{
    bmf_model *model = model_of(ctx);
    const bmf_machine *machine = model->machine;
    char operation[BMF_SAMPLE_NAME];
    *cost = (bmf_model_cost){0};
    if (machine->file_bytes_per_second > 0.0)
        cost->seconds = (double)bytes / machine->file_bytes_per_second;
    else if (model_costs_know_overhead(model->costs, model_call(ctx), "file", operation))
        return model_costs_find(model->costs, ctx, &(bmf_model_call){.kernel = operation, .elements = bytes}, cost);
    else if (machine->compute == BMF_COMPUTE_MEASURED)
        cost->seconds = measured / machine->power;
    return BMF_OK;
}

static void model_file(bmf_context *ctx, const bmf_partition *partition, int64_t element_bytes, int64_t nanoseconds)
{
    const bmf_model *model = model_of(ctx);
    const int64_t length = bmf_partition_length(partition);
    host_fresh_bytes();
    actions_family_begin(model->actions);
    for (int64_t k = 0; k < partition->parts; k++) {
        const int64_t elements = partition->start[k + 1] - partition->start[k], bytes = elements * element_bytes;
        const double share = length > 0 ? (double)elements / (double)length : 0.0;
        bmf_model_cost cost;
        if (find_file_cost(ctx, bytes, share * (double)nanoseconds * 1e-9, &cost) != BMF_OK)
            failure_note(ctx, BMF_ERROR_ARGUMENT);
        actions_file(model->actions, bmf_partition_processor(partition, k), bytes, cost.seconds, cost.shared, cost.own,
                     cost.equation);
    }
    actions_family_end(model->actions);
}

/* ---- opening and closing ---- */

static void close_run(bmf_model *model)
{
    close_clocks(model);
    actions_free(model->actions);
    if (model->network)
        model->network->type->destroy(model->network);
    free(model->elements);
    free(model->seconds);
    free(model->work);
    free(model->shares);
    free(model->place);
    free(model->listed);
    free(model->timed);
    model->timed = NULL;
    model->timed_count = model->timed_capacity = model->timed_start = model->computed_elements = 0;
    model->actions = NULL;
    model->network = NULL;
    model->elements = NULL;
    model->seconds = NULL;
    model->work = NULL;
    model->shares = NULL;
    model->place = NULL;
    model->listed = NULL;
}

/* Times of kernels that are timed here are of one thread, with the shares of more. */
static void keep_beside(bmf_model *model)
{
    model->actions->keeps_bytes = model->keeps_bytes;
    model->actions->keeps_shares = model->shares && model_is_measured(model);
}

static int open_run(bmf_context *ctx, bmf_model *model)
{
    int64_t processors = ctx->processors;
    close_run(model);
    int status = machine_network(model->machine, processors, &model->network);
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    model->elements = allocate(processors * (int64_t)sizeof *model->elements);
    model->seconds = allocate(processors * (int64_t)sizeof *model->seconds);
    model->work = allocate(processors * (int64_t)sizeof *model->work);
    model->listed = allocate_clear(processors, (int64_t)sizeof *model->listed);
    if (model->machine->threads > 1 || model->machine->kernels_threads > 1) {
        model->shares = allocate_array(processors, (int64_t)sizeof *model->shares);
        model->place = allocate_array(processors, (int64_t)sizeof *model->place);
    }
    model->actions = actions_create(processors, ctx->run);
    keep_beside(model);
    model_costs_spread(model->machine, model->actions);
    return BMF_OK;
}

static int model_resize(bmf_context *ctx)
{
    return open_run(ctx, model_of(ctx));
}

/* Scopes that are open stay open. */
void model_restart(bmf_context *ctx)
{
    bmf_model *model = model_of(ctx);
    close_clocks(model);
    host_fresh_bytes();
    bmf_actions *before = model->actions;
    model->timed_count = model->timed_start = 0;
    model->actions = actions_create(ctx->processors, ctx->run);
    keep_beside(model);
    actions_hold_as(model->actions, before);
    actions_free(before);
    model_costs_spread(model->machine, model->actions);
    ctx->statistics = (bmf_statistics){0};
    for (int k = 1; k <= ctx->depth && k < BMF_NODE_DEPTH; k++) {
        actions_enter(model->actions, ctx->position[k].node, ctx->position[k].instance,
                      (bmf_event_kind)ctx->run->node[ctx->position[k].node].kind);
        actions_place(model->actions, ctx->position[k].place);
    }
}

/* Of loading only files take time; all begin together, and what follows is what `bmf run` times. Messages of loading
 * are no part of the program. */
static void model_start(bmf_context *ctx)
{
    bmf_model *model = model_of(ctx);
    if (model->actions->messages > 0)
        model_restart(ctx);
    close_clocks(model);
    for (int64_t k = 0; k < model->actions->stored_count; k++)
        if (!is_file_action(&model->actions->stored[k]))
            model->actions->stored[k].seconds = 0.0;
    actions_forget_list(model->actions);
    actions_start(model->actions);
    if (model->first_calls)
        actions_first_calls(model->actions);
    model->timed_start = model->timed_count;
    ctx->statistics = (bmf_statistics){0};
    if (model->bound.set && latest_clock(ctx, &model->bound.loaded) != BMF_OK)
        failure_note(ctx, BMF_ERROR_ARGUMENT);
}

static void free_model(bmf_model *model)
{
    close_run(model);
    model_copies_free(model);
    model_costs_free(model->costs);
    model_notes_free(model->notes);
    if (model->owned)
        machine_free(model->owned);
    free(model);
}

static void model_destroy(bmf_context *ctx)
{
    free_model(model_of(ctx));
    ctx->backend_state = NULL;
}

void model_keep_bytes(bmf_context *ctx)
{
    bmf_model *model = model_of(ctx);
    model->keeps_bytes = true;
    keep_beside(model);
}

void model_has_first_calls(bmf_context *ctx)
{
    model_of(ctx)->first_calls = true;
}

void model_use_classes(bmf_context *ctx)
{
    ctx->representatives = model_is_measured(model_of(ctx)) ? BMF_MOST_REPRESENTATIVES : 1;
}

void model_without_clocks(bmf_context *ctx)
{
    model_of(ctx)->clockless = true;
}

void model_share_times(bmf_context *ctx, bmf_kernel_times *times)
{
    model_of(ctx)->times = times;
}

void model_give_up_after(bmf_context *ctx, double seconds, int64_t actions)
{
    model_of(ctx)->bound = (bmf_model_bound){.set = true, .seconds = seconds, .actions = actions};
}

bool model_gave_up(const bmf_context *ctx, double *seconds)
{
    const bmf_model *model = model_of_context(ctx);
    if (!model || !model->bound.reached)
        return false;
    *seconds = model->bound.taken;
    return true;
}

int64_t model_alike(const bmf_context *ctx)
{
    return ctx->alike;
}

int64_t model_unlike(const bmf_context *ctx)
{
    return ctx->unlike;
}

bool model_is_measured(const bmf_model *model)
{
    return model->machine->compute == BMF_COMPUTE_MEASURED;
}

void model_measure(bmf_context *ctx, bmf_measurements *all)
{
    bmf_model *model = model_of(ctx);
    if (!model_is_measured(model))
        return;
    measurements_add(all, model->actions);
}

/* The times of what was timed here become those that are typical of all programs; loading keeps its own. */
static void take_typical_times(bmf_model *model)
{
    bmf_actions *actions = model->actions;
    for (int64_t k = 0, timed = 0; k < actions->stored_count; k++)
        if (is_timed_action(&actions->stored[k]) && timed++ >= model->timed_start)
            actions->stored[k].seconds = kernel_times_typical(model->times, model->timed[timed - 1]);
    actions_forget_list(actions);
}

void model_share(const bmf_model *model, bmf_actions *actions)
{
    model_costs_share(model->costs, actions);
}

void model_take_measurements(bmf_context *ctx, const bmf_measurements *all)
{
    bmf_model *model = model_of(ctx);
    if (model_is_measured(model)) {
        measurements_apply(all, model->actions, model->machine->relative_error);
        if (model->times)
            take_typical_times(model);
    }
    if (!model->keeps_bytes)
        model_share(model, model->actions);
}

static int model_finish(bmf_context *ctx)
{
    return model_write(ctx, model_of(ctx));
}

static const bmf_backend model_backend = {
    .name = "model",
    .compute = model_compute,
    .exchange = model_exchange,
    .exchange_begin = model_exchange_begin,
    .exchange_progress = model_exchange_progress,
    .exchange_end = model_exchange_end,
    .exchange_sparse = model_exchange_sparse,
    .bcast = model_bcast,
    .allgather = model_allgather,
    .agree = model_agree,
    .destroy = model_destroy,
    .now = model_now,
    .resize = model_resize,
    .enter = model_enter,
    .leave = model_leave,
    .file = model_file,
    .held = model_held,
    .mark = model_mark,
    .repeat = model_repeat,
    .expect = model_within_bound,
    .start = model_start,
    .barrier = model_barrier,
    .finish = model_finish,
    .emulate_rank = model_emulate_rank,
    .emulate_like = model_emulate_like,
};

/* The run whose names and nodes the actions use, and which says how the trace is headed. */
static bmf_trace_run *make_names(const bmf_context *ctx, const bmf_machine *machine, int64_t processors, int64_t ranks)
{
    int32_t lanes = (int32_t)processors;
    bmf_trace_run *run =
        run_create(ctx->program, machine->name, lanes, (int32_t)(ranks > 0 ? ranks : lanes), (int)machine->threads);
    run->predicted = 1;
    return run;
}

/* Pieces are cut for the threads of each rank, which a processor is, and run here one after the other; so are those of
 * ranks of one thread where they are timed. Elsewhere this host may have fewer cores: then teams are smaller. */
static void use_threads(bmf_context *ctx, const bmf_machine *machine)
{
    ctx->parts_are_ranks = machine->threads > 1;
    if (machine->threads > 1 || machine->compute == BMF_COMPUTE_MEASURED)
        ctx->threads = (int)machine->threads;
    if (machine->threads > 1)
        omp_set_dynamic(true);
}

int model_open(bmf_context *ctx, const bmf_machine *machine, int64_t processors, int64_t ranks)
{
    int64_t own_processors = ctx->processors;
    if (ctx->ranks > 1)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a prediction takes one process for all processors, not %d ranks",
                        ctx->ranks);
    if (processors < 1)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a machine needs at least 1 processor, not %lld",
                        (long long)processors);
    bmf_model *model = allocate_clear(1, (int64_t)sizeof *model);
    bmf_trace_run *own_run = ctx->run;
    model->machine = machine;
    model->ranks = ranks;
    model->threads = ctx->threads;
    model->costs = model_costs_create(machine, processors);
    ctx->processors = processors;
    ctx->run = make_names(ctx, machine, processors, ranks);
    int status = open_run(ctx, model);
    if (status != BMF_OK) {
        run_free(ctx->run);
        ctx->run = own_run;
        ctx->processors = own_processors;
        free_model(model);
        return status;
    }
    run_free(own_run);
    ctx->backend->destroy(ctx);
    ctx->backend = &model_backend;
    ctx->backend_state = model;
    ctx->first_processor = 0;
    ctx->local_processors = processors;
    ctx->statistics = (bmf_statistics){0};
    use_threads(ctx, machine);
    ctx->names_operations = machine->compute == BMF_COMPUTE_OPERATIONS;
    ctx->costs_ranks = ranks > 0 ? ranks : processors;
    if (machine->chooses && processors > 1) {
        ctx->assumed_cost = ctx->cost;
        ctx->cost = machine_message_costs(machine, processors);
        costs_take(ctx, cost_table_share(machine->costs), ctx->costs_ranks);
    }
    return BMF_OK;
}

bmf_model *model_of_context(const bmf_context *ctx)
{
    return ctx->backend == &model_backend ? ctx->backend_state : NULL;
}

const bmf_actions *model_actions(const bmf_model *model)
{
    return model->actions;
}

bmf_actions *model_take_actions(bmf_context *ctx)
{
    bmf_model *model = model_of(ctx);
    bmf_actions *taken = model->actions;
    close_clocks(model);
    model->actions = actions_create(ctx->processors, ctx->run);
    return taken;
}

bmf_network *model_network(const bmf_model *model)
{
    return model->network;
}

const char *model_remark(const bmf_model *model, int64_t index)
{
    return model_costs_remark(model->costs, index);
}

/* ---- programs that ask for it themselves ---- */

/* --bmf-machine. */
static int start_from_options(bmf_context *ctx)
{
    bmf_machine *machine;
    int status = machine_read_changed_list(ctx->machine_path, ctx->machine_changes, &machine);
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    status = model_open(ctx, machine, ctx->processors, ctx->imitated_ranks);
    if (status == BMF_OK)
        model_of_context(ctx)->owned = machine;
    else
        machine_free(machine);
    return status;
}

/* Linking with this library is what makes --bmf-machine work. */
__attribute__((constructor)) static void offer(void)
{
    model_start_hook = start_from_options;
}
