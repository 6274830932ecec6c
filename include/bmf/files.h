/** @file
 * Data files: lists from what other programs write, and back. Every rank reads and writes its own rows.
 *
 * A name is that of a file, and for some formats a colon and what of it is meant:
 *
 * | name | is |
 * |---|---|
 * | `x.npy` | NumPy's array: numbers, bool, structures of them; 1 to 4 dimensions; C or Fortran order |
 * | `x.npz:name` | an array of NumPy's archive, compressed or not; without a name if it has only one |
 * | `x.csv`, `x.tsv`, `x.txt`, `x.dat` | a table of numbers: a list if it has one column, otherwise a list of rows |
 * | `x.csv:3`, `x.csv:time,load`, `x.csv:2-4` | columns, by number from 1 or by name: scalars, or tuples |
 * | `x.csv:3:real` | with all columns of that type: int, real or bool |
 * | `x.raw:float64`, `x.raw:float32:100` | the bytes themselves; rows of 100; `int32,float64` for structures |
 * | `x.h5:/group/x` | a data set of HDF5, if bmf was built with it |
 *
 * Arrays of n dimensions are lists of lists, n - 1 deep; structures are tuples.
 */
#ifndef BMF_FILES_H
#define BMF_FILES_H

#include <bmf/export.h>
#include <bmf/list.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reads a list. item: what its items (scalars or structures) are read as: NULL as they are, with int8, int16, uint8,
 * uint16, uint32 and uint64 as int (BMF_ERROR_FILE above 2^63 - 1); a scalar that holds them (ints as int or real,
 * float as real); a tuple of such scalars; or a struct of as many bytes as the file's, padding counted (not for
 * tables), whose scalars get the machine's order of bytes. partition: the list's, of as many elements as the file has
 * rows, or NULL: evenly over all processors. Collective. The caller owns the list.
 *
 * A rank reads the bytes of its rows; of a table also its share of the file once more, to count rows; of what is
 * compressed everything before its rows, in blocks. Messages: none of the machine. Errors (agreed): BMF_ERROR_FILE,
 * naming file and place; BMF_ERROR_TYPE for another conversion; BMF_ERROR_SHAPE for a partition of another length;
 * BMF_ERROR_MEMORY. */
BMF_API int bmf_file_read(bmf_context *ctx, const char *name, const bmf_type *item, bmf_partition *partition,
                          bmf_list **list);

/** Writes a list of int, int32, real, float, complex or bool, of tuples of them, or of lists (of lists ..) of such
 * items that all have the same length. Structures and rows become columns of tables. A name with neither a dot nor a
 * colon is that of a .npy file. Collective. The file appears
 * whole or not at all, as with bmf_npy_write. Every rank writes its rows; bytes: theirs. Errors: BMF_ERROR_FILE;
 * BMF_ERROR_TYPE for other types; BMF_ERROR_SHAPE for rows of different lengths (names the first). */
BMF_API int bmf_file_write(const bmf_list *list, const char *name);

#ifdef __cplusplus
}
#endif
#endif
