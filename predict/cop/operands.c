/* Operands of loads. Method: the first node that makes a load leaves its operands for the others. Cost: a copy and a
 * comparison a load. Source: document 004, 2.4: the same on all nodes, unless distributed or dynamic. */
#include "predict/cop/operands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

static bool is_permutation(const bmf_cop_operator *op)
{
    return op->kind == BMF_COP_PERMUTE && op->instance[0].operand[0].runtime;
}

void cop_loads_create(bmf_cop_loads *loads, const bmf_cop_operator *op)
{
    *loads = (bmf_cop_loads){.op = op, .size = BMF_COP_OPERANDS};
    for (int64_t i = 0; i < op->instances && is_permutation(op); i++)
        if (op->instance[i].nodes > loads->size)
            loads->size = op->instance[i].nodes;
    loads->loads = allocate_clear(op->instances, sizeof *loads->loads);
    loads->operand = allocate_clear(op->instances, (int64_t)sizeof *loads->operand);
}

void cop_loads_free(bmf_cop_loads *loads)
{
    for (int64_t i = 0; loads->operand && i < loads->op->instances; i++)
        free(loads->operand[i]);
    free(loads->operand);
    free(loads->loads);
}

static const char *check_value(const bmf_cop_operator *op, const bmf_cop_instance *instance, int k, int number,
                               int32_t given, char *text, size_t size)
{
    const bmf_cop_operand *operand = &instance->operand[k];
    const bool is_distance = op->kind == BMF_COP_CSHIFT || op->kind == BMF_COP_EOSHIFT;
    if (!is_distance && (given < 0 || given >= instance->nodes)) {
        snprintf(text, size, "operand %d is %d, outside the subset of %" PRId64 " nodes", number, given,
                 instance->nodes);
        return text;
    }
    bool possible = operand->count == 0;
    for (int64_t v = 0; v < operand->count; v++)
        possible |= operand->values[v] == given;
    if (possible)
        return NULL;
    snprintf(text, size, "operand %d is %d, which is not among its :values", number, given);
    return text;
}

static const char *check_permutation(const bmf_cop_instance *instance, int count, const int32_t *target, char *text,
                                     size_t size)
{
    bool *taken = allocate_clear(instance->nodes, sizeof *taken);
    const char *wrong = NULL;
    if (count != instance->nodes) {
        snprintf(text, size, "a permutation of %d nodes for a subset of %" PRId64, count, instance->nodes);
        wrong = text;
    }
    for (int k = 0; k < count && !wrong; k++) {
        const int32_t to = target[k];
        if (to < 0 || to >= instance->nodes || taken[to]) {
            snprintf(text, size, "target %d of the permutation is %d, which is no other node of the subset", k, to);
            wrong = text;
        } else {
            taken[to] = true;
        }
    }
    free(taken);
    return wrong;
}

static const char *compare(bmf_cop_loads *loads, int64_t i, int64_t load, const int32_t *given, char *text, size_t size)
{
    const int64_t all = loads->size;
    if (load == loads->loads[i]) {
        loads->operand[i] =
            reallocate_array(loads->operand[i], load * all, (load + 1) * all, (int64_t)sizeof *loads->operand[i]);
        memcpy(loads->operand[i] + load * all, given, (size_t)all * sizeof *given);
        loads->loads[i]++;
    }
    for (int64_t k = 0; k < all; k++) {
        const bmf_cop_operand *operand = &loads->op->instance[i].operand[k < BMF_COP_OPERANDS ? k : 0];
        const int32_t other = loads->operand[i][load * all + k];
        if (other == given[k] || operand->distributed || operand->dynamic)
            continue;
        snprintf(text, size, "load %" PRId64 " has the operand %d here and %d on another node", load + 1, given[k],
                 other);
        return text;
    }
    return NULL;
}

const char *cop_loads_check(bmf_cop_loads *loads, int64_t i, int64_t load, int count, const int32_t *operand,
                            int32_t *given, char *text, size_t size)
{
    const bmf_cop_instance *instance = &loads->op->instance[i];
    const char *wrong = NULL;
    memset(given, 0, (size_t)loads->size * sizeof *given);
    if (is_permutation(loads->op)) {
        wrong = check_permutation(instance, count, operand, text, size);
        for (int k = 0; k < count && !wrong; k++)
            given[k] = operand[k];
    } else {
        for (int k = 0, next = 0; k < BMF_COP_OPERANDS && !wrong; k++) {
            if (!instance->operand[k].runtime)
                continue;
            given[k] = next < count ? operand[next] : 0;
            wrong = check_value(loads->op, instance, k, ++next, given[k], text, size);
        }
    }
    return wrong ? wrong : compare(loads, i, load, given, text, size);
}
