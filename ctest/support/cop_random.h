/* Random COP programs for tests of all routers: a text of a few operators in a loop, what a node does in it, and the
 * values that come out, from an interpreter that carries one operator out after the other for all nodes at once. Every
 * value that a node receives changes what it sends later, so that an error is carried on. */
#ifndef BMF_TEST_COP_RANDOM_H
#define BMF_TEST_COP_RANDOM_H

#include "predict/cop/run.h"

enum { COP_TEXT = 3000, COP_NODES = 36, COP_WORDS = 40, COP_PASSES = 3, COP_OPERATORS = 8 };

typedef struct cop_made {
    uint64_t seed;
    bool dynamic;    /* what needs no schedules, too: shifts and permutations known at run time */
    bool online;     /* the same on scheduled routers, beside what needs schedules */
    bool goes_on;    /* the first operator is parallel to all others: loaded before, used behind them */
    bool in_phases;  /* most of the others have phases of their own */
    bool apart;      /* some operators are on nodes with others between them */
    bool line;       /* the mesh is a line of nodes */
    bool leaves_out; /* some operators are optional, and left out in some passes */
    char text[COP_TEXT];
    int operators;
    bool optional[COP_OPERATORS];
} cop_made;

typedef uint32_t cop_values[COP_WORDS + 1];

typedef struct cop_world {
    const bmf_cop_program *program;
    const cop_made *made;
    cop_values node[COP_NODES]; /* what cop_world_body left there */
} cop_world;

/* From m->seed, which goes on. */
void cop_make_program(cop_made *m);
/* A bmf_cop_body; state: a cop_world. */
int cop_world_body(void *state, const bmf_cop_services *services);
/* The values of all nodes. */
void cop_expect(const bmf_cop_program *program, const cop_made *made, cop_values *node);

#endif
