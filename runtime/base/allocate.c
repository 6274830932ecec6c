/* Small working memory that does not fail; see the header. */
#include "runtime/base/allocate.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED_FROM = 1024 };

void *allocate(int64_t size)
{
    /* Aligning the smallest pieces would cost more than what is done with them. */
    size_t rounded = ((size_t)(size > 0 ? size : 1) + 63) / 64 * 64;
    void *memory = rounded < ALIGNED_FROM ? malloc(rounded) : aligned_alloc(64, rounded);
    if (!memory) {
        int initialised = 0;
        fprintf(stderr, "bmf: out of memory: %zu bytes of working memory\n", rounded);
        MPI_Initialized(&initialised);
        if (initialised)
            MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    return memory;
}

void *allocate_clear(int64_t count, int64_t size)
{
    void *memory = allocate(count * size);
    memset(memory, 0, (size_t)(count * size));
    return memory;
}

void *reallocate(void *memory, int64_t old_size, int64_t size)
{
    void *grown = allocate(size);
    if (memory)
        memcpy(grown, memory, (size_t)(old_size < size ? old_size : size));
    free(memory);
    return grown;
}
