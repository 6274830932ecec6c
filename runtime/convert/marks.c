/* The events of every lane as marks in time order.
 *
 * Method: a lane's events stand sorted outer before inner. A walk over them keeps one stack of open events per track
 * and puts every event on the first track where it nests, so that the marks of a lane come out in time order. Leaves of
 * flat marks are taken in the order of their ends. Cost: linear per lane as long as few events overlap, at most
 * BMF_MAX_TRACKS times that.
 */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/convert/view.h"

typedef struct item {
    int64_t begin, end, event;
} item;

typedef struct walk {
    item *at;                        /* the lane's events, outer before inner */
    int64_t *below;                  /* by item: what it stands on in its track's stack, or -1 */
    int64_t top[BMF_MAX_TRACKS];     /* by track: the innermost open item, or -1 */
    int64_t top_end[BMF_MAX_TRACKS]; /* its end, or INT64_MAX */
    int tracks;
    int view_number;
    bmf_mark *to;
} walk;

static void set_top(walk *w, int t, int64_t number)
{
    w->top[t] = number;
    w->top_end[t] = number >= 0 ? w->at[number].end : INT64_MAX;
}

/* Leaves everything that ended by `time` < INT64_MAX, in the order of the ends. */
static void leave_until(walk *w, int64_t time)
{
    for (;;) {
        int first = 0;
        for (int t = 1; t < w->tracks; t++)
            first = w->top_end[t] < w->top_end[first] ? t : first;
        if (w->top_end[first] > time)
            return;
        const item *last = &w->at[w->top[first]];
        *w->to++ = (bmf_mark){last->end, mark_code(last->event, w->view_number, true)};
        set_top(w, first, w->below[w->top[first]]);
    }
}

/* The first track on which the item nests; the last one cuts it. */
static int choose_track(walk *w, item *next)
{
    for (int t = 0; t < w->tracks; t++)
        if (w->top_end[t] >= next->end)
            return t;
    if (w->tracks < BMF_MAX_TRACKS) {
        set_top(w, w->tracks, -1);
        return w->tracks++;
    }
    next->end = w->top_end[BMF_MAX_TRACKS - 1];
    return BMF_MAX_TRACKS - 1;
}

/* Writes the marks of `items` items; track: where the number of each event's track goes, or NULL. Returns the tracks.
 */
static int walk_items(walk *w, int64_t items, uint8_t *track)
{
    w->tracks = 1;
    set_top(w, 0, -1);
    for (int64_t k = 0; k < items; k++) {
        item *next = &w->at[k];
        leave_until(w, next->begin);
        int t = choose_track(w, next);
        w->below[k] = w->top[t];
        set_top(w, t, k);
        if (track)
            track[next->event] = (uint8_t)t;
        *w->to++ = (bmf_mark){next->begin, mark_code(next->event, w->view_number, false)};
    }
    leave_until(w, INT64_MAX - 1);
    return w->tracks;
}

/* ---- leaves moved apart ---- */

/* True if b must not stand before a. */
static bool ends_before(const item *a, const item *b)
{
    return a->end <= b->end;
}

static bool begins_before(const item *a, const item *b)
{
    return a->begin < b->begin || (a->begin == b->begin && a->end >= b->end);
}

static void merge_items(const item *a, int64_t a_count, const item *b, int64_t b_count,
                        bool (*in_order)(const item *, const item *), item *to)
{
    while (a_count > 0 || b_count > 0) {
        bool from_a = b_count == 0 || (a_count > 0 && in_order(a, b));
        *to++ = from_a ? *a++ : *b++;
        a_count -= from_a;
        b_count -= !from_a;
    }
}

/* Sorts by end, stable, merging stretches that are sorted already; returns where the result is, at or spare. */
static item *sort_by_end(item *at, item *spare, int64_t items)
{
    for (;;) {
        int64_t stretches = 0;
        for (int64_t begin = 0, end; begin < items; begin = end, stretches++) {
            int64_t middle = begin + 1;
            while (middle < items && ends_before(&at[middle - 1], &at[middle]))
                middle++;
            for (end = middle + (middle < items); end < items && ends_before(&at[end - 1], &at[end]);)
                end++;
            merge_items(at + begin, middle - begin, at + middle, end - middle, ends_before, spare + begin);
        }
        if (stretches <= 1)
            return spare;
        item *swap = at;
        at = spare;
        spare = swap;
    }
}

/* True if no leaf begins before the one before it ends, and none outlasts a container that begins with it: flatten
 * would change nothing. */
static bool is_flat(const bmf_event *event, const item *at, int64_t items)
{
    int64_t busy_until = 0, begin = -1, min_end = 0; /* of the last containers, which begin together */
    for (int64_t k = 0; k < items; k++) {
        if (is_container(&event[at[k].event])) {
            min_end = at[k].begin == begin && min_end < at[k].end ? min_end : at[k].end;
            begin = at[k].begin;
        } else {
            if (at[k].begin < busy_until || (at[k].begin == begin && at[k].end > min_end))
                return false;
            busy_until = at[k].end;
        }
    }
    return true;
}

/* Rewrites the items of a lane: containers as they are, leaves so that none overlaps another. leaf, spare: `items`
 * each. */
static void flatten(const bmf_event *event, item *at, int64_t items, item *leaf, item *spare)
{
    if (is_flat(event, at, items))
        return;
    int64_t leaves = 0, containers = 0, busy_until = 0;
    for (int64_t k = 0; k < items; k++) {
        if (is_container(&event[at[k].event]))
            at[containers++] = at[k];
        else
            leaf[leaves++] = at[k];
    }
    item *sorted = sort_by_end(leaf, spare, leaves);
    for (int64_t k = 0; k < leaves; k++) {
        if (sorted[k].begin < busy_until)
            sorted[k].begin = busy_until;
        busy_until = sorted[k].end;
    }
    item *merged = sorted == leaf ? spare : leaf;
    merge_items(at, containers, sorted, leaves, begins_before, merged);
    for (int64_t k = 0; k < items; k++)
        at[k] = merged[k];
}

/* Marks the ends of leaves that leave the lane idle, and keeps until when. Returns when the first leaf begins. */
static int64_t mark_idle(const bmf_view *view, bmf_mark *begin, bmf_mark *end)
{
    int64_t next_busy = view->end;
    while (end-- > begin) {
        if (is_container(&view->run->event[mark_event(end)]))
            continue;
        if (!mark_leaves(end))
            next_busy = end->time;
        else if (next_busy > end->time) {
            view->idle_until[mark_event(end)] = next_busy;
            end->code |= BMF_MARK_IDLE_AFTER;
        }
    }
    return next_busy;
}

/* ---- lanes and runs ---- */

static int64_t longest_lane(const bmf_view *view)
{
    int64_t longest = 0;
    for (int32_t lane = 0; lane < view->run->lanes; lane++) {
        int64_t events = view->lane_start[lane + 1] - view->lane_start[lane];
        longest = events > longest ? events : longest;
    }
    return longest;
}

/* mark NULL: only the tracks are wanted. */
static void make_marks(bmf_view *view, int view_number, bmf_mark *mark, bool flat)
{
    int64_t longest = longest_lane(view) + 1;
    bmf_mark *unwanted = mark ? NULL : allocate(longest * 2 * (int64_t)sizeof *unwanted);
    item *memory = allocate(longest * (flat ? 3 : 1) * (int64_t)sizeof *memory);
    walk w = {
        .at = memory, .below = allocate(longest * (int64_t)sizeof *w.below), .view_number = view_number, .to = mark};
    for (int32_t lane = 0; lane < view->run->lanes; lane++) {
        int64_t start = view->lane_start[lane], items = view->lane_start[lane + 1] - start;
        bmf_mark *first = mark ? w.to : unwanted;
        w.to = first;
        for (int64_t k = 0; k < items; k++) {
            const bmf_event *event = &view->run->event[start + k];
            memory[k] = (item){event->begin, event->end, start + k};
        }
        if (flat)
            flatten(view->run->event, memory, items, memory + longest, memory + 2 * longest);
        int tracks = walk_items(&w, items, flat ? NULL : view->track);
        if (flat)
            view->first_busy[lane] = mark_idle(view, first, w.to);
        else
            view->tracks[lane] = (uint8_t)tracks;
    }
    free(unwanted);
    free(memory);
    free(w.below);
}

void view_marks(bmf_view *view, int view_number, bmf_mark *mark)
{
    make_marks(view, view_number, mark, false);
}

void view_flat_marks(bmf_view *view, int view_number, bmf_mark *mark)
{
    if (!view->idle_until)
        view->idle_until = allocate((view->run->events + 1) * (int64_t)sizeof *view->idle_until);
    if (!view->first_busy)
        view->first_busy = allocate(view->run->lanes * (int64_t)sizeof *view->first_busy);
    make_marks(view, view_number, mark, true);
}

void views_tracks(bmf_view view[2], int views)
{
    for (int k = 0; k < views; k++)
        make_marks(&view[k], k, NULL, false);
}
