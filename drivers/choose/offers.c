/* Predicting the offers of `bmf choose`.
 *
 * A program of the language is run for every number of ranks, on the host, and its actions are timed on all machines
 * whose kernels are those of the host: once for ranks of one thread, and once for those of more, with what each number
 * of threads would share; machines with costs of their own (sheets, virtual times) get runs of their own. Programs in
 * C, MPI programs and files of equations are predicted for each (command.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/choose/choose.h"
#include "predict/choose/retime.h"
#include "predict/choose/what_if.h"
#include "predict/model/model.h"
#include "runtime/base/allocate.h"
#include "runtime/base/progress.h"
#include "runtime/base/text.h"

/* ---- what is the same for all kinds of programs ---- */

void choose_add_remark(choose_study *study, const char *of, const char *text)
{
    char whole[960];
    snprintf(whole, sizeof whole, "%.100s: %.800s", of, text);
    for (int64_t k = 0; k < study->remarks; k++)
        if (strcmp(study->remark[k], whole) == 0)
            return;
    study->remark = reallocate_array(study->remark, study->remarks, study->remarks + 1, (int64_t)sizeof *study->remark);
    study->remark[study->remarks++] = text_copy(whole);
}

/* Whether the machine has the processors of that offer. */
static bool has_processors(const bmf_machine *machine, const bmf_offer *offer)
{
    const bmf_node *node = &machine->node;
    return (machine->processors == 0 || offer->processors <= machine->processors) &&
           (node->count == 0 || offer_nodes(offer, node) <= node->count);
}

/* All runs, one after the other. */
static void finish_offer(const choose_study *study, bmf_offer *offer)
{
    const bmf_node *node = &study->machine[offer->machine]->node;
    const double runs = (double)study->options->runs;
    offer->seconds *= runs;
    offer->low *= runs;
    offer->high *= runs;
    offer->best *= runs;
    for (int k = 0; k < BMF_LIMITS; k++)
        offer->part[k] *= runs;
    if (!isnan(offer->memory) && node->memory > 0.0 && offer->memory > node->memory)
        offer->refusal = BMF_REFUSED_MEMORY;
}

/* ---- programs of the language ---- */

/* One recording, for all machines from `first` to `last` that it serves. */
typedef struct recording {
    choose_study *study;
    int64_t first, last, ranks;
    int64_t least_threads, most_threads; /* of a rank */
    bool host;                           /* recorded times are those of the host */
    const bmf_actions *least;            /* that may be done; the actions themselves where that is known */
    int64_t others;                      /* instead of the study's machines: these, into these offers */
    bmf_machine *const *other;
    bmf_offer *offer;
} recording;

double choose_node_bytes(const bmf_actions *actions, const bmf_predicted *predicted, const bmf_machine *machine)
{
    const double processors = (double)actions->processors;
    const double on_node = fmin((double)node_ranks(&machine->node), processors);
    double most = 0.0;
    for (int64_t k = 0; actions->bytes && k < actions->stored_count; k++)
        most = fmax(most, (double)actions->bytes[k].footprint);
    const double share = (double)predicted->held / processors;
    return fmax(share * on_node, most + share * (on_node - 1.0));
}

static bmf_actions *retimed_actions(const recording *r, const bmf_actions *actions, const bmf_machine *machine,
                                    const bmf_network *network)
{
    bmf_actions *retimed = retime_create(actions, machine, r->host);
    if (r->host)
        choose_set_first_calls(r->study, machine, network, retimed);
    return retimed;
}

static int time_actions(const recording *r, const bmf_actions *actions, const bmf_machine *machine,
                        bmf_network *network, bmf_offer *offer)
{
    bmf_actions *retimed = retimed_actions(r, actions, machine, network);
    const int status = retime_offer(retimed, machine, network, r->study->options->predict.samples, offer);
    retime_free(retimed);
    return status;
}

/* Between the times of the least and the most that may be done; where the time goes is said of the most. */
static void join_offers(const bmf_offer *least, bmf_offer *offer)
{
    const double best = sqrt(least->best * offer->best);
    for (int k = 0; k < BMF_LIMITS && offer->best > 0.0; k++)
        offer->part[k] *= best / offer->best;
    offer->best = best;
    offer->seconds = sqrt(least->seconds * offer->seconds);
    offer->low = fmin(least->low, offer->low);
    offer->high = fmax(least->high, offer->high);
}

static int time_offer(const recording *r, const bmf_actions *actions, const bmf_predicted *predicted,
                      const bmf_machine *machine, bmf_offer *offer)
{
    bmf_network *network;
    bmf_offer least = *offer;
    BMF_TRY(machine_network(machine, actions->processors, &network));
    int status = time_actions(r, actions, machine, network, offer);
    if (status == BMF_OK && r->least != actions) {
        status = time_actions(r, r->least, machine, network, &least);
        join_offers(&least, offer);
    }
    const char *text;
    for (int64_t k = 0; network->type->remark && (text = network->type->remark(network, k)) != NULL; k++) {
        choose_add_remark(r->study, machine->name, text);
        offer->in_domain = false;
    }
    offer->memory = choose_node_bytes(actions, predicted, machine);
    network->type->destroy(network);
    finish_offer(r->study, offer);
    return status;
}

/* What its parts take, for the offers themselves. Of very long runs they are not looked at. */
static int add_regions(const recording *r, const bmf_actions *actions, const bmf_machine *machine, int64_t number,
                       int64_t index)
{
    static const int64_t most_actions = 4000000;
    bmf_network *network;
    bmf_trace_run *run;
    if (actions->count > most_actions || r->study->options->predict.processors.count < 2)
        return BMF_OK;
    BMF_TRY(machine_network(machine, actions->processors, &network));
    bmf_actions *retimed = retimed_actions(r, actions, machine, network);
    int status = trace_without_intervals(retimed, network, &run);
    if (status == BMF_OK)
        status = regions_add(&r->study->region[number], index, run);
    run_free(run);
    retime_free(retimed);
    network->type->destroy(network);
    return status;
}

static bool is_served(const recording *r, const bmf_offer *offer)
{
    return offer->machine >= r->first && offer->machine <= r->last && offer->refusal == BMF_OFFERED &&
           offer->ranks == r->ranks && offer->threads >= r->least_threads && offer->threads <= r->most_threads &&
           machine_shares_recording(r->study->machine[offer->machine]) == r->host;
}

static int take_actions(recording *r, const bmf_actions *actions, const bmf_predicted *predicted)
{
    choose_study *study = r->study;
    for (int64_t k = 0; k < r->others; k++)
        BMF_TRY(time_offer(r, actions, predicted, r->other[k], &r->offer[k]));
    for (int64_t k = 0; r->others == 0 && k < study->offers; k++) {
        bmf_offer *offer = &study->offer[k];
        if (!is_served(r, offer))
            continue;
        const bmf_machine *machine = choose_machine(study, offer);
        BMF_TRY(time_offer(r, actions, predicted, machine, offer));
        if (choose_is_plain(study, offer))
            BMF_TRY(add_regions(r, actions, machine, offer->machine,
                                k / study->teams % study->options->predict.processors.count));
    }
    return BMF_OK;
}

static int take_recording(bmf_context *ctx, const bmf_predicted *predicted, void *state)
{
    recording *r = state;
    const bmf_model *model = model_of_context(ctx);
    const char *text;
    for (int64_t k = 0; !r->host && (text = model_remark(model, k)) != NULL; k++)
        choose_add_remark(r->study, r->study->machine[r->first]->name, text);
    r->least = model_actions(model);
    return take_actions(r, r->least, predicted);
}

static int take_extended(bmf_context *ctx, const bmf_actions *least, const bmf_actions *most,
                         const bmf_predicted *predicted, void *state)
{
    recording *r = state;
    (void)ctx;
    for (int64_t k = 0; k < predicted->remarks; k++)
        choose_add_remark(r->study, r->study->program, predicted->remark[k]);
    r->least = least;
    return take_actions(r, most, predicted);
}

static int record(recording *r, bmf_machine *machine)
{
    bmf_predict_options o = r->study->options->predict;
    bmf_predicted predicted = {0};
    o.machine = machine;
    o.first_calls = r->host && r->study->first_calls;
    const int status = o.elements > 0 ? predict_elements_recorded(&o, r->ranks, take_extended, r, &predicted)
                                      : predict_program_recorded(&o, r->ranks, take_recording, r, &predicted);
    predicted_free(&predicted);
    return status;
}

static bool is_wanted(const recording *r)
{
    for (int64_t k = 0; k < r->study->offers; k++)
        if (is_served(r, &r->study->offer[k]))
            return true;
    return false;
}

/* On the host, for all machines that it serves. */
static int record_host(choose_study *study, int64_t ranks, int64_t least_threads, int64_t most_threads)
{
    recording r = {.study = study,
                   .last = study->machines - 1,
                   .ranks = ranks,
                   .least_threads = least_threads,
                   .most_threads = most_threads,
                   .host = true};
    bmf_machine *host;
    if (!is_wanted(&r))
        return BMF_OK;
    BMF_TRY(predicted_host(most_threads, &host));
    const int status = record(&r, host);
    machine_free(host);
    return status;
}

static int predict_ranks(choose_study *study, int64_t ranks)
{
    const int64_t most = study->team[study->teams - 1];
    BMF_TRY(record_host(study, ranks, 1, 1));
    if (most > 1)
        BMF_TRY(record_host(study, ranks, 2, most));
    for (int64_t m = 0; m < study->machines; m++)
        for (int64_t t = 0; t < study->teams && !machine_shares_recording(study->machine[m]); t++) {
            recording own = {.study = study,
                             .first = m,
                             .last = m,
                             .ranks = ranks,
                             .least_threads = study->team[t],
                             .most_threads = study->team[t]};
            if (is_wanted(&own))
                BMF_TRY(record(&own, study->threaded[m * study->teams + t]));
        }
    return BMF_OK;
}

/* ---- programs that are predicted one by one ---- */

static int predict_offer_alone(choose_study *study, bmf_machine *machine, bmf_offer *offer, bool parts)
{
    bmf_predict_options o = study->options->predict;
    bmf_predicted predicted = {0};
    o.machine = machine;
    int status = choose_predict_alone(&o, offer->ranks, parts, &predicted);
    if (status == BMF_OK) {
        offer->seconds = predicted.seconds;
        offer->low = predicted.low;
        offer->high = predicted.high;
        offer->best = predicted.best;
        offer->in_domain = predicted.remarks == 0;
        for (int64_t k = 0; k < predicted.remarks; k++)
            choose_add_remark(study, machine->name, predicted.remark[k]);
        if (parts) {
            offer->memory = choose_alone_memory(&predicted, machine);
            status = choose_alone_parts(study, machine, &predicted, offer);
            if (status == BMF_OK && choose_is_plain(study, offer))
                status = regions_add(&study->region[offer->machine],
                                     (offer - study->offer) / study->teams % study->options->predict.processors.count,
                                     predicted.run);
        }
    }
    predicted_free(&predicted);
    finish_offer(study, offer);
    return status;
}

/* ---- all of it ---- */

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void make_offer(const choose_study *study, bmf_offer *offer)
{
    offer->ranks = offer->processors / offer->threads;
    offer->in_domain = true;
    offer->seconds = offer->low = offer->high = offer->best = offer->memory = NAN;
    for (int part = 0; part < BMF_LIMITS; part++)
        offer->part[part] = NAN;
    if (!choose_machine(study, offer) || offer->processors % offer->threads != 0)
        offer->refusal = BMF_REFUSED_THREADS;
    else if (!has_processors(study->machine[offer->machine], offer))
        offer->refusal = BMF_REFUSED_PROCESSORS;
}

static void make_offers(choose_study *study)
{
    const bmf_processor_list *list = &study->options->predict.processors;
    qsort(list->number, (size_t)list->count, sizeof *list->number, ascending);
    study->offers = study->machines * list->count * study->teams;
    study->offer = allocate_clear(study->offers, (int64_t)sizeof *study->offer);
    for (int64_t k = 0; k < study->offers; k++) {
        bmf_offer *offer = &study->offer[k];
        offer->machine = k / study->teams / list->count;
        offer->processors = list->number[k / study->teams % list->count];
        offer->threads = study->team[k % study->teams];
        make_offer(study, offer);
    }
    for (int64_t m = 0; m < study->machines; m++)
        regions_create(&study->region[m], list->count, list->number);
}

/* All offers with so many ranks. */
static int predict_offers(choose_study *study, int64_t ranks)
{
    if (!choose_is_alone(study->options))
        return predict_ranks(study, ranks);
    for (int64_t k = 0; k < study->offers; k++) {
        bmf_offer *offer = &study->offer[k];
        if (offer->ranks == ranks && offer->refusal == BMF_OFFERED)
            BMF_TRY(predict_offer_alone(study, choose_machine(study, offer), offer, true));
    }
    return BMF_OK;
}

/* The numbers of ranks of all offers, in order; the caller frees. */
static int64_t *list_ranks(const choose_study *study, int64_t *count)
{
    int64_t *list = allocate_array(study->offers, (int64_t)sizeof *list), kept = 0;
    *count = 0;
    for (int64_t k = 0; k < study->offers; k++)
        if (study->offer[k].refusal == BMF_OFFERED)
            list[(*count)++] = study->offer[k].ranks;
    qsort(list, (size_t)*count, sizeof *list, ascending);
    for (int64_t k = 0; k < *count; k++)
        if (kept == 0 || list[kept - 1] != list[k])
            list[kept++] = list[k];
    *count = kept;
    return list;
}

int choose_predict(choose_study *study)
{
    int status = BMF_OK;
    bmf_progress progress = {0};
    double done = 0, all = 0; /* a prediction takes about as long as it has ranks */
    int64_t numbers;
    make_offers(study);
    choose_measure_first_calls(study);
    int64_t *ranks = list_ranks(study, &numbers);
    for (int64_t k = 0; k < numbers; k++)
        all += (double)ranks[k];
    if (numbers > 1)
        progress_begin(&progress, "predicting");
    for (int64_t k = 0; k < numbers && status == BMF_OK; k++) {
        status = predict_offers(study, ranks[k]);
        done += (double)ranks[k];
        progress_tell(&progress, done / all);
    }
    if (numbers > 1)
        progress_end(&progress);
    free(ranks);
    for (int64_t m = 0; m < study->machines; m++)
        regions_fit(&study->region[m]);
    if (status == BMF_OK)
        choose_complete(study->offer, study->offers, study->machine);
    return status;
}

/* ---- better machines ---- */

/* The chosen offer on all of them: of one recording, so that what differs are the machines. */
static int time_machines(choose_study *study, const bmf_offer *chosen, bmf_machine *const *machine, int64_t machines,
                         bmf_offer *offer)
{
    recording r = {.study = study,
                   .first = chosen->machine,
                   .ranks = chosen->ranks,
                   .others = machines,
                   .other = machine,
                   .offer = offer};
    bmf_machine *host;
    int status = BMF_OK;
    for (int64_t k = 0; k < machines; k++)
        offer[k] = *chosen;
    if (choose_is_alone(study->options)) {
        for (int64_t k = 0; k < machines && status == BMF_OK; k++)
            status = predict_offer_alone(study, machine[k], &offer[k], false);
        return status;
    }
    if (machine_shares_recording(machine[0])) {
        r.host = true;
        BMF_TRY(predicted_host(chosen->threads, &host));
        status = record(&r, host);
        machine_free(host);
        return status;
    }
    r.others = 1;
    for (int64_t k = 0; k < machines && status == BMF_OK; k++) {
        r.other = &machine[k];
        r.offer = &offer[k];
        status = record(&r, machine[k]);
    }
    return status;
}

/* The machines that the changes make of the chosen one; number[k]: of the change that made machine k. */
static int make_machines(choose_study *study, const char *name, bmf_machine *chosen, bmf_machine **machine,
                         int64_t *number, int64_t *machines)
{
    const choose_options *o = study->options;
    for (int64_t k = 0; k < o->changes.count; k++) {
        choose_change *change = &study->change[study->changes++];
        *change = (choose_change){.text = o->changes.word[k], .seconds = NAN, .ratio = NAN, .cost = NAN};
        const int status = what_if_machine(name, chosen, change->text, &machine[*machines]);
        if (status != BMF_OK && !o->usual_changes)
            return status;
        if (status != BMF_OK)
            change->why = text_copy(bmf_error_text(NULL));
        else
            number[(*machines)++] = k;
    }
    return BMF_OK;
}

int choose_predict_changes(choose_study *study)
{
    bmf_machine *machine[CHOOSE_MACHINES + 1];
    bmf_offer offer[CHOOSE_MACHINES + 1];
    int64_t number[CHOOSE_MACHINES + 1], machines = 1;
    if (study->chosen < 0 || study->options->changes.count == 0)
        return BMF_OK;
    const bmf_offer *chosen = &study->offer[study->chosen];
    machine[0] = choose_machine(study, chosen);
    int status =
        make_machines(study, study->options->machines.word[chosen->machine], machine[0], machine, number, &machines);
    if (status == BMF_OK)
        status = time_machines(study, chosen, machine, machines, offer);
    for (int64_t k = 1; k < machines && status == BMF_OK; k++) {
        choose_change *change = &study->change[number[k]];
        change->seconds = offer[k].seconds;
        change->ratio = offer[0].seconds / offer[k].seconds;
        change->cost = node_cost(&machine[k]->node, offer_nodes(chosen, &machine[k]->node), offer[k].seconds);
    }
    for (int64_t k = 1; k < machines; k++)
        machine_free(machine[k]);
    return status;
}
