/* Predicting the offers of `bmf choose`.
 *
 * A program of the language is run once for every number of processors, on the host, and its actions are timed on all
 * machines whose kernels are those of the host; machines with costs of their own (sheets, virtual times) get runs of
 * their own. Programs in C, MPI programs and files of equations are predicted for each (command.c). */
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

int choose_host(bmf_machine **host)
{
    return machine_parse("name = \"host\"; network = { type = \"fixed\"; };", "host", host);
}

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

/* Whether the machine has so many processors. */
static bool has_processors(const bmf_machine *machine, int64_t processors)
{
    const bmf_node *node = &machine->node;
    return (machine->processors == 0 || processors <= machine->processors) &&
           (node->count == 0 || node_nodes(node, processors) <= node->count);
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
    int64_t first, last, index; /* index: of the number of processors */
    bool host;                  /* recorded times are those of the host */
    const bmf_actions *least;   /* that may be done; the actions themselves where that is known */
    int64_t others;             /* instead of the study's machines: these, into these offers */
    bmf_machine *const *other;
    bmf_offer *offer;
} recording;

double choose_node_bytes(const bmf_actions *actions, const bmf_predicted *predicted, const bmf_machine *machine)
{
    const double processors = (double)actions->processors;
    const double on_node = fmin(machine->node.processors > 0 ? (double)machine->node.processors : 1.0, processors);
    double most = 0.0;
    for (int64_t k = 0; actions->bytes && k < actions->stored_count; k++)
        most = fmax(most, (double)actions->bytes[k].footprint);
    const double share = (double)predicted->held / processors;
    return fmax(share * on_node, most + share * (on_node - 1.0));
}

static int time_actions(const recording *r, const bmf_actions *actions, const bmf_machine *machine,
                        bmf_network *network, bmf_offer *offer)
{
    bmf_actions *retimed = retime_create(actions, machine, r->host);
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
static int add_regions(const recording *r, const bmf_actions *actions, const bmf_machine *machine, int64_t number)
{
    static const int64_t most_actions = 4000000;
    bmf_network *network;
    bmf_trace_run *run;
    if (actions->count > most_actions || r->study->options->predict.processors.count < 2)
        return BMF_OK;
    BMF_TRY(machine_network(machine, actions->processors, &network));
    bmf_actions *retimed = retime_create(actions, machine, r->host);
    int status = trace_without_intervals(retimed, network, &run);
    if (status == BMF_OK)
        status = regions_add(&r->study->region[number], r->index, run);
    run_free(run);
    retime_free(retimed);
    network->type->destroy(network);
    return status;
}

static bool is_served(const recording *r, int64_t machine)
{
    const bmf_machine *m = r->study->machine[machine];
    return r->host ? machine_shares_recording(m) : machine == r->first;
}

static int take_actions(recording *r, const bmf_actions *actions, const bmf_predicted *predicted)
{
    choose_study *study = r->study;
    const int64_t numbers = study->options->predict.processors.count;
    for (int64_t k = 0; k < r->others; k++)
        BMF_TRY(time_offer(r, actions, predicted, r->other[k], &r->offer[k]));
    for (int64_t m = r->first; r->others == 0 && m <= r->last; m++) {
        bmf_offer *offer = &study->offer[m * numbers + r->index];
        if (is_served(r, m) && offer->refusal == BMF_OFFERED)
            BMF_TRY(time_offer(r, actions, predicted, study->machine[m], offer));
        if (is_served(r, m) && offer->refusal != BMF_REFUSED_PROCESSORS)
            BMF_TRY(add_regions(r, actions, study->machine[m], m));
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

static int record(recording *r, bmf_machine *machine, int64_t processors)
{
    bmf_predict_options o = r->study->options->predict;
    bmf_predicted predicted = {0};
    o.machine = machine;
    const int status = o.elements > 0 ? predict_elements_recorded(&o, processors, take_extended, r, &predicted)
                                      : predict_program_recorded(&o, processors, take_recording, r, &predicted);
    predicted_free(&predicted);
    return status;
}

/* Whether any machine that the host's recording serves wants so many processors. */
static bool is_wanted(const choose_study *study, int64_t index)
{
    for (int64_t m = 0; m < study->machines; m++)
        if (machine_shares_recording(study->machine[m]) &&
            study->offer[m * study->options->predict.processors.count + index].refusal == BMF_OFFERED)
            return true;
    return false;
}

static int predict_number(choose_study *study, bmf_machine *host, int64_t index)
{
    const bmf_processor_list *list = &study->options->predict.processors;
    recording shared = {.study = study, .last = study->machines - 1, .index = index, .host = true};
    if (is_wanted(study, index))
        BMF_TRY(record(&shared, host, list->number[index]));
    for (int64_t m = 0; m < study->machines; m++) {
        recording own = {.study = study, .first = m, .last = m, .index = index};
        if (!machine_shares_recording(study->machine[m]) &&
            study->offer[m * list->count + index].refusal == BMF_OFFERED)
            BMF_TRY(record(&own, study->machine[m], list->number[index]));
    }
    return BMF_OK;
}

/* ---- programs that are predicted one by one ---- */

static int predict_offer_alone(choose_study *study, bmf_machine *machine, bmf_offer *offer, bool parts)
{
    bmf_predict_options o = study->options->predict;
    bmf_predicted predicted = {0};
    o.machine = machine;
    int status = choose_predict_alone(&o, offer->processors, parts, &predicted);
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
            if (status == BMF_OK)
                status = regions_add(&study->region[offer->machine],
                                     (offer - study->offer) % study->options->predict.processors.count, predicted.run);
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

static void make_offers(choose_study *study)
{
    const bmf_processor_list *list = &study->options->predict.processors;
    qsort(list->number, (size_t)list->count, sizeof *list->number, ascending);
    study->offers = study->machines * list->count;
    study->offer = allocate_clear(study->offers, (int64_t)sizeof *study->offer);
    for (int64_t k = 0; k < study->offers; k++) {
        bmf_offer *offer = &study->offer[k];
        *offer =
            (bmf_offer){.machine = k / list->count, .processors = list->number[k % list->count], .in_domain = true};
        offer->seconds = offer->low = offer->high = offer->best = offer->memory = NAN;
        for (int part = 0; part < BMF_LIMITS; part++)
            offer->part[part] = NAN;
        if (!has_processors(study->machine[offer->machine], offer->processors))
            offer->refusal = BMF_REFUSED_PROCESSORS;
    }
    for (int64_t m = 0; m < study->machines; m++)
        regions_create(&study->region[m], list->count, list->number);
}

int choose_predict(choose_study *study)
{
    const bmf_processor_list *list = &study->options->predict.processors;
    bmf_machine *host;
    make_offers(study);
    BMF_TRY(choose_host(&host));
    int status = BMF_OK;
    const bool alone = choose_is_alone(study->options);
    bmf_progress progress = {0};
    double done = 0, all = 0; /* a prediction takes about as long as it has processors */
    for (int64_t k = 0; k < list->count; k++)
        all += (double)list->number[k];
    if (list->count > 1)
        progress_begin(&progress, "predicting");
    for (int64_t k = 0; k < list->count && status == BMF_OK; k++) {
        if (!alone)
            status = predict_number(study, host, k);
        for (int64_t m = 0; alone && m < study->machines && status == BMF_OK; m++)
            if (study->offer[m * list->count + k].refusal == BMF_OFFERED)
                status = predict_offer_alone(study, study->machine[m], &study->offer[m * list->count + k], true);
        done += (double)list->number[k];
        progress_tell(&progress, done / all);
    }
    if (list->count > 1)
        progress_end(&progress);
    machine_free(host);
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
    recording r = {.study = study, .first = chosen->machine, .others = machines, .other = machine, .offer = offer};
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
        BMF_TRY(choose_host(&host));
        status = record(&r, host, chosen->processors);
        machine_free(host);
        return status;
    }
    r.others = 1;
    for (int64_t k = 0; k < machines && status == BMF_OK; k++) {
        r.other = &machine[k];
        r.offer = &offer[k];
        status = record(&r, machine[k], chosen->processors);
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
    machine[0] = study->machine[chosen->machine];
    int status =
        make_machines(study, study->options->machines.word[chosen->machine], machine[0], machine, number, &machines);
    if (status == BMF_OK)
        status = time_machines(study, chosen, machine, machines, offer);
    for (int64_t k = 1; k < machines && status == BMF_OK; k++) {
        choose_change *change = &study->change[number[k]];
        change->seconds = offer[k].seconds;
        change->ratio = offer[0].seconds / offer[k].seconds;
        change->cost =
            node_cost(&machine[k]->node, node_nodes(&machine[k]->node, chosen->processors), offer[k].seconds);
    }
    for (int64_t k = 1; k < machines; k++)
        machine_free(machine[k]);
    return status;
}
