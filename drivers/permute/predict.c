/* bmf permute --machine M --procs P: predicts by method, and says which is the fastest.
 *
 * Method and cost: predict/model/permute_predict.h. Nothing is permuted. */
#include "drivers/permute/predict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/runs.h"
#include "predict/model/permute_predict.h"
#include "predict/sheet/text.h"
#include "bmf/context.h"

enum { TIME_TEXT = 32 };

typedef struct row {
    bmf_predicted_method method;
    bmf_permute_prediction prediction;
} row;

typedef struct table {
    const bmf_machine *machine;
    const bmf_permutation *permutation;
    int64_t processors, element_bytes;
    int rows, best; /* best -1: none has a time */
    row row[BMF_PREDICT_METHODS];
} table;

/* ---- predicting ---- */

static int choose_processors(bmf_context *ctx, const bmf_permute_forecast *forecast, const bmf_machine *machine)
{
    const int64_t processors = forecast->processors ? forecast->processors : machine->processors;
    if (processors == 0)
        return bmf_fail(ctx, BMF_ERROR_USAGE, "machine '%s' has any number of processors: how many? give --procs",
                        machine->name);
    if (bmf_ranks(ctx) > 1)
        return bmf_fail(ctx, BMF_ERROR_USAGE, "a prediction takes one process for all processors, not %d ranks",
                        bmf_ranks(ctx));
    return bmf_set_processors(ctx, processors);
}

/* A method that is asked for by name must fit; otherwise those that do are tried. */
static int choose_methods(bmf_context *ctx, const bmf_permute_forecast *forecast, table *t)
{
    const bool all = !forecast->method || strcmp(forecast->method, "auto") == 0;
    t->rows = all ? 0 : 1;
    if (!all && !predicted_method_find(forecast->method, &t->row[0].method))
        return bmf_fail(
            ctx, BMF_ERROR_USAGE,
            "unknown method '%s'; known with --machine: rounds, alltoallv, naive, sets, clusters, rows, two-pass, "
            "coloured, auto",
            forecast->method);
    for (int k = 0; all && k < BMF_PREDICT_METHODS; k++)
        if (predicted_method_fits((bmf_predicted_method)k, t->machine, t->permutation, t->processors))
            t->row[t->rows++].method = (bmf_predicted_method)k;
    return BMF_OK;
}

static int fill(bmf_context *ctx, const bmf_permute_forecast *forecast, table *t)
{
    BMF_TRY(choose_processors(ctx, forecast, t->machine));
    t->processors = bmf_processors(ctx);
    BMF_TRY(choose_methods(ctx, forecast, t));
    t->best = -1;
    for (int k = 0; k < t->rows; k++) {
        bmf_permute_prediction *p = &t->row[k].prediction;
        BMF_TRY(permute_predict(ctx, t->machine, t->permutation, t->element_bytes, t->row[k].method, p));
        if (p->timed && (t->best < 0 || p->seconds < t->row[t->best].prediction.seconds))
            t->best = k;
    }
    return BMF_OK;
}

/* ---- printing ---- */

static const char *interval_text(const bmf_permute_prediction *p, char *text, size_t size)
{
    char low[TIME_TEXT], high[TIME_TEXT];
    if (p->low == p->high)
        return "";
    snprintf(text, size, "%s to %s", time_text(p->low, low, sizeof low), time_text(p->high, high, sizeof high));
    return text;
}

static void print_text(const table *t)
{
    const bmf_permute_prediction *first = &t->row[0].prediction;
    char time[TIME_TEXT], interval[3 * TIME_TEXT];
    printf("permute 2^%d elements of %" PRId64 " bytes on %" PRId64 " processors of %s: %s", t->permutation->bits,
           t->element_bytes, t->processors, t->machine->name, bmf_permutation_class_name(first->class_));
    if (first->rank >= 0)
        printf(", rank %d", first->rank);
    printf("\n%-10s %14s %14s %18s %12s  %s\n", "method", "rounds", "messages", "bytes", "predicted", "95 % interval");
    for (int k = 0; k < t->rows; k++) {
        const bmf_permute_prediction *p = &t->row[k].prediction;
        printf("%-10s %14" PRId64 " %14" PRId64 " %18" PRId64 " %12s  %s\n", predicted_method_name(t->row[k].method),
               p->rounds, p->messages, p->bytes, p->timed ? time_text(p->seconds, time, sizeof time) : "-",
               p->timed ? interval_text(p, interval, sizeof interval) : "more messages than can be followed");
        if (p->remark[0])
            printf("           outside the domain: %s\n", p->remark);
    }
    if (t->best >= 0)
        printf("fastest: %s\n", predicted_method_name(t->row[t->best].method));
}

static json_t *json_of_row(const row *r)
{
    const bmf_permute_prediction *p = &r->prediction;
    return json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:b}", "method", predicted_method_name(r->method), "rounds",
                     (json_int_t)p->rounds, "messages", (json_int_t)p->messages, "bytes", (json_int_t)p->bytes,
                     "seconds", json_finite(p->seconds), "lo", json_finite(p->low), "hi", json_finite(p->high),
                     "in_domain", p->timed && !p->remark[0]);
}

static void print_json(const table *t)
{
    const bmf_permute_prediction *first = &t->row[0].prediction;
    json_t *runs = json_array();
    for (int k = 0; k < t->rows; k++)
        json_array_append_new(runs, json_of_row(&t->row[k]));
    json_print(json_pack("{s:s, s:I, s:i, s:I, s:s, s:o, s:o, s:o}", "machine", t->machine->name, "processors",
                         (json_int_t)t->processors, "bits", t->permutation->bits, "elem", (json_int_t)t->element_bytes,
                         "class", bmf_permutation_class_name(first->class_), "rank_r",
                         first->rank >= 0 ? json_integer(first->rank) : json_null(), "fastest",
                         t->best >= 0 ? json_string(predicted_method_name(t->row[t->best].method)) : json_null(),
                         "runs", runs),
               BMF_JSON_LINE);
}

/* ---- the predicted run ---- */

static int write_run(const bmf_permute_forecast *forecast, bmf_trace_run *run)
{
    if (forecast->trace)
        BMF_TRY(trace_write(NULL, &(bmf_trace){.runs = 1, .run = {run}}, forecast->trace));
    return forecast->html ? write_runs_html(run, NULL, NULL, 0, &(bmf_strings){0}, NULL, forecast->html) : BMF_OK;
}

static int write_files(bmf_context *ctx, const bmf_permute_forecast *forecast, const table *t)
{
    bmf_permute_prediction again;
    bmf_trace_run *run = NULL;
    if (!forecast->trace && !forecast->html)
        return BMF_OK;
    if (t->best < 0)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "there are more messages than can be followed, and no run to write");
    BMF_TRY(
        permute_predict_run(ctx, t->machine, t->permutation, t->element_bytes, t->row[t->best].method, &again, &run));
    const int status = write_run(forecast, run);
    run_free(run);
    return status == BMF_OK ? BMF_OK : bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
}

int permute_forecast_print(bmf_context *ctx, const bmf_permute_forecast *forecast, const bmf_permutation *p)
{
    bmf_machine *machine;
    int status = machine_read(forecast->machine, &machine);
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    table t = {.machine = machine, .permutation = p, .element_bytes = forecast->element_bytes};
    status = fill(ctx, forecast, &t);
    if (status == BMF_OK)
        status = write_files(ctx, forecast, &t);
    if (status == BMF_OK && forecast->json)
        print_json(&t);
    else if (status == BMF_OK)
        print_text(&t);
    machine_free(machine);
    return status;
}
