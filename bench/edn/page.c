/* bmf-bench edn --html: figures 5.3 to 5.6 of document 003 as curves, published beside predicted.
 *
 * The document's figures 5.5 and 5.6 are pictures without numbers: there is nothing published to draw in them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/edn/figures.h"
#include "predict/report/curves.h"
#include "runtime/base/allocate.h"

enum { CHARTS = 4 };

static bmf_curve new_curve(const char *what, int method, bool measured, int64_t count)
{
    bmf_curve curve = curve_new(count, false);
    curve.measured = measured;
    snprintf(curve.name, sizeof curve.name, "%s%s", record_method_name((bmf_record_method)method), what);
    return curve;
}

static bmf_chart new_chart(const char *title, int64_t curves)
{
    bmf_chart chart = {.title = title, .x_name = "records a processor", .y_name = "seconds", .y_is_time = true};
    chart.curve = allocate_array(curves, (int64_t)sizeof *chart.curve);
    return chart;
}

/* Figure 5.3 or 5.4. */
static bmf_chart chart_of_columns(const char *title, const edn_column *column)
{
    bmf_chart chart = new_chart(title, 2 * (int64_t)EDN_METHODS);
    for (int k = 0; k < EDN_METHODS; k++)
        for (int published = 0; published < 2; published++) {
            const edn_column *c = &column[k];
            bmf_curve *curve = &chart.curve[chart.curves++];
            *curve = new_curve(published ? ", published" : ", predicted", (int)c->method, published, EDN_SIZES);
            for (int m = 0; m < EDN_SIZES; m++) {
                curve->x[m] = ldexp(1.0, m);
                curve->y[m] = published ? c->published[m] : c->predicted[m];
            }
        }
    return chart;
}

static bmf_chart chart_of_scatter(const edn_random *random)
{
    bmf_chart chart = new_chart("Figure 5.5: random matrices, one by one", EDN_METHODS);
    for (int method = 0; method < EDN_METHODS; method++) {
        bmf_curve *curve = &chart.curve[chart.curves++];
        int64_t count = 0;
        *curve = new_curve("", method, true, (int64_t)EDN_SIZES * EDN_SCATTER);
        for (int m = 0; m < EDN_SIZES; m++)
            for (int64_t n = 0; n < random[m].scattered; n++) {
                curve->x[count] = ldexp(1.0, m);
                curve->y[count++] = random[m].scatter[method][n];
            }
        curve->count = count;
    }
    return chart;
}

static bmf_chart chart_of_means(const edn_random *random)
{
    bmf_chart chart = new_chart("Figure 5.6: random matrices, means", EDN_METHODS);
    for (int method = 0; method < EDN_METHODS; method++) {
        bmf_curve *curve = &chart.curve[chart.curves++];
        *curve = new_curve("", method, false, EDN_SIZES);
        for (int m = 0; m < EDN_SIZES; m++) {
            curve->x[m] = ldexp(1.0, m);
            curve->y[m] = random[m].seconds[method];
        }
    }
    return chart;
}

int edn_page_write(const edn_figures *figures, const char *machine, const char *path)
{
    bmf_chart chart[CHARTS] = {
        chart_of_columns("Figure 5.3: the identity", figures->column),
        chart_of_columns("Figure 5.4: the transposition", figures->column + EDN_METHODS),
        chart_of_scatter(figures->random),
        chart_of_means(figures->random),
    };
    const bmf_surface_page page = {
        .title = "Permutations by three methods", .subtitle = machine, .charts = CHARTS, .chart = chart};
    bmf_output out;
    const int status = output_open(NULL, &out, path);
    if (status == BMF_OK)
        curves_put_page(&out, &page);
    for (int k = 0; k < CHARTS; k++) {
        for (int64_t n = 0; n < chart[k].curves; n++)
            curve_free(&chart[k].curve[n]);
        free(chart[k].curve);
    }
    return output_close(NULL, &out, status);
}
