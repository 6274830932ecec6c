/* Curves of memory: evaluating and fitting them; method and source in the header. */
#include "predict/sheet/memory_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/sheet/nonnegative.h"
#include "runtime/base/allocate.h"

_Static_assert(BMF_MEMORY_STEPS + 1 <= NONNEGATIVE_COLUMNS, "the levels of a curve");

static const double fourth_of_octave = 0.25 * M_LN2;
static const double widths[] = {0.08, 0.2, 0.4, 0.7};
static const double repeatable = 0.01; /* relative: closer than this, points say nothing more */
enum { WIDTHS = sizeof widths / sizeof widths[0], MOVES = 4 };

/* ---- words ---- */

const char *memory_access_word(bmf_memory_access access)
{
#define WORD(name, word, operation) word,
    static const char *const words[] = {BMF_MEMORY_ACCESSES(WORD)};
#undef WORD
    return words[access];
}

const char *memory_access_operation(bmf_memory_access access)
{
#define OPERATION(name, word, operation) operation,
    static const char *const operations[] = {BMF_MEMORY_ACCESSES(OPERATION)};
#undef OPERATION
    return operations[access];
}

bool memory_access_find(const char *word, bmf_memory_access *access)
{
    for (int k = 0; k < BMF_MEMORY_ACCESS_COUNT; k++)
        if (strcmp(word, memory_access_word((bmf_memory_access)k)) == 0) {
            *access = (bmf_memory_access)k;
            return true;
        }
    return false;
}

/* ---- asking ---- */

static double passed(double step, double width, double bytes)
{
    return 1.0 / (1.0 + pow(step / bytes, 1.0 / width));
}

double memory_curve_at(const bmf_memory_curve *curve, double bytes)
{
    const double at = fmin(fmax(bytes, curve->low), curve->high);
    double seconds = curve->level;
    for (int k = 0; k < curve->steps; k++)
        seconds += curve->rise[k] * passed(curve->step[k], curve->width[k], at);
    return seconds;
}

double memory_seconds(const bmf_memory *memory, bmf_memory_access access, double p, double bytes)
{
    const bmf_memory_curve *below = NULL, *above = NULL, *first = NULL;
    for (int64_t k = 0; k < memory->curves && !above; k++) {
        const bmf_memory_curve *curve = &memory->curve[k];
        if (curve->access != access)
            continue;
        first = first ? first : curve;
        if (curve->p <= p)
            below = curve;
        else
            above = curve;
    }
    if (!below)
        return above ? memory_curve_at(above, bytes) : 0.0;
    const double seconds = memory_curve_at(below, bytes);
    if (above) {
        const double next = memory_curve_at(above, bytes), part = log(p / below->p) / log((double)above->p / below->p);
        return seconds * pow(next / seconds, part);
    }
    if (below == first || p <= below->p)
        return seconds;
    const double grown = log(seconds / memory_curve_at(first, bytes)) / log((double)below->p / first->p);
    return seconds * pow(p / below->p, fmin(fmax(grown, 0.0), 1.0));
}

/* ---- fitting ---- */

typedef struct fitting {
    int64_t count;
    const bmf_memory_point *point;
    double *x, *y, *weight;
    bmf_memory_curve *curve;
} fitting;

/* Levels and rises for the places that the curve has; returns the residual. */
static double fit_levels(const fitting *f)
{
    bmf_memory_curve *c = f->curve;
    const int columns = 1 + c->steps;
    double found[NONNEGATIVE_COLUMNS];
    for (int64_t r = 0; r < f->count; r++) {
        double *row = f->x + r * columns;
        row[0] = 1.0;
        for (int k = 0; k < c->steps; k++)
            row[k + 1] = passed(c->step[k], c->width[k], f->point[r].bytes);
    }
    const double residual = nonnegative_fit(f->count, columns, f->x, f->y, f->weight, found);
    c->level = found[0];
    memcpy(c->rise, found + 1, (size_t)c->steps * sizeof *found);
    return residual;
}

/* Moves step k to where the residual is least. */
static double place_step(const fitting *f, int k)
{
    const double first = log(f->point[0].bytes), last = log(f->point[f->count - 1].bytes);
    bmf_memory_curve best = {0};
    double least = INFINITY;
    for (double at = first; at <= last; at += fourth_of_octave)
        for (int w = 0; w < WIDTHS; w++) {
            f->curve->step[k] = exp(at);
            f->curve->width[k] = widths[w];
            const double residual = fit_levels(f);
            if (residual < least) {
                least = residual;
                best = *f->curve;
            }
        }
    *f->curve = best;
    return least;
}

static double penalised(const fitting *f, double residual)
{
    const double n = (double)f->count, parameters = 1.0 + 3.0 * f->curve->steps;
    return n * log(residual / n + repeatable * repeatable) + parameters * log(n);
}

static double add_step(const fitting *f)
{
    double residual = place_step(f, f->curve->steps++);
    for (int move = 0; move < MOVES && f->curve->steps > 1; move++)
        for (int k = 0; k < f->curve->steps; k++)
            residual = place_step(f, k);
    return residual;
}

/* In the order of the steps, without those that rise by nothing. */
static void order_steps(bmf_memory_curve *c)
{
    bmf_memory_curve ordered = *c;
    ordered.steps = 0;
    for (int k = 0; k < c->steps; k++) {
        int at = ordered.steps;
        if (!(c->rise[k] > 0.0))
            continue;
        for (; at > 0 && ordered.step[at - 1] > c->step[k]; at--) {
            ordered.step[at] = ordered.step[at - 1];
            ordered.rise[at] = ordered.rise[at - 1];
            ordered.width[at] = ordered.width[at - 1];
        }
        ordered.step[at] = c->step[k];
        ordered.rise[at] = c->rise[k];
        ordered.width[at] = c->width[k];
        ordered.steps++;
    }
    *c = ordered;
}

void memory_curve_fit(int64_t count, const bmf_memory_point *point, bmf_memory_curve *curve)
{
    fitting f = {.count = count,
                 .point = point,
                 .x = allocate_array(count * NONNEGATIVE_COLUMNS, (int64_t)sizeof(double)),
                 .y = allocate_array(count, (int64_t)sizeof(double)),
                 .weight = allocate_array(count, (int64_t)sizeof(double)),
                 .curve = curve};
    for (int64_t r = 0; r < count; r++) {
        f.y[r] = point[r].seconds;
        f.weight[r] = point[r].seconds > 0.0 ? 1.0 / (point[r].seconds * point[r].seconds) : 0.0;
    }
    curve->steps = 0;
    curve->low = point[0].bytes;
    curve->high = point[count - 1].bytes;
    double residual = fit_levels(&f), best = penalised(&f, residual);
    while (curve->steps < BMF_MEMORY_STEPS && count > 1 + 3 * (curve->steps + 1)) {
        const bmf_memory_curve before = *curve;
        const double next = add_step(&f), value = penalised(&f, next);
        if (value >= best) {
            *curve = before;
            break;
        }
        best = value;
        residual = next;
    }
    curve->error = sqrt(residual / (double)count);
    order_steps(curve);
    free(f.x);
    free(f.y);
    free(f.weight);
}
