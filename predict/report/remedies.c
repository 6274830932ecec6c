/* What would make a run shorter.
 *
 * Method: the recorded actions are simulated on the network that costs nothing, first as they are, then with the
 * computing of every call replaced by its mean over the processors that take part. Computing on different processors is
 * one kernel of one call if it has the same call, name and round, and is the how-manieth of these on its processor.
 * Cost: one replay and two simulations.
 */
#define _GNU_SOURCE
#include "predict/report/remedies.h"

#include <math.h>
#include <stdlib.h>

#include "predict/replay/fail.h"
#include "predict/replay/recorded.h"
#include "predict/replay/replay.h"
#include "predict/report/intervals.h"
#include "runtime/base/allocate.h"

/* Computing of one processor in a call. */
typedef struct work {
    int64_t action;
    int64_t ordinal; /* on its processor */
} work;

static int64_t order_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_kernel(const bmf_action *a, const bmf_action *b)
{
    int64_t order = order_of(a->scope, b->scope);
    order = order ? order : order_of(a->round, b->round);
    order = order ? order : order_of(a->name, b->name);
    return (int)order;
}

/* By kernel, then by `own`, then as they were recorded. */
static int by_kernel_and(int64_t (*own)(const bmf_action *, const work *), const bmf_action *action, const work *x,
                         const work *y)
{
    int64_t order = by_kernel(&action[x->action], &action[y->action]);
    order = order ? order : order_of(own(action, x), own(action, y));
    order = order ? order : order_of(x->action, y->action);
    return (int)order;
}

static int64_t processor_of(const bmf_action *action, const work *x)
{
    return action[x->action].processor;
}

static int64_t ordinal_of(const bmf_action *action, const work *x)
{
    (void)action;
    return x->ordinal;
}

static int by_processor(const void *a, const void *b, void *state)
{
    return by_kernel_and(processor_of, state, a, b);
}

static int by_ordinal(const void *a, const void *b, void *state)
{
    return by_kernel_and(ordinal_of, state, a, b);
}

static int64_t find_work(const bmf_actions *actions, work *all)
{
    bmf_action *action = actions->stored;
    int64_t count = 0;
    for (int64_t k = 0; k < actions->count; k++)
        if (action[k].kind == BMF_ACTION_COMPUTE)
            all[count++] = (work){.action = k};
    qsort_r(all, (size_t)count, sizeof *all, by_processor, action);
    for (int64_t k = 1; k < count; k++) {
        const bmf_action *before = &action[all[k - 1].action], *at = &action[all[k].action];
        if (by_kernel(before, at) == 0 && before->processor == at->processor)
            all[k].ordinal = all[k - 1].ordinal + 1;
    }
    qsort_r(all, (size_t)count, sizeof *all, by_ordinal, action);
    return count;
}

/* Every call's computing is its mean. */
static void spread_evenly(bmf_actions *actions)
{
    actions_spread_out(actions);
    work *all = allocate_clear(actions->count, (int64_t)sizeof *all);
    const int64_t count = find_work(actions, all);
    for (int64_t first = 0, end; first < count; first = end) {
        const bmf_action *kernel = &actions->stored[all[first].action];
        double seconds = 0.0;
        for (end = first; end < count && all[end].ordinal == all[first].ordinal &&
                          by_kernel(kernel, &actions->stored[all[end].action]) == 0;
             end++)
            seconds += actions->stored[all[end].action].seconds;
        for (int64_t k = first; k < end; k++)
            actions->stored[all[k].action].seconds = seconds / (double)(end - first);
    }
    free(all);
}

static int simulate_ideal(const bmf_actions *actions, double *seconds, double *files)
{
    bmf_simulation result;
    bmf_network *network = network_ideal(actions->processors);
    bmf_simulator *simulator = simulator_create(actions, network, 0);
    const int status = simulator_run(simulator);
    simulator_result(simulator, &result);
    simulator_free(simulator);
    network->type->destroy(network);
    *seconds = result.seconds - result.loading;
    *files = result.loading;
    return status;
}

static int replay_twice(bmf_trace_run *run, bmf_remedies *remedies)
{
    const bmf_machine machine = {.name = (char[]){"ideal network"}, .compute = BMF_COMPUTE_MEASURED, .power = 1};
    bmf_actions *actions;
    char **remark;
    int64_t remarks;
    BMF_TRY(replay_onto_machine(run, &machine, true, &actions, &remarks, &remark));
    int status = simulate_ideal(actions, &remedies->no_messages, &remedies->files);
    if (status == BMF_OK) {
        spread_evenly(actions);
        status = simulate_ideal(actions, &remedies->even, &remedies->files);
    }
    for (int64_t k = 0; k < remarks; k++)
        free(remark[k]);
    free(remark);
    actions_free(actions);
    return status;
}

int run_remedies(bmf_trace_run *run, bmf_remedies *remedies)
{
    *remedies = (bmf_remedies){.no_messages = NAN, .even = NAN, .recorded = replay_span(run)};
    if (!run->predicted && run->lanes > run->ranks)
        return fail_line(BMF_ERROR_ARGUMENT, "%d processors were run by %d ranks", run->lanes, run->ranks);
    if (!is_recorded(run))
        return replay_twice(run, remedies);
    bmf_trace_run *ideal;
    BMF_TRY(intervals_ideal(run, &ideal));
    remedies->no_messages = replay_length(ideal);
    run_free(ideal);
    return BMF_OK;
}
