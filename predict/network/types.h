/* The network types, each defined in its network_NAME.c. Listed in networks.c. */
#ifndef BMF_NETWORK_TYPES_H
#define BMF_NETWORK_TYPES_H

#include "predict/network/network.h"

extern const bmf_network_type network_edn, network_fixed, network_hockney, network_loggp, network_sheet, network_dvm,
    network_graph, network_numesh;

#endif
