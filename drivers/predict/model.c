/* bmf predict F.model: a program of which only its rules are known (bmf model fit), simulated without running it. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/number_list.h"
#include "drivers/predict/predict.h"
#include "predict/fit/generate.h"
#include "predict/replay/recorded.h"
#include "runtime/base/allocate.h"

enum { SAMPLES = 20, MANY_SAMPLES = 200 };
static const int64_t cheap_events = 4000000; /* of all samples together */

bool is_model(const char *path)
{
    const size_t length = strlen(path), ending = strlen(".model");
    return length > ending && strcmp(path + length - ending, ".model") == 0;
}

/* ---- the rules ---- */

/* --set NAME=X of the size goes to d, the others to parameters. */
static int read_size(const bmf_predict_options *o, const char *size, double *d)
{
    const size_t length = strlen(size);
    *d = NAN;
    for (int k = 0; k < o->set.count; k++) {
        const char *text = o->set.text[k];
        char *end;
        if (strncmp(text, size, length) != 0 || text[length] != '=')
            continue;
        *d = strtod(text + length + 1, &end);
        if (end == text + length + 1 || *end || !(*d >= 1.0 && *d <= 1e15))
            return bmf_fail(NULL, BMF_ERROR_USAGE, "--set %.100s: a size is a number from 1 on", text);
    }
    return isnan(*d) ? bmf_fail(NULL, BMF_ERROR_USAGE, "at which size? give --set %s=X", size) : BMF_OK;
}

/* The rules with the parameters that are set; those that are not the size. */
static int read_rules(const bmf_predict_options *o, bmf_equations **equations, double *d)
{
    const bmf_rule *rule;
    const char *program, *size;
    bmf_equation_settings settings = {.rules_only = true};
    BMF_TRY(equations_read(o->path, &settings, equations));
    if (equations_rules(*equations, &rule, &program, &size) == 0)
        return bmf_fail(NULL, BMF_ERROR_FILE,
                        "%s has no rules of a program: bmf model fit makes them; bmf model eval evaluates its phases",
                        equations_path(*equations));
    BMF_TRY(read_size(o, size, d));
    const char **set = allocate_array(o->set.count, (int64_t)sizeof *set);
    for (int k = 0; k < o->set.count; k++)
        if (strncmp(o->set.text[k], size, strlen(size)) != 0 || o->set.text[k][strlen(size)] != '=')
            set[settings.sets++] = o->set.text[k];
    settings.set = set;
    equations_free(*equations);
    *equations = NULL;
    const int status = equations_read(o->path, &settings, equations);
    free(set);
    return status;
}

/* ---- one number of processes ---- */

typedef struct simulation {
    const bmf_predict_options *options;
    const bmf_equations *equations;
    double d;
    bmf_network *network;
    bmf_trace_run *predicted; /* of the last sample */
    bmf_recorded_replay result;
    int64_t events;
} simulation;

static int simulate(simulation *s, int32_t processes, int64_t sample)
{
    bmf_trace_run *run;
    const bmf_predict_options *o = s->options;
    run_free(s->predicted);
    s->predicted = NULL;
    BMF_TRY(program_generate(s->equations, s->d, processes, sample, GENERATE_MAX_STEPS, &run));
    const bmf_recorded_options options = {
        .compute = (bmf_replay_compute)o->compute, .step = o->step, .probe = o->machine->probe, .sample = sample};
    s->events = run->events;
    const int status = replay_recorded(run, o->machine, s->network, &options, &s->predicted, &s->result);
    run_free(run);
    return status;
}

/* The samples' times, and their median and 95 % interval. */
static int draw(simulation *s, int32_t processes, bmf_predicted *predicted)
{
    const int64_t cheap = s->events > 0 ? cheap_events / s->events : MANY_SAMPLES,
                  usual = cheap < SAMPLES        ? SAMPLES
                          : cheap > MANY_SAMPLES ? MANY_SAMPLES
                                                 : cheap,
                  samples = s->options->samples > 0 ? s->options->samples : usual;
    double *seconds = allocate_array(samples, (int64_t)sizeof *seconds);
    int status = BMF_OK;
    for (int64_t k = 0; k < samples && status == BMF_OK; k++) {
        status = simulate(s, processes, k + 1);
        seconds[k] = s->result.seconds;
    }
    if (status == BMF_OK) {
        gsl_sort(seconds, 1, (size_t)samples);
        predicted->seconds = gsl_stats_median_from_sorted_data(seconds, 1, (size_t)samples);
        predicted->low = gsl_stats_quantile_from_sorted_data(seconds, 1, (size_t)samples, 0.025);
        predicted->high = gsl_stats_quantile_from_sorted_data(seconds, 1, (size_t)samples, 0.975);
    }
    free(seconds);
    return status;
}

static int predict(simulation *s, int32_t processes, bool traced, bmf_predicted *predicted)
{
    BMF_TRY(simulate(s, processes, 0));
    predicted->best = s->result.seconds;
    predicted->messages = predicted->rank_messages = s->result.messages;
    predicted->bytes = predicted->rank_bytes = s->result.bytes;
    predicted->measured_error = NAN;
    if (traced) {
        predicted->run = s->predicted;
        s->predicted = NULL;
    }
    const bmf_network_type *type = s->network->type;
    const char *said;
    for (int64_t k = 0; type->remark && (said = type->remark(s->network, k)); k++)
        predicted_remark(predicted, said);
    return draw(s, processes, predicted);
}

int predict_model(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted)
{
    bmf_equations *equations = NULL;
    simulation s = {.options = options};
    *predicted = (bmf_predicted){.processors = processors};
    int status = read_rules(options, &equations, &s.d);
    s.equations = equations;
    if (status == BMF_OK)
        status = machine_network(options->machine, processors, &s.network);
    if (status == BMF_OK)
        status = predict(&s, (int32_t)processors, traced, predicted);
    run_free(s.predicted);
    if (s.network)
        s.network->type->destroy(s.network);
    equations_free(equations);
    return status;
}
