/* Hash tables of numbers: what number an element has, by whatever is equal in elements. The elements themselves are the
 * caller's, in an array of his; the table holds their numbers and 32 bits of their hashes.
 *
 * Method: open addressing, the next free slot, at most half full. Cost: expected one look at the slots, and one at the
 * elements if it is there. */
#ifndef BMF_TABLE_H
#define BMF_TABLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bmf_table_slot {
    uint32_t hash, number; /* number + 1; 0: the slot is free */
} bmf_table_slot;

typedef struct bmf_table {
    bmf_table_slot *slot;
    uint64_t slots; /* a power of two, or 0 */
    int64_t count;
} bmf_table;

/* Whether the element with a number is the one that `wanted` describes. */
typedef bool bmf_table_match(const void *wanted, uint32_t number);

enum { TABLE_NONE = -1 };

/* Makes room for `count` numbers in all, fewer than 2^32 - 1. False, and the table is as before, without memory. An
 * empty table is all zeros. */
bool table_reserve(bmf_table *table, int64_t count);
/* The same; out_of_memory ends the program. */
void table_make_room(bmf_table *table, int64_t count);
/* Leaves an empty table. */
void table_free(bmf_table *table);

/* The high half decides as well as the low one, so that simple hashes do. */
static inline uint32_t table_hash(uint64_t hash)
{
    return (uint32_t)(hash ^ (hash >> 32));
}

/* The slot of the wanted number, or the free one where it belongs. There must be slots. */
static inline bmf_table_slot *table_find_slot(const bmf_table *table, uint64_t hash, bmf_table_match *is_wanted,
                                              const void *wanted)
{
    const uint32_t short_hash = table_hash(hash);
    uint64_t at = short_hash & (table->slots - 1);
    for (; table->slot[at].number; at = (at + 1) & (table->slots - 1))
        if (table->slot[at].hash == short_hash && is_wanted(wanted, table->slot[at].number - 1))
            break;
    return &table->slot[at];
}

/* The number of the wanted element, or TABLE_NONE. */
static inline int64_t table_find(const bmf_table *table, uint64_t hash, bmf_table_match *is_wanted, const void *wanted)
{
    return table->slots ? (int64_t)table_find_slot(table, hash, is_wanted, wanted)->number - 1 : TABLE_NONE;
}

/* Enters a number, for which there must be room, whether or not there is an equal element. */
static inline void table_add(bmf_table *table, uint64_t hash, uint32_t number)
{
    uint64_t at = table_hash(hash) & (table->slots - 1);
    while (table->slot[at].number)
        at = (at + 1) & (table->slots - 1);
    table->slot[at] = (bmf_table_slot){table_hash(hash), number + 1};
    table->count++;
}

/* The number of the wanted element; if there is none it gets `number`, for which there must be room. The table does not
 * look at element `number`, so that it can be made after. */
static inline uint32_t table_find_or_add(bmf_table *table, uint64_t hash, bmf_table_match *is_wanted,
                                         const void *wanted, uint32_t number)
{
    bmf_table_slot *slot = table_find_slot(table, hash, is_wanted, wanted);
    if (!slot->number) {
        *slot = (bmf_table_slot){table_hash(hash), number + 1};
        table->count++;
    }
    return slot->number - 1;
}

#endif
