/* The list of network types. A new type is its file network_NAME.c, its name in types.h, and its line here. */
#include "predict/network/types.h"

#include <stddef.h>

const bmf_network_type *const bmf_network_types[] = {
    &bmf_network_edn,
    &bmf_network_fixed,
    &bmf_network_hockney,
    &bmf_network_loggp,
    &bmf_network_sheet,
    &bmf_network_dvm,
    &bmf_network_graph,
    &bmf_network_numesh,
    NULL,
};
