/* Recognising an index list in arithmetic progression, and who needs whose elements then; see the header.
 *
 * Method: every rank compares its indices, block by block, with the progression that its first two begin, and tells the
 * others whether they agree, and with what. Where a progression passes the end of xs it goes on at the other end, at
 * most once; so the positions whose elements one part of xs holds are at most three intervals, found by division.
 * Cost: one read of the index list at most, a list that is random ends it at its second index; then a few operations
 * for every part and every run. */
#include "skeletons/project/progression.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "bmf/kernel.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

/* ---- arithmetic ---- */

/* value modulo length, 0 .. length - 1. */
static int64_t wrap(int64_t value, int64_t length)
{
    const int64_t rest = value % length;
    return rest < 0 ? rest + length : rest;
}

/* The smallest integer that is not below value / by; by > 0. */
static int64_t divide_up(int64_t value, int64_t by)
{
    return value / by + (value % by > 0);
}

int64_t progression_at(const bmf_progression *progression, int64_t i)
{
    return wrap(progression->first + progression->step * i, progression->length);
}

/* The step from a to b, both in 0 .. length - 1, that goes at most half around. */
static int64_t step_between(int64_t a, int64_t b, int64_t length)
{
    const int64_t step = b - a;
    return 2 * step > length ? step - length : 2 * step <= -length ? step + length : step;
}

/* Around at most once. */
static bool is_short(int64_t step, int64_t count, int64_t length)
{
    return count < 2 || llabs(step) <= length / (count - 1);
}

/* ---- recognising ---- */

typedef struct search {
    const int64_t *index; /* of this rank */
    int64_t begin;        /* the position of the first */
    bmf_progression here; /* that the first two begin; its position 0 is `begin` */
    atomic_bool failed;
} search;

/* index[i] = at + i step. */
BMF_VECTORISE static bool is_run(int64_t count, const int64_t *index, int64_t at, int64_t step)
{
    uint64_t difference = 0;
    for (int64_t i = 0; i < count; i++)
        difference |= (uint64_t)index[i] ^ ((uint64_t)at + (uint64_t)i * (uint64_t)step);
    return difference == 0;
}

/* How many indices from `at` on come before the next end of the list; at most count. */
static int64_t before_end(const bmf_progression *p, int64_t at, int64_t count)
{
    const int64_t steps = p->step > 0 ? (p->length - 1 - at) / p->step : p->step < 0 ? at / -p->step : count;
    return steps < count ? steps + 1 : count;
}

static int check_piece(void *state, int64_t number, const bmf_piece *piece, int worker)
{
    search *s = state;
    (void)number;
    (void)worker;
    for (int64_t i = piece->begin, count; i < piece->end; i += count) {
        if (atomic_load_explicit(&s->failed, memory_order_relaxed))
            return 0;
        const int64_t at = progression_at(&s->here, i - s->begin), rest = piece->end - i;
        count = before_end(&s->here, at, rest < BMF_BLOCK ? rest : BMF_BLOCK);
        if (!is_run(count, s->index + (i - s->begin), at, s->here.step))
            atomic_store_explicit(&s->failed, true, memory_order_relaxed);
    }
    return 0;
}

static int check_all(bmf_context *ctx, const bmf_partition *partition, search *s)
{
    bmf_piece *piece;
    int64_t pieces;
    pieces_create(ctx, partition, BMF_BLOCK, &piece, &pieces);
    const int status = backend_compute(
        ctx,
        &(bmf_work){.kernel = "project recognise", .piece = piece, .pieces = pieces, .run = check_piece, .state = s});
    free(piece);
    return status;
}

/* What a rank tells the others. */
enum { HOLDS, BEGIN, COUNT, FIRST, STEP, WORDS };

/* Whether the first two indices begin a progression, and which: sets what is told of it. */
static bool begins(const bmf_list *indices, int64_t length, search *s, int64_t told[WORDS])
{
    const bmf_column *column = &indices->column;
    const int64_t count = column->count;
    if (count == 0)
        return true;
    const int64_t first = s->index[0], second = column->stride == 0 || count == 1 ? first : s->index[1];
    if (first < 0 || first >= length || second < 0 || second >= length)
        return false;
    s->here = (bmf_progression){first, step_between(first, second, length), count, length};
    told[FIRST] = s->here.first;
    told[STEP] = s->here.step;
    return is_short(s->here.step, bmf_length(indices), length);
}

/* Whether this rank's indices are a progression, and which. All ranks compare, also those that know already that theirs
 * are none: so what is recorded does not depend on how processors are dealt to ranks. */
static int look(const bmf_list *indices, int64_t length, int64_t told[WORDS])
{
    const bmf_column *column = &indices->column;
    search s = {.index = column->data, .begin = bmf_partition_local_begin(indices->partition)};
    told[BEGIN] = s.begin;
    told[COUNT] = column->count;
    told[HOLDS] = begins(indices, length, &s, told);
    if (column->stride == 0)
        return BMF_OK;
    atomic_init(&s.failed, !told[HOLDS]);
    const int status = check_all(indices->context, indices->partition, &s);
    told[HOLDS] = !atomic_load(&s.failed);
    return status;
}

/* The step of the whole list: that of a rank with two indices, or between the only indices of two ranks. */
static int64_t common_step(const bmf_context *ctx, int64_t (*told)[WORDS], int64_t length)
{
    int before = -1;
    for (int r = 0; r < ctx->ranks; r++) {
        if (told[r][COUNT] > 1)
            return told[r][STEP];
        if (told[r][COUNT] > 0 && before >= 0)
            return step_between(told[before][FIRST], told[r][FIRST], length);
        if (told[r][COUNT] > 0)
            before = r;
    }
    return 0;
}

/* Whether the ranks' progressions are one. */
static bool combine(const bmf_context *ctx, int64_t (*told)[WORDS], bmf_progression *found)
{
    bool known = false;
    for (int r = 0; r < ctx->ranks; r++)
        if (!told[r][HOLDS])
            return false;
    found->step = common_step(ctx, told, found->length);
    if (!is_short(found->step, found->count, found->length))
        return false;
    for (int r = 0; r < ctx->ranks; r++) {
        if (told[r][COUNT] == 0)
            continue;
        if (!known)
            found->first = wrap(told[r][FIRST] - found->step * told[r][BEGIN], found->length);
        known = true;
        if (progression_at(found, told[r][BEGIN]) != told[r][FIRST] ||
            (told[r][COUNT] > 1 && told[r][STEP] != found->step))
            return false;
    }
    return known;
}

int progression_recognise(const bmf_list *xs, const bmf_list *indices, bmf_progression *found, bool *is)
{
    bmf_context *ctx = xs->context;
    int64_t mine[WORDS] = {0};
    *found = (bmf_progression){.count = bmf_length(indices), .length = bmf_length(xs)};
    *is = false;
    if (found->count == 0 || found->length == 0)
        return BMF_OK;
    BMF_TRY(failure_defer(ctx, look(indices, found->length, mine))); /* the allgather settles */
    int64_t(*told)[WORDS] = allocate(ctx->ranks * (int64_t)sizeof *told);
    const int status = ctx->backend->allgather(ctx, mine, WORDS, NULL, told[0]);
    if (status == BMF_OK)
        *is = combine(ctx, told, found);
    free(told);
    return status;
}

/* ---- runs ---- */

typedef struct run_search {
    const bmf_progression *progression;
    const bmf_partition *from, *to;
    bmf_progression_runs *runs;
} run_search;

static void add_run(const run_search *s, int64_t from, int64_t to, int64_t begin, int64_t end)
{
    *ARRAY_APPEND(s->runs->run, s->runs->count, s->runs->capacity) = (bmf_progression_run){from, to, begin, end};
}

/* The positions [*begin, *end) with low <= first + step i < high. */
static void positions_between(const bmf_progression *p, int64_t low, int64_t high, int64_t *begin, int64_t *end)
{
    if (p->step > 0) {
        *begin = divide_up(low - p->first, p->step);
        *end = divide_up(high - p->first, p->step);
    } else if (p->step < 0) {
        *begin = divide_up(p->first - high + 1, -p->step);
        *end = divide_up(p->first - low + 1, -p->step);
    } else {
        *begin = 0;
        *end = low <= p->first && p->first < high ? p->count : 0;
    }
    *begin = *begin > 0 ? *begin : 0;
    *end = *end < p->count ? *end : p->count;
}

/* What a part of xs here gives: in three rounds of the list, of which a progression meets two. */
static void add_given(const run_search *s, int64_t part)
{
    const int64_t *start = s->from->start, from = bmf_partition_processor(s->from, part);
    for (int64_t around = -s->progression->length; around <= s->progression->length; around += s->progression->length) {
        int64_t begin, end;
        positions_between(s->progression, start[part] + around, start[part + 1] + around, &begin, &end);
        while (begin < end) {
            const int64_t other = bmf_partition_part_of(s->to, begin), stop = s->to->start[other + 1];
            add_run(s, from, bmf_partition_processor(s->to, other), begin, end < stop ? end : stop);
            begin = stop;
        }
    }
}

/* What a part of the index list here gets from other ranks. */
static void add_taken(const bmf_context *ctx, const run_search *s, int64_t part)
{
    const int64_t stop = s->to->start[part + 1], to = bmf_partition_processor(s->to, part);
    const bmf_progression *p = s->progression;
    for (int64_t begin = s->to->start[part], end; begin < stop; begin = end) {
        const int64_t at = progression_at(p, begin), other = bmf_partition_part_of(s->from, at);
        const int64_t around = p->first + p->step * begin - at, from = bmf_partition_processor(s->from, other);
        int64_t first;
        positions_between(p, s->from->start[other] + around, s->from->start[other + 1] + around, &first, &end);
        end = end < stop ? end : stop;
        if (!is_local(ctx, from))
            add_run(s, from, to, begin, end);
    }
}

static int by_ends(const void *a, const void *b)
{
    const bmf_progression_run *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void progression_runs(const bmf_context *ctx, const bmf_progression *progression, const bmf_partition *from,
                      const bmf_partition *to, bmf_progression_runs *runs)
{
    const run_search s = {progression, from, to, runs};
    *runs = (bmf_progression_runs){0};
    for (int64_t k = from->local_first; k < from->local_first + from->local_parts; k++)
        add_given(&s, k);
    for (int64_t k = to->local_first; k < to->local_first + to->local_parts; k++)
        add_taken(ctx, &s, k);
    if (runs->count > 1)
        qsort(runs->run, (size_t)runs->count, sizeof *runs->run, by_ends);
}
