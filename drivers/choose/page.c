/* bmf choose --html: the answers, curves and tables on one page that loads nothing. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/choose/choose.h"
#include "predict/report/static_page.h"
#include "predict/sheet/text.h"
#include "runtime/base/allocate.h"
#include "runtime/convert/markup.h"
#include "runtime/convert/output.h"

enum { TEXT = 48 };

/* ---- curves ---- */

/* What a curve is made of: a value of an offer against another. */
typedef double offer_value(const choose_study *study, const bmf_offer *offer);

static double value_processors(const choose_study *study, const bmf_offer *o)
{
    (void)study;
    return (double)o->processors;
}

static double value_seconds(const choose_study *study, const bmf_offer *o)
{
    (void)study;
    return o->seconds;
}

static double value_efficiency(const choose_study *study, const bmf_offer *o)
{
    (void)study;
    return o->efficiency;
}

static double value_cost(const choose_study *study, const bmf_offer *o)
{
    return offer_cost(o, study->choice.has_prices);
}

static bmf_curve machine_curve(const choose_study *study, int64_t machine, offer_value *x, offer_value *y, bool bounds)
{
    const int64_t numbers = study->options->predict.processors.count;
    const bmf_offer *o;
    bmf_curve curve = curve_new(numbers, bounds);
    snprintf(curve.name, sizeof curve.name, "%.60s", study->machine[machine]->name);
    curve.count = 0;
    for (int64_t k = 0; k < numbers; k++) {
        o = choose_best(study, machine, k);
        if (!o || o->refusal != BMF_OFFERED || !(x(study, o) > 0.0) || !(y(study, o) > 0.0))
            continue;
        curve.x[curve.count] = x(study, o);
        curve.y[curve.count] = y(study, o);
        if (bounds) {
            curve.low[curve.count] = o->low;
            curve.high[curve.count] = o->high;
        }
        curve.count++;
    }
    return curve;
}

static void put_chart(bmf_output *out, const choose_study *study, const char *title, const char *x_name, offer_value *x,
                      const char *y_name, offer_value *y, bool bounds)
{
    bmf_curve *curve = allocate_array(study->machines, (int64_t)sizeof *curve);
    for (int64_t m = 0; m < study->machines; m++)
        curve[m] = machine_curve(study, m, x, y, bounds);
    const bmf_chart chart = {.title = title,
                             .x_name = x_name,
                             .y_name = y_name,
                             .y_is_time = y == value_seconds,
                             .curves = study->machines,
                             .curve = curve};
    static_page_chart(out, &chart);
    for (int64_t m = 0; m < study->machines; m++)
        curve_free(&curve[m]);
    free(curve);
}

/* Where the time of one machine goes, over the processors. */
static void put_parts_chart(bmf_output *out, const choose_study *study, int64_t machine)
{
    const int64_t numbers = study->options->predict.processors.count;
    bmf_curve curve[BMF_LIMITS];
    int64_t curves = 0;
    char title[128];
    for (int part = 0; part < BMF_LIMITS; part++) {
        bmf_curve *c = &curve[curves];
        *c = curve_new(numbers, false);
        snprintf(c->name, sizeof c->name, "%s", limit_name((bmf_limit)part));
        c->count = 0;
        for (int64_t k = 0; k < numbers; k++) {
            const bmf_offer *o = choose_best(study, machine, k);
            if (!o || !(o->part[part] > 1e-4 * o->best))
                continue;
            c->x[c->count] = (double)o->processors;
            c->y[c->count++] = o->part[part];
        }
        if (c->count > 0)
            curves++;
        else
            curve_free(c);
    }
    snprintf(title, sizeof title, "Where the time goes on %.60s", study->machine[machine]->name);
    const bmf_chart chart = {.title = title,
                             .x_name = "processors",
                             .y_name = "seconds",
                             .y_is_time = true,
                             .curves = curves,
                             .curve = curve};
    if (curves > 0)
        static_page_chart(out, &chart);
    for (int64_t k = 0; k < curves; k++)
        curve_free(&curve[k]);
}

static void put_curves(bmf_output *out, const choose_study *study)
{
    const bool many = study->options->predict.processors.count > 1;
    char cost[64];
    snprintf(cost, sizeof cost, "cost in %s", study->choice.has_prices ? choose_currency(study) : "node-hours");
    static_page_section(out, "Time, cost, efficiency");
    static_page_pair(out);
    put_chart(out, study, "Time and its 95 % interval", "processors", value_processors, "time", value_seconds, true);
    if (many) {
        put_chart(out, study, "Time against cost", cost, value_cost, "time", value_seconds, false);
        put_chart(out, study, "Efficiency", "processors", value_processors, "efficiency", value_efficiency, false);
    }
    static_page_end_pair(out);
    static_page_end_section(out);
    if (!many)
        return;
    static_page_section(out, "Why it stops scaling");
    static_page_pair(out);
    for (int64_t m = 0; m < study->machines; m++)
        put_parts_chart(out, study, m);
    static_page_end_pair(out);
    static_page_end_section(out);
    choose_put_parts(out, study);
}

/* ---- words and tables ---- */

static void put_row(bmf_output *out, const choose_study *study, int64_t number)
{
    const bmf_offer *o = &study->offer[number];
    const bmf_node *node = &study->machine[o->machine]->node;
    char text[3 * TEXT], low[TEXT], high[TEXT];
    if (!offer_exists(o))
        return;
    output_text(out, number == study->chosen ? "<tr class=\"chosen\">" : o->pareto ? "<tr class=\"front\">" : "<tr>");
    static_page_cell(out, study->machine[o->machine]->name);
    output_print(out, "<td>%" PRId64 "</td><td>%" PRId64 " x %" PRId64 "</td><td>%" PRId64 "</td>", o->processors,
                 o->ranks, o->threads, o->nodes);
    static_page_cell(out, choose_time_text(o->seconds, text, sizeof text));
    snprintf(text, sizeof text, "%s to %s", choose_time_text(o->low, low, sizeof low),
             choose_time_text(o->high, high, sizeof high));
    static_page_cell(out, text);
    output_print(out, "<td>%.3g</td>", o->node_hours);
    static_page_cell(out, money_text(o->cost, node->currency, text, sizeof text));
    snprintf(text, sizeof text, isfinite(o->efficiency) ? "%.3f" : "-", o->efficiency);
    static_page_cell(out, text);
    static_page_cell(out, memory_text(o->memory, text, sizeof text));
    snprintf(text, sizeof text, "%s%s%s", limit_name(o->limit),
             o->refusal == BMF_REFUSED_MEMORY ? "; does not fit into its memory" : "",
             o->in_domain ? "" : "; extrapolated");
    static_page_cell(out, text);
    output_text(out, "</tr>\n");
}

static void put_table(bmf_output *out, const choose_study *study)
{
    static const char *const head[] = {"machine",    "processors",    "ranks x threads", "nodes",
                                       "time",       "95 % interval", "node-hours",      "cost",
                                       "efficiency", "node holds",    "what limits it",  NULL};
    static_page_section(out, "All offers");
    output_text(out, "<p class=\"note\">Bold: to take. Marked: no other offer is both faster and cheaper.</p>");
    static_page_table(out, head);
    for (int64_t k = 0; k < study->offers; k++)
        put_row(out, study, k);
    static_page_end_table(out);
    static_page_end_section(out);
}

static void put_changes(bmf_output *out, const choose_study *study)
{
    static const char *const head[] = {"a machine with", "time", "times as fast", "cost", NULL};
    char text[TEXT];
    if (study->changes == 0 || study->chosen < 0)
        return;
    static_page_section(out, "What better parts would buy");
    static_page_table(out, head);
    for (int64_t k = 0; k < study->changes; k++) {
        const choose_change *c = &study->change[k];
        if (isnan(c->ratio))
            continue;
        output_text(out, "<tr>");
        static_page_cell(out, c->text);
        static_page_cell(out, choose_time_text(c->seconds, text, sizeof text));
        output_print(out, "<td>%.3f</td>", c->ratio);
        static_page_cell(out, money_text(c->cost, choose_currency(study), text, sizeof text));
        output_text(out, "</tr>\n");
    }
    static_page_end_table(out);
    static_page_end_section(out);
}

static void put_answers(bmf_output *out, const choose_study *study)
{
    char *answer = choose_answer(study), *why = choose_why(study);
    static_page_section(out, "Answers");
    static_page_lines(out, answer ? answer : "");
    static_page_lines(out, why ? why : "");
    static_page_end_section(out);
    free(answer);
    free(why);
}

int choose_write_page(const choose_study *study, const char *path)
{
    static const char style[] = ".figures td:nth-child(11),.figures th:nth-child(11){text-align:left}\n"
                                ".figures .chosen{font-weight:bold}"
                                ".figures .chosen,.figures .front{background:#2a6f9722}\n";
    bmf_output out;
    char title[300];
    int status = output_open(NULL, &out, path);
    if (status == BMF_OK) {
        snprintf(title, sizeof title, "%.200s: which machine", study->program);
        static_page_begin(&out, title, study->program, "which machine, and how many processors", style);
        put_answers(&out, study);
        put_curves(&out, study);
        put_changes(&out, study);
        put_table(&out, study);
        static_page_end(&out);
    }
    return output_close(NULL, &out, status);
}
