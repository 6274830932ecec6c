/* bmf model fit: equations and rules of an MPI program from recordings of it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/model/model.h"
#include "predict/fit/fit_program.h"
#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"
#include "runtime/base/progress.h"
#include "runtime/trace/trace.h"

typedef struct options {
    const char *parameter, *output;
    bmf_strings at;
    bool exact, phases;
} options;

/* The recordings with their traces. */
typedef struct recordings {
    int64_t count;
    bmf_trace **trace;
    bmf_recording *recording;
} recordings;

/* TRACE:NAME=X of the path; false if there is none. */
static bool size_of_path(const options *o, const char *path, double *d)
{
    for (int k = 0; k < o->at.count; k++) {
        const char *text = o->at.text[k], *colon = strrchr(text, ':');
        if (strlen(path) == (size_t)(colon - text) && strncmp(text, path, strlen(path)) == 0) {
            *d = strtod(strchr(colon, '=') + 1, NULL);
            return true;
        }
    }
    return false;
}

static int check_at(const options *o, const bmf_operands *operands)
{
    for (int k = 0; k < o->at.count; k++) {
        const char *text = o->at.text[k], *colon = strrchr(text, ':'), *equals = colon ? strchr(colon, '=') : NULL;
        char *end = NULL;
        bool known = false;
        if (equals && strncmp(colon + 1, o->parameter, (size_t)(equals - colon - 1)) == 0 &&
            strlen(o->parameter) == (size_t)(equals - colon - 1) && equals[1])
            strtod(equals + 1, &end);
        if (!end || *end)
            return usage_error("--at '%.200s' is not TRACE:%.40s=NUMBER", text, o->parameter);
        for (int j = 0; j < operands->count; j++)
            known = known || (strlen(operands->text[j]) == (size_t)(colon - text) &&
                              strncmp(operands->text[j], text, (size_t)(colon - text)) == 0);
        if (!known)
            return usage_error("--at '%.200s' is of none of the traces", text);
    }
    return 0;
}

static int fail_parameter(const options *o, const bmf_trace_run *run, const char *path)
{
    char known[400] = "";
    size_t used = 0;
    for (uint32_t k = 0; k < run->facts && used < sizeof known; k++)
        if (strncmp(run->fact[k].key, "value ", 6) == 0)
            used +=
                (size_t)snprintf(known + used, sizeof known - used, "%s%.60s", used ? ", " : "", run->fact[k].key + 6);
    return bmf_fail(NULL, BMF_ERROR_USAGE,
                    "%s does not say its %s: neither a value of bmf_value (%s) nor an argument %s=X; give --at %s:%s=X",
                    path, o->parameter, known[0] ? known : "there are none", o->parameter, path, o->parameter);
}

static int read_recording(const options *o, const char *path, recordings *all)
{
    bmf_trace **trace = &all->trace[all->count];
    bmf_recording *made = &all->recording[all->count];
    BMF_TRY(bmf_trace_read(NULL, path, trace));
    all->count++;
    *made = (bmf_recording){.run = (*trace)->run[0], .path = path};
    if (!size_of_path(o, path, &made->d) && !recording_size(made->run, o->parameter, &made->d))
        return fail_parameter(o, made->run, path);
    return BMF_OK;
}

static int read_recordings(const options *o, const bmf_operands *operands, recordings *all)
{
    bmf_progress progress;
    int status = BMF_OK;
    progress_begin(&progress, "reading");
    for (int k = 0; k < operands->count && status == BMF_OK; k++) {
        progress_tell(&progress, (double)k / operands->count);
        status = read_recording(o, operands->text[k], all);
    }
    progress_end(&progress);
    return status;
}

static int write_file(const options *o, const bmf_fitted_program *program)
{
    bmf_output_file output;
    int failure = output_file_open(&output, o->output);
    if (!failure) {
        fitted_program_write(program, output_file_stream(&output));
        failure = output_file_close(&output, 0);
    }
    return failure ? bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s': %s", o->output, strerror(failure)) : BMF_OK;
}

static int fit(const options *o, const bmf_operands *operands, recordings *all)
{
    bmf_fitted_program *program;
    BMF_TRY(read_recordings(o, operands, all));
    BMF_TRY(program_fit(all->recording, all->count, &(bmf_fit_settings){.parameter = o->parameter, .exact = o->exact},
                        &program));
    const int status = write_file(o, program);
    if (status == BMF_OK)
        fitted_program_describe(program, o->phases, stdout);
    fitted_program_free(program);
    return status;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    recordings all = {.trace = allocate_clear(operands->count, (int64_t)sizeof *all.trace),
                      .recording = allocate_clear(operands->count, (int64_t)sizeof *all.recording)};
    int code = check_at(o, operands);
    if (code == 0)
        code = report_status(ctx, fit(o, operands, &all));
    for (int64_t k = 0; k < all.count; k++)
        bmf_trace_free(all.trace[k]);
    free(all.trace);
    free(all.recording);
    return code ? code : finish_output();
}

static const bmf_option table[] = {
    BMF_OPTION("param", "NAME", BMF_TEXT(options, parameter),
               "what the size is called: a value that the program said by bmf_value, or an argument NAME=X or --NAME X",
               .missing = "the size is which parameter? give --param NAME"),
    BMF_OPTION("at", "TRACE:NAME=X", BMF_LIST(options, at), "the size of a recording that does not say it"),
    BMF_OPTION("exact", NULL, BMF_FLAG(options, exact), "refuse counts and bytes that no form gives exactly"),
    BMF_OPTION("phases", NULL, BMF_FLAG(options, phases), "print the rules of every phase"),
    BMF_OPTION("output", "F", BMF_TEXT(options, output), "the file of equations to write", .letter = 'o',
               .missing = "no file to write: give -o F.model"),
    BMF_OPTION_END};

const bmf_driver model_fit_command = {
    .name = "fit",
    .summary = "equations and rules of an MPI program from recordings of it",
    .synopsis = "bmf model fit TRACE.. --param NAME -o F.model [--at TRACE:NAME=X].. [--exact] [--phases]",
    .about =
        "Finds what every rank of a recorded MPI program (bmf record) does as functions of a size, of the number of "
        "processes and of the rank: how often it calls what, with how many bytes, with whom, and what it computes. At "
        "least three sizes and three numbers of processes are needed. Counts, bytes and partners are exact or refused; "
        "computing is fitted, with errors. `bmf predict F.model` simulates the program from that at any size and "
        "number of processes, `bmf model eval F.model --sheet S` evaluates its phases.",
    .example = "bmf model fit r-*.trace --param n -o life.model\n"
               "bmf predict life.model --machine fast-cluster --procs 256 --set n=4096",
    .exit_code = "2 also for recordings in which something has no rule.",
    .see = "bmf-record, bmf-predict",
    .options = table,
    .min_operands = 1,
    .max_operands = BMF_ANY_NUMBER,
    .no_operand = "no recordings to fit",
    .size = sizeof(options),
    .run = run};
