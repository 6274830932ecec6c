/* Routers of a mesh: traffic in; cycles, latencies and hops out. One file (or a few) per router, one line in routers.c.
 *
 * The clock starts at 0 with nothing on its way. A router runs until the last word has been read by its processor.
 * Deterministic: the same traffic and parameters give the same result. Not collective; needs no MPI.
 */
#ifndef BMF_MESH_ROUTER_H
#define BMF_MESH_ROUTER_H

#include "predict/mesh/pattern.h"

/* Something about a router that can be set: `bmf mesh run --set NAME=VALUE`, and keys of machine files. */
typedef struct bmf_mesh_parameter {
    const char *name;
    double min, max, otherwise;
    bool whole;       /* only whole numbers */
    const char *what; /* one line of help */
} bmf_mesh_parameter;

enum { BMF_MESH_NOTE = 240 };

typedef struct bmf_mesh_result {
    int64_t cycles;       /* until the last word was read */
    int64_t words;        /* delivered, over all destinations */
    int64_t deliveries;   /* messages times destinations */
    int64_t flit_hops;    /* words that crossed a link, headers included */
    double latency_total; /* cycles over all deliveries, from message.cycle until its last word was read */
    double hops_total;    /* links crossed, over all deliveries */
    int64_t node_cycles;  /* nodes times cycles that were simulated, skipped ones included */
    double accepted;      /* words delivered a node and cycle: in random traffic those read while messages were made */
    char note[BMF_MESH_NOTE]; /* "" or a remark in words: bandwidths, phases, saturation */
} bmf_mesh_result;

typedef struct bmf_mesh_router {
    const char *name;                    /* as on the command line and in machine files */
    const char *summary;                 /* one line */
    double gigahertz;                    /* of its clock, unless set otherwise */
    const bmf_mesh_parameter *parameter; /* a NULL name ends them */
    /* value[k] belongs to parameter[k] and is inside its range. Errors: BMF_ERROR_ARGUMENT with a message that says
     * where: traffic that this router cannot carry. */
    int (*run)(const bmf_mesh *mesh, const bmf_mesh_traffic *traffic, const double *value, bmf_mesh_result *result);
} bmf_mesh_router;

/* All routers, NULL at the end: predict/mesh/routers.c. */
extern const bmf_mesh_router *const mesh_routers[];
/* By name, or NULL. */
const bmf_mesh_router *mesh_router_find(const char *name);
/* The parameters' values: what they are unless set. The caller frees. */
double *mesh_router_values(const bmf_mesh_router *router);
/* Sets one from "NAME=VALUE". BMF_ERROR_ARGUMENT: no such parameter, or a value outside its range. */
int mesh_router_set(const bmf_mesh_router *router, double *value, const char *text);

#endif
