/* Curves and surfaces as a GNUplot script with its data inside (data blocks, GNUplot 5). */
#include <math.h>

#include "predict/report/curves.h"

/* A text between double quotes, in which GNUplot reads nothing. */
static void put_quoted(bmf_output *out, const char *text)
{
    char *to = output_begin(out);
    *to++ = '"';
    for (int k = 0; text[k] && k < 500; k++)
        *to++ = text[k] == '"' || text[k] == '\\' || text[k] == '\n' ? '\'' : text[k];
    *to++ = '"';
    output_end(out, to);
}

static void put_labelled(bmf_output *out, const char *command, const char *text)
{
    output_print(out, "%s ", command);
    put_quoted(out, text);
    output_text(out, "\n");
}

static void put_curve_data(bmf_output *out, int64_t chart, const bmf_chart *of)
{
    for (int64_t k = 0; k < of->curves; k++) {
        const bmf_curve *c = &of->curve[k];
        output_print(out, "$curve_%lld_%lld << EOD\n", (long long)chart, (long long)k);
        for (int64_t i = 0; i < c->count; i++)
            output_print(out, "%.9g %.9g %.9g %.9g\n", c->x[i], c->y[i], c->low ? c->low[i] : c->y[i],
                         c->high ? c->high[i] : c->y[i]);
        output_text(out, "EOD\n");
    }
}

static void put_chart(bmf_output *out, int64_t number, const bmf_chart *of)
{
    put_labelled(out, "set title", of->title);
    put_labelled(out, "set xlabel", of->x_name);
    put_labelled(out, "set ylabel", of->y_name);
    output_text(out, "set logscale xy\n");
    for (int64_t k = 0; k < of->curves; k++) {
        const bmf_curve *c = &of->curve[k];
        output_print(out, "%s $curve_%lld_%lld using 1:2%s with %s title ", k == 0 ? "plot" : ", \\\n    ",
                     (long long)number, (long long)k, c->measured && c->low ? ":3:4" : "",
                     !c->measured ? "lines"
                     : c->low     ? "yerrorbars"
                                  : "points");
        put_quoted(out, c->name);
    }
    output_text(out, "\nunset logscale\n");
}

static void put_surface(bmf_output *out, int64_t number, const bmf_surface *of)
{
    output_print(out, "$surface_%lld << EOD\n", (long long)number);
    for (int64_t row = 0; row < of->rows; row++) {
        for (int64_t column = 0; column < of->columns; column++) {
            const double value = of->value[row * of->columns + column];
            output_print(out, isfinite(value) ? "%.9g %.9g %.9g\n" : "%.9g %.9g NaN\n", of->x[column], of->y[row],
                         value);
        }
        output_text(out, "\n");
    }
    output_text(out, "EOD\n");
    put_labelled(out, "set title", of->title);
    put_labelled(out, "set xlabel", of->x_name);
    put_labelled(out, "set ylabel", of->y_name);
    put_labelled(out, "set zlabel", of->value_name);
    output_print(out, "set logscale xyz\nset hidden3d\nsplot $surface_%lld using 1:2:3 with lines notitle\n",
                 (long long)number);
    output_text(out, "unset logscale\nunset hidden3d\n");
}

static void put_picture(bmf_output *out, const char *prefix, int64_t number)
{
    char name[340];
    snprintf(name, sizeof name, "%.280s-%lld.svg", prefix, (long long)number);
    put_labelled(out, "set output", name);
}

void curves_put_gnuplot(bmf_output *out, const bmf_surface_page *page, const char *prefix)
{
    int64_t picture = 0;
    output_text(out, "# Draws its pictures beside it: gnuplot FILE. Times are seconds.\nset encoding utf8\n"
                     "set terminal svg size 800,560 noenhanced background 'white'\nset grid\nset key outside\n");
    for (int64_t k = 0; k < page->charts; k++) {
        put_curve_data(out, k, &page->chart[k]);
        put_picture(out, prefix, ++picture);
        put_chart(out, k, &page->chart[k]);
    }
    for (int64_t k = 0; k < page->surfaces; k++) {
        put_picture(out, prefix, ++picture);
        put_surface(out, k, &page->surface[k]);
    }
}
