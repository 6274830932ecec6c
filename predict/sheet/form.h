/* The forms of a cost equation: t(p, d) = c + s startup(p) + k size(p, d), in seconds.
 *
 * startup(p) is p, log(p) or p*p, size(p, d) is d, p*d, log(p)*d or p*p*d, which gives the twelve forms of collectives;
 * either term may be absent, which gives the line c + k d of point-to-point operations, the c + s startup(p) of
 * barriers and the constant. log is the natural logarithm. The coefficients describe; they have no physical meaning.
 *
 * Source: document 001, sections 3.2 and 3.5 (doc 001 finds that one of so few simple forms fits every operation).
 */
#ifndef BMF_FORM_H
#define BMF_FORM_H

#include <stdbool.h>
#include <stddef.h>

typedef enum bmf_startup {
    BMF_STARTUP_NONE,
    BMF_STARTUP_P,
    BMF_STARTUP_LOG,
    BMF_STARTUP_SQUARE,
} bmf_startup;

typedef enum bmf_size {
    BMF_SIZE_NONE,
    BMF_SIZE_D,
    BMF_SIZE_P_D,
    BMF_SIZE_LOG_D,
    BMF_SIZE_SQUARE_D,
} bmf_size;

enum { BMF_STARTUPS = BMF_STARTUP_SQUARE + 1, BMF_SIZES = BMF_SIZE_SQUARE_D + 1, BMF_TERMS = 3, BMF_FORM_TEXT = 32 };

typedef struct bmf_form {
    bmf_startup startup;
    bmf_size size;
} bmf_form;

/* The words of sheets: "none", "p", "log(p)", "p*p" and "none", "d", "p*d", "log(p)*d", "p*p*d". Static storage. */
const char *startup_name(bmf_startup startup);
const char *size_name(bmf_size size);
bool startup_find(const char *name, bmf_startup *startup);
bool size_find(const char *name, bmf_size *size);

/* The values that c, s and k are multiplied with; 0 for an absent term. */
void form_basis(bmf_form form, double p, double d, double basis[BMF_TERMS]);
/* Which of c, s and k the form has: indices into the above in term[]. Returns how many, 1 to 3. */
int form_terms(bmf_form form, int term[BMF_TERMS]);
bool form_equal(bmf_form a, bmf_form b);
/* "c + log(p) + p*d": the form without its coefficients, into text. Returns text. */
const char *form_text(bmf_form form, char *text, size_t size);

#endif
