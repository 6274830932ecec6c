/* What the runtime knows of a skeleton: a number for trace files, a name, and how it communicates.
 *
 * Every skeleton describes itself in the file that implements it; skeletons/skeleton_types.c lists them all. */
#ifndef BMF_SKELETON_TYPE_H
#define BMF_SKELETON_TYPE_H

#include <stdbool.h>
#include <stdint.h>

/* The kinds of communication that are distinguished. OTHER: none of its own, or that of the call around it. */
typedef enum bmf_communication {
    BMF_COMMUNICATION_SPLIT,
    BMF_COMMUNICATION_GATHER,
    BMF_COMMUNICATION_REDUCE,
    BMF_COMMUNICATION_SCAN,
    BMF_COMMUNICATION_DISTL,
    BMF_COMMUNICATION_PROJECT,
    BMF_COMMUNICATION_PERMUTE,
    BMF_COMMUNICATION_OTHER,
    BMF_COMMUNICATIONS
} bmf_communication;

enum { BMF_SKELETON_UNKNOWN = 0 }; /* of regions, and of calls of which only the text is known */

typedef struct bmf_skeleton_type {
    uint32_t id;      /* stands in trace files (docs/trace-format.md): at least 1, never changes, is never used again */
    const char *name; /* "map_reduce" */
    bmf_communication communication;
    const char *keyword; /* the language's for it where it communicates, "P_Scan"; or NULL */
    bool to_one;         /* folds a list to one value; processors that get it may all combine the same */
} bmf_skeleton_type;

#endif
