/* Forms of cost equations; see the header. */
#include "predict/sheet/form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const startup_names[BMF_STARTUPS] = {"none", "p", "log(p)", "p*p"};
static const char *const size_names[BMF_SIZES] = {"none", "d", "p*d", "log(p)*d", "p*p*d"};

const char *startup_name(bmf_startup startup)
{
    return startup_names[startup];
}

const char *size_name(bmf_size size)
{
    return size_names[size];
}

static int find(const char *const *names, int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    return -1;
}

bool startup_find(const char *name, bmf_startup *startup)
{
    int found = find(startup_names, BMF_STARTUPS, name);
    if (found >= 0)
        *startup = (bmf_startup)found;
    return found >= 0;
}

bool size_find(const char *name, bmf_size *size)
{
    int found = find(size_names, BMF_SIZES, name);
    if (found >= 0)
        *size = (bmf_size)found;
    return found >= 0;
}

static double startup_value(bmf_startup startup, double p)
{
    switch (startup) {
    case BMF_STARTUP_P:
        return p;
    case BMF_STARTUP_LOG:
        return log(p);
    case BMF_STARTUP_SQUARE:
        return p * p;
    case BMF_STARTUP_NONE:
        break;
    }
    return 0.0;
}

static double size_value(bmf_size size, double p, double d)
{
    switch (size) {
    case BMF_SIZE_D:
        return d;
    case BMF_SIZE_P_D:
        return p * d;
    case BMF_SIZE_LOG_D:
        return log(p) * d;
    case BMF_SIZE_SQUARE_D:
        return p * p * d;
    case BMF_SIZE_NONE:
        break;
    }
    return 0.0;
}

void form_basis(bmf_form form, double p, double d, double basis[BMF_TERMS])
{
    basis[0] = 1.0;
    basis[1] = startup_value(form.startup, p);
    basis[2] = size_value(form.size, p, d);
}

int form_terms(bmf_form form, int term[BMF_TERMS])
{
    int terms = 0;
    term[terms++] = 0;
    if (form.startup != BMF_STARTUP_NONE)
        term[terms++] = 1;
    if (form.size != BMF_SIZE_NONE)
        term[terms++] = 2;
    return terms;
}

bool form_equal(bmf_form a, bmf_form b)
{
    return a.startup == b.startup && a.size == b.size;
}

const char *form_text(bmf_form form, char *text, size_t size)
{
    bool startup = form.startup != BMF_STARTUP_NONE, data = form.size != BMF_SIZE_NONE;
    snprintf(text, size, "c%s%s%s%s", startup ? " + " : "", startup ? startup_name(form.startup) : "",
             data ? " + " : "", data ? size_name(form.size) : "");
    return text;
}
