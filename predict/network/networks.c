/* The list of network types. A new type is its file network_NAME.c, its name in types.h, and its line here. */
#include "predict/network/types.h"

#include <stddef.h>

const bmf_network_type *const network_types[] = {
    &network_edn, &network_fixed, &network_hockney, &network_loggp, &network_sheet,
    &network_dvm, &network_graph, &network_numesh,  NULL,
};
