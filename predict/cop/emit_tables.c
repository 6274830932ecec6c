/* The table of a program's operators, as text in C for the services by MPI. Method: lists of nodes first, then the
 * instances that name them, then operators. Cost: linear in the nodes of all instances. */
#include <inttypes.h>

#include "bmf/status.h"
#include "predict/cop/emit.h"

enum { NUMBERS_A_LINE = 20 };

static void emit_list(const char *name, int64_t op, int64_t instance, int64_t count, const int64_t *list, FILE *to)
{
    fprintf(to, "static const int %s_%" PRId64 "_%" PRId64 "[] = {", name, op, instance);
    for (int64_t k = 0; k < count; k++)
        fprintf(to, "%s%" PRId64, k == 0 ? "" : k % NUMBERS_A_LINE == 0 ? ",\n    " : ", ", list[k]);
    fputs("};\n", to);
}

static void emit_operand(const bmf_cop_operand *operand, int which, int64_t op, int64_t instance, FILE *to)
{
    fprintf(to, "{%d, %d, %" PRId64 ", %" PRId64 ", ", operand->runtime, operand->distributed, operand->value,
            operand->count);
    if (operand->count > 0)
        fprintf(to, "cop_values%d_%" PRId64 "_%" PRId64 "}", which, op, instance);
    else
        fputs("0}", to);
}

static void emit_instances(const bmf_cop_operator *op, FILE *to)
{
    for (int64_t i = 0; i < op->instances; i++) {
        const bmf_cop_instance *instance = &op->instance[i];
        emit_list("cop_nodes", op->number, i, instance->nodes, instance->node, to);
        for (int k = 0; k < BMF_COP_OPERANDS; k++)
            if (instance->operand[k].count > 0)
                emit_list(k == 0 ? "cop_values0" : "cop_values1", op->number, i, instance->operand[k].count,
                          instance->operand[k].values, to);
    }
    fprintf(to, "static const cop_instance cop_instances_%" PRId64 "[] = {\n", op->number);
    for (int64_t i = 0; i < op->instances; i++) {
        fprintf(to, "    {%" PRId64 ", cop_nodes_%" PRId64 "_%" PRId64 ", {", op->instance[i].nodes, op->number, i);
        for (int k = 0; k < BMF_COP_OPERANDS; k++) {
            fputs(k > 0 ? ", " : "", to);
            emit_operand(&op->instance[i].operand[k], k, op->number, i, to);
        }
        fputs("}},\n", to);
    }
    fputs("};\n", to);
}

void cop_emit_tables(const bmf_cop_program *program, FILE *to)
{
    static const char *const kinds[BMF_COP_KINDS] = {"STREAM",  "BROADCAST", "COLLECT",   "SPREAD",
                                                     "GATHER",  "REDUCE",    "ALLREDUCE", "PREFIX",
                                                     "BARRIER", "CSHIFT",    "EOSHIFT",   "PERMUTE"};
    fputs("\n/* ---- the operators of this program ---- */\n\n", to);
    for (int64_t k = 0; k < program->operators; k++)
        emit_instances(program->op[k], to);
    fputs("static const cop_operator cop_operators[] = {\n", to);
    for (int64_t k = 0; k < program->operators; k++) {
        const bmf_cop_operator *op = program->op[k];
        fprintf(to, "    {\"%s\", COP_%s, %" PRId64 ", %" PRId64 ", cop_instances_%" PRId64 "},\n", op->label,
                kinds[op->kind], op->words, op->instances, k);
    }
    fputs("};\n", to);
}

/* All nodes must know what a collective of MPI's needs. */
int cop_check_mpi(const bmf_cop_program *program)
{
    for (int64_t k = 0; k < program->operators; k++) {
        const bmf_cop_operator *op = program->op[k];
        const bmf_cop_operand *operand = op->instance[0].operand;
        const bool collects = op->kind == BMF_COP_REDUCE || op->kind == BMF_COP_COLLECT || op->kind == BMF_COP_PERMUTE;
        if (collects && operand[0].distributed)
            return lisp_fail_at(program->lisp, op->place, "%s '%s': MPI needs a %s that all nodes know",
                                cop_kind_name(op->kind), op->label,
                                op->kind == BMF_COP_PERMUTE ? "permutation" : "destination");
    }
    return BMF_OK;
}
