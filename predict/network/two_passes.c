#include "predict/network/two_passes.h"

#include <stdlib.h>

#include "predict/network/edge_split.h"
#include "runtime/base/allocate.h"

static bool is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

bool two_passes_fit(const bmf_edn_shape *shape)
{
    const int64_t hyperbars = shape->ports / shape->inputs;
    return is_power_of_two(shape->ports) && is_power_of_two(shape->inputs) && is_power_of_two(shape->buckets) &&
           shape->inputs <= shape->buckets * shape->capacity && hyperbars * shape->buckets <= shape->ports;
}

void two_passes_find(const bmf_edn_shape *shape, const int64_t *to, int64_t *between)
{
    const int64_t ports = shape->ports, hyperbars = ports / shape->inputs, each = ports / shape->buckets;
    bmf_edge *edge = allocate_array(ports, (int64_t)sizeof *edge);
    int64_t *hyperbar = allocate_array(ports, (int64_t)sizeof *hyperbar);
    int64_t *bucket = allocate_array(ports, (int64_t)sizeof *bucket);
    int64_t *used = allocate_clear(hyperbars * shape->buckets, (int64_t)sizeof *used);
    for (int64_t p = 0; p < ports; p++)
        edge[p] = (bmf_edge){(int32_t)(p % hyperbars), (int32_t)(to[p] / each)};
    edge_split(edge, ports, (int32_t)hyperbars, (int32_t)shape->buckets, hyperbars, hyperbar);
    for (int64_t p = 0; p < ports; p++)
        edge[p].right = (int32_t)hyperbar[p];
    edge_split(edge, ports, (int32_t)hyperbars, (int32_t)hyperbars, shape->buckets, bucket);
    /* The ports of a bucket are numbered one after the other, and so belong to the hyperbars in turns. */
    for (int64_t p = 0; p < ports; p++)
        between[p] = bucket[p] * each + used[bucket[p] * hyperbars + hyperbar[p]]++ * hyperbars + hyperbar[p];
    free(edge);
    free(hyperbar);
    free(bucket);
    free(used);
}
