/* Many reductions of one split list: f of each of a list of values reduces it.
 *
 *   map f o distl of {x, [b]}, f o [x, b] = g o reduce op o h o [x, b]
 *   = map g o P_Reduce (zip op) o P_Map (map (reduce op o h) o distl) o P_Distl
 *
 * if h is done part by part: maps, filters, pairings of the elements. A tuple of such reductions is one of tuples, so
 * that op {x, y} = [op1 {x1, y1}, ..]. Messages: one round of reductions, not one for each value; every processor reads
 * its part of the list where it is. */
#include "skeletons/language/laws/splitter.h"

/* f as finish o reduce operation o map local. */
typedef struct table {
    bmf_expression *local, *operation, *finish;
} table;

static bool find_table(const splitter *s, const bmf_expression *f, splitter_value of, table *made);

static bool is_reduction(const bmf_expression *part)
{
    return part->kind == BMF_EXPRESSION_REDUCE || is_operation(part, BMF_OPERATION_LENGTH);
}

static bool table_of_reduction(const splitter *s, const bmf_expression *part, const splitter_value *of, table *made)
{
    if (part->kind == BMF_EXPRESSION_REDUCE && is_operation(part->child[0], BMF_OPERATION_CONC))
        return false;
    const splitter_operator with = splitter_operator_of(s, part, of);
    if (!with.operation)
        return false;
    made->operation = with.operation;
    made->local = is_operation(part, BMF_OPERATION_LENGTH)
                      ? splitter_plain(s, part)
                      : splitter_reduction(s, with.operation, false, with.identity);
    made->finish = splitter_make(s, BMF_EXPRESSION_ID, false, 0);
    if (with.otherwise)
        made->finish = splitter_compose(s, with.operation, splitter_pair(s, with.otherwise, made->finish));
    return true;
}

/* What does not depend on the list is the same on every processor. */
static bool table_of_same(const splitter *s, const bmf_expression *part, splitter_value of, table *made)
{
    const int before = *s->exchanges;
    splitter_walk(s, part, &of);
    if (of.shape != SPLITTER_WHOLE || *s->exchanges != before)
        return false;
    *made =
        (table){splitter_plain(s, part), splitter_component(s, 1, 2), splitter_make(s, BMF_EXPRESSION_ID, false, 0)};
    return true;
}

static bool table_of_tuple(const splitter *s, const bmf_expression *tuple, splitter_value of, table *made)
{
    const int n = tuple->children;
    *made =
        (table){splitter_make(s, BMF_EXPRESSION_ALLTUP, false, n), splitter_make(s, BMF_EXPRESSION_ALLTUP, false, n),
                splitter_make(s, BMF_EXPRESSION_ALLTUP, false, n)};
    for (int k = 0; k < n; k++) {
        table own;
        if (!table_of_same(s, tuple->child[k], of, &own) && !find_table(s, tuple->child[k], of, &own))
            return false;
        bmf_expression *component = splitter_component(s, k + 1, n);
        made->local->child[k] = own.local;
        made->operation->child[k] =
            splitter_compose(s, own.operation,
                             splitter_pair(s, splitter_compose(s, component, splitter_component(s, 1, 2)),
                                           splitter_compose(s, component, splitter_component(s, 2, 2))));
        made->finish->child[k] = splitter_compose(s, own.finish, component);
    }
    return true;
}

/* Goes through the parts up to the first that reduces the list; before that, elements stay where they are. */
static bool find_table(const splitter *s, const bmf_expression *f, splitter_value of, table *made)
{
    const bool chain = f->kind == BMF_EXPRESSION_COMP;
    const int parts = chain ? f->children : 1;
    bmf_expression *alone[1] = {(bmf_expression *)f}, *const *part = chain ? f->child : alone;
    for (int k = parts - 1; k >= 0 && of.shape != SPLITTER_WHOLE; k--) {
        const bmf_splitting before = *s->splitting;
        const int exchanges = *s->exchanges;
        const bool found = of.shape == SPLITTER_SPLIT && is_reduction(part[k])
                               ? table_of_reduction(s, part[k], &of, made)
                           : part[k]->kind == BMF_EXPRESSION_ALLTUP ? table_of_tuple(s, part[k], of, made)
                           : part[k]->kind == BMF_EXPRESSION_COMP   ? find_table(s, part[k], of, made)
                                                                    : false;
        if (found) {
            made->local = splitter_compose(s, made->local, splitter_plain_parts(s, parts - k - 1, part + k + 1));
            made->finish = splitter_compose(s, splitter_plain_parts(s, k, part), made->finish);
            return true;
        }
        *s->splitting = before;
        *s->exchanges = exchanges;
        splitter_walk(s, part[k], &of);
        if (*s->exchanges != exchanges)
            return false;
    }
    return false;
}

/* ---- the value, taken apart and put together ---- */

/* The split list in a value, and all else that is in it. */
typedef struct contents {
    int lists, others, put; /* put: of the others, used again */
    bmf_expression *list, *other[BMF_MAX_LEAVES];
} contents;

static void take_apart(const splitter *s, const splitter_value *of, bmf_expression *path, contents *in)
{
    if (of->shape == SPLITTER_SPLIT) {
        in->lists++;
        in->list = path;
    } else if (of->shape == SPLITTER_WHOLE) {
        if (in->others < BMF_MAX_LEAVES)
            in->other[in->others] = path;
        in->others++;
    } else
        for (int k = 0; k < of->parts; k++)
            take_apart(s, &of->part[k], splitter_compose(s, splitter_component(s, k + 1, of->parts), path), in);
}

/* From {others, part of the list}. */
static bmf_expression *put_together(const splitter *s, const splitter_value *of, contents *in)
{
    if (of->shape == SPLITTER_SPLIT)
        return splitter_component(s, 2, 2);
    if (of->shape == SPLITTER_WHOLE)
        return in->others == 1
                   ? splitter_component(s, 1, 2)
                   : splitter_compose(s, splitter_component(s, ++in->put, in->others), splitter_component(s, 1, 2));
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_ALLTUP, false, of->parts);
    for (int k = 0; k < of->parts; k++)
        made->child[k] = put_together(s, &of->part[k], in);
    return made;
}

static bmf_expression *all_others(const splitter *s, const contents *in)
{
    if (in->others == 1)
        return in->other[0];
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_ALLTUP, false, in->others);
    for (int k = 0; k < in->others; k++)
        made->child[k] = in->other[k];
    return made;
}

bmf_expression *splitter_promote_table(const splitter *s, const bmf_expression *map, const splitter_value *of)
{
    contents in = {0};
    table of_each;
    if (of->shape != SPLITTER_TUPLE || of->parts != 2 || of->part[1].shape != SPLITTER_WHOLE)
        return NULL;
    take_apart(s, of, splitter_make(s, BMF_EXPRESSION_ID, false, 0), &in);
    if (in.lists != 1 || in.others > BMF_MAX_LEAVES)
        return NULL;
    splitter trial = *s;
    trial.inside = trial.counts = true;
    if (!find_table(&trial, map->child[0], *of, &of_each))
        return NULL;
    bmf_expression *join = splitter_make(s, BMF_EXPRESSION_ZIP, false, 1);
    join->child[0] = of_each.operation;
    bmf_expression *own =
        splitter_compose(s, splitter_operation(s, BMF_OPERATION_DISTL, false), put_together(s, of, &in));
    own = splitter_compose(s, splitter_map(s, of_each.local), own);
    bmf_expression *given = splitter_compose(s, splitter_operation(s, BMF_OPERATION_DISTL, true),
                                             splitter_pair(s, all_others(s, &in), in.list));
    bmf_expression *tables = splitter_compose(s, splitter_reduction(s, join, true, NULL),
                                              splitter_compose(s, splitter_parallel_map(s, own), given));
    s->splitting->applied[BMF_SPLITTING_TABLE]++;
    ++*s->exchanges;
    return of_each.finish->kind == BMF_EXPRESSION_ID ? tables
                                                     : splitter_compose(s, splitter_map(s, of_each.finish), tables);
}
