/* Memory that other processes of the host can map; see the header.
 *
 * Method: memfd_create makes the file, /proc/PROCESS/fd/DESCRIPTOR opens it for others. Files in memory have small
 * pages unless the system is set otherwise, which costs what works in lists more than sharing gains; MADV_COLLAPSE
 * (Linux 6.1) makes huge ones of them whatever the setting. So every piece is touched once in each huge page and
 * collapsed before it is used, by all threads; that clears it, as the first touch of other memory would. Where this
 * fails memory is not shared. Free ranges are kept in order; the first that fits is taken, and mapped by itself. A
 * range that is given back is punched out of the file, since others still map it. Others map the beginning of the file,
 * twice as much when it does not suffice. Cost: O(ranges) a buffer; a page table for each process that maps it. */
#define _GNU_SOURCE
#include "runtime/base/shared_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/search.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { LINE = 64, LINES = 1 << 15 }; /* of counters: the first huge page's worth, which stays in small pages */
static const int64_t huge_page = (int64_t)2 << 20, first_mapped = (int64_t)64 << 20;

typedef struct range {
    int64_t begin, end;
} range;

/* What was taken, and where it is mapped. */
typedef struct taken {
    char *data;
    int64_t offset, size;
} taken;

/* The memory of another process, [0, end) of it. */
typedef struct mapped {
    bmf_shared_memory_key key;
    char *base; /* NULL: it cannot be mapped */
    int64_t end;
} mapped;

static struct {
    bmf_shared_memory_key key;
    int64_t size;
    bool in_use;        /* until it turns out that there are no huge pages */
    int64_t room, used; /* bytes */
    int threads;
    range *free; /* in order */
    int64_t free_count, free_capacity;
    taken *taken; /* in the order of their addresses; the counters are one of them */
    int64_t taken_count, taken_capacity;
    char *counters;
    int lines;   /* handed out for the first time */
    void **line; /* given back */
    int64_t line_count, line_capacity;
    mapped *other;
    int64_t others, other_capacity;
} memory;

/* ---- free ranges ---- */

static void insert_free(int64_t k, range piece)
{
    ARRAY_RESERVE(memory.free, memory.free_capacity, memory.free_count + 1);
    memmove(&memory.free[k + 1], &memory.free[k], (size_t)(memory.free_count - k) * sizeof *memory.free);
    memory.free[k] = piece;
    memory.free_count++;
}

static void remove_free(int64_t k)
{
    memory.free_count--;
    memmove(&memory.free[k], &memory.free[k + 1], (size_t)(memory.free_count - k) * sizeof *memory.free);
}

/* Adds a range, united with its neighbours. */
static void add_free(range piece)
{
    int64_t k = 0;
    while (k < memory.free_count && memory.free[k].begin < piece.begin)
        k++;
    insert_free(k, piece);
    if (k + 1 < memory.free_count && memory.free[k + 1].begin == piece.end) {
        memory.free[k].end = memory.free[k + 1].end;
        remove_free(k + 1);
    }
    if (k > 0 && memory.free[k - 1].end == piece.begin) {
        memory.free[k - 1].end = memory.free[k].end;
        remove_free(k);
    }
}

/* ---- making ---- */

/* Processes with the same network and process numbers on hosts of one name can reach each other's memory. */
static uint64_t hash_of_space(void)
{
    static const char *const space[] = {"/proc/self/ns/pid", "/proc/self/ns/net"};
    char text[256] = "";
    gethostname(text, sizeof text - 1);
    uint64_t hash = hash_text(text);
    for (size_t k = 0; k < sizeof space / sizeof *space; k++) {
        const ssize_t length = readlink(space[k], text, sizeof text - 1);
        if (length < 0)
            return 0;
        text[length] = '\0';
        hash = hash_bytes(hash, text, (size_t)length);
    }
    return hash;
}

int64_t machine_memory(void)
{
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

/* As large as the machine's memory, and a huge page for counters; or 0 if files may not be. */
static int64_t largest_size(void)
{
    struct rlimit limit;
    const int64_t size = machine_memory() / huge_page * huge_page;
    const bool allowed = getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
                         (limit.rlim_cur == RLIM_INFINITY || (int64_t)limit.rlim_cur >= size + huge_page);
    return allowed ? size + huge_page : 0;
}

bmf_shared_memory_key shared_memory_key(void)
{
    struct stat found;
    if (memory.key.space)
        return memory.key;
    const int64_t size = largest_size();
    const uint64_t space = hash_of_space();
    const int descriptor = size > 0 && space ? memfd_create("bmf", MFD_CLOEXEC) : -1;
    if (descriptor < 0)
        return memory.key;
    if (ftruncate(descriptor, size) != 0 || fstat(descriptor, &found) != 0) {
        close(descriptor);
        return memory.key;
    }
    memory.size = size;
    memory.key = (bmf_shared_memory_key){space, found.st_ino, (int32_t)getpid(), descriptor};
    return memory.key;
}

void shared_memory_use(int64_t room, int threads)
{
    if (memory.size == 0 || memory.room > 0)
        return;
    memory.in_use = true;
    memory.room = room;
    memory.threads = threads;
    add_free((range){huge_page, memory.size});
}

/* Maps part of a file on a huge page boundary: a page too much, the ends given back. */
static char *map_file(int descriptor, int64_t offset, int64_t size)
{
    const size_t wanted = (size_t)size, extra = (size_t)huge_page;
    char *raw = mmap(NULL, wanted + extra, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    const size_t head = -(uintptr_t)raw & (extra - 1);
    char *base = raw + head;
    if (mmap(base, wanted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor, offset) ==
        MAP_FAILED) {
        munmap(raw, wanted + extra);
        return NULL;
    }
    if (head > 0)
        munmap(raw, head);
    munmap(base + wanted, extra - head);
    return base;
}

/* ---- taking and giving ---- */

/* Huge pages for part of a new piece. A few that cannot be had are left small. */
static bool make_huge(char *data, int64_t size)
{
    for (int64_t at = 0; at < size; at += huge_page)
        *(volatile char *)(data + at) = 0;
    return size == 0 || madvise(data, (size_t)size, MADV_COLLAPSE) == 0;
}

static bool make_all_huge(char *data, int64_t size)
{
    const int64_t pages = size / huge_page, threads = pages < memory.threads ? pages : memory.threads;
    int64_t huge = 0;
#pragma omp parallel for num_threads((int)threads) schedule(static) reduction(+ : huge) if (threads > 1)
    for (int64_t t = 0; t < threads; t++) {
        const int64_t begin = pages * t / threads, end = pages * (t + 1) / threads;
        huge += make_huge(data + begin * huge_page, (end - begin) * huge_page);
    }
    return huge > 0;
}

/* The last piece that begins at an address or before it, or -1. */
static int64_t taken_at(const char *data)
{
    return SEARCH_FIRST(k, 0, memory.taken_count, memory.taken[k].data > data) - 1;
}

static void add_taken(taken piece)
{
    const int64_t k = taken_at(piece.data) + 1;
    ARRAY_RESERVE(memory.taken, memory.taken_capacity, memory.taken_count + 1);
    memmove(&memory.taken[k + 1], &memory.taken[k], (size_t)(memory.taken_count - k) * sizeof *memory.taken);
    memory.taken[k] = piece;
    memory.taken_count++;
}

static void unmap(char *data, int64_t offset, int64_t size)
{
    munmap(data, (size_t)size);
    fallocate(memory.key.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size);
}

void *shared_memory_take(int64_t size)
{
    int64_t k = 0;
    if (!memory.in_use || size > memory.room - memory.used)
        return NULL;
    while (k < memory.free_count && memory.free[k].end - memory.free[k].begin < size)
        k++;
    char *data = k < memory.free_count ? map_file(memory.key.descriptor, memory.free[k].begin, size) : NULL;
    if (!data)
        return NULL;
    const int64_t offset = memory.free[k].begin;
    if (!make_all_huge(data, size)) {
        unmap(data, offset, size);
        memory.in_use = false;
        return NULL;
    }
    memory.used += size;
    memory.free[k].begin += size;
    if (memory.free[k].begin == memory.free[k].end)
        remove_free(k);
    add_taken((taken){data, offset, size});
    return data;
}

bool shared_memory_give(void *data)
{
    const int64_t k = taken_at(data);
    if (k < 0 || memory.taken[k].data != data)
        return false;
    const taken piece = memory.taken[k];
    memory.taken_count--;
    memmove(&memory.taken[k], &memory.taken[k + 1], (size_t)(memory.taken_count - k) * sizeof *memory.taken);
    unmap(data, piece.offset, piece.size);
    memory.used -= piece.size;
    add_free((range){piece.offset, piece.offset + piece.size});
    return true;
}

/* The first huge page of the file, which stays in small pages. */
static bool map_counters(void)
{
    if (!memory.counters && memory.size > 0) {
        memory.counters = map_file(memory.key.descriptor, 0, huge_page);
        if (memory.counters)
            add_taken((taken){memory.counters, 0, huge_page});
    }
    return memory.counters;
}

void *shared_memory_take_line(void)
{
    if (memory.line_count > 0)
        return memory.line[--memory.line_count];
    return map_counters() && memory.lines < LINES ? memory.counters + LINE * (int64_t)memory.lines++ : NULL;
}

void shared_memory_give_line(void *line)
{
    memset(line, 0, LINE);
    *ARRAY_APPEND(memory.line, memory.line_count, memory.line_capacity) = line;
}

/* ---- of others ---- */

int64_t shared_memory_offset(const void *data, int64_t bytes)
{
    const char *at = data;
    const int64_t k = taken_at(at);
    const taken *piece = k < 0 ? NULL : &memory.taken[k];
    return piece && at + bytes <= piece->data + piece->size ? piece->offset + (at - piece->data) : -1;
}

static char *map_other(const bmf_shared_memory_key *key, int64_t end)
{
    char path[64], *base = NULL;
    struct stat found;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)key->process, (int)key->descriptor);
    const int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &found) == 0 && found.st_ino == key->inode && found.st_size >= end)
        base = map_file(descriptor, 0, end);
    close(descriptor);
    return base;
}

static bool same_key(const bmf_shared_memory_key *a, const bmf_shared_memory_key *b)
{
    return a->space == b->space && a->inode == b->inode && a->process == b->process && a->descriptor == b->descriptor;
}

static mapped *find_other(const bmf_shared_memory_key *key)
{
    for (int64_t k = 0; k < memory.others; k++)
        if (same_key(&memory.other[k].key, key))
            return &memory.other[k];
    mapped *added = ARRAY_APPEND(memory.other, memory.others, memory.other_capacity);
    *added = (mapped){*key, NULL, 0};
    return added;
}

/* What was mapped before stays, since others may still use it: at most as much again. */
char *shared_memory_of(const bmf_shared_memory_key *key, int64_t end)
{
    mapped *other = find_other(key);
    const bool tried = other->end > 0;
    if (end <= other->end || (tried && !other->base))
        return other->base;
    if (key->space == 0 || key->space != memory.key.space)
        return NULL;
    int64_t wanted = tried ? 2 * other->end : first_mapped;
    wanted = wanted > end ? wanted : (end + huge_page - 1) / huge_page * huge_page;
    char *base = map_other(key, wanted < memory.size ? wanted : memory.size);
    other->base = base;
    other->end = wanted;
    return base;
}
