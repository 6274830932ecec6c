/* What the steps of the fit share; private to predict/fit. */
#ifndef BMF_FIT_PRIVATE_H
#define BMF_FIT_PRIVATE_H

#include "predict/fit/fit_program.h"
#include "runtime/base/array.h"
#include "runtime/base/table.h"

enum {
    FIT_TEXT = 160,  /* of an expression */
    FIT_DEPTH = 3,   /* loops inside each other whose numbers expressions may use */
    FIT_UNROLL = 16, /* loops of a constant count up to this may have other values in every turn */
};

/* ---- sequence.c: calls ---- */

typedef enum bmf_token_kind {
    TOKEN_REGION, /* a phase begins, or ends if it has no name */
    TOKEN_STEPS,
    TOKEN_SEND,
    TOKEN_RECEIVE,
    TOKEN_POST,
    TOKEN_WAIT,
    TOKEN_COLLECTIVE,
    TOKEN_END,
    TOKEN_KINDS
} bmf_token_kind;

typedef enum bmf_token_flag {
    TOKEN_STARTS = 1,   /* a request that a later call finishes */
    TOKEN_REQUEST = 2,  /* finishes one */
    TOKEN_TOGETHER = 4, /* belongs to the call before */
    TOKEN_ANY_TAG = 8,
    TOKEN_PEER = 16, /* has one */
} bmf_token_flag;

/* What makes two calls the same place in a program. */
typedef struct bmf_symbol {
    bmf_token_kind kind;
    uint32_t flags;
    const char *name, *region; /* held by the recordings */
    int64_t group, tag;        /* tag: -1, or one of few tags */
} bmf_symbol;

typedef enum bmf_value_kind {
    VALUE_BYTES, /* of TOKEN_STEPS: steps */
    VALUE_PEER,  /* -1: none */
    VALUE_TAG,
    VALUE_REQUEST, /* which of the open requests, by age */
    VALUES
} bmf_value_kind;

typedef struct bmf_token {
    int32_t symbol;
    int64_t value[VALUES];
    double work; /* seconds of computing before it */
} bmf_token;

typedef struct bmf_sequence {
    int64_t recording;
    int32_t rank;
    int64_t tokens, capacity;
    bmf_token *token;
    int32_t role; /* -1: none yet */
} bmf_sequence;

typedef struct bmf_symbols {
    int32_t count, capacity;
    bmf_symbol *symbol;
} bmf_symbols;

/* Appends the sequences of all ranks. Errors: BMF_ERROR_ARGUMENT, calls that have no rule. */
int sequences_add(const bmf_recording *recording, int64_t number, bool with_tags, bmf_symbols *symbols,
                  bmf_sequence **sequence, int64_t *sequences, int64_t *capacity);
/* Whether the tags of all ranks are few, and the same in number in all recordings: then they are part of the place. */
bool tags_are_few(const bmf_recording *recording, int64_t recordings);

/* ---- observations and forms ---- */

/* A value at one point. */
typedef struct bmf_observation {
    double d, p, r, k[FIT_DEPTH]; /* k: the numbers of the loops' turns, the innermost first */
    int64_t recording;
    double value;
} bmf_observation;

typedef struct bmf_observations {
    int64_t count, capacity;
    bmf_observation *point;
} bmf_observations;

/* What a value follows; text in the language of equations, of d, p, r, k, j and i. */
typedef struct bmf_rule_text {
    char text[FIT_TEXT];
    bool exact;
} bmf_rule_text;

/* How many different values of d and p there are. */
void observations_vary(const bmf_observations *of, int *sizes, int *processes);

/* integers.c: false if no form is exact. *why: what is missing, static. */
bool fit_integers(const bmf_observations *of, bmf_rule_text *rule, const char **why);
/* The nearest form by least squares, of counts that no form gives exactly. `with`: the variables that it may have. */
bool fit_nearly(const bmf_observations *of, unsigned with, bmf_rule_text *rule);
/* partners.c */
bool fit_partners(const bmf_observations *of, bmf_rule_text *rule, const char **why);

/* work.c: c + k f, microseconds. */
typedef struct bmf_work {
    double c, k;
    const char *of;                              /* f, one of the texts of the functions; "": k is 0 */
    double error_c, error_k, correlation, noise; /* noise: relative, of one execution */
} bmf_work;

/* A function of a point that forms and work use. */
typedef struct bmf_fit_basis {
    const char *text;
    double (*value)(const bmf_observation *at);
    unsigned with; /* BASIS_D, .. */
} bmf_fit_basis;
enum { BASIS_D = 1, BASIS_P = 2, BASIS_R = 4, BASIS_K = 8 };

/* with: the variables that f may have. */
void fit_work(const bmf_observations *of, unsigned with, bmf_work *work);

extern const bmf_fit_basis fit_basis[];
extern const int fit_bases;

/* ---- structure.c: loops ---- */

typedef struct bmf_place {
    int32_t symbol; /* -1: a loop */
    int32_t places;
    struct bmf_place *place; /* of a loop */
    bmf_observations value[VALUES], work, count;
    bmf_rule_text rule[VALUES], count_rule;
    bool has_rule[VALUES];
    bool is_near[VALUES], count_is_near; /* near: no form is exact */
    bmf_work fitted;
} bmf_place;

typedef struct bmf_role {
    bmf_place root; /* a loop of one turn */
    char condition[FIT_TEXT * 2];
    int64_t members;
} bmf_role;

struct bmf_fitted_program {
    bmf_fit_settings settings;
    char *name, *parameter;
    const bmf_recording *recording;
    int64_t recordings;
    bmf_symbols symbols;
    bmf_sequence *sequence;
    int64_t sequences, sequence_capacity;
    bmf_role *role;
    int32_t roles, role_capacity;
};

/* Gives every sequence its role; the observations are in the roles' places. */
void structure_find(bmf_fitted_program *program);
/* Takes the innermost loop around `place` apart, if its count is constant and at most FIT_UNROLL. False: it is not. */
bool structure_unroll(bmf_fitted_program *program, int32_t role, const bmf_place *place);
/* Gives those of the role's ranks that take no turn of the loop a role of their own. False: none do, or all. */
bool structure_split(bmf_fitted_program *program, int32_t role, const bmf_place *loop);
void structure_free(bmf_fitted_program *program);

/* Calls `use` for every place, outer ones first. */
void places_each(bmf_place *list, void (*use)(void *state, bmf_place *place), void *state);

/* conditions.c: which of the sequences have the role. False: no condition tells them from others. */
bool conditions_find(bmf_fitted_program *program, int32_t role);

#endif
