/* Times of kernels over many programs; see the header. */
#include "predict/model/kernel_times.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"
#include "runtime/base/text.h"

enum { TIMES_KEPT = 31 };

typedef struct timed_work {
    char *operation;
    int64_t elements;
    bmf_kernel_work work;
    int64_t count;              /* of its times so far */
    double seconds[TIMES_KEPT]; /* the last of them; the k-th is at k % TIMES_KEPT */
} timed_work;

struct bmf_kernel_times {
    timed_work *kind;
    int64_t kinds, capacity;
    bmf_table table;
};

typedef struct wanted_work {
    const bmf_kernel_times *times;
    const char *operation;
    int64_t elements;
    const bmf_kernel_work *work;
} wanted_work;

static bool is_wanted(const void *wanted, uint32_t number)
{
    const wanted_work *w = wanted;
    const timed_work *kind = &w->times->kind[number];
    return kind->elements == w->elements && memcmp(&kind->work, w->work, sizeof kind->work) == 0 &&
           strcmp(kind->operation, w->operation) == 0;
}

bmf_kernel_times *kernel_times_create(void)
{
    return allocate_clear(1, (int64_t)sizeof(bmf_kernel_times));
}

void kernel_times_free(bmf_kernel_times *times)
{
    if (!times)
        return;
    for (int64_t k = 0; k < times->kinds; k++)
        free(times->kind[k].operation);
    free(times->kind);
    table_free(&times->table);
    free(times);
}

uint32_t kernel_times_keep(bmf_kernel_times *times, const char *operation, int64_t elements,
                           const bmf_kernel_work *work, double seconds)
{
    bmf_kernel_work same = work ? *work : (bmf_kernel_work){0};
    same.fresh = 0; /* what the process has touched before is chance */
    const uint64_t hash = hash_bytes(hash_add(hash_text(operation), (uint64_t)elements), &same, sizeof same);
    table_make_room(&times->table, times->kinds + 1);
    const uint32_t number = table_find_or_add(
        &times->table, hash, is_wanted, &(wanted_work){times, operation, elements, &same}, (uint32_t)times->kinds);
    if (number == times->kinds)
        *ARRAY_APPEND(times->kind, times->kinds, times->capacity) =
            (timed_work){.operation = text_copy(operation), .elements = elements, .work = same};
    timed_work *kind = &times->kind[number];
    kind->seconds[kind->count++ % TIMES_KEPT] = seconds;
    return number;
}

double kernel_times_typical(const bmf_kernel_times *times, uint32_t number)
{
    const timed_work *kind = &times->kind[number];
    const int64_t kept = kind->count < TIMES_KEPT ? kind->count : TIMES_KEPT;
    double sorted[TIMES_KEPT];
    memcpy(sorted, kind->seconds, (size_t)kept * sizeof *sorted);
    gsl_sort(sorted, 1, (size_t)kept);
    return gsl_stats_quantile_from_sorted_data(sorted, 1, (size_t)kept, 0.25);
}
