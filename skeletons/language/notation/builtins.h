/* The built-in names of the notation and what they are in the core, one row each. A new operation of the core is a new
 * row. */
#ifndef BMF_NOTATION_BUILTINS_H
#define BMF_NOTATION_BUILTINS_H

#include "skeletons/language/front/expression.h"

/* How a call becomes core, a and b being its arguments. */
typedef enum notation_role {
    NOTATION_UNARY,   /* B_Op (operation) . [a] */
    NOTATION_BINARY,  /* B_Op (operation) . B_Alltup [[a], [b]] */
    NOTATION_MAP,     /* form (function) . [list] */
    NOTATION_FILTER,  /* the same, for lists of what the function takes */
    NOTATION_KEYED,   /* the same, of {captured, list}: sort_by, group */
    NOTATION_FOLD,    /* form (operator) (default) . [list] */
    NOTATION_ZIP,     /* B_Zip (function) . B_Alltup [[list], [list]] */
    NOTATION_SPLIT,   /* P_Split (number) (stride) . [list]; of a tuple of numbers P_Blocks (numbers) */
    NOTATION_CUT,     /* B_Split (number) . [list]; B_Blocks (numbers) */
    NOTATION_JOIN,    /* B_Join (numbers) . [blocks] */
    NOTATION_SHIFT,   /* B_Shift (places) (default) . [list] */
    NOTATION_STENCIL, /* B_Stencil (reach) (function) (default) . [list] */
    NOTATION_BY_KEY   /* form (operator) (default) . B_Alltup [[number], [list]] */
} notation_role;

/* How tightly infix operators bind, the loosest first. Relations do not chain. */
enum {
    NOTATION_LEVEL_NONE, /* no infix operator */
    NOTATION_LEVEL_OR,
    NOTATION_LEVEL_AND,
    NOTATION_LEVEL_RELATION,
    NOTATION_LEVEL_CONCAT,
    NOTATION_LEVEL_SUM,
    NOTATION_LEVEL_TERM,
    NOTATION_LEVEL_UNARY
};

typedef struct notation_builtin {
    const char *name; /* "map", "+" */
    notation_role role;
    int level;                /* of an infix operator */
    int min, max;             /* arguments of a call, with the list that a pipeline gives */
    bmf_expression_kind kind; /* of a form */
    bmf_operation operation;  /* of BMF_EXPRESSION_OP */
    const char *usage;        /* "map(x -> .., xs)"; for messages */
} notation_builtin;

/* The row of a name in `size` bytes; NULL: it is none. */
const notation_builtin *builtin_find(const char *name, int64_t size);
/* The row that makes an operation, or the form of this kind; NULL: none does. */
const notation_builtin *builtin_of_operation(bmf_operation operation);
const notation_builtin *builtin_of_form(bmf_expression_kind kind, bool parallel);
/* Row n, from 0 on; NULL behind the last. */
const notation_builtin *builtin_at(int n);

/* Reserved words: let, in, if, .. */
bool notation_is_reserved(const char *word, int64_t size);
const char *notation_reserved_at(int n);

/* The words of the notation for the core's keywords in a message: "B_Map needs a list" becomes "map needs a list". At
 * most `size` bytes with the 0. */
void notation_words(const char *message, char *text, size_t size);

#endif
