/* The commands of bmf.
 *
 * A command NAME is a file drivers/NAME.c, or a directory drivers/NAME, with a descriptor
 * `const bmf_driver NAME_command` (drivers/command/command.h), and a line in this table. Those below it, such as
 * `bmf sheet fit`, are made alike.
 */
#ifndef BMF_COMMANDS_H
#define BMF_COMMANDS_H

#include "drivers/command/command.h"

#define BMF_COMMANDS(X)                                                                                                \
    X(calibrate)                                                                                                       \
    X(check)                                                                                                           \
    X(choose)                                                                                                          \
    X(compare)                                                                                                         \
    X(convert)                                                                                                         \
    X(core)                                                                                                            \
    X(cop)                                                                                                             \
    X(doctor)                                                                                                          \
    X(format)                                                                                                          \
    X(language_server)                                                                                                 \
    X(machine)                                                                                                         \
    X(mesh)                                                                                                            \
    X(model)                                                                                                           \
    X(notation)                                                                                                        \
    X(plan)                                                                                                            \
    X(parallelise)                                                                                                     \
    X(permute)                                                                                                         \
    X(predict)                                                                                                         \
    X(record)                                                                                                          \
    X(replay)                                                                                                          \
    X(report)                                                                                                          \
    X(run)                                                                                                             \
    X(sheet)                                                                                                           \
    X(sweep)                                                                                                           \
    X(trace)                                                                                                           \
    X(validate)

#define BMF_DECLARE_COMMAND(name) extern const bmf_driver name##_command;
BMF_COMMANDS(BMF_DECLARE_COMMAND)

/* For the tables of groups. */
#define BMF_COMMAND_ROW(name) &name##_command,

#endif
