/* bmf sweep compare: ratios of two sweeps by phase and point, beside the spread of repetitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/sweep/sweep.h"
#include "predict/sheet/text.h"

typedef struct options {
    bool json, machine, model;
} options;

/* Two points, and whether their repetitions do not meet. */
typedef struct pair {
    const bmf_sweep_point *a, *b;
    double ratio;
    bool beyond;
} pair;

static pair make_pair(const bmf_sweep_point *a, const bmf_sweep_point *b)
{
    return (pair){a, b, a->median > 0.0 ? b->median / a->median : NAN, b->least > a->most || b->most < a->least};
}

static void print_pair(const pair *of)
{
    char time[2][32];
    printf("%-16s %8lld %10.6g %12s %12s %8.3f%s\n", of->a->phase, (long long)of->a->p, of->a->n,
           time_text(of->a->median, time[0], sizeof time[0]), time_text(of->b->median, time[1], sizeof time[1]),
           of->ratio, of->beyond ? "  beyond the spread" : "");
}

static json_t *pair_object(const pair *of)
{
    return json_pack("{s:s, s:I, s:f, s:f, s:f, s:o, s:b}", "phase", of->a->phase, "p", (json_int_t)of->a->p, "n",
                     of->a->n, "a", of->a->median, "b", of->b->median, "ratio", json_finite(of->ratio), "beyond",
                     of->beyond);
}

static int compare(const bmf_sweep *first, const bmf_sweep *second, bmf_sweep_kind kind, bool json)
{
    bmf_sweep_point *a, *b;
    const int64_t as = sweep_points(first, &a), bs = sweep_points(second, &b);
    json_t *pairs = json ? json_array() : NULL;
    int64_t compared = 0, beyond = 0;
    double least = INFINITY, most = 0.0;
    for (int64_t k = 0; k < as; k++) {
        const bmf_sweep_point *other =
            a[k].kind == BMF_SWEEP_MEASURED ? sweep_find_point(b, bs, kind, a[k].phase, a[k].p, a[k].n) : NULL;
        if (!other)
            continue;
        const pair made = make_pair(&a[k], other);
        if (compared++ == 0 && !json)
            printf("%-16s %8s %10s %12s %12s %8s\n", "phase", "p", "n", "a", "b", "b/a");
        beyond += made.beyond;
        least = fmin(least, made.ratio);
        most = fmax(most, made.ratio);
        if (json)
            json_array_append_new(pairs, pair_object(&made));
        else
            print_pair(&made);
    }
    free(a);
    free(b);
    if (json)
        return json_print(json_pack("{s:o, s:I, s:I}", "pairs", pairs, "compared", (json_int_t)compared, "beyond",
                                    (json_int_t)beyond),
                          BMF_JSON_LINE);
    if (compared == 0) {
        bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the sweeps have no phase and point in common");
        return report_status(NULL, BMF_ERROR_ARGUMENT);
    }
    printf("\n%lld compared, ratios %.3f to %.3f; %lld beyond the spread of repetitions\n", (long long)compared, least,
           most, (long long)beyond);
    return finish_output();
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    bmf_sweep *first, *second;
    if (o->machine && o->model)
        return usage_error("--machine and --model exclude each other");
    const bmf_sweep_kind kind = o->machine ? BMF_SWEEP_MACHINE : o->model ? BMF_SWEEP_MODEL : BMF_SWEEP_MEASURED;
    int status = sweep_read(operands->text[0], &first);
    if (status != BMF_OK)
        return report_status(ctx, status);
    status = sweep_read(operands->text[1], &second);
    const int code = status == BMF_OK ? compare(first, second, kind, o->json) : report_status(ctx, status);
    sweep_free(first);
    if (status == BMF_OK)
        sweep_free(second);
    return code;
}

static const bmf_option table[] = {
    BMF_OPTION("machine", NULL, BMF_FLAG(options, machine), "of B what was predicted for a machine"),
    BMF_OPTION("model", NULL, BMF_FLAG(options, model), "of B what was predicted by equations"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json),
               "print one JSON object: pairs, a list of {phase, p, n, a, b, ratio, beyond}, compared, beyond; times in "
               "seconds"),
    BMF_OPTION_END};

const bmf_driver sweep_compare_command = {
    .name = "compare",
    .summary = "ratios of two sweeps by phase and point",
    .synopsis = "bmf sweep compare A B [--machine] [--model] [--json]",
    .about = "Prints for every phase, p and n that both have the medians and their ratio B/A, and whether it is beyond "
             "the spread: all repetitions of one are longer than all of the other. A is what was measured; of B it is "
             "that, too, or what was predicted. A and B may be one file.",
    .example = "bmf sweep compare monday.sweep tuesday.sweep\n"
               "bmf sweep compare life.sweep life.sweep --model",
    .options = table,
    .min_operands = 2,
    .max_operands = 2,
    .no_operand = "two sweeps are needed",
    .surplus = "more than two sweeps",
    .size = sizeof(options),
    .run = run};
