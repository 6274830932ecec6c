/* Barriers in the routers. At rest every stream that goes up the tree is closed at its end, and so is the one that
 * begins where others end. Method: a node that enters opens its first child's stream and hands over two commands for
 * its parent's router; they go when its own stream has been opened by its last child, and then the node closes it
 * again. When the multicast from the root comes, all have entered. The last child's second command, which closes its
 * stream, comes a slot behind the first one: a node waits so long before it opens anything again. Cost: a command of
 * each child, one after the other. Source: document 004, appendix B (str_barrier). */
#include "predict/cop/joints.h"
#include "predict/cop/run_private.h"

enum { COMMANDS = 2 };

bool gates_carry(const bmf_cop_running *r)
{
    return r->candidate->implementation->joints == BMF_COP_GATED;
}

static uint64_t command(const bmf_cop_node *n, const bmf_cop_running *r, const bmf_cop_vfsm *vfsm, int source,
                        int destination)
{
    bmf_annotation at = n->run->image[r->phase]->node[vfsm->node].annotation[vfsm->pipeline][vfsm->number];
    at.source = (uint8_t)(source >= 0 ? source : at.source);
    at.destination = (uint8_t)(destination >= 0 ? destination : at.destination);
    return command_word(&(bmf_command){.kind = BMF_COMMAND_ANNOTATION, .index = vfsm->number, .annotation = at});
}

/* The end of a stream that goes up. */
static uint64_t set_end(const bmf_cop_node *n, const bmf_cop_running *r, int64_t stream, int destination, int *pipeline)
{
    const bmf_cop_vfsm end =
        cop_last_vfsm(moves_stream_route(n, r, stream), n->run->image[r->phase], (int)n->run->block[r->phase]);
    *pipeline = end.pipeline;
    return command(n, r, &end, -1, destination);
}

/* The beginning of the stream that begins at a node. */
static uint64_t set_begin(const bmf_cop_node *n, const bmf_cop_running *r, int64_t stream, bool open)
{
    const bmf_stream_route *route = moves_stream_route(n, r, stream);
    const bmf_cop_vfsm begin = cop_first_vfsm(route, n->run->image[r->phase], (int)n->run->block[r->phase]);
    return command(n, r, &begin, open ? BMF_PLACE_REGISTER + route->reg : BMF_PLACE_NOP, -1);
}

/* By the node's own processor; waits until the router has taken it. */
static void program(bmf_cop_node *n, int pipeline, uint64_t word)
{
    bmf_processor_script *script = &n->run->script[n->node];
    const int reg = scheduled_command_register(pipeline);
    script_commands(script, BMF_TIME_PSYNC, reg, 1, &word);
    script_drain(script, BMF_TIME_PSYNC, reg, 0);
}

/* Until it has taken what is in the register. Words that are meant for others are read: whom they hold up could not
 * enter. */
static void wait_for_router(bmf_cop_node *n, int reg)
{
    bmf_processor_script *script = &n->run->script[n->node];
    bmf_interface_use use[BMF_SCHEDULED_REGISTERS];
    const int others = discards_list(n, use);
    const int64_t first = script->uses;
    script_drain_beside(script, BMF_TIME_PSYNC, reg, others, use);
    for (int k = 0; k < others; k++)
        script->use[first + k].begin = use[k].begin;
    run_steps(n);
    discards_note(n, script->use + first); /* the memory of a script that was cleared stays */
}

/* To the parent's router: what comes after this child, and its own end. */
static void send_commands(bmf_cop_node *n, const bmf_cop_running *r, int64_t own)
{
    const bmf_cop_streams *s = &r->candidate->streams;
    const int64_t instance = s->stream[own].instance, parent = s->stream[own].to[0];
    bmf_processor_script *script = &n->run->script[n->node];
    int64_t place = 0;
    int pipeline;
    uint64_t word[COMMANDS];
    while (cop_stream_into(s, instance, parent, place) != own)
        place++;
    const int64_t next = cop_stream_into(s, instance, parent, place + 1);
    word[0] = next != BMF_COP_NOBODY ? set_end(n, r, next, BMF_PLACE_MEMADR, &pipeline)
                                     : set_begin(n, r, cop_stream_from(s, instance, parent), true);
    word[1] = set_end(n, r, own, BMF_PLACE_NOP, &pipeline);
    for (int k = 0; k < COMMANDS; k++) {
        script_commands(script, BMF_TIME_PSYNC, moves_stream_route(n, r, own)->reg, 1, &word[k]);
        wait_for_router(n, moves_stream_route(n, r, own)->reg);
    }
}

/* The word that tells all that everybody has entered: written by the root, read by the others. */
static void move_news(bmf_cop_node *n, const bmf_cop_running *r, int64_t root)
{
    const int64_t channel = moves_channel(n, r, BMF_COP_DOWN, root);
    const int64_t down = cop_stream_from(&r->candidate->streams, r->instance[n->node], root);
    const bmf_stream_route *route = moves_stream_route(n, r, down);
    const bool reads = n->node != root;
    const bmf_interface_use use = {.reg = reads ? moves_register_at(route, n->node) : route->reg,
                                   .reads = reads,
                                   .stream = channel,
                                   .words = 1,
                                   .begin = n->moved[channel]};
    moves_transfer(n, BMF_COP_AS_READY, 1, &use);
    n->moved[channel]++;
}

/* From the moment in which the node's own stream was open: the last child writes its second command at once, it goes in
 * the next slot, and one more if the first one stood in its way. */
static int64_t closing_time(const bmf_cop_node *n, const bmf_cop_running *r, int64_t child)
{
    if (child == BMF_COP_NOBODY)
        return 0;
    const int period = n->run->plan->settings.hardware.length / moves_stream_route(n, r, child)->slots;
    return n->run->access + 2 * period + BMF_SCHEDULED_STAGES;
}

void gates_call(bmf_cop_node *n, int64_t op)
{
    const bmf_cop_running *r = &n->run->running[op];
    const bmf_cop_streams *s = &r->candidate->streams;
    const int64_t instance = r->instance[n->node], root = moves_root(r, instance);
    const int64_t own = cop_stream_from(s, instance, n->node), child = cop_stream_into(s, instance, n->node, 0);
    bmf_processor_script *script = &n->run->script[n->node];
    int pipeline = 0;
    if (own == BMF_COP_NOBODY)
        return; /* alone */
    if (child != BMF_COP_NOBODY) {
        const uint64_t open = set_end(n, r, child, BMF_PLACE_MEMADR, &pipeline);
        script_until(script, BMF_TIME_PSYNC, r->closed_from[n->node]);
        program(n, pipeline, open);
    }
    if (n->node == root) {
        move_news(n, r, root);
        wait_for_router(n, moves_stream_route(n, r, own)->reg);
    } else {
        send_commands(n, r, own);
    }
    if (child != BMF_COP_NOBODY)
        program(n, pipeline, set_begin(n, r, own, false));
    run_steps(n);
    r->closed_from[n->node] = scheduled_simulation_cycle(n->run->simulation) + closing_time(n, r, child);
    if (n->node != root)
        move_news(n, r, root);
}
