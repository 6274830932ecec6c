/* Windows of lists: every element with its neighbours, as a tuple. Private to the evaluator. */
#ifndef BMF_LANGUAGE_WINDOWS_H
#define BMF_LANGUAGE_WINDOWS_H

#include "runtime/data/list.h"
#include "skeletons/language/evaluate/evaluate.h"

/* What stands around the lists of a batch and is there: of list i elements [begin[i], begin[i + 1]) of `elements`, of
 * which the first before[i] stand before it, and the others behind it. */
typedef struct bmf_around {
    bmf_value elements;
    int64_t *begin, *before; /* owned */
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
 * before them. by: for plans; column: the elements on this rank, not read where it sends marks. Collective. */
int around_parts(bmf_evaluator *evaluator, const bmf_expression *by, const bmf_partition *partition,
                 const bmf_column *column, int64_t reach, bool ring, bmf_around *around);

/* f, child[0] of the stencil, of the window of every element, or of {what is handed on to the list, the window};
 * packed lists as the packed lists `lists`, which stay. child[1], if there is one, makes what is beyond the ends.
 * handed: one value a list, or NULL. frame: of the lists. */
int windows_evaluate(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, const bmf_value *handed,
                     const bmf_value *lists, const bmf_around *around, bmf_value *out);
/* The same for lists of rows of points, of number[0] rows above and below and number[1] points to each side: f of
 * {{row above, ..}, .., {.., row below}}, or {what is handed on, these}; child[1] makes what is beyond an edge of the
 * point that a mirror there shows. Fails if rows have not one length. */
int planes_evaluate(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, const bmf_value *handed,
                    const bmf_value *lists, const bmf_around *around, bmf_value *out);

#endif
