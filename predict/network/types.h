/* The network types, each defined in its network_NAME.c. Listed in networks.c. */
#ifndef BMF_NETWORK_TYPES_H
#define BMF_NETWORK_TYPES_H

#include "predict/network/network.h"

extern const bmf_network_type bmf_network_edn, bmf_network_fixed, bmf_network_hockney, bmf_network_loggp,
    bmf_network_sheet, bmf_network_dvm, bmf_network_graph, bmf_network_numesh;

#endif
