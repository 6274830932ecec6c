/* Plans with their schedules. Method: operators with streams first; where these do not fit, what goes on through a
 * sequence shares one phase with all of it; then online routing may take some operators, and then all. Cost: at most
 * four plans and their schedules. Source: document 004, 4.1.1, where online routing is the ultimate fallback. */
#include <stdlib.h>

#include "bmf/status.h"
#include "predict/cop/plan.h"
#include "runtime/base/text.h"

static int make(const bmf_cop_program *program, const bmf_cop_plan_settings *settings, bool to_run, bmf_cop_plan **plan)
{
    BMF_TRY(cop_plan_make(program, settings, NULL, plan));
    int status = to_run ? cop_route_to_run(*plan) : cop_route_plan(*plan);
    if (status == BMF_OK && to_run && !(*plan)->registers_apart && (*plan)->phases->children > 1)
        status =
            bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the streams of all phases do not fit into the registers of a node");
    if (status != BMF_OK) {
        cop_plan_free(*plan);
        *plan = NULL;
    }
    return status;
}

static bool has_parallel(const bmf_cop_tree *tree)
{
    bool found = tree->group == BMF_COP_PARALLEL;
    for (int64_t k = 0; k < tree->children && !found; k++)
        found = has_parallel(tree->child[k]);
    return found;
}

int cop_plan_with_schedules(const bmf_cop_program *program, const bmf_cop_plan_settings *settings, bool to_run,
                            bmf_cop_plan **plan)
{
    bmf_cop_plan_settings tried = *settings;
    const int status = make(program, settings, to_run, plan);
    if (status == BMF_OK)
        return BMF_OK;
    char *said = text_copy(bmf_error_text(NULL));
    tried.in_one_phase = has_parallel(program->root) && !settings->breaks;
    if (tried.in_one_phase && make(program, &tried, to_run, plan) == BMF_OK) {
        free(said);
        return BMF_OK;
    }
    for (tried.online = BMF_COP_ONLINE_TOO; tried.online <= BMF_COP_ONLINE_ONLY; tried.online++)
        if (make(program, &tried, to_run, plan) == BMF_OK) {
            free(said);
            return BMF_OK;
        }
    const int code = bmf_fail(NULL, status, "%s", said);
    free(said);
    return code;
}
