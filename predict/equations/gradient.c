/* Times with their intervals.
 *
 * Method: the derivative of a time in every operation of the sheet that it uses, from the end of the list to its
 * beginning (reverse accumulation: each operation gives its operands their share). The derivative in an operation is
 * how many times it counts; the sheet's sums of operations do the rest (sheet.h), where errors of coefficients add up
 * before they are squared and noise adds up in squares. Choices, the least and the most hand on to the one that is
 * taken; ceil, floor and comparisons are flat.
 * Cost: for every phase one pass over the list, and an evaluation of each operation of the sheet.
 * Source: A. Griewank and A. Walther, Evaluating Derivatives, 2008, section 3.2; document 001, 3.2 (errors). */
#include <stdlib.h>
#include <string.h>

#include "predict/equations/operate.h"
#include "predict/sheet/sheet_private.h"
#include "runtime/base/allocate.h"

/* How a sheet's time grows with d: its size term is linear in d. */
static double slope(const bmf_sheet_operation *of, double p, double d)
{
    double at_one[BMF_TERMS], at_none[BMF_TERMS], sum = 0.0;
    const bmf_sheet_entry *entry = entry_choose(of->entry, of->entries, p, d);
    form_basis(entry->form, p, 1.0, at_one);
    form_basis(entry->form, p, 0.0, at_none);
    for (int k = 0; k < BMF_TERMS; k++)
        sum += entry->coefficient[k] * (at_one[k] - at_none[k]);
    return 1e6 * sum;
}

/* The derivatives of an operation in its operands a, b and c. Number of processes that depend on times would be odd:
 * they count as exact. */
static void derivatives(const bmf_equations *e, const bmf_instruction *i, const double *value, double result,
                        double to[3])
{
    const double a = i->operand[0] >= 0 ? value[i->operand[0]] : 0.0,
                 b = i->operand[1] >= 0 ? value[i->operand[1]] : 0.0;
    to[0] = to[1] = to[2] = 0.0;
    switch (i->operation) {
    case BMF_OP_ADD:
        to[0] = to[1] = 1.0;
        break;
    case BMF_OP_SUBTRACT:
        to[0] = 1.0;
        to[1] = -1.0;
        break;
    case BMF_OP_MULTIPLY:
        to[0] = b;
        to[1] = a;
        break;
    case BMF_OP_DIVIDE:
        to[0] = 1.0 / b;
        to[1] = -result / b;
        break;
    case BMF_OP_POWER:
        to[0] = b == 0.0 ? 0.0 : b * pow(a, b - 1.0);
        to[1] = a > 0.0 ? result * log(a) : 0.0;
        break;
    case BMF_OP_NEGATE:
        to[0] = -1.0;
        break;
    case BMF_OP_CHOOSE:
        to[a != 0.0 ? 1 : 2] = 1.0;
        break;
    case BMF_OP_LOG:
        to[0] = 1.0 / a;
        break;
    case BMF_OP_EXP:
        to[0] = result;
        break;
    case BMF_OP_SQRT:
        to[0] = 0.5 / result;
        break;
    case BMF_OP_MIN:
        to[a < b ? 0 : 1] = 1.0;
        break;
    case BMF_OP_MAX:
        to[a > b ? 0 : 1] = 1.0;
        break;
    case BMF_OP_SHEET:
        to[1] = slope(&e->operation[i->number], a, b);
        break;
    default:
        break;
    }
}

/* share[k]: the derivative of instruction root in instruction k. */
static void accumulate(const bmf_equations *e, int32_t root, const double *value, double *share)
{
    double to[3];
    memset(share, 0, (size_t)e->instructions * sizeof *share);
    share[root] = 1.0;
    for (int32_t k = root; k >= 0; k--) {
        const bmf_instruction *i = &e->instruction[k];
        if (share[k] == 0.0)
            continue;
        derivatives(e, i, value, value[k], to);
        for (int j = 0; j < 3; j++)
            if (i->operand[j] >= 0 && to[j] != 0.0)
                share[i->operand[j]] += share[k] * to[j];
    }
}

/* The operations of the sheet, each as many times as it counts. */
static int add_operations(const bmf_equations *e, const double *value, const double *share, bmf_cost *cost)
{
    for (int32_t k = 0; k < e->instructions; k++) {
        const bmf_instruction *i = &e->instruction[k];
        if (i->operation == BMF_OP_SHEET && share[k] != 0.0)
            BMF_TRY(cost_add(cost, e->operation[i->number].name, value[i->operand[0]], value[i->operand[1]], share[k]));
    }
    return BMF_OK;
}

/* Times of the sheet are seconds, those of equations microseconds. */
static void take_interval(const bmf_estimate *from, bmf_equation_time *to)
{
    to->low = 1e6 * from->low;
    to->high = 1e6 * from->high;
    to->coefficient_variance = 1e12 * from->coefficient_variance;
    to->noise_variance = 1e12 * from->noise_variance;
    to->has_errors = from->has_errors;
    to->inside = from->inside;
    memcpy(to->outside, from->outside, sizeof to->outside);
}

static int estimate_root(const bmf_equations *e, int32_t root, const double *value, double *share,
                         bmf_equation_time *to)
{
    bmf_estimate sum;
    *to = (bmf_equation_time){.time = value[root], .low = value[root], .high = value[root], .inside = true};
    if (!e->sheet)
        return BMF_OK;
    accumulate(e, root, value, share);
    bmf_cost *cost = cost_new(e->sheet);
    const int status = add_operations(e, value, share, cost);
    if (status == BMF_OK) {
        cost_sum(cost, &sum);
        estimate_move(&sum, 1e-6 * value[root]);
        take_interval(&sum, to);
    }
    cost_free(cost);
    return status;
}

int equations_estimate(const bmf_equations *e, double p, double d, double c, bmf_equation_time *estimate)
{
    double *value = allocate_array(e->instructions, (int64_t)sizeof *value);
    double *share = allocate_array(e->instructions, (int64_t)sizeof *share);
    int status = equations_values(e, p, d, c, value);
    for (int32_t k = 0; k <= e->phases && status == BMF_OK; k++)
        status = estimate_root(e, e->root[k], value, share, &estimate[k]);
    free(value);
    free(share);
    return status;
}
