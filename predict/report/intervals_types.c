/* What kind of an interval it is, and how many operations it has.
 *
 * Document 002 tells intervals of the user, sequential and parallel ones apart (2.1). Here a region and the program are
 * the user's; a call is sequential if only one of several processors computes in it, otherwise parallel. Its numbers of
 * operations count calls, not rounds of messages: the outermost calls of a kind of communication, each as often as it
 * was entered. Cost: intervals x their depth.
 */
#include <stdlib.h>

#include "predict/report/intervals_private.h"

const char *interval_type_name(bmf_interval_type type)
{
    static const char *const name[] = {"user", "sequential", "parallel"};
    return name[type];
}

static bmf_interval_type type_of(const bmf_trace_run *run, const bmf_interval *interval)
{
    if (run->node[interval->node].kind == BMF_EVENT_REGION)
        return BMF_INTERVAL_USER;
    const bool one_computes = interval->all.compute > 0 && interval->all.compute == interval->max.compute;
    return run->lanes > 1 && one_computes ? BMF_INTERVAL_SEQUENTIAL : BMF_INTERVAL_PARALLEL;
}

/* What a call of the same kind is made of is part of it. */
static void count_operations(bmf_intervals *intervals, int64_t i, const bmf_communication *kind)
{
    const bmf_interval *interval = &intervals->interval[i];
    const bmf_trace_node *node = &intervals->run->node[interval->node];
    const bmf_communication own = kind[interval->node];
    if (node->kind != BMF_EVENT_SKELETON || own == BMF_COMMUNICATION_OTHER || kind[node->parent] == own)
        return;
    for (int64_t around = i; around >= 0; around = intervals->interval[around].parent)
        intervals->interval[around].operations[own] += interval->instances;
}

void intervals_classify(bmf_intervals *intervals)
{
    bmf_communication *kind = communication_kinds(intervals->run);
    for (int64_t i = 0; i < intervals->count; i++) {
        intervals->interval[i].type = type_of(intervals->run, &intervals->interval[i]);
        count_operations(intervals, i, kind);
    }
    free(kind);
}
