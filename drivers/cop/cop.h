/* What the commands below `bmf cop` share: options, and the way from a program's text to its plan. */
#ifndef BMF_DRIVERS_COP_H
#define BMF_DRIVERS_COP_H

#include "drivers/command/command.h"
#include "predict/cop/plan.h"
#include "predict/cop/plug_in.h"
#include "predict/cop/run.h"
#include "predict/mesh/dynamic.h"
#include "predict/mesh/phase.h"

enum { BMF_COP_NO_NODE = -1, BMF_COP_ALL_NODES = -2 };

typedef enum bmf_cop_router { BMF_COP_SCHEDULED, BMF_COP_ECUBE, BMF_COP_ADAPTIVE, BMF_COP_MPI } bmf_cop_router;

typedef struct bmf_cop_options {
    const char *size, *output, *trace, *schedules, *phases;
    int router;
    bmf_strings setting, cost, implementation;
    int64_t effort, most_phases;
    int64_t draw; /* whose schedules: a node, BMF_COP_NO_NODE or BMF_COP_ALL_NODES */
    bool rivals, json, nodes, worst;
    double gigahertz;
} bmf_cop_options;

extern const bmf_cop_options cop_default_options;

#define BMF_COP_SIZE_OPTION                                                                                            \
    BMF_OPTION("size", "XxY[xZ]", BMF_TEXT(bmf_cop_options, size), "nodes of the mesh",                                \
               .missing = "the size of the mesh is wanted: --size XxY")
#define BMF_COP_ROUTER_OPTION                                                                                          \
    BMF_OPTION("router", "R", BMF_CHOICE(bmf_cop_options, router, cop_router_name),                                    \
               "what carries words: scheduled, ecube or adaptive, which are simulated, or mpi")
#define BMF_COP_SET_OPTION                                                                                             \
    BMF_OPTION("set", "NAME=VALUE", BMF_LIST(bmf_cop_options, setting),                                                \
               "a parameter of the scheduled router, as of `bmf mesh run`; may be given several times")
#define BMF_COP_PLAN_OPTIONS                                                                                           \
    BMF_OPTION("effort", "N", BMF_WHOLE(bmf_cop_options, effort, 1, INT32_MAX),                                        \
               "plans that are looked at before the best so far is completed"),                                        \
        BMF_OPTION("most-phases", "N", BMF_WHOLE(bmf_cop_options, most_phases, 1, 1000000), "no more phases"),         \
        BMF_OPTION("phases", "LIST", BMF_TEXT(bmf_cop_options, phases),                                                \
                   "the phases that the program is to have, as `plan` prints them: \"{a,b} {c}\""),                    \
        BMF_OPTION(                                                                                                    \
            "implementation", "F.so:NAME", BMF_LIST(bmf_cop_options, implementation),                                  \
            "an own implementation of an operator, the record NAME of a shared object (<bmf/cop.h>), chosen like "     \
            "the others; several times"),                                                                              \
        BMF_OPTION("schedules", "DIR|none", BMF_TEXT(bmf_cop_options, schedules),                                      \
                   "where schedules are kept between runs; without it, in the user's cache"),                          \
        BMF_OPTION("cost", "NAME=VALUE", BMF_LIST(bmf_cop_options, cost),                                              \
                   "a constant of the cost model in cycles: B_r, t_sync, B_rbulk, l_rbulk, B_if; several times")

#define BMF_COP_RESULT_OPTIONS                                                                                         \
    BMF_OPTION("nodes", NULL, BMF_FLAG(bmf_cop_options, nodes), "a line for each node, too"),                          \
        BMF_OPTION("worst", NULL, BMF_FLAG(bmf_cop_options, worst), "the slowest node's cycles instead of means"),     \
        BMF_OPTION("trace", "T", BMF_TEXT(bmf_cop_options, trace), "write a trace, a lane a node"),                    \
        BMF_OPTION("ghz", "G", BMF_REAL(bmf_cop_options, gigahertz, 1000), "the routers' clock"),                      \
        BMF_OPTION("json", NULL, BMF_FLAG(bmf_cop_options, json), "one JSON object")

/* What the options say of the routers. */
typedef struct bmf_cop_routers {
    bmf_scheduled_hardware hardware; /* of dynamic routers the mesh only */
    bmf_phase_setting setting;
    bmf_dynamic_settings dynamic;
    bool by_messages;
    double gigahertz;
    bmf_cop_plug_ins *plug_ins; /* NULL: none; to be closed after the plan */
    bmf_route_cache cache;      /* of schedules; its directory is to be freed, NULL: none */
    bmf_cop_break *breaks;      /* of --phases, to be freed */
} bmf_cop_routers;

/* Frees what the commands' plans have borrowed, after them. */
void cop_close_routers(bmf_cop_routers *routers);

/* Each returns an exit code; 0: done. */
int cop_open_program(const char *source, const bmf_cop_options *o, bmf_cop_routers *routers, bmf_cop_program **program);
/* With schedules, if the routers have any. */
int cop_open_plan(const bmf_cop_program *program, const bmf_cop_options *o, bmf_cop_routers *routers,
                  bmf_cop_plan **plan);

/* The same of implementations that can be run, with barriers and schedules. */
int cop_open_runnable(const bmf_cop_program *program, const bmf_cop_options *o, bmf_cop_routers *routers,
                      bmf_cop_plan **plan);

/* After the plan: what others would take. */
int cop_print_rivals(const bmf_cop_plan *plan);

/* phases.c: the phases that a text like `{a,b} {c}` asks for, by number of the operator (plan.h, breaks). The caller
 * frees. */
int cop_read_phases(const bmf_cop_program *program, const char *text, bmf_cop_break **breaks);
/* Whether the plan has them. */
int cop_check_phases(const bmf_cop_plan *plan, const char *text);

/* Runs the body on every node; in_phase as in cop_run. trace: a file, or NULL. */
int cop_simulate(const bmf_cop_plan *plan, const bmf_cop_routers *routers, bool in_phase, bmf_cop_body *body,
                 void *state, const char *trace, bmf_cop_times *times);

/* A bmf_choice_name. */
const char *cop_router_name(int number, const char **about);

extern const bmf_driver cop_check_command, cop_compile_command, cop_plan_command, cop_run_command, cop_time_command;

#endif
