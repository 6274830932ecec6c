/* bmf machine: says what a machine file means, checks it, lists those that are installed, makes one from sheets. */
#include "drivers/machine/machine.h"

#include "drivers/commands.h"
#include "predict/network/network.h"

static void print_networks(FILE *to)
{
    fputs("Types of networks (their settings are described in docs/machines.md):\n", to);
    for (int k = 0; network_types[k]; k++)
        fprintf(to, "  %-8s %s\n", network_types[k]->name, network_types[k]->summary);
}

static const bmf_driver *const commands[] = {&machine_show_command, &machine_check_command, &machine_list_command,
                                             &machine_make_command, NULL};

const bmf_driver machine_command = {
    .name = "machine",
    .summary = "machine files: show, check, list, make",
    .synopsis = "bmf machine COMMAND ARGUMENT..",
    .about =
        "Machine files describe what `bmf predict` and `bmf replay` predict for: processors, what computing costs, and "
        "an interconnection network. M is a file, or the bare name of an installed machine.",
    .example = "bmf machine show fast-cluster --procs 64\n"
               "bmf machine make here.sheet --kernels sum.kernels -o here.machine",
    .exit_code = "2 is also a mistake in a machine file or a sheet: one line with file and line.",
    .see = "bmf-sheet, bmf-predict, bmf-replay, bmf-permute",
    .more = print_networks,
    .commands = commands,
    .missing = "no command for machines",
};
