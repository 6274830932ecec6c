/* The forms of a cost equation: t(p, d) = c + s startup(p) + k size(p, d), in seconds.
 *
 * startup(p) and size(p, d) are each a function of the lists below, whose combinations are the forms of collectives;
 * either term may be absent, which gives the line c + k d of point-to-point operations, the c + s startup(p) of
 * barriers and the constant. log is the natural logarithm. The coefficients describe; they have no physical meaning.
 *
 * Source: document 001, sections 3.2 and 3.5 (doc 001 finds that one of so few simple forms fits every operation).
 */
#ifndef BMF_FORM_H
#define BMF_FORM_H

#include <stdbool.h>
#include <stddef.h>

/* The functions: name in enums, word of sheets and TeX for it, what it varies with, value. The first one is that of an
 * absent term. A new function is a line here. */
/* clang-format off */
#define BMF_STARTUP_FUNCTIONS(X)                             \
    X(NONE, "none", "", 0, 0.0)                              \
    X(P, "p", "\\,p", BMF_WITH_P, p)                         \
    X(LOG, "log(p)", "\\,\\log p", BMF_WITH_P, log(p))       \
    X(SQUARE, "p*p", "\\,p^2", BMF_WITH_P, p * p)
#define BMF_SIZE_FUNCTIONS(X)                                                            \
    X(NONE, "none", "", 0, 0.0)                                                          \
    X(D, "d", "\\,d", BMF_WITH_D, d)                                                     \
    X(P_D, "p*d", "\\,p\\,d", BMF_WITH_P | BMF_WITH_D, p * d)                            \
    X(LOG_D, "log(p)*d", "\\,d\\log p", BMF_WITH_P | BMF_WITH_D, log(p) * d)             \
    X(SQUARE_D, "p*p*d", "\\,p^2 d", BMF_WITH_P | BMF_WITH_D, p * p * d)
/* clang-format on */

enum { BMF_WITH_P = 1, BMF_WITH_D = 2 };

typedef enum bmf_form_startup {
#define BMF_STARTUP_NAME(name, word, tex, with, value) BMF_STARTUP_##name,
    BMF_STARTUP_FUNCTIONS(BMF_STARTUP_NAME)
#undef BMF_STARTUP_NAME
        BMF_STARTUPS
} bmf_form_startup;

typedef enum bmf_form_size {
#define BMF_SIZE_NAME(name, word, tex, with, value) BMF_SIZE_##name,
    BMF_SIZE_FUNCTIONS(BMF_SIZE_NAME)
#undef BMF_SIZE_NAME
        BMF_SIZES
} bmf_form_size;

enum {
    BMF_TERMS = 3,
    BMF_FORMS = (BMF_STARTUPS - 1) * (BMF_SIZES - 1), /* with all terms */
    BMF_FORM_TEXT = 32,
};

typedef struct bmf_form {
    bmf_form_startup startup;
    bmf_form_size size;
} bmf_form;

/* ---- terms: a third kind is a list of functions, a member of bmf_form and a row of form_term ---- */

typedef struct bmf_function {
    const char *name, *tex;
    unsigned with; /* BMF_WITH_P, BMF_WITH_D */
    double (*value)(double p, double d);
} bmf_function;

/* A kind of term: what it is called in sheets, its coefficient, the variable that it grows with, and its functions. */
typedef struct bmf_term {
    const char *name, *coefficient, *variable;
    int functions;
    const bmf_function *function;
} bmf_term;

/* The first is the constant. */
extern const bmf_term form_term[BMF_TERMS];

/* Which of its functions a term of the form has; 0 is none, and that of the constant. */
int form_function(bmf_form form, int term);
void form_set(bmf_form *form, int term, int function);
/* "none", "p", "log(p)*d", ..: the word of sheets. Static storage. */
const char *form_word(bmf_form form, int term);
/* Sets a term by the word of sheets; false if there is none. */
bool form_find(bmf_form *form, int term, const char *word);
/* The words of a kind from the first-th on, as in "p, log(p) and p*p" with last " and ". Returns text. */
const char *form_words(int term, int first, const char *last, char *text, size_t size);

/* The values that c, s and k are multiplied with; 0 for an absent term. */
void form_basis(bmf_form form, double p, double d, double basis[BMF_TERMS]);
/* Which of c, s and k the form has: indices into the above in term[]. Returns how many, 1 to 3. */
int form_terms(bmf_form form, int term[BMF_TERMS]);
bool form_equal(bmf_form a, bmf_form b);
/* "c + log(p) + p*d": the form without its coefficients, into text. Returns text. */
const char *form_text(bmf_form form, char *text, size_t size);

#endif
