/* Printing expressions.
 *
 * Method: compositions print infix, f . g . h, everything else as a keyword with its operands in brackets. On one
 * line an expression is written straight into a stream; broken into lines, a part that does not fit in what is left
 * of its line puts every operand on a line of its own.
 * Cost: O(size of the text) on one line, times the depth when broken. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/parse.h"
#include "skeletons/language/front/print.h"

enum { LINE_COLUMNS = 100, MAX_INDENT = 60 };

void print_operand(const bmf_expression *operand, FILE *out)
{
    fputs(" (", out);
    print_expression(operand, out);
    fputc(')', out);
}

void print_list(const bmf_expression *expression, FILE *out)
{
    fprintf(out, "%s [", expression_keyword(expression));
    for (int k = 0; k < expression->children; k++) {
        fputs(k > 0 ? ", " : "", out);
        print_expression(expression->child[k], out);
    }
    fputc(']', out);
}

static void print_keyword(const bmf_expression *expression, FILE *out)
{
    fputs(expression_keyword(expression), out);
    for (int k = 0; form_of(expression)->is_numbered && k < BMF_NUMBERS && (k == 0 || expression->number[k] != 0); k++)
        fprintf(out, " (B_Num %" PRId64 ")", expression->number[k]);
}

void print_expression(const bmf_expression *expression, FILE *out)
{
    if (form_of(expression)->print) {
        form_of(expression)->print(expression, out);
        return;
    }
    print_keyword(expression, out);
    for (int k = 0; k < expression->children; k++)
        print_operand(expression->child[k], out);
}

static char *one_line(const bmf_expression *expression)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return allocate_clear(1, 1);
    print_expression(expression, out);
    fclose(out);
    return text;
}

static void new_line(FILE *out, int indent)
{
    fprintf(out, "\n%*s", indent < MAX_INDENT ? indent : MAX_INDENT, "");
}

static void print_broken(const bmf_expression *expression, int indent, int room, FILE *out);

/* f\n. g\n. h: all parts below each other, however the tree was built. */
static void print_links(const bmf_expression *comp, int indent, FILE *out)
{
    for (int k = 0; k < comp->children; k++) {
        const bmf_expression *child = comp->child[k];
        bool is_comp = child->kind == BMF_EXPRESSION_COMP, last = k == comp->children - 1;
        if (k > 0) {
            new_line(out, indent);
            fputs(". ", out);
        }
        if (is_comp && last) {
            print_links(child, indent, out);
            continue;
        }
        fputs(is_comp ? "(" : "", out);
        print_broken(child, indent + 2, LINE_COLUMNS - indent - 4, out);
        fputs(is_comp ? ")" : "", out);
    }
}

/* The keyword, and every operand on a line of its own. */
static void print_parts(const bmf_expression *expression, int indent, FILE *out)
{
    bool all = form_of(expression)->layout == BMF_LAYOUT_LIST;
    print_keyword(expression, out);
    fputs(all ? " [" : "", out);
    for (int k = 0; k < expression->children; k++) {
        bool last = k == expression->children - 1;
        new_line(out, indent + 2);
        fputs(all ? "" : "(", out);
        print_broken(expression->child[k], indent + 3, LINE_COLUMNS - indent - 5, out);
        fputs(!all ? ")" : last ? "]" : ",", out);
    }
}

/* Prints at column `indent`; `room` columns are left on the line. */
static void print_broken(const bmf_expression *expression, int indent, int room, FILE *out)
{
    const bmf_print_layout layout = form_of(expression)->layout;
    char *line = one_line(expression);
    if (expression->children == 0 || layout == BMF_LAYOUT_LINE || (int64_t)strlen(line) <= room)
        fputs(line, out);
    else if (layout == BMF_LAYOUT_CHAIN)
        print_links(expression, indent, out);
    else
        print_parts(expression, indent, out);
    free(line);
}

char *expression_print(const bmf_expression *expression, int indent)
{
    char *text = NULL;
    size_t size = 0;
    if (indent < 0)
        return one_line(expression);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return allocate_clear(1, 1);
    fprintf(out, "%*s", indent, "");
    print_broken(expression, indent, LINE_COLUMNS - indent, out);
    fclose(out);
    return text;
}
