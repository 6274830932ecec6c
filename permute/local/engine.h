/* What the walk through memory needs of the processor: moving runs between memory and the cache, and permuting a tile
 * in the cache. Private to permute/local/. */
#ifndef BMF_LOCAL_ENGINE_H
#define BMF_LOCAL_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "permute/local/network.h"

enum { ENGINE_LINE = 64 };

/* Permutes a turn of a tile. */
typedef void bmf_network_kernel(const bmf_network *network, const bmf_tile *tile);

/* Elements of 3 or 6 bytes with a byte or two behind them: where each byte of a line of padded elements is in the
 * packed ones (or ENGINE_LINE - 1, where there are none), and each of 48 packed bytes in the padded ones. */
typedef struct bmf_padding {
    uint8_t packed_at[ENGINE_LINE], padded_at[ENGINE_LINE];
} bmf_padding;

typedef struct bmf_engine {
    const char *name;
    int vector_bits;               /* vectors of 2^vector_bits bytes */
    bool reads_memory;             /* the kernels prefetch: tiles may be read straight from memory */
    bmf_network_kernel *kernel[4]; /* of lanes of 1, 2, 4, 8 bytes; NULL: not with this processor */
    /* Copies from memory into the cache, and prefetches as many bytes at `ahead`, line by line. */
    void (*fetch)(char *to, const char *from, size_t bytes, const char *ahead);
    /* Copies from the cache to memory, past the cache where that is possible. */
    void (*stream)(char *to, const char *from, size_t bytes);
    /* Copies from memory to memory, as both do. */
    void (*move)(char *to, const char *from, size_t bytes, const char *ahead);
    /* Elements of 3 or 6 bytes get 4 or 8 in the cache: fetch of them, and from the cache to packed ones in the cache.
     * `bytes` are those of padded elements, whole vectors; what is written may have a vector more. NULL: not with this
     * engine. */
    void (*fetch_padded)(char *to, const char *from, size_t bytes, const char *ahead, const bmf_padding *padding);
    void (*pack)(char *to, const char *from, size_t bytes, const bmf_padding *padding);
    /* Makes streamed stores visible to the other threads. */
    void (*finish)(void);
} bmf_engine;

/* The bytes before the first whole line at `to`. */
static inline size_t engine_head(const char *to, size_t bytes)
{
    const size_t before = (size_t)(-(uintptr_t)to % ENGINE_LINE);
    return before < bytes ? before : bytes;
}

/* Of bytes in the cache, those in memory of elements that are padded. */
static inline size_t engine_packed(size_t bytes)
{
    return bytes / 4 * 3;
}

/* NULL where the processor has no such instructions. */
const bmf_engine *engine_avx512(void);
const bmf_engine *engine_avx2(void);
const bmf_engine *engine_portable(void);

#endif
