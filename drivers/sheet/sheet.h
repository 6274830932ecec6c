/* The subcommands of bmf sheet; files drivers/sheet_*.c.
 *
 * argv[0] is the subcommand's name ("measure"). All return an exit code. Only measure is called by every process.
 */
#ifndef BMF_DRIVERS_SHEET_H
#define BMF_DRIVERS_SHEET_H

int bmf_sheet_measure_command(int argc, char **argv);
int bmf_sheet_fit_command(int argc, char **argv);
int bmf_sheet_kernels_command(int argc, char **argv);
int bmf_sheet_show_command(int argc, char **argv);
int bmf_sheet_calc_command(int argc, char **argv);
int bmf_sheet_plot_command(int argc, char **argv);
int bmf_sheet_compare_command(int argc, char **argv);

#endif
