/* The bmf command: finds the subcommand and hands over. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf/version.h"
#include "drivers/commands.h"
#include "bmf/status.h"

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
    static bool told;
    errno = 0;
    if (!told && fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    /* Under MPI lines are written one by one, and the reason of a failure then may be forgotten by now. */
    const int reason = errno;
    if (!told)
        fprintf(stderr, "bmf: cannot write to standard output%s%s\n", reason ? ": " : "",
                reason ? strerror(reason) : "");
    told = true;
    return 1;
}

/* Keeps files and connections from being opened in the place of closed standard streams, and so from being written to by
 * mistake. */
static void hold_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
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
    hold_standard_streams();
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
