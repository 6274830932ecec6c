/* bmf predict --compare: the same program on several machines.
 *
 * Method: a program of the language is run once for every number of processors, and what it did is timed on all
 * machines whose kernels are those of the host, so that what differs are the machines and not two measurements.
 * Machines with costs of their own, programs in C, MPI programs and files of equations are predicted one by one. */
#include "drivers/predict/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "predict/choose/retime.h"
#include "predict/model/model.h"
#include "runtime/base/allocate.h"
#include "runtime/base/progress.h"
#include "runtime/base/text.h"

/* ---- options ---- */

int compare_read_machines(const char *text, void *field)
{
    bmf_word_list *words = field;
    if (!word_list_read(text, words))
        return usage_error("--compare '%.100s' is no list of 1 to %d machines, like here.machine,fast-cluster", text,
                           BMF_WORD_LIST_MAX);
    const char *twice = word_list_twice(words);
    return twice ? usage_error("--compare '%.100s': %.80s stands there twice", text, twice) : 0;
}

int compare_check(const bmf_predict_options *o)
{
    for (int64_t k = 0; o->machine_path && k < o->compared.count; k++)
        if (strcmp(o->machine_path, o->compared.word[k]) == 0)
            return usage_error("--compare: %.80s is --machine already", o->machine_path);
    if (o->compared.count + (o->machine_path ? 1 : 0) < 2)
        return usage_error("--compare is for two machines and more: name another one");
    if (o->trace || o->measured || o->swept)
        return usage_error("--trace, --measured and --sweep are for one machine, and not for --compare");
    return 0;
}

/* ---- what there is ---- */

const bmf_predicted *compared_run(const bmf_machine_comparison *c, int64_t machine, int64_t processors)
{
    const bmf_processor_list *list = &c->of[machine].options.processors;
    for (int64_t k = 0; k < list->count; k++)
        if (list->number[k] == processors)
            return &c->of[machine].run[k];
    return NULL;
}

bmf_machine_ratio compared_ratio(const bmf_machine_comparison *c, int64_t machine, int64_t processors)
{
    const bmf_predicted *first = compared_run(c, 0, processors), *run = compared_run(c, machine, processors);
    bmf_machine_ratio r = {NAN, NAN, NAN};
    if (!first || !run || !(run->seconds > 0.0))
        return r;
    r.ratio = first->seconds / run->seconds;
    if (machine == 0)
        r.low = r.high = r.ratio;
    else
        prediction_quotient_apart(&first->prediction, &run->prediction, &r.low, &r.high);
    return r;
}

/* ---- machines ---- */

/* Those of the numbers that the machine has. */
static bmf_processor_list fitting(const bmf_processor_list *all, const bmf_machine *machine)
{
    bmf_processor_list list = {.number = allocate_array(all->count, (int64_t)sizeof *list.number)};
    for (int64_t k = 0; k < all->count; k++)
        if (machine->processors == 0 || all->number[k] <= machine_ranks(machine))
            list.number[list.count++] = all->number[k];
    return list;
}

static int add_machine(bmf_machine_comparison *c, const char *name)
{
    bmf_compared *of = &c->of[c->count];
    const bmf_predict_options *o = c->options;
    of->options = *o;
    of->label = name;
    of->options.processors = (bmf_processor_list){0};
    BMF_TRY(machine_read_changed(name, o->change, o->changes, &of->options.machine));
    c->count++;
    of->options.processors = fitting(&o->processors, of->options.machine);
    of->run = allocate_clear(of->options.processors.count, (int64_t)sizeof *of->run);
    return BMF_OK;
}

/* Machines are called by their names where these tell them apart. */
static void find_labels(bmf_machine_comparison *c)
{
    for (int64_t a = 0; a < c->count; a++) {
        bool alone = true;
        for (int64_t b = 0; b < c->count; b++)
            alone = alone && (a == b || strcmp(c->of[a].options.machine->name, c->of[b].options.machine->name) != 0);
        if (alone)
            c->of[a].label = c->of[a].options.machine->name;
    }
}

static int add_machines(bmf_machine_comparison *c)
{
    const bmf_predict_options *o = c->options;
    int64_t numbers = 0;
    if (o->machine_path)
        BMF_TRY(add_machine(c, o->machine_path));
    for (int64_t k = 0; k < o->compared.count; k++)
        BMF_TRY(add_machine(c, o->compared.word[k]));
    for (int64_t m = 0; m < c->count; m++)
        numbers += c->of[m].options.processors.count;
    if (numbers == 0)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "none of the machines has so many processors: give fewer to --procs");
    find_labels(c);
    return BMF_OK;
}

/* ---- predicting ---- */

static bool is_program(const bmf_predict_options *o)
{
    return !o->command && !is_model(o->path);
}

/* What was recorded on the host, on one of the machines. */
static int time_on(const bmf_compared *of, const bmf_actions *recorded, const bmf_predicted *of_host,
                   bmf_predicted *predicted)
{
    const bmf_machine *machine = of->options.machine;
    bmf_network *network;
    const char *text;
    BMF_TRY(machine_network(machine, recorded->processors, &network));
    bmf_actions *retimed = retime_create(recorded, machine, true);
    *predicted = *of_host;
    predicted->remarks = 0;
    predicted->remark = NULL;
    bmf_prediction *time = &predicted->prediction;
    const int status = simulate_interval(retimed, network, of->options.samples, time);
    predicted->seconds = time->median;
    predicted->best = time->seconds;
    predicted->files = time->loading;
    predicted->low = time->low;
    predicted->high = time->high;
    for (int64_t k = 0; network->type->remark && (text = network->type->remark(network, k)) != NULL; k++)
        predicted_remark(predicted, text);
    retime_free(retimed);
    network->type->destroy(network);
    return status;
}

static int take_recording(bmf_context *ctx, const bmf_predicted *predicted, void *state)
{
    bmf_machine_comparison *c = state;
    const bmf_actions *recorded = model_actions(model_of_context(ctx));
    for (int64_t m = 0; m < c->count; m++) {
        bmf_compared *of = &c->of[m];
        const bmf_processor_list *list = &of->options.processors;
        for (int64_t k = 0; k < list->count && machine_shares_recording(of->options.machine); k++)
            if (list->number[k] == predicted->processors && time_on(of, recorded, predicted, &of->run[k]) != BMF_OK)
                return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s", bmf_error_text(NULL));
    }
    return BMF_OK;
}

/* All machines that share what the host has recorded. */
static int predict_shared(bmf_machine_comparison *c)
{
    static const char text[] = "name = \"host\"; network = { type = \"fixed\"; };";
    const bmf_processor_list *all = &c->options->processors;
    bmf_predict_options o = *c->options;
    bmf_progress progress = {0};
    int status = BMF_OK;
    BMF_TRY(machine_parse(text, "host", &o.machine));
    progress_begin(&progress, "predicting");
    for (int64_t k = 0; k < all->count && status == BMF_OK; k++) {
        bool wanted = false;
        for (int64_t m = 0; m < c->count; m++)
            wanted =
                wanted || (machine_shares_recording(c->of[m].options.machine) && compared_run(c, m, all->number[k]));
        bmf_predicted predicted = {0};
        if (wanted)
            status = predict_program_recorded(&o, all->number[k], take_recording, c, &predicted);
        predicted_free(&predicted);
        progress_tell(&progress, (double)(k + 1) / (double)all->count);
    }
    progress_end(&progress);
    machine_free(o.machine);
    return status;
}

static int predict_each(bmf_machine_comparison *c)
{
    const bool program = is_program(c->options);
    int status = program ? predict_shared(c) : BMF_OK;
    for (int64_t m = 0; m < c->count && status == BMF_OK; m++)
        if (!program || !machine_shares_recording(c->of[m].options.machine)) {
            c->of[m].options.shown = m > 0;
            status = predict_all(&c->of[m].options, c->of[m].run);
        }
    return status;
}

/* ---- all of it ---- */

json_t *compared_object(const bmf_machine_comparison *c)
{
    json_t *machines = json_array(), *ratios = json_array();
    const bmf_processor_list *all = &c->options->processors;
    for (int64_t m = 0; m < c->count; m++) {
        const bmf_compared *of = &c->of[m];
        json_t *object = of->options.processors.count > 0 ? predicted_object(&of->options, of->run)
                                                          : json_pack("{s:n, s:[]}", "fastest", "runs");
        json_object_del(object, "program");
        json_object_set_new(object, "machine", json_text(of->label));
        json_array_append_new(machines, object);
    }
    for (int64_t m = 1; m < c->count; m++)
        for (int64_t k = 0; k < all->count; k++) {
            const bmf_machine_ratio r = compared_ratio(c, m, all->number[k]);
            if (!isnan(r.ratio))
                json_array_append_new(ratios,
                                      json_pack("{s:o, s:I, s:f, s:o, s:o}", "machine", json_text(c->of[m].label),
                                                "processors", (json_int_t)all->number[k], "ratio", r.ratio, "lo",
                                                json_finite(r.low), "hi", json_finite(r.high)));
        }
    return json_pack("{s:o, s:o, s:o}", "program", json_text(predicted_program(c->options)), "machines", machines,
                     "ratios", ratios);
}

static void free_machines(bmf_machine_comparison *c)
{
    for (int64_t m = 0; m < c->count; m++) {
        bmf_compared *of = &c->of[m];
        for (int64_t k = 0; k < of->options.processors.count; k++)
            predicted_free(&of->run[k]);
        free(of->run);
        free(of->options.processors.number);
        machine_free(of->options.machine);
    }
}

int predict_compared(const bmf_predict_options *o)
{
    bmf_machine_comparison *c = allocate_clear(1, (int64_t)sizeof *c);
    c->options = o;
    int status = add_machines(c);
    if (status == BMF_OK)
        status = predict_each(c);
    if (status == BMF_OK && o->html)
        status = compared_write_page(c, o->html);
    if (status == BMF_OK && o->json)
        json_print(compared_object(c), BMF_JSON_LINE);
    else if (status == BMF_OK)
        compared_print(c);
    free_machines(c);
    free(c);
    return status;
}
