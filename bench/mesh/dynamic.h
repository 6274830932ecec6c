/* The dynamic routers' part of bmf-bench mesh. */
#ifndef BENCH_MESH_DYNAMIC_H
#define BENCH_MESH_DYNAMIC_H

#include <jansson.h>

/* Mean hops and latencies beside BookSim's, and how fast the simulator is: an object for the report. */
json_t *bench_mesh_dynamic(void);
void bench_mesh_print_dynamic(const json_t *object);

#endif
