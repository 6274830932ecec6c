/* The processors that can go on, earliest first; of one time the lowest first.
 *
 * Method: a heap in which every place has four children, which stand side by side in memory (LaMarca, Ladner, "The
 * influence of caches on the performance of heaps", 1996). The first place may be kept while its processor acts, so that
 * going on costs one sifting instead of two. Cost: log4 n levels.
 */
#include "predict/simulate/simulate_private.h"

static inline bool is_before(const queued *a, const queued *b)
{
    return a->time < b->time || (a->time == b->time && a->processor < b->processor);
}

void heap_push(bmf_simulator *s, double time, int64_t number)
{
    const queued entry = {time, number};
    int64_t at = s->heap_count++;
    while (at > 0) {
        int64_t parent = (at - 1) / 4;
        if (!is_before(&entry, &s->heap[parent]))
            break;
        s->heap[at] = s->heap[parent];
        at = parent;
    }
    s->heap[at] = entry;
}

/* Puts an entry where the first place is free. */
static void sift_down(bmf_simulator *s, queued entry)
{
    queued *heap = s->heap;
    const int64_t count = s->heap_count;
    int64_t at = 0;
    for (int64_t child; (child = 4 * at + 1) < count;) {
        int64_t least = child;
        const int64_t end = child + 4 < count ? child + 4 : count;
        for (int64_t k = child + 1; k < end; k++)
            if (is_before(&heap[k], &heap[least]))
                least = k;
        if (!is_before(&heap[least], &entry))
            break;
        heap[at] = heap[least];
        at = least;
    }
    heap[at] = entry;
}

void heap_hold_first(bmf_simulator *s)
{
    s->heap[0].time = -1; /* before any time */
}

void heap_replace_first(bmf_simulator *s, double time, int64_t number)
{
    sift_down(s, (queued){time, number});
}

void heap_remove_first(bmf_simulator *s)
{
    const queued last = s->heap[--s->heap_count];
    if (s->heap_count > 0)
        sift_down(s, last);
}
