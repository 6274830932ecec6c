/* What the files of drivers/command share. */
#ifndef BMF_DRIVERS_COMMAND_PRIVATE_H
#define BMF_DRIVERS_COMMAND_PRIVATE_H

#include "drivers/command/command.h"

/* Every command has it, after the options of its table. */
extern const bmf_option help_option;

typedef enum bmf_reading { BMF_READ_RUN, BMF_READ_HELP, BMF_READ_FAILED } bmf_reading;

/* The program takes no abbreviated options. */
extern bool exact_option_names;

/* Options that the context reads get their names there, in argv. */
void name_context_options(const bmf_driver *command, int argc, char **argv);

/* Reads argv (argv[0] is the command's name) into the values, which hold the defaults. */
bmf_reading read_options(const bmf_driver *command, int argc, char **argv, void *values, bmf_operands *operands);

/* The option's default as text, "" if there is none to tell. */
const char *option_default(const bmf_driver *command, const bmf_option *option, char *text, size_t size);

/* What the exit codes of every command mean. */
extern const char *const exit_codes;

/* The text behind its first separator; NULL: it has none. */
const char *text_behind(const char *text, char separator);

/* Copies text with its letters from `from` on (a or A) changed to those from `to` on. */
void copy_letters(const char *text, char from, char to, char *copy, size_t size);

/* path: the program's name and the names of the groups, as typed. */
void print_help(const bmf_driver *command, const char *path);

/* Writes the manual pages of a program and its commands into a directory: PROGRAM.1 and PROGRAM-COMMAND.1. fragments: a
 * directory with hand-written parts. Returns the exit code. */
int write_manual(const bmf_driver *program, const char *fragments, const char *directory);

/* Writes the completion scripts PROGRAM, for bash, and _PROGRAM, for zsh, into a directory. Returns the exit code. */
int write_completions(const bmf_driver *program, const char *directory);

#endif
