/* Predicting a program of the language: it runs on the model backend, in this process. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/mpi.h"
#include "drivers/predict/predict.h"
#include "predict/model/model.h"
#include "runtime/base/kept_memory.h"
#include "runtime/base/memory.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "runtime/context/sizes.h"

static void copy_remarks(const bmf_model *model, bmf_predicted *predicted)
{
    const bmf_network *network = model_network(model);
    const char *text;
    for (int64_t k = 0; (text = model_remark(model, k)) != NULL; k++)
        predicted_remark(predicted, text);
    for (int64_t k = 0; network->type->remark && (text = network->type->remark(network, k)) != NULL; k++)
        predicted_remark(predicted, text);
}

/* Everything that follows from the recorded actions. */
static int time_actions(bmf_context *ctx, const bmf_predict_options *options, bool traced, bmf_predicted *predicted)
{
    const bmf_model *model = model_of_context(ctx);
    bmf_network *network = model_network(model);
    bmf_prediction prediction;
    const int status = simulate_interval(model_actions(model), network, options->samples, &prediction);
    if (status != BMF_OK) /* the simulator knows no context */
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    predicted->prediction = prediction;
    predicted->seconds = prediction.median;
    predicted->best = prediction.seconds;
    predicted->files = prediction.loading;
    predicted->low = prediction.low;
    predicted->high = prediction.high;
    if (traced) {
        BMF_TRY(model_trace(ctx, &predicted->run));
        if (network->type->loads)
            predicted->loads = network->type->loads(network, &predicted->load);
        BMF_TRY(model_trace_ideal(ctx, &predicted->ideal));
    }
    copy_remarks(model, predicted);
    return BMF_OK;
}

/* Adds this run's times of kernels to those of the runs before; *last: no other run is needed. */
static void measure(bmf_context *ctx, const bmf_predict_options *options, bmf_measurements *all, double since,
                    bmf_predicted *predicted, bool *last)
{
    predicted->measured_error = NAN;
    *last = true;
    if (!model_is_measured(model_of_context(ctx)))
        return;
    model_measure(ctx, all);
    predicted->runs++;
    predicted->measured_error = measurements_error(all);
    *last = !needs_another_run(options, predicted->runs, MPI_Wtime() - since, predicted->measured_error);
    if (*last)
        model_take_measurements(ctx, all);
}

/* All runs of one prediction. */
typedef struct repetition {
    const bmf_predict_options *options;
    bool traced;
    bmf_take_recording *take; /* of the last one, or NULL: its times are wanted */
    void *state;
    bmf_measurements all;
    double since;
} repetition;

/* One run; what follows from all of them if it is the last. */
static int run_program(bmf_context *ctx, repetition *r, bmf_predicted *predicted, bool *last)
{
    const bmf_predict_options *options = r->options;
    bmf_driver_options o = options->program;
    bmf_program program = {0};
    bmf_value result = {0};
    bmf_statistics before, after;
    o.processors = predicted->processors;
    buffer_restart_most();
    int status = load_program(ctx, &o, options->path, &program);
    if (status == BMF_OK)
        status = model_open(ctx, options->machine, predicted->processors, options->ranks);
    ctx->sizes = options->sizes;
    if (ctx->sizes)
        ctx->sizes->count = 0;
    if (status == BMF_OK) {
        model_without_clocks(ctx);
        if (!options->every)
            model_use_classes(ctx);
        if (options->give_up_actions > 0)
            model_give_up_after(ctx, options->give_up_seconds, options->give_up_actions);
        if (options->times)
            model_share_times(ctx, options->times);
        if (options->loops && loop_rounds_begin(options->loops, program.checked))
            program.loops = options->loops;
        if (r->take)
            model_keep_bytes(ctx);
        if (options->first_calls)
            model_has_first_calls(ctx);
        program_rewrite(&program, &(bmf_rewriting){.laws = ~0u, .reassociate = options->reassociate});
        before = bmf_local_statistics(ctx);
        status = program_run(ctx, &program, &result);
    }
    if (status == BMF_OK) {
        after = bmf_local_statistics(ctx);
        predicted->messages = after.messages - before.messages;
        predicted->bytes = after.bytes - before.bytes;
        predicted->rank_messages = after.rank_messages - before.rank_messages;
        predicted->rank_bytes = after.rank_bytes - before.rank_bytes;
        predicted->held = buffer_most_bytes();
        predicted->alike = model_alike(ctx);
        predicted->unlike = model_unlike(ctx);
        value_free(&result);
        measure(ctx, options, &r->all, r->since, predicted, last);
    }
    if (status != BMF_OK && model_gave_up(ctx, &predicted->seconds)) {
        predicted->given_up = *last = true;
        predicted->low = predicted->best = predicted->seconds;
        predicted->high = INFINITY;
        predicted->messages = bmf_local_statistics(ctx).messages;
        status = BMF_OK;
    } else if (status == BMF_OK && *last)
        status = r->take ? r->take(ctx, predicted, r->state) : time_actions(ctx, options, r->traced, predicted);
    program_free(&program);
    return status;
}

/* Of many processors every run has large arrays, by processor and by message. */
static void keep_memory(int64_t processors)
{
    enum { MANY_PROCESSORS = 16384, BYTES_OF_PROCESSOR = 1024 };
    if (processors >= MANY_PROCESSORS)
        keep_working_memory(processors * BYTES_OF_PROCESSOR);
}

static int run_once(repetition *r, bmf_predicted *predicted, bool *last)
{
    bmf_options o = bmf_options_init();
    bmf_context *ctx;
    o.processors = predicted->processors;
    o.program = r->options->path;
    o.schedule = r->options->schedule;
    keep_memory(predicted->processors);
    BMF_TRY(bmf_open_with(MPI_COMM_WORLD, &o, &ctx));
    int status = run_program(ctx, r, predicted, last);
    if (status != BMF_OK)
        bmf_fail(NULL, status, "%s", bmf_error_text(ctx));
    bmf_close(ctx);
    return status;
}

/* All programs in turns, until each has been run often enough; what fails is not run again. */
static void run_all(repetition *r, int programs, int64_t processors, bmf_predicted *predicted, int *status)
{
    bool *last = allocate_clear(programs, (int64_t)sizeof *last);
    int left = programs;
    for (int k = 0; k < programs; k++) {
        r[k].since = MPI_Wtime();
        predicted[k] = (bmf_predicted){.processors = processors};
        status[k] = BMF_OK;
    }
    while (left > 0)
        for (int k = 0; k < programs; k++) {
            if (last[k])
                continue;
            status[k] = run_once(&r[k], &predicted[k], &last[k]);
            last[k] = last[k] || status[k] != BMF_OK;
            left -= last[k];
        }
    for (int k = 0; k < programs; k++)
        measurements_free(&r[k].all);
    free(last);
}

static int run_one(repetition r, int64_t processors, bmf_predicted *predicted)
{
    int status;
    run_all(&r, 1, processors, predicted, &status);
    return status;
}

int predicted_host(int64_t threads, bmf_machine **host)
{
    char text[160];
    snprintf(text, sizeof text,
             "name = \"host\"; network = { type = \"fixed\"; }; threads = %lld; node = { processors = %lld; };",
             (long long)threads, (long long)threads);
    return machine_parse(text, "host", host);
}

int predict_program(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted)
{
    return run_one((repetition){.options = options, .traced = traced}, processors, predicted);
}

int predict_program_recorded(const bmf_predict_options *options, int64_t processors, bmf_take_recording *take,
                             void *state, bmf_predicted *predicted)
{
    return run_one((repetition){.options = options, .take = take, .state = state}, processors, predicted);
}

void predict_programs_in_turns(const bmf_predict_options *options, int programs, int64_t processors,
                               bmf_predicted *predicted, int *status)
{
    repetition *r = allocate_clear(programs, (int64_t)sizeof *r);
    for (int k = 0; k < programs; k++)
        r[k].options = &options[k];
    run_all(r, programs, processors, predicted, status);
    free(r);
}
