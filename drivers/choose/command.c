/* Offers of programs that are predicted one by one: files of equations, programs in C that are linked with bmf, and MPI
 * programs, as `bmf predict` predicts them.
 *
 * Method: where the time goes follows from the predicted run: computing spread evenly, what a run on a network that
 * costs nothing takes longer, and messages, of which those with bytes are told apart by a network with 10^6 times the
 * bandwidth. Files of equations are simulated on it; runs of programs are replayed: nothing is measured anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/choose/choose.h"
#include "drivers/command/launch.h"
#include "predict/choose/what_if.h"
#include "predict/replay/recorded.h"
#include "predict/replay/replay.h"
#include "predict/report/intervals.h"
#include "predict/report/peaks.h"
#include "runtime/base/allocate.h"

enum { NAME = 64 };

bool choose_is_alone(const choose_options *o)
{
    return o->predict.command || is_model(o->predict.path);
}

/* ---- arguments ---- */

/* "{n}" of the name that a text begins with; false if it is too long. */
static bool make_mark(const char *name, size_t length, char mark[NAME])
{
    return length > 0 && snprintf(mark, NAME, "{%.*s}", (int)length, name) < NAME;
}

static bool stands_in(char *const *command, const char *mark)
{
    for (int k = 1; command[k]; k++)
        if (strstr(command[k], mark))
            return true;
    return false;
}

int choose_check_names(const choose_options *o)
{
    const bmf_strings *set = &o->predict.set;
    char mark[NAME];
    for (int k = 0; k < set->count; k++) {
        const char *equals = strchr(set->text[k], '=');
        if (!equals || !equals[1] || !make_mark(set->text[k], (size_t)(equals - set->text[k]), mark))
            return usage_error("--set '%.100s' is not NAME=X, of which {NAME} stands in the program's arguments",
                               set->text[k]);
        if (!stands_in(o->predict.command, mark))
            return usage_error("--set %.100s: %s stands nowhere in the program's arguments", set->text[k], mark);
    }
    if (o->scaled && (!make_mark(o->scaled, strlen(o->scaled), mark) || !stands_in(o->predict.command, mark)))
        return usage_error("--scale %.60s: {%.60s} stands nowhere in the program's arguments", o->scaled, o->scaled);
    return 0;
}

char **choose_words(const bmf_predict_options *o)
{
    char **made = launch_copied(o->command), mark[NAME];
    for (int k = o->set.count - 1; k >= 0; k--) {
        const char *equals = strchr(o->set.text[k], '=');
        char **before = made;
        if (!make_mark(o->set.text[k], (size_t)(equals - o->set.text[k]), mark))
            continue;
        made = launch_replaced(before, mark, equals + 1);
        launch_words_free(before);
    }
    return made;
}

int choose_predict_alone(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted)
{
    bmf_predict_options o = *options;
    if (!o.command)
        return predict_model(&o, processors, traced, predicted);
    o.command = choose_words(options);
    const int status = (o.mpi ? predict_mpi : predict_executable)(&o, processors, traced, predicted);
    launch_words_free(o.command);
    return status;
}

/* ---- where the time goes ---- */

/* The predicted run again, with its computing, on another network. */
static int replay_seconds(bmf_trace_run *run, bmf_network *network, double *seconds)
{
    const bmf_machine same = {.name = (char[]){"the same"}, .compute = BMF_COMPUTE_MEASURED, .power = 1};
    bmf_trace_run *replayed = NULL;
    bmf_recorded_replay result;
    bmf_actions *actions;
    char **remark;
    int64_t remarks = 0;
    if (is_recorded(run)) {
        BMF_TRY(replay_recorded(run, &same, network, &(bmf_recorded_options){.exact = true}, &replayed, &result));
        *seconds = result.time.seconds;
        run_free(replayed);
        return BMF_OK;
    }
    BMF_TRY(replay_onto_machine(run, &same, false, &actions, &remarks, &remark));
    const int status = replay_trace(run, &same, actions, network, &replayed);
    *seconds = status == BMF_OK ? replay_length(replayed) : NAN;
    run_free(replayed);
    actions_free(actions);
    for (int64_t k = 0; k < remarks; k++)
        free(remark[k]);
    free(remark);
    return status;
}

static int replay_on(bmf_trace_run *run, const bmf_machine *machine, int64_t processors, double *seconds)
{
    bmf_network *network;
    BMF_TRY(machine_network(machine, processors, &network));
    const int status = replay_seconds(run, network, seconds);
    network->type->destroy(network);
    return status;
}

/* How much shorter it is when bytes of messages cost next to nothing. */
static int find_bytes(const choose_study *study, const bmf_machine *machine, const bmf_predicted *predicted,
                      const bmf_offer *offer, bmf_machine *fast, double *bytes)
{
    bmf_predict_options o = study->options->predict;
    bmf_predicted faster = {0};
    double here, there;
    if (o.command) {
        BMF_TRY(replay_on(predicted->run, machine, offer->ranks, &here));
        BMF_TRY(replay_on(predicted->run, fast, offer->ranks, &there));
        *bytes = here - there;
        return BMF_OK;
    }
    o.machine = fast;
    o.samples = 1;
    const int status = predict_model(&o, offer->ranks, false, &faster);
    *bytes = offer->best - faster.best;
    predicted_free(&faster);
    return status;
}

static int split_messages(const choose_study *study, const bmf_machine *machine, const bmf_predicted *predicted,
                          bmf_offer *offer)
{
    bmf_machine *fast;
    double bytes = 0.0;
    if (what_if_machine(study->options->machines.word[offer->machine], machine, "network.bandwidth*1e6", &fast) !=
        BMF_OK)
        return BMF_OK; /* it states no bandwidth */
    const int status = find_bytes(study, machine, predicted, offer, fast, &bytes);
    bytes = fmin(fmax(bytes, 0.0), offer->part[BMF_LIMIT_LATENCY]);
    offer->part[BMF_LIMIT_BANDWIDTH] = bytes;
    offer->part[BMF_LIMIT_LATENCY] -= bytes;
    machine_free(fast);
    return status;
}

int choose_alone_parts(const choose_study *study, const bmf_machine *machine, const bmf_predicted *predicted,
                       bmf_offer *offer)
{
    bmf_trace_run *ideal = NULL;
    bmf_intervals *intervals = NULL;
    int status = intervals_ideal(predicted->run, &ideal);
    if (status == BMF_OK)
        status = intervals_create(predicted->run, ideal, &intervals);
    if (status == BMF_OK) {
        const bmf_interval *whole = &intervals->interval[0];
        const double even = (double)whole->all.compute * 1e-9 / (double)offer->ranks;
        const double alone = (double)whole->all.execution * 1e-9 * whole->efficiency.transfer;
        offer->part[BMF_LIMIT_COMPUTING] = even;
        offer->part[BMF_LIMIT_MEMORY] = offer->part[BMF_LIMIT_SINGLE] = 0.0;
        offer->part[BMF_LIMIT_IMBALANCE] = fmax((isnan(alone) ? even : alone) - even, 0.0);
        offer->part[BMF_LIMIT_LATENCY] = fmax(offer->best - even - offer->part[BMF_LIMIT_IMBALANCE], 0.0);
        offer->part[BMF_LIMIT_BANDWIDTH] = 0.0;
        status = split_messages(study, machine, predicted, offer);
    }
    intervals_free(intervals);
    run_free(ideal);
    return status;
}

double choose_alone_memory(const bmf_predicted *predicted, const bmf_machine *machine)
{
    const bmf_trace_run *run = predicted->run;
    const int64_t each = node_ranks(&machine->node);
    bmf_held_peak *peak = allocate_array(run->lanes, (int64_t)sizeof *peak);
    const bool known = held_peaks(run, peak) >= 0;
    double most = 0.0, node = 0.0;
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        node = lane % each == 0 ? 0.0 : node;
        node += (double)peak[lane].bytes;
        most = fmax(most, node);
    }
    free(peak);
    return known ? most : NAN;
}
