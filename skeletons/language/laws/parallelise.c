/* Carrying splits through a program; see parallelise.h.
 *
 * Method: one walk from the argument to the value, with what is known of the value at each place: whole, a list split
 * over the processors, or a pair of these. Parts of a composition are made anew for what they get. Conversions that the
 * checker added are left out; it adds them again.
 * Source: the laws of document 000, 2.10 (split-reduce identity, map and reduce promotion). Cost: linear in the tree.
 * */
#include "skeletons/language/laws/parallelise.h"

#include <string.h>

#include "skeletons/language/forms/form.h"
#include "skeletons/language/laws/rewriter.h"

/* What is known of a value. */
typedef enum shape {
    WHOLE,
    SPLIT,       /* P[[a]] for [a] */
    WHOLE_SPLIT, /* {x, P[[a]]} */
    SPLIT_SPLIT  /* {P[[a]], P[[b]]} of one partition */
} shape;

typedef struct value {
    shape shape;
    bool filtered; /* the parts are no longer as the split made them */
} value;

typedef struct walk {
    bmf_expressions *arena;
    bmf_splitting *splitting;
} walk;

const char *splitting_law_name(bmf_splitting_law law)
{
    static const char *const name[] = {"split-reduce identity", "map promotion",    "filter promotion",
                                       "reduce promotion",      "length promotion", "distl promotion",
                                       "zip promotion"};
    return name[law];
}

/* ---- making expressions ---- */

static bmf_expression *make(const walk *w, bmf_expression_kind kind, bool parallel, int children)
{
    bmf_expression *made = expression_create(w->arena, kind, (bmf_span){0}, children);
    made->parallel = parallel;
    return made;
}

static bmf_expression *make_operation(const walk *w, bmf_operation operation, bool parallel)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_OP, parallel, 0);
    made->operation = operation;
    return made;
}

static bmf_expression *compose(const walk *w, bmf_expression *f, bmf_expression *g)
{
    bmf_expression *both[2] = {f, g};
    if (!g || g->kind == BMF_EXPRESSION_ID)
        return f;
    if (f->kind == BMF_EXPRESSION_ID)
        return g;
    return expression_compose(w->arena, f->span, 2, both);
}

static bmf_expression *parallel_map(const walk *w, bmf_expression *of)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_MAP, true, 1);
    made->child[0] = of;
    return made;
}

static bmf_expression *component(const walk *w, int64_t which, int64_t of)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_ADDR, false, 0);
    made->number[0] = which;
    made->number[1] = of;
    return made;
}

static bmf_expression *gather(const walk *w)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_REDUCE, true, 1);
    made->child[0] = make_operation(w, BMF_OPERATION_CONC, false);
    return made;
}

static bmf_expression *split(const walk *w)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_SPLIT, true, 0);
    made->number[0] = w->splitting->processors;
    w->splitting->applied[BMF_SPLITTING_IDENTITY]++;
    return made;
}

/* A copy without the checker's conversions, and without names. */
static bmf_expression *plain(const walk *w, const bmf_expression *expression)
{
    if (expression->kind == BMF_EXPRESSION_CONVERT)
        return make(w, BMF_EXPRESSION_ID, false, 0);
    if (expression->kind == BMF_EXPRESSION_NAME) {
        const bmf_definition *definition = library_find(w->splitting->library, expression->name);
        return definition ? plain(w, definition->expression) : expression_copy(w->arena, expression);
    }
    if (expression->kind == BMF_EXPRESSION_COMP) {
        bmf_expression *made = NULL;
        for (int k = expression->children - 1; k >= 0; k--) {
            bmf_expression *part = plain(w, expression->child[k]);
            made = made ? compose(w, part, made) : part;
        }
        return made;
    }
    bmf_expression *made = expression_copy(w->arena, expression);
    made->in = made->out = NULL;
    for (int k = 0; k < made->children; k++)
        if (made->child[k])
            made->child[k] = plain(w, expression->child[k]);
    return made;
}

/* ---- whole again ---- */

static bmf_expression *make_whole(const walk *w, value *of)
{
    const shape before = of->shape;
    *of = (value){WHOLE, false};
    if (before == SPLIT)
        return gather(w);
    if (before == WHOLE)
        return make(w, BMF_EXPRESSION_ID, false, 0);
    bmf_expression *pair = make(w, BMF_EXPRESSION_ALLTUP, false, 2);
    for (int k = 0; k < 2; k++) {
        pair->child[k] = component(w, k + 1, 2);
        if (k == 1 || before == SPLIT_SPLIT)
            pair->child[k] = compose(w, gather(w), pair->child[k]);
    }
    return pair;
}

/* ---- reductions ---- */

static bool is_conversion_of_nothing(const bmf_expression *expression)
{
    return expression->kind == BMF_EXPRESSION_CONVERT ||
           (expression->kind == BMF_EXPRESSION_COMP && is_conversion_of_nothing(expression->child[0]));
}

/* Whether the operator is one that was said to be associative: its definition, names replaced. */
static bool is_stated(const walk *w, const bmf_expression *operation)
{
    const bmf_expression *own = plain(w, operation);
    for (int k = 0; k < w->splitting->stated; k++) {
        bmf_stated_operator *stated = &w->splitting->operation[k];
        const bmf_definition *definition = library_find(w->splitting->library, stated->name + 1);
        if (!definition || !expression_equal(plain(w, definition->expression), own))
            continue;
        stated->operation = operation;
        return true;
    }
    return false;
}

static bmf_expression *refuse(const walk *w, const bmf_expression *reduction, const char *why)
{
    if (!w->splitting->refused) {
        w->splitting->refused = why;
        w->splitting->refused_at = reduction->span;
    }
    return NULL;
}

static bmf_expression *reduction_of(const walk *w, const bmf_expression *operation, bool parallel,
                                    bmf_expression *otherwise)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_REDUCE, parallel, otherwise ? 2 : 1);
    made->child[0] = plain(w, operation);
    if (otherwise)
        made->child[1] = otherwise;
    return made;
}

/* reduce op of the parts' reductions; NULL: the list must be whole for it. */
static bmf_expression *promote_reduction(const walk *w, const bmf_expression *reduction)
{
    bmf_splitting *s = w->splitting;
    const bmf_expression *operation = reduction->child[0];
    bmf_constant identity;
    bmf_expression *otherwise = NULL, *each = NULL;
    const bool whole_numbers = operation->out->kind == BMF_INT;
    const bool known = operator_identity(operation, whole_numbers || s->reassociate, &identity);
    if (!known && operator_identity(operation, true, &identity))
        return refuse(w, reduction, "sums of reals in another order round otherwise; --free allows it");
    if (!known && !is_stated(w, operation))
        return refuse(w, reduction,
                      "its operator is not known to be associative; a comment `# associative` behind the operator's "
                      "definition says so");
    if (reduction->children > 1) {
        if (!expression_is_independent(reduction->child[1]) || is_conversion_of_nothing(reduction->child[1]))
            return refuse(w, reduction, "its default depends on the list");
        otherwise = plain(w, reduction->child[1]);
    }
    if (known) {
        each = make(w, BMF_EXPRESSION_CON, false, 0);
        each->constant = identity;
    }
    s->needs_elements = s->needs_elements || !known;
    s->needs_some = s->needs_some || !otherwise;
    s->may_overflow =
        s->may_overflow ||
        (whole_numbers && (operation->operation == BMF_OPERATION_PLUS || operation->operation == BMF_OPERATION_TIMES));
    s->applied[BMF_SPLITTING_REDUCE]++;
    return compose(w, reduction_of(w, operation, true, otherwise),
                   parallel_map(w, reduction_of(w, operation, false, each)));
}

/* ---- one part ---- */

static bmf_expression *walk_expression(const walk *w, const bmf_expression *expression, value *of);

/* Every function gets the value; what they make is put together again, as far as it can stay split. */
static bmf_expression *walk_tuple(const walk *w, const bmf_expression *tuple, value *of)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_ALLTUP, false, tuple->children);
    value all[BMF_MAX_LEAVES];
    bool whole = true;
    for (int k = 0; k < tuple->children; k++) {
        all[k] = *of;
        made->child[k] = walk_expression(w, tuple->child[k], &all[k]);
        whole = whole && all[k].shape == WHOLE;
    }
    const bool pair = tuple->children == 2 && all[1].shape == SPLIT;
    if (pair && all[0].shape == WHOLE) {
        *of = (value){WHOLE_SPLIT, all[1].filtered};
        return made;
    }
    if (pair && all[0].shape == SPLIT && !all[0].filtered && !all[1].filtered) {
        *of = (value){SPLIT_SPLIT, false};
        return made;
    }
    for (int k = 0; k < tuple->children && !whole; k++)
        if (all[k].shape != WHOLE)
            made->child[k] = compose(w, make_whole(w, &all[k]), made->child[k]);
    *of = (value){WHOLE, false};
    return made;
}

static bmf_expression *walk_split_list(const walk *w, const bmf_expression *part, value *of)
{
    bmf_splitting *s = w->splitting;
    bmf_expression *made;
    if (part->kind == BMF_EXPRESSION_MAP || part->kind == BMF_EXPRESSION_FILTER) {
        const bool filter = part->kind == BMF_EXPRESSION_FILTER;
        s->applied[filter ? BMF_SPLITTING_FILTER : BMF_SPLITTING_MAP]++;
        of->filtered = of->filtered || filter;
        return parallel_map(w, plain(w, part));
    }
    if (part->kind == BMF_EXPRESSION_REDUCE && (made = promote_reduction(w, part))) {
        *of = (value){WHOLE, false};
        return made;
    }
    if (is_operation(part, BMF_OPERATION_LENGTH)) {
        s->applied[BMF_SPLITTING_LENGTH]++;
        *of = (value){WHOLE, false};
        made = make(w, BMF_EXPRESSION_REDUCE, true, 1);
        made->child[0] = make_operation(w, BMF_OPERATION_PLUS, false);
        return compose(w, made, parallel_map(w, plain(w, part)));
    }
    made = make_whole(w, of);
    return compose(w, plain(w, part), made);
}

/* The same of whatever it is applied to. */
static bmf_expression *walk_constant(const walk *w, const bmf_expression *part, value *of)
{
    *of = (value){WHOLE, false};
    return plain(w, part);
}

static bmf_expression *walk_pair(const walk *w, const bmf_expression *part, value *of)
{
    bmf_splitting *s = w->splitting;
    if (part->kind == BMF_EXPRESSION_ADDR && part->number[1] == 2) {
        const bool is_split = of->shape == SPLIT_SPLIT || part->number[0] == 2;
        *of = (value){is_split ? SPLIT : WHOLE, is_split && of->filtered};
        return plain(w, part);
    }
    if (of->shape == WHOLE_SPLIT && is_operation(part, BMF_OPERATION_DISTL)) {
        s->applied[BMF_SPLITTING_DISTL]++;
        of->shape = SPLIT;
        return compose(w, parallel_map(w, make_operation(w, BMF_OPERATION_DISTL, false)),
                       make_operation(w, BMF_OPERATION_DISTL, true));
    }
    if (of->shape == SPLIT_SPLIT && part->kind == BMF_EXPRESSION_ZIP) {
        s->applied[BMF_SPLITTING_ZIP]++;
        of->shape = SPLIT;
        return compose(w, parallel_map(w, plain(w, part)), make(w, BMF_EXPRESSION_ZIP, true, 0));
    }
    bmf_expression *whole = make_whole(w, of);
    return compose(w, plain(w, part), whole);
}

/* A place where the value is a list: it may be split here. */
static bmf_expression *offer_split(const walk *w, const bmf_expression *part, value *of)
{
    bmf_splitting *s = w->splitting;
    if (!part->in || part->in->kind != BMF_LIST || part->kind == BMF_EXPRESSION_CON ||
        s->points >= BMF_MAX_SPLIT_POINTS)
        return NULL;
    const int point = s->points++;
    if (of->shape != WHOLE || !(s->chosen >> point & 1))
        return NULL;
    *of = (value){SPLIT, false};
    return split(w);
}

static bmf_expression *walk_part(const walk *w, const bmf_expression *part, value *of)
{
    bmf_expression *before = offer_split(w, part, of), *made;
    if (part->kind == BMF_EXPRESSION_ID || part->kind == BMF_EXPRESSION_CONVERT)
        made = make(w, BMF_EXPRESSION_ID, false, 0);
    else if (part->kind == BMF_EXPRESSION_ALLTUP)
        made = walk_tuple(w, part, of);
    else if (part->kind == BMF_EXPRESSION_CON && of->shape == SPLIT)
        made = walk_constant(w, part, of);
    else if (of->shape == SPLIT)
        made = walk_split_list(w, part, of);
    else if (of->shape == WHOLE)
        made = plain(w, part);
    else
        made = walk_pair(w, part, of);
    return before ? compose(w, made, before) : made;
}

static bmf_expression *walk_expression(const walk *w, const bmf_expression *expression, value *of)
{
    if (expression->kind != BMF_EXPRESSION_COMP)
        return walk_part(w, expression, of);
    bmf_expression *made = NULL;
    for (int k = expression->children - 1; k >= 0; k--) {
        bmf_expression *part = walk_expression(w, expression->child[k], of);
        made = made ? compose(w, part, made) : part;
    }
    return made;
}

bmf_expression *parallelise(bmf_expressions *arena, const bmf_expression *checked, bmf_splitting *splitting)
{
    const walk w = {arena, splitting};
    value of = {WHOLE, false};
    if (checked->communicates)
        return NULL;
    splitting->points = 0;
    splitting->needs_elements = splitting->needs_some = splitting->may_overflow = false;
    splitting->refused = NULL;
    for (int k = 0; k < BMF_SPLITTING_LAWS; k++)
        splitting->applied[k] = 0;
    bmf_expression *made = walk_expression(&w, checked, &of);
    return of.shape == WHOLE ? made : compose(&w, make_whole(&w, &of), made);
}
