/* Permutations between ranks against y = A x + c by definition: every 3-bit matrix and complement, random ones to 20
 * bits, every method, processors that are no power of two, more processors than elements. Messages and bytes are
 * counted twice, by the context and through MPI's profiling interface, and must be the plan's. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "bmf.h"
#include "ctest/support/testing.h"
#include "permute/detect.h"
#include "permute/exchange/exchange.h"
#include "bmf/permute.h"
#include "runtime/backend/backend.h"
#include "runtime/base/output_file.h"
#include "runtime/cluster/cluster.h"
#include "runtime/data/list.h"

/* ---- what MPI is asked to send ---- */

static int64_t sends, sent_bytes;

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int size;
    PMPI_Type_size(type, &size);
    sends += tag != BMF_TAG_NOTE; /* which says where data are, on the same host, instead of carrying any */
    sent_bytes += tag != BMF_TAG_NOTE ? (int64_t)count * size : 0;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int size;
    PMPI_Type_size(type, &size);
    sends++;
    sent_bytes += (int64_t)count * size;
    return PMPI_Issend(buffer, count, type, to, tag, comm, request);
}

static int64_t sum_of(bmf_context *ctx, int64_t mine)
{
    int64_t *all = malloc((size_t)ctx->ranks * sizeof *all), sum = 0;
    BMF_CHECK(ctx->backend->allgather(ctx, &mine, 1, NULL, all));
    for (int k = 0; k < ctx->ranks; k++)
        sum += all[k];
    free(all);
    return sum;
}

/* ---- one permutation ---- */

/* A byte of an element: different elements differ in the first bytes, and all bytes depend on the element. */
static unsigned char byte_of(int64_t element, int column, int64_t at)
{
    return (unsigned char)(at < 4 ? element >> (8 * at) : element * 31 + at * 7 + column);
}

typedef struct data {
    int columns;
    int64_t bytes[3];
    char *source[3], *target[3];
    int64_t first, count;
} data;

static data make_data(bmf_context *ctx, int bits, int columns, const int64_t *bytes)
{
    data d = {
        .columns = columns, .first = bmf_permute_local_first(ctx, bits), .count = bmf_permute_local_count(ctx, bits)};
    for (int k = 0; k < columns; k++) {
        d.bytes[k] = bytes[k];
        d.source[k] = malloc((size_t)(d.count * bytes[k]) + 1);
        d.target[k] = malloc((size_t)(d.count * bytes[k]) + 1);
        memset(d.target[k], 0x5a, (size_t)(d.count * bytes[k]));
        for (int64_t i = 0; i < d.count; i++)
            for (int64_t at = 0; at < bytes[k]; at++)
                d.source[k][i * bytes[k] + at] = (char)byte_of(d.first + i, k, at);
    }
    return d;
}

static void free_data(data *d)
{
    for (int k = 0; k < d->columns; k++) {
        free(d->source[k]);
        free(d->target[k]);
    }
}

/* By definition: every x of the whole, wherever it was, is looked for at y. */
static int64_t wrong_elements(const data *d, const bmf_permutation *p)
{
    int64_t wrong = 0;
    for (int64_t x = 0; x < INT64_C(1) << p->bits; x++) {
        int64_t y = (int64_t)bmf_permutation_apply(p, (uint64_t)x) - d->first;
        bool same = true;
        for (int k = 0; y >= 0 && y < d->count && k < d->columns; k++)
            for (int64_t at = 0; at < d->bytes[k]; at++)
                same = same && (unsigned char)d->target[k][y * d->bytes[k] + at] == byte_of(x, k, at);
        wrong += !same;
    }
    return wrong;
}

/* In every round of 1-permutable sets a processor sends to one and hears from one; all elements travel (or stay) once.
 */
static void check_rounds(const bmf_permute_plan *plan)
{
    int64_t P = plan->processors, elements = 0, messages = 0, bytes = 0;
    char *busy = malloc((size_t)(2 * P));
    bool disjoint = true;
    for (int64_t k = 0; k < plan->rounds; k++) {
        bmf_round round;
        permute_plan_round(plan, k, 0, P, &round);
        memset(busy, 0, (size_t)(2 * P));
        for (int64_t i = 0; i < round.count; i++) {
            const bmf_message *m = &round.message[i];
            disjoint = disjoint && !busy[m->from] && !busy[P + m->to];
            busy[m->from] = busy[P + m->to] = 1;
            elements += m->count;
            messages += m->from != m->to;
            bytes += m->from != m->to ? m->bytes : 0;
        }
        free(round.message);
    }
    free(busy);
    CHECK(disjoint || plan->method != BMF_PERMUTE_ROUNDS, "a processor twice in a round");
    CHECK(elements == INT64_C(1) << plan->permutation.bits, "%" PRId64 " elements in all rounds", elements);
    CHECK(messages == plan->messages && bytes == plan->bytes, "%" PRId64 " messages, %" PRId64 " bytes listed",
          messages, bytes);
}

static void check_permutation(bmf_context *ctx, const bmf_permutation *p, int columns, const int64_t *bytes,
                              bmf_permute_method method)
{
    bmf_permute_plan *plan;
    data d = make_data(ctx, p->bits, columns, bytes);
    BMF_CHECK(bmf_permute_plan_create(ctx, p, columns, bytes, method, &plan));
    bmf_statistics before = bmf_local_statistics(ctx);
    int64_t sends_before = sends, bytes_before = sent_bytes;
    BMF_CHECK(bmf_permute_execute(ctx, plan, (const void *const *)d.source, (void *const *)d.target));
    int64_t mpi_sends = sends - sends_before, mpi_bytes = sent_bytes - bytes_before;
    bmf_statistics after = bmf_local_statistics(ctx);
    int64_t wrong = wrong_elements(&d, p);
    const char *name = bmf_permute_method_name(plan->method);
    CHECK(wrong == 0, "%d bits, %" PRId64 " processors, %s: %" PRId64 " wrong", p->bits, ctx->processors, name, wrong);
    CHECK(sum_of(ctx, after.messages - before.messages) == plan->messages, "%s: messages of the context", name);
    CHECK(sum_of(ctx, after.bytes - before.bytes) == plan->bytes, "%s: bytes of the context", name);
    if (ctx->processors == ctx->ranks && columns == 1) {
        CHECK(sum_of(ctx, mpi_sends) == plan->messages, "%s: messages of MPI", name);
        CHECK(sum_of(ctx, mpi_bytes) == plan->bytes, "%s: bytes of MPI", name);
    }
    if (plan->rounds <= 4096)
        check_rounds(plan);
    bmf_permute_plan_free(plan);
    free_data(&d);
}

/* ---- cases ---- */

static void check_every_small_matrix(bmf_context *ctx)
{
    const int64_t bytes = 8;
    unsigned turn = 0;
    for (unsigned code = 0; code < 512; code++) {
        bmf_permutation p = {.bits = 3, .matrix = {3, {code & 7, code >> 3 & 7, code >> 6}}};
        if (bmf_bit_matrix_rank(&p.matrix) < 3)
            continue;
        for (p.complement = 0; p.complement < 8; p.complement++, turn++)
            for (int method = 0; method < BMF_PERMUTE_METHODS; method++)
                if (ctx->ranks <= 2 || turn % BMF_PERMUTE_METHODS == (unsigned)method)
                    check_permutation(ctx, &p, 1, &bytes, (bmf_permute_method)method);
    }
}

static bmf_permutation any(int kind, int bits, uint64_t *seed)
{
    bmf_permutation p = {.bits = bits};
    if (kind == 0)
        bmf_permutation_bit_reversal(bits, &p);
    else if (kind == 1)
        bmf_permutation_rotation(bits, (int)test_below(seed, bits + 1), &p);
    else if (kind == 2)
        bmf_permutation_gray(bits, &p);
    else if (kind == 3)
        bmf_bit_matrix_random_permutation(bits, seed, &p.matrix);
    else
        bmf_bit_matrix_random(bits, seed, &p.matrix);
    p.complement = random_bits(seed) & low_bits(bits);
    return p;
}

static void check_random_matrices(bmf_context *ctx)
{
    uint64_t seed = 40;
    const int64_t bytes[] = {1, 2, 3, 4, 7, 8, 16, 24, 64, 100};
    for (int bits = 0; bits <= 12; bits++)
        for (int times = 0; times < 6; times++) {
            bmf_permutation p = any(times % 5, bits, &seed);
            int64_t size = bytes[test_below(&seed, 10)];
            check_permutation(ctx, &p, 1, &size, (bmf_permute_method)(times % 2));
            if (bits <= 8)
                check_permutation(ctx, &p, 1, &size, BMF_PERMUTE_NAIVE);
        }
    for (int bits = 13; bits <= 20; bits++) {
        bmf_permutation p = any(bits % 5, bits, &seed);
        int64_t size = bits % 2 ? 8 : 4;
        check_permutation(ctx, &p, 1, &size, BMF_PERMUTE_AUTO);
    }
    bmf_permutation p = any(4, 7, &seed);
    check_permutation(ctx, &p, 1, &(int64_t){4096}, BMF_PERMUTE_ROUNDS);
    p = any(4, 9, &seed);
    check_permutation(ctx, &p, 3, (int64_t[]){8, 1, 12}, BMF_PERMUTE_ROUNDS);
    check_permutation(ctx, &p, 3, (int64_t[]){8, 1, 12}, BMF_PERMUTE_ALLTOALLV);
}

/* Other numbers of processors than ranks: several on a rank, and more than there are elements. */
static void check_processors(bmf_context *ctx)
{
    uint64_t seed = 50;
    const int64_t bytes = 8;
    for (int64_t processors = ctx->ranks + 1; processors <= 17; processors += 1 + processors % 3) {
        BMF_CHECK(bmf_set_processors(ctx, processors));
        for (int times = 0; times < 6; times++) {
            bmf_permutation p = any(times % 5, (int)test_below(&seed, 11), &seed);
            check_permutation(ctx, &p, 1, &bytes, (bmf_permute_method)(times % BMF_PERMUTE_METHODS));
        }
    }
    BMF_CHECK(bmf_set_processors(ctx, ctx->ranks));
}

/* Blocks that are large enough to be packed, sent and unpacked at once, where tiles mix all, some or none of them, with
 * one and with several columns, by rounds: which of them do it, the plan says. */
static void check_stages(bmf_context *ctx)
{
    uint64_t seed = 55;
    int staged = 0;
    const int64_t before = ctx->processors;
    for (int64_t processors = 2; processors <= 16; processors *= 2) {
        if (processors < ctx->ranks)
            continue;
        BMF_CHECK(bmf_set_processors(ctx, processors));
        for (int times = 0; times < 6; times++) {
            const int bits = 17 + (int)test_below(&seed, 2);
            const int64_t bytes[2] = {times % 2 ? 16 : 8, 3};
            bmf_permutation p = any(times == 5 ? 4 : times % 4, bits, &seed);
            bmf_permute_plan *plan;
            if (times < 2)
                bmf_permutation_rotation(bits, 7 + times, &p);
            BMF_CHECK(bmf_permute_plan_create(ctx, &p, 1 + times % 2, bytes, BMF_PERMUTE_ROUNDS, &plan));
            staged += plan->stages ? 1 : 0;
            bmf_permute_plan_free(plan);
            check_permutation(ctx, &p, 1 + times % 2, bytes, BMF_PERMUTE_ROUNDS);
        }
    }
    BMF_CHECK(bmf_set_processors(ctx, before));
    CHECK(staged > 0 || ctx->ranks > 16, "nothing overlapped");
}

/* Relabelled, the same result stands on other processors, and everybody keeps what can be kept. */
static void check_relabelling(bmf_context *ctx)
{
    uint64_t seed = 60;
    const int64_t bytes = 8;
    int processor_bits = bmf_permute_processor_bits(&(bmf_permutation){.bits = 9}, ctx->processors);
    for (int times = 0; processor_bits >= 0 && times < 10; times++) {
        bmf_permutation p = any(times % 5, 9, &seed), relabelled, relabel;
        bmf_permute_plan *plan;
        bmf_permute_relabel(&p, processor_bits, &relabelled, &relabel);
        for (uint64_t x = 0; x < 512; x++) {
            uint64_t y = bmf_permutation_apply(&p, x), there = bmf_permutation_apply(&relabel, y);
            CHECK(there == bmf_permutation_apply(&relabelled, x), "relabelled %" PRIu64, x);
            CHECK((there ^ y) < 512 && ((there ^ y) & low_bits(9 - processor_bits)) == 0, "only processors change");
        }
        BMF_CHECK(bmf_permute_plan_create(ctx, &relabelled, 1, &bytes, BMF_PERMUTE_ROUNDS, &plan));
        int64_t all = ctx->processors << plan->rank;
        CHECK(plan->messages == all - ctx->processors, "every processor keeps a block");
        bmf_permute_plan_free(plan);
        check_permutation(ctx, &relabelled, 1, &bytes, BMF_PERMUTE_ROUNDS);
    }
}

/* A trial picks a method that works, and the next automatic plan is the remembered one. */
static void check_tuning(bmf_context *ctx)
{
    uint64_t seed = 70;
    const int64_t bytes = 8;
    bmf_permutation p = any(4, 8, &seed);
    bmf_permute_plan *plan, *again;
    data d = make_data(ctx, p.bits, 1, &bytes);
    BMF_CHECK(bmf_permute_plan_create_tuned(ctx, &p, 1, &bytes, BMF_PERMUTE_AUTO, &plan));
    BMF_CHECK(bmf_permute_tune(ctx, (const void *const *)d.source, (void *const *)d.target, &plan));
    CHECK(wrong_elements(&d, &p) == 0, "tuning permutes");
    BMF_CHECK(bmf_permute_plan_create_tuned(ctx, &p, 1, &bytes, BMF_PERMUTE_AUTO, &again));
    CHECK(ctx->processors == 1 || again->method == plan->method, "remembered");
    bmf_permute_plan_free(plan);
    bmf_permute_plan_free(again);
    free_data(&d);
}

/* ---- project ---- */

static bmf_list *index_list(bmf_context *ctx, const bmf_permutation *p)
{
    bmf_partition *even;
    bmf_list *made;
    BMF_CHECK(bmf_partition_even(ctx, INT64_C(1) << p->bits, &even));
    BMF_CHECK(bmf_list_create(ctx, &bmf_type_int, even, &made));
    int64_t first = bmf_partition_local_begin(even), *index = made->column.data;
    for (int64_t i = 0; i < made->column.count; i++)
        index[i] = (int64_t)bmf_permutation_apply(p, (uint64_t)(first + i));
    bmf_partition_release(even);
    return made;
}

/* Projects pairs {i, i as a real}; returns the messages and bytes it took. */
static bmf_statistics project(bmf_context *ctx, const bmf_list *indices, const char *what)
{
    bmf_list *whole, *reals, *xs, *out;
    BMF_CHECK(bmf_iota(ctx, bmf_length(indices), &whole));
    BMF_CHECK(bmf_iota_real(ctx, bmf_length(indices), &reals));
    BMF_CHECK(bmf_pair(whole, reals, &xs));
    bmf_statistics before = bmf_local_statistics(ctx);
    BMF_CHECK(bmf_project(xs, indices, &out));
    bmf_statistics after = bmf_local_statistics(ctx);
    const int64_t *index = indices->column.data, *first = out->column.child[0].data;
    const double *second = out->column.child[1].data;
    int64_t wrong = 0;
    for (int64_t i = 0; i < indices->column.count; i++)
        wrong += first[i] != index[i] || second[i] != (double)index[i];
    CHECK(wrong == 0, "%s: %" PRId64 " wrong", what, wrong);
    bmf_list_free(whole);
    bmf_list_free(reals);
    bmf_list_free(xs);
    bmf_list_free(out);
    return (bmf_statistics){.messages = sum_of(ctx, after.messages - before.messages),
                            .bytes = sum_of(ctx, after.bytes - before.bytes)};
}

/* BMMC lists follow the plan; lists that are almost one are projected as any other. */
static void check_project(bmf_context *ctx)
{
    uint64_t seed = 80;
    for (int times = 0; times < 10; times++) {
        bmf_permutation p = any(times % 5, 12 + times % 3, &seed), inverse;
        bmf_permute_plan *plan;
        bmf_list *indices = index_list(ctx, &p);
        bmf_permutation_inverse(&p, &inverse);
        BMF_CHECK(bmf_permute_plan_create(ctx, &inverse, 2, (int64_t[]){8, 8}, BMF_PERMUTE_AUTO, &plan));
        bmf_statistics cost = project(ctx, indices, "a permutation");
        if (plan->rank >= 0)
            CHECK(cost.messages == plan->messages && cost.bytes == plan->bytes, "project follows the plan");
        int64_t *index = indices->column.data, at = test_below(&seed, 4096), other = test_below(&seed, 4096);
        if (at < indices->column.count)
            index[at] = other; /* on every rank the same place: a permutation no more, unless nothing changed */
        project(ctx, indices, "almost a permutation");
        bmf_permute_plan_free(plan);
        bmf_list_free(indices);
    }
}

/* Detection against its definition: any single change is noticed, wherever it is. */
static void check_detection(bmf_context *ctx)
{
    uint64_t seed = 90;
    for (int times = 0; times < 60; times++) {
        bmf_permutation p = any(times % 5, 1 + times % 13, &seed), found;
        bool is;
        bmf_list *indices = index_list(ctx, &p);
        int64_t *index = indices->column.data, first = bmf_partition_local_begin(indices->partition);
        int64_t count = indices->column.count;
        BMF_CHECK(detect_permutation(ctx, index, first, count, p.bits, &found, &is));
        CHECK(is && bmf_permutation_equal(&found, &p), "detected");
        int64_t at = test_below(&seed, INT64_C(1) << p.bits), bit = test_below(&seed, p.bits + 1);
        if (at >= first && at < first + count)
            index[at - first] ^= INT64_C(1) << bit;
        BMF_CHECK(detect_permutation(ctx, index, first, count, p.bits, &found, &is));
        CHECK(!is, "%d bits: a changed index at %" PRId64 " went unnoticed", p.bits, at);
        bmf_list_free(indices);
    }
}

/* The cache folder of this rank. */
static char *cache;

static void use_cache(void)
{
    cache = temporary_directory_create("mpi_permute");
    if (cache)
        setenv("XDG_CACHE_HOME", cache, 1);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    use_cache();
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    check_every_small_matrix(ctx);
    check_random_matrices(ctx);
    check_processors(ctx);
    check_stages(ctx);
    check_relabelling(ctx);
    check_tuning(ctx);
    check_project(ctx);
    check_detection(ctx);
    int code = bmf_close(ctx);
    temporary_directory_remove(cache);
    return code ? code : test_finish();
}
