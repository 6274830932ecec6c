/* All computing of a run: a table of the different errors, and arrays by computation. */
#include "predict/simulate/computations.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"

void computations_open(bmf_computations *all, int64_t count)
{
    *all = (bmf_computations){.count = count,
                              .action = allocate((count + 1) * (int64_t)sizeof *all->action),
                              .expected = allocate((count + 1) * (int64_t)sizeof *all->expected),
                              .of = allocate((count + 1) * (int64_t)sizeof *all->of)};
}

void computations_close(bmf_computations *all)
{
    free(all->action);
    free(all->expected);
    free(all->of);
    free(all->kind);
    table_free(&all->table);
    *all = (bmf_computations){0};
}

/* ---- kinds ---- */

typedef struct wanted_kind {
    const bmf_computations *all;
    const bmf_action *action;
} wanted_kind;

static bool is_kind(const void *wanted, uint32_t number)
{
    const wanted_kind *w = wanted;
    const bmf_computation_kind *kind = &w->all->kind[number];
    return kind->equation == w->action->equation && kind->shared == w->action->shared && kind->own == w->action->own;
}

static uint64_t hash_errors(const bmf_action *action)
{
    const float errors[2] = {action->shared, action->own};
    uint64_t word;
    memcpy(&word, errors, sizeof word);
    return hash_add(hash_add(0, word), action->equation);
}

static int32_t kind_of(bmf_computations *all, const bmf_action *action)
{
    table_make_room(&all->table, all->kinds + 1);
    const uint32_t number =
        table_find_or_add(&all->table, hash_errors(action), is_kind, &(wanted_kind){all, action}, (uint32_t)all->kinds);
    if (number == all->kinds)
        *ARRAY_APPEND(all->kind, all->kinds, all->kind_capacity) =
            (bmf_computation_kind){action->shared, action->own, action->equation};
    return (int32_t)number;
}

void computations_set(bmf_computations *all, const bmf_actions *actions, int64_t k, int64_t number)
{
    const bmf_action *action = &actions->action[number];
    all->action[k] = (uint32_t)number;
    all->expected[k] = action->seconds;
    all->of[k] = kind_of(all, action);
}
