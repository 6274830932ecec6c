/* Topologies under runs: which a user asked for, that of a machine, and the usual ones.
 *
 * Method: grids get sides as near to each other as the number of processors allows; other topologies the least size
 * with enough processors. Cost: that of making the graphs. Source: document 000, 5.6, where ParaGraph lays topologies
 * under a run that knew of none. */
#include <stdlib.h>
#include <string.h>

#include "predict/machine/machine.h"
#include "predict/network/graph/graph.h"
#include "predict/report/report.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { MAX_USUAL = 128 }; /* processors of runs that get the usual topologies */

static void append(bmf_topologies *all, const char *name, bmf_graph *graph, bmf_network *network)
{
    all->topology =
        reallocate_array(all->topology, all->count, (int64_t)all->count + 1, (int64_t)sizeof *all->topology);
    all->topology[all->count++] = (bmf_topology){text_copy(name), graph, network};
}

/* The number of a topology, -1 if there is none of that name. */
static int topology_named(const char *name)
{
    for (int k = 0; graph_topologies[k]; k++)
        if (strcmp(graph_topologies[k], name) == 0)
            return k;
    return -1;
}

/* a x b = processors, a <= b, a as large as can be. */
static int64_t shorter_side(int64_t processors)
{
    int64_t side = 1;
    for (int64_t a = 1; a * a <= processors; a++)
        if (processors % a == 0)
            side = a;
    return side;
}

static int add_topology(bmf_topologies *all, int topology, int64_t processors)
{
    bmf_graph *graph;
    int64_t size[2] = {graph_min_size(topology, processors), 0};
    int sizes = 1;
    if (graph_sizes(topology) != 1) {
        size[0] = shorter_side(processors);
        size[1] = processors / size[0];
        sizes = 2;
    }
    BMF_TRY(graph_build(topology, sizes, size, 1.0, &graph));
    append(all, graph_topologies[topology], graph, NULL);
    return BMF_OK;
}

/* Whether the machine's network is a graph; *network is for the caller then. */
static int make_network(const bmf_machine *machine, int64_t processors, bmf_network **network)
{
    BMF_TRY(machine_network(machine, processors, network));
    if ((*network)->type->graph)
        return BMF_OK;
    (*network)->type->destroy(*network);
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the network of %s is no graph of links", machine->name);
}

int topologies_add(bmf_topologies *all, const char *name, int64_t processors)
{
    const int topology = topology_named(name);
    bmf_machine *machine;
    bmf_network *network;
    if (topology >= 0)
        return add_topology(all, topology, processors);
    BMF_TRY(machine_read(name, &machine));
    int status = make_network(machine, processors, &network);
    if (status == BMF_OK)
        append(all, machine->name, network->type->graph(network), network);
    machine_free(machine);
    return status;
}

void topologies_add_machine(bmf_topologies *all, const bmf_machine *machine, int64_t processors)
{
    bmf_network *network;
    if (make_network(machine, processors, &network) == BMF_OK)
        append(all, machine->name, network->type->graph(network), network);
}

static bool is_there(const bmf_topologies *all, const char *name)
{
    for (int k = 0; k < all->count; k++)
        if (strcmp(all->topology[k].name, name) == 0)
            return true;
    return false;
}

void topologies_add_usual(bmf_topologies *all, int64_t processors)
{
    static const char *const usual[] = {"mesh", "torus", "hypercube", "binary-tree", "ring", "star"};
    if (processors < 2 || processors > MAX_USUAL)
        return;
    for (size_t k = 0; k < sizeof usual / sizeof usual[0]; k++)
        if (!is_there(all, usual[k]))
            add_topology(all, topology_named(usual[k]), processors);
}

void topologies_free(bmf_topologies *all)
{
    for (int k = 0; k < all->count; k++) {
        bmf_topology *topology = &all->topology[k];
        if (topology->network)
            topology->network->type->destroy(topology->network);
        else
            graph_free(topology->graph);
        free(topology->name);
    }
    free(all->topology);
    *all = (bmf_topologies){0};
}
