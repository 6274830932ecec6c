/* The best plan. Method: best first, branch and bound: decisions are made in the order of the program, a partial plan
 * is not dearer than what it can become, so the first complete plan that is taken out is the model's optimum; after
 * `effort` plans only the cheapest one is followed. Cost: O(operators of the program) phases for every plan looked
 * at. Source: document 004, 6.2. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/plan.h"
#include "predict/mesh/topology.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

typedef struct partial {
    double time;
    int64_t decisions, number;
    uint8_t *decision;
} partial;

static bool comes_before(const partial *a, const partial *b)
{
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time;
    return a->decisions != b->decisions ? a->decisions > b->decisions : a->number < b->number;
}

#define HEAP(name)        partials_##name
#define HEAP_ELEMENT      partial
#define HEAP_BEFORE(a, b) comes_before(&(a), &(b))
#include "runtime/base/heap.h"

/* ---- candidates ---- */

const bmf_cop_implementation *cop_implementation_at(const bmf_cop_plan_settings *settings, int number)
{
    for (int k = 0; cop_implementations[k]; k++, number--)
        if (number == 0)
            return cop_implementations[k];
    for (int k = 0; settings->plug_in && settings->plug_in[k]; k++, number--)
        if (number == 0)
            return settings->plug_in[k];
    return NULL;
}

static const bmf_cop_implementation *find_named(const bmf_cop_plan_settings *settings, const char *name)
{
    const bmf_cop_implementation *can;
    for (int k = 0; (can = cop_implementation_at(settings, k)); k++)
        if (strcmp(can->name, name) == 0)
            return can;
    return NULL;
}

/* Whether scheduled routers can carry it out without online routing. */
static bool has_streams(const bmf_cop_plan_settings *settings, const bmf_cop_operator *op)
{
    bool found = false;
    const bmf_cop_implementation *can;
    for (int k = 0; !found && (can = cop_implementation_at(settings, k)); k++)
        found = can->kind == op->kind && !can->by_messages && !cop_refuses(can, &settings->hardware.mesh, op) &&
                (!settings->may_take || settings->may_take(can));
    return found;
}

bool cop_is_rival(const bmf_cop_plan_settings *settings, const bmf_cop_implementation *can, const bmf_cop_operator *op)
{
    if (can->kind != op->kind || (op->implementation && strcmp(op->implementation, can->name) != 0))
        return false;
    if (can->by_messages == settings->by_messages)
        return can->by_messages || op->implementation || settings->online != BMF_COP_ONLINE_ONLY;
    return can->by_messages &&
           (op->implementation || settings->online != BMF_COP_ONLINE_IF_NEEDED || !has_streams(settings, op));
}

static int refuse_operator(const bmf_cop_plan *plan, const bmf_cop_operator *op)
{
    const bmf_cop_program *program = plan->program;
    char why[500] = "";
    const bmf_cop_implementation *can;
    for (int k = 0; (can = cop_implementation_at(&plan->settings, k)); k++) {
        if (!cop_is_rival(&plan->settings, can, op))
            continue;
        const char *reason = cop_refuses(can, &program->settings.mesh, op);
        const size_t used = strlen(why);
        snprintf(why + used, sizeof why - used, "%s%s %s", used > 0 ? "; " : "", can->name,
                 reason ? reason : "cannot be run yet");
    }
    const bmf_cop_implementation *named = op->implementation ? find_named(&plan->settings, op->implementation) : NULL;
    if (named && named->kind != op->kind)
        snprintf(why, sizeof why, "%s implements %s", named->name, cop_kind_name(named->kind));
    else if (named && !named->by_messages && plan->settings.by_messages)
        snprintf(why, sizeof why, "%s is for scheduled routers", named->name);
    else if (op->implementation && !named)
        snprintf(why, sizeof why, "there is no implementation '%s'", op->implementation);
    return lisp_fail_at(program->lisp, op->place, "%s '%s' has no implementation: %s", cop_kind_name(op->kind),
                        op->label, why[0] ? why : "none is known");
}

static int find_candidates(bmf_cop_plan *plan, const bmf_cop_operator *op, int forced)
{
    const bmf_mesh *mesh = &plan->program->settings.mesh;
    bmf_cop_candidates *c = &plan->candidates[op->number];
    int capacity = 0, number = 0;
    const bmf_cop_implementation *can;
    for (int k = 0; (can = cop_implementation_at(&plan->settings, k)); k++) {
        if (!cop_is_rival(&plan->settings, can, op) || cop_refuses(can, mesh, op) ||
            (plan->settings.may_take && !plan->settings.may_take(can)))
            continue;
        if (forced >= 0 && number++ != forced)
            continue;
        bmf_cop_candidate *made = ARRAY_APPEND(c->candidate, c->count, capacity);
        *made = (bmf_cop_candidate){.implementation = can};
        cop_make_streams(mesh, can, op, &made->streams);
        cop_measure(can, mesh, op, &made->streams, &made->metric);
        if (can->by_messages && !plan->settings.by_messages)
            cop_online_metric(&made->metric);
    }
    return c->count > 0 ? BMF_OK : refuse_operator(plan, op);
}

static void find_loops(bmf_cop_plan *plan, const bmf_cop_tree *tree, int64_t depth, const bmf_cop_tree **around)
{
    if (tree->op) {
        bmf_cop_candidates *c = &plan->candidates[tree->op->number];
        c->loops = depth;
        c->loop = allocate((depth + 1) * (int64_t)sizeof *c->loop);
        c->passes = 1;
        for (int64_t k = 0; k < depth; k++) {
            c->loop[k] = around[k];
            c->passes *= (double)around[k]->count;
        }
    }
    if (tree->group == BMF_COP_LOOP)
        around[depth++] = tree;
    for (int64_t k = 0; k < tree->children; k++)
        find_loops(plan, tree->child[k], depth, around);
}

static int64_t depth_of(const bmf_cop_tree *tree)
{
    int64_t deepest = 0;
    for (int64_t k = 0; k < tree->children; k++) {
        const int64_t depth = depth_of(tree->child[k]);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

static int prepare(bmf_cop_plan *plan, const int *forced)
{
    const bmf_cop_program *program = plan->program;
    plan->candidates = allocate_clear(program->operators, sizeof *plan->candidates);
    for (int64_t k = 0; k < program->operators; k++)
        BMF_TRY(find_candidates(plan, program->op[k], forced ? forced[k] : -1));
    const bmf_cop_tree **around = allocate_array(depth_of(program->root) + 1, (int64_t)sizeof *around);
    find_loops(plan, program->root, 0, around);
    free(around);
    return BMF_OK;
}

/* ---- searching ---- */

typedef struct search {
    bmf_cop_plan *plan;
    partial *heap;
    int64_t count, capacity, numbered;
} search;

static void add_partial(search *s, const partial *from, uint8_t decision)
{
    partial made = {.decisions = from->decisions + 1, .number = s->numbered++};
    const bmf_cop_operator *wanted;
    int choices;
    made.decision = allocate(made.decisions);
    memcpy(made.decision, from->decision, (size_t)from->decisions);
    made.decision[from->decisions] = decision;
    bmf_cop_phases *phases = cop_build_phases(s->plan, made.decisions, made.decision, &wanted, &choices);
    made.time = cop_phases_time(s->plan, phases, choices == 0);
    cop_phases_free(phases);
    if (!isfinite(made.time)) {
        free(made.decision);
        return;
    }
    ARRAY_RESERVE(s->heap, s->capacity, s->count + 1);
    partials_push(s->heap, &s->count, made);
}

/* Takes the cheapest partial plan; true: it was complete and is the plan. */
static bool expand_best(search *s)
{
    partial best = partials_pop(s->heap, &s->count);
    const bmf_cop_operator *wanted;
    int choices;
    bmf_cop_phases *phases = cop_build_phases(s->plan, best.decisions, best.decision, &wanted, &choices);
    s->plan->searched++;
    if (choices == 0) {
        s->plan->time = cop_phases_time(s->plan, phases, true);
        s->plan->phases = phases;
        s->plan->decisions = best.decisions;
        s->plan->decision = best.decision;
        best.decision = NULL;
    } else {
        cop_phases_free(phases);
    }
    const bool greedy = s->plan->searched > s->plan->settings.effort;
    if (greedy) { /* only what follows from the best */
        for (int64_t k = 0; k < s->count; k++)
            free(s->heap[k].decision);
        s->count = 0;
        s->plan->optimal = false;
    }
    for (int k = 0; k < choices; k++)
        add_partial(s, &best, (uint8_t)k);
    free(best.decision);
    return choices == 0;
}

static int search_plan(bmf_cop_plan *plan)
{
    search s = {.plan = plan};
    plan->optimal = true;
    ARRAY_RESERVE(s.heap, s.capacity, 1);
    s.heap[s.count++] = (partial){.decision = allocate(1)};
    bool found = false;
    while (s.count > 0 && !found)
        found = expand_best(&s);
    for (int64_t k = 0; k < s.count; k++)
        free(s.heap[k].decision);
    free(s.heap);
    if (found && isfinite(plan->time))
        return BMF_OK;
    return lisp_fail_at(plan->program->lisp, plan->program->root->place,
                        "no plan fits: nodes have too few registers or slots%s",
                        plan->settings.max_phases > 0 ? ", or there are too many phases" : "");
}

int cop_plan_make(const bmf_cop_program *program, const bmf_cop_plan_settings *settings, const int *forced,
                  bmf_cop_plan **plan)
{
    bmf_cop_plan *made = allocate_clear(1, sizeof *made);
    made->program = program;
    made->settings = *settings;
    made->settings.hardware.mesh = program->settings.mesh;
    int status = prepare(made, forced);
    if (status == BMF_OK)
        status = search_plan(made);
    if (status != BMF_OK)
        cop_plan_free(made);
    else
        *plan = made;
    return status;
}

void cop_plan_free(bmf_cop_plan *plan)
{
    if (!plan)
        return;
    for (int64_t k = 0; plan->candidates && k < plan->program->operators + plan->made; k++) {
        for (int c = 0; c < plan->candidates[k].count; c++)
            cop_streams_free(&plan->candidates[k].candidate[c].streams);
        free(plan->candidates[k].candidate);
        free(plan->candidates[k].loop);
    }
    free(plan->candidates);
    free(plan->made_operator);
    free(plan->decision);
    cop_phases_free(plan->phases);
    free(plan);
}
