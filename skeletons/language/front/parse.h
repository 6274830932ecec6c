/* From text to expressions: a recursive-descent parser over the lexer's tokens.
 *
 * Keywords are read without regard to case (document 000 writes B_Comp, B_id, B_AllTup). Nesting of brackets, in
 * expressions and in data, is limited to BMF_MAX_NESTING, and the depth of a program's tree with all names replaced
 * (a link of f . g . h counts as one) to BMF_MAX_DEPTH: beyond it is an error, never a crash. All functions return
 * BMF_OK or a status with a message that points at the place; they are not collective. */
#ifndef BMF_LANGUAGE_PARSE_H
#define BMF_LANGUAGE_PARSE_H

#include "runtime/base/table.h"
#include "skeletons/language/front/expression.h"

enum { BMF_MAX_NESTING = 200, BMF_MAX_DEPTH = 1000 };

enum { PARAMETERS_UNKNOWN = -1 };

typedef struct bmf_definition {
    const char *name;
    bmf_span span;              /* of $name */
    bmf_expression *expression; /* NULL: not translated yet */
    bool notation;              /* written in the notation, */
    int parameters;             /* with as many; 0: a constant; PARAMETERS_UNKNOWN: an error is in them */
} bmf_definition;

/* Definitions of all files, in order of appearance. */
typedef struct bmf_library {
    bmf_definition *definition;
    int count, capacity;
    bmf_table by_name; /* of definitions; those from `count` on do not count any more */
} bmf_library;

/* The type that a program says its argument, or a parameter of main, has. */
typedef struct bmf_declared {
    const char *name;     /* of the parameter; NULL: it has none */
    const bmf_type *type; /* NULL: none is said */
    bmf_span span;        /* ": type" */
} bmf_declared;

/* What a program text holds: definitions (added to the library), one expression, and perhaps data behind it. */
typedef struct bmf_parsed {
    bmf_expression *expression;
    bool has_data;
    bool is_constant;             /* main of the notation without parameters: there is no argument */
    bmf_span data;                /* everything behind the expression, when has_data */
    int parameters;               /* of main; of the core 1, the argument; 0: a constant */
    const bmf_declared *declared; /* [parameters] */
} bmf_parsed;

/* Parses a program. A name defined twice is an error that names both places. */
int parse_program(bmf_context *ctx, const bmf_texts *texts, int text, bmf_expressions *arena, bmf_library *library,
                  bmf_parsed *parsed);
/* Parses a file of definitions only. */
int parse_library(bmf_context *ctx, const bmf_texts *texts, int text, bmf_expressions *arena, bmf_library *library);
/* Recursion among names is an error that names the cycle: $A -> $B -> $A. Unknown names are reported with near ones. */
int library_check(bmf_context *ctx, const bmf_texts *texts, const bmf_library *library,
                  const bmf_expression *expression);
/* NULL: there is none. */
const bmf_definition *library_find(const bmf_library *library, const char *name);
/* A definition whose name is not there yet. */
void library_add(bmf_library *library, bmf_definition added);
void library_free(bmf_library *library);

/* Prints an expression so that it parses back to an equal tree. Fused nodes (STREAM, SCALAR, CONVERT) are printed as
 * the composition they stand for, between < and >, which does not parse. The text is the caller's to free. indent <
 * 0: one line; otherwise broken into lines of at most 100 columns, indented by `indent`. */
char *expression_print(const bmf_expression *expression, int indent);

#endif
