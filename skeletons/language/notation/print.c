/* Printing the notation.
 *
 * Method: an expression is written on one line if it fits. What does not fit breaks where its form is made of parts:
 * pipelines before |>, let behind in, choices before then and else, lists and calls behind commas.
 * Cost: O(text * depth) when it is broken. */
#include "skeletons/language/notation/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/data/type.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/front/type_parse.h"

enum { LINE_COLUMNS = 100, MAX_INDENT = 60, INDENT = 4 };

/* Levels outside of those of infix operators, and inside. */
enum { LEVEL_EXPRESSION = -1, LEVEL_PIPELINE = 0, LEVEL_POSTFIX = NOTATION_LEVEL_UNARY + 1 };

static void print_node(const notation_node *node, int level, FILE *out);

/* ---- on one line ---- */

void notation_print_pattern(const notation_pattern *pattern, FILE *out)
{
    if (pattern->parts == 0) {
        fputs(pattern->name ? pattern->name : "_", out);
        return;
    }
    for (int k = 0; k < pattern->parts; k++) {
        fputs(k > 0 ? ", " : "{", out);
        notation_print_pattern(pattern->part[k], out);
    }
    fputc('}', out);
}

static void print_constant(const bmf_constant *constant, FILE *out)
{
    char text[32];
    if (constant->kind == BMF_REAL)
        fputs(real_print(constant->real, text), out);
    else if (constant->kind == BMF_INT)
        fprintf(out, "%" PRId64, constant->integer);
    else
        fputs(constant->integer != 0 ? "true" : "false", out);
}

/* The level that a node stands at by itself. */
static int level_of(const notation_node *node)
{
    switch (node->kind) {
    case NOTATION_LET:
    case NOTATION_IF:
    case NOTATION_WHILE:
    case NOTATION_FOR:
    case NOTATION_FUNCTION:
        return LEVEL_EXPRESSION;
    case NOTATION_RANGE:
        return LEVEL_PIPELINE;
    case NOTATION_CONSTANT: /* -2 [i] and - -2 need brackets */
        return node->constant.kind != BMF_BOOL && (node->constant.integer < 0 || signbit(node->constant.real))
                   ? NOTATION_LEVEL_UNARY
                   : LEVEL_POSTFIX;
    case NOTATION_CALL:
        if (node->builtin && node->builtin->operation == BMF_OPERATION_NOT && node->builtin->role == NOTATION_UNARY)
            return NOTATION_LEVEL_RELATION;
        if (node->builtin && node->builtin->operation == BMF_OPERATION_UMINUS)
            return NOTATION_LEVEL_UNARY;
        return node->builtin && node->builtin->level != NOTATION_LEVEL_NONE ? node->builtin->level
               : node->piped                                                ? LEVEL_PIPELINE
                                                                            : LEVEL_POSTFIX;
    default:
        return LEVEL_POSTFIX;
    }
}

static void print_all(const notation_node *node, int children, const char *open, const char *close, FILE *out)
{
    fputs(open, out);
    for (int k = 0; k < children; k++) {
        fputs(k > 0 ? ", " : "", out);
        print_node(node->child[k], LEVEL_EXPRESSION, out);
    }
    fputs(close, out);
}

/* "x: ", where child k of a record or update is the value of a field. */
static void print_field_name(const notation_node *node, int k, FILE *out)
{
    int size;
    const char *field = node->kind == NOTATION_RECORD   ? field_in(node->name, k, &size)
                        : node->kind == NOTATION_UPDATE ? field_in(node->name, k - 1, &size)
                                                        : NULL;
    if (field && (node->kind == NOTATION_RECORD || k > 0))
        fprintf(out, "%.*s: ", size, field);
}

/* Between child k and the one before it. */
static const char *behind_child(const notation_node *node, int k)
{
    return node->kind == NOTATION_UPDATE && k == 1 ? " with " : ", ";
}

static void print_record(const notation_node *node, FILE *out)
{
    fputc('{', out);
    for (int k = 0; k < node->children; k++) {
        fputs(k > 0 ? behind_child(node, k) : "", out);
        print_field_name(node, k, out);
        print_node(node->child[k], LEVEL_EXPRESSION, out);
    }
    fputc('}', out);
}

static void print_operation(const notation_node *node, FILE *out)
{
    const notation_builtin *builtin = node->builtin;
    if (builtin->role == NOTATION_UNARY) {
        const bool minus = builtin->operation == BMF_OPERATION_UMINUS;
        const bool number = node->child[0]->kind == NOTATION_CONSTANT; /* -(2) is an operation, -2 a number */
        fputs(minus ? "-" : "not ", out);
        print_node(node->child[0],
                   minus ? (number ? LEVEL_POSTFIX + 1 : NOTATION_LEVEL_UNARY) : NOTATION_LEVEL_RELATION, out);
        return;
    }
    const bool chains = builtin->level != NOTATION_LEVEL_RELATION;
    print_node(node->child[0], chains ? builtin->level : builtin->level + 1, out);
    fprintf(out, " %s ", builtin->name);
    print_node(node->child[1], builtin->level + 1, out);
}

static void print_call(const notation_node *node, FILE *out)
{
    if (node->builtin && node->builtin->level != NOTATION_LEVEL_NONE) {
        print_operation(node, out);
        return;
    }
    if (!node->piped) {
        fputs(node->name, out);
        print_all(node, node->children, "(", ")", out);
        return;
    }
    print_node(node->child[node->children - 1], LEVEL_PIPELINE, out);
    fprintf(out, " |> %s", node->name);
    if (node->children > 1)
        print_all(node, node->children - 1, "(", ")", out);
}

static void print_loop_head(const notation_node *node, FILE *out)
{
    fputs("loop ", out);
    notation_print_pattern(node->pattern, out);
    fputs(" = ", out);
    print_node(node->child[0], LEVEL_EXPRESSION, out);
    if (node->kind == NOTATION_WHILE)
        fputs(" while ", out);
    else
        fprintf(out, " for %s < ", node->counter->name);
    print_node(node->child[1], node->kind == NOTATION_WHILE ? LEVEL_EXPRESSION : NOTATION_LEVEL_CONCAT, out);
    fputs(" do ", out);
}

static void print_index(const notation_node *node, FILE *out)
{
    print_node(node->child[0], LEVEL_POSTFIX, out);
    for (int k = 1; k < node->children; k++) {
        fputs(k == 1 ? "[" : ", ", out);
        print_node(node->child[k], LEVEL_EXPRESSION, out);
    }
    fputc(']', out);
}

static void print_inside(const notation_node *node, FILE *out)
{
    switch (node->kind) {
    case NOTATION_CONSTANT:
        print_constant(&node->constant, out);
        break;
    case NOTATION_PROCS:
        fputs("procs", out);
        break;
    case NOTATION_NAME:
    case NOTATION_OPERATOR:
        fputs(node->name, out);
        break;
    case NOTATION_CALL:
        print_call(node, out);
        break;
    case NOTATION_TUPLE:
        print_all(node, node->children, "{", "}", out);
        break;
    case NOTATION_RECORD:
    case NOTATION_UPDATE:
        print_record(node, out);
        break;
    case NOTATION_FIELD: /* 2.x is no number and no field */
        print_node(node->child[0], LEVEL_POSTFIX + (node->child[0]->kind == NOTATION_CONSTANT), out);
        fprintf(out, ".%s", node->name);
        break;
    case NOTATION_LIST:
        print_all(node, node->children, "[", "]", out);
        break;
    case NOTATION_INDEX:
        print_index(node, out);
        break;
    case NOTATION_ALL:
        fputc('_', out);
        break;
    case NOTATION_RANGE:
        print_node(node->child[0], NOTATION_LEVEL_OR, out);
        fputs(" ..< ", out);
        print_node(node->child[1], NOTATION_LEVEL_OR, out);
        break;
    case NOTATION_IF:
        fputs("if ", out);
        print_node(node->child[0], LEVEL_EXPRESSION, out);
        fputs(" then ", out);
        print_node(node->child[1], LEVEL_EXPRESSION, out);
        fputs(" else ", out);
        print_node(node->child[2], LEVEL_EXPRESSION, out);
        break;
    case NOTATION_LET:
        fputs("let ", out);
        notation_print_pattern(node->pattern, out);
        fputs(" = ", out);
        print_node(node->child[0], LEVEL_EXPRESSION, out);
        fputs(" in ", out);
        print_node(node->child[1], LEVEL_EXPRESSION, out);
        break;
    case NOTATION_WHILE:
    case NOTATION_FOR:
        print_loop_head(node, out);
        print_node(node->child[2], LEVEL_EXPRESSION, out);
        break;
    case NOTATION_FUNCTION:
        notation_print_pattern(node->pattern, out);
        fputs(" -> ", out);
        print_node(node->child[0], LEVEL_EXPRESSION, out);
        break;
    }
}

/* In brackets if it binds less tightly than its place asks for. */
static void print_node(const notation_node *node, int level, FILE *out)
{
    const bool brackets = level_of(node) < level;
    fputs(brackets ? "(" : "", out);
    print_inside(node, out);
    fputs(brackets ? ")" : "", out);
}

static char *one_line(const notation_node *node, int level)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return allocate_clear(1, 1);
    print_node(node, level, out);
    fclose(out);
    return text;
}

/* ---- broken into lines ---- */

static void new_line(FILE *out, int indent)
{
    fprintf(out, "\n%*s", indent < MAX_INDENT ? indent : MAX_INDENT, "");
}

static void print_broken(const notation_node *node, int level, int indent, int column, FILE *out);

/* Words of a certain length, then the node. */
static void print_after(const char *words, const notation_node *node, int level, int indent, int column, FILE *out)
{
    fputs(words, out);
    print_broken(node, level, indent, column + (int)strlen(words), out);
}

static void print_let_broken(const notation_node *node, int indent, int column, FILE *out)
{
    fputs("let ", out);
    notation_print_pattern(node->pattern, out);
    fputs(" = ", out);
    print_broken(node->child[0], LEVEL_EXPRESSION, indent + INDENT, column + 24, out);
    fputs(" in", out);
    new_line(out, indent);
    print_broken(node->child[1], LEVEL_EXPRESSION, indent, indent, out);
}

static void print_if_broken(const notation_node *node, int indent, int column, FILE *out)
{
    print_after("if ", node->child[0], LEVEL_EXPRESSION, indent + INDENT, column, out);
    new_line(out, indent);
    print_after("then ", node->child[1], LEVEL_EXPRESSION, indent + INDENT, indent, out);
    new_line(out, indent);
    print_after("else ", node->child[2], LEVEL_EXPRESSION, indent + INDENT, indent, out);
}

static void print_list_broken(const notation_node *node, int children, const char *open, const char *close, int indent,
                              int column, FILE *out)
{
    fputs(open, out);
    for (int k = 0; k < children; k++) {
        if (k > 0) {
            fputc(',', out);
            new_line(out, indent + INDENT);
        }
        print_broken(node->child[k], LEVEL_EXPRESSION, indent + INDENT, k > 0 ? indent + INDENT : column + 1, out);
    }
    fputs(close, out);
}

/* On what is left of the line, if that is enough. */
static bool print_list_on_line(const notation_node *node, int children, int column, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);
    if (!line)
        return false;
    print_all(node, children, "(", ")", line);
    fclose(line);
    const bool fits = column + (int)size <= LINE_COLUMNS;
    if (fits)
        fputs(text, out);
    free(text);
    return fits;
}

static void print_record_broken(const notation_node *node, int indent, int column, FILE *out)
{
    fputc('{', out);
    for (int k = 0; k < node->children; k++) {
        const bool first = k == 0 || (k == 1 && node->kind == NOTATION_UPDATE);
        fputs(k == 0 ? "" : first ? " with " : ",", out);
        if (!first)
            new_line(out, indent + INDENT);
        print_field_name(node, k, out);
        print_broken(node->child[k], LEVEL_EXPRESSION, indent + INDENT, first ? column + 1 : indent + INDENT, out);
    }
    fputc('}', out);
}

static void print_call_broken(const notation_node *node, int indent, int column, FILE *out)
{
    const int length = (int)strlen(node->name);
    if (!node->piped) {
        fputs(node->name, out);
        print_list_broken(node, node->children, "(", ")", indent, column + length, out);
        return;
    }
    print_broken(node->child[node->children - 1], LEVEL_PIPELINE, indent, column, out);
    new_line(out, indent);
    fprintf(out, "|> %s", node->name);
    if (node->children > 1 && !print_list_on_line(node, node->children - 1, indent + length + 3, out))
        print_list_broken(node, node->children - 1, "(", ")", indent, indent + length + 3, out);
}

static void print_operation_broken(const notation_node *node, int indent, int column, FILE *out)
{
    print_broken(node->child[0], node->builtin->level + 1, indent, column, out);
    fprintf(out, " %s", node->builtin->name);
    new_line(out, indent + INDENT);
    print_broken(node->child[1], node->builtin->level + 1, indent + INDENT, indent + INDENT, out);
}

static void print_parts(const notation_node *node, int indent, int column, FILE *out)
{
    switch (node->kind) {
    case NOTATION_LET:
        print_let_broken(node, indent, column, out);
        break;
    case NOTATION_IF:
        print_if_broken(node, indent, column, out);
        break;
    case NOTATION_WHILE:
    case NOTATION_FOR:
        print_loop_head(node, out);
        new_line(out, indent + INDENT);
        print_broken(node->child[2], LEVEL_EXPRESSION, indent + INDENT, indent + INDENT, out);
        break;
    case NOTATION_FUNCTION:
        notation_print_pattern(node->pattern, out);
        fputs(" ->", out);
        new_line(out, indent);
        print_broken(node->child[0], LEVEL_EXPRESSION, indent, indent, out);
        break;
    case NOTATION_TUPLE:
        print_list_broken(node, node->children, "{", "}", indent, column, out);
        break;
    case NOTATION_RECORD:
    case NOTATION_UPDATE:
        print_record_broken(node, indent, column, out);
        break;
    case NOTATION_LIST:
        print_list_broken(node, node->children, "[", "]", indent, column, out);
        break;
    case NOTATION_CALL:
        if (node->builtin && node->builtin->role == NOTATION_BINARY && node->builtin->level != NOTATION_LEVEL_NONE)
            print_operation_broken(node, indent, column, out);
        else if (!node->builtin || node->builtin->level == NOTATION_LEVEL_NONE)
            print_call_broken(node, indent, column, out);
        else
            print_inside(node, out);
        break;
    default:
        print_inside(node, out);
    }
}

static void print_broken(const notation_node *node, int level, int indent, int column, FILE *out)
{
    char *line = one_line(node, level);
    const bool brackets = level_of(node) < level;
    const bool lets = node->kind == NOTATION_LET && node->child[1]->kind == NOTATION_LET;
    if (!lets && (int)strlen(line) + column <= LINE_COLUMNS) {
        fputs(line, out);
    } else {
        fputs(brackets ? "(" : "", out);
        print_parts(node, indent + brackets, column + brackets, out);
        fputs(brackets ? ")" : "", out);
    }
    free(line);
}

void notation_print(const notation_node *node, int indent, int column, FILE *out)
{
    print_broken(node, LEVEL_EXPRESSION, indent, column, out);
}

static void print_declared(const bmf_declared *declared, FILE *out)
{
    if (!declared->type || declared->type->kind == BMF_NOTHING)
        return;
    char *type = type_print(declared->type);
    fprintf(out, ": %s", type);
    free(type);
}

void notation_print_definition(const notation_definition *definition, FILE *out)
{
    const bool main = strcmp(definition->name, "main") == 0;
    char *head = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&head, &size);
    if (!text)
        return;
    fprintf(text, "%s%s", main ? "" : "let ", definition->name);
    for (int k = 0; k < definition->parameters; k++) {
        fputs(k > 0 ? ", " : "(", text);
        notation_print_pattern(definition->parameters > 1 ? definition->pattern->part[k] : definition->pattern, text);
        if (definition->declared)
            print_declared(&definition->declared[k], text);
    }
    fputs(definition->parameters > 0 ? ") =" : " =", text);
    fclose(text);
    char *line = one_line(definition->body, LEVEL_EXPRESSION);
    const bool fits = size + 1 + strlen(line) <= LINE_COLUMNS;
    fputs(head, out);
    if (fits)
        fputc(' ', out);
    else
        new_line(out, INDENT);
    notation_print(definition->body, INDENT, fits ? (int)size + 1 : INDENT, out);
    fputc('\n', out);
    free(line);
    free(head);
}
