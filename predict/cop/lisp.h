/* The Lisp that COP programs are written in: values, reading, evaluating.
 *
 * A subset of Scheme with some words of Common Lisp (docs/cop.md has the list): integers of 64 bits whose overflow is
 * an error, reals as literals and in the four operations, symbols, strings, lists, functions; lexical scope. nil is the
 * empty list and false, and is NULL here. Values belong to the interpreter and live as long as it does.
 *
 * A program ends: evaluation is limited to LISP_STEPS steps, LISP_CELLS cells and LISP_DEPTH calls inside each other.
 * Errors are BMF_ERROR_FILE with "PATH:LINE:COLUMN: ..". Not collective; needs no MPI.
 */
#ifndef BMF_COP_LISP_H
#define BMF_COP_LISP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BMF_LISP_STEPS INT64_C(10000000)
#define BMF_LISP_CELLS INT64_C(1000000)
enum { BMF_LISP_DEPTH = 2000, BMF_LISP_ANY = -1 };

typedef enum bmf_lisp_kind {
    BMF_LISP_INTEGER,
    BMF_LISP_REAL,
    BMF_LISP_SYMBOL,
    BMF_LISP_STRING,
    BMF_LISP_CONS,
    BMF_LISP_FUNCTION,
    BMF_LISP_OBJECT /* of the host: operators, values known at run time */
} bmf_lisp_kind;

typedef struct bmf_lisp bmf_lisp;
typedef struct bmf_lisp_value bmf_lisp_value;
typedef struct bmf_lisp_function bmf_lisp_function;

typedef struct bmf_lisp_symbol {
    const char *name;
    const bmf_lisp_value *value; /* global */
    bool bound;
    /* Computes a global value when it is asked for; NULL: `value`. */
    int (*compute)(bmf_lisp *lisp, void *host, const bmf_lisp_value **value);
    /* A special form of that name; gets the whole form. NULL: none. */
    int (*special)(bmf_lisp *lisp, const bmf_lisp_value *form, void *environment, const bmf_lisp_value **value);
} bmf_lisp_symbol;

struct bmf_lisp_value {
    bmf_lisp_kind kind;
    int line, column; /* CONS: where its first part stands in the text; 0: nowhere */
    int depth;        /* CONS: of the lists inside of it, at most BMF_LISP_DEPTH */
    union {
        int64_t integer;
        double real;
        const char *text;
        bmf_lisp_symbol *symbol;
        bmf_lisp_function *function;
        void *object;
        struct {
            const bmf_lisp_value *first, *rest;
        } cons;
    };
};

/* A function of the host; arguments have been evaluated. */
typedef int bmf_lisp_builtin(bmf_lisp *lisp, void *host, int64_t count, const bmf_lisp_value *const *argument,
                             const bmf_lisp_value **value);

bmf_lisp *lisp_create(const char *path, void *host);
void lisp_free(bmf_lisp *lisp);
/* Cleared; lives as long as the interpreter. */
void *lisp_allocate(bmf_lisp *lisp, int64_t size);
void *lisp_host(const bmf_lisp *lisp);

/* All forms of a text as one list. */
int lisp_read(bmf_lisp *lisp, const char *text, int64_t size, int first_line, const bmf_lisp_value **forms);
/* environment NULL: the global one. */
int lisp_evaluate(bmf_lisp *lisp, const bmf_lisp_value *form, void *environment, const bmf_lisp_value **value);
/* Evaluates forms in order; the value of the last. */
int lisp_evaluate_body(bmf_lisp *lisp, const bmf_lisp_value *forms, void *environment, const bmf_lisp_value **value);
int lisp_apply(bmf_lisp *lisp, const bmf_lisp_value *function, int64_t count, const bmf_lisp_value *const *argument,
               const bmf_lisp_value **value);
/* A new environment with one more variable. */
void *lisp_bind(bmf_lisp *lisp, void *environment, bmf_lisp_symbol *symbol, const bmf_lisp_value *value);

bmf_lisp_symbol *lisp_symbol(bmf_lisp *lisp, const char *name);
void lisp_define_builtin(bmf_lisp *lisp, const char *name, int min, int max, bmf_lisp_builtin *builtin);

/* A symbol that stands for itself. */
void lisp_define_symbol(bmf_lisp *lisp, const char *name);

const bmf_lisp_value *lisp_integer(bmf_lisp *lisp, int64_t integer);
const bmf_lisp_value *lisp_object(bmf_lisp *lisp, void *object);
const bmf_lisp_value *lisp_boolean(bmf_lisp *lisp, bool is_true);
/* Fails when there are too many cells. */
int lisp_cons(bmf_lisp *lisp, const bmf_lisp_value *first, const bmf_lisp_value *rest, const bmf_lisp_value **value);
int lisp_list(bmf_lisp *lisp, int64_t count, const bmf_lisp_value *const *element, const bmf_lisp_value **list);
int lisp_integers(bmf_lisp *lisp, int64_t count, const int64_t *integer, const bmf_lisp_value **list);

static inline bool lisp_is(const bmf_lisp_value *value, bmf_lisp_kind kind)
{
    return value && value->kind == kind;
}
static inline const bmf_lisp_value *lisp_first(const bmf_lisp_value *list)
{
    return lisp_is(list, BMF_LISP_CONS) ? list->cons.first : NULL;
}
static inline const bmf_lisp_value *lisp_rest(const bmf_lisp_value *list)
{
    return lisp_is(list, BMF_LISP_CONS) ? list->cons.rest : NULL;
}
int64_t lisp_length(const bmf_lisp_value *list);
bool lisp_equal(const bmf_lisp_value *a, const bmf_lisp_value *b);
/* How a value is written, cut to size; returns text. */
char *lisp_text(const bmf_lisp_value *value, char *text, size_t size);

/* The elements of a list of whole numbers, in lisp_allocate's memory. what: "a list of nodes", for the message. */
int lisp_take_integers(bmf_lisp *lisp, const bmf_lisp_value *list, const char *what, int64_t *count,
                       const int64_t **integer);
int lisp_take_integer(bmf_lisp *lisp, const bmf_lisp_value *value, const char *what, int64_t *integer);

/* Where errors are: the call that is being carried out. */
typedef struct bmf_lisp_place {
    int line, column;
} bmf_lisp_place;
bmf_lisp_place lisp_place(const bmf_lisp *lisp);
void lisp_set_place(bmf_lisp *lisp, bmf_lisp_place place);
/* BMF_ERROR_FILE with the place in front. */
int lisp_fail(const bmf_lisp *lisp, const char *format, ...) __attribute__((format(printf, 2, 3)));
int lisp_fail_at(const bmf_lisp *lisp, bmf_lisp_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
