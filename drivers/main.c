/* The bmf command. */
#include <fcntl.h>
#include <unistd.h>

#include "bmf/version.h"
#include "drivers/commands.h"

/* Keeps files and connections from being opened in the place of closed standard streams, and so from being written to
 * by mistake. */
static void hold_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static const bmf_driver *const commands[] = {BMF_COMMANDS(BMF_COMMAND_ROW) NULL};

static const bmf_driver program = {
    .name = "bmf",
    .summary = "run, predict and look at data-parallel programs of Bird-Meertens skeletons",
    .synopsis = "bmf COMMAND ARGUMENT..\nbmf --help\nbmf --version",
    .about =
        "Runs data-parallel programs of Bird-Meertens skeletons, predicts them for other machines, and looks at both.",
    .example = "mpirun -n 4 ./program --bmf-trace run.trace\n"
               "bmf trace run.trace\n"
               "bmf convert run.trace --to chrome -o run.json",
    .see =
        "bmf-check, bmf-compare, bmf-convert, bmf-machine, bmf-mesh, bmf-permute, bmf-plan, bmf-predict, bmf-replay, "
        "bmf-report, bmf-run, bmf-sheet, bmf-trace, mpirun",
    .commands = commands,
    .missing = "no command",
    .version = BMF_VERSION,
};

int main(int argc, char **argv)
{
    hold_standard_streams();
    return command_main(&program, argc, argv);
}
