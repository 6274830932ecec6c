/* Sample sort of integer keys: what its parts share. */
#ifndef SAMPLE_SORT_H
#define SAMPLE_SORT_H

#include <bmf.h>

/* The sorted list of the keys, which become sorted part by part; they are not empty. */
void sample_sort(bmf_context *ctx, bmf_list *keys, bmf_list **sorted);

/* A key and the position it stood at: where one bucket ends and the next begins. */
typedef struct splitter {
    int64_t key, position;
} splitter;

/* By key, equal keys by position. */
int compare_splitters(const void *a, const void *b);

/* One splitter less than there are parts, the same on every rank; the keys are sorted part by part and not empty. */
void find_splitters(bmf_context *ctx, const bmf_list *keys, splitter *cut);

/* In every part the keys of a bucket are a run. Run lengths part by part: element p * parts + b is how much of part p
 * belongs to bucket b. */
void measure_runs(bmf_context *ctx, const bmf_list *keys, const splitter *cut, bmf_list **lengths);

/* Which keys make up each bucket: their positions in the parts, which are sorted; bucket b on processor b. */
void find_buckets(bmf_context *ctx, const bmf_list *keys, const splitter *cut, bmf_list **sources);

#endif
