/* Growing hash tables: twice as many slots, entered again by the hashes they hold. */
#include "runtime/base/table.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

enum { FIRST_SLOTS = 64 };

static void enter(const bmf_table *table, bmf_table_slot entered)
{
    uint64_t at = entered.hash & (table->slots - 1);
    while (table->slot[at].number)
        at = (at + 1) & (table->slots - 1);
    table->slot[at] = entered;
}

bool table_reserve(bmf_table *table, int64_t count)
{
    bmf_table larger = {NULL, table->slots ? table->slots : FIRST_SLOTS, table->count};
    while (larger.slots < 2 * (uint64_t)count)
        larger.slots *= 2;
    if (larger.slots == table->slots)
        return true;
    if (count >= UINT32_MAX || !(larger.slot = calloc(larger.slots, sizeof *larger.slot)))
        return false;
    for (uint64_t k = 0; k < table->slots; k++)
        if (table->slot[k].number)
            enter(&larger, table->slot[k]);
    free(table->slot);
    *table = larger;
    return true;
}

void table_make_room(bmf_table *table, int64_t count)
{
    if (!table_reserve(table, count))
        out_of_memory(2 * count * (int64_t)sizeof(bmf_table_slot), "for a table");
}

void table_free(bmf_table *table)
{
    free(table->slot);
    *table = (bmf_table){0};
}
