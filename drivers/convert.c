/* bmf convert: a trace in another tool's format. */
#include <getopt.h>
#include <string.h>

#include "runtime/convert/convert.h"
#include "drivers/commands.h"

typedef struct options {
    const char *trace, *output;
    const bmf_format *format;
    bool help;
} options;

static void print_help(void)
{
    puts("usage: bmf convert TRACE --to FORMAT -o OUT\n"
         "\n"
         "Writes a trace of bmf in the format of another tool. If it holds a measured and a predicted run, both go "
         "into\n"
         "the output: measured is process, application or container 1, predicted 2.\n"
         "\n"
         "  --to FORMAT       one of:");
    for (const bmf_format *format = formats; format->name; format++)
        printf("                      %-9s %s\n", format->name, format->about);
    fputs("  -o, --output OUT  the file to write; for otf2 a new folder; - is standard output (", stdout);
    const char *separator = "";
    for (const bmf_format *format = formats; format->name; format++)
        if (format->streams) {
            printf("%s%s", separator, format->name);
            separator = ", ";
        }
    puts(")\n"
         "  --help            this text\n"
         "\n"
         "Example: bmf convert run.trace --to chrome -o run.json");
}

/* Lists the formats' names in an error. */
static int unknown_format(const char *name)
{
    char known[256] = "";
    for (const bmf_format *format = formats; format->name; format++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", format->name);
    }
    return bmf_usage_error("convert", "unknown format '%s'; known: %s", name, known);
}

/* 0, or the exit code of bad usage. */
static int read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {{"to", required_argument, NULL, 't'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    *o = (options){0};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":o:h", known, NULL)) != -1;) {
        if (c == 'h')
            o->help = true;
        else if (c == 'o')
            o->output = optarg;
        else if (c == 't' && !(o->format = format_find(optarg)))
            return unknown_format(optarg);
        else if (c == ':')
            return bmf_usage_error("convert", "option '%s' needs a value", argv[optind - 1]);
        else if (c == '?')
            return bmf_usage_error("convert", "unknown option '%s'", argv[optind - 1]);
    }
    if (o->help)
        return 0;
    if (optind + 1 != argc)
        return bmf_usage_error("convert", optind == argc ? "no trace to convert" : "more than one trace");
    o->trace = argv[optind];
    if (!o->format)
        return bmf_usage_error("convert", "no format: give --to");
    if (!o->output)
        return bmf_usage_error("convert", "nowhere to write: give -o");
    if (!o->format->streams && strcmp(o->output, "-") == 0)
        return bmf_usage_error("convert", "%s needs a name for its files; it cannot go to standard output",
                               o->format->name);
    return 0;
}

int bmf_command_convert(int argc, char **argv)
{
    options o;
    bmf_trace *trace;
    int code = read_options(argc, argv, &o);
    if (code)
        return code;
    if (o.help) {
        print_help();
        return bmf_finish_output();
    }
    int status = bmf_trace_read(NULL, o.trace, &trace);
    if (status == BMF_OK) {
        status = o.format->convert(NULL, trace, o.output);
        bmf_trace_free(trace);
    }
    return bmf_report(status);
}
