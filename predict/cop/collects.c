/* Collects on scheduled routers: whoever writes, the words come to one register of the destination. Method: all writers
 * of an instance share one ring, which the destination reads; a message begins where the last one ended. Nothing keeps
 * the words of two writers apart, so the second is refused before the first one's message has been read. Cost: that of
 * a message. Source: document 004, 2.3 (one writer at a time) and appendix B (str_collect). */
#include <inttypes.h>

#include "predict/cop/joints.h"
#include "predict/cop/run_private.h"

bool collects_carry(const bmf_cop_running *r)
{
    return r->candidate->implementation->joints == BMF_COP_JOINED;
}

static bmf_cop_collecting *collecting_of(const bmf_cop_node *n, const bmf_cop_running *r)
{
    return &r->collecting[r->instance[n->node]];
}

static bool is_valid(const bmf_cop_operator *op, int64_t number)
{
    bool found = op->valids == 0;
    for (int64_t k = 0; k < op->valids && !found; k++)
        found = op->valid[k] == number;
    return found;
}

/* The ring of the instance is that of its destination. */
static bmf_interface_use message_of(bmf_cop_node *n, const bmf_cop_running *r, int64_t begin)
{
    const int64_t channel = moves_channel(n, r, BMF_COP_UP, moves_operand(n, r, 0));
    n->moved[channel] = begin;
    return (bmf_interface_use){.stream = channel, .words = moves_words(n, r), .begin = begin};
}

void collects_write(bmf_cop_node *n, int64_t op, const void *message)
{
    const bmf_cop_running *r = &n->run->running[op];
    bmf_cop_collecting *c = collecting_of(n, r);
    const int64_t stream = cop_stream_from(&r->candidate->streams, r->instance[n->node], n->node);
    if (moves_operand(n, r, 0) == n->node)
        run_fail(n, op, "it is written by its destination");
    if (!is_valid(r->op, r->number[n->node]))
        run_fail(n, op, "it is written by a node that is not :valid");
    if (c->read < c->written && c->writer != n->node)
        run_fail(n, op, "it has two writers: the message of node %" PRId64 " has not been read yet", c->writer);
    bmf_interface_use use = message_of(n, r, c->written);
    use.reg = moves_stream_route(n, r, stream)->reg;
    c->writer = n->node;
    c->written += use.words;
    moves_put_message(n, r, use.stream, message);
    moves_transfer(n, BMF_COP_AS_READY, 1, &use);
}

void collects_read(bmf_cop_node *n, int64_t op, void *message)
{
    const bmf_cop_running *r = &n->run->running[op];
    bmf_cop_collecting *c = collecting_of(n, r);
    const int64_t first = cop_stream_into(&r->candidate->streams, r->instance[n->node], n->node, 0);
    if (moves_operand(n, r, 0) != n->node)
        run_fail(n, op, "it is read by a node that is not its destination");
    if (first == BMF_COP_NOBODY)
        run_fail(n, op, "it is read where no other node may write it");
    bmf_interface_use use = message_of(n, r, c->read);
    use.reads = true;
    use.reg = moves_register_at(moves_stream_route(n, r, first), n->node);
    moves_transfer(n, BMF_COP_AS_READY, 1, &use);
    moves_get_message(n, r, use.stream, message);
    c->read += use.words;
}
