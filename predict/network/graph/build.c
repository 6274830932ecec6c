/* Builders by name: what a topology's sizes may be, and its graph. Cost: that of the graph. */
#include <math.h>

#include "predict/network/graph/graph.h"
#include "predict/network/graph/graph_private.h"
#include "bmf/status.h"

enum topology { MESH, TORUS, HYPERCUBE, BINARY_TREE, FAT_TREE, RING, STAR, BUS, CROSSBAR, OMEGA };

const char *const graph_topologies[] = {"mesh", "torus", "hypercube", "binary-tree", "fat-tree", "ring",
                                        "star", "bus",   "crossbar",  "omega",       NULL};

enum { MAX_LINKS = 1 << 30 }; /* numbers of links have 32 bits */

int graph_sizes(int topology)
{
    return topology == MESH || topology == TORUS || topology == FAT_TREE ? 0 : 1;
}

static bool is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

static bool needs_power_of_two(int topology)
{
    return topology == HYPERCUBE || topology == BINARY_TREE || topology == OMEGA;
}

bool graph_grows(int topology)
{
    return topology == FAT_TREE;
}

int64_t graph_min_size(int topology, int64_t processors)
{
    int64_t size = 1;
    while (size < processors)
        size *= 2;
    return needs_power_of_two(topology) ? size : processors;
}

/* The number of dimensions with 2 nodes each. */
static int halve(int64_t processors, int64_t size[BMF_GRAPH_DIMENSIONS])
{
    int dimensions = 0;
    for (; (int64_t)1 << dimensions < processors; dimensions++)
        size[dimensions] = 2;
    return dimensions;
}

static int check(int topology, int sizes, const int64_t *size)
{
    const char *name = graph_topologies[topology];
    int64_t processors = 1;
    if (sizes < 1 || sizes > BMF_GRAPH_DIMENSIONS)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a %s has 1 to %d sizes, not %d", name, BMF_GRAPH_DIMENSIONS, sizes);
    if (sizes > 1 && graph_sizes(topology) == 1)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a %s has one size, its number of processors", name);
    for (int d = 0; d < sizes; d++) {
        if (size[d] < 1)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "sizes are at least 1, not %lld", (long long)size[d]);
        if (size[d] > MAX_LINKS / processors / (2 * BMF_GRAPH_DIMENSIONS))
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "more than %d nodes", MAX_LINKS / (2 * BMF_GRAPH_DIMENSIONS));
        processors *= size[d];
    }
    if (needs_power_of_two(topology) && !is_power_of_two(processors))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "%s %s has a power of two of processors, not %lld",
                        topology == OMEGA ? "an" : "a", name, (long long)processors);
    return BMF_OK;
}

int graph_build(int topology, int sizes, const int64_t *size, double growth, bmf_graph **graph)
{
    const char *name = graph_topologies[topology];
    int64_t twos[BMF_GRAPH_DIMENSIONS];
    BMF_TRY(check(topology, sizes, size));
    switch ((enum topology)topology) {
    case MESH:
    case TORUS:
    case RING:
        *graph = graph_grid(name, sizes, size, topology != MESH);
        break;
    case HYPERCUBE:
        *graph = graph_grid(name, halve(size[0], twos), twos, false);
        break;
    case BINARY_TREE:
        *graph = graph_tree(name, halve(size[0], twos), twos, 1.0);
        break;
    case FAT_TREE:
    case STAR:
    case CROSSBAR:
        *graph = graph_tree(name, sizes, size, growth);
        break;
    case BUS:
        *graph = graph_bus(size[0]);
        break;
    case OMEGA:
        *graph = graph_omega(size[0]);
        break;
    }
    (*graph)->direct = topology == CROSSBAR || topology == BUS;
    return BMF_OK;
}
