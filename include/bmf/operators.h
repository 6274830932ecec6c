/* Ready-made operators. Integer ones wrap on overflow like C's unsigned arithmetic. max and min of reals give NaN if any
 * element is NaN, and take -0.0 for smaller than 0.0. */
#ifndef BMF_OPERATORS_H
#define BMF_OPERATORS_H

#include <bmf/export.h>
#include <bmf/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

BMF_API extern const bmf_operator bmf_plus_real, bmf_times_real, bmf_max_real, bmf_min_real;
BMF_API extern const bmf_operator bmf_plus_int, bmf_times_int, bmf_max_int, bmf_min_int;
BMF_API extern const bmf_operator bmf_and, bmf_or;

#ifdef __cplusplus
}
#endif
#endif
