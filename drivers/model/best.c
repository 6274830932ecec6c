/* bmf model best: the fastest number of processes, where speed-up ends, where phases overtake each other. */
#include <math.h>
#include <stdlib.h>

#include "drivers/command/json.h"
#include "drivers/model/model.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { MAX_CROSSINGS = 100 };

/* From p processes on phase `longer` takes longer than phase `shorter`, which took longer before. */
typedef struct crossing {
    double p;
    int longer, shorter;
} crossing;

/* All p for one d and c; time[k * count + i] is that of phase k, or of the total, on p[i] processes, in order. */
typedef struct search {
    const bmf_equations *equations;
    int phases;
    int64_t count;
    const double *p;
    double *d, *c, *time, one;     /* one: the total on one process */
    int64_t best;                  /* fastest; of equally fast ones the first */
    int64_t end;                   /* the first p that is faster than the next one, or -1 */
    int64_t near_first, near_last; /* p around the best that take at most 5 % longer */
    int64_t gain_first, gain_last; /* p that are faster than one process, or -1 */
    crossing *crossing;
    int64_t crossings, crossing_capacity;
} search;

static const double near_best = 1.05;

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const double *total_of(const search *s)
{
    return s->time + (int64_t)s->phases * s->count;
}

/* ---- searching ---- */

static void find_best(search *s)
{
    const double *total = total_of(s);
    s->best = 0;
    s->end = s->gain_first = s->gain_last = -1;
    for (int64_t i = 0; i < s->count; i++) {
        if (total[i] < total[s->best])
            s->best = i;
        if (s->end < 0 && i + 1 < s->count && total[i + 1] > total[i])
            s->end = i;
        if (!(total[i] < s->one))
            continue;
        s->gain_first = s->gain_first < 0 ? i : s->gain_first;
        s->gain_last = i;
    }
    s->near_first = s->near_last = s->best;
    while (s->near_first > 0 && total[s->near_first - 1] <= near_best * total[s->best])
        s->near_first--;
    while (s->near_last + 1 < s->count && total[s->near_last + 1] <= near_best * total[s->best])
        s->near_last++;
}

/* Where a pair of phases changes its order; equal times change nothing. */
static void find_crossings_of(search *s, int a, int b)
{
    const double *x = s->time + (int64_t)a * s->count, *y = s->time + (int64_t)b * s->count;
    int before = 0;
    for (int64_t i = 0; i < s->count; i++) {
        const int order = (x[i] > y[i]) - (x[i] < y[i]);
        if (order != 0 && before != 0 && order != before && s->crossings < MAX_CROSSINGS)
            *ARRAY_APPEND(s->crossing, s->crossings, s->crossing_capacity) =
                (crossing){s->p[i], order > 0 ? a : b, order > 0 ? b : a};
        before = order != 0 ? order : before;
    }
}

static int compare_crossings(const void *a, const void *b)
{
    const crossing *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return x->longer != y->longer ? x->longer - y->longer : x->shorter - y->shorter;
}

static int run_search(search *s, double d, double c)
{
    for (int64_t i = 0; i < s->count; i++) {
        s->d[i] = d;
        s->c[i] = c;
    }
    BMF_TRY(equations_times(s->equations, s->count, s->p, s->d, s->c, s->time));
    s->one = model_time_of_one(s->equations, d, c);
    find_best(s);
    s->crossings = 0;
    for (int a = 0; a < s->phases; a++)
        for (int b = a + 1; b < s->phases; b++)
            find_crossings_of(s, a, b);
    if (s->crossings > 0)
        qsort(s->crossing, (size_t)s->crossings, sizeof *s->crossing, compare_crossings);
    return BMF_OK;
}

/* ---- text ---- */

static const char *processes(double p, char text[40])
{
    snprintf(text, 40, "%.10g process%s", p, p == 1.0 ? "" : "es");
    return text;
}

static void print_gain(const search *s)
{
    if (!isfinite(s->one))
        return;
    if (s->gain_first < 0)
        puts("  never faster than one process");
    else
        printf("  faster than one process from %.10g to %.10g\n", s->p[s->gain_first], s->p[s->gain_last]);
}

static void print_search(const search *s, const bmf_equation_time *total, double d, double c)
{
    char text[40];
    const double p = s->p[s->best], gain = s->one / total->time;
    printf("d = %.6g, c = %.6g us\n", d, c);
    printf("  fastest: %s, %.6g us", processes(p, text), total->time);
    if (total->high > total->low)
        printf(" (95 %% interval %.6g .. %.6g)", total->low, total->high);
    if (isfinite(gain))
        printf(", speed-up %.3f, efficiency %.3f", gain, gain / p);
    puts("");
    printf("  at most 5 %% slower: %.10g to %.10g\n", s->p[s->near_first], s->p[s->near_last]);
    if (s->end >= 0)
        printf("  speed-up ends at %s\n", processes(s->p[s->end], text));
    else
        printf("  speed-up does not end up to %s\n", processes(s->p[s->count - 1], text));
    print_gain(s);
    for (int64_t k = 0; k < s->crossings; k++)
        printf("  from %s on %s takes longer than %s\n", processes(s->crossing[k].p, text),
               equations_phase(s->equations, s->crossing[k].longer),
               equations_phase(s->equations, s->crossing[k].shorter));
    if (!total->inside)
        printf("  outside: %s\n", total->outside);
}

/* ---- JSON ---- */

static json_t *number_at(const search *s, int64_t i)
{
    return i < 0 ? json_null() : json_real(s->p[i]);
}

static json_t *search_object(const search *s, const bmf_equation_time *total, double d, double c)
{
    json_t *crossings = json_array();
    for (int64_t k = 0; k < s->crossings; k++)
        json_array_append_new(crossings, json_pack("{s:f, s:s, s:s}", "p", s->crossing[k].p, "longer",
                                                   equations_phase(s->equations, s->crossing[k].longer), "shorter",
                                                   equations_phase(s->equations, s->crossing[k].shorter)));
    const double gain = s->one / total->time;
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:[o, o], s:o, s:[o, o], s:o, s:b}", "d", d, "c",
                     1e-6 * c, "p", s->p[s->best], "seconds", 1e-6 * total->time, "lo", 1e-6 * total->low, "hi",
                     1e-6 * total->high, "speed_up", json_finite(gain), "efficiency", json_finite(gain / s->p[s->best]),
                     "near", number_at(s, s->near_first), number_at(s, s->near_last), "end", number_at(s, s->end),
                     "faster_than_one", number_at(s, s->gain_first), number_at(s, s->gain_last), "crossings", crossings,
                     "in_domain", total->inside);
}

/* ---- all of them ---- */

static int search_one(search *s, double d, double c, bmf_equation_time *estimate, json_t *results)
{
    BMF_TRY(run_search(s, d, c));
    BMF_TRY(equations_estimate(s->equations, s->p[s->best], d, c, estimate));
    if (results)
        json_array_append_new(results, search_object(s, &estimate[s->phases], d, c));
    else
        print_search(s, &estimate[s->phases], d, c);
    return BMF_OK;
}

static int search_all(search *s, const bmf_model_options *o, json_t *results)
{
    int status = BMF_OK;
    bmf_equation_time *estimate = allocate_array(s->phases + 1, (int64_t)sizeof *estimate);
    for (int64_t i = 0; i < o->d.count * o->c.count && status == BMF_OK; i++) {
        if (i > 0 && !results)
            puts("");
        status = search_one(s, o->d.number[i / o->c.count], o->c.number[i % o->c.count], estimate, results);
    }
    free(estimate);
    return status;
}

static int find(const bmf_equations *equations, const bmf_model_options *o)
{
    char title[512];
    search s = {.equations = equations, .phases = equations_phases(equations), .count = o->p.count, .p = o->p.number};
    qsort(o->p.number, (size_t)o->p.count, sizeof *o->p.number, compare_numbers);
    s.d = allocate_array(s.count, (int64_t)sizeof *s.d);
    s.c = allocate_array(s.count, (int64_t)sizeof *s.c);
    s.time = allocate_array(s.count * (s.phases + 1), (int64_t)sizeof *s.time);
    json_t *results = o->json ? json_array() : NULL;
    if (!results)
        printf("%s\n\n", model_title(equations, title, sizeof title));
    const int status = search_all(&s, o, results);
    free(s.d);
    free(s.c);
    free(s.time);
    free(s.crossing);
    if (status != BMF_OK || !results) {
        json_decref(results);
        return report_status(NULL, status);
    }
    return json_print(json_pack("{s:o, s:o, s:o}", "model", json_text(equations_path(equations)), "machine",
                                json_text(equations_machine(equations)), "best", results),
                      BMF_JSON_LINE);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    (void)ctx;
    return use_equations(operands->text[0], values, find);
}

static const bmf_option table[] = {
    BMF_MODEL_POINT_OPTIONS(model_read_all_processes,
                            "numbers of processes to choose from: 1..512 (all from 1 to 512), or 1,2,4"),
    BMF_MODEL_MACHINE_OPTIONS,
    BMF_OPTION("json", NULL, BMF_FLAG(bmf_model_options, json),
               "print one JSON object: model, machine, and best, a list of {d, c, p, seconds, lo, hi, speed_up, "
               "efficiency, near, end, faster_than_one, crossings, in_domain}; near and faster_than_one are the first "
               "and the last p, crossings have p, longer, shorter"),
    BMF_OPTION_END};

const bmf_driver model_best_command = {
    .name = "best",
    .summary = "the fastest number of processes by a program's equations",
    .synopsis = "bmf model best F -p LIST -d LIST [-c LIST] [--sheet S] [--set NAME=X].. [OPTION]..",
    .about = "Finds for every d and c the number of processes with the least time, how far around it times are at most "
             "5 % longer, the first one after which times rise (speed-up ends), the first and last one that are faster "
             "than one process, and the numbers from which on one phase takes longer than another one.",
    .example = "bmf model best mandel-comm -p 1..512 -d 160 -c 0.01us",
    .options = table,
    BMF_ONE_OPERAND("no file of equations", "more than one file of equations"),
    .size = sizeof(bmf_model_options),
    .run = run};
