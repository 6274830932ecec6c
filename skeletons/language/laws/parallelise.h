/* The parallel program from the serial one: lists are split over processors where one says, and the laws carry the
 * split through what follows, up to where the list has to be whole again.
 *
 * At a split, xs = reduce ++ (split p xs). What comes next takes the place of the gathering:
 *   map, filter            map f o reduce ++ = reduce ++ o map (map f), and so for filter
 *   reduce, length         reduce op o reduce ++ = reduce op o map (reduce op), op associative
 *   distl, zip             of a split list and one value, or of two lists that are split alike
 *   scan                   by the totals of the parts: scans of the parts, and before each the total of those before it
 *   reduce ++              of lists in the list: within the parts
 *   stencil, shift, sort, reduce by key    what P_ makes of all parts together
 *   product                of the rows of the first matrix
 *   index, pick, slice     the processors that have the elements send them
 *   map of reductions      each processor reduces its part for every element, and the results are zipped
 *   choices, loops         the branches, or the body, for themselves, where they leave the list split as it was
 *   tuples of functions    each of them for itself
 * and whatever else there is gets the gathered list. The lists inside of a list that is not split can be split, too,
 * each over all processors; those inside of a split list over the columns of a grid of processors, on whose rows its
 * parts are. Nothing here is collective. */
#ifndef BMF_LANGUAGE_PARALLELISE_H
#define BMF_LANGUAGE_PARALLELISE_H

#include "skeletons/language/front/parse.h"
#include "skeletons/language/laws/rewrite.h"

enum { BMF_MAX_SPLIT_POINTS = 62, BMF_MAX_STATED = 64 };

typedef enum bmf_splitting_law {
    BMF_SPLITTING_IDENTITY,
    BMF_SPLITTING_MAP,
    BMF_SPLITTING_FILTER,
    BMF_SPLITTING_REDUCE,
    BMF_SPLITTING_LENGTH,
    BMF_SPLITTING_DISTL,
    BMF_SPLITTING_ZIP,
    BMF_SPLITTING_SCAN,
    BMF_SPLITTING_CONCATENATION,
    BMF_SPLITTING_STENCIL,
    BMF_SPLITTING_SORT,
    BMF_SPLITTING_BY_KEY,
    BMF_SPLITTING_INDEX,
    BMF_SPLITTING_PICK,
    BMF_SPLITTING_TABLE,
    BMF_SPLITTING_PRODUCT,
    BMF_SPLITTING_CHOICE,
    BMF_SPLITTING_LOOP,
    BMF_SPLITTING_INNER,
    BMF_SPLITTING_GRID,
    BMF_SPLITTING_LAWS
} bmf_splitting_law;

const char *splitting_law_name(bmf_splitting_law law);

/* An operator that somebody says is associative. */
typedef struct bmf_stated_operator {
    const char *name;                /* its definition, with the $ if it is one of the core */
    const bmf_expression *operation; /* out: as it was found, typed; NULL: it was not */
} bmf_stated_operator;

/* Part k of the outer list is on processor k 2^log2_stride, parts of its inner lists on that and the next ones. */
typedef struct bmf_processor_grid {
    int64_t rows, columns; /* 0: there is none */
    int log2_stride;       /* columns <= 2^log2_stride */
} bmf_processor_grid;

typedef struct bmf_splitting {
    /* in: */
    int64_t processors;
    bmf_processor_grid grid;    /* for lists that are split outside and inside */
    uint64_t chosen;            /* bit k: split at point k */
    bool reassociate;           /* sums and products of reals, too */
    const bmf_library *library; /* the program's definitions, for operators that are stated */
    int stated;
    bmf_stated_operator operation[BMF_MAX_STATED];
    /* out: */
    int points;     /* places where there is a list that could be split; at most BMF_MAX_SPLIT_POINTS */
    uint64_t inner; /* of the points, those inside of maps */
    uint64_t rows;  /* of the chosen points, those whose lists are split over the rows of the grid */
    int64_t applied[BMF_SPLITTING_LAWS];
    bool needs_elements; /* every processor must get an element: an operator without an identity */
    bool needs_some;     /* the list must not be empty: a reduction without a default, which would fail */
    bool may_overflow;   /* ints are added up in another order: what overflows on the way may differ */
    const char *refused; /* a reduction that stayed serial, and why; NULL: none */
    bmf_span refused_at;
} bmf_splitting;

/* A program for processors from a serial one that was checked; names are replaced by their definitions. It is not
 * typed: print and check it. NULL: it is parallel already. */
bmf_expression *parallelise(bmf_expressions *arena, const bmf_expression *checked, bmf_splitting *splitting);

#endif
