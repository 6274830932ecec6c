/* The survey of the processors that a program needs: what it says about a form (bmf_expression_form.places). The
 * expression is run on places instead of values. */
#ifndef BMF_LANGUAGE_PLACES_H
#define BMF_LANGUAGE_PLACES_H

#include "runtime/data/partition.h"
#include "skeletons/language/forms/form.h"

/* highest[d]: processor that elements of lists with d distributed lists around them may lie on. Lists nested deeper
 * count with the last. */
struct bmf_places {
    int64_t highest[BMF_MAX_LEVELS];
};

/* Where the result of an expression on processor `base` lies. */
bmf_places survey_places(bmf_survey *survey, const bmf_expression *expression, int64_t base, const bmf_places *in);
/* A list whose elements lie on processors up to `last`. */
bmf_places survey_spread(bmf_survey *survey, int64_t last);
/* The first child once per element, the others (defaults) in the instance itself: where what the first makes lies. */
bmf_places survey_elements(bmf_survey *survey, const bmf_expression *expression, int64_t base, const bmf_places *in);
bmf_places survey_join(bmf_places a, bmf_places b);

/* For descriptors. Elements may be among what comes out: */
void survey_elements_too(bmf_survey *survey, const bmf_expression *expression, int64_t base, const bmf_places *in,
                         bmf_places *out);
/* Any child's result may be: */
void survey_all(bmf_survey *survey, const bmf_expression *expression, int64_t base, const bmf_places *in,
                bmf_places *out);

#endif
