/* Where a filter puts what it keeps: what the filter in C and the language's have in common. Private to skeletons.
 *
 * Workers take the pieces of a list in order. The marked elements of every block are moved together in a room of the
 * worker's own, inside its second-level cache; at the end of a piece its turn in the chain (chain.h) tells where they
 * go, and they are streamed there while the worker reads its next piece. So the list is read once and the result
 * written once, and memory has something to read and something to write all the time. */
#ifndef BMF_SELECTION_H
#define BMF_SELECTION_H

#include "runtime/base/memory.h"
#include "skeletons/engine/chain.h"

/* What a worker keeps of one piece. */
typedef struct bmf_selected_piece {
    char *leaf[BMF_MAX_LEAVES];
    int64_t kept, written;
    int64_t place; /* in the result, of the first; from its turn on */
} bmf_selected_piece;

typedef struct bmf_selection_worker {
    bmf_selected_piece piece[2];
    bmf_selected_piece *current, *waiting; /* being filled; being written */
    bmf_buffer *room;
} bmf_selection_worker;

typedef struct bmf_selection {
    bmf_chain chain;
    int64_t kept; /* of all pieces before the chain's turn */
    int leaves;
    int64_t leaf_size[BMF_MAX_LEAVES];
    bmf_slice out[BMF_MAX_LEAVES]; /* at its first element */
    int64_t grain;                 /* elements of a piece, at most */
    bool streaming;
    int workers;
    bmf_selection_worker *worker;
} bmf_selection;

/* For `count` elements of leaves whose sizes are given; `out` has room for as many. */
void selection_open(bmf_selection *selection, int leaves, const int64_t *leaf_size, const bmf_slice *out, int64_t count,
                    int workers);
void selection_close(bmf_selection *selection);

/* Keeps those of the next count <= BMF_BLOCK elements of the worker's piece whose bits are set. Returns how many. */
int64_t selection_keep(bmf_selection *selection, int worker, int64_t count, const uint64_t *word, const bmf_slice *x);
/* Ends the worker's piece, number `index`; code: 0, or how it failed, and then nothing of it or of later ones is kept.
 */
void selection_end_piece(bmf_selection *selection, int worker, int64_t index, int code);
/* Writes what still waits. After the last piece. Returns the number of elements kept. */
int64_t selection_finish(bmf_selection *selection);

#endif
