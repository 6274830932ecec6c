/* Moving the bytes of data files by MPI-IO, every rank its own. Internal. */
#ifndef BMF_FILES_BYTES_H
#define BMF_FILES_BYTES_H

#include <mpi.h>

#include "bmf/context.h"
#include "bmf/partition.h"

/* Opens a file for this rank alone. mode: MPI_MODE_RDONLY or MPI_MODE_WRONLY. Not collective. */
int bytes_open(bmf_context *ctx, const char *path, int mode, MPI_File *file);
/* Reads or writes `bytes` bytes at `offset`, in pieces. Not collective. */
int bytes_read(bmf_context *ctx, const char *path, MPI_File file, int64_t offset, void *data, int64_t bytes);
int bytes_write(bmf_context *ctx, const char *path, MPI_File file, int64_t offset, const void *data, int64_t bytes);
/* Records one file event for every part on this rank, if the run is traced; begin: context_now before. Not
 * collective. */
void bytes_record(bmf_context *ctx, const bmf_partition *partition, int64_t element_bytes, int64_t begin);

#endif
