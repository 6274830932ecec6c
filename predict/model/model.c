/* The model backend: all processors of a machine in this process.
 *
 * Method: kernels run on the real data and messages are copied at once, in the order in which they are called; what is
 * recorded are actions without times (predict/model/actions.h), which the simulator times. A clock is asked for rarely;
 * then everything recorded so far is simulated. When computing is to be measured, pieces run one after the other on one
 * thread, because that is what one processor would do; otherwise the threads of this host share them.
 * Cost: what the program costs on one rank, 48 bytes an action and 40 a message.
 */
#include "predict/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/kernels/kernels.h"
#include "predict/model/model_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/backend/host.h"

static bmf_model *model_of(bmf_context *ctx)
{
    return ctx->backend_state;
}

/* The innermost call that is open, for sheets. */
static const char *call_of(const bmf_context *ctx)
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
    if (!model_costs_know_overhead(model->costs, call_of(ctx), backend_agreement, operation))
        return BMF_OK;
    BMF_TRY(model_costs_find(model->costs, ctx, operation, "", 0, NULL, 0.0, &cost));
    for (int64_t p = 0; p < ctx->processors; p++)
        actions_overhead(model->actions, p, cost.seconds, cost.shared, cost.own, cost.equation);
    return BMF_OK;
}

/* All processors wait for each other: also where it costs nothing, because programs need it. */
static void meet(bmf_context *ctx, const char *what)
{
    const bmf_model *model = model_of(ctx);
    if (record_coming(ctx) != BMF_OK)
        failure_note(ctx, BMF_ERROR_ARGUMENT);
    actions_barrier(model->actions, (uint16_t)run_name(ctx->run, what), model->machine->agreement);
}

static void model_barrier(bmf_context *ctx)
{
    meet(ctx, backend_barrier);
}

/* On a bulk synchronous machine (document 000, 5.3.3 and 5.5) all processors begin an operation together, when the one
 * before is complete, and the levels of one, which computing divides. What goes on on processors one after the other
 * (rank emulation) has no such places. */
static void synchronise(const bmf_model *model)
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

/* ---- computing ---- */

/* Adds up the pieces of every processor; processor[0..listed) are those that have any, in the order of their first
 * piece. */
static int64_t add_up(bmf_model *model, const bmf_work *work, const bmf_piece_time *times, int64_t *processor)
{
    int64_t listed = 0;
    for (int64_t i = 0; i < work->pieces; i++) {
        const bmf_piece *piece = &work->piece[i];
        int64_t p = piece->processor;
        if (!model->listed[p]) {
            model->listed[p] = true;
            model->elements[p] = 0;
            model->seconds[p] = 0.0;
            model->work[p] = (bmf_kernel_work){0};
            processor[listed++] = p;
        }
        model->elements[p] += piece->end - piece->begin;
        host_count(work, i, &model->work[p]);
        if (times)
            model->seconds[p] += (double)(times[i].end - times[i].begin) * 1e-9;
    }
    return listed;
}

/* Memory that is new to this process would be to the processors, each its share. */
static void share_fresh(bmf_model *model, const int64_t *processor, int64_t listed)
{
    const int64_t fresh = host_fresh_bytes();
    double all = 0.0;
    for (int64_t k = 0; k < listed; k++)
        all += (double)model->elements[processor[k]];
    for (int64_t k = 0; k < listed && all > 0.0; k++)
        model->work[processor[k]].fresh = (int64_t)((double)fresh * (double)model->elements[processor[k]] / all);
}

static int record_compute(bmf_context *ctx, const bmf_work *work, const bmf_piece_time *times)
{
    bmf_model *model = model_of(ctx);
    int64_t *processor = allocate(work->pieces * (int64_t)sizeof *processor);
    int64_t listed = add_up(model, work, times, processor);
    share_fresh(model, processor, listed);
    uint16_t name = (uint16_t)run_name(ctx->run, work->kernel);
    char operation[BMF_SAMPLE_NAME], preparation[BMF_SAMPLE_NAME], before[BMF_SAMPLE_NAME];
    kernel_operation(call_of(ctx), work->kernel, operation);
    kernel_preparation(work->kernel, preparation);
    const bool prepared = model_costs_know_overhead(model->costs, call_of(ctx), preparation, before);
    const char *operations = work->operations;
    char alone[BMF_SAMPLE_NAME + 2];
    snprintf(alone, sizeof alone, "%.*s ", BMF_SAMPLE_NAME, work->kernel);
    model->computed = true;
    int status = BMF_OK;
    for (int64_t k = 0; k < listed; k++) {
        int64_t p = processor[k];
        bmf_model_kernel kernel = {
            .name = name, .round = work->round, .processor = p, .elements = model->elements[p], .prepared = prepared};
        kernel.moved = kernel_work_moved(&model->work[p]);
        kernel.footprint = kernel_work_footprint(&model->work[p]);
        model->listed[p] = false;
        if (status == BMF_OK)
            status = model_costs_find(model->costs, ctx, operation, operations ? operations : alone, kernel.elements,
                                      &model->work[p], model->seconds[p], &kernel.cost);
        if (status == BMF_OK && prepared)
            status = model_costs_find(model->costs, ctx, before, "", kernel.elements, NULL, 0.0, &kernel.before);
        if (status == BMF_OK)
            model_record_compute(model, &kernel);
    }
    free(processor);
    return status;
}

static int model_compute(bmf_context *ctx, const bmf_work *work)
{
    if (model_is_silent(model_of(ctx)))
        return host_run(ctx, work, false, NULL);
    bool measured = model_of(ctx)->machine->compute == BMF_COMPUTE_MEASURED;
    bmf_piece_time *times = measured ? allocate(work->pieces * (int64_t)sizeof *times) : NULL;
    int status = host_run(ctx, work, measured, times);
    if (status == BMF_OK)
        status = record_compute(ctx, work, times);
    free(times);
    return status;
}

/* ---- messages ---- */

/* The messages of a round as they turned out to be. */
typedef struct copies {
    int64_t count;
    bmf_message *message;
    int64_t *segments; /* of message i: [segments[i], segments[i + 1]) */
    int64_t *segment_bytes;
    int64_t capacity;
} copies;

static void copies_open(copies *made, int64_t count)
{
    *made = (copies){.count = count,
                     .message = allocate(count * (int64_t)sizeof *made->message),
                     .segments = allocate((count + 1) * (int64_t)sizeof *made->segments)};
    made->segments[0] = 0;
}

static void copies_close(copies *made)
{
    free(made->message);
    free(made->segments);
    free(made->segment_bytes);
}

static void keep_segments(copies *made, int64_t i, const bmf_segment *segment, int segments)
{
    const int64_t used = made->segments[i];
    ARRAY_RESERVE(made->segment_bytes, made->capacity, used + segments);
    for (int s = 0; s < segments; s++)
        made->segment_bytes[used + s] = segment[s].bytes;
    made->segments[i + 1] = used + segments;
}

/* Copies all messages of a round and counts them. */
static void copy_all(bmf_context *ctx, const bmf_round *round, bmf_model_sending sending, const bmf_transfer *transfer,
                     copies *made)
{
    const bmf_model *model = model_of(ctx);
    bmf_segment segment[BMF_MAX_SEGMENTS];
    copies_open(made, round->count);
    for (int64_t i = 0; i < round->count; i++) {
        int segments;
        made->message[i] = round->message[i];
        made->message[i].bytes = host_copy(transfer, &round->message[i], segment, &segments);
        keep_segments(made, i, segment, segments);
        if (made->message[i].from != made->message[i].to) {
            ctx->statistics.messages++;
            ctx->statistics.bytes += made->message[i].bytes;
        }
    }
    model_ranks_count(&ctx->statistics, ctx->processors, model->ranks > 0 ? model->ranks : ctx->processors, sending,
                      made->message, round->count, made->segments, made->segment_bytes);
}

/* Data is there at once; what takes its time is the round in the actions. */
struct bmf_exchange {
    int64_t number;
    uint32_t round;
    copies made;
};

/* What senders do before a round's messages, or those who only send after them, or receivers when they have come, as
 * far as the machine's sheet knows: once a processor, by the bytes of its messages. */
typedef enum message_side { SIDE_SENDING, SIDE_SENT, SIDE_RECEIVED } message_side;

static int record_overhead(bmf_context *ctx, const bmf_message *message, int64_t count, message_side side)
{
    static const char *const what[] = {"send", "sent", "receive"};
    const bool sending = side != SIDE_RECEIVED;
    bmf_model *model = model_of(ctx);
    char operation[BMF_SAMPLE_NAME];
    int status = BMF_OK;
    if (!model_costs_know_overhead(model->costs, call_of(ctx), what[side], operation))
        return BMF_OK;
    int64_t *processor = allocate(count * (int64_t)sizeof *processor), listed = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t p = sending ? message[i].from : message[i].to;
        if (message[i].from == message[i].to)
            continue;
        if (!model->listed[p]) {
            model->listed[p] = true;
            model->elements[p] = 0;
            processor[listed++] = p;
        }
        model->elements[p] += message[i].bytes;
    }
    for (int64_t i = 0; i < count && side == SIDE_SENT; i++)
        if (message[i].from != message[i].to)
            model->elements[message[i].to] = -1;
    for (int64_t k = 0; k < listed; k++) {
        int64_t p = processor[k];
        bmf_model_cost cost;
        model->listed[p] = false;
        if (model->elements[p] < 0)
            continue;
        if (status == BMF_OK)
            status = model_costs_find(model->costs, ctx, operation, "", model->elements[p], NULL, 0.0, &cost);
        if (status == BMF_OK)
            actions_overhead(model->actions, p, cost.seconds, cost.shared, cost.own, cost.equation);
    }
    free(processor);
    return status;
}

static int begin_round(bmf_context *ctx, const bmf_round *round, uint32_t round_number, bmf_model_sending sending,
                       const bmf_transfer *transfer, bmf_exchange *begun)
{
    if (model_of(ctx)->computed)
        synchronise(model_of(ctx));
    model_of(ctx)->computed = false;
    begun->round = round_number;
    copy_all(ctx, round, sending, transfer, &begun->made);
    int status = record_overhead(ctx, begun->made.message, begun->made.count, SIDE_SENDING);
    begun->number = actions_round_begin(model_of(ctx)->actions, round_number, begun->made.message, begun->made.count);
    return status;
}

/* status: of the beginning. */
static int end_round(bmf_context *ctx, bmf_exchange *begun, bool sparse, int status)
{
    if (status == BMF_OK && !sparse)
        status = record_overhead(ctx, begun->made.message, begun->made.count, SIDE_SENT);
    if (sparse)
        actions_round_end_sparse(model_of(ctx)->actions, begun->round, begun->number);
    else
        actions_round_end(model_of(ctx)->actions, begun->round, begun->number);
    if (status == BMF_OK)
        status = record_overhead(ctx, begun->made.message, begun->made.count, SIDE_RECEIVED);
    copies_close(&begun->made);
    host_fresh_bytes();
    return status;
}

static int model_exchange_begin(bmf_context *ctx, const bmf_round *round, uint32_t round_number,
                                const bmf_transfer *transfer, bmf_exchange **under_way)
{
    *under_way = allocate((int64_t)sizeof **under_way);
    int status = begin_round(ctx, round, round_number, BMF_SENDING_KNOWN, transfer, *under_way);
    if (status == BMF_OK)
        return BMF_OK;
    copies_close(&(*under_way)->made);
    free(*under_way);
    *under_way = NULL;
    return status;
}

static bool model_exchange_progress(bmf_context *ctx, bmf_exchange *under_way)
{
    (void)ctx, (void)under_way;
    return true;
}

static int model_exchange_end(bmf_context *ctx, bmf_exchange *under_way)
{
    int status = end_round(ctx, under_way, false, BMF_OK);
    free(under_way);
    return status;
}

static int model_exchange(bmf_context *ctx, const bmf_round *round, uint32_t round_number, const bmf_transfer *transfer)
{
    bool unknown = round->count > 0 && round->message[0].bytes == BMF_BYTES_UNKNOWN;
    bmf_exchange begun;
    int status =
        begin_round(ctx, round, round_number, unknown ? BMF_SENDING_UNKNOWN : BMF_SENDING_KNOWN, transfer, &begun);
    return end_round(ctx, &begun, false, status);
}

/* Ends when everybody knows that nothing is under way. */
static int model_exchange_sparse(bmf_context *ctx, const bmf_round *sends, uint32_t round_number,
                                 const bmf_transfer *transfer)
{
    bmf_exchange begun;
    int status = begin_round(ctx, sends, round_number, BMF_SENDING_SPARSE, transfer, &begun);
    status = end_round(ctx, &begun, true, status);
    const int settled = ctx->backend->agree(ctx, BMF_OK);
    return status == BMF_OK ? settled : status;
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

static int64_t model_now(bmf_context *ctx, int64_t processor)
{
    bmf_model *model = model_of(ctx);
    double latest = 0.0;
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
        synchronise(model_of(ctx));
    model_record_enter(model_of(ctx), at->node, at->instance, at->place, kind);
}

static void model_leave(bmf_context *ctx, const bmf_partition *partition)
{
    int64_t *amount = NULL;
    if (partition) {
        amount = allocate(ctx->processors * (int64_t)sizeof *amount);
        for (int64_t p = 0; p < ctx->processors; p++)
            amount[p] = bmf_partition_length_on(partition, p);
    }
    if (is_operation(ctx))
        synchronise(model_of(ctx));
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
    else if (model_costs_know_overhead(model->costs, call_of(ctx), "file", operation))
        return model_costs_find(model->costs, ctx, operation, "", bytes, NULL, 0.0, cost);
    else if (machine->compute == BMF_COMPUTE_MEASURED)
        cost->seconds = measured / machine->power;
    return BMF_OK;
}

static void model_file(bmf_context *ctx, const bmf_partition *partition, int64_t element_bytes, int64_t nanoseconds)
{
    const bmf_model *model = model_of(ctx);
    const int64_t length = bmf_partition_length(partition);
    host_fresh_bytes();
    for (int64_t k = 0; k < partition->parts; k++) {
        const int64_t elements = partition->start[k + 1] - partition->start[k], bytes = elements * element_bytes;
        const double share = length > 0 ? (double)elements / (double)length : 0.0;
        bmf_model_cost cost;
        if (find_file_cost(ctx, bytes, share * (double)nanoseconds * 1e-9, &cost) != BMF_OK)
            failure_note(ctx, BMF_ERROR_ARGUMENT);
        actions_file(model->actions, bmf_partition_processor(partition, k), bytes, cost.seconds, cost.shared, cost.own,
                     cost.equation);
    }
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
    free(model->listed);
    model->actions = NULL;
    model->network = NULL;
    model->elements = NULL;
    model->seconds = NULL;
    model->work = NULL;
    model->listed = NULL;
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
    model->actions = actions_create(processors, ctx->run);
    model->actions->keeps_bytes = model->keeps_bytes;
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
    model->actions = actions_create(ctx->processors, ctx->run);
    model->actions->keeps_bytes = model->keeps_bytes;
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
    for (int64_t a = 0; a < model->actions->count; a++)
        if (!is_file_action(&model->actions->action[a]))
            model->actions->action[a].seconds = 0.0;
    actions_start(model->actions);
    ctx->statistics = (bmf_statistics){0};
}

static void free_model(bmf_model *model)
{
    close_run(model);
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
    model->keeps_bytes = model->actions->keeps_bytes = true;
}

void model_use_classes(bmf_context *ctx)
{
    ctx->representatives = model_is_measured(model_of(ctx)) ? BMF_MOST_REPRESENTATIVES : 1;
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

void model_take_measurements(bmf_context *ctx, const bmf_measurements *all)
{
    bmf_model *model = model_of(ctx);
    if (model_is_measured(model))
        measurements_apply(all, model->actions, model->machine->relative_error);
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
        run_create(ctx->program, machine->name, lanes, (int32_t)(ranks > 0 ? ranks : lanes), ctx->threads);
    run->predicted = 1;
    return run;
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
    if (machine->compute == BMF_COMPUTE_MEASURED)
        ctx->threads = 1;
    ctx->names_operations = machine->compute == BMF_COMPUTE_OPERATIONS;
    if (machine->chooses && processors > 1) {
        ctx->assumed_cost = ctx->cost;
        ctx->cost = machine_message_costs(machine, processors);
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
