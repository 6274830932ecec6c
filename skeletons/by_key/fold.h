/* Folding elements where they are; private to skeletons/by_key. */
#ifndef BMF_BY_KEY_FOLD_H
#define BMF_BY_KEY_FOLD_H

#include "skeletons/by_key/forest.h"

/* The tables of the parts here. */
typedef struct bmf_folded {
    bmf_piece *piece;
    int64_t pieces;
    bmf_table_forest *forest; /* by piece; a part's tables are in that of its first one */
    bmf_buffer *room;
} bmf_folded;

/* Folds every part's elements, but for those of a block that begins before the part; whole: nor those of one that ends
 * behind it. results: room for the table of the first block, or NULL. One kernel call of the number 0; BMF_OK, or its
 * failure, or that of joining. by->bad becomes the number of the first element here whose key is out of range; then
 * tables mean nothing. folded_close also after a failure. */
int by_key_fold(bmf_by_key *by, bool whole, char *results, bmf_folded *folded);
/* Those of a part, or NULL: it has none. */
bmf_table_forest *folded_part(const bmf_folded *folded, int64_t part);
void folded_close(bmf_folded *folded);

#endif
