/** @file
 * Ready-made operators. Integer ones wrap on overflow as unsigned integers do. max and min of reals and floats give
 * NaN if any element is NaN, and take -0.0 for smaller than 0.0. A product of complex numbers is (ac - bd) + (ad + bc)i
 * as written, as in NumPy: an infinite factor may give NaN where C's operator repairs the result. */
#ifndef BMF_OPERATORS_H
#define BMF_OPERATORS_H

#include <bmf/export.h>
#include <bmf/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What each gives; its identity. */

/* The sums are declared in fused.h, too. NOLINTBEGIN(readability-redundant-declaration) */
BMF_API extern const bmf_operator bmf_plus_real;     /**< a + b; 0 */
BMF_API extern const bmf_operator bmf_times_real;    /**< a b; 1 */
BMF_API extern const bmf_operator bmf_max_real;      /**< the larger; minus infinity */
BMF_API extern const bmf_operator bmf_min_real;      /**< the smaller; infinity */
BMF_API extern const bmf_operator bmf_plus_int;      /**< a + b; 0 */
BMF_API extern const bmf_operator bmf_times_int;     /**< a b; 1 */
BMF_API extern const bmf_operator bmf_max_int;       /**< the larger; INT64_MIN */
BMF_API extern const bmf_operator bmf_min_int;       /**< the smaller; INT64_MAX */
BMF_API extern const bmf_operator bmf_plus_float;    /**< a + b; 0 */
BMF_API extern const bmf_operator bmf_times_float;   /**< a b; 1 */
BMF_API extern const bmf_operator bmf_max_float;     /**< the larger; minus infinity */
BMF_API extern const bmf_operator bmf_min_float;     /**< the smaller; infinity */
BMF_API extern const bmf_operator bmf_plus_int32;    /**< a + b; 0 */
BMF_API extern const bmf_operator bmf_times_int32;   /**< a b; 1 */
BMF_API extern const bmf_operator bmf_max_int32;     /**< the larger; INT32_MIN */
BMF_API extern const bmf_operator bmf_min_int32;     /**< the smaller; INT32_MAX */
BMF_API extern const bmf_operator bmf_plus_complex;  /**< a + b; 0 */
BMF_API extern const bmf_operator bmf_times_complex; /**< a b; 1 */
BMF_API extern const bmf_operator bmf_and;           /**< a and b; true */
BMF_API extern const bmf_operator bmf_or;            /**< a or b; false */
/* NOLINTEND(readability-redundant-declaration) */

#ifdef __cplusplus
}
#endif
#endif
