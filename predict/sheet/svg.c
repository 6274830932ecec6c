/* Pictures of an operation: measured points and equations, on logarithmic axes.
 *
 * Method: one panel with time over d, a curve per p, and one with time over p, a curve per d, if both vary; at most
 * seven curves each, evenly chosen. Curves break where one range ends and the next begins. A size of 0 stands at half
 * the least other value. chart_style.h has the colours.
 * Cost: about 100 evaluations per curve.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/sheet/chart_style.h"
#include "predict/sheet/sheet_private.h"
#include "runtime/convert/markup.h"
#include "predict/sheet/report.h"
#include "predict/sheet/text.h"
#include "runtime/base/allocate.h"

enum {
    MAX_CURVES = CHART_COLOURS,
    STEPS = 96,
    PANEL = 560,
    HEIGHT = 380,
    LEFT = 62,
    RIGHT = 84,
    TOP = 34,
    BOTTOM = 44,
    ROW = 18
};

typedef struct axis {
    double low, high; /* values, both above 0 */
    double zero;      /* where 0 is drawn; 0 if it does not occur */
} axis;

typedef struct picture {
    const bmf_sheet_entry *entry;
    int64_t count;
    bool over_p; /* x is p, curves are d */
    double x0;   /* of the panel */
    axis x, y;
    int64_t curves;
    double curve[MAX_CURVES];
} picture;

/* ---- values ---- */

typedef struct values {
    int64_t count;
    double *value;
} values;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Adds the ends of a range and the powers of two between them. */
static void add_range(values *all, double low, double high)
{
    all->value[all->count++] = low;
    for (int k = 0; ldexp(1.0, k) < high; k++)
        if (ldexp(1.0, k) > low)
            all->value[all->count++] = ldexp(1.0, k);
    all->value[all->count++] = high;
}

static void sort_values(values *all)
{
    qsort(all->value, (size_t)all->count, sizeof *all->value, by_value);
    int64_t kept = 0;
    for (int64_t k = 0; k < all->count; k++)
        if (kept == 0 || all->value[k] != all->value[kept - 1])
            all->value[kept++] = all->value[k];
    all->count = kept;
}

/* The different p or d of the operation: those measured, or powers of two over the domain of a sheet without points. */
static values list_values(const bmf_sheet_entry *entry, int64_t count, bool of_p)
{
    int64_t room = 0;
    for (int64_t k = 0; k < count; k++)
        room += entry[k].points + 72;
    values all = {0, allocate(room * (int64_t)sizeof *all.value)};
    for (int64_t k = 0; k < count; k++) {
        for (int64_t j = 0; j < entry[k].points; j++)
            all.value[all.count++] = of_p ? entry[k].point[j].p : (double)entry[k].point[j].d;
        if (entry[k].points > 0)
            continue;
        if (of_p)
            add_range(&all, entry[k].p_low > 0 ? entry[k].p_low : 2, entry[k].p_low > 0 ? entry[k].p_high : 2);
        else
            add_range(&all, (double)entry[k].d_low, (double)entry[k].d_high);
    }
    sort_values(&all);
    return all;
}

/* At most MOST_CURVES of them, the first and the last among those. */
static void choose_curves(picture *p, const values *all)
{
    p->curves = all->count < MAX_CURVES ? all->count : MAX_CURVES;
    for (int64_t k = 0; k < p->curves; k++)
        p->curve[k] = all->value[p->curves > 1 ? k * (all->count - 1) / (p->curves - 1) : 0];
}

static double estimate_at(const picture *p, double x, double curve, bmf_estimate *estimate)
{
    double group = p->over_p ? x : curve, size = p->over_p ? curve : x;
    const bmf_sheet_entry *entry = entry_choose(p->entry, p->count, group, size);
    entry_evaluate(entry, group, size, estimate);
    return estimate->mean;
}

/* ---- axes ---- */

static double place(const axis *a, double value, double from, double to)
{
    value = value > 0.0 ? value : a->zero > 0.0 ? a->zero : a->low;
    double at = (log(value) - log(a->low)) / (log(a->high) - log(a->low));
    return from + fmin(fmax(at, 0.0), 1.0) * (to - from);
}

static double x_at(const picture *p, double value)
{
    return place(&p->x, value, p->x0 + LEFT, p->x0 + PANEL - RIGHT);
}

static double y_at(const picture *p, double seconds)
{
    return place(&p->y, seconds, HEIGHT - BOTTOM, TOP);
}

static void set_x(picture *p, const values *all)
{
    bool zero = all->value[0] == 0.0;
    double low = all->value[zero && all->count > 1 ? 1 : 0];
    low = low > 0.0 ? low : 1.0;
    double high = fmax(all->value[all->count - 1], low);
    p->x.zero = zero ? low / 2.0 : 0.0;
    p->x.low = (zero ? low / 2.0 : low) / 1.15;
    p->x.high = high * 1.15;
}

static void widen(axis *a, double value)
{
    if (value <= 0.0)
        return;
    a->low = a->low > 0.0 ? fmin(a->low, value) : value;
    a->high = fmax(a->high, value);
}

static void set_y(picture *p)
{
    p->y = (axis){0};
    for (int64_t k = 0; k < p->count; k++)
        for (int64_t j = 0; j < p->entry[k].points; j++) {
            widen(&p->y, p->entry[k].point[j].min);
            widen(&p->y, p->entry[k].point[j].typical);
        }
    for (int64_t k = 0; k < p->curves; k++)
        for (int j = 0; j <= STEPS; j += STEPS / 8) {
            bmf_estimate e;
            double x = p->x.low * 1.15 * pow(p->x.high / p->x.low / 1.3225, (double)j / STEPS);
            widen(&p->y, estimate_at(p, x, p->curve[k], &e));
        }
    if (p->y.low <= 0.0)
        p->y = (axis){.low = 1e-7, .high = 1e-6};
    p->y.low /= 1.5;
    p->y.high *= 1.5;
}

static void put_count_text(double value, char *text, size_t size)
{
    static const char *const suffix[] = {"", "k", "M", "G", "T"};
    int k = 0;
    for (; k < 4 && value >= 1000.0 && fmod(value, 1000.0) == 0.0; k++)
        value /= 1000.0;
    snprintf(text, size, "%.6g%s", value, suffix[k]);
}

static void put_tick_x(bmf_output *out, const picture *p, double value, const char *text)
{
    double x = x_at(p, value);
    output_print(out, "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' class='grid'/>", x, x, TOP, HEIGHT - BOTTOM);
    output_print(out, "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", x, HEIGHT - BOTTOM + 15, text);
}

static void put_axis_x(bmf_output *out, const picture *p)
{
    char text[32];
    /* Groups are few and even; sizes span decades. */
    double step = p->x.high / p->x.low > 200.0 ? 10.0 : 2.0;
    if (p->x.high / p->x.low > 1e7)
        step = 100.0;
    if (p->x.zero > 0.0)
        put_tick_x(out, p, 0.0, "0");
    int first = (int)ceil(log(p->x.low) / log(step) - 1e-9), last = (int)floor(log(p->x.high) / log(step) + 1e-9);
    for (int k = first; k <= last; k++) {
        double value = pow(step, k);
        if (p->x.zero > 0.0 && value < p->x.zero * 1.9)
            continue;
        put_count_text(value, text, sizeof text);
        put_tick_x(out, p, value, text);
    }
    output_print(out, "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", p->x0 + (LEFT + PANEL - RIGHT) / 2.0,
                 HEIGHT - 10,
                 p->over_p ? (p->entry->family == BMF_FAMILY_THREADS ? "p, threads" : "p, processes") : "d, elements");
}

static void put_axis_y(bmf_output *out, const picture *p)
{
    static const double parts[] = {1.0, 2.0, 5.0};
    int used = log10(p->y.high / p->y.low) < 2.0 ? 3 : 1;
    char text[32];
    for (int decade = (int)floor(log10(p->y.low)); decade <= (int)floor(log10(p->y.high)); decade++)
        for (int k = 0; k < used; k++) {
            double value = pow(10.0, decade) * parts[k];
            if (value < p->y.low || value > p->y.high)
                continue;
            double y = y_at(p, value);
            output_print(out, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' class='grid'/>", p->x0 + LEFT,
                         p->x0 + PANEL - RIGHT, y, y);
            output_print(out, "<text x='%.1f' y='%.1f' text-anchor='end'>%s</text>\n", p->x0 + LEFT - 6, y + 4,
                         time_text(value, text, sizeof text));
        }
}

/* ---- curves and points ---- */

/* The x of step j of a curve: evenly spaced on the axis, the ends of the measured range first and last. */
static double step_x(const picture *p, int j)
{
    if (p->x.zero > 0.0 && j == 0)
        return 0.0;
    double low = p->x.low * 1.15, high = p->x.high / 1.15;
    return low * pow(high / low, (double)j / STEPS);
}

/* The part of a curve from step `from` that one entry answers; returns the first step behind it. */
static int put_piece(bmf_output *out, const picture *p, int64_t k, int from)
{
    bmf_estimate e;
    estimate_at(p, step_x(p, from), p->curve[k], &e);
    const bmf_sheet_entry *entry = e.entry;
    int end = from;
    output_print(out, "<polyline class='curve-%d' fill='none' stroke='currentColor' stroke-width='1.6' points='",
                 (int)k);
    for (; end <= STEPS; end++) {
        estimate_at(p, step_x(p, end), p->curve[k], &e);
        if (e.entry != entry)
            break;
        output_print(out, "%.1f,%.1f ", x_at(p, step_x(p, end)), y_at(p, e.mean));
    }
    output_text(out, "'/>\n");
    if (!entry->has_errors)
        return end;
    output_print(out, "<polygon class='curve-%d' fill='currentColor' opacity='0.12' points='", (int)k);
    for (int j = from; j < end; j++) {
        estimate_at(p, step_x(p, j), p->curve[k], &e);
        output_print(out, "%.1f,%.1f ", x_at(p, step_x(p, j)), y_at(p, e.high));
    }
    for (int j = end - 1; j >= from; j--) {
        estimate_at(p, step_x(p, j), p->curve[k], &e);
        output_print(out, "%.1f,%.1f ", x_at(p, step_x(p, j)), y_at(p, fmax(e.low, p->y.low)));
    }
    output_text(out, "'/>\n");
    return end;
}

static void put_points(bmf_output *out, const picture *p, int64_t curve)
{
    for (int64_t k = 0; k < p->count; k++)
        for (int64_t j = 0; j < p->entry[k].points; j++) {
            const bmf_sheet_point *at = &p->entry[k].point[j];
            double own = p->over_p ? (double)at->d : at->p, x = x_at(p, p->over_p ? at->p : (double)at->d);
            if (own != p->curve[curve])
                continue;
            output_print(out,
                         "<g class='curve-%d'><line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='currentColor' "
                         "opacity='0.6'/>"
                         "<circle cx='%.1f' cy='%.1f' r='2.6' fill='currentColor'/></g>\n",
                         (int)curve, x, x, y_at(p, at->min), y_at(p, at->max), x, y_at(p, at->typical));
        }
}

static void put_key(bmf_output *out, const picture *p)
{
    for (int64_t k = 0; k < p->curves; k++) {
        char text[32];
        put_count_text(p->curve[k], text, sizeof text);
        double y = TOP + 8 + (double)k * ROW;
        output_print(out,
                     "<rect class='curve-%d' x='%.1f' y='%.1f' width='12' height='3' fill='currentColor'/>"
                     "<text x='%.1f' y='%.1f'>%s %s</text>\n",
                     (int)k, p->x0 + PANEL - RIGHT + 8, y, p->x0 + PANEL - RIGHT + 25, y + 6, p->over_p ? "d" : "p",
                     text);
    }
}

static void put_panel(bmf_output *out, picture *p, const values *xs, const values *curves)
{
    set_x(p, xs);
    choose_curves(p, curves);
    set_y(p);
    put_axis_x(out, p);
    put_axis_y(out, p);
    output_print(out, "<rect x='%.1f' y='%d' width='%d' height='%d' class='frame'/>\n", p->x0 + LEFT, TOP,
                 PANEL - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    for (int64_t k = 0; k < p->curves; k++) {
        for (int from = 0; from <= STEPS;)
            from = put_piece(out, p, k, from);
        put_points(out, p, k);
    }
    /* A single curve whose p does not matter needs no key. */
    if (p->curves > 1 || (!p->over_p && p->entry->p_low > 0))
        put_key(out, p);
}

void sheet_put_svg(bmf_output *out, const bmf_sheet_entry *entry, int64_t count)
{
    values p = list_values(entry, count, true), d = list_values(entry, count, false);
    bool over_p = p.count > 1, over_d = d.count > 1 || !over_p;
    int width = (over_d + over_p) * PANEL;
    output_print(out,
                 "<svg xmlns='http://www.w3.org/2000/svg' class='curves' viewBox='0 0 %d %d' width='%d' height='%d' "
                 "font-family='sans-serif' font-size='12'>\n",
                 width, HEIGHT, width, HEIGHT);
    chart_put_style(out);
    output_print(out,
                 "<rect class='sheet' width='%d' height='%d'/>\n<text x='%d' y='20' font-size='14' "
                 "font-weight='bold'>",
                 width, HEIGHT, LEFT);
    put_markup(out, entry->operation);
    output_text(out, "</text>\n");
    if (over_d)
        put_panel(out, &(picture){.entry = entry, .count = count}, &d, &p);
    if (over_p)
        put_panel(out, &(picture){.entry = entry, .count = count, .over_p = true, .x0 = over_d ? PANEL : 0.0}, &p, &d);
    output_text(out, "</svg>\n");
    free(p.value);
    free(d.value);
}
