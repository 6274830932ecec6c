/* Special forms: those whose parts are not all evaluated. */
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/lisp_private.h"

typedef const bmf_lisp_value value;

static value *nth(value *list, int n)
{
    for (; n > 0; n--)
        list = lisp_rest(list);
    return lisp_first(list);
}

static value *after(value *list, int n)
{
    for (; n > 0; n--)
        list = lisp_rest(list);
    return list;
}

static int wrong_form(const bmf_lisp *lisp, const char *usage)
{
    return lisp_fail(lisp, "%s is wanted", usage);
}

static int form_quote(bmf_lisp *lisp, value *form, void *env, value **out)
{
    (void)env;
    *out = nth(form, 1);
    return lisp_length(form) == 2 ? BMF_OK : wrong_form(lisp, "(quote x)");
}

static bool is_call_of(value *form, const char *name)
{
    return lisp_is(form, BMF_LISP_CONS) && lisp_is(form->cons.first, BMF_LISP_SYMBOL) &&
           strcmp(form->cons.first->symbol->name, name) == 0;
}

static int append_to(bmf_lisp *lisp, value *list, value *tail, value **out)
{
    if (!lisp_is(list, BMF_LISP_CONS)) {
        *out = tail;
        return BMF_OK;
    }
    const int64_t count = lisp_length(list);
    value **element = lisp_allocate(lisp, count * (int64_t)sizeof(value *));
    for (int64_t k = 0; k < count; k++, list = list->cons.rest)
        element[k] = list->cons.first;
    *out = tail;
    for (int64_t k = count - 1; k >= 0; k--)
        BMF_TRY(lisp_cons(lisp, element[k], *out, out));
    return BMF_OK;
}

static int expand(bmf_lisp *lisp, value *pattern, void *env, value **out)
{
    if (!lisp_is(pattern, BMF_LISP_CONS)) {
        *out = pattern;
        return BMF_OK;
    }
    if (is_call_of(pattern, "unquote"))
        return lisp_evaluate(lisp, nth(pattern, 1), env, out);
    value *first, *rest;
    BMF_TRY(expand(lisp, pattern->cons.rest, env, &rest));
    if (is_call_of(pattern->cons.first, "unquote-splicing")) {
        BMF_TRY(lisp_evaluate(lisp, nth(pattern->cons.first, 1), env, &first));
        return append_to(lisp, first, rest, out);
    }
    BMF_TRY(expand(lisp, pattern->cons.first, env, &first));
    return lisp_cons(lisp, first, rest, out);
}

static int form_quasiquote(bmf_lisp *lisp, value *form, void *env, value **out)
{
    return expand(lisp, nth(form, 1), env, out);
}

static int form_if(bmf_lisp *lisp, value *form, void *env, value **out)
{
    const int64_t length = lisp_length(form);
    if (length < 3 || length > 4)
        return wrong_form(lisp, "(if condition then [else])");
    BMF_TRY(lisp_evaluate(lisp, nth(form, 1), env, out));
    return lisp_evaluate(lisp, nth(form, *out ? 2 : 3), env, out);
}

static int form_cond(bmf_lisp *lisp, value *form, void *env, value **out)
{
    for (value *clause = lisp_rest(form); clause; clause = lisp_rest(clause)) {
        value *test = nth(clause->cons.first, 0);
        if (lisp_is(test, BMF_LISP_SYMBOL) && strcmp(test->symbol->name, "else") == 0)
            return lisp_evaluate_body(lisp, lisp_rest(clause->cons.first), env, out);
        BMF_TRY(lisp_evaluate(lisp, test, env, out));
        if (*out)
            return lisp_length(clause->cons.first) > 1
                       ? lisp_evaluate_body(lisp, lisp_rest(clause->cons.first), env, out)
                       : BMF_OK;
    }
    *out = NULL;
    return BMF_OK;
}

static bool is_among(value *keys, value *key)
{
    if (!lisp_is(keys, BMF_LISP_CONS))
        return lisp_equal(keys, key) || (lisp_is(keys, BMF_LISP_SYMBOL) && (strcmp(keys->symbol->name, "else") == 0 ||
                                                                            strcmp(keys->symbol->name, "t") == 0));
    for (; keys; keys = lisp_rest(keys))
        if (lisp_equal(keys->cons.first, key))
            return true;
    return false;
}

static int form_case(bmf_lisp *lisp, value *form, void *env, value **out)
{
    value *key;
    BMF_TRY(lisp_evaluate(lisp, nth(form, 1), env, &key));
    *out = NULL;
    for (value *clause = after(form, 2); clause; clause = lisp_rest(clause))
        if (is_among(nth(clause->cons.first, 0), key))
            return lisp_evaluate_body(lisp, lisp_rest(clause->cons.first), env, out);
    return BMF_OK;
}

static int form_when(bmf_lisp *lisp, value *form, void *env, value **out)
{
    BMF_TRY(lisp_evaluate(lisp, nth(form, 1), env, out));
    return *out ? lisp_evaluate_body(lisp, after(form, 2), env, out) : BMF_OK;
}

static int form_unless(bmf_lisp *lisp, value *form, void *env, value **out)
{
    BMF_TRY(lisp_evaluate(lisp, nth(form, 1), env, out));
    if (!*out)
        return lisp_evaluate_body(lisp, after(form, 2), env, out);
    *out = NULL;
    return BMF_OK;
}

static int form_and(bmf_lisp *lisp, value *form, void *env, value **out)
{
    *out = lisp_boolean(lisp, true);
    for (value *rest = lisp_rest(form); rest && *out; rest = lisp_rest(rest))
        BMF_TRY(lisp_evaluate(lisp, rest->cons.first, env, out));
    return BMF_OK;
}

static int form_or(bmf_lisp *lisp, value *form, void *env, value **out)
{
    *out = NULL;
    for (value *rest = lisp_rest(form); rest && !*out; rest = lisp_rest(rest))
        BMF_TRY(lisp_evaluate(lisp, rest->cons.first, env, out));
    return BMF_OK;
}

static int form_begin(bmf_lisp *lisp, value *form, void *env, value **out)
{
    return lisp_evaluate_body(lisp, lisp_rest(form), env, out);
}

/* ---- variables ---- */

/* let evaluates values outside, let* one inside the other, letrec inside all. */
typedef enum binding { OUTSIDE, ONE_BY_ONE, INSIDE } binding;

static int bind_all(bmf_lisp *lisp, value *form, void *env, binding how, value **out)
{
    static const char usage[] = "((name value) ..) and forms";
    void *inner = env;
    value *bindings = nth(form, 1);
    if (bindings && bindings->kind != BMF_LISP_CONS)
        return wrong_form(lisp, usage);
    for (value *b = bindings; b && how == INSIDE; b = lisp_rest(b))
        if (lisp_is(nth(b->cons.first, 0), BMF_LISP_SYMBOL))
            inner = lisp_bind(lisp, inner, nth(b->cons.first, 0)->symbol, NULL);
    for (value *b = bindings; b; b = lisp_rest(b)) {
        value *name = nth(b->cons.first, 0), *bound;
        if (!lisp_is(name, BMF_LISP_SYMBOL))
            return wrong_form(lisp, usage);
        BMF_TRY(lisp_evaluate(lisp, nth(b->cons.first, 1), how == OUTSIDE ? env : inner, &bound));
        if (how != INSIDE) {
            inner = lisp_bind(lisp, inner, name->symbol, bound);
            continue;
        }
        for (bmf_lisp_environment *e = inner; e; e = e->outer)
            if (e->symbol == name->symbol) {
                e->value = bound;
                break;
            }
    }
    return lisp_evaluate_body(lisp, after(form, 2), inner, out);
}

static int form_let(bmf_lisp *lisp, value *form, void *env, value **out)
{
    return bind_all(lisp, form, env, OUTSIDE, out);
}

static int form_let_star(bmf_lisp *lisp, value *form, void *env, value **out)
{
    return bind_all(lisp, form, env, ONE_BY_ONE, out);
}

static int form_letrec(bmf_lisp *lisp, value *form, void *env, value **out)
{
    return bind_all(lisp, form, env, INSIDE, out);
}

static int make_closure(bmf_lisp *lisp, const char *name, value *parameters, value *body, void *env, value **out)
{
    const int64_t count = lisp_length(parameters);
    for (value *p = parameters; p; p = lisp_rest(p))
        if (!lisp_is(p, BMF_LISP_CONS) || !lisp_is(p->cons.first, BMF_LISP_SYMBOL))
            return wrong_form(lisp, "a list of parameters");
    bmf_lisp_function *function = lisp_allocate(lisp, sizeof *function);
    *function = (bmf_lisp_function){
        .name = name, .min = (int)count, .max = (int)count, .parameters = parameters, .body = body, .environment = env};
    bmf_lisp_value *made = lisp_new(lisp, BMF_LISP_FUNCTION);
    made->function = function;
    *out = made;
    return BMF_OK;
}

static int form_lambda(bmf_lisp *lisp, value *form, void *env, value **out)
{
    return make_closure(lisp, "", nth(form, 1), after(form, 2), env, out);
}

static int define_global(bmf_lisp *lisp, bmf_lisp_symbol *symbol, value *defined, value **out)
{
    if (symbol->special || symbol->name[0] == ':')
        return lisp_fail(lisp, "'%s' cannot be defined anew", symbol->name);
    symbol->value = defined;
    symbol->bound = true;
    symbol->compute = NULL;
    *out = NULL;
    return BMF_OK;
}

/* (define name value), (define (name parameter ..) form ..), (defun name (parameter ..) form ..) */
static int form_define(bmf_lisp *lisp, value *form, void *env, value **out)
{
    value *target = nth(form, 1), *defined;
    const bool is_defun = strcmp(form->cons.first->symbol->name, "defun") == 0;
    if (lisp_is(target, BMF_LISP_SYMBOL)) {
        if (is_defun)
            BMF_TRY(make_closure(lisp, target->symbol->name, nth(form, 2), after(form, 3), env, &defined));
        else
            BMF_TRY(lisp_evaluate(lisp, nth(form, 2), env, &defined));
        return define_global(lisp, target->symbol, defined, out);
    }
    value *name = lisp_first(target);
    if (is_defun || !lisp_is(name, BMF_LISP_SYMBOL))
        return wrong_form(lisp, "(define name value) or (define (name parameter ..) form ..)");
    BMF_TRY(make_closure(lisp, name->symbol->name, lisp_rest(target), after(form, 2), env, &defined));
    return define_global(lisp, name->symbol, defined, out);
}

static int form_set(bmf_lisp *lisp, value *form, void *env, value **out)
{
    value *name = nth(form, 1);
    if (!lisp_is(name, BMF_LISP_SYMBOL) || lisp_length(form) != 3)
        return wrong_form(lisp, "(set! name value)");
    BMF_TRY(lisp_evaluate(lisp, nth(form, 2), env, out));
    for (bmf_lisp_environment *e = env; e; e = e->outer)
        if (e->symbol == name->symbol) {
            e->value = *out;
            return BMF_OK;
        }
    if (!name->symbol->bound)
        return lisp_fail(lisp, "'%s' is not defined", name->symbol->name);
    name->symbol->value = *out;
    return BMF_OK;
}

/* ---- repetition ---- */

/* (dolist (name list) form ..), (dotimes (name count) form ..) */
static int form_each(bmf_lisp *lisp, value *form, void *env, value **out)
{
    const bool times = strcmp(form->cons.first->symbol->name, "dotimes") == 0;
    value *head = nth(form, 1), *name = nth(head, 0), *over, *ignored;
    if (!lisp_is(name, BMF_LISP_SYMBOL))
        return wrong_form(lisp, times ? "(dotimes (name count) form ..)" : "(dolist (name list) form ..)");
    BMF_TRY(lisp_evaluate(lisp, nth(head, 1), env, &over));
    *out = NULL;
    int64_t count = lisp_length(over);
    if (times)
        BMF_TRY(lisp_take_integer(lisp, over, "the count of dotimes", &count));
    for (int64_t k = 0; k < count; k++) {
        void *inner = lisp_bind(lisp, env, name->symbol, times ? lisp_integer(lisp, k) : over->cons.first);
        BMF_TRY(lisp_evaluate_body(lisp, after(form, 2), inner, &ignored));
        if (++lisp->steps > BMF_LISP_STEPS)
            return lisp_fail(lisp, "the evaluation does not end");
        over = lisp_rest(over);
    }
    return BMF_OK;
}

/* (do ((name begin [step]) ..) (test value ..) form ..) */
static int form_do(bmf_lisp *lisp, value *form, void *env, value **out)
{
    value *bindings = nth(form, 1), *ending = nth(form, 2), *bound;
    void *inner = env;
    for (value *b = bindings; b; b = lisp_rest(b)) {
        if (!lisp_is(nth(lisp_first(b), 0), BMF_LISP_SYMBOL))
            return wrong_form(lisp, "(do ((name begin step) ..) (test value ..) form ..)");
        BMF_TRY(lisp_evaluate(lisp, nth(b->cons.first, 1), env, &bound));
        inner = lisp_bind(lisp, inner, nth(b->cons.first, 0)->symbol, bound);
    }
    for (;;) {
        BMF_TRY(lisp_evaluate(lisp, nth(ending, 0), inner, out));
        if (*out)
            return lisp_evaluate_body(lisp, lisp_rest(ending), inner, out);
        BMF_TRY(lisp_evaluate_body(lisp, after(form, 3), inner, out));
        void *next = env;
        for (value *b = bindings; b; b = lisp_rest(b)) {
            value *step = after(b->cons.first, 2) ? nth(b->cons.first, 2) : nth(b->cons.first, 0);
            BMF_TRY(lisp_evaluate(lisp, step, inner, &bound));
            next = lisp_bind(lisp, next, nth(b->cons.first, 0)->symbol, bound);
        }
        inner = next;
        if (++lisp->steps > BMF_LISP_STEPS)
            return lisp_fail(lisp, "the evaluation does not end");
    }
}

void lisp_define_forms(bmf_lisp *lisp)
{
    static const struct {
        const char *name;
        int (*special)(bmf_lisp *, value *, void *, value **);
    } form[] = {{"quote", form_quote},   {"quasiquote", form_quasiquote},
                {"if", form_if},         {"cond", form_cond},
                {"case", form_case},     {"when", form_when},
                {"unless", form_unless}, {"and", form_and},
                {"or", form_or},         {"begin", form_begin},
                {"progn", form_begin},   {"let", form_let},
                {"let*", form_let_star}, {"letrec", form_letrec},
                {"lambda", form_lambda}, {"define", form_define},
                {"defun", form_define},  {"set!", form_set},
                {"dolist", form_each},   {"dotimes", form_each},
                {"do", form_do}};
    for (size_t k = 0; k < sizeof form / sizeof *form; k++)
        lisp_symbol(lisp, form[k].name)->special = form[k].special;
    lisp_define_symbol(lisp, "t");
}
