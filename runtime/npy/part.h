/* Reading and writing .npy files without other ranks: for whoever settles the errors. Internal. */
#ifndef BMF_NPY_PART_H
#define BMF_NPY_PART_H

#include "bmf/npy.h"

/* What bmf_npy_header_read has rank 0 do. Not collective. */
int npy_find_header(bmf_context *ctx, const char *path, bmf_npy_header *header);
/* This rank's part of bmf_npy_read_as: the list, whose other parts other ranks read. The status is this rank's own.
 * scalar: one that the file's can be read as. */
int npy_read_part(bmf_context *ctx, const char *path, const bmf_npy_header *header, const bmf_type *scalar,
                  bmf_partition *partition, bmf_list **list);

enum { NPY_HEADER_SIZE = 128 };

/* The header that bmf writes, as NumPy would; header->data_offset does not count. Not collective. */
void npy_print_header(const bmf_npy_header *header, char bytes[NPY_HEADER_SIZE]);

/* Copies the rows [first, first + rows) of a file, and the first `columns` elements of each, into a new .npy file.
 * header: what npy_find_header has said; 1 column if it has 1 dimension. Errors: BMF_ERROR_FILE, naming the file. Not
 * collective, without MPI. */
int npy_copy_part(const char *path, const bmf_npy_header *header, int64_t first, int64_t rows, int64_t columns,
                  const char *to);

#endif
