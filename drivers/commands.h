/* The subcommands of bmf.
 *
 * A subcommand NAME is a file drivers/NAME.c with `int bmf_command_NAME(int argc, char **argv)` and one line in the list
 * below. argv[0] is the subcommand's name. It returns the exit code: 0 success, 1 failed, 2 bad usage or bad input; it
 * knows --help, with an example. Errors are one line on standard error: "bmf: ...", printed by one rank.
 */
#ifndef BMF_COMMANDS_H
#define BMF_COMMANDS_H

#include <stdbool.h>
#include <stdio.h>

/* X(name, ranks, summary). SERIAL: started by mpirun only its first process works, the others end with 0.
 * PARALLEL: every process calls it. */
#define BMF_COMMANDS(X)                                                                                                \
    X(check, PARALLEL, "parse and type a program of the BMF language")                                                 \
    X(compare, SERIAL, "set a measured and a predicted run side by side")                                              \
    X(convert, SERIAL, "write a trace in another tool's format")                                                       \
    X(machine, SERIAL, "machine files: show, check, list, make")                                                       \
    X(mesh, SERIAL, "traffic on a mesh, scheduled or dynamic, cycle by cycle")                                         \
    X(plan, PARALLEL, "say what a program becomes: laws, kernels, schedules, messages")                                \
    X(permute, PARALLEL, "permute data by a matrix of bits: transpose, bit reversal, Gray code, ..")                   \
    X(predict, SERIAL, "say how long a program would take on a machine you do not have")                               \
    X(replay, SERIAL, "time a recorded run on another machine")                                                        \
    X(report, SERIAL, "say where the time of runs went")                                                               \
    X(run, PARALLEL, "run a program of the BMF language")                                                              \
    X(sheet, PARALLEL, "data sheets: measure, fit, show, ask, compare")                                                \
    X(trace, SERIAL, "say what a trace holds")

#define BMF_DECLARE_COMMAND(name, ranks, summary) int bmf_command_##name(int argc, char **argv);
BMF_COMMANDS(BMF_DECLARE_COMMAND)
#undef BMF_DECLARE_COMMAND

/* True in a process that mpirun did not start and in rank 0 of those it did. Works without MPI. */
bool bmf_is_first_process(void);

/* Prints "bmf: TEXT" and, given a command, where to find help, once, on standard error. Returns 2. */
int bmf_usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "bmf: " and the message of the process-wide slot (ctx NULL) unless status is BMF_OK. Returns the exit code. */
int bmf_report(int status);

/* 0, or 1 if standard output could not take everything; says so once. */
int bmf_finish_output(void);

#endif
