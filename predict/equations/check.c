/* What is odd about equations that can be read, and what is in them.
 *
 * Units: c, numbers with a unit and what t<op> say are times. Other numbers may be times as well (microseconds), so
 * only what is surely wrong is told: times that are multiplied with each other, logarithms of times, a phase that is a
 * square of times. Method: every operation of the list has a power of time, or none that is known.
 * Cost: O(list). */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "predict/equations/operate.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

/* time^power; a plain number may be a time or not. */
typedef struct unit {
    bool plain;
    double power;
} unit;

typedef struct checker {
    const bmf_equations *equations;
    bmf_equation_remark *remark;
    int64_t remarks, remark_capacity;
} checker;

static void remark(checker *c, bool is_unit, bmf_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void remark(checker *c, bool is_unit, bmf_span span, const char *format, ...)
{
    char place[300], text[200];
    va_list arguments;
    bmf_equation_remark *made = ARRAY_APPEND(c->remark, c->remarks, c->remark_capacity);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    made->is_unit = is_unit;
    snprintf(made->text, sizeof made->text, "%s: %s", equation_place(c->equations, span, place, sizeof place), text);
}

/* ---- units ---- */

static const char *unit_text(unit of, char text[40])
{
    if (of.plain || of.power == 0.0)
        return "a number";
    if (of.power == 1.0)
        return "a time";
    snprintf(text, 40, "a time to the power %.4g", of.power);
    return text;
}

/* Plain numbers are what they have to be beside a number or a time. */
static bool agree(unit a, unit b)
{
    if (a.plain || b.plain) {
        const unit other = a.plain ? b : a;
        return other.plain || other.power == 0.0 || other.power == 1.0;
    }
    return a.power == b.power;
}

static unit joined(checker *c, const bmf_instruction *i, unit a, unit b, const char *what)
{
    char first[40], second[40];
    if (!agree(a, b))
        remark(c, true, i->span, "%s %s and %s", what, unit_text(a, first), unit_text(b, second));
    return a.plain ? b : a;
}

static unit need_number(checker *c, const bmf_instruction *i, unit a, const char *what)
{
    char text[40];
    if (!a.plain && a.power != 0.0)
        remark(c, true, i->span, "%s %s", what, unit_text(a, text));
    return (unit){.plain = true};
}

static unit power_of(checker *c, const bmf_instruction *i, unit base, unit exponent)
{
    const bmf_instruction *number = &c->equations->instruction[i->operand[1]];
    need_number(c, i, exponent, "an exponent is");
    if (base.plain || base.power == 0.0)
        return base;
    if (number->operation != BMF_OP_CONSTANT)
        return need_number(c, i, base, "a power that varies, of");
    return (unit){.power = base.power * number->value};
}

static unit unit_of(checker *c, const bmf_instruction *i, const unit *known)
{
    const unit none = {.plain = true}, a = i->operand[0] >= 0 ? known[i->operand[0]] : none,
               b = i->operand[1] >= 0 ? known[i->operand[1]] : none,
               z = i->operand[2] >= 0 ? known[i->operand[2]] : none;
    switch (i->operation) {
    case BMF_OP_ADD:
    case BMF_OP_SUBTRACT:
        return joined(c, i, a, b, "a sum of");
    case BMF_OP_MIN:
    case BMF_OP_MAX:
        return joined(c, i, a, b, "the least or most of");
    case BMF_OP_CHOOSE:
        return joined(c, i, b, z, "a choice between");
    case BMF_OP_LESS:
    case BMF_OP_LESS_EQUAL:
    case BMF_OP_EQUAL:
    case BMF_OP_NOT_EQUAL:
        joined(c, i, a, b, "a comparison of");
        return none;
    case BMF_OP_MULTIPLY:
        return (unit){a.plain && b.plain, a.power + b.power};
    case BMF_OP_DIVIDE:
        return (unit){a.plain && b.plain, a.power - b.power};
    case BMF_OP_POWER:
        return power_of(c, i, a, b);
    case BMF_OP_LOG:
        return need_number(c, i, a, "the logarithm of");
    case BMF_OP_EXP:
        return need_number(c, i, a, "the exponential of");
    case BMF_OP_SQRT:
        return (unit){a.plain, a.power / 2.0};
    case BMF_OP_NEGATE:
    case BMF_OP_CEIL:
    case BMF_OP_FLOOR:
        return a;
    case BMF_OP_C:
        return (unit){.power = 1.0};
    default:
        return none;
    }
}

static void check_units(checker *c)
{
    const bmf_equations *e = c->equations;
    char text[40];
    int32_t end = 0; /* behind the last operation of a phase; the sum of all phases says nothing new */
    unit *known = allocate_array(e->instructions, (int64_t)sizeof *known);
    for (int32_t k = 0; k < e->phases; k++)
        end = e->root[k] >= end ? e->root[k] + 1 : end;
    for (int32_t k = 0; k < end; k++) {
        known[k] = unit_of(c, &e->instruction[k], known);
        if (e->instruction[k].is_time)
            known[k] = (unit){.power = 1.0};
    }
    for (int32_t k = 0; k < e->phases; k++) {
        const unit of = known[e->root[k]];
        if (!of.plain && of.power != 1.0)
            remark(c, true, e->definition[e->phase[k]].span, "%s is %s and no time", equations_phase(e, k),
                   unit_text(of, text));
    }
    free(known);
}

/* ---- what p changes, what is used ---- */

/* The choice of nothing for one process, which compile.c makes, does not count. */
static bool is_guard(const bmf_equations *e, const bmf_instruction *i)
{
    const bmf_instruction *condition = &e->instruction[i->operand[0]], *nothing = &e->instruction[i->operand[1]];
    return condition->operation == BMF_OP_LESS_EQUAL && nothing->operation == BMF_OP_CONSTANT &&
           nothing->value == 0.0 && e->instruction[condition->operand[1]].operation == BMF_OP_CONSTANT &&
           e->instruction[condition->operand[1]].value == 1.0;
}

static void check_dependence(checker *c)
{
    const bmf_equations *e = c->equations;
    char *varies = allocate_clear(e->instructions, 1);
    for (int32_t k = 0; k < e->instructions; k++) {
        const bmf_instruction *i = &e->instruction[k];
        varies[k] = i->operation == BMF_OP_P;
        for (int j = i->operation == BMF_OP_CHOOSE && is_guard(e, i) ? 1 : 0; j < 3; j++)
            if (i->operand[j] >= 0 && varies[i->operand[j]])
                varies[k] = 1;
    }
    for (int32_t k = 0; k < e->phases; k++)
        if (!varies[e->root[k]])
            remark(c, false, e->definition[e->phase[k]].span, "no p changes phase %s", equations_phase(e, k));
    free(varies);
}

static const char *kind_text(bmf_definition_kind kind)
{
    return kind == BMF_DEFINED_PARAMETER ? "parameter" : kind == BMF_DEFINED_PHASE ? "phase" : "function";
}

static void check_use(checker *c)
{
    const bmf_equations *e = c->equations;
    for (int32_t k = 0; k < e->definitions && e->phases > 0; k++) {
        const bmf_definition *of = &e->definition[k];
        if (!of->hidden && !of->used && of->depth == 0)
            remark(c, false, of->span, "no phase uses %s %s", kind_text(of->kind), e->name[of->name]);
    }
}

int64_t equations_check(const bmf_equations *equations, bmf_equation_remark **made)
{
    checker c = {.equations = equations};
    check_units(&c);
    check_dependence(&c);
    check_use(&c);
    *made = c.remark;
    return c.remarks;
}

/* ---- what is in a file ---- */

/* Definitions of a kind that a reader of the file wants to know: those of the file, and others that are used. */
static void describe_kind(const bmf_equations *e, FILE *stream, bmf_definition_kind kind, const char *title)
{
    bool first = true;
    for (int32_t k = 0; k < e->definitions; k++) {
        const bmf_definition *of = &e->definition[k];
        const bmf_equation_node *body = &e->node[of->body];
        if (of->hidden || of->kind != kind || (of->depth > 0 && !of->used))
            continue;
        fprintf(stream, "%s%s", first ? title : ", ", e->name[of->name]);
        for (int j = 0; j < of->arguments; j++)
            fprintf(stream, "%s%s", j == 0 ? "(" : ",", e->name[of->argument[j]]);
        fputs(of->arguments > 0 ? ")" : "", stream);
        if (kind == BMF_DEFINED_PARAMETER && body->operation == BMF_OP_CONSTANT)
            fprintf(stream, " = %.6g%s", body->value, body->is_time ? " us" : "");
        first = false;
    }
    fputs(first ? "" : "\n", stream);
}

void equations_describe(const bmf_equations *e, FILE *stream)
{
    describe_kind(e, stream, BMF_DEFINED_PHASE, "phases: ");
    if (e->phases == 1 && e->definition[e->phase[0]].kind == BMF_DEFINED_FUNCTION)
        fprintf(stream, "phases: none; the total is %s\n", equations_phase(e, 0));
    describe_kind(e, stream, BMF_DEFINED_PARAMETER, "parameters: ");
    describe_kind(e, stream, BMF_DEFINED_FUNCTION, "functions: ");
    for (int32_t k = 0; k < e->operations; k++)
        fprintf(stream, "%s%s", k == 0 ? "of the sheet: " : ", ", e->operation[k].name);
    fputs(e->operations > 0 ? "\n" : "", stream);
}
