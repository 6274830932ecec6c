/* Groups of operators: sequential, loop, parallel, doall, optional, phase, subset; and operators made of others:
 * define-op, grid, transpose, bitreverse, bistream. Method: the forms inside a subset are evaluated once for each set
 * of nodes, and trees of the same shape become one tree whose operators have an instance for each. Source: document
 * 004, 2.3 to 2.6 and appendix A. */
#include <inttypes.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/program_private.h"
#include "runtime/base/array.h"

typedef const bmf_lisp_value value;
typedef bmf_cop_reader reader;

/* ---- trees ---- */

bmf_cop_tree *cop_new_tree(bmf_cop_reader *r, bmf_cop_group group)
{
    bmf_cop_tree *tree = lisp_allocate(r->lisp, sizeof *tree);
    *tree =
        (bmf_cop_tree){.group = group, .place = lisp_place(r->lisp), .label = "", .count = 1, .depth = 1, .size = 1};
    return tree;
}

/* Room doubles; what becomes too small stays in the interpreter's memory until the end. */
void cop_add_child(bmf_cop_reader *r, bmf_cop_tree *tree, bmf_cop_tree *child)
{
    if (tree->children == tree->capacity) {
        tree->capacity = array_room(tree->capacity, tree->children + 1);
        bmf_cop_tree **grown = lisp_allocate(r->lisp, tree->capacity * (int64_t)sizeof *grown);
        for (int64_t k = 0; k < tree->children; k++)
            grown[k] = tree->child[k];
        tree->child = grown;
    }
    tree->child[tree->children++] = child;
    tree->depth = child->depth >= tree->depth ? child->depth + 1 : tree->depth;
    tree->size += child->size;
}

const bmf_lisp_value *cop_tree_value(bmf_cop_reader *r, bmf_cop_tree *tree)
{
    bmf_cop_object *object = lisp_allocate(r->lisp, sizeof *object);
    *object = (bmf_cop_object){.kind = BMF_COP_OBJECT_TREE, .tree = tree};
    return lisp_object(r->lisp, object);
}

static bool is_tree(value *v)
{
    return lisp_is(v, BMF_LISP_OBJECT) && ((bmf_cop_object *)v->object)->kind == BMF_COP_OBJECT_TREE;
}

/* What walks through trees calls itself for every level, and passes a group as often as it is in others. */
static int check_size(const reader *r, const bmf_cop_tree *tree)
{
    if (tree->depth > BMF_LISP_DEPTH)
        return lisp_fail(r->lisp, "groups inside each other deeper than %d", BMF_LISP_DEPTH);
    if (tree->size > BMF_LISP_CELLS)
        return lisp_fail(r->lisp, "groups of more than %" PRId64 " operators in all", BMF_LISP_CELLS);
    return BMF_OK;
}

int cop_add_value(bmf_cop_reader *r, bmf_cop_tree *tree, value *v)
{
    char text[100];
    if (!v)
        return BMF_OK;
    if (is_tree(v)) {
        bmf_cop_tree *child = ((bmf_cop_object *)v->object)->tree;
        if (child->children > 0 || child->group == BMF_COP_OPERATOR)
            cop_add_child(r, tree, child);
        return check_size(r, tree);
    }
    if (!lisp_is(v, BMF_LISP_CONS))
        return lisp_fail(r->lisp, "an operator or a group is wanted, not %s", lisp_text(v, text, sizeof text));
    for (; v; v = lisp_rest(v))
        BMF_TRY(cop_add_value(r, tree, v->cons.first));
    return BMF_OK;
}

/* A group of one child that only says in which order is that child. */
static bmf_cop_tree *simplify(bmf_cop_tree *tree)
{
    const bool order = tree->group == BMF_COP_SEQUENTIAL || tree->group == BMF_COP_PARALLEL;
    return order && tree->children == 1 ? tree->child[0] : tree;
}

static void add_instances(reader *r, bmf_cop_operator *op, const bmf_cop_operator *more)
{
    if (op->instances + more->instances > op->capacity) {
        op->capacity = array_room(op->capacity, op->instances + more->instances);
        bmf_cop_instance *grown = lisp_allocate(r->lisp, op->capacity * (int64_t)sizeof *grown);
        for (int64_t k = 0; k < op->instances; k++)
            grown[k] = op->instance[k];
        op->instance = grown;
    }
    for (int64_t k = 0; k < more->instances; k++)
        op->instance[op->instances++] = more->instance[k];
}

int cop_merge_labels(bmf_cop_reader *r, bmf_cop_tree *parallel)
{
    int64_t kept = 0;
    parallel->size = 1;
    for (int64_t k = 0; k < parallel->children; k++) {
        bmf_cop_tree *child = parallel->child[k], *same = NULL;
        for (int64_t j = 0; j < kept && child->op && !same; j++)
            if (parallel->child[j]->op && strcmp(parallel->child[j]->op->label, child->op->label) == 0)
                same = parallel->child[j];
        if (!same) {
            parallel->child[kept++] = child;
            parallel->size += child->size;
            continue;
        }
        if (!cop_same_operator(same->op, child->op))
            return lisp_fail_at(r->lisp, child->op->place, "two different operators are called '%s'", child->op->label);
        add_instances(r, same->op, child->op);
    }
    parallel->children = kept;
    return BMF_OK;
}

static bool same_shape(const bmf_cop_tree *a, const bmf_cop_tree *b)
{
    if (a->group != b->group || a->children != b->children || a->count != b->count || strcmp(a->label, b->label) != 0)
        return false;
    if (a->op && !cop_same_operator(a->op, b->op))
        return false;
    for (int64_t k = 0; k < a->children; k++)
        if (!same_shape(a->child[k], b->child[k]))
            return false;
    return true;
}

static void add_shape(reader *r, bmf_cop_tree *tree, const bmf_cop_tree *more)
{
    if (tree->op)
        add_instances(r, tree->op, more->op);
    for (int64_t k = 0; k < tree->children; k++)
        add_shape(r, tree->child[k], more->child[k]);
}

/* Trees of instances: one tree if they have one shape, otherwise a parallel group. */
static int join_instances(reader *r, int64_t count, bmf_cop_tree *const *tree, value **out)
{
    bool same = true;
    for (int64_t k = 1; k < count; k++)
        same &= same_shape(tree[0], tree[k]);
    bmf_cop_tree *joined = tree[0];
    if (same) {
        for (int64_t k = 1; k < count; k++)
            add_shape(r, joined, tree[k]);
    } else {
        joined = cop_new_tree(r, BMF_COP_PARALLEL);
        for (int64_t k = 0; k < count; k++)
            cop_add_child(r, joined, tree[k]);
        BMF_TRY(cop_merge_labels(r, joined));
    }
    *out = cop_tree_value(r, simplify(joined));
    return BMF_OK;
}

/* ---- groups ---- */

#define BUILTIN(name) static int name(bmf_lisp *lisp, void *host, int64_t count, value *const *argument, value **out)

static int make_group(reader *r, bmf_cop_group group, int64_t count, value *const *argument, value **out)
{
    bmf_cop_tree *tree = cop_new_tree(r, group);
    for (int64_t k = 0; k < count; k++)
        BMF_TRY(cop_add_value(r, tree, argument[k]));
    *out = cop_tree_value(r, simplify(tree));
    return BMF_OK;
}

BUILTIN(sequential)
{
    (void)lisp;
    return make_group(host, BMF_COP_SEQUENTIAL, count, argument, out);
}

BUILTIN(optional)
{
    (void)lisp;
    return make_group(host, BMF_COP_OPTIONAL, count, argument, out);
}

BUILTIN(phase)
{
    (void)lisp;
    return make_group(host, BMF_COP_PHASE, count, argument, out);
}

/* Parallel groups inside each other are one. */
static int make_parallel(reader *r, bmf_cop_tree *given, value **out)
{
    bmf_cop_tree *tree = cop_new_tree(r, BMF_COP_PARALLEL);
    for (int64_t k = 0; k < given->children; k++) {
        bmf_cop_tree *child = given->child[k];
        if (child->group != BMF_COP_PARALLEL)
            cop_add_child(r, tree, child);
        for (int64_t j = 0; child->group == BMF_COP_PARALLEL && j < child->children; j++)
            cop_add_child(r, tree, child->child[j]);
    }
    BMF_TRY(cop_merge_labels(r, tree));
    *out = cop_tree_value(r, simplify(tree));
    return BMF_OK;
}

BUILTIN(parallel)
{
    reader *r = host;
    (void)lisp;
    bmf_cop_tree *given = cop_new_tree(r, BMF_COP_PARALLEL);
    for (int64_t k = 0; k < count; k++)
        BMF_TRY(cop_add_value(r, given, argument[k]));
    return make_parallel(r, given, out);
}

/* (loop label count op ..), or (loop op ..) */
BUILTIN(loop)
{
    reader *r = host;
    bmf_cop_tree *tree = cop_new_tree(r, BMF_COP_LOOP);
    int64_t first = 0;
    if (count > 0 && lisp_is(argument[0], BMF_LISP_SYMBOL)) {
        tree->label = argument[0]->symbol->name;
        if (count < 2)
            return lisp_fail(lisp, "loop '%s' needs a count", tree->label);
        BMF_TRY(lisp_take_integer(lisp, argument[1], "the count of a loop", &tree->count));
        if (tree->count < 1 || tree->count > INT32_MAX)
            return lisp_fail(lisp, "loop '%s' has %" PRId64 " passes; from 1 to %d are possible", tree->label,
                             tree->count, INT32_MAX);
        first = 2;
    }
    for (int64_t k = first; k < count; k++)
        BMF_TRY(cop_add_value(r, tree, argument[k]));
    *out = cop_tree_value(r, tree);
    return BMF_OK;
}

/* ---- subset and doall ---- */

static int evaluate_group(reader *r, value *forms, void *environment, bmf_cop_tree *tree)
{
    value *v;
    for (; forms; forms = lisp_rest(forms)) {
        lisp_set_place(r->lisp, (bmf_lisp_place){forms->line, forms->column});
        BMF_TRY(lisp_evaluate(r->lisp, forms->cons.first, environment, &v));
        BMF_TRY(cop_add_value(r, tree, v));
    }
    return BMF_OK;
}

static int evaluate_instance(reader *r, value *set, value *forms, void *environment, bmf_cop_tree **tree)
{
    const bmf_cop_subset outer = r->subset;
    const int64_t *number;
    int64_t nodes;
    BMF_TRY(lisp_take_integers(r->lisp, set, "a list of nodes", &nodes, &number));
    BMF_TRY(cop_make_subset(r, nodes, number, &r->subset));
    *tree = cop_new_tree(r, BMF_COP_SEQUENTIAL);
    const int status = evaluate_group(r, forms, environment, *tree);
    *tree = simplify(*tree);
    r->subset = outer;
    return status;
}

/* (subset list-of-subsets op ..); a flat list is one subset */
static int subset(bmf_lisp *lisp, value *form, void *environment, value **out)
{
    reader *r = lisp_host(lisp);
    value *sets;
    const bmf_lisp_place place = lisp_place(lisp);
    BMF_TRY(lisp_evaluate(lisp, lisp_first(lisp_rest(form)), environment, &sets));
    lisp_set_place(lisp, place);
    if (!lisp_is(sets, BMF_LISP_CONS))
        return lisp_fail(lisp, "subset needs a list of lists of nodes");
    if (!lisp_is(sets->cons.first, BMF_LISP_CONS))
        BMF_TRY(lisp_cons(lisp, sets, NULL, &sets));
    const int64_t count = lisp_length(sets);
    bmf_cop_tree **tree = lisp_allocate(lisp, count * (int64_t)sizeof(bmf_cop_tree *));
    for (int64_t k = 0; k < count; k++, sets = lisp_rest(sets)) {
        lisp_set_place(lisp, place);
        BMF_TRY(evaluate_instance(r, sets->cons.first, lisp_rest(lisp_rest(form)), environment, &tree[k]));
    }
    lisp_set_place(lisp, place);
    return join_instances(r, count, tree, out);
}

static int doall_from(reader *r, value *variables, value *forms, void *environment, bmf_cop_tree *tree)
{
    if (!variables)
        return evaluate_group(r, forms, environment, tree);
    value *variable = variables->cons.first, *name = lisp_first(variable), *values;
    if (!lisp_is(name, BMF_LISP_SYMBOL))
        return lisp_fail(r->lisp, "(doall ((variable list) ..) op ..) is wanted");
    BMF_TRY(lisp_evaluate(r->lisp, lisp_first(lisp_rest(variable)), environment, &values));
    for (; values; values = lisp_rest(values)) {
        void *inner = lisp_bind(r->lisp, environment, name->symbol, lisp_first(values));
        BMF_TRY(doall_from(r, lisp_rest(variables), forms, inner, tree));
    }
    return BMF_OK;
}

static int doall(bmf_lisp *lisp, value *form, void *environment, value **out)
{
    reader *r = lisp_host(lisp);
    bmf_cop_tree *given = cop_new_tree(r, BMF_COP_PARALLEL);
    BMF_TRY(doall_from(r, lisp_first(lisp_rest(form)), lisp_rest(lisp_rest(form)), environment, given));
    return make_parallel(r, given, out);
}

/* ---- operators made of others ---- */

/* Calls what define-op made: arguments behind its parameters are options that call-op hands on. */
static int call_defined(bmf_lisp *lisp, value *form, void *environment, value **out)
{
    enum { PARTS = 64 };
    reader *r = lisp_host(lisp);
    value *argument[PARTS], *const outer = r->inherited;
    const bmf_lisp_place place = lisp_place(lisp);
    int64_t count = 0, fixed = 0;
    for (value *rest = lisp_rest(form); rest; rest = lisp_rest(rest), count++) {
        if (count == PARTS)
            return lisp_fail(lisp, "more than %d arguments", PARTS);
        BMF_TRY(lisp_evaluate(lisp, rest->cons.first, environment, &argument[count]));
    }
    while (fixed < count && !(lisp_is(argument[fixed], BMF_LISP_SYMBOL) && argument[fixed]->symbol->name[0] == ':'))
        fixed++;
    lisp_set_place(lisp, place);
    BMF_TRY(lisp_list(lisp, count - fixed, argument + fixed, &r->inherited));
    const int status = lisp_apply(lisp, form->cons.first->symbol->value, fixed, argument, out);
    r->inherited = outer;
    return status;
}

/* (define-op (name argument ..) form ..) */
static int define_op(bmf_lisp *lisp, value *form, void *environment, value **out)
{
    value *name = lisp_first(lisp_first(lisp_rest(form))), *defined;
    if (!lisp_is(name, BMF_LISP_SYMBOL) || name->symbol->special)
        return lisp_fail(lisp, "(define-op (name argument ..) form ..) is wanted, with a new name");
    BMF_TRY(lisp_symbol(lisp, "define")->special(lisp, form, environment, &defined));
    name->symbol->special = call_defined;
    *out = NULL;
    return BMF_OK;
}

/* (call-op operator argument ..): with the options of the operator around it. */
BUILTIN(call_op)
{
    enum { PARTS = 128 };
    const reader *r = host;
    value *all[PARTS];
    int64_t n = 0;
    for (int64_t k = 1; k < count && n < PARTS; k++)
        all[n++] = argument[k];
    for (value *rest = r->inherited; rest && n < PARTS; rest = lisp_rest(rest))
        all[n++] = rest->cons.first;
    return n == PARTS ? lisp_fail(lisp, "more than %d arguments", PARTS) : lisp_apply(lisp, argument[0], n, all, out);
}

static int add_stream(reader *r, bmf_cop_tree *tree, value *label, value *from, value *to, int64_t options,
                      value *const *option)
{
    value **argument = lisp_allocate(r->lisp, (options + 3) * (int64_t)sizeof(value *));
    bmf_cop_tree *stream;
    argument[0] = label;
    argument[1] = from;
    argument[2] = to;
    for (int64_t k = 0; k < options; k++)
        argument[3 + k] = option[k];
    BMF_TRY(cop_make_operator(r, BMF_COP_STREAM, options + 3, argument, &stream));
    cop_add_child(r, tree, stream);
    return BMF_OK;
}

/* (bistream label label node node option ..) */
BUILTIN(bistream)
{
    reader *r = host;
    bmf_cop_tree *given = cop_new_tree(r, BMF_COP_PARALLEL);
    if (count < 4)
        return lisp_fail(lisp, "bistream needs two labels and two nodes");
    BMF_TRY(add_stream(r, given, argument[0], argument[2], argument[3], count - 4, argument + 4));
    BMF_TRY(add_stream(r, given, argument[1], argument[3], argument[2], count - 4, argument + 4));
    return make_parallel(r, given, out);
}

/* (bitreverse label option ..) */
BUILTIN(bitreverse)
{
    reader *r = host;
    const int64_t nodes = r->subset.nodes;
    int64_t *target = lisp_allocate(lisp, nodes * (int64_t)sizeof *target);
    value **all = lisp_allocate(lisp, (count + 1) * (int64_t)sizeof(value *));
    if (nodes & (nodes - 1))
        return lisp_fail(lisp, "bitreverse needs a power of two of nodes, not %" PRId64, nodes);
    for (int64_t n = 0; n < nodes; n++)
        for (int64_t bit = 1, mirrored = nodes >> 1; bit < nodes; bit <<= 1, mirrored >>= 1)
            target[n] |= n & bit ? mirrored : 0;
    bmf_cop_tree *tree;
    all[0] = argument[0];
    BMF_TRY(lisp_integers(lisp, nodes, target, &all[1]));
    for (int64_t k = 1; k < count; k++)
        all[k + 1] = argument[k];
    BMF_TRY(cop_make_operator(r, BMF_COP_PERMUTE, count + 1, all, &tree));
    *out = cop_tree_value(r, tree);
    return BMF_OK;
}

/* The nodes of a set of subsets, one subset after the other. */
static int take_order(reader *r, value *sets, int64_t *order)
{
    const int64_t nodes = r->subset.nodes;
    int64_t n = 0;
    for (; sets; sets = lisp_rest(sets)) {
        const int64_t *node;
        int64_t count;
        BMF_TRY(lisp_take_integers(r->lisp, lisp_first(sets), "a subset of transpose", &count, &node));
        if (n + count > nodes)
            return lisp_fail(r->lisp, "transpose: more than %" PRId64 " nodes", nodes);
        memcpy(order + n, node, (size_t)count * sizeof *node);
        n += count;
    }
    return n == nodes ? BMF_OK : lisp_fail(r->lisp, "transpose: %" PRId64 " of %" PRId64 " nodes", n, nodes);
}

/* (transpose label subsets subsets option ..): what is n-th in the first goes to what is n-th in the second. */
BUILTIN(transpose)
{
    reader *r = host;
    const int64_t nodes = r->subset.nodes, size = (int64_t)sizeof(int64_t);
    int64_t *from = lisp_allocate(lisp, nodes * size), *to = lisp_allocate(lisp, nodes * size);
    int64_t *target = lisp_allocate(lisp, nodes * size);
    value **all = lisp_allocate(lisp, count * (int64_t)sizeof(value *));
    if (count < 3)
        return lisp_fail(lisp, "transpose needs a label and two lists of subsets");
    BMF_TRY(take_order(r, argument[1], from));
    BMF_TRY(take_order(r, argument[2], to));
    for (int64_t k = 0; k < nodes; k++) {
        if (from[k] < 0 || from[k] >= nodes)
            return lisp_fail(lisp, "transpose: node %" PRId64 " is outside the subset", from[k]);
        target[from[k]] = to[k];
    }
    bmf_cop_tree *tree;
    all[0] = argument[0];
    BMF_TRY(lisp_integers(lisp, nodes, target, &all[1]));
    for (int64_t k = 3; k < count; k++)
        all[k - 1] = argument[k];
    BMF_TRY(cop_make_operator(r, BMF_COP_PERMUTE, count - 1, all, &tree));
    *out = cop_tree_value(r, tree);
    return BMF_OK;
}

static int take_per_dimension(bmf_lisp *lisp, value *v, const char *what, int64_t per[BMF_MESH_DIMENSIONS])
{
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++) {
        value *one = lisp_is(v, BMF_LISP_CONS) ? v->cons.first : v;
        BMF_TRY(lisp_take_integer(lisp, one, what, &per[d]));
        if (per[d] < 1)
            return lisp_fail(lisp, "%s is %" PRId64, what, per[d]);
        if (lisp_rest(v))
            v = v->cons.rest;
    }
    return BMF_OK;
}

/* (grid '(+x -x +y -y ..) length offset option ..): links of that length, one every `offset` nodes, in both directions
 */
BUILTIN(grid)
{
    reader *r = host;
    int64_t length[BMF_MESH_DIMENSIONS], offset[BMF_MESH_DIMENSIONS], stride = 1;
    bmf_cop_tree *given = cop_new_tree(r, BMF_COP_PARALLEL);
    if (count < 3)
        return lisp_fail(lisp, "grid needs a list of labels, a length and an offset");
    BMF_TRY(take_per_dimension(lisp, argument[1], "the length of a grid", length));
    BMF_TRY(take_per_dimension(lisp, argument[2], "the offset of a grid", offset));
    value *label = argument[0];
    for (int d = 0; d < BMF_MESH_DIMENSIONS && label; d++) {
        value *back = lisp_rest(label);
        const int64_t size = r->subset.size[d];
        for (int64_t n = 0; n < r->subset.nodes; n++) {
            const int64_t at = n / stride % size;
            if (at % offset[d] != 0 || at + length[d] >= size)
                continue;
            value *a = lisp_integer(lisp, n), *b = lisp_integer(lisp, n + length[d] * stride);
            BMF_TRY(add_stream(r, given, lisp_first(label), a, b, count - 3, argument + 3));
            if (back)
                BMF_TRY(add_stream(r, given, lisp_first(back), b, a, count - 3, argument + 3));
        }
        stride *= size;
        label = lisp_rest(back);
    }
    return make_parallel(r, given, out);
}

void cop_define_groups(bmf_lisp *lisp)
{
    lisp_define_builtin(lisp, "sequential", 0, BMF_LISP_ANY, sequential);
    lisp_define_builtin(lisp, "parallel", 0, BMF_LISP_ANY, parallel);
    lisp_define_builtin(lisp, "optional", 0, BMF_LISP_ANY, optional);
    lisp_define_builtin(lisp, "phase", 0, BMF_LISP_ANY, phase);
    lisp_define_builtin(lisp, "loop", 0, BMF_LISP_ANY, loop);
    lisp_define_builtin(lisp, "call-op", 1, BMF_LISP_ANY, call_op);
    lisp_define_builtin(lisp, "bistream", 0, BMF_LISP_ANY, bistream);
    lisp_define_builtin(lisp, "bitreverse", 1, BMF_LISP_ANY, bitreverse);
    lisp_define_builtin(lisp, "transpose", 0, BMF_LISP_ANY, transpose);
    lisp_define_builtin(lisp, "grid", 0, BMF_LISP_ANY, grid);
    lisp_symbol(lisp, "subset")->special = subset;
    lisp_symbol(lisp, "doall")->special = doall;
    lisp_symbol(lisp, "define-op")->special = define_op;
}
