/* bmf sheet: measures, fits, shows and asks data sheets. */
#include <string.h>

#include "drivers/commands.h"
#include "drivers/sheet/sheet.h"

typedef struct part {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
    bool parallel; /* every process calls it */
} part;

static const part parts[] = {
    {"measure", "time the building blocks on this machine", bmf_sheet_measure_command, true},
    {"fit", "make a sheet from measured times", bmf_sheet_fit_command, false},
    {"kernels", "make a sheet of a program's kernels from its traces", bmf_sheet_kernels_command, false},
    {"show", "print a sheet, as text, HTML or TeX", bmf_sheet_show_command, false},
    {"calc", "the time of an operation, with its errors", bmf_sheet_calc_command, false},
    {"plot", "measured points and fitted curves as a picture", bmf_sheet_plot_command, false},
    {"compare", "two sheets, operation by operation", bmf_sheet_compare_command, false},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static int print_help(void)
{
    if (!bmf_is_first_process())
        return 0;
    puts("usage: bmf sheet COMMAND ARGUMENT..\n"
         "\n"
         "Data sheets: equations for the time of messages, collectives, skeletons and local work, fitted to "
         "measurements,\n"
         "with their errors and the sizes they hold for.\n"
         "\n"
         "Commands:");
    for (int k = 0; k < PARTS; k++)
        printf("  %-8s %s\n", parts[k].name, parts[k].summary);
    puts("\n"
         "  --help   this text; `bmf sheet COMMAND --help` explains a command\n"
         "\n"
         "Example:\n"
         "  mpirun -n 2 bmf sheet measure -o here.raw\n"
         "  bmf sheet fit here.raw -o here.sheet\n"
         "  bmf sheet calc here.sheet bcast 2 1000");
    return bmf_finish_output();
}

int bmf_command_sheet(int argc, char **argv)
{
    if (argc < 2)
        return bmf_usage_error("sheet", "no command for sheets");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return print_help();
    for (int k = 0; k < PARTS; k++) {
        if (strcmp(argv[1], parts[k].name) != 0)
            continue;
        if (!parts[k].parallel && !bmf_is_first_process())
            return 0;
        return parts[k].run(argc - 1, argv + 1);
    }
    return bmf_usage_error("sheet", "unknown command '%s'; known: measure, fit, kernels, show, calc, plot, compare",
                           argv[1]);
}
