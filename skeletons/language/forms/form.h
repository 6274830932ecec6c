/* Forms: what an expression may be, a skeleton, a tuple of functions, a choice, .. The parser, the
 * checker, the rewriter and the evaluator know a form by its descriptor only. */
#ifndef BMF_LANGUAGE_FORM_H
#define BMF_LANGUAGE_FORM_H

#include <stdio.h>

#include "skeletons/language/front/expression.h"

typedef struct bmf_parser bmf_parser;               /* front/parser.h */
typedef struct bmf_keyword bmf_keyword;             /* front/lexer.h */
typedef struct bmf_checker bmf_checker;             /* types/checker.h */
typedef struct bmf_survey bmf_survey;               /* types/places.h */
typedef struct bmf_places bmf_places;               /* types/places.h */
typedef struct bmf_evaluator bmf_evaluator;         /* evaluate/evaluate.h */
typedef struct bmf_frame bmf_frame;                 /* evaluate/evaluate.h */
typedef struct bmf_value bmf_value;                 /* batches/value.h */
typedef struct bmf_skeleton_type bmf_skeleton_type; /* runtime/trace/skeleton_type.h */

/* Applies an expression to a batch; x is taken over. */
typedef int bmf_evaluate_function(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                                  bmf_value *out);

/* How an expression that does not fit on its line is broken into lines. */
typedef enum bmf_print_layout {
    BMF_LAYOUT_OPERANDS, /* (..) below each other */
    BMF_LAYOUT_LIST,     /* [.., ..] below each other */
    BMF_LAYOUT_CHAIN,    /* f . g below each other */
    BMF_LAYOUT_LINE      /* never */
} bmf_print_layout;

/* Members that are not given are 0: NULL, false. */
typedef struct bmf_expression_form {
    /* text */
    const char *keyword;            /* B_Map; of what is never written, something that is no word */
    const char *parallel;           /* P_Map, or NULL */
    int min_operands, max_operands; /* (..) behind the keyword, for forms without a parse */
    bool is_numbered;               /* (B_Num number[0]), and the others unless they are 0, stand before operands */
    bmf_expression *(*parse)(bmf_parser *parser, const bmf_keyword *keyword); /* from the keyword on */
    void (*print)(const bmf_expression *expression, FILE *out); /* all of it; NULL: the keyword, operands in (..) */
    bmf_print_layout layout;
    bool (*equal)(const bmf_expression *a, const bmf_expression *b); /* besides kind and children; NULL: yes */

    /* types: the expression on arguments of type `in`, typed; NULL after a message */
    bmf_expression *(*check)(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
    bool (*is_parallel)(const bmf_expression *expression, const bmf_type *in); /* at work on several processors */
    bool repeats;                                                              /* as a loop does */

    /* the processors that the result's elements lie on, of those the argument's do (types/places.h); NULL: the same */
    void (*places)(bmf_survey *survey, const bmf_expression *expression, int64_t base, const bmf_places *in,
                   bmf_places *out);

    /* what the laws ask; about the expression itself, whatever its children do */
    bool is_scalar;     /* on fixed types it computes, and may be a part of kernels */
    bool is_kernel;     /* where it is scalar it is evaluated as a kernel, even if no law has made one of it */
    bool is_structural; /* only moves values */
    bool (*is_independent)(const bmf_expression *expression); /* the value is the same for all arguments */
    bool (*may_fail)(const bmf_expression *expression);
    bool (*decides)(const bmf_expression *expression); /* what it does depends on values, not on lengths alone */
    bmf_stream_head head;                              /* as the beginning of a stream; BMF_HEAD_LIST: it is none */
    bmf_stream_tail
        tail; /* as the end of a stream, child[0] being end and child[1] default; BMF_TAIL_LIST: it is none */

    bmf_evaluate_function *evaluate;
    bmf_evaluate_function *evaluate_parallel; /* where is_parallel; NULL: never */
    const bmf_skeleton_type *skeleton;        /* what it is in traces there; or NULL */
} bmf_expression_form;

#define BMF_FORM_DECLARATION(kind, file) extern const bmf_expression_form bmf_form_##file;
BMF_FORMS(BMF_FORM_DECLARATION)
#undef BMF_FORM_DECLARATION

const bmf_expression_form *form_of_kind(bmf_expression_kind kind);
const bmf_expression_form *form_of(const bmf_expression *expression);

/* The value does not depend on the argument; the children's values do not. */
bool expression_is_independent(const bmf_expression *expression);
bool expression_all_independent(const bmf_expression *expression);

/* For forms that always do. */
bool expression_decides(const bmf_expression *expression);

#endif
