/* Types of elements: int (int64_t), real (double), bool (uint8_t), int32 (int32_t), float, complex (double _Complex),
 * tuples, lists, and opaque C structs.
 *
 * A type is an immutable tree. Types inside lists and columns are interned: equal types are the same pointer.
 * A *leaf* of a type is a scalar or struct component outside any inner list; leaves are numbered from left to
 * right. A *record* is the C struct layout of the leaves in order (each at its natural alignment), used wherever
 * one element has to stand in memory as a whole: results of a reduction, partial results in messages.
 */
#ifndef BMF_TYPE_H
#define BMF_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bmf/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first three are the scalars of the language too. The last two are the language's alone: the element type of an
 * empty list literal, which has no values and goes with every type; and a list whose elements lie each on its own
 * processor. Columns never have them. */
typedef enum bmf_type_kind {
    BMF_INT,
    BMF_REAL,
    BMF_BOOL,
    BMF_INT32,
    BMF_FLOAT,
    BMF_COMPLEX, /* the real part, then the imaginary part, each a double */
    BMF_STRUCT,
    BMF_TUPLE,
    BMF_LIST,
    BMF_NOTHING,
    BMF_DISTRIBUTED
} bmf_type_kind;

enum { BMF_MAX_LEAVES = 32 };

typedef struct bmf_type bmf_type;
struct bmf_type {
    bmf_type_kind kind;
    int64_t size;                     /* bytes of a scalar or struct; 0 for tuples and lists */
    const char *name;                 /* of a struct, for messages; otherwise NULL */
    int components;                   /* tuple: number of components; list: 1; otherwise 0 */
    const bmf_type *const *component; /* components pointers, or NULL */
};

BMF_API extern const bmf_type bmf_type_int, bmf_type_real, bmf_type_bool, bmf_type_nothing;
BMF_API extern const bmf_type bmf_type_int32, bmf_type_float, bmf_type_complex;

/* The interned type equal to `type` (deep comparison). Lives as long as the process. Thread-safe. Not collective. */
BMF_API const bmf_type *bmf_type_intern(const bmf_type *type);

/* Interned constructors. Not collective. A tuple has 1 <= components <= BMF_MAX_LEAVES. */
BMF_API const bmf_type *bmf_type_tuple(int components, const bmf_type *const *component);
BMF_API const bmf_type *bmf_type_pair(const bmf_type *first, const bmf_type *second);
BMF_API const bmf_type *bmf_type_list(const bmf_type *element);
BMF_API const bmf_type *bmf_type_distributed(const bmf_type *element);
BMF_API const bmf_type *bmf_type_struct(int64_t size, const char *name);

BMF_API bool bmf_type_equal(const bmf_type *a, const bmf_type *b);

/* True if the type contains no list: all its elements have the same size. */
BMF_API bool bmf_type_is_fixed(const bmf_type *type);

/* Leaves of a fixed type, in order: fills leaf[0..return value). Returns -1 if there are more than
 * BMF_MAX_LEAVES or the type is not fixed. */
BMF_API int bmf_type_leaves(const bmf_type *type, const bmf_type *leaf[BMF_MAX_LEAVES]);

/* Record layout of a fixed type: offset[k] of each leaf in bytes; returns the record's size (a multiple of its
 * alignment, at least 1). For a C struct whose members are the leaves in order this is the struct's own layout; an
 * opaque struct counts as aligned to the largest power of two up to 8 that divides its size. */
BMF_API int64_t bmf_type_record(const bmf_type *type, int64_t offset[BMF_MAX_LEAVES]);

/* Writes the type as in BMF messages, `{int, [real]}`, with P[int] for a distributed list and ? for nothing, cut at size bytes; returns text. */
BMF_API char *bmf_type_print(const bmf_type *type, char *text, size_t size);

/* The kind and descriptor of a C type, as compile-time constants for static kernels and operators. */
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
#define BMF_TYPE_OF(ctype)                                                                                             \
    {                                                                                                                  \
        BMF_KIND_OF(ctype), (int64_t)sizeof(ctype), BMF_KIND_OF(ctype) == BMF_STRUCT ? #ctype : (const char *)0, 0,    \
            (const bmf_type *const *)0                                                                                 \
    }

#ifdef __cplusplus
}
#endif
#endif
