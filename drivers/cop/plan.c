/* bmf cop plan: phases, implementations, bandwidths, barriers, predicted times; schedules of nodes. */
#include "drivers/cop/cop.h"
#include "predict/cop/joints.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "drivers/command/json.h"
#include "runtime/base/allocate.h"

enum { TEXT = 2000 };

static const bmf_cop_candidate *taken(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return &plan->candidates[use->op->number].candidate[use->candidate];
}

/* ---- text ---- */

static void print_use(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    const bmf_cop_candidate *c = taken(plan, use);
    printf("%s: %s by %s%s, %" PRId64 " stream%s, %.3f words a cycle", use->op->label, cop_kind_name(use->op->kind),
           c->implementation->name, use->continues ? " (goes on)" : "", c->streams.count,
           c->streams.count == 1 ? "" : "s", use->bandwidth);
}

/* Operators, and the addresses at which their messages come, lowest and highest over the nodes. */
static void print_messages(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    const int64_t nodes = plan->settings.hardware.mesh.nodes;
    int most;
    uint8_t *address = cop_colour_addresses(plan, &most);
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_use *use = &phase->use[u];
        int low = most + 1, high = 0;
        for (int64_t k = use->op->number * BMF_COP_PARTS * nodes; k < (use->op->number + 1) * BMF_COP_PARTS * nodes;
             k++)
            if (address[k] > 0) {
                low = address[k] < low ? address[k] : low;
                high = address[k] > high ? address[k] : high;
            }
        printf("%s: %s by %s", use->op->label, cop_kind_name(use->op->kind), taken(plan, use)->implementation->name);
        if (high > 0)
            printf(low < high ? ", addresses %d to %d" : ", address %d", low, high);
        printf("\n");
    }
    free(address);
}

static void print_phase(const bmf_cop_plan *plan, int64_t number, const bmf_cop_phase *phase)
{
    printf("phase %" PRId64 "  %s  ", number, cop_ending_name(phase->ending));
    for (int64_t u = 0; u < phase->uses; u++) {
        fputs(u > 0 ? "; " : "", stdout);
        print_use(plan, &phase->use[u]);
    }
    printf("  T_io %.0f T_sched %.0f T_load %.0f\n", phase->io, phase->schedule, phase->load);
}

static int print_plan(const bmf_cop_plan *plan)
{
    char text[TEXT];
    bmf_cop_phase **phase;
    const int64_t phases = cop_list_phases(plan, &phase);
    for (int64_t p = 0; p < phases; p++)
        if (plan->settings.by_messages)
            print_messages(plan, phase[p]);
        else
            print_phase(plan, p + 1, phase[p]);
    if (!plan->settings.by_messages)
        printf("phases  %s\n", cop_phases_text(plan->phases, text, sizeof text));
    printf("predicted %.0f cycles; %s after %" PRId64 " plans\n", plan->time,
           plan->optimal ? "the model's optimum," : "not searched to the end,", plan->searched);
    free(phase);
    return finish_output();
}

/* ---- schedules ---- */

static int draw(const bmf_cop_plan *plan, int64_t node)
{
    const int64_t nodes = plan->settings.hardware.mesh.nodes;
    bmf_cop_phase **phase;
    const int64_t phases = cop_list_phases(plan, &phase);
    int status = BMF_OK;
    if (node >= nodes)
        status = bmf_fail(NULL, BMF_ERROR_ARGUMENT, "--draw: node %" PRId64 " is outside the mesh", node);
    for (int64_t p = 0; p < phases && status == BMF_OK; p++) {
        bmf_scheduled_machine *machine = NULL;
        if (!phase[p]->routes)
            continue;
        status = scheduled_create(&plan->settings.hardware, &machine);
        if (status == BMF_OK)
            status = streams_emit(phase[p]->routes, machine, 1);
        if (status == BMF_OK)
            status = cop_rewrite_joints(plan, phase[p], machine, 1);
        if (status == BMF_OK) {
            printf("schedule of phase %" PRId64 "\n", p + 1);
            scheduled_print(machine, 1, node < 0 ? 0 : node, node < 0 ? nodes : node + 1, stdout);
        }
        scheduled_free(machine);
    }
    free(phase);
    return report_status(NULL, status);
}

/* ---- JSON ---- */

static json_t *phase_json(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    json_t *uses = json_array();
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_use *use = &phase->use[u];
        const bmf_cop_candidate *c = taken(plan, use);
        json_array_append_new(uses, json_pack("{s:o, s:s, s:s, s:I, s:f, s:b, s:b, s:b}", "label",
                                              json_text(use->op->label), "kind", cop_kind_name(use->op->kind),
                                              "implementation", c->implementation->name, "streams",
                                              (json_int_t)c->streams.count, "bandwidth", use->bandwidth, "continues",
                                              use->continues, "terminating", use->terminating, "last", use->last));
    }
    return json_pack("{s:o, s:s, s:f, s:f, s:f, s:f}", "operators", uses, "ending", cop_ending_name(phase->ending),
                     "pause", phase->pause, "io", phase->io, "schedule", phase->schedule, "load", phase->load);
}

static int print_json(const bmf_cop_plan *plan)
{
    char text[TEXT];
    bmf_cop_phase **phase;
    json_t *phases = json_array();
    const int64_t count = cop_list_phases(plan, &phase);
    for (int64_t p = 0; p < count; p++)
        json_array_append_new(phases, phase_json(plan, phase[p]));
    free(phase);
    return json_print(json_pack("{s:o, s:o, s:f, s:b, s:I}", "phases", phases, "tree",
                                json_text(cop_phases_text(plan->phases, text, sizeof text)), "cycles", plan->time,
                                "optimal", plan->optimal, "searched", (json_int_t)plan->searched),
                      BMF_JSON_INDENT);
}

/* ---- the command ---- */

static int print_all(const bmf_cop_options *o, bmf_cop_plan *plan)
{
    int code = o->json ? print_json(plan) : print_plan(plan);
    if (code == 0 && o->rivals && !o->json)
        code = cop_print_rivals(plan);
    if (code == 0 && o->draw != BMF_COP_NO_NODE && !o->json)
        code = draw(plan, o->draw);
    return code == 0 ? finish_output() : code;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const bmf_cop_options *o = values;
    bmf_cop_routers routers;
    bmf_cop_program *program;
    bmf_cop_plan *plan;
    (void)ctx;
    int code = cop_open_program(operands->text[0], o, &routers, &program);
    if (code != 0)
        return code;
    code = cop_open_plan(program, o, &routers, &plan);
    if (code == 0) {
        code = print_all(o, plan);
        cop_plan_free(plan);
    }
    cop_free(program);
    cop_close_routers(&routers);
    return code;
}

static int read_node(const char *text, void *field)
{
    char *end;
    int64_t *node = field;
    *node = strcmp(text, "all") == 0 ? BMF_COP_ALL_NODES : strtoll(text, &end, 10);
    if (*node == BMF_COP_ALL_NODES || (end != text && *end == '\0' && *node >= 0 && *node < BMF_MESH_MAX_NODES))
        return 0;
    return usage_error("--draw needs a node or 'all', not '%s'", text);
}

static const bmf_option table[] = {
    BMF_COP_SIZE_OPTION,
    BMF_COP_ROUTER_OPTION,
    BMF_COP_SET_OPTION,
    BMF_COP_PLAN_OPTIONS,
    BMF_OPTION("rivals", NULL, BMF_FLAG(bmf_cop_options, rivals),
               "what the plan would take with other implementations and other phases, or why they cannot"),
    BMF_OPTION("draw", "NODE|all", BMF_OTHER(bmf_cop_options, draw, read_node), "print the phases' schedules there"),
    BMF_OPTION("json", NULL, BMF_FLAG(bmf_cop_options, json), "one JSON object"),
    BMF_OPTION_END};

const bmf_driver cop_plan_command = {
    .name = "plan",
    .summary = "phases, implementations, bandwidths and predicted times of a program",
    .synopsis = "bmf cop plan FILE|EXPRESSION --size XxY[xZ] [OPTION]..",
    .about =
        "Finds the cheapest plan of a COP program: which operators share a phase, how each is implemented, how a phase "
        "ends. Then the schedules of all phases are found, and bandwidths are those. One line a phase, then the order "
        "of the phases (`pdisjoint`: side by side), then the time that the model predicts, computing apart.",
    .example = "bmf cop plan examples/cop/matmul.cop --size 6x6 --rivals",
    .exit_code = "2 is also a mistake in the program, as FILE:LINE:COLUMN: .., or one that no plan fits.",
    .options = table,
    BMF_ONE_OPERAND("no COP program", "more than one COP program"),
    .defaults = &cop_default_options,
    .size = sizeof(bmf_cop_options),
    .run = run};
