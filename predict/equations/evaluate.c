/* Values of equations at many points.
 *
 * Method: blocks of points go through the list of operations, one operation for a whole block at a time, in loops that
 * compilers turn into vector instructions. Operations that are not chosen are computed as well: their division by zero
 * does no harm. Only where something is not finite, or a phase is negative, the operations that the phases need at that
 * point are looked at one by one, to name the first one that failed.
 * Cost: about a nanosecond for an operation and point; logarithms take 5, an operation of a sheet 20 to 40. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "predict/equations/operate.h"
#include "predict/sheet/sheet_private.h"
#include "runtime/base/allocate.h"

enum { BLOCK = 128, POINT_TEXT = 120 };

/* ---- one operation for a block ---- */

typedef double lanes[BLOCK];

static bool is_odd(int64_t n, const double *value)
{
    int odd = 0;
    for (int64_t k = 0; k < n; k++)
        odd |= !(fabs(value[k]) <= DBL_MAX);
    return odd;
}

/* Of what only needs numbers. */
static void run_numbers(bmf_operation_code operation, int64_t n, const double *restrict x, const double *restrict y,
                        const double *restrict z, double *restrict to)
{
    switch (operation) {
#define BMF_RUN(operation, value)                                                                                      \
    case operation:                                                                                                    \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            const double a = x[k], b = y[k], c = z[k];                                                                 \
            (void)a, (void)b, (void)c;                                                                                 \
            to[k] = value;                                                                                             \
        }                                                                                                              \
        break;
        BMF_NUMBER_OPERATIONS(BMF_RUN)
#undef BMF_RUN
    default:
        break;
    }
}

/* Microseconds; not a number where the sheet cannot be asked. */
static double sheet_time(const bmf_sheet_operation *of, double p, double d)
{
    double basis[BMF_TERMS], sum = 0.0;
    if (!(p >= 1.0 && d >= 0.0 && isfinite(p) && isfinite(d)))
        return NAN;
    const bmf_sheet_entry *entry = entry_choose(of->entry, of->entries, p, d);
    form_basis(entry->form, p, d, basis);
    for (int k = 0; k < BMF_TERMS; k++)
        sum += entry->coefficient[k] * basis[k];
    return 1e6 * sum;
}

static void run_one(const bmf_equations *e, const bmf_instruction *i, int64_t n, const double *const point[3],
                    lanes *value, double *to)
{
    static const lanes unused;
    const double *operand[3];
    for (int k = 0; k < 3; k++)
        operand[k] = i->operand[k] >= 0 ? value[i->operand[k]] : unused;
    switch (i->operation) {
    case BMF_OP_CONSTANT:
        for (int64_t k = 0; k < n; k++)
            to[k] = i->value;
        break;
    case BMF_OP_P:
    case BMF_OP_D:
    case BMF_OP_C:
        for (int64_t k = 0; k < n; k++)
            to[k] = point[i->operation - BMF_OP_P][k];
        break;
    case BMF_OP_SHEET:
        for (int64_t k = 0; k < n; k++)
            to[k] = sheet_time(&e->operation[i->number], operand[0][k], operand[1][k]);
        break;
    default:
        run_numbers(i->operation, n, operand[0], operand[1], operand[2], to);
        break;
    }
}

/* All operations for n <= BLOCK points. Returns whether all values are finite. */
static bool run_block(const bmf_equations *e, int64_t n, const double *const point[3], lanes *value)
{
    bool odd = false;
    for (int32_t k = 0; k < e->instructions; k++) {
        run_one(e, &e->instruction[k], n, point, value, value[k]);
        odd = odd || is_odd(n, value[k]);
    }
    return !odd;
}

/* ---- mistakes ---- */

static const char *point_text(double p, double d, double c, char text[POINT_TEXT])
{
    snprintf(text, POINT_TEXT, "p = %.6g, d = %.6g, c = %.6g us", p, d, c);
    return text;
}

/* Marks the operations that the phases need, with those that are chosen. */
static void find_needed(const bmf_equations *e, const double *value, char *needed)
{
    for (int32_t k = 0; k <= e->phases; k++)
        needed[e->root[k]] = 1;
    for (int32_t k = e->instructions - 1; k >= 0; k--) {
        const bmf_instruction *i = &e->instruction[k];
        if (!needed[k])
            continue;
        for (int j = 0; j < 3; j++) {
            const bool other = i->operation == BMF_OP_CHOOSE && j == (value[i->operand[0]] != 0.0 ? 2 : 1);
            if (i->operand[j] >= 0 && !other)
                needed[i->operand[j]] = 1;
        }
    }
}

static int fail_operation(const bmf_equations *e, const bmf_instruction *i, const double *value, const char *point)
{
    const double a = i->operand[0] >= 0 ? value[i->operand[0]] : 0.0,
                 b = i->operand[1] >= 0 ? value[i->operand[1]] : 0.0;
    if (i->operation == BMF_OP_DIVIDE && b == 0.0)
        return equation_fail(e, i->span, BMF_ERROR_ARGUMENT, "division by zero at %s", point);
    if (i->operation == BMF_OP_LOG)
        return equation_fail(e, i->span, BMF_ERROR_ARGUMENT, "the logarithm of %.6g at %s", a, point);
    if (i->operation == BMF_OP_SQRT)
        return equation_fail(e, i->span, BMF_ERROR_ARGUMENT, "the square root of %.6g at %s", a, point);
    if (i->operation == BMF_OP_SHEET)
        return equation_fail(e, i->span, BMF_ERROR_ARGUMENT,
                             "the sheet has no %s of p = %.6g and d = %.6g, wanted at %s", e->operation[i->number].name,
                             a, b, point);
    return equation_fail(e, i->span, BMF_ERROR_ARGUMENT, "not a finite number at %s", point);
}

/* The first mistake at a point whose values are known; BMF_OK if nothing that is needed went wrong. */
static int check_values(const bmf_equations *e, double p, double d, double c, const double *value)
{
    char point[POINT_TEXT];
    int status = BMF_OK;
    char *needed = allocate_clear(e->instructions, 1);
    find_needed(e, value, needed);
    point_text(p, d, c, point);
    for (int32_t k = 0; k < e->instructions && status == BMF_OK; k++)
        if (needed[k] && !isfinite(value[k]))
            status = fail_operation(e, &e->instruction[k], value, point);
    for (int32_t k = 0; k < e->phases && status == BMF_OK; k++)
        if (value[e->root[k]] < 0.0)
            status = equation_fail(e, e->definition[e->phase[k]].span, BMF_ERROR_ARGUMENT,
                                   "%s takes a negative time, %.6g us, at %s", equations_phase(e, k), value[e->root[k]],
                                   point);
    free(needed);
    return status;
}

static int check_point(double p, double d, double c)
{
    char point[POINT_TEXT];
    if (p >= 1.0 && d >= 0.0 && c >= 0.0 && isfinite(p) && isfinite(d) && isfinite(c))
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "p must be at least 1, d and c at least 0, not %s",
                    point_text(p, d, c, point));
}

/* ---- many points ---- */

static bool is_any_negative(const bmf_equations *e, int64_t n, lanes *value)
{
    bool negative = false;
    for (int32_t k = 0; k < e->phases; k++)
        for (int64_t i = 0; i < n; i++)
            negative |= value[e->root[k]][i] < 0.0;
    return negative;
}

/* Looks at every point of a block in which something is odd. */
static int check_block(const bmf_equations *e, int64_t n, const double *const point[3], lanes *value)
{
    int status = BMF_OK;
    double *one = allocate_array(e->instructions, (int64_t)sizeof *one);
    for (int64_t i = 0; i < n && status == BMF_OK; i++) {
        for (int32_t k = 0; k < e->instructions; k++)
            one[k] = value[k][i];
        status = check_values(e, point[0][i], point[1][i], point[2][i], one);
    }
    free(one);
    return status;
}

static int time_block(const bmf_equations *e, int64_t n, const double *const point[3], lanes *value)
{
    for (int64_t i = 0; i < n; i++)
        BMF_TRY(check_point(point[0][i], point[1][i], point[2][i]));
    const bool finite = run_block(e, n, point, value);
    return finite && !is_any_negative(e, n, value) ? BMF_OK : check_block(e, n, point, value);
}

int equations_times(const bmf_equations *e, int64_t n, const double *p, const double *d, const double *c, double *time)
{
    int status = BMF_OK;
    lanes *value = allocate_array(e->instructions, (int64_t)sizeof *value);
    for (int64_t first = 0; first < n && status == BMF_OK; first += BLOCK) {
        const int64_t count = n - first < BLOCK ? n - first : BLOCK;
        const double *const point[3] = {p + first, d + first, c + first};
        status = time_block(e, count, point, value);
        for (int32_t k = 0; k <= e->phases && status == BMF_OK; k++)
            memcpy(time + k * n + first, value[e->root[k]], (size_t)count * sizeof *time);
    }
    free(value);
    return status;
}

int equations_values(const bmf_equations *e, double p, double d, double c, double *value)
{
    const double *const point[3] = {&p, &d, &c};
    lanes *block = allocate_array(e->instructions, (int64_t)sizeof *block);
    const int status = time_block(e, 1, point, block);
    for (int32_t k = 0; k < e->instructions && status == BMF_OK; k++)
        value[k] = block[k][0];
    free(block);
    return status;
}
