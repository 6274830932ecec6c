/* unique: the elements once each, ascending.
 *
 * Method: every part is sorted, and keeps one element of each run; what is left is sorted across processors, where what
 * is equal comes to one part, and again one of each run stays. So a value moves at most once from each part, however
 * often it occurs.
 * Cost: that of sorting in memory, and of messages for what is left of parts; two passes over the keys each time. */
#include <stdlib.h>
#include <string.h>

#include "bmf/skeletons.h"
#include "skeletons/engine/plan.h"
#include "skeletons/sort/runs.h"

const bmf_skeleton_type skeleton_unique = {
    .id = 43, .name = "unique", .communication = BMF_COMMUNICATION_PERMUTE, .keyword = "P_Unique"};

typedef struct keeping {
    const bmf_records *records;
    const bmf_runs *runs;
    uint64_t *to;
} keeping;

static int keep(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const keeping *k = state;
    (void)index, (void)worker;
    for (int64_t i = piece->begin; i < piece->end; i++)
        k->to[i] = *records_at(k->records, piece->part, k->runs->first[i]);
    return 0;
}

static int keep_firsts(bmf_records *records, const bmf_runs *runs, uint64_t *to)
{
    bmf_records kept = *records; /* only where they begin matters here */
    keeping k = {.records = records, .runs = runs, .to = to};
    bmf_piece *piece;
    int64_t pieces;
    kept.start = runs->begin;
    records_cut(&kept, &piece, &pieces);
    const bmf_records_kernel keeping_firsts = {"unique keep", {.operations = 1, .read = 16, .written = 8}, keep, false};
    const int status = records_compute(records, &keeping_firsts, piece, pieces, &k);
    free(piece);
    return status;
}

/* The first records of the runs become the records. */
static int keep_one_of_each(bmf_sorting *sorting)
{
    bmf_records *records = &sorting->records;
    bmf_partition *partition = NULL;
    bmf_runs runs;
    int status = runs_find(sorting, &runs);
    if (status == BMF_OK)
        status = runs_partition(sorting, &runs, &partition);
    if (status == BMF_OK) {
        bmf_buffer *room[2] = {working_buffer(8 * runs.count), working_buffer(8 * runs.count)};
        status = keep_firsts(records, &runs, room[0]->data);
        memcpy(records->start, runs.begin, (size_t)(records->segments + 1) * sizeof *records->start);
        memset(records->where, 0, (size_t)records->segments);
        for (int k = 0; k < 2; k++) {
            buffer_release(sorting->room[k]);
            sorting->room[k] = room[k];
            records->room[k] = room[k]->data;
        }
        bmf_partition_release(sorting->partition);
        sorting->partition = partition;
    }
    runs_close(&runs);
    return status;
}

static int unique(const bmf_list *xs, bmf_list **out)
{
    bmf_list *ragged = NULL;
    bmf_sorting sorting;
    plan_title(xs->context, "unique", xs);
    sorting_open(&sorting, xs, BMF_NUMBERS_NONE);
    int status = sorting_parts(&sorting);
    if (status == BMF_OK)
        status = keep_one_of_each(&sorting);
    if (status == BMF_OK && sorting.partition->parts > 1) {
        status = sorting_across(&sorting, true);
        if (status == BMF_OK)
            status = keep_one_of_each(&sorting);
    }
    if (status == BMF_OK)
        status = sorting_read(&sorting, &ragged);
    sorting_close(&sorting);
    if (status == BMF_OK)
        status = split_evenly(ragged, out);
    bmf_list_free(ragged);
    return status;
}

int bmf_unique(const bmf_list *xs, bmf_list **out)
{
    BMF_TRY(sorting_check("unique", xs));
    skeleton_begin(xs->context, &skeleton_unique, "unique");
    return skeleton_end(xs->context, xs->partition, unique(xs, out));
}
