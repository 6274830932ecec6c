/* The two ways to reduce by key on several processors; private to skeletons/by_key.
 *
 * tables: tables of all keys are joined at the first processor. log2 P rounds, few messages; good for few keys.
 * owners: the results of a key are made on the processor that will have them. Tables are of a share of the keys, and
 * every processor computes, also where there are more keys than a processor has elements. */
#ifndef BMF_BY_KEY_METHODS_H
#define BMF_BY_KEY_METHODS_H

#include "skeletons/by_key/tables.h"

/* All results, as by->table, in `results` on the rank of the first processor; every rank has room. Collective, and
 * settles failures, also those noted before. */
int by_key_at_first(bmf_by_key *by, char *results);
/* The results of this rank's parts of `even`, a partition of the keys on the values' processors, one behind the other
 * into `results`. The same otherwise. */
int by_key_at_owners(bmf_by_key *by, const bmf_partition *even, char *results);

/* Elements of a block that may be cut among parts by its keys; 0: none is. Of exact operators all elements are one
 * block, or every part has tables of its own. */
int64_t by_key_shared_length(const bmf_by_key *by);
/* by->parts_all, and in *owners whether results are made at their owners: by estimated times, unless tables would not
 * fit into memory or one way is forced. placed: they are all to come to the first processor. Prints the plan. The same
 * on every rank. For a larger argument (runtime/context/sizes.h) as there; fails if something else is done there. */
int by_key_choose_way(bmf_by_key *by, bool placed, bool *owners);
/* by->nodes: blocks that begin in each part, or its elements. */
int by_key_number_nodes(bmf_by_key *by);

#endif
