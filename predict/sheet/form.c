/* Forms of cost equations; see the header. */
#include "predict/sheet/form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BMF_STARTUP_VALUE(name, word, tex, with, result)                                                               \
    static double startup_##name(double p, double d)                                                                   \
    {                                                                                                                  \
        (void)p;                                                                                                       \
        (void)d;                                                                                                       \
        return result;                                                                                                 \
    }
BMF_STARTUP_FUNCTIONS(BMF_STARTUP_VALUE)

#define BMF_SIZE_VALUE(name, word, tex, with, result)                                                                  \
    static double size_##name(double p, double d)                                                                      \
    {                                                                                                                  \
        (void)p;                                                                                                       \
        (void)d;                                                                                                       \
        return result;                                                                                                 \
    }
BMF_SIZE_FUNCTIONS(BMF_SIZE_VALUE)

static double one(double p, double d)
{
    (void)p;
    (void)d;
    return 1.0;
}

static const bmf_function constants[] = {{"", "", 0, one}};

static const bmf_function startups[BMF_STARTUPS] = {
#define BMF_STARTUP_ROW(name, word, tex, with, value) {word, tex, with, startup_##name},
    BMF_STARTUP_FUNCTIONS(BMF_STARTUP_ROW)};

static const bmf_function sizes[BMF_SIZES] = {
#define BMF_SIZE_ROW(name, word, tex, with, value) {word, tex, with, size_##name},
    BMF_SIZE_FUNCTIONS(BMF_SIZE_ROW)};

const bmf_term form_term[BMF_TERMS] = {
    {"constant", "c", "", 1, constants},
    {"startup", "s", "p", BMF_STARTUPS, startups},
    {"size", "k", "d", BMF_SIZES, sizes},
};

int form_function(bmf_form form, int term)
{
    return term == 1 ? (int)form.startup : term == 2 ? (int)form.size : 0;
}

void form_set(bmf_form *form, int term, int function)
{
    if (term == 1)
        form->startup = (bmf_form_startup)function;
    else if (term == 2)
        form->size = (bmf_form_size)function;
}

const char *form_word(bmf_form form, int term)
{
    return form_term[term].function[form_function(form, term)].name;
}

bool form_find(bmf_form *form, int term, const char *word)
{
    for (int k = 0; k < form_term[term].functions; k++)
        if (strcmp(form_term[term].function[k].name, word) == 0) {
            form_set(form, term, k);
            return true;
        }
    return false;
}

const char *form_words(int term, int first, const char *last, char *text, size_t size)
{
    const bmf_term *of = &form_term[term];
    size_t used = 0;
    text[0] = 0;
    for (int k = first; k < of->functions && used < size; k++) {
        const char *separator = k == first ? "" : k + 1 == of->functions ? last : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, of->function[k].name);
    }
    return text;
}

void form_basis(bmf_form form, double p, double d, double basis[BMF_TERMS])
{
    for (int k = 0; k < BMF_TERMS; k++)
        basis[k] = form_term[k].function[form_function(form, k)].value(p, d);
}

int form_terms(bmf_form form, int term[BMF_TERMS])
{
    int terms = 0;
    for (int k = 0; k < BMF_TERMS; k++)
        if (k == 0 || form_function(form, k) > 0)
            term[terms++] = k;
    return terms;
}

bool form_equal(bmf_form a, bmf_form b)
{
    for (int k = 0; k < BMF_TERMS; k++)
        if (form_function(a, k) != form_function(b, k))
            return false;
    return true;
}

const char *form_text(bmf_form form, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", form_term[0].coefficient);
    for (int k = 1; k < BMF_TERMS && used < size; k++)
        if (form_function(form, k) > 0)
            used += (size_t)snprintf(text + used, size - used, " + %s", form_word(form, k));
    return text;
}
