/* Random expressions with records.
 *
 * Fields are called by their place, so that records of as many components have the same names wherever they meet. */
#include <stdio.h>
#include <string.h>

#include "ctest/reference/random_maker.h"

static const char *names(random_maker *g, int first, int last)
{
    char text[8 * BMF_MAX_LEAVES] = "";
    size_t used = 0;
    for (int k = first; k <= last; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%sf%d", k > first ? "," : "", k);
    return expressions_text(g->arena, text, (int64_t)used);
}

static expression named(random_maker *g, bmf_expression_kind kind, const char *fields)
{
    expression made = node(g, kind, 0, NULL);
    made->name = fields;
    return made;
}

static expression record(random_maker *g, type out, expression tuple)
{
    return compose(g, named(g, BMF_EXPRESSION_RECORD, names(g, 1, out->components)), tuple);
}

/* A field of a record of two or three. */
static expression field(random_maker *g, type in, type out, int depth)
{
    expression part[3];
    type component[3];
    const int parts = 2 + (int)test_below(&g->random, 2), which = (int)test_below(&g->random, parts);
    for (int k = 0; k < parts; k++) {
        component[k] = k == which ? out : random_type(g, 0);
        part[k] = random_expression(g, in, component[k], k == which ? depth - 1 : depth - 2);
    }
    expression tuple = node(g, BMF_EXPRESSION_ALLTUP, parts, part);
    return compose(g, named(g, BMF_EXPRESSION_FIELD, names(g, which + 1, which + 1)),
                   record(g, bmf_type_tuple(parts, component), tuple));
}

/* A record with one or two other fields. */
static expression update(random_maker *g, type in, type out, int depth)
{
    expression part[3] = {record(g, out, random_expression(g, in, out, depth - 1))};
    const int first = (int)test_below(&g->random, out->components);
    const int last = first + 1 < out->components && chance(g, 2) ? first + 1 : first;
    for (int k = first; k <= last; k++)
        part[1 + k - first] = random_expression(g, in, out->component[k], depth - 2);
    return compose(g, named(g, BMF_EXPRESSION_WITH, names(g, first + 1, last + 1)),
                   node(g, BMF_EXPRESSION_ALLTUP, 2 + last - first, part));
}

expression random_record(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_TUPLE)
        return chance(g, 3) ? field(g, in, out, depth) : NULL;
    return chance(g, 2) ? record(g, out, random_expression(g, in, out, depth - 1)) : update(g, in, out, depth);
}
