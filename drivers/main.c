/* The bmf command. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <libconfig.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include "bmf/version.h"
#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "runtime/base/kept_memory.h"
#include "runtime/base/output_file.h"

/* Keeps files and connections from being opened in the place of closed standard streams, and so from being written to
 * by mistake. */
static void hold_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* The usual end by a signal, but for half-written files. */
static void end_by_signal(int number)
{
    output_files_remove();
    signal(number, SIG_DFL);
    raise(number);
}

static void clean_up_on_signals(void)
{
    static const int number[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++) {
        struct sigaction usual, action = {.sa_handler = end_by_signal};
        if (sigaction(number[k], NULL, &usual) == 0 && usual.sa_handler != SIG_IGN) /* nohup's stays */
            sigaction(number[k], &action, NULL);
    }
}

/* A reader that goes away is a standard output that cannot be written: a line and an exit code, not a silent end. */
static void ignore_broken_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}

/* Of the program and of what it was built with. */
#define BMF_VERSION_LINES                                                                                              \
    BMF_VERSION "\ncommit " BMF_COMMIT "\nbuilt with " BMF_MPI_NAME " " BMF_MPI_VERSION ", GSL " GSL_VERSION           \
                ", jansson " JANSSON_VERSION                                                                           \
                ", libconfig " BMF_VERSION_TEXT(LIBCONFIG_VER_MAJOR) "." BMF_VERSION_TEXT(LIBCONFIG_VER_MINOR)

static const bmf_driver *const commands[] = {BMF_COMMANDS(BMF_COMMAND_ROW) NULL};

static const bmf_driver program = {
    .name = "bmf",
    .summary = "run, predict and look at data-parallel programs of Bird-Meertens skeletons",
    .synopsis = "bmf COMMAND ARGUMENT..\nbmf --help\nbmf --version",
    .about =
        "Runs data-parallel programs of Bird-Meertens skeletons, predicts them for other machines, and looks at both.",
    .example = BMF_MPIRUN_NAME " -n 4 ./program --bmf-trace run.trace\n"
                               "bmf trace run.trace\n"
                               "bmf convert run.trace --to chrome -o run.json",
    .see =
        "bmf-check, bmf-compare, bmf-convert, bmf-machine, bmf-mesh, bmf-permute, bmf-plan, bmf-predict, bmf-record, "
        "bmf-replay, bmf-report, bmf-run, bmf-sheet, bmf-trace, mpirun",
    .commands = commands,
    .missing = "no command",
    .version = BMF_VERSION_LINES,
};

int main(int argc, char **argv)
{
    hold_standard_streams();
    clean_up_on_signals();
    ignore_broken_pipes();
    keep_freed_memory();
    return command_main(&program, argc, argv);
}
