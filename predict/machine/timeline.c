/* Time-lines of channels; see the header. */
#include "predict/machine/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/allocate.h"

enum { FIRST_ROOM = 8 };
static const double rounding = 1e-13; /* relative: by as much a gap may seem too short for what fits exactly */

/* Room for one more behind the last. */
static void make_room(bmf_timeline *line)
{
    if (line->first + line->count < line->capacity)
        return;
    if (line->first > line->capacity / 2) {
        memmove(line->busy, line->busy + line->first, (size_t)line->count * sizeof *line->busy);
    } else {
        int32_t wanted = line->capacity > 0 ? 2 * line->capacity : FIRST_ROOM;
        bmf_busy *busy = bmf_allocate(wanted * (int64_t)sizeof *busy);
        if (line->count > 0)
            memcpy(busy, line->busy + line->first, (size_t)line->count * sizeof *busy);
        free(line->busy);
        line->busy = busy;
        line->capacity = wanted;
    }
    line->first = 0;
}

/* The first interval that ends behind `time`, or count. */
static int32_t first_behind(const bmf_busy *busy, int32_t count, double time)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (busy[middle].end > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Puts an interval before the k-th one, and makes one of those that touch. */
static void insert(bmf_timeline *line, int32_t k, bmf_busy added)
{
    bmf_busy *busy = line->busy + line->first;
    const int touches_before = k > 0 && busy[k - 1].end >= added.begin;
    const int touches_behind = k < line->count && busy[k].begin <= added.end;
    if (touches_before && touches_behind) {
        busy[k - 1].end = busy[k].end;
        memmove(busy + k, busy + k + 1, (size_t)(line->count - k - 1) * sizeof *busy);
        line->count--;
    } else if (touches_before) {
        busy[k - 1].end = added.end;
    } else if (touches_behind) {
        busy[k].begin = added.begin;
    } else {
        make_room(line);
        busy = line->busy + line->first;
        memmove(busy + k + 1, busy + k, (size_t)(line->count - k) * sizeof *busy);
        busy[k] = added;
        line->count++;
    }
}

double bmf_timeline_take(bmf_timeline *line, double present, double from, double seconds)
{
    while (line->count > 0 && line->busy[line->first].end <= present) {
        line->first++;
        line->count--;
    }
    const bmf_busy *busy = line->busy + line->first;
    int32_t k = line->count;
    if (k > 0 && busy[k - 1].end > from)
        k = first_behind(busy, line->count, from);
    double begin = from, end = from + seconds;
    for (; k < line->count && end > busy[k].begin * (1.0 + rounding); k++) {
        begin = busy[k].end;
        end = begin + seconds;
    }
    if (seconds > 0.0)
        insert(line, k, (bmf_busy){begin, end});
    return begin;
}

void bmf_timeline_clear(bmf_timeline *line)
{
    line->first = line->count = 0;
}

void bmf_timeline_free(bmf_timeline *line)
{
    free(line->busy);
    *line = (bmf_timeline){0};
}
