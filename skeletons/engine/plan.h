/* The plan of a skeleton call: which algorithm, and the schedule it makes. Private to skeletons. */
#ifndef BMF_PLAN_H
#define BMF_PLAN_H

#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

/* What a skeleton is going to send. `generate` adds all rounds of an algorithm to a schedule; it is called once for
 * this host's processors, and again for the whole machine when rank 0 prints. */
typedef struct bmf_call {
    bmf_context *ctx;
    const char *skeleton; /* as the plan calls it: "map_reduce" */
    const bmf_list *list; /* the list the plan is printed for */
    bmf_choice choice;    /* choice.skeleton NULL: there is only one way, and no algorithm is passed on */
    void (*generate)(bmf_schedule *schedule, const bmf_algorithm *algorithm, const void *state);
    const void *state;
} bmf_call;

/* Chooses the algorithm (into *chosen, which may be NULL), prints the plan if one is wanted, and makes this host's
 * schedule, which the caller frees. Never NULL: ends the program when there is no memory for a schedule. */
bmf_schedule *plan_make(const bmf_call *call, const bmf_algorithm **chosen);

/* True if this rank prints plans. */
bool plan_wanted(const bmf_context *ctx);
/* The first line of a plan, "skeleton of [int], 8 elements on processor 0"; for calls without a schedule that is all.
 */
void plan_title(bmf_context *ctx, const char *skeleton, const bmf_list *list);

#endif
