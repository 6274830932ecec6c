/* Streams from neighbour to neighbour: the processors on the way from the source to the destination, along x, then y,
 * then z, pass words on. Method: who is on the way does so when it loads the operator, before anything that comes
 * later, since operators before this one are through there; so no node waits for one that is behind it in the program,
 * and nodes beside the way do nothing. Cost: a read and a write a word at every node on the way. Source: document 004,
 * 4.1 (processor intervention) and 8.3 (str_bcast_dense). */
#include "predict/cop/implement_private.h"
#include "predict/cop/run_private.h"

/* The neighbours that a node gets a message from and passes it on to; NOBODY: it is an end, or beside the way. */
typedef struct relay_place {
    int64_t before, after;
} relay_place;

static int64_t step_towards(const bmf_mesh *mesh, int64_t at, int64_t destination)
{
    for (int port = 0; port < BMF_MESH_PORTS; port++) {
        const int64_t next = mesh_neighbour(mesh, at, port);
        if (next >= 0 && mesh_distance(mesh, next, destination) < mesh_distance(mesh, at, destination))
            return next;
    }
    return BMF_COP_NOBODY;
}

static relay_place find_place(const bmf_mesh *mesh, int64_t source, int64_t destination, int64_t own)
{
    for (int64_t before = BMF_COP_NOBODY, at = source; at != BMF_COP_NOBODY;) {
        const int64_t after = step_towards(mesh, at, destination);
        if (at == own)
            return (relay_place){before, after};
        before = at;
        at = after;
    }
    return (relay_place){BMF_COP_NOBODY, BMF_COP_NOBODY};
}

bool relays_carry(const bmf_cop_running *r)
{
    return r->candidate->implementation == &cop_str_stream_dense;
}

/* The node's part in the next message, which is in its writer's ring. */
static void pass_message(bmf_cop_node *n, const bmf_cop_running *r)
{
    const int64_t source = moves_operand(n, r, 0), channel = moves_channel(n, r, BMF_COP_UP, source);
    const relay_place p = find_place(&n->run->plan->settings.hardware.mesh, source, moves_operand(n, r, 1), n->node);
    const bmf_interface_use moved = {.stream = channel, .words = moves_words(n, r), .begin = n->moved[channel]};
    bmf_interface_use use[2];
    int uses = 0;
    if (p.before != BMF_COP_NOBODY) {
        use[uses] = moved;
        use[uses].reads = true;
        use[uses++].reg = moves_register_at(moves_route(n, r, p.before, n->node), n->node);
    }
    if (p.after != BMF_COP_NOBODY) {
        use[uses] = moved;
        use[uses++].reg = moves_route(n, r, n->node, p.after)->reg;
    }
    if (uses > 0)
        moves_transfer(n, uses == 1 ? BMF_COP_AS_READY : BMF_COP_READ_FIRST, uses, use);
}

static void count_message(bmf_cop_node *n, const bmf_cop_running *r)
{
    n->moved[moves_channel(n, r, BMF_COP_UP, moves_operand(n, r, 0))] += moves_words(n, r);
}

void relays_load(bmf_cop_node *n, int64_t op)
{
    const bmf_cop_running *r = &n->run->running[op];
    if (moves_operand(n, r, 0) == n->node || moves_operand(n, r, 1) == n->node)
        return;
    for (int64_t k = 0; k < r->op->calls; k++) {
        pass_message(n, r);
        count_message(n, r);
    }
    changes_note_end(n, op);
}

void relays_write(bmf_cop_node *n, const bmf_cop_running *r, const void *message)
{
    moves_put_message(n, r, moves_channel(n, r, BMF_COP_UP, n->node), message);
    pass_message(n, r);
    count_message(n, r);
}

void relays_read(bmf_cop_node *n, const bmf_cop_running *r, void *message)
{
    const int64_t channel = moves_channel(n, r, BMF_COP_UP, moves_operand(n, r, 0));
    pass_message(n, r);
    moves_get_message(n, r, channel, message);
    count_message(n, r);
}
