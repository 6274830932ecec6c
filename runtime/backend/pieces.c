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

/* The pieces of parts [first, last), cut every `share` elements from the origin on. */
static void cut_parts(const bmf_partition *partition, int64_t first, int64_t last, int64_t share, int64_t origin,
                      int workers, bmf_piece *piece, int64_t *pieces)
{
    int64_t count = 0, cut = origin + share;
    int worker = 0;
    for (int64_t k = first; k < last; k++) {
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

/* As a rank that has just these parts, for its threads. */
static void cut_evenly(const bmf_context *ctx, const bmf_partition *partition, int64_t first, int64_t last,
                       int64_t grain, bmf_piece *piece, int64_t *pieces)
{
    const int64_t begin = partition->start[first], end = partition->start[last], origin = begin / grain * grain;
    const int64_t share = round_up((end - origin + ctx->threads - 1) / ctx->threads, grain);
    cut_parts(partition, first, last, share > 0 ? share : grain, origin, ctx->threads, piece, pieces);
}

static int64_t cut_all(const bmf_context *ctx, const bmf_partition *partition, int64_t grain, bmf_piece *piece)
{
    const int64_t first = partition->local_first, last = first + partition->local_parts;
    int64_t count = 0, pieces;
    if (!ctx->parts_are_ranks) {
        cut_evenly(ctx, partition, first, last, grain, piece, &count);
        return count;
    }
    for (int64_t k = first; k < last; k++) {
        cut_evenly(ctx, partition, k, k + 1, grain, piece ? piece + count : NULL, &pieces);
        count += pieces;
    }
    return count;
}

void pieces_create(bmf_context *ctx, const bmf_partition *partition, int64_t grain, bmf_piece **piece, int64_t *pieces)
{
    *piece = allocate(cut_all(ctx, partition, grain, NULL) * (int64_t)sizeof **piece);
    *pieces = cut_all(ctx, partition, grain, *piece);
}

void pieces_create_dynamic(bmf_context *ctx, const bmf_partition *partition, int64_t grain, bmf_piece **piece,
                           int64_t *pieces)
{
    const int64_t first = partition->local_first, last = first + partition->local_parts;
    const int64_t origin = bmf_partition_local_begin(partition) / grain * grain;
    (void)ctx;
    cut_parts(partition, first, last, grain, origin, 1, NULL, pieces);
    *piece = allocate(*pieces * (int64_t)sizeof **piece);
    cut_parts(partition, first, last, grain, origin, 1, *piece, pieces);
}
