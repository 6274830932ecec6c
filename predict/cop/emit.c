/* The functions of a program's operators, as text in C. Method: each calls a service with the number of its operator;
 * the record of services is that of run.h, and whoever loads the program sets it, a copy for each node. Cost: linear.
 * Source: document 004, 2.6 (load, read, write, func). */
#include <inttypes.h>

#include "predict/cop/emit.h"

static const char *const c_types[] = {"int32_t", "int64_t", "float", "double"};

extern const char cop_services_text[], cop_mpi_text[];

static void emit_head(const bmf_cop_program *program, bmf_cop_target target, FILE *to)
{
    const bool mpi = target == BMF_COP_FOR_MPI;
    fputs("/* Made by bmf cop: the functions of a program's operators. To be included by one source file. */\n"
          "#ifndef COP_OPERATORS_H\n"
          "#define COP_OPERATORS_H\n\n",
          to);
    fputs(cop_services_text, to);
    if (mpi)
        fputs(cop_mpi_text, to);
    if (mpi)
        cop_emit_tables(program, to);
    fputs(mpi ? "\nstatic const cop_services *cop_service;\n"
              : "\n/* Set before main is called. */\nconst cop_services *cop_service;\n",
          to);
    fputs("\nstatic inline void cop_begin(void)\n{\n", to);
    if (mpi)
        fprintf(to,
                "    static cop_ranks ranks;\n"
                "    if (!cop_service)\n"
                "        cop_start(&ranks, %" PRId64 ", %" PRId64 ", cop_operators);\n"
                "    cop_service = &ranks.services;\n",
                program->settings.mesh.nodes, program->operators);
    fputs("}\n\n"
          "static inline int cop_node(void) { cop_begin(); return cop_service->node; }\n"
          "static inline int cop_nodes(void) { cop_begin(); return cop_service->nodes; }\n"
          "static inline void cop_delay(double cycles) { cop_service->delay(cop_service->state, cycles); }\n"
          "static inline int64_t cop_cycle(void) { return cop_service->cycle(cop_service->state); }\n"
          "static inline void cop_init(void) { cop_begin(); cop_service->init(cop_service->state); }\n"
          "static inline void cop_fini(void) { cop_service->fini(cop_service->state); }\n\n",
          to);
}

static void emit_load(const bmf_cop_operator *op, FILE *to)
{
    static const char *const names[] = {"first", "second"};
    int count = 0;
    if (op->kind == BMF_COP_PERMUTE && op->instance[0].operand[0].runtime) {
        fprintf(to,
                "static inline void %s_load(const int32_t *target)\n{\n    int count = 0;\n"
                "    while (target[count] >= 0)\n        count++;\n"
                "    cop_service->load(cop_service->state, %" PRId64 ", count, target);\n}\n",
                op->label, op->number);
        return;
    }
    for (int k = 0; k < BMF_COP_OPERANDS; k++)
        count += op->instance[0].operand[k].runtime;
    fprintf(to, "static inline void %s_load(", op->label);
    for (int k = 0; k < count; k++)
        fprintf(to, "%sint32_t %s", k > 0 ? ", " : "", names[k]);
    fprintf(to, "%s)\n{\n", count == 0 ? "void" : "");
    if (count == 0)
        fprintf(to, "    cop_service->load(cop_service->state, %" PRId64 ", 0, 0);\n}\n", op->number);
    else
        fprintf(to,
                "    const int32_t operand[] = {%s};\n"
                "    cop_service->load(cop_service->state, %" PRId64 ", %d, operand);\n}\n",
                count == 1 ? "first" : "first, second", op->number, count);
}

static void emit_directional(const bmf_cop_operator *op, FILE *to)
{
    const char *type = c_types[op->type];
    if (op->is_array)
        fprintf(to,
                "static inline void %s_write(const %s *message)\n{\n"
                "    cop_service->write(cop_service->state, %" PRId64 ", message);\n}\n"
                "static inline void %s_read(%s *message)\n{\n"
                "    cop_service->read(cop_service->state, %" PRId64 ", message);\n}\n\n",
                op->label, type, op->number, op->label, type, op->number);
    else
        fprintf(to,
                "static inline void %s_write(%s value)\n{\n"
                "    cop_service->write(cop_service->state, %" PRId64 ", &value);\n}\n"
                "static inline %s %s_read(void)\n{\n    %s value;\n"
                "    cop_service->read(cop_service->state, %" PRId64 ", &value);\n    return value;\n}\n\n",
                op->label, type, op->number, type, op->label, type, op->number);
}

static void emit_combine(const bmf_cop_operator *op, FILE *to)
{
    const char *type = c_types[op->type];
    if (!op->function[0])
        return;
    if (op->is_array)
        fprintf(to,
                "void %s(const %s *a, const %s *b, %s *out);\n"
                "static void %s_combine(const void *a, const void *b, void *out)\n{\n    %s(a, b, out);\n}\n",
                op->function, type, type, type, op->label, op->function);
    else
        fprintf(to,
                "%s %s(%s a, %s b);\n"
                "static void %s_combine(const void *a, const void *b, void *out)\n{\n"
                "    *(%s *)out = %s(*(const %s *)a, *(const %s *)b);\n}\n",
                type, op->function, type, type, op->label, type, op->function, type, type);
}

static void emit_functional(const bmf_cop_operator *op, FILE *to)
{
    const char *type = c_types[op->type], *combine = op->function[0] ? "_combine" : "";
    const char *label = op->function[0] ? op->label : "0";
    emit_combine(op, to);
    if (op->kind == BMF_COP_BARRIER)
        fprintf(to,
                "static inline void %s_func(void)\n{\n    int32_t word[%" PRId64 "] = {0};\n"
                "    cop_service->call(cop_service->state, %" PRId64 ", word, word, 0);\n}\n\n",
                op->label, op->words, op->number);
    else if (op->is_array)
        fprintf(to,
                "static inline void %s_func(const %s *in, %s *out)\n{\n"
                "    cop_service->call(cop_service->state, %" PRId64 ", in, out, %s%s);\n}\n\n",
                op->label, type, type, op->number, label, combine);
    else
        fprintf(to,
                "static inline %s %s_func(%s value)\n{\n    %s result = value;\n"
                "    cop_service->call(cop_service->state, %" PRId64 ", &value, &result, %s%s);\n"
                "    return result;\n}\n\n",
                type, op->label, type, type, op->number, label, combine);
}

static void emit_loops(const bmf_cop_tree *tree, FILE *to)
{
    if (tree->group == BMF_COP_LOOP && tree->label[0])
        fprintf(to, "static inline void %s_load(void) {}\n", tree->label);
    for (int64_t k = 0; k < tree->children; k++)
        emit_loops(tree->child[k], to);
}

void cop_emit(const bmf_cop_program *program, bmf_cop_target target, FILE *to)
{
    emit_head(program, target, to);
    for (int64_t k = 0; k < program->operators; k++) {
        emit_load(program->op[k], to);
        if (cop_is_functional(program->op[k]->kind))
            emit_functional(program->op[k], to);
        else
            emit_directional(program->op[k], to);
    }
    emit_loops(program->root, to);
    fputs("\n#endif\n", to);
}
