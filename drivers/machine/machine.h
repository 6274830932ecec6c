/* The subcommands of bmf machine; files drivers/machine_*.c. argv[0] is the subcommand's name. All return an exit code
 * and are called by one process. */
#ifndef BMF_DRIVERS_MACHINE_H
#define BMF_DRIVERS_MACHINE_H

int bmf_machine_show_command(int argc, char **argv);
int bmf_machine_check_command(int argc, char **argv);
int bmf_machine_list_command(int argc, char **argv);
int bmf_machine_make_command(int argc, char **argv);

#endif
