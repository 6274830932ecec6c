/* Rounds of single records.
 *
 * Method: permute/one_permutable.h on the permutation itself, or, for clusters, on the same permutation of addresses
 * whose processor bits are in cluster order. With one record from every processor a record's place in the round is its
 * sender; for clusters they are sorted. In two passes a set is two rounds, with two_passes.h on the permutation of
 * ports that it is; the intermediate processor stands in its cluster where the source does in its own. Sets by
 * colouring: the messages between clusters are edges, of which every cluster has as many as it has records, and a
 * colour is a set.
 * Cost: d + n word operations for a record; in two passes log ports steps more; colouring records log sets steps, 40
 * bytes a record. Source: document 003, 3.3, 4.2 to 4.4 and 5.1. */
#include "predict/network/record_rounds.h"

#include <stdlib.h>

#include "permute/gf2.h"
#include "predict/network/edge_split.h"
#include "predict/network/two_passes.h"
#include "runtime/base/allocate.h"

enum { MAX_COLOURED_BITS = 22 };

const char *record_method_name(bmf_record_method method)
{
    static const char *const name[] = {"rows", "sets", "clusters", "two-pass", "coloured"};
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

/* ---- sets by colouring ---- */

static uint64_t record_processor(const bmf_record_rounds *r, uint64_t address)
{
    return address >> r->place_bits;
}

static void colour_records(bmf_record_rounds *r)
{
    const int64_t records = INT64_C(1) << r->permutation.bits, ports = r->records;
    bmf_edge *edge = allocate_array(records, (int64_t)sizeof *edge);
    int64_t *set = allocate_array(records, (int64_t)sizeof *set);
    int64_t *filled = allocate_clear(records / ports, (int64_t)sizeof *filled);
    r->coloured = allocate_array(records, (int64_t)sizeof *r->coloured);
    for (uint64_t x = 0; x < (uint64_t)records; x++) {
        const uint64_t y = bmf_permutation_apply(&r->permutation, x);
        edge[x] = (bmf_edge){(int32_t)edn_port_of(&r->place, record_processor(r, x)),
                             (int32_t)edn_port_of(&r->place, record_processor(r, y))};
    }
    edge_split(edge, records, (int32_t)ports, (int32_t)ports, records / ports, set);
    for (uint64_t x = 0; x < (uint64_t)records; x++)
        r->coloured[set[x] * ports + filled[set[x]]++] = x;
    free(edge);
    free(set);
    free(filled);
}

/* ---- two passes ---- */

static int make_two_passes(const bmf_edn_place *place, bmf_record_rounds *r)
{
    const int64_t processors = INT64_C(1) << r->processor_bits, all = place->shape.ports * place->processors_per_port;
    if (processors != all || !is_power_of_two(place->processors_per_port) || place->stages > 0 ||
        !two_passes_fit(&place->shape))
        return bmf_fail(
            NULL, BMF_ERROR_ARGUMENT,
            "two passes need all %lld processors of the machine, and one stage of hyperbars whose buckets carry all "
            "their inputs",
            (long long)all);
    if (r->method == BMF_RECORDS_COLOURED && r->permutation.bits > MAX_COLOURED_BITS)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "at most 2^%d records can be coloured, not 2^%d", MAX_COLOURED_BITS,
                        r->permutation.bits);
    r->place = *place;
    r->records = place->shape.ports;
    r->rounds = 2 * ((INT64_C(1) << r->permutation.bits) / r->records);
    if (r->method == BMF_RECORDS_COLOURED)
        colour_records(r);
    return BMF_OK;
}

/* The processor of a port that stands where `like` does in its own cluster. */
static int64_t processor_of_port(const bmf_edn_place *place, int64_t port, int64_t like)
{
    const uint64_t each = (uint64_t)place->processors_per_port;
    const uint64_t number = (uint64_t)port * each + edn_place_of(place, (uint64_t)like) % each;
    int back[BMF_MAX_BITS];
    for (int j = 0; j < place->bits; j++)
        back[place->place[j]] = j;
    return (int64_t)(place->bits ? edn_move_bits(back, place->bits, number) : number);
}

/* Makes the messages of a set those of its first or its second pass. */
static void pass_over(const bmf_record_rounds *r, bool second, bmf_message *message)
{
    int64_t *to = allocate_array(r->records, (int64_t)sizeof *to);
    int64_t *between = allocate_array(r->records, (int64_t)sizeof *between);
    for (int64_t k = 0; k < r->records; k++)
        to[edn_port_of(&r->place, (uint64_t)message[k].from)] = edn_port_of(&r->place, (uint64_t)message[k].to);
    two_passes_find(&r->place.shape, to, between);
    for (int64_t k = 0; k < r->records; k++) {
        const int64_t port = between[edn_port_of(&r->place, (uint64_t)message[k].from)];
        const int64_t processor = processor_of_port(&r->place, port, message[k].from);
        *(second ? &message[k].from : &message[k].to) = processor;
    }
    free(to);
    free(between);
}

/* ---- rounds ---- */

int record_rounds_make(const bmf_permutation *p, int processor_bits, bmf_record_method method,
                       const bmf_edn_place *place, bmf_record_rounds *rounds)
{
    *rounds = (bmf_record_rounds){.permutation = *p,
                                  .processor_bits = processor_bits,
                                  .place_bits = p->bits - processor_bits,
                                  .method = method,
                                  .records = INT64_C(1) << processor_bits,
                                  .rounds = INT64_C(1) << (p->bits - processor_bits)};
    if (method == BMF_RECORDS_CLUSTERS || method == BMF_RECORDS_TWO_PASS)
        BMF_TRY(make_clusters(place, rounds));
    if (records_pass_twice(method))
        return make_two_passes(place, rounds);
    if (method == BMF_RECORDS_SETS)
        one_permutable_make(p, rounds->place_bits, processor_bits, &rounds->set);
    return BMF_OK;
}

void record_rounds_free(bmf_record_rounds *rounds)
{
    free(rounds->coloured);
    rounds->coloured = NULL;
}

/* The address of record i of set k. */
static uint64_t source(const bmf_record_rounds *r, uint64_t i, uint64_t k)
{
    if (r->method == BMF_RECORDS_ROWS)
        return i << r->place_bits | k;
    if (r->coloured)
        return r->coloured[k * (uint64_t)r->records + i];
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
    const bool twice = records_pass_twice(r->method), all_send = r->records == INT64_C(1) << r->processor_bits;
    const uint64_t set = (uint64_t)(twice ? k / 2 : k);
    for (int64_t i = 0; i < r->records; i++) {
        const uint64_t x = source(r, (uint64_t)i, set), y = bmf_permutation_apply(&r->permutation, x);
        const int64_t at = all_send && !twice ? (int64_t)record_processor(r, x) : i;
        message[at] = (bmf_message){.from = (int64_t)record_processor(r, x),
                                    .to = (int64_t)record_processor(r, y),
                                    .bytes = bytes,
                                    .first = (int64_t)(x & low_bits(r->place_bits)),
                                    .count = 1};
    }
    if (twice)
        pass_over(r, k % 2, message);
    if (!all_send || twice)
        qsort(message, (size_t)r->records, sizeof *message, by_sender);
}
