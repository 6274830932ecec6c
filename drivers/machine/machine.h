/* The commands below `bmf machine`. */
#ifndef BMF_DRIVERS_MACHINE_H
#define BMF_DRIVERS_MACHINE_H

#include "drivers/command/command.h"

extern const bmf_driver machine_show_command, machine_check_command, machine_list_command, machine_make_command;

/* What a machine file is made of. */
typedef struct bmf_machine_making {
    const char *sheet;           /* of messages; NULL: they cost nothing, for one processor */
    const char *kernels;         /* NULL: kernels are run and timed where the prediction is made */
    const char *out, *name;      /* name NULL: the sheet's title */
    int64_t processors, sharing; /* 0: not said */
    bool congested, single_ports;
} bmf_machine_making;

/* Writes the file; nothing is written unless the machine is right. */
int machine_make(const bmf_machine_making *making);

#endif
