/* Random programs of the notation as trees: made, printed for the translator, and evaluated by a naive evaluator. The
 * notation's own parser has no part in what is expected. */
#ifndef BMF_RANDOM_NOTATION_H
#define BMF_RANDOM_NOTATION_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_ITEMS = 64, MAX_NAMES = 40, MAX_TERMS = 4000, MODULUS = 97, BOUND_NAMES = 3 };

/* ---- values ---- */

/* A point is a record {x: int, y: int}. */
typedef enum value_kind { INT, BOOL, INTS, PAIR, POINT, VALUE_KINDS } value_kind;

typedef struct value {
    value_kind kind;
    int64_t number[2]; /* an int or bool, or the two ints of a pair or point */
    int count;         /* of a list */
    int64_t item[MAX_ITEMS];
} value;

value number_value(value_kind kind, int64_t number);

/* ---- programs ---- */

typedef enum term_form {
    LITERAL,
    NAME,
    ADD,      /* (a + b) mod 97 */
    SUBTRACT, /* (a - b) mod 97 */
    MULTIPLY, /* a * b mod 97 */
    MAX,
    MINUS,
    LESS,
    EQUAL,
    DIFFERENT,
    AND,
    OR,
    NOT,
    IF,
    LET,      /* let name = child[0] in child[1] */
    LET_PAIR, /* let {name, name} = child[0] in child[1] */
    TUPLE,
    RECORD,    /* {x: a, y: b} */
    FIELD_X,   /* p.x */
    FIELD_Y,   /* p.y */
    UPDATE,    /* {p with x: a} */
    LET_POINT, /* let {name, name} = p in child[1], in the order of the fields */
    CALL,      /* f(a, b), the program's only definition */
    LENGTH,
    ELEMENT,    /* (xs ++ [a])[0] */
    REDUCE,     /* reduce({name, name} -> child[1], 0, child[0]) */
    REDUCE_SUM, /* reduce(+, 0, xs) mod 97 */
    LIST,
    MAP,   /* map(name -> child[1], child[0]) */
    PIPED, /* child[0] |> map(name -> child[1]) */
    FILTER,
    ZIP,   /* zip({name, name} -> child[1], child[0], child[0]) */
    SCAN,  /* scan(max, child[0]) */
    RANGE, /* a ..< a + literal */
    JOIN,
    SPLIT,        /* child[0] |> split(3) |> map(p -> map(name -> child[1], p)) |> reduce(++, []) */
    BY_KEY,       /* reduce_by_key({name, name} -> child[1], 0, literal, child[0] with keys) */
    BY_KEY_SPLIT, /* the same of parts */
    SHIFT,        /* shift(literal, 5, child[0]) */
    SHIFT_RING,   /* shift(literal, child[0]) */
    STENCIL,      /* stencil(1, {name, name, name} -> child[1], 5, child[0]) */
    STENCIL_RING,
    STENCIL_SPLIT, /* of parts, joined */
    STENCIL_GRID,  /* of the row of a plane, in 2 x 2 blocks, joined */
    SORT,
    SORT_BY, /* sort_by(name -> child[1], child[0]) */
    SORT_BY_SPLIT,
    GROUP, /* sums of groups with their keys */
    GROUP_SPLIT,
    UNIQUE,
    UNIQUE_SPLIT,
    SLICE,     /* xs[a ..< length(xs)], a wrapped */
    RECTANGLE, /* [xs ++ [a], [a] ++ xs][a mod 2 ..< 2, 0 ..< length(xs)][0] */
    COLUMN,    /* [xs ++ [a], [a] ++ xs][_, length(xs)] */
    GRID,      /* row a mod 2 of [xs ++ [a], [a] ++ xs], which was cut into 2 x 3 blocks and joined */
    GRID_SPLIT,
    LOOP_FOR,  /* loop name = child[0] for name < literal do child[1] */
    LOOP_WHILE /* loop {name, name} = {0, child[0]} while name < literal do {name + 1, child[1]} */
} term_form;

typedef struct term term;
struct term {
    term_form form;
    value_kind kind;
    int64_t literal;
    int name[BOUND_NAMES];
    term *child[3];
};

typedef struct program {
    uint64_t random;
    term *term;
    int terms, names;
    term *function, *main; /* f({0: a}, {1: b}) and main({2: x}) */
} program;

/* The program of a seed. p->term has room for MAX_TERMS. */
void generate_program(program *p, uint64_t seed);
/* A number from 0 to below the limit, the next of the program's sequence. */
int64_t program_below(program *p, int64_t limit);
/* Its text, with the argument as default; to be freed. */
char *program_text(const program *p, int64_t argument);
/* The value of main; false: a list has more than MAX_ITEMS items, or it takes too long. */
bool program_value_of(const program *p, int64_t argument, value *made);

#endif
