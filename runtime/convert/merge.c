/* The marks of all lanes in time order.
 *
 * Method: every lane's marks stand in order. What the lanes have in one slice of time after the other is gathered and
 * sorted by radix, which leaves marks of one time in the order of views and lanes. Slices are made longer or shorter so
 * that they stay in the cache. Cost: linear in the marks, and a look at every lane per slice, which has two marks for
 * each.
 */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/memory.h"
#include "runtime/base/progress.h"
#include "runtime/convert/view.h"

enum { MARKS = 8192, DIGIT = 11, DIGITS = 1 << DIGIT, AHEAD = 8 }; /* DIGIT: bits */

struct bmf_merge {
    bmf_view *view;
    bmf_buffer *memory;
    bmf_mark *mark;           /* lane after lane, of all views */
    int64_t lanes;            /* of all views */
    int64_t *start;           /* lanes + 1: where the marks of a lane begin */
    int64_t *next, *time;     /* by lane: its next mark and the time of it, or INT64_MAX */
    bmf_mark *slice, *spare;  /* `capacity` each */
    int64_t capacity, wanted; /* wanted: marks of a slice, about */
    int64_t marks, latest;    /* of the slice: how many, and the latest time */
    bool ordered;             /* they stand in order */
};

void merge_free(bmf_merge *m)
{
    if (!m)
        return;
    buffer_release(m->memory);
    free(m->start);
    free(m->next);
    free(m->time);
    free(m->slice);
    free(m->spare);
    free(m);
}

static void fill_merge(bmf_merge *m, int views, bool flat)
{
    int64_t marks = 0;
    for (int v = 0; v < views; v++) {
        marks += 2 * m->view[v].run->events;
        m->lanes += m->view[v].run->lanes;
    }
    m->wanted = MARKS > 2 * m->lanes ? MARKS : 2 * m->lanes;
    int64_t lane_bytes = (m->lanes + 1) * (int64_t)sizeof(int64_t);
    m->start = allocate(lane_bytes);
    m->next = allocate(lane_bytes);
    m->time = allocate(lane_bytes);
    m->memory = working_buffer(marks * (int64_t)sizeof(bmf_mark));
    m->mark = m->memory->data;
    int64_t at = 0, lane = 0;
    for (int v = 0; v < views; v++) {
        bmf_view *view = &m->view[v];
        (flat ? view_flat_marks : view_marks)(view, v, m->mark + at);
        for (int32_t k = 0; k < view->run->lanes; k++)
            m->start[lane++] = at + 2 * view->lane_start[k];
        at += 2 * view->run->events;
    }
    m->start[lane] = at;
}

bmf_merge *merge_create(bmf_view view[2], int views, bool flat)
{
    bmf_merge *m = allocate_clear(1, (int64_t)sizeof *m);
    m->view = view;
    fill_merge(m, views, flat);
    return m;
}

static void go_to(bmf_merge *m, int64_t lane, int64_t next)
{
    m->next[lane] = next;
    m->time[lane] = next < m->start[lane + 1] ? m->mark[next].time : INT64_MAX;
}

static int64_t earliest(const bmf_merge *m)
{
    int64_t time = INT64_MAX;
    for (int64_t lane = 0; lane < m->lanes; lane++)
        time = m->time[lane] < time ? m->time[lane] : time;
    return time;
}

static void grow(bmf_merge *m)
{
    int64_t capacity = m->capacity ? 2 * m->capacity : 3 * m->wanted, size = (int64_t)sizeof *m->slice;
    m->slice = reallocate(m->slice, m->capacity * size, capacity * size);
    free(m->spare);
    m->spare = allocate(capacity * size);
    m->capacity = capacity;
}

/* Fills the slice with what stands before `limit`, lane after lane. */
static void gather(bmf_merge *m, int64_t limit)
{
    m->marks = m->latest = 0;
    m->ordered = true;
    for (int64_t lane = 0; lane < m->lanes; lane++) {
        if (m->time[lane] >= limit)
            continue;
        m->ordered = m->ordered && m->time[lane] >= m->latest;
        int64_t at = m->next[lane], end = m->start[lane + 1];
        for (; at < end && m->mark[at].time < limit; at++) {
            if (m->marks == m->capacity)
                grow(m);
            m->slice[m->marks++] = m->mark[at];
        }
        m->latest = m->mark[at - 1].time > m->latest ? m->mark[at - 1].time : m->latest;
        go_to(m, lane, at);
    }
}

/* Sorts the slice, whose earliest time is `first`, by the digits of the times from the lowest on. */
static void sort_slice(bmf_merge *m, int64_t first)
{
    for (int shift = 0; shift < 64 && (m->latest - first) >> shift > 0; shift += DIGIT) {
        int64_t place[DIGITS] = {0}, before = 0;
        for (int64_t k = 0; k < m->marks; k++)
            place[(m->slice[k].time - first) >> shift & (DIGITS - 1)]++;
        for (int64_t digit = 0; digit < DIGITS; digit++) {
            int64_t count = place[digit];
            place[digit] = before;
            before += count;
        }
        for (int64_t k = 0; k < m->marks; k++)
            m->spare[place[(m->slice[k].time - first) >> shift & (DIGITS - 1)]++] = m->slice[k];
        bmf_mark *swap = m->slice;
        m->slice = m->spare;
        m->spare = swap;
    }
}

/* The other end of a message is far from everything that was looked at before, and may lie across two lines of the
 * cache. (In a function of its own this would be optimised away: gcc 12 drops calls that only fetch.) */
static void put_slice(const bmf_merge *m, bool ends, bmf_put_mark *put, void *writer)
{
    for (int64_t k = 0; k < m->marks; k++) {
        const bmf_mark *mark = &m->slice[k], *ahead = mark + (k + AHEAD < m->marks ? AHEAD : 0);
        const bmf_view *view = &m->view[mark_view(ahead)];
        int64_t partner = ends ? view->partner[mark_event(ahead)] : -1;
        if (partner >= 0) {
            __builtin_prefetch(&view->run->event[partner].begin);
            __builtin_prefetch(&view->run->event[partner].kind);
        }
        put(writer, &m->view[mark_view(mark)], mark);
    }
}

void merge_each(bmf_merge *m, bool ends, bmf_put_mark *put, void *writer)
{
    int64_t width = 1, put_so_far = 0;
    bmf_progress progress;
    progress_begin(&progress, "converting");
    for (int64_t lane = 0; lane < m->lanes; lane++)
        go_to(m, lane, m->start[lane]);
    for (int64_t first; (first = earliest(m)) < INT64_MAX;) {
        gather(m, first < INT64_MAX - width ? first + width : INT64_MAX);
        if (!m->ordered)
            sort_slice(m, first);
        put_slice(m, ends, put, writer);
        put_so_far += m->marks;
        progress_tell(&progress, (double)put_so_far / (double)m->start[m->lanes]);
        if (m->marks > 2 * m->wanted && width > 1)
            width /= 2;
        else if (m->marks < m->wanted && width < INT64_MAX / 2)
            width *= 2;
    }
    progress_end(&progress);
}
