/* Fuzz target of node files, the graphs of networks. */
#include "ctest/fuzz/fuzz.h"
#include "predict/network/graph/graph.h"
#include "bmf/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_graph *graph;
    int status = graph_read(file_of(bytes, size), 4, &graph);
    if (status != BMF_OK)
        demand_line(status);
    else
        graph_free(graph);
    return 0;
}
