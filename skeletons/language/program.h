/* A program from its files to its result. What `bmf run`, `bmf check` and `bmf plan` share. */
#ifndef BMF_LANGUAGE_PROGRAM_H
#define BMF_LANGUAGE_PROGRAM_H

#include "runtime/data/list.h"
#include "skeletons/language/argument.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/evaluate/evaluate.h"
#include "skeletons/language/laws/rewrite.h"
#include "skeletons/language/types/extents.h"

typedef struct bmf_program_options {
    const char *path;
    const char *text; /* the program's text, which is then only called `path` in messages; or NULL: the file is read */
    const char *const *library; /* paths */
    int libraries;
    int64_t processors;          /* what B_Procs stands for; 0: the context's */
    const char *const *argument; /* names of data files (bmf/files.h) or of files of data as text, or data as text; */
    int arguments;               /* 0: the data in the program; several: a tuple */
    bool only_types;             /* it will not run: types that main declares stand for data that there are not */
} bmf_program_options;

typedef struct bmf_program {
    bmf_texts texts;
    bmf_expressions *arena;
    bmf_library library;
    bmf_expression *parsed;     /* as written */
    bmf_expression *checked;    /* typed */
    bmf_expression *expression; /* rewritten: what runs */
    bmf_rewriting rewriting;
    const bmf_type *argument_type, *value_type;       /* with the names of fields */
    const bmf_extent *argument_extent, *value_extent; /* on rank 0 */
    bool declares;                                    /* the program says of what type its argument is, on rank 0 */
    bmf_argument *argument;                           /* at least one */
    int arguments;
    bmf_loop_rounds *loops; /* before it runs: to be counted or cut short (loop_rounds_begin), or NULL; borrowed */
    bool keep_parts;        /* before it runs: leave out a final P_Reduce (B_Op (B_Conc)), for program_list */
    /* once it has run, over all ranks: */
    double seconds;      /* of the slowest from argument to value */
    bmf_statistics sent; /* since the context was opened, by all of them */
    int64_t peak_bytes;  /* memory of the one that took most */
} bmf_program;

/* Reads, parses and types; rank 0 reads the files and parses the data, the others get the texts of the expressions.
 * Collective; agreed errors. ctx NULL: one process, without MPI (bmf check). */
int program_load(bmf_context *ctx, const bmf_program_options *options, bmf_program *program);
/* Applies the laws. Not collective. */
void program_rewrite(bmf_program *program, const bmf_rewriting *rewriting);
/* Runs. The number of processors must be set before (processors_needed). *result: a batch of one instance on
 * processor 0. Collective; agreed errors. */
int program_run(bmf_context *ctx, bmf_program *program, bmf_value *result);
/* Runs and gathers. *column: as of program_gather, at the cost of program_run alone. Collective; agreed errors. */
int program_value(bmf_context *ctx, bmf_program *program, bmf_column *column);
/* The result with its distributed lists gathered, as a column of one element on rank 0 (no elements elsewhere).
 * Collective. */
int program_gather(bmf_context *ctx, bmf_value *result, bmf_column *column);
/* The result as a list in C, for writing: a list, or distributed lists joined, each part where it is. Takes the result
 * over. Collective. Errors: BMF_ERROR_TYPE if it is neither. */
int program_list(bmf_context *ctx, bmf_value *result, bmf_list **list);
void program_free(bmf_program *program);

#endif
