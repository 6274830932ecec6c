/* The generator of random programs: every form and operation of the language occurs, and splits in splits do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ctest/reference/random_language.h"

enum { PROGRAMS = 3000, DEPTH = 3 };

typedef struct census {
    int form[BMF_EXPRESSION_KINDS], operation[BMF_OPERATIONS];
    int splits[DEPTH + 1]; /* by how many others are around them; the last: or more */
    int parallel_form[BMF_EXPRESSION_KINDS];
    int planes, cubes, edges; /* stencils of these, and with several edges */
} census;

/* inside: distributed splits whose parts this expression is applied to. */
static void count(census *c, const bmf_expression *e, int inside)
{
    c->form[e->kind]++;
    c->parallel_form[e->kind] += e->parallel;
    const bool stencil = e->kind == BMF_EXPRESSION_STENCIL;
    c->planes += stencil && e->number[1] > 0 && e->number[2] == 0;
    c->cubes += stencil && e->number[2] > 0;
    c->edges += stencil && e->children > 2;
    c->operation[e->operation] += e->kind == BMF_EXPRESSION_OP;
    if (e->kind == BMF_EXPRESSION_SPLIT && e->parallel)
        c->splits[inside < DEPTH ? inside : DEPTH]++;
    for (int k = e->children - 1; k >= 0; k--) {
        count(c, e->child[k], inside);
        if (e->kind == BMF_EXPRESSION_COMP && e->child[k]->kind == BMF_EXPRESSION_SPLIT && e->child[k]->parallel)
            inside++; /* what comes after it in the composition */
    }
}

static void every_form_and_operation_occurs(void **state)
{
    (void)state;
    census c = {0};
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        bmf_expressions *arena = expressions_create();
        bmf_expression *expression;
        const bmf_type *type;
        bmf_column argument;
        bmf_random_program(seed, arena, &expression, &type, &argument);
        count(&c, expression, 0);
        column_free(&argument);
        expressions_free(arena);
    }
    for (int kind = BMF_EXPRESSION_ID; kind < BMF_EXPRESSION_CONVERT; kind++)
        assert_true(c.form[kind] > 0);
    for (int operation = 0; operation < BMF_OPERATIONS; operation++)
        assert_true(c.operation[operation] > 0);
    assert_true(c.planes > PROGRAMS / 200 && c.cubes > PROGRAMS / 400 && c.edges > PROGRAMS / 100);
    static const bmf_expression_kind parallel[] = {BMF_EXPRESSION_MAP, BMF_EXPRESSION_REDUCE, BMF_EXPRESSION_SCAN,
                                                   BMF_EXPRESSION_ZIP, BMF_EXPRESSION_SPLIT,  BMF_EXPRESSION_OP};
    for (size_t k = 0; k < sizeof parallel / sizeof parallel[0]; k++)
        assert_true(c.parallel_form[parallel[k]] > 0);
    for (int depth = 0; depth < DEPTH; depth++)
        assert_true(c.splits[depth] > PROGRAMS / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form_and_operation_occurs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
