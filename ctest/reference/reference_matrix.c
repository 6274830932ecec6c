/* Matrices in the naive evaluator: element by element, sums level by level of the fixed tree. */
#include "ctest/reference/reference_matrix.h"

static int64_t columns_of(value rows)
{
    return rows->count > 0 ? rows->item[0]->count : 0;
}

static bool are_equal(value rows)
{
    for (int64_t i = 0; i < rows->count; i++)
        if (rows->item[i]->count != columns_of(rows))
            return false;
    return true;
}

value naive_transpose(reference_machine *m, value rows)
{
    if (!are_equal(rows))
        return naive_fail(m, "rows of unequal lengths");
    reference_value *made = naive_box(m, BMF_LIST, columns_of(rows));
    for (int64_t j = 0; made && j < made->count; j++) {
        reference_value *column = naive_box(m, BMF_LIST, rows->count);
        for (int64_t i = 0; column && i < rows->count; i++)
            column->item[i] = rows->item[i]->item[j];
        if (!column)
            return NULL;
        made->item[j] = column;
    }
    return made;
}

value naive_slice(reference_machine *m, value list, int64_t from, int64_t to)
{
    if (from < 0 || to < from || to > list->count)
        return naive_fail(m, "slice");
    reference_value *made = naive_box(m, BMF_LIST, to - from);
    for (int64_t i = from; made && i < to; i++)
        made->item[i - from] = list->item[i];
    return made;
}

static value calculate(reference_machine *m, bmf_operation operation, value a, value b)
{
    if (!a || !b)
        return NULL;
    return a->kind == BMF_INT ? naive_int_arithmetic(m, operation, a->integer, b->integer)
                              : naive_real_arithmetic(m, operation, a->real, b->real);
}

/* Complete nodes of ever more elements: of 6, three of 2, then one of 4, and the last of 2 waits. */
static value inner_product(reference_machine *m, value row, value b, int64_t j, value zero)
{
    value *node = naive_claim(m, (row->count + 1) * (int64_t)sizeof *node), waiting[64], sum = NULL;
    int waits = 0;
    if (!node)
        return NULL;
    for (int64_t k = 0; k < row->count; k++)
        if ((node[k] = calculate(m, BMF_OPERATION_TIMES, row->item[k], b->item[k]->item[j])) == NULL)
            return NULL;
    for (int64_t count = row->count; count > 0; count /= 2) {
        if (count % 2 > 0)
            waiting[waits++] = node[count - 1];
        for (int64_t k = 0; k < count / 2; k++)
            if ((node[k] = calculate(m, BMF_OPERATION_PLUS, node[2 * k], node[2 * k + 1])) == NULL)
                return NULL;
    }
    while (waits-- > 0)
        if ((sum = sum ? calculate(m, BMF_OPERATION_PLUS, sum, waiting[waits]) : waiting[waits]) == NULL)
            return NULL;
    return sum ? calculate(m, BMF_OPERATION_PLUS, zero, sum) : zero;
}

value naive_matmul(reference_machine *m, value a, value b)
{
    if (!are_equal(a) || !are_equal(b) || (a->count > 0 && columns_of(a) != b->count))
        return naive_fail(m, "shapes");
    reference_value *made = naive_box(m, BMF_LIST, a->count);
    for (int64_t i = 0; made && i < a->count; i++) {
        reference_value *row = naive_box(m, BMF_LIST, columns_of(b));
        for (int64_t j = 0; row && j < row->count; j++) {
            value zero = b->item[0]->item[j]->kind == BMF_INT ? naive_box_int(m, 0) : naive_box_real(m, 0.0);
            if (!zero || (row->item[j] = inner_product(m, a->item[i], b, j, zero)) == NULL)
                return NULL;
        }
        if (!row)
            return NULL;
        made->item[i] = row;
    }
    return made;
}
