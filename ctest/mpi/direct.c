/* Long messages between ranks of a host, which copy directly where they can map each other's memory: lists and arrays
 * beyond the size from which buffers are shared, whose elements say where they belong. Ends in shared memory and
 * elsewhere, both, one or none of them; several rounds; contexts on parts of the world; traced and not. Messages and
 * bytes are those of any other way. */
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bmf.h"
#include "bmf/mpi.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

static uint64_t seed = 77;

static int64_t below(int64_t bound)
{
    return test_below(&seed, bound);
}

/* Differs from its neighbours in all bytes, so that bytes from another place do not pass. */
static int64_t value_of(int64_t i)
{
    return (int64_t)((uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* ---- lists ---- */

static void expect_values(const bmf_list *list, int64_t first, const char *what)
{
    const int64_t begin = bmf_list_local_begin(list), count = bmf_list_local_end(list) - begin, *at = list->column.data;
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; i++)
        wrong += at[i] != value_of(first + begin + i);
    CHECK(wrong == 0, "%s: %" PRId64 " of %" PRId64 " elements are wrong", what, wrong, count);
}

static bmf_list *make_list(bmf_context *ctx, bmf_partition *partition, int64_t first)
{
    bmf_list *list;
    BMF_CHECK(bmf_list_create(ctx, &bmf_type_int, partition, &list));
    int64_t *at = list->column.data;
    for (int64_t i = 0, begin = bmf_list_local_begin(list); begin + i < bmf_list_local_end(list); i++)
        at[i] = value_of(first + begin + i);
    return list;
}

/* Parts of random lengths; one of them is empty sometimes. */
static bmf_partition *random_partition(bmf_context *ctx, int64_t length)
{
    bmf_partition *even, *made;
    BMF_CHECK(bmf_partition_even(ctx, length, &even));
    int64_t *start = malloc((size_t)(even->parts + 1) * sizeof *start);
    start[0] = 0;
    for (int64_t k = 1; k < even->parts; k++) {
        const int64_t rest = length - start[k - 1];
        start[k] = start[k - 1] + (below(4) == 0 ? 0 : below(2 * rest / (even->parts - k + 1) + 1));
        start[k] = start[k] < length ? start[k] : length;
    }
    start[even->parts] = length;
    BMF_CHECK(bmf_partition_resized(ctx, even, start, &made));
    bmf_partition_release(even);
    free(start);
    return made;
}

static void check_moves(bmf_context *ctx, int64_t length)
{
    bmf_partition *skewed = random_partition(ctx, length), *other = random_partition(ctx, length);
    bmf_list *xs = make_list(ctx, skewed, 0), *ys = make_list(ctx, other, length), *out[5];
    BMF_CHECK(bmf_rebalance(xs, &out[0]));
    expect_values(out[0], 0, "rebalance");
    BMF_CHECK(bmf_redistribute(out[0], ys, &out[1]));
    expect_values(out[1], 0, "redistribute");
    BMF_CHECK(bmf_concatenate(xs, ys, &out[2]));
    expect_values(out[2], 0, "concatenate");
    BMF_CHECK(bmf_gather(out[0], &out[3]));
    expect_values(out[3], 0, "gather");
    BMF_CHECK(bmf_split(out[3], bmf_processors(ctx), 0, &out[4]));
    expect_values(out[4], 0, "split");
    for (int k = 0; k < 5; k++)
        bmf_list_free(out[k]);
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_partition_release(skewed);
    bmf_partition_release(other);
}

/* A pair of columns, one of them of bytes that are shared only if it is long enough. */
static void check_pairs(bmf_context *ctx, int64_t length)
{
    bmf_partition *skewed = random_partition(ctx, length);
    bmf_list *xs = make_list(ctx, skewed, 0), *ys = make_list(ctx, skewed, 5), *pairs, *even, *first, *second;
    BMF_CHECK(bmf_pair(xs, ys, &pairs));
    BMF_CHECK(bmf_rebalance(pairs, &even));
    BMF_CHECK(bmf_component(even, 0, &first));
    BMF_CHECK(bmf_component(even, 1, &second));
    expect_values(first, 0, "first of pairs");
    expect_values(second, 5, "second of pairs");
    bmf_list *const all[] = {xs, ys, pairs, even, first, second};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        bmf_list_free(all[k]);
    bmf_partition_release(skewed);
}

/* ---- rounds ---- */

enum { ROUNDS = 3 };

/* Every rank sends `count` numbers to every other one; arrays that are shared, or not. */
typedef struct all_to_all {
    bmf_context *ctx;
    int64_t count;
    int64_t *sent[ROUNDS], *received[ROUNDS];
    int round;
} all_to_all;

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const all_to_all *a = state;
    segment[0] = (bmf_segment){a->sent[a->round] + message->to * a->count, message->bytes};
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const all_to_all *a = state;
    segment[0] = (bmf_segment){a->received[a->round] + message->from * a->count, message->bytes};
    return 1;
}

static bmf_round list_messages(const bmf_context *ctx, int64_t count)
{
    bmf_round round = {malloc((size_t)(ctx->ranks * ctx->ranks) * sizeof(bmf_message)), 0, 0};
    for (int64_t from = 0; from < ctx->ranks; from++)
        for (int64_t to = 0; to < ctx->ranks; to++)
            if (from != to && (from == ctx->rank || to == ctx->rank))
                round.message[round.count++] = (bmf_message){from, to, count * 8, 0, count};
    return round;
}

static int64_t wrong_numbers(const all_to_all *a, int k)
{
    int64_t wrong = 0;
    for (int64_t from = 0; from < a->ctx->ranks; from++)
        for (int64_t i = 0; i < a->count && from != a->ctx->rank; i++)
            wrong +=
                a->received[k][from * a->count + i] != value_of(((k * 16 + from) * 16 + a->ctx->rank) * a->count + i);
    return wrong;
}

/* ROUNDS rounds under way at once, ended in order, some helped on before. kinds: bit 0, what is sent is shared; bit 1,
 * what is received. */
static void check_rounds(bmf_context *ctx, int64_t count, const int *kinds)
{
    all_to_all a[ROUNDS];
    bmf_exchange *under_way[ROUNDS];
    bmf_round round = list_messages(ctx, count);
    bmf_buffer *buffer[2 * ROUNDS] = {NULL};
    const bmf_statistics before = bmf_local_statistics(ctx);
    for (int k = 0; k < ROUNDS; k++) {
        const int64_t bytes = count * 8 * ctx->ranks;
        buffer[2 * k] = kinds[k] & 1 ? buffer_create(bytes + (4 << 20)) : NULL;
        buffer[2 * k + 1] = kinds[k] & 2 ? buffer_create(bytes + (4 << 20)) : NULL;
        a[k] = (all_to_all){.ctx = ctx, .count = count, .round = k};
        a[k].sent[k] = buffer[2 * k] ? buffer[2 * k]->data : malloc((size_t)bytes);
        a[k].received[k] = buffer[2 * k + 1] ? buffer[2 * k + 1]->data : malloc((size_t)bytes);
        memset(a[k].received[k], 0, (size_t)bytes);
        for (int64_t to = 0; to < ctx->ranks; to++)
            for (int64_t i = 0; i < count; i++)
                a[k].sent[k][to * count + i] = value_of(((k * 16 + ctx->rank) * 16 + to) * count + i);
        BMF_CHECK(backend_exchange_begin(ctx, &round, (uint32_t)k, &(bmf_transfer){outgoing, incoming, &a[k]},
                                         &under_way[k]));
    }
    for (int64_t helped = (ctx->rank * 7) % 20; helped > 0; helped--)
        backend_exchange_progress(ctx, under_way[helped % ROUNDS]);
    for (int k = 0; k < ROUNDS; k++) {
        BMF_CHECK(backend_exchange_end(ctx, under_way[k]));
        CHECK(wrong_numbers(&a[k], k) == 0, "round %d of %" PRId64 " numbers, kind %d", k, count, kinds[k]);
        memset(a[k].sent[k], 0, (size_t)(count * 8 * ctx->ranks)); /* others are done with it */
    }
    const bmf_statistics after = bmf_local_statistics(ctx);
    CHECK(after.messages - before.messages == ROUNDS * (ctx->ranks - 1), "messages of %" PRId64 " numbers", count);
    CHECK(after.bytes - before.bytes == ROUNDS * (ctx->ranks - 1) * count * 8, "bytes of %" PRId64 " numbers", count);
    CHECK(after.rank_bytes - before.rank_bytes == after.bytes - before.bytes, "bytes between ranks");
    for (int k = 0; k < ROUNDS; k++) {
        if (!buffer[2 * k])
            free(a[k].sent[k]);
        if (!buffer[2 * k + 1])
            free(a[k].received[k]);
        buffer_release(buffer[2 * k]);
        buffer_release(buffer[2 * k + 1]);
    }
    free(round.message);
}

static void check_all_kinds(bmf_context *ctx)
{
    for (int turn = 0; turn < 8; turn++) {
        /* another kind on every rank: both ends, one of them, or none can be reached */
        const int own[ROUNDS] = {(ctx->rank + turn) % 4, (ctx->rank * 3 + turn / 2) % 4, turn % 2 ? 3 : ctx->rank % 4};
        const int64_t count = turn == 0 ? 32768 : turn == 1 ? 32767 : 20000 + below(40000);
        check_rounds(ctx, count, own);
    }
}

/* ---- all together ---- */

static void check_half(void)
{
    bmf_context *half;
    MPI_Comm comm;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank < (ranks + 1) / 2, -rank, &comm); /* the other way round */
    BMF_CHECK(bmf_open_with(comm, NULL, &half));
    MPI_Comm_free(&comm);
    check_moves(half, 700000);
    check_rounds(half, 40000, (const int[ROUNDS]){3, 1, 2});
    BMF_CHECK(bmf_close(half));
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    for (int turn = 0; turn < 3; turn++)
        check_moves(ctx, 400000 + below(800000));
    check_pairs(ctx, 600000 + below(100000));
    check_all_kinds(ctx);
    check_half();
    seed = 99; /* the halves have used different numbers of it */
    BMF_CHECK(bmf_set_processors(ctx, 2 * bmf_ranks(ctx) + 1));
    check_moves(ctx, 900000);
    const int exit_code = test_finish();
    return bmf_close(ctx) || exit_code;
}
