/* Reference-counted buffers and their pools.
 *
 * Method: small buffers come from the C library, which takes long to align them. So they wait when they are freed:
 * those below 4 KiB by their size, eight of each; those from there on in pools, at most 1 MiB of them below 64 KiB and
 * 16 MiB above, as the C library would give the pages of many back to the system each time. From 2
 * MiB on they are mapped, aligned to 2 MiB and advised to use huge pages; when freed they wait in the pool for a
 * request of about their size (best fit, at most a quarter more than asked for). On a miss the oldest pooled buffers
 * go back to the system until what is live and what is pooled together stays below the most that was ever live at
 * once: the pool never makes a program need more memory than it does anyway (twice as much in commands that keep their
 * working memory). With other ranks on the host they come from memory that those can map
 * (runtime/base/shared_memory.h).
 * Cost: O(pool) per big buffer. All state belongs to the master thread, the only one that calls these functions.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/allocate.h"
#include "runtime/base/kept_memory.h"
#include "runtime/base/memory.h"
#include "runtime/base/memory_limit.h"
#include "runtime/base/shared_memory.h"

enum {
    LINE = 64,
    POOL_SIZE = 32,
    SMALL = 4 << 10,
    MIDDLE = 64 << 10,
    SMALL_POOL = 1 << 20,
    MIDDLE_POOL = 16 << 20,
    KEPT = 8, /* of a size below SMALL */
};
static const int64_t huge_page = (int64_t)2 << 20;

typedef struct bmf_buffer_pool {
    bmf_buffer *buffer[POOL_SIZE]; /* oldest first */
    int count;
    int64_t bytes;
} bmf_buffer_pool;

/* Below SMALL, by lines. */
typedef struct bmf_buffers_of_size {
    bmf_buffer *buffer[KEPT];
    int count;
} bmf_buffers_of_size;

static bmf_buffers_of_size by_lines[SMALL / LINE];
static bmf_buffer_pool small, middle, mapped;
static int64_t live, peak; /* bytes of mapped buffers: in use, most ever in use */
static int64_t fresh;      /* bytes that the system gave */
static int64_t used, most; /* bytes of all buffers: in use, most in use since that was asked for anew */

static void give_back(bmf_buffer *buffer)
{
    if (!buffer->mapped)
        free(buffer->data);
    else if (!shared_memory_give(buffer->data))
        munmap(buffer->data, (size_t)buffer->size);
    free(buffer);
}

static bmf_buffer *take_from(bmf_buffer_pool *pool, int index)
{
    bmf_buffer *buffer = pool->buffer[index];
    pool->count--;
    pool->bytes -= buffer->size;
    memmove(&pool->buffer[index], &pool->buffer[index + 1], (size_t)(pool->count - index) * sizeof pool->buffer[0]);
    return buffer;
}

static bmf_buffer *best_fit(bmf_buffer_pool *pool, int64_t size)
{
    int best = -1;
    for (int k = 0; k < pool->count; k++) {
        int64_t have = pool->buffer[k]->size;
        if (have >= size && have - size <= size / 4 && (best < 0 || have < pool->buffer[best]->size))
            best = k;
    }
    return best < 0 ? NULL : take_from(pool, best);
}

static void add_to(bmf_buffer_pool *pool, bmf_buffer *buffer)
{
    if (pool->count == POOL_SIZE)
        give_back(take_from(pool, 0));
    pool->buffer[pool->count++] = buffer;
    pool->bytes += buffer->size;
}

/* Maps `size` bytes (a multiple of the huge page) on a huge page boundary: a page too much, the ends given back. */
static void *map_aligned(int64_t size)
{
    void *shared = shared_memory_take(size);
    if (shared)
        return shared;
    size_t wanted = (size_t)size, extra = (size_t)huge_page;
    char *raw = mmap(NULL, wanted + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    size_t head = (extra - (uintptr_t)raw % extra) % extra;
    if (head > 0)
        munmap(raw, head);
    munmap(raw + head + wanted, extra - head);
    madvise(raw + head, wanted, MADV_HUGEPAGE);
    return raw + head;
}

/* Systems promise more memory than there is, and kill who uses it: what this process can never have is refused. */
static bool is_too_much(int64_t size)
{
    static int64_t limit;
    if (limit == 0)
        limit = memory_limit();
    return size > limit - live;
}

static bmf_buffer *create_mapped(int64_t asked)
{
    int64_t size = (asked + huge_page - 1) / huge_page * huge_page;
    bmf_buffer *buffer = best_fit(&mapped, size);
    if (!buffer && is_too_much(size))
        return NULL;
    if (!buffer) {
        while (mapped.count > 0 && live + mapped.bytes + size > (working_memory_is_kept() ? 2 : 1) * peak)
            give_back(take_from(&mapped, 0));
        buffer = malloc(sizeof *buffer);
        if (!buffer)
            return NULL;
        *buffer = (bmf_buffer){map_aligned(size), size, 1, true, NULL};
        if (!buffer->data) {
            buffer_trim();
            buffer->data = map_aligned(size);
        }
        if (!buffer->data) {
            free(buffer);
            return NULL;
        }
        fresh += size;
    }
    buffer->references = 1;
    live += buffer->size;
    peak = live > peak ? live : peak;
    return buffer;
}

/* AddressSanitizer sees the use of what was freed only if it was. */
#ifdef __SANITIZE_ADDRESS__
static const bool keeps_small = false;
#else
static const bool keeps_small = true;
#endif

static bmf_buffer *find_small(int64_t size)
{
    if (size >= SMALL)
        return best_fit(size < MIDDLE ? &small : &middle, size);
    bmf_buffers_of_size *same = &by_lines[size / LINE];
    return same->count > 0 ? same->buffer[--same->count] : NULL;
}

static void keep_in(bmf_buffer_pool *pool, bmf_buffer *buffer, int64_t limit)
{
    add_to(pool, buffer);
    while (pool->bytes > limit)
        give_back(take_from(pool, 0));
}

static void keep_by_lines(bmf_buffer *buffer)
{
    bmf_buffers_of_size *same = &by_lines[buffer->size / LINE];
    if (same->count < KEPT)
        same->buffer[same->count++] = buffer;
    else
        give_back(buffer);
}

static void keep_small(bmf_buffer *buffer)
{
    if (buffer->size >= MIDDLE)
        keep_in(&middle, buffer, MIDDLE_POOL);
    else if (!keeps_small)
        give_back(buffer);
    else if (buffer->size >= SMALL)
        keep_in(&small, buffer, SMALL_POOL);
    else
        keep_by_lines(buffer);
}

static bmf_buffer *create_small(int64_t asked)
{
    int64_t size = (asked + LINE - 1) / LINE * LINE;
    bmf_buffer *buffer = find_small(size);
    if (buffer) {
        buffer->references = 1;
        return buffer;
    }
    buffer = malloc(sizeof *buffer);
    if (!buffer)
        return NULL;
    *buffer = (bmf_buffer){size > 0 ? aligned_alloc(LINE, (size_t)size) : NULL, size, 1, false, NULL};
    if (size > 0 && !buffer->data) {
        free(buffer);
        return NULL;
    }
    fresh += size < MIDDLE ? 0 : size;
    return buffer;
}

bmf_buffer *buffer_create(int64_t size)
{
    if (size < 0 || size > INT64_MAX - 2 * huge_page)
        return NULL;
    bmf_buffer *made = size < huge_page ? create_small(size) : create_mapped(size);
    used += made ? made->size : 0;
    most = used > most ? used : most;
    return made;
}

bmf_buffer *buffer_retain(bmf_buffer *buffer)
{
    if (buffer)
        buffer->references++;
    return buffer;
}

void (*buffer_let_go)(bmf_buffer *buffer);

void buffer_release(bmf_buffer *buffer)
{
    if (!buffer || --buffer->references > 0)
        return;
    used -= buffer->size;
    if (buffer->holding)
        buffer_let_go(buffer);
    if (buffer->mapped) {
        live -= buffer->size;
        add_to(&mapped, buffer);
    } else {
        keep_small(buffer);
    }
}

int64_t buffer_fresh_bytes(void)
{
    return fresh;
}

int64_t buffer_most_bytes(void)
{
    return most;
}

void buffer_restart_most(void)
{
    most = used;
}

/* A copy costs less than a quarter of what filled the buffer. */
enum { IDLE_FACTOR = 4 };

void buffer_shrink(bmf_buffer **buffer, int64_t kept)
{
    if (!*buffer || ((*buffer)->size <= IDLE_FACTOR * kept && kept > 0))
        return;
    bmf_buffer *made = kept > 0 ? buffer_create(kept) : NULL;
    if (kept > 0 && !made)
        return; /* then it stays as large as it is */
    if (made)
        memcpy(made->data, (*buffer)->data, (size_t)kept);
    buffer_release(*buffer);
    *buffer = made;
}

static void empty_pool(bmf_buffer_pool *pool)
{
    while (pool->count > 0)
        give_back(take_from(pool, pool->count - 1));
}

void buffer_trim(void)
{
    for (int k = 0; k < SMALL / LINE; k++)
        while (by_lines[k].count > 0)
            give_back(by_lines[k].buffer[--by_lines[k].count]);
    empty_pool(&small);
    empty_pool(&middle);
    empty_pool(&mapped);
}

bmf_buffer *working_buffer(int64_t size)
{
    bmf_buffer *buffer = buffer_create(size);
    if (!buffer)
        out_of_memory(size, "of working memory");
    return buffer;
}
