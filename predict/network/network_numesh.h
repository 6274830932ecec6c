/* What the routers of a numesh network share: network_numesh.c has the scheduled one, network_numesh_dynamic.c the
 * others. */
#ifndef BMF_NETWORK_NUMESH_H
#define BMF_NETWORK_NUMESH_H

#include <math.h>

#include "predict/machine/machine.h"
#include "predict/mesh/router.h"

/* Reads the keys that all routers share: size, word_bytes, gigahertz (`otherwise` if absent). At least `processors`
 * nodes; without a size the smallest mesh that has them. torus: whether there may be one. */
typedef struct bmf_numesh_common {
    bmf_mesh mesh;
    int64_t word_bytes;
    double gigahertz;
} bmf_numesh_common;
int numesh_read_common(const bmf_machine *machine, const config_setting_t *settings, int64_t processors, bool torus,
                       double otherwise, bmf_numesh_common *common);
/* The router's parameters, keys by their names; value: as many. */
int numesh_read_parameters(const bmf_machine *machine, const config_setting_t *settings, const bmf_mesh_router *router,
                           double *value);

static inline int64_t numesh_cycle(const bmf_numesh_common *common, double seconds)
{
    return (int64_t)ceil(seconds * common->gigahertz * 1e9 - 1e-6);
}
static inline double numesh_seconds(const bmf_numesh_common *common, int64_t cycles)
{
    return (double)cycles / (common->gigahertz * 1e9);
}

/* What has crossed a link. */
typedef struct bmf_numesh_link {
    int64_t messages, bytes, words;
} bmf_numesh_link;
typedef bmf_numesh_link bmf_numesh_crossed[BMF_MESH_PORTS];
/* As bmf_network_type.loads; crossed: by node and port. */
int64_t numesh_loads(const bmf_numesh_common *common, bmf_numesh_crossed *crossed, bmf_link_load **load);

/* A network with dynamic routers, by their name. */
extern const bmf_network_type network_numesh_dynamic;
int numesh_create_dynamic(const bmf_machine *machine, const config_setting_t *settings, int64_t processors,
                          const char *router, bmf_network **network);

#endif
