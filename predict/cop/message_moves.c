/* What processors do for operators by messages: which messages they write and read, in what order. Cost: what the
 * implementations say. Source: document 004, 8.2, 8.3 and appendix B. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "predict/cop/message_private.h"
#include "runtime/base/allocate.h"

enum { WORK = 5, /* messages that combine */ NOBODY = BMF_COP_NOBODY };

typedef const bmf_cop_posted posted;

static posted *posted_of(const bmf_cop_correspondent *n, int64_t op)
{
    return &n->mail->posted[op];
}

static const bmf_cop_instance *instance_of(const bmf_cop_correspondent *n, posted *p)
{
    return &p->op->instance[p->instance[n->node]];
}

static const bmf_mesh *mesh_of(const bmf_cop_correspondent *n)
{
    return &n->mail->plan->settings.hardware.mesh;
}

static int64_t operand_of(const bmf_cop_correspondent *n, posted *p, int which)
{
    const bmf_cop_operand *operand = &instance_of(n, p)->operand[which];
    return operand->runtime ? n->operand[p->op->number][which] : operand->value;
}

/* The node of the mesh. */
static int64_t node_of(const bmf_cop_correspondent *n, posted *p, int which)
{
    return instance_of(n, p)->node[operand_of(n, p, which)];
}

/* ---- one message ---- */

static bmf_cop_exchange writing(posted *p, int64_t part, int64_t to, const void *message)
{
    return (bmf_cop_exchange){
        .writes = true, .op = p->op->number, .part = part, .to = to, .words = p->op->words, .out = message};
}

static void send(bmf_cop_correspondent *n, posted *p, int64_t part, int64_t to, const void *message)
{
    const bmf_cop_exchange e = writing(p, part, to, message);
    n->mail->carry(n, &e, NULL);
}

static void receive(bmf_cop_correspondent *n, posted *p, int64_t part, int64_t from, void *message)
{
    const bmf_cop_exchange e = {.reads = true, .op = p->op->number, .part = part, .from = from};
    n->mail->carry(n, &e, message);
}

static void keep(bmf_cop_correspondent *n, posted *p, const void *message)
{
    void **kept = &n->kept[p->op->number];
    if (!*kept)
        *kept = allocate(p->op->words * 4);
    memcpy(*kept, message, (size_t)p->op->words * 4);
}

static void read_kept(bmf_cop_correspondent *n, posted *p, void *message)
{
    const void *kept = n->kept[p->op->number];
    if (!kept)
        mail_fail(n, p->op->number, "it is read before it has been written, by its source");
    memcpy(message, kept, (size_t)p->op->words * 4);
}

/* ---- broadcasts ---- */

/* The neighbours that get a dense broadcast's words from here, in the order of dimensions. Returns how many. */
static int next_neighbours(const bmf_cop_correspondent *n, posted *p, int64_t source, int64_t next[BMF_MESH_PORTS])
{
    int count = 0;
    for (int port = 0; port < BMF_MESH_PORTS; port++) {
        const int64_t to = mesh_neighbour(mesh_of(n), n->node, port);
        if (to >= 0 && cop_instance_has(instance_of(n, p), to) && cop_comes_over(mesh_of(n), source, n->node, to))
            next[count++] = to;
    }
    return count;
}

static void dense(bmf_cop_correspondent *n, posted *p, int64_t source, const void *in, void *out)
{
    int64_t next[BMF_MESH_PORTS];
    const int count = next_neighbours(n, p, source, next);
    int sent = 0;
    for (int port = 0; port < BMF_MESH_PORTS && n->node != source; port++) {
        const int64_t from = mesh_neighbour(mesh_of(n), n->node, port);
        if (from < 0 || !cop_instance_has(instance_of(n, p), from) ||
            !cop_comes_over(mesh_of(n), source, from, n->node))
            continue;
        bmf_cop_exchange e = count > 0 ? writing(p, BMF_COP_SINGLE, next[0], NULL) : (bmf_cop_exchange){0};
        e.op = p->op->number;
        e.part = BMF_COP_SINGLE;
        e.reads = true;
        e.passes_on = count > 0;
        e.from = from;
        n->mail->carry(n, &e, out);
        sent = count > 0;
        in = out;
        break;
    }
    for (; sent < count; sent++)
        send(n, p, BMF_COP_SINGLE, next[sent], in);
}

static bmf_cop_tree_place place_of(const bmf_cop_correspondent *n, posted *p, int64_t root)
{
    return cop_place_in_tree(instance_of(n, p)->nodes, root, p->number[n->node]);
}

/* Reads what comes from above, `in` at the root, and passes it on to the children, the first while it is read. */
static void pass_down(bmf_cop_correspondent *n, posted *p, int64_t root, const void *in, void *out)
{
    const bmf_cop_instance *instance = instance_of(n, p);
    const bmf_cop_tree_place at = place_of(n, p, root);
    const int first = at.child[0] != NOBODY ? 0 : 1;
    int sent = 0;
    if (at.parent != NOBODY) {
        const bool passes = at.child[first] != NOBODY;
        bmf_cop_exchange e = {.reads = true};
        if (passes)
            e = writing(p, BMF_COP_SINGLE, instance->node[at.child[first]], NULL);
        e.reads = true;
        e.passes_on = passes;
        e.op = p->op->number;
        e.part = BMF_COP_SINGLE;
        e.from = instance->node[at.parent];
        n->mail->carry(n, &e, out);
        sent = first + 1;
        in = out;
    }
    for (int k = sent; k < 2; k++)
        if (at.child[k] != NOBODY)
            send(n, p, BMF_COP_SINGLE, instance->node[at.child[k]], in);
}

static bool is_by(posted *p, const char *name)
{
    return strcmp(p->implementation->name, name) == 0;
}

static void broadcast(bmf_cop_correspondent *n, posted *p, const void *in, void *out)
{
    const bmf_cop_instance *instance = instance_of(n, p);
    if (is_by(p, "dyn_bcast_dense")) {
        dense(n, p, node_of(n, p, 0), in, out);
    } else if (is_by(p, "dyn_bcast_tree")) {
        pass_down(n, p, operand_of(n, p, 0), in, out);
    } else if (in) {
        for (int64_t k = 0; k < instance->nodes; k++)
            if (instance->node[k] != n->node)
                send(n, p, BMF_COP_SINGLE, instance->node[k], in);
    } else {
        receive(n, p, BMF_COP_SINGLE, instance->operand[0].distributed ? BMF_COP_ANYBODY : node_of(n, p, 0), out);
    }
}

/* ---- writing and reading ---- */

/* The n-th other node of the instance: for gather and spread. */
static int64_t other_node(bmf_cop_correspondent *n, posted *p)
{
    const bmf_cop_instance *instance = instance_of(n, p);
    const int64_t k = n->calls[p->op->number]++ % (instance->nodes - 1);
    return instance->node[k + (k >= p->number[n->node])];
}

/* A collect is for one writer at a time: which of two messages is read first would be left to the network. */
static void open_collection(bmf_cop_correspondent *n, posted *p)
{
    struct bmf_cop_collection *c = &p->collection[p->instance[n->node]];
    if (c->unread > 0 && c->writer != n->node)
        mail_fail(n, p->op->number, "two writers of a collect: a message of node %" PRId64 " has not been read yet",
                  c->writer);
    c->unread++;
    c->writer = n->node;
}

void letters_write(bmf_cop_correspondent *n, int64_t op, const void *message)
{
    posted *p = posted_of(n, op);
    const bool inward = p->op->kind == BMF_COP_GATHER || p->op->kind == BMF_COP_COLLECT;
    const int64_t a = node_of(n, p, 0);
    if (!inward && a != n->node)
        mail_fail(n, op, "it is written by a node that is not its source, which is node %" PRId64, a);
    if (p->op->kind == BMF_COP_BROADCAST) {
        broadcast(n, p, message, NULL);
        return;
    }
    const int64_t to = p->op->kind == BMF_COP_STREAM   ? node_of(n, p, 1)
                       : p->op->kind == BMF_COP_SPREAD ? other_node(n, p)
                                                       : a;
    if (to == n->node) {
        keep(n, p, message);
        return;
    }
    if (p->op->kind == BMF_COP_COLLECT)
        open_collection(n, p);
    send(n, p, BMF_COP_SINGLE, to, message);
}

void letters_read(bmf_cop_correspondent *n, int64_t op, void *message)
{
    posted *p = posted_of(n, op);
    const bmf_cop_operand *operand = instance_of(n, p)->operand;
    const bool inward = p->op->kind == BMF_COP_GATHER || p->op->kind == BMF_COP_COLLECT;
    const int64_t a = node_of(n, p, 0);
    if (p->op->kind == BMF_COP_STREAM && node_of(n, p, 1) != n->node && !operand[1].distributed && !operand[1].dynamic)
        mail_fail(n, op, "it is read by a node that is not its destination");
    if (inward && a != n->node)
        mail_fail(n, op, "it is read by a node that is not its destination, which is node %" PRId64, a);
    if (p->op->kind == BMF_COP_STREAM && a == n->node)
        read_kept(n, p, message);
    else if (!inward && a == n->node && !operand[0].distributed)
        mail_fail(n, op, "it is read by its source");
    else if (p->op->kind == BMF_COP_BROADCAST)
        broadcast(n, p, NULL, message);
    else if (p->op->kind == BMF_COP_GATHER)
        receive(n, p, BMF_COP_SINGLE, other_node(n, p), message);
    else
        receive(n, p, BMF_COP_SINGLE, p->op->kind == BMF_COP_COLLECT ? BMF_COP_ANYBODY : a, message);
    if (p->op->kind == BMF_COP_COLLECT)
        p->collection[p->instance[n->node]].unread--;
}

/* ---- trees ---- */

static void combine_into(bmf_cop_combine *combine, const void *a, const void *b, void *out)
{
    if (combine)
        combine(a, b, out);
}

/* Belongs to the node, whose program may be dropped at any access. */
static char *work_space(bmf_cop_correspondent *n, int64_t size)
{
    if (size > n->space) {
        n->work = reallocate(n->work, n->space, size);
        n->space = size;
    }
    return n->work;
}

/* The combination of the subtree's values, in the order of numbers, into `sum`; of those up to the node's own into
 * `own`. */
static void sweep_up(bmf_cop_correspondent *n, posted *p, const bmf_cop_tree_place *at, const void *in, char *left,
                     char *own, char *sum, bmf_cop_combine *combine)
{
    const bmf_cop_instance *instance = instance_of(n, p);
    const size_t size = (size_t)p->op->words * 4;
    memcpy(own, in, size);
    if (at->child[0] != NOBODY) {
        receive(n, p, BMF_COP_LEFT, instance->node[at->child[0]], left);
        combine_into(combine, left, in, own);
    }
    memcpy(sum, own, size);
    if (at->child[1] != NOBODY) {
        receive(n, p, BMF_COP_RIGHT, instance->node[at->child[1]], left);
        combine_into(combine, own, left, sum);
    }
    if (at->parent != NOBODY)
        send(n, p, p->number[n->node] < at->parent ? BMF_COP_LEFT : BMF_COP_RIGHT, instance->node[at->parent], sum);
}

/* The left subtree has the same before it as the node, the right one all up to the node. */
static void prefix_down(bmf_cop_correspondent *n, posted *p, const bmf_cop_tree_place *at, char *before, char *own,
                        bmf_cop_combine *combine)
{
    const bmf_cop_instance *instance = instance_of(n, p);
    const bool has_before = at->first > 0, passes = has_before && at->child[0] != NOBODY;
    if (has_before) {
        bmf_cop_exchange e = {0};
        if (passes)
            e = writing(p, BMF_COP_SINGLE, instance->node[at->child[0]], NULL);
        e.reads = true;
        e.passes_on = passes;
        e.op = p->op->number;
        e.part = BMF_COP_SINGLE;
        e.from = instance->node[at->parent];
        n->mail->carry(n, &e, before);
        combine_into(combine, before, own, own);
    }
    if (at->child[1] != NOBODY)
        send(n, p, BMF_COP_SINGLE, instance->node[at->child[1]], own);
}

static void call_tree(bmf_cop_correspondent *n, posted *p, const void *in, void *out, bmf_cop_combine *combine)
{
    const bool reduces = p->op->kind == BMF_COP_REDUCE;
    const int64_t root = reduces ? operand_of(n, p, 0) : instance_of(n, p)->nodes / 2, size = p->op->words * 4;
    const bmf_cop_tree_place at = place_of(n, p, root);
    char *left = work_space(n, WORK * size), *own = left + size, *sum = own + size, *before = sum + size;
    sweep_up(n, p, &at, in, left, own, sum, combine);
    if (p->op->kind == BMF_COP_PREFIX) {
        prefix_down(n, p, &at, before, own, combine);
        memcpy(out, own, (size_t)size);
    } else {
        if (!reduces)
            pass_down(n, p, root, sum, before);
        memcpy(out, reduces || at.parent == NOBODY ? sum : before, (size_t)size);
    }
}

/* ---- shifts and permutations ---- */

static int64_t target_of(const bmf_cop_correspondent *n, posted *p, int64_t number)
{
    const bmf_cop_operand *operand = &instance_of(n, p)->operand[0];
    return operand->runtime ? n->operand[p->op->number][number] : operand->values[number];
}

static void call_permutation(bmf_cop_correspondent *n, posted *p, const void *in, void *out)
{
    const bmf_cop_instance *instance = instance_of(n, p);
    const int64_t nodes = instance->nodes, own = p->number[n->node];
    int64_t to, from;
    if (p->op->kind == BMF_COP_PERMUTE) {
        to = target_of(n, p, own);
        for (from = 0; target_of(n, p, from) != own;)
            from++;
    } else {
        const int64_t by = operand_of(n, p, 0);
        to = own + by;
        from = own - by;
        if (p->op->kind == BMF_COP_CSHIFT) {
            to = (to % nodes + nodes) % nodes;
            from = (from % nodes + nodes) % nodes;
        }
    }
    if (to == own) {
        memmove(out, in, (size_t)p->op->words * 4);
        return;
    }
    bmf_cop_exchange e = {0};
    if (to >= 0 && to < nodes)
        e = writing(p, BMF_COP_SINGLE, instance->node[to], in);
    e.op = p->op->number;
    e.part = BMF_COP_SINGLE;
    e.reads = from >= 0 && from < nodes;
    e.from = e.reads ? instance->node[from] : 0;
    if (e.reads || e.writes)
        n->mail->carry(n, &e, out);
}

void letters_call(bmf_cop_correspondent *n, int64_t op, const void *in, void *out, bmf_cop_combine *combine)
{
    posted *p = posted_of(n, op);
    const bool permutes =
        p->op->kind == BMF_COP_CSHIFT || p->op->kind == BMF_COP_EOSHIFT || p->op->kind == BMF_COP_PERMUTE;
    if (permutes)
        call_permutation(n, p, in, out);
    else
        call_tree(n, p, in, out, combine);
}
