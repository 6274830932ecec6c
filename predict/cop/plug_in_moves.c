/* What processors do for plug-ins. Method: every stream of the operator is a channel of its own, whose ring its source
 * fills; a node that passes a message on fills the rings of the next streams when it has read all of it, which is
 * before anybody there has read the last word, if accesses take a cycle and nothing interrupts them; otherwise it reads
 * first and writes then. Cost: a copy of a message for each stream. Source: document 004, 4.1 (gen_io, gen_load). */
#include "predict/cop/plug_in_moves.h"

#include <stdlib.h>

#include "predict/cop/plug_in.h"
#include "runtime/base/allocate.h"

typedef struct calling {
    bmf_cop_node *n;
    const bmf_cop_running *r;
    int64_t first; /* stream of the subset */
} calling;

static const bmf_cop_stream *stream_of(const calling *c, int64_t number)
{
    const bmf_cop_streams *s = &c->r->candidate->streams;
    const int64_t k = c->first + number;
    const bool is_one = number >= 0 && k < s->count && s->stream[k].instance == c->r->instance[c->n->node];
    return is_one ? &s->stream[k] : NULL;
}

static bool goes_to(const bmf_cop_stream *stream, int64_t node)
{
    for (int64_t d = 0; d < stream->destinations; d++)
        if (stream->to[d] == node)
            return true;
    return false;
}

static bmf_interface_use use_of(const calling *c, int64_t number, bool reads)
{
    const bmf_stream_route *route = moves_stream_route(c->n, c->r, c->first + number);
    const int64_t channel = c->r->first_channel + c->first + number;
    return (bmf_interface_use){.reg = reads ? moves_register_at(route, c->n->node) : route->reg,
                               .reads = reads,
                               .stream = channel,
                               .words = c->r->words,
                               .begin = c->n->moved[channel]};
}

static void fail(const cop_io *io, const char *message)
{
    const calling *c = io->state;
    run_fail(c->n, c->r->op->number, "%s", message);
}

static void check_move(const cop_io *io, int from, int count, const int *to, const void *out)
{
    const calling *c = io->state;
    const bmf_cop_stream *read = stream_of(c, from);
    if (from != COP_NO_STREAM && (!read || !goes_to(read, c->n->node)))
        fail(io, "the implementation reads a stream that does not end here");
    if (count < 0 || count > COP_MAX_OUT || (count > 0 && !out && from == COP_NO_STREAM))
        fail(io, "the implementation writes nothing, or to too many streams");
    for (int k = 0; k < count; k++)
        if (!stream_of(c, to[k]) || stream_of(c, to[k])->from != c->n->node)
            fail(io, "the implementation writes to a stream that does not begin here");
}

static void write_message(const calling *c, int count, const int *to, const void *message)
{
    bmf_interface_use use[COP_MAX_OUT];
    for (int k = 0; k < count; k++) {
        use[k] = use_of(c, to[k], false);
        moves_put_message(c->n, c->r, use[k].stream, message);
    }
    if (count > 0)
        moves_transfer(c->n, count > 1 ? BMF_COP_WRITES_IN_TURN : BMF_COP_AS_READY, count, use);
    for (int k = 0; k < count; k++)
        c->n->moved[use[k].stream] += c->r->words;
}

/* Reads, and writes what is there (out), or what comes. */
static void read_and_write(const calling *c, int from, void *in, int count, const int *to, const void *out)
{
    bmf_interface_use use[COP_MAX_OUT + 1];
    use[0] = use_of(c, from, true);
    for (int k = 0; k < count; k++) {
        use[k + 1] = use_of(c, to[k], false);
        if (out)
            moves_put_message(c->n, c->r, use[k + 1].stream, out);
    }
    moves_transfer(c->n, count > 0 && !out ? BMF_COP_READ_FIRST : BMF_COP_AS_READY, count + 1, use);
    moves_get_message(c->n, c->r, use[0].stream, in);
    for (int k = 0; k < count && !out; k++)
        moves_put_message(c->n, c->r, use[k + 1].stream, in);
    for (int k = 0; k <= count; k++)
        c->n->moved[use[k].stream] += c->r->words;
}

static void move(const cop_io *io, int from, void *in, int count, const int *to, const void *out)
{
    const calling *c = io->state;
    check_move(io, from, count, to, out);
    if (from == COP_NO_STREAM) {
        write_message(c, count, to, out);
        return;
    }
    const bool at_once = out || (c->n->run->is_prompt && !c->n->run->online);
    read_and_write(c, from, in, at_once ? count : 0, to, out);
    if (!at_once)
        write_message(c, count, to, in);
}

/* ---- calls ---- */

typedef struct call {
    calling calling;
    cop_pattern pattern;
    cop_io io;
} call;

static const cop_implementation *begin(bmf_cop_node *n, int64_t op, call *made)
{
    const bmf_cop_running *r = &n->run->running[op];
    const int64_t instance = r->instance[n->node];
    const bmf_cop_streams *s = &r->candidate->streams;
    *made = (call){.calling = {.n = n, .r = r}};
    while (made->calling.first < s->count && s->stream[made->calling.first].instance != instance)
        made->calling.first++;
    made->pattern = cop_plug_in_pattern(&n->run->plan->settings.hardware.mesh, r->op, instance);
    made->io = (cop_io){
        .state = &made->calling, .pattern = &made->pattern, .node = r->number[n->node], .move = move, .fail = fail};
    for (int k = 0; k < COP_OPERANDS; k++) {
        const cop_operand *o = &made->pattern.operand[k];
        made->io.operand[k] = o->is_runtime ? n->operand[op][k] : o->value;
    }
    if (r->op->kind == BMF_COP_PERMUTE && made->pattern.operand[0].is_runtime)
        made->io.permutation = n->operand[op];
    return r->candidate->implementation->plug_in;
}

void plug_in_load(bmf_cop_node *n, int64_t op)
{
    call made;
    const cop_implementation *record = begin(n, op, &made);
    if (record->load)
        record->load(&made.io);
}

void plug_in_write(bmf_cop_node *n, int64_t op, const void *message)
{
    call made;
    begin(n, op, &made)->write(&made.io, message);
}

void plug_in_read(bmf_cop_node *n, int64_t op, void *message)
{
    call made;
    begin(n, op, &made)->read(&made.io, message);
}

void plug_in_call(bmf_cop_node *n, int64_t op, const void *in, void *out, bmf_cop_combine *combine)
{
    call made;
    begin(n, op, &made)->call(&made.io, in, out, combine);
}
