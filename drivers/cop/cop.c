/* bmf cop: programs that say what they communicate, on a mesh of scheduled routers. */
#include "drivers/cop/cop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "drivers/commands.h"
#include "predict/cop/run.h"
#include "predict/cop/trace.h"
#include "predict/mesh/dynamic_run.h"
#include "predict/mesh/routers.h"
#include "predict/mesh/schedule_cache.h"
#include "runtime/base/text.h"

const bmf_cop_options cop_default_options = {.effort = 100000, .draw = BMF_COP_NO_NODE};

enum { USUAL_LENGTH = 24 };

/* ---- from options to plans ---- */

static int read_router(const bmf_cop_options *o, const bmf_mesh *mesh, bmf_cop_routers *routers)
{
    const bmf_mesh_router *router = o->router == BMF_COP_ECUBE      ? &mesh_router_ecube
                                    : o->router == BMF_COP_ADAPTIVE ? &mesh_router_adaptive
                                                                    : &mesh_router_scheduled;
    double *value = mesh_router_values(router);
    int code = 0;
    for (int k = 0; k < o->setting.count && code == 0; k++)
        code = report_status(NULL, mesh_router_set(router, value, o->setting.text[k]));
    *routers = (bmf_cop_routers){.gigahertz = o->gigahertz > 0 ? o->gigahertz : router->gigahertz};
    routers->by_messages = router != &mesh_router_scheduled;
    routers->hardware = (bmf_scheduled_hardware){.mesh = *mesh, .pipelines = 2, .length = USUAL_LENGTH};
    if (code == 0 && routers->by_messages)
        dynamic_settings_of(router == &mesh_router_ecube ? BMF_DYNAMIC_ECUBE : BMF_DYNAMIC_ADAPTIVE, mesh, value,
                            &routers->dynamic);
    else if (code == 0)
        mesh_scheduled_settings(mesh, value, &routers->hardware, &routers->setting);
    free(value);
    return code;
}

int cop_open_program(const char *source, const bmf_cop_options *o, bmf_cop_routers *routers, bmf_cop_program **program)
{
    bmf_cop_settings settings = {.dynamic = o->router != BMF_COP_SCHEDULED};
    int code = report_status(NULL, mesh_parse(o->size, false, &settings.mesh));
    if (code == 0)
        code = read_router(o, &settings.mesh, routers);
    settings.length = routers->hardware.length;
    if (code == 0)
        code = report_status(NULL, cop_read(source, &settings, program));
    if (code == 0)
        routers->hardware.mesh = (*program)->settings.mesh;
    return code;
}

static int set_cost(const char *text, bmf_cop_costs *costs)
{
    struct {
        const char *name;
        double *value;
    } const known[] = {{"B_r", &costs->reprogram_word},
                       {"t_sync", &costs->sync},
                       {"B_rbulk", &costs->bulk_word},
                       {"l_rbulk", &costs->bulk_latency},
                       {"B_if", &costs->interface_word}};
    const size_t length = strcspn(text, "=");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strlen(known[k].name) != length || strncmp(known[k].name, text, length) != 0)
            continue;
        char *end = NULL;
        const double number = text[length] ? strtod(text + length + 1, &end) : 0;
        if (!end || end == text + length + 1 || *end || !(number >= 0 && number <= 1e9))
            return usage_error("--cost %s: a number from 0 to 1e9 is wanted", text);
        *known[k].value = number;
        return 0;
    }
    return usage_error("--cost %s: there is no such constant; B_r, t_sync, B_rbulk, l_rbulk and B_if are", text);
}

/* Schedules of scheduled routers only: others have none. */
static void open_cache(const bmf_cop_options *o, bmf_cop_routers *routers, bmf_cop_plan_settings *settings)
{
    const bool none = o->schedules && strcmp(o->schedules, "none") == 0;
    char *directory = none || routers->by_messages ? NULL
                      : o->schedules               ? text_copy(o->schedules)
                                                   : schedule_cache_directory();
    routers->cache = (bmf_route_cache){.directory = directory};
    settings->cache = directory ? &routers->cache : NULL;
}

void cop_close_routers(bmf_cop_routers *routers)
{
    if (routers->cache.damaged > 0)
        fprintf(stderr, "bmf: %s: damaged schedules that have been made again: %" PRId64 "\n", routers->cache.directory,
                routers->cache.damaged);
    free(routers->cache.directory);
    free(routers->breaks);
    cop_close_plug_ins(routers->plug_ins);
}

/* More than the routers have can be planned for, with a warning. */
static int check_hardware(const bmf_cop_routers *routers, bool runnable, bmf_cop_plan_settings *settings)
{
    if (scheduled_check_hardware(&routers->hardware) == BMF_OK)
        return 0;
    if (runnable)
        return usage_error("--set %s", bmf_error_text(NULL));
    fprintf(stderr, "bmf: warning: --set %s; such a plan cannot be run\n", bmf_error_text(NULL));
    settings->cache = NULL; /* its schedules cannot be checked */
    return 0;
}

static int make_plan(const bmf_cop_program *program, const bmf_cop_options *o, bmf_cop_routers *routers, bool runnable,
                     bmf_cop_plan **plan)
{
    bmf_cop_plan_settings settings = {.hardware = routers->hardware,
                                      .costs = cop_usual_costs,
                                      .effort = o->effort,
                                      .max_phases = o->most_phases,
                                      .optionals_apart = runnable,
                                      .by_messages = routers->by_messages,
                                      .may_take = runnable && !routers->by_messages ? cop_can_run : NULL};

    open_cache(o, routers, &settings);
    if (o->router == BMF_COP_MPI)
        return usage_error("--router mpi: MPI is not simulated; `bmf cop compile` makes programs for it");
    for (int k = 0; k < o->cost.count; k++) {
        const int code = set_cost(o->cost.text[k], &settings.costs);
        if (code != 0)
            return code;
    }
    if (o->implementation.count > 0) {
        const int code =
            report_status(NULL, cop_open_plug_ins(o->implementation.count, o->implementation.text, &routers->plug_ins));
        if (code != 0)
            return code;
        settings.plug_in = cop_plug_in_list(routers->plug_ins);
    }
    int code = routers->by_messages ? 0 : check_hardware(routers, runnable, &settings);
    if (code != 0)
        return code;
    if (o->phases && routers->by_messages)
        return usage_error("--phases: dynamic routers have no phases");
    if (o->phases)
        code = cop_read_phases(program, o->phases, &routers->breaks);
    settings.breaks = routers->breaks;
    if (code == 0)
        code = report_status(NULL, routers->by_messages ? cop_plan_make(program, &settings, NULL, plan)
                                                        : cop_plan_with_schedules(program, &settings, runnable, plan));
    if (code == 0 && o->phases) {
        code = cop_check_phases(*plan, o->phases);
        if (code != 0) {
            cop_plan_free(*plan);
            *plan = NULL;
        }
    }
    return code;
}

int cop_open_plan(const bmf_cop_program *program, const bmf_cop_options *o, bmf_cop_routers *routers,
                  bmf_cop_plan **plan)
{
    return make_plan(program, o, routers, false, plan);
}

int cop_open_runnable(const bmf_cop_program *program, const bmf_cop_options *o, bmf_cop_routers *routers,
                      bmf_cop_plan **plan)
{
    return make_plan(program, o, routers, true, plan);
}

int cop_simulate(const bmf_cop_plan *plan, const bmf_cop_routers *routers, bool in_phase, bmf_cop_body *body,
                 void *state, const char *trace, bmf_cop_times *times)
{
    static const char *const names[] = {"scheduled mesh", "e-cube mesh", "adaptive mesh"};
    const int router = !routers->by_messages ? 0 : routers->dynamic.routing == BMF_DYNAMIC_ECUBE ? 1 : 2;
    bmf_cop_log log = {0};
    bmf_cop_trace *made =
        trace ? cop_trace_create(plan->program, plan->program->path, names[router], routers->gigahertz, &log) : NULL;
    const bmf_cop_log *told = trace ? &log : NULL;
    int status = trace ? trace_try_path(NULL, trace) : BMF_OK;
    if (status == BMF_OK)
        status = routers->by_messages ? cop_run_messages(plan, &routers->dynamic, body, state, told, times)
                                      : cop_run(plan, &routers->setting.simulation, in_phase, body, state, told, times);
    if (status == BMF_OK && trace) {
        status = cop_trace_write(made, trace);
        if (status != BMF_OK)
            free(times->time);
    }
    cop_trace_free(made);
    return report_status(NULL, status);
}

/* ---- the group ---- */

const char *cop_router_name(int number, const char **about)
{
    static const char *const names[] = {"scheduled", "ecube", "adaptive", "mpi", NULL};
    *about = NULL;
    return names[number];
}

static const bmf_driver *const commands[] = {&cop_check_command, &cop_plan_command, &cop_compile_command,
                                             &cop_run_command,   &cop_time_command, NULL};

const bmf_driver cop_command = {
    .name = "cop",
    .summary = "communication by operators, compiled to phases of scheduled routers",
    .synopsis = "bmf cop COMMAND ARGUMENT..",
    .about = "COP, the language of document 004: a program says what it communicates - a broadcast along rows, a shift "
             "along columns, from a source that is known at run time only - and the compiler finds phases, "
             "implementations, bandwidths and the schedules of a mesh of scheduled routers.",
    .example = "bmf cop check examples/cop/matmul.cop --size 6x6\n"
               "bmf cop plan examples/cop/matmul.cop --size 6x6 --draw 14\n"
               "bmf cop plan \"(broadcast 'b 0 :m 1024)\" --size 8x8",
    .see = "bmf-mesh",
    .commands = commands,
    .missing = "no command for COP programs",
};
