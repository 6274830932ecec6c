/* The syntax tree of the notation: what its parser makes, the translator reads, and the printer writes. */
#ifndef BMF_NOTATION_SYNTAX_H
#define BMF_NOTATION_SYNTAX_H

#include "skeletons/language/front/parse.h"
#include "skeletons/language/notation/builtins.h"

/* A name, or a tuple of patterns. */
typedef struct notation_pattern notation_pattern;
struct notation_pattern {
    const char *name; /* NULL: a tuple, or something without a name (_) */
    bmf_span span;
    int parts; /* of a tuple; 0: it is none */
    notation_pattern **part;
    const char *function;         /* whose parameters it is, or NULL */
    const notation_pattern *also; /* which the same value must fit too, or NULL */
};

typedef enum notation_kind {
    NOTATION_CONSTANT, /* 2, 2.5, true, inf */
    NOTATION_PROCS,
    NOTATION_NAME,     /* x */
    NOTATION_CALL,     /* f(a, b), a |> f(b), a + b, -a: builtin, or name */
    NOTATION_TUPLE,    /* {a, b} */
    NOTATION_RECORD,   /* {x: child[0], y: child[1]}; name: "x,y" */
    NOTATION_FIELD,    /* child[0].x; name: "x" */
    NOTATION_UPDATE,   /* {child[0] with x: child[1], y: child[2]}; name: "x,y" */
    NOTATION_LIST,     /* [a, b] */
    NOTATION_INDEX,    /* child[0] [child[1], child[2], ..] */
    NOTATION_ALL,      /* _ among those indices: everything */
    NOTATION_RANGE,    /* child[0] ..< child[1] */
    NOTATION_IF,       /* condition, then, else */
    NOTATION_LET,      /* let pattern = child[0] in child[1] */
    NOTATION_WHILE,    /* loop pattern = child[0] while child[1] do child[2] */
    NOTATION_FOR,      /* loop pattern = child[0] for counter < child[1] do child[2] */
    NOTATION_FUNCTION, /* pattern -> child[0] */
    NOTATION_OPERATOR  /* + as an argument: builtin */
} notation_kind;

enum { NOTATION_MOST_INDICES = 8 }; /* of one list */

typedef struct notation_node notation_node;
struct notation_node {
    notation_kind kind;
    bool piped;    /* a call whose last argument stands before it, a |> f(b) */
    bmf_span span; /* of all of it */
    bmf_span word; /* of what messages point at: the operator, the function's name, if, loop */
    const char *name;
    const notation_builtin *builtin; /* NULL: none */
    bmf_constant constant;
    notation_pattern *pattern;
    notation_pattern *counter; /* of NOTATION_FOR: a name */
    int children;
    notation_node **child;
    int depth; /* of the tree below it */
};

/* let name(parameters) = body; main */
typedef struct notation_definition {
    const char *name;          /* "main" for the program */
    bmf_span span;             /* of the name */
    int parameters;            /* 0: a constant; PARAMETERS_UNKNOWN: an error is in them */
    notation_pattern *pattern; /* the parameter, or the tuple of all of them; NULL: a constant */
    bmf_declared *declared;    /* of main: of every parameter; NULL: there are none */
    notation_node *body;       /* NULL: an error is in it */
} notation_definition;

/* A text. */
typedef struct notation_text {
    int text;                        /* its number */
    notation_definition *definition; /* but for main */
    int count, capacity;
    bool has_main, has_data;
    notation_definition main;
    bmf_span data; /* behind `default` */
} notation_text;

notation_node *notation_create(bmf_expressions *arena, notation_kind kind, bmf_span span, int children);
notation_pattern *notation_pattern_create(bmf_expressions *arena, const char *name, bmf_span span, int parts);

/* True if the name stands free in the node. */
bool notation_uses(const notation_node *node, const char *name);
/* True if the pattern binds the name. */
bool notation_binds(const notation_pattern *pattern, const char *name);

#endif
