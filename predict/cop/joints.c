/* Ends of streams that touch each other. Method: the schedules have been found as if every stream ended at its node's
 * processor, in the pipeline of the one that begins there; then the annotations of the last VFSMs change, and those of
 * the first ones where they are closed. Cost: O(streams^2) an operator, and the check of the block. Source: document
 * 004, 7.1.4 and appendix B. */
#include "predict/cop/joints.h"

#include "bmf/status.h"

static bool ends_at(const bmf_cop_stream *stream, int64_t instance, int64_t node)
{
    return stream->instance == instance && stream->joins && stream->to[0] == node;
}

int64_t cop_stream_from(const bmf_cop_streams *streams, int64_t instance, int64_t node)
{
    for (int64_t k = 0; k < streams->count; k++)
        if (streams->stream[k].instance == instance && streams->stream[k].from == node)
            return k;
    return BMF_COP_NOBODY;
}

int64_t cop_stream_into(const bmf_cop_streams *streams, int64_t instance, int64_t node, int64_t which)
{
    for (int64_t k = 0; k < streams->count; k++)
        if (ends_at(&streams->stream[k], instance, node) && which-- == 0)
            return k;
    return BMF_COP_NOBODY;
}

static bmf_cop_vfsm vfsm_at(const bmf_stream_hop *hop, int slot, const bmf_scheduled_machine *machine, int block)
{
    const int length = machine->hardware.length;
    const bmf_schedule_entry *entry = &machine->node[hop->node].entry[block * length + slot % length];
    return (bmf_cop_vfsm){hop->node, hop->pipeline, entry->vfsm[hop->pipeline]};
}

bmf_cop_vfsm cop_first_vfsm(const bmf_stream_route *route, const bmf_scheduled_machine *machine, int block)
{
    return vfsm_at(&route->hop[0], route->hop[0].slot, machine, block);
}

bmf_cop_vfsm cop_last_vfsm(const bmf_stream_route *route, const bmf_scheduled_machine *machine, int block)
{
    const bmf_stream_hop *last = &route->hop[route->hops - 1];
    return vfsm_at(last, last->slot + last->delay, machine, block);
}

static bmf_annotation *annotation_of(bmf_scheduled_machine *machine, const bmf_cop_vfsm *vfsm)
{
    return &machine->node[vfsm->node].annotation[vfsm->pipeline][vfsm->number];
}

static int last_register(const bmf_stream_route *route)
{
    return route->hop[route->hops - 1].reg;
}

static void rewrite_stream(const bmf_cop_candidate *c, int64_t stream, const bmf_stream_route *route,
                           bmf_scheduled_machine *machine, int block)
{
    const bmf_cop_stream *own = &c->streams.stream[stream];
    const int64_t next = cop_stream_from(&c->streams, own->instance, own->to[0]),
                  first = cop_stream_into(&c->streams, own->instance, own->to[0], 0);
    const bmf_cop_vfsm end = cop_last_vfsm(&route[stream], machine, block);
    bmf_annotation *at = annotation_of(machine, &end);
    if (c->implementation->joints == BMF_COP_GATED) {
        const bmf_cop_vfsm begin = cop_first_vfsm(&route[next], machine, block);
        at->destination = BMF_PLACE_NOP;
        annotation_of(machine, &begin)->source = BMF_PLACE_NOP;
    } else if (next != BMF_COP_NOBODY) {
        at->destination = (uint8_t)(BMF_PLACE_BUFFER + cop_first_vfsm(&route[next], machine, block).number);
    } else {
        at->destination = (uint8_t)(BMF_PLACE_REGISTER + last_register(&route[first]));
    }
}

int cop_rewrite_joints(const bmf_cop_plan *plan, const bmf_cop_phase *phase, bmf_scheduled_machine *machine, int block)
{
    int64_t first = 0;
    bool rewritten = false;
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_candidate *c = &plan->candidates[phase->use[u].op->number].candidate[phase->use[u].candidate];
        for (int64_t k = 0; k < c->streams.count; k++)
            if (c->streams.stream[k].joins) {
                rewrite_stream(c, k, phase->routes->route + first, machine, block);
                rewritten = true;
            }
        first += c->streams.count;
    }
    return rewritten ? scheduled_check(machine, block) : BMF_OK;
}
