/* A heap over the caller's array: the first element is before all others, in the caller's order. No include guard: it
 * is included once for each kind of heap of a file, after these are defined (and it undefines them):
 *
 *   HEAP(name)              the name of a function of this heap
 *   HEAP_ELEMENT            the type of an element
 *   HEAP_BEFORE(a, b)       whether element a is before b
 * HEAP_CHILDREN children of a place: 2 if not defined; 4 touch fewer cache lines of large heaps (A. LaMarca,
 *                           R. Ladner, "The influence of caches on the performance of heaps", 1996)
 *   HEAP_MOVED(heap, place) what to do when an element has come to heap[place]; nothing if not defined
 *
 * Functions: HEAP(push), HEAP(replace_first), HEAP(pop), HEAP(restore). The caller keeps the count, and room for what
 * is pushed. Cost: the logarithm of the count. */
#if !defined HEAP || !defined HEAP_ELEMENT || !defined HEAP_BEFORE
#error "HEAP, HEAP_ELEMENT and HEAP_BEFORE must be defined"
#endif
#ifndef HEAP_CHILDREN
#define HEAP_CHILDREN 2
#endif
#ifndef HEAP_MOVED
#define HEAP_MOVED(heap, place) ((void)0)
#endif

#include <stdint.h>

/* Puts the element at `place`, which is free, or above. */
static inline void HEAP(sift_up)(HEAP_ELEMENT *heap, int64_t place, HEAP_ELEMENT element)
{
    while (place > 0) {
        const int64_t parent = (place - 1) / HEAP_CHILDREN;
        if (!HEAP_BEFORE(element, heap[parent]))
            break;
        heap[place] = heap[parent];
        HEAP_MOVED(heap, place);
        place = parent;
    }
    heap[place] = element;
    HEAP_MOVED(heap, place);
}

/* Puts the element at `place`, which is free, or below. */
static inline void HEAP(sift_down)(HEAP_ELEMENT *heap, int64_t count, int64_t place, HEAP_ELEMENT element)
{
    for (int64_t child; (child = HEAP_CHILDREN * place + 1) < count;) {
        const int64_t end = child + HEAP_CHILDREN < count ? child + HEAP_CHILDREN : count;
        int64_t first = child;
        for (int64_t k = child + 1; k < end; k++)
            if (HEAP_BEFORE(heap[k], heap[first]))
                first = k;
        if (!HEAP_BEFORE(heap[first], element))
            break;
        heap[place] = heap[first];
        HEAP_MOVED(heap, place);
        place = first;
    }
    heap[place] = element;
    HEAP_MOVED(heap, place);
}

/* Adds an element to *count others. */
__attribute__((unused)) static inline void HEAP(push)(HEAP_ELEMENT *heap, int64_t *count, HEAP_ELEMENT element)
{
    HEAP(sift_up)(heap, (*count)++, element);
}

/* Puts an element in the place of the first. */
__attribute__((unused)) static inline void HEAP(replace_first)(HEAP_ELEMENT *heap, int64_t count, HEAP_ELEMENT element)
{
    HEAP(sift_down)(heap, count, 0, element);
}

/* Takes out and returns the first of *count > 0 elements. */
__attribute__((unused)) static inline HEAP_ELEMENT HEAP(pop)(HEAP_ELEMENT *heap, int64_t *count)
{
    HEAP_ELEMENT const first = heap[0];
    HEAP_ELEMENT const last = heap[--*count];
    if (*count > 0)
        HEAP(sift_down)(heap, *count, 0, last);
    return first;
}

/* The element at `place` has got another place in the order: finds its place again. */
__attribute__((unused)) static inline void HEAP(restore)(HEAP_ELEMENT *heap, int64_t count, int64_t place)
{
    HEAP_ELEMENT const element = heap[place];
    if (place > 0 && HEAP_BEFORE(element, heap[(place - 1) / HEAP_CHILDREN]))
        HEAP(sift_up)(heap, place, element);
    else
        HEAP(sift_down)(heap, count, place, element);
}

#undef HEAP
#undef HEAP_ELEMENT
#undef HEAP_BEFORE
#undef HEAP_CHILDREN
#undef HEAP_MOVED
