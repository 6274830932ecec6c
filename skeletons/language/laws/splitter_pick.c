/* The laws of elements that are taken of a split list: one by its index, some by a list of indices, or a slice.
 *
 * Method, where they are known to be among the first k of the list: every processor sends its first k elements. Their
 * gathering begins with the first k of the list, and is the list if that has fewer, so that taking of it has the value,
 * or fails with the message, of the serial program.
 * Otherwise: where each part begins is a scan of the lengths; the indices are sent to all processors. All send how many
 * elements they have, and those of them that are taken with the numbers of their indices, by which they are put in
 * order. If some are missing, an index is outside of the list: taking it of as many numbers fails as in the serial
 * program. So no branch has messages, for which all processors would have to be told which one is taken.
 * Cost: a gathering of k elements of each processor; or a scan, a distribution of the indices, and a gathering of the
 * lengths and the elements that are taken; before failing, as many numbers as the list has elements are made. */
#include "skeletons/language/laws/splitter.h"

/* Up to so many elements of every part are sent rather than to scan the lengths: a few thousand bytes, or some ten
 * thousand of tuples of many scalars, and fewer rounds of messages. */
enum { FEW = 256 };

static bmf_expression *identity(const splitter *s)
{
    return splitter_make(s, BMF_EXPRESSION_ID, false, 0);
}

static bmf_expression *apply(const splitter *s, bmf_operation operation, bmf_expression *to)
{
    return splitter_compose(s, splitter_operation(s, operation, false), to);
}

static bmf_expression *apply_to_pair(const splitter *s, bmf_operation operation, bmf_expression *a, bmf_expression *b)
{
    return apply(s, operation, splitter_pair(s, a, b));
}

/* ---- among the first elements ---- */

/* The values of an int, or of the ints of a list, are from 0 to most. */
static bool is_within(const splitter_value *of, int64_t most)
{
    return of->shape == SPLITTER_WHOLE && of->ranged && of->least >= 0 && of->most <= most;
}

/* How many of the first elements hold all that are taken; 0: this is not known, or they may be large. Of slices, for
 * which there is no other law, they may. */
static int64_t elements_needed(const bmf_expression *part, const splitter_value *of)
{
    int64_t needed = 1;
    if (!bmf_type_is_fixed(part->in->component[0]->component[0]) && !is_operation(part, BMF_OPERATION_SLICE))
        return 0;
    for (int k = 1; k < of->parts; k++) {
        const bool behind =
            is_operation(part, BMF_OPERATION_SLICE); /* slices end in front of the number that says so */
        if (!is_within(&of->part[k], behind ? FEW : FEW - 1))
            return 0;
        const int64_t own = behind ? of->part[k].most : of->part[k].most + 1;
        needed = own > needed ? own : needed;
    }
    return needed;
}

/* The first `count` elements of each part, gathered. */
static bmf_expression *take_first(const splitter *s, const bmf_expression *part, int64_t count, int parts)
{
    bmf_expression *bounds = splitter_make(s, BMF_EXPRESSION_ALLTUP, false, 3),
                   *made = splitter_make(s, BMF_EXPRESSION_ALLTUP, false, parts);
    bounds->child[0] = identity(s);
    bounds->child[1] = splitter_int(s, 0);
    bounds->child[2] =
        apply_to_pair(s, BMF_OPERATION_MIN, splitter_operation(s, BMF_OPERATION_LENGTH, false), splitter_int(s, count));
    bmf_expression *first = splitter_parallel_map(s, apply(s, BMF_OPERATION_SLICE, bounds));
    made->child[0] =
        splitter_compose(s, splitter_gather(s), splitter_compose(s, first, splitter_component(s, 1, parts)));
    for (int k = 1; k < parts; k++)
        made->child[k] = splitter_component(s, k + 1, parts);
    return splitter_compose(s, splitter_plain(s, part), made);
}

/* ---- anywhere ---- */

/* P[{start, part}] of P[part]. */
static bmf_expression *parts_with_starts(const splitter *s)
{
    bmf_expression *lengths = splitter_parallel_map(s, splitter_operation(s, BMF_OPERATION_LENGTH, false)),
                   *ends = splitter_make(s, BMF_EXPRESSION_SCAN, true, 1),
                   *starts = splitter_make(s, BMF_EXPRESSION_ZIP, true, 1);
    ends->child[0] = splitter_operation(s, BMF_OPERATION_PLUS, false);
    starts->child[0] = splitter_operation(s, BMF_OPERATION_MINUS, false);
    starts = splitter_compose(s, starts, splitter_compose(s, splitter_pair(s, ends, identity(s)), lengths));
    return splitter_compose(s, splitter_make(s, BMF_EXPRESSION_ZIP, true, 0), splitter_pair(s, starts, identity(s)));
}

/* The {number, index} of `listed` for which operation [index, bound]; bound, as all of these, from {[index], {start,
 * part}}. */
static bmf_expression *select_by(const splitter *s, bmf_operation operation, bmf_expression *bound,
                                 bmf_expression *listed)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_FILTER, false, 1);
    made->child[0] = apply_to_pair(s, operation, splitter_component_of(s, 2, 2), splitter_component(s, 1, 2));
    return splitter_compose(s, splitter_map(s, splitter_component(s, 2, 2)),
                            splitter_compose(s, made, apply_to_pair(s, BMF_OPERATION_DISTL, bound, listed)));
}

/* {[index], {start, part}}: the {number of the index, offset in this part} of those that it has. Nothing is subtracted
 * of a negative index, which may be the least int. */
static bmf_expression *own_offsets(const splitter *s)
{
    bmf_expression *indices = splitter_component(s, 1, 2), *start = splitter_component_of(s, 1, 2),
                   *length = apply(s, BMF_OPERATION_LENGTH, splitter_component_of(s, 2, 2)),
                   *numbers = apply(s, BMF_OPERATION_IOTA, apply(s, BMF_OPERATION_LENGTH, indices)),
                   *listed = splitter_compose(s, splitter_make(s, BMF_EXPRESSION_ZIP, false, 0),
                                              splitter_pair(s, numbers, splitter_plain(s, indices)));
    bmf_expression *behind = select_by(s, BMF_OPERATION_GE, start, listed);
    /* {start, {number, index}} */
    bmf_expression *offset = apply_to_pair(s, BMF_OPERATION_MINUS, splitter_component_of(s, 2, 2),
                                           splitter_component(s, 1, 2)),
                   *offsets = splitter_map(s, splitter_pair(s, splitter_component_of(s, 1, 2), offset));
    return select_by(
        s, BMF_OPERATION_LT, length,
        splitter_compose(s, offsets, apply_to_pair(s, BMF_OPERATION_DISTL, splitter_plain(s, start), behind)));
}

/* {[index], {start, part}}: [{length of the part, {numbers of the indices, elements}}]. */
static bmf_expression *own_elements(const splitter *s)
{
    bmf_expression *own = splitter_compose(s, splitter_component(s, 2, 2), splitter_component(s, 1, 2)),
                   *numbers =
                       splitter_compose(s, splitter_map(s, splitter_component(s, 1, 2)), splitter_component(s, 2, 2)),
                   *offsets =
                       splitter_compose(s, splitter_map(s, splitter_component(s, 2, 2)), splitter_component(s, 2, 2));
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_ALLVEC, false, 1);
    made->child[0] = splitter_pair(
        s, apply(s, BMF_OPERATION_LENGTH, own),
        splitter_pair(s, numbers, apply_to_pair(s, BMF_OPERATION_PROJECT, splitter_plain(s, own), offsets)));
    /* {{start, part}, [{number, offset}]} */
    return splitter_compose(s, made, splitter_pair(s, splitter_component(s, 2, 2), own_offsets(s)));
}

/* {P[[a]], x}, indices from that: of every processor {length of the part, {numbers of the indices, elements}}. */
static bmf_expression *all_elements(const splitter *s, bmf_expression *indices)
{
    bmf_expression *parts = splitter_compose(s, parts_with_starts(s), splitter_component(s, 1, 2)),
                   *given = splitter_compose(s, splitter_operation(s, BMF_OPERATION_DISTL, true),
                                             splitter_pair(s, indices, parts));
    return splitter_compose(s, splitter_gather(s),
                            splitter_compose(s, splitter_parallel_map(s, own_elements(s)), given));
}

/* From {x, [a]}: `of` each a, combined. */
static bmf_expression *combine(const splitter *s, bmf_operation operation, bmf_expression *of)
{
    return splitter_compose(s, splitter_reduction(s, splitter_operation(s, operation, false), false, NULL),
                            splitter_compose(s, splitter_map(s, of), splitter_component(s, 2, 2)));
}

/* {x, {length of the list, {numbers, elements}}}, where x is an index, or a list of them: where in `elements` its own
 * are. */
static bmf_expression *places_or_failure(const splitter *s, const bmf_expression *part)
{
    const bool one = is_operation(part, BMF_OPERATION_INDEX);
    bmf_expression *choice = splitter_make(s, BMF_EXPRESSION_IF, false, 3), *asked = splitter_component(s, 1, 2),
                   *numbers = splitter_compose(s, splitter_component_of(s, 1, 2), splitter_component(s, 2, 2)),
                   *list = apply(s, BMF_OPERATION_IOTA, splitter_component_of(s, 1, 2));
    choice->child[0] =
        apply_to_pair(s, BMF_OPERATION_EQ, apply(s, BMF_OPERATION_LENGTH, numbers),
                      one ? splitter_int(s, 1) : apply(s, BMF_OPERATION_LENGTH, splitter_plain(s, asked)));
    choice->child[1] = one ? splitter_int(s, 0) : apply(s, BMF_OPERATION_ARGSORT, splitter_plain(s, numbers));
    choice->child[2] = apply_to_pair(s, part->operation, list, asked);
    return choice;
}

/* B_Index or B_Project of {P[[a]], x}. */
static bmf_expression *take_anywhere(const splitter *s, const bmf_expression *part)
{
    bmf_expression *asked = splitter_component(s, 2, 2), *indices = asked;
    if (is_operation(part, BMF_OPERATION_INDEX)) {
        indices = splitter_make(s, BMF_EXPRESSION_ALLVEC, false, 1);
        indices->child[0] = asked;
    }
    bmf_expression *given = splitter_pair(s, splitter_plain(s, asked), all_elements(s, indices)),
                   *numbers = combine(s, BMF_OPERATION_CONC, splitter_component_of(s, 1, 2)),
                   *elements = combine(s, BMF_OPERATION_CONC, splitter_component_of(s, 2, 2)),
                   *length = combine(s, BMF_OPERATION_PLUS, splitter_component(s, 1, 2)),
                   *found = splitter_pair(s, splitter_component(s, 1, 2),
                                          splitter_pair(s, length, splitter_pair(s, numbers, elements)));
    bmf_expression *taken = splitter_compose(s, splitter_component_of(s, 2, 2), splitter_component(s, 2, 2));
    return splitter_compose(s, apply_to_pair(s, part->operation, taken, places_or_failure(s, part)),
                            splitter_compose(s, found, given));
}

bmf_expression *splitter_promote_pick(const splitter *s, const bmf_expression *part, const splitter_value *of,
                                      bool anywhere)
{
    const bool one = is_operation(part, BMF_OPERATION_INDEX);
    if (s->inside || of->shape != SPLITTER_TUPLE || of->part[0].shape != SPLITTER_SPLIT)
        return NULL;
    const int64_t needed = elements_needed(part, of);
    if (needed == 0 && !anywhere)
        return NULL;
    splitter_value wanted[3] = {of->part[0]};
    const splitter_value like = splitter_tuple(s, of->parts, wanted);
    bmf_expression *whole = splitter_make_like(s, of, &like); /* the indices may be split, too */
    s->splitting->applied[one ? BMF_SPLITTING_INDEX : BMF_SPLITTING_PICK]++;
    return splitter_compose(s, needed > 0 ? take_first(s, part, needed, of->parts) : take_anywhere(s, part), whole);
}
