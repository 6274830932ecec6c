/* Detection of BMMC permutations.
 *
 * Method (Cormen, Sundquist and Wisniewski's, for ranks instead of disks): c = index[0], column k = index[2^k] + c. The
 * check compares blocks of 2^9 indices with a table of A's lowest 9 columns moved by one word, so it vectorises and
 * runs at the speed of reading. A wrong block ends it at the next one in every thread. Cost: n + 1 probes, O(n^2) word
 * operations, one read of the list. */
#include <stdatomic.h>
#include <stdlib.h>

#include "permute/detect.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "bmf/kernel.h"
#include "permute/gf2.h"

enum { BLOCK_BITS = 9, BLOCK = 1 << BLOCK_BITS, SMALLEST_PIECE = 1 << 15, CHAINS = 32 };

const bmf_skeleton_type skeleton_detect = {.id = 19, .name = "detect", .communication = BMF_COMMUNICATION_OTHER};

typedef struct check {
    const int64_t *index; /* element `first` */
    int64_t first;
    const bmf_permutation *p;
    int64_t table[BLOCK]; /* A j for j < BLOCK */
    atomic_bool failed;
} check;

/* ---- probes ---- */

/* The number of the elements 0, 1, 2, 4, .. below an element. */
static int64_t probes_below(int64_t element, int bits)
{
    int64_t probes = element > 0;
    for (int k = 0; k < bits; k++)
        probes += INT64_C(1) << k < element;
    return probes;
}

/* The probes at elements 0, 1, 2, 4, .. that are here. */
static void take_probes(const int64_t *index, int64_t first, int64_t count, int bits, int64_t probe[64])
{
    int64_t taken = 0;
    for (int k = -1; k < bits; k++) {
        int64_t at = k < 0 ? 0 : INT64_C(1) << k;
        if (at >= first && at < first + count)
            probe[taken++] = index[at - first];
    }
}

/* All probes in order. Lists are split evenly over the processors, so every rank knows how many each has. */
static int gather_probes(bmf_context *ctx, const int64_t *mine, int bits, int64_t *all)
{
    int64_t *counts = allocate(ctx->ranks * (int64_t)sizeof *counts), below = 0;
    for (int r = 0; r < ctx->ranks; r++) {
        const int64_t end = r + 1 < ctx->ranks ? bmf_first_processor(ctx, r + 1) : ctx->processors;
        const int64_t next = probes_below(bmf_split_start(INT64_C(1) << bits, ctx->processors, end), bits);
        counts[r] = next - below;
        below = next;
    }
    const int status = ctx->backend->allgather(ctx, mine, counts[ctx->rank], counts, all);
    free(counts);
    return status;
}

static bool is_nonsingular(const int64_t *probe, int bits, bmf_permutation *p)
{
    for (int k = 0; k <= bits; k++)
        if (probe[k] < 0 || probe[k] > (int64_t)low_bits(bits))
            return false;
    *p = (bmf_permutation){.bits = bits, .matrix.bits = bits, .complement = (uint64_t)probe[0]};
    for (int k = 0; k < bits; k++)
        p->matrix.column[k] = (uint64_t)(probe[k + 1] ^ probe[0]);
    return bmf_bit_matrix_rank(&p->matrix) == bits;
}

/* ---- the whole list ---- */

/* Several chains of differences, since one would wait for itself. */
BMF_VECTORISE static bool block_is_right(const int64_t *index, const int64_t *table, int64_t base, int64_t count)
{
    int64_t difference[CHAINS] = {0}, all = 0, i = 0;
    for (; i + CHAINS <= count; i += CHAINS)
        for (int k = 0; k < CHAINS; k++)
            difference[k] |= index[i + k] ^ table[i + k] ^ base;
    for (; i < count; i++)
        all |= index[i] ^ table[i] ^ base;
    for (int k = 0; k < CHAINS; k++)
        all |= difference[k];
    return all == 0;
}

static int check_piece(void *state, int64_t number, const bmf_piece *piece, int worker)
{
    check *c = state;
    (void)number;
    (void)worker;
    for (int64_t begin = piece->begin, end; begin < piece->end; begin = end) {
        int64_t offset = begin & (BLOCK - 1);
        end = begin - offset + BLOCK < piece->end ? begin - offset + BLOCK : piece->end;
        int64_t base = (int64_t)bmf_permutation_apply(c->p, (uint64_t)(begin - offset));
        if (atomic_load_explicit(&c->failed, memory_order_relaxed))
            return 0;
        if (!block_is_right(c->index + (begin - c->first), c->table + offset, base, end - begin))
            atomic_store_explicit(&c->failed, true, memory_order_relaxed);
    }
    return 0;
}

/* Cuts every local processor's elements for the threads; each thread gets neighbours. */
static bmf_piece *cut(const bmf_context *ctx, int bits, int64_t first, int64_t count, int64_t *pieces)
{
    int64_t threads = count >= 2 * SMALLEST_PIECE ? ctx->threads : 1, length = INT64_C(1) << bits;
    bmf_piece *piece = allocate((ctx->local_processors + threads) * (int64_t)sizeof *piece);
    int64_t processor = ctx->first_processor, worker = 0;
    *pieces = 0;
    for (int64_t begin = first, end; begin < first + count; begin = end) {
        while (bmf_split_start(length, ctx->processors, processor + 1) <= begin)
            processor++;
        while (bmf_split_start(count, threads, worker + 1) <= begin - first)
            worker++;
        int64_t part = bmf_split_start(length, ctx->processors, processor + 1);
        int64_t share = first + bmf_split_start(count, threads, worker + 1);
        end = part < share ? part : share;
        piece[(*pieces)++] = (bmf_piece){processor, processor, begin, end, (int)worker};
    }
    return piece;
}

static int check_all(bmf_context *ctx, check *c, int64_t count)
{
    int64_t pieces, entries = c->p->bits < BLOCK_BITS ? INT64_C(1) << c->p->bits : BLOCK;
    for (int64_t j = 0; j < entries; j++)
        c->table[j] = (int64_t)bmf_bit_matrix_apply(&c->p->matrix, (uint64_t)j);
    bmf_piece *piece = cut(ctx, c->p->bits, c->first, count, &pieces);
    int status = backend_compute(
        ctx,
        &(bmf_work){.kernel = "detect permutation", .piece = piece, .pieces = pieces, .run = check_piece, .state = c});
    free(piece);
    return status;
}

static int all_hold(bmf_context *ctx, bool mine, bool *all)
{
    int64_t value = mine, *values = allocate(ctx->ranks * (int64_t)sizeof *values);
    int status = ctx->backend->allgather(ctx, &value, 1, NULL, values);
    *all = true;
    for (int k = 0; k < ctx->ranks; k++)
        *all = *all && values[k];
    free(values);
    return status;
}

static int detect(bmf_context *ctx, const int64_t *index, int64_t first, int64_t count, int bits,
                  bmf_permutation *found, bool *is)
{
    int64_t mine[64] = {0}, probe[64];
    take_probes(index, first, count, bits, mine);
    BMF_TRY(gather_probes(ctx, mine, bits, probe));
    *is = is_nonsingular(probe, bits, found);
    if (!*is)
        return BMF_OK;
    check c = {.index = index, .first = first, .p = found};
    BMF_TRY(check_all(ctx, &c, count));
    return all_hold(ctx, !atomic_load(&c.failed), is);
}

int detect_permutation(bmf_context *ctx, const int64_t *index, int64_t first, int64_t count, int bits,
                       bmf_permutation *found, bool *is)
{
    skeleton_begin(ctx, &skeleton_detect, "detect permutation");
    return skeleton_end(ctx, NULL, detect(ctx, index, first, count, bits, found, is));
}
