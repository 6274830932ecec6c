/* bmf choose --scale of a program of the language: sizes are rows of its argument, more than there are, too.
 *
 * Method: as `bmf predict --elements`: the rows are repeated, what is done at four small sizes is recorded, and what
 * is done at the size that is asked for follows. A recording serves all machines whose kernels are timed here; machines
 * with costs of their own get their own. Where counts depend on the data the time is the geometric mean of the least
 * and the most that small sizes show. Cost: four small recordings, or eight (drivers/predict/elements.c), for
 * each number of processors, size and machine of its own, as the algorithms that run depend on the size. */
#include <math.h>
#include <stdlib.h>

#include "drivers/choose/choose.h"
#include "predict/choose/retime.h"
#include "predict/simulate/simulate.h"
#include "runtime/base/progress.h"

/* One recording, for the machines from `first` to `last` that it serves. */
typedef struct row_recording {
    choose_study *study;
    int64_t first, last, index, size; /* index: of the number of processors */
    bool host;
    int64_t threads; /* of a rank */
} row_recording;

static choose_scale *point(const row_recording *r, int64_t machine)
{
    const choose_options *o = r->study->options;
    const bmf_offer *offer = choose_plain(r->study, machine, r->index);
    return &r->study->scale[(offer - r->study->offer) * o->sizes.count + r->size];
}

static bool is_wanted(const row_recording *r, int64_t machine)
{
    const bmf_offer *offer = choose_plain(r->study, machine, r->index);
    return machine_shares_recording(r->study->machine[machine]) == r->host && offer_exists(offer) &&
           offer->threads == r->threads;
}

static int time_actions(const row_recording *r, const bmf_actions *actions, const bmf_machine *machine,
                        bmf_network *network, double *seconds)
{
    bmf_prediction prediction;
    bmf_actions *retimed = retime_create(actions, machine, r->host);
    const int status = simulate_interval(retimed, network, 1, &prediction);
    retime_free(retimed);
    *seconds = prediction.seconds;
    return status;
}

static int time_machine(const row_recording *r, int64_t number, const bmf_actions *least, const bmf_actions *most,
                        const bmf_predicted *predicted)
{
    const bmf_machine *machine = choose_machine(r->study, choose_plain(r->study, number, r->index));
    choose_scale *at = point(r, number);
    bmf_network *network;
    double low, high;
    BMF_TRY(machine_network(machine, most->processors, &network));
    int status = time_actions(r, most, machine, network, &high);
    low = high;
    if (status == BMF_OK && least != most)
        status = time_actions(r, least, machine, network, &low);
    network->type->destroy(network);
    at->seconds = sqrt(low * high);
    at->memory = choose_node_bytes(most, predicted, machine);
    return status;
}

static int take(bmf_context *ctx, const bmf_actions *least, const bmf_actions *most, const bmf_predicted *predicted,
                void *state)
{
    const row_recording *r = state;
    (void)ctx;
    for (int64_t k = 0; k < predicted->remarks; k++)
        choose_add_remark(r->study, r->study->program, predicted->remark[k]);
    for (int64_t m = r->first; m <= r->last; m++)
        if (is_wanted(r, m))
            BMF_TRY(time_machine(r, m, least, most, predicted));
    return BMF_OK;
}

static int record(row_recording *r, bmf_machine *machine)
{
    bmf_predict_options o = r->study->options->predict;
    bmf_predicted predicted = {0};
    bool wanted = false;
    for (int64_t m = r->first; m <= r->last; m++)
        wanted = wanted || is_wanted(r, m);
    if (!wanted)
        return BMF_OK;
    o.machine = machine;
    o.elements = (int64_t)r->study->options->sizes.number[r->size];
    const int status = predict_elements_recorded(&o, o.processors.number[r->index] / r->threads, take, r, &predicted);
    predicted_free(&predicted);
    return status;
}

static int predict_size(choose_study *study, int64_t index, int64_t size)
{
    for (int64_t t = 0; t < study->teams; t++) {
        row_recording shared = {study, 0, study->machines - 1, index, size, true, study->team[t]};
        bmf_machine *host;
        BMF_TRY(predicted_host(study->team[t], &host));
        const int status = record(&shared, host);
        machine_free(host);
        BMF_TRY(status);
    }
    for (int64_t m = 0; m < study->machines; m++) {
        const bmf_offer *offer = choose_plain(study, m, index);
        row_recording own = {study, m, m, index, size, false, offer->threads};
        if (choose_machine(study, offer))
            BMF_TRY(record(&own, choose_machine(study, offer)));
    }
    return BMF_OK;
}

int choose_predict_rows(choose_study *study)
{
    const choose_options *o = study->options;
    const int64_t numbers = o->predict.processors.count, sizes = o->sizes.count;
    bmf_progress progress;
    double done = 0.0, all = 0.0; /* a prediction takes about as long as it has processors */
    for (int64_t k = 0; k < numbers; k++)
        all += (double)o->predict.processors.number[k];
    int status = BMF_OK;
    progress_begin(&progress, "predicting sizes");
    for (int64_t k = 0; k < numbers && status == BMF_OK; k++)
        for (int64_t s = 0; s < sizes && status == BMF_OK; s++) {
            status = predict_size(study, k, s);
            done += (double)o->predict.processors.number[k] / (double)sizes;
            progress_tell(&progress, done / all);
        }
    progress_end(&progress);
    return status;
}

double choose_largest_fitting(const choose_study *study, int64_t machine, int64_t processors)
{
    const double holds = study->machine[machine]->node.memory;
    double largest = 0.0;
    for (int64_t k = 0; k < study->scales; k++) {
        const choose_scale *s = &study->scale[k];
        if (s->machine != machine || s->processors != processors ||
            !choose_is_plain(study, &study->offer[k / study->options->sizes.count]))
            continue;
        if (isnan(s->memory) || !(holds > 0.0))
            return NAN;
        if (s->memory <= holds)
            largest = fmax(largest, s->size);
    }
    return largest;
}
