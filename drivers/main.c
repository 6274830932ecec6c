/* The bmf command: finds the subcommand and hands over. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "runtime/status.h"

typedef enum ranks { SERIAL, PARALLEL } ranks;

typedef struct command {
    const char *name;
    ranks ranks;
    const char *summary;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
#define COMMAND_ROW(name, ranks, summary) {#name, ranks, summary, bmf_command_##name},
    BMF_COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

bool bmf_is_first_process(void)
{
    const char *rank = getenv("PMI_RANK");
    return !rank || strcmp(rank, "0") == 0;
}

int bmf_usage_error(const char *name, const char *format, ...)
{
    if (!bmf_is_first_process())
        return 2;
    va_list arguments;
    va_start(arguments, format);
    fputs("bmf: ", stderr);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, name ? " (see `bmf %s --help`)\n" : "\n", name);
    va_end(arguments);
    return 2;
}

int bmf_report(int status)
{
    if (status != BMF_OK && bmf_is_first_process())
        fprintf(stderr, "bmf: %s\n", bmf_error_text(NULL));
    return bmf_exit_code(status);
}

int bmf_finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    fprintf(stderr, "bmf: cannot write to standard output: %s\n", strerror(errno));
    return 1;
}

static int print_help(void)
{
    if (!bmf_is_first_process())
        return 0;
    puts(
        "usage: bmf COMMAND ARGUMENT..\n"
        "\n"
        "Runs data-parallel programs of Bird-Meertens skeletons, predicts them for other machines, and looks at both.\n"
        "\n"
        "Commands:");
    for (int k = 0; k < COMMANDS; k++)
        printf("  %-10s %s\n", commands[k].name, commands[k].summary);
    puts("\n"
         "  --help     this text; `bmf COMMAND --help` explains a command\n"
         "  --version  the version\n"
         "\n"
         "Example: bmf convert run.trace --to chrome -o run.json\n"
         "\n"
         "Exit codes: 0 success, 1 failed, 2 bad usage or bad input.");
    return bmf_finish_output();
}

static int print_version(void)
{
    if (bmf_is_first_process())
        puts("bmf " BMF_VERSION);
    return bmf_finish_output();
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return bmf_usage_error(NULL, "no command; `bmf --help` lists them");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    for (int k = 0; k < COMMANDS; k++) {
        if (strcmp(argv[1], commands[k].name) != 0)
            continue;
        if (commands[k].ranks == SERIAL && !bmf_is_first_process())
            return 0;
        return commands[k].run(argc - 1, argv + 1);
    }
    return bmf_usage_error(NULL, "unknown command '%s'; `bmf --help` lists them", argv[1]);
}
