/* The functions of the language for lists and values of any kind. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/lisp_private.h"

typedef const bmf_lisp_value value;

BUILTIN(negation)
{
    (void)host, (void)count;
    *out = lisp_boolean(lisp, !argument[0]);
    return BMF_OK;
}

BUILTIN(equal)
{
    (void)host, (void)count;
    *out = lisp_boolean(lisp, lisp_equal(argument[0], argument[1]));
    return BMF_OK;
}

/* ---- lists ---- */

static int need_list(const bmf_lisp *lisp, value *list)
{
    char text[80];
    if (!list || list->kind == BMF_LISP_CONS)
        return BMF_OK;
    return lisp_fail(lisp, "a list is wanted, not %s", lisp_text(list, text, sizeof text));
}

BUILTIN(cons)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    return lisp_cons(lisp, argument[0], argument[1], out);
}

BUILTIN(car)
{
    (void)host, (void)count;
    *out = lisp_first(argument[0]);
    return need_list(lisp, argument[0]);
}

BUILTIN(cdr)
{
    (void)host, (void)count;
    *out = lisp_rest(argument[0]);
    return need_list(lisp, argument[0]);
}

BUILTIN(cadr)
{
    (void)host, (void)count;
    *out = lisp_first(lisp_rest(argument[0]));
    return need_list(lisp, argument[0]);
}

BUILTIN(list)
{
    (void)host;
    return lisp_list(lisp, count, argument, out);
}

BUILTIN(append)
{
    (void)host;
    int64_t length = 0, n = 0;
    for (int64_t k = 0; k < count; k++) {
        BMF_TRY(need_list(lisp, argument[k]));
        length += lisp_length(argument[k]);
    }
    value **element = lisp_allocate(lisp, (length + 1) * (int64_t)sizeof(value *));
    for (int64_t k = 0; k < count; k++)
        for (value *rest = argument[k]; rest; rest = lisp_rest(rest))
            element[n++] = rest->cons.first;
    return lisp_list(lisp, length, element, out);
}

BUILTIN(reverse)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[0]));
    *out = NULL;
    for (value *rest = argument[0]; rest; rest = lisp_rest(rest))
        BMF_TRY(lisp_cons(lisp, rest->cons.first, *out, out));
    return BMF_OK;
}

BUILTIN(length)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[0]));
    *out = lisp_integer(lisp, lisp_length(argument[0]));
    return BMF_OK;
}

static int nth_rest(bmf_lisp *lisp, value *const *argument, value **out)
{
    int64_t n = 0;
    BMF_TRY(lisp_take_integer(lisp, argument[0], "the place", &n));
    BMF_TRY(need_list(lisp, argument[1]));
    if (n < 0)
        return lisp_fail(lisp, "there is no place %" PRId64, n);
    for (*out = argument[1]; n > 0 && *out; n--)
        *out = lisp_rest(*out);
    return BMF_OK;
}

BUILTIN(nth)
{
    (void)host, (void)count;
    BMF_TRY(nth_rest(lisp, argument, out));
    *out = lisp_first(*out);
    return BMF_OK;
}

BUILTIN(nthcdr)
{
    (void)host, (void)count;
    return nth_rest(lisp, argument, out);
}

BUILTIN(member)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    for (*out = argument[1]; *out && !lisp_equal((*out)->cons.first, argument[0]); *out = lisp_rest(*out))
        ;
    return BMF_OK;
}

BUILTIN(assoc)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    *out = NULL;
    for (value *rest = argument[1]; rest && !*out; rest = lisp_rest(rest))
        if (lisp_is(rest->cons.first, BMF_LISP_CONS) && lisp_equal(lisp_first(rest->cons.first), argument[0]))
            *out = rest->cons.first;
    return BMF_OK;
}

/* The shortest list decides how often the function is called. */
static int map_lists(bmf_lisp *lisp, bool splice, int64_t count, value *const *argument, value **out)
{
    int64_t shortest = INT64_MAX;
    const int64_t size = (int64_t)sizeof(value *);
    value **rest = lisp_allocate(lisp, count * size), **call = lisp_allocate(lisp, count * size);
    for (int64_t k = 1; k < count; k++) {
        BMF_TRY(need_list(lisp, argument[k]));
        rest[k] = argument[k];
        shortest = lisp_length(argument[k]) < shortest ? lisp_length(argument[k]) : shortest;
    }
    value **result = lisp_allocate(lisp, (shortest + 1) * size);
    for (int64_t n = 0; n < shortest; n++) {
        for (int64_t k = 1; k < count; k++) {
            call[k - 1] = rest[k]->cons.first;
            rest[k] = rest[k]->cons.rest;
        }
        BMF_TRY(lisp_apply(lisp, argument[0], count - 1, call, &result[n]));
    }
    return splice ? append(lisp, NULL, shortest, result, out) : lisp_list(lisp, shortest, result, out);
}

BUILTIN(map)
{
    (void)host;
    return map_lists(lisp, false, count, argument, out);
}

BUILTIN(mapcan)
{
    (void)host;
    return map_lists(lisp, true, count, argument, out);
}

BUILTIN(filter)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    const int64_t length_of = lisp_length(argument[1]);
    value **kept = lisp_allocate(lisp, (length_of + 1) * (int64_t)sizeof(value *)), *keep;
    int64_t n = 0;
    for (value *rest = argument[1]; rest; rest = lisp_rest(rest)) {
        BMF_TRY(lisp_apply(lisp, argument[0], 1, &rest->cons.first, &keep));
        if (keep)
            kept[n++] = rest->cons.first;
    }
    return lisp_list(lisp, n, kept, out);
}

BUILTIN(reduce)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    *out = lisp_first(argument[1]);
    for (value *rest = lisp_rest(argument[1]); rest; rest = lisp_rest(rest)) {
        value *const pair[2] = {*out, rest->cons.first};
        BMF_TRY(lisp_apply(lisp, argument[0], 2, pair, out));
    }
    return BMF_OK;
}

BUILTIN(apply)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    const int64_t n = lisp_length(argument[1]);
    value **element = lisp_allocate(lisp, (n + 1) * (int64_t)sizeof(value *)), *rest = argument[1];
    for (int64_t k = 0; k < n; k++, rest = rest->cons.rest)
        element[k] = rest->cons.first;
    return lisp_apply(lisp, argument[0], n, element, out);
}

BUILTIN(is_list)
{
    (void)host, (void)count;
    *out = lisp_boolean(lisp, !argument[0] || argument[0]->kind == BMF_LISP_CONS);
    return BMF_OK;
}

BUILTIN(print)
{
    char text[2000];
    (void)lisp, (void)host, (void)count;
    fprintf(stderr, "%s\n", lisp_text(argument[0], text, sizeof text));
    *out = argument[0];
    return BMF_OK;
}

void lisp_define_lists(bmf_lisp *lisp)
{
    static const bmf_lisp_entry entry[] = {{"not", 1, 1, negation},
                                           {"null", 1, 1, negation},
                                           {"eq", 2, 2, equal},
                                           {"equal", 2, 2, equal},
                                           {"cons", 2, 2, cons},
                                           {"car", 1, 1, car},
                                           {"cdr", 1, 1, cdr},
                                           {"cadr", 1, 1, cadr},
                                           {"list", 0, BMF_LISP_ANY, list},
                                           {"append", 0, BMF_LISP_ANY, append},
                                           {"reverse", 1, 1, reverse},
                                           {"length", 1, 1, length},
                                           {"nth", 2, 2, nth},
                                           {"nthcdr", 2, 2, nthcdr},
                                           {"member", 2, 2, member},
                                           {"assoc", 2, 2, assoc},
                                           {"map", 2, BMF_LISP_ANY, map},
                                           {"mapcar", 2, BMF_LISP_ANY, map},
                                           {"mapcan", 2, BMF_LISP_ANY, mapcan},
                                           {"filter", 2, 2, filter},
                                           {"fold", 2, 2, reduce},
                                           {"apply", 2, 2, apply},
                                           {"list?", 1, 1, is_list},
                                           {"print", 1, 1, print}};
    lisp_define_entries(lisp, sizeof entry / sizeof *entry, entry);
}

void lisp_define_entries(bmf_lisp *lisp, size_t count, const bmf_lisp_entry *entry)
{
    for (size_t k = 0; k < count; k++)
        lisp_define_builtin(lisp, entry[k].name, entry[k].min, entry[k].max, entry[k].builtin);
}

void lisp_define_functions(bmf_lisp *lisp)
{
    lisp_define_numbers(lisp);
    lisp_define_lists(lisp);
}
