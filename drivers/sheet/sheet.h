/* The commands below `bmf sheet`. */
#ifndef BMF_DRIVERS_SHEET_H
#define BMF_DRIVERS_SHEET_H

#include "drivers/command/command.h"

extern const bmf_driver sheet_measure_command, sheet_fit_command, sheet_kernels_command, sheet_show_command,
    sheet_calc_command, sheet_plot_command, sheet_compare_command, sheet_schedules_command;

#endif
