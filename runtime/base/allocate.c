/* Small working memory that does not fail; see the header. */
#include "runtime/base/allocate.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/abort_ranks.h"

enum { ALIGNED_FROM = 1024, MAPPED_FROM = 1 << 20 };

static const char working[] = "of working memory";

void out_of_memory(int64_t bytes, const char *what)
{
    wait_for_lower_ranks();
    fprintf(stderr, "bmf: out of memory: %lld bytes %s\n", (long long)bytes, what);
    abort_ranks(1);
}

void require_memory(int status, int64_t bytes)
{
    if (status == BMF_ERROR_MEMORY)
        out_of_memory(bytes, "for a list");
}

static size_t rounded_size(int64_t size)
{
    return ((size_t)(size > 0 ? size : 1) + 63) / 64 * 64;
}

void *allocate(int64_t size)
{
    /* Aligning the smallest pieces would cost more than what is done with them. */
    const size_t rounded = rounded_size(size);
    void *memory = rounded < ALIGNED_FROM ? malloc(rounded) : aligned_alloc(64, rounded);
    if (!memory)
        out_of_memory((int64_t)rounded, working);
    return memory;
}

static int64_t array_bytes(int64_t count, int64_t size)
{
    int64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory(INT64_MAX, working);
    return bytes;
}

void *allocate_array(int64_t count, int64_t size)
{
    return allocate(array_bytes(count, size));
}

void *allocate_clear(int64_t count, int64_t size)
{
    const int64_t bytes = array_bytes(count, size);
    return memset(allocate(bytes), 0, (size_t)bytes);
}

/* Large blocks are moved by mapping their pages elsewhere, which neither copies nor touches them. */
static void *remap(void *memory, int64_t size)
{
    void *grown = realloc(memory, rounded_size(size));
    if (!grown)
        out_of_memory(size, working);
    if ((uintptr_t)grown % 64 == 0)
        return grown;
    void *aligned = memcpy(allocate(size), grown, (size_t)size);
    free(grown);
    return aligned;
}

void *reallocate(void *memory, int64_t old_size, int64_t size)
{
    if (old_size >= MAPPED_FROM && size > old_size)
        return remap(memory, size);
    void *grown = allocate(size);
    if (memory)
        memcpy(grown, memory, (size_t)(old_size < size ? old_size : size));
    free(memory);
    return grown;
}

void *reallocate_array(void *memory, int64_t old_count, int64_t count, int64_t size)
{
    return reallocate(memory, array_bytes(old_count, size), array_bytes(count, size));
}
