/* Merging sorted runs of records.
 *
 * Method: neighbouring runs are merged in pairs until a segment is one. What a pass makes is cut evenly for the
 * workers, and a worker's piece into four stretches; where a stretch begins in both runs is found by bisection. The
 * stretches of a piece are merged in turns, a record each: without branches that depend on keys, and the processor
 * works on one while it waits for the keys of another. As many turns as no stretch can end in go without a test.
 * Cost: log2 of the runs of a segment passes, each of which reads and writes every record once.
 * Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge path - parallel merging made simple", IPDPS
 * workshops 2012. */
#include "skeletons/sort/merge.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

enum { STRETCHES = 4 };

/* Two neighbouring runs, or one that is left over; at: the number of the result's first record. */
typedef struct merge {
    bmf_sorted_run a, b;
    int64_t at;
} merge;

typedef struct merging {
    bmf_records *records;
    merge *merge;
    int64_t merges;
    bmf_piece *piece;
    int64_t *of_piece, pieces;
    uint64_t *to;
} merging;

/* Records of both widths. */
typedef struct record_1 {
    uint64_t key;
} record_1;
typedef struct record_2 {
    uint64_t key, along;
} record_2;

static inline bool before_record_1(record_1 x, record_1 y)
{
    return x.key < y.key;
}

__extension__ typedef unsigned __int128 both_words;

/* No branch. */
static inline bool before_record_2(record_2 x, record_2 y)
{
    return ((both_words)x.key << 64 | x.along) < ((both_words)y.key << 64 | y.along);
}

static inline record_1 choose_record_1(bool second, record_1 x, record_1 y)
{
    return (record_1){second ? y.key : x.key};
}

static inline record_2 choose_record_2(bool second, record_2 x, record_2 y)
{
    return (record_2){second ? y.key : x.key, second ? y.along : x.along};
}

#define MERGING(record)                                                                                                \
    typedef struct stretch_##record {                                                                                  \
        const record *a, *a_end, *b, *b_end;                                                                           \
        record *to;                                                                                                    \
    } stretch_##record;                                                                                                \
    /* How many of the first `merged` records come from a. */                                                          \
    static int64_t taken_##record(const merge *m, int64_t merged)                                                      \
    {                                                                                                                  \
        const record *a = (const record *)m->a.from, *b = (const record *)m->b.from;                                   \
        int64_t low = merged > m->b.count ? merged - m->b.count : 0;                                                   \
        int64_t high = merged < m->a.count ? merged : m->a.count;                                                      \
        while (low < high) {                                                                                           \
            const int64_t middle = low + (high - low) / 2;                                                             \
            if (before_##record(b[merged - middle - 1], a[middle]))                                                    \
                high = middle;                                                                                         \
            else                                                                                                       \
                low = middle + 1;                                                                                      \
        }                                                                                                              \
        return low;                                                                                                    \
    }                                                                                                                  \
    static inline void step_##record(stretch_##record *s)                                                              \
    {                                                                                                                  \
        const record x = *s->a, y = *s->b;                                                                             \
        const bool second = before_##record(y, x);                                                                     \
        *s->to++ = choose_##record(second, x, y);                                                                      \
        s->a += !second;                                                                                               \
        s->b += second;                                                                                                \
    }                                                                                                                  \
    /* Turns after which neither run of the stretch has ended before. */                                               \
    static inline int64_t turns_##record(const stretch_##record *s)                                                    \
    {                                                                                                                  \
        const int64_t a = s->a_end - s->a, b = s->b_end - s->b;                                                        \
        return a < b ? a : b;                                                                                          \
    }                                                                                                                  \
    static void finish_##record(stretch_##record s)                                                                    \
    {                                                                                                                  \
        for (int64_t turns; (turns = turns_##record(&s)) > 0;)                                                         \
            for (int64_t i = 0; i < turns; i++)                                                                        \
                step_##record(&s);                                                                                     \
        memcpy(s.to, s.a, (size_t)(s.a_end - s.a) * sizeof *s.to);                                                     \
        memcpy(s.to + (s.a_end - s.a), s.b, (size_t)(s.b_end - s.b) * sizeof *s.to);                                   \
    }                                                                                                                  \
    static int64_t common_turns_##record(const stretch_##record *s)                                                    \
    {                                                                                                                  \
        int64_t turns = turns_##record(&s[0]);                                                                         \
        for (int k = 1; k < STRETCHES; k++) {                                                                          \
            const int64_t own = turns_##record(&s[k]);                                                                 \
            turns = own < turns ? own : turns;                                                                         \
        }                                                                                                              \
        return turns;                                                                                                  \
    }                                                                                                                  \
    static void take_turns_##record(stretch_##record *s, int64_t turns)                                                \
    {                                                                                                                  \
        stretch_##record s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];                                                   \
        for (int64_t i = 0; i < turns; i++) {                                                                          \
            step_##record(&s0);                                                                                        \
            step_##record(&s1);                                                                                        \
            step_##record(&s2);                                                                                        \
            step_##record(&s3);                                                                                        \
        }                                                                                                              \
        s[0] = s0;                                                                                                     \
        s[1] = s1;                                                                                                     \
        s[2] = s2;                                                                                                     \
        s[3] = s3;                                                                                                     \
    }                                                                                                                  \
    /* Records [begin, end) of the result. */                                                                          \
    static void merge_##record(const merge *m, int64_t begin, int64_t end, record *to)                                 \
    {                                                                                                                  \
        const record *a = (const record *)m->a.from, *b = (const record *)m->b.from;                                   \
        stretch_##record s[STRETCHES];                                                                                 \
        int64_t first = begin, from_a = taken_##record(m, begin);                                                      \
        for (int k = 0; k < STRETCHES; k++) {                                                                          \
            const int64_t last = begin + (end - begin) * (k + 1) / STRETCHES, next = taken_##record(m, last);          \
            s[k] = (stretch_##record){a + from_a, a + next, b + (first - from_a), b + (last - next),                   \
                                      to + (first - begin)};                                                           \
            first = last;                                                                                              \
            from_a = next;                                                                                             \
        }                                                                                                              \
        for (int64_t turns; (turns = common_turns_##record(s)) > 0;)                                                   \
            take_turns_##record(s, turns);                                                                             \
        for (int k = 0; k < STRETCHES; k++)                                                                            \
            finish_##record(s[k]);                                                                                     \
    }
MERGING(record_1)
MERGING(record_2)

static int merge_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const merging *m = state;
    const merge *one = &m->merge[m->of_piece[index]];
    const int64_t begin = piece->begin - one->at, end = piece->end - one->at;
    uint64_t *to = m->to + piece->begin * m->records->words;
    (void)worker;
    if (m->records->words == 1)
        merge_record_1(one, begin, end, (record_1 *)to);
    else
        merge_record_2(one, begin, end, (record_2 *)to);
    return 0;
}

/* Pairs of neighbouring runs of a segment; the runs become what they make. Returns how many. */
static int64_t pair_runs(merging *m, int64_t runs, bmf_sorted_run *run)
{
    int64_t at = 0;
    m->merges = 0;
    for (int64_t i = 0; i < runs; m->merges++) {
        merge *made = &m->merge[m->merges];
        *made = (merge){.a = run[i], .b = {.from = run[i].from}, .at = at};
        i++;
        if (i < runs && run[i].segment == made->a.segment)
            made->b = run[i++];
        const int64_t count = made->a.count + made->b.count;
        run[m->merges] = (bmf_sorted_run){made->a.segment, m->to + at * m->records->words, count};
        at += count;
    }
    return m->merges;
}

static void cut_merges(merging *m)
{
    const bmf_records *records = m->records;
    const int64_t share = records_share(records);
    m->pieces = 0;
    for (int64_t k = 0; k < m->merges; k++) {
        const merge *one = &m->merge[k];
        const int64_t last = one->at + one->a.count + one->b.count;
        for (int64_t begin = one->at, end; begin < last; begin = end) {
            const int64_t worker = begin / share, cut = (worker + 1) * share;
            end = cut < last ? cut : last;
            m->of_piece[m->pieces] = k;
            m->piece[m->pieces++] =
                (bmf_piece){one->a.segment, records->processor[one->a.segment], begin, end, (int)worker};
        }
    }
}

static int64_t most_runs(int64_t runs, const bmf_sorted_run *run)
{
    int64_t most = 0;
    for (int64_t i = 0, next; i < runs; i = next) {
        for (next = i + 1; next < runs && run[next].segment == run[i].segment;)
            next++;
        most = next - i > most ? next - i : most;
    }
    return most;
}

int merge_passes(int64_t runs, const bmf_sorted_run *run)
{
    int passes = 1;
    for (int64_t most = most_runs(runs, run); most > 2; most = (most + 1) / 2)
        passes++;
    return passes;
}

int records_merge(bmf_records *records, int first, int64_t runs, bmf_sorted_run *run)
{
    const int passes = merge_passes(runs, run);
    const int64_t bytes = 8 * records->words, most = runs + work_shares(records->ctx);
    merging m = {.records = records,
                 .merge = allocate(runs * (int64_t)sizeof *m.merge),
                 .piece = allocate(most * (int64_t)sizeof *m.piece),
                 .of_piece = allocate(most * (int64_t)sizeof *m.of_piece)};
    const bmf_records_kernel kernel = {
        "sort merge", {.operations = 3, .read = bytes, .written = bytes}, merge_piece, false};
    int status = BMF_OK;
    for (int pass = 0; pass < passes && status == BMF_OK; pass++) {
        m.to = records->room[(first + pass) % 2];
        runs = pair_runs(&m, runs, run);
        cut_merges(&m);
        status = records_compute(records, &kernel, m.piece, m.pieces, &m);
    }
    memset(records->where, (first + passes - 1) % 2, (size_t)records->segments);
    free(m.merge);
    free(m.piece);
    free(m.of_piece);
    return status;
}
