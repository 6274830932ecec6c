/* Operations: the operands of B_Op (..). Scalar ones are lines of a table (list.h), those of lists have a
 * descriptor in a file of their own each. */
#ifndef BMF_LANGUAGE_OPERATION_H
#define BMF_LANGUAGE_OPERATION_H

#include "skeletons/language/forms/form.h"

/* What an operation takes and returns. */
typedef enum bmf_signature {
    BMF_SIGNATURE_ARITHMETIC,    /* {number, number} -> the wider of them */
    BMF_SIGNATURE_ORDER,         /* {number, number} -> bool */
    BMF_SIGNATURE_EQUALITY,      /* {number, number} or {bool, bool} -> bool */
    BMF_SIGNATURE_LOGIC,         /* {bool, bool} -> bool */
    BMF_SIGNATURE_REAL_PAIR,     /* {number, number} -> real */
    BMF_SIGNATURE_INTS,          /* {int, int} -> int */
    BMF_SIGNATURE_INTS_TO_REAL,  /* {int, int} -> real */
    BMF_SIGNATURE_NOT,           /* bool -> bool */
    BMF_SIGNATURE_NEGATION,      /* bool or number -> the same */
    BMF_SIGNATURE_SIGN,          /* number -> the same */
    BMF_SIGNATURE_REAL_FUNCTION, /* number -> real */
    BMF_SIGNATURE_TO_INT,        /* number or bool -> int */
    BMF_SIGNATURE_TO_REAL,       /* number or bool -> real */
    BMF_SIGNATURE_LISTS          /* its own rule, `check` */
} bmf_signature;

/* When it may fail. */
typedef enum bmf_operation_failure {
    BMF_FAILS_NEVER,
    BMF_FAILS_OF_INTS,    /* makes an int: too large, division by 0 */
    BMF_FAILS_FROM_REALS, /* of a real */
    BMF_FAILS_ALWAYS      /* of any type, for some values */
} bmf_operation_failure;

typedef struct bmf_operation_descriptor {
    const char *keyword, *alias;           /* B_Distl and B_Dist1, or NULL */
    const char *parallel, *parallel_alias; /* P_Distl and P_Dist1: a form of its own, or NULL */
    bmf_signature signature;
    bmf_operation_failure failure;
    /* of lists only: as in bmf_expression_form */
    bmf_expression *(*check)(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
    bool (*is_parallel)(const bmf_expression *expression, const bmf_type *in);
    bmf_stream_head head;
    bool decides;
    bmf_evaluate_function *evaluate; /* x stays the caller's, who frees it */
    bmf_evaluate_function *evaluate_parallel;
    const bmf_skeleton_type *skeleton;
} bmf_operation_descriptor;

#define BMF_OPERATION_DECLARATION(operation, file) extern const bmf_operation_descriptor bmf_operation_##file;
BMF_SKELETON_OPERATIONS(BMF_OPERATION_DECLARATION)
#undef BMF_OPERATION_DECLARATION

const bmf_operation_descriptor *operation_descriptor(bmf_operation operation);

#endif
