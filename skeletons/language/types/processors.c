/* How many processors the P_Splits of a typed expression need.
 *
 * Method: the expression is run on places instead of values: for every depth of distributed lists in each other the
 * highest processor their elements may lie on, and for the expression the highest processor of its instance. A split
 * of p parts with stride s reaches from there (p - 1) 2^s further; a map goes on from its list's elements. Components
 * of tuples and branches are not told apart, so the answer may be too high where a smaller list is chosen among
 * several.
 * Cost: O(nodes * different places they are used with).
 * Source: document 000, 5.3.4. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/data/partition.h"
#include "skeletons/language/types/check.h"

/* highest[d]: of the elements of lists with d distributed lists around them. Lists nested deeper count with the last.
 * */
typedef struct places {
    int64_t highest[BMF_MAX_LEVELS];
} places;

typedef struct visit {
    const bmf_expression *node;
    int64_t base;
    places in, out;
    struct visit *next;
} visit;

enum { BUCKETS = 256 };

typedef struct survey {
    int64_t highest; /* so far */
    visit *bucket[BUCKETS];
} survey;

static places run(survey *all, const bmf_expression *node, int64_t base, places in);

static places highest_of(places a, places b)
{
    for (int d = 0; d < BMF_MAX_LEVELS; d++)
        if (b.highest[d] > a.highest[d])
            a.highest[d] = b.highest[d];
    return a;
}

/* As seen by the elements of a distributed list. */
static places inner(places list)
{
    memmove(list.highest, list.highest + 1, (BMF_MAX_LEVELS - 1) * sizeof list.highest[0]);
    return list;
}

static places outer(int64_t elements, places element)
{
    int64_t last = element.highest[BMF_MAX_LEVELS - 1];
    memmove(element.highest + 1, element.highest, (BMF_MAX_LEVELS - 1) * sizeof element.highest[0]);
    element.highest[0] = elements;
    if (last > element.highest[BMF_MAX_LEVELS - 1])
        element.highest[BMF_MAX_LEVELS - 1] = last;
    return element;
}

static places run_split(survey *all, const bmf_expression *node, int64_t base, places in)
{
    if (!node->parallel)
        return in;
    int64_t last = base + ((node->number[0] - 1) << node->number[1]);
    if (last > all->highest)
        all->highest = last;
    return outer(last, (places){{0}});
}

/* The first child once per element, the others (defaults) in the instance itself. */
static places run_elements(survey *all, const bmf_expression *node, int64_t base, places in)
{
    places out = in;
    if (node->children > 0 && node->parallel)
        out = outer(in.highest[0], run(all, node->child[0], in.highest[0], inner(in)));
    else if (node->children > 0)
        out = run(all, node->child[0], base, in);
    for (int k = 1; k < node->children; k++)
        run(all, node->child[k], base, in);
    return node->kind == BMF_EXPRESSION_MAP ? out : highest_of(in, out);
}

static places run_loop(survey *all, const bmf_expression *node, int64_t base, places in)
{
    places before;
    do { /* ends: places only come from the argument, from splits and from maps over those */
        before = in;
        run(all, node->child[0], base, in);
        in = highest_of(in, run(all, node->child[1], base, in));
    } while (memcmp(&before, &in, sizeof in) != 0);
    return in;
}

static places run_kind(survey *all, const bmf_expression *node, int64_t base, places in)
{
    places out = {{0}};
    switch (node->kind) {
    case BMF_EXPRESSION_COMP:
        for (int k = node->children - 1; k >= 0; k--)
            in = run(all, node->child[k], base, in);
        return in;
    case BMF_EXPRESSION_ALLTUP:
    case BMF_EXPRESSION_ALLVEC:
    case BMF_EXPRESSION_IF:
        for (int k = 0; k < node->children; k++)
            out = highest_of(out, run(all, node->child[k], base, in));
        return out;
    case BMF_EXPRESSION_WHILE:
        return run_loop(all, node, base, in);
    case BMF_EXPRESSION_SPLIT:
        return run_split(all, node, base, in);
    case BMF_EXPRESSION_MAP:
    case BMF_EXPRESSION_REDUCE:
    case BMF_EXPRESSION_SCAN:
    case BMF_EXPRESSION_ZIP:
    case BMF_EXPRESSION_FILTER:
        return run_elements(all, node, base, in);
    default:
        return in;
    }
}

static places run(survey *all, const bmf_expression *node, int64_t base, places in)
{
    if (!node->communicates)
        return in;
    visit **bucket = &all->bucket[((uintptr_t)node >> 4) % BUCKETS];
    for (const visit *known = *bucket; known; known = known->next)
        if (known->node == node && known->base == base && memcmp(&known->in, &in, sizeof in) == 0)
            return known->out;
    places out = run_kind(all, node, base, in);
    visit *made = allocate(sizeof *made);
    *made = (visit){node, base, in, out, *bucket};
    *bucket = made;
    return out;
}

int64_t processors_needed(const bmf_expression *checked)
{
    survey all = {0};
    run(&all, checked, 0, (places){{0}});
    for (int k = 0; k < BUCKETS; k++) {
        while (all.bucket[k]) {
            visit *next = all.bucket[k]->next;
            free(all.bucket[k]);
            all.bucket[k] = next;
        }
    }
    return all.highest + 1;
}
