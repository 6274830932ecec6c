/* A comparison as tables for a terminal: totals, states, steps (worst first), processors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/convert/view.h"
#include "drivers/runs.h"
#include "predict/report/answer.h"
#include "predict/report/compare_calls.h"
#include "runtime/base/allocate.h"

enum { NAME_WIDTH = 36, STEPS_SHOWN = 30 };

typedef char number[BMF_NUMBER_TEXT];

static double quotient(double predicted, double measured)
{
    return measured > 0 ? predicted / measured : predicted > 0 ? INFINITY : NAN;
}

static void print_runs(const bmf_compared *of)
{
    char *measured = text_run(of->measured), *predicted = text_run(of->predicted);
    printf("%s\n%s\n", measured ? measured : "", predicted ? predicted : "");
    free(measured);
    free(predicted);
    print_remarks(of->measured);
    print_remarks(of->predicted);
}

static void print_count(const char *name, int64_t measured, int64_t predicted, bool comparable)
{
    printf("%-14s %14lld %14lld   %s\n", name, (long long)measured, (long long)predicted,
           !comparable             ? ""
           : measured == predicted ? "equal"
                                   : "DIFFERENT");
}

static void print_totals(const bmf_compared *of)
{
    const bmf_comparison *c = of->comparison;
    number measured, predicted, ratio;
    printf("\n%-14s %14s %14s   %s\n", "", "measured", "predicted", "predicted / measured");
    if (c->common.events)
        printf("%-14s %14s %14s   %-7s the %lld step%s of the top level that both runs have\n", "common steps",
               text_seconds(c->common.measured, measured), text_seconds(c->common.predicted, predicted),
               text_ratio(quotient(c->common.predicted, c->common.measured), ratio), (long long)c->common.events,
               c->common.events == 1 ? "" : "s");
    printf("%-14s %14s %14s   %-7s the runs with everything%s\n", "time", text_seconds(c->total.measured, measured),
           text_seconds(c->total.predicted, predicted),
           text_ratio(quotient(c->total.predicted, c->total.measured), ratio),
           of->measured->predicted || of->predicted->predicted ? ", predictions as drawn, without noise" : "");
    print_count("processors", of->measured->lanes, of->predicted->lanes, true);
    print_count("messages", c->measured_messages, c->predicted_messages, c->same_processors);
    print_count("bytes", c->measured_bytes, c->predicted_bytes, c->same_processors);
}

static void print_covered(const char *name, int64_t covered, int64_t with_interval)
{
    number share;
    if (with_interval)
        printf("  %lld of %lld %s (%s) took a time inside their predicted 95 %% interval\n", (long long)covered,
               (long long)with_interval, name, text_percent((double)covered / (double)with_interval, share));
}

static void print_pairs(const bmf_comparison *c)
{
    if (c->same_processors)
        printf("\n%lld events are in both runs, %lld only in the measured and %lld only in the predicted one\n",
               (long long)c->pairs, (long long)c->only_measured, (long long)c->only_predicted);
    else
        printf("\nDifferent numbers of processors: only steps are compared one by one\n");
    printf("%lld steps are in both runs, %lld only in the measured and %lld only in the predicted one\n",
           (long long)c->steps, (long long)c->only_measured_steps, (long long)c->only_predicted_steps);
    print_covered("events", c->covered, c->with_interval);
    print_covered("steps", c->covered_steps, c->steps_with_interval);
}

static void print_ratio(const bmf_ratio *r)
{
    number text[6];
    printf(" %10s %10s %10s %7s %9lld %8s %8s\n", text_seconds(r->measured, text[0]),
           text_seconds(r->predicted, text[1]), text_seconds(r->predicted - r->measured, text[5]),
           text_ratio(quotient(r->predicted, r->measured), text[2]), (long long)r->events,
           text_percent(r->median, text[3]), text_percent(r->p90, text[4]));
}

static void print_heading(int width, const char *what)
{
    printf("\n%-*s %10s %10s %10s %7s %9s %8s %8s\n", width, what, "measured", "predicted", "difference", "ratio",
           "pairs", "median", "p90");
}

static void print_states(const bmf_comparison *c)
{
    print_heading(NAME_WIDTH, "state, over all processors");
    for (int k = BMF_EVENT_KERNEL; k < BMF_EVENT_KINDS; k++)
        if (c->state[k].measured > 0 || c->state[k].predicted > 0 || c->state[k].events > 0) {
            printf("%-*s", NAME_WIDTH, bmf_event_kind_name((bmf_event_kind)k));
            print_ratio(&c->state[k]);
        }
}

static void print_processors(const bmf_compared *of)
{
    print_heading(NAME_WIDTH, "processor and state");
    for (int64_t lane = 0; lane < of->measured->lanes; lane++)
        for (int k = BMF_EVENT_KERNEL; k < BMF_EVENT_KINDS; k++) {
            const bmf_ratio *r = &of->comparison->lane_state[lane * BMF_EVENT_KINDS + k];
            if (r->measured > 0 || r->predicted > 0 || r->events > 0) {
                printf("%-9lld %-*s", (long long)lane, NAME_WIDTH - 10, bmf_event_kind_name((bmf_event_kind)k));
                print_ratio(r);
            }
        }
}

/* ---- by call ---- */

static void print_call(const char *name, const double *seconds, int width)
{
    number text[4];
    printf("%-*s %10s %10s %10s %7s\n", width, name, text_seconds(seconds[0], text[0]),
           text_seconds(seconds[1], text[1]), text_seconds(seconds[1] - seconds[0], text[2]),
           text_ratio(quotient(seconds[1], seconds[0]), text[3]));
}

static void print_calls(const bmf_compared *of)
{
    bmf_call_comparison calls;
    compare_calls(of->measured, of->predicted, &calls);
    printf("\n%-*s %10s %10s %10s %7s\n", NAME_WIDTH, "call, over all processors", "measured", "predicted",
           "difference", "ratio");
    for (int64_t k = 0; k < calls.states; k++)
        print_call(calls.name[k], calls.all[k], NAME_WIDTH);
    for (int64_t lane = 0; of->processors && lane < calls.lanes; lane++)
        for (int64_t k = 0; k < calls.states; k++) {
            const double *seconds = calls.lane[lane * calls.states + k];
            if (seconds[0] > 0 || seconds[1] > 0) {
                printf("%-9lld ", (long long)lane);
                print_call(calls.name[k], seconds, NAME_WIDTH - 10);
            }
        }
    call_comparison_free(&calls);
}

/* ---- steps ---- */

typedef struct row {
    uint32_t node;
    double difference;
} row;

static int by_difference(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->difference != y->difference)
        return x->difference > y->difference ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* The end of a path that fits, with two dots before it if something is left out. */
static void print_path(const bmf_trace_run *run, uint32_t node)
{
    char path[4096];
    char *clean = style_text(run_path(run, node, path, sizeof path), BMF_STYLE_PLAIN);
    const char *text = clean ? clean : "";
    int width = 0, skip;
    for (const char *at = text; *at; at++)
        width += ((unsigned char)*at & 0xc0) != 0x80;
    skip = width > NAME_WIDTH ? width - NAME_WIDTH + 2 : 0;
    int columns = skip ? NAME_WIDTH : width;
    for (; *text && (skip > 0 || ((unsigned char)*text & 0xc0) == 0x80); text++)
        skip -= ((unsigned char)text[1] & 0xc0) != 0x80;
    printf("%s%s%*s", width > NAME_WIDTH ? ".." : "", text, NAME_WIDTH - columns, "");
    free(clean);
}

static void print_steps(const bmf_compared *of)
{
    const bmf_comparison *c = of->comparison;
    row *rows = allocate_array(c->nodes, (int64_t)sizeof *rows);
    int64_t count = 0;
    for (uint32_t node = 0; node < (uint32_t)c->nodes; node++)
        if (c->node[node].measured > 0 || c->node[node].predicted > 0)
            rows[count++] = (row){node, fabs(c->node[node].predicted - c->node[node].measured)};
    if (count == 0) {
        free(rows);
        return;
    }
    qsort(rows, (size_t)count, sizeof *rows, by_difference);
    print_heading(NAME_WIDTH, "step, worst first");
    for (int64_t k = 0; k < count && k < STEPS_SHOWN; k++) {
        print_path(of->measured, rows[k].node);
        print_ratio(&c->node[rows[k].node]);
    }
    if (count > STEPS_SHOWN)
        printf("  .. and %lld more that differ less; --json has all\n", (long long)(count - STEPS_SHOWN));
    free(rows);
}

void compare_print(const bmf_compared *of)
{
    answer_print(of->answer);
    print_runs(of);
    print_totals(of);
    print_pairs(of->comparison);
    if (of->by_call)
        print_calls(of);
    else
        print_states(of->comparison);
    print_steps(of);
    if (!of->by_call && of->processors && of->comparison->lane_state)
        print_processors(of);
    puts("\nmedian, p90: of |predicted / measured - 1| over the pairs");
}
