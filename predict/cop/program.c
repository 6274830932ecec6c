/* Programs as a whole: reading, checks of all operators together, printing. */
#include "predict/cop/program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/program_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

enum { MAX_BYTES = 1 << 22 };

/* ---- labels ---- */

static int number_operators(bmf_cop_reader *r, bmf_cop_tree *tree)
{
    bmf_cop_program *program = r->program;
    for (int64_t k = 0; k < tree->children; k++)
        BMF_TRY(number_operators(r, tree->child[k]));
    bmf_cop_operator *op = tree->op;
    if (!op)
        return BMF_OK;
    for (int64_t k = 0; k < program->operators; k++)
        if (strcmp(program->op[k]->label, op->label) == 0)
            return lisp_fail_at(r->lisp, op->place, "the label '%s' is used in two contexts, also in line %d",
                                op->label, program->op[k]->place.line);
    op->number = program->operators;
    *ARRAY_APPEND(program->op, program->operators, program->capacity) = op;
    return cop_check_instances(r, op);
}

static int check_loops(bmf_cop_reader *r, const bmf_cop_tree *tree)
{
    for (int64_t k = 0; k < r->program->operators && tree->group == BMF_COP_LOOP; k++)
        if (strcmp(tree->label, r->program->op[k]->label) == 0)
            return lisp_fail_at(r->lisp, tree->place, "'%s' is a loop and an operator", tree->label);
    for (int64_t k = 0; k < tree->children; k++)
        BMF_TRY(check_loops(r, tree->child[k]));
    return BMF_OK;
}

/* ---- reading ---- */

static int evaluate_program(bmf_cop_reader *r, const bmf_lisp_value *forms)
{
    bmf_cop_tree *root = cop_new_tree(r, BMF_COP_SEQUENTIAL);
    const bmf_lisp_value *v;
    for (; forms; forms = lisp_rest(forms)) {
        lisp_set_place(r->lisp, (bmf_lisp_place){forms->line, forms->column});
        BMF_TRY(lisp_evaluate(r->lisp, forms->cons.first, NULL, &v));
        lisp_set_place(r->lisp, (bmf_lisp_place){forms->line, forms->column});
        if (lisp_is(v, BMF_LISP_OBJECT) || lisp_is(v, BMF_LISP_CONS))
            BMF_TRY(cop_add_value(r, root, v));
    }
    if (root->children == 0)
        return lisp_fail(r->lisp, "the program has no operators");
    r->program->root = root->children == 1 ? root->child[0] : root;
    BMF_TRY(number_operators(r, r->program->root));
    return check_loops(r, r->program->root);
}

/* COP text at the head of a C file stands in a comment that begins with `;` and ends as comments do. */
static int find_text(const char *path, const char **text, int64_t *size, int *line)
{
    const char *end = *text + *size, *at = *text;
    *line = 1;
    while (at < end && strchr(" \t\r\n", *at))
        *line += *at++ == '\n';
    const char *open = at + (at < end && *at == ';');
    while (open > at && open < end && (*open == ' ' || *open == '\t'))
        open++;
    if (open == at || end - open < 2 || open[0] != '/' || open[1] != '*') {
        const size_t length = strlen(path);
        *line = 1;
        if (length > 2 && strcmp(path + length - 2, ".c") == 0)
            return bmf_fail(NULL, BMF_ERROR_FILE, "%s:1:1: a C program begins with its COP text between ;/* and */",
                            path);
        return BMF_OK;
    }
    const char *close = open + 2;
    while (close + 1 < end && !(close[0] == '*' && close[1] == '/'))
        close++;
    if (close + 1 >= end)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%d:1: the COP text that begins here has no */", path, *line);
    *text = open + 2;
    *size = close - *text;
    return BMF_OK;
}

int cop_parse(const char *text, int64_t size, const char *path, const bmf_cop_settings *settings,
              bmf_cop_program **program)
{
    bmf_cop_program *made = allocate_clear(1, sizeof *made);
    bmf_cop_reader r = {.program = made};
    made->path = text_copy(path);
    made->settings = *settings;
    made->lisp = r.lisp = lisp_create(made->path, &r);
    cop_define_geometry(r.lisp);
    cop_define_groups(r.lisp);
    cop_define_operators(r.lisp);
    cop_whole_mesh(&r);
    const bmf_lisp_value *forms;
    int line;
    int status = find_text(path, &text, &size, &line);
    if (status == BMF_OK)
        status = lisp_read(r.lisp, text, size, line, &forms);
    if (status == BMF_OK)
        status = evaluate_program(&r, forms);
    if (status == BMF_OK)
        status = cop_assign_extents(made);
    if (status != BMF_OK)
        cop_free(made);
    else
        *program = made;
    return status;
}

static int read_whole(const char *path, char **text, int64_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: %s", path, strerror(errno));
    *text = allocate(MAX_BYTES + 1);
    *size = (int64_t)fread(*text, 1, MAX_BYTES + 1, file);
    const int failure = ferror(file) ? errno : 0;
    fclose(file);
    if (failure == 0 && *size <= MAX_BYTES)
        return BMF_OK;
    free(*text);
    return failure ? bmf_fail(NULL, BMF_ERROR_FILE, "%s: %s", path, strerror(failure))
                   : bmf_fail(NULL, BMF_ERROR_FILE, "%s: more than %d bytes", path, MAX_BYTES);
}

int cop_read(const char *source, const bmf_cop_settings *settings, bmf_cop_program **program)
{
    if (source[0] == '(')
        return cop_parse(source, (int64_t)strlen(source), "expression", settings, program);
    char *text = NULL;
    int64_t size = 0;
    BMF_TRY(read_whole(source, &text, &size));
    const int status = cop_parse(text, size, source, settings, program);
    free(text);
    return status;
}

void cop_free(bmf_cop_program *program)
{
    if (!program)
        return;
    lisp_free(program->lisp);
    free(program->op);
    free(program->path);
    free(program);
}

/* ---- printing ---- */

static const char *const group_names[] = {"", "sequential", "loop", "parallel", "optional", "phase", "disjoint"};

static void add_text(char *text, size_t size, const char *more)
{
    const size_t used = strlen(text);
    if (used + 1 < size)
        snprintf(text + used, size - used, "%s", more);
}

static void write_tree(const bmf_cop_tree *tree, char *text, size_t size)
{
    if (tree->op) {
        add_text(text, size, tree->op->label);
        return;
    }
    add_text(text, size, group_names[tree->group]);
    add_text(text, size, "(");
    for (int64_t k = 0; k < tree->children && strlen(text) + 1 < size; k++) {
        add_text(text, size, k > 0 ? ", " : "");
        write_tree(tree->child[k], text, size);
    }
    add_text(text, size, ")");
}

bool cop_tree_holds(const bmf_cop_tree *tree, const bmf_cop_operator *op)
{
    bool found = tree->op == op;
    for (int64_t k = 0; k < tree->children && !found; k++)
        found = cop_tree_holds(tree->child[k], op);
    return found;
}

char *cop_tree_text(const bmf_cop_tree *tree, char *text, size_t size)
{
    text[0] = '\0';
    write_tree(tree, text, size);
    return text;
}

static void print_operand(const bmf_cop_operator *op, int which, FILE *stream)
{
    const bmf_cop_operand *operand = &op->instance[0].operand[which];
    bool same = true;
    for (int64_t i = 1; i < op->instances; i++)
        same &= op->instance[i].operand[which].value == operand->value;
    if (operand->runtime)
        fprintf(stream, " (runtime%s%s)", operand->distributed ? " distributed" : "",
                operand->dynamic ? " dynamic" : "");
    else if (op->kind == BMF_COP_PERMUTE)
        fputs(" (permutation)", stream);
    else if (same)
        fprintf(stream, " %" PRId64, operand->value);
    else
        fputs(" (each its own)", stream);
}

static void print_box(const bmf_cop_box *box, FILE *stream)
{
    fprintf(stream, "x %" PRId64 "..%" PRId64 " y %" PRId64 "..%" PRId64, box->low[0], box->high[0], box->low[1],
            box->high[1]);
    if (box->high[2] > 0)
        fprintf(stream, " z %" PRId64 "..%" PRId64, box->low[2], box->high[2]);
}

static void print_operator(const bmf_cop_operator *op, FILE *stream)
{
    fprintf(stream, "%s %s", cop_kind_name(op->kind), op->label);
    if (op->function[0])
        fprintf(stream, " %s", op->function);
    const bool none = op->kind == BMF_COP_ALLREDUCE || op->kind == BMF_COP_PREFIX || op->kind == BMF_COP_BARRIER;
    for (int k = 0; k < (none ? 0 : op->kind == BMF_COP_STREAM ? 2 : 1); k++)
        print_operand(op, k, stream);
    int64_t nodes = 0;
    for (int64_t i = 0; i < op->instances; i++)
        nodes += op->instance[i].nodes;
    fprintf(stream, ", %" PRId64 " word%s, %" PRId64 " instance%s, %" PRId64 " node%s, ", op->words,
            op->words == 1 ? "" : "s", op->instances, op->instances == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s");
}

static void print_tree(const bmf_cop_tree *tree, int depth, FILE *stream)
{
    fprintf(stream, "%*s", 2 * depth, "");
    if (tree->op)
        print_operator(tree->op, stream);
    else if (tree->group == BMF_COP_LOOP)
        fprintf(stream, "loop %s, %" PRId64 " pass%s, ", tree->label, tree->count, tree->count == 1 ? "" : "es");
    else
        fprintf(stream, "%s, ", group_names[tree->group]);
    print_box(&tree->box, stream);
    fputc('\n', stream);
    for (int64_t k = 0; k < tree->children; k++)
        print_tree(tree->child[k], depth + 1, stream);
}

void cop_print_tree(const bmf_cop_program *program, FILE *stream)
{
    print_tree(program->root, 0, stream);
}
