/* Commands as tables: parsing, --help and the manual page all come from one descriptor.
 *
 * A program is a tree of commands: a group has commands below it, a leaf has options, operands and run(). Options are
 * understood as by getopt_long: --name=value, --name value, abbreviations, -- before operands. Every command knows
 * --help. Errors are one line on standard error, "PROGRAM: TEXT (see `PROGRAM COMMAND --help`)", printed by one
 * process, with exit code 2.
 *
 * Texts are prose in paragraphs; lines are broken where they are printed. Words in `backquotes` stand for themselves:
 * manual pages set them in bold.
 */
#ifndef BMF_DRIVERS_COMMAND_H
#define BMF_DRIVERS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bmf.h"

/* ---- options ---- */

typedef enum bmf_value_kind {
    BMF_VALUE_FLAG,   /* a bool; the option has no argument */
    BMF_VALUE_WHOLE,  /* an int, int64_t or uint64_t in [min, max] */
    BMF_VALUE_REAL,   /* a double in (0, largest] */
    BMF_VALUE_TEXT,   /* a const char * */
    BMF_VALUE_LIST,   /* a bmf_strings: the option may be given several times */
    BMF_VALUE_CHOICE, /* an int: which of the names that choice() knows */
    BMF_VALUE_OTHER,  /* what read() makes of it */
    BMF_VALUE_CONTEXT /* nothing: the context reads it as --bmf-NAME */
} bmf_value_kind;

enum { BMF_MAX_STRINGS = 64 };

typedef struct bmf_strings {
    int count;
    const char *text[BMF_MAX_STRINGS];
} bmf_strings;

/* The name of a choice, from 0 on, NULL behind the last; *about: what it is, if there is something to say. */
typedef const char *bmf_choice_name(int number, const char **about);

/* Where the value of an option goes: size bytes at offset in the command's values, and its possible values. */
typedef struct bmf_option_value {
    bmf_value_kind kind;
    size_t offset, size;
    int64_t min, max;
    double largest;
    bmf_choice_name *choice;
    /* Reads text into the field. 0, or what usage_error returned. */
    int (*read)(const char *text, void *field);
} bmf_option_value;

typedef struct bmf_option {
    const char *name; /* without its two hyphens; NULL ends the table */
    char letter;      /* 0: none */
    const char *argument;
    bmf_option_value value;
    const char *help;    /* A default that is in range is added to it. */
    const char *missing; /* must be given, or this is said */
} bmf_option;

#define BMF_FIELD(values, field) .offset = offsetof(values, field), .size = sizeof(((values *)NULL)->field)
#define BMF_FLAG(values, field)                                                                                        \
    {                                                                                                                  \
        .kind = BMF_VALUE_FLAG, BMF_FIELD(values, field)                                                               \
    }
#define BMF_WHOLE(values, field, lowest, highest)                                                                      \
    {                                                                                                                  \
        .kind = BMF_VALUE_WHOLE, BMF_FIELD(values, field), .min = (lowest), .max = (highest)                           \
    }
#define BMF_REAL(values, field, highest)                                                                               \
    {                                                                                                                  \
        .kind = BMF_VALUE_REAL, BMF_FIELD(values, field), .largest = (highest)                                         \
    }
#define BMF_TEXT(values, field)                                                                                        \
    {                                                                                                                  \
        .kind = BMF_VALUE_TEXT, BMF_FIELD(values, field)                                                               \
    }
#define BMF_LIST(values, field)                                                                                        \
    {                                                                                                                  \
        .kind = BMF_VALUE_LIST, BMF_FIELD(values, field)                                                               \
    }
#define BMF_CHOICE(values, field, names)                                                                               \
    {                                                                                                                  \
        .kind = BMF_VALUE_CHOICE, BMF_FIELD(values, field), .choice = (names)                                          \
    }
#define BMF_OTHER(values, field, reader)                                                                               \
    {                                                                                                                  \
        .kind = BMF_VALUE_OTHER, BMF_FIELD(values, field), .read = (reader)                                            \
    }
#define BMF_CONTEXT                                                                                                    \
    {                                                                                                                  \
        .kind = BMF_VALUE_CONTEXT                                                                                      \
    }

/* BMF_OPTION(NAME, ARGUMENT or NULL, one of the values above, HELP[, .letter = 'x'][, .missing = TEXT]) */
#define BMF_OPTION(name_, argument_, value_, ...)                                                                      \
    {                                                                                                                  \
        .name = (name_), .argument = (argument_), .value = value_, .help = __VA_ARGS__                                 \
    }
#define BMF_OPTION_END                                                                                                 \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

/* ---- commands ---- */

typedef struct bmf_operands {
    int count;
    char **text;
    bool behind_hyphens; /* -- was given before them */
} bmf_operands;

enum { BMF_ANY_NUMBER = -1 };

/* Members of a descriptor: exactly one operand, and what is said of none and of more. */
#define BMF_ONE_OPERAND(missing, more) .min_operands = 1, .max_operands = 1, .no_operand = (missing), .surplus = (more)

typedef struct bmf_driver {
    const char *name;
    const char *summary;  /* a line in the list of commands */
    const char *synopsis; /* one line for every form */
    const char *about;
    const char *example;   /* lines */
    const char *exit_code; /* what its exit codes mean besides what those of every command do; may be NULL */
    const char *see;       /* other manual pages, such as "bmf-run, bmf-plan"; may be NULL */
    void (*more)(FILE *);  /* prints more for --help that tables know, such as the networks; may be NULL */
    const char *note;      /* prose behind the options; may be NULL */
    /* a group: */
    const struct bmf_driver *const *commands; /* NULL at the end */
    const struct bmf_driver *usual;           /* the one that is meant if options come first; NULL: none */
    const char *noun;                         /* what they are; NULL: "command" */
    const char *missing;                      /* is said if none is given */
    const char *version;                      /* for --version; NULL: there is none */
    bool exact_names;                         /* the program: options cannot be abbreviated */
    /* a leaf: */
    const bmf_option *options;
    int min_operands, max_operands;   /* BMF_ANY_NUMBER: no limit */
    const char *no_operand, *surplus; /* said of too few and too many; surplus NULL: which is unexpected */
    bool parallel;                    /* run by every process, with a context; otherwise by the first one, without */
    bool every_process;               /* run by every process, without a context and without MPI */
    const void *defaults;             /* of the values */
    size_t size;                      /* bytes of the values */
    /* Returns the exit code. The values live as long as the call. */
    int (*run)(bmf_context *ctx, void *values, const bmf_operands *operands);
} bmf_driver;

/* Finds the command argv names, reads its options and runs it. Returns the exit code. */
int command_main(const bmf_driver *program, int argc, char **argv);

/* True in a process that mpirun did not start and in rank 0 of those it did. Works without MPI. */
bool is_first_process(void);

/* Prints "PROGRAM: TEXT" and where to find help, once, on standard error. Returns 2. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "PROGRAM: " and the message of ctx, or of the process-wide slot (ctx NULL), once, unless status is BMF_OK.
 * Returns the exit code. */
int report_status(const bmf_context *ctx, int status);

/* 0, or 1 if standard output could not take everything; says so once. */
int finish_output(void);

#endif
