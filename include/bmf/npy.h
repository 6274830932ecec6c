/** @file
 * .npy files: NumPy's format versions 1.0, 2.0 and 3.0 of int64, int32, float64, float32, complex128 and bool, C order,
 * little-endian. What is read may be anything that bmf_file_read takes (bmf/files.h); headers are those of plain files.
 *
 * 1-D files are lists; 2-D files are lists of lists (rows). Each rank reads or writes only its part, at its offset.
 * Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#ifndef BMF_NPY_H
#define BMF_NPY_H

#include <bmf/export.h>
#include <bmf/list.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a header says. */
typedef struct bmf_npy_header {
    const bmf_type *scalar; /**< int, int32, real, float, complex or bool */
    int dimensions;         /**< 1 or 2 */
    int64_t shape[2];       /**< shape[1] = 1 if dimensions is 1 */
    int64_t data_offset;    /**< bytes before the first element */
} bmf_npy_header;

/** Reads and checks the header of a file, including that the file is long enough. Collective; rank 0 reads.
 * Errors (BMF_ERROR_FILE, naming the file): cannot open; not .npy; truncated header or data; Fortran order;
 * big-endian; a dtype or a number of dimensions that bmf does not take. */
BMF_API int bmf_npy_header_read(bmf_context *ctx, const char *path, bmf_npy_header *header);

/** Reads a file into a list, evenly split over all processors (1-D: elements; 2-D: rows, as a list of lists).
 * Collective. The caller owns the list. Moves no messages; every rank reads (n/P) elements, files over 2 GiB too.
 * A bool byte other than 0 or 1 is an error. */
BMF_API int bmf_npy_read(bmf_context *ctx, const char *path, bmf_list **list);

/** The same onto the parts of `partition`, whose length must be shape[0]. */
BMF_API int bmf_npy_read_parts(bmf_context *ctx, const char *path, bmf_partition *partition, bmf_list **list);

/** The same with all scalars converted to `scalar` while they are read: int32 to int or real, int to real (rounded to
 * the nearest), float to real, and every type to itself. partition may be NULL: evenly over all processors. Takes no
 * more memory than the list. Collective. Error besides those above: BMF_ERROR_TYPE, naming the file, for any other
 * conversion. */
BMF_API int bmf_npy_read_as(bmf_context *ctx, const char *path, const bmf_type *scalar, bmf_partition *partition,
                            bmf_list **list);

/** Writes a list of int, int32, real, float, complex or bool, or of lists of them that all have the same length, to
 * `path`. Collective.
 * The file appears whole or not at all: it is written under a private name beside PATH, synced and renamed. A list of
 * no rows is written with the shape (0, 0). Errors: BMF_ERROR_FILE; BMF_ERROR_TYPE for other types; BMF_ERROR_SHAPE
 * for ragged rows (names the first). */
BMF_API int bmf_npy_write(const bmf_list *list, const char *path);

#ifdef __cplusplus
}
#endif
#endif
