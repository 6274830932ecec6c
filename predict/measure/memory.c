/* Memory for timed operations: fresh, which no cache holds, or cached.
 *
 * Method: an arena whose pages have been touched once. Fresh memory is the next piece of it, and the lines of a piece
 * are flushed from the caches; other processors than x86 rely on the arena being larger than their caches. Cached
 * memory is the same piece every time, read just before. Pages that were never touched would be a third case, in which
 * the operating system's clearing of pages drowns everything else; bmf's programs avoid it by pooling
 * (runtime/base/memory.h).
 * Cost: flushing 64 bytes takes some ns, outside the timed part.
 * Source: document 001, 3.5: caches change costs by orders of magnitude, so the pessimistic case is the convention. */
#include <stdlib.h>
#include <string.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

enum { LINE = 64, PAGE = 4096 };
static const int64_t SMALLEST = (int64_t)16 << 20;

struct measure_memory {
    bmf_buffer *buffer;
    int64_t next;       /* first free byte */
    int64_t repetition; /* bytes that one repetition takes at most */
};

measure_memory *measure_memory_create(void)
{
    return allocate_clear(1, (int64_t)sizeof(measure_memory));
}

void measure_memory_free(measure_memory *memory)
{
    if (!memory)
        return;
    buffer_release(memory->buffer);
    free(memory);
}

void measure_flush(const void *data, int64_t bytes)
{
#if defined(__x86_64__)
    for (int64_t at = 0; at < bytes; at += LINE)
        _mm_clflush((const char *)data + at);
    if (bytes > 0)
        _mm_clflush((const char *)data + bytes - 1);
    _mm_mfence();
#else
    (void)data;
    (void)bytes;
#endif
}

static void touch(const char *data, int64_t bytes)
{
    volatile char sink;
    for (int64_t at = 0; at < bytes; at += LINE)
        sink = data[at];
    (void)sink;
}

static int64_t pages(int64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

int measure_memory_reserve(measure_site *site, int64_t first_bytes, int64_t second_bytes)
{
    measure_memory *memory = site->memory;
    int64_t size = pages(first_bytes) + pages(second_bytes);
    memory->repetition = size;
    size = size > SMALLEST ? size : SMALLEST;
    if (memory->buffer && memory->buffer->size >= size)
        return BMF_OK;
    buffer_release(memory->buffer);
    memory->next = 0;
    memory->buffer = buffer_create(size);
    if (!memory->buffer)
        return bmf_fail(site->ctx, BMF_ERROR_MEMORY, "no memory for buffers of %lld bytes", (long long)size);
    memset(memory->buffer->data, 1, (size_t)size);
    return BMF_OK;
}

void measure_memory_rewind(measure_site *site)
{
    measure_memory *memory = site->memory;
    if (memory->buffer && (site->cached || memory->next + memory->repetition > memory->buffer->size))
        memory->next = 0;
}

void *measure_memory_take(measure_site *site, int64_t bytes)
{
    measure_memory *memory = site->memory;
    char *data = (char *)memory->buffer->data + memory->next;
    memory->next += pages(bytes);
    if (site->cached)
        touch(data, bytes);
    else
        measure_flush(data, bytes);
    return data;
}
