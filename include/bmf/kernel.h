/** @file
 * Kernels and operators: the only things that compute.
 *
 * A kernel is a block function over columns: it gets slices of up to a thousand elements at a time, so that the
 * compiler vectorises the loop inside. Users write an element expression and one of the macros below makes the
 * block function; who needs more (tuples, state, failure) writes the block function.
 *
 *     BMF_MAP_KERNEL(square, double, x, double, x * x)
 *     BMF_ZIP_KERNEL(scaled, double, x, int64_t, k, double, x * (double)k)
 *     BMF_FOLD_KERNEL(plus, double, a, b, a + b, 0.0)
 *
 * Each defines a static const object of its name: a bmf_kernel or a bmf_operator.
 */
#ifndef BMF_KERNEL_H
#define BMF_KERNEL_H

#include <bmf/export.h>
#include <bmf/slice.h>
#include <bmf/type.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BMF_MAX_INPUTS = 4, /**< of a kernel */
    BMF_KERNEL_VERSION = 2,
    BMF_OPERATOR_VERSION = 2
};

/** count elements; in: the leaves of the inputs in order; out: the leaves of the output. Element i of a leaf is at
 * (char *)data + i * stride. An output slice never overlaps an input slice unless it is exactly the same (in-place).
 * Returns 0, or a positive code of the user's (only if the kernel says may_fail). Called by several threads at once. */
typedef int bmf_block_function(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out);

/** The same for a kernel that cannot fail and has one leaf of output, with stores that go past the caches, so that
 * lines are not read before they are written. All slices are contiguous; the output begins and ends with a line of 64
 * bytes. Returns whether the processor has such stores; otherwise nothing was done. Count may be 0: just to know. */
typedef bool bmf_stream_function(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out);

/** A kernel: a block function and what it takes and gives. Members that are not named are 0. */
typedef struct bmf_kernel {
    const char *name;                      /**< for messages, traces and data sheets */
    bmf_block_function *block;             /**< computes */
    const void *context;                   /**< handed to block; the caller keeps it alive */
    int inputs;                            /**< 1 .. BMF_MAX_INPUTS */
    const bmf_type *input[BMF_MAX_INPUTS]; /**< their types */
    const bmf_type *output;                /**< the type of a result */
    bool may_fail;                         /**< ranks then tell each other: one allreduce at the end */
    int version;                           /**< BMF_KERNEL_VERSION: which members there are; 0 for the first layout */
    bmf_stream_function *stream;           /**< from version 1 on: for large results; may be NULL */
    const struct bmf_fused_fold *fused;    /**< from version 2 on: see bmf/fused.h; may be NULL */
} bmf_kernel;

/** The same kernel with another context. */
static inline bmf_kernel bmf_kernel_bind(const bmf_kernel *kernel, const void *context)
{
    bmf_kernel bound = *kernel;
    bound.context = context;
    return bound;
}

/** Largest block of the fixed tree: fold and scan functions get at most this many elements. */
enum { BMF_BLOCK = 1024 };

/** Reductions go through blocks of 64 elements, which are read as 8 rows of 8: row by row, or column by column. */
enum { BMF_COLUMNS = 8, BMF_COLUMN_BLOCK = 64, BMF_AHEAD_BYTES = 4096, BMF_LINE_BYTES = 64 };

/** An associative operator.
 *
 * combine is a block function with two inputs and one output of the operator's type: out[i] = a[i] op b[i].
 * fold and scan are optional fast forms for types of one leaf over contiguous elements; without them combine is
 * called level by level. With count = 2^k <= BMF_BLOCK:
 *   fold(context, count, x, levels)  levels gets count - 1 values: the count/2 values x[2i] op x[2i+1], then the
 *                                    count/4 values of those, .., last the value of the whole block
 *   scan(context, count, x, levels, prefix, last, out, scratch)  from fold's levels: exclusive prefixes
 *                                    out[i] = prefix op (x[0] .. x[i-1]) by the same tree; prefix NULL: out[0] is left
 *                                    alone. If last is given, inclusive instead: out[i-1] gets that, out[count-1] =
 *                                    *last. scratch: 2 * count values. out may be x.
 *   reassociate(context, count, x, out)  optional, any count >= 1: all elements in any association, and in any order if
 *                                    the operator commutes; for exact operators, and in the free mode
 *   fold_rows(context, blocks, x, out)  optional: from each block of 64 elements, read as 8 rows of 8, the values of
 *                                    its rows by the tree: what fold gives as its third level, without the others
 *   scan_rows(context, blocks, x, prefix, out)  optional, with fold_rows: the exclusive prefixes of every row r behind
 *                                    prefix[r]: prefix[r], prefix[r] op r0, prefix[r] op (r0 op r1),
 *                                    (prefix[r] op (r0 op r1)) op r2, ..; the arrays do not overlap
 *   fold_columns(context, blocks, x, out)  optional, of scalars, if the operator commutes and is not exact: from each
 *                                    block the values of its 8 columns: of rows r
 *                                    ((r0 op r1) op (r2 op r3)) op ((r4 op r5) op (r6 op r7)), which only takes
 *                                    operations between whole vectors. Reductions then associate as
 *                                    docs/reproducible.md says of operators that commute
 *   fold_keys(context, keys, count, key, x, table)  optional, any count: table[key[i]] = table[key[i]] op x[i] from
 *                                    left to right, up to the first key that is not one of 0 to keys - 1; returns how
 *                                    many elements are before it, or -1 if the operator failed
 */
typedef struct bmf_operator {
    const char *name;            /**< for messages, traces and data sheets */
    const bmf_type *type;        /**< of operands and results */
    bmf_block_function *combine; /**< out[i] = a[i] op b[i] */
    /** See above; may be NULL. */
    void (*fold)(const void *context, int64_t count, const void *x, void *levels);
    /** See above; may be NULL. */
    void (*scan)(const void *context, int64_t count, const void *x, const void *levels, const void *prefix,
                 const void *last, void *out, void *scratch);
    /** See above; may be NULL. */
    void (*reassociate)(const void *context, int64_t count, const void *x, void *out);
    const void *context;  /**< handed to the functions; the caller keeps it alive */
    const void *identity; /**< a record of the type, or NULL: none */
    unsigned flags;       /**< BMF_COMMUTATIVE, BMF_EXACT */
    bool may_fail;        /**< as of a kernel */
    int version;          /**< BMF_OPERATOR_VERSION: which members there are; 0: those above */
    /** See above; may be NULL. Since version 1. */
    void (*fold_rows)(const void *context, int64_t blocks, const void *x, void *out);
    /** See above; may be NULL. Since version 1. */
    void (*fold_columns)(const void *context, int64_t blocks, const void *x, void *out);
    /** See above; may be NULL. Since version 1. */
    void (*scan_rows)(const void *context, int64_t blocks, const void *x, const void *prefix, void *out);
    /** See above; may be NULL. Since version 2. */
    int64_t (*fold_keys)(const void *context, int64_t keys, int64_t count, const int64_t *key, const void *x,
                         void *table);
} bmf_operator;

enum {
    BMF_COMMUTATIVE = 1, /**< a op b = b op a */
    BMF_EXACT = 2        /**< associative to the last bit: integers, max; not sums of reals */
};

/** @def BMF_VECTORISE
 * Kernel functions are compiled for several vector widths; the loader picks (not under sanitizers). A compiler that was
 * told of one processor (-march=native) compiles them for that alone: what is inlined everywhere would not fit others.
 * gcc calls the levels x86-64, x86-64-v2, .. `k8`, which systems may make the usual ones; clones build on them. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&                           \
    (!defined(__k8__) || defined(__AES__)) && !defined(BMF_NO_TARGET_CLONES)
#define BMF_NO_TARGET_CLONES
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(BMF_NO_TARGET_CLONES)
#if __GNUC__ >= 12
#define BMF_VECTORISE __attribute__((optimize("O3"), target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define BMF_VECTORISE __attribute__((optimize("O3"), target_clones("avx512f", "avx2", "default")))
#endif
#else
#define BMF_VECTORISE
#endif
/** @def BMF_VECTORISE_UNFUSED
 * The same without instructions that fuse a product and a sum, for what makes structs or complex numbers: gcc 12 fuses
 * `a * c - b * d` beside `a * d + b * c` in vectors, and only there, whatever -ffp-contract says. Then an element would
 * depend on whether it is computed in vectors, and so on where parts begin: on the number of ranks. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(BMF_NO_TARGET_CLONES)
#define BMF_VECTORISE_UNFUSED __attribute__((optimize("O3"), target_clones("avx2", "default")))
#elif defined(__GNUC__) && !defined(__clang__) && defined(__FMA__)
#define BMF_VECTORISE_UNFUSED __attribute__((optimize("no-tree-vectorize", "no-tree-slp-vectorize")))
#else
#define BMF_VECTORISE_UNFUSED
#endif
/** How operators are compiled, which may be of any type. */
#ifndef BMF_VECTORISE_OPERATOR
#define BMF_VECTORISE_OPERATOR BMF_VECTORISE_UNFUSED
#endif
/** A function of a kernel that is always inlined. */
#define BMF_INLINE static inline __attribute__((always_inline, unused))

/** Whether a type is one number, of which nothing can be fused by mistake; a constant. */
#define BMF_IS_NUMBER(type) (BMF_KIND_OF(type) != BMF_STRUCT && BMF_KIND_OF(type) != BMF_COMPLEX)

/** Before a short loop that is to become vectors: gcc would rather unroll it into single operations. */
#if defined(__GNUC__) && !defined(__clang__)
#define BMF_KEEP_LOOP_ _Pragma("GCC unroll 1")
#else
#define BMF_KEEP_LOOP_
#endif

/** @cond internal: results that go past the caches, a line at a time, which the compiler keeps in registers */
/* Elements in a line, if it is full of them. */
#define BMF_LINE_(type) (64 % sizeof(type) == 0 ? (int64_t)(64 / sizeof(type)) : 1)

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && __GNUC__ >= 12 &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(BMF_NO_TARGET_CLONES)
typedef long long bmf_vector_512 __attribute__((vector_size(64), may_alias));
typedef long long bmf_vector_256 __attribute__((vector_size(32), may_alias));
/** Writes the 64 aligned bytes at `line` to the aligned `to`, past the caches. */
__attribute__((target("avx512f"))) BMF_INLINE void bmf_stream_line_512(void *bmf_to_, const void *bmf_line_)
{
    __builtin_ia32_movntdq512((bmf_vector_512 *)bmf_to_, *(const bmf_vector_512 *)bmf_line_);
}
/** The same in two halves. */
__attribute__((target("avx2"))) BMF_INLINE void bmf_stream_line_256(void *bmf_to_, const void *bmf_line_)
{
    __builtin_ia32_movntdq256((bmf_vector_256 *)bmf_to_, *(const bmf_vector_256 *)bmf_line_);
    __builtin_ia32_movntdq256((bmf_vector_256 *)bmf_to_ + 1, *((const bmf_vector_256 *)bmf_line_ + 1));
}

/* One function for a vector width; `element` has the loop variable bmf_i_. loop: BMF_KEEP_LOOP_, or nothing. */
#define BMF_STREAM_WIDTH_(name, width, features, out_type, loop, declarations, element)                                \
    __attribute__((optimize("O3"), target(features))) static void name##_stream_##width(                               \
        const void *bmf_context_, int64_t bmf_count_, const bmf_slice *bmf_in_, const bmf_slice *bmf_out_)             \
    {                                                                                                                  \
        declarations;                                                                                                  \
        out_type *bmf_y_ = (out_type *)bmf_out_[0].data;                                                               \
        for (int64_t bmf_l_ = 0; bmf_l_ < bmf_count_; bmf_l_ += BMF_LINE_(out_type)) {                                 \
            out_type bmf_line_[(sizeof(out_type) + 63) / sizeof(out_type)] __attribute__((aligned(64)));               \
            loop for (int64_t bmf_i_ = bmf_l_; bmf_i_ < bmf_l_ + BMF_LINE_(out_type); bmf_i_++)                        \
                bmf_line_[bmf_i_ - bmf_l_] = element;                                                                  \
            bmf_stream_line_##width(bmf_y_ + bmf_l_, bmf_line_);                                                       \
        }                                                                                                              \
    }
#define BMF_STREAM_(name, out_type, loop, declarations, element)                                                       \
    BMF_STREAM_WIDTH_(name, 512, "arch=x86-64-v4,prefer-vector-width=512", out_type, loop, declarations, element)      \
    BMF_STREAM_WIDTH_(name, 256, "avx2", out_type, loop, declarations, element)                                        \
    static bool name##_stream(const void *bmf_context_, int64_t bmf_count_, const bmf_slice *bmf_in_,                  \
                              const bmf_slice *bmf_out_)                                                               \
    {                                                                                                                  \
        if (__builtin_cpu_supports("x86-64-v4"))                                                                       \
            name##_stream_512(bmf_context_, bmf_count_, bmf_in_, bmf_out_);                                            \
        else if (__builtin_cpu_supports("avx2"))                                                                       \
            name##_stream_256(bmf_context_, bmf_count_, bmf_in_, bmf_out_);                                            \
        else                                                                                                           \
            return false;                                                                                              \
        return true;                                                                                                   \
    }
#define BMF_STREAM_OF_(name, out_type) (64 % sizeof(out_type) == 0 && BMF_IS_NUMBER(out_type) ? name##_stream : 0)
#else
#define BMF_STREAM_(name, out_type, loop, declarations, element)
#define BMF_STREAM_OF_(name, out_type) 0
#endif
/** @endcond */

/** Asks for what stands 4 KiB further on. The machine's own reading ahead stops at pages, and while it learns where a
 * new one is read no request is under way. */
#define BMF_READ_AHEAD_(data, bytes)                                                                                   \
    for (int bmf_line_ = 0; bmf_line_ < (int)(bytes); bmf_line_ += BMF_LINE_BYTES)                                     \
    __builtin_prefetch((const char *)(data) + BMF_AHEAD_BYTES + bmf_line_)

/** Four values by the tree. */
#define BMF_FOLD_FOUR_(combine, a, b, c, d) combine(combine(a, b), combine(c, d))

/** Element i of a slice, as an lvalue. */
#define BMF_AT(type, slice, i) (*(type *)((char *)(slice).data + (i) * (slice).stride))

/** @cond internal: block functions */
#define BMF_MAP_BLOCK_(vectorise, name, suffix, context_type, in_type, out_type)                                       \
    vectorise static int name##_##suffix(const void *bmf_context_, int64_t bmf_count_, const bmf_slice *bmf_in_,       \
                                         const bmf_slice *bmf_out_)                                                    \
    {                                                                                                                  \
        const context_type *bmf_c_ = (const context_type *)bmf_context_;                                               \
        if (bmf_in_[0].stride == (int64_t)sizeof(in_type) && bmf_out_[0].stride == (int64_t)sizeof(out_type)) {        \
            const in_type *bmf_x_ = (const in_type *)bmf_in_[0].data;                                                  \
            out_type *bmf_y_ = (out_type *)bmf_out_[0].data;                                                           \
            for (int64_t bmf_i_ = 0; bmf_i_ < bmf_count_; bmf_i_++)                                                    \
                bmf_y_[bmf_i_] = name##_element(bmf_c_, bmf_x_[bmf_i_]);                                               \
        } else {                                                                                                       \
            for (int64_t bmf_i_ = 0; bmf_i_ < bmf_count_; bmf_i_++)                                                    \
                BMF_AT(out_type, bmf_out_[0], bmf_i_) =                                                                \
                    name##_element(bmf_c_, BMF_AT(const in_type, bmf_in_[0], bmf_i_));                                 \
        }                                                                                                              \
        return 0;                                                                                                      \
    }
#define BMF_ZIP_BLOCK_(vectorise, name, suffix, context_type, a_type, b_type, out_type)                                \
    vectorise static int name##_##suffix(const void *bmf_context_, int64_t bmf_count_, const bmf_slice *bmf_in_,       \
                                         const bmf_slice *bmf_out_)                                                    \
    {                                                                                                                  \
        const context_type *bmf_c_ = (const context_type *)bmf_context_;                                               \
        if (bmf_in_[0].stride == (int64_t)sizeof(a_type) && bmf_in_[1].stride == (int64_t)sizeof(b_type) &&            \
            bmf_out_[0].stride == (int64_t)sizeof(out_type)) {                                                         \
            const a_type *bmf_a_ = (const a_type *)bmf_in_[0].data;                                                    \
            const b_type *bmf_b_ = (const b_type *)bmf_in_[1].data;                                                    \
            out_type *bmf_y_ = (out_type *)bmf_out_[0].data;                                                           \
            for (int64_t bmf_i_ = 0; bmf_i_ < bmf_count_; bmf_i_++)                                                    \
                bmf_y_[bmf_i_] = name##_element(bmf_c_, bmf_a_[bmf_i_], bmf_b_[bmf_i_]);                               \
        } else {                                                                                                       \
            for (int64_t bmf_i_ = 0; bmf_i_ < bmf_count_; bmf_i_++)                                                    \
                BMF_AT(out_type, bmf_out_[0], bmf_i_) = name##_element(                                                \
                    bmf_c_, BMF_AT(const a_type, bmf_in_[0], bmf_i_), BMF_AT(const b_type, bmf_in_[1], bmf_i_));       \
        }                                                                                                              \
        return 0;                                                                                                      \
    }
#define BMF_BLOCK_OF_(name, out_type) (BMF_IS_NUMBER(out_type) ? name##_block : name##_unfused)
/** @endcond */

/** name(x) = expression, elementwise. */
#define BMF_MAP_KERNEL(name, in_type, x, out_type, expression)                                                         \
    BMF_MAP_KERNEL_WITH(name, char, name##_unused, in_type, x, out_type, expression)

/** The same with a context: `context` is a const context_type * inside the expression; see bmf_kernel_bind. */
#define BMF_MAP_KERNEL_WITH(name, context_type, context, in_type, x, out_type, expression)                             \
    BMF_INLINE out_type name##_element(const context_type *context, in_type x)                                         \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        return __extension__(out_type)(expression);                                                                    \
    }                                                                                                                  \
    BMF_MAP_BLOCK_(BMF_VECTORISE, name, block, context_type, in_type, out_type)                                        \
    BMF_MAP_BLOCK_(BMF_VECTORISE_UNFUSED, name, unfused, context_type, in_type, out_type)                              \
    BMF_STREAM_(name, out_type, , const context_type *bmf_c_ = (const context_type *)bmf_context_;                     \
                const in_type *bmf_x_ = (const in_type *)bmf_in_[0].data, name##_element(bmf_c_, bmf_x_[bmf_i_]))      \
    BMF_INLINE out_type name##_at(const void *bmf_context_, const void *const *bmf_x_, int64_t bmf_i_)                 \
    {                                                                                                                  \
        return name##_element((const context_type *)bmf_context_, ((const in_type *)bmf_x_[0])[bmf_i_]);               \
    }                                                                                                                  \
    BMF_INLINE void name##_ahead(const void *const *bmf_x_, int64_t bmf_i_)                                            \
    {                                                                                                                  \
        BMF_READ_AHEAD_((const in_type *)bmf_x_[0] + bmf_i_, BMF_COLUMN_BLOCK * sizeof(in_type));                      \
    }                                                                                                                  \
    BMF_FUSED_(name, 1, out_type)                                                                                      \
    static const bmf_type name##_in_type = BMF_TYPE_OF(in_type), name##_out_type = BMF_TYPE_OF(out_type);              \
    static const bmf_kernel name __attribute__((unused)) = {#name,                                                     \
                                                            BMF_BLOCK_OF_(name, out_type),                             \
                                                            0,                                                         \
                                                            1,                                                         \
                                                            {&name##_in_type},                                         \
                                                            &name##_out_type,                                          \
                                                            false,                                                     \
                                                            BMF_KERNEL_VERSION,                                        \
                                                            BMF_STREAM_OF_(name, out_type),                            \
                                                            &name##_fused};

/** name(a, b) = expression, elementwise over two lists. */
#define BMF_ZIP_KERNEL(name, a_type, a, b_type, b, out_type, expression)                                               \
    BMF_ZIP_KERNEL_WITH(name, char, name##_unused, a_type, a, b_type, b, out_type, expression)

/** The same with a context, as in BMF_MAP_KERNEL_WITH. */
#define BMF_ZIP_KERNEL_WITH(name, context_type, context, a_type, a, b_type, b, out_type, expression)                   \
    BMF_INLINE out_type name##_element(const context_type *context, a_type a, b_type b)                                \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        return __extension__(out_type)(expression);                                                                    \
    }                                                                                                                  \
    BMF_ZIP_BLOCK_(BMF_VECTORISE, name, block, context_type, a_type, b_type, out_type)                                 \
    BMF_ZIP_BLOCK_(BMF_VECTORISE_UNFUSED, name, unfused, context_type, a_type, b_type, out_type)                       \
    BMF_STREAM_(name, out_type, , const context_type *bmf_c_ = (const context_type *)bmf_context_;                     \
                const a_type *bmf_a_ = (const a_type *)bmf_in_[0].data;                                                \
                const b_type *bmf_b_ = (const b_type *)bmf_in_[1].data,                                                \
                name##_element(bmf_c_, bmf_a_[bmf_i_], bmf_b_[bmf_i_]))                                                \
    BMF_INLINE out_type name##_at(const void *bmf_context_, const void *const *bmf_x_, int64_t bmf_i_)                 \
    {                                                                                                                  \
        return name##_element((const context_type *)bmf_context_, ((const a_type *)bmf_x_[0])[bmf_i_],                 \
                              ((const b_type *)bmf_x_[1])[bmf_i_]);                                                    \
    }                                                                                                                  \
    BMF_INLINE void name##_ahead(const void *const *bmf_x_, int64_t bmf_i_)                                            \
    {                                                                                                                  \
        BMF_READ_AHEAD_((const a_type *)bmf_x_[0] + bmf_i_, BMF_COLUMN_BLOCK * sizeof(a_type));                        \
        BMF_READ_AHEAD_((const b_type *)bmf_x_[1] + bmf_i_, BMF_COLUMN_BLOCK * sizeof(b_type));                        \
    }                                                                                                                  \
    BMF_FUSED_(name, 2, out_type)                                                                                      \
    static const bmf_type name##_a_type = BMF_TYPE_OF(a_type), name##_b_type = BMF_TYPE_OF(b_type),                    \
                          name##_out_type = BMF_TYPE_OF(out_type);                                                     \
    static const bmf_kernel name __attribute__((unused)) = {#name,                                                     \
                                                            BMF_BLOCK_OF_(name, out_type),                             \
                                                            0,                                                         \
                                                            2,                                                         \
                                                            {&name##_a_type, &name##_b_type},                          \
                                                            &name##_out_type,                                          \
                                                            false,                                                     \
                                                            BMF_KERNEL_VERSION,                                        \
                                                            BMF_STREAM_OF_(name, out_type),                            \
                                                            &name##_fused};

/** An associative operator a op b = expression with an identity (last argument; for a struct {..} with commas), which
 * does not claim to commute. Exact if the type is an integer, otherwise not. */
#define BMF_NONCOMMUTATIVE_OPERATOR(name, type, a, b, expression, ...)                                                 \
    static const type name##_identity = __VA_ARGS__;                                                                   \
    BMF_OPERATOR_(name, type, a, b, expression, &name##_identity, BMF_EXACT_KIND(type))

/** The same of an operator that commutes: a op b = b op a. */
#define BMF_COMMUTATIVE_OPERATOR(name, type, a, b, expression, ...)                                                    \
    static const type name##_identity = __VA_ARGS__;                                                                   \
    BMF_OPERATOR_(name, type, a, b, expression, &name##_identity, BMF_EXACT_KIND(type) | BMF_COMMUTATIVE)

/** Another name of BMF_NONCOMMUTATIVE_OPERATOR. */
#define BMF_FOLD_KERNEL(name, type, a, b, expression, ...)                                                             \
    BMF_NONCOMMUTATIVE_OPERATOR(name, type, a, b, expression, __VA_ARGS__)

/** An operator with all its flags (BMF_COMMUTATIVE, BMF_EXACT) given. */
#define BMF_FOLD_KERNEL_FLAGS(name, type, a, b, expression, identity_value, flag_bits)                                 \
    static const type name##_identity = identity_value;                                                                \
    BMF_OPERATOR_(name, type, a, b, expression, &name##_identity, flag_bits)

/** An operator that has no identity, with all its flags given. */
#define BMF_FOLD_KERNEL_NO_IDENTITY(name, type, a, b, expression, flag_bits)                                           \
    BMF_OPERATOR_(name, type, a, b, expression, 0, flag_bits)

/** BMF_EXACT for integers and bool, otherwise 0. */
#define BMF_EXACT_KIND(type)                                                                                           \
    (BMF_KIND_OF(type) == BMF_INT || BMF_KIND_OF(type) == BMF_INT32 || BMF_KIND_OF(type) == BMF_BOOL                   \
         ? (unsigned)BMF_EXACT                                                                                         \
         : 0u)

/** @cond internal: the parts of an operator, one function after the other */
enum { BMF_REASSOCIATE_LANES = 32, BMF_FOLD_STEP = 16 };

/** As if x were used. */
#if defined(__GNUC__)
#define BMF_LOOK_AT_(x) __asm__ volatile("" : : "m"(x))
#else
#define BMF_LOOK_AT_(x) (void)(x)
#endif

#define BMF_OPERATOR_(name, type, a, b, expression, identity_pointer, flag_bits)                                       \
    BMF_INLINE type name##_element(type a, type b)                                                                     \
    {                                                                                                                  \
        return __extension__(type)(expression);                                                                        \
    }                                                                                                                  \
    BMF_OPERATOR_COMBINE_(name, type)                                                                                  \
    BMF_OPERATOR_FOLD_(name, type)                                                                                     \
    BMF_OPERATOR_SCAN_LEVELS_(name, type)                                                                              \
    BMF_OPERATOR_SCAN_PAIRS_(name, type)                                                                               \
    BMF_OPERATOR_SCAN_(name, type)                                                                                     \
    BMF_OPERATOR_QUICK_(name, type, flag_bits)                                                                         \
    BMF_OPERATOR_ROWS_(name, type)                                                                                     \
    BMF_OPERATOR_SCAN_ROWS_(name, type)                                                                                \
    BMF_OPERATOR_COLUMNS_(name, type)                                                                                  \
    BMF_OPERATOR_KEYS_(name, type)                                                                                     \
    static const bmf_type name##_type = BMF_TYPE_OF(type);                                                             \
    static const bmf_operator name __attribute__((unused)) =                                                           \
        BMF_OPERATOR_VALUE_(name, type, identity_pointer, flag_bits);

/* clang-format off */
#define BMF_OPERATOR_VALUE_(name, type, identity_pointer, flag_bits)                                                   \
    {#name, &name##_type, name##_combine, name##_fold, name##_scan, name##_quick, 0, identity_pointer, flag_bits,      \
     false, BMF_OPERATOR_VERSION, name##_rows, BMF_FOLDS_COLUMNS_(type, flag_bits) ? name##_columns : 0,               \
     name##_scan_rows, name##_keys}
/* clang-format on */

/** Whether reductions by an operator go column by column. */
#define BMF_FOLDS_COLUMNS_(type, flag_bits)                                                                            \
    (BMF_KIND_OF(type) != BMF_STRUCT && ((flag_bits) & (BMF_COMMUTATIVE | BMF_EXACT)) == BMF_COMMUTATIVE)

/** out[i] = a[i] op b[i]. */
#define BMF_OPERATOR_COMBINE_(name, type)                                                                              \
    BMF_VECTORISE_OPERATOR static int name##_combine(const void *bmf_context_, int64_t bmf_count_,                     \
                                                     const bmf_slice *bmf_in_, const bmf_slice *bmf_out_)              \
    {                                                                                                                  \
        const int64_t bmf_s_ = (int64_t)sizeof(type);                                                                  \
        (void)bmf_context_;                                                                                            \
        if (bmf_in_[0].stride == bmf_s_ && bmf_in_[1].stride == bmf_s_ && bmf_out_[0].stride == bmf_s_) {              \
            const type *bmf_a_ = (const type *)bmf_in_[0].data, *bmf_b_ = (const type *)bmf_in_[1].data;               \
            type *bmf_y_ = (type *)bmf_out_[0].data;                                                                   \
            for (int64_t bmf_i_ = 0; bmf_i_ < bmf_count_; bmf_i_++)                                                    \
                bmf_y_[bmf_i_] = name##_element(bmf_a_[bmf_i_], bmf_b_[bmf_i_]);                                       \
        } else {                                                                                                       \
            for (int64_t bmf_i_ = 0; bmf_i_ < bmf_count_; bmf_i_++)                                                    \
                BMF_AT(type, bmf_out_[0], bmf_i_) =                                                                    \
                    name##_element(BMF_AT(const type, bmf_in_[0], bmf_i_), BMF_AT(const type, bmf_in_[1], bmf_i_));    \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

/** The levels of the fixed tree; long ones in steps of a fixed length, which vectorise without a remainder. */
#define BMF_OPERATOR_FOLD_(name, type)                                                                                 \
    BMF_VECTORISE_OPERATOR static void name##_fold(const void *bmf_context_, int64_t bmf_count_, const void *bmf_x_,   \
                                                   void *bmf_levels_)                                                  \
    {                                                                                                                  \
        const type *bmf_from_ = (const type *)bmf_x_;                                                                  \
        type *bmf_to_ = (type *)bmf_levels_;                                                                           \
        (void)bmf_context_;                                                                                            \
        int64_t bmf_half_ = bmf_count_ / 2;                                                                            \
        for (; bmf_half_ >= BMF_FOLD_STEP; bmf_half_ /= 2) {                                                           \
            const type *__restrict bmf_f_ = bmf_from_;                                                                 \
            type *__restrict bmf_t_ = bmf_to_;                                                                         \
            for (int64_t bmf_i_ = 0; bmf_i_ < bmf_half_; bmf_i_ += BMF_FOLD_STEP)                                      \
                for (int64_t bmf_j_ = bmf_i_; bmf_j_ < bmf_i_ + BMF_FOLD_STEP; bmf_j_++)                               \
                    bmf_t_[bmf_j_] = name##_element(bmf_f_[2 * bmf_j_], bmf_f_[2 * bmf_j_ + 1]);                       \
            bmf_from_ = bmf_to_;                                                                                       \
            bmf_to_ += bmf_half_;                                                                                      \
        }                                                                                                              \
        for (; bmf_half_ > 0; bmf_half_ /= 2) {                                                                        \
            for (int64_t bmf_i_ = 0; bmf_i_ < bmf_half_; bmf_i_++)                                                     \
                bmf_to_[bmf_i_] = name##_element(bmf_from_[2 * bmf_i_], bmf_from_[2 * bmf_i_ + 1]);                    \
            bmf_from_ = bmf_to_;                                                                                       \
            bmf_to_ += bmf_half_;                                                                                      \
        }                                                                                                              \
    }

/** The way down the tree to the prefixes of pairs, which it returns: cur[i] becomes the prefix of node i, level by
 * level. Without a prefix cur[0] means nothing and cur[1] is the first node itself. */
#define BMF_OPERATOR_SCAN_LEVELS_(name, type)                                                                          \
    BMF_INLINE type *name##_scan_levels(int64_t bmf_count_, const type *bmf_level_, bool bmf_open_, type *bmf_cur_)    \
    {                                                                                                                  \
        type *bmf_next_ = bmf_cur_ + bmf_count_;                                                                       \
        bmf_level_ += bmf_count_ - 1 - (bmf_count_ > 1);                                                               \
        for (int64_t bmf_half_ = 1; bmf_half_ < bmf_count_ / 2; bmf_half_ *= 2) {                                      \
            bmf_level_ -= 2 * bmf_half_;                                                                               \
            const type *__restrict bmf_l_ = bmf_level_;                                                                \
            const type *__restrict bmf_c_ = bmf_cur_;                                                                  \
            type *__restrict bmf_n_ = bmf_next_;                                                                       \
            for (int64_t bmf_i_ = 0; bmf_i_ < bmf_half_; bmf_i_++) {                                                   \
                bmf_n_[2 * bmf_i_] = bmf_c_[bmf_i_];                                                                   \
                bmf_n_[2 * bmf_i_ + 1] = name##_element(bmf_c_[bmf_i_], bmf_l_[2 * bmf_i_]);                           \
            }                                                                                                          \
            if (bmf_open_)                                                                                             \
                bmf_n_[1] = bmf_l_[0];                                                                                 \
            bmf_next_ = bmf_cur_;                                                                                      \
            bmf_cur_ = bmf_n_;                                                                                         \
        }                                                                                                              \
        return bmf_cur_;                                                                                               \
    }

/** The lowest level: the prefix of a pair gives those of its two elements; cur[i + 1] is the second one's inclusive. */
#define BMF_OPERATOR_SCAN_PAIRS_(name, type)                                                                           \
    BMF_INLINE void name##_scan_inclusive(int64_t bmf_pairs_, const type *bmf_v_, const type *bmf_cur_, type *bmf_y_)  \
    {                                                                                                                  \
        for (int64_t bmf_i_ = 0; bmf_i_ < bmf_pairs_; bmf_i_++) {                                                      \
            type bmf_e_ = bmf_v_[2 * bmf_i_];                                                                          \
            bmf_y_[2 * bmf_i_] = name##_element(bmf_cur_[bmf_i_], bmf_e_);                                             \
            bmf_y_[2 * bmf_i_ + 1] = bmf_cur_[bmf_i_ + 1];                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    BMF_INLINE void name##_scan_exclusive(int64_t bmf_pairs_, const type *bmf_v_, const type *bmf_cur_, type *bmf_y_)  \
    {                                                                                                                  \
        for (int64_t bmf_i_ = 0; bmf_i_ < bmf_pairs_; bmf_i_++) {                                                      \
            type bmf_e_ = bmf_v_[2 * bmf_i_];                                                                          \
            bmf_y_[2 * bmf_i_] = bmf_cur_[bmf_i_];                                                                     \
            bmf_y_[2 * bmf_i_ + 1] = name##_element(bmf_cur_[bmf_i_], bmf_e_);                                         \
        }                                                                                                              \
    }

#define BMF_OPERATOR_SCAN_(name, type)                                                                                 \
    BMF_VECTORISE_OPERATOR static void name##_scan(const void *bmf_context_, int64_t bmf_count_, const void *bmf_x_,   \
                                                   const void *bmf_levels_, const void *bmf_prefix_,                   \
                                                   const void *bmf_last_, void *bmf_out_, void *bmf_scratch_)          \
    {                                                                                                                  \
        const type *bmf_v_ = (const type *)bmf_x_;                                                                     \
        type *bmf_y_ = (type *)bmf_out_, *bmf_cur_ = (type *)bmf_scratch_;                                             \
        const int64_t bmf_pairs_ = bmf_count_ / 2;                                                                     \
        const type bmf_first_ = bmf_v_[0];                                                                             \
        (void)bmf_context_;                                                                                            \
        bmf_cur_[0] = bmf_prefix_ ? *(const type *)bmf_prefix_ : bmf_first_;                                           \
        bmf_cur_ = name##_scan_levels(bmf_count_, (const type *)bmf_levels_, !bmf_prefix_, bmf_cur_);                  \
        if (bmf_last_) {                                                                                               \
            bmf_cur_[bmf_pairs_] = *(const type *)bmf_last_;                                                           \
            name##_scan_inclusive(bmf_pairs_, bmf_v_, bmf_cur_, bmf_y_);                                               \
            if (bmf_count_ == 1)                                                                                       \
                bmf_y_[0] = *(const type *)bmf_last_;                                                                  \
            else if (!bmf_prefix_)                                                                                     \
                bmf_y_[0] = bmf_first_;                                                                                \
        } else {                                                                                                       \
            name##_scan_exclusive(bmf_pairs_, bmf_v_, bmf_cur_, bmf_y_);                                               \
            if (bmf_count_ == 1 && bmf_prefix_)                                                                        \
                bmf_y_[0] = *(const type *)bmf_prefix_;                                                                \
            if (bmf_count_ > 1 && !bmf_prefix_)                                                                        \
                bmf_y_[1] = bmf_first_;                                                                                \
        }                                                                                                              \
    }

#define BMF_OPERATOR_QUICK_(name, type, flag_bits)                                                                     \
    BMF_VECTORISE_OPERATOR static void name##_quick(const void *bmf_context_, int64_t bmf_count_, const void *bmf_x_,  \
                                                    void *bmf_out_)                                                    \
    {                                                                                                                  \
        const type *bmf_v_ = (const type *)bmf_x_;                                                                     \
        type bmf_total_ = bmf_v_[0];                                                                                   \
        int64_t bmf_i_ = 1;                                                                                            \
        (void)bmf_context_;                                                                                            \
        if (((flag_bits)&BMF_COMMUTATIVE) && bmf_count_ >= 2 * BMF_REASSOCIATE_LANES) {                                \
            type bmf_lane_[BMF_REASSOCIATE_LANES];                                                                     \
            for (int bmf_j_ = 0; bmf_j_ < BMF_REASSOCIATE_LANES; bmf_j_++)                                             \
                bmf_lane_[bmf_j_] = bmf_v_[bmf_j_];                                                                    \
            for (bmf_i_ = BMF_REASSOCIATE_LANES; bmf_i_ + BMF_REASSOCIATE_LANES <= bmf_count_;                         \
                 bmf_i_ += BMF_REASSOCIATE_LANES) {                                                                    \
                BMF_READ_AHEAD_(bmf_v_ + bmf_i_, BMF_REASSOCIATE_LANES * sizeof(type));                                \
                for (int bmf_j_ = 0; bmf_j_ < BMF_REASSOCIATE_LANES; bmf_j_++)                                         \
                    bmf_lane_[bmf_j_] = name##_element(bmf_lane_[bmf_j_], bmf_v_[bmf_i_ + bmf_j_]);                    \
            }                                                                                                          \
            bmf_total_ = bmf_lane_[0];                                                                                 \
            for (int bmf_j_ = 1; bmf_j_ < BMF_REASSOCIATE_LANES; bmf_j_++)                                             \
                bmf_total_ = name##_element(bmf_total_, bmf_lane_[bmf_j_]);                                            \
        }                                                                                                              \
        for (; bmf_i_ < bmf_count_; bmf_i_++)                                                                          \
            bmf_total_ = name##_element(bmf_total_, bmf_v_[bmf_i_]);                                                   \
        *(type *)bmf_out_ = bmf_total_;                                                                                \
    }

/** Blocks of 8 rows: neighbours, four at a time; of structs two at a time, whose members are sorted into vectors. */
#define BMF_OPERATOR_ROWS_(name, type)                                                                                 \
    BMF_VECTORISE_OPERATOR static void name##_rows(const void *bmf_context_, int64_t bmf_blocks_, const void *bmf_x_,  \
                                                   void *bmf_out_)                                                     \
    {                                                                                                                  \
        const type *bmf_v_ = (const type *)bmf_x_;                                                                     \
        type *bmf_y_ = (type *)bmf_out_;                                                                               \
        (void)bmf_context_;                                                                                            \
        for (int64_t bmf_b_ = 0; bmf_b_ < bmf_blocks_; bmf_b_++) {                                                     \
            type bmf_pair_[BMF_COLUMN_BLOCK / 2], bmf_four_[BMF_COLUMN_BLOCK / 4], bmf_row_[BMF_COLUMNS];              \
            BMF_READ_AHEAD_(bmf_v_, BMF_COLUMN_BLOCK * sizeof(type));                                                  \
            if (BMF_KIND_OF(type) == BMF_STRUCT) {                                                                     \
                BMF_KEEP_LOOP_ for (int bmf_j_ = 0; bmf_j_ < BMF_COLUMN_BLOCK / 2; bmf_j_++) bmf_pair_[bmf_j_] =       \
                    name##_element(bmf_v_[2 * bmf_j_], bmf_v_[2 * bmf_j_ + 1]);                                        \
                BMF_KEEP_LOOP_ for (int bmf_j_ = 0; bmf_j_ < BMF_COLUMN_BLOCK / 4; bmf_j_++) bmf_four_[bmf_j_] =       \
                    name##_element(bmf_pair_[2 * bmf_j_], bmf_pair_[2 * bmf_j_ + 1]);                                  \
            } else {                                                                                                   \
                BMF_KEEP_LOOP_ for (int bmf_j_ = 0; bmf_j_ < BMF_COLUMN_BLOCK / 4; bmf_j_++) bmf_four_[bmf_j_] =       \
                    BMF_FOLD_FOUR_(name##_element, bmf_v_[4 * bmf_j_], bmf_v_[4 * bmf_j_ + 1], bmf_v_[4 * bmf_j_ + 2], \
                                   bmf_v_[4 * bmf_j_ + 3]);                                                            \
            }                                                                                                          \
            BMF_KEEP_LOOP_ for (int bmf_j_ = 0; bmf_j_ < BMF_COLUMNS; bmf_j_++) bmf_row_[bmf_j_] =                     \
                name##_element(bmf_four_[2 * bmf_j_], bmf_four_[2 * bmf_j_ + 1]);                                      \
            BMF_KEEP_LOOP_ for (int bmf_j_ = 0; bmf_j_ < BMF_COLUMNS; bmf_j_++) bmf_y_[bmf_j_] = bmf_row_[bmf_j_];     \
            bmf_v_ += BMF_COLUMN_BLOCK;                                                                                \
            bmf_y_ += BMF_COLUMNS;                                                                                     \
        }                                                                                                              \
    }

/** Rows of 8 neighbours side by side: the compiler turns as many of them as a vector is long by 90 degrees. The last
 * element of a row counts for nothing; looked at, it lets gcc read whole rows to the end. */
#define BMF_OPERATOR_SCAN_ROWS_(name, type)                                                                            \
    BMF_VECTORISE_OPERATOR static void name##_scan_rows(const void *bmf_context_, int64_t bmf_blocks_,                 \
                                                        const void *bmf_x_, const void *bmf_prefix_, void *bmf_out_)   \
    {                                                                                                                  \
        const type *__restrict bmf_v_ = (const type *)bmf_x_;                                                          \
        const type *__restrict bmf_p_ = (const type *)bmf_prefix_;                                                     \
        type *__restrict bmf_o_ = (type *)bmf_out_;                                                                    \
        type bmf_unused_ = bmf_v_[0];                                                                                  \
        (void)bmf_context_;                                                                                            \
        for (int64_t bmf_i_ = 0; bmf_i_ < BMF_COLUMNS * bmf_blocks_; bmf_i_++) {                                       \
            const type *bmf_r_ = bmf_v_ + BMF_COLUMNS * bmf_i_;                                                        \
            type *bmf_y_ = bmf_o_ + BMF_COLUMNS * bmf_i_;                                                              \
            const type bmf_pair_ = name##_element(bmf_r_[0], bmf_r_[1]);                                               \
            const type bmf_0_ = bmf_p_[bmf_i_], bmf_2_ = name##_element(bmf_0_, bmf_pair_);                            \
            const type bmf_4_ =                                                                                        \
                name##_element(bmf_0_, name##_element(bmf_pair_, name##_element(bmf_r_[2], bmf_r_[3])));               \
            const type bmf_6_ = name##_element(bmf_4_, name##_element(bmf_r_[4], bmf_r_[5]));                          \
            bmf_y_[0] = bmf_0_;                                                                                        \
            bmf_y_[1] = name##_element(bmf_0_, bmf_r_[0]);                                                             \
            bmf_y_[2] = bmf_2_;                                                                                        \
            bmf_y_[3] = name##_element(bmf_2_, bmf_r_[2]);                                                             \
            bmf_y_[4] = bmf_4_;                                                                                        \
            bmf_y_[5] = name##_element(bmf_4_, bmf_r_[4]);                                                             \
            bmf_y_[6] = bmf_6_;                                                                                        \
            bmf_y_[7] = name##_element(bmf_6_, bmf_r_[6]);                                                             \
            bmf_unused_ = bmf_r_[7];                                                                                   \
        }                                                                                                              \
        BMF_LOOK_AT_(bmf_unused_);                                                                                     \
    }

/** Blocks of 8 rows of 8 columns: only operations between whole rows. */
#define BMF_OPERATOR_COLUMNS_(name, type)                                                                              \
    BMF_VECTORISE_OPERATOR static void name##_columns(const void *bmf_context_, int64_t bmf_blocks_,                   \
                                                      const void *bmf_x_, void *bmf_out_)                              \
    {                                                                                                                  \
        const type *bmf_v_ = (const type *)bmf_x_;                                                                     \
        type *bmf_y_ = (type *)bmf_out_;                                                                               \
        (void)bmf_context_;                                                                                            \
        for (int64_t bmf_b_ = 0; bmf_b_ < bmf_blocks_; bmf_b_++) {                                                     \
            type bmf_column_[BMF_COLUMNS];                                                                             \
            BMF_READ_AHEAD_(bmf_v_, BMF_COLUMN_BLOCK * sizeof(type));                                                  \
            BMF_KEEP_LOOP_ for (int bmf_j_ = 0; bmf_j_ < BMF_COLUMNS; bmf_j_++)                                        \
            {                                                                                                          \
                const type *bmf_r_ = bmf_v_ + bmf_j_;                                                                  \
                bmf_column_[bmf_j_] =                                                                                  \
                    name##_element(BMF_FOLD_FOUR_(name##_element, bmf_r_[0], bmf_r_[8], bmf_r_[16], bmf_r_[24]),       \
                                   BMF_FOLD_FOUR_(name##_element, bmf_r_[32], bmf_r_[40], bmf_r_[48], bmf_r_[56]));    \
            }                                                                                                          \
            BMF_KEEP_LOOP_ for (int bmf_j_ = 0; bmf_j_ < BMF_COLUMNS; bmf_j_++) bmf_y_[bmf_j_] = bmf_column_[bmf_j_];  \
            bmf_v_ += BMF_COLUMN_BLOCK;                                                                                \
            bmf_y_ += BMF_COLUMNS;                                                                                     \
        }                                                                                                              \
    }

/** Entries of a table that the caches of a core do not hold are asked for some elements ahead. */
enum { BMF_LARGE_TABLE = 256 * 1024, BMF_KEYS_AHEAD = 32 };
#define BMF_OPERATOR_KEYS_(name, type)                                                                                 \
    static int64_t name##_keys(const void *bmf_context_, int64_t bmf_keys_, int64_t bmf_count_,                        \
                               const int64_t *bmf_key_, const void *bmf_x_, void *bmf_table_)                          \
    {                                                                                                                  \
        const type *bmf_v_ = (const type *)bmf_x_;                                                                     \
        type *bmf_t_ = (type *)bmf_table_;                                                                             \
        const uint64_t bmf_end_ = (uint64_t)bmf_keys_;                                                                 \
        const bool bmf_large_ = bmf_keys_ * (int64_t)sizeof(type) > BMF_LARGE_TABLE;                                   \
        int64_t bmf_i_ = 0;                                                                                            \
        (void)bmf_context_;                                                                                            \
        for (; bmf_large_ && bmf_i_ + BMF_KEYS_AHEAD < bmf_count_; bmf_i_++) {                                         \
            const uint64_t bmf_k_ = (uint64_t)bmf_key_[bmf_i_];                                                        \
            if (bmf_k_ >= bmf_end_)                                                                                    \
                return bmf_i_;                                                                                         \
            __builtin_prefetch(                                                                                        \
                (const void *)((uintptr_t)bmf_t_ + (uintptr_t)bmf_key_[bmf_i_ + BMF_KEYS_AHEAD] * sizeof(type)), 1);   \
            bmf_t_[bmf_k_] = name##_element(bmf_t_[bmf_k_], bmf_v_[bmf_i_]);                                           \
        }                                                                                                              \
        for (; bmf_i_ < bmf_count_; bmf_i_++) {                                                                        \
            const uint64_t bmf_k_ = (uint64_t)bmf_key_[bmf_i_];                                                        \
            if (bmf_k_ >= bmf_end_)                                                                                    \
                return bmf_i_;                                                                                         \
            bmf_t_[bmf_k_] = name##_element(bmf_t_[bmf_k_], bmf_v_[bmf_i_]);                                           \
        }                                                                                                              \
        return bmf_i_;                                                                                                 \
    }
/** @endcond */

#ifdef __cplusplus
}
#endif

#include <bmf/fused.h>

#endif
