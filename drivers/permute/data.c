/* Test data of bmf permute.
 *
 * Method: word k of element x is a hash of (x, k), so a wrong element is noticed whatever its size; a byte of one may
 * be right by chance, a wrong permutation of many is not. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "drivers/permute/data.h"

static inline uint64_t word_of(uint64_t element, int64_t k)
{
    uint64_t z = (element + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)k;
    z = (z ^ (z >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return z ^ (z >> 29);
}

static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void permute_data_fill(char *data, int64_t element_bytes, int64_t first, int64_t count, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < count; i++)
        for (int64_t at = 0; at < element_bytes; at += 8) {
            uint64_t word = word_of((uint64_t)(first + i), at / 8);
            memcpy(data + i * element_bytes + at, &word, (size_t)min(8, element_bytes - at));
        }
}

static inline bool is_element(const char *data, int64_t element_bytes, uint64_t element)
{
    for (int64_t at = 0; at < element_bytes; at += 8) {
        uint64_t word = word_of(element, at / 8);
        if (memcmp(data + at, &word, (size_t)min(8, element_bytes - at)) != 0)
            return false;
    }
    return true;
}

int64_t permute_data_check(const char *data, int64_t element_bytes, int64_t first, int64_t count,
                           const bmf_permutation *p, int threads)
{
    bmf_permutation inverse;
    int64_t wrong = INT64_MAX;
    bmf_permutation_inverse(p, &inverse);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : wrong)
    for (int64_t i = 0; i < count; i++)
        if (!is_element(data + i * element_bytes, element_bytes,
                        bmf_permutation_apply(&inverse, (uint64_t)(first + i))))
            wrong = min(wrong, first + i);
    return wrong == INT64_MAX ? -1 : wrong;
}

void permute_data_copy(char *to, const char *from, int64_t bytes, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int k = 0; k < threads; k++) {
        int64_t begin = bytes / threads * k, end = k + 1 < threads ? bytes / threads * (k + 1) : bytes;
        memcpy(to + begin, from + begin, (size_t)(end - begin));
    }
}

int64_t available_memory(void)
{
    FILE *stream = fopen("/proc/meminfo", "r");
    char line[256];
    int64_t kilobytes = -1;
    while (stream && fgets(line, sizeof line, stream))
        if (sscanf(line, "MemAvailable: %" SCNd64, &kilobytes) == 1)
            break;
    if (stream)
        fclose(stream);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}
