/* Values of the expressions of rules at one point.
 *
 * Method: the tree is walked; of a choice only the side that is taken, so that the other may divide by zero. Arguments
 * are d, p, r, k, j and i. Cost: O(nodes). */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "predict/equations/operate.h"

int64_t equations_rules(const bmf_equations *e, const bmf_rule **rule, const char **program, const char **size)
{
    *rule = e->rule;
    *program = e->program ? e->program : "";
    *size = e->size ? e->size : "";
    return e->rules;
}

int rule_fail(const bmf_equations *e, const bmf_rule *rule, int status, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return equation_fail(e, (bmf_span){e->main_text, rule->place, rule->place}, status, "%s", text);
}

/* Functions that call functions twice, that call functions twice, ..: an end to that. */
enum { MAX_NODES = 1 << 20 };

typedef struct evaluation {
    const bmf_equations *equations;
    int64_t nodes; /* so far */
} evaluation;

static double value_of(evaluation *of, int64_t number, const double *argument);

/* A name: an argument, or a definition with its arguments. What messages cost is not known here. */
static double named_value(evaluation *of, const bmf_equation_node *node, const double *argument)
{
    const bmf_equations *e = of->equations;
    double inside[BMF_EQUATION_ARGUMENTS];
    if (node->target == BMF_TARGET_ARGUMENT)
        return argument[node->number];
    if (node->target != BMF_TARGET_DEFINITION)
        return NAN;
    int k = 0;
    for (int64_t child = node->first; child >= 0 && k < BMF_EQUATION_ARGUMENTS; child = e->node[child].next)
        inside[k++] = value_of(of, child, argument);
    return value_of(of, e->definition[node->number].body, inside);
}

static double value_of(evaluation *of, int64_t number, const double *argument)
{
    const bmf_equations *e = of->equations;
    const bmf_equation_node *node = &e->node[number];
    double operand[3] = {0.0, 0.0, 0.0};
    if (node->operation == BMF_OP_CONSTANT)
        return node->value;
    if (++of->nodes > MAX_NODES)
        return NAN;
    if (node->operation == BMF_OP_NAME)
        return named_value(of, node, argument);
    const int64_t first = node->first, second = e->node[first].next;
    operand[0] = value_of(of, first, argument);
    if (node->operation == BMF_OP_CHOOSE)
        return value_of(of, operand[0] != 0.0 ? second : e->node[second].next, argument);
    if (node->operation == BMF_OP_ROWS) {
        const double rows = operand[0] / value_of(of, second, argument);
        return e->settings.whole_rows ? ceil(rows) : rows;
    }
    for (int64_t child = second; child >= 0; child = e->node[child].next) {
        operand[1] = value_of(of, child, argument);
        operand[0] = operate(node->operation, operand[0], operand[1], 0.0);
    }
    return second >= 0 ? operand[0] : operate(node->operation, operand[0], 0.0, 0.0);
}

int rule_value(const bmf_equations *e, int32_t expression, const bmf_rule_point *at, double *value)
{
    const double argument[] = {at->d, at->p, at->r, at->turn[0], at->turn[1], at->turn[2]};
    const bmf_definition *of = &e->definition[expression];
    evaluation run = {.equations = e};
    *value = value_of(&run, of->body, argument);
    if (fabs(*value) <= DBL_MAX)
        return BMF_OK;
    return equation_fail(e, of->span, BMF_ERROR_ARGUMENT, "not a number for d = %.15g, p = %.15g, r = %.15g, k = %.15g",
                         at->d, at->p, at->r, at->turn[0]);
}

int rule_whole(const bmf_equations *e, const bmf_rule *rule, int32_t expression, const bmf_rule_point *at, int64_t low,
               int64_t high, const char *what, int64_t *value)
{
    double real;
    if (expression < 0)
        return rule_fail(e, rule, BMF_ERROR_FILE, "%s is not said", what);
    BMF_TRY(rule_value(e, expression, at, &real));
    const double whole = nearbyint(real);
    if (fabs(real - whole) > 1e-6 * fmax(1.0, fabs(real)) || whole < (double)low || whole > (double)high)
        return equation_fail(e, e->definition[expression].span, BMF_ERROR_ARGUMENT,
                             "%s is %.15g for d = %.15g, p = %.15g, r = %.15g, k = %.15g; it has to be a whole number "
                             "from %" PRId64 " to %" PRId64,
                             what, real, at->d, at->p, at->r, at->turn[0], low, high);
    *value = (int64_t)whole;
    return BMF_OK;
}
