/* The naive evaluator.
 *
 * Method: recursion over the typed tree; every value is a box of its own. A failure is NULL and a word why.
 * Cost: one box for every value of every subexpression; an n-element reduction applies its operator n - 1 times, a scan
 * at most n log n times. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/reference/reference_grid.h"
#include "ctest/reference/reference_matrix.h"
#include "ctest/reference/reference_stencil.h"
#include "ctest/reference/reference_values.h"
#include "bmf/random.h"
#include "runtime/base/allocate.h"
#include "runtime/data/partition.h"
#include "skeletons/language/front/data.h"

static value apply(reference_machine *m, const bmf_expression *e, int64_t place, value x);

/* ---- operations on lists ---- */

static value iota(reference_machine *m, value x)
{
    if (x->integer < 0)
        return naive_fail(m, "negative length");
    reference_value *made = naive_box(m, BMF_LIST, x->integer);
    for (int64_t i = 0; i < x->integer && made; i++)
        if ((made->item[i] = naive_box_int(m, i)) == NULL)
            return NULL;
    return made;
}

static value item_at(reference_machine *m, value list, int64_t i)
{
    return i >= 0 && i < list->count ? list->item[i] : naive_fail(m, "index");
}

static value distl(reference_machine *m, value x, value list)
{
    reference_value *made = naive_box_like(m, list, list->count);
    for (int64_t i = 0; i < list->count && made; i++)
        if ((made->item[i] = naive_box_pair(m, x, list->item[i])) == NULL)
            return NULL;
    return made;
}

/* The processor of item k of what is projected: that of the list's item k, and on with the same step. */
static int64_t projected_place(value list, int64_t k)
{
    int64_t step = list->count > 1 ? list->processor[1] - list->processor[0] : 1;
    return list->processor[0] + k * step;
}

static value project(reference_machine *m, value list, value index)
{
    reference_value *made = naive_box(m, list->kind, index->count);
    for (int64_t k = 0; k < index->count && made; k++) {
        made->item[k] = item_at(m, list, index->item[k]->integer);
        if (!made->item[k])
            return NULL;
        if (list->kind == BMF_DISTRIBUTED && (made->processor[k] = projected_place(list, k)) >= m->processors)
            return naive_fail(m, "beyond the machine");
    }
    return made;
}

static value conc(reference_machine *m, value a, value b)
{
    reference_value *made = naive_box(m, BMF_LIST, a->count + b->count);
    if (!made)
        return NULL;
    for (int64_t i = 0; i < made->count; i++)
        made->item[i] = i < a->count ? a->item[i] : b->item[i - a->count];
    return made;
}

/* Numbers ascend, -0.0 before 0.0, NaN behind all; false before true. */
static bool comes_before(value a, value b)
{
    if (a->kind != BMF_REAL)
        return a->integer < b->integer;
    if (isnan(a->real) || isnan(b->real))
        return !isnan(a->real) && isnan(b->real);
    return a->real < b->real || (a->real == b->real && signbit(a->real) && !signbit(b->real));
}

/* 0.0 is -0.0, and NaN is NaN. */
static bool same_number(value a, value b)
{
    if (a->kind != BMF_REAL)
        return a->integer == b->integer;
    return a->real == b->real || (isnan(a->real) && isnan(b->real));
}

/* By insertion: the items, or their numbers. */
static value sort(reference_machine *m, value list, bool numbers)
{
    reference_value *made = naive_box(m, BMF_LIST, list->count);
    int64_t *number = naive_claim(m, list->count * (int64_t)sizeof *number);
    for (int64_t i = 0; i < list->count && made; i++) {
        int64_t k = i;
        for (; k > 0 && comes_before(list->item[i], list->item[number[k - 1]]); k--)
            number[k] = number[k - 1];
        number[k] = i;
    }
    for (int64_t i = 0; i < list->count && made; i++)
        if ((made->item[i] = numbers ? naive_box_int(m, number[i]) : list->item[number[i]]) == NULL)
            return NULL;
    return made;
}

/* A list split evenly, lying where the parts do. */
static value split_like(reference_machine *m, value parts, value sorted)
{
    reference_value *made = sorted ? naive_box_like(m, parts, parts->count) : NULL;
    int64_t next = 0;
    for (int64_t k = 0; k < parts->count && made; k++) {
        reference_value *part =
            naive_box(m, BMF_LIST, sorted->count / parts->count + (k < sorted->count % parts->count));
        if (!part)
            return NULL;
        for (int64_t i = 0; i < part->count; i++)
            part->item[i] = sorted->item[next++];
        made->item[k] = part;
    }
    return made;
}

static value sort_parts(reference_machine *m, value parts, bool numbers)
{
    value all = naive_join_parts(m, parts);
    return split_like(m, parts, all ? sort(m, all, numbers) : NULL);
}

static value transpose_parts(reference_machine *m, const bmf_expression *e, value parts)
{
    if (e->on_grid)
        return naive_transpose_blocks(m, parts);
    value all = naive_join_parts(m, parts), turned = all ? naive_transpose(m, all) : NULL;
    return turned ? split_like(m, parts, turned) : NULL;
}

static value unique(reference_machine *m, value list)
{
    value sorted = sort(m, list, false);
    reference_value *made = sorted ? naive_box(m, BMF_LIST, sorted->count) : NULL;
    int64_t count = 0;
    for (int64_t i = 0; made && i < sorted->count; i++)
        if (count == 0 || !same_number(made->item[count - 1], sorted->item[i]))
            made->item[count++] = sorted->item[i];
    if (made)
        made->count = count;
    return made;
}

static value unique_parts(reference_machine *m, value parts)
{
    value all = naive_join_parts(m, parts);
    return split_like(m, parts, all ? unique(m, all) : NULL);
}

static value operate(reference_machine *m, const bmf_expression *e, value x)
{
    const bmf_operation operation = e->operation;
    value a = x->count == 2 ? x->item[0] : NULL, b = x->count == 2 ? x->item[1] : NULL;
    switch (operation) {
    case BMF_OPERATION_LENGTH:
        return naive_box_int(m, x->count);
    case BMF_OPERATION_IOTA:
        return iota(m, x);
    case BMF_OPERATION_INDEX:
        return item_at(m, a, b->integer);
    case BMF_OPERATION_DISTL:
        return distl(m, a, b);
    case BMF_OPERATION_PROJECT:
        return project(m, a, b);
    case BMF_OPERATION_CONC:
        return conc(m, a, b);
    case BMF_OPERATION_SORT:
    case BMF_OPERATION_ARGSORT:
        return x->kind == BMF_DISTRIBUTED ? sort_parts(m, x, operation == BMF_OPERATION_ARGSORT)
                                          : sort(m, x, operation == BMF_OPERATION_ARGSORT);
    case BMF_OPERATION_UNIQUE:
        return x->kind == BMF_DISTRIBUTED ? unique_parts(m, x) : unique(m, x);
    case BMF_OPERATION_TRANSPOSE:
        return x->kind == BMF_DISTRIBUTED ? transpose_parts(m, e, x) : naive_transpose(m, x);
    case BMF_OPERATION_SLICE:
        return naive_slice(m, x->item[0], x->item[1]->integer, x->item[2]->integer);
    case BMF_OPERATION_MATMUL:
        return naive_matmul(m, a, b);
    case BMF_OPERATION_AND:
        return naive_box_bool(m, a->integer != 0 && b->integer != 0);
    case BMF_OPERATION_OR:
        return naive_box_bool(m, a->integer != 0 || b->integer != 0);
    default:
        break;
    }
    if (operation >= BMF_OPERATION_EQ && operation <= BMF_OPERATION_LE)
        return naive_compare(m, operation, a, b);
    if (operation >= BMF_OPERATION_UMINUS)
        return naive_unary(m, operation, x);
    if (operation == BMF_OPERATION_RANDOM)
        return naive_box_real(m, bmf_random(a->integer, b->integer));
    if (operation != BMF_OPERATION_POW && operation != BMF_OPERATION_ATAN2 && a->kind == BMF_INT && b->kind == BMF_INT)
        return naive_int_arithmetic(m, operation, a->integer, b->integer);
    return naive_real_arithmetic(m, operation, naive_real_of(a), naive_real_of(b));
}

/* ---- skeletons ---- */

static value combine(reference_machine *m, const bmf_expression *operator, int64_t place, value a, value b)
{
    value pair = naive_box_pair(m, a, b);
    return pair ? apply(m, operator, place, pair) : NULL;
}

/* The nodes of the fixed tree that are complete in the first n elements: level[k][j]. */
typedef struct tree {
    value *level[64];
} tree;

static bool make_tree(reference_machine *m, const bmf_expression *operator, int64_t place, value list, tree *t)
{
    t->level[0] = list->item;
    for (int k = 1; list->count >> k > 0; k++) {
        t->level[k] = naive_claim(m, (list->count >> k) * (int64_t)sizeof(value));
        for (int64_t j = 0; j < list->count >> k; j++)
            if ((t->level[k][j] = combine(m, operator, place, t->level[k - 1][2 * j], t->level[k - 1][2 * j + 1])) ==
                NULL)
                return false;
    }
    return true;
}

/* The fold of the first n > 0 elements: the nodes of n's binary digits, from the largest, combined from the left. */
static value fold(reference_machine *m, const bmf_expression *operator, int64_t place, const tree *t, int64_t n)
{
    value folded = NULL;
    int64_t covered = 0;
    for (int k = 62; k >= 0; k--) {
        if ((n >> k & 1) == 0)
            continue;
        value node = t->level[k][covered >> k];
        folded = !folded ? node : combine(m, operator, place, folded, node);
        covered += (int64_t)1 << k;
        if (!folded)
            return NULL;
    }
    return folded;
}

/* Document 000, 5.6: on level l, every element i that is a multiple of 2^l takes in element i + 2^(l-1). */
static value reduce_levels(reference_machine *m, const bmf_expression *operator, value list)
{
    value *x = naive_claim(m, list->count * (int64_t)sizeof *x);
    memcpy(x, list->item, (size_t)list->count * sizeof *x);
    for (int64_t step = 1; step < list->count; step *= 2)
        for (int64_t i = 0; i + step < list->count; i += 2 * step)
            if ((x[i] = combine(m, operator, list->processor[i], x[i], x[i + step])) == NULL)
                return NULL;
    return x[0];
}

/* Document 000, 5.8: for d = 1, 2, 4, .., all elements from d on at once take in the one d before them. */
static bool scan_levels(reference_machine *m, const bmf_expression *operator, value list, reference_value *out)
{
    memcpy(out->item, list->item, (size_t)list->count * sizeof *out->item);
    for (int64_t d = 1; d < list->count; d *= 2)
        for (int64_t i = list->count - 1; i >= d; i--)
            if ((out->item[i] = combine(m, operator, list->processor[i], out->item[i - d], out->item[i])) == NULL)
                return false;
    return true;
}

static value reduce(reference_machine *m, const bmf_expression *e, int64_t place, value list)
{
    value first = NULL, folded = NULL;
    tree t;
    if (e->children > 1 && (first = apply(m, e->child[1], place, list)) == NULL)
        return NULL;
    if (list->count == 0)
        return first ? first : naive_fail(m, "no default");
    if (list->kind == BMF_DISTRIBUTED)
        folded = reduce_levels(m, e->child[0], list);
    else if (make_tree(m, e->child[0], place, list, &t))
        folded = fold(m, e->child[0], place, &t, list->count);
    if (!folded || !first)
        return folded;
    return combine(m, e->child[0], place, first, folded);
}

static value scan(reference_machine *m, const bmf_expression *e, int64_t place, value list)
{
    value first = NULL;
    tree t;
    if (e->children > 1 && (first = apply(m, e->child[1], place, list)) == NULL)
        return NULL;
    reference_value *out = naive_box_like(m, list, list->count);
    if (!out || list->count == 0)
        return out;
    if (list->kind == BMF_DISTRIBUTED) {
        if (!scan_levels(m, e->child[0], list, out))
            return NULL;
    } else {
        if (!make_tree(m, e->child[0], place, list, &t))
            return NULL;
        for (int64_t i = 0; i < list->count; i++)
            if ((out->item[i] = fold(m, e->child[0], place, &t, i + 1)) == NULL)
                return NULL;
    }
    for (int64_t i = 0; i < list->count && first; i++)
        if ((out->item[i] = combine(m, e->child[0], naive_place_of(list, i, place), first, out->item[i])) == NULL)
            return NULL;
    return out;
}

static value map(reference_machine *m, const bmf_expression *f, int64_t place, value list)
{
    reference_value *out = naive_box_like(m, list, list->count);
    for (int64_t i = 0; i < list->count && out; i++)
        if ((out->item[i] = apply(m, f, naive_place_of(list, i, place), list->item[i])) == NULL)
            return NULL;
    return out;
}

static value zip(reference_machine *m, const bmf_expression *e, int64_t place, value a, value b)
{
    if (a->count != b->count)
        return naive_fail(m, "ragged");
    for (int64_t i = 0; i < a->count && a->kind == BMF_DISTRIBUTED; i++)
        if (a->processor[i] != b->processor[i])
            return naive_fail(m, "not conformable");
    reference_value *out = naive_box_like(m, a, a->count);
    for (int64_t i = 0; i < a->count && out; i++) {
        out->item[i] = e->children > 0 ? combine(m, e->child[0], naive_place_of(a, i, place), a->item[i], b->item[i])
                                       : naive_box_pair(m, a->item[i], b->item[i]);
        if (!out->item[i])
            return NULL;
    }
    return out;
}

static value filter(reference_machine *m, const bmf_expression *predicate, int64_t place, value list)
{
    int64_t kept = 0;
    value *keep = naive_claim(m, list->count * (int64_t)sizeof *keep);
    for (int64_t i = 0; i < list->count; i++) {
        value holds = apply(m, predicate, place, list->item[i]);
        if (!holds)
            return NULL;
        if (holds->integer != 0)
            keep[kept++] = list->item[i];
    }
    reference_value *out = naive_box(m, BMF_LIST, kept);
    if (out && kept > 0)
        memcpy(out->item, keep, (size_t)kept * sizeof *keep);
    return out;
}

/* Document 000, 5.3.1: part by part, the rest divided by the parts left, rounded up. */
static value split(reference_machine *m, const bmf_expression *e, int64_t place, value list)
{
    int64_t parts = e->number[0], begin = 0;
    reference_value *out = naive_box(m, e->out->kind, parts);
    for (int64_t k = 0; k < parts && out; k++) {
        int64_t left = parts - k, size = (list->count - begin + left - 1) / left;
        reference_value *part = naive_box(m, BMF_LIST, size);
        if (!part)
            return NULL;
        for (int64_t i = 0; i < size; i++)
            part->item[i] = list->item[begin + i];
        begin += size;
        out->item[k] = part;
        if (e->out->kind == BMF_DISTRIBUTED)
            out->processor[k] = place + (k << e->number[1]);
    }
    return out;
}

static value all(reference_machine *m, const bmf_expression *e, int64_t place, value x)
{
    reference_value *out = naive_box(m, e->kind == BMF_EXPRESSION_ALLTUP ? BMF_TUPLE : BMF_LIST, e->children);
    for (int k = 0; k < e->children && out; k++)
        if ((out->item[k] = apply(m, e->child[k], place, x)) == NULL)
            return NULL;
    return out;
}

static value loop(reference_machine *m, const bmf_expression *e, int64_t place, value x)
{
    for (;;) {
        value holds = apply(m, e->child[0], place, x);
        if (!holds || holds->integer == 0)
            return holds ? x : NULL;
        if ((x = apply(m, e->child[1], place, x)) == NULL)
            return NULL;
    }
}

static value constant(reference_machine *m, const bmf_constant *c)
{
    if (c->kind == BMF_REAL)
        return naive_box_real(m, c->real);
    return c->kind == BMF_INT ? naive_box_int(m, c->integer) : naive_box_bool(m, c->integer != 0);
}

static value convert(reference_machine *m, value x, const bmf_type *to)
{
    if (to->components == 0)
        return x->kind == BMF_INT && to->kind == BMF_REAL ? naive_box_real(m, (double)x->integer) : x;
    reference_value *out = naive_box_like(m, x, x->count);
    for (int64_t k = 0; k < x->count && out; k++)
        if ((out->item[k] = convert(m, x->item[k], to->component[to->kind == BMF_TUPLE ? k : 0])) == NULL)
            return NULL;
    return out;
}

/* ---- by key, and shifts ---- */

static bool same_bits(value a, value b)
{
    if (a->kind == BMF_REAL)
        return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    bool same = a->integer == b->integer;
    for (int64_t k = 0; k < a->count && same; k++)
        same = same_bits(a->item[k], b->item[k]);
    return same;
}

/* The entries of a key from the blocks [begin, begin + count), count a power of two: the fixed tree, in which the
 * default leaves the other as it is. */
static value join_blocks(reference_machine *m, const bmf_expression *operator, int64_t place, value initial,
                         value const *entry, int64_t count)
{
    if (count == 1)
        return entry[0];
    value a = join_blocks(m, operator, place, initial, entry, count / 2);
    value b = a ? join_blocks(m, operator, place, initial, entry + count / 2, count / 2) : NULL;
    if (!b || same_bits(b, initial))
        return b ? a : NULL;
    return same_bits(a, initial) ? b : combine(m, operator, place, a, b);
}

/* The result of one key: entries of blocks, each folded from left to right, joined by the nodes of their number's
 * binary digits. */
static value result_of_key(reference_machine *m, const bmf_expression *operator, int64_t place, value initial,
                           value list, int64_t block, int64_t key)
{
    const int64_t blocks = list->count > 0 ? (list->count + block - 1) / block : 0;
    value *entry = naive_claim(m, (blocks + 1) * (int64_t)sizeof *entry), result = NULL;
    for (int64_t b = 0; b < blocks; b++) {
        entry[b] = initial;
        for (int64_t i = b * block; i < list->count && i < (b + 1) * block && entry[b]; i++)
            if (list->item[i]->item[0]->integer == key)
                entry[b] = combine(m, operator, place, entry[b], list->item[i]->item[1]);
        if (!entry[b])
            return NULL;
    }
    int64_t done = 0;
    for (int k = 62; k >= 0; k--) {
        if ((blocks >> k & 1) == 0)
            continue;
        value node = join_blocks(m, operator, place, initial, entry + done, (int64_t)1 << k);
        if (!node)
            return NULL;
        value pair[2] = {result, node};
        result = !result ? node : join_blocks(m, operator, place, initial, pair, 2);
        if (!result)
            return NULL;
        done += (int64_t)1 << k;
    }
    return result ? result : initial;
}

/* Elements of a block: 1, 2, 4, .. of them, as many as have 1024 elements and 6 for each key. */
static int64_t block_of_keys(int64_t elements, int64_t keys)
{
    int64_t blocks = 1;
    while (elements >= 2 * blocks * 1024 && elements >= 2 * blocks * 6 * keys)
        blocks *= 2;
    return (elements + blocks - 1) / blocks;
}

static value by_key(reference_machine *m, const bmf_expression *e, int64_t place, value x)
{
    const int64_t keys = x->item[0]->integer;
    value initial = apply(m, e->child[1], place, x->item[0]), list = x->item[1];
    if (!initial)
        return NULL;
    if (keys < 0)
        return naive_fail(m, "no number of keys");
    if (list->kind == BMF_DISTRIBUTED)
        list = naive_join_parts(m, list);
    for (int64_t i = 0; list && i < list->count; i++)
        if (list->item[i]->item[0]->integer < 0 || list->item[i]->item[0]->integer >= keys)
            return naive_fail(m, "a key out of range");
    reference_value *out = list ? naive_box(m, BMF_LIST, keys) : NULL;
    const int64_t block = out ? block_of_keys(list->count, keys) : 1;
    for (int64_t k = 0; k < keys && out; k++)
        if ((out->item[k] = result_of_key(m, e->child[0], place, initial, list, block, k)) == NULL)
            return NULL;
    return out;
}

static value shift_list(reference_machine *m, const bmf_expression *e, int64_t place, value list)
{
    const int64_t count = list->count;
    reference_value *out = naive_box_like(m, list, count);
    for (int64_t i = 0; i < count && out; i++) {
        int64_t from = i - e->number[0];
        if (e->children == 0)
            from = (from % count + count) % count;
        out->item[i] = from >= 0 && from < count ? list->item[from]
                                                 : apply(m, e->child[0], naive_place_of(list, i, place), list->item[i]);
        if (!out->item[i])
            return NULL;
    }
    return out;
}

/* The argument without what is handed on: x of {x, list}, and the list; of parts {x, list} the first one's. */
static value take_handed(reference_machine *m, value *argument)
{
    value parts = *argument, handed = NULL;
    if (parts->kind == BMF_TUPLE) {
        handed = parts->item[0];
        *argument = parts->item[1];
    } else if (parts->kind == BMF_DISTRIBUTED && parts->count > 0 && parts->item[0]->kind == BMF_TUPLE) {
        reference_value *lists = naive_box_like(m, parts, parts->count);
        handed = parts->item[0]->item[0];
        for (int64_t k = 0; k < parts->count && lists; k++)
            lists->item[k] = parts->item[k]->item[1];
        *argument = lists;
    }
    return handed;
}

/* The items in the order of their keys, and these keys. */
static value sort_by(reference_machine *m, const bmf_expression *e, int64_t place, value handed, value list,
                     value *keys)
{
    reference_value *key = naive_box(m, BMF_LIST, list->count);
    for (int64_t i = 0; i < list->count && key; i++)
        if ((key->item[i] = apply(m, e->child[0], place, naive_seen(m, handed, list->item[i]))) == NULL)
            return NULL;
    value order = key ? sort(m, key, true) : NULL;
    *keys = order ? project(m, key, order) : NULL;
    return *keys ? project(m, list, order) : NULL;
}

static value group(reference_machine *m, const bmf_expression *e, int64_t place, value handed, value list)
{
    value keys, sorted = sort_by(m, e, place, handed, list, &keys);
    reference_value *out = sorted ? naive_box(m, BMF_LIST, sorted->count) : NULL;
    int64_t count = 0;
    for (int64_t i = 0, end; out && i < sorted->count; i = end) {
        for (end = i + 1; end < sorted->count && same_number(keys->item[i], keys->item[end]); end++)
            continue;
        reference_value *members = naive_box(m, BMF_LIST, end - i);
        for (int64_t k = i; members && k < end; k++)
            members->item[k - i] = sorted->item[k];
        if (!members || (out->item[count++] = naive_box_pair(m, keys->item[i], members)) == NULL)
            return NULL;
    }
    if (out)
        out->count = count;
    return out;
}

static value apply(reference_machine *m, const bmf_expression *e, int64_t place, value x)
{
    value keys, parts, handed;
    switch (e->kind) {
    case BMF_EXPRESSION_ID:
        return x;
    case BMF_EXPRESSION_COMP:
        for (int k = e->children - 1; k >= 0 && x; k--)
            x = apply(m, e->child[k], place, x);
        return x;
    case BMF_EXPRESSION_CON:
        return constant(m, &e->constant);
    case BMF_EXPRESSION_ALLTUP:
    case BMF_EXPRESSION_ALLVEC:
        return all(m, e, place, x);
    case BMF_EXPRESSION_OP:
        return operate(m, e, x);
    case BMF_EXPRESSION_ADDR:
        return x->item[e->number[0] - 1];
    case BMF_EXPRESSION_MAP:
        return map(m, e->child[0], place, x);
    case BMF_EXPRESSION_REDUCE:
        return reduce(m, e, place, x);
    case BMF_EXPRESSION_SCAN:
        return scan(m, e, place, x);
    case BMF_EXPRESSION_ZIP:
        return zip(m, e, place, x->item[0], x->item[1]);
    case BMF_EXPRESSION_SPLIT:
        return split(m, e, place, x);
    case BMF_EXPRESSION_BLOCKS:
        return x->kind == BMF_DISTRIBUTED ? naive_blocks_of_parts(m, e, place, x) : naive_blocks(m, e, place, x);
    case BMF_EXPRESSION_JOIN:
        return naive_join_blocks(m, e, x);
    case BMF_EXPRESSION_REDUCE_BY_KEY:
        return by_key(m, e, place, x);
    case BMF_EXPRESSION_STENCIL:
        handed = take_handed(m, &x);
        if (!x)
            return NULL;
        return naive_stencil(m, apply, e, place, handed, x);
    case BMF_EXPRESSION_SORT_BY:
        handed = take_handed(m, &x);
        if (!x)
            return NULL;
        if (x->kind != BMF_DISTRIBUTED)
            return sort_by(m, e, place, handed, x, &keys);
        x = naive_join_parts(m, parts = x);
        x = x ? sort_by(m, e, place, handed, x, &keys) : NULL;
        return x ? split_like(m, parts, x) : NULL;
    case BMF_EXPRESSION_GROUP:
        handed = take_handed(m, &x);
        if (!x)
            return NULL;
        if (x->kind != BMF_DISTRIBUTED)
            return group(m, e, place, handed, x);
        x = naive_join_parts(m, parts = x);
        x = x ? group(m, e, place, handed, x) : NULL;
        return x ? split_like(m, parts, x) : NULL;
    case BMF_EXPRESSION_SHIFT:
        return shift_list(m, e, place, x);
    case BMF_EXPRESSION_FILTER:
        return filter(m, e->child[0], place, x);
    case BMF_EXPRESSION_IF: {
        value holds = apply(m, e->child[0], place, x);
        return holds ? apply(m, e->child[holds->integer != 0 ? 1 : 2], place, x) : NULL;
    }
    case BMF_EXPRESSION_WHILE:
        return loop(m, e, place, x);
    case BMF_EXPRESSION_CONVERT:
        return convert(m, x, e->out);
    default:
        return naive_fail(m, "a node that the checker does not make");
    }
}

reference_outcome reference_evaluate(reference_machine *m, const bmf_expression *checked, const bmf_column *argument,
                                     value *result)
{
    value x = naive_from_column(m, argument, 0);
    m->failure = NULL;
    *result = x ? apply(m, checked, 0, x) : NULL;
    if (*result)
        return REFERENCE_VALUE;
    return m->failure ? REFERENCE_FAILURE : REFERENCE_TOO_MUCH;
}

/* ---- comparing and printing ---- */

static bool same_real(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

bool reference_same(value x, const bmf_column *column, int64_t i)
{
    const char *data = column->data ? (const char *)column->data + i * column->stride : NULL;
    bmf_type_kind kind = column->type->kind;
    if (x->kind != kind && !(x->kind == BMF_DISTRIBUTED && kind == BMF_LIST))
        return false;
    if (kind == BMF_INT)
        return x->integer == *(const int64_t *)data;
    if (kind == BMF_REAL)
        return same_real(x->real, *(const double *)data);
    if (kind == BMF_BOOL)
        return x->integer == (*data != 0);
    bool list = kind == BMF_LIST;
    int64_t begin = list ? column->offsets[i] : 0;
    if (x->count != (list ? column->offsets[i + 1] - begin : column->type->components))
        return false;
    for (int64_t k = 0; k < x->count; k++)
        if (!reference_same(x->item[k], &column->child[list ? 0 : k], list ? begin + k : i))
            return false;
    return true;
}

void reference_print(value x, int64_t max, FILE *stream)
{
    char text[32];
    if (x->kind == BMF_INT)
        fprintf(stream, "%" PRId64, x->integer);
    else if (x->kind == BMF_REAL)
        fputs(real_print(x->real, text), stream);
    else if (x->kind == BMF_BOOL)
        fputs(x->integer != 0 ? "true" : "false", stream);
    if (x->kind <= BMF_BOOL)
        return;
    fputs(x->kind == BMF_TUPLE ? "{" : "[", stream);
    for (int64_t k = 0; k < x->count && k < max; k++) {
        fputs(k > 0 ? ", " : "", stream);
        reference_print(x->item[k], max, stream);
    }
    fputs(x->count > max ? ", .." : "", stream);
    fputs(x->kind == BMF_TUPLE ? "}" : "]", stream);
}
