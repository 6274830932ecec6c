/* The fit of a program, step after step; the steps are in the files that fit_program.h names. */
#include "predict/fit/fit_program.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/fit/fit_private.h"
#include "predict/replay/fail.h"
#include "predict/replay/recorded.h"
#include "runtime/base/progress.h"
#include "runtime/base/text.h"

enum { MIN_POINTS = 3, MAX_ROLES = 64 };

/* ---- the size of a recording ---- */

/* The number in an argument behind NAME= or --NAME=, or in the one behind --NAME. */
static bool size_in_command(const char *command, const char *name, double *d)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(command, name); at; at = strstr(at + 1, name)) {
        const char *begin = at;
        while (begin > command && begin[-1] == '-')
            begin--;
        const char *value = at + length;
        if ((begin > command && begin[-1] != ' ') || (*value != '=' && (*value != ' ' || begin == at)))
            continue;
        char *end;
        *d = strtod(value + 1, &end);
        if (end > value + 1 && (*end == '\0' || *end == ' ') && isfinite(*d))
            return true;
    }
    return false;
}

bool recording_size(const bmf_trace_run *run, const char *name, double *d)
{
    char key[256], *end;
    snprintf(key, sizeof key, "value %s", name);
    const char *said = run_fact(run, key), *command = run_fact(run, "command");
    if (said) {
        *d = strtod(said, &end);
        return end > said && isfinite(*d);
    }
    return command && size_in_command(command, name, d);
}

/* ---- what is needed ---- */

static int check_recording(const bmf_recording *of, const char *program)
{
    const bmf_trace_run *run = of->run;
    if (!is_recorded(run))
        return fail_line(BMF_ERROR_ARGUMENT, "%s: not a recording of an MPI program (bmf record)", of->path);
    if (run_fact(run, "incomplete"))
        return fail_line(BMF_ERROR_ARGUMENT, "%s: the recording is incomplete: %s", of->path,
                         run_fact(run, "incomplete"));
    if (run_fact(run, "switched off"))
        return fail_line(BMF_ERROR_ARGUMENT, "%s: recording was switched off in between", of->path);
    if (strcmp(run->program, program) != 0)
        return fail_line(BMF_ERROR_ARGUMENT, "%s: a recording of %s, not of %s", of->path, run->program, program);
    if (!(of->d >= 1.0))
        return fail_line(BMF_ERROR_ARGUMENT, "%s: a size of %g; sizes are from 1 on", of->path, of->d);
    return BMF_OK;
}

static int64_t different(const bmf_recording *recording, int64_t recordings, bool sizes)
{
    int64_t count = 0;
    for (int64_t k = 0; k < recordings; k++) {
        bool known = false;
        for (int64_t j = 0; j < k; j++)
            known = known ||
                    (sizes ? recording[j].d == recording[k].d : recording[j].run->lanes == recording[k].run->lanes);
        count += !known;
    }
    return count;
}

static int check_recordings(const bmf_recording *recording, int64_t recordings, const char *parameter)
{
    for (int64_t k = 0; k < recordings; k++)
        BMF_TRY(check_recording(&recording[k], recording[0].run->program));
    const int64_t sizes = different(recording, recordings, true), processes = different(recording, recordings, false);
    if (sizes >= MIN_POINTS && processes >= MIN_POINTS)
        return BMF_OK;
    return fail_line(BMF_ERROR_ARGUMENT,
                     "a fit needs recordings at three values of %s and three numbers of processes; there are %" PRId64
                     " and %" PRId64,
                     parameter, sizes, processes);
}

/* ---- rules ---- */

static const char *const value_names[VALUES] = {"how many bytes", "with whom", "which tag", "which request"};

static bool needs_value(const bmf_symbol *symbol, int value)
{
    switch ((bmf_value_kind)value) {
    case VALUE_BYTES:
        return symbol->kind == TOKEN_SEND || symbol->kind == TOKEN_RECEIVE || symbol->kind == TOKEN_COLLECTIVE ||
               symbol->kind == TOKEN_STEPS;
    case VALUE_PEER:
        return symbol->flags & TOKEN_PEER;
    case VALUE_TAG:
        return symbol->tag < 0 &&
               (symbol->kind == TOKEN_SEND || symbol->kind == TOKEN_RECEIVE || symbol->kind == TOKEN_POST);
    default:
        return symbol->flags & TOKEN_REQUEST;
    }
}

/* What went wrong, and where. */
typedef struct failure {
    bmf_place *place;
    const char *what, *why;
    int value; /* -1: the count */
} failure;

static bool fit_value(bmf_place *place, int value, failure *failed)
{
    const bmf_observations *of = &place->value[value];
    bmf_rule_text *rule = &place->rule[value];
    const char *why;
    place->has_rule[value] = true;
    if (place->is_near[value])
        return fit_nearly(of, BASIS_D | BASIS_P | BASIS_R, rule);
    if (value == VALUE_PEER ? fit_partners(of, rule, &why) : fit_integers(of, rule, &why))
        return true;
    *failed = (failure){place, value_names[value], why, value};
    return false;
}

/* Counts that no form gives exactly are the same for all ranks, or messages would lack an end. */
static bool fit_count(bmf_place *loop, failure *failed)
{
    const char *why;
    if (loop->count_is_near)
        return fit_nearly(&loop->count, BASIS_D, &loop->count_rule);
    if (fit_integers(&loop->count, &loop->count_rule, &why))
        return true;
    *failed = (failure){loop, "how often", why, -1};
    return false;
}

static bool fit_places(bmf_fitted_program *program, bmf_place *list, failure *failed)
{
    bool right = true;
    for (int32_t k = 0; k < list->places && right; k++) {
        bmf_place *place = &list->place[k];
        if (place->symbol < 0)
            right = fit_count(place, failed) && fit_places(program, place, failed);
        for (int value = 0; value < VALUES && place->symbol >= 0 && right; value++)
            if (needs_value(&program->symbols.symbol[place->symbol], value))
                right = fit_value(place, value, failed);
    }
    return right;
}

/* Whether the count is the same for all ranks of a recording. */
static bool is_common(const bmf_observations *of)
{
    for (int64_t k = 1; k < of->count; k++)
        if (of->point[k].recording == of->point[k - 1].recording && of->point[k].value != of->point[k - 1].value)
            return false;
    return true;
}

/* What has no exact form but may have one that is near. */
static bool allow_near(const bmf_fitted_program *program, const failure *failed)
{
    bmf_place *place = failed->place;
    if (program->settings.exact || failed->value == VALUE_PEER || failed->value == VALUE_REQUEST ||
        failed->value == VALUE_TAG)
        return false;
    if (failed->value >= 0)
        return place->is_near[failed->value] = true;
    return place->count_is_near = is_common(&place->count);
}

/* The first call in the place. */
static const bmf_symbol *symbol_in(const bmf_fitted_program *program, const bmf_place *place)
{
    while (place->symbol < 0 && place->places > 0) {
        const bmf_place *loop = place;
        place = &loop->place[0];
        for (int32_t k = 0; k < loop->places; k++)
            if (loop->place[k].symbol < 0 || program->symbols.symbol[loop->place[k].symbol].name[0]) {
                place = &loop->place[k];
                break;
            }
    }
    return &program->symbols.symbol[place->symbol];
}

static int refuse(const bmf_fitted_program *program, const failure *failed)
{
    const bmf_symbol *symbol = symbol_in(program, failed->place);
    return fail_line(BMF_ERROR_ARGUMENT, "phase '%s' has no rule: %s %s%s is called: %s", symbol->region, failed->what,
                     failed->place->symbol < 0 ? "a loop with " : "", symbol->name[0] ? symbol->name : "a phase",
                     failed->why);
}

static int fit_role(bmf_fitted_program *program, int32_t role)
{
    failure failed;
    while (!fit_places(program, &program->role[role].root, &failed))
        if (!structure_unroll(program, role, failed.place) &&
            !(failed.value < 0 && structure_split(program, role, failed.place)) && !allow_near(program, &failed))
            return refuse(program, &failed);
    return BMF_OK;
}

static int find_condition(bmf_fitted_program *program, int32_t role)
{
    if (conditions_find(program, role))
        return BMF_OK;
    for (int64_t k = 0; k < program->sequences; k++)
        if (program->sequence[k].role == role)
            return fail_line(BMF_ERROR_ARGUMENT,
                             "%d roles, and no condition in p, d and r tells which ranks have that of rank %d in %s",
                             program->roles, program->sequence[k].rank,
                             program->recording[program->sequence[k].recording].path);
    return BMF_OK;
}

static void fit_work_before(void *state, bmf_place *place)
{
    (void)state;
    if (place->symbol >= 0)
        fit_work(&place->work, BASIS_D | BASIS_P | BASIS_R, &place->fitted);
}

/* Steps: recordings, then roles twice: their rules, and who has them. */
static int fit_all(bmf_fitted_program *program, bmf_progress *progress)
{
    const bool with_tags = tags_are_few(program->recording, program->recordings);
    for (int64_t k = 0; k < program->recordings; k++) {
        progress_tell(progress, 0.5 * (double)k / (double)program->recordings);
        BMF_TRY(sequences_add(&program->recording[k], k, with_tags, &program->symbols, &program->sequence,
                              &program->sequences, &program->sequence_capacity));
    }
    structure_find(program);
    if (program->roles > MAX_ROLES)
        return fail_line(BMF_ERROR_ARGUMENT,
                         "ranks do %d different things: what they do depends on more than p, %s "
                         "and the rank",
                         program->roles, program->parameter);
    for (int32_t role = 0; role < program->roles; role++) { /* there may become more of them */
        progress_tell(progress, 0.5 + 0.25 * (double)role / (double)program->roles);
        BMF_TRY(fit_role(program, role));
    }
    for (int32_t role = 0; role < program->roles; role++) {
        progress_tell(progress, 0.75 + 0.25 * (double)role / (double)program->roles);
        BMF_TRY(find_condition(program, role));
        places_each(&program->role[role].root, fit_work_before, NULL);
    }
    return BMF_OK;
}

int program_fit(const bmf_recording *recording, int64_t recordings, const bmf_fit_settings *settings,
                bmf_fitted_program **program)
{
    *program = NULL;
    BMF_TRY(check_recordings(recording, recordings, settings->parameter));
    bmf_fitted_program *made = allocate_clear(1, (int64_t)sizeof *made);
    made->settings = *settings;
    made->name = text_copy(recording[0].run->program);
    made->parameter = text_copy(settings->parameter);
    made->recording = recording;
    made->recordings = recordings;
    bmf_progress progress;
    progress_begin(&progress, "fitting");
    const int status = fit_all(made, &progress);
    progress_end(&progress);
    if (status == BMF_OK)
        *program = made;
    else
        fitted_program_free(made);
    return status;
}

void fitted_program_free(bmf_fitted_program *program)
{
    if (!program)
        return;
    structure_free(program);
    for (int64_t k = 0; k < program->sequences; k++)
        free(program->sequence[k].token);
    free(program->sequence);
    free(program->symbols.symbol);
    free(program->name);
    free(program->parameter);
    free(program);
}
