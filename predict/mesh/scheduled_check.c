/* Checks a block of schedules against the rules of scheduled.h. Method: slot by slot, every VFSM against those of the
 * same and the next slot on its node and its neighbours. Cost: O(nodes length pipelines^2). */
#include <inttypes.h>
#include <stdarg.h>

#include "predict/mesh/scheduled.h"
#include "bmf/status.h"

typedef struct checking {
    const bmf_scheduled_machine *machine;
    int block;
} checking;

/* One VFSM in its slot. */
typedef struct place {
    int64_t node;
    int pipeline, slot, vfsm;
    bmf_annotation at;
} place;

static place look(const checking *c, int64_t node, int pipeline, int slot)
{
    const int length = c->machine->hardware.length, wrapped = (slot + length) % length;
    const bmf_scheduled_node *n = &c->machine->node[node];
    const int vfsm = n->entry[c->block * length + wrapped].vfsm[pipeline];
    return (place){node, pipeline, wrapped, vfsm, n->annotation[pipeline][vfsm]};
}

__attribute__((format(printf, 2, 3))) static int illegal(const place *at, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "node %" PRId64 ", pipeline %d, slot %d: VFSM %d %s", at->node,
                    at->pipeline, at->slot, at->vfsm, text);
}

static bool reads_port(const checking *c, int64_t node, int slot, int port, int not_pipeline)
{
    for (int p = 0; p < c->machine->hardware.pipelines; p++) {
        const place at = look(c, node, p, slot);
        if (p != not_pipeline && at.at.source == port && !at.at.copy)
            return true;
    }
    return false;
}

static bool writes_port(const checking *c, int64_t node, int slot, int port, int not_pipeline)
{
    for (int p = 0; p < c->machine->hardware.pipelines; p++)
        if (p != not_pipeline && look(c, node, p, slot).at.destination == port)
            return true;
    return false;
}

static bool never_keeps(const bmf_annotation *at)
{
    return at->destination == BMF_PLACE_NULL || at->destination == BMF_PLACE_MEMADR;
}

static int check_next(const checking *c, const place *at)
{
    const place next = look(c, at->node, at->pipeline, at->slot + 1);
    if (next.vfsm == at->vfsm && !never_keeps(&at->at))
        return illegal(at, "runs in two slots in a row");
    if (place_is_register(at->at.destination) && place_is_register(next.at.source))
        return illegal(&next, "reads the interface in the slot after a writer of it");
    if (at->at.destination == BMF_PLACE_BUFFER + next.vfsm && next.vfsm != BMF_VFSM_NOP)
        return illegal(at, "writes into the buffer of VFSM %d, which runs in the next slot", next.vfsm);
    return BMF_OK;
}

static int check_reading(const checking *c, const place *at)
{
    const int port = at->at.source;
    if (place_is_register(port)) {
        for (int p = 0; p < at->pipeline; p++)
            if (look(c, at->node, p, at->slot).at.source == port)
                return illegal(at, "reads register %d in the same cycle as pipeline %d", port - BMF_PLACE_REGISTER, p);
        return BMF_OK;
    }
    if (at->at.copy && !(place_is_port(port) && look(c, at->node, at->pipeline, at->slot - 1).at.destination == port))
        return illegal(at, "copies what goes to %s, but the VFSM before does not write there",
                       place_text(port, (char[BMF_PLACE_TEXT]){0}));
    if (!place_is_port(port) || at->at.copy)
        return BMF_OK;
    const int64_t neighbour = mesh_neighbour(&c->machine->hardware.mesh, at->node, port);
    if (neighbour < 0)
        return illegal(at, "reads from %s, where there is no neighbour", mesh_port_name(port));
    if (reads_port(c, at->node, at->slot, port, at->pipeline))
        return illegal(at, "reads from %s in the same cycle as another pipeline", mesh_port_name(port));
    if (!writes_port(c, neighbour, at->slot - 1, mesh_opposite(port), -1))
        return illegal(at, "reads from %s, but node %" PRId64 " does not write then", mesh_port_name(port), neighbour);
    if (!c->machine->hardware.separate_wires && writes_port(c, at->node, at->slot - 1, port, -1))
        return illegal(at, "reads from %s in the cycle in which the link is written", mesh_port_name(port));
    return BMF_OK;
}

static int check_writing(const checking *c, const place *at)
{
    const int port = at->at.destination;
    if (place_is_register(port)) {
        for (int p = 0; p < at->pipeline; p++)
            if (look(c, at->node, p, at->slot).at.destination == port)
                return illegal(at, "writes register %d in the same cycle as pipeline %d", port - BMF_PLACE_REGISTER, p);
        return BMF_OK;
    }
    if (!place_is_port(port))
        return BMF_OK;
    const int64_t neighbour = mesh_neighbour(&c->machine->hardware.mesh, at->node, port);
    if (neighbour < 0)
        return illegal(at, "writes to %s, where there is no neighbour", mesh_port_name(port));
    if (writes_port(c, at->node, at->slot, port, at->pipeline))
        return illegal(at, "writes to %s in the same cycle as another pipeline", mesh_port_name(port));
    if (!reads_port(c, neighbour, at->slot + 1, mesh_opposite(port), -1))
        return illegal(at, "writes to %s, but node %" PRId64 " does not read then", mesh_port_name(port), neighbour);
    return BMF_OK;
}

static bool is_source(int code)
{
    return place_is_port(code) || place_is_register(code) || place_is_buffer(code) || code == BMF_PLACE_NOP ||
           code == BMF_PLACE_NULL;
}

static int check_vfsm(const checking *c, const place *at)
{
    if (!is_source(at->at.source))
        return illegal(at, "has the source %d, which is none", at->at.source);
    if (!is_source(at->at.destination) && at->at.destination != BMF_PLACE_MEMADR)
        return illegal(at, "has the destination %d, which is none", at->at.destination);
    BMF_TRY(check_next(c, at));
    BMF_TRY(check_reading(c, at));
    return check_writing(c, at);
}

int scheduled_check(const bmf_scheduled_machine *machine, int block)
{
    const checking c = {machine, block};
    const bmf_scheduled_hardware *hardware = &machine->hardware;
    for (int64_t n = 0; n < hardware->mesh.nodes; n++)
        for (int slot = 0; slot < hardware->length; slot++)
            for (int p = 0; p < hardware->pipelines; p++) {
                const place at = look(&c, n, p, slot);
                if (at.vfsm != BMF_VFSM_NOP)
                    BMF_TRY(check_vfsm(&c, &at));
            }
    return BMF_OK;
}
