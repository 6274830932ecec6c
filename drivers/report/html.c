/* What a report page is about: runs, their intervals and comparison, the speed-up curve. */
#include <stdlib.h>

#include "drivers/runs.h"
#include "predict/replay/replay.h"
#include "predict/report/answer.h"
#include "predict/report/report.h"
#include "runtime/base/allocate.h"

static int by_processors(const void *a, const void *b)
{
    const bmf_scaling *x = a, *y = b;
    if (x->processors != y->processors)
        return x->processors < y->processors ? -1 : 1;
    return x->measured > y->measured ? -1 : x->measured < y->measured;
}

/* One point per run; NULL if all have the same number of processors. */
static bmf_scaling *make_curve(bmf_trace_run *const *run, int runs)
{
    bmf_scaling *point = allocate_array(runs, (int64_t)sizeof *point);
    bool differ = false;
    for (int k = 0; k < runs; k++) {
        bmf_expected_length expected;
        run_expect(run[k], &expected);
        const double seconds = run_seconds(run[k], &expected);
        const bool uncertain = expected.high > expected.low;
        point[k] = (bmf_scaling){.processors = run[k]->lanes,
                                 .seconds = seconds,
                                 .low = uncertain ? expected.low + expected.files : seconds,
                                 .high = uncertain ? expected.high + expected.files : seconds,
                                 .measured = run[k]->predicted == 0,
                                 .in_domain = true};
        differ = differ || run[k]->lanes != run[0]->lanes;
    }
    if (differ) {
        qsort(point, (size_t)runs, sizeof *point, by_processors);
        return point;
    }
    free(point);
    return NULL;
}

/* Those that were asked for, then the usual ones. */
static int make_topologies(const bmf_strings *wanted, int64_t processors, bmf_topologies *all)
{
    for (int k = 0; k < wanted->count; k++)
        BMF_TRY(topologies_add(all, wanted->text[k], processors));
    topologies_add_usual(all, processors);
    return BMF_OK;
}

int write_runs_html(bmf_trace_run *first, bmf_trace_run *second, bmf_trace_run *const *all, int count,
                    const bmf_strings *topologies, const char *sources, const char *path)
{
    bmf_topologies under = {0};
    bmf_comparison *comparison = NULL;
    bmf_scaling *curve = make_curve(all, count);
    bmf_report_contents report = {
        .title = first->program, .runs = second ? 2 : 1, .run = {first, second}, .sources = sources};
    const int64_t processors = second && second->lanes > first->lanes ? second->lanes : first->lanes;
    int status = make_topologies(topologies, processors, &under);
    if (status == BMF_OK && second)
        status = compare_runs(first, second, &comparison);
    for (int k = 0; k < report.runs && status == BMF_OK; k++) {
        status = make_run_intervals(report.run[k], 0, -1, &report.intervals[k], NULL);
        run_expect(report.run[k], &report.expected[k]);
    }
    report.comparison = comparison;
    report.topologies = &under;
    report.scaling = curve;
    report.points = curve ? count : 0;
    if (status == BMF_OK)
        status = report_write(&report, path);
    intervals_free(report.intervals[0]);
    intervals_free(report.intervals[1]);
    comparison_free(comparison);
    topologies_free(&under);
    free(curve);
    return status;
}
