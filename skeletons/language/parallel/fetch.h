/* Elements of distributed lists that others ask for: requests, and the indices they come from. Private. */
#ifndef BMF_LANGUAGE_FETCH_H
#define BMF_LANGUAGE_FETCH_H

#include "runtime/base/array.h"
#include "skeletons/language/parallel/parallel.h"

/* Element `element` of the spread goes to number `target` of the targets' layout. Known to the element's holder. */
typedef struct bmf_fetch_request {
    int64_t target, element;
} bmf_fetch_request;

/* In the order of the targets. */
typedef struct bmf_fetch_requests {
    bmf_fetch_request *request;
    int64_t count, capacity;
} bmf_fetch_requests;

static inline void fetch_add_request(bmf_fetch_requests *all, int64_t target, int64_t element)
{
    *ARRAY_APPEND(all->request, all->count, all->capacity) = (bmf_fetch_request){target, element};
}
void fetch_sort_requests(bmf_fetch_requests *all);

static inline int64_t index_at(const bmf_value *values, int64_t i)
{
    return *(const int64_t *)((const char *)values->data + i * values->stride);
}

/* The failure of an index outside of its list of `length` elements. */
int fail_index(bmf_evaluator *evaluator, const bmf_expression *by, const bmf_frame *frame, int64_t instance,
               int64_t index, int64_t length);
/* Ranks hear of it in the collective call that follows. A rank that has failed has no indices. */
void note_failed_index(bmf_evaluator *evaluator, int status);

/* The requests of a list of indices on every instance's processor, where the results lie, and, if processors of results
 * know it, which element the n-th result on this rank is; *element is NULL otherwise, on all ranks. */
int project_placed(bmf_evaluator *evaluator, bmf_expression *project, bmf_frame *frame, const bmf_layout *instances,
                   const bmf_distribution *spread, const bmf_value *lists, bmf_fetch_requests *requests,
                   bmf_distribution **results, int64_t **element);

#endif
