/* Wrong programs in the notation, as beginners write them, each with its message. Lines and columns are counted by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/backend/backend.h"
#include "skeletons/language/argument_declared.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/notation/source.h"
#include "skeletons/language/types/check.h"

/* Reads, translates and types a program as `bmf check` does. */
static int check(const char *program)
{
    bmf_texts texts = {.processors = 4};
    bmf_library library = {0};
    bmf_parsed parsed;
    bmf_expressions *arena = expressions_create();
    bmf_expression *checked;
    bmf_argument argument = {.type = &bmf_type_int};
    texts_add(&texts, "p.bmf", program, (int64_t)strlen(program));
    int status = source_parse(NULL, &texts, 1, arena, &library, &parsed);
    if (status == BMF_OK)
        status = library_check(NULL, &texts, &library, parsed.expression);
    if (status == BMF_OK && parsed.has_data)
        status = data_parse(NULL, &texts, parsed.data, &argument.type, &argument.column);
    if (status == BMF_OK)
        status = arguments_declare(NULL, &texts, &parsed, NULL, &argument, 1);
    if (status == BMF_OK)
        status = check_types(NULL, &texts, arena, &library, parsed.expression, argument.type, &checked);
    column_free(&argument.column);
    library_free(&library);
    expressions_free(arena);
    texts_free(&texts);
    return status;
}

/* The message without the line of the text that is shown below it. */
static void assert_message(const char *program, const char *message)
{
    const int status = check(program);
    const char *found = status == BMF_OK ? "no error" : bmf_error_text(NULL), *end = strchr(found, '\n');
    const size_t size = end ? (size_t)(end - found) : strlen(found);
    if (strlen(message) != size || memcmp(message, found, size) != 0)
        fail_msg("%s\n  expected: %s\n  found:    %.*s", program, message, (int)size, found);
    assert_true(status == BMF_OK || bmf_exit_code(status) == 2);
}

/* The table of the sketch of the notation. */
static const char *const sketch[][2] = {
    {"let sum(xs) = reduce(+, 0, xs)\nmain(xs) = summ(xs) default [1]",
     "p.bmf:2:12: summ is not defined; is sum meant?"},
    {"main(xs) = map(x -> x + m, xs) default [1]", "p.bmf:1:25: m is not defined"},
    {"main(xs, n) = reduce({a, b} -> a + b * n, xs) default {[1], 2}",
     "p.bmf:1:40: the operator of reduce sees its two operands only, but uses n; put n into the elements first: "
     "map(x -> {x, n}, xs)"},
    {"main(rows) = rows * 2 default [[1.0]]",
     "p.bmf:1:19: * needs two numbers, found [[real]] and int; to do it to every element write map(x -> .., ..)"},
    {"let f(a, b) = a + b\nmain(x) = f(x, x, x) default 1",
     "p.bmf:2:11: f takes 2 arguments, 3 given (defined at 1:5)"},
    {"main(xs) = map({a, b} -> {a, b}, xs) default [{1, 2, 3}]",
     "p.bmf:1:16: the pattern has 2 components, the value 3: {int, int, int}"},
    {"main(c, xs) = map({a, b} -> {c, {a, b}}, xs) default {1, [{1, 2, 3}]}",
     "p.bmf:1:19: the pattern has 2 components, the value 3: {int, int, int}"},
    {"main(e) = let {a, b} = e in {a, b} default {1, 2, 3}",
     "p.bmf:1:15: the pattern has 2 components, the value 3: {int, int, int}"},
    {"main(e) = length(let {a, b} = e in {a, b}) default [1]",
     "p.bmf:1:22: the pattern has 2 components, the value is no tuple: [int]"},
    {"main(e, f) = {let {a, b} = e in a, let {a, b} = e in b} default {{1, 2, 3}, 4}",
     "p.bmf:1:19: the pattern has 2 components, the value 3: {int, int, int}"},
    {"let pair({a, b}) = {a, b}\nmain(x) = let {a, b, c} = pair(x) in a default {1, 2}",
     "p.bmf:2:15: the pattern has 3 components, the value 2: {int, int}"},
    {"main(xs) = xs |> reduce(+ 0) default [1]", "p.bmf:1:27: ',' expected after the operator +"},
    {"main(e) = let {a, b} = e in a + b default {1.0, 2.0, 3}",
     "p.bmf:1:15: the pattern has 2 components, the value 3: {real, real, int}"},
    {"main(xs) = let parts = split(procs, xs) in map(p -> parts[0], parts) default [1]",
     "p.bmf:1:53: parts lies on all processors and cannot be handed to each of them; gather it first: reduce(++, ..)"},
    {"main(xs, n) = split(n, xs) default {[1], 2}",
     "p.bmf:1:21: split takes a number or procs: how many processors there are is known before the program runs"},
    {"let f(n) = if n == 0 then 1 else n * f(n - 1)\nmain(n) = f(n) default 3",
     "p.bmf:1:38: f uses itself; loops are written loop s = e while c do b"},
    {"main(xs) = map(lambda x: x, xs) default [1]", "p.bmf:1:16: a function is written x -> exp"},
    {"main(xs) = map(\\x -> x, xs) default [1]", "p.bmf:1:16: a function is written x -> exp"},
    {"main(xs) = map(x => x, xs) default [1]", "p.bmf:1:18: a function is written x -> exp"},
    {"main(xs) = B_Map (B_Id) xs default [1]",
     "p.bmf:1:12: this is core language; a text is one or the other (bmf core FILE prints the core of this one)"},
};

/* Words and marks of other languages. */
static const char *const foreign[][2] = {
    {"main(xs) = len(xs) default [1]", "p.bmf:1:12: len is not defined; the length of a list is length(xs)"},
    {"main(n) = range(n) default 3", "p.bmf:1:11: range is not defined; the numbers from 0 on are 0 ..< n"},
    {"main(xs) = fold(+, 0, xs) default [1]",
     "p.bmf:1:12: fold is not defined; a fold is reduce(+, xs) or reduce(+, 0, xs)"},
    {"main(xs) = print(xs) default [1]",
     "p.bmf:1:12: print is not defined; a program prints the value of main by itself"},
    {"main(x) = float(x) default 1", "p.bmf:1:11: float is not defined; the conversion is real(x)"},
    {"main(x) = x ^ 2 default 1.0", "p.bmf:1:13: the power is written x ** y"},
    {"main(x) = x % 2 default 1", "p.bmf:1:13: the remainder is written a mod b"},
    {"main(a, b) = a && b default {true, false}", "p.bmf:1:16: write and"},
    {"main(a, b) = a || b default {true, false}", "p.bmf:1:16: write or"},
    {"main(a) = !a default true", "p.bmf:1:11: write not a, a != b"},
    {"main(x) = if x = 1 then 2 else 3 default 1", "p.bmf:1:16: = only stands in definitions; == compares"},
    {"main(x) = x; default 1", "p.bmf:1:12: there is no ';'; steps are written let x = e in .., or e |> f(..)"},
    {"main(x) = \"text\" default 1",
     "p.bmf:1:11: there are no texts (strings); data are numbers, bools, tuples and lists"},
    {"main(xs) = xs.length default [1]", "p.bmf:1:15: length is no field, and names have no dots; write length(xs)"},
    {"main(xs) = xs.map(sqrt) default [1]", "p.bmf:1:14: names have no dots; write map(..), or .. |> map(..)"},
    {"main(x) = x. default 1",
     "p.bmf:1:14: the name of a field expected, found default, which is a word of the notation"},
    {"main(x) = x .. 3 default 1", "p.bmf:1:13: a range is written a ..< b"},
    {"main(c) = c ? 1 : 2 default true", "p.bmf:1:13: a choice is written if c then a else b"},
    {"main(x) = if x > 0: 1 default 1",
     "p.bmf:1:19: ':' stands in records only, {x: 1.0}; write x -> exp for functions, if c then a else b for choices"},
    {"main(xs) = $sum xs default [1]", "p.bmf:1:12: names have no $ here; this is the notation, not core language"},
    {"main(x) = x // a remark\ndefault 1", "p.bmf:1:14: an expression expected, found '/'"},
    {"main(x) = return x default 1", "p.bmf:1:11: the value of a definition is its expression; there is no return"},
    {"main(x) = True default 1", "p.bmf:1:11: True is not defined; write true"},
    {"let x := 3\nmain = x", "p.bmf:1:7: a name is given its value by let x = e in .."},
    {"main(x) = if x > 0 then 1 elif x < 0 then 2 else 3 default 1",
     "p.bmf:1:27: else (an if has a value either way) expected, found elif"},
    {"main(xs) = xs[0:2] default [1]", "p.bmf:1:16: a slice is written xs[a ..< b], all of a list _"},
    {"main(xss) = xss[1, 2, 3, 4, 5, 6, 7, 8, 9] default [[1, 2]]",
     "p.bmf:1:41: a list of lists takes at most 8 indices"},
    {"main(xss) = xss[0, ] default [[1, 2]]", "p.bmf:1:20: an expression expected, found ']'"},
    {"main(xss) = xss[0 ..<, 1] default [[1, 2]]", "p.bmf:1:22: an expression expected, found ','"},
    {"main(xss) = xss[_ + 1] default [[1, 2]]",
     "p.bmf:1:17: _ is not defined; it stands in patterns, and for all of a list in xs[_, 0]"},
    {"main(xs) = [x * 2 for x in xs] default [1]", "p.bmf:1:19: a list that is made of another is map(x -> .., xs)"},
    {"let def f(x) = x\nmain = f(1)", "p.bmf:1:9: '=' expected; parameters stand in brackets: let def(x) = .."},
    {"main(x, y) = (x, y) default {1, 2}", "p.bmf:1:16: a tuple is written {a, b}"},
    {"main(xs) = map((x) -> x, xs) default [1]", "p.bmf:1:16: a function of several values is written {a, b} -> exp"},
    {"main(xs) = reduce((a, b) -> a + b, xs) default [1]",
     "p.bmf:1:19: a function of several values is written {a, b} -> exp"},
};

/* Definitions and main. */
static const char *const definitions[][2] = {
    {"let f(x) = x", "p.bmf:1:13: the program has no main; it ends with main(xs) = .."},
    {"let f(x) = x\nlet f(y) = y\nmain = f(1)", "p.bmf:2:5: f is defined twice; first at p.bmf:1:5"},
    {"let map(x) = x\nmain = 1", "p.bmf:1:5: map is built in; choose another name"},
    {"let if(x) = x\nmain = 1", "p.bmf:1:5: a name expected, found if, which is a word of the notation"},
    {"let f x = x\nmain = f(1)", "p.bmf:1:7: '=' expected; parameters stand in brackets: let f(x) = .."},
    {"let f() = 1\nmain = f()",
     "p.bmf:1:6: a function has at least one parameter; without any, f is a constant: f = .."},
    {"let f(x) -> x\nmain = f(1)", "p.bmf:1:10: a definition is written let f(x) = .."},
    {"let f(x, x) = x\nmain = f(1, 2)", "p.bmf:1:10: x stands twice in the pattern"},
    {"let {a, b} = {1, 2}\nmain = a", "p.bmf:1:5: a definition has one name; patterns stand in let {a, b} = e in .."},
    {"let main(x) = x", "p.bmf:1:5: main is written without let: main(xs) = .."},
    {"let f(x) = x in\nmain = f(1)", "p.bmf:1:14: a definition has no in; what follows it is the next one"},
    {"main = 1\nlet f(x) = x", "p.bmf:2:1: main is the last definition; this belongs before it"},
    {"main(x) = x + default 1", "p.bmf:1:15: an expression expected, found default, which is a word of the notation"},
    {"main = 1 default 2", "p.bmf:1:10: main has no parameters that a default could be for"},
    {"main(x) = f(x)\nwhere f(x) = x", "p.bmf:2:1: there is no where; write let x = e in .. before"},
    {"let f(x) = g(x)\nlet g(x) = f(x)\nmain = f(1)",
     "p.bmf:2:12: a definition uses itself: f -> g -> f; loops are written loop s = e while c do b"},
    {"let c = 3\nmain = c(1)", "p.bmf:2:8: c is a constant, not a function"},
    {"let f(x) = x\nmain = f + 1", "p.bmf:2:8: f is a function; write f(..), or give it to map, filter, .."},
    {"main(x) =", "p.bmf:1:10: an expression expected, found the end of the text"},
    {"main x = x default 1", "p.bmf:1:6: '=' expected; parameters stand in brackets: let main(x) = .."},
};

/* Expressions. */
static const char *const expressions[][2] = {
    {"main(x) = sqrt x default 1.0",
     "p.bmf:1:16: the end of the text or default expected, found x; a call is written sqrt(x)"},
    {"main(x) = let y = x\ny + 1 default 1", "p.bmf:2:1: in (let x = e in ..) expected, found y"},
    {"main(x) = let f(y) = y in f(x) default 1",
     "p.bmf:1:15: functions are defined at the top: let f(x) = .. before the definition that uses them"},
    {"main(x) = if x > 0 then 1 default 1", "p.bmf:1:27: else (an if has a value either way) expected, found default"},
    {"main(x) = if x > 0 { 1 } default 1", "p.bmf:1:20: then expected, found '{'"},
    {"main(x) = 0 < x < 3 default 1", "p.bmf:1:17: comparisons do not chain: write a < b and b < c"},
    {"main(x) = (x + 1 default 1", "p.bmf:1:18: ')' expected, found default"},
    {"main(xs) = [1, 2 default [1]", "p.bmf:1:18: ',' or ']' expected, found default"},
    {"main(xs) = map(x -> x, xs, xs) default [1]", "p.bmf:1:12: map takes 2 arguments, 3 given: map(x -> .., xs)"},
    {"main(xs) = max(xs) default [1]",
     "p.bmf:1:12: max takes 2 arguments, 1 given: max(a, b); the largest element is reduce(max, xs), the smallest "
     "reduce(min, xs)"},
    {"main(xs) = reduce(0, +, xs) default [1]",
     "p.bmf:1:19: reduce needs a function first: a name, an operator, or x -> ..; found a value"},
    {"main(xs) = map(xs, x -> x) default [1]",
     "p.bmf:1:16: xs is a value here; map needs a function: a name, an operator, x -> ..; the list stands behind it"},
    {"main(xs) = xs |> map(x -> x) |> x -> x default [1]",
     "p.bmf:1:35: the end of the text or default expected, found '->'"},
    {"main(xs) = map(reduce, xs) default [[1]]",
     "p.bmf:1:16: reduce by itself is no function; write x -> reduce(+, xs) or reduce(+, 0, xs)"},
    {"main(xs) = x -> x default [1]",
     "p.bmf:1:12: a function is no value; it stands as the first argument of map, filter, reduce, .."},
    {"main(xs) = procs default [1]", "p.bmf:1:12: procs stands in split and cut only: split(procs, xs)"},
    {"main(xs, d) = reduce(+, d, xs) default {[1], 2}",
     "p.bmf:1:25: the default of reduce is a constant, but uses d; put the value into the list: reduce(op, [d] ++ xs)"},
    {"main(n) = loop s = 0 for i in n do s + i default 3",
     "p.bmf:1:28: a loop counts from 0: loop s = e for i < n do b"},
    {"main(n) = loop s = 0 do s + 1 default 3", "p.bmf:1:22: while or for expected, found do"},
    {"main(n) = loop i = 0 for i < n do i default 3", "p.bmf:1:26: i stands twice in the pattern"},
    {"main(x) = 12abc default 1", "p.bmf:1:11: 12abc is no number"},
    {"main(x) = 99999999999999999999 default 1", "p.bmf:1:11: 99999999999999999999 does not fit a 64-bit int"},
    {"main(x) = () default 1", "p.bmf:1:11: an expression expected between the brackets"},
    {"main(x) = {} default 1", "p.bmf:1:11: a tuple has 1 to 32 components"},
    {"main(x) = x + not x default true", "p.bmf:1:15: not needs brackets here: (not ..)"},
    {"main(x) = length default [1]", "p.bmf:1:11: length is a function; write length(xs)"},
};

/* Types: found in the core, said in the words of the notation. */
static const char *const types[][2] = {
    {"main(x) = length(x) default 1", "p.bmf:1:11: length needs a list, found int"},
    {"main(x) = if x then 1 else 2 default 1", "p.bmf:1:14: if needs a predicate that makes a bool, found int"},
    {"main(x) = if x > 0 then 1 else [1] default 1",
     "p.bmf:1:32: the branches of if must make one type, found int and [int]"},
    {"main(xs) = xs + xs default [1]",
     "p.bmf:1:15: + needs two numbers, found [int] and [int]; to do it to every pair write zip(.., xs, ys)"},
    {"main(xs) = filter(x -> x, xs) default [1]", "p.bmf:1:24: filter needs a predicate that makes a bool, found int"},
    {"main(x) = map(y -> y, x) default 1", "p.bmf:1:11: map needs a list, found int"},
    {"main(x) = x and true default 1", "p.bmf:1:13: and needs two bools, found int and bool"},
    {"let f(a, b) = a + b\nmain(x) = f(x) default 1", "p.bmf:2:11: f takes 2 arguments, found int"},
    {"main(xs) = map({a, b} -> a + b, xs) default [1]",
     "p.bmf:1:16: the pattern has 2 components, the value is no tuple: int"},
    {"let f(x) = length(x)\nmain(x) = f(x) default 1",
     "p.bmf:1:12: length needs a list, found int (in f, used at p.bmf:2:11)"},
    {"main(x) = x[0] default 1", "p.bmf:1:12: xs[i] needs {a list, int}, found {int, int}"},
    {"main(x) = split(procs, x) default 1", "p.bmf:1:11: split needs a list, found int"},
    {"main(xs) = reduce_by_key(+, 0, 3, xs) default [1]",
     "p.bmf:1:12: reduce_by_key needs {a number of keys, a list of {key, value}}, found {int, [int]}"},
    {"main(xs) = xs |> reduce_by_key(++, [0], 3) default [{1, [1]}]",
     "p.bmf:1:18: reduce_by_key needs values without lists, found [int]; group collects the values of every key"},
    {"main(xs) = sort_by(x -> {x, x}, xs) default [1]",
     "p.bmf:1:25: sort_by needs a key that is an int, a real or a bool, found {int, int}"},
    {"main(xs) = xs |> split(2) |> map(length) |> unique default [1]",
     "p.bmf:1:45: unique needs a list of ints, reals or bools, or a distributed list of such, found P[int]"},
    {"main(xs) = transpose(xs) default [1]",
     "p.bmf:1:12: transpose needs a list of lists of equal length, found [int]"},
    {"main(xs) = xs |> split(2) |> transpose default [1]",
     "p.bmf:1:30: transpose needs a list of lists of equal length, or a distributed list of such, found P[[int]]"},
    {"main(a) = matmul(a, a[0]) default [[1.5]]",
     "p.bmf:1:11: matmul needs two placed lists of rows of numbers, found [[real]] and [real]"},
    {"main(a) = matmul(split(2, a), a) default [[1.5]]",
     "p.bmf:1:11: matmul needs two placed lists of rows of numbers, found P[[[real]]] and [[real]]; map multiplies the "
     "parts of a distributed one"},
    {"main(xs) = xs[1, 0 ..< 1] default [1, 2]",
     "p.bmf:1:14: xs[a ..< b] needs {a placed list, int, int}, found {int, int, int}"},
    {"main(xs) = xs[_, 0] default [1, 2]", "p.bmf:1:14: xs[i] needs {a list, int}, found {int, int}"},
    {"main(xs) = xs[0 ..< 1, _] default [1, 2]", "p.bmf:1:14: map needs a list, found int"},
    {"main(xs) = xs[0.5 ..< 1] default [1, 2]",
     "p.bmf:1:14: xs[a ..< b] needs {a placed list, int, int}, found {[int], real, int}"},
    {"main(xs) = split(2, xs)[0 ..< 1] default [1, 2]",
     "p.bmf:1:24: xs[a ..< b] needs {a placed list, int, int}, found {P[[int]], int, int}"},
    {"let transpose(m) = m\nmain(a) = transpose(a) default [[1]]",
     "p.bmf:1:5: transpose is built in; choose another name"},
    {"main(xs) = shift(1, true, xs) default [1]",
     "p.bmf:1:21: the default of shift must go with the elements, found int and bool"},
    {"main(xs) = stencil(1, {a, b} -> a, xs) default [1]",
     "p.bmf:1:23: the pattern has 2 components, the value 3: {int, int, int}"},
};

/* The words for neighbours and keys. */
static const char *const words[][2] = {
    {"main(n, xs) = shift(n, xs) default {1, [1]}",
     "p.bmf:1:21: shift takes a whole number of places, such as 1 or -1, as its first argument"},
    {"main(n, xs) = shift(1, n, xs) default {1, [1]}", "p.bmf:1:24: the default of shift is a constant, but uses n"},
    {"main(m) = split({2}, m) default [[1]]", "p.bmf:1:17: a grid has 2 or 3 dimensions: {r, c} or {p, r, c}"},
    {"main(m) = split({0, 2}, m) default [[1]]", "p.bmf:1:18: split needs at least 1 block in each dimension"},
    {"main(m) = split({2.5, 2}, m) default [[1]]",
     "p.bmf:1:18: split takes a number or procs: how many processors there are is known before the program runs"},
    {"main(m) = cut({_, 2}, m) default [[1]]", "p.bmf:1:16: cut takes the numbers of a grid; only split chooses some"},
    {"main(m) = join(2, m) default [[1]]", "p.bmf:1:16: the numbers of a grid are written {r, c}"},
    {"main(m) = join(m) default [[1]]",
     "p.bmf:1:11: join needs blocks of a grid, P{..}[..], or the numbers of the grid, found [[int]]"},
    {"main(m) = map(r -> split({_, 2}, r), m) default [[[1]]]",
     "p.bmf:1:20: split chooses a grid of all processors, so inside a map or an operator it needs its numbers"},
    {"main(xs) = stencil({1, 0}, {a, b, c} -> a, xs) default [[1]]",
     "p.bmf:1:24: stencil reaches 1 or more points to each side, found 0"},
    {"main(xs) = stencil({1, 1}, {a, b, c} -> b, xs) default [1]",
     "p.bmf:1:12: stencil needs a list of rows of points without lists, or a distributed list of such, found [int]"},
    {"main(xs) = stencil({1, 1}, {{a, b, c}, d} -> b, xs) default [[1]]",
     "p.bmf:1:28: the pattern has 2 components, the value 3: {{int, int, int}, {int, int, int}, {int, int, int}}"},
    {"main(xs) = stencil({1, 1, 1}, {a, b, c} -> b, xs) default [[1]]",
     "p.bmf:1:12: stencil needs a list of planes of rows of points without lists, or a distributed list of such, found "
     "[[int]]"},
    {"main(xs) = stencil({1, 1, 1, 1}, {a, b, c} -> b, xs) default [[1]]",
     "p.bmf:1:20: stencil takes a whole number of places, such as 1 or -1, as its first argument"},
    {"main(xs) = stencil(1, {a, b, c} -> a, {left: 0}, xs) default [1]",
     "p.bmf:1:39: a stencil in 1 dimension has the edges left and right; right is missing"},
    {"main(xs) = stencil({1, 1}, {a, b, c} -> 1, {left: 0, right: 1, above: 2}, xs) default [[1]]",
     "p.bmf:1:44: a stencil in 2 dimensions has the edges above, below, left and right; below is missing"},
    {"main(xs) = stencil({1, 1}, {a, b, c} -> 1, {above: 0, below: 0, left: 0, right: 1, front: 2}, xs) default [[1]]",
     "p.bmf:1:44: a stencil in 2 dimensions has the edges above, below, left and right only"},
    {"main(xs) = stencil(1, {a, b, c} -> a, {left: ring, right: 0}, xs) default [1]",
     "p.bmf:1:46: a ring has no ends: left and right are both ring, or neither"},
    {"main(ring, xs) = stencil(1, {a, b, c} -> a, {left: ring, right: ring}, xs) default {1, [1]}",
     "p.bmf:1:52: ring is an edge that is none; give what you call so another name"},
    {"main(xs) = stencil(1, {a, b, c} -> a, {left: 0, right: true}, xs) default [1]",
     "p.bmf:1:56: the default of stencil must go with the elements, found int and bool"},
    {"main(n, xs) = stencil(1, {a, b, c} -> a, {left: m, right: n}, xs) default {1, [1]}",
     "p.bmf:1:49: m is not defined"},
    {"main(n, xs) = reduce_by_key({a, b} -> a + n, 0, 2, xs) default {1, [{1, 1}]}",
     "p.bmf:1:43: the operator of reduce_by_key sees its two operands only, but uses n; put n into the elements first: "
     "map(x -> {x, n}, xs)"},
    {"main(xs) = reduce_by_key(+, 0, xs) default [{1, 1}]",
     "p.bmf:1:12: reduce_by_key takes 4 arguments, 3 given: reduce_by_key(+, 0, number of keys, list of {key, value})"},
};

/* Records. */
static const char *const records[][2] = {
    {"main(p) = p.z default {x: 1.0, y: 2.0}", "p.bmf:1:13: z is no field of {x: real, y: real}"},
    {"main(p) = p.heigth default {width: 1.0, height: 2.0}",
     "p.bmf:1:13: heigth is no field of {width: real, height: real}; is height meant?"},
    {"main(p) = p.X default {x: 1.0, y: 2.0}", "p.bmf:1:13: X is no field of {x: real, y: real}; is x meant?"},
    {"main(p) = p.x default {1.0, 2.0}",
     "p.bmf:1:13: x is a field of records such as {x: 1}, found {real, real}, whose components have no names"},
    {"main(p) = p.x default 1", "p.bmf:1:13: x is a field of records such as {x: 1}, found int"},
    {"main(ps) = ps.x default [{x: 1.0}]",
     "p.bmf:1:15: x is a field of the elements, not of their list [{x: real}]; write map(x -> x.x, xs)"},
    {"main(p) = {p with z: 1} default {x: 1.0}", "p.bmf:1:11: z is no field of {x: real}"},
    {"main(p) = {p with x: 1} default {1.0, 2.0}",
     "p.bmf:1:11: x is a field of records such as {x: 1}, found {real, real}, whose components have no names"},
    {"main(p) = {x: 1, x: 2} default 1", "p.bmf:1:18: the field x stands twice in the record"},
    {"main(p) = {p with x: 1, x: 2} default {x: 1}", "p.bmf:1:25: the field x stands twice in the record"},
    {"main(p) = {x: 1, 2} default 1", "p.bmf:1:18: the name of a field expected, found 2"},
    {"main(p) = {x: 1, y} default 1", "p.bmf:1:19: ':' (fields of a record are written x: exp) expected, found '}'"},
    {"main(p) = {x: 1 default 1", "p.bmf:1:17: ',' or '}' expected, found default"},
    {"main(p) = {1, x: 2} default 1",
     "p.bmf:1:16: ':' stands in records only, {x: 1.0}; write x -> exp for functions, if c then a else b for choices"},
    {"main(p) = {p with 1} default {x: 1}", "p.bmf:1:19: the name of a field expected, found 1"},
    {"main(p) = {if: 1} default 1",
     "p.bmf:1:12: the name of a field expected, found if, which is a word of the notation"},
    {"main(p) = map({x: a} -> a, p) default [{x: 1}]",
     "p.bmf:1:15: a pattern takes components in their order, {a, b} -> ..; the fields of a record r are r.x"},
    {"main(p) = let {x: a} = p in a default {x: 1}",
     "p.bmf:1:17: a pattern takes components in their order, {a, b}; the fields of a record r are r.x, r.y"},
    {"main(p) = if p.x > 0 then p else {y: 1} default {x: 1}",
     "p.bmf:1:34: the branches of if must make one type, found {x: int} and {y: int}"},
    {"main(ps) = reduce({a, b} -> {y: a.x + b.x}, ps) default [{x: 1}]",
     "p.bmf:1:29: the operator of reduce must make the type of its operands, found {x: int} and {y: int}"},
    {"main(p) = p default {x: 1, x: 2}", "p.bmf:1:28: the field x stands twice in the record"},
    {"main(p) = p default {x: 1, 2}", "p.bmf:1:28: the name of a field (x: ..) expected, found 2"},
    {"main(p) = p default [{x: 1}, {y: 2}]", "p.bmf:1:31: the field x expected, found y"},
    {"main(p) = p default [{x: 1}, {2}]", "p.bmf:1:31: the field x expected, found 2"},
    {"main(p) = p default {in: 1}", "p.bmf:1:22: the field in is a word of the notation"},
    {"main(p) = p default {x: 1, y: }", "p.bmf:1:31: data expected, found '}'"},
};

/* More of what is written first by who knows NumPy, C or a functional language. */
static const char *const habits[][2] = {
    {"main(xs) = sum(xs) default [1, 2]", "p.bmf:1:12: sum is not defined; the sum is reduce(+, 0, xs)"},
    {"main(n) = zeros(n) default 3", "p.bmf:1:11: zeros is not defined; n zeros are map(i -> 0.0, 0 ..< n)"},
    {"main(xs) = mean(xs) default [1]",
     "p.bmf:1:12: mean is not defined; it is in the library numbers: --library numbers"},
    {"main(xs) = enumerate(xs) default [1]",
     "p.bmf:1:12: enumerate is not defined; it is in the library lists: --library lists"},
    {"main(m) = column(0, m) default [[1]]",
     "p.bmf:1:11: column is not defined; it is in the library matrices: --library matrices"},
    {"main(m) = m @ m default [[1.0]]", "p.bmf:1:13: the product of matrices is matmul(a, b)"},
    {"main(xs) = for x in xs do x + 1 default [1]",
     "p.bmf:1:12: something for every element is map(x -> .., xs); a loop is written loop s = e for i < n do b"},
    {"main(x) = while x < 10 do x + 1 default 1", "p.bmf:1:11: a loop is written loop s = e while c do b"},
    {"main(xs) = [x + 1 for x in xs] default [1]", "p.bmf:1:19: a list that is made of another is map(x -> .., xs)"},
    {"main(x) = x += 1 default 1", "p.bmf:1:14: names keep their values; write let y = x + .. in .."},
    {"main(xs) = reduce(+, xs, 0) default [1]",
     "p.bmf:1:22: the list is the last argument of reduce: reduce(op, 0, xs)"},
    {"main(xs) = shift(1, xs, 0) default [1]", "p.bmf:1:21: the default of shift is a constant, but uses xs"},
    {"main(xs) = split(xs, procs) default [1]", "p.bmf:1:18: the list is the last argument of split: split(procs, xs)"},
    {"main(xs) = cut(xs, 2) default [1]", "p.bmf:1:16: the list is the last argument of cut: cut(procs, xs)"},
    {"main(a) = a[0] default {1, 2}",
     "p.bmf:1:12: xs[i] needs a list, found the tuple {int, int}; take it apart: let {x, y} = e in .."},
    {"main(a) = a.0 default {1, 2}",
     "p.bmf:1:12: components of a tuple have no numbers; take it apart: let {x, y} = e in .."},
    {"main(s) = s default \"abc\"",
     "p.bmf:1:21: there are no texts (strings); data are numbers, bools, tuples and lists"},
    {"def f(x): return x", "p.bmf:1:1: unknown keyword def; a program in the notation begins with let or main"},
    {"import numpy as np", "p.bmf:1:1: unknown keyword import; a program in the notation begins with let or main"},
    {"main(int x) = x default 1", "p.bmf:1:6: the type of a parameter stands behind it: main(x: int)"},
    {"main(x: int[]) = x default [1]", "p.bmf:1:12: a list of int is written [int]"},
};

static const char *const declared[][2] = {
    {"main(x: float) = x default 1", "p.bmf:1:9: there is no type float; is real meant?"},
    {"main(x: matrix) = x default 1", "p.bmf:1:9: there is no type matrix; is [[real]] meant?"},
    {"main(x: number) = x default 1",
     "p.bmf:1:9: a type, such as int, real, bool, [real] or {int, real}, expected, found number"},
    {"main(x: ) = x default 1",
     "p.bmf:1:9: a type, such as int, real, bool, [real] or {int, real}, expected, found ')'"},
    {"main(x: [real) = x default 1", "p.bmf:1:14: ']' expected, found ')'"},
    {"main(x: {real; int}) = x default 1", "p.bmf:1:14: ',' or '}' expected, found ';'"},
    {"main(x: {a: int, real}) = x default 1", "p.bmf:1:18: a field, name: type, expected, found real"},
    {"main(x: {a: int, a: real}) = x default 1", "p.bmf:1:18: the field a stands twice in the record"},
    {"main(x: int y) = x default 1", "p.bmf:1:13: ')' expected, found y"},
    {"let f(x: real) = x\nmain(x) = f(x) default 1",
     "p.bmf:1:8: types are written at the parameters of main only; all others follow from them"},
    {"main(x) = let y: int = x in y default 1",
     "p.bmf:1:16: types are written at the parameters of main only; all others follow from them"},
    {"main({a: int, b}) = a default {1, 2}",
     "p.bmf:1:8: a pattern takes components in their order, {a, b}; the fields of a record r are r.x, r.y"},
    {"main(x: int) = x default 1.5", "p.bmf:1:7: x is declared to be int, found real"},
    {"main(xs: [real], n: int) = xs default {[1], true}", "p.bmf:1:19: n is declared to be int, found bool"},
    {"main(xs: [{int, _}]) = xs default [{1.5, 2}]", "p.bmf:1:8: xs is declared to be [{int, _}], found [{real, int}]"},
    {"main(p: {x: int}) = p.x default {y: 1}", "p.bmf:1:7: p is declared to be {x: int}, found {y: int}"},
    {"main({a, b}: {int, int}) = a default {1, 2.5}",
     "p.bmf:1:12: the argument is declared to be {int, int}, found {int, real}"},
    {"main(x: real, y: real) = x default 3", "p.bmf:1:5: the pattern has 2 components, the value is no tuple: int"},
    {"main(p: {x: int}) = p.y default {1}", "p.bmf:1:23: y is no field of {x: int}"},
    {"B_Id : [float] [1]", "p.bmf:1:9: there is no type float; is real meant?"},
    {"B_Id : [bool] [1]", "p.bmf:1:6: the argument is declared to be [bool], found [int]"},
    {"B_Id : [int] $f", "p.bmf:1:14: data or the end of the program expected, found $f; does a '.' belong before it?"},
};

#define ROWS(table) table, sizeof table / sizeof table[0]

static void assert_table(const char *const table[][2], size_t rows)
{
    for (size_t k = 0; k < rows; k++)
        assert_message(table[k][0], table[k][1]);
}

static void test_sketch(void **state)
{
    (void)state;
    assert_table(ROWS(sketch));
}

static void test_foreign(void **state)
{
    (void)state;
    assert_table(ROWS(foreign));
}

static void test_definitions(void **state)
{
    (void)state;
    assert_table(ROWS(definitions));
}

static void test_expressions(void **state)
{
    (void)state;
    assert_table(ROWS(expressions));
}

static void test_types(void **state)
{
    (void)state;
    assert_table(ROWS(types));
}

static void test_words(void **state)
{
    (void)state;
    assert_table(ROWS(words));
}

static void test_records(void **state)
{
    (void)state;
    assert_table(ROWS(records));
}

static void test_habits(void **state)
{
    (void)state;
    assert_table(ROWS(habits));
}

static void test_declared(void **state)
{
    (void)state;
    assert_table(ROWS(declared));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sketch),      cmocka_unit_test(test_foreign),  cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_expressions), cmocka_unit_test(test_types),    cmocka_unit_test(test_words),
        cmocka_unit_test(test_records),     cmocka_unit_test(test_declared), cmocka_unit_test(test_habits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
