/* Re-timing recorded actions; see retime.h.
 *
 * Method: computing is divided by the machine's power, and takes no less than what its node's memory needs for the
 * bytes that the kernel moves. Where the time goes follows from three simulations: the machine's network, the same
 * with empty messages, and one that costs nothing. Of computing, kernel calls in which only one processor takes part
 * are one processor's work; the rest is spread evenly as far as the mean goes, and imbalance beyond it.
 * Cost: a copy of the actions, and three simulations beside those of the interval. */
#include "predict/choose/retime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

enum { CHEAP_STEPS = 3000000, MIN_SAMPLES = 20, MAX_SAMPLES = 100 };

bool machine_shares_recording(const bmf_machine *machine)
{
    return machine->compute == BMF_COMPUTE_MEASURED && !machine->bulk_synchronous && !machine->chooses;
}

static int64_t sharing_of(const bmf_machine *machine, int64_t processors)
{
    const int64_t each = machine->node.processors;
    return each < processors ? each : processors;
}

static void convert(const bmf_actions *recorded, int64_t k, const bmf_machine *machine, int64_t sharing,
                    bmf_action *action)
{
    if (action->kind == BMF_ACTION_BARRIER && isnan(action->seconds))
        action->seconds = machine->agreement;
    if (action->kind != BMF_ACTION_COMPUTE && action->kind != BMF_ACTION_OVERHEAD)
        return;
    action->seconds /= machine->power;
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

static bool same_call(const bmf_action *a, const bmf_action *b)
{
    return a->kind == BMF_ACTION_COMPUTE && b->kind == BMF_ACTION_COMPUTE && a->scope == b->scope &&
           a->name == b->name && a->round == b->round;
}

/* A kernel call, or several of the same processors: what it takes all of them, and of that bound by memory. */
typedef struct call {
    double seconds, bound;
    int32_t processor;        /* the first of them */
    bool single;              /* the only one */
    const bmf_action *kernel; /* the last; NULL: none yet */
} call;

typedef struct sums {
    const bmf_actions *actions;
    const bmf_machine *machine;
    int64_t sharing;
    computing sum;
    call open;
} sums;

static void end_call(sums *s)
{
    const double processors = (double)s->actions->processors;
    if (s->open.kernel && s->open.single && s->actions->processors > 1) {
        s->sum.single += s->open.seconds;
    } else {
        s->sum.even += s->open.seconds / processors;
        s->sum.memory += s->open.bound / processors;
    }
    s->open = (call){0};
}

static void add_kernel(sums *s, int64_t stored, int32_t processor)
{
    const bmf_action *action = &s->actions->stored[stored];
    const bmf_action_bytes *bytes = s->actions->bytes ? &s->actions->bytes[stored] : NULL;
    const double least =
        bytes ? node_memory_seconds(&s->machine->node, s->sharing, (double)bytes->moved, (double)bytes->footprint)
              : 0.0;
    if (action->kind != BMF_ACTION_COMPUTE)
        return;
    if (!s->open.kernel)
        s->open = (call){.processor = processor, .single = true};
    s->open.kernel = action;
    s->open.single = s->open.single && processor == s->open.processor;
    s->open.seconds += action->seconds;
    s->open.bound += least > 0.0 && action->seconds <= least * (1.0 + 1e-6) ? action->seconds : 0.0;
}

static void add_alone(sums *s, const bmf_actions_entry *entry)
{
    for (int64_t k = entry->begin; k < entry->end; k++) {
        const bmf_action *action = &s->actions->stored[k];
        if (s->open.kernel && !same_call(s->open.kernel, action))
            end_call(s);
        add_kernel(s, k, action->processor);
    }
}

static void add_family(sums *s, const bmf_actions_entry *entry)
{
    for (int64_t k = entry->begin; k < entry->end; k++) {
        const bmf_member *member = &s->actions->member[k];
        const bmf_action_slice *slice = &s->actions->slice[entry->number + member->slice];
        for (int64_t a = slice->begin; a < slice->begin + slice->count; a++)
            add_kernel(s, a, member->processor);
    }
}

/* Kernel calls that stand alone are recorded processor by processor; a family is one. */
static computing add_computing(const bmf_actions *actions, const bmf_machine *machine)
{
    sums s = {.actions = actions, .machine = machine, .sharing = sharing_of(machine, actions->processors)};
    for (int64_t e = 0; e < actions->entries; e++) {
        const bmf_actions_entry *entry = &actions->entry[e];
        if (entry->first < actions->start)
            continue;
        if (entry->kind == BMF_ENTRY_ACTIONS)
            add_alone(&s, entry);
        else if (entry->kind == BMF_ENTRY_FAMILY)
            add_family(&s, entry);
        end_call(&s);
    }
    return s.sum;
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
