/* What `bmf choose` says of the parts of a program: which of them keeps it from scaling, and the equation of each. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "drivers/choose/choose.h"
#include "drivers/command/json.h"
#include "predict/report/static_page.h"
#include "predict/sheet/text.h"
#include "runtime/base/allocate.h"

enum { TEXT = 48, EQUATION = 200, SHOWN = 12, CURVES = 8 };

static const double negligible = 0.001; /* of the whole run: parts that never take more are not shown */

/* ---- order ---- */

/* The most that it ever is of the whole run. */
static double largest_share(const bmf_regions *regions, const bmf_region *region)
{
    double most = 0.0;
    for (int64_t k = 0; k < regions->numbers; k++)
        if (region->seconds[k] > 0.0 && regions->whole[k] > 0.0)
            most = fmax(most, region->seconds[k] / regions->whole[k]);
    return most;
}

typedef struct ranked {
    double share;
    int64_t region;
} ranked;

static int by_share(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

static int by_entry(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->region < y->region ? -1 : x->region > y->region;
}

/* Those that matter most, at most `wanted`, in the order of the program. */
static int64_t choose_shown(const bmf_regions *regions, int64_t wanted, ranked *shown)
{
    ranked *all = allocate_array(regions->count, (int64_t)sizeof *all);
    int64_t count = 0;
    for (int64_t k = 0; k < regions->count; k++) {
        const double share = largest_share(regions, &regions->region[k]);
        if (share > negligible)
            all[count++] = (ranked){share, k};
    }
    qsort(all, (size_t)count, sizeof *all, by_share);
    count = count < wanted ? count : wanted;
    for (int64_t k = 0; k < count; k++)
        shown[k] = all[k];
    qsort(shown, (size_t)count, sizeof *shown, by_entry);
    free(all);
    return count;
}

/* The first and the last number of processors on which it was entered; false: on none. */
static bool find_ends(const bmf_regions *regions, const bmf_region *region, int64_t *first, int64_t *last)
{
    *first = *last = -1;
    for (int64_t k = 0; k < regions->numbers; k++)
        if (!isnan(region->seconds[k])) {
            *first = *first < 0 ? k : *first;
            *last = k;
        }
    return *first >= 0;
}

/* ---- words ---- */

void choose_put_worst_part(FILE *to, const choose_study *study, int64_t machine)
{
    const bmf_regions *regions = &study->region[machine];
    int64_t number;
    const int64_t worst = regions_worst(regions, &number);
    if (worst < 0)
        return;
    const bmf_region *region = &regions->region[worst];
    const double p = (double)regions->processors[number], rest = region_rest(region, p), least = region_least(region);
    char equation[EQUATION];
    if (!(rest > negligible * regions->whole[number])) {
        fprintf(to, "%s: every part takes less with more processors\n", study->machine[machine]->name);
        return;
    }
    fprintf(to, "%s: what falls least is %s, %s: %.0f %% of the time on %" PRId64 " processors",
            study->machine[machine]->name, region->path, region_equation(region, equation, sizeof equation),
            100.0 * fmin(region->seconds[number] / regions->whole[number], 1.0), regions->processors[number]);
    if (least < p && least > 1.0)
        fprintf(to, "; it takes least on %.0f", least);
    else if (least <= 1.0)
        fputs("; it never falls", to);
    fputc('\n', to);
}

/* ---- the table ---- */

static void print_part(const bmf_regions *regions, const bmf_region *region)
{
    char from[TEXT], until[TEXT], equation[EQUATION];
    int64_t first, last;
    if (!find_ends(regions, region, &first, &last))
        return;
    printf("%-40.100s %12s %12s  %s", region->path, time_text(region->seconds[first], from, sizeof from),
           time_text(region->seconds[last], until, sizeof until), region_equation(region, equation, sizeof equation));
    if (region->fitted && region->deviation > 0.1)
        printf("  (off by up to %.0f %%)", 100.0 * region->deviation);
    putchar('\n');
}

void choose_print_parts(const choose_study *study)
{
    ranked shown[SHOWN];
    for (int64_t m = 0; m < study->machines; m++) {
        const bmf_regions *regions = &study->region[m];
        const int64_t count = choose_shown(regions, SHOWN, shown);
        if (count == 0 || regions->numbers < 2)
            continue;
        printf("\n%-40s %12s %12s  %s\n", study->machine[m]->name, "on fewest", "on most",
               "seconds on p processors, of one run");
        for (int64_t k = 0; k < count; k++)
            print_part(regions, &regions->region[shown[k].region]);
    }
}

/* ---- the object ---- */

static json_t *times_array(const bmf_regions *regions, const bmf_region *region)
{
    json_t *list = json_array();
    for (int64_t k = 0; k < regions->numbers; k++)
        if (!isnan(region->seconds[k]))
            json_array_append_new(list, json_pack("{s:I, s:f}", "processors", (json_int_t)regions->processors[k],
                                                  "seconds", region->seconds[k]));
    return list;
}

static json_t *equation_object(const bmf_region *region)
{
    if (!region->fitted)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:o}", "constant", region->coefficient[BMF_REGION_CONSTANT],
                     "divided_by_p", region->coefficient[BMF_REGION_DIVIDED], "log2_p",
                     region->coefficient[BMF_REGION_LOGARITHMIC], "p", region->coefficient[BMF_REGION_LINEAR],
                     "deviation", region->deviation, "least_at", json_finite(region_least(region)));
}

json_t *choose_parts_array(const choose_study *study)
{
    json_t *list = json_array();
    for (int64_t m = 0; m < study->machines; m++)
        for (int64_t k = 0; k < study->region[m].count; k++) {
            const bmf_region *region = &study->region[m].region[k];
            json_array_append_new(
                list, json_pack("{s:o, s:o, s:b, s:b, s:o, s:o}", "machine", json_text(study->machine[m]->name), "part",
                                json_text(region->path), "call", region->is_call, "has_parts", region->has_parts,
                                "times", times_array(&study->region[m], region), "equation", equation_object(region)));
        }
    return list;
}

/* ---- the page ---- */

static bmf_curve part_curve(const bmf_regions *regions, const bmf_region *region)
{
    bmf_curve curve = curve_new(regions->numbers, false);
    snprintf(curve.name, sizeof curve.name, "%.60s", region->path);
    curve.count = 0;
    for (int64_t k = 0; k < regions->numbers; k++)
        if (region->seconds[k] > 0.0) {
            curve.x[curve.count] = (double)regions->processors[k];
            curve.y[curve.count++] = region->seconds[k];
        }
    return curve;
}

static void put_chart(bmf_output *out, const choose_study *study, int64_t machine)
{
    const bmf_regions *regions = &study->region[machine];
    ranked shown[CURVES];
    bmf_curve curve[CURVES];
    char title[128];
    const int64_t count = choose_shown(regions, CURVES, shown);
    if (count == 0)
        return;
    for (int64_t k = 0; k < count; k++)
        curve[k] = part_curve(regions, &regions->region[shown[k].region]);
    snprintf(title, sizeof title, "Parts on %.60s", study->machine[machine]->name);
    static_page_chart(out, &(bmf_chart){.title = title,
                                        .x_name = "processors",
                                        .y_name = "seconds",
                                        .y_is_time = true,
                                        .curves = count,
                                        .curve = curve});
    for (int64_t k = 0; k < count; k++)
        curve_free(&curve[k]);
}

static void put_rows(bmf_output *out, const choose_study *study, int64_t machine)
{
    const bmf_regions *regions = &study->region[machine];
    char text[EQUATION];
    ranked shown[SHOWN];
    const int64_t count = choose_shown(regions, SHOWN, shown);
    for (int64_t k = 0; k < count; k++) {
        const bmf_region *region = &regions->region[shown[k].region];
        int64_t first, last;
        if (!find_ends(regions, region, &first, &last))
            continue;
        output_text(out, "<tr>");
        static_page_cell(out, study->machine[machine]->name);
        static_page_cell(out, region->path);
        static_page_cell(out, time_text(region->seconds[first], text, sizeof text));
        static_page_cell(out, time_text(region->seconds[last], text, sizeof text));
        static_page_cell(out, region_equation(region, text, sizeof text));
        snprintf(text, sizeof text, "%.1f %%", 100.0 * region->deviation);
        static_page_cell(out, region->fitted ? text : "");
        output_text(out, "</tr>\n");
    }
}

void choose_put_parts(bmf_output *out, const choose_study *study)
{
    static const char *const head[] = {"machine",         "part",         "on fewest", "on most",
                                       "on p processors", "off by up to", NULL};
    static_page_section(out, "Part by part");
    output_text(out,
                "<p class=\"note\">The longest that a processor is in a region or call of the program, of one run, "
                "and the equation of p that describes it.</p>");
    static_page_pair(out);
    for (int64_t m = 0; m < study->machines; m++)
        put_chart(out, study, m);
    static_page_end_pair(out);
    static_page_table(out, head);
    for (int64_t m = 0; m < study->machines; m++)
        put_rows(out, study, m);
    static_page_end_table(out);
    static_page_end_section(out);
}
