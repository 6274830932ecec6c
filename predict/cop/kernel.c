/* Kernels: every operator of a program once. Cost: that of the operators. Source: document 004, 8.1. */
#include <stdlib.h>
#include <string.h>

#include "predict/cop/run.h"
#include "runtime/base/allocate.h"

static void keep_first(const void *a, const void *b, void *out)
{
    (void)b;
    memmove(out, a, sizeof(int32_t));
}

static void call_kernel(const bmf_cop_services *s, const bmf_cop_operator *op, int64_t number,
                        const bmf_cop_instance *instance, int32_t *in, int32_t *out)
{
    const int64_t first = instance->operand[0].runtime ? 0 : instance->operand[0].value;
    const bool is_one = number == first, inward = op->kind == BMF_COP_GATHER || op->kind == BMF_COP_COLLECT;
    const int id = (int)op->number;
    if (cop_is_functional(op->kind)) {
        s->call(s->state, id, in, out, keep_first);
        return;
    }
    if (op->kind == BMF_COP_COLLECT && !is_one && number != (first < instance->nodes - 1 ? instance->nodes - 1 : 0))
        return; /* one writer at a time */
    const bool many = op->kind == BMF_COP_GATHER || op->kind == BMF_COP_SPREAD;
    for (int64_t k = 0; k < (many && is_one ? instance->nodes - 1 : 1); k++)
        if (is_one != inward)
            s->write(s->state, id, in);
        else if (op->kind != BMF_COP_STREAM ||
                 number == (instance->operand[1].runtime ? 0 : instance->operand[1].value))
            s->read(s->state, id, out);
}

/* Operands are 0; permutations take each node to the next. */
static void load_kernel(const bmf_cop_services *s, const bmf_cop_operator *op, const bmf_cop_instance *instance)
{
    const bool permutes = op->kind == BMF_COP_PERMUTE && instance->operand[0].runtime;
    const int64_t count = permutes ? instance->nodes : BMF_COP_OPERANDS;
    int32_t *operand = allocate_clear(count, sizeof *operand);
    for (int64_t k = 0; k < count && permutes; k++)
        operand[k] = (int32_t)((k + 1) % count);
    s->load(s->state, (int)op->number, (int)count, operand);
    free(operand);
}

int cop_kernel(void *state, const bmf_cop_services *s)
{
    const bmf_cop_plan *plan = state;
    s->init(s->state);
    for (int64_t k = 0; k < plan->program->operators; k++) {
        const bmf_cop_operator *op = plan->program->op[k];
        int32_t *in = allocate_clear(op->words, sizeof *in), *out = allocate_clear(op->words, sizeof *out);
        bool loaded = false;
        for (int64_t i = 0; i < op->instances; i++)
            for (int64_t n = 0; n < op->instance[i].nodes; n++)
                if (op->instance[i].node[n] == s->node) {
                    if (!loaded)
                        load_kernel(s, op, &op->instance[i]);
                    loaded = true;
                    call_kernel(s, op, n, &op->instance[i], in, out);
                }
        free(in);
        free(out);
    }
    s->fini(s->state);
    return 0;
}
