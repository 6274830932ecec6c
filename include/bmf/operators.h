/* Ready-made operators. Integer ones wrap on overflow as unsigned integers do. max and min of reals and floats give
 * NaN if any element is NaN, and take -0.0 for smaller than 0.0. A product of complex numbers is (ac - bd) + (ad + bc)i
 * as it stands, as in NumPy: an infinite factor may give NaN where C's operator repairs the result. */
#ifndef BMF_OPERATORS_H
#define BMF_OPERATORS_H

#include <bmf/export.h>
#include <bmf/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

BMF_API extern const bmf_operator bmf_plus_real, bmf_times_real, bmf_max_real, bmf_min_real;
BMF_API extern const bmf_operator bmf_plus_int, bmf_times_int, bmf_max_int, bmf_min_int;
BMF_API extern const bmf_operator bmf_plus_float, bmf_times_float, bmf_max_float, bmf_min_float;
BMF_API extern const bmf_operator bmf_plus_int32, bmf_times_int32, bmf_max_int32, bmf_min_int32;
BMF_API extern const bmf_operator bmf_plus_complex, bmf_times_complex;
BMF_API extern const bmf_operator bmf_and, bmf_or;

#ifdef __cplusplus
}
#endif
#endif
