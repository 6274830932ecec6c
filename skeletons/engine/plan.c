/* The plan of a skeleton call: chosen, printed and turned into a schedule.
 *
 * Method: the cheapest algorithm by estimate or measured times unless one is forced; the same on every rank, because it
 * depends on sizes every rank knows. A printed plan shows every candidate's time and the schedule of the whole machine.
 * Cost: that of the generator; printing makes the whole schedule on rank 0. */
#include "skeletons/engine/plan.h"

#include <stdlib.h>

enum { SHOWN_MESSAGES = 4 };

bool plan_wanted(const bmf_context *ctx)
{
    return ctx->plan && ctx->rank == 0;
}

static bmf_schedule *generate(const bmf_call *call, const bmf_algorithm *algorithm, int64_t low, int64_t high)
{
    bmf_schedule *schedule = schedule_create(algorithm ? algorithm->name : call->skeleton, low, high);
    call->generate(schedule, algorithm, call->state);
    return schedule;
}

void plan_title(bmf_context *ctx, const char *skeleton, const bmf_list *list)
{
    char text[256];
    if (plan_wanted(ctx))
        fprintf(ctx->plan, "%s of %s\n", skeleton, bmf_list_print(list, text, sizeof text));
}

static void print_candidates(const bmf_call *call, const bmf_algorithm *chosen)
{
    const bmf_choice *choice = &call->choice;
    const bmf_context *ctx = call->ctx;
    const bool two = ctx->assumed_cost.latency > 0;
    bool measured;
    for (int k = 0; chosen && algorithms[k]; k++) {
        if (!is_candidate(algorithms[k], choice))
            continue;
        const double seconds = choice_seconds(ctx, algorithms[k], choice, &measured);
        fprintf(ctx->plan, "  %s: about %.3g s", algorithms[k]->name, seconds);
        if (measured)
            fprintf(ctx->plan, " as measured (%s)", cost_table_name(ctx->costs));
        if (two)
            fprintf(ctx->plan, " on the machine, %.3g s as runs assume",
                    algorithm_estimate(algorithms[k], &ctx->assumed_cost, choice->count, choice->bytes));
        fputs(algorithms[k] == chosen ? ", chosen\n" : "\n", ctx->plan);
    }
}

/* The broadcast of a total under a title of its own. */
static void print_rounds(const bmf_call *call, const bmf_schedule *whole)
{
    static const char broadcast[] = "telling the total";
    FILE *stream = call->ctx->plan;
    if (whole->broadcast < 0) {
        schedule_print(whole, SHOWN_MESSAGES, stream);
        return;
    }
    schedule_print_rounds(whole, whole->name, 0, whole->broadcast, SHOWN_MESSAGES, stream);
    plan_title(call->ctx, broadcast, call->list);
    schedule_print_rounds(whole, broadcast, whole->broadcast, whole->rounds, SHOWN_MESSAGES, stream);
}

static void print_plan(const bmf_call *call, const bmf_algorithm *chosen)
{
    bmf_context *ctx = call->ctx;
    bmf_schedule *whole = generate(call, chosen, 0, ctx->processors);
    plan_title(ctx, call->skeleton, call->list);
    print_candidates(call, chosen);
    print_rounds(call, whole);
    fflush(ctx->plan);
    schedule_free(whole);
}

bmf_schedule *plan_make(const bmf_call *call, const bmf_algorithm **chosen)
{
    bmf_context *ctx = call->ctx;
    const bmf_algorithm *algorithm = call->choice.skeleton ? choose_algorithm(ctx, &call->choice) : NULL;
    if (plan_wanted(ctx))
        print_plan(call, algorithm);
    if (chosen)
        *chosen = algorithm;
    return generate(call, algorithm, ctx->first_processor, ctx->first_processor + ctx->local_processors);
}
