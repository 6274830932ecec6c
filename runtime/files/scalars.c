/* Scalars as files hold them: the table, and one loop for each pair of a stored scalar and what it becomes.
 *
 * Cost: one pass over what is converted.
 */
#include "runtime/files/scalars.h"

#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "what files hold goes straight into columns");

static const struct stored {
    const char *code, *word;
    int64_t size;
    const bmf_type *type, *wide;
} table[] = {
#define ROW(name, c, code, word, type, wide) [STORED_##name] = {code, word, sizeof(c), &type, &wide},
    BMF_STORED_SCALARS(ROW)
#undef ROW
};

int64_t stored_size(bmf_stored_scalar scalar)
{
    return table[scalar].size;
}

const char *stored_word(bmf_stored_scalar scalar)
{
    return table[scalar].word;
}

const char *stored_code(bmf_stored_scalar scalar, char text[8])
{
    snprintf(text, 8, "%c%s", table[scalar].size == 1 ? '|' : '<', table[scalar].code);
    return text;
}

const bmf_type *stored_type(bmf_stored_scalar scalar, bool wide)
{
    return wide ? table[scalar].wide : table[scalar].type;
}

bmf_stored_scalar stored_of(const bmf_type *type)
{
    int k = 0;
    while (k < STORED_SCALARS && (table[k].type != type || table[k].size != type->size))
        k++;
    return (bmf_stored_scalar)k;
}

static bool is(const char *text, int size, const char *word)
{
    return (size_t)size == strlen(word) && memcmp(text, word, (size_t)size) == 0;
}

bmf_stored_scalar stored_named(const char *text, int size, bool *swapped)
{
    *swapped = size > 1 && text[0] == '>';
    if (is(text, size, "int"))
        return STORED_INT64;
    if (is(text, size, "real"))
        return STORED_FLOAT64;
    for (int k = 0; k < STORED_SCALARS; k++) {
        const bool ordered = size > 1 && (strchr("<=>", text[0]) || (text[0] == '|' && table[k].size == 1));
        if (is(text, size, table[k].word) || is(text, size, table[k].code) ||
            (ordered && is(text + 1, size - 1, table[k].code)))
            return (bmf_stored_scalar)k;
    }
    return STORED_SCALARS;
}

void stored_list(char *text, size_t size)
{
    size_t used = 0;
    char code[8];
    for (int k = 0; k < STORED_SCALARS && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s'%s' (%s)",
                                 k == 0                   ? ""
                                 : k < STORED_SCALARS - 1 ? ", "
                                                          : " and ",
                                 stored_code((bmf_stored_scalar)k, code), table[k].word);
}

/* ---- conversions ---- */

typedef void conversion(const char *from, int64_t stride, char *to, int64_t to_stride, int64_t count);

#define DEFINE_CONVERSION(name, stored, made)                                                                          \
    static void name(const char *from, int64_t stride, char *to, int64_t to_stride, int64_t count)                     \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            stored value;                                                                                              \
            memcpy(&value, from + i * stride, sizeof value);                                                           \
            const made result = (made)value;                                                                           \
            memcpy(to + i * to_stride, &result, sizeof result);                                                        \
        }                                                                                                              \
    }
#define DEFINE_ALL(name, c, code, word, type, wide) DEFINE_CONVERSION(copy_##name, c, c)
BMF_STORED_SCALARS(DEFINE_ALL)
DEFINE_CONVERSION(int64_as_real, int64_t, double)
DEFINE_CONVERSION(int32_as_int, int32_t, int64_t)
DEFINE_CONVERSION(int32_as_real, int32_t, double)
DEFINE_CONVERSION(int16_as_int, int16_t, int64_t)
DEFINE_CONVERSION(int16_as_real, int16_t, double)
DEFINE_CONVERSION(int8_as_int, int8_t, int64_t)
DEFINE_CONVERSION(int8_as_real, int8_t, double)
DEFINE_CONVERSION(uint64_as_int, uint64_t, int64_t)
DEFINE_CONVERSION(uint64_as_real, uint64_t, double)
DEFINE_CONVERSION(uint32_as_int, uint32_t, int64_t)
DEFINE_CONVERSION(uint32_as_real, uint32_t, double)
DEFINE_CONVERSION(uint16_as_int, uint16_t, int64_t)
DEFINE_CONVERSION(uint16_as_real, uint16_t, double)
DEFINE_CONVERSION(uint8_as_int, uint8_t, int64_t)
DEFINE_CONVERSION(uint8_as_real, uint8_t, double)
DEFINE_CONVERSION(float32_as_real, float, double)

static conversion *const as_int[STORED_SCALARS] = {
    [STORED_INT64] = copy_INT64,     [STORED_INT32] = int32_as_int,   [STORED_INT16] = int16_as_int,
    [STORED_INT8] = int8_as_int,     [STORED_UINT64] = uint64_as_int, [STORED_UINT32] = uint32_as_int,
    [STORED_UINT16] = uint16_as_int, [STORED_UINT8] = uint8_as_int,
};
static conversion *const as_real[STORED_SCALARS] = {
    [STORED_INT64] = int64_as_real,     [STORED_INT32] = int32_as_real,   [STORED_INT16] = int16_as_real,
    [STORED_INT8] = int8_as_real,       [STORED_UINT64] = uint64_as_real, [STORED_UINT32] = uint32_as_real,
    [STORED_UINT16] = uint16_as_real,   [STORED_UINT8] = uint8_as_real,   [STORED_FLOAT64] = copy_FLOAT64,
    [STORED_FLOAT32] = float32_as_real,
};

static conversion *find(bmf_stored_scalar from, const bmf_type *to)
{
    static conversion *const as_is[] = {
#define COPY(name, c, code, word, type, wide) [STORED_##name] = copy_##name,
        BMF_STORED_SCALARS(COPY)
#undef COPY
    };
    return to == &bmf_type_int     ? as_int[from]
           : to == &bmf_type_real  ? as_real[from]
           : stored_of(to) == from ? as_is[from]
                                   : NULL;
}

bool stored_converts(bmf_stored_scalar from, const bmf_type *to)
{
    return find(from, to);
}

void stored_load(bmf_stored_scalar scalar, const char *from, int64_t stride, const bmf_type *type, void *to,
                 int64_t to_stride, int64_t count)
{
    find(scalar, type)(from, stride, to, to_stride, count);
}

void stored_swap(bmf_stored_scalar scalar, const char *from, char *to)
{
    const int64_t size = table[scalar].size, part = scalar == STORED_COMPLEX128 ? size / 2 : size;
    for (int64_t begin = 0; begin < size; begin += part)
        for (int64_t k = 0; k < part; k++)
            to[begin + k] = from[begin + part - 1 - k];
}

void stored_load_swapped(bmf_stored_scalar scalar, const char *from, int64_t stride, const bmf_type *type, void *to,
                         int64_t to_stride, int64_t count)
{
    enum { BLOCK = 4096 };
    char turned[BLOCK];
    const int64_t size = table[scalar].size, most = BLOCK / size;
    for (int64_t done = 0; done < count; done += most) {
        const int64_t part = count - done < most ? count - done : most;
        for (int64_t i = 0; i < part; i++)
            stored_swap(scalar, from + (done + i) * stride, turned + i * size);
        stored_load(scalar, turned, size, type, (char *)to + done * to_stride, to_stride, part);
    }
}
