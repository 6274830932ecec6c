/* A list that is being sorted: its elements, or keys with their numbers, as records. Private to skeletons/sort. */
#ifndef BMF_SORT_SORTING_H
#define BMF_SORT_SORTING_H

#include "runtime/base/memory.h"
#include "runtime/data/list.h"
#include "skeletons/sort/elements.h"

typedef struct bmf_sorting {
    const bmf_list *xs;
    bmf_numbering numbering;
    bmf_records records;
    bmf_buffer *room[2];
    bmf_partition *partition; /* of the records, part by part on the processors of xs */
} bmf_sorting;

/* BMF_ERROR_TYPE, with a message, for elements that have no order. */
int sorting_check(const char *skeleton, const bmf_list *xs);

void sorting_open(bmf_sorting *sorting, const bmf_list *xs, bmf_numbering numbering);
void sorting_close(bmf_sorting *sorting);

/* The records of every part, sorted. */
int sorting_parts(bmf_sorting *sorting);
/* Then those of all parts, about evenly; `together`: what is equal is on one part. Collective; settles failures. */
int sorting_across(bmf_sorting *sorting, bool together);

/* Both, in one of two ways. Collective; settles failures. */
int sorting_all(bmf_sorting *sorting);

/* What the records are, elements or their numbers: a list on sorting->partition. */
int sorting_read(const bmf_sorting *sorting, bmf_list **out);
/* A list split evenly over its processors: messages of what is too much or too little. Collective. */
int split_evenly(const bmf_list *xs, bmf_list **out);

#endif
