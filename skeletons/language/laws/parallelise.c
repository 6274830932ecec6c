/* Carrying splits through a program; see parallelise.h.
 *
 * Method: one walk from the argument to the value, with what is known of the value at each place (splitter.h): which of
 * the lists in it are split over the processors, and which of these alike. Parts of a composition are made anew for
 * what they get. Conversions that the checker added are left out; it adds them again.
 * Source: the laws of document 000, 2.10 (split-reduce identity, map and reduce promotion). Cost: linear in the tree,
 * but for bodies of loops, which are walked until what is split before is split behind. */
#include "skeletons/language/laws/parallelise.h"

#include "skeletons/language/forms/form.h"
#include "skeletons/language/laws/splitter.h"

const char *splitting_law_name(bmf_splitting_law law)
{
    static const char *const name[] = {
        "split-reduce identity",   "map promotion",     "filter promotion",    "reduce promotion",
        "length promotion",        "distl promotion",   "zip promotion",       "scan by block totals",
        "concatenation promotion", "stencil promotion", "sort promotion",      "promotion by key",
        "index promotion",         "pick promotion",    "reductions together", "product by rows",
        "choice promotion",        "loop promotion",    "inner lists",         "grid"};
    return name[law];
}

/* For a value that has to be whole. */
static bmf_expression *walk_to_whole(const splitter *s, const bmf_expression *expression, splitter_value of)
{
    bmf_expression *made = splitter_walk(s, expression, &of);
    return splitter_compose(s, splitter_make_whole(s, &of), made);
}

/* Constants, and tuples and lists of them: no more to make than to receive. */
static bool is_constant(const bmf_expression *part)
{
    if (part->kind != BMF_EXPRESSION_ALLVEC && part->kind != BMF_EXPRESSION_ALLTUP)
        return expression_is_independent(part) && is_structural(part);
    for (int k = 0; k < part->children; k++)
        if (!is_constant(part->child[k]))
            return false;
    return true;
}

/* Every function gets the value. */
static bmf_expression *walk_tuple(const splitter *s, const bmf_expression *tuple, splitter_value *of)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_ALLTUP, false, tuple->children);
    splitter_value all[BMF_MAX_LEAVES];
    for (int k = 0; k < tuple->children; k++) {
        all[k] = *of;
        made->child[k] = splitter_walk(s, tuple->child[k], &all[k]);
        if (all[k].shape == SPLITTER_WHOLE && is_constant(tuple->child[k]))
            all[k].constant = tuple->child[k];
    }
    *of = splitter_tuple(s, tuple->children, all);
    return made;
}

/* Every function gets the value; the list of what they make is whole. */
static bmf_expression *walk_vector(const splitter *s, const bmf_expression *vector, splitter_value *of)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_ALLVEC, false, vector->children);
    splitter_value list = {0};
    for (int k = 0; k < vector->children; k++) {
        splitter_value element = *of;
        bmf_expression *child = splitter_walk(s, vector->child[k], &element);
        made->child[k] = splitter_compose(s, splitter_make_whole(s, &element), child);
        list = k > 0 ? splitter_range_of_both(&list, &element) : splitter_range_of_both(&element, &element);
    }
    list.counted = true;
    list.length = vector->children;
    *of = list;
    return made;
}

/* ---- choices, loops and the inside of maps ---- */

/* What it is applied to stays as it is for the question; branches leave split what both do. */
static bmf_expression *walk_choice(const splitter *s, const bmf_expression *choice, splitter_value *of)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_IF, false, 3);
    splitter_value branch[2] = {*of, *of};
    made->child[0] = walk_to_whole(s, choice->child[0], *of);
    for (int k = 0; k < 2; k++)
        made->child[k + 1] = splitter_walk(s, choice->child[k + 1], &branch[k]);
    s->splitting->applied[BMF_SPLITTING_CHOICE] += of->shape != SPLITTER_WHOLE;
    const splitter_value common = splitter_common(s, &branch[0], &branch[1]);
    for (int k = 0; k < 2; k++)
        made->child[k + 1] = splitter_compose(s, splitter_make_like(s, &branch[k], &common), made->child[k + 1]);
    *of = splitter_number_partitions(s, &common);
    return made;
}

/* The state of a loop is split alike before and after its body. Points are counted in the order of the walk, whatever
 * is split: who walks again begins anew. */
static bmf_expression *walk_loop(const splitter *s, const bmf_expression *loop, splitter_value *of)
{
    const bmf_splitting before = *s->splitting;
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_WHILE, false, 2), *start;
    splitter_value state, common = splitter_common(s, of, of), now, after;
    do {
        *s->splitting = before;
        state = common;
        now = after = splitter_number_partitions(s, &state);
        made->child[1] = splitter_walk(s, loop->child[1], &after);
        common = splitter_common(s, &state, &after);
    } while (!splitter_same(&common, &state));
    made->child[1] = splitter_compose(s, splitter_make_like(s, &after, &state), made->child[1]);
    s->splitting->applied[BMF_SPLITTING_LOOP] += state.shape != SPLITTER_WHOLE;
    made->child[0] = walk_to_whole(s, loop->child[0], now);
    start = splitter_make_like(s, of, &state);
    *of = now;
    return splitter_compose(s, made, start);
}

/* Whether the list that is next given to `part` is split in front of it. */
static bool splits_before(const splitter *s, const bmf_expression *part, const splitter_value *of)
{
    const bmf_splitting *splitting = s->splitting;
    return of->shape == SPLITTER_WHOLE && !s->counts && part->in && splitting->points < BMF_MAX_SPLIT_POINTS &&
           (splitting->chosen >> splitting->points & 1) != 0;
}

/* Lists inside of the list may be split, too: those of a whole list each over all processors, those of a split list
 * over the columns of the grid. *element: what is known of the elements; what is split in them stays so up to the next
 * part, if that is a map. */
static bmf_expression *walk_map(const splitter *s, const bmf_expression *map, const bmf_expression *next,
                                const splitter_value *of, splitter_value *element)
{
    bmf_splitting *splitting = s->splitting;
    const bool split = of->shape == SPLITTER_SPLIT;
    const int64_t splits = splitting->applied[BMF_SPLITTING_IDENTITY];
    splitter in = *s;
    in.inside = true;
    if (split) {
        in.counts = s->counts || s->inside || splitting->grid.columns == 0;
        in.processors = splitting->grid.columns;
    }
    bmf_expression *body = splitter_walk(&in, map->child[0], element);
    if (!next || next->kind != BMF_EXPRESSION_MAP || splits_before(s, next, of)) {
        body = splitter_compose(s, splitter_make_whole(s, element), body);
        *element = (splitter_value){0};
    }
    const bool inner = splitting->applied[BMF_SPLITTING_IDENTITY] > splits;
    if (!split) {
        splitting->applied[BMF_SPLITTING_INNER] += inner;
        return splitter_map(s, body);
    }
    splitting->applied[BMF_SPLITTING_MAP]++;
    splitting->applied[BMF_SPLITTING_GRID] += inner;
    splitting->rows |= inner ? of->from : 0;
    return splitter_parallel_map(s, splitter_map(s, body));
}

/* The points of what is not walked; nothing else comes of it. */
static void count_points(const splitter *s, const bmf_expression *expression)
{
    const bmf_splitting before = *s->splitting;
    splitter counting = *s;
    counting.inside = counting.counts = true;
    walk_to_whole(&counting, expression, (splitter_value){0});
    const int points = s->splitting->points;
    const uint64_t inner = s->splitting->inner;
    *s->splitting = before;
    s->splitting->points = points;
    s->splitting->inner = inner;
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

static bool takes_by_index(const bmf_expression *part)
{
    return is_operation(part, BMF_OPERATION_INDEX) || is_operation(part, BMF_OPERATION_PROJECT);
}

/* The list of every pair is the same one: it is cheaper to split what the pairs are made of. */
static bool makes_copies(const bmf_expression *part)
{
    return is_operation(part, BMF_OPERATION_DISTL) && takes_pair(part) && holds_list(part->in->component[0]);
}

/* Whether pairs with copies of a list are still such pairs behind the part. */
static bool keeps_copies(const bmf_expression *part)
{
    return part->kind == BMF_EXPRESSION_ID || part->kind == BMF_EXPRESSION_CONVERT ||
           part->kind == BMF_EXPRESSION_FILTER;
}

/* What can be split in front of a part. */
typedef enum place {
    NO_PLACE,
    LIST_PLACE,   /* the list */
    FIRST_PLACE,  /* the first of a pair */
    STAYS_PLACE,  /* the first of a tuple is split already, and may stay so */
    SECOND_PLACE, /* the second of a pair */
    BOTH_PLACE    /* both of a pair */
} place;

/* The next place is counted; in front of a length, which a whole list just has, there is none. *chosen: its point, if
 * it is to be split; or 0. */
static place count_place(const splitter *s, const bmf_expression *part, uint64_t *chosen)
{
    bmf_splitting *splitting = s->splitting;
    place at = NO_PLACE;
    if (!part->in || expression_is_independent(part) || is_operation(part, BMF_OPERATION_LENGTH) ||
        splitting->points >= BMF_MAX_SPLIT_POINTS)
        return NO_PLACE;
    if (part->in->kind == BMF_LIST)
        at = LIST_PLACE;
    else if (part->kind == BMF_EXPRESSION_ZIP && takes_pair(part))
        at = BOTH_PLACE;
    else if (takes_pair(part) && part->in->component[1]->kind == BMF_LIST &&
             (is_operation(part, BMF_OPERATION_DISTL) || (part->kind == BMF_EXPRESSION_REDUCE_BY_KEY && !s->inside)))
        at = SECOND_PLACE;
    else if (takes_by_index(part) && !s->inside)
        at = STAYS_PLACE;
    else if (takes_pair(part) && is_operation(part, BMF_OPERATION_MATMUL))
        at = FIRST_PLACE;
    if (at == NO_PLACE)
        return at;
    const uint64_t point = UINT64_C(1) << splitting->points++;
    *chosen = s->counts ? 0 : splitting->chosen & point;
    splitting->inner |= s->inside ? point : 0;
    return at;
}

/* A place where the value is a list, or a pair whose lists are about to be distributed, zipped or put in order by keys:
 * it may be split here; NULL: it is not. *stays: a split list of which elements are about to be taken stays split. */
static bmf_expression *offer_split(const splitter *s, const bmf_expression *part, splitter_value *of, bool *stays)
{
    uint64_t chosen = 0;
    const place at = count_place(s, part, &chosen);
    const splitter_value even = splitter_even(s, chosen);
    *stays = at == STAYS_PLACE && chosen && splitter_part(of, 0).shape == SPLITTER_SPLIT;
    if (!chosen || of->copies || at == STAYS_PLACE)
        return NULL;
    if (at == FIRST_PLACE || at == SECOND_PLACE) {
        const int which = at == SECOND_PLACE;
        splitter_value both[2] = {splitter_part(of, 0), splitter_part(of, 1)};
        bmf_expression *made[2] = {splitter_component(s, 1, 2), splitter_component(s, 2, 2)};
        if (both[which].shape != SPLITTER_WHOLE)
            return NULL;
        both[which] = even;
        made[which] = splitter_compose(s, splitter_split(s, &even), made[which]);
        *of = splitter_tuple(s, 2, both);
        return splitter_pair(s, made[0], made[1]);
    }
    if (of->shape != SPLITTER_WHOLE)
        return NULL;
    if (at == BOTH_PLACE) {
        const splitter_value part_of[2] = {even, even};
        *of = splitter_tuple(s, 2, part_of);
        return splitter_pair(s, splitter_compose(s, splitter_split(s, &even), splitter_component(s, 1, 2)),
                             splitter_compose(s, splitter_split(s, &even), splitter_component(s, 2, 2)));
    }
    *of = even;
    return splitter_split(s, &even);
}

/* ---- the walk ---- */

/* next: the part behind it in the composition, or NULL; element: see walk_map. */
static bmf_expression *walk_part(const splitter *s, const bmf_expression *part, const bmf_expression *next,
                                 splitter_value *of, splitter_value *element)
{
    bool stays;
    bmf_expression *before = offer_split(s, part, of, &stays), *made;
    const splitter_value given = *of;
    const bool copies = makes_copies(part) || (of->copies && keeps_copies(part));
    bmf_expression *taken = takes_by_index(part) || is_operation(part, BMF_OPERATION_SLICE)
                                ? splitter_promote_pick(s, part, of, stays)
                                : NULL;
    if (part->kind == BMF_EXPRESSION_ID || part->kind == BMF_EXPRESSION_CONVERT)
        made = splitter_make(s, BMF_EXPRESSION_ID, false, 0);
    else if (part->kind == BMF_EXPRESSION_ALLTUP)
        made = walk_tuple(s, part, of);
    else if (part->kind == BMF_EXPRESSION_ALLVEC)
        made = walk_vector(s, part, of);
    else if (part->kind == BMF_EXPRESSION_CON || taken) {
        made = taken ? taken : splitter_plain(s, part);
        *of = (splitter_value){0};
    } else if (part->kind == BMF_EXPRESSION_IF && !s->inside)
        made = walk_choice(s, part, of);
    else if (part->kind == BMF_EXPRESSION_WHILE && !s->inside)
        made = walk_loop(s, part, of);
    else if (part->kind == BMF_EXPRESSION_MAP)
        made = walk_map(s, part, next, of, element);
    else if (of->shape == SPLITTER_SPLIT)
        made = splitter_on_list(s, part, of);
    else if (of->shape == SPLITTER_WHOLE)
        made = splitter_plain(s, part);
    else
        made = splitter_on_tuple(s, part, of);
    const bool still_copies = copies || (part->kind == BMF_EXPRESSION_IF && of->copies);
    if (of->shape == SPLITTER_WHOLE && part->kind != BMF_EXPRESSION_ALLTUP && part->kind != BMF_EXPRESSION_ALLVEC)
        *of = splitter_range_after(part, &given);
    of->copies = of->shape == SPLITTER_WHOLE && still_copies;
    return splitter_compose(s, made, before);
}

/* B_Map (map) o B_Op (B_Distl) where a list that goes with every element is split; NULL: by the laws of each. */
static bmf_expression *walk_table(const splitter *s, const bmf_expression *map, const bmf_expression *distl,
                                  splitter_value *of)
{
    const bmf_splitting before = *s->splitting;
    uint64_t chosen = 0;
    if (!is_operation(distl, BMF_OPERATION_DISTL) || map->kind != BMF_EXPRESSION_MAP || of->shape != SPLITTER_TUPLE)
        return NULL;
    count_place(s, distl, &chosen);
    bmf_expression *made = chosen ? NULL : splitter_promote_table(s, map, of);
    if (!made) {
        *s->splitting = before;
        return NULL;
    }
    s->splitting->points = before.points;
    count_place(s, distl, &chosen);
    count_place(s, map, &chosen);
    count_points(s, map->child[0]);
    *of = (splitter_value){0};
    return made;
}

bmf_expression *splitter_walk(const splitter *s, const bmf_expression *expression, splitter_value *of)
{
    splitter_value element = {0};
    if (expression->kind != BMF_EXPRESSION_COMP)
        return walk_part(s, expression, NULL, of, &element);
    bmf_expression *made = NULL;
    for (int k = expression->children - 1; k >= 0; k--) {
        const bmf_expression *own = expression->child[k], *next = k > 0 ? expression->child[k - 1] : NULL;
        bmf_expression *both = next ? walk_table(s, next, own, of) : NULL;
        bmf_expression *part = both                               ? both
                               : own->kind == BMF_EXPRESSION_COMP ? splitter_walk(s, own, of)
                                                                  : walk_part(s, own, next, of, &element);
        made = splitter_compose(s, part, made);
        if (both)
            k--;
    }
    return made;
}

static void clear_results(bmf_splitting *splitting)
{
    splitting->points = 0;
    splitting->inner = splitting->rows = 0;
    splitting->needs_elements = splitting->needs_some = splitting->may_overflow = false;
    splitting->refused = NULL;
    for (int k = 0; k < BMF_SPLITTING_LAWS; k++)
        splitting->applied[k] = 0;
}

static bmf_expression *walk_program(bmf_expressions *arena, const bmf_expression *checked, uint64_t rows,
                                    bmf_splitting *splitting)
{
    int partitions = SPLITTER_OTHERS, exchanges = 0;
    const splitter s = {.arena = arena,
                        .splitting = splitting,
                        .processors = splitting->processors,
                        .rows = rows,
                        .partitions = &partitions,
                        .exchanges = &exchanges};
    splitter_value of = {0};
    bmf_expression *made = splitter_walk(&s, checked, &of);
    return splitter_compose(&s, splitter_make_whole(&s, &of), made);
}

/* Which lists are split over the rows of the grid is known when one inside of them is split: it begins anew then. */
bmf_expression *parallelise(bmf_expressions *arena, const bmf_expression *checked, bmf_splitting *splitting)
{
    if (checked->communicates)
        return NULL;
    uint64_t rows;
    bmf_expression *made;
    splitting->rows = 0;
    do {
        rows = splitting->rows;
        clear_results(splitting);
        made = walk_program(arena, checked, rows, splitting);
        splitting->rows |= rows;
    } while (splitting->rows != rows);
    return made;
}
