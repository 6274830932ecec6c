/* Which part has tables of what, when results are made at their owners; private to skeletons/by_key. */
#ifndef BMF_BY_KEY_PORTIONS_H
#define BMF_BY_KEY_PORTIONS_H

#include "skeletons/by_key/shares.h"

enum { BMF_MOST_PORTIONS = 128 };

/* A node of the tree over blocks, or some keys of it. */
typedef struct bmf_portion {
    int64_t after;       /* the first block behind the node; exact: element */
    int64_t begin, end;  /* keys */
    bmf_share_side side; /* of a block that is shared; BMF_SHARE_SIDES: of blocks that lie in the part as wholes, */
    int node;            /* of their forest */
} bmf_portion;

typedef struct bmf_portions {
    int count;
    bmf_portion of[BMF_MOST_PORTIONS];
} bmf_portions;

/* Those of any part, in the order of the blocks. length: as of by_key_shared_length. */
void portions_list(const bmf_by_key *by, int64_t length, int64_t part, bmf_portions *portions);

/* Whether parts fold blocks that lie in them as wholes: otherwise all are shared. */
static inline bool portions_fold_whole(const bmf_by_key *by, int64_t length)
{
    return !by->table.exact || length == 0;
}

#endif
