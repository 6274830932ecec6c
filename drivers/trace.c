/* bmf trace: what a trace holds, in words and sums. */
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "runtime/trace/trace.h"
#include "runtime/base/allocate.h"
#include "runtime/convert/view.h"

typedef struct sum {
    int64_t events, nanos, amount;
} sum;

static void add(sum *to, const bmf_event *event)
{
    to->events++;
    to->nanos += event->end - event->begin;
    to->amount += event->amount;
}

static void print_sum(const char *name, const sum *s)
{
    printf("  %12lld %16.9f %16lld  %s\n", (long long)s->events, (double)s->nanos * 1e-9, (long long)s->amount, name);
}

/* Sums per node over the events that are regions or calls; the caller frees. */
static sum *sum_nodes(const bmf_trace_run *run)
{
    sum *node = allocate_clear(run->nodes, (int64_t)sizeof *node);
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].kind <= BMF_EVENT_SKELETON)
            add(&node[run->event[k].node], &run->event[k]);
    return node;
}

static void print_path(const bmf_trace_run *run, uint32_t node, const sum *s)
{
    char path[1024];
    char *clean = style_text(run_path(run, node, path, sizeof path), BMF_STYLE_PLAIN);
    print_sum(clean, s);
    free(clean);
}

static void print_run(const bmf_trace_run *run)
{
    sum kind[BMF_EVENT_KINDS] = {0};
    int64_t end = 0;
    for (int64_t k = 0; k < run->events; k++) {
        add(&kind[run->event[k].kind], &run->event[k]);
        end = run->event[k].end > end ? run->event[k].end : end;
    }
    char *program = style_text(run->program, BMF_STYLE_PLAIN), *machine = style_text(run->machine, BMF_STYLE_PLAIN);
    printf("%s: %s on %s\n", run->predicted ? "predicted" : "measured", program, machine);
    free(program);
    free(machine);
    printf("  processors %d, ranks %d, threads %d, seconds %.9f, events %lld", run->lanes, run->ranks, run->threads,
           (double)end * 1e-9, (long long)run->events);
    printf(run->dropped ? ", lost for lack of memory %lld\n" : "\n", (long long)run->dropped);
    printf("\n  %12s %16s %16s  %s\n", "events", "seconds", "amount", "kind");
    for (int k = 0; k < BMF_EVENT_KINDS; k++)
        if (kind[k].events)
            print_sum(bmf_event_kind_name((bmf_event_kind)k), &kind[k]);
    sum *node = sum_nodes(run);
    printf("\n  %12s %16s %16s  %s\n", "events", "seconds", "amount", "region or call");
    for (uint32_t k = 0; k < run->nodes; k++)
        if (node[k].events)
            print_path(run, k, &node[k]);
    free(node);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    bmf_trace *trace;
    (void)values;
    const int status = bmf_trace_read(ctx, operands->text[0], &trace);
    if (status != BMF_OK)
        return report_status(ctx, status);
    for (int k = 0; k < trace->runs; k++) {
        if (k)
            puts("");
        print_run(trace->run[k]);
    }
    bmf_trace_free(trace);
    return finish_output();
}

const bmf_driver trace_command = {
    .name = "trace",
    .summary = "say what a trace holds",
    .synopsis = "bmf trace TRACE",
    .about =
        "Prints what a trace holds: of every run the program, the machine and the length; per kind of event and per "
        "region or skeleton call the number of events, their seconds and their amounts (elements or bytes), added up "
        "over all processors.",
    .example = "bmf trace run.trace",
    .see = "bmf-run, bmf-report, bmf-convert",
    .min_operands = 1,
    .max_operands = 1,
    .no_operand = "no trace",
    .surplus = "more than one trace",
    .run = run};
