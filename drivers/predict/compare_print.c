/* What `bmf predict --compare` says: words first, then the table; the same on a page. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/predict/compare.h"
#include "predict/report/static_page.h"
#include "predict/sheet/text.h"
#include "runtime/base/allocate.h"

enum { TEXT = 64 };

/* ---- numbers ---- */

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* All numbers of processors in order; the caller frees. */
static int64_t *sorted_numbers(const bmf_machine_comparison *c)
{
    const bmf_processor_list *all = &c->options->processors;
    int64_t *number = allocate_array(all->count, (int64_t)sizeof *number);
    memcpy(number, all->number, (size_t)all->count * sizeof *number);
    qsort(number, (size_t)all->count, sizeof *number, ascending);
    return number;
}

static const bmf_predicted *fewest(const bmf_compared *of)
{
    const bmf_predicted *least = NULL;
    for (int64_t k = 0; k < of->options.processors.count; k++)
        if (!least || of->run[k].processors < least->processors)
            least = &of->run[k];
    return least;
}

static const bmf_predicted *fastest(const bmf_compared *of)
{
    const bmf_predicted *best = NULL;
    for (int64_t k = 0; k < of->options.processors.count; k++)
        if (!best || of->run[k].seconds < best->seconds)
            best = &of->run[k];
    return best;
}

static const char *number_text(double value, char text[TEXT])
{
    snprintf(text, TEXT, isfinite(value) ? "%.3f" : "-", value);
    return text;
}

/* "low .. high", or "exact". */
static const char *bounds_text(double low, double high, char text[TEXT])
{
    if (!isfinite(low) || !isfinite(high))
        snprintf(text, TEXT, "-");
    else if (high - low <= 1e-9 * low)
        snprintf(text, TEXT, "exact");
    else
        snprintf(text, TEXT, "%.4g .. %.4g", low, high);
    return text;
}

/* ---- words ---- */

static void put_fastest(FILE *to, const bmf_machine_comparison *c)
{
    char time[TEXT];
    const bmf_predicted *best = NULL;
    int64_t machine = 0;
    for (int64_t m = 0; m < c->count; m++) {
        const bmf_predicted *run = fastest(&c->of[m]);
        if (run && (!best || run->seconds < best->seconds)) {
            best = run;
            machine = m;
        }
    }
    fprintf(to, "fastest of all: %" PRId64 " processor%s of %s, %s\n", best->processors, plural(best->processors),
            c->of[machine].label, time_text(best->seconds, time, sizeof time));
}

/* A machine against the first one, over the numbers of processors that both have. */
typedef struct range {
    double least, most;             /* ratio */
    int64_t at_least, at_most;      /* number of processors */
    int64_t faster, slower, common; /* how many of them; faster and slower as far as the intervals tell */
    int64_t turns, turned_at;       /* how often faster and slower take turns, and from where on last */
    bool first_faster;
} range;

static range find_range(const bmf_machine_comparison *c, int64_t machine, const int64_t *number)
{
    range r = {.least = INFINITY};
    int before = 0;
    for (int64_t k = 0; k < c->options->processors.count; k++) {
        const bmf_machine_ratio ratio = compared_ratio(c, machine, number[k]);
        if (isnan(ratio.ratio))
            continue;
        const int now = ratio.low > 1.0 ? 1 : ratio.high < 1.0 ? -1 : 0;
        r.common++;
        r.faster += now > 0;
        r.slower += now < 0;
        if (ratio.ratio < r.least) {
            r.least = ratio.ratio;
            r.at_least = number[k];
        }
        if (ratio.ratio > r.most) {
            r.most = ratio.ratio;
            r.at_most = number[k];
        }
        if (now != 0 && before == 0)
            r.first_faster = now > 0;
        if (now != 0 && before != 0 && now != before) {
            r.turns++;
            r.turned_at = number[k];
        }
        before = now != 0 ? now : before;
    }
    return r;
}

static void put_ratio(FILE *to, const range *r)
{
    if (r->most - r->least <= 1e-6 * r->most)
        fprintf(to, "%.3g times as fast", r->most);
    else
        fprintf(to, "%.3g (on %" PRId64 ") to %.3g (on %" PRId64 ") times as fast", r->least, r->at_least, r->most,
                r->at_most);
}

static void put_machine(FILE *to, const bmf_machine_comparison *c, int64_t machine, const int64_t *number)
{
    const char *name = c->of[machine].label, *first = c->of[0].label;
    const range r = find_range(c, machine, number);
    if (r.common == 0) {
        fprintf(to, "%s and %s have none of these numbers of processors in common\n", name, first);
        return;
    }
    fprintf(to, "%s is ", name);
    put_ratio(to, &r);
    fprintf(to, " as %s with equally many processors", first);
    if (r.turns == 1)
        fprintf(to, ": %s up to there, %s from %" PRId64 " processors on", r.first_faster ? "faster" : "slower",
                r.first_faster ? "slower" : "faster", r.turned_at);
    else if (r.faster == 0 && r.slower == 0)
        fputs(": the intervals do not tell them apart", to);
    else if (r.turns == 0 && r.faster + r.slower < r.common)
        fprintf(to, ": %s where the intervals tell them apart, on %" PRId64 " of %" PRId64 " numbers of processors",
                r.faster > 0 ? "faster" : "slower", r.faster + r.slower, r.common);
    fputc('\n', to);
}

char *compared_words(const bmf_machine_comparison *c)
{
    int64_t *number = sorted_numbers(c);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to) {
        put_fastest(to, c);
        for (int64_t m = 1; m < c->count; m++)
            put_machine(to, c, m, number);
        fclose(to);
    }
    free(number);
    return text;
}

/* ---- the table ---- */

static int label_width(const bmf_machine_comparison *c)
{
    size_t width = strlen("machine");
    for (int64_t m = 0; m < c->count; m++)
        width = strlen(c->of[m].label) > width ? strlen(c->of[m].label) : width;
    return width > 60 ? 60 : (int)width;
}

/* Speed-up and efficiency are against the machine's own smallest number of processors. */
static double speed_up(const bmf_compared *of, const bmf_predicted *run)
{
    return run->seconds > 0.0 ? fewest(of)->seconds / run->seconds : NAN;
}

static double efficiency(const bmf_compared *of, const bmf_predicted *run)
{
    return speed_up(of, run) * (double)fewest(of)->processors / (double)run->processors;
}

static void print_row(const bmf_machine_comparison *c, int64_t machine, int64_t processors, int width)
{
    const bmf_compared *of = &c->of[machine];
    const bmf_predicted *run = compared_run(c, machine, processors);
    char interval[TEXT], ratio_interval[TEXT], ratio_text[TEXT], up[TEXT], efficient[TEXT];
    printf("%10" PRId64 "  %-*.60s ", processors, width, of->label);
    if (!run) {
        printf("the machine has not so many\n");
        return;
    }
    const bmf_machine_ratio ratio = compared_ratio(c, machine, processors);
    printf("%12.6g %25s %10s %19s %10s %10s %12" PRId64 " %16" PRId64 "%s\n", run->seconds,
           bounds_text(run->low, run->high, interval), number_text(ratio.ratio, ratio_text),
           machine == 0 ? "" : bounds_text(ratio.low, ratio.high, ratio_interval), number_text(speed_up(of, run), up),
           number_text(efficiency(of, run), efficient), run->messages, run->bytes, run->remarks ? " *" : "");
}

static void print_remarks(const bmf_machine_comparison *c)
{
    bool first = true;
    for (int64_t m = 0; m < c->count; m++)
        for (int64_t k = 0; k < c->of[m].options.processors.count; k++)
            for (int64_t r = 0; r < c->of[m].run[k].remarks; r++) {
                printf("%s* %s, %" PRId64 " processors: %s\n", first ? "\n" : "", c->of[m].label,
                       c->of[m].run[k].processors, c->of[m].run[k].remark[r]);
                first = false;
            }
}

void compared_print(const bmf_machine_comparison *c)
{
    const int width = label_width(c);
    int64_t *number = sorted_numbers(c);
    char *words = compared_words(c), machines[TEXT];
    double files = 0.0, error = 0.0;
    for (int64_t m = 0; m < c->count; m++)
        for (int64_t k = 0; k < c->of[m].options.processors.count; k++) {
            files = fmax(files, c->of[m].run[k].files);
            error = fmax(error, c->of[m].run[k].measured_error);
        }
    snprintf(machines, sizeof machines, "%" PRId64 " machines", c->count);
    predicted_print_heading(c->options, machines, files);
    fputs(words ? words : "", stdout);
    printf("\n%10s  %-*s %12s %25s %10s %19s %10s %10s %12s %16s\n", "processors", width, "machine", "seconds",
           "95 % interval", "as fast", "95 % interval", "speed-up", "efficiency", "messages", "bytes");
    for (int64_t k = 0; k < c->options->processors.count; k++)
        for (int64_t m = 0; m < c->count; m++)
            print_row(c, m, number[k], width);
    printf("\nas fast: how many times as fast as %s with equally many processors; speed-up and efficiency are against\n"
           "the machine's own smallest number of processors\n",
           c->of[0].label);
    print_remarks(c);
    predicted_print_error(error);
    for (int64_t m = 0; m < c->count; m++)
        predicted_print_stated(c->of[m].options.machine);
    free(words);
    free(number);
}

/* ---- the page ---- */

typedef double machine_value(const bmf_machine_comparison *c, int64_t machine, const bmf_predicted *run);

static double value_seconds(const bmf_machine_comparison *c, int64_t machine, const bmf_predicted *run)
{
    (void)c;
    (void)machine;
    return run->seconds;
}

static double value_ratio(const bmf_machine_comparison *c, int64_t machine, const bmf_predicted *run)
{
    return compared_ratio(c, machine, run->processors).ratio;
}

static double value_efficiency(const bmf_machine_comparison *c, int64_t machine, const bmf_predicted *run)
{
    return efficiency(&c->of[machine], run);
}

static bmf_curve machine_curve(const bmf_machine_comparison *c, int64_t machine, const int64_t *number,
                               machine_value *value)
{
    const bool times = value == value_seconds;
    bmf_curve curve = curve_new(c->options->processors.count, times);
    snprintf(curve.name, sizeof curve.name, "%.60s", c->of[machine].label);
    curve.count = 0;
    for (int64_t k = 0; k < c->options->processors.count; k++) {
        const bmf_predicted *run = compared_run(c, machine, number[k]);
        const double y = run ? value(c, machine, run) : NAN;
        if (!(y > 0.0))
            continue;
        curve.x[curve.count] = (double)number[k];
        curve.y[curve.count] = y;
        if (times) {
            curve.low[curve.count] = run->low;
            curve.high[curve.count] = run->high;
        }
        curve.count++;
    }
    return curve;
}

static void put_chart(bmf_output *out, const bmf_machine_comparison *c, const int64_t *number, const char *title,
                      const char *y_name, machine_value *value)
{
    bmf_curve *curve = allocate_array(c->count, (int64_t)sizeof *curve);
    for (int64_t m = 0; m < c->count; m++)
        curve[m] = machine_curve(c, m, number, value);
    static_page_chart(out, &(bmf_chart){.title = title,
                                        .x_name = "processors",
                                        .y_name = y_name,
                                        .y_is_time = value == value_seconds,
                                        .curves = c->count,
                                        .curve = curve});
    for (int64_t m = 0; m < c->count; m++)
        curve_free(&curve[m]);
    free(curve);
}

static void put_row(bmf_output *out, const bmf_machine_comparison *c, int64_t machine, int64_t processors)
{
    const bmf_compared *of = &c->of[machine];
    const bmf_predicted *run = compared_run(c, machine, processors);
    char text[TEXT];
    if (!run)
        return;
    const bmf_machine_ratio ratio = compared_ratio(c, machine, processors);
    output_text(out, "<tr>");
    static_page_cell(out, of->label);
    output_print(out, "<td>%" PRId64 "</td>", processors);
    static_page_cell(out, time_text(run->seconds, text, sizeof text));
    static_page_cell(out, bounds_text(run->low, run->high, text));
    static_page_cell(out, number_text(ratio.ratio, text));
    static_page_cell(out, machine == 0 ? "" : bounds_text(ratio.low, ratio.high, text));
    static_page_cell(out, number_text(speed_up(of, run), text));
    static_page_cell(out, number_text(efficiency(of, run), text));
    output_print(out, "<td>%" PRId64 "</td><td>%" PRId64 "</td>", run->messages, run->bytes);
    static_page_cell(out, run->remarks ? "extrapolated" : "");
    output_text(out, "</tr>\n");
}

static void put_page(bmf_output *out, const bmf_machine_comparison *c)
{
    static const char *const head[] = {"machine",  "processors",    "time",     "95 % interval, s",
                                       "as fast",  "95 % interval", "speed-up", "efficiency",
                                       "messages", "bytes",         "",         NULL};
    int64_t *number = sorted_numbers(c);
    char *words = compared_words(c), title[300];
    snprintf(title, sizeof title, "%.200s: %" PRId64 " machines", predicted_program(c->options), c->count);
    static_page_begin(out, title, predicted_program(c->options), "on several machines", "");
    static_page_section(out, "Answers");
    static_page_lines(out, words ? words : "");
    static_page_end_section(out);
    static_page_section(out, "Curves");
    static_page_pair(out);
    put_chart(out, c, number, "Time and its 95 % interval", "time", value_seconds);
    if (c->options->processors.count > 1) {
        put_chart(out, c, number, "As fast as the first machine", "times", value_ratio);
        put_chart(out, c, number, "Efficiency", "efficiency", value_efficiency);
    }
    static_page_end_pair(out);
    static_page_end_section(out);
    static_page_section(out, "All runs");
    static_page_table(out, head);
    for (int64_t k = 0; k < c->options->processors.count; k++)
        for (int64_t m = 0; m < c->count; m++)
            put_row(out, c, m, number[k]);
    static_page_end_table(out);
    static_page_end_section(out);
    static_page_end(out);
    free(words);
    free(number);
}

int compared_write_page(const bmf_machine_comparison *c, const char *path)
{
    bmf_output out;
    const int status = output_open(NULL, &out, path);
    if (status == BMF_OK)
        put_page(&out, c);
    return output_close(NULL, &out, status);
}
