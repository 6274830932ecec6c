/* The plan of a skeleton call: chosen, printed and turned into a schedule.
 *
 * Method: the cheapest algorithm by estimate unless one is forced; the same on every rank, because it depends on sizes
 * every rank knows. A printed plan shows every candidate's estimate and the schedule of the whole machine.
 * Cost: that of the generator; printing makes the whole schedule on rank 0. */
#include "skeletons/engine/plan.h"

#include <stdlib.h>

enum { SHOWN_MESSAGES = 4 };

bool plan_wanted(const bmf_context *ctx)
{
    return ctx->plan != NULL && ctx->rank == 0;
}

static bmf_schedule *generate(const bmf_call *call, bmf_algorithm algorithm, int64_t low, int64_t high)
{
    const char *name = algorithm < BMF_ALGORITHMS ? bmf_algorithm_name(algorithm) : call->skeleton;
    bmf_schedule *schedule = schedule_create(name, low, high);
    call->generate(schedule, algorithm, call->state);
    return schedule;
}

void plan_title(bmf_context *ctx, const char *skeleton, const bmf_list *list)
{
    char text[256];
    if (plan_wanted(ctx))
        fprintf(ctx->plan, "%s of %s\n", skeleton, bmf_list_print(list, text, sizeof text));
}

static void print_candidates(const bmf_call *call, bmf_algorithm chosen)
{
    bmf_context *ctx = call->ctx;
    for (bmf_algorithm a = call->first; a < BMF_ALGORITHMS && a <= call->last; a++)
        fprintf(ctx->plan, "  %s: about %.3g s%s\n", bmf_algorithm_name(a),
                schedule_estimate(a, &ctx->cost, call->count, call->bytes), a == chosen ? ", chosen" : "");
}

static void print_plan(const bmf_call *call, bmf_algorithm chosen)
{
    bmf_context *ctx = call->ctx;
    bmf_schedule *whole = generate(call, chosen, 0, ctx->processors);
    plan_title(ctx, call->skeleton, call->list);
    print_candidates(call, chosen);
    schedule_print(whole, SHOWN_MESSAGES, ctx->plan);
    fflush(ctx->plan);
    schedule_free(whole);
}

bmf_schedule *plan_make(const bmf_call *call, bmf_algorithm *chosen)
{
    bmf_context *ctx = call->ctx;
    bmf_algorithm algorithm = BMF_ALGORITHMS;
    if (call->first < BMF_ALGORITHMS)
        algorithm = choose_algorithm(ctx, call->first, call->last, call->count, call->bytes);
    if (plan_wanted(ctx))
        print_plan(call, algorithm);
    if (chosen)
        *chosen = algorithm;
    return generate(call, algorithm, ctx->first_processor, ctx->first_processor + ctx->local_processors);
}
