/* Routing in dimension order (e-cube): along x as far as needed, then y, then z.
 *
 * Method: the port follows from the node and the destination alone. On a torus a message goes the shorter way around a
 * ring; of two equally long ones, that of increasing numbers from even coordinates on, the other from odd ones. There
 * the channels of a link are two classes: the lower half for messages that still have to pass the edge of the torus
 * behind this link, the upper half (the larger, if their number is odd) for all others. No channel of a ring then waits
 * for itself.
 * Cost: O(1) a header. Source: document 004, 8.2; Dally and Seitz, IEEE Trans. Computers 36(5), 1987. */
#include "predict/mesh/dynamic_private.h"
#include "predict/mesh/dynamic_run.h"
#include "predict/mesh/routers.h"

int ecube_port(const bmf_wormhole_mesh *d, int64_t node, int64_t to, int *class)
{
    int k = 0;
    while (k < BMF_MESH_DIMENSIONS - 1 && d->at[node][k] == d->at[to][k])
        k++;
    const int64_t size = d->mesh.size[k], from = d->at[node][k], wanted = d->at[to][k];
    bool up = wanted > from;
    *class = 1;
    if (d->mesh.torus) {
        const int64_t above = up ? wanted - from : wanted - from + size;
        up = 2 * above == size ? from % 2 == 0 : 2 * above < size;
        const int64_t next = up ? (from + 1) % size : (from + size - 1) % size;
        *class = up ? next <= wanted : next >= wanted;
    }
    return 2 * k + up;
}

uint64_t ecube_candidates(const bmf_wormhole_mesh *d, int64_t node, int64_t to)
{
    int class;
    const int port = ecube_port(d, node, to, &class);
    return d->class_mask[class] << (port * d->channels);
}

static int run(const bmf_mesh *mesh, const bmf_mesh_traffic *traffic, const double *value, bmf_mesh_result *result)
{
    return dynamic_run(BMF_DYNAMIC_ECUBE, mesh, traffic, value, result);
}

const bmf_mesh_router mesh_router_ecube = {
    .name = "ecube",
    .summary = "wormholes in dimension order",
    .gigahertz = 1,
    .parameter = &dynamic_parameters[BMF_DYNAMIC_COMMON],
    .run = run,
};
