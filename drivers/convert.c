/* bmf convert: a trace in another tool's format. */
#include <string.h>

#include "drivers/commands.h"
#include "runtime/convert/convert.h"
#include "runtime/convert/import.h"

typedef struct values {
    int format; /* of formats; -1: none yet */
    int from;   /* of imports; -1: a trace of bmf */
    const char *output;
} values;

static const values defaults = {.format = -1, .from = -1};

static const char *format_name(int number, const char **about)
{
    *about = formats[number].about;
    return formats[number].name;
}

static const char *import_name(int number, const char **about)
{
    *about = imports[number].about;
    return imports[number].name;
}

static int import(const char *path, const bmf_import *format, const char *output)
{
    bmf_trace *trace;
    BMF_TRY(trace_import(format, path, &trace));
    const int status = trace_write(NULL, trace, output);
    bmf_trace_free(trace);
    return status;
}

static int convert(const char *path, const bmf_format *format, const char *output)
{
    bmf_trace *trace;
    BMF_TRY(bmf_trace_read(NULL, path, &trace));
    const int status = format->convert(NULL, trace, output);
    bmf_trace_free(trace);
    return status;
}

static int run(bmf_context *ctx, void *given, const bmf_operands *operands)
{
    const values *v = given;
    if ((v->format < 0) == (v->from < 0))
        return usage_error(v->format < 0 ? "no format: give --to, or --from" : "give --to or --from, not both");
    if (v->from >= 0)
        return report_status(ctx, import(operands->text[0], &imports[v->from], v->output));
    const bmf_format *format = &formats[v->format];
    if (!format->streams && strcmp(v->output, "-") == 0)
        return usage_error("%s needs a name for its files; it cannot go to standard output", format->name);
    return report_status(ctx, convert(operands->text[0], format, v->output));
}

#define STREAM_NAME(name, extension, streams, about) STREAM_NAME_##streams(name)
#define STREAM_NAME_true(name)                       #name ", "
#define STREAM_NAME_false(name)

static const bmf_option options[] = {
    BMF_OPTION("to", "FORMAT", BMF_CHOICE(values, format, format_name), "one of:"),
    BMF_OPTION("from", "FORMAT", BMF_CHOICE(values, from, import_name),
               "the other way: make a trace of bmf of one of:"),
    BMF_OPTION("output", "OUT", BMF_TEXT(values, output),
               "the file to write; for otf2 a new folder; - is standard output (" BMF_FORMATS(STREAM_NAME) "no others)",
               .letter = 'o', .missing = "nowhere to write: give -o"),
    BMF_OPTION_END};

const bmf_driver convert_command = {
    .name = "convert",
    .summary = "write a trace in another tool's format",
    .synopsis = "bmf convert TRACE --to FORMAT -o OUT\nbmf convert FILE --from FORMAT -o TRACE",
    .about =
        "Writes a trace of bmf in the format of another tool. If it holds a measured and a predicted run, both go into "
        "the output: measured is process, application or container 1, predicted 2.",
    .example = "bmf convert run.trace --to chrome -o run.json\nbmf convert run.trace --to csv -o - | grep ,send,",
    .see = "bmf-trace, pj_dump, otf2-print",
    .options = options,
    .min_operands = 1,
    .max_operands = 1,
    .no_operand = "no trace to convert",
    .surplus = "more than one trace",
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
