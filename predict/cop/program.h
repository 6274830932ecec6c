/* COP programs: what an application communicates, as a tree of operators.
 *
 * A program is a text of Lisp forms (lisp.h) whose values are operators and groups of them. Reading evaluates it for
 * one mesh; what comes out is a tree whose leaves are operators. An operator is one communication pattern with a label;
 * its instances are its copies on subsets of the nodes (document 004, 2.3 and 2.6; docs/cop.md has the language).
 * Not collective; needs no MPI. Messages go to the process-wide slot, with file, line and column.
 */
#ifndef BMF_COP_PROGRAM_H
#define BMF_COP_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "predict/cop/lisp.h"
#include "predict/mesh/topology.h"

typedef enum bmf_cop_kind {
    BMF_COP_STREAM,
    BMF_COP_BROADCAST,
    BMF_COP_COLLECT,
    BMF_COP_SPREAD,
    BMF_COP_GATHER,
    BMF_COP_REDUCE,
    BMF_COP_ALLREDUCE,
    BMF_COP_PREFIX,
    BMF_COP_BARRIER,
    BMF_COP_CSHIFT,
    BMF_COP_EOSHIFT,
    BMF_COP_PERMUTE,
    BMF_COP_KINDS
} bmf_cop_kind;

/* A source, destination, distance or permutation: a constant, or known at run time only. */
typedef struct bmf_cop_operand {
    bool runtime, distributed, dynamic;
    int64_t value;         /* a constant; nodes are numbered in their subset */
    int64_t count;         /* PERMUTE: of the constant list; runtime: of possible values, 0: any */
    const int64_t *values; /* likewise */
    int64_t block;         /* runtime: changes about every so many innermost passes */
} bmf_cop_operand;

enum { BMF_COP_OPERANDS = 2 };

typedef struct bmf_cop_instance {
    int64_t nodes;
    const int64_t *node;                       /* of the mesh, in the order of their numbers in the subset */
    bmf_cop_operand operand[BMF_COP_OPERANDS]; /* STREAM: source and destination; others: the first */
} bmf_cop_instance;

/* The smallest box of nodes that holds something; low > high in a dimension: nothing. */
typedef struct bmf_cop_box {
    int64_t low[BMF_MESH_DIMENSIONS], high[BMF_MESH_DIMENSIONS];
} bmf_cop_box;

typedef enum bmf_cop_type { BMF_COP_INT32, BMF_COP_INT64, BMF_COP_FLOAT32, BMF_COP_FLOAT64 } bmf_cop_type;

typedef struct bmf_cop_operator {
    bmf_cop_kind kind;
    bmf_lisp_place place;
    const char *label;
    const char *function; /* that combines, "" for none */
    bmf_cop_type type;
    bool is_array;
    int64_t words, calls; /* of a message, 32 bits each; calls in a pass of the innermost loop (:m, :c) */
    bool pipelined;
    double bandwidth;           /* at most so many words a cycle; 0: one a schedule */
    const char *implementation; /* that must be taken, NULL: any */
    int64_t valids;             /* nodes whose data counts, 0: all */
    const int64_t *valid;
    int64_t instances, capacity;
    bmf_cop_instance *instance;
    bmf_cop_box box;
    int64_t number;   /* in the program's order */
    bool in_parallel; /* other operators may be under way at its nodes between its load and its messages */
} bmf_cop_operator;

typedef enum bmf_cop_group {
    BMF_COP_OPERATOR, /* a leaf */
    BMF_COP_SEQUENTIAL,
    BMF_COP_LOOP,
    BMF_COP_PARALLEL,
    BMF_COP_OPTIONAL,
    BMF_COP_PHASE,
    BMF_COP_DISJOINT /* made by the compiler: parallel on nodes that do not overlap */
} bmf_cop_group;

typedef struct bmf_cop_tree {
    bmf_cop_group group;
    bmf_lisp_place place;
    const char *label; /* LOOP, "" without one */
    int64_t count;     /* LOOP: passes */
    int64_t children, capacity;
    struct bmf_cop_tree **child;
    int64_t depth, size; /* while the text is read: levels, and groups and operators, of this tree */
    bmf_cop_operator *op;
    bmf_cop_box box;
} bmf_cop_tree;

typedef struct bmf_cop_settings {
    bmf_mesh mesh;
    bool dynamic; /* *mode* is dyn */
    int length;   /* of a schedule */
} bmf_cop_settings;

typedef struct bmf_cop_program {
    bmf_lisp *lisp;
    char *path;
    bmf_cop_settings settings;
    bmf_cop_tree *root;
    int64_t operators, capacity;
    bmf_cop_operator **op;
} bmf_cop_program;

/* Reads a file, or `source` itself if it begins with a parenthesis, and evaluates it. A file that begins with `;/` and
 * a star is a C program with COP text in that comment. BMF_ERROR_FILE. The caller frees. */
int cop_read(const char *source, const bmf_cop_settings *settings, bmf_cop_program **program);
/* The same from text; path: for messages. */
int cop_parse(const char *text, int64_t size, const char *path, const bmf_cop_settings *settings,
              bmf_cop_program **program);
void cop_free(bmf_cop_program *program);

/* The tree, instances and boxes, for people. */
void cop_print_tree(const bmf_cop_program *program, FILE *stream);
/* On one line, as in `disjoint(b, parallel(a, c))`; returns text. */
char *cop_tree_text(const bmf_cop_tree *tree, char *text, size_t size);
/* Whether the operator stands anywhere in the tree. */
bool cop_tree_holds(const bmf_cop_tree *tree, const bmf_cop_operator *op);

const char *cop_kind_name(bmf_cop_kind kind);
/* All nodes supply data and call one function, or some write and some read. */
static inline bool cop_is_functional(bmf_cop_kind kind)
{
    return kind == BMF_COP_REDUCE || kind == BMF_COP_ALLREDUCE || kind == BMF_COP_PREFIX || kind == BMF_COP_BARRIER ||
           kind == BMF_COP_CSHIFT || kind == BMF_COP_EOSHIFT || kind == BMF_COP_PERMUTE;
}
bool cop_has_runtime(const bmf_cop_operator *op);

/* ---- boxes (extents.c) ---- */

bmf_cop_box cop_empty_box(void);
void cop_box_add(bmf_cop_box *box, const bmf_mesh *mesh, int64_t node);
bmf_cop_box cop_box_union(const bmf_cop_box *a, const bmf_cop_box *b);
bool cop_boxes_overlap(const bmf_cop_box *a, const bmf_cop_box *b);
/* Gives every group its extent, and rewrites parallel and sequential groups whose children do not overlap to disjoint
 * ones. Fails if a parallel group has more than one child with sequential descendants, or one that is not its last. */
int cop_assign_extents(bmf_cop_program *program);

#endif
