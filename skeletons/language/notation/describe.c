/* The sentences about built-in names and reserved words. */
#include "skeletons/language/notation/describe.h"

#include <string.h>

typedef struct described {
    const char *name, *about;
} described;

static const described builtins[] = {
    {"map", "The function of every element of a list."},
    {"filter", "The elements for which the function holds, in their order."},
    {"reduce",
     "All elements combined by an operator, always in the order of the fixed tree; with a default also for the "
     "empty list."},
    {"scan", "Element i is the reduction of the elements 0 to i."},
    {"zip", "The pairs of elements of two lists of equal length, or a function of every pair."},
    {"split",
     "Distributes a list over processors: the list of its parts, one on each. With {r, c} a list of rows in r x c "
     "blocks, with {p, r, c} a list of such; _ stands for as many as suit the processors."},
    {"cut",
     "The list in parts, as even as possible, on the same processor; with {r, c} a list of rows in r x c blocks."},
    {"join", "The whole of the blocks of a grid."},
    {"reduce_by_key",
     "The values of every key 0, 1, .. n - 1 combined by an operator, a list of n results; the default, which leaves "
     "what it is combined with as it is, stands for keys without values."},
    {"sort_by", "The elements in the order of their keys, numbers or bools; equal ones stay in their order."},
    {"group", "The elements by their keys: {key, elements} for every key, ascending."},
    {"stencil",
     "A function of every element and so many neighbours on each side, {before, .., element, .., behind}; beyond the "
     "ends stands a default, a constant or a function of the element that looks there, or else the other end. With "
     "{rows, columns} the points of a list of rows and those around them, {{..}, {.., point, ..}, {..}}, with {planes, "
     "rows, columns} those of planes of rows. Edges may be given one by one: {left: 0.0, right: u -> u}, with above "
     "and "
     "below, front and back; ring for both of a dimension."},
    {"shift",
     "Every element so many places on, or back; those that leave come back at the other end, or make room for a "
     "default: a constant, or a function of the element that is there."},
    {"length", "How many elements a list has."},
    {"iota", "The numbers 0 to n - 1."},
    {"sort", "The numbers in ascending order."},
    {"argsort", "The places of the numbers in ascending order of the numbers."},
    {"unique", "The numbers that are in the list, each once, ascending."},
    {"transpose", "The columns of a matrix, a list of rows of equal length, as rows."},
    {"matmul", "The product of two matrices, lists of rows: as many columns of the one as rows of the other."},
    {"pick", "The elements at these places."},
    {"abs", "The absolute value."},
    {"sqrt", "The square root."},
    {"exp", "e to the power x."},
    {"log", "The natural logarithm."},
    {"sin", "The sine of an angle in radians."},
    {"cos", "The cosine of an angle in radians."},
    {"tan", "The tangent of an angle in radians."},
    {"floor", "The largest whole number that is not above x, a real."},
    {"ceil", "The smallest whole number that is not below x, a real."},
    {"round", "The nearest whole number, a real; of two the even one."},
    {"neg", "The number with the other sign; of a bool the other one."},
    {"int", "A real without its fraction, as an int."},
    {"real", "An int as a real."},
    {"pow", "x to the power y."},
    {"atan2", "The angle of the point (x, y) from the x axis, in radians."},
    {"bitand", "The bits that are set in both."},
    {"bitor", "The bits that are set in one or both."},
    {"bitxor", "The bits that are set in one of the two."},
    {"shl", "The bits moved to the left."},
    {"shr", "The bits moved to the right."},
    {"random", "A random real from 0 to below 1, the number i of the sequence of this seed, the same on any number of "
               "processors."},
    {"max", "The larger of two."},
    {"min", "The smaller of two."},
    {"or", "True if one or both hold; both are computed."},
    {"and", "True if both hold; both are computed."},
    {"==", "True if both are equal."},
    {"!=", "True if they differ."},
    {"<", "True if a is less than b."},
    {"<=", "True if a is at most b."},
    {">", "True if a is more than b."},
    {">=", "True if a is at least b."},
    {"++", "The elements of the one list and then of the other."},
    {"+", "The sum."},
    {"-", "The difference; of one number the number with the other sign."},
    {"*", "The product."},
    {"/", "The quotient; of two ints without its fraction."},
    {"mod", "The remainder of a division, with the sign of the dividend."},
    {"not", "True if a does not hold."},
};

static const described words[] = {
    {"let", "let p = e in b computes e once and calls it p in b; in front of main it defines a name."},
    {"in", "let p = e in b"},
    {"if", "if c then a else b computes a where c holds, and b elsewhere."},
    {"then", "if c then a else b"},
    {"else", "if c then a else b"},
    {"loop",
     "loop p = e while c do b begins with e and goes on with b while c holds; loop p = e for i < n do b does so n "
     "times."},
    {"while", "loop p = e while c do b"},
    {"for", "loop p = e for i < n do b"},
    {"do", "loop p = e while c do b"},
    {"true", "A bool."},
    {"false", "A bool."},
    {"procs", "The number of processors that the program runs on; in split and cut."},
    {"inf", "The infinite real."},
    {"nan", "The real that is no number."},
    {"main", "The program; its parameters are the argument."},
    {"with", "{r with x: a} is the record r with a in the place of its field x."},
    {"default", "The data that main is applied to without --arg."},
};

static const char *find(const described *rows, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(rows[k].name, name) == 0)
            return rows[k].about;
    return NULL;
}

const char *notation_describe(const notation_builtin *builtin)
{
    return find(builtins, sizeof builtins / sizeof builtins[0], builtin->name);
}

const char *notation_describe_word(const char *word)
{
    return find(words, sizeof words / sizeof words[0], word);
}
