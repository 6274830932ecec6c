/* What the commands that take a program of the language share. */
#ifndef BMF_PROGRAM_OPTIONS_H
#define BMF_PROGRAM_OPTIONS_H

#include "drivers/command/command.h"
#include "skeletons/language/program.h"

typedef struct bmf_driver_options {
    bmf_strings library;  /* files of definitions */
    bmf_strings argument; /* files */
    const char *text;     /* the program, which then is not read from its path; NULL: it is */
    int64_t processors;   /* 0: as many as ranks, and as the program needs */
    const char *out;      /* run: a data file for the result */
    const char *machine;  /* run: a machine file, by whose costs algorithms are chosen */
    bool json, stats, notes;
    bool only_types; /* check: see bmf_program_options */
} bmf_driver_options;

/* Rows of their tables of options. */
#define BMF_LIBRARY_OPTION                                                                                             \
    BMF_OPTION(                                                                                                        \
        "library", "FILE", BMF_LIST(bmf_driver_options, library),                                                      \
        "a file of definitions, or the name of an installed library (lists, numbers); may be given several times")
#define BMF_ARGUMENT_OPTION                                                                                            \
    BMF_OPTION("arg", "FILE", BMF_LIST(bmf_driver_options, argument),                                                  \
               "the argument: a data file (x.npy, x.npz:NAME, x.csv:COLUMNS, x.raw:TYPE, x.h5:/NAME; docs/data.md), "  \
               "a file of data as text (.bmfdata), or data, 1000 or '[1.5, 2]'; several: a tuple; NAME=.. for the "    \
               "parameter NAME of main; default: the data at the end of the program")
#define BMF_FREE_OPTION                                                                                                \
    BMF_OPTION("free", NULL, BMF_CONTEXT,                                                                              \
               "allow laws that associate sums of reals anew, and BLAS for products of matrices")

/* And their operand. */
#define BMF_PROGRAM_OPERAND .min_operands = 1, .max_operands = 1, .no_operand = "which program? give a .bmf file"

/* The path of a library: itself if it is a file, otherwise that of an installed one of this name, or itself if there is
 * none. The caller frees it. Not collective. */
char *library_path(const char *name);

/* Loads the program of a file, and makes the machine large enough. Collective. Errors: also fewer --procs than the
 * program's splits need. */
int load_program(bmf_context *ctx, const bmf_driver_options *options, const char *path, bmf_program *program);

#endif
