/* Headers of .npy files: reading their bytes. Internal. */
#ifndef BMF_NPY_PRIVATE_H
#define BMF_NPY_PRIVATE_H

#include "bmf/npy.h"

/* Bytes of magic, version and size of the text: in version 1.0, and later. */
enum { BMF_NPY_PREFIX_1 = 10, BMF_NPY_PREFIX = 12 };

/* Reads magic, version and header length from the first bytes of a file. Returns the offset of the header's text, its
 * size in *text_size, or -1 with the reason in why. Not collective. */
int64_t npy_parse_prefix(const unsigned char *bytes, int64_t count, int64_t *text_size, char *why, size_t why_size);
/* Reads the header's text, a Python dict literal; sets all of header but data_offset. Returns whether bmf takes such a
 * file, otherwise the reason is in why. Not collective. */
bool npy_parse_text(const char *text, int64_t size, bmf_npy_header *header, char *why, size_t why_size);

struct data_file;
/* The same for everything that data files hold (format.h): structures of scalars, any order, up to
 * DATA_DIMENSIONS dimensions. Sets all that concerns the items but their offset. */
bool npy_parse_layout(const char *text, int64_t size, struct data_file *file, char *why, size_t why_size);

/* How a header names a scalar, such as "<f8"; NULL if .npy files of bmf do not hold it. */
const char *npy_descr(const bmf_type *scalar);

/* Bytes of the data, or -1 if they do not fit an int64. */
int64_t npy_data_bytes(const bmf_npy_header *header);

#endif
