/* Headers of .npy files as text: version 1.0. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/files/npy_part.h"
#include "runtime/files/npy_private.h"

enum { ALIGNMENT = 64 };

/* The longest text, two lengths of 19 digits, leaves room for the newline in NPY_HEADER_SIZE bytes. */
void npy_print_header(const bmf_npy_header *header, char bytes[NPY_HEADER_SIZE])
{
    static const char prefix[] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, NPY_HEADER_SIZE - BMF_NPY_PREFIX_1, 0};
    _Static_assert(sizeof prefix == BMF_NPY_PREFIX_1 && NPY_HEADER_SIZE % ALIGNMENT == 0, "NumPy's own layout");
    char shape[64];
    if (header->dimensions == 1)
        snprintf(shape, sizeof shape, "%" PRId64 ",", header->shape[0]);
    else
        snprintf(shape, sizeof shape, "%" PRId64 ", %" PRId64, header->shape[0], header->shape[1]);
    memset(bytes, ' ', NPY_HEADER_SIZE);
    memcpy(bytes, prefix, sizeof prefix);
    int used = snprintf(bytes + sizeof prefix, NPY_HEADER_SIZE - sizeof prefix,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", npy_descr(header->scalar), shape);
    bytes[(int)sizeof prefix + used] = ' ';
    bytes[NPY_HEADER_SIZE - 1] = '\n';
}
