/* COP programs from their texts, planned and run by messages. Include after cmocka.h. */
#ifndef BMF_TEST_COP_PROGRAMS_H
#define BMF_TEST_COP_PROGRAMS_H

#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/run.h"

/* dynamic: for dynamic routers */
static inline bmf_cop_program *cop_program_for(const char *text, const char *size, bool dynamic)
{
    bmf_cop_settings settings = {.length = 24, .dynamic = dynamic};
    bmf_cop_program *program = NULL;
    assert_int_equal(mesh_parse(size, false, &settings.mesh), BMF_OK);
    if (cop_parse(text, (int64_t)strlen(text), "test.cop", &settings, &program) != BMF_OK)
        fail_msg("%s: %s", text, bmf_error_text(NULL));
    return program;
}

static inline bmf_cop_plan *cop_plan_by_messages(const bmf_cop_program *program)
{
    const bmf_cop_plan_settings settings = {
        .hardware = {.pipelines = 2, .length = 24}, .costs = cop_usual_costs, .effort = 2000, .by_messages = true};
    bmf_cop_plan *plan = NULL;
    if (cop_plan_make(program, &settings, NULL, &plan) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    return plan;
}

/* Routers of one cycle a link, with e-cube routing. */
static inline bmf_dynamic_settings cop_ecube(void)
{
    return (bmf_dynamic_settings){.routing = BMF_DYNAMIC_ECUBE,
                                  .channels = 1,
                                  .buffer = 8,
                                  .inject_channels = 1,
                                  .addresses = BMF_DYNAMIC_ADDRESSES,
                                  .header = 1,
                                  .link = 1,
                                  .inject = 1,
                                  .credit = 1,
                                  .inject_credit = 1,
                                  .eject_credit = 1,
                                  .speedup = 1};
}

/* Of kernels only. */
static inline int64_t cop_cycles_by_messages(const char *text, const char *size, const bmf_dynamic_settings *settings)
{
    bmf_cop_program *program = cop_program_for(text, size, true);
    bmf_cop_plan *plan = cop_plan_by_messages(program);
    bmf_cop_times times;
    if (cop_run_messages(plan, settings, cop_kernel, plan, NULL, &times) != BMF_OK)
        fail_msg("%s: %s", text, bmf_error_text(NULL));
    free(times.time);
    cop_plan_free(plan);
    cop_free(program);
    return times.cycles;
}

#endif
