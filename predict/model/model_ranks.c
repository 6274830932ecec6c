/* What ranks would hand to MPI for a round: counted by the rules of runtime/backend/wire.h for processors in contiguous
 * blocks.
 *
 * Method: the messages that go from one rank to another are sorted by the pair of ranks, and each run of equal pairs is
 * a buffer. Cost: O(m log m) for m messages between ranks, O(m) if they stand in that order already. */
#include <stdlib.h>

#include "predict/model/model_private.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/wire.h"

/* A message that travels with others. */
typedef struct packed {
    int64_t from, to; /* ranks */
    int64_t bytes;
} packed;

static int by_ranks(const void *a, const void *b)
{
    const packed *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* A buffer that goes from one rank to another. */
static void count_buffer(bmf_statistics *statistics, bmf_model_sending sending, int64_t messages, int64_t bytes)
{
    if (sending == BMF_SENDING_UNKNOWN)
        bytes += wire_sizes_header(messages);
    if (sending == BMF_SENDING_SPARSE)
        bytes += wire_parcel_header(messages);
    wire_count(statistics, bytes);
}

static void count_packed(bmf_statistics *statistics, bmf_model_sending sending, packed *all, int64_t count)
{
    bool sorted = true;
    for (int64_t i = 1; i < count && sorted; i++)
        sorted = by_ranks(&all[i - 1], &all[i]) <= 0;
    if (!sorted)
        qsort(all, (size_t)count, sizeof *all, by_ranks);
    for (int64_t i = 0, first = 0, bytes = 0; i < count; i++) {
        bytes += all[i].bytes;
        if (i + 1 == count || by_ranks(&all[i], &all[i + 1]) != 0) {
            count_buffer(statistics, sending, i + 1 - first, bytes);
            first = i + 1;
            bytes = 0;
        }
    }
}

void model_ranks_count(bmf_statistics *statistics, int64_t processors, int64_t ranks, bmf_model_sending sending,
                       const bmf_message *message, int64_t count, const int64_t *segments, const int64_t *segment_bytes)
{
    packed *all = allocate(count * (int64_t)sizeof *all);
    int64_t packs = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t from = block_of(processors, ranks, message[i].from);
        int64_t to = block_of(processors, ranks, message[i].to);
        if (from == to)
            continue;
        if (sending == BMF_SENDING_KNOWN && !wire_packs(&message[i])) {
            for (int64_t s = segments[i]; s < segments[i + 1]; s++)
                wire_count(statistics, segment_bytes[s]);
            continue;
        }
        all[packs++] = (packed){from, to, message[i].bytes};
    }
    count_packed(statistics, sending, all, packs);
    free(all);
}
