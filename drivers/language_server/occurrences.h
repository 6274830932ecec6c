/* Where a name stands in a text, with one meaning: where it is bound or defined, and where it is used. */
#ifndef BMF_LANGUAGE_SERVER_OCCURRENCES_H
#define BMF_LANGUAGE_SERVER_OCCURRENCES_H

#include "drivers/language_server/inspection.h"

typedef struct occurrences {
    const char *name; /* without the $ of the core; NULL: no name stands there, or one that is built in */
    bmf_span span;    /* of the one that was asked for */
    bmf_span *at;     /* all in the text, in its order, without the $ */
    int count, capacity;
    int declaration; /* which of them binds or defines it; -1: it is in a library */
} occurrences;

/* Of the name at byte `at`, or that ends there. occurrences_free in any case. */
void occurrences_find(const inspection *of, int64_t at, occurrences *found);
void occurrences_free(occurrences *found);

#endif
