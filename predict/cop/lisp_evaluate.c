/* Evaluates forms. Method: a recursive evaluator over environments that are linked lists; steps, cells and depth are
 * limited, so that every evaluation ends. Cost: a step for every form; variables are looked up from the inside out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/lisp_private.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/near_names.h"

enum { ARGUMENTS = 64, SHOWN = 120 };

void *lisp_bind(bmf_lisp *lisp, void *environment, bmf_lisp_symbol *symbol, const bmf_lisp_value *value)
{
    bmf_lisp_environment *inner = lisp_allocate(lisp, sizeof *inner);
    *inner = (bmf_lisp_environment){symbol, value, environment};
    return inner;
}

static int unknown_name(const bmf_lisp *lisp, const bmf_lisp_symbol *symbol)
{
    char text[SHOWN];
    near_names near = {.max = 3, .limit = 2};
    for (int64_t k = 0; k < lisp->symbols; k++) {
        const bmf_lisp_symbol *known = lisp->symbol[k];
        if (known != symbol && (known->bound || known->compute || known->special))
            near_names_offer(&near, known->name, name_distance(symbol->name, known->name));
    }
    return lisp_fail(lisp, "'%s' is not known%s%s", symbol->name, near.count > 0 ? "; near names: " : "",
                     near_names_text(&near, text, sizeof text));
}

static int look_up(bmf_lisp *lisp, bmf_lisp_symbol *symbol, const bmf_lisp_environment *environment,
                   const bmf_lisp_value **value)
{
    for (; environment; environment = environment->outer)
        if (environment->symbol == symbol) {
            *value = environment->value;
            return BMF_OK;
        }
    if (symbol->compute)
        return symbol->compute(lisp, lisp->host, value);
    if (!symbol->bound)
        return unknown_name(lisp, symbol);
    *value = symbol->value;
    return BMF_OK;
}

static int check_count(const bmf_lisp *lisp, const bmf_lisp_function *f, int64_t count)
{
    if (count >= f->min && (f->max == BMF_LISP_ANY || count <= f->max))
        return BMF_OK;
    return lisp_fail(lisp, "%s takes %s%d argument%s, not %" PRId64, f->name[0] ? f->name : "the function",
                     f->max == BMF_LISP_ANY ? "at least "
                     : f->max > f->min      ? "up to "
                                            : "",
                     f->max == BMF_LISP_ANY ? f->min : f->max,
                     (f->max == BMF_LISP_ANY ? f->min : f->max) == 1 ? "" : "s", count);
}

int lisp_apply(bmf_lisp *lisp, const bmf_lisp_value *function, int64_t count, const bmf_lisp_value *const *argument,
               const bmf_lisp_value **value)
{
    char text[SHOWN];
    if (!lisp_is(function, BMF_LISP_FUNCTION))
        return lisp_fail(lisp, "%s is no function", lisp_text(function, text, sizeof text));
    const bmf_lisp_function *f = function->function;
    BMF_TRY(check_count(lisp, f, count));
    if (f->builtin)
        return f->builtin(lisp, lisp->host, count, argument, value);
    void *environment = f->environment;
    const bmf_lisp_value *parameter = f->parameters;
    for (int64_t k = 0; k < count; k++, parameter = parameter->cons.rest)
        environment = lisp_bind(lisp, environment, parameter->cons.first->symbol, argument[k]);
    if (++lisp->depth > BMF_LISP_DEPTH)
        return lisp_fail(lisp, "calls inside each other deeper than %d", BMF_LISP_DEPTH);
    const int status = lisp_evaluate_body(lisp, f->body, environment, value);
    lisp->depth--;
    return status;
}

/* Arguments of long lists are kept in memory of the interpreter, of short ones here. */
static int call(bmf_lisp *lisp, const bmf_lisp_value *form, void *environment, const bmf_lisp_value **value)
{
    const bmf_lisp_place place = {form->line, form->column};
    const int64_t count = lisp_length(form) - 1;
    const bmf_lisp_value *few[ARGUMENTS], **argument = few, *function;
    if (count > ARGUMENTS)
        argument = lisp_allocate(lisp, count * (int64_t)sizeof(const bmf_lisp_value *));
    BMF_TRY(lisp_evaluate(lisp, form->cons.first, environment, &function));
    const bmf_lisp_value *rest = form->cons.rest;
    for (int64_t k = 0; k < count; k++, rest = rest->cons.rest) {
        lisp_set_place(lisp, (bmf_lisp_place){rest->line, rest->column});
        BMF_TRY(lisp_evaluate(lisp, rest->cons.first, environment, &argument[k]));
    }
    lisp_set_place(lisp, place);
    return lisp_apply(lisp, function, count, argument, value);
}

int lisp_evaluate(bmf_lisp *lisp, const bmf_lisp_value *form, void *environment, const bmf_lisp_value **value)
{
    if (++lisp->steps > BMF_LISP_STEPS)
        return lisp_fail(lisp, "the evaluation does not end within %" PRId64 " steps", BMF_LISP_STEPS);
    if (lisp_is(form, BMF_LISP_SYMBOL) && form->symbol->name[0] != ':')
        return look_up(lisp, form->symbol, environment, value);
    if (!lisp_is(form, BMF_LISP_CONS)) {
        *value = form;
        return BMF_OK;
    }
    lisp_set_place(lisp, (bmf_lisp_place){form->line, form->column});
    const bmf_lisp_value *head = form->cons.first;
    if (++lisp->depth > BMF_LISP_DEPTH)
        return lisp_fail(lisp, "forms inside each other deeper than %d", BMF_LISP_DEPTH);
    const int status = lisp_is(head, BMF_LISP_SYMBOL) && head->symbol->special
                           ? head->symbol->special(lisp, form, environment, value)
                           : call(lisp, form, environment, value);
    lisp->depth--;
    return status;
}

int lisp_evaluate_body(bmf_lisp *lisp, const bmf_lisp_value *forms, void *environment, const bmf_lisp_value **value)
{
    *value = NULL;
    for (; lisp_is(forms, BMF_LISP_CONS); forms = forms->cons.rest)
        BMF_TRY(lisp_evaluate(lisp, forms->cons.first, environment, value));
    return BMF_OK;
}
