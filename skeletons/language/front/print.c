/* Printing expressions.
 *
 * Method: compositions print infix, f . g . h, everything else as a keyword with its operands in brackets. On one line an
 * expression is written straight into a stream; broken into lines, a part that does not fit in what is left of its line
 * puts every operand on a line of its own.
 * Cost: O(size of the text) on one line, times the depth when broken. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/front/parse.h"

enum { LINE_COLUMNS = 100, MOST_INDENT = 60 };

static void print_line(const bmf_expression *expression, FILE *out);

static void print_operand(const bmf_expression *operand, FILE *out)
{
    fputs(" (", out);
    print_line(operand, out);
    fputc(')', out);
}

static void print_operands(const bmf_expression *expression, FILE *out)
{
    for (int k = 0; k < expression->children; k++)
        print_operand(expression->child[k], out);
}

static void print_constant(const bmf_constant *constant, FILE *out)
{
    char text[32];
    if (constant->kind == BMF_INT)
        fprintf(out, " (B_Int %" PRId64 ")", constant->integer);
    else if (constant->kind == BMF_REAL)
        fprintf(out, " (B_Real %s)", real_print(constant->real, text));
    else
        fputs(constant->integer != 0 ? " (B_True)" : " (B_False)", out);
}

/* f . g . h; a composition that is applied last, or in between, needs brackets. */
static void print_composition(const bmf_expression *comp, FILE *out)
{
    for (int k = 0; k < comp->children; k++) {
        bool brackets = comp->child[k]->kind == BMF_EXPRESSION_COMP && k < comp->children - 1;
        fputs(k > 0 ? " . " : "", out);
        fputs(brackets ? "(" : "", out);
        print_line(comp->child[k], out);
        fputs(brackets ? ")" : "", out);
    }
    if (comp->children == 0)
        fputs("B_Id", out);
}

static void print_all(const bmf_expression *all, FILE *out)
{
    fputs(" [", out);
    for (int k = 0; k < all->children; k++) {
        fputs(k > 0 ? ", " : "", out);
        print_line(all->child[k], out);
    }
    fputc(']', out);
}

static const bmf_expression *stream_part(const bmf_expression *stream, int k)
{
    return k < stream->children ? stream->child[k] : NULL;
}

/* The skeletons a stream stands for, from the one applied last. Each prints the dot behind it. */
static void print_stream(const bmf_expression *stream, FILE *out)
{
    static const char *const head[] = {[BMF_HEAD_LIST] = "B_Id",
                                       [BMF_HEAD_ZIP] = "B_Zip",
                                       [BMF_HEAD_DISTL] = "B_Op (B_Distl)",
                                       [BMF_HEAD_IOTA] = "B_Op (B_Iota)"};
    static const char *const tail[] = {[BMF_TAIL_LIST] = "",
                                       [BMF_TAIL_REDUCE] = "B_Reduce",
                                       [BMF_TAIL_SCAN] = "B_Scan",
                                       [BMF_TAIL_FILTER] = "B_Filter",
                                       [BMF_TAIL_COUNT] = "B_Op (B_Length) . B_Filter"};
    const bmf_expression *element = stream_part(stream, 0);
    bool maps = element && element->kind != BMF_EXPRESSION_ID;
    bool ends = stream->tail != BMF_TAIL_LIST;
    fputs(tail[stream->tail], out);
    for (int k = 1; k < 3 && ends; k++)
        if (stream_part(stream, k))
            print_operand(stream->child[k], out);
    if (maps) {
        fputs(ends ? " . B_Map" : "B_Map", out);
        print_operand(element, out);
    }
    if (stream->head != BMF_HEAD_LIST || (!maps && !ends))
        fprintf(out, "%s%s", maps || ends ? " . " : "", head[stream->head]);
}

/* What the checker and the rewriter made. */
static void print_made(const bmf_expression *made, FILE *out)
{
    char type[200];
    fputc('<', out);
    if (made->kind == BMF_EXPRESSION_STREAM)
        print_stream(made, out);
    else if (made->kind == BMF_EXPRESSION_SCALAR)
        print_line(made->child[0], out);
    else
        fprintf(out, "convert to %s", made->out ? bmf_type_print(made->out, type, sizeof type) : "?");
    fputc('>', out);
}

/* What stands between the keyword and the operands. */
static void print_details(const bmf_expression *expression, FILE *out)
{
    switch (expression->kind) {
    case BMF_EXPRESSION_CON:
        print_constant(&expression->constant, out);
        break;
    case BMF_EXPRESSION_ADDR:
        fprintf(out, " (B_Num %" PRId64 ") (B_Num %" PRId64 ")", expression->number[0], expression->number[1]);
        break;
    case BMF_EXPRESSION_SPLIT:
        fprintf(out, " (B_Num %" PRId64 ")", expression->number[0]);
        if (expression->parallel)
            fprintf(out, " (B_Num %" PRId64 ")", expression->number[1]);
        break;
    default:
        break;
    }
}

static void print_line(const bmf_expression *expression, FILE *out)
{
    const char *keyword = expression_keyword(expression);
    switch (expression->kind) {
    case BMF_EXPRESSION_NAME:
        fprintf(out, "$%s", expression->name);
        break;
    case BMF_EXPRESSION_COMP:
        print_composition(expression, out);
        break;
    case BMF_EXPRESSION_OP:
        fprintf(out, expression->parallel ? "%s" : "B_Op (%s)", keyword);
        break;
    case BMF_EXPRESSION_ALLTUP:
    case BMF_EXPRESSION_ALLVEC:
        fputs(keyword, out);
        print_all(expression, out);
        break;
    case BMF_EXPRESSION_CONVERT:
    case BMF_EXPRESSION_SCALAR:
    case BMF_EXPRESSION_STREAM:
        print_made(expression, out);
        break;
    default:
        fputs(keyword, out);
        print_details(expression, out);
        print_operands(expression, out);
    }
}

static char *one_line(const bmf_expression *expression)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return allocate_clear(1, 1);
    print_line(expression, out);
    fclose(out);
    return text;
}

static void new_line(FILE *out, int indent)
{
    fprintf(out, "\n%*s", indent < MOST_INDENT ? indent : MOST_INDENT, "");
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
    bool all = expression->kind == BMF_EXPRESSION_ALLTUP || expression->kind == BMF_EXPRESSION_ALLVEC;
    fputs(expression_keyword(expression), out);
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
    char *line = one_line(expression);
    if (expression->children == 0 || expression->kind >= BMF_EXPRESSION_CONVERT || (int64_t)strlen(line) <= room)
        fputs(line, out);
    else if (expression->kind == BMF_EXPRESSION_COMP)
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
