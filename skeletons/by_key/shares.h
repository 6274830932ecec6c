/* Blocks whose elements lie on several parts, each of which folds a share of their keys; private to skeletons/by_key.
 *
 * The members of such a block are the parts from that of its first element to that of its last one, also empty ones
 * between them. A part is a member of two at most: one that begins before it, and one that ends behind it. */
#ifndef BMF_BY_KEY_SHARES_H
#define BMF_BY_KEY_SHARES_H

#include "skeletons/by_key/cut.h"
#include "skeletons/by_key/tables.h"

typedef enum bmf_share_side {
    BMF_SHARE_BEFORE, /* of the block that begins before the part */
    BMF_SHARE_BEHIND, /* of the one that ends behind it */
    BMF_SHARE_SIDES
} bmf_share_side;

typedef struct bmf_shared_block {
    int64_t block;          /* its number */
    int64_t begin, end;     /* elements */
    int64_t first, members; /* parts */
    bmf_key_cut cut;
} bmf_shared_block;

typedef struct bmf_shares {
    bmf_by_key *by;
    int64_t length;          /* elements of a block; 0: none is shared */
    bmf_shared_block *block; /* those of the parts here, ascending */
    int64_t blocks;
    char **table; /* by part here and side: that of its share, or NULL */
    bmf_buffer *room;
} bmf_shares;

/* The number of the block that a part shares on that side, or -1. length: elements of a block, or 0. */
int64_t shared_block_of(const bmf_partition *partition, int64_t length, int64_t part, bmf_share_side side);
/* Whether any part shares one. */
bool shares_any(const bmf_partition *partition, int64_t length);
/* Members of a block, and how its keys are cut. */
void shared_block_make(const bmf_by_key *by, int64_t length, int64_t block, bmf_shared_block *made);

/* Folds the shared blocks: every element to the member that has its key, once, in one sparse round of the number 0, as
 * its key in key_bytes and its leaves. Kernel calls are numbered from 1 to 3. status: what has gone wrong here so far.
 * Collective, and settles failures noted before, keys out of range among them; an operator's is deferred.
 * shares_close also after a failure. */
int shares_fold(bmf_shares *shares, bmf_by_key *by, int64_t length, int status);
void shares_close(bmf_shares *shares);

/* The table of a part that is here. */
static inline char *shares_table(const bmf_shares *shares, int64_t part, bmf_share_side side)
{
    return shares->table[BMF_SHARE_SIDES * (part - shares->by->values->partition->local_first) + side];
}

/* Bytes of an element on its way, but for what says how many there are of each band. */
int64_t shares_element_bytes(const bmf_by_key *by, const bmf_key_cut *cut);

#endif
