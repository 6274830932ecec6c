/* Routers of a numesh network: predict/machine/network_numesh.c has the scheduled one. */
#ifndef BMF_NETWORK_NUMESH_H
#define BMF_NETWORK_NUMESH_H

#include "predict/machine/machine.h"
#include "predict/mesh/topology.h"

/* Reads the keys that all routers share: size, word_bytes, gigahertz (`otherwise` if absent). At least `processors` nodes;
 * without a size the smallest mesh that has them. torus: whether there may be one. */
typedef struct bmf_numesh_common {
    bmf_mesh mesh;
    int64_t word_bytes;
    double gigahertz;
} bmf_numesh_common;
int bmf_numesh_read_common(const bmf_machine *machine, const config_setting_t *settings, int64_t processors, bool torus,
                           double otherwise, bmf_numesh_common *common);

#endif
