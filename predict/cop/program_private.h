/* What the files share that evaluate COP's own forms. */
#ifndef BMF_COP_PROGRAM_PRIVATE_H
#define BMF_COP_PROGRAM_PRIVATE_H

#include "predict/cop/program.h"

typedef enum bmf_cop_object_kind { BMF_COP_OBJECT_TREE, BMF_COP_OBJECT_RUNTIME } bmf_cop_object_kind;

/* What the interpreter knows as an object. */
typedef struct bmf_cop_object {
    bmf_cop_object_kind kind;
    bmf_cop_tree *tree;
    bmf_cop_operand operand;
} bmf_cop_object;

/* The nodes that forms are about: the mesh, or the subset around them. */
typedef struct bmf_cop_subset {
    int64_t nodes;
    const int64_t *node;
    int64_t size[BMF_MESH_DIMENSIONS]; /* of the box, if the nodes are one in its order; otherwise a line */
} bmf_cop_subset;

/* The host of the interpreter. */
typedef struct bmf_cop_reader {
    bmf_lisp *lisp;
    bmf_cop_program *program;
    bmf_cop_subset subset;
    const bmf_lisp_value *inherited; /* options of the operator being called that define-op made */
} bmf_cop_reader;

/* geometry.c */
void cop_define_geometry(bmf_lisp *lisp);
void cop_whole_mesh(bmf_cop_reader *reader);
/* From numbers in the subset around it. */
int cop_make_subset(bmf_cop_reader *reader, int64_t count, const int64_t *number, bmf_cop_subset *subset);
/* The subsets that vary in dimension d, as in (make-1d 'x). */
int cop_make_1d(bmf_cop_reader *reader, int dimension, const bmf_lisp_value **list);

/* groups.c */
void cop_define_groups(bmf_lisp *lisp);
bmf_cop_tree *cop_new_tree(bmf_cop_reader *reader, bmf_cop_group group);
void cop_add_child(bmf_cop_reader *reader, bmf_cop_tree *tree, bmf_cop_tree *child);
const bmf_lisp_value *cop_tree_value(bmf_cop_reader *reader, bmf_cop_tree *tree);
/* Adds the operators and groups of a value: nil for none, one, or a list. */
int cop_add_value(bmf_cop_reader *reader, bmf_cop_tree *tree, const bmf_lisp_value *value);
/* Makes operators of one label in a parallel group one operator. */
int cop_merge_labels(bmf_cop_reader *reader, bmf_cop_tree *parallel);

/* operators.c */
void cop_define_operators(bmf_lisp *lisp);
/* Whether they differ in their instances only. */
bool cop_same_operator(const bmf_cop_operator *a, const bmf_cop_operator *b);
/* No two instances write to a node, or read from one. */
int cop_check_instances(bmf_cop_reader *reader, const bmf_cop_operator *op);
/* An operator of the current subset; operands and options as in a form of that kind, whose name is cop_kind_name. */
int cop_make_operator(bmf_cop_reader *reader, bmf_cop_kind kind, int64_t count, const bmf_lisp_value *const *argument,
                      bmf_cop_tree **tree);

#endif
