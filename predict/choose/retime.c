/* Re-timing recorded actions; see retime.h.
 *
 * Method: computing is divided by the machine's power and shared by the threads of its ranks (thread_shares.h), and
 * takes no less than what its node's memory needs for the bytes that the kernel moves. Where the time goes follows from
 * three simulations: the machine's network, the same with empty messages, and one that costs nothing. Of computing,
 * kernel calls in which only one processor takes part are one processor's work; the rest is spread evenly as far as the
 * mean goes, and imbalance beyond it.
 * Cost: a copy of the actions, and three simulations beside those of the interval. */
#include "predict/choose/retime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"

enum { CHEAP_STEPS = 3000000, MIN_SAMPLES = 20, MAX_SAMPLES = 100 };

bool machine_shares_recording(const bmf_machine *machine)
{
    return machine->compute == BMF_COMPUTE_MEASURED && !machine->bulk_synchronous && !machine->chooses;
}

static int64_t sharing_of(const bmf_machine *machine, int64_t ranks)
{
    const int64_t each = node_ranks(&machine->node);
    return each < ranks ? each : ranks;
}

/* The seconds of one thread, shared by a team. */
static double share_out(const bmf_actions *recorded, int64_t k, const bmf_machine *machine, double seconds)
{
    const double share = recorded->shares ? thread_shares_slowest(&recorded->shares[k], machine->threads) : 1.0;
    return share < 1.0 ? seconds * share + node_fork_join(&machine->node) : seconds;
}

static void convert(const bmf_actions *recorded, int64_t k, const bmf_machine *machine, int64_t sharing,
                    bmf_action *action)
{
    if (action->kind == BMF_ACTION_BARRIER && isnan(action->seconds))
        action->seconds = machine->agreement;
    if (action->kind != BMF_ACTION_COMPUTE && action->kind != BMF_ACTION_OVERHEAD)
        return;
    action->seconds = share_out(recorded, k, machine, action->seconds / machine->power);
    if (is_file_action(action) && machine->file_bytes_per_second > 0.0)
        action->seconds = (double)action->amount / machine->file_bytes_per_second;
    else if (recorded->bytes)
        action->seconds =
            fmax(action->seconds, node_memory_seconds(&machine->node, sharing, (double)recorded->bytes[k].moved,
                                                      (double)recorded->bytes[k].footprint));
}

bmf_actions *retime_create(const bmf_actions *recorded, const bmf_machine *machine, bool host)
{
    bmf_actions *made = allocate((int64_t)sizeof *made);
    const int64_t sharing = sharing_of(machine, recorded->processors);
    *made = *recorded;
    made->relative_error = machine_compute_error(machine);
    made->action = allocate_array(recorded->count, (int64_t)sizeof *made->action);
    memcpy(made->action, recorded->action, (size_t)recorded->count * sizeof *made->action);
    for (int64_t k = 0; k < made->count && host; k++)
        convert(recorded, k, machine, sharing, &made->action[k]);
    return made;
}

void retime_free(bmf_actions *retimed)
{
    if (!retimed)
        return;
    free(retimed->action);
    free(retimed);
}

/* ---- where the time goes ---- */

static int simulate_once(const bmf_actions *actions, bmf_network *network, double *seconds)
{
    bmf_simulation result;
    bmf_simulator *simulator = simulator_create(actions, network, 0);
    const int status = simulator_run(simulator);
    simulator_result(simulator, &result);
    simulator_free(simulator);
    *seconds = result.seconds - result.loading;
    return status;
}

/* The same run with messages of no bytes. */
static int simulate_empty(const bmf_actions *actions, bmf_network *network, double *seconds)
{
    bmf_actions empty = *actions;
    empty.message = allocate_array(actions->messages, (int64_t)sizeof *empty.message);
    memcpy(empty.message, actions->message, (size_t)actions->messages * sizeof *empty.message);
    for (int64_t m = 0; m < empty.messages; m++)
        empty.message[m].bytes = 0;
    const int status = simulate_once(&empty, network, seconds);
    free(empty.message);
    return status;
}

/* And on a network that costs nothing, on which agreements do not, either. */
static int simulate_ideal(const bmf_actions *actions, double *seconds)
{
    bmf_actions free_of_cost = *actions;
    bmf_network *network = network_ideal(actions->processors);
    free_of_cost.action = allocate_array(actions->count, (int64_t)sizeof *free_of_cost.action);
    memcpy(free_of_cost.action, actions->action, (size_t)actions->count * sizeof *free_of_cost.action);
    for (int64_t k = 0; k < actions->count; k++)
        if (free_of_cost.action[k].kind == BMF_ACTION_BARRIER)
            free_of_cost.action[k].seconds = 0.0;
    const int status = simulate_once(&free_of_cost, network, seconds);
    network->type->destroy(network);
    free(free_of_cost.action);
    return status;
}

typedef struct computing {
    double even, single, memory; /* seconds a processor; all of which one alone has; of even, bound by memory */
} computing;

/* A kernel call on all processors that take part, whose actions stand between others of theirs. */
typedef struct kernel_call {
    uint32_t scope, round;
    uint16_t name;
    bool single;
    int32_t processor; /* the first */
    double seconds, bound;
} kernel_call;

typedef struct kernel_calls {
    kernel_call *call;
    int64_t count, capacity;
    bmf_table table;
} kernel_calls;

typedef struct wanted_call {
    const kernel_calls *all;
    const bmf_action *action;
} wanted_call;

static bool is_call(const void *wanted, uint32_t number)
{
    const wanted_call *w = wanted;
    const kernel_call *call = &w->all->call[number];
    return call->scope == w->action->scope && call->round == w->action->round && call->name == w->action->name;
}

static kernel_call *find_call(kernel_calls *all, const bmf_action *action)
{
    const uint64_t hash = hash_add(hash_add(hash_add(0, action->scope), action->round), action->name);
    table_make_room(&all->table, all->count + 1);
    const uint32_t number =
        table_find_or_add(&all->table, hash, is_call, &(wanted_call){all, action}, (uint32_t)all->count);
    if (number == all->count)
        *ARRAY_APPEND(all->call, all->count, all->capacity) = (kernel_call){.scope = action->scope,
                                                                            .round = action->round,
                                                                            .name = action->name,
                                                                            .single = true,
                                                                            .processor = action->processor};
    return &all->call[number];
}

static computing add_computing(const bmf_actions *actions, const bmf_machine *machine)
{
    const int64_t sharing = sharing_of(machine, actions->processors);
    const double processors = (double)actions->processors;
    kernel_calls all = {0};
    computing sum = {0};
    for (int64_t k = actions->start; k < actions->count; k++) {
        const bmf_action *action = &actions->action[k];
        if (action->kind != BMF_ACTION_COMPUTE)
            continue;
        kernel_call *call = find_call(&all, action);
        const double least = actions->bytes
                                 ? node_memory_seconds(&machine->node, sharing, (double)actions->bytes[k].moved,
                                                       (double)actions->bytes[k].footprint)
                                 : 0.0;
        call->single = call->single && action->processor == call->processor;
        call->seconds += action->seconds;
        call->bound += least > 0.0 && action->seconds <= least * (1.0 + 1e-6) ? action->seconds : 0.0;
    }
    for (int64_t k = 0; k < all.count; k++)
        if (all.call[k].single && actions->processors > 1) {
            sum.single += all.call[k].seconds;
        } else {
            sum.even += all.call[k].seconds / processors;
            sum.memory += all.call[k].bound / processors;
        }
    table_free(&all.table);
    free(all.call);
    return sum;
}

static int find_parts(const bmf_actions *actions, const bmf_machine *machine, bmf_network *network, bmf_offer *offer)
{
    double empty, ideal;
    const computing sum = add_computing(actions, machine);
    BMF_TRY(simulate_empty(actions, network, &empty));
    BMF_TRY(simulate_ideal(actions, &ideal));
    offer->part[BMF_LIMIT_COMPUTING] = sum.even - sum.memory;
    offer->part[BMF_LIMIT_MEMORY] = sum.memory;
    offer->part[BMF_LIMIT_SINGLE] = fmin(sum.single, fmax(ideal - sum.even, 0.0));
    offer->part[BMF_LIMIT_IMBALANCE] = fmax(ideal - sum.even - offer->part[BMF_LIMIT_SINGLE], 0.0);
    offer->part[BMF_LIMIT_LATENCY] = fmax(empty - ideal, 0.0);
    offer->part[BMF_LIMIT_BANDWIDTH] = fmax(offer->best - fmax(empty, ideal), 0.0);
    return BMF_OK;
}

int retime_offer(const bmf_actions *retimed, const bmf_machine *machine, bmf_network *network, int64_t samples,
                 bmf_offer *offer)
{
    bmf_prediction prediction;
    if (samples == 0) {
        samples = CHEAP_STEPS / (retimed->count + 1);
        samples = samples < MIN_SAMPLES ? MIN_SAMPLES : samples > MAX_SAMPLES ? MAX_SAMPLES : samples;
    }
    BMF_TRY(simulate_interval(retimed, network, samples, &prediction));
    offer->seconds = prediction.median;
    offer->low = prediction.low;
    offer->high = prediction.high;
    offer->best = prediction.seconds;
    return find_parts(retimed, machine, network, offer);
}
