/* Runs of equal elements; see runs.h.
 *
 * Method: pieces of the records count the runs that begin in them, and then note where.
 * Cost: two passes over the keys; 8 bytes a run. */
#include "skeletons/sort/runs.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

typedef struct finding {
    const bmf_records *records;
    const bmf_type *type;
    int64_t *place; /* by piece: how many begin there, then the number of the first of them */
    int64_t *first;
} finding;

static bool is_same(const finding *f, uint64_t a, uint64_t b)
{
    return a == b || order_floor(f->type, a) == order_floor(f->type, b);
}

/* Counts the runs that begin in the piece, and notes them where there is room. */
static int64_t look(const finding *f, const bmf_piece *piece, int64_t *first)
{
    const bmf_records *records = f->records;
    const uint64_t *key = records_at(records, piece->part, piece->begin);
    const int words = records->words;
    int64_t count = 0;
    for (int64_t i = piece->begin; i < piece->end; i++, key += words)
        if (i == records->start[piece->part] || !is_same(f, key[-words], key[0])) {
            if (first)
                first[count] = i;
            count++;
        }
    return count;
}

static int count_runs(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const finding *f = state;
    (void)worker;
    f->place[index] = look(f, piece, NULL);
    return 0;
}

static int note_runs(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const finding *f = state;
    (void)worker;
    look(f, piece, f->first + f->place[index]);
    return 0;
}

/* Counts become numbers of runs, by piece and by segment. */
static void place_runs(const finding *f, const bmf_piece *piece, int64_t pieces, bmf_runs *runs)
{
    int64_t segment = 0;
    for (int64_t i = 0; i < pieces; i++) {
        const int64_t count = f->place[i];
        while (segment <= piece[i].part)
            runs->begin[segment++] = runs->count;
        f->place[i] = runs->count;
        runs->count += count;
    }
    while (segment <= f->records->segments)
        runs->begin[segment++] = runs->count;
}

int runs_find(bmf_sorting *sorting, bmf_runs *runs)
{
    bmf_records *records = &sorting->records;
    const bmf_kernel_work each = {.operations = 2, .read = 8 * records->words};
    const bmf_records_kernel counting = {"runs count", each, count_runs, false};
    const bmf_records_kernel noting = {"runs note", each, note_runs, false};
    bmf_piece *piece;
    int64_t pieces;
    records_cut(records, &piece, &pieces);
    finding f = {.records = records, .type = sorting->xs->type, .place = allocate(pieces * (int64_t)sizeof *f.place)};
    *runs = (bmf_runs){.begin = allocate((records->segments + 1) * (int64_t)sizeof *runs->begin)};
    int status = records_compute(records, &counting, piece, pieces, &f);
    if (status == BMF_OK) {
        place_runs(&f, piece, pieces, runs);
        runs->firsts = working_buffer((runs->count + 1) * (int64_t)sizeof *runs->first);
        f.first = runs->first = runs->firsts->data;
        runs->first[runs->count] = records->start[records->segments];
        status = records_compute(records, &noting, piece, pieces, &f);
    }
    free(f.place);
    free(piece);
    return status;
}

void runs_close(bmf_runs *runs)
{
    buffer_release(runs->firsts);
    free(runs->begin);
}

int runs_partition(const bmf_sorting *sorting, const bmf_runs *runs, bmf_partition **out)
{
    bmf_context *ctx = sorting->records.ctx;
    const bmf_partition *partition = sorting->partition;
    int64_t *count = allocate(partition->local_parts * (int64_t)sizeof *count);
    int64_t *start = allocate((partition->parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k < partition->local_parts; k++)
        count[k] = runs->begin[k + 1] - runs->begin[k];
    int status = partition_allgather(ctx, partition, count, start + 1);
    start[0] = 0;
    for (int64_t k = 0; k < partition->parts && status == BMF_OK; k++)
        start[k + 1] += start[k];
    if (status == BMF_OK)
        status = bmf_partition_resized(ctx, partition, start, out);
    free(count);
    free(start);
    return status;
}
