/* Writes routes into the memories of routers. Method: hop by hop, a VFSM for taking in and delaying and one for every
 * destination; then empty slots become reprogramming slots, and the block is checked like any other. Cost: O(hops
 * slots) and the check. Source: document 004, 7.1.1 (delays, forks) and 7.1.5. */
#include <inttypes.h>
#include <stdlib.h>

#include "predict/mesh/streams.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

typedef struct emission {
    const bmf_stream_routes *routes;
    bmf_scheduled_machine *machine;
    int block;
    uint8_t (*used)[BMF_SCHEDULED_PIPELINES]; /* VFSMs, by node */
} emission;

static int add_vfsm(emission *e, const bmf_stream_hop *hop, int slots, int slot, bmf_annotation at, int *vfsm)
{
    bmf_scheduled_node *node = &e->machine->node[hop->node];
    const int length = e->machine->hardware.length;
    *vfsm = BMF_VFSM_FIRST + e->used[hop->node][hop->pipeline]++;
    const int most = scheduled_vfsms(&e->machine->hardware);
    if (*vfsm >= most)
        return bmf_fail(NULL, BMF_ERROR_INTERNAL, "node %" PRId64 ", pipeline %d: more than %d VFSMs in a phase",
                        hop->node, hop->pipeline, most - BMF_VFSM_FIRST);
    if (at.destination == BMF_PLACE_BUFFER)
        at.destination = (uint8_t)(BMF_PLACE_BUFFER + *vfsm); /* a delay: its own buffer */
    node->annotation[hop->pipeline][*vfsm] = at;
    for (int k = 0; k < slots; k++) {
        const int t = (slot + stream_slot(length, slots, k)) % length;
        uint8_t *entry = &node->entry[e->block * length + t].vfsm[hop->pipeline];
        if (*entry != BMF_VFSM_NOP)
            return bmf_fail(NULL, BMF_ERROR_INTERNAL, "node %" PRId64 ", pipeline %d, slot %d: VFSMs %d and %d",
                            hop->node, hop->pipeline, t, *entry, *vfsm);
        *entry = (uint8_t)*vfsm;
    }
    return BMF_OK;
}

static int emit_hop(emission *e, const bmf_stream_route *route, const bmf_stream_hop *hop)
{
    const int outs = hop->outs + hop->delivers;
    int slot = hop->slot, vfsm;
    bmf_annotation at = {(uint8_t)(hop->in < 0 ? BMF_PLACE_REGISTER + route->reg : hop->in), 0, false};
    if (hop->delay > 0) {
        at.destination = BMF_PLACE_BUFFER;
        BMF_TRY(add_vfsm(e, hop, route->slots, slot, at, &vfsm));
        at.source = (uint8_t)(BMF_PLACE_BUFFER + vfsm);
        slot += hop->delay;
    }
    for (int k = 0; k < outs; k++) {
        at.destination = (uint8_t)(k < hop->outs ? hop->out[k] : BMF_PLACE_REGISTER + hop->reg);
        BMF_TRY(add_vfsm(e, hop, route->slots, slot + k, at, &vfsm));
        at = (bmf_annotation){at.destination, 0, true};
    }
    return BMF_OK;
}

int streams_emit_some(const bmf_stream_routes *routes, int64_t first, int64_t count, bmf_scheduled_machine *machine,
                      int block, uint8_t (*used)[BMF_SCHEDULED_PIPELINES])
{
    emission e = {routes, machine, block, used};
    for (int64_t k = first; k < first + count; k++)
        for (int64_t h = 0; h < routes->route[k].hops; h++)
            BMF_TRY(emit_hop(&e, &routes->route[k], &routes->route[k].hop[h]));
    return BMF_OK;
}

int streams_emit_more(const bmf_stream_routes *routes, bmf_scheduled_machine *machine, int block,
                      uint8_t (*used)[BMF_SCHEDULED_PIPELINES])
{
    BMF_TRY(streams_emit_some(routes, 0, routes->streams, machine, block, used));
    scheduled_fill_reprogram(machine, block);
    return scheduled_check(machine, block);
}

int streams_emit(const bmf_stream_routes *routes, bmf_scheduled_machine *machine, int block)
{
    uint8_t(*used)[BMF_SCHEDULED_PIPELINES] = allocate_clear(machine->hardware.mesh.nodes, sizeof *used);
    const int status = streams_emit_more(routes, machine, block, used);
    free(used);
    return status;
}
