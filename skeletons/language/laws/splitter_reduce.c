/* Reductions and scans of split lists: by those of the parts, where the operator may be associated anew. */
#include "skeletons/language/forms/form.h"
#include "skeletons/language/laws/splitter.h"

static bool is_conversion_of_nothing(const bmf_expression *expression)
{
    return expression->kind == BMF_EXPRESSION_CONVERT ||
           (expression->kind == BMF_EXPRESSION_COMP && is_conversion_of_nothing(expression->child[0]));
}

/* Whether the operator is one that was said to be associative: its definition, names replaced. */
static bool is_stated(const splitter *s, const bmf_expression *operation)
{
    const bmf_expression *own = splitter_plain(s, operation);
    for (int k = 0; k < s->splitting->stated; k++) {
        bmf_stated_operator *stated = &s->splitting->operation[k];
        const bmf_definition *definition = library_find(s->splitting->library, stated->name + (stated->name[0] == '$'));
        if (!definition || !expression_equal(splitter_plain(s, definition->expression), own))
            continue;
        stated->operation = operation;
        return true;
    }
    return false;
}

static void refuse(const splitter *s, const bmf_expression *reduction, const char *why)
{
    if (!s->splitting->refused) {
        s->splitting->refused = why;
        s->splitting->refused_at = reduction->span;
    }
}

/* Ints that are added up in another order may overflow on the way. */
static bool adds_ints(const bmf_expression *operation)
{
    bool adds = operation->out && operation->out->kind == BMF_INT &&
                (is_operation(operation, BMF_OPERATION_PLUS) || is_operation(operation, BMF_OPERATION_TIMES));
    for (int k = 0; k < operation->children && !adds; k++)
        adds = adds_ints(operation->child[k]);
    return adds;
}

/* Notes why an operator without a known identity stays as it is. */
static void refuse_operator(const splitter *s, const bmf_expression *reduction, const char *otherwise)
{
    splitter free_order = *s;
    bmf_splitting reassociating = *s->splitting;
    reassociating.reassociate = true;
    free_order.splitting = &reassociating;
    refuse(s, reduction,
           splitter_identity(&free_order, reduction->child[0])
               ? "sums of reals in another order round otherwise; --free allows it"
               : otherwise);
}

/* An operator that somebody says is associative needs an element on every processor. */
static bool may_reduce_stated(const splitter *s, const bmf_expression *reduction, const splitter_value *of)
{
    if (!is_stated(s, reduction->child[0])) {
        refuse_operator(s, reduction,
                        "its operator is not known to be associative; a comment `# associative` behind the operator's "
                        "definition says so");
        return false;
    }
    if (!splitter_is_even(of)) {
        refuse(s, reduction, "its operator has no identity that is known, and a processor may have no element");
        return false;
    }
    return true;
}

static bool same_number(const bmf_constant *a, const bmf_constant *b)
{
    const double x = a->kind == BMF_REAL ? a->real : (double)a->integer,
                 y = b->kind == BMF_REAL ? b->real : (double)b->integer;
    return a->kind == BMF_INT && b->kind == BMF_INT ? a->integer == b->integer : x == y;
}

/* The identity, or of sums 0.0, which differs from it in what becomes of -0.0, once or more often. */
static bool is_neutral(const bmf_expression *otherwise, const bmf_expression *identity)
{
    if (otherwise->kind == BMF_EXPRESSION_CON && identity->kind == BMF_EXPRESSION_CON)
        return same_number(&otherwise->constant, &identity->constant);
    bool neutral = otherwise->kind == BMF_EXPRESSION_ALLTUP && identity->kind == BMF_EXPRESSION_ALLTUP &&
                   otherwise->children == identity->children;
    for (int k = 0; neutral && k < identity->children; k++)
        neutral = is_neutral(otherwise->child[k], identity->child[k]);
    return neutral;
}

/* op {x, x} = x, and the order of operands does not matter. */
static bool is_choice(const bmf_expression *operation)
{
    return is_operation(operation, BMF_OPERATION_MAX) || is_operation(operation, BMF_OPERATION_MIN) ||
           is_operation(operation, BMF_OPERATION_AND) || is_operation(operation, BMF_OPERATION_OR);
}

splitter_operator splitter_operator_of(const splitter *s, const bmf_expression *reduction, const splitter_value *of)
{
    bmf_splitting *splitting = s->splitting;
    splitter_operator made = {0};
    if (is_operation(reduction, BMF_OPERATION_LENGTH)) {
        made.operation = splitter_operation(s, BMF_OPERATION_PLUS, false);
        return made;
    }
    const bmf_expression *operation = reduction->child[0];
    made.identity = splitter_identity(s, operation);
    if (!made.identity && !may_reduce_stated(s, reduction, of))
        return made;
    if (reduction->children > 1) {
        if (!expression_is_independent(reduction->child[1]) || is_conversion_of_nothing(reduction->child[1])) {
            refuse(s, reduction, "its default depends on the list");
            return made;
        }
        made.otherwise = splitter_plain(s, reduction->child[1]);
    }
    made.operation = splitter_plain(s, operation);
    splitting->needs_elements = splitting->needs_elements || !made.identity;
    splitting->needs_some = splitting->needs_some || !made.otherwise;
    if (made.identity && made.otherwise && (is_neutral(made.otherwise, made.identity) || is_choice(operation))) {
        made.identity = made.otherwise; /* every part may begin with it */
        made.otherwise = NULL;
    }
    splitting->may_overflow = splitting->may_overflow || adds_ints(operation);
    return made;
}

static bool is_empty_list(const bmf_expression *expression)
{
    const bmf_expression *made = expression;
    while (made->kind == BMF_EXPRESSION_COMP && made->child[0]->kind == BMF_EXPRESSION_CONVERT)
        made = made->child[1];
    return made->kind == BMF_EXPRESSION_ALLVEC && made->children == 0;
}

/* The lists in each part, one behind the other. */
static bmf_expression *promote_concatenation(const splitter *s, const bmf_expression *reduction, splitter_value *of)
{
    if (reduction->children > 1 && !is_empty_list(reduction->child[1]))
        return NULL;
    s->splitting->applied[BMF_SPLITTING_CONCATENATION]++;
    s->splitting->needs_some = s->splitting->needs_some || reduction->children < 2;
    *of = splitter_new_partition(s, of);
    return splitter_parallel_map(s, splitter_reduction(s, splitter_operation(s, BMF_OPERATION_CONC, false), false,
                                                       splitter_make(s, BMF_EXPRESSION_ALLVEC, false, 0)));
}

bmf_expression *splitter_promote_reduction(const splitter *s, const bmf_expression *reduction, splitter_value *of)
{
    const bool length = is_operation(reduction, BMF_OPERATION_LENGTH);
    if (!length && is_operation(reduction->child[0], BMF_OPERATION_CONC))
        return promote_concatenation(s, reduction, of);
    const splitter_operator with = splitter_operator_of(s, reduction, of);
    if (!with.operation)
        return NULL;
    s->splitting->applied[length ? BMF_SPLITTING_LENGTH : BMF_SPLITTING_REDUCE]++;
    ++*s->exchanges;
    *of = (splitter_value){0};
    bmf_expression *each =
        length ? splitter_plain(s, reduction) : splitter_reduction(s, with.operation, false, with.identity);
    return splitter_compose(s, splitter_reduction(s, with.operation, true, with.otherwise),
                            splitter_parallel_map(s, each));
}

/* ---- by key ---- */

/* Tables of more results are no less to send than elements that are in few parts of the fixed tree. */
enum { LARGEST_TABLE = 1024 };

bmf_expression *splitter_promote_tables(const splitter *s, const bmf_expression *by_key, const splitter_value *of)
{
    const splitter_value keys = splitter_part(of, 0);
    const bmf_expression *operation = by_key->child[0], *otherwise = by_key->child[1];
    bmf_expression *identity = splitter_identity(s, operation);
    if (!keys.ranged || keys.least != keys.most || keys.most < 0 || keys.most > LARGEST_TABLE || !identity ||
        !expression_is_independent(otherwise) || is_conversion_of_nothing(otherwise) ||
        !(is_neutral(splitter_plain(s, otherwise), identity) || is_choice(operation)))
        return NULL;
    s->splitting->may_overflow = s->splitting->may_overflow || adds_ints(operation);
    bmf_expression *join = splitter_make(s, BMF_EXPRESSION_ZIP, false, 1),
                   *given = splitter_pair(s, splitter_int(s, keys.most), splitter_make(s, BMF_EXPRESSION_ID, false, 0));
    join->child[0] = splitter_plain(s, operation);
    bmf_expression *tables = splitter_parallel_map(s, splitter_compose(s, splitter_plain(s, by_key), given));
    return splitter_compose(s, splitter_reduction(s, join, true, NULL),
                            splitter_compose(s, tables, splitter_component(s, 2, 2)));
}

/* ---- scans ---- */

/* Of {total, total of what comes before the last} of two neighbouring ranges: that of both together. It is associative
 * if op is. */
static bmf_expression *join_totals(const splitter *s, const bmf_expression *operation)
{
    bmf_expression *first = splitter_component_of(s, 1, 1);
    return splitter_pair(
        s, splitter_compose(s, splitter_plain(s, operation), splitter_pair(s, first, splitter_component_of(s, 1, 2))),
        splitter_compose(s, splitter_plain(s, operation), splitter_pair(s, first, splitter_component_of(s, 2, 2))));
}

/* The total before each part: P[[a]] to P[a]. */
static bmf_expression *totals_before(const splitter *s, const bmf_expression *scan, bmf_expression *identity)
{
    const bmf_expression *operation = scan->child[0];
    bmf_expression *own = splitter_reduction(s, splitter_plain(s, operation), false, identity);
    bmf_expression *leaf = splitter_pair(s, own, identity), *totals = splitter_make(s, BMF_EXPRESSION_SCAN, true, 1),
                   *before = splitter_component(s, 2, 2);
    totals->child[0] = join_totals(s, operation);
    if (scan->children > 1) /* what the scan begins with comes before all parts */
        before = splitter_compose(s, splitter_plain(s, operation),
                                  splitter_pair(s, splitter_plain(s, scan->child[1]), before));
    return splitter_compose(s, splitter_parallel_map(s, before),
                            splitter_compose(s, totals, splitter_parallel_map(s, leaf)));
}

bmf_expression *splitter_promote_scan(const splitter *s, const bmf_expression *scan)
{
    const bmf_expression *operation = scan->child[0];
    bmf_expression *identity = splitter_identity(s, operation);
    if (!identity) {
        refuse_operator(s, scan, "its operator is not known to be associative and to have an identity");
        return NULL;
    }
    if (scan->children > 1 &&
        (!expression_is_independent(scan->child[1]) || is_conversion_of_nothing(scan->child[1]))) {
        refuse(s, scan, "what it begins with depends on the list");
        return NULL;
    }
    bmf_expression *own = splitter_make(s, BMF_EXPRESSION_SCAN, false, 1);
    own->child[0] = splitter_plain(s, operation);
    s->splitting->may_overflow = s->splitting->may_overflow || adds_ints(operation);
    s->splitting->applied[BMF_SPLITTING_SCAN]++;
    ++*s->exchanges;
    bmf_expression *add = splitter_parallel_map(s, splitter_compose(s, splitter_map(s, splitter_plain(s, operation)),
                                                                    splitter_operation(s, BMF_OPERATION_DISTL, false)));
    bmf_expression *both = splitter_pair(s, totals_before(s, scan, identity), splitter_parallel_map(s, own));
    return splitter_compose(s, add, splitter_compose(s, splitter_make(s, BMF_EXPRESSION_ZIP, true, 0), both));
}
