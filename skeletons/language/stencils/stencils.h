/* Functions of elements and their neighbours. Private to the evaluator.
 *
 * A stencil of a list sees every element with its neighbours (windows.c); one of a list of rows, or of planes of rows,
 * sees points with those around them (points.c). */
#ifndef BMF_LANGUAGE_STENCILS_H
#define BMF_LANGUAGE_STENCILS_H

#include "runtime/data/list.h"
#include "skeletons/engine/parcels.h"
#include "skeletons/language/evaluate/evaluate.h"
#include "skeletons/language/forms/stencil.h"

/* What makes the points beyond an edge, side 0 before and side 1 behind, of dimension d from the outermost on; NULL: it
 * is a ring. */
bmf_expression *stencil_edge(const bmf_expression *stencil, int d, int side);
/* No edge looks at what is there. */
bool edges_are_constant(const bmf_expression *stencil);
/* The function takes no lists: it is compiled. */
bool stencil_is_scalar(const bmf_expression *stencil);

/* What stands around the lists of a batch and is there: of list i elements [begin[i], begin[i + 1]) of `elements`, of
 * which the first before[i] stand before it, and the others behind it. */
typedef struct bmf_around {
    int64_t *begin, *before; /* owned */
    bmf_value elements;      /* none while they are on their way */
    struct bmf_around_round *round;
} bmf_around;

static inline int64_t around_behind(const bmf_around *around, int64_t i)
{
    return around->begin[i + 1] - around->begin[i] - around->before[i];
}

void around_free(bmf_around *around);
/* Of packed lists by themselves: of rings their other ends, `reach` elements on each side; otherwise nothing. */
int around_lists(bmf_evaluator *evaluator, const bmf_value *lists, int64_t reach, bool ring, bmf_around *around);
/* Of the parts of a list: what other parts have of it, up to `reach` elements on each side, or that many if it is a
 * ring; lists without elements need none. One round: a message for every run of elements that a part needs of another,
 * so 2 a part if parts have `reach` elements or more, whatever the reach. Elements of unknown size have 8 bytes of size
 * before them. by: for plans; partition, column: of the list, the elements on this rank, which are not read where it
 * sends marks; both stay the caller's, until the end. Everything but the elements is known from the beginning on; no
 * other round is begun before the end. Both collective. */
int around_begin(bmf_evaluator *evaluator, const bmf_expression *by, const bmf_partition *partition,
                 const bmf_column *column, int64_t reach, bool ring, bmf_around *around);
/* Its messages, to let them proceed while something is computed; NULL: there are none. */
bmf_exchange *around_under_way(const bmf_around *around);
int around_end(bmf_around *around);

/* Values become pairs of what is handed on to list list[k] and value k; freed on failure. */
int handed_beside(bmf_context *ctx, const bmf_value *handed, const int64_t *list, bmf_value *values);
/* Whether lists are rather seen as points (points.h): long lists of scalars, on which a compiled function works. */
bool windows_are_points(const bmf_expression *stencil, const bmf_value *lists);
/* f, child[0] of the stencil, of the window of every element, or of {what is handed on to the list, the window};
 * packed lists as the packed lists `lists`, which stay. handed: one value a list, or NULL. frame: of the lists. */
int windows_evaluate(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, const bmf_value *handed,
                     const bmf_value *lists, const bmf_around *around, bmf_value *out);

#endif
