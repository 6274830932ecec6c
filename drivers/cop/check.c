/* bmf cop check: evaluates a program's Lisp and prints its operators. */
#include "drivers/cop/cop.h"

#include <inttypes.h>

#include "drivers/command/json.h"

static json_t *tree_json(const bmf_cop_tree *tree)
{
    static const char *const group[] = {"", "sequential", "loop", "parallel", "optional", "phase", "disjoint"};
    json_t *box = json_array(), *node = json_object();
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
        json_array_append_new(box, json_pack("[I,I]", (json_int_t)tree->box.low[d], (json_int_t)tree->box.high[d]));
    json_object_set_new(node, "kind", json_string(tree->op ? cop_kind_name(tree->op->kind) : group[tree->group]));
    json_object_set_new(node, "box", box);
    if (tree->op) {
        json_object_set_new(node, "label", json_text(tree->op->label));
        json_object_set_new(node, "line", json_integer(tree->op->place.line));
        json_object_set_new(node, "words", json_integer(tree->op->words));
        json_object_set_new(node, "instances", json_integer(tree->op->instances));
        return node;
    }
    if (tree->group == BMF_COP_LOOP) {
        json_object_set_new(node, "label", json_text(tree->label));
        json_object_set_new(node, "count", json_integer(tree->count));
    }
    json_t *children = json_array();
    for (int64_t k = 0; k < tree->children; k++)
        json_array_append_new(children, tree_json(tree->child[k]));
    json_object_set_new(node, "children", children);
    return node;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const bmf_cop_options *o = values;
    bmf_cop_routers routers;
    bmf_cop_program *program;
    (void)ctx;
    const int code = cop_open_program(operands->text[0], o, &routers, &program);
    if (code != 0)
        return code;
    if (!o->json)
        cop_print_tree(program, stdout);
    const int printed = o->json ? json_print(tree_json(program->root), BMF_JSON_INDENT) : finish_output();
    cop_free(program);
    return printed;
}

static const bmf_option table[] = {BMF_COP_SIZE_OPTION, BMF_COP_SET_OPTION,
                                   BMF_OPTION("json", NULL, BMF_FLAG(bmf_cop_options, json), "one JSON object"),
                                   BMF_OPTION_END};

const bmf_driver cop_check_command = {
    .name = "check",
    .summary = "the operators of a program, their instances and extents",
    .synopsis = "bmf cop check FILE|EXPRESSION --size XxY[xZ] [--json]",
    .about = "Evaluates the Lisp of a COP program for a mesh and prints the tree of its operators: a line each, with "
             "operands, words of a message, instances, nodes, and the box of nodes that may carry it. Groups whose "
             "parts do not overlap have become `disjoint`.",
    .example = "bmf cop check examples/cop/gauss.cop --size 5x5",
    .exit_code = "2 is also a mistake in the program, as FILE:LINE:COLUMN: ..",
    .options = table,
    BMF_ONE_OPERAND("no COP program", "more than one COP program"),
    .defaults = &cop_default_options,
    .size = sizeof(bmf_cop_options),
    .run = run};
