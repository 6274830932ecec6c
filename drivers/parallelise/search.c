/* The search for the fastest program: best first, over the places where lists can be split.
 *
 * Method: the cheapest program that was not looked at yet is taken and split at one place more; what that makes is
 * predicted. Where that splits a list inside of a split one, grids of processors are tried from the squarest on, to
 * more rows and to more columns while that is faster. It ends when two rounds have made nothing faster, or enough has
 * been looked at. All this is predicted with few runs, rounds of loops and samples, and given up where it takes twice
 * as long as the fastest so far or has too many actions; what is among the fastest, and the serial program where it may
 * be, is predicted once more, with all.
 * Cost: a rough prediction for each program that was looked at, and a few others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/parallelise/parallelise.h"
#include "runtime/base/allocate.h"
#include "runtime/base/progress.h"

enum { MAX_CANDIDATES = 48, MAX_WAVES_WITHOUT_GAIN = 2, MAX_GRIDS = 128, LOOKED_AT_AGAIN = 6, MAX_SURE = 4 };
static const double AS_FAST = 1.02;     /* times as long as the fastest, at least: which is faster is chance */
static const double MOST_AS_FAST = 1.1; /* the same at most, however much chance does */
static const double CERTAIN = 1.96;     /* standard errors: 95 % of what chance does */
static const double NEAR = 1.15;        /* times as long as the fastest, roughly: it may be faster */
static const double NEAR_FEWER = 1.25;  /* the same of one with fewer messages: more of them have to be worth it */
static const double USELESS = 1.1;      /* times as long as without it: a place to split */
static const double GIVEN_UP = 2.0;     /* times as long as the fastest so far: it is run no further */

/* ---- candidates ---- */

static bool is_known(const search *s, const candidate *made)
{
    for (int k = 0; k < s->count; k++)
        if (strcmp(s->candidate[k].text, made->text) == 0)
            return true;
    return false;
}

static double least_seconds(const search *s)
{
    double least = INFINITY;
    for (int k = 0; k < s->count; k++)
        if (!s->candidate[k].given_up)
            least = fmin(least, s->candidate[k].seconds);
    return least;
}

/* Adds the program that is split at these places, unless it is there already, has no use for its grid, or cannot run: a
 * processor may have no element, or processors_needed count more than the grid has. *added: the program, until the next
 * is added, or NULL. */
static int add_candidate(search *s, uint64_t chosen, bmf_processor_grid grid, const candidate **added)
{
    *added = NULL;
    if (s->count == MAX_CANDIDATES)
        return BMF_OK;
    candidate *made = &s->candidate[s->count];
    *made = (candidate){.chosen = chosen, .grid = grid};
    int status = candidate_make(s, made);
    if (status == BMF_OK && !is_known(s, made) && (grid.rows == 0 || made->splitting.applied[BMF_SPLITTING_GRID] > 0)) {
        status =
            s->count == 0 ? candidate_predict_serial(s, made) : candidate_predict(s, made, GIVEN_UP * least_seconds(s));
        if (status == BMF_OK) {
            s->count++;
            *added = made;
            return BMF_OK;
        }
        if (made->splitting.needs_elements || grid.rows > 0)
            status = BMF_OK;
    }
    free(made->text);
    return status;
}

/* Those that were given up come behind all others. */
static int by_seconds(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->given_up != y->given_up)
        return x->given_up ? 1 : -1;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return x->chosen < y->chosen ? -1 : x->chosen > y->chosen;
}

static candidate *cheapest_open(search *s)
{
    candidate *best = NULL;
    for (int k = 0; k < s->count; k++)
        if (!s->candidate[k].expanded && (!best || by_seconds(&s->candidate[k], best) < 0))
            best = &s->candidate[k];
    return best;
}

/* ---- grids ---- */

/* Those of so many processors to which no row and no column can be added, by their columns. */
static int find_grids(int64_t processors, bmf_processor_grid grid[MAX_GRIDS])
{
    int count = 0;
    for (int stride = 1; INT64_C(1) << stride < processors; stride++) {
        const int64_t width = INT64_C(1) << stride, full = processors / width, rest = processors % width;
        if (2 * rest > width) /* one row more, of shorter rows; with half as many columns there are more anyway */
            grid[count++] = (bmf_processor_grid){full + 1, rest, stride};
        if (full > 1)
            grid[count++] = (bmf_processor_grid){full, width, stride};
    }
    return count;
}

static double oblongness(const bmf_processor_grid *grid)
{
    return fabs(log((double)grid->rows / (double)grid->columns));
}

/* From the squarest grid on, in both directions, as long as that is faster. */
static int add_grids(search *s, uint64_t chosen)
{
    bmf_processor_grid grid[MAX_GRIDS];
    const candidate *added;
    const int grids = find_grids(s->options->predict.processors.number[0], grid);
    int squarest = 0;
    for (int k = 1; k < grids; k++)
        if (oblongness(&grid[k]) < oblongness(&grid[squarest]))
            squarest = k;
    if (grids == 0)
        return BMF_OK;
    BMF_TRY(add_candidate(s, chosen, grid[squarest], &added));
    const double middle = added ? added->seconds : -INFINITY; /* no use for a grid */
    for (int way = -1; way <= 1; way += 2) {
        double last = middle;
        for (int k = squarest + way; k >= 0 && k < grids && isfinite(last); k += way) {
            BMF_TRY(add_candidate(s, chosen, grid[k], &added));
            last = added && added->seconds < last ? added->seconds : -INFINITY;
        }
    }
    return BMF_OK;
}

/* ---- best first ---- */

/* One place more is split. Lists inside of maps that cost more than they save, split alone, are not split together with
 * others; on grids they are. */
static int add_place(search *s, const candidate *from, uint64_t here, bool inner)
{
    const uint64_t more = from->chosen | here;
    const candidate *added = NULL;
    if (!(s->useless & here) || from->grid.rows > 0)
        BMF_TRY(add_candidate(s, more, from->grid, &added));
    if (inner && from->chosen == 0 && added && (added->given_up || added->seconds > USELESS * from->seconds))
        s->useless |= here;
    return from->grid.rows > 0 ? BMF_OK : add_grids(s, more);
}

/* All places, those inside of maps or the others. */
static int add_places(search *s, const candidate *from, bool inner)
{
    for (int point = from->splitting.points - 1; point >= 0; point--) {
        const uint64_t here = UINT64_C(1) << point;
        if (!(from->chosen & here) && ((from->splitting.inner & here) != 0) == inner)
            BMF_TRY(add_place(s, from, here, inner));
    }
    return BMF_OK;
}

/* Those inside of maps have messages for every element: they are looked at when faster ones are known. */
static int expand(search *s, candidate *from)
{
    from->expanded = true;
    BMF_TRY(add_places(s, from, false));
    return add_places(s, from, true);
}

/* The search ends when either is reached. */
static double share_done(const search *s, int without_gain)
{
    return fmax((double)s->count / MAX_CANDIDATES, (double)without_gain / MAX_WAVES_WITHOUT_GAIN);
}

static int search_on(search *s, bmf_progress *progress)
{
    const candidate *added;
    int without_gain = 0;
    BMF_TRY(add_candidate(s, 0, (bmf_processor_grid){0}, &added));
    while (without_gain < MAX_WAVES_WITHOUT_GAIN && s->count < MAX_CANDIDATES) {
        const double before = least_seconds(s);
        candidate *from = cheapest_open(s);
        if (!from)
            break;
        BMF_TRY(expand(s, from));
        without_gain = least_seconds(s) < before ? 0 : without_gain + 1;
        progress_tell(progress, share_done(s, without_gain));
    }
    return BMF_OK;
}

static void sort_candidates(search *s)
{
    qsort(s->candidate, (size_t)s->count, sizeof *s->candidate, by_seconds);
}

/* The best, and the serial program, once more: by now there are more times of their kernels. */
static int look_again(search *s)
{
    for (int k = 0; k < s->count; k++) {
        candidate *c = &s->candidate[k];
        if (!c->given_up && (k < LOOKED_AT_AGAIN || c->chosen == 0))
            BMF_TRY(candidate_predict(s, c, INFINITY));
    }
    sort_candidates(s);
    return BMF_OK;
}

static bool sends_less(const candidate *a, const candidate *b)
{
    return a->messages != b->messages ? a->messages < b->messages : a->bytes < b->bytes;
}

static bool may_be_fastest(const search *s, const candidate *c)
{
    const candidate *fastest = &s->candidate[0];
    const double near = c->messages < fastest->messages ? NEAR_FEWER : NEAR;
    return c->rough && !c->given_up && c->seconds <= near * fastest->seconds;
}

/* Of those whose times are rough: the serial program, the fastest, and those that may be faster. */
static int find_rough(search *s, int most, candidate *rough[MAX_SURE])
{
    int found = 0;
    for (int serial = 1; serial >= 0; serial--)
        for (int k = 0; k < s->count && found < most; k++) {
            candidate *c = &s->candidate[k];
            if ((c->chosen == 0) == serial && may_be_fastest(s, c))
                rough[found++] = c;
        }
    return found;
}

/* Rough times of the others are off as those were that are sure now: by rounds of loops that differ. */
static void scale_rough(search *s, double factor)
{
    for (int k = 0; k < s->count; k++) {
        candidate *c = &s->candidate[k];
        if (!c->rough || c->given_up)
            continue;
        c->seconds *= factor;
        c->low *= factor;
        c->high *= factor;
    }
}

/* A program that needs elements on every processor may not find them in later rounds of its loops. */
static int drop_failed(search *s, int count, candidate *const *c, const int *status)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        if (status[k] == BMF_OK)
            continue;
        if (!c[k]->splitting.needs_elements)
            return status[k];
        free(c[k]->text);
        c[k]->text = NULL;
    }
    for (int k = 0; k < s->count; k++)
        if (s->candidate[k].text)
            s->candidate[kept++] = s->candidate[k];
    s->count = kept;
    return BMF_OK;
}

/* The times of the fastest, with all runs, rounds and samples. */
static int make_sure_of(search *s, int count, candidate *const *rough)
{
    int status[MAX_SURE];
    double before = 0.0, after = 0.0;
    for (int k = 0; k < count; k++)
        before += log(rough[k]->seconds);
    candidates_make_sure(s, count, rough, status);
    for (int k = 0; k < count; k++)
        after += log(rough[k]->seconds);
    BMF_TRY(drop_failed(s, count, rough, status));
    if (isfinite(after - before))
        scale_rough(s, exp((after - before) / count));
    sort_candidates(s);
    return BMF_OK;
}

/* Whether the fastest may be faster by chance only: the runs that were timed, and the samples that were simulated. */
static bool as_fast(const candidate *c, const candidate *fastest)
{
    const double timed = CERTAIN * hypot(c->measured_error, fastest->measured_error),
                 sampled = prediction_median_quotient_error(&c->prediction, &fastest->prediction);
    return c->seconds <= fastest->seconds ||
           log(c->seconds / fastest->seconds) <= fmin(fmax(hypot(timed, sampled), log(AS_FAST)), log(MOST_AS_FAST));
}

/* Among those that are sure and as fast as any, which of them is faster is chance: the one with the fewest messages
 * comes first, and of these the one with the fewest bytes. They are in order of their times. */
static void put_best_first(search *s)
{
    int fastest = -1, best = -1;
    for (int k = 0; k < s->count; k++) {
        const candidate *c = &s->candidate[k];
        if (c->rough || c->given_up)
            continue;
        if (fastest < 0)
            fastest = best = k;
        if (as_fast(c, &s->candidate[fastest]) && sends_less(c, &s->candidate[best]))
            best = k;
    }
    if (best <= 0)
        return;
    const candidate first = s->candidate[best];
    memmove(&s->candidate[1], &s->candidate[0], (size_t)best * sizeof first);
    s->candidate[0] = first;
}

static int make_sure(search *s)
{
    candidate *rough[MAX_SURE];
    int found, left = MAX_SURE;
    sort_candidates(s);
    BMF_TRY(look_again(s));
    while (left > 0 && (found = find_rough(s, left, rough)) > 0) {
        BMF_TRY(make_sure_of(s, found, rough));
        left -= found;
    }
    put_best_first(s);
    return BMF_OK;
}

int search_all(search *s)
{
    bmf_progress progress;
    s->candidate = allocate_clear(MAX_CANDIDATES, (int64_t)sizeof *s->candidate);
    progress_begin(&progress, "predicting programs");
    int status = search_on(s, &progress);
    if (status == BMF_OK)
        status = make_sure(s);
    progress_end(&progress);
    return status;
}
