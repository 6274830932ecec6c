/* The commands below `bmf machine`. */
#ifndef BMF_DRIVERS_MACHINE_H
#define BMF_DRIVERS_MACHINE_H

#include "drivers/command/command.h"

extern const bmf_driver machine_show_command, machine_check_command, machine_list_command, machine_make_command;

#endif
