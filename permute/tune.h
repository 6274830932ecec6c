/* The method of a distributed permutation by trial instead of by estimate.
 *
 * Which method is fastest depends on processors, ranks, nodes, r, the size of a share and of an element, not on the
 * single matrix. The result of a trial is remembered under those in $XDG_CACHE_HOME/bmf/permute (~/.cache/bmf/permute),
 * one line each. */
#ifndef BMF_TUNE_H
#define BMF_TUNE_H

#include "permute/exchange/exchange.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As bmf_permute_plan_create, but AUTO takes a remembered method if there is one. Collective; rank 0 reads the file. */
int bmf_permute_plan_create_tuned(bmf_context *ctx, const bmf_permutation *p, int columns, const int64_t *column_bytes,
                                  bmf_permute_method method, bmf_permute_plan **plan);

/* Tries the methods on the data (as bmf_permute_execute), except those that are hopeless by estimate; replaces the plan
 * by the fastest and remembers it. A file that cannot be written is no error. Collective. */
int bmf_permute_tune(bmf_context *ctx, const void *const *source, void *const *target, bmf_permute_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
