/* Addresses of dynamic routers. Method: a graph with a vertex for what every node does for every operator, up and down
 * trees apart, and one for every message's arrival; edges follow the program on a node, lead from who writes to the
 * arrival, where both are known, and from there to who reads. What can be reached from an arrival, without going
 * through its own operator again, comes after it. Two arrivals at a node conflict if what reads the second can be
 * reached from the first, but its arrival cannot: then nobody says that it comes later. Conflicting arrivals get
 * different addresses, greedily in the order of the program. Cost: O(arrivals * edges); programs with more than
 * MAX_VERTICES vertices get an address for each operator's part. Source: document 004, 7.2 (Figure 7-3). */
#include <stdlib.h>

#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { STEPS = 2, MAX_VERTICES = 30000, VERTICES = STEPS + BMF_COP_PARTS };

/* Vertices of an operator on a node: its steps, then the arrivals of its parts. */
typedef struct graph {
    const bmf_cop_plan *plan;
    int64_t nodes, operators, vertices;
    struct edges {
        int64_t count, capacity, *to;
    } * from;      /* by vertex */
    bool *arrives; /* by vertex */
} graph;

static int64_t vertex_of(const graph *g, int64_t op, int64_t node, int64_t which)
{
    return (op * g->nodes + node) * VERTICES + which;
}

static int64_t arrival_of(const graph *g, int64_t op, int64_t node, int part)
{
    return vertex_of(g, op, node, STEPS + part);
}

static void connect(graph *g, int64_t from, int64_t to)
{
    struct edges *e = &g->from[from];
    *ARRAY_APPEND(e->to, e->count, e->capacity) = to;
}

/* ---- messages ---- */

static bool has_steps(bmf_cop_kind kind)
{
    return kind == BMF_COP_REDUCE || kind == BMF_COP_ALLREDUCE || kind == BMF_COP_PREFIX || kind == BMF_COP_BARRIER;
}

static int step_of(const bmf_cop_operator *op, int part)
{
    return has_steps(op->kind) && part == BMF_COP_SINGLE ? 1 : 0;
}

/* A node may receive the part; from BMF_COP_NOBODY: from whom is not known before the program runs. */
static void add_message(graph *g, const bmf_cop_operator *op, int64_t from, int64_t to, int part)
{
    const int64_t arrival = arrival_of(g, op->number, to, part);
    if (from == to)
        return;
    if (!g->arrives[arrival])
        connect(g, arrival, vertex_of(g, op->number, to, step_of(op, part)));
    g->arrives[arrival] = true;
    if (from != BMF_COP_NOBODY)
        connect(g, vertex_of(g, op->number, from, step_of(op, part)), arrival);
}

static void add_tree(graph *g, const bmf_cop_operator *op, const bmf_cop_instance *in)
{
    const bool known = op->kind != BMF_COP_REDUCE || !in->operand[0].runtime;
    const int64_t root = op->kind != BMF_COP_REDUCE ? in->nodes / 2 : in->operand[0].value;
    for (int64_t k = 0; k < in->nodes; k++) {
        if (!known) {
            add_message(g, op, BMF_COP_NOBODY, in->node[k], BMF_COP_LEFT);
            add_message(g, op, BMF_COP_NOBODY, in->node[k], BMF_COP_RIGHT);
            continue;
        }
        const int64_t parent = cop_place_in_tree(in->nodes, root, k).parent;
        if (parent == BMF_COP_NOBODY)
            continue;
        add_message(g, op, in->node[k], in->node[parent], k < parent ? BMF_COP_LEFT : BMF_COP_RIGHT);
        if (op->kind != BMF_COP_REDUCE)
            add_message(g, op, in->node[parent], in->node[k], BMF_COP_SINGLE);
    }
}

static int64_t target_of(const bmf_cop_operator *op, const bmf_cop_instance *in, int64_t k)
{
    const int64_t to = op->kind == BMF_COP_PERMUTE ? in->operand[0].values[k] : k + in->operand[0].value;
    if (op->kind == BMF_COP_CSHIFT)
        return (to % in->nodes + in->nodes) % in->nodes;
    return to >= 0 && to < in->nodes ? to : BMF_COP_NOBODY;
}

static void add_instance(graph *g, const bmf_cop_operator *op, const bmf_cop_instance *in)
{
    const bmf_cop_operand *o = in->operand;
    const bool known = !o[0].runtime;
    const int64_t first = known && op->kind < BMF_COP_ALLREDUCE ? in->node[o[0].value] : BMF_COP_NOBODY;
    for (int64_t k = 0; k < in->nodes; k++) {
        const int64_t node = in->node[k];
        if (op->kind == BMF_COP_BROADCAST || op->kind == BMF_COP_SPREAD) {
            if (node != first)
                add_message(g, op, first, node, BMF_COP_SINGLE);
        } else if (op->kind == BMF_COP_STREAM) {
            if (o[1].runtime || in->node[o[1].value] == node)
                add_message(g, op, o[1].runtime ? BMF_COP_NOBODY : first, node, BMF_COP_SINGLE);
        } else if (op->kind == BMF_COP_COLLECT || op->kind == BMF_COP_GATHER) {
            if (!known)
                add_message(g, op, BMF_COP_NOBODY, node, BMF_COP_SINGLE);
            else if (node != first)
                add_message(g, op, op->kind == BMF_COP_GATHER ? node : BMF_COP_NOBODY, first, BMF_COP_SINGLE);
        } else if (!known) {
            add_message(g, op, BMF_COP_NOBODY, node, BMF_COP_SINGLE);
        } else if (target_of(op, in, k) != BMF_COP_NOBODY) {
            add_message(g, op, node, in->node[target_of(op, in, k)], BMF_COP_SINGLE);
        }
    }
}

/* ---- the order on a node ---- */

typedef struct vertices {
    int64_t count, capacity, *vertex;
} vertices;

static void add_all(vertices *to, const vertices *from)
{
    for (int64_t k = 0; k < from->count; k++)
        *ARRAY_APPEND(to->vertex, to->count, to->capacity) = from->vertex[k];
}

static void connect_all(graph *g, const vertices *from, const vertices *to)
{
    for (int64_t a = 0; a < from->count; a++)
        for (int64_t b = 0; b < to->count; b++)
            connect(g, from->vertex[a], to->vertex[b]);
}

static bool takes_part(const bmf_cop_operator *op, int64_t node)
{
    for (int64_t i = 0; i < op->instances; i++)
        if (cop_instance_has(&op->instance[i], node))
            return true;
    return false;
}

/* What the node does first and last in the tree; both empty: nothing. */
static void order_tree(graph *g, const bmf_cop_tree *tree, int64_t node, vertices *first, vertices *last);

static void order_sequence(graph *g, const bmf_cop_tree *tree, int64_t node, vertices *first, vertices *last)
{
    bool begun = false;
    for (int64_t k = 0; k < tree->children; k++) {
        const bool may_be_left_out = tree->child[k]->group == BMF_COP_OPTIONAL;
        vertices begin = {0}, end = {0};
        order_tree(g, tree->child[k], node, &begin, &end);
        connect_all(g, last, &begin);
        if (!begun)
            add_all(first, &begin);
        begun |= begin.count > 0 && !may_be_left_out;
        if (end.count > 0 && !may_be_left_out)
            last->count = 0;
        add_all(last, &end);
        free(begin.vertex);
        free(end.vertex);
    }
    if (tree->group == BMF_COP_LOOP)
        connect_all(g, last, first);
}

/* Nothing says which of them is first. */
static void order_parallel(graph *g, const bmf_cop_tree *tree, int64_t node, vertices *first, vertices *last)
{
    for (int64_t k = 0; k < tree->children; k++) {
        vertices begin = {0}, end = {0};
        order_tree(g, tree->child[k], node, &begin, &end);
        connect_all(g, last, &begin);
        connect_all(g, &end, first);
        add_all(first, &begin);
        add_all(last, &end);
        free(begin.vertex);
        free(end.vertex);
    }
}

static void order_tree(graph *g, const bmf_cop_tree *tree, int64_t node, vertices *first, vertices *last)
{
    if (!tree->op) {
        if (tree->group == BMF_COP_PARALLEL || tree->group == BMF_COP_DISJOINT)
            order_parallel(g, tree, node, first, last);
        else
            order_sequence(g, tree, node, first, last);
        return;
    }
    if (!takes_part(tree->op, node))
        return;
    const int64_t begin = vertex_of(g, tree->op->number, node, 0),
                  end = vertex_of(g, tree->op->number, node, has_steps(tree->op->kind) ? 1 : 0);
    if (begin != end)
        connect(g, begin, end);
    *ARRAY_APPEND(first->vertex, first->count, first->capacity) = begin;
    *ARRAY_APPEND(last->vertex, last->count, last->capacity) = end;
}

/* ---- colours ---- */

static bool is_of(const graph *g, int64_t vertex, const bmf_cop_operator *op, int step)
{
    const int64_t which = vertex % VERTICES;
    if (vertex / VERTICES / g->nodes != op->number)
        return false;
    return (which < STEPS ? which : step_of(op, (int)which - STEPS)) == step;
}

/* Marks what comes after an arrival. */
static void reach(const graph *g, int64_t arrival, const bmf_cop_operator *op, bool *reached, int64_t *stack)
{
    const int step = step_of(op, (int)(arrival % VERTICES) - STEPS);
    int64_t depth = 0;
    for (int64_t v = 0; v < g->vertices; v++)
        reached[v] = false;
    for (int64_t k = 0; k < g->from[arrival].count; k++)
        stack[depth++] = g->from[arrival].to[k];
    while (depth > 0) {
        const int64_t at = stack[--depth];
        if (reached[at])
            continue;
        reached[at] = true;
        for (int64_t k = 0; k < g->from[at].count; k++) {
            const int64_t to = g->from[at].to[k];
            if (!reached[to] && !is_of(g, to, op, step))
                stack[depth++] = to;
        }
    }
}

static const bmf_cop_operator *operator_of(const graph *g, int64_t op)
{
    return g->plan->program->op[op];
}

/* conflict: operators x parts, squared. */
static void find_conflicts(const graph *g, int64_t node, bool *conflict, bool *reached, int64_t *stack)
{
    const int64_t parts = g->operators * BMF_COP_PARTS;
    for (int64_t a = 0; a < parts; a++) {
        const int64_t arrival = arrival_of(g, a / BMF_COP_PARTS, node, (int)(a % BMF_COP_PARTS));
        if (!g->arrives[arrival])
            continue;
        reach(g, arrival, operator_of(g, a / BMF_COP_PARTS), reached, stack);
        for (int64_t b = 0; b < parts; b++) {
            const int64_t op = b / BMF_COP_PARTS;
            const int part = (int)(b % BMF_COP_PARTS);
            const int64_t other = arrival_of(g, op, node, part);
            if (a != b && g->arrives[other] && !reached[other] &&
                reached[vertex_of(g, op, node, step_of(operator_of(g, op), part))])
                conflict[a * parts + b] = conflict[b * parts + a] = true;
        }
    }
}

static void colour_node(const graph *g, int64_t node, bool *conflict, bool *reached, int64_t *stack, uint8_t *address,
                        int *most)
{
    const int64_t parts = g->operators * BMF_COP_PARTS;
    for (int64_t k = 0; k < parts * parts; k++)
        conflict[k] = false;
    if (stack)
        find_conflicts(g, node, conflict, reached, stack);
    int used = 0;
    for (int64_t a = 0; a < parts; a++) {
        if (!g->arrives[arrival_of(g, a / BMF_COP_PARTS, node, (int)(a % BMF_COP_PARTS))])
            continue;
        int colour = stack ? 1 : ++used;
        for (int64_t b = 0; stack && b < a; b++)
            if (conflict[a * parts + b] && address[b * g->nodes + node] == colour) {
                colour++;
                b = -1;
            }
        address[a * g->nodes + node] = (uint8_t)(colour < UINT8_MAX ? colour : UINT8_MAX);
        *most = colour > *most ? colour : *most;
    }
}

uint8_t *cop_colour_addresses(const bmf_cop_plan *plan, int *most)
{
    graph g = {.plan = plan, .nodes = plan->program->settings.mesh.nodes, .operators = plan->program->operators};
    g.vertices = g.operators * g.nodes * VERTICES;
    g.from = allocate_clear(g.vertices, sizeof *g.from);
    g.arrives = allocate_clear(g.vertices, sizeof *g.arrives);
    int64_t edges = 1;
    for (int64_t op = 0; op < g.operators; op++)
        for (int64_t i = 0; i < operator_of(&g, op)->instances; i++)
            if (has_steps(operator_of(&g, op)->kind))
                add_tree(&g, operator_of(&g, op), &operator_of(&g, op)->instance[i]);
            else
                add_instance(&g, operator_of(&g, op), &operator_of(&g, op)->instance[i]);
    for (int64_t node = 0; node < g.nodes; node++) {
        vertices first = {0}, last = {0};
        order_tree(&g, plan->program->root, node, &first, &last);
        free(first.vertex);
        free(last.vertex);
    }
    for (int64_t v = 0; v < g.vertices; v++)
        edges += g.from[v].count;
    const int64_t parts = g.operators * BMF_COP_PARTS;
    uint8_t *address = allocate_clear(parts * g.nodes, sizeof *address);
    bool *conflict = allocate_array(parts * parts, (int64_t)sizeof *conflict),
         *reached = allocate_array(g.vertices, (int64_t)sizeof *reached);
    int64_t *stack = g.vertices > MAX_VERTICES ? NULL : allocate_array(edges, (int64_t)sizeof *stack);
    *most = 0;
    for (int64_t node = 0; node < g.nodes; node++)
        colour_node(&g, node, conflict, reached, stack, address, most);
    for (int64_t v = 0; v < g.vertices; v++)
        free(g.from[v].to);
    free(g.from);
    free(g.arrives);
    free(conflict);
    free(reached);
    free(stack);
    return address;
}
