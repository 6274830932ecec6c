/* bmf cop time: how long a kernel takes, from all nodes' start to the last one's end. */
#include <stdlib.h>

#include "drivers/cop/cop.h"
#include "drivers/cop/results.h"

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const bmf_cop_options *o = values;
    bmf_cop_routers routers;
    bmf_cop_program *program;
    bmf_cop_plan *plan;
    bmf_cop_times times;
    (void)ctx;
    int code = cop_open_program(operands->text[0], o, &routers, &program);
    if (code != 0)
        return code;
    code = cop_open_runnable(program, o, &routers, &plan);
    if (code == 0) {
        code = cop_simulate(plan, &routers, true, cop_kernel, plan, o->trace, &times);
        if (code == 0) {
            const bmf_cop_result_options shown = {o->nodes, o->worst, o->json, routers.gigahertz};
            code = cop_print_times(&times, &shown);
            free(times.time);
        }
        cop_plan_free(plan);
    }
    cop_free(program);
    cop_close_routers(&routers);
    return code;
}

static const bmf_option table[] = {BMF_COP_SIZE_OPTION,  BMF_COP_ROUTER_OPTION,  BMF_COP_SET_OPTION,
                                   BMF_COP_PLAN_OPTIONS, BMF_COP_RESULT_OPTIONS, BMF_OPTION_END};

const bmf_driver cop_time_command = {
    .name = "time",
    .summary = "how long a kernel takes, cycle by cycle",
    .synopsis = "bmf cop time FILE|EXPRESSION --size XxY[xZ] [OPTION]..",
    .about = "Plans a COP program and simulates its operators, each called once in the order of the program: all nodes "
             "start at cycle 0 with their routers in the first phase, and the time is that of the last node that is "
             "through. Operands that are known at run time only are 0.",
    .example = "bmf cop time \"(broadcast 'b 0 :m 1024 :impl str_bcast)\" --size 8x8",
    .exit_code = "2 is also a mistake in the program, or one that cannot be run.",
    .options = table,
    BMF_ONE_OPERAND("no COP program", "more than one COP program"),
    .defaults = &cop_default_options,
    .size = sizeof(bmf_cop_options),
    .run = run};
