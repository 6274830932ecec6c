/* What other plans would take: with another implementation of an operator, or with a phase that ends where it does not,
 * or does not end where it does. Each is the best one that there is so, by a search of its own. */
#include "drivers/cop/cop.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bmf/status.h"
#include "runtime/base/allocate.h"

enum { TEXT = 2000 };

/* The candidate that the plan has taken; -1: none. */
static int taken_candidate(const bmf_cop_plan *plan, const bmf_cop_operator *op)
{
    bmf_cop_phase **phase;
    const int64_t phases = cop_list_phases(plan, &phase);
    int taken = -1;
    for (int64_t p = 0; p < phases; p++) {
        const bmf_cop_use *use = cop_use_of(phase[p], op);
        taken = use ? use->candidate : taken;
    }
    free(phase);
    return taken;
}

static void print_implementations(const bmf_cop_plan *plan, const bmf_cop_operator *op, int *forced)
{
    const bmf_cop_program *program = plan->program;
    const int best = taken_candidate(plan, op);
    const bmf_cop_implementation *rival;
    int number = 0;
    for (int i = 0; (rival = cop_implementation_at(&plan->settings, i)); i++) {
        if (!cop_is_rival(&plan->settings, rival, op))
            continue;
        const char *why = cop_refuses(rival, &program->settings.mesh, op);
        if (why) {
            printf("rival  %s by %s: %s\n", op->label, rival->name, why);
            continue;
        }
        bmf_cop_plan *other = NULL;
        forced[op->number] = number++;
        if (forced[op->number] == best)
            continue;
        if (cop_plan_make(program, &plan->settings, forced, &other) == BMF_OK)
            printf("rival  %s by %s: %.0f cycles, %+.0f\n", op->label, rival->name, other->time,
                   other->time - plan->time);
        else
            printf("rival  %s by %s: does not fit\n", op->label, rival->name);
        cop_plan_free(other);
    }
    forced[op->number] = -1;
}

typedef struct terms {
    double io, schedule, load;
} terms;

static terms terms_of(const bmf_cop_plan *plan)
{
    terms sum = {0};
    bmf_cop_phase **phase;
    const int64_t phases = cop_list_phases(plan, &phase);
    for (int64_t p = 0; p < phases; p++) {
        sum.io += phase[p]->io;
        sum.schedule += phase[p]->schedule;
        sum.load += phase[p]->load;
    }
    free(phase);
    return sum;
}

static void print_phases(const bmf_cop_plan *plan, const bmf_cop_operator *op, bool breaks, const bmf_cop_break *wanted)
{
    bmf_cop_plan_settings settings = plan->settings;
    bmf_cop_plan *other = NULL;
    char text[TEXT];
    settings.breaks = wanted;
    printf("rival  %s '%s': ", breaks ? "a phase before" : "no new phase for", op->label);
    if (cop_plan_make(plan->program, &settings, NULL, &other) == BMF_OK) {
        const terms own = terms_of(plan), now = terms_of(other);
        printf("%s  %.0f cycles, %+.0f: T_io %+.0f T_sched %+.0f T_load %+.0f\n",
               cop_phases_text(other->phases, text, sizeof text), other->time, other->time - plan->time,
               now.io - own.io, now.schedule - own.schedule, now.load - own.load);
    } else {
        printf("does not fit\n");
    }
    cop_plan_free(other);
}

int cop_print_rivals(const bmf_cop_plan *plan)
{
    const bmf_cop_program *program = plan->program;
    int *forced = allocate_array(program->operators + 1, (int64_t)sizeof *forced);
    bmf_cop_break *breaks = cop_list_breaks(plan),
                  *wanted = allocate_array(program->operators + 1, (int64_t)sizeof *wanted);
    for (int64_t k = 0; k < program->operators; k++) {
        forced[k] = -1;
        wanted[k] = plan->settings.breaks ? plan->settings.breaks[k] : BMF_COP_FREE;
    }
    for (int64_t k = 0; k < program->operators; k++)
        print_implementations(plan, program->op[k], forced);
    for (int64_t k = 0; k < program->operators; k++) {
        const bmf_cop_break before = wanted[k];
        if (breaks[k] == BMF_COP_FREE)
            continue;
        wanted[k] = breaks[k] == BMF_COP_NEXT_PHASE ? BMF_COP_SAME_PHASE : BMF_COP_NEXT_PHASE;
        print_phases(plan, program->op[k], wanted[k] == BMF_COP_NEXT_PHASE, wanted);
        wanted[k] = before;
    }
    free(forced);
    free(breaks);
    free(wanted);
    return finish_output();
}
