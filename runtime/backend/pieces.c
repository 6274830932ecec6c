/* Cutting this host's elements into pieces for workers.
 *
 * Contiguous runs, because each worker then touches its own pages on every call and partial results merge in order.
 * Inside a part cuts fall on multiples of the grain so that the blocks of the fixed tree stay whole. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"

static int64_t round_up(int64_t value, int64_t grain)
{
    return (value + grain - 1) / grain * grain;
}

/* Adds the pieces of [begin, end) of all local parts cut at every position cut(w), w = 1, 2, .. */
static void cut_parts(const bmf_partition *partition, int64_t share, int64_t origin, int workers, bmf_piece *piece,
                      int64_t *pieces)
{
    int64_t count = 0, cut = origin + share;
    int worker = 0;
    for (int64_t k = partition->local_first; k < partition->local_first + partition->local_parts; k++) {
        int64_t begin = partition->start[k], end = partition->start[k + 1];
        int64_t processor = bmf_partition_processor(partition, k);
        while (begin < end) {
            while (cut <= begin) {
                cut += share;
                if (worker < workers - 1)
                    worker++;
            }
            int64_t stop = cut < end ? cut : end;
            if (piece)
                piece[count] = (bmf_piece){k, processor, begin, stop, worker};
            count++;
            begin = stop;
        }
    }
    *pieces = count;
}

static void create(const bmf_partition *partition, int64_t share, int64_t origin, int workers, bmf_piece **piece,
                   int64_t *pieces)
{
    cut_parts(partition, share, origin, workers, NULL, pieces);
    *piece = allocate(*pieces * (int64_t)sizeof **piece);
    cut_parts(partition, share, origin, workers, *piece, pieces);
}

void pieces_create(bmf_context *ctx, const bmf_partition *partition, int64_t grain, bmf_piece **piece, int64_t *pieces)
{
    int64_t begin = bmf_partition_local_begin(partition), end = bmf_partition_local_end(partition);
    int64_t origin = begin / grain * grain;
    int64_t share = round_up((end - origin + ctx->threads - 1) / ctx->threads, grain);
    create(partition, share > 0 ? share : grain, origin, ctx->threads, piece, pieces);
}

void pieces_create_dynamic(bmf_context *ctx, const bmf_partition *partition, int64_t grain, bmf_piece **piece,
                           int64_t *pieces)
{
    (void)ctx;
    create(partition, grain, bmf_partition_local_begin(partition) / grain * grain, 1, piece, pieces);
}
