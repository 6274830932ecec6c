/* Operators: what stands in a form like (broadcast 'b (runtime) :m 3), and what is checked of it (document 004, 2.3,
 * 2.4 and appendix A). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/implement.h"
#include "predict/cop/program_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/near_names.h"

typedef const bmf_lisp_value value;
typedef bmf_cop_reader reader;

/* What an operand may be besides a constant. */
enum { RUNTIME = 1, DISTRIBUTED = 2, DYNAMIC = 4 };
typedef enum role { NO_OPERAND, NODE, DISTANCE, TARGETS, FUNCTION } role;

typedef struct shape {
    const char *name;
    struct {
        role role;
        int forms;
        const char *what;
    } part[BMF_COP_OPERANDS]; /* behind the label */
} shape;

static const shape shapes[BMF_COP_KINDS] = {
    [BMF_COP_STREAM] = {"stream", {{NODE, RUNTIME, "source"}, {NODE, RUNTIME | DYNAMIC, "destination"}}},
    [BMF_COP_BROADCAST] = {"broadcast", {{NODE, RUNTIME | DISTRIBUTED | DYNAMIC, "source"}}},
    [BMF_COP_COLLECT] = {"collect", {{NODE, RUNTIME | DISTRIBUTED, "destination"}}},
    [BMF_COP_SPREAD] = {"spread", {{NODE, 0, "source"}}},
    [BMF_COP_GATHER] = {"gather", {{NODE, 0, "destination"}}},
    [BMF_COP_REDUCE] = {"reduce", {{FUNCTION, 0, "function"}, {NODE, RUNTIME | DISTRIBUTED, "destination"}}},
    [BMF_COP_ALLREDUCE] = {"allreduce", {{FUNCTION, 0, "function"}}},
    [BMF_COP_PREFIX] = {"prefix", {{FUNCTION, 0, "function"}}},
    [BMF_COP_BARRIER] = {"barrier", {{NO_OPERAND, 0, ""}}},
    [BMF_COP_CSHIFT] = {"cshift", {{DISTANCE, RUNTIME, "distance"}}},
    [BMF_COP_EOSHIFT] = {"eoshift", {{DISTANCE, RUNTIME, "distance"}}},
    [BMF_COP_PERMUTE] = {"permute", {{TARGETS, RUNTIME | DISTRIBUTED, "permutation"}}}};

const char *cop_kind_name(bmf_cop_kind kind)
{
    return shapes[kind].name;
}

bool cop_has_runtime(const bmf_cop_operator *op)
{
    for (int k = 0; k < BMF_COP_OPERANDS; k++)
        if (op->instance[0].operand[k].runtime)
            return true;
    return false;
}

/* ---- options ---- */

static bool is_keyword(value *v)
{
    return lisp_is(v, BMF_LISP_SYMBOL) && v->symbol->name[0] == ':';
}

static int unknown_option(const reader *r, const char *name, int count, const char *const *known)
{
    char text[100];
    near_names near = {.max = 3, .limit = 3};
    for (int k = 0; k < count; k++)
        near_names_offer(&near, known[k], name_distance(name, known[k]));
    return lisp_fail(r->lisp, "'%s' is no option%s%s", name, near.count > 0 ? "; near names: " : "",
                     near_names_text(&near, text, sizeof text));
}

static int take_positive(const reader *r, value *v, const char *what, int64_t *number)
{
    BMF_TRY(lisp_take_integer(r->lisp, v, what, number));
    return *number > 0 && *number <= INT32_MAX
               ? BMF_OK
               : lisp_fail(r->lisp, "%s is %" PRId64 "; from 1 to %d is possible", what, *number, INT32_MAX);
}

static int take_name(const reader *r, value *v, const char *what, const char **name)
{
    char text[100];
    *name = "";
    if (!lisp_is(v, BMF_LISP_SYMBOL) && !lisp_is(v, BMF_LISP_STRING))
        return lisp_fail(r->lisp, "%s is to be a name, not %s", what, lisp_text(v, text, sizeof text));
    *name = v->kind == BMF_LISP_SYMBOL ? v->symbol->name : v->text;
    return BMF_OK;
}

/* Labels and functions are names in C, too. */
static int take_c_name(const reader *r, value *v, const char *what, const char **name)
{
    BMF_TRY(take_name(r, v, what, name));
    const char *c = *name;
    bool good = *c && !(*c >= '0' && *c <= '9');
    for (; *c; c++)
        good &= (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
    return good ? BMF_OK
                : lisp_fail(r->lisp, "%s '%s' is no name in C: letters, digits and _ are possible", what, *name);
}

static int take_type(const reader *r, value *v, bmf_cop_operator *op)
{
    static const char *const types[] = {"int32", "int64", "float32", "float64"};
    const char *name = "";
    BMF_TRY(take_name(r, v, "a type", &name));
    const size_t length = strlen(name);
    op->is_array = length > 0 && name[length - 1] == '*';
    for (int k = 0; k < 4; k++)
        if (strncmp(name, types[k], strlen(types[k])) == 0 && strlen(types[k]) + op->is_array == length) {
            op->type = (bmf_cop_type)k;
            return BMF_OK;
        }
    return lisp_fail(r->lisp, "there is no type '%s'; int32, int64, float32, float64 and the same with * are", name);
}

static int take_bandwidth(const reader *r, value *v, double *bandwidth)
{
    char text[100];
    if (lisp_is(v, BMF_LISP_SYMBOL) && strcmp(v->symbol->name, "min") == 0) {
        *bandwidth = 0;
        return BMF_OK;
    }
    *bandwidth = lisp_is(v, BMF_LISP_REAL) ? v->real : lisp_is(v, BMF_LISP_INTEGER) ? (double)v->integer : -1;
    return *bandwidth > 0 && *bandwidth <= 1
               ? BMF_OK
               : lisp_fail(r->lisp, ":b is %s; above 0 and up to 1, and min, are possible",
                           lisp_text(v, text, sizeof text));
}

static int take_option(reader *r, const char *name, value *v, bmf_cop_operator *op)
{
    static const char *const known[] = {":type", ":m", ":c", ":pipelined", ":b", ":impl", ":valid"};
    if (strcmp(name, ":type") == 0)
        return take_type(r, v, op);
    if (strcmp(name, ":m") == 0)
        return take_positive(r, v, ":m", &op->words);
    if (strcmp(name, ":c") == 0)
        return take_positive(r, v, ":c", &op->calls);
    if (strcmp(name, ":b") == 0)
        return take_bandwidth(r, v, &op->bandwidth);
    if (strcmp(name, ":impl") == 0)
        return take_name(r, v, ":impl", &op->implementation);
    if (strcmp(name, ":valid") == 0)
        return lisp_take_integers(r->lisp, v, "a list of nodes", &op->valids, &op->valid);
    if (strcmp(name, ":pipelined") == 0) {
        op->pipelined = v;
        return BMF_OK;
    }
    return unknown_option(r, name, (int)(sizeof known / sizeof *known), known);
}

static int take_options(reader *r, int64_t count, value *const *argument, bmf_cop_operator *op)
{
    char text[100];
    for (int64_t k = 0; k < count; k += 2) {
        if (!is_keyword(argument[k]))
            return lisp_fail(r->lisp, "%s '%s': %s is superfluous", cop_kind_name(op->kind), op->label,
                             lisp_text(argument[k], text, sizeof text));
        if (k + 1 == count)
            return lisp_fail(r->lisp, "%s needs a value", argument[k]->symbol->name);
        BMF_TRY(take_option(r, argument[k]->symbol->name, argument[k + 1], op));
    }
    for (int64_t k = 0; k < op->valids; k++)
        if (op->valid[k] < 0 || op->valid[k] >= r->subset.nodes)
            return lisp_fail(r->lisp, ":valid: node %" PRId64 " is outside the subset of %" PRId64, op->valid[k],
                             r->subset.nodes);
    const int64_t element = op->type == BMF_COP_INT64 || op->type == BMF_COP_FLOAT64 ? 2 : 1;
    if (op->words == 0)
        op->words = element;
    if (op->words % element != 0 || (!op->is_array && op->words != element))
        return lisp_fail(r->lisp, "%s '%s': messages of %" PRId64 " words do not hold %s of its type",
                         cop_kind_name(op->kind), op->label, op->words, op->is_array ? "whole elements" : "a value");
    return BMF_OK;
}

/* ---- operands ---- */

static int check_runtime(const reader *r, const bmf_cop_operator *op, const bmf_cop_operand *operand, int forms,
                         const char *what)
{
    const char *bad = !(forms & RUNTIME)                               ? "be known at run time only"
                      : operand->distributed && !(forms & DISTRIBUTED) ? "be distributed"
                      : operand->dynamic && !(forms & DYNAMIC)         ? "be dynamic"
                                                                       : NULL;
    if (bad)
        return lisp_fail(r->lisp, "the %s of %s '%s' cannot %s", what, cop_kind_name(op->kind), op->label, bad);
    for (int64_t k = 0; k < operand->count; k++)
        if (strcmp(what, "distance") != 0 && (operand->values[k] < 0 || operand->values[k] >= r->subset.nodes))
            return lisp_fail(r->lisp, ":values: node %" PRId64 " is outside the subset of %" PRId64, operand->values[k],
                             r->subset.nodes);
    return BMF_OK;
}

static int take_targets(reader *r, const bmf_cop_operator *op, value *v, bmf_cop_operand *operand)
{
    const int64_t nodes = r->subset.nodes;
    BMF_TRY(lisp_take_integers(r->lisp, v, "a permutation as a list of targets", &operand->count, &operand->values));
    if (operand->count != nodes)
        return lisp_fail(r->lisp, "the permutation of '%s' has %" PRId64 " targets for %" PRId64 " nodes", op->label,
                         operand->count, nodes);
    bool *taken = lisp_allocate(r->lisp, nodes);
    for (int64_t k = 0; k < nodes; k++) {
        const int64_t to = operand->values[k];
        if (to < 0 || to >= nodes || taken[to])
            return lisp_fail(r->lisp, "the permutation of '%s': target %" PRId64 " %s", op->label, to,
                             to < 0 || to >= nodes ? "is outside the subset" : "is there twice");
        taken[to] = true;
    }
    return BMF_OK;
}

static int take_operand(reader *r, bmf_cop_operator *op, int part, value *v, bmf_cop_operand *operand)
{
    const char *what = shapes[op->kind].part[part].what;
    if (lisp_is(v, BMF_LISP_OBJECT) && ((bmf_cop_object *)v->object)->kind == BMF_COP_OBJECT_RUNTIME) {
        *operand = ((bmf_cop_object *)v->object)->operand;
        return check_runtime(r, op, operand, shapes[op->kind].part[part].forms, what);
    }
    switch (shapes[op->kind].part[part].role) {
    case FUNCTION:
        return v ? take_c_name(r, v, "a function", &op->function)
                 : lisp_fail(r->lisp, "%s '%s' needs a function", cop_kind_name(op->kind), op->label);
    case TARGETS:
        return take_targets(r, op, v, operand);
    case NODE:
        BMF_TRY(lisp_take_integer(r->lisp, v, what, &operand->value));
        if (operand->value < 0 || operand->value >= r->subset.nodes)
            return lisp_fail(r->lisp, "the %s of %s '%s' is node %" PRId64 ", outside the subset of %" PRId64, what,
                             cop_kind_name(op->kind), op->label, operand->value, r->subset.nodes);
        return BMF_OK;
    case DISTANCE:
        BMF_TRY(lisp_take_integer(r->lisp, v, what, &operand->value));
        return operand->value >= -r->subset.nodes && operand->value <= r->subset.nodes
                   ? BMF_OK
                   : lisp_fail(r->lisp, "the distance of '%s' is %" PRId64 " on %" PRId64 " nodes", op->label,
                               operand->value, r->subset.nodes);
    case NO_OPERAND:
        break;
    }
    return BMF_OK;
}

int cop_make_operator(bmf_cop_reader *r, bmf_cop_kind kind, int64_t count, value *const *argument, bmf_cop_tree **tree)
{
    const shape *form = &shapes[kind];
    bmf_cop_operator *op = lisp_allocate(r->lisp, sizeof *op);
    *op = (bmf_cop_operator){
        .kind = kind, .place = lisp_place(r->lisp), .function = "", .is_array = true, .calls = 1, .bandwidth = 1};
    op->instance = lisp_allocate(r->lisp, sizeof *op->instance);
    op->instances = op->capacity = 1;
    op->instance[0] = (bmf_cop_instance){.nodes = r->subset.nodes, .node = r->subset.node};
    int64_t next = 1;
    if (count < 1)
        return lisp_fail(r->lisp, "%s needs a label", form->name);
    BMF_TRY(take_c_name(r, argument[0], "the label", &op->label));
    for (int part = 0; part < BMF_COP_OPERANDS; part++) {
        const bool is_function = form->part[part].role == FUNCTION;
        if (form->part[part].role == NO_OPERAND)
            continue;
        if (next == count || is_keyword(argument[next]))
            return lisp_fail(r->lisp, "%s '%s' needs a %s", form->name, op->label, form->part[part].what);
        const bool first = part == 0 || form->part[0].role == FUNCTION;
        BMF_TRY(take_operand(r, op, part, argument[next++], &op->instance[0].operand[first || is_function ? 0 : 1]));
    }
    BMF_TRY(take_options(r, count - next, argument + next, op));
    *tree = cop_new_tree(r, BMF_COP_OPERATOR);
    (*tree)->op = op;
    return BMF_OK;
}

/* ---- instances ---- */

static bool same_operand(const bmf_cop_operand *a, const bmf_cop_operand *b)
{
    return a->runtime == b->runtime && a->distributed == b->distributed && a->dynamic == b->dynamic &&
           a->block == b->block;
}

bool cop_same_operator(const bmf_cop_operator *a, const bmf_cop_operator *b)
{
    const bool same_implementation =
        a->implementation == b->implementation ||
        (a->implementation && b->implementation && strcmp(a->implementation, b->implementation) == 0);
    return a->kind == b->kind && strcmp(a->label, b->label) == 0 && strcmp(a->function, b->function) == 0 &&
           a->type == b->type && a->is_array == b->is_array && a->words == b->words && a->calls == b->calls &&
           a->pipelined == b->pipelined && a->bandwidth >= b->bandwidth && a->bandwidth <= b->bandwidth &&
           same_implementation && same_operand(&a->instance[0].operand[0], &b->instance[0].operand[0]) &&
           same_operand(&a->instance[0].operand[1], &b->instance[0].operand[1]);
}

/* Bit 0: writes, bit 1: reads. */
static int accesses(const bmf_cop_operator *op, const bmf_cop_instance *instance, int64_t number)
{
    const bmf_cop_operand *a = &instance->operand[0], *b = &instance->operand[1];
    switch (op->kind) {
    case BMF_COP_STREAM:
        return (a->runtime || a->value == number ? 1 : 0) | (b->runtime || b->value == number ? 2 : 0);
    case BMF_COP_BROADCAST:
    case BMF_COP_SPREAD:
        return a->runtime ? 3 : a->value == number ? 1 : 2;
    case BMF_COP_COLLECT:
    case BMF_COP_GATHER:
        return a->runtime ? 3 : a->value == number ? 2 : 1;
    default:
        return 3;
    }
}

int cop_check_instances(bmf_cop_reader *r, const bmf_cop_operator *op)
{
    const int64_t nodes = r->program->settings.mesh.nodes;
    uint8_t *taken = allocate_clear(nodes, 1);
    int status = BMF_OK;
    for (int64_t i = 0; i < op->instances && status == BMF_OK; i++)
        for (int64_t k = 0; k < op->instance[i].nodes && status == BMF_OK; k++) {
            const int64_t node = op->instance[i].node[k];
            const int use = accesses(op, &op->instance[i], k), both = taken[node] & use;
            if (both)
                status = lisp_fail_at(r->lisp, op->place, "two instances of '%s' are %s by node %" PRId64, op->label,
                                      both & 1 ? "written" : "read", node);
            taken[node] |= (uint8_t)use;
        }
    free(taken);
    return status;
}

/* ---- forms ---- */

#define OPERATOR(name, kind)                                                                                           \
    static int name(bmf_lisp *lisp, void *host, int64_t count, value *const *argument, value **out)                    \
    {                                                                                                                  \
        bmf_cop_tree *tree;                                                                                            \
        (void)lisp;                                                                                                    \
        BMF_TRY(cop_make_operator(host, kind, count, argument, &tree));                                                \
        *out = cop_tree_value(host, tree);                                                                             \
        return BMF_OK;                                                                                                 \
    }
OPERATOR(stream, BMF_COP_STREAM)
OPERATOR(broadcast, BMF_COP_BROADCAST)
OPERATOR(collect, BMF_COP_COLLECT)
OPERATOR(spread, BMF_COP_SPREAD)
OPERATOR(gather, BMF_COP_GATHER)
OPERATOR(reduce_operator, BMF_COP_REDUCE)
OPERATOR(allreduce, BMF_COP_ALLREDUCE)
OPERATOR(prefix, BMF_COP_PREFIX)
OPERATOR(barrier, BMF_COP_BARRIER)
OPERATOR(cshift, BMF_COP_CSHIFT)
OPERATOR(eoshift, BMF_COP_EOSHIFT)
OPERATOR(permute, BMF_COP_PERMUTE)

/* Also a function of lists: (reduce function list). */
static int reduce(bmf_lisp *lisp, void *host, int64_t count, value *const *argument, value **out)
{
    if (count > 0 && lisp_is(argument[0], BMF_LISP_FUNCTION))
        return lisp_apply(lisp, lisp_symbol(lisp, "fold")->value, count, argument, out);
    return reduce_operator(lisp, host, count, argument, out);
}

/* (runtime [:distributed t] [:dynamic t] [:values list] [:block n]) */
static int runtime(bmf_lisp *lisp, void *host, int64_t count, value *const *argument, value **out)
{
    static const char *const known[] = {":distributed", ":dynamic", ":values", ":block"};
    reader *r = host;
    bmf_cop_object *object = lisp_allocate(lisp, sizeof *object);
    *object = (bmf_cop_object){.kind = BMF_COP_OBJECT_RUNTIME, .operand = {.runtime = true, .block = 1}};
    for (int64_t k = 0; k < count; k += 2) {
        const char *name = is_keyword(argument[k]) ? argument[k]->symbol->name : "";
        if (k + 1 == count)
            return lisp_fail(lisp, "runtime: options are pairs of a name and a value");
        if (strcmp(name, ":distributed") == 0)
            object->operand.distributed = argument[k + 1];
        else if (strcmp(name, ":dynamic") == 0)
            object->operand.dynamic = argument[k + 1];
        else if (strcmp(name, ":values") == 0)
            BMF_TRY(lisp_take_integers(lisp, argument[k + 1], "a list of values", &object->operand.count,
                                       &object->operand.values));
        else if (strcmp(name, ":block") == 0)
            BMF_TRY(take_positive(r, argument[k + 1], ":block", &object->operand.block));
        else
            return unknown_option(r, name, (int)(sizeof known / sizeof *known), known);
    }
    *out = lisp_object(lisp, object);
    return BMF_OK;
}

/* Types and implementations stand for themselves, with or without a quote. */
static void define_names(bmf_lisp *lisp)
{
    static const char *const types[] = {"int32",  "int64",  "float32",  "float64",
                                        "int32*", "int64*", "float32*", "float64*"};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        lisp_define_symbol(lisp, types[k]);
    for (int k = 0; cop_implementations[k]; k++)
        lisp_define_symbol(lisp, cop_implementations[k]->name);
}

void cop_define_operators(bmf_lisp *lisp)
{
    static const struct {
        const char *name;
        bmf_lisp_builtin *builtin;
    } form[] = {{"stream", stream},   {"broadcast", broadcast}, {"collect", collect}, {"spread", spread},
                {"gather", gather},   {"reduce", reduce},       {"prefix", prefix},   {"allreduce", allreduce},
                {"barrier", barrier}, {"cshift", cshift},       {"eoshift", eoshift}, {"permute", permute},
                {"runtime", runtime}};
    define_names(lisp);
    for (size_t k = 0; k < sizeof form / sizeof *form; k++)
        lisp_define_builtin(lisp, form[k].name, 0, BMF_LISP_ANY, form[k].builtin);
}
