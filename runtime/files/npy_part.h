/* Headers and copies of .npy files without other ranks. Internal. */
#ifndef BMF_NPY_PART_H
#define BMF_NPY_PART_H

#include "bmf/npy.h"

/* What bmf_npy_header_read has rank 0 do. Not collective. */
int npy_find_header(bmf_context *ctx, const char *path, bmf_npy_header *header);
enum { NPY_HEADER_SIZE = 128 };

/* The header that bmf writes, as NumPy would; header->data_offset does not count. Not collective. */
void npy_print_header(const bmf_npy_header *header, char bytes[NPY_HEADER_SIZE]);

/* Copies the rows [first, first + rows) of a file, and the first `columns` elements of each, into a new .npy file.
 * header: what npy_find_header has said; 1 column if it has 1 dimension. Errors: BMF_ERROR_FILE, naming the file. Not
 * collective, without MPI. */
int npy_copy_part(const char *path, const bmf_npy_header *header, int64_t first, int64_t rows, int64_t columns,
                  const char *to);

struct data_file;
/* Whether npy_repeat_rows takes the file, which was found (data_file_find): .npy in this machine's order of bytes, C
 * order, without padding. */
bool npy_repeats(const struct data_file *file);
/* Writes a new .npy file of so many rows, those of such a file that has some one after the other and again from the
 * first. Memory: the file's rows. Errors: BMF_ERROR_FILE, naming the file. Not collective, without MPI. */
int npy_repeat_rows(const char *path, int64_t rows, const char *to);

#endif
