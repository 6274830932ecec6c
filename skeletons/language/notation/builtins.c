/* The table of built-in names; the words of the notation for those of the core. */
#include "skeletons/language/notation/builtins.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "skeletons/language/forms/form.h"

#define UNARY(name, operation, usage)                                                                                  \
    {                                                                                                                  \
        name, NOTATION_UNARY, 0, 1, 1, BMF_EXPRESSION_OP, BMF_OPERATION_##operation, usage                             \
    }
#define BINARY(name, operation, usage)                                                                                 \
    {                                                                                                                  \
        name, NOTATION_BINARY, 0, 2, 2, BMF_EXPRESSION_OP, BMF_OPERATION_##operation, usage                            \
    }
#define INFIX(name, operation, level)                                                                                  \
    {                                                                                                                  \
        name, NOTATION_BINARY, NOTATION_LEVEL_##level, 2, 2, BMF_EXPRESSION_OP, BMF_OPERATION_##operation,             \
            "a " name " b"                                                                                             \
    }

static const notation_builtin builtins[] = {
    {"map", NOTATION_MAP, 0, 2, 2, BMF_EXPRESSION_MAP, 0, "map(x -> .., xs)"},
    {"filter", NOTATION_FILTER, 0, 2, 2, BMF_EXPRESSION_FILTER, 0, "filter(x -> .., xs)"},
    {"reduce", NOTATION_FOLD, 0, 2, 3, BMF_EXPRESSION_REDUCE, 0, "reduce(+, xs) or reduce(+, 0, xs)"},
    {"scan", NOTATION_FOLD, 0, 2, 3, BMF_EXPRESSION_SCAN, 0, "scan(+, xs) or scan(+, 0, xs)"},
    {"zip", NOTATION_ZIP, 0, 2, 3, BMF_EXPRESSION_ZIP, 0, "zip(xs, ys) or zip(f, xs, ys)"},
    {"split", NOTATION_SPLIT, 0, 2, 3, BMF_EXPRESSION_SPLIT, 0, "split(procs, xs) or split({r, c}, rows)"},
    {"cut", NOTATION_CUT, 0, 2, 2, BMF_EXPRESSION_SPLIT, 0, "cut(4, xs) or cut({r, c}, rows)"},
    {"join", NOTATION_JOIN, 0, 1, 2, BMF_EXPRESSION_JOIN, 0, "join(blocks) or join({r, c}, blocks)"},
    {"reduce_by_key", NOTATION_BY_KEY, 0, 4, 4, BMF_EXPRESSION_REDUCE_BY_KEY, 0,
     "reduce_by_key(+, 0, number of keys, list of {key, value})"},
    {"sort_by", NOTATION_KEYED, 0, 2, 2, BMF_EXPRESSION_SORT_BY, 0, "sort_by(x -> key, xs)"},
    {"group", NOTATION_KEYED, 0, 2, 2, BMF_EXPRESSION_GROUP, 0, "group(x -> key, xs)"},
    {"stencil", NOTATION_STENCIL, 0, 3, 4, BMF_EXPRESSION_STENCIL, 0,
     "stencil(1, {a, b, c} -> .., xs) or stencil(1, {a, b, c} -> .., 0.0, xs)"},
    {"shift", NOTATION_SHIFT, 0, 2, 3, BMF_EXPRESSION_SHIFT, 0, "shift(1, xs) or shift(1, 0.0, xs)"},
    UNARY("length", LENGTH, "length(xs)"),
    UNARY("iota", IOTA, "iota(n)"),
    UNARY("sort", SORT, "sort(xs)"),
    UNARY("argsort", ARGSORT, "argsort(xs)"),
    UNARY("unique", UNIQUE, "unique(xs)"),
    UNARY("transpose", TRANSPOSE, "transpose(rows)"),
    BINARY("matmul", MATMUL, "matmul(a, b)"),
    BINARY("pick", PROJECT, "pick(xs, indices)"),
    UNARY("abs", ABS, "abs(x)"),
    UNARY("sqrt", SQRT, "sqrt(x)"),
    UNARY("exp", EXP, "exp(x)"),
    UNARY("log", LOG, "log(x)"),
    UNARY("sin", SIN, "sin(x)"),
    UNARY("cos", COS, "cos(x)"),
    UNARY("tan", TAN, "tan(x)"),
    UNARY("floor", FLOOR, "floor(x)"),
    UNARY("ceil", CEIL, "ceil(x)"),
    UNARY("round", ROUND, "round(x)"),
    UNARY("neg", NEG, "neg(x)"),
    UNARY("int", INT, "int(x)"),
    UNARY("real", REAL, "real(x)"),
    BINARY("pow", POW, "pow(x, y), x ** y"),
    BINARY("atan2", ATAN2, "atan2(y, x)"),
    BINARY("bitand", BITAND, "bitand(a, b)"),
    BINARY("bitor", BITOR, "bitor(a, b)"),
    BINARY("bitxor", BITXOR, "bitxor(a, b)"),
    BINARY("shl", SHIFT_LEFT, "shl(a, bits)"),
    BINARY("shr", SHIFT_RIGHT, "shr(a, bits)"),
    BINARY("random", RANDOM, "random(seed, i)"),
    BINARY("max", MAX, "max(a, b)"),
    BINARY("min", MIN, "min(a, b)"),
    INFIX("or", OR, OR),
    INFIX("and", AND, AND),
    INFIX("==", EQ, RELATION),
    INFIX("!=", NE, RELATION),
    INFIX("<", LT, RELATION),
    INFIX("<=", LE, RELATION),
    INFIX(">", GT, RELATION),
    INFIX(">=", GE, RELATION),
    INFIX("++", CONC, CONCAT),
    INFIX("+", PLUS, SUM),
    INFIX("-", MINUS, SUM),
    INFIX("*", TIMES, TERM),
    INFIX("/", DIVIDE, TERM),
    INFIX("mod", MOD, TERM),
    {"-", NOTATION_UNARY, NOTATION_LEVEL_UNARY, 1, 1, BMF_EXPRESSION_OP, BMF_OPERATION_UMINUS, "-a"},
    {"not", NOTATION_UNARY, NOTATION_LEVEL_UNARY, 1, 1, BMF_EXPRESSION_OP, BMF_OPERATION_NOT, "not a"},
};

enum { BUILTINS = sizeof builtins / sizeof builtins[0] };

const notation_builtin *builtin_at(int n)
{
    return n < BUILTINS ? &builtins[n] : NULL;
}

static bool is_text(const char *text, const char *word, int64_t size)
{
    return (int64_t)strlen(text) == size && memcmp(text, word, (size_t)size) == 0;
}

const notation_builtin *builtin_find(const char *name, int64_t size)
{
    for (int k = 0; k < BUILTINS; k++)
        if (is_text(builtins[k].name, name, size))
            return &builtins[k];
    return NULL;
}

const notation_builtin *builtin_of_operation(bmf_operation operation)
{
    for (int k = 0; k < BUILTINS; k++)
        if (builtins[k].kind == BMF_EXPRESSION_OP && builtins[k].operation == operation)
            return &builtins[k];
    return NULL;
}

const notation_builtin *builtin_of_form(bmf_expression_kind kind, bool parallel)
{
    for (int k = 0; k < BUILTINS; k++)
        if (builtins[k].kind == kind &&
            (kind != BMF_EXPRESSION_SPLIT || parallel == (builtins[k].role == NOTATION_SPLIT)))
            return &builtins[k];
    return NULL;
}

/* ---- reserved words ---- */

static const char *const reserved[] = {"let",   "in",    "if",  "then", "else", "loop",    "while",
                                       "for",   "do",    "and", "or",   "not",  "mod",     "true",
                                       "false", "procs", "inf", "nan",  "main", "default", "with"};

const char *notation_reserved_at(int n)
{
    return n < (int)(sizeof reserved / sizeof reserved[0]) ? reserved[n] : NULL;
}

bool notation_is_reserved(const char *word, int64_t size)
{
    for (int k = 0; notation_reserved_at(k); k++)
        if (is_text(reserved[k], word, size))
            return true;
    return false;
}

/* ---- messages ---- */

/* What is no built-in name. */
static const char *const other_words[][2] = {
    {"B_Alltup", "{..}"},       {"B_Allvec", "[..]"},  {"B_Addr", "the pattern"}, {"B_If", "if"},
    {"B_While", "loop"},        {"B_Uminus", "-"},     {"B_Index", "xs[i]"},      {"B_Con", "constant"},
    {"B_Slice", "xs[a ..< b]"}, {"B_Procs", "procs"},  {"B_Distl", "map"},        {"P_Distl", "map"},
    {"P_Project", "pick"},      {"B_Id", "the value"}, {"P_Split", "split"},      {"B_Split", "cut"},
    {"P_Blocks", "split"},      {"B_Blocks", "cut"},   {"B_Record", "{..: ..}"},  {"B_With", "{.. with ..}"},
    {"B_Field", "the field"},
};

static const char *operation_word(const char *keyword)
{
    for (int k = 0; k < BUILTINS; k++)
        if (builtins[k].kind == BMF_EXPRESSION_OP &&
            (strcmp(operation_keyword(builtins[k].operation, false), keyword) == 0 ||
             strcmp(operation_keyword(builtins[k].operation, true), keyword) == 0))
            return builtins[k].name;
    return NULL;
}

static const char *form_word(const char *keyword)
{
    for (int k = 0; k < BUILTINS; k++) {
        const bmf_expression_form *form = form_of_kind(builtins[k].kind);
        if (builtins[k].kind != BMF_EXPRESSION_OP &&
            (strcmp(form->keyword, keyword) == 0 || (form->parallel && strcmp(form->parallel, keyword) == 0)))
            return builtins[k].name;
    }
    return NULL;
}

static const char *word_of(const char *keyword)
{
    for (size_t k = 0; k < sizeof other_words / sizeof other_words[0]; k++)
        if (strcmp(other_words[k][0], keyword) == 0)
            return other_words[k][1];
    const char *word = operation_word(keyword);
    return word ? word : form_word(keyword);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The word that stands for what begins at `at`, and how much of the message it takes. */
static const char *replacement(const char *at, size_t *taken)
{
    char keyword[40];
    size_t length = 0;
    while (is_word(at[length]) && length + 1 < sizeof keyword) {
        keyword[length] = at[length];
        length++;
    }
    keyword[length] = '\0';
    *taken = length;
    return length > 2 && keyword[1] == '_' && (keyword[0] == 'B' || keyword[0] == 'P') ? word_of(keyword) : NULL;
}

void notation_words(const char *message, char *text, size_t size)
{
    size_t used = 0, taken = 0;
    bool inside = false; /* of a word */
    for (const char *at = message; *at && used + 1 < size; at += taken) {
        const char *word = inside ? NULL : replacement(at, &taken);
        inside = !word && is_word(*at);
        if (word) {
            const int made = snprintf(text + used, size - used, "%s", word);
            used += (size_t)made < size - used ? (size_t)made : size - used - 1;
            continue;
        }
        taken = 1;
        if (*at == '$' && is_word(at[1]))
            continue;
        text[used++] = *at;
    }
    text[used] = '\0';
}
