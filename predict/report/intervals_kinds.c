/* The kinds of communication: by the skeleton of a call. */
#include <stdlib.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"
#include "skeletons/skeleton_types.h"

const char *communication_name(bmf_communication kind)
{
    static const char *const name[BMF_COMMUNICATIONS] = {"split", "gather",  "reduce",  "scan",
                                                         "distl", "project", "permute", "other"};
    return (unsigned)kind < BMF_COMMUNICATIONS ? name[kind] : "unknown";
}

bool is_reduction(const bmf_trace_node *node)
{
    const bmf_skeleton_type *skeleton = skeleton_type_of(node->skeleton);
    return skeleton && skeleton->to_one;
}

bmf_communication *communication_kinds(const bmf_trace_run *run)
{
    bmf_communication *kind = allocate_array(run->nodes, (int64_t)sizeof *kind);
    kind[0] = BMF_COMMUNICATION_OTHER;
    for (uint32_t k = 1; k < run->nodes; k++) {
        const bmf_trace_node *node = &run->node[k];
        const bmf_skeleton_type *skeleton = skeleton_type_of(node->skeleton);
        kind[k] = skeleton ? skeleton->communication : BMF_COMMUNICATION_OTHER;
        /* What a call is made of belongs to its kind. */
        if (node->kind == BMF_EVENT_SKELETON && kind[k] == BMF_COMMUNICATION_OTHER)
            kind[k] = kind[node->parent];
    }
    return kind;
}
