/* Fuzz target of COP programs; what can be read can be printed and, if it is small, planned. */
#include <math.h>
#include <stdio.h>

#include "bmf/status.h"
#include "ctest/fuzz/fuzz.h"
#include "predict/cop/plan.h"

enum { MAX_STREAMS = 400, MAX_OPERATORS = 6 };

static void plan_program(const bmf_cop_program *program)
{
    const bmf_cop_plan_settings settings = {
        .hardware = {.pipelines = 2, .length = 24, .separate_wires = true}, .costs = cop_usual_costs, .effort = 20};
    bmf_cop_plan *plan;
    const int status = cop_plan_make(program, &settings, NULL, &plan);
    if (status != BMF_OK) {
        demand_line(status);
        return;
    }
    demand(isfinite(plan->time) && plan->time >= 0, "a plan takes a finite time");
    cop_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_cop_settings settings = {.length = 24};
    bmf_cop_program *program;
    int64_t instances = 0;
    demand(mesh_parse("4x3", false, &settings.mesh) == BMF_OK, "the mesh can be made");
    const int status = cop_parse((const char *)bytes, (int64_t)size, "fuzz.cop", &settings, &program);
    if (status != BMF_OK) {
        demand_line(status);
        return 0;
    }
    FILE *nowhere = fopen("/dev/null", "w");
    demand(nowhere, "/dev/null is there");
    cop_print_tree(program, nowhere);
    fclose(nowhere);
    for (int64_t k = 0; k < program->operators; k++)
        instances += program->op[k]->instances;
    if (program->operators <= MAX_OPERATORS && instances <= MAX_STREAMS && program->settings.mesh.nodes <= 64)
        plan_program(program);
    cop_free(program);
    return 0;
}
