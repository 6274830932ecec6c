/* Sorting records in the memory of a rank.
 *
 * Method: large segments by radix, from the lowest byte to the highest; bytes in which all keys of a segment are equal
 * are left out. For every byte, pieces count how often each value occurs, and then move their records to where those
 * counts say: line by line, past the caches if the segment is larger than they are. Small ones by merging, a worker a
 * segment.
 * Cost: for each byte that varies a record is read twice and written once; small segments: log2 n comparisons a record.
 * Source: D. E. Knuth, The Art of Computer Programming 3, 5.2.5; lines: N. Satish et al., "Fast sort on CPUs and GPUs",
 * SIGMOD 2010. */
#include "skeletons/sort/radix.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/copy_nontemporal.h"
#include "runtime/base/memory.h"
#include "runtime/context/sizes.h"

enum {
    SMALL = 1024,   /* records of a segment that is merged */
    RUN = 8,        /* records that are put in order by insertion before */
    DIGIT_BITS = 8, /* of a pass */
    DIGITS = 64 / DIGIT_BITS,
    BINS = 1 << DIGIT_BITS,
    LINE = 8 /* words of a line of memory */
};

typedef struct sorting {
    bmf_records *records;
    bmf_piece *piece; /* of the large segments */
    int64_t pieces;
    uint64_t
        *varying; /* by piece: bits in which keys of its segment differ; after all pieces have looked, the segment's */
    int64_t *place;    /* by piece and bin: counts, then local numbers of the first record */
    bmf_piece *moving; /* the pieces of a pass, and their numbers among all */
    int64_t *number, movings;
    int digit;
    uint64_t *line; /* by worker and bin */
} sorting;

static int64_t length_of(const bmf_records *records, int64_t segment)
{
    return records->start[segment + 1] - records->start[segment];
}

static bool is_large(const bmf_records *records, int64_t segment)
{
    return length_of(records, segment) > SMALL;
}

/* ---- small segments ---- */

/* Records of both widths. */
typedef struct record_1 {
    uint64_t key;
} record_1;
typedef struct record_2 {
    uint64_t key, along;
} record_2;

#define MERGING(record)                                                                                                \
    static void insert_##record(record *x, int64_t count)                                                              \
    {                                                                                                                  \
        for (int64_t i = 1; i < count; i++) {                                                                          \
            const record moved = x[i];                                                                                 \
            int64_t k = i;                                                                                             \
            for (; k > 0 && x[k - 1].key > moved.key; k--)                                                             \
                x[k] = x[k - 1];                                                                                       \
            x[k] = moved;                                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static void merge_##record(const record *x, int64_t middle, int64_t count, record *to)                             \
    {                                                                                                                  \
        int64_t i = 0, k = middle;                                                                                     \
        for (int64_t n = 0; n < count; n++) {                                                                          \
            const bool second = i == middle || (k < count && x[k].key < x[i].key);                                     \
            to[n] = second ? x[k] : x[i];                                                                              \
            k += second;                                                                                               \
            i += !second;                                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    /* Returns which of the two rooms has the result. */                                                               \
    static int sort_small_##record(record *x, record *other, int64_t count)                                            \
    {                                                                                                                  \
        record *room[2] = {x, other};                                                                                  \
        int now = 0;                                                                                                   \
        for (int64_t i = 0; i < count; i += RUN)                                                                       \
            insert_##record(x + i, count - i < RUN ? count - i : RUN);                                                 \
        for (int64_t width = RUN; width < count; width *= 2, now = !now)                                               \
            for (int64_t i = 0; i < count; i += 2 * width) {                                                           \
                const int64_t all = count - i < 2 * width ? count - i : 2 * width;                                     \
                merge_##record(room[now] + i, all < width ? all : width, all, room[!now] + i);                         \
            }                                                                                                          \
        return now;                                                                                                    \
    }
MERGING(record_1)
MERGING(record_2)

int records_merge_sort(uint64_t *x, uint64_t *other, int64_t count)
{
    return sort_small_record_2((record_2 *)x, (record_2 *)other, count);
}

static int sort_small(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const sorting *s = state;
    bmf_records *records = s->records;
    uint8_t *where = &records->where[piece->part];
    uint64_t *from = records_at(records, piece->part, piece->begin);
    uint64_t *other = records->room[!*where] + (from - records->room[*where]);
    const int64_t count = piece->end - piece->begin;
    (void)index, (void)worker;
    const int moved = records->words == 1 ? sort_small_record_1((record_1 *)from, (record_1 *)other, count)
                                          : sort_small_record_2((record_2 *)from, (record_2 *)other, count);
    *where ^= (uint8_t)moved;
    return 0;
}

static int sort_small_segments(sorting *s)
{
    bmf_records *records = s->records;
    const bmf_records_kernel kernel = {
        "sort small", {.operations = 20, .read = 8 * records->words, .written = 8 * records->words}, sort_small, false};
    bmf_piece *piece = allocate(records->segments * (int64_t)sizeof *piece);
    const int64_t share = records_share(records);
    int64_t pieces = 0;
    for (int64_t k = 0; k < records->segments; k++)
        if (!is_large(records, k))
            piece[pieces++] = (bmf_piece){.part = k,
                                          .processor = records->processor[k],
                                          .begin = records->start[k],
                                          .end = records->start[k + 1],
                                          .worker = (int)(records->start[k] / share)};
    const int status = records_compute(records, &kernel, piece, pieces, s);
    free(piece);
    return status;
}

/* ---- large segments ---- */

static int look(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const sorting *s = state;
    const bmf_records *records = s->records;
    const uint64_t *key = records_at(records, piece->part, piece->begin);
    const uint64_t first = *records_at(records, piece->part, records->start[piece->part]);
    const int64_t count = piece->end - piece->begin;
    uint64_t varying = 0;
    (void)worker;
    if (records->words == 1)
        for (int64_t i = 0; i < count; i++)
            varying |= key[i] ^ first;
    else
        for (int64_t i = 0; i < count; i++)
            varying |= key[2 * i] ^ first;
    s->varying[index] = varying;
    return 0;
}

/* What varies in a piece becomes what varies in its segment. */
static void join_varying(sorting *s)
{
    for (int64_t k = 0, next; k < s->pieces; k = next) {
        uint64_t all = 0;
        for (next = k; next < s->pieces && s->piece[next].part == s->piece[k].part; next++)
            all |= s->varying[next];
        for (int64_t i = k; i < next; i++)
            s->varying[i] = all;
    }
}

static inline int64_t bin_of(const sorting *s, uint64_t key)
{
    return (int64_t)(key >> (s->digit * DIGIT_BITS) & (BINS - 1));
}

static int count_bins(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const sorting *s = state;
    const int words = s->records->words;
    const uint64_t *key = records_at(s->records, piece->part, piece->begin);
    int64_t *place = s->place + s->number[index] * BINS, other[BINS] = {0};
    const int64_t count = piece->end - piece->begin, even = count / 2 * 2;
    (void)worker;
    memset(place, 0, BINS * sizeof *place);
    for (int64_t i = 0; i < even; i += 2) { /* two tables: equal keys do not wait for each other */
        place[bin_of(s, key[i * words])]++;
        other[bin_of(s, key[(i + 1) * words])]++;
    }
    if (even < count)
        place[bin_of(s, key[even * words])]++;
    for (int b = 0; b < BINS; b++)
        place[b] += other[b];
    return 0;
}

/* Counts become places: by segment, bin by bin, in a bin piece by piece. */
static void place_bins(sorting *s)
{
    for (int64_t k = 0, next; k < s->movings; k = next) {
        int64_t at = s->records->start[s->moving[k].part];
        for (next = k; next < s->movings && s->moving[next].part == s->moving[k].part;)
            next++;
        for (int b = 0; b < BINS; b++)
            for (int64_t i = k; i < next; i++) {
                int64_t *place = &s->place[s->number[i] * BINS + b];
                const int64_t count = *place;
                *place = at;
                at += count;
            }
    }
}

/* Puts a record into the line it will be written with; a line that is full is written. */
#define MOVING(record, per_line)                                                                                       \
    static void move_##record(const sorting *s, const record *from, int64_t count, const int64_t *first, record *to,   \
                              record *line, bool streaming)                                                            \
    {                                                                                                                  \
        int64_t place[BINS];                                                                                           \
        memcpy(place, first, sizeof place);                                                                            \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const int64_t b = bin_of(s, from[i].key), at = place[b]++;                                                 \
            line[b * (per_line) + at % (per_line)] = from[i];                                                          \
            if ((at + 1) % (per_line) != 0)                                                                            \
                continue;                                                                                              \
            const int64_t begin = at + 1 - (per_line);                                                                 \
            if (begin < first[b])                                                                                      \
                memcpy(to + first[b], line + b * (per_line) + first[b] % (per_line),                                   \
                       (size_t)(at + 1 - first[b]) * sizeof *to);                                                      \
            else if (streaming)                                                                                        \
                copy_nontemporal(to + begin, line + b * (per_line), LINE * 8);                                         \
            else                                                                                                       \
                memcpy(to + begin, line + b * (per_line), LINE * 8);                                                   \
        }                                                                                                              \
        for (int64_t b = 0; b < BINS; b++) {                                                                           \
            const int64_t whole = place[b] - place[b] % (per_line), begin = whole > first[b] ? whole : first[b];       \
            if (begin < place[b])                                                                                      \
                memcpy(to + begin, line + b * (per_line) + begin % (per_line),                                         \
                       (size_t)(place[b] - begin) * sizeof *to);                                                       \
        }                                                                                                              \
    }
MOVING(record_1, LINE)
MOVING(record_2, LINE / 2)

static int move_bins(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const sorting *s = state;
    const bmf_records *records = s->records;
    const int where = records->where[piece->part];
    const uint64_t *from = records_at(records, piece->part, piece->begin);
    const int64_t *first = s->place + s->number[index] * BINS, count = piece->end - piece->begin;
    const int64_t length = records->start[piece->part + 1] - records->start[piece->part];
    uint64_t *line = s->line + (int64_t)worker * BINS * LINE, *to = records->room[!where];
    const bool streaming = length * records->words * 8 > BMF_STREAMED_BYTES;
    if (records->words == 1)
        move_record_1(s, (const record_1 *)from, count, first, (record_1 *)to, (record_1 *)line, streaming);
    else
        move_record_2(s, (const record_2 *)from, count, first, (record_2 *)to, (record_2 *)line, streaming);
    return 0;
}

/* The pieces whose keys vary in the digit. */
static void choose_pieces(sorting *s)
{
    s->movings = 0;
    for (int64_t k = 0; k < s->pieces; k++)
        if ((s->varying[k] >> (s->digit * DIGIT_BITS) & (BINS - 1)) != 0) {
            s->number[s->movings] = k;
            s->moving[s->movings++] = s->piece[k];
        }
}

static int sort_digit(sorting *s)
{
    bmf_records *records = s->records;
    const int64_t bytes = 8 * records->words;
    const bmf_records_kernel counting = {"sort count", {.operations = 2, .read = bytes}, count_bins, false};
    const bmf_records_kernel moving = {
        "sort move", {.operations = 3, .read = bytes, .written = bytes}, move_bins, false};
    choose_pieces(s);
    BMF_TRY(records_compute(records, &counting, s->moving, s->movings, s));
    place_bins(s);
    BMF_TRY(records_compute(records, &moving, s->moving, s->movings, s));
    for (int64_t k = 0; k < s->movings; k++)
        if (k == 0 || s->moving[k].part != s->moving[k - 1].part)
            records->where[s->moving[k].part] ^= 1;
    return BMF_OK;
}

static int sort_large_segments(sorting *s)
{
    const bmf_records_kernel looking = {"sort look", {.operations = 2, .read = 8 * s->records->words}, look, false};
    BMF_TRY(records_compute(s->records, &looking, s->piece, s->pieces, s));
    join_varying(s);
    for (s->digit = 0; s->digit < DIGITS; s->digit++)
        BMF_TRY(sort_digit(s));
    return BMF_OK;
}

static void cut_large_segments(sorting *s)
{
    int64_t all;
    records_cut(s->records, &s->piece, &all);
    for (int64_t k = 0; k < all; k++)
        if (is_large(s->records, s->piece[k].part))
            s->piece[s->pieces++] = s->piece[k];
}

static bool becomes_other(bmf_context *ctx, int64_t length)
{
    const bmf_size_range grown = size_grown(ctx, length);
    return (grown.low > SMALL) != (length > SMALL) || (grown.high > SMALL) != (length > SMALL);
}

/* What is done is to be the same for the larger argument that a prediction is for. */
static int refuse_other_radix(const bmf_records *records)
{
    int64_t least = records->segments > 0 ? INT64_MAX : 0, most = 0;
    if (!records->ctx->sizes)
        return BMF_OK;
    for (int64_t k = 0; k < records->segments; k++) {
        const int64_t length = length_of(records, k);
        least = length < least ? length : least;
        most = length > most ? length : most;
    }
    const bool least_other = becomes_other(records->ctx, least), most_other = becomes_other(records->ctx, most);
    if (!least_other && !most_other)
        return BMF_OK;
    return sizes_refuse(records->ctx, "sort", "lists of more than 1024 elements are sorted by their digits");
}

int records_sort(bmf_records *records)
{
    BMF_TRY(refuse_other_radix(records));
    sorting s = {.records = records};
    cut_large_segments(&s);
    bmf_buffer *places = working_buffer(s.pieces * BINS * (int64_t)sizeof *s.place);
    bmf_buffer *lines = working_buffer(records->ctx->threads * (int64_t)(BINS * LINE * sizeof *s.line));
    s.place = places->data;
    s.line = lines->data;
    s.varying = allocate(s.pieces * (int64_t)sizeof *s.varying);
    s.moving = allocate(s.pieces * (int64_t)sizeof *s.moving);
    s.number = allocate(s.pieces * (int64_t)sizeof *s.number);
    int status = sort_small_segments(&s);
    if (status == BMF_OK)
        status = sort_large_segments(&s);
    buffer_release(places);
    buffer_release(lines);
    free(s.varying);
    free(s.moving);
    free(s.number);
    free(s.piece);
    return status;
}
