/* Measuring where choices are made: between sizes and numbers of items at which another algorithm is best, and again
 * where two are close.
 *
 * Method: in each round every point whose two best algorithms are within a quarter gets another pass; between two
 * neighbouring sizes of one number of items with different best algorithms, or where one takes longer for every byte at
 * the larger size (as where the MPI library begins to wait for receivers), and between two neighbouring numbers with
 * different ones at a size, the geometric middle is measured. Rounds go on until the time is over or nothing is left to
 * do. What is to be done follows from times that all ranks have, and the time is rank 0's.
 * Cost: the time that is given; n log n a round for n points. */
#include <math.h>
#include <stdlib.h>

#include "predict/measure/schedules_private.h"
#include "runtime/backend/clock.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { WORD = 8, MOST_PASSES = 6, MOST_ROUNDS = 8 };
static const double close_by = 0.25;   /* the second best is at most so much behind */
static const double apart_bytes = 1.2; /* neighbouring sizes are at least so many times apart */
static const double apart_items = 1.3;

typedef struct task {
    const schedule_call *call;
    int64_t count, bytes;
} task;

typedef struct tasks {
    task *task;
    int64_t count, capacity;
} tasks;

static int call_number(const schedule_call *call)
{
    int k = 0;
    while (schedule_calls[k] != call)
        k++;
    return k;
}

static int by_place(const void *a, const void *b)
{
    const schedule_measured *x = a, *y = b;
    const int of_x = call_number(x->call), of_y = call_number(y->call);
    if (of_x != of_y)
        return of_x - of_y;
    if (x->point.count != y->point.count)
        return x->point.count < y->point.count ? -1 : 1;
    return (x->point.bytes > y->point.bytes) - (x->point.bytes < y->point.bytes);
}

void schedules_sort(schedules_study *s)
{
    qsort(s->measured, (size_t)s->count, sizeof *s->measured, by_place);
}

static int best_of(const bmf_schedules_point *p)
{
    int best = 0;
    for (int way = 1; way < p->ways; way++)
        best = p->seconds[way] < p->seconds[best] ? way : best;
    return best;
}

/* How far the second best is behind, relative. */
static double gap_of(const bmf_schedules_point *p)
{
    const int best = best_of(p);
    double second = INFINITY;
    for (int way = 0; way < p->ways; way++)
        if (way != best)
            second = fmin(second, p->seconds[way]);
    return second / p->seconds[best] - 1.0;
}

static void add(tasks *all, const schedule_call *call, int64_t count, int64_t bytes)
{
    *ARRAY_APPEND(all->task, all->count, all->capacity) = (task){call, count, bytes};
}

/* The geometric middle in words; 0: there is none apart from both. */
static int64_t middle_bytes(int64_t low, int64_t high)
{
    if ((double)high < apart_bytes * apart_bytes * (double)low)
        return 0;
    const int64_t middle = llround(sqrt((double)low * (double)high) / WORD) * WORD;
    return middle > low && middle < high ? middle : 0;
}

static int64_t middle_items(const schedule_call *call, int64_t low, int64_t high)
{
    if (call->powers_of_two || (double)high < apart_items * (double)low)
        return 0;
    const int64_t middle = llround(sqrt((double)low * (double)high));
    return middle > low && middle < high ? middle : 0;
}

static bool same_curve(const schedule_measured *a, const schedule_measured *b)
{
    return a->call == b->call && a->point.count == b->point.count;
}

/* Whether an algorithm's time grows by more than the size: a straight line between them says little. */
static bool jumps(const bmf_schedules_point *p, const bmf_schedules_point *next)
{
    const double larger = (double)next->bytes / (double)p->bytes;
    bool any = false;
    for (int way = 0; way < p->ways; way++)
        any = any || next->seconds[way] > larger * p->seconds[way];
    return any;
}

/* Between neighbours on the curve of one number of items, and at points themselves. */
static void find_on_curves(const schedules_study *s, tasks *all)
{
    for (int64_t k = 0; k < s->count; k++) {
        const schedule_measured *m = &s->measured[k], *next = m + 1;
        if (m->passes < MOST_PASSES && gap_of(&m->point) < close_by)
            add(all, m->call, m->point.count, m->point.bytes);
        if (k + 1 == s->count || m->call->powers_of_two || !same_curve(m, next) ||
            (best_of(&m->point) == best_of(&next->point) && !jumps(&m->point, &next->point)))
            continue;
        const int64_t bytes = middle_bytes(m->point.bytes, next->point.bytes);
        if (bytes > 0)
            add(all, m->call, m->point.count, bytes);
    }
}

/* The point of the curve that begins at `from` with about so many bytes: at most half as much more; NULL: none. */
static const schedule_measured *point_near(const schedules_study *s, int64_t from, int64_t bytes)
{
    static const double near = 1.5;
    for (int64_t k = from; k < s->count && same_curve(&s->measured[from], &s->measured[k]); k++) {
        const double times = (double)s->measured[k].point.bytes / (double)bytes;
        if (times < near && times > 1.0 / near)
            return &s->measured[k];
    }
    return NULL;
}

/* Between neighbouring numbers of items, at the sizes at which they differ. */
static void find_between_curves(const schedules_study *s, tasks *all)
{
    for (int64_t begin = 0, next; begin < s->count; begin = next) {
        for (next = begin + 1; next < s->count && same_curve(&s->measured[begin], &s->measured[next]);)
            next++;
        if (next == s->count || s->measured[next].call != s->measured[begin].call)
            continue;
        const schedule_call *call = s->measured[begin].call;
        const int64_t count = middle_items(call, s->measured[begin].point.count, s->measured[next].point.count);
        for (int64_t k = begin; k < next && count > 0; k++) {
            const bmf_schedules_point *here = &s->measured[k].point;
            const schedule_measured *there = point_near(s, next, here->bytes);
            if (there && best_of(here) != best_of(&there->point))
                add(all, call, count, here->bytes);
        }
    }
}

/* Seconds since the study began, on rank 0's clock. */
static int elapsed(const schedules_study *s, double *seconds)
{
    *seconds = (double)(monotonic_ns() - s->began) * 1e-9;
    return s->ctx->backend->bcast(s->ctx, 0, seconds, (int64_t)sizeof *seconds);
}

int schedules_refine(schedules_study *s, double seconds)
{
    double now;
    BMF_TRY(elapsed(s, &now));
    for (int round = 0; round < MOST_ROUNDS && now < seconds; round++) {
        tasks all = {0};
        int status = BMF_OK;
        schedules_sort(s);
        find_between_curves(s, &all);
        find_on_curves(s, &all);
        for (int64_t k = 0; k < all.count && now < seconds && status == BMF_OK; k++) {
            status = schedules_measure(s, all.task[k].call, all.task[k].count, all.task[k].bytes, NULL);
            if (status == BMF_OK)
                status = elapsed(s, &now);
            schedules_tell(s, now / seconds);
        }
        free(all.task);
        BMF_TRY(status);
        if (all.count == 0)
            break;
    }
    schedules_sort(s);
    return BMF_OK;
}
