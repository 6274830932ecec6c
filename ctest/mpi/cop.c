/* Operators by MPI (predict/cop/emitted_mpi.h): the values of random programs, on as many ranks as nodes, against the
 * sequential interpreter of their operators. COP_PROGRAMS sets how many. */
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "ctest/support/cop_random.h"
#include "ctest/support/testing.h"
#include "predict/cop/emit.h"

#include "predict/cop/emitted_mpi.h"

enum { INSTANCES = 16, USUAL = 12 };

/* The tables that cop_emit_tables writes, in memory. */
typedef struct tables {
    cop_operator op[COP_OPERATORS];
    cop_instance instance[COP_OPERATORS][INSTANCES];
    int node[COP_OPERATORS][INSTANCES][COP_NODES], values[COP_OPERATORS][INSTANCES][2][COP_NODES];
} tables;

static void fill_instance(const bmf_cop_instance *from, cop_instance *to, int *node, int (*values)[COP_NODES])
{
    *to = (cop_instance){.nodes = (int)from->nodes, .node = node};
    for (int64_t k = 0; k < from->nodes; k++)
        node[k] = (int)from->node[k];
    for (int k = 0; k < 2; k++) {
        const bmf_cop_operand *o = &from->operand[k];
        to->operand[k] = (cop_instance_operand){o->runtime, o->distributed, (int)o->value, (int)o->count, values[k]};
        for (int64_t v = 0; v < o->count; v++)
            values[k][v] = (int)o->values[v];
    }
}

static void fill(const bmf_cop_program *program, tables *t)
{
    for (int64_t k = 0; k < program->operators; k++) {
        const bmf_cop_operator *op = program->op[k];
        t->op[k] = (cop_operator){op->label, (cop_kind)op->kind, (int)op->words, (int)op->instances, t->instance[k]};
        for (int64_t i = 0; i < op->instances; i++)
            fill_instance(&op->instance[i], &t->instance[k][i], t->node[k][i], t->values[k][i]);
    }
}

static bmf_cop_services services_of(const cop_ranks *r)
{
    const cop_services *s = &r->services;
    return (bmf_cop_services){s->state, s->node, s->nodes, s->init, s->fini, s->delay,
                              s->cycle, s->load, s->write, s->read, s->call};
}

static void try_program(cop_made *m, const char *size)
{
    static tables t;
    static cop_ranks ranks;
    static cop_values expected[COP_NODES];
    static cop_world world;
    bmf_cop_settings settings = {.length = 24};
    bmf_cop_program *program;
    cop_make_program(m);
    CHECK(mesh_parse(size, false, &settings.mesh) == BMF_OK, "%s", size);
    CHECK(cop_parse(m->text, (int64_t)strlen(m->text), "test.cop", &settings, &program) == BMF_OK, "%s", m->text);
    fill(program, &t);
    cop_expect(program, m, expected);
    world.program = program;
    world.made = m;
    cop_start(&ranks, (int)settings.mesh.nodes, (int)program->operators, t.op);
    const bmf_cop_services services = services_of(&ranks);
    cop_world_body(&world, &services);
    const int node = services.node;
    CHECK(memcmp(world.node[node], expected[node], sizeof expected[node]) == 0, "%s on %s: other values", m->text,
          size);
    cop_free(program);
}

int main(int argc, char **argv)
{
    const char *programs = getenv("COP_PROGRAMS");
    const int count = programs ? atoi(programs) : USUAL;
    cop_made m = {.seed = 19970101, .dynamic = true, .leaves_out = true};
    char line[20];
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(line, sizeof line, "%dx1", ranks);
    for (int k = 0; k < count && ranks > 1; k++) {
        m.line = (ranks != 4 && ranks != 8) || k % 3 == 0;
        try_program(&m, m.line ? line : ranks == 4 ? "2x2" : k % 3 == 1 ? "4x2" : "2x2x2");
    }
    MPI_Finalize();
    return ranks > 1 ? test_finish() : 0;
}
