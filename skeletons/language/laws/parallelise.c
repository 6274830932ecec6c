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
    bool copies;   /* WHOLE: of a list of pairs, each with the same list: split, every pair would take its copy along */
} value;

typedef struct walk {
    bmf_expressions *arena;
    bmf_splitting *splitting;
    bool inside; /* of a map: choices and loops there cannot have split lists */
    bool counts; /* points only: nothing is split */
} walk;

const char *splitting_law_name(bmf_splitting_law law)
{
    static const char *const name[] = {"split-reduce identity", "map promotion",        "filter promotion",
                                       "reduce promotion",      "length promotion",     "distl promotion",
                                       "zip promotion",         "scan by block totals", "choice promotion",
                                       "loop promotion",        "inner lists"};
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
    *of = (value){.shape = WHOLE};
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

/* ---- scans ---- */

static bmf_expression *tuple_of(const walk *w, bmf_expression *first, bmf_expression *second)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_ALLTUP, false, 2);
    made->child[0] = first;
    made->child[1] = second;
    return made;
}

static bmf_expression *component_of(const walk *w, int64_t which, int64_t pair)
{
    return compose(w, component(w, which, 2), component(w, pair, 2));
}

/* Of {total, total of what comes before the last} of two neighbouring ranges: that of both together. It is associative
 * if op is. */
static bmf_expression *join_totals(const walk *w, const bmf_expression *operation)
{
    bmf_expression *total = compose(w, plain(w, operation), tuple_of(w, component_of(w, 1, 1), component_of(w, 1, 2))),
                   *before = compose(w, plain(w, operation), tuple_of(w, component_of(w, 1, 1), component_of(w, 2, 2)));
    return tuple_of(w, total, before);
}

static bmf_expression *identity_of(const walk *w, const bmf_constant *identity)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_CON, false, 0);
    made->constant = *identity;
    return made;
}

/* The total before each part: P[[a]] to P[a]. */
static bmf_expression *totals_before(const walk *w, const bmf_expression *scan, const bmf_constant *identity)
{
    const bmf_expression *operation = scan->child[0];
    bmf_expression *leaf = tuple_of(w, reduction_of(w, operation, false, identity_of(w, identity)),
                                    identity_of(w, identity)),
                   *totals = make(w, BMF_EXPRESSION_SCAN, true, 1), *before = component(w, 2, 2);
    totals->child[0] = join_totals(w, operation);
    if (scan->children > 1) /* what the scan begins with comes before all parts */
        before = compose(w, plain(w, operation), tuple_of(w, plain(w, scan->child[1]), before));
    return compose(w, parallel_map(w, before), compose(w, totals, parallel_map(w, leaf)));
}

/* The scans of the parts, each element behind the total of the parts before; NULL: the list must be whole for it. */
static bmf_expression *promote_scan(const walk *w, const bmf_expression *scan)
{
    bmf_splitting *s = w->splitting;
    const bmf_expression *operation = scan->child[0];
    bmf_constant identity;
    if (!operation->out)
        return NULL;
    const bool whole_numbers = operation->out->kind == BMF_INT;
    if (!operator_identity(operation, whole_numbers || s->reassociate, &identity))
        return refuse(w, scan,
                      operator_identity(operation, true, &identity)
                          ? "sums of reals in another order round otherwise; --free allows it"
                          : "its operator is not known to be associative and to have an identity");
    if (scan->children > 1 && (!expression_is_independent(scan->child[1]) || is_conversion_of_nothing(scan->child[1])))
        return refuse(w, scan, "what it begins with depends on the list");
    bmf_expression *own = make(w, BMF_EXPRESSION_SCAN, false, 1), *each = make(w, BMF_EXPRESSION_MAP, false, 1);
    own->child[0] = plain(w, operation);
    each->child[0] = plain(w, operation);
    s->may_overflow =
        s->may_overflow ||
        (whole_numbers && (operation->operation == BMF_OPERATION_PLUS || operation->operation == BMF_OPERATION_TIMES));
    s->applied[BMF_SPLITTING_SCAN]++;
    bmf_expression *add = parallel_map(w, compose(w, each, make_operation(w, BMF_OPERATION_DISTL, false)));
    return compose(w, add,
                   compose(w, make(w, BMF_EXPRESSION_ZIP, true, 0),
                           tuple_of(w, totals_before(w, scan, &identity), parallel_map(w, own))));
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
        *of = (value){.shape = WHOLE_SPLIT, .filtered = all[1].filtered};
        return made;
    }
    if (pair && all[0].shape == SPLIT && !all[0].filtered && !all[1].filtered) {
        *of = (value){.shape = SPLIT_SPLIT};
        return made;
    }
    for (int k = 0; k < tuple->children && !whole; k++)
        if (all[k].shape != WHOLE)
            made->child[k] = compose(w, make_whole(w, &all[k]), made->child[k]);
    *of = (value){.shape = WHOLE};
    return made;
}

/* ---- choices, loops and the inside of maps ---- */

/* Points are counted in the order of the walk, whatever is split: who walks twice begins anew. */
static bmf_expression *walk_again(const walk *w, const bmf_splitting *before, const bmf_expression *expression,
                                  value *of)
{
    *w->splitting = *before;
    return walk_expression(w, expression, of);
}

/* For a value that has to be whole. */
static bmf_expression *walk_to_whole(const walk *w, const bmf_expression *expression, value of)
{
    bmf_expression *made = walk_expression(w, expression, &of);
    return of.shape == WHOLE ? made : compose(w, make_whole(w, &of), made);
}

/* What it is applied to stays as it is for the question; branches that leave it alike leave it so. */
static bmf_expression *walk_choice(const walk *w, const bmf_expression *choice, value *of)
{
    bmf_expression *made = make(w, BMF_EXPRESSION_IF, false, 3);
    value branch[2] = {*of, *of};
    made->child[0] = walk_to_whole(w, choice->child[0], *of);
    for (int k = 0; k < 2; k++)
        made->child[k + 1] = walk_expression(w, choice->child[k + 1], &branch[k]);
    w->splitting->applied[BMF_SPLITTING_CHOICE] += of->shape != WHOLE;
    if (branch[0].shape == branch[1].shape) {
        *of = (value){.shape = branch[0].shape,
                      .filtered = branch[0].filtered || branch[1].filtered,
                      .copies = branch[0].copies || branch[1].copies};
        return made;
    }
    for (int k = 0; k < 2; k++)
        if (branch[k].shape != WHOLE)
            made->child[k + 1] = compose(w, make_whole(w, &branch[k]), made->child[k + 1]);
    *of = (value){.shape = WHOLE};
    return made;
}

/* The state of a loop has the same shape before and after its body. */
static bmf_expression *walk_loop(const walk *w, const bmf_expression *loop, value *of)
{
    const bmf_splitting before = *w->splitting;
    bmf_expression *made = make(w, BMF_EXPRESSION_WHILE, false, 2), *whole = NULL;
    value after = *of;
    made->child[1] = walk_expression(w, loop->child[1], &after);
    if (after.shape == of->shape && after.filtered && !of->filtered) {
        of->filtered = true;
        after = *of;
        made->child[1] = walk_again(w, &before, loop->child[1], &after);
    }
    if (after.shape != of->shape) {
        whole = of->shape == WHOLE ? NULL : make_whole(w, of);
        *w->splitting = before;
        made->child[1] = walk_to_whole(w, loop->child[1], *of);
    }
    w->splitting->applied[BMF_SPLITTING_LOOP] += of->shape != WHOLE;
    made->child[0] = walk_to_whole(w, loop->child[0], *of);
    return whole ? compose(w, made, whole) : made;
}

/* The body of a map of a whole list: lists in it may be split, each over all processors. */
static bmf_expression *walk_map(const walk *w, const bmf_expression *map)
{
    const walk in = {w->arena, w->splitting, true, w->counts};
    const int64_t splits = w->splitting->applied[BMF_SPLITTING_IDENTITY];
    bmf_expression *made = make(w, BMF_EXPRESSION_MAP, false, 1);
    made->child[0] = walk_to_whole(&in, map->child[0], (value){.shape = WHOLE});
    w->splitting->applied[BMF_SPLITTING_INNER] += w->splitting->applied[BMF_SPLITTING_IDENTITY] > splits;
    return made;
}

/* The points of what is not walked; nothing else comes of it. */
static void count_points(const walk *w, const bmf_expression *expression)
{
    const bmf_splitting before = *w->splitting;
    const walk counting = {w->arena, w->splitting, true, true};
    walk_to_whole(&counting, expression, (value){.shape = WHOLE});
    const int points = w->splitting->points;
    *w->splitting = before;
    w->splitting->points = points;
}

/* ---- lists that are split, and pairs with them ---- */

static bmf_expression *walk_split_list(const walk *w, const bmf_expression *part, value *of)
{
    bmf_splitting *s = w->splitting;
    bmf_expression *made;
    if (part->kind == BMF_EXPRESSION_MAP || part->kind == BMF_EXPRESSION_FILTER) {
        const bool filter = part->kind == BMF_EXPRESSION_FILTER;
        if (!filter)
            count_points(w, part->child[0]);
        s->applied[filter ? BMF_SPLITTING_FILTER : BMF_SPLITTING_MAP]++;
        of->filtered = of->filtered || filter;
        return parallel_map(w, plain(w, part));
    }
    if (part->kind == BMF_EXPRESSION_REDUCE && (made = promote_reduction(w, part))) {
        *of = (value){.shape = WHOLE};
        return made;
    }
    if (is_operation(part, BMF_OPERATION_LENGTH)) {
        s->applied[BMF_SPLITTING_LENGTH]++;
        *of = (value){.shape = WHOLE};
        made = make(w, BMF_EXPRESSION_REDUCE, true, 1);
        made->child[0] = make_operation(w, BMF_OPERATION_PLUS, false);
        return compose(w, made, parallel_map(w, plain(w, part)));
    }
    if (part->kind == BMF_EXPRESSION_SCAN && (made = promote_scan(w, part)))
        return made;
    made = make_whole(w, of);
    return compose(w, plain(w, part), made);
}

/* The same of whatever it is applied to. */
static bmf_expression *walk_constant(const walk *w, const bmf_expression *part, value *of)
{
    *of = (value){.shape = WHOLE};
    return plain(w, part);
}

/* {P[[a]], P[[b]]} to {[a], P[[b]]} */
static bmf_expression *gather_first(const walk *w)
{
    return tuple_of(w, compose(w, gather(w), component(w, 1, 2)), component(w, 2, 2));
}

static bmf_expression *walk_pair(const walk *w, const bmf_expression *part, value *of)
{
    bmf_splitting *s = w->splitting;
    bmf_expression *made;
    if (part->kind == BMF_EXPRESSION_ADDR && part->number[1] == 2) {
        const bool is_split = of->shape == SPLIT_SPLIT || part->number[0] == 2;
        *of = (value){.shape = is_split ? SPLIT : WHOLE, .filtered = is_split && of->filtered};
        return plain(w, part);
    }
    if (is_operation(part, BMF_OPERATION_DISTL)) {
        bmf_expression *item = of->shape == SPLIT_SPLIT ? gather_first(w) : NULL;
        s->applied[BMF_SPLITTING_DISTL]++;
        of->shape = SPLIT;
        made = compose(w, parallel_map(w, make_operation(w, BMF_OPERATION_DISTL, false)),
                       make_operation(w, BMF_OPERATION_DISTL, true));
        return item ? compose(w, made, item) : made;
    }
    if (of->shape == SPLIT_SPLIT && part->kind == BMF_EXPRESSION_ZIP) {
        s->applied[BMF_SPLITTING_ZIP]++;
        of->shape = SPLIT;
        return compose(w, parallel_map(w, plain(w, part)), make(w, BMF_EXPRESSION_ZIP, true, 0));
    }
    bmf_expression *whole = make_whole(w, of);
    return compose(w, plain(w, part), whole);
}

/* ---- places to split ---- */

static bool holds_list(const bmf_type *type)
{
    bool found = type->kind == BMF_LIST;
    for (int k = 0; k < type->components && !found; k++)
        found = holds_list(type->component[k]);
    return found;
}

static bool takes_pair(const bmf_expression *part)
{
    return part->in->kind == BMF_TUPLE && part->in->components == 2;
}

/* The list of every pair is the same one: it is cheaper to split what the pairs are made of. */
static bool makes_copies(const bmf_expression *part)
{
    return is_operation(part, BMF_OPERATION_DISTL) && takes_pair(part) && holds_list(part->in->component[0]);
}

/* {a, xs} or {xs, ys} with the lists split. */
static bmf_expression *split_pair(const walk *w, bool first_too, value *of)
{
    bmf_expression *first = component(w, 1, 2), *second = compose(w, split(w), component(w, 2, 2));
    of->shape = first_too ? SPLIT_SPLIT : WHOLE_SPLIT;
    return tuple_of(w, first_too ? compose(w, split(w), first) : first, second);
}

/* A place where the value is a list, or a pair whose lists are about to be distributed or zipped: it may be split
 * here. */
static bmf_expression *offer_split(const walk *w, const bmf_expression *part, value *of)
{
    bmf_splitting *s = w->splitting;
    if (!part->in || part->kind == BMF_EXPRESSION_CON || s->points >= BMF_MAX_SPLIT_POINTS)
        return NULL;
    const bool zip = part->kind == BMF_EXPRESSION_ZIP && takes_pair(part),
               distl = is_operation(part, BMF_OPERATION_DISTL) && takes_pair(part);
    if (part->in->kind != BMF_LIST && !zip && !distl)
        return NULL;
    const int point = s->points++;
    if (of->shape != WHOLE || of->copies || w->counts || !(s->chosen >> point & 1))
        return NULL;
    if (zip || distl)
        return split_pair(w, zip, of);
    *of = (value){.shape = SPLIT};
    return split(w);
}

/* Whether pairs with copies of a list are still such pairs behind the part. */
static bool keeps_copies(const bmf_expression *part)
{
    return part->kind == BMF_EXPRESSION_ID || part->kind == BMF_EXPRESSION_CONVERT ||
           part->kind == BMF_EXPRESSION_FILTER;
}

static bmf_expression *walk_part(const walk *w, const bmf_expression *part, value *of)
{
    bmf_expression *before = offer_split(w, part, of), *made;
    const bool copies = makes_copies(part) || (of->copies && keeps_copies(part));
    if (part->kind == BMF_EXPRESSION_ID || part->kind == BMF_EXPRESSION_CONVERT)
        made = make(w, BMF_EXPRESSION_ID, false, 0);
    else if (part->kind == BMF_EXPRESSION_ALLTUP)
        made = walk_tuple(w, part, of);
    else if (part->kind == BMF_EXPRESSION_CON && of->shape == SPLIT)
        made = walk_constant(w, part, of);
    else if (part->kind == BMF_EXPRESSION_IF && !w->inside)
        made = walk_choice(w, part, of);
    else if (part->kind == BMF_EXPRESSION_WHILE && !w->inside)
        made = walk_loop(w, part, of);
    else if (part->kind == BMF_EXPRESSION_MAP && of->shape == WHOLE)
        made = walk_map(w, part);
    else if (of->shape == SPLIT)
        made = walk_split_list(w, part, of);
    else if (of->shape == WHOLE)
        made = plain(w, part);
    else
        made = walk_pair(w, part, of);
    of->copies = of->shape == WHOLE && (copies || (part->kind == BMF_EXPRESSION_IF && of->copies));
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
    const walk w = {.arena = arena, .splitting = splitting};
    value of = {.shape = WHOLE};
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
