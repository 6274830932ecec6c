/* Rounds of single records.
 *
 * Method: permute/one_permutable.h on the permutation itself, or, for clusters, on the same permutation of addresses
 * whose processor bits are in cluster order. With one record from every processor a record's place in the round is its
 * sender; for clusters they are sorted. Cost: d + n word operations for a record. Source: document 003, 4.2 to 4.4. */
#include "permute/gf2.h"
#include "predict/network/record_rounds.h"

#include <stdlib.h>

const char *record_method_name(bmf_record_method method)
{
    static const char *const name[] = {"rows", "sets", "clusters"};
    return name[method];
}

static bool is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* The permutation as it is for addresses with bit order[j] at place j: the document's G A G^-1 and G c. */
static bmf_permutation reorder(const bmf_permutation *p, const int *order)
{
    bmf_permutation q = {.bits = p->bits, .matrix.bits = p->bits};
    for (int i = 0; i < p->bits; i++) {
        q.complement |= (p->complement >> order[i] & 1) << i;
        for (int j = 0; j < p->bits; j++)
            q.matrix.column[j] |= (uint64_t)bmf_bit_matrix_at(&p->matrix, order[i], order[j]) << i;
    }
    return q;
}

static int make_clusters(const bmf_edn_place *place, bmf_record_rounds *r)
{
    const int64_t processors = INT64_C(1) << r->processor_bits, each = place->processors_per_port;
    if (!is_power_of_two(each))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                        "sets of clusters need a power of two of processors in every cluster, not %lld",
                        (long long)each);
    if (place->bits && place->bits != r->processor_bits)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                        "sets of clusters need all %lld processors of a machine that numbers them in matrix order",
                        1LL << place->bits);
    for (int j = 0; j < r->permutation.bits; j++)
        r->order[j] = j;
    for (int j = 0; j < place->bits; j++)
        r->order[r->place_bits + place->place[j]] = r->place_bits + j;
    const bmf_permutation q = reorder(&r->permutation, r->order);
    const int cluster_bits = each < processors ? r->processor_bits - __builtin_ctzll((uint64_t)each) : 0;
    one_permutable_make(&q, q.bits - cluster_bits, cluster_bits, &r->set);
    r->records = INT64_C(1) << cluster_bits;
    r->rounds = INT64_C(1) << (q.bits - cluster_bits);
    return BMF_OK;
}

int record_rounds_make(const bmf_permutation *p, int processor_bits, bmf_record_method method,
                       const bmf_edn_place *place, bmf_record_rounds *rounds)
{
    *rounds = (bmf_record_rounds){.permutation = *p,
                                  .processor_bits = processor_bits,
                                  .place_bits = p->bits - processor_bits,
                                  .method = method,
                                  .records = INT64_C(1) << processor_bits,
                                  .rounds = INT64_C(1) << (p->bits - processor_bits)};
    if (method == BMF_RECORDS_CLUSTERS)
        return make_clusters(place, rounds);
    if (method == BMF_RECORDS_SETS)
        one_permutable_make(p, rounds->place_bits, processor_bits, &rounds->set);
    return BMF_OK;
}

static uint64_t source(const bmf_record_rounds *r, uint64_t i, uint64_t k)
{
    if (r->method == BMF_RECORDS_ROWS)
        return i << r->place_bits | k;
    const uint64_t x = one_permutable_source(&r->set, i, k);
    return r->method == BMF_RECORDS_SETS ? x : edn_move_bits(r->order, r->permutation.bits, x);
}

static int by_sender(const void *a, const void *b)
{
    const bmf_message *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

void record_round(const bmf_record_rounds *rounds, int64_t k, int64_t bytes, bmf_message *message)
{
    const bmf_record_rounds *r = rounds;
    for (int64_t i = 0; i < r->records; i++) {
        const uint64_t x = source(r, (uint64_t)i, (uint64_t)k), y = bmf_permutation_apply(&r->permutation, x);
        const int64_t at = r->method == BMF_RECORDS_CLUSTERS ? i : (int64_t)(x >> r->place_bits);
        message[at] = (bmf_message){.from = (int64_t)(x >> r->place_bits),
                                    .to = (int64_t)(y >> r->place_bits),
                                    .bytes = bytes,
                                    .first = (int64_t)(x & low_bits(r->place_bits)),
                                    .count = 1};
    }
    if (r->method == BMF_RECORDS_CLUSTERS)
        qsort(message, (size_t)r->records, sizeof *message, by_sender);
}
