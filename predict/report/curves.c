/* Curves of times on logarithmic axes, as SVG.
 *
 * Method: lines with a band for what is predicted, points with their least and most for what was measured; a curve and
 * its points that have one name have one colour. predict/sheet/chart_style.h has the colours.
 * Cost: O(points). */
#include "predict/report/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/sheet/chart_style.h"
#include "predict/sheet/text.h"
#include "runtime/base/allocate.h"
#include "runtime/convert/markup.h"

enum { WIDTH = 640, HEIGHT = 400, LEFT = 70, RIGHT = 130, TOP = 36, BOTTOM = 46, ROW = 18, NUMBER = 32, TITLE = 78 };

typedef struct range {
    double low, high; /* both above 0 */
} range;

typedef struct frame {
    const bmf_chart *chart;
    range x, y;
} frame;

/* ---- curves and surfaces ---- */

bmf_curve curve_new(int64_t count, bool bounds)
{
    bmf_curve made = {.count = count, .x = allocate_array(count, (int64_t)sizeof(double))};
    made.y = allocate_array(count, (int64_t)sizeof(double));
    made.low = bounds ? allocate_array(count, (int64_t)sizeof(double)) : NULL;
    made.high = bounds ? allocate_array(count, (int64_t)sizeof(double)) : NULL;
    return made;
}

void curve_free(bmf_curve *curve)
{
    free(curve->x);
    free(curve->y);
    free(curve->low);
    free(curve->high);
}

static double *copy_numbers(const double *from, int64_t count)
{
    return memcpy(allocate_array(count, (int64_t)sizeof *from), from, (size_t)count * sizeof *from);
}

bmf_surface surface_new(int64_t columns, const double *x, int64_t rows, const double *y)
{
    bmf_surface made = {.columns = columns, .rows = rows, .x = copy_numbers(x, columns), .y = copy_numbers(y, rows)};
    made.value = allocate_array(columns * rows, (int64_t)sizeof *made.value);
    for (int64_t k = 0; k < columns * rows; k++)
        made.value[k] = NAN;
    return made;
}

void surface_free(bmf_surface *surface)
{
    free(surface->x);
    free(surface->y);
    free(surface->value);
}

/* ---- axes ---- */

static void widen(range *r, double value)
{
    if (!(value > 0.0 && isfinite(value)))
        return;
    r->low = r->low > 0.0 ? fmin(r->low, value) : value;
    r->high = fmax(r->high, value);
}

static void find_ranges(frame *f)
{
    for (int64_t k = 0; k < f->chart->curves; k++) {
        const bmf_curve *c = &f->chart->curve[k];
        for (int64_t i = 0; i < c->count; i++) {
            widen(&f->x, c->x[i]);
            widen(&f->y, c->y[i]);
            widen(&f->y, c->high ? c->high[i] : 0.0);
        }
    }
    range *const both[] = {&f->x, &f->y};
    for (int k = 0; k < 2; k++) {
        if (both[k]->low <= 0.0)
            *both[k] = (range){1.0, 1.0};
        both[k]->low /= k == 0 ? 1.08 : 1.3;
        both[k]->high *= k == 0 ? 1.08 : 1.3;
    }
}

static double place(const range *r, double value, double from, double to)
{
    const double at = (log(value) - log(r->low)) / (log(r->high) - log(r->low));
    return from + fmin(fmax(at, 0.0), 1.0) * (to - from);
}

static double x_at(const frame *f, double value)
{
    return place(&f->x, value, LEFT, WIDTH - RIGHT);
}

static double y_at(const frame *f, double value)
{
    return place(&f->y, value > 0.0 ? value : f->y.low, HEIGHT - BOTTOM, TOP);
}

/* The next tick above a value: 1, 2 and 5 of every decade, powers of two where few decades are shown, or decades. */
static double next_tick(const range *r, double value)
{
    static const double parts[] = {1.0, 2.0, 5.0, 10.0};
    const double decades = log10(r->high / r->low), decade = pow(10.0, floor(log10(value) + 1e-9));
    if (decades > 3.0)
        return decade * (value < decade * (1.0 - 1e-9) ? 1.0 : 10.0);
    for (int k = 0; k < 4; k++)
        if (decade * parts[k] > value * (1.0 + 1e-9))
            return decade * parts[k];
    return decade * 20.0;
}

static double first_tick(const range *r)
{
    return next_tick(r, pow(10.0, floor(log10(r->low))) * (1.0 - 1e-6));
}

static void put_axes(bmf_output *out, const frame *f)
{
    char text[NUMBER];
    for (double t = first_tick(&f->x); t <= f->x.high; t = next_tick(&f->x, t))
        if (t >= f->x.low)
            output_print(out,
                         "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' class='grid'/>"
                         "<text x='%.1f' y='%d' text-anchor='middle'>%.6g</text>\n",
                         x_at(f, t), x_at(f, t), TOP, HEIGHT - BOTTOM, x_at(f, t), HEIGHT - BOTTOM + 15, t);
    for (double t = first_tick(&f->y); t <= f->y.high; t = next_tick(&f->y, t)) {
        if (t < f->y.low)
            continue;
        snprintf(text, sizeof text, "%.6g", t);
        output_print(out,
                     "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' class='grid'/>"
                     "<text x='%d' y='%.1f' text-anchor='end'>%s</text>\n",
                     LEFT, WIDTH - RIGHT, y_at(f, t), y_at(f, t), LEFT - 6, y_at(f, t) + 4,
                     f->chart->y_is_time ? time_text(t, text, sizeof text) : text);
    }
    output_print(out, "<text x='%d' y='%d' text-anchor='middle'>", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
    put_markup(out, f->chart->x_name);
    output_print(out, "</text>\n<rect x='%d' y='%d' width='%d' height='%d' class='frame'/>\n", LEFT, TOP,
                 WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
}

/* ---- curves ---- */

/* The first curve of the same name decides. */
static int colour_of(const bmf_chart *chart, int64_t curve)
{
    int number = 0;
    for (int64_t k = 0; k < curve; k++) {
        bool first = true;
        for (int64_t j = 0; j < k; j++)
            first = first && strcmp(chart->curve[j].name, chart->curve[k].name) != 0;
        if (strcmp(chart->curve[k].name, chart->curve[curve].name) == 0)
            return number % CHART_COLOURS;
        number += first;
    }
    return number % CHART_COLOURS;
}

static void put_line(bmf_output *out, const frame *f, const bmf_curve *c, int colour)
{
    if (c->low) {
        output_print(out, "<polygon class='curve-%d' fill='currentColor' opacity='0.15' points='", colour);
        for (int64_t i = 0; i < c->count; i++)
            output_print(out, "%.1f,%.1f ", x_at(f, c->x[i]), y_at(f, c->high[i]));
        for (int64_t i = c->count - 1; i >= 0; i--)
            output_print(out, "%.1f,%.1f ", x_at(f, c->x[i]), y_at(f, c->low[i]));
        output_text(out, "'/>\n");
    }
    output_print(out, "<polyline class='curve-%d' fill='none' stroke='currentColor' stroke-width='1.8' points='",
                 colour);
    for (int64_t i = 0; i < c->count; i++)
        if (c->y[i] > 0.0)
            output_print(out, "%.1f,%.1f ", x_at(f, c->x[i]), y_at(f, c->y[i]));
    output_text(out, "'/>\n");
}

static void put_points(bmf_output *out, const frame *f, const bmf_curve *c, int colour)
{
    for (int64_t i = 0; i < c->count; i++) {
        const double x = x_at(f, c->x[i]);
        if (!(c->y[i] > 0.0))
            continue;
        if (c->low)
            output_print(out, "<line class='curve-%d' x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='currentColor'/>",
                         colour, x, x, y_at(f, c->low[i]), y_at(f, c->high[i]));
        output_print(out, "<circle class='dot curve-%d' cx='%.1f' cy='%.1f' r='3.4' fill='currentColor'/>\n", colour, x,
                     y_at(f, c->y[i]));
    }
}

static void put_key(bmf_output *out, const bmf_chart *chart)
{
    int row = 0;
    for (int64_t k = 0; k < chart->curves; k++) {
        bool first = true;
        for (int64_t j = 0; j < k; j++)
            first = first && strcmp(chart->curve[j].name, chart->curve[k].name) != 0;
        if (!first)
            continue;
        const int y = TOP + 10 + ROW * row++;
        output_print(
            out, "<rect class='curve-%d' x='%d' y='%d' width='14' height='4' fill='currentColor'/><text x='%d' y='%d'>",
            colour_of(chart, k), WIDTH - RIGHT + 10, y - 6, WIDTH - RIGHT + 30, y);
        put_markup(out, chart->curve[k].name);
        output_text(out, "</text>\n");
    }
}

/* The picture is wider where names need more room than is right of the frame: 7 units a letter. */
static int width_of(const bmf_chart *chart)
{
    int width = WIDTH;
    for (int64_t k = 0; k < chart->curves; k++) {
        const int end = WIDTH - RIGHT + 36 + 7 * (int)strlen(chart->curve[k].name);
        width = end > width ? end : width;
    }
    return width;
}

/* As far as it fits, by whole words. */
static void put_title(bmf_output *out, const char *title)
{
    char text[TITLE + 4];
    size_t length = strlen(title);
    if (length > TITLE)
        for (length = TITLE; length > 0 && title[length] != ' ';)
            length--;
    snprintf(text, sizeof text, "%.*s%s", (int)length, title, title[length] ? " .." : "");
    put_markup(out, text);
}

void curves_put_svg(bmf_output *out, const bmf_chart *chart)
{
    frame f = {.chart = chart};
    const int width = width_of(chart);
    find_ranges(&f);
    output_print(out,
                 "<svg xmlns='http://www.w3.org/2000/svg' class='curves' viewBox='0 0 %d %d' width='%d' height='%d' "
                 "font-family='sans-serif' font-size='12' role='img'>\n",
                 width, HEIGHT, width, HEIGHT);
    chart_put_style(out);
    output_print(out,
                 "<rect class='sheet' width='%d' height='%d'/>\n"
                 "<text x='10' y='22' font-size='13' font-weight='bold'>",
                 width, HEIGHT);
    put_title(out, chart->title);
    output_text(out, "</text>\n");
    put_axes(out, &f);
    for (int64_t k = 0; k < chart->curves; k++) {
        const bmf_curve *c = &chart->curve[k];
        if (c->measured)
            put_points(out, &f, c, colour_of(chart, k));
        else
            put_line(out, &f, c, colour_of(chart, k));
    }
    put_key(out, chart);
    output_text(out, "</svg>\n");
}
