/* Rules of a file of equations: what every rank of a program does, in order, as functions of the size d, of the number
 * of processes p, of the rank r and of the numbers of the loops' turns, k, and j and i of the loops around. `bmf model
 * fit` writes them, `bmf predict F.model` follows them. Grammar: docs/models.md. */
#ifndef BMF_EQUATIONS_RULES_H
#define BMF_EQUATIONS_RULES_H

#include "predict/equations/equations.h"

typedef enum bmf_rule_kind {
    RULE_RANKS,  /* value[0]: whether it is for a rank; the first that holds counts */
    RULE_REGION, /* a phase of this name begins; "": none */
    RULE_REPEAT, /* value[0]: turns, up to its RULE_END */
    RULE_END,
    RULE_WORK,  /* value[RULE_CONSTANT], .. */
    RULE_STEPS, /* value[0]: steps of computing that the program says */
    RULE_CALL
} bmf_rule_kind;

typedef enum bmf_rule_call { RULE_SEND, RULE_RECEIVE, RULE_POST, RULE_WAIT, RULE_COLLECTIVE, RULE_CALLS } bmf_rule_call;

/* Of RULE_CALL, and of RULE_WORK: c + k f microseconds, with the errors of c and k, their correlation, and the relative
 * noise of one execution. */
enum { RULE_PEER, RULE_BYTES, RULE_TAG, RULE_REQUEST, RULE_GROUP };
enum {
    RULE_CONSTANT,
    RULE_FACTOR,
    RULE_FUNCTION,
    RULE_CONSTANT_ERROR,
    RULE_FACTOR_ERROR,
    RULE_CORRELATION,
    RULE_NOISE,
    RULE_VALUES
};
enum { RULE_STARTS = 1, RULE_TOGETHER = 2, RULE_ANY_TAG = 4 };

typedef struct bmf_rule {
    bmf_rule_kind kind;
    bmf_rule_call call;
    unsigned flags;
    char *name;                 /* of the region or call */
    int32_t value[RULE_VALUES]; /* expressions; -1: not said */
    int64_t end;                /* of RULE_REPEAT: its end; of RULE_RANKS: the first rule behind it */
    int64_t place;              /* in the text, for messages */
} bmf_rule;

/* d, p, r and turns, the innermost first. */
typedef struct bmf_rule_point {
    double d, p, r, turn[3];
} bmf_rule_point;

/* All rules in order; 0 if the file has none. program and size: what they are called. */
int64_t equations_rules(const bmf_equations *equations, const bmf_rule **rule, const char **program, const char **size);
/* The value of an expression. BMF_ERROR_ARGUMENT, with the place: it is not a number. */
int rule_value(const bmf_equations *equations, int32_t expression, const bmf_rule_point *at, double *value);
/* A whole number from low to high. */
int rule_whole(const bmf_equations *equations, const bmf_rule *rule, int32_t expression, const bmf_rule_point *at,
               int64_t low, int64_t high, const char *what, int64_t *value);
/* Puts "FILE:LINE:COLUMN: .." into the process-wide slot; returns status. */
int rule_fail(const bmf_equations *equations, const bmf_rule *rule, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
