/* Scalars of a .npy file as scalars of another type.
 *
 * Method: the file's scalars stand at the end of the array and are taken block by block from its front, so that what is
 * written never reaches what is still to be read, and no second array is needed.
 * Cost: one pass.
 */
#include <string.h>

#include "runtime/npy/private.h"

enum { BLOCK = 1024 };

typedef void conversion(void *data, int64_t count);

#define DEFINE_CONVERSION(name, narrow, wide)                                                                          \
    static void name(void *data, int64_t count)                                                                        \
    {                                                                                                                  \
        const narrow *from = (const narrow *)((char *)data + count * (int64_t)(sizeof(wide) - sizeof(narrow)));        \
        wide *to = data;                                                                                               \
        narrow block[BLOCK];                                                                                           \
        for (int64_t i = 0, size; i < count; i += size) {                                                              \
            size = count - i < BLOCK ? count - i : BLOCK;                                                              \
            memcpy(block, from + i, (size_t)size * sizeof(narrow));                                                    \
            for (int64_t k = 0; k < size; k++)                                                                         \
                to[i + k] = (wide)block[k];                                                                            \
        }                                                                                                              \
    }

DEFINE_CONVERSION(int32_to_int, int32_t, int64_t)
DEFINE_CONVERSION(int32_to_real, int32_t, double)
DEFINE_CONVERSION(int_to_real, int64_t, double)
DEFINE_CONVERSION(float_to_real, float, double)

static conversion *find(const bmf_type *from, const bmf_type *to)
{
    static const struct {
        const bmf_type *from, *to;
        conversion *convert;
    } known[] = {{&bmf_type_int32, &bmf_type_int, int32_to_int},
                 {&bmf_type_int32, &bmf_type_real, int32_to_real},
                 {&bmf_type_int, &bmf_type_real, int_to_real},
                 {&bmf_type_float, &bmf_type_real, float_to_real}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (known[k].from == from && known[k].to == to)
            return known[k].convert;
    return NULL;
}

bool npy_converts(const bmf_type *from, const bmf_type *to)
{
    return from == to || find(from, to);
}

void npy_convert(const bmf_type *from, const bmf_type *to, void *data, int64_t count)
{
    if (from != to)
        find(from, to)(data, count);
}
