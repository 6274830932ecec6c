/* Streams that touch each other in the routers, where one ends and another begins: what their VFSMs become once
 * schedules have been found (document 004, 4.1.3: gen_router; appendix B: str_collect, str_barrier). */
#ifndef BMF_COP_JOINTS_H
#define BMF_COP_JOINTS_H

#include "predict/cop/plan.h"

/* The operator's stream of an instance that begins at a node of the mesh, as its number; BMF_COP_NOBODY: none. */
int64_t cop_stream_from(const bmf_cop_streams *streams, int64_t instance, int64_t node);
/* The n-th of those that join there, in the order of their numbers; the same. */
int64_t cop_stream_into(const bmf_cop_streams *streams, int64_t instance, int64_t node, int64_t which);

/* The first VFSM of a stream, and the last one of a stream that joins, in a block of the machine. */
typedef struct bmf_cop_vfsm {
    int64_t node;
    int pipeline, number;
} bmf_cop_vfsm;
bmf_cop_vfsm cop_first_vfsm(const bmf_stream_route *route, const bmf_scheduled_machine *machine, int block);
bmf_cop_vfsm cop_last_vfsm(const bmf_stream_route *route, const bmf_scheduled_machine *machine, int block);

/* Rewrites the ends of a phase's streams in a block that streams_emit has written, and checks the block again. Errors:
 * those of scheduled_check. */
int cop_rewrite_joints(const bmf_cop_plan *plan, const bmf_cop_phase *phase, bmf_scheduled_machine *machine, int block);

#endif
