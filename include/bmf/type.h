/** @file
 * Types of elements: int (int64_t), real (double), bool (uint8_t), int32 (int32_t), float, complex (double _Complex),
 * tuples, lists, and opaque C structs.
 *
 * A type is an immutable tree. Types inside lists and columns are interned: equal types are the same pointer.
 * A *leaf* of a type is a scalar or struct component outside any inner list; leaves are numbered from left to
 * right. A *record* is the C struct layout of the leaves in order (each at its natural alignment), used wherever
 * one element has to be contiguous in memory: results of a reduction, partial results in messages.
 */
#ifndef BMF_TYPE_H
#define BMF_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <complex>
#endif

#include <bmf/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The first three are the scalars of the language too. The last two are the language's alone: the element type of an
 * empty list literal, which has no values and goes with every type; and a list whose elements lie each on its own
 * processor. Columns never have them. */
typedef enum bmf_type_kind {
    BMF_INT,
    BMF_REAL,
    BMF_BOOL,
    BMF_INT32,
    BMF_FLOAT,
    BMF_COMPLEX, /**< the real part, then the imaginary part, each a double */
    BMF_STRUCT,
    BMF_TUPLE,
    BMF_LIST,
    BMF_NOTHING,
    BMF_DISTRIBUTED
} bmf_type_kind;

enum { BMF_MAX_LEAVES = 32 };

/** A type, see above. */
typedef struct bmf_type bmf_type;
/** What a type is inside: programs make types by the functions below. */
struct bmf_type {
    bmf_type_kind kind;               /**< what the other members mean */
    int64_t size;                     /**< bytes of a scalar or struct; 0 for tuples and lists */
    const char *name;                 /**< of a struct, for messages; of tuples and distributed lists the language's */
    int components;                   /**< tuple: number of components; list: 1; otherwise 0 */
    const bmf_type *const *component; /**< components pointers, or NULL */
};

BMF_API extern const bmf_type bmf_type_int;     /**< int64_t; interned */
BMF_API extern const bmf_type bmf_type_real;    /**< double; interned */
BMF_API extern const bmf_type bmf_type_bool;    /**< uint8_t, 0 or 1; interned */
BMF_API extern const bmf_type bmf_type_int32;   /**< int32_t; interned */
BMF_API extern const bmf_type bmf_type_float;   /**< float; interned */
BMF_API extern const bmf_type bmf_type_complex; /**< double _Complex, in C++ std::complex<double>; interned */
BMF_API extern const bmf_type bmf_type_nothing; /**< the language's: of an empty list; interned */

/** The interned type equal to `type` (deep comparison). Lives as long as the process. Thread-safe. Not collective. */
BMF_API const bmf_type *bmf_type_intern(const bmf_type *type);

/** A tuple of 1 <= components <= BMF_MAX_LEAVES types. This and the following are interned. Not collective. */
BMF_API const bmf_type *bmf_type_tuple(int components, const bmf_type *const *component);
/** A tuple of two. */
BMF_API const bmf_type *bmf_type_pair(const bmf_type *first, const bmf_type *second);
/** Lists of the element type. */
BMF_API const bmf_type *bmf_type_list(const bmf_type *element);
/** The language's distributed lists; not for columns. */
BMF_API const bmf_type *bmf_type_distributed(const bmf_type *element);
/** An opaque C struct of `size` bytes; the name is for messages. */
BMF_API const bmf_type *bmf_type_struct(int64_t size, const char *name);

/** The same kind, size, name and components. */
BMF_API bool bmf_type_equal(const bmf_type *a, const bmf_type *b);

/** True if the type contains no list: all its elements have the same size. */
BMF_API bool bmf_type_is_fixed(const bmf_type *type);

/** Leaves of a fixed type, in order: fills leaf[0..return value). Returns -1 if there are more than
 * BMF_MAX_LEAVES or the type is not fixed. */
BMF_API int bmf_type_leaves(const bmf_type *type, const bmf_type *leaf[BMF_MAX_LEAVES]);

/** Record layout of a fixed type: offset[k] of each leaf in bytes; returns the record's size (a multiple of its
 * alignment, at least 1). For a C struct whose members are the leaves in order this is the struct's own layout; an
 * opaque struct counts as aligned to the largest power of two up to 8 that divides its size. */
BMF_API int64_t bmf_type_record(const bmf_type *type, int64_t offset[BMF_MAX_LEAVES]);

/** Writes the type as in BMF messages, `{int, [real]}`, with P[int] for a distributed list, P{2 x 4}[int] on
 * a grid, and ? for nothing, cut at size bytes; returns text. */
BMF_API char *bmf_type_print(const bmf_type *type, char *text, size_t size);

#ifdef __cplusplus
}

/** The kind of a C++ type: what _Generic says in C. */
template <typename ctype> struct bmf_kind_of_type {
    static constexpr bmf_type_kind value = BMF_STRUCT; /**< of any other type */
};
/** @cond */
template <> struct bmf_kind_of_type<double> {
    static constexpr bmf_type_kind value = BMF_REAL;
};
template <> struct bmf_kind_of_type<long> {
    static constexpr bmf_type_kind value = sizeof(long) == sizeof(int64_t) ? BMF_INT : BMF_STRUCT;
};
template <> struct bmf_kind_of_type<long long> {
    static constexpr bmf_type_kind value = BMF_INT;
};
template <> struct bmf_kind_of_type<bool> {
    static constexpr bmf_type_kind value = BMF_BOOL;
};
template <> struct bmf_kind_of_type<uint8_t> {
    static constexpr bmf_type_kind value = BMF_BOOL;
};
template <> struct bmf_kind_of_type<int32_t> {
    static constexpr bmf_type_kind value = BMF_INT32;
};
template <> struct bmf_kind_of_type<float> {
    static constexpr bmf_type_kind value = BMF_FLOAT;
};
template <> struct bmf_kind_of_type<std::complex<double>> {
    static constexpr bmf_type_kind value = BMF_COMPLEX;
};
/** @endcond */
#endif

/** @def BMF_KIND_OF
 * The kind of a C or C++ type, a constant for static kernels and operators. */
#ifdef __cplusplus
#define BMF_KIND_OF(ctype) bmf_kind_of_type<ctype>::value
#else
#define BMF_KIND_OF(ctype)                                                                                             \
    _Generic(*(ctype *)0, double                                                                                       \
             : BMF_REAL, int64_t                                                                                       \
             : BMF_INT, long long                                                                                      \
             : BMF_INT, _Bool                                                                                          \
             : BMF_BOOL, uint8_t                                                                                       \
             : BMF_BOOL, int32_t                                                                                       \
             : BMF_INT32, float                                                                                        \
             : BMF_FLOAT, double _Complex                                                                              \
             : BMF_COMPLEX, default                                                                                    \
             : BMF_STRUCT)
#endif
/** The type descriptor of a C type, an initialiser. Not interned. */
#define BMF_TYPE_OF(ctype)                                                                                             \
    {                                                                                                                  \
        BMF_KIND_OF(ctype), (int64_t)sizeof(ctype), BMF_KIND_OF(ctype) == BMF_STRUCT ? #ctype : (const char *)0, 0,    \
            (const bmf_type *const *)0                                                                                 \
    }

#endif
