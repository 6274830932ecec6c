/* bmf machine: says what a machine file means, checks it, lists those that are installed, makes one from sheets. */
#include <string.h>

#include "drivers/commands.h"
#include "drivers/machine/machine.h"
#include "predict/network/network.h"

typedef struct part {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} part;

static const part parts[] = {
    {"show", "a machine file in words, and what messages take", bmf_machine_show_command},
    {"check", "whether a machine file is right", bmf_machine_check_command},
    {"list", "the machines that are installed", bmf_machine_list_command},
    {"make", "write a machine file for measured data sheets", bmf_machine_make_command},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static int print_help(void)
{
    puts(
        "usage: bmf machine COMMAND ARGUMENT..\n"
        "\n"
        "Machine files describe what `bmf predict` and `bmf replay` predict for: processors, what computing costs, and "
        "an\n"
        "interconnection network. M is a file, or the bare name of an installed machine.\n"
        "\n"
        "Commands:");
    for (int k = 0; k < PARTS; k++)
        printf("  %-8s %s\n", parts[k].name, parts[k].summary);
    puts("\nTypes of networks (their settings are described in docs/machines.md):");
    for (int k = 0; network_types[k]; k++)
        printf("  %-8s %s\n", network_types[k]->name, network_types[k]->summary);
    puts("\n"
         "  --help   this text; `bmf machine COMMAND --help` explains a command\n"
         "\n"
         "Example:\n"
         "  bmf machine show fast-cluster --procs 64\n"
         "  bmf machine make here.sheet --kernels sum.kernels -o here.machine");
    return bmf_finish_output();
}

int bmf_command_machine(int argc, char **argv)
{
    if (argc < 2)
        return bmf_usage_error("machine", "no command for machines");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return print_help();
    for (int k = 0; k < PARTS; k++)
        if (strcmp(argv[1], parts[k].name) == 0)
            return parts[k].run(argc - 1, argv + 1);
    return bmf_usage_error("machine", "unknown command '%s'; known: show, check, list, make", argv[1]);
}
