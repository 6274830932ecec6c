/* The memory hierarchy: every way of access at every footprint, by 1 to all cores at once.
 *
 * Method: each member of the group works on d words of its own, again and again, long enough for the clock, so that
 * they stay in the nearest cache that holds them. Random words are read at places that a generator says, one
 * independent of the other; a chase goes through the lines of the memory in one cycle of no order, each read
 * telling where the next one is. A touch is the first write to memory that the system has just given, once a
 * repetition: in huge pages where it has them, as bmf's own buffers, or in small ones.
 * Cost: each repetition at least MIN_NS, or one pass.
 * Source: the chase is that of McVoy and Staelin, "lmbench", USENIX 1996. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "predict/measure/measure_private.h"
#include "predict/sheet/memory_curve.h"
#include "bmf/kernel.h"
#include "runtime/backend/clock.h"
#include "runtime/base/allocate.h"

enum { MAX_PASSES = 1 << 20, STREAMS = 32, LINE_WORDS = 8, MIN_WORDS = 512, MAX_READS = 1 << 17 };
static const int64_t MIN_NS = 20000; /* of a repetition */
static const int64_t huge_page = (int64_t)2 << 20;

typedef struct level_data {
    bmf_memory_access access;
    int64_t *word, words, passes;
    bmf_buffer *buffer; /* of accesses that use the same memory again */
    char *raw;          /* mapped for one repetition */
    size_t raw_bytes;
    uint64_t state; /* of the generator of random places */
    int64_t line;   /* where the chase is */
} level_data;

static _Thread_local volatile int64_t sink;

BMF_VECTORISE static int64_t read_all(const int64_t *word, int64_t words)
{
    int64_t sum[STREAMS] = {0}, total = 0;
    for (int64_t i = 0; i + STREAMS <= words; i += STREAMS)
        for (int k = 0; k < STREAMS; k++)
            sum[k] += word[i + k];
    for (int k = 0; k < STREAMS; k++)
        total += sum[k];
    return total;
}

BMF_VECTORISE static void write_all(int64_t *word, int64_t words, int64_t value)
{
    for (int64_t i = 0; i < words; i++)
        word[i] = value;
}

/* Goes on where the last call ended: a short walk alone would stay in a cache. */
static int64_t read_random(const int64_t *word, int64_t words, int64_t reads, uint64_t *state)
{
    uint64_t at = *state, sum = 0;
    for (int64_t i = 0; i < reads; i++) {
        at = at * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (uint64_t)word[((at >> 32) * (uint64_t)words) >> 32];
    }
    *state = at;
    return (int64_t)sum;
}

static int64_t chase(const int64_t *word, int64_t reads, int64_t at)
{
    for (int64_t i = 0; i < reads; i++)
        at = word[at];
    return at;
}

/* One cycle through the largest power of two of lines: a congruential generator of full period. */
static void make_cycle(int64_t *word, int64_t words)
{
    uint64_t lines = 1;
    while (2 * lines <= (uint64_t)words / LINE_WORDS)
        lines *= 2;
    for (uint64_t i = 0; i < lines; i++)
        word[i * LINE_WORDS] =
            (int64_t)((i * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407)) & (lines - 1)) * LINE_WORDS;
}

/* How often memory is read in a pass: each word or line once, but not longer than it takes to know. */
static int64_t reads_of(const level_data *d)
{
    const int64_t all = d->access == BMF_MEMORY_CHASE ? d->words / LINE_WORDS : d->words;
    return all < MAX_READS ? all : MAX_READS;
}

static void run_pass(level_data *d)
{
    switch (d->access) {
    case BMF_MEMORY_READ:
        sink = read_all(d->word, d->words);
        break;
    case BMF_MEMORY_RANDOM:
        sink = read_random(d->word, d->words, reads_of(d), &d->state);
        break;
    case BMF_MEMORY_CHASE:
        d->line = chase(d->word, reads_of(d), d->line);
        sink = d->line;
        break;
    default:
        write_all(d->word, d->words, 1);
        break;
    }
}

/* How much of a pass over all words a pass is. */
static double part_of(const level_data *d)
{
    if (d->access == BMF_MEMORY_RANDOM)
        return (double)reads_of(d) / (double)d->words;
    if (d->access == BMF_MEMORY_CHASE)
        return (double)(reads_of(d) * LINE_WORDS) / (double)d->words;
    return 1.0;
}

static bool is_touching(const level_data *d)
{
    return d->access == BMF_MEMORY_TOUCH || d->access == BMF_MEMORY_FAULT;
}

static void find_passes(level_data *d)
{
    for (d->passes = 1; d->passes < MAX_PASSES; d->passes *= 2) {
        const int64_t begin = monotonic_ns();
        for (int64_t k = 0; k < d->passes; k++)
            run_pass(d);
        if (monotonic_ns() - begin >= MIN_NS)
            break;
    }
}

static int fail_memory(const measure_site *site)
{
    return bmf_fail(site->ctx, BMF_ERROR_MEMORY, "no memory for %lld words", (long long)site->elements);
}

static int open_level(measure_site *site)
{
    level_data *d = site->state = allocate_clear(1, (int64_t)sizeof *d);
    d->access = (bmf_memory_access)site->operation->which;
    d->words = site->elements;
    d->passes = 1;
    if (is_touching(d))
        return BMF_OK;
    d->buffer = buffer_create(d->words * MEASURE_WORD);
    if (!d->buffer)
        return fail_memory(site);
    d->word = d->buffer->data;
    write_all(d->word, d->words, 1);
    if (d->access == BMF_MEMORY_CHASE)
        make_cycle(d->word, d->words);
    find_passes(d);
    return BMF_OK;
}

/* Memory that nobody has touched, on a huge page boundary. */
static int map_level(measure_site *site)
{
    level_data *d = site->state;
    const size_t bytes = (size_t)(d->words * MEASURE_WORD);
    if (!is_touching(d))
        return BMF_OK;
    d->raw_bytes = bytes + (size_t)huge_page;
    d->raw = mmap(NULL, d->raw_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (d->raw == MAP_FAILED) {
        d->raw = NULL;
        return fail_memory(site);
    }
    char *from = d->raw + ((uintptr_t)huge_page - (uintptr_t)d->raw % (uintptr_t)huge_page) % (uintptr_t)huge_page;
    madvise(from, bytes, d->access == BMF_MEMORY_TOUCH ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    d->word = (int64_t *)(void *)from;
    return BMF_OK;
}

static int run_level(measure_site *site)
{
    level_data *d = site->state;
    for (int64_t k = 0; k < d->passes; k++)
        run_pass(d);
    site->seconds = measure_elapsed(site) / (double)d->passes / part_of(d);
    return BMF_OK;
}

static int unmap_level(measure_site *site)
{
    level_data *d = site->state;
    if (d->raw)
        munmap(d->raw, d->raw_bytes);
    d->raw = NULL;
    return BMF_OK;
}

static void close_level(measure_site *site)
{
    level_data *d = site->state;
    buffer_release(d->buffer);
    free(d);
}

static int64_t one_array(int ranks)
{
    (void)ranks;
    return 2; /* with the page that aligns it */
}

#define LEVEL(name, access, meaning)                                                                                   \
    {                                                                                                                  \
        name, BMF_FAMILY_MEMORY, meaning, access, 1, MIN_WORDS, MEASURE_TWICE_CACHES, false, true, one_array,          \
            open_level, map_level, run_level, unmap_level, close_level                                                 \
    }

static const measure_operation operations[] = {
    LEVEL("memory_read", BMF_MEMORY_READ, "reading d words, one behind the other, on p cores at once; again and again"),
    LEVEL("memory_write", BMF_MEMORY_WRITE, "writing d words, one behind the other"),
    LEVEL("memory_random", BMF_MEMORY_RANDOM, "reading d words from anywhere among d, several at a time"),
    LEVEL("memory_chase", BMF_MEMORY_CHASE, "following a cycle through the lines of d words"),
    LEVEL("memory_touch", BMF_MEMORY_TOUCH, "writing d words of memory that the system has just given, in huge pages"),
    LEVEL("memory_fault", BMF_MEMORY_FAULT, "the same in small pages"),
};

const measure_table measure_memory_table = {operations, sizeof operations / sizeof operations[0]};
