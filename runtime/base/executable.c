/* Machine code made while a program runs; see executable.h.
 *
 * Cost: three calls of the system and a page or more for each. */
#include "runtime/base/executable.h"

#include <string.h>
#include <sys/mman.h>

void *executable_create(const void *code, int64_t bytes)
{
    const size_t size = (size_t)bytes;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    memcpy(memory, code, size);
    if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) {
        munmap(memory, size);
        return NULL;
    }
    __builtin___clear_cache((char *)memory, (char *)memory + bytes);
    return memory;
}

void executable_free(void *code, int64_t bytes)
{
    if (code)
        munmap(code, (size_t)bytes);
}
