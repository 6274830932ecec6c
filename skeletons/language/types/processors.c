/* How many processors the P_Splits of a typed expression need.
 *
 * Method: the expression is run on places instead of values: for every depth of distributed lists in each other the
 * highest processor their elements may lie on, and for the expression the highest processor of its instance. A split
 * of p parts with stride s reaches from there (p - 1) 2^s further; a map goes on from its list's elements. What has no
 * distributed lists, by its type, lies nowhere else. Components of tuples and branches are not told apart, so the
 * answer may be too high where a smaller list is chosen among several.
 * Cost: O(nodes * different places they are used with).
 * Source: document 000, 5.3.4. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/types/check.h"
#include "skeletons/language/types/places.h"

typedef struct visit {
    const bmf_expression *node;
    int64_t base;
    bmf_places in, out;
    struct visit *next;
} visit;

enum { BUCKETS = 256 };

struct bmf_survey {
    int64_t highest; /* so far */
    visit *bucket[BUCKETS];
};

bmf_places survey_join(bmf_places a, bmf_places b)
{
    for (int d = 0; d < BMF_MAX_LEVELS; d++)
        if (b.highest[d] > a.highest[d])
            a.highest[d] = b.highest[d];
    return a;
}

/* As seen by the elements of a distributed list. */
static bmf_places inner(bmf_places list)
{
    memmove(list.highest, list.highest + 1, (BMF_MAX_LEVELS - 1) * sizeof list.highest[0]);
    return list;
}

static bmf_places outer(int64_t elements, bmf_places element)
{
    int64_t last = element.highest[BMF_MAX_LEVELS - 1];
    memmove(element.highest + 1, element.highest, (BMF_MAX_LEVELS - 1) * sizeof element.highest[0]);
    element.highest[0] = elements;
    if (last > element.highest[BMF_MAX_LEVELS - 1])
        element.highest[BMF_MAX_LEVELS - 1] = last;
    return element;
}

bmf_places survey_spread(bmf_survey *survey, int64_t last)
{
    if (last > survey->highest)
        survey->highest = last;
    return outer(last, (bmf_places){{0}});
}

bmf_places survey_elements(bmf_survey *survey, const bmf_expression *expression, int64_t base, const bmf_places *in)
{
    bmf_places out = *in, element;
    if (expression->children > 0 && expression->parallel) {
        element = inner(*in);
        out = outer(in->highest[0], survey_places(survey, expression->child[0], in->highest[0], &element));
    } else if (expression->children > 0) {
        out = survey_places(survey, expression->child[0], base, in);
    }
    for (int k = 1; k < expression->children; k++)
        survey_places(survey, expression->child[k], base, in);
    return out;
}

void survey_elements_too(bmf_survey *survey, const bmf_expression *expression, int64_t base, const bmf_places *in,
                         bmf_places *out)
{
    *out = survey_join(*in, survey_elements(survey, expression, base, in));
}

void survey_all(bmf_survey *survey, const bmf_expression *expression, int64_t base, const bmf_places *in,
                bmf_places *out)
{
    *out = (bmf_places){{0}};
    for (int k = 0; k < expression->children; k++)
        *out = survey_join(*out, survey_places(survey, expression->child[k], base, in));
}

/* Distributed lists in each other. */
static int levels_of(const bmf_type *type)
{
    int most = 0;
    for (int k = 0; k < type->components; k++) {
        const int levels = levels_of(type->component[k]);
        most = levels > most ? levels : most;
    }
    return most + (type->kind == BMF_DISTRIBUTED);
}

static bmf_places only_levels(bmf_places places, const bmf_type *type)
{
    for (int d = levels_of(type); d < BMF_MAX_LEVELS; d++)
        places.highest[d] = 0;
    return places;
}

bmf_places survey_places(bmf_survey *survey, const bmf_expression *expression, int64_t base, const bmf_places *in)
{
    const bmf_expression_form *form = form_of(expression);
    if (!expression->communicates || !form->places)
        return only_levels(*in, expression->out);
    visit **bucket = &survey->bucket[((uintptr_t)expression >> 4) % BUCKETS];
    for (const visit *known = *bucket; known; known = known->next)
        if (known->node == expression && known->base == base && memcmp(&known->in, in, sizeof *in) == 0)
            return known->out;
    visit *made = allocate(sizeof *made);
    *made = (visit){.node = expression, .base = base, .in = *in};
    form->places(survey, expression, base, in, &made->out);
    made->out = only_levels(made->out, expression->out);
    made->next = *bucket;
    *bucket = made;
    return made->out;
}

int64_t processors_needed(const bmf_expression *checked)
{
    bmf_survey all = {0};
    const bmf_places start = {{0}};
    survey_places(&all, checked, 0, &start);
    for (int k = 0; k < BUCKETS; k++) {
        while (all.bucket[k]) {
            visit *next = all.bucket[k]->next;
            free(all.bucket[k]);
            all.bucket[k] = next;
        }
    }
    return all.highest + 1;
}
