/* Keys of scalars.
 *
 * Method: the sign of an int is turned round. The bits of a real of positive sign get their sign set, those of a
 * negative one are all turned round; then minus infinity is subtracted, which takes what is below it, NaN of negative
 * sign, round to the top. Cost: a few operations an element. */
#include "skeletons/sort/order.h"

#include <string.h>

#include "bmf/kernel.h"

bool order_has(const bmf_type *type)
{
    switch (type->kind) {
    case BMF_INT:
    case BMF_REAL:
    case BMF_BOOL:
    case BMF_INT32:
    case BMF_FLOAT:
        return true;
    default:
        return false;
    }
}

#define INT_SIGN             (UINT64_C(1) << 63)
#define INT32_SIGN           (UINT32_C(1) << 31)
#define MINUS_INFINITY       UINT64_C(0x000fffffffffffff) /* its bits, turned round */
#define LAST_NUMBER          UINT64_C(0xffe0000000000001) /* the key of infinity */
#define ZERO                 UINT64_C(0x7ff0000000000001) /* the key of 0.0, one above that of -0.0 */
#define MINUS_INFINITY_FLOAT UINT32_C(0x007fffff)
#define LAST_FLOAT           UINT32_C(0xff000001)
#define ZERO_FLOAT           UINT32_C(0x7f800001)

BMF_INLINE uint64_t key_of_int(uint64_t bits, bool equal_nans)
{
    (void)equal_nans;
    return bits ^ INT_SIGN;
}

BMF_INLINE uint64_t key_of_real(uint64_t bits, bool equal_nans)
{
    const uint64_t negative = (uint64_t)((int64_t)bits >> 63), key = (bits ^ (negative | INT_SIGN)) - MINUS_INFINITY;
    return equal_nans && key > LAST_NUMBER ? UINT64_MAX : key;
}

BMF_INLINE uint64_t key_of_int32(uint32_t bits, bool equal_nans)
{
    (void)equal_nans;
    return bits ^ INT32_SIGN;
}

BMF_INLINE uint64_t key_of_float(uint32_t bits, bool equal_nans)
{
    const uint32_t negative = (uint32_t)((int32_t)bits >> 31);
    const uint32_t key = (bits ^ (negative | INT32_SIGN)) - MINUS_INFINITY_FLOAT;
    return equal_nans && key > LAST_FLOAT ? UINT32_MAX : key;
}

BMF_INLINE uint64_t key_of_bool(uint8_t bits, bool equal_nans)
{
    (void)equal_nans;
    return bits;
}

BMF_INLINE uint64_t int_of_key(uint64_t key)
{
    return key ^ INT_SIGN;
}

BMF_INLINE uint64_t real_of_key(uint64_t key)
{
    const uint64_t turned = key + MINUS_INFINITY, positive = (uint64_t)((int64_t)turned >> 63);
    return turned ^ (~positive | INT_SIGN);
}

BMF_INLINE uint32_t int32_of_key(uint64_t key)
{
    return (uint32_t)key ^ INT32_SIGN;
}

BMF_INLINE uint32_t float_of_key(uint64_t key)
{
    const uint32_t turned = (uint32_t)key + MINUS_INFINITY_FLOAT, positive = (uint32_t)((int32_t)turned >> 31);
    return turned ^ (~positive | INT32_SIGN);
}

BMF_INLINE uint8_t bool_of_key(uint64_t key)
{
    return (uint8_t)key;
}

/* memcpy, because columns hold numbers, not words. */
#define LOOPS(name, T)                                                                                                 \
    BMF_VECTORISE static void keys_of_##name(const char *from, int64_t stride, int64_t count, bool equal_nans,         \
                                             uint64_t *key, int64_t step)                                              \
    {                                                                                                                  \
        T bits;                                                                                                        \
        if (stride == (int64_t)sizeof bits && step == 1)                                                               \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                memcpy(&bits, from + i * (int64_t)sizeof bits, sizeof bits);                                           \
                key[i] = key_of_##name(bits, equal_nans);                                                              \
            }                                                                                                          \
        else                                                                                                           \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                memcpy(&bits, from + i * stride, sizeof bits);                                                         \
                key[i * step] = key_of_##name(bits, equal_nans);                                                       \
            }                                                                                                          \
    }                                                                                                                  \
    BMF_VECTORISE static void elements_##name(const uint64_t *key, int64_t count, char *to)                            \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const T bits = name##_of_key(key[i]);                                                                      \
            memcpy(to + i * (int64_t)sizeof bits, &bits, sizeof bits);                                                 \
        }                                                                                                              \
    }
LOOPS(int, uint64_t)
LOOPS(real, uint64_t)
LOOPS(int32, uint32_t)
LOOPS(float, uint32_t)
LOOPS(bool, uint8_t)

void order_keys(const bmf_column *column, int64_t first, int64_t count, bool equal_nans, uint64_t *key, int64_t step)
{
    const char *from = (const char *)column->data + first * column->stride;
    switch (column->type->kind) {
    case BMF_INT:
        keys_of_int(from, column->stride, count, equal_nans, key, step);
        break;
    case BMF_REAL:
        keys_of_real(from, column->stride, count, equal_nans, key, step);
        break;
    case BMF_INT32:
        keys_of_int32(from, column->stride, count, equal_nans, key, step);
        break;
    case BMF_FLOAT:
        keys_of_float(from, column->stride, count, equal_nans, key, step);
        break;
    default:
        keys_of_bool(from, column->stride, count, equal_nans, key, step);
    }
}

void order_elements(const bmf_type *type, const uint64_t *key, int64_t count, void *element)
{
    switch (type->kind) {
    case BMF_INT:
        elements_int(key, count, element);
        break;
    case BMF_REAL:
        elements_real(key, count, element);
        break;
    case BMF_INT32:
        elements_int32(key, count, element);
        break;
    case BMF_FLOAT:
        elements_float(key, count, element);
        break;
    default:
        elements_bool(key, count, element);
    }
}

#define PACKING(T)                                                                                                     \
    BMF_VECTORISE static void pack_##T(const uint64_t *key, int64_t count, T *packed)                                  \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                                            \
            packed[i] = (T)key[i];                                                                                     \
    }                                                                                                                  \
    BMF_VECTORISE static void unpack_##T(const T *packed, int64_t count, uint64_t *key)                                \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                                            \
            key[i] = packed[i];                                                                                        \
    }
PACKING(uint8_t)
PACKING(uint32_t)
PACKING(uint64_t)

void order_pack(const uint64_t *key, int64_t count, int64_t bytes, void *packed)
{
    if (bytes == 1)
        pack_uint8_t(key, count, packed);
    else if (bytes == 4)
        pack_uint32_t(key, count, packed);
    else
        pack_uint64_t(key, count, packed);
}

void order_unpack(const void *packed, int64_t count, int64_t bytes, uint64_t *key)
{
    if (bytes == 1)
        unpack_uint8_t(packed, count, key);
    else if (bytes == 4)
        unpack_uint32_t(packed, count, key);
    else
        unpack_uint64_t(packed, count, key);
}

static uint64_t floor_among(uint64_t key, uint64_t zero, uint64_t last)
{
    if (key > last)
        return last + 1;
    return key == zero ? zero - 1 : key;
}

uint64_t order_floor(const bmf_type *type, uint64_t key)
{
    if (type->kind == BMF_REAL)
        return floor_among(key, ZERO, LAST_NUMBER);
    return type->kind == BMF_FLOAT ? floor_among(key, ZERO_FLOAT, LAST_FLOAT) : key;
}
