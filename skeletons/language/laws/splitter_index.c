/* The law of an element that is taken of a split list.
 *
 * Method: where each part begins is a scan of the lengths; the index is sent to all processors. All send how many
 * elements they have, and the one that has the element sends that, too. If none has it, the index is outside of the
 * list: taking it of as many numbers fails as in the serial program. So no branch has messages, for which all
 * processors would have to be told which one is taken.
 * Cost: a scan, a distribution of the index, and a gathering of the lengths and the element; before failing, as many
 * numbers as the list has elements on one processor. */
#include "skeletons/language/laws/splitter.h"

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

static bmf_expression *choice(const splitter *s, bmf_expression *question, bmf_expression *yes, bmf_expression *no)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_IF, false, 3);
    made->child[0] = question;
    made->child[1] = yes;
    made->child[2] = no;
    return made;
}

/* [element], or an empty list for NULL. */
static bmf_expression *list_of(const splitter *s, bmf_expression *element)
{
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_ALLVEC, false, element ? 1 : 0);
    if (element)
        made->child[0] = element;
    return made;
}

/* {i, {start, part}}: [{length of the part, the element in a list}]; that is empty if the part does not have it.
 * Nothing is subtracted of a negative i, which may be the least int. */
static bmf_expression *own_element(const splitter *s)
{
    bmf_expression *start = splitter_component_of(s, 1, 2), *part = splitter_component_of(s, 2, 2),
                   *length = apply(s, BMF_OPERATION_LENGTH, part), *index = splitter_component(s, 1, 2),
                   *offset = apply_to_pair(s, BMF_OPERATION_MINUS, index, start);
    bmf_expression *below = choice(s, splitter_operation(s, BMF_OPERATION_LT, false),
                                   list_of(s, splitter_component(s, 1, 2)), list_of(s, NULL)),
                   *here =
                       choice(s, apply_to_pair(s, BMF_OPERATION_LT, splitter_plain(s, index), splitter_plain(s, start)),
                              list_of(s, NULL), splitter_compose(s, below, splitter_pair(s, offset, length)));
    return list_of(s, splitter_pair(s, splitter_plain(s, length),
                                    apply_to_pair(s, BMF_OPERATION_PROJECT, splitter_plain(s, part), here)));
}

/* {P[[a]], i}: of every processor {length of the part, the element in a list, or an empty one}. */
static bmf_expression *all_parts(const splitter *s)
{
    bmf_expression *parts = splitter_compose(s, parts_with_starts(s), splitter_component(s, 1, 2)),
                   *given = splitter_compose(s, splitter_operation(s, BMF_OPERATION_DISTL, true),
                                             splitter_pair(s, splitter_component(s, 2, 2), parts));
    return splitter_compose(s, splitter_gather(s),
                            splitter_compose(s, splitter_parallel_map(s, own_element(s)), given));
}

/* [{length, list}]: component `which` of all, combined. */
static bmf_expression *combine(const splitter *s, bmf_operation operation, int64_t which)
{
    return splitter_compose(s, splitter_reduction(s, splitter_operation(s, operation, false), false, NULL),
                            splitter_map(s, splitter_component(s, which, 2)));
}

/* {{i, [{length, list}]}, [element]}: where in that list the element is. */
static bmf_expression *place_or_failure(const splitter *s)
{
    bmf_expression *length = splitter_compose(s, combine(s, BMF_OPERATION_PLUS, 1), splitter_component_of(s, 2, 1)),
                   *none =
                       apply_to_pair(s, BMF_OPERATION_EQ, apply(s, BMF_OPERATION_LENGTH, splitter_component(s, 2, 2)),
                                     splitter_int(s, 0));
    return choice(
        s, none,
        apply_to_pair(s, BMF_OPERATION_INDEX, apply(s, BMF_OPERATION_IOTA, length), splitter_component_of(s, 1, 1)),
        splitter_int(s, 0));
}

bmf_expression *splitter_promote_index(const splitter *s)
{
    bmf_expression *given = splitter_pair(s, splitter_component(s, 2, 2), all_parts(s)),
                   *found = splitter_compose(s, combine(s, BMF_OPERATION_CONC, 2), splitter_component(s, 2, 2));
    s->splitting->applied[BMF_SPLITTING_INDEX]++;
    return splitter_compose(s, apply_to_pair(s, BMF_OPERATION_INDEX, splitter_component(s, 2, 2), place_or_failure(s)),
                            splitter_compose(s, splitter_pair(s, identity(s), found), given));
}
