/* Chains: streams along a snake through an instance's nodes, one from its first to its last node and one back, that
 * begin where the program says. Method: at a node that becomes the source, the VFSM that takes the words in is
 * programmed to read the processor; when another node becomes it, the VFSM reads its neighbour again. What is on its
 * way keeps its order, because it stands in buffers behind that VFSM. A source inside gets its own words back, too, by
 * the fork that delivers; when it has read them, they have left. Cost: a word of reprogramming for each of the two
 * VFSMs, when the source changes. Source: document 004, 8.3 and appendix B (str_bcast_linear). */
#include "predict/cop/implement_private.h"
#include "predict/cop/run_private.h"

enum { CHAINS = 2 };

/* The instance's chains in the order of cop_linear_streams. */
static int64_t chain_of(const bmf_cop_node *n, const bmf_cop_running *r, int which)
{
    const bmf_cop_streams *s = &r->candidate->streams;
    for (int64_t k = 0; k < s->count; k++)
        if (s->stream[k].instance == r->instance[n->node] && which-- == 0)
            return k;
    return -1;
}

/* Where a chain's words are delivered, or come from. */
static const bmf_stream_hop *hop_at(const bmf_stream_route *route, int64_t node)
{
    for (int64_t h = 0; h < route->hops; h++)
        if (route->hop[h].node == node && (h == 0 || route->hop[h].delivers))
            return &route->hop[h];
    return NULL;
}

static int64_t place_in(const bmf_cop_stream *stream, int64_t node)
{
    int64_t place = 0;
    if (stream->from == node)
        return place;
    while (stream->to[place] != node)
        place++;
    return place + 1;
}

bool chains_carry(const bmf_cop_running *r)
{
    return r->candidate->implementation->streams == cop_linear_streams;
}

int chains_register(const bmf_cop_node *n, const bmf_cop_running *r, int64_t source)
{
    for (int which = 0; which < CHAINS; which++) {
        const int64_t k = chain_of(n, r, which);
        const bmf_cop_stream *stream = &r->candidate->streams.stream[k];
        if (place_in(stream, source) < place_in(stream, n->node))
            return hop_at(moves_stream_route(n, r, k), n->node)->reg;
    }
    return -1;
}

/* A node at an end of the snake needs no programming: there the chains begin anyway. */
static void program(bmf_cop_node *n, const bmf_cop_running *r, bool begins)
{
    bmf_processor_script *script = &n->run->script[n->node];
    const bmf_scheduled_node *memory = &n->run->image[r->phase]->node[n->node];
    const int length = n->run->plan->settings.hardware.length;
    for (int which = 0; which < CHAINS; which++) {
        const bmf_stream_hop *hop = hop_at(moves_stream_route(n, r, chain_of(n, r, which)), n->node);
        if (hop->own < 0)
            continue;
        const int vfsm = memory->entry[n->run->block[r->phase] * length + hop->slot].vfsm[hop->pipeline];
        bmf_annotation at = memory->annotation[hop->pipeline][vfsm];
        at.source = (uint8_t)(begins ? BMF_PLACE_REGISTER + hop->own : hop->in);
        const uint64_t word =
            command_word(&(bmf_command){.kind = BMF_COMMAND_ANNOTATION, .index = vfsm, .annotation = at});
        const int reg = scheduled_command_register(hop->pipeline);
        script_commands(script, BMF_TIME_REPROGRAM, reg, 1, &word);
        script_drain(script, BMF_TIME_REPROGRAM, reg, 0);
    }
    n->begins[r - n->run->running] = begins;
    run_steps(n);
}

void chains_load(bmf_cop_node *n, int64_t op)
{
    const bmf_cop_running *r = &n->run->running[op];
    const bool begins = moves_operand(n, r, 0) == n->node;
    if (chain_of(n, r, 0) >= 0 && begins != n->begins[op])
        program(n, r, begins);
}

void chains_write(bmf_cop_node *n, int64_t op, const void *message)
{
    const bmf_cop_running *r = &n->run->running[op];
    const int64_t channel = moves_channel(n, r, BMF_COP_UP, n->node);
    bmf_interface_use use[CHAINS];
    int uses = 0;
    discards_finish(n, op); /* what came back of the message before */
    moves_put_message(n, r, channel, message);
    for (int which = 0; which < CHAINS && chain_of(n, r, which) >= 0; which++) {
        const bmf_stream_route *route = moves_stream_route(n, r, chain_of(n, r, which));
        const bmf_stream_hop *hop = hop_at(route, n->node);
        if (hop->outs == 0)
            continue;
        use[uses++] = (bmf_interface_use){.reg = hop->own >= 0 ? hop->own : route->reg,
                                          .stream = channel,
                                          .words = moves_words(n, r),
                                          .begin = n->moved[channel]};
        if (hop->own >= 0)
            discards_add(n, &(bmf_cop_discard){op, channel, n->moved[channel], moves_words(n, r), hop->reg});
    }
    if (uses > 0)
        moves_transfer(n, BMF_COP_WRITES_IN_TURN, uses, use);
    n->moved[channel] += moves_words(n, r);
}
