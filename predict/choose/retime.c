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
    actions_share(recorded, made);
    made->relative_error = machine_compute_error(machine);
    for (int64_t k = 0; k < made->stored_count && host; k++)
        convert(recorded, k, machine, sharing, &made->stored[k]);
    return made;
}

void retime_free(bmf_actions *retimed)
{
    if (!retimed)
        return;
    actions_unshare(retimed);
    free(retimed);
}

/* ---- where the time goes ---- */

/* The same run with messages of no bytes. */
static int simulate_empty(const bmf_actions *actions, bmf_network *network, double *seconds)
{
    bmf_actions empty;
    actions_share(actions, &empty);
    empty.message = allocate_array(actions->messages, (int64_t)sizeof *empty.message);
    for (int64_t m = 0; m < empty.messages; m++) {
        empty.message[m] = actions->message[m];
        empty.message[m].bytes = 0;
    }
    const int status = simulate_seconds(&empty, network, seconds);
    free(empty.message);
    actions_unshare(&empty);
    return status;
}

/* And on a network that costs nothing, on which agreements do not, either. */
static int simulate_ideal(const bmf_actions *actions, double *seconds)
{
    bmf_actions free_of_cost;
    bmf_network *network = network_ideal(actions->processors);
    actions_share(actions, &free_of_cost);
    for (int64_t k = 0; k < free_of_cost.stored_count; k++)
        if (free_of_cost.stored[k].kind == BMF_ACTION_BARRIER)
            free_of_cost.stored[k].seconds = 0.0;
    const int status = simulate_seconds(&free_of_cost, network, seconds);
    network->type->destroy(network);
    actions_unshare(&free_of_cost);
    return status;
}

typedef struct computing {
    double even, single, memory; /* seconds a processor; all of which one alone has; of even, bound by memory */
} computing;

/* A kernel call on all processors that take part: what it takes all of them, and of that bound by memory. */
typedef struct kernel_call {
    uint32_t scope, round;
    uint16_t name;
    bool single;       /* no other processor */
    int32_t processor; /* the first */
    double seconds, bound;
} kernel_call;

typedef struct kernel_calls {
    const bmf_actions *actions;
    const bmf_machine *machine;
    int64_t sharing;
    kernel_call *call;
    int64_t count, capacity;
    bmf_table table;
    uint32_t last;      /* found; what follows is often of the same */
    double first_calls; /* of every processor */
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

static kernel_call *find_call(kernel_calls *all, const bmf_action *action, int32_t processor)
{
    const wanted_call wanted = {all, action};
    if (all->count > 0 && is_call(&wanted, all->last))
        return &all->call[all->last];
    const uint64_t hash = hash_add(hash_add(hash_add(0, action->scope), action->round), action->name);
    table_make_room(&all->table, all->count + 1);
    all->last = table_find_or_add(&all->table, hash, is_call, &wanted, (uint32_t)all->count);
    if (all->last == all->count)
        *ARRAY_APPEND(all->call, all->count, all->capacity) = (kernel_call){.scope = action->scope,
                                                                            .round = action->round,
                                                                            .name = action->name,
                                                                            .single = true,
                                                                            .processor = processor};
    return &all->call[all->last];
}

static void add_kernel(kernel_calls *all, int64_t stored, int32_t processor)
{
    const bmf_action *action = &all->actions->stored[stored];
    const bmf_action_bytes *bytes = all->actions->bytes ? &all->actions->bytes[stored] : NULL;
    if (action->kind != BMF_ACTION_COMPUTE)
        return;
    kernel_call *call = find_call(all, action, processor);
    const double least =
        bytes ? node_memory_seconds(&all->machine->node, all->sharing, (double)bytes->moved, (double)bytes->footprint)
              : 0.0;
    call->single = call->single && processor == call->processor;
    call->seconds += action->seconds;
    call->bound += least > 0.0 && action->seconds <= least * (1.0 + 1e-6) ? action->seconds : 0.0;
}

static void add_family(kernel_calls *all, const bmf_actions_entry *entry)
{
    for (int64_t k = entry->begin; k < entry->end; k++) {
        const bmf_member *member = &all->actions->member[k];
        const bmf_action_slice *slice = &all->actions->slice[entry->number + member->slice];
        for (int64_t a = slice->begin; a < slice->begin + slice->count; a++)
            add_kernel(all, a, member->processor);
    }
}

/* The actions of a call may stand between others of its processors. */
static void add_calls(kernel_calls *all)
{
    const bmf_actions *actions = all->actions;
    for (int64_t e = 0; e < actions->entries; e++) {
        const bmf_actions_entry *entry = &actions->entry[e];
        if (entry->first < actions->start)
            continue;
        for (int64_t k = entry->begin; entry->kind == BMF_ENTRY_ACTIONS && k < entry->end; k++)
            add_kernel(all, k, actions->stored[k].processor);
        if (entry->kind == BMF_ENTRY_FAMILY)
            add_family(all, entry);
        if (entry->kind == BMF_ENTRY_ALL && is_first_calls(&actions->stored[entry->begin]))
            all->first_calls += actions->stored[entry->begin].seconds;
    }
}

static computing add_computing(const bmf_actions *actions, const bmf_machine *machine)
{
    kernel_calls all = {.actions = actions, .machine = machine, .sharing = sharing_of(machine, actions->processors)};
    const double processors = (double)actions->processors;
    computing sum = {0};
    add_calls(&all);
    sum.even = all.first_calls;
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
