/* bmf sheet: measures, fits, shows and asks data sheets. */
#include "drivers/command/mpirun.h"
#include "drivers/sheet/sheet.h"

#include "drivers/commands.h"

static const bmf_driver *const commands[] = {&sheet_measure_command, &sheet_fit_command,       &sheet_kernels_command,
                                             &sheet_show_command,    &sheet_calc_command,      &sheet_plot_command,
                                             &sheet_compare_command, &sheet_schedules_command, NULL};

const bmf_driver sheet_command = {
    .name = "sheet",
    .summary = "data sheets: measure, fit, show, ask, compare; costs to choose by",
    .synopsis = "bmf sheet COMMAND ARGUMENT..",
    .about = "Data sheets: equations for the time of messages, collectives, skeletons and local work, fitted to "
             "measurements, with their errors and the sizes they hold for.",
    .example = BMF_MPIRUN_NAME " -n 2 bmf sheet measure -o here.raw\n"
                               "bmf sheet fit here.raw -o here.sheet\n"
                               "bmf sheet calc here.sheet bcast 2 1000",
    .exit_code = "2 is also an unknown operation (near names are listed), or a number out of range.",
    .see = "bmf-machine, bmf-permute",
    .commands = commands,
    .missing = "no command for sheets",
};
