/* What processors do for operators: which words they write to which registers and read from which, in what order.
 * Method: a message goes into the ring of its writer, streams carry places in it, readers take the words from there
 * once they have arrived. Cost: O(words) a message, and a look through the operator's streams for registers. Source:
 * document 004, appendix B and 8.2. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "predict/cop/run_private.h"
#include "runtime/base/allocate.h"

enum { WORK = 4 /* messages that combine */ };
enum { MAX_USES = 2 * BMF_SCHEDULED_REGISTERS, UP = BMF_COP_UP, DOWN = BMF_COP_DOWN, NOBODY = BMF_COP_NOBODY };

typedef const bmf_cop_running running;

static running *running_of(const bmf_cop_node *n, int64_t op)
{
    return &n->run->running[op];
}

static const bmf_cop_instance *instance_of(const bmf_cop_node *n, running *r)
{
    return &r->op->instance[r->instance[n->node]];
}

/* ---- registers ---- */

static bool goes_to(const bmf_cop_stream *stream, int64_t to)
{
    for (int64_t d = 0; d < stream->destinations; d++)
        if (stream->to[d] == to)
            return true;
    return false;
}

const bmf_stream_route *moves_stream_route(const bmf_cop_node *n, running *r, int64_t stream)
{
    return &n->run->phase[r->phase]->routes->route[r->first_stream + stream];
}

/* Numbers of the mesh. */
const bmf_stream_route *moves_route(const bmf_cop_node *n, running *r, int64_t from, int64_t to)
{
    const bmf_cop_streams *s = &r->candidate->streams;
    for (int64_t k = 0; k < s->count; k++)
        if (s->stream[k].from == from && goes_to(&s->stream[k], to))
            return moves_stream_route(n, r, k);
    return NULL;
}

int moves_register_at(const bmf_stream_route *route, int64_t node)
{
    for (int64_t h = 0; h < route->hops; h++)
        if (route->hop[h].node == node && route->hop[h].delivers)
            return route->hop[h].reg;
    return -1;
}

/* ---- words ---- */

int64_t moves_words(const bmf_cop_node *n, running *r)
{
    return n->is_syncing ? r->sync_words : r->words;
}

int64_t moves_channel(const bmf_cop_node *n, running *r, int bank, int64_t writer)
{
    return ((r - n->run->running) * BMF_COP_BANKS + bank) * n->run->nodes + writer;
}

void moves_put_message(bmf_cop_node *n, running *r, int64_t channel, const void *message)
{
    enum { BUFFERED = 64 };
    bmf_cop_channel *c = &n->run->channel[channel];
    const uint32_t *word = message;
    if (!c->word) {
        for (c->size = 1; c->size < 4 * (r->words + r->sync_words) + BUFFERED * n->run->nodes;)
            c->size *= 2;
        c->word = allocate_array(c->size, (int64_t)sizeof *c->word);
    }
    for (int64_t k = 0; k < r->op->words && !n->is_syncing; k++)
        c->word[(n->moved[channel] + k) & (c->size - 1)] = word[k];
}

void moves_get_message(const bmf_cop_node *n, running *r, int64_t channel, void *message)
{
    const bmf_cop_channel *c = &n->run->channel[channel];
    uint32_t *word = message;
    for (int64_t k = 0; k < r->op->words && !n->is_syncing; k++)
        word[k] = c->word[(n->moved[channel] + k) & (c->size - 1)];
}

static bmf_interface_use use_of(const bmf_cop_node *n, running *r, int64_t channel, int reg, bool reads)
{
    return (bmf_interface_use){
        .reg = reg, .reads = reads, .stream = channel, .words = moves_words(n, r), .begin = n->moved[channel]};
}

void moves_transfer(bmf_cop_node *n, bmf_cop_order order, int uses, const bmf_interface_use *use)
{
    bmf_processor_script *script = &n->run->script[n->node];
    bmf_interface_use all[MAX_USES];
    memcpy(all, use, (size_t)uses * sizeof *all);
    const int others = discards_list(n, all + uses);
    script_transfer(script, order == BMF_COP_WRITES_IN_TURN || order == BMF_COP_READ_FIRST, uses + others, all);
    simulator_resume *step = &script->step[script->steps - 1];
    step->reads_first = order == BMF_COP_READ_FIRST;
    step->window = order == BMF_COP_IN_WINDOW ? BMF_COP_WINDOW : 0;
    step->background = others;
    const int64_t first = script->uses - uses - others;
    for (int k = 0; k < uses + others; k++)
        script->use[first + k].begin = all[k].begin;
    run_steps(n);
    discards_note(n, script->use + first + uses); /* the memory of a script that was cleared stays */
}

/* ---- moves ---- */

/* Messages to several nodes that differ, to the children of a tree or in a spread: each has the ring of its reader, all
 * others that of their writer. */
static bool has_one_reader(running *r, int bank)
{
    return r->op->kind == BMF_COP_SPREAD || (bank == DOWN && r->op->kind == BMF_COP_PREFIX);
}

static void send(bmf_cop_node *n, running *r, int bank, int64_t to, const void *message)
{
    const bool one_reader = has_one_reader(r, bank);
    const int64_t channel = moves_channel(n, r, bank, one_reader ? to : n->node);
    const bmf_interface_use use = use_of(n, r, channel, moves_route(n, r, n->node, to)->reg, false);
    moves_put_message(n, r, channel, message);
    moves_transfer(n, BMF_COP_AS_READY, 1, &use);
    n->moved[channel] += moves_words(n, r);
}

static void receive_at(bmf_cop_node *n, running *r, int64_t channel, int reg, void *message)
{
    const bmf_interface_use use = use_of(n, r, channel, reg, true);
    moves_transfer(n, BMF_COP_AS_READY, 1, &use);
    moves_get_message(n, r, channel, message);
    n->moved[channel] += moves_words(n, r);
}

static void receive(bmf_cop_node *n, running *r, int bank, int64_t from, void *message)
{
    const bool one_reader = has_one_reader(r, bank);
    const int64_t channel = moves_channel(n, r, bank, one_reader ? n->node : from);
    receive_at(n, r, channel, moves_register_at(moves_route(n, r, from, n->node), n->node), message);
}

static void exchange(bmf_cop_node *n, running *r, int64_t to, int64_t from, const void *in, void *out)
{
    bmf_interface_use use[2];
    int uses = 0;
    const int64_t written = moves_channel(n, r, UP, n->node),
                  read = from == NOBODY ? -1 : moves_channel(n, r, UP, from);
    if (to != NOBODY) {
        moves_put_message(n, r, written, in);
        use[uses++] = use_of(n, r, written, moves_route(n, r, n->node, to)->reg, false);
    }
    if (read >= 0)
        use[uses++] = use_of(n, r, read, moves_register_at(moves_route(n, r, from, n->node), n->node), true);
    if (uses > 0)
        moves_transfer(n, uses == 2 && r->op->kind == BMF_COP_CSHIFT ? BMF_COP_IN_WINDOW : BMF_COP_AS_READY, uses, use);
    if (to != NOBODY)
        n->moved[written] += moves_words(n, r);
    if (read < 0)
        return;
    moves_get_message(n, r, read, out);
    n->moved[read] += moves_words(n, r);
}

/* ---- broadcasts ---- */

/* Words go from the processor, or from the neighbour they come over, to all neighbours that get them from here. */
static void dense(bmf_cop_node *n, running *r, int64_t source, const void *in, void *out)
{
    const bmf_mesh *mesh = &n->run->plan->settings.hardware.mesh;
    const bmf_cop_instance *instance = instance_of(n, r);
    const int64_t channel = moves_channel(n, r, UP, source);
    bmf_interface_use use[MAX_USES];
    int uses = 0;
    if (n->node == source)
        moves_put_message(n, r, channel, in);
    for (int port = 0; port < BMF_MESH_PORTS; port++) {
        const int64_t neighbour = mesh_neighbour(mesh, n->node, port);
        if (neighbour < 0 || !cop_instance_has(instance, neighbour))
            continue;
        if (cop_comes_over(mesh, source, n->node, neighbour))
            use[uses++] = use_of(n, r, channel, moves_route(n, r, n->node, neighbour)->reg, false);
        else if (n->node != source && cop_comes_over(mesh, source, neighbour, n->node))
            use[uses++] =
                use_of(n, r, channel, moves_register_at(moves_route(n, r, neighbour, n->node), n->node), true);
    }
    if (uses > 0)
        moves_transfer(n, n->node == source ? BMF_COP_WRITES_IN_TURN : BMF_COP_READ_FIRST, uses, use);
    if (n->node != source)
        moves_get_message(n, r, channel, out);
    n->moved[channel] += moves_words(n, r);
}

int64_t moves_operand(const bmf_cop_node *n, running *r, int which)
{
    const bmf_cop_instance *instance = instance_of(n, r);
    const bmf_cop_operand *operand = &instance->operand[which];
    const int64_t op = r - n->run->running;
    return instance->node[operand->runtime ? n->operand[op][which] : operand->value];
}

static bool is_dense(running *r)
{
    return strcmp(r->candidate->implementation->name, "str_bcast_dense") == 0;
}

/* The n-th other node of the instance: for gather and spread. */
static int64_t other_node(bmf_cop_node *n, running *r)
{
    const bmf_cop_instance *instance = instance_of(n, r);
    int64_t k = n->calls[r - n->run->running]++ % (instance->nodes - 1);
    k += k >= r->number[n->node];
    return instance->node[k];
}

/* The last message that the node wrote. */
static void read_own(bmf_cop_node *n, running *r, void *message)
{
    const int64_t channel = moves_channel(n, r, UP, n->node);
    if (n->moved[channel] < r->words) {
        run_fail(n, r - n->run->running, "it is read before it has been written, by its source");
        return;
    }
    n->moved[channel] -= r->words;
    moves_get_message(n, r, channel, message);
    n->moved[channel] += moves_words(n, r);
}

void moves_load(bmf_cop_node *n, int64_t op)
{
    running *r = running_of(n, op);
    discards_finish(n, op);
    if (relays_carry(r))
        relays_load(n, op);
    if (chains_carry(r))
        chains_load(n, op);
    if (!r->candidate->implementation->others_discard || instance_of(n, r)->nodes == 1)
        return;
    const int64_t source = moves_operand(n, r, 0), words = moves_words(n, r) * r->op->calls;
    if (source == n->node || moves_operand(n, r, 1) == n->node)
        return;
    const int64_t channel = moves_channel(n, r, UP, source);
    const int reg = chains_carry(r) ? chains_register(n, r, source)
                                    : moves_register_at(moves_route(n, r, source, n->node), n->node);
    discards_add(n, &(bmf_cop_discard){op, channel, n->moved[channel], words, reg});
    n->moved[channel] += words;
}

void moves_write(bmf_cop_node *n, int64_t op, const void *message)
{
    running *r = running_of(n, op);
    const bmf_cop_instance *instance = instance_of(n, r);
    const int64_t a = r->op->kind == BMF_COP_GATHER ? NOBODY : moves_operand(n, r, 0);
    if (collects_carry(r)) {
        collects_write(n, op, message);
        return;
    }
    if (r->op->kind != BMF_COP_GATHER && a != n->node) {
        run_fail(n, op, "it is written by a node that is not its source, which is node %" PRId64, a);
        return;
    }
    if (is_dense(r)) {
        dense(n, r, n->node, message, NULL);
    } else if (relays_carry(r)) {
        relays_write(n, r, message);
    } else if (chains_carry(r)) {
        chains_write(n, op, message);
    } else if (r->op->kind == BMF_COP_BROADCAST) {
        if (instance->nodes > 1)
            send(n, r, UP, instance->node[instance->node[0] == n->node], message);
    } else if (r->op->kind == BMF_COP_STREAM) {
        const int64_t to = moves_operand(n, r, 1);
        send(n, r, UP, to != n->node ? to : instance->node[instance->node[0] == n->node], message);
    } else if (r->op->kind == BMF_COP_SPREAD) {
        const int64_t to = other_node(n, r);
        send(n, r, UP, to, message);
    } else {
        send(n, r, UP, moves_operand(n, r, 0), message);
    }
}

static void read_message(bmf_cop_node *n, running *r, void *message)
{
    const int64_t a = r->op->kind == BMF_COP_GATHER ? NOBODY : moves_operand(n, r, 0);
    if (is_dense(r))
        dense(n, r, a, NULL, message);
    else if (relays_carry(r))
        relays_read(n, r, message);
    else if (chains_carry(r))
        receive_at(n, r, moves_channel(n, r, UP, a), chains_register(n, r, a), message);
    else if (r->op->kind == BMF_COP_GATHER)
        receive(n, r, UP, other_node(n, r), message);
    else
        receive(n, r, UP, a, message);
}

void moves_read(bmf_cop_node *n, int64_t op, void *message)
{
    running *r = running_of(n, op);
    const int64_t a = moves_operand(n, r, 0);
    if (collects_carry(r)) {
        collects_read(n, op, message);
        return;
    }
    if (r->op->kind == BMF_COP_STREAM && moves_operand(n, r, 1) != n->node) {
        run_fail(n, op, "it is read by a node that is not its destination");
        return;
    }
    if (r->op->kind == BMF_COP_STREAM && a == n->node) {
        read_own(n, r, message);
        return;
    }
    if (r->op->kind != BMF_COP_GATHER && a == n->node) {
        run_fail(n, op, "it is read by its source");
        return;
    }
    read_message(n, r, message);
}

/* ---- trees ---- */

static void combine_into(bmf_cop_combine *combine, const void *a, const void *b, void *out)
{
    if (combine)
        combine(a, b, out);
}

/* The children's messages at the same time: each has its own bandwidth. */
static void receive_both(bmf_cop_node *n, running *r, const bmf_cop_tree_place *p, void *left, void *right)
{
    const bmf_cop_instance *instance = instance_of(n, r);
    void *const message[] = {left, right};
    int64_t channel[2];
    bmf_interface_use use[2];
    int uses = 0;
    for (int side = 0; side < 2; side++) {
        if (p->child[side] == NOBODY)
            continue;
        const int64_t from = instance->node[p->child[side]];
        channel[side] = moves_channel(n, r, UP, from);
        use[uses++] = use_of(n, r, channel[side], moves_register_at(moves_route(n, r, from, n->node), n->node), true);
    }
    if (uses > 0)
        moves_transfer(n, BMF_COP_AS_READY, uses, use);
    for (int side = 0; side < 2; side++)
        if (p->child[side] != NOBODY) {
            moves_get_message(n, r, channel[side], message[side]);
            n->moved[channel[side]] += moves_words(n, r);
        }
}

/* The combination of the subtree's values, in the order of numbers, into `sum`; of those up to the node's own into
 * `own`; of the left ones into `left`. */
static void sweep_up(bmf_cop_node *n, running *r, const bmf_cop_tree_place *p, const void *in, void *left, void *own,
                     void *sum, bmf_cop_combine *combine)
{
    const bmf_cop_instance *instance = instance_of(n, r);
    const size_t size = (size_t)r->op->words * 4;
    memcpy(own, in, size);
    receive_both(n, r, p, left, sum);
    if (p->child[0] != NOBODY)
        combine_into(combine, left, in, own);
    if (p->child[1] != NOBODY)
        combine_into(combine, own, sum, sum);
    else
        memcpy(sum, own, size);
    if (p->parent != NOBODY)
        send(n, r, UP, instance->node[p->parent], sum);
}

/* Downwards, to children by number; NOBODY: none. */
static void send_both(bmf_cop_node *n, running *r, int64_t left, const void *to_left, int64_t right,
                      const void *to_right)
{
    const bmf_cop_instance *instance = instance_of(n, r);
    const int64_t child[] = {left, right};
    const void *const message[] = {to_left, to_right};
    bmf_interface_use use[2];
    int uses = 0;
    for (int side = 0; side < 2; side++) {
        if (child[side] == NOBODY)
            continue;
        const int64_t to = instance->node[child[side]], channel = moves_channel(n, r, DOWN, to);
        moves_put_message(n, r, channel, message[side]);
        use[uses++] = use_of(n, r, channel, moves_route(n, r, n->node, to)->reg, false);
        n->moved[channel] += moves_words(n, r);
    }
    if (uses > 0)
        moves_transfer(n, BMF_COP_AS_READY, uses, use);
}

/* Belongs to the node, whose program may be dropped at any access. */
static char *work_space(bmf_cop_node *n, int64_t size)
{
    if (size > n->space) {
        n->work = reallocate(n->work, n->space, size);
        n->space = size;
    }
    return n->work;
}

/* The sum comes to all, for one of them. */
static void discard_sum(bmf_cop_node *n, running *r, int64_t root)
{
    const int64_t channel = moves_channel(n, r, DOWN, root), op = r - n->run->running;
    const int reg = moves_register_at(moves_route(n, r, root, n->node), n->node);
    discards_add(n, &(bmf_cop_discard){op, channel, n->moved[channel], moves_words(n, r), reg});
    n->moved[channel] += moves_words(n, r);
}

static bool reduces_to_all(running *r)
{
    return r->op->kind == BMF_COP_REDUCE && r->op->instance[0].operand[0].runtime;
}

static int64_t root_number(running *r, const bmf_cop_instance *instance)
{
    return reduces_to_all(r)               ? 0 /* then to all, for one of them */
           : r->op->kind == BMF_COP_REDUCE ? instance->operand[0].value
                                           : instance->nodes / 2;
}

int64_t moves_root(running *r, int64_t instance)
{
    const bmf_cop_instance *in = &r->op->instance[instance];
    return in->node[root_number(r, in)];
}

static void call_tree(bmf_cop_node *n, running *r, const void *in, void *out, bmf_cop_combine *combine)
{
    const bmf_cop_instance *instance = instance_of(n, r);
    const bool reduces = r->op->kind == BMF_COP_REDUCE;
    const bool by_all = reduces_to_all(r);
    const int64_t root = root_number(r, instance), size = r->op->words * 4;
    const bmf_cop_tree_place p = cop_place_in_tree(instance->nodes, root, r->number[n->node]);
    char *left = work_space(n, WORK * size), *own = left + size, *sum = own + size, *before = sum + size;
    sweep_up(n, r, &p, in, left, own, sum, combine);
    if (r->op->kind == BMF_COP_PREFIX) {
        const bool has_before = p.first > 0;
        if (has_before) {
            receive(n, r, DOWN, instance->node[p.parent], before);
            combine_into(combine, before, own, own);
        }
        /* the left subtree has the same before it, the right one all up to this node; a receiver knows its own */
        send_both(n, r, has_before ? p.child[0] : NOBODY, before, p.child[1], own);
        memcpy(out, own, (size_t)size);
    } else if ((reduces && !by_all) || instance->nodes == 1) {
        memcpy(out, sum, (size_t)size);
    } else if (p.parent == NOBODY) {
        memcpy(out, sum, (size_t)size);
        send(n, r, DOWN, instance->node[instance->node[0] == n->node], sum);
    } else if (!by_all || moves_operand(n, r, 0) == n->node) {
        receive(n, r, DOWN, instance->node[root], out);
    } else {
        discard_sum(n, r, instance->node[root]);
    }
}

/* ---- shifts and permutations ---- */

static void call_permutation(bmf_cop_node *n, running *r, const void *in, void *out)
{
    const bmf_cop_instance *instance = instance_of(n, r);
    const int64_t nodes = instance->nodes, own = r->number[n->node], by = instance->operand[0].value;
    int64_t to = own + by, from = own - by;
    if (r->op->kind == BMF_COP_PERMUTE) {
        to = instance->operand[0].values[own];
        for (from = 0; instance->operand[0].values[from] != own;)
            from++;
    } else if (r->op->kind == BMF_COP_CSHIFT) {
        to = (to % nodes + nodes) % nodes;
        from = (from % nodes + nodes) % nodes;
    }
    if (to == own) {
        memmove(out, in, (size_t)r->op->words * 4);
        return;
    }
    exchange(n, r, to >= 0 && to < nodes ? instance->node[to] : NOBODY,
             from >= 0 && from < nodes ? instance->node[from] : NOBODY, in, out);
}

void moves_call(bmf_cop_node *n, int64_t op, const void *in, void *out, bmf_cop_combine *combine)
{
    running *r = running_of(n, op);
    discards_finish(n, op);
    const bool permutes =
        r->op->kind == BMF_COP_CSHIFT || r->op->kind == BMF_COP_EOSHIFT || r->op->kind == BMF_COP_PERMUTE;
    if (gates_carry(r))
        gates_call(n, op);
    else if (permutes)
        call_permutation(n, r, in, out);
    else
        call_tree(n, r, in, out, combine);
}

/* ---- messages that synchronise ---- */

static void synchronise_ends(bmf_cop_node *n, running *r, int64_t op, char *out)
{
    const bool inward = r->op->kind == BMF_COP_GATHER, many = inward || r->op->kind == BMF_COP_SPREAD;
    const bool is_one = moves_operand(n, r, 0) == n->node;
    const bool reads = r->op->kind != BMF_COP_STREAM || r->candidate->implementation->others_discard ||
                       moves_operand(n, r, 1) == n->node;
    for (int64_t k = 0; k < (many && is_one ? instance_of(n, r)->nodes - 1 : 1); k++)
        if (is_one != inward)
            moves_write(n, op, out);
        else if (reads)
            read_message(n, r, out);
}

void moves_synchronise(bmf_cop_node *n, int64_t op)
{
    running *r = running_of(n, op);
    if (instance_of(n, r)->nodes == 1)
        return;
    char *out = work_space(n, WORK * r->op->words * (int64_t)sizeof(int32_t));
    n->is_syncing = true;
    if (relays_carry(r))
        relays_read(n, r, out);
    else if (cop_is_functional(r->op->kind))
        moves_call(n, op, out, out, NULL);
    else
        synchronise_ends(n, r, op, out);
    discards_finish(n, -1);
    n->is_syncing = false;
}
