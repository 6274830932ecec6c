/* The table of network types. */
#include "predict/network/network.h"

#include <stddef.h>

const bmf_network_type *const network_types[] = {
#define BMF_NETWORK_ROW(name) &network_##name,
    BMF_NETWORKS(BMF_NETWORK_ROW)
#undef BMF_NETWORK_ROW
        NULL,
};
