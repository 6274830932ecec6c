/* What the files of the interpreter share. */
#ifndef BMF_COP_LISP_PRIVATE_H
#define BMF_COP_LISP_PRIVATE_H

#include "predict/cop/lisp.h"
#include "runtime/base/table.h"

/* Variables, innermost first; the global ones are in symbols. */
typedef struct bmf_lisp_environment {
    bmf_lisp_symbol *symbol;
    const bmf_lisp_value *value;
    struct bmf_lisp_environment *outer;
} bmf_lisp_environment;

struct bmf_lisp_function {
    const char *name; /* "" for lambda */
    int min, max;     /* arguments; max BMF_LISP_ANY: no limit */
    bmf_lisp_builtin *builtin;
    /* a closure: */
    const bmf_lisp_value *parameters, *body;
    bmf_lisp_environment *environment;
};

struct bmf_lisp {
    const char *path;
    void *host;
    bmf_lisp_place place;
    int64_t steps, cells;
    int depth;
    char **chunk; /* memory of values */
    int64_t chunks, chunk_capacity, used, room;
    bmf_lisp_symbol **symbol;
    int64_t symbols, symbol_capacity;
    bmf_table names;
};

bmf_lisp_value *lisp_new(bmf_lisp *lisp, bmf_lisp_kind kind);
const bmf_lisp_value *lisp_real(bmf_lisp *lisp, double real);
const bmf_lisp_value *lisp_symbol_value(bmf_lisp *lisp, const char *name);

/* lisp_forms.c, lisp_functions.c */
void lisp_define_forms(bmf_lisp *lisp);
void lisp_define_functions(bmf_lisp *lisp);

/* The parameters of a builtin; the file calls values `value`. */
#define BUILTIN(name) static int name(bmf_lisp *lisp, void *host, int64_t count, value *const *argument, value **out)

typedef struct bmf_lisp_entry {
    const char *name;
    int min, max; /* arguments */
    bmf_lisp_builtin *builtin;
} bmf_lisp_entry;
void lisp_define_entries(bmf_lisp *lisp, size_t count, const bmf_lisp_entry *entry);
/* lisp_numbers.c, lisp_lists.c */
void lisp_define_numbers(bmf_lisp *lisp);
void lisp_define_lists(bmf_lisp *lisp);

#endif
