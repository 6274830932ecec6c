/* Time-lines of channels; method, cost and source in the header. */
#include "predict/network/timeline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"

enum { FIRST_ROOM = 4, BLOCK = 32 };
static const double rounding = 1e-13; /* relative: by as much a gap may seem too short for what fits exactly */

/* ---- blocks ---- */

static void make_room_in(bmf_busy_block *block)
{
    if (block->count < block->capacity)
        return;
    const int32_t wanted = block->capacity > 0 ? 2 * block->capacity : FIRST_ROOM;
    block->busy =
        reallocate(block->busy, block->capacity * (int64_t)sizeof *block->busy, wanted * (int64_t)sizeof *block->busy);
    block->capacity = wanted;
}

/* Behind the last: there is room in front again when half of the blocks have passed. */
static void make_room_for_block(bmf_timeline *line)
{
    const size_t size = (size_t)line->count * sizeof *line->block;
    if (line->first > line->capacity / 2) {
        memmove(line->block, line->block + line->first, size);
    } else {
        const int32_t wanted = line->capacity > 0 ? 2 * line->capacity : 1;
        bmf_busy_block *block = allocate(wanted * (int64_t)sizeof *block);
        if (line->count > 0)
            memcpy(block, line->block + line->first, size);
        free(line->block);
        line->block = block;
        line->capacity = wanted;
    }
    line->first = 0;
}

/* An empty one at place k of the line's blocks. */
static bmf_busy_block *add_block(bmf_timeline *line, int32_t k)
{
    if (line->first + line->count == line->capacity)
        make_room_for_block(line);
    bmf_busy_block *here = line->block + line->first + k;
    memmove(here + 1, here, (size_t)(line->count++ - k) * sizeof *here);
    *here = (bmf_busy_block){0};
    return here;
}

static void remove_block(bmf_timeline *line, int32_t k)
{
    bmf_busy_block *here = line->block + line->first + k;
    free(here->busy);
    memmove(here, here + 1, (size_t)(--line->count - k) * sizeof *here);
}

/* Blocks that have passed are dropped from the front, but for the last one, which is emptied. */
static void drop_passed(bmf_timeline *line, double present)
{
    while (line->count > 1 && line->block[line->first].end <= present) {
        free(line->block[line->first].busy);
        line->first++;
        line->count--;
    }
    bmf_busy_block *block = &line->block[line->first];
    if (block->end <= present) {
        block->count = 0;
        block->end = -INFINITY;
        block->widest = INFINITY;
    }
}

static void find_widest(bmf_busy_block *block, double end_before)
{
    block->widest = block->busy[0].begin - end_before;
    for (int32_t k = 1; k < block->count; k++)
        block->widest = fmax(block->widest, block->busy[k].begin - block->busy[k - 1].end);
}

static double end_before(const bmf_timeline *line, int32_t b)
{
    return b > 0 ? line->block[line->first + b - 1].end : -INFINITY;
}

/* Makes a full block two. */
static void split(bmf_timeline *line, int32_t b)
{
    bmf_busy_block *behind = add_block(line, b + 1), *block = behind - 1;
    behind->busy = allocate(BLOCK * (int64_t)sizeof *behind->busy);
    behind->capacity = BLOCK;
    behind->count = block->count / 2;
    block->count -= behind->count;
    memcpy(behind->busy, block->busy + block->count, (size_t)behind->count * sizeof *behind->busy);
    behind->end = block->end;
    block->end = block->busy[block->count - 1].end;
    find_widest(block, end_before(line, b));
    find_widest(behind, block->end);
}

/* ---- looking ---- */

/* The first that ends behind `time`, or count: of blocks, and of intervals. */
static int32_t first_block_behind(const bmf_busy_block *block, int32_t count, double time)
{
    return (int32_t)SEARCH_FIRST(k, 0, count, block[k].end > time);
}

static int32_t first_behind(const bmf_busy *busy, int32_t count, double time)
{
    return (int32_t)SEARCH_FIRST(k, 0, count, busy[k].end > time);
}

/* The interval before which `seconds` fit, from *begin on, starting with interval k of block *b; behind the last one if
 * they fit nowhere else. */
static int32_t find_gap(const bmf_timeline *line, int32_t *b, int32_t k, double *begin, double seconds)
{
    for (; *b < line->count; (*b)++, k = 0) {
        const bmf_busy_block *block = &line->block[line->first + *b];
        if (k == 0 && block->widest < seconds - rounding * block->end) {
            *begin = block->end;
            continue;
        }
        for (; k < block->count; k++) {
            if (*begin + seconds <= block->busy[k].begin * (1.0 + rounding))
                return k;
            *begin = block->busy[k].end;
        }
    }
    (*b)--;
    return line->block[line->first + *b].count;
}

/* ---- marking ---- */

/* A new interval before the k-th of block b, touching none. */
static void insert(bmf_timeline *line, int32_t b, int32_t k, bmf_busy added)
{
    bmf_busy_block *block = &line->block[line->first + b];
    if (block->count == BLOCK) {
        split(line, b);
        block = &line->block[line->first + b];
        if (k > block->count) {
            k -= block->count;
            b++;
            block++;
        }
    }
    make_room_in(block);
    const double before = k > 0 ? block->busy[k - 1].end : end_before(line, b), gap = added.begin - before;
    const bool filled = k < block->count && block->busy[k].begin - before >= block->widest;
    memmove(block->busy + k + 1, block->busy + k, (size_t)(block->count++ - k) * sizeof *block->busy);
    block->busy[k] = added;
    if (k == block->count - 1) {
        block->end = added.end;
        block->widest = fmax(block->widest, gap);
    } else if (filled) {
        find_widest(block, end_before(line, b));
    }
}

/* Takes away the k-th interval of block b. */
static void take_away(bmf_timeline *line, int32_t b, int32_t k)
{
    bmf_busy_block *block = &line->block[line->first + b];
    if (--block->count == 0) {
        remove_block(line, b);
        return;
    }
    memmove(block->busy + k, block->busy + k + 1, (size_t)(block->count - k) * sizeof *block->busy);
    block->end = block->busy[block->count - 1].end;
}

/* Puts an interval before the k-th of block b, and makes one of those that touch. What `widest` says stays true when
 * gaps get narrower. */
static void mark(bmf_timeline *line, int32_t b, int32_t k, bmf_busy added)
{
    bmf_busy_block *block = &line->block[line->first + b];
    bmf_busy_block *holder = k > 0 ? block : block - 1; /* of the interval before */
    bmf_busy *before = k > 0 ? &block->busy[k - 1] : b > 0 ? &holder->busy[holder->count - 1] : NULL;
    const bool touches_before = before && before->end >= added.begin;
    const bool touches_behind = k < block->count && block->busy[k].begin <= added.end;
    if (!touches_before && touches_behind) {
        block->busy[k].begin = added.begin;
    } else if (touches_before) {
        before->end = touches_behind ? block->busy[k].end : added.end;
        holder->end = holder->busy[holder->count - 1].end;
        if (touches_behind)
            take_away(line, b, k);
    } else {
        insert(line, b, k, added);
    }
}

double timeline_take(bmf_timeline *line, double present, double from, double seconds)
{
    if (line->count == 0)
        add_block(line, 0)->end = -INFINITY;
    drop_passed(line, present);
    int32_t b = line->count - 1, k = line->block[line->first + b].count;
    double begin = from;
    if (line->block[line->first + b].end > from) {
        b = first_block_behind(line->block + line->first, line->count, from);
        k = first_behind(line->block[line->first + b].busy, line->block[line->first + b].count, from);
        k = find_gap(line, &b, k, &begin, seconds);
    }
    if (seconds > 0.0)
        mark(line, b, k, (bmf_busy){begin, begin + seconds});
    return begin;
}

void timeline_clear(bmf_timeline *line)
{
    for (int32_t b = 0; b < line->count; b++)
        free(line->block[line->first + b].busy);
    line->first = line->count = 0;
}

void timeline_free(bmf_timeline *line)
{
    timeline_clear(line);
    free(line->block);
    *line = (bmf_timeline){0};
}
