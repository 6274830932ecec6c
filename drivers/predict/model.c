/* bmf predict F.model: a program of which only its rules are known (bmf model fit), simulated without running it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/predict/predict.h"
#include "predict/fit/generate.h"
#include "predict/replay/recorded.h"
#include "runtime/base/allocate.h"

enum { EVENT_COST = 16 }; /* of an event that is made and replayed, as a number of actions */

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
    int32_t processes;
    bmf_network *network;
    bmf_trace_run *predicted; /* of the last sample */
    bmf_recorded_replay result;
    int64_t events;
} simulation;

/* A sample of the work and of the network. Computing that takes longer by a factor is that of a slower machine. */
static int simulate(void *state, int64_t sample, double compute_factor, double *seconds)
{
    simulation *s = state;
    bmf_trace_run *run;
    const bmf_predict_options *o = s->options;
    bmf_machine machine = *o->machine;
    machine.power /= compute_factor;
    run_free(s->predicted);
    s->predicted = NULL;
    BMF_TRY(program_generate(s->equations, s->d, s->processes, sample, GENERATE_MAX_STEPS, &run));
    const bmf_recorded_options options = {.compute = (bmf_replay_compute)o->compute,
                                          .step = o->step * compute_factor,
                                          .probe = machine.probe,
                                          .bound = sample,
                                          .exact = true};
    s->events = run->events;
    const int status = replay_recorded(run, &machine, s->network, &options, &s->predicted, &s->result);
    run_free(run);
    *seconds = s->result.time.seconds;
    return status;
}

static void take_run(simulation *s, bmf_predicted *predicted)
{
    const bmf_network_type *type = s->network->type;
    const char *said;
    predicted->run = s->predicted;
    s->predicted = NULL;
    for (int64_t k = 0; type->remark && (said = type->remark(s->network, k)); k++)
        predicted_remark(predicted, said);
}

static int predict(simulation *s, bool traced, bmf_predicted *predicted)
{
    bmf_prediction time;
    BMF_TRY(simulate(s, 0, 1.0, &time.seconds));
    predicted->messages = predicted->rank_messages = s->result.messages;
    predicted->bytes = predicted->rank_bytes = s->result.bytes;
    predicted->measured_error = NAN;
    take_run(s, predicted);
    if (!traced) {
        run_free(predicted->run);
        predicted->run = NULL;
    }
    BMF_TRY(sampled_interval(&(bmf_sampled_run){.simulate = simulate,
                                                .state = s,
                                                .steps = EVENT_COST * s->events,
                                                .compute_error = machine_compute_error(s->options->machine),
                                                .network_error = s->network->relative_error},
                             s->options->samples, &time));
    predicted->seconds = time.median;
    predicted->prediction = time;
    predicted->low = time.low;
    predicted->high = time.high;
    predicted->best = time.seconds;
    return BMF_OK;
}

int predict_model(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted)
{
    bmf_equations *equations = NULL;
    simulation s = {.options = options, .processes = (int32_t)processors};
    *predicted = (bmf_predicted){.processors = processors};
    int status = read_rules(options, &equations, &s.d);
    s.equations = equations;
    if (status == BMF_OK)
        status = machine_network(options->machine, processors, &s.network);
    if (status == BMF_OK)
        status = predict(&s, traced, predicted);
    run_free(s.predicted);
    if (s.network)
        s.network->type->destroy(s.network);
    equations_free(equations);
    return status;
}
