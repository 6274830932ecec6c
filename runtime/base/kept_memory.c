/* Memory that the C library keeps.
 *
 * Method, of working memory: the library is told to serve everything from the memory that grows at its end, and never
 * to shrink it. A block that is made and freed at once makes it grow by as much, and its pages are advised to be huge
 * before anything touches them. Cost: a system call or two. */
#define _DEFAULT_SOURCE
#include "runtime/base/kept_memory.h"

static int64_t kept;

bool working_memory_is_kept(void)
{
    return kept > 0;
}

#ifdef __GLIBC__
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

static const int64_t huge_page = (int64_t)2 << 20;

static void advise_huge_pages(char *block, int64_t bytes)
{
    const int64_t head = huge_page - (int64_t)((uintptr_t)block % (uintptr_t)huge_page);
    madvise(block + head, (size_t)((bytes - head) / huge_page * huge_page), MADV_HUGEPAGE);
}

void keep_freed_memory(void)
{
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

void keep_working_memory(int64_t bytes)
{
    if (bytes <= kept)
        return;
    kept = bytes;
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_MMAP_MAX, 0);
    char *block = malloc((size_t)bytes);
    if (block && bytes >= huge_page)
        advise_huge_pages(block, bytes);
    free(block);
}
#else
void keep_freed_memory(void)
{
}

void keep_working_memory(int64_t bytes)
{
    kept = bytes > kept ? bytes : kept;
}
#endif
