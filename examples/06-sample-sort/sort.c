/* The sort itself: sorted parts, splitters, buckets, sorted buckets. */
#include "sample_sort.h"

#include <stdlib.h>

static int compare_keys(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int sort_part(void *state, int64_t part, int64_t begin, int64_t end)
{
    bmf_list *keys = state;
    int64_t *key = bmf_list_data_writable(keys, 0);
    (void)part;
    if (end - begin > 1) /* a rank without elements has no memory for them */
        qsort(key + (begin - bmf_list_local_begin(keys)), (size_t)(end - begin), sizeof *key, compare_keys);
    return 0;
}

/* Sorts every part; the list must not share its memory. */
static void sort_parts(bmf_context *ctx, bmf_list *keys)
{
    BMF_CHECK(bmf_each_part(ctx, bmf_list_partition(keys), "sort", sort_part, keys));
}

void sample_sort(bmf_context *ctx, bmf_list *keys, bmf_list **sorted)
{
    const size_t parts = (size_t)bmf_partition_parts(bmf_list_partition(keys));
    splitter *cut = malloc(parts * sizeof *cut);
    bmf_list *sources;
    if (!cut)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for %zu splitters", parts));
    sort_parts(ctx, keys);
    find_splitters(ctx, keys, cut);
    find_buckets(ctx, keys, cut, &sources);
    BMF_CHECK(bmf_project(keys, sources, sorted));
    sort_parts(ctx, *sorted);
    bmf_list_free(sources);
    free(cut);
}
