/* Laws of skeletons that are applied to split lists, and to tuples with them. */
#include "skeletons/language/forms/form.h"
#include "skeletons/language/laws/splitter.h"

/* What has no law of its own gets whole lists, unless it does not look at them. */
static bmf_expression *on_whole(const splitter *s, const bmf_expression *part, splitter_value *of)
{
    bmf_expression *made = expression_is_independent(part) ? NULL : splitter_make_whole(s, of);
    *of = (splitter_value){0};
    return splitter_compose(s, splitter_plain(s, part), made);
}

/* ---- a split list ---- */

static bmf_expression *as_parallel(const splitter *s, const bmf_expression *part)
{
    bmf_expression *made = splitter_plain(s, part);
    made->parallel = true;
    return made;
}

/* shift k is the first or last neighbour of 2 |k| + 1; NULL: too many for a tuple. */
static bmf_expression *promote_shift(const splitter *s, const bmf_expression *shift)
{
    const int64_t by = shift->number[0], reach = by < 0 ? -by : by, window = 2 * reach + 1;
    const bmf_type *leaf[BMF_MAX_LEAVES], *element = shift->in->component[0];
    const int leaves = bmf_type_is_fixed(element) ? bmf_type_leaves(element, leaf) : 1;
    if (reach == 0 || leaves < 1 || window > BMF_MAX_LEAVES / leaves)
        return NULL;
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_STENCIL, true, shift->children + 1);
    made->number[0] = reach;
    made->child[0] = splitter_component(s, by > 0 ? 1 : window, window);
    if (shift->children > 0)
        made->child[1] = splitter_plain(s, shift->child[0]);
    return made;
}

/* What puts the elements in order, and splits the result evenly. */
static bool puts_in_order(const bmf_expression *part)
{
    return part->kind == BMF_EXPRESSION_SORT_BY || part->kind == BMF_EXPRESSION_GROUP ||
           is_operation(part, BMF_OPERATION_SORT) || is_operation(part, BMF_OPERATION_ARGSORT) ||
           is_operation(part, BMF_OPERATION_UNIQUE);
}

/* What works on all parts together; NULL: it is none of these. They cannot be in maps. */
static bmf_expression *promote_exchange(const splitter *s, const bmf_expression *part, splitter_value *of)
{
    bmf_expression *made = NULL;
    bmf_splitting_law law = BMF_SPLITTING_STENCIL;
    if (s->inside)
        return NULL;
    if (part->kind == BMF_EXPRESSION_STENCIL)
        made = as_parallel(s, part);
    else if (part->kind == BMF_EXPRESSION_SHIFT)
        made = promote_shift(s, part);
    else if (puts_in_order(part)) {
        made = as_parallel(s, part);
        law = BMF_SPLITTING_SORT;
        *of = splitter_even(s, of->from);
    }
    if (made) {
        s->splitting->applied[law]++;
        ++*s->exchanges;
    }
    return made;
}

bmf_expression *splitter_on_list(const splitter *s, const bmf_expression *part, splitter_value *of)
{
    bmf_expression *made;
    if (part->kind == BMF_EXPRESSION_FILTER) {
        s->splitting->applied[BMF_SPLITTING_FILTER]++;
        *of = splitter_new_partition(s, of);
        return splitter_parallel_map(s, splitter_plain(s, part));
    }
    if ((part->kind == BMF_EXPRESSION_REDUCE || is_operation(part, BMF_OPERATION_LENGTH)) &&
        (made = splitter_promote_reduction(s, part, of)))
        return made;
    if (part->kind == BMF_EXPRESSION_SCAN && (made = splitter_promote_scan(s, part)))
        return made;
    if ((made = promote_exchange(s, part, of)))
        return made;
    return on_whole(s, part, of);
}

/* ---- tuples ---- */

/* {x, P[[a]]}: whatever is split in x is gathered. */
static bmf_expression *gather_first(const splitter *s, splitter_value *of)
{
    const splitter_value part[2] = {{0}, of->part[1]}, wanted = splitter_tuple(s, 2, part);
    bmf_expression *made = splitter_make_like(s, of, &wanted);
    *of = wanted;
    return made;
}

/* Constants are made by every processor. */
static bmf_expression *promote_distl(const splitter *s, splitter_value *of)
{
    const bmf_expression *constant = of->part[0].shape == SPLITTER_WHOLE ? of->part[0].constant : NULL;
    bmf_expression *distl = splitter_operation(s, BMF_OPERATION_DISTL, false), *given;
    s->splitting->applied[BMF_SPLITTING_DISTL]++;
    if (constant) {
        distl = splitter_compose(
            s, distl, splitter_pair(s, splitter_plain(s, constant), splitter_make(s, BMF_EXPRESSION_ID, false, 0)));
        given = splitter_component(s, 2, 2);
    } else
        given = splitter_compose(s, splitter_operation(s, BMF_OPERATION_DISTL, true), gather_first(s, of));
    *of = of->part[1];
    return splitter_compose(s, splitter_parallel_map(s, distl), given);
}

/* {P[[a]], P[[b]]} of one partition; a list that is whole is split like the other. NULL: they have none in common. */
static bmf_expression *promote_zip(const splitter *s, const bmf_expression *zip, splitter_value *of)
{
    bmf_expression *alike = NULL;
    if (splitter_is_even(&of->part[0]) && splitter_is_even(&of->part[1]))
        splitter_note_alike(s, &of->part[0], &of->part[1]);
    for (int k = 0; k < 2; k++) {
        const splitter_value *own = &of->part[k], *other = &of->part[1 - k];
        if (own->shape == SPLITTER_WHOLE && splitter_is_even(other)) {
            bmf_expression *both[2] = {splitter_component(s, 1, 2), splitter_component(s, 2, 2)};
            both[k] = splitter_compose(s, splitter_split(s, other), both[k]);
            alike = splitter_pair(s, both[0], both[1]);
        } else if (own->shape != SPLITTER_SPLIT ||
                   (other->shape == SPLITTER_SPLIT && own->partition != other->partition))
            return NULL;
    }
    s->splitting->applied[BMF_SPLITTING_ZIP]++;
    const uint64_t from = of->part[0].from | of->part[1].from;
    *of = of->part[of->part[0].shape != SPLITTER_SPLIT];
    of->from = from;
    return splitter_compose(s, splitter_parallel_map(s, splitter_plain(s, zip)),
                            splitter_compose(s, splitter_make(s, BMF_EXPRESSION_ZIP, true, 0), alike));
}

/* {n, P[[{key, value}]]} */
static bmf_expression *promote_by_key(const splitter *s, const bmf_expression *part, splitter_value *of)
{
    bmf_expression *made = splitter_promote_tables(s, part, of);
    if (!made) {
        bmf_expression *first = gather_first(s, of);
        made = splitter_compose(s, as_parallel(s, part), first);
    }
    s->splitting->applied[BMF_SPLITTING_BY_KEY]++;
    ++*s->exchanges;
    *of = (splitter_value){0};
    return made;
}

/* {P[[row]], matrix}: every processor multiplies its rows. */
static bmf_expression *promote_product(const splitter *s, splitter_value *of)
{
    const splitter_value part[2] = {of->part[0], {0}}, wanted = splitter_tuple(s, 2, part);
    bmf_expression *swap = splitter_pair(s, splitter_component(s, 2, 2), splitter_component(s, 1, 2)),
                   *each = splitter_compose(s, splitter_operation(s, BMF_OPERATION_MATMUL, false), swap),
                   *given = splitter_compose(s, splitter_operation(s, BMF_OPERATION_DISTL, true), swap),
                   *second = splitter_make_like(s, of, &wanted);
    s->splitting->applied[BMF_SPLITTING_PRODUCT]++;
    *of = of->part[0];
    return splitter_compose(s, splitter_parallel_map(s, each), splitter_compose(s, given, second));
}

bmf_expression *splitter_on_tuple(const splitter *s, const bmf_expression *part, splitter_value *of)
{
    const bool second = of->parts == 2 && of->part[1].shape == SPLITTER_SPLIT;
    bmf_expression *made;
    if (part->kind == BMF_EXPRESSION_ADDR && part->number[1] == of->parts) {
        *of = splitter_part(of, (int)part->number[0] - 1);
        return splitter_plain(s, part);
    }
    if (second && is_operation(part, BMF_OPERATION_DISTL))
        return promote_distl(s, of);
    if (of->parts == 2 && of->part[0].shape == SPLITTER_SPLIT && is_operation(part, BMF_OPERATION_MATMUL))
        return promote_product(s, of);
    if (second && part->kind == BMF_EXPRESSION_REDUCE_BY_KEY && !s->inside)
        return promote_by_key(s, part, of);
    if (of->parts == 2 && part->kind == BMF_EXPRESSION_ZIP && (made = promote_zip(s, part, of)))
        return made;
    return on_whole(s, part, of);
}
