/* Fuzz target of equations and of the rules of programs; what can be read can be checked, described, asked and
 * followed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bmf/status.h"
#include "ctest/fuzz/fuzz.h"
#include "predict/equations/equations.h"
#include "predict/fit/generate.h"

static void ask(const bmf_equations *equations)
{
    static const double p[] = {1, 2, 7, 64}, d[] = {1, 20, 160, 1e6}, c[] = {0, 1, 0.05, 1e3};
    const int phases = equations_phases(equations);
    double *time = calloc((size_t)(phases + 1) * 4, sizeof *time);
    bmf_equation_time *estimate = calloc((size_t)(phases + 1), sizeof *estimate);
    demand(time && estimate, "there is memory");
    int status = equations_times(equations, 4, p, d, c, time);
    if (status != BMF_OK)
        demand_line(status);
    for (int k = 0; k < 4 * (phases + 1) && status == BMF_OK; k++)
        demand(isfinite(time[k]) && time[k] >= 0.0, "times are finite and not negative");
    status = equations_estimate(equations, 4, 100, 1, estimate);
    if (status != BMF_OK)
        demand_line(status);
    free(time);
    free(estimate);
}

static void follow(const bmf_equations *equations)
{
    bmf_trace_run *run;
    for (int64_t sample = 0; sample < 2; sample++) {
        const int status = program_generate(equations, 20, 3, sample, 1 << 12, &run);
        if (status != BMF_OK) {
            demand_line(status);
            continue;
        }
        for (int64_t k = 0; k < run->events; k++)
            demand(run->event[k].begin <= run->event[k].end && run->event[k].peer < run->lanes, "events are right");
        run_free(run);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const bmf_equation_settings settings[] = {{.as_printed = true}, {.whole_rows = true}};
    bmf_equations *equations;
    bmf_equation_remark *remark;
    int status = equations_parse((const char *)bytes, (int64_t)size, "fuzz.model", &settings[size % 2], &equations);
    if (status != BMF_OK) {
        demand_line(status);
        return 0;
    }
    FILE *nowhere = fopen("/dev/null", "w");
    demand(nowhere, "/dev/null is there");
    equations_describe(equations, nowhere);
    fclose(nowhere);
    equations_check(equations, &remark);
    free(remark);
    ask(equations);
    follow(equations);
    equations_free(equations);
    return 0;
}
