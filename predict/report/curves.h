/* Curves and surfaces of times: as SVG, as a GNUplot script, and as one HTML page with heat maps and surfaces in space.
 *
 * All put into an output that the caller opens and closes; errors are kept by it. Axes are logarithmic; values that are
 * not above 0 are left out. */
#ifndef BMF_REPORT_CURVES_H
#define BMF_REPORT_CURVES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/convert/output.h"

/* Points of one curve, x rising. */
typedef struct bmf_curve {
    char name[64];
    bool measured; /* drawn as points, otherwise as a line */
    int64_t count;
    double *x, *y, *low, *high; /* low and high: a band, or the least and most of a point; NULL: none */
} bmf_curve;

typedef struct bmf_chart {
    const char *title, *x_name, *y_name;
    bool y_is_time; /* seconds, otherwise plain numbers */
    int64_t curves;
    bmf_curve *curve;
} bmf_chart;

/* value[row * columns + column] over x[column] and y[row]; NaN where there is none. */
typedef struct bmf_surface {
    const char *title, *x_name, *y_name, *value_name;
    bool is_time; /* seconds */
    int64_t columns, rows;
    double *x, *y, *value;
} bmf_surface;

typedef struct bmf_surface_page {
    const char *title, *subtitle;
    int64_t charts, surfaces;
    const bmf_chart *chart;
    const bmf_surface *surface; /* those of one quantity stand side by side, on one scale */
} bmf_surface_page;

/* An <svg> element. */
void curves_put_svg(bmf_output *out, const bmf_chart *chart);
/* A script with its data, which draws all charts and surfaces into PREFIX-1.svg and so on. */
void curves_put_gnuplot(bmf_output *out, const bmf_surface_page *page, const char *prefix);
/* A self-contained page: no network, no other file. */
void curves_put_page(bmf_output *out, const bmf_surface_page *page);

/* A curve with room for count points, with bounds if asked for. */
bmf_curve curve_new(int64_t count, bool bounds);
void curve_free(bmf_curve *curve);
/* x and y are copied; values are NaN. */
bmf_surface surface_new(int64_t columns, const double *x, int64_t rows, const double *y);
void surface_free(bmf_surface *surface);

#endif
