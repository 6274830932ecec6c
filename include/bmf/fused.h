/** @file
 * A kernel and the sum of its results in one function: what map-reduce and zip-map-reduce run on where they can.
 *
 * Kernels and operators are compiled apart, so a value goes through the first-level cache on its way from one to the
 * other. A fused function keeps it in a register. The macros of kernel.h make one of every kernel that gives numbers,
 * for reductions by bmf_plus_real, bmf_plus_int, bmf_plus_float and bmf_plus_int32. The result has the bits of the map
 * followed by the reduction. Included by kernel.h; nothing of it is meant to be written by hand.
 */
#ifndef BMF_FUSED_H
#define BMF_FUSED_H

#include <bmf/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/** blocks: of 64 elements, which the kernel makes of contiguous inputs; values: 8 of each block, as bmf_operator's
 * fold_columns makes them. Returns whether the processor has the instructions; otherwise nothing was done. blocks may
 * be 0: just to know. */
typedef bool bmf_fused_function(const void *context, int64_t blocks, const bmf_slice *in, void *values);

/** A fused function and what it is of. */
typedef struct bmf_fused_fold {
    const bmf_operator *op;   /**< the function is used with this one */
    bmf_block_function *of;   /**< and with kernels of this function */
    bmf_fused_function *fold; /**< NULL: none for this compiler, or this type */
} bmf_fused_fold;

/** @cond internal */
BMF_API extern const bmf_operator bmf_plus_real;
BMF_API extern const bmf_operator bmf_plus_int;
BMF_API extern const bmf_operator bmf_plus_float;
BMF_API extern const bmf_operator bmf_plus_int32;

#ifdef __cplusplus
}

/* What sums of a type are made in, and by which operator: integers wrap. */
template <typename ctype> struct bmf_sum_of_type {
    typedef uint32_t word;
    static constexpr const bmf_operator *op = nullptr;
};
template <> struct bmf_sum_of_type<double> {
    typedef double word;
    static constexpr const bmf_operator *op = &bmf_plus_real;
};
template <> struct bmf_sum_of_type<float> {
    typedef float word;
    static constexpr const bmf_operator *op = &bmf_plus_float;
};
template <> struct bmf_sum_of_type<int64_t> {
    typedef uint64_t word;
    static constexpr const bmf_operator *op = &bmf_plus_int;
};
template <> struct bmf_sum_of_type<int32_t> {
    typedef uint32_t word;
    static constexpr const bmf_operator *op = &bmf_plus_int32;
};
#define BMF_SUM_WORD_(ctype) bmf_sum_of_type<ctype>::word
#define BMF_SUM_OF_(ctype)   bmf_sum_of_type<ctype>::op
#else
/* clang-format off */
#define BMF_SUM_WORD_(ctype)                                                                                           \
    __typeof__(_Generic(*(ctype *)0, double: 0.0, float: 0.0F, int64_t: UINT64_C(0), default: UINT32_C(0)))
#define BMF_SUM_OF_(ctype)                                                                                             \
    _Generic(*(ctype *)0, double: &bmf_plus_real, float: &bmf_plus_float, int64_t: &bmf_plus_int,                      \
             int32_t: &bmf_plus_int32, default: (const bmf_operator *)0)
/* clang-format on */
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && __GNUC__ >= 12 &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(BMF_NO_TARGET_CLONES)

/* Results [at, at + lanes) of a kernel as one vector of words. The compiler does not see through the assembly: it might
 * fuse the product that a kernel ends with and the sum behind it, here and not where a block is cut between ranks. */
#define BMF_FUSED_VECTOR_(name, width, lanes, constraint, features, out_type, word)                                    \
    typedef word name##_vector_##width __attribute__((vector_size((lanes) * sizeof(word))));                           \
    __attribute__((target(features))) BMF_INLINE name##_vector_##width name##_vector_at_##width(                       \
        const void *bmf_context_, const void *const *bmf_x_, int64_t bmf_at_)                                          \
    {                                                                                                                  \
        word bmf_line_[lanes] __attribute__((aligned(64)));                                                            \
        name##_vector_##width bmf_v_;                                                                                  \
        for (int bmf_l_ = 0; bmf_l_ < (lanes); bmf_l_++) {                                                             \
            const out_type bmf_r_ = name##_at(bmf_context_, bmf_x_, bmf_at_ + bmf_l_);                                 \
            word bmf_w_ = 0;                                                                                           \
            __builtin_memcpy(&bmf_w_, &bmf_r_, sizeof bmf_w_ < sizeof bmf_r_ ? sizeof bmf_w_ : sizeof bmf_r_);         \
            bmf_line_[bmf_l_] = bmf_w_;                                                                                \
        }                                                                                                              \
        __builtin_memcpy(&bmf_v_, bmf_line_, sizeof bmf_v_);                                                           \
        __asm__("" : constraint(bmf_v_));                                                                              \
        return bmf_v_;                                                                                                 \
    }

#define BMF_FUSED_ROW_(name, width, at) name##_vector_at_##width(bmf_context_, bmf_x_, at)
#define BMF_FUSED_ROWS_(name, width, at)                                                                               \
    ((BMF_FUSED_ROW_(name, width, at) + BMF_FUSED_ROW_(name, width, (at) + BMF_COLUMNS)) +                             \
     (BMF_FUSED_ROW_(name, width, (at) + 2 * BMF_COLUMNS) + BMF_FUSED_ROW_(name, width, (at) + 3 * BMF_COLUMNS)))

/* Blocks by columns, as many columns at a time as a vector has lanes. */
#define BMF_FUSED_WIDTH_(name, width, lanes, constraint, features, out_type, word)                                     \
    BMF_FUSED_VECTOR_(name, width, lanes, constraint, features, out_type, word)                                        \
    __attribute__((optimize("O3"), target(features))) static void name##_sum_##width(                                  \
        const void *bmf_context_, int64_t bmf_blocks_, const void *const *bmf_x_, void *bmf_values_)                   \
    {                                                                                                                  \
        word *bmf_y_ = (word *)bmf_values_;                                                                            \
        for (int64_t bmf_i_ = 0; bmf_i_ < BMF_COLUMN_BLOCK * bmf_blocks_; bmf_i_ += BMF_COLUMN_BLOCK) {                \
            name##_ahead(bmf_x_, bmf_i_);                                                                              \
            for (int bmf_c_ = 0; bmf_c_ < BMF_COLUMNS; bmf_c_ += (lanes)) {                                            \
                const int64_t bmf_at_ = bmf_i_ + bmf_c_;                                                               \
                const name##_vector_##width bmf_sum_ =                                                                 \
                    BMF_FUSED_ROWS_(name, width, bmf_at_) + BMF_FUSED_ROWS_(name, width, bmf_at_ + 4 * BMF_COLUMNS);   \
                __builtin_memcpy(bmf_y_ + bmf_c_, &bmf_sum_, sizeof bmf_sum_);                                         \
            }                                                                                                          \
            bmf_y_ += BMF_COLUMNS;                                                                                     \
        }                                                                                                              \
    }

#define BMF_FUSED_FUNCTIONS_(name, inputs, out_type, word)                                                             \
    BMF_FUSED_WIDTH_(name, 512, 8, "+v", "arch=x86-64-v4,prefer-vector-width=512", out_type, word)                     \
    BMF_FUSED_WIDTH_(name, 256, 4, "+x", "avx2", out_type, word)                                                       \
    static bool name##_sum(const void *bmf_context_, int64_t bmf_blocks_, const bmf_slice *bmf_in_, void *bmf_values_) \
    {                                                                                                                  \
        const void *const bmf_x_[2] = {bmf_in_[0].data, bmf_in_[(inputs)-1].data};                                     \
        if (__builtin_cpu_supports("x86-64-v4"))                                                                       \
            name##_sum_512(bmf_context_, bmf_blocks_, bmf_x_, bmf_values_);                                            \
        else if (__builtin_cpu_supports("avx2"))                                                                       \
            name##_sum_256(bmf_context_, bmf_blocks_, bmf_x_, bmf_values_);                                            \
        else                                                                                                           \
            return false;                                                                                              \
        return true;                                                                                                   \
    }
#define BMF_FUSED_OF_(name, out_type) (BMF_IS_NUMBER(out_type) && BMF_KIND_OF(out_type) != BMF_BOOL ? name##_sum : 0)
#else
#define BMF_FUSED_FUNCTIONS_(name, inputs, out_type, word)
#define BMF_FUSED_OF_(name, out_type) 0
#endif

/* The sum of a kernel's results: name_fused. */
#define BMF_FUSED_(name, inputs, out_type)                                                                             \
    BMF_FUSED_FUNCTIONS_(name, inputs, out_type, BMF_SUM_WORD_(out_type))                                              \
    static const bmf_fused_fold name##_fused __attribute__((unused)) = {                                               \
        BMF_SUM_OF_(out_type), BMF_BLOCK_OF_(name, out_type), BMF_FUSED_OF_(name, out_type)};
/** @endcond */

#endif
