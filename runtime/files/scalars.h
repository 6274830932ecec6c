/* Scalars as files hold them, and what they become in columns. Internal. */
#ifndef BMF_FILES_SCALARS_H
#define BMF_FILES_SCALARS_H

#include <stdint.h>

#include "bmf/type.h"

/* X(name, C type, NumPy's code behind the order of bytes, NumPy's word, the scalar in C, the language's) */
#define BMF_STORED_SCALARS(X)                                                                                          \
    X(INT64, int64_t, "i8", "int64", bmf_type_int, bmf_type_int)                                                       \
    X(INT32, int32_t, "i4", "int32", bmf_type_int32, bmf_type_int)                                                     \
    X(INT16, int16_t, "i2", "int16", bmf_type_int, bmf_type_int)                                                       \
    X(INT8, int8_t, "i1", "int8", bmf_type_int, bmf_type_int)                                                          \
    X(UINT64, uint64_t, "u8", "uint64", bmf_type_int, bmf_type_int)                                                    \
    X(UINT32, uint32_t, "u4", "uint32", bmf_type_int, bmf_type_int)                                                    \
    X(UINT16, uint16_t, "u2", "uint16", bmf_type_int, bmf_type_int)                                                    \
    X(UINT8, uint8_t, "u1", "uint8", bmf_type_int, bmf_type_int)                                                       \
    X(FLOAT64, double, "f8", "float64", bmf_type_real, bmf_type_real)                                                  \
    X(FLOAT32, float, "f4", "float32", bmf_type_float, bmf_type_real)                                                  \
    X(COMPLEX128, double _Complex, "c16", "complex128", bmf_type_complex, bmf_type_complex)                            \
    X(BOOL, bmf_truth, "b1", "bool", bmf_type_bool, bmf_type_bool)

typedef uint8_t bmf_truth;

typedef enum bmf_stored_scalar {
#define ENUMERATE(name, c, code, word, type, wide) STORED_##name,
    BMF_STORED_SCALARS(ENUMERATE)
#undef ENUMERATE
        STORED_SCALARS
} bmf_stored_scalar;

int64_t stored_size(bmf_stored_scalar scalar);
/* NumPy's word, such as "float64". */
const char *stored_word(bmf_stored_scalar scalar);
/* NumPy's code with the order of bytes, such as "<f8". */
const char *stored_code(bmf_stored_scalar scalar, char text[8]);
/* The scalar of a column that holds it as it is; wide: as the language has it. */
const bmf_type *stored_type(bmf_stored_scalar scalar, bool wide);
/* What a column's scalar is stored as; STORED_SCALARS if no file holds it. */
bmf_stored_scalar stored_of(const bmf_type *type);
/* By NumPy's code (with or without the order of bytes) or word, or `int`, `real`; STORED_SCALARS if it is none.
 * *swapped: whether it says big-endian, `>`. */
bmf_stored_scalar stored_named(const char *text, int size, bool *swapped);
/* "'<i8' (int64), .. and '|b1' (bool)". */
void stored_list(char *text, size_t size);

/* Whether it can be read as that scalar of a column: as what it is, ints as int or real, float as real. */
bool stored_converts(bmf_stored_scalar from, const bmf_type *to);
/* Reads `count` scalars that lie `stride` bytes apart into an array of `type`. A uint64 above the largest int becomes
 * a negative one. */
void stored_load(bmf_stored_scalar scalar, const char *from, int64_t stride, const bmf_type *type, void *to,
                 int64_t to_stride, int64_t count);
/* The same of scalars in the other order of bytes. */
void stored_load_swapped(bmf_stored_scalar scalar, const char *from, int64_t stride, const bmf_type *type, void *to,
                         int64_t to_stride, int64_t count);
/* Writes one scalar in the other order of bytes to another place; a complex number is two. */
void stored_swap(bmf_stored_scalar scalar, const char *from, char *to);

#endif
