/* What the files of predict/equations/ share.
 *
 * A file is read in steps: texts -> tokens (scan.c) -> definitions, whose expressions are nodes (parse.c) -> names that
 * know what they stand for (resolve.c) -> one straight list of operations (compile.c) -> values (evaluate.c,
 * gradient.c).
 */
#ifndef BMF_EQUATIONS_PRIVATE_H
#define BMF_EQUATIONS_PRIVATE_H

#include "predict/equations/equations.h"
#include "predict/equations/rules.h"
#include "runtime/base/table.h"
#include "skeletons/language/front/text.h"

enum {
    BMF_EQUATION_NAME = 64,            /* bytes of a name with its final 0 */
    BMF_EQUATION_ARGUMENTS = 12,       /* of a function */
    BMF_EQUATION_NESTING = 200,        /* parentheses, signs and choices inside each other */
    BMF_EQUATION_OPERATIONS = 1 << 15, /* in the list that is evaluated */
};

/* ---- tokens: scan.c ---- */

/* One of ( ) , = ; ? : + - * / ^ < > and line feed is its own kind. */
typedef enum bmf_equation_token_kind {
    BMF_EQUATION_END,
    BMF_EQUATION_WORD,
    BMF_EQUATION_NUMBER, /* with or without a unit */
    BMF_EQUATION_STRING, /* between double quotes, which begin and end it */
    BMF_EQUATION_LE,
    BMF_EQUATION_GE,
    BMF_EQUATION_EQ,
    BMF_EQUATION_NE,
    BMF_EQUATION_BAD
} bmf_equation_token_kind;

typedef struct bmf_equation_token {
    int kind; /* a bmf_equation_token_kind or a character */
    int64_t begin, end;
} bmf_equation_token;

/* The first token at `at` or behind, after blanks, remarks and continued lines. */
bmf_equation_token equation_token(const bmf_text *text, int64_t at);
/* The value of a number in microseconds, or as it is without a unit; NULL, or what is wrong with it. */
const char *equation_number(const char *bytes, int64_t size, double *value, bool *is_time);

/* ---- expressions and definitions: parse.c ---- */

typedef enum bmf_operation_code {
    /* of nodes and of the list */
    BMF_OP_CONSTANT,
    BMF_OP_ADD,
    BMF_OP_SUBTRACT,
    BMF_OP_MULTIPLY,
    BMF_OP_DIVIDE,
    BMF_OP_POWER,
    BMF_OP_NEGATE,
    BMF_OP_LESS,
    BMF_OP_LESS_EQUAL,
    BMF_OP_EQUAL,
    BMF_OP_NOT_EQUAL,
    BMF_OP_CHOOSE, /* a ? b : c */
    BMF_OP_LOG,
    BMF_OP_EXP,
    BMF_OP_SQRT,
    BMF_OP_CEIL,
    BMF_OP_FLOOR,
    BMF_OP_MIN,
    BMF_OP_MAX,
    /* of the list alone */
    BMF_OP_P,
    BMF_OP_D,
    BMF_OP_C,
    BMF_OP_SHEET,
    /* of nodes alone */
    BMF_OP_ROWS,
    BMF_OP_NAME /* a name, with or without arguments */
} bmf_operation_code;

typedef enum bmf_target { BMF_TARGET_NONE, BMF_TARGET_ARGUMENT, BMF_TARGET_DEFINITION, BMF_TARGET_SHEET } bmf_target;

/* A node of an expression; children are a list by `first` and `next`, -1 at the end. */
typedef struct bmf_equation_node {
    bmf_operation_code operation;
    bmf_target target; /* of a name */
    bool called;       /* a name with parentheses */
    bool is_time;      /* a number with a unit */
    int32_t name;      /* of a name; number in `names` */
    int32_t number;    /* of the target */
    int32_t children;
    int64_t first, next;
    double value; /* of a number */
    bmf_span span;
} bmf_equation_node;

typedef enum bmf_definition_kind {
    BMF_DEFINED_FUNCTION,
    BMF_DEFINED_PARAMETER,
    BMF_DEFINED_PHASE,
    BMF_DEFINED_RULE /* an expression of a rule; has no name */
} bmf_definition_kind;

/* name(argument..) = body; nodes [begin, end) are its expression. */
typedef struct bmf_definition {
    bmf_definition_kind kind;
    int32_t name, arguments;
    int32_t argument[BMF_EQUATION_ARGUMENTS];
    int depth;     /* of files included in each other; the file itself has 0, a machine given beside it -1 */
    bool hidden;   /* another one of the same name is taken */
    bool used;     /* by a phase */
    bmf_span span; /* of the name */
    int64_t begin, end, body;
} bmf_definition;

/* An operation of the sheet: entries of sheet_find, and which of p and d its t<op> takes. */
typedef struct bmf_sheet_operation {
    const char *name;
    const bmf_sheet_entry *entry;
    int64_t entries;
    bool takes_p, takes_d;
} bmf_sheet_operation;

/* One operation of the list; operands are earlier ones. */
typedef struct bmf_instruction {
    bmf_operation_code operation;
    int32_t operand[3]; /* -1: none */
    int32_t number;     /* of a sheet's operation */
    bool is_time;       /* a constant with a unit, or what a t<op> says */
    double value;       /* of a constant */
    bmf_span span;
} bmf_instruction;

struct bmf_equations {
    bmf_equation_settings settings;
    bmf_texts texts;
    int main_text;
    char *path, *machine;
    bmf_sheet *sheet; /* NULL: none */

    char **name;
    int32_t names, name_capacity;
    bmf_table name_table;
    bmf_equation_node *node;
    int64_t nodes, node_capacity;
    bmf_definition *definition;
    int32_t definitions, definition_capacity;
    int32_t *of_name; /* definition of a name that is taken, or -1 */
    bmf_sheet_operation *operation;
    int32_t operations, operation_capacity;

    bmf_instruction *instruction;
    int32_t instructions, instruction_capacity;
    bmf_table instruction_table;
    int64_t rules, rule_capacity;
    bmf_rule *rule;
    char *program, *size; /* of the rules; NULL: there are none */
    int32_t phases;
    int32_t *phase; /* definitions */
    int32_t *root;  /* instructions of the phases, then of the total */
};

/* Puts "FILE:LINE:COLUMN: TEXT" into the process-wide slot; returns status. */
int equation_fail(const bmf_equations *equations, bmf_span span, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "FILE:LINE:COLUMN" of a span, into place; returns place. */
const char *equation_place(const bmf_equations *equations, bmf_span span, char *place, size_t size);
/* The number of a name; it is entered if it is new. */
int32_t equation_name(bmf_equations *equations, const char *bytes, int64_t size);

/* Called for `include "NAME"` in text number `text`. */
typedef int bmf_equation_include(bmf_equations *equations, bmf_span span, const char *name, int depth);

/* Reads all statements of a text into definitions, calling include for what it includes. */
int equations_parse_text(bmf_equations *equations, int text, int depth, bmf_equation_include *include);
/* The state of reading one text, for parse.c and parse_rules.c. */
typedef struct bmf_equation_parser {
    bmf_equations *equations;
    int text, depth, nesting;
    bmf_equation_token token;
    bmf_equation_include *include;
} bmf_equation_parser;

void equation_advance(bmf_equation_parser *p);
bool equation_is_word(const bmf_equation_parser *p, bmf_equation_token token, const char *word);
/* BMF_ERROR_FILE: "expected .., found 'x'". */
int equation_fail_expected(const bmf_equation_parser *p, const char *expected);
/* From the token on; `node` is its root. */
int equation_parse_expression(bmf_equation_parser *p, int64_t *node);
bool equation_ends_statement(int kind);
/* The bytes between the quotes of the token, copied; then the next token. */
int equation_parse_string(bmf_equation_parser *p, char **text);

/* parse_rules.c: whether the token begins a rule, and reading it. */
bool is_rule(const bmf_equation_parser *p, bmf_equation_token next);
int parse_rule(bmf_equation_parser *p);
/* All rules are there: loops are closed, roles begin with their condition. */
int rules_check(const bmf_equations *equations);

/* Adds a definition NAME = number that hides all others. */
void equations_add_constant(bmf_equations *equations, int32_t name, double value, bool is_time);

/* ---- what is there from the start: prelude.c ---- */

typedef struct bmf_predefined {
    const char *name;
    bmf_operation_code operation;
    int min_arguments, max_arguments;
} bmf_predefined;

/* log, exp, rows, ..; NULL if the name is none of these. */
const bmf_predefined *predefined_find(const char *name);
/* Predefined function number k, from 0 on; NULL behind the last. */
const bmf_predefined *predefined_at(int k);
/* Whether the time of this name, t<op>, is that of a collective, which takes nothing among one process. */
bool is_collective_time(const char *name);
/* Whether it is the time of an operation of MPI at all. */
bool is_operation_time(const char *name);
/* The name of what stands for an operation that is not there itself, such as talltoall for talltoallv; or NULL. */
const char *stand_in_time(const char *name);
/* The sheet's operation for t<op>, or -1. It is entered if it is new. */
int32_t equation_sheet_operation(bmf_equations *equations, const char *name);

/* ---- resolve.c, compile.c, evaluate.c ---- */

/* Finds out what every name stands for; refuses what is unknown, wrongly called, or calls itself. */
int equations_resolve(bmf_equations *equations);
/* Makes the list of operations of all phases and of the total. */
int equations_compile(bmf_equations *equations);

/* Values of all instructions at one point into value[]. Returns BMF_OK or the status of the first mistake. */
int equations_values(const bmf_equations *equations, double p, double d, double c, double *value);

#endif
