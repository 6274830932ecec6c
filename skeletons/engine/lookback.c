/* Decoupled look-back; see lookback.h. */
#include "skeletons/engine/lookback.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/chain.h"

void lookback_create(bmf_lookback *lookback, const bmf_tree *tree, const bmf_piece *node, int64_t nodes,
                     bmf_lookback_start *start, void *state)
{
    *lookback = (bmf_lookback){.tree = tree, .start = start, .state = state, .node = node, .nodes = nodes};
    lookback->total = allocate(nodes * tree->record);
    lookback->before = allocate(nodes * tree->record);
    lookback->through = allocate(nodes * tree->record);
    lookback->given = allocate_clear(nodes, (int64_t)sizeof *lookback->given);
    atomic_flag_clear(&lookback->taken);
    forest_start(&lookback->running, 0);
}

void lookback_free(bmf_lookback *lookback)
{
    free(lookback->total);
    free(lookback->before);
    free(lookback->through);
    free(lookback->given);
    forest_free(&lookback->running);
}

char *lookback_total(const bmf_lookback *lookback, int64_t index)
{
    return lookback->total + index * lookback->tree->record;
}

const char *lookback_before(const bmf_lookback *lookback, int64_t index)
{
    return lookback->node[index].begin > 0 ? lookback->before + index * lookback->tree->record : NULL;
}

const char *lookback_through(const bmf_lookback *lookback, int64_t index)
{
    return lookback->through + index * lookback->tree->record;
}

void lookback_break(bmf_lookback *lookback)
{
    atomic_store_explicit(&lookback->broken, true, memory_order_relaxed);
}

static int64_t known_nodes(const bmf_lookback *lookback)
{
    return atomic_load_explicit(&lookback->known, memory_order_acquire);
}

bool lookback_knows(const bmf_lookback *lookback, int64_t index)
{
    return known_nodes(lookback) > index;
}

/* The next node, whose total is there, joins the running forest. */
static int add_node(bmf_lookback *lookback, int64_t index)
{
    const bmf_tree *tree = lookback->tree;
    const bmf_piece *node = &lookback->node[index];
    const size_t record = (size_t)tree->record;
    int code = lookback->start(lookback->state, index, &lookback->running);
    if (code == 0 && node->begin > 0)
        memcpy(lookback->before + index * tree->record, forest_top(tree, &lookback->running), record);
    if (code == 0)
        code = forest_push(tree, &lookback->running, node->end - node->begin, lookback_total(lookback, index), true);
    if (code == 0)
        memcpy(lookback->through + index * tree->record, forest_top(tree, &lookback->running), record);
    return code;
}

/* Adds the totals that are there, unless another worker does. */
static void add_given(bmf_lookback *lookback)
{
    if (atomic_flag_test_and_set_explicit(&lookback->taken, memory_order_acquire))
        return;
    for (int64_t k = known_nodes(lookback);
         k < lookback->nodes && atomic_load_explicit(&lookback->given[k], memory_order_acquire); k++) {
        lookback->code = add_node(lookback, k);
        if (lookback->code != 0) {
            lookback_break(lookback);
            break;
        }
        atomic_store_explicit(&lookback->known, k + 1, memory_order_release);
    }
    atomic_flag_clear_explicit(&lookback->taken, memory_order_release);
}

void lookback_give(bmf_lookback *lookback, int64_t index)
{
    atomic_store_explicit(&lookback->given[index], true, memory_order_release);
    add_given(lookback);
}

/* Whoever waits looks for totals itself: their giver may have found the forest taken just before it was left. */
bool lookback_wait(bmf_lookback *lookback, int64_t index)
{
    for (int spins = 0; !lookback_knows(lookback, index); spins++) {
        if (atomic_load_explicit(&lookback->broken, memory_order_relaxed))
            return false;
        chain_pause(spins);
        add_given(lookback);
    }
    return true;
}

int lookback_enter(bmf_lookback *lookback, int64_t index)
{
    return lookback->start(lookback->state, index, &lookback->running);
}

void lookback_leave(bmf_lookback *lookback)
{
    atomic_fetch_add_explicit(&lookback->known, 1, memory_order_release);
}
