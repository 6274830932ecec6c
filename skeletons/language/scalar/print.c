/* Compiled code in words, for `bmf plan`:
 *
 *     {real, int} -> real, 512 elements at a time, 2 registers
 *         v2 = int to real(in1)
 *         out0 = a * b + c(in0, in0, v2)
 *
 * Values are numbered in the order in which they are computed. Code of branches and loops is indented. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/scalar/code.h"

typedef struct printing {
    const bmf_scalar *scalar;
    FILE *stream;
} printing;

static void print_constant(FILE *stream, const bmf_scalar_value *value)
{
    int64_t integer;
    double real;
    char text[32];
    memcpy(&integer, &value->bits, sizeof integer);
    memcpy(&real, &value->bits, sizeof real);
    if (value->kind == BMF_REAL)
        fputs(real_print(real, text), stream);
    else if (value->kind == BMF_INT)
        fprintf(stream, "%lld", (long long)integer);
    else
        fputs(value->bits ? "true" : "false", stream);
}

static void print_value(const printing *p, int v)
{
    const bmf_scalar_value *value = &p->scalar->value[v];
    if (value->origin == BMF_SCALAR_CONSTANT)
        print_constant(p->stream, value);
    else if (value->origin == BMF_SCALAR_CAPTURE)
        print_value(p, value->number);
    else
        fprintf(p->stream, "%s%d", value->origin == BMF_SCALAR_INPUT ? "in" : "v", v);
}

static void print_indent(const printing *p, int indent)
{
    fprintf(p->stream, "%*s", indent, "");
}

/* "v5, v6 = ": one definition for each result. */
static void print_assignment(const printing *p, int indent, int to, int from)
{
    print_indent(p, indent);
    print_value(p, to);
    fputs(" = ", p->stream);
    print_value(p, from);
    fputc('\n', p->stream);
}

static void print_code(const printing *p, int region, int from, int to, int indent);

static void print_choice(const printing *p, const bmf_scalar_choice *choice, int indent)
{
    for (int b = 1; b >= 0; b--) {
        print_indent(p, indent);
        if (b == 1) {
            fputs("if ", p->stream);
            print_value(p, choice->mask);
            fputc('\n', p->stream);
        } else {
            fputs("otherwise\n", p->stream);
        }
        print_code(p, choice->branch[b], 0, p->scalar->region[choice->branch[b]].codes, indent + 4);
        for (int k = 0; k < choice->results; k++)
            print_assignment(p, indent + 4, choice->result[k], choice->value[b][k]);
    }
}

static void print_loop(const printing *p, const bmf_scalar_loop *loop, int indent)
{
    for (int k = 0; k < loop->states; k++)
        print_assignment(p, indent, loop->state[k], loop->initial[k]);
    print_indent(p, indent);
    fputs("loop\n", p->stream);
    print_code(p, loop->region, 0, loop->test, indent + 4);
    print_indent(p, indent + 4);
    fputs("leave unless ", p->stream);
    print_value(p, loop->predicate);
    for (int k = 0, any = 0; k < loop->states; k++) {
        if (loop->result[k] < 0)
            continue;
        fputs(any++ ? ", " : ": ", p->stream);
        print_value(p, loop->result[k]);
        fputs(" = ", p->stream);
        print_value(p, loop->state[k]);
    }
    fputc('\n', p->stream);
    print_code(p, loop->region, loop->test, p->scalar->region[loop->region].codes, indent + 4);
    for (int k = 0; k < loop->states; k++)
        if (loop->next[k] != loop->state[k])
            print_assignment(p, indent + 4, loop->state[k], loop->next[k]);
}

static void print_instruction(const printing *p, const bmf_scalar_instruction *i, int indent)
{
    const bmf_scalar_operation *operation = &scalar_operations[i->opcode];
    print_indent(p, indent);
    print_value(p, i->value);
    fprintf(p->stream, " = %s(", operation->name);
    for (int k = 0; k < operation->operands; k++) {
        fputs(k ? ", " : "", p->stream);
        print_value(p, i->operand[k]);
    }
    fputc(')', p->stream);
    if (i->guard >= 0) {
        fputs(", may fail where ", p->stream);
        print_value(p, i->guard);
    } else if (operation->fails) {
        fputs(", may fail", p->stream);
    }
    fputc('\n', p->stream);
}

static void print_code(const printing *p, int region, int from, int to, int indent)
{
    const bmf_scalar *s = p->scalar;
    for (int k = from; k < to; k++) {
        const bmf_scalar_instruction *i = &s->instruction[s->region[region].code[k]];
        if (i->opcode == BMF_SCALAR_CHOICE)
            print_choice(p, &s->choice[i->part], indent);
        else if (i->opcode == BMF_SCALAR_LOOP)
            print_loop(p, &s->loop[i->part], indent);
        else
            print_instruction(p, i, indent);
    }
}

char *scalar_print(const bmf_scalar *scalar)
{
    char *text = NULL, in[256], out[256];
    size_t size = 0;
    const printing p = {scalar, open_memstream(&text, &size)};
    if (!p.stream)
        return strcpy(allocate(1), "");
    fprintf(p.stream, "%s -> %s, %d elements at a time, %d registers\n",
            bmf_type_print(scalar->expression->in, in, sizeof in),
            bmf_type_print(scalar->expression->out, out, sizeof out), scalar->block, scalar->words + scalar->bytes);
    print_code(&p, 0, 0, scalar->region[0].codes, 4);
    fputs("    result", p.stream);
    for (int k = 0; k < scalar->outputs; k++) {
        fputs(k ? ", " : " ", p.stream);
        print_value(&p, scalar->output[k]);
    }
    fputc('\n', p.stream);
    fclose(p.stream);
    return text;
}
