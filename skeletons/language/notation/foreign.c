/* What beginners write who know another language, and what it is here. */
#include "skeletons/language/notation/foreign.h"

#include <string.h>

typedef const char *const pairs[][2];

static const pairs words = {
    {"_", "it stands in patterns, and for all of a list in xs[_, 0]"},
    {"len", "the length of a list is length(xs)"},
    {"size", "the length of a list is length(xs)"},
    {"range", "the numbers from 0 on are 0 ..< n"},
    {"arange", "the numbers from 0 on are 0 ..< n"},
    {"fold", "a fold is reduce(+, xs) or reduce(+, 0, xs)"},
    {"foldl", "a fold is reduce(+, xs) or reduce(+, 0, xs)"},
    {"foldr", "a fold is reduce(+, xs) or reduce(+, 0, xs)"},
    {"cumsum", "running sums are scan(+, xs)"},
    {"concat", "lists are joined by xs ++ ys, all of a list by reduce(++, xss)"},
    {"append", "an element is appended by xs ++ [x]"},
    {"print", "a program prints the value of main by itself"},
    {"printf", "a program prints the value of main by itself"},
    {"float", "the conversion is real(x)"},
    {"double", "the conversion is real(x)"},
    {"fabs", "the absolute value is abs(x)"},
    {"ln", "the natural logarithm is log(x)"},
    {"head", "the first element is xs[0]"},
    {"first", "the first element is xs[0]"},
    {"last", "the last element is xs[length(xs) - 1]"},
    {"lambda", "a function is written x -> exp"},
    {"fun", "a function is written x -> exp"},
    {"fn", "a function is written x -> exp"},
    {"function", "a function is written x -> exp"},
    {"def", "a definition is written let name(x) = exp"},
    {"return", "the value of a definition is its expression; there is no return"},
    {"elif", "write else if"},
    {"elsif", "write else if"},
    {"True", "write true"},
    {"False", "write false"},
    {"None", "there is no None"},
    {"null", "there is no null"},
    {"numprocs", "the number of processors is procs, in split and cut"},
    {"map_reduce", "write xs |> map(f) |> reduce(+)"},
    {"fst", "components are taken apart by let {a, b} = e in .."},
    {"snd", "components are taken apart by let {a, b} = e in .."},
    {"sum", "the sum is reduce(+, 0, xs)"},
    {"prod", "the product is reduce(*, 1, xs)"},
    {"product", "the product is reduce(*, 1, xs)"},
    {"zeros", "n zeros are map(i -> 0.0, 0 ..< n)"},
    {"ones", "n ones are map(i -> 1.0, 0 ..< n)"},
    {"foreach", "something for every element is map(x -> .., xs)"},
    {"apply", "something for every element is map(x -> .., xs)"},
    {"where", "a choice is if c then a else b; elements are chosen by filter(x -> .., xs)"},
    {"reverse", "the list backwards is pick(xs, map(i -> length(xs) - 1 - i, iota(length(xs))))"},
    {"T", "the transposed matrix is transpose(m)"},
    {"dtype", "types are int, real and bool; bmf check prints them"},
    {"shape", "a matrix m has length(m) rows of length(m[0])"},
    {"power", "the power is x ** y"},
};

static const pairs marks = {
    {"=>", "a function is written x -> exp"},
    {"\\", "a function is written x -> exp"},
    {"^", "the power is written x ** y"},
    {"+=", "names keep their values; write let y = x + .. in .."},
    {"-=", "names keep their values; write let y = x - .. in .."},
    {"*=", "names keep their values; write let y = x * .. in .."},
    {":=", "a name is given its value by let x = e in .."},
    {"<-", "a name is given its value by let x = e in .."},
    {"//", "a remark begins with #; ints are divided by /"},
    {"/*", "a remark begins with # and ends with the line"},
    {"&&", "write and"},
    {"||", "write or"},
    {"<>", "write !="},
    {"=/", "write !="},
    {"..", "a range is written a ..< b"},
    {"%", "the remainder is written a mod b"},
    {"!", "write not a, a != b"},
    {"&", "write and"},
    {"|", "write e |> f(..) for a pipeline, or"},
    {"$", "names have no $ here; this is the notation, not core language"},
    {"\"", "there are no texts (strings); data are numbers, bools, tuples and lists"},
    {"'", "there are no texts (strings); data are numbers, bools, tuples and lists"},
    {";", "there is no ';'; steps are written let x = e in .., or e |> f(..)"},
    {":", "':' stands in records only, {x: 1.0}; write x -> exp for functions, if c then a else b for choices"},
    {".0", "components of a tuple have no numbers; take it apart: let {x, y} = e in .."},
    {".1", "components of a tuple have no numbers; take it apart: let {x, y} = e in .."},
    {".", "names have no dots; write f(x), or x |> f"},
    {"=", "= only stands in definitions; == compares"},
    {"@", "the product of matrices is matmul(a, b)"},
    {"?", "a choice is written if c then a else b"},
    {"~", "write not a"},
};

static const pairs beginnings = {
    {"for", "something for every element is map(x -> .., xs); a loop is written loop s = e for i < n do b"},
    {"while", "a loop is written loop s = e while c do b"},
    {"do", "a loop is written loop s = e while c do b"},
    {"then", "a choice is written if c then a else b"},
};

/* The definitions of examples/library, in front of a blank each. */
static const pairs libraries = {
    {"lists", " count any all enumerate repeat take drop windows chunks "},
    {"numbers", " dot mean norm linspace larger smaller argmax argmin "},
    {"matrices", " column rows columns matvec unit "},
};

static const char *find(const pairs table, size_t rows, const char *word, int64_t size)
{
    for (size_t k = 0; k < rows; k++)
        if ((int64_t)strlen(table[k][0]) == size && memcmp(table[k][0], word, (size_t)size) == 0)
            return table[k][1];
    return NULL;
}

#define FIND(table, word, size) find(table, sizeof(table) / sizeof *(table), word, size)

const char *foreign_word(const char *word, int64_t size)
{
    return FIND(words, word, size);
}

const char *foreign_beginning(const char *word, int64_t size)
{
    return FIND(beginnings, word, size);
}

const char *foreign_mark(const char *text, int64_t size)
{
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
        const int64_t length = (int64_t)strlen(marks[k][0]);
        if (size >= length && memcmp(text, marks[k][0], (size_t)length) == 0)
            return marks[k][1];
    }
    return NULL;
}

const char *foreign_library(const char *name, int64_t size)
{
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++)
        for (const char *at = libraries[k][1]; *(at + 1);) {
            const char *end = strchr(at + 1, ' ');
            if (end - at - 1 == size && memcmp(at + 1, name, (size_t)size) == 0)
                return libraries[k][0];
            at = end;
        }
    return NULL;
}
