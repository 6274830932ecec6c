/* What is known of values while a program is split: which lists in them are split, and how alike. */
#include "skeletons/language/laws/splitter.h"

splitter_value splitter_even(const splitter *s, uint64_t from)
{
    return (splitter_value){
        .shape = SPLITTER_SPLIT, .partition = from & s->rows ? SPLITTER_EVEN_ROWS : SPLITTER_EVEN, .from = from};
}

bool splitter_is_even(const splitter_value *of)
{
    return of->shape == SPLITTER_SPLIT && (of->partition == SPLITTER_EVEN || of->partition == SPLITTER_EVEN_ROWS);
}

void splitter_note_alike(const splitter *s, const splitter_value *a, const splitter_value *b)
{
    const uint64_t both = a->from | b->from;
    if (both & (s->rows | s->splitting->rows))
        s->splitting->rows |= both;
}

splitter_value splitter_new_partition(const splitter *s, const splitter_value *of)
{
    return (splitter_value){.shape = SPLITTER_SPLIT, .partition = (*s->partitions)++, .from = of->from};
}

splitter_value splitter_tuple(const splitter *s, int parts, const splitter_value *part)
{
    bool whole = true;
    splitter_value *kept = expressions_bytes(s->arena, parts * (int64_t)sizeof *kept);
    for (int k = 0; k < parts; k++) {
        kept[k] = part[k];
        whole = whole && part[k].shape == SPLITTER_WHOLE;
    }
    if (whole)
        return (splitter_value){.parts = parts, .part = kept};
    return (splitter_value){.shape = SPLITTER_TUPLE, .parts = parts, .part = kept};
}

splitter_value splitter_part(const splitter_value *of, int k)
{
    return of->shape != SPLITTER_SPLIT && k < of->parts ? of->part[k] : (splitter_value){0};
}

bmf_expression *splitter_make_like(const splitter *s, const splitter_value *from, const splitter_value *to)
{
    if (from->shape == to->shape && from->shape != SPLITTER_TUPLE)
        return splitter_make(s, BMF_EXPRESSION_ID, false, 0);
    if (from->shape == SPLITTER_SPLIT)
        return splitter_gather(s);
    bool changes = false;
    bmf_expression *made = splitter_make(s, BMF_EXPRESSION_ALLTUP, false, from->parts);
    for (int k = 0; k < from->parts; k++) {
        const splitter_value own = splitter_part(from, k), wanted = splitter_part(to, k);
        bmf_expression *change = splitter_make_like(s, &own, &wanted);
        changes = changes || change->kind != BMF_EXPRESSION_ID;
        made->child[k] = splitter_compose(s, change, splitter_component(s, k + 1, from->parts));
    }
    return changes ? made : splitter_make(s, BMF_EXPRESSION_ID, false, 0);
}

bmf_expression *splitter_make_whole(const splitter *s, const splitter_value *of)
{
    return splitter_make_like(s, of, &(splitter_value){0});
}

splitter_value splitter_common(const splitter *s, const splitter_value *a, const splitter_value *b)
{
    if (a->shape == SPLITTER_SPLIT && b->shape == SPLITTER_SPLIT)
        return (splitter_value){.shape = SPLITTER_SPLIT,
                                .partition = a->partition == b->partition ? a->partition : SPLITTER_UNKNOWN,
                                .from = a->from | b->from};
    if (a->shape != SPLITTER_TUPLE || b->shape != SPLITTER_TUPLE)
        return (splitter_value){.copies = a->copies || b->copies};
    splitter_value part[BMF_MAX_LEAVES];
    for (int k = 0; k < a->parts; k++)
        part[k] = splitter_common(s, &a->part[k], &b->part[k]);
    return splitter_tuple(s, a->parts, part);
}

bool splitter_same(const splitter_value *a, const splitter_value *b)
{
    bool same =
        a->shape == b->shape && (a->shape != SPLITTER_SPLIT || (a->partition == b->partition && a->from == b->from));
    for (int k = 0; same && a->shape == SPLITTER_TUPLE && k < a->parts; k++)
        same = splitter_same(&a->part[k], &b->part[k]);
    return same;
}

splitter_value splitter_number_partitions(const splitter *s, const splitter_value *of)
{
    if (of->shape == SPLITTER_SPLIT && of->partition == SPLITTER_UNKNOWN)
        return splitter_new_partition(s, of);
    if (of->shape != SPLITTER_TUPLE)
        return *of;
    splitter_value part[BMF_MAX_LEAVES];
    for (int k = 0; k < of->parts; k++)
        part[k] = splitter_number_partitions(s, &of->part[k]);
    return splitter_tuple(s, of->parts, part);
}
