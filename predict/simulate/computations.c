/* All computing of a run: a table of the different errors, and what is stored, by action. */
#include "predict/simulate/computations.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"

typedef struct wanted_kind {
    const bmf_computations *all;
    const bmf_action *action;
} wanted_kind;

static bool same_errors(const bmf_computation_kind *kind, const bmf_action *action)
{
    return kind->equation == action->equation && kind->shared == action->shared && kind->own == action->own;
}

static bool is_kind(const void *wanted, uint32_t number)
{
    const wanted_kind *w = wanted;
    return same_errors(&w->all->kind[number], w->action);
}

static uint64_t hash_errors(const bmf_action *action)
{
    const float errors[2] = {action->shared, action->own};
    uint64_t word;
    memcpy(&word, errors, sizeof word);
    return hash_add(hash_add(0, word), action->equation);
}

/* Mostly that of the one before, `guess`. */
static int32_t kind_of(bmf_computations *all, bmf_table *table, const bmf_action *action, int32_t guess)
{
    if (guess < all->kinds && same_errors(&all->kind[guess], action))
        return guess;
    table_make_room(table, all->kinds + 1);
    const uint32_t number =
        table_find_or_add(table, hash_errors(action), is_kind, &(wanted_kind){all, action}, (uint32_t)all->kinds);
    if (number == all->kinds)
        *ARRAY_APPEND(all->kind, all->kinds, all->kind_capacity) =
            (bmf_computation_kind){action->shared, action->own, action->equation};
    return (int32_t)number;
}

void computations_open(bmf_computations *all, const bmf_actions *actions)
{
    bmf_table table = {0};
    int32_t kind = 0;
    *all = (bmf_computations){.of = allocate((actions->stored_count + 1) * (int64_t)sizeof *all->of)};
    for (int64_t k = 0; k < actions->stored_count; k++) {
        const bmf_action *action = &actions->stored[k];
        if (action->kind != BMF_ACTION_COMPUTE && action->kind != BMF_ACTION_OVERHEAD)
            continue;
        kind = kind_of(all, &table, action, kind);
        all->of[k] = (bmf_computation){action->seconds, kind, action->processor};
    }
    table_free(&table);
}

void computations_close(bmf_computations *all)
{
    free(all->of);
    free(all->kind);
    *all = (bmf_computations){0};
}
