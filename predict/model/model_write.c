/* What a prediction leaves behind: the predicted run as a trace, and its result as a small JSON object.
 *
 * The object: {"seconds", "low", "high", "processors", "ranks", "messages", "bytes", "rank_messages", "rank_bytes",
 * "in_domain", "remarks", "best", "measured_error"}; low and high are the 95 % interval, seconds its median, best the
 * time without noise, measured_error the relative standard error of what was measured here (null: nothing was, or too
 * few runs). It appears whole or not at all.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/model/model_private.h"
#include "runtime/base/output_file.h"
#include "runtime/convert/view.h"
#include "runtime/trace/expected_length.h"

/* ---- the trace ---- */

/* An empty run with the same names and nodes, which get the same numbers. */
static bmf_trace_run *like(const bmf_trace_run *names)
{
    bmf_trace_run *run = run_create(names->program, names->machine, names->lanes, names->ranks, names->threads);
    run->predicted = 1;
    for (uint32_t k = 1; k < names->names; k++)
        run_name(run, names->name[k]);
    for (uint32_t k = 1; k < names->nodes; k++)
        run_node_like(run, names->node[k].parent, names->name[names->node[k].name], &names->node[k]);
    return run;
}

int trace_finish(bmf_trace_run *run, double seconds, const bmf_prediction *whole)
{
    const bool uncertain = whole && whole->high > whole->low;
    int64_t end = (int64_t)(seconds * 1e9 + 0.5);
    for (int64_t i = 0; i < run->events; i++)
        end = run->event[i].end > end ? run->event[i].end : end;
    for (int32_t p = 0; p < run->lanes; p++)
        run_add(run, &(bmf_event){.end = end,
                                  .low = uncertain ? (int64_t)((whole->low + whole->loading) * 1e9) : end,
                                  .high = uncertain ? (int64_t)((whole->high + whole->loading) * 1e9) + 1 : end,
                                  .lane = p,
                                  .peer = -1,
                                  .kind = BMF_EVENT_REGION});
    if (whole)
        expected_length_write(
            &(bmf_expected_length){
                .median = whole->median, .low = whole->low, .high = whole->high, .files = whole->loading},
            run);
    return run_sort(run);
}

/* status: of the simulation that filled the run. */
static int complete(int status, bmf_trace_run *run, const bmf_simulation *result, const bmf_prediction *whole,
                    bmf_trace_run **made)
{
    if (status == BMF_OK)
        status = simulation_fits_trace(result);
    if (status == BMF_OK)
        status = trace_finish(run, result->seconds, whole);
    *made = status == BMF_OK ? run : NULL;
    if (status != BMF_OK)
        run_free(run);
    return status;
}

int trace_actions(const bmf_actions *actions, const bmf_trace_run *names, bmf_network *network, bmf_trace_run **made)
{
    bmf_trace_run *run = like(names);
    bmf_simulation result;
    bmf_prediction whole;
    const int status = simulate_events(actions, network, run, &result, &whole);
    return complete(status, run, &result, &whole, made);
}

int trace_without_intervals(const bmf_actions *actions, bmf_network *network, bmf_trace_run **made)
{
    bmf_trace_run *run = like(actions->names);
    bmf_simulation result;
    bmf_simulator *simulator = simulator_create(actions, network, 0);
    simulator_record(simulator, run);
    const int status = simulator_run(simulator);
    simulator_result(simulator, &result);
    simulator_free(simulator);
    return complete(status, run, &result, NULL, made);
}

/* The recorded actions on a network. */
static int trace_on(bmf_context *ctx, bmf_network *network, bmf_trace_run **made)
{
    const int status = trace_actions(model_of_context(ctx)->actions, ctx->run, network, made);
    return status == BMF_OK ? BMF_OK : bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
}

int model_trace(bmf_context *ctx, bmf_trace_run **run)
{
    return trace_on(ctx, model_of_context(ctx)->network, run);
}

int model_trace_ideal(bmf_context *ctx, bmf_trace_run **run)
{
    bmf_network *network = network_ideal(ctx->processors);
    int status = trace_on(ctx, network, run);
    network->type->destroy(network);
    return status;
}

static int write_trace(bmf_context *ctx, const char *path)
{
    bmf_trace_run *run;
    BMF_TRY(model_trace(ctx, &run));
    int status = trace_write(ctx, &(bmf_trace){.runs = 1, .run = {run}}, path);
    run_free(run);
    return status;
}

/* ---- the object ---- */

static void print_text(FILE *stream, const char *text)
{
    char *escaped = style_text(text, BMF_STYLE_JSON);
    fprintf(stream, "\"%s\"", escaped ? escaped : "");
    free(escaped);
}

static void print_number(const char *name, double value, FILE *stream)
{
    if (isfinite(value))
        fprintf(stream, ", \"%s\": %.3g", name, value);
    else
        fprintf(stream, ", \"%s\": null", name);
}

static void print_prediction(const bmf_context *ctx, const bmf_model *model, const bmf_prediction *prediction,
                             double measured_error, FILE *stream)
{
    const bmf_statistics *s = &ctx->statistics;
    fprintf(stream,
            "{\"seconds\": %.17g, \"low\": %.17g, \"high\": %.17g, \"processors\": %" PRId64 ", \"ranks\": %" PRId64
            ", \"messages\": %" PRId64 ", \"bytes\": %" PRId64 ", \"rank_messages\": %" PRId64
            ", \"rank_bytes\": %" PRId64 ", \"in_domain\": %s, \"remarks\": [",
            prediction->median, prediction->low, prediction->high, ctx->processors,
            model->ranks > 0 ? model->ranks : ctx->processors, s->messages, s->bytes, s->rank_messages, s->rank_bytes,
            model_remark(model, 0) ? "false" : "true");
    for (int64_t k = 0; model_remark(model, k); k++) {
        fputs(k > 0 ? ", " : "", stream);
        print_text(stream, model_remark(model, k));
    }
    fprintf(stream, "], \"best\": %.17g", prediction->seconds);
    print_number("measured_error", measured_error, stream);
    print_number("run_share", prediction->run_share, stream);
    print_number("event_share", prediction->event_share, stream);
    print_number("fit_share", prediction->fit_share, stream);
    fputs(", \"samples\": [", stream);
    for (int64_t k = 0; k < prediction->samples && k < BMF_PREDICTION_KEPT; k++)
        fprintf(stream, "%s%.9g", k > 0 ? ", " : "", prediction->sample[k]);
    fputs("]}\n", stream);
}

static int write_prediction(bmf_context *ctx, const bmf_model *model, double measured_error, const char *path)
{
    bmf_prediction prediction;
    int status = simulate_interval(model->actions, model->network, 0, &prediction);
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    bmf_output_file output;
    int failure = output_file_open_regular(&output, path);
    if (!failure) {
        print_prediction(ctx, model, &prediction, measured_error, output_file_stream(&output));
        failure = output_file_close(&output, 0);
    }
    return failure ? bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot write: %s", path, strerror(failure)) : BMF_OK;
}

static bool is_set(const char *path)
{
    return path && *path;
}

/* The runs before this one left their times in the file that BMF_MEASUREMENTS names, and so does this one. */
static int measure(bmf_context *ctx, double *error)
{
    const char *path = getenv("BMF_MEASUREMENTS");
    bmf_measurements all = {0};
    bool right = !is_set(path) || measurements_read(&all, path);
    *error = NAN;
    if (right) {
        model_measure(ctx, &all);
        model_take_measurements(ctx, &all);
        right = !is_set(path) || measurements_append(&all, path);
        *error = measurements_error(&all);
    }
    measurements_free(&all);
    return right ? BMF_OK : bmf_fail(ctx, BMF_ERROR_FILE, "%s: no times of other runs of this program", path);
}

int model_write(bmf_context *ctx, bmf_model *model)
{
    const char *prediction = getenv("BMF_PREDICTION");
    const bool wanted = ctx->trace_path || is_set(prediction) || is_set(getenv("BMF_MEASUREMENTS"));
    double error = NAN;
    if (model_is_measured(model) && wanted)
        BMF_TRY(measure(ctx, &error));
    if (ctx->trace_path)
        BMF_TRY(write_trace(ctx, ctx->trace_path));
    return is_set(prediction) ? write_prediction(ctx, model, error, prediction) : BMF_OK;
}
