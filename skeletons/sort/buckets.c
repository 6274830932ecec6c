/* Records of unsorted parts into buckets; see buckets.h.
 *
 * Method: some records of every part, at random places, are sorted; their samples say where to cut (cuts.c). Every
 * record's bucket is found and counted, and the records are moved to where the counts say.
 * Cost: two passes over the records, and one over their keys. A bucket is off its share by about 0.5 / sqrt (DRAWN P)
 * of all records, and by what cuts.c says.
 * Source: G. E. Blelloch et al., "A comparison of sorting algorithms for the Connection Machine CM-2", SPAA 1991, for
 * samples of unsorted lists. */
#include "skeletons/sort/buckets.h"

#include <stdlib.h>
#include <string.h>

#include "bmf/kernel.h"
#include "bmf/random.h"
#include "runtime/base/allocate.h"
#include "skeletons/sort/radix.h"

enum {
    DRAWN = 1 << 14, /* records of a part that samples are taken of, at most */
    FEW_CUTS = 16,   /* with all of which a key is compared */
    BLOCK = 256,     /* records whose buckets are looked for at once */
};

/* What is needed until the buckets are filled. */
typedef struct filling {
    bmf_buckets *buckets;
    uint64_t *drawn;               /* by local part: room for DRAWN records of two words, and as many to sort them */
    uint64_t **sorted;             /* by local part: those drawn, in their order */
    int64_t *count_drawn;          /* by local part */
    int64_t cuts;                  /* a power of two */
    int64_t cut_key[BUCKETS_MOST]; /* `ordered`; behind the last one the largest */
    bmf_piece *piece;              /* of the unsorted parts */
    int64_t pieces;
    uint8_t *bucket; /* by record */
    int64_t *place;  /* by piece and bucket: how many there are, then where the next one goes */
} filling;

/* ---- samples of unsorted parts ---- */

/* Where the i-th of `shares` even shares of a length begins. */
static int64_t share_begin(int64_t length, int64_t shares, int64_t i)
{
    return length / shares * i + length % shares * i / shares;
}

/* Draws a record from each of equal shares of the part. */
static int draw(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    filling *f = state;
    const bmf_crossing *c = f->buckets->crossing;
    const bmf_records *records = c->records;
    const int64_t part = piece->part, first = records->start[part], length = records->start[part + 1] - first;
    const int64_t count = f->count_drawn[part], before = bmf_partition_local_begin(c->partition);
    uint64_t *room[2] = {f->drawn + part * 4 * DRAWN, f->drawn + part * 4 * DRAWN + 2 * DRAWN};
    (void)index, (void)worker;
    for (int64_t i = 0; i < count; i++) {
        const int64_t begin = share_begin(length, count, i), width = share_begin(length, count, i + 1) - begin;
        const uint64_t bits = bmf_random_bits(before + first, i);
        const int64_t drawn = first + begin + (int64_t)(bits % (uint64_t)width);
        room[0][2 * i] = *records_at(records, part, drawn);
        room[0][2 * i + 1] = (uint64_t)(before + drawn);
    }
    f->sorted[part] = room[records_merge_sort(room[0], room[1], count)];
    return 0;
}

static int draw_samples(filling *f)
{
    bmf_records *records = f->buckets->crossing->records;
    const bmf_records_kernel kernel = {"sort draw", {.operations = 60, .read = 8, .written = 16}, draw, true};
    const int64_t local = f->buckets->local;
    bmf_piece *piece = allocate(local * (int64_t)sizeof *piece);
    for (int64_t k = 0; k < local; k++) {
        const int64_t length = records->start[k + 1] - records->start[k];
        f->count_drawn[k] = length < DRAWN ? length : DRAWN;
        piece[k] = (bmf_piece){.part = k,
                               .processor = records->processor[k],
                               .begin = records->start[k],
                               .end = records->start[k] + f->count_drawn[k]};
    }
    const int status = records_compute(records, &kernel, piece, local, f);
    free(piece);
    return status;
}

/* About the record of that rank. */
static void sample(const void *state, int64_t part, int64_t rank, uint64_t record[2])
{
    const filling *f = state;
    const bmf_records *records = f->buckets->crossing->records;
    const int64_t length = records->start[part + 1] - records->start[part];
    memcpy(record, f->sorted[part] + 2 * (rank * f->count_drawn[part] / length), 16);
}

static int cut_at_samples(filling *f)
{
    const int64_t local = f->buckets->local;
    bmf_buffer *drawn = working_buffer(local * DRAWN * 32);
    f->drawn = drawn->data;
    f->sorted = allocate(local * (int64_t)sizeof *f->sorted);
    f->count_drawn = allocate(local * (int64_t)sizeof *f->count_drawn);
    int status = draw_samples(f);
    if (status == BMF_OK)
        status = crossing_cut(f->buckets->crossing, &(bmf_sampling){sample, f, false});
    buffer_release(drawn);
    free(f->sorted);
    free(f->count_drawn);
    return status;
}

/* ---- buckets ---- */

/* As an int that has the order of the key among those of all keys: vectors compare ints. */
static inline int64_t ordered(uint64_t key)
{
    return (int64_t)(key ^ UINT64_C(1) << 63);
}

/* at[i] = how many of the cuts, from cut[1] on, are not behind key i, by comparing with all; reached[k]: how many keys
 * cut k > 0 is not behind. Returns whether a key is equal to a cut. Loops with one more sum are not vectorised. */
BMF_VECTORISE static bool compare_cuts(const int64_t *cut, int64_t cuts, const int64_t *key, int64_t count, int64_t *at,
                                       int64_t *reached)
{
    int64_t equal = 0;
    for (int64_t i = 0; i < count; i++)
        at[i] = 0;
    for (int64_t k = 1; k < cuts; k++) {
        int64_t all = 0;
        for (int64_t i = 0; i < count; i++) {
            const int64_t one = cut[k] <= key[i];
            at[i] += one;
            all += one;
        }
        reached[k] = all;
    }
    for (int64_t k = 1; k < cuts; k++)
        for (int64_t i = 0; i < count; i++)
            equal += cut[k] == key[i];
    return equal > 0;
}

/* The same by bisection; `cuts` is a power of two. */
BMF_VECTORISE static void bisect_cuts(const int64_t *cut, int64_t cuts, const int64_t *key, int64_t count, int64_t *at)
{
    for (int64_t i = 0; i < count; i++)
        at[i] = 0;
    for (int64_t half = cuts / 2; half > 0; half /= 2)
        for (int64_t i = 0; i < count; i++)
            at[i] += cut[at[i] + half] <= key[i] ? half : 0;
}

/* What is equal to a cut is before or behind it by its number. */
static void settle_equal(const filling *f, const int64_t *key, const uint64_t *record, int64_t first, int64_t count,
                         int64_t *at)
{
    const bmf_crossing *c = f->buckets->crossing;
    for (int64_t i = 0; i < count; i++)
        if (f->cut_key[at[i]] == key[i])
            at[i] = crossing_bucket(c, record[i * c->records->words], first + i);
}

/* The buckets of a few records: at, and how many are in each. */
static void find_block(const filling *f, const uint64_t *record, int64_t first, int64_t count, int64_t *at,
                       int64_t *place)
{
    const int64_t words = f->buckets->crossing->records->words, parts = f->buckets->parts;
    int64_t key[BLOCK], reached[FEW_CUTS] = {count};
    for (int64_t i = 0; i < count; i++)
        key[i] = ordered(record[i * words]);
    if (f->cuts <= FEW_CUTS) {
        if (!compare_cuts(f->cut_key, f->cuts, key, count, at, reached)) {
            for (int64_t b = 0; b < parts; b++)
                place[b] += reached[b] - (b + 1 < parts ? reached[b + 1] : 0);
            return;
        }
    } else
        bisect_cuts(f->cut_key, f->cuts, key, count, at);
    settle_equal(f, key, record, first, count, at);
    for (int64_t i = 0; i < count; i++)
        place[at[i]]++;
}

static int find_buckets(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const filling *f = state;
    const bmf_crossing *c = f->buckets->crossing;
    const int64_t before = bmf_partition_local_begin(c->partition), parts = f->buckets->parts;
    int64_t *place = f->place + index * parts, at[BLOCK];
    (void)worker;
    memset(place, 0, (size_t)parts * sizeof *place);
    for (int64_t begin = piece->begin; begin < piece->end; begin += BLOCK) {
        const int64_t count = piece->end - begin < BLOCK ? piece->end - begin : BLOCK;
        find_block(f, records_at(c->records, piece->part, begin), before + begin, count, at, place);
        for (int64_t i = 0; i < count; i++)
            f->bucket[begin + i] = (uint8_t)at[i];
    }
    return 0;
}

/* Counts become places: stage by stage, in a stage part by part. */
static void place_buckets(filling *f)
{
    bmf_buckets *buckets = f->buckets;
    const int64_t first = buckets->crossing->partition->local_first, parts = buckets->parts;
    int64_t at = 0, segment = 0;
    for (int64_t stage = 0; stage < parts; stage++)
        for (int64_t part = 0, k = 0; part < buckets->local; part++) {
            const int64_t bucket = buckets_of_stage(buckets, first + part, stage);
            buckets->start[segment++] = at;
            for (; k < f->pieces && f->piece[k].part == part; k++) {
                int64_t *place = &f->place[k * parts + bucket];
                const int64_t count = *place;
                *place = at;
                at += count;
            }
        }
    buckets->start[segment] = at;
}

static int distribute(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const filling *f = state;
    const bmf_records *records = f->buckets->crossing->records;
    const uint64_t *from = records_at(records, piece->part, piece->begin);
    const uint8_t *bucket = f->bucket + piece->begin;
    const int64_t count = piece->end - piece->begin, parts = f->buckets->parts;
    int64_t place[BUCKETS_MOST];
    uint64_t *to = records->room[1];
    (void)worker;
    memcpy(place, f->place + index * parts, (size_t)parts * sizeof *place);
    if (records->words == 1)
        for (int64_t i = 0; i < count; i++)
            to[place[bucket[i]]++] = from[i];
    else
        for (int64_t i = 0; i < count; i++)
            memcpy(to + 2 * place[bucket[i]]++, from + 2 * i, 16);
    return 0;
}

/* How many records every part has of every bucket. */
static int gather_counts(const bmf_buckets *buckets)
{
    const bmf_crossing *c = buckets->crossing;
    const int64_t parts = buckets->parts, local = buckets->local, first = c->partition->local_first;
    int64_t *mine = allocate(local * parts * (int64_t)sizeof *mine), *size = allocate(parts * (int64_t)sizeof *size);
    for (int64_t k = 0; k < parts; k++)
        size[k] = parts;
    for (int64_t stage = 0, segment = 0; stage < parts; stage++)
        for (int64_t k = 0; k < local; k++, segment++)
            mine[k * parts + buckets_of_stage(buckets, first + k, stage)] =
                buckets->start[segment + 1] - buckets->start[segment];
    const int status = partition_allgather_sized(c->records->ctx, c->partition, size, mine, buckets->count);
    free(mine);
    free(size);
    return status;
}

static int fill(filling *f)
{
    const bmf_buckets *buckets = f->buckets;
    bmf_records *records = buckets->crossing->records;
    const int64_t bytes = 8 * records->words;
    const bmf_records_kernel finding = {"sort bucket", {.operations = 8, .read = 8, .written = 1}, find_buckets, false};
    const bmf_records_kernel distributing = {
        "sort distribute", {.operations = 2, .read = bytes + 1, .written = bytes}, distribute, false};
    for (f->cuts = 2; f->cuts < buckets->parts;)
        f->cuts *= 2;
    for (int64_t b = 0; b < BUCKETS_MOST; b++)
        f->cut_key[b] = b < buckets->parts ? ordered(buckets->crossing->cut[2 * b]) : INT64_MAX;
    BMF_TRY(records_compute(records, &finding, f->piece, f->pieces, f));
    place_buckets(f);
    return records_compute(records, &distributing, f->piece, f->pieces, f);
}

/* ---- all together ---- */

void buckets_open(bmf_buckets *buckets, bmf_crossing *crossing)
{
    const int64_t parts = crossing->partition->parts, local = crossing->partition->local_parts;
    *buckets = (bmf_buckets){.crossing = crossing,
                             .parts = parts,
                             .local = local,
                             .count = allocate(parts * parts * (int64_t)sizeof *buckets->count),
                             .start = allocate((parts * local + 1) * (int64_t)sizeof *buckets->start)};
}

void buckets_close(bmf_buckets *buckets)
{
    free(buckets->count);
    free(buckets->start);
}

int buckets_fill(bmf_buckets *buckets)
{
    const bmf_records *records = buckets->crossing->records;
    filling f = {.buckets = buckets};
    BMF_TRY(cut_at_samples(&f));
    records_cut(records, &f.piece, &f.pieces);
    bmf_buffer *bucket = working_buffer(records->start[records->segments]);
    f.bucket = bucket->data;
    f.place = allocate(f.pieces * buckets->parts * (int64_t)sizeof *f.place);
    int status = fill(&f);
    if (status == BMF_OK)
        status = gather_counts(buckets);
    buffer_release(bucket);
    free(f.piece);
    free(f.place);
    return status;
}
