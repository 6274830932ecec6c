/* Tables of measured times of algorithms: what a machine's algorithms are chosen by, in place of fixed constants.
 *
 *     bmf costs 1
 *     message 1.1e-06 2.1e-10              seconds of a message, and of each of its bytes; left out: the usual ones
 *     # skeleton algorithm ranks items bytes seconds
 *     reduce levels 2 8 16 1.42e-05        by 2 ranks, of 8 items, with values of 16 bytes
 *     permute rounds 2 8 65536 2.9e-05     every one of 8 processors sends 65536 bytes
 *
 * A line is a row or a comment behind #; rows stand in any order. Items and bytes are those that algorithms are chosen
 * for (bmf_choice). Pure data: no files, no MPI; the same text gives the same choices everywhere.
 *
 * Method: between two measured sizes a time is a straight line over bytes, between two numbers of items a power of
 * them. Numbers of items of which no size near the wanted one was measured do not count there, while others do. A
 * number of ranks that was not measured has the times of the nearest that was, if that is at most twice as many
 * or half. Cost: of reading, n log n for n rows; of a time, log n, and more where neighbouring numbers
 * of items do not count. */
#ifndef BMF_COST_TABLE_H
#define BMF_COST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/schedule/algorithms.h"

typedef struct bmf_cost_table bmf_cost_table;

/* The first line of every table. */
extern const char cost_table_heading[];

/* Reads `size` bytes of text; name: as messages call it. NULL: `message` has "NAME:LINE: .." of the first mistake. The
 * caller frees it. */
bmf_cost_table *cost_table_read(const char *name, const char *text, int64_t size, char *message, size_t message_size);
/* Another owner, who frees it as well. NULL gives NULL. */
bmf_cost_table *cost_table_share(bmf_cost_table *table);
void cost_table_free(bmf_cost_table *table);

const char *cost_table_name(const bmf_cost_table *table);
/* What messages cost; NULL: the table does not say. */
const bmf_cost_model *cost_table_message(const bmf_cost_table *table);
/* The number of ranks whose rows count for a run on `ranks`; 0: there are none. */
int64_t cost_table_ranks(const bmf_cost_table *table, int64_t ranks);
/* Whether the skeleton was measured on about so many ranks with about so many items: between half the fewest and twice
 * the most. */
bool cost_table_covers(const bmf_cost_table *table, const char *skeleton, int64_t ranks, int64_t count);
/* Seconds; NAN: that algorithm was not measured on about so many ranks. */
double cost_table_seconds(const bmf_cost_table *table, const char *skeleton, const char *algorithm, int64_t ranks,
                          int64_t count, double bytes);

#endif
