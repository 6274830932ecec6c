/* What reductions and scans of streams share: the operator made ready, ranges of segments folded into forests. */
#ifndef BMF_LANGUAGE_STREAM_FOLD_H
#define BMF_LANGUAGE_STREAM_FOLD_H

#include <stdatomic.h>

#include "skeletons/language/streams/stream.h"
#include "skeletons/language/streams/segments.h"

_Static_assert((int)BMF_SEGMENT_NODE == (int)BMF_FOLD_BLOCK, "segment functions fold the tree's blocks");

typedef struct bmf_stream_fold {
    bmf_stream_source *source;
    bmf_scalar_operator *operation;
    bmf_operator
        op; /* that of `operation`; one that may fail always keeps the tree, or failures would depend on the cut */
    bmf_tree tree;
    const bmf_segment_functions *segments; /* fast functions, or NULL */
    int product[2]; /* the elements are products of these leaves of two lists and their sum is wanted; or -1 */
    int factor[2];  /* the same of packed lists or one list; or -1 */
    bool direct;    /* the elements are one contiguous array */
    bool initial;
    bmf_slice first[BMF_MAX_LEAVES]; /* the default of every instance */
    char **room;                     /* by worker, for batches */
    char **record;                   /* by worker: two records */
    atomic_bool failed;              /* the operator */
} bmf_stream_fold;

/* initial: the defaults, or NULL. */
int stream_fold_open(bmf_stream_source *source, const bmf_value *initial, bmf_stream_fold *fold);
void stream_fold_close(bmf_stream_fold *fold);

/* Elements of a batch, ready to be folded: leaves of elements one behind the other. */
typedef struct bmf_stream_held {
    bool given;
    bmf_slice x[BMF_MAX_LEAVES]; /* the segment's element `begin` */
    int64_t begin;
} bmf_stream_held;

/* Elements [begin, begin + count) of segment s: from held, or computed; with `keep`, computed and left in held. */
int stream_fold_block(const bmf_stream_fold *fold, int worker, int64_t s, int64_t begin, int64_t count,
                      const bmf_stream_held *held, bmf_slice *x);
/* Folds elements [begin, end) of segment s onto the forest, whose end is begin. Returns 1 if anything failed. keep:
 * room for all of the elements, where they are left; or NULL. */
int stream_fold_range(bmf_stream_fold *fold, int worker, int64_t s, int64_t begin, int64_t end,
                      const bmf_stream_held *keep, bmf_forest *forest);
/* Folds whole segments [s, t) of altogether at most BMF_BLOCK elements x (any number with `segments`) into out. */
int stream_fold_batch(bmf_stream_fold *fold, int worker, int64_t s, int64_t t, const bmf_slice *x,
                      const bmf_slice *out);
/* The block as a plain array, for fold->segments; copies it if it is not. */
const void *stream_fold_plain(const bmf_stream_fold *fold, int worker, int64_t count, const bmf_slice *x);
/* The end of the whole segments behind s that make a batch: all end at or before `end` and before segment `last`, none
 * is long. Is s itself when that is long. empty: is one among them? */
int64_t stream_fold_batch_end(const bmf_stream_fold *fold, int64_t s, int64_t last, int64_t end, bool *empty);
/* to[i] = default op to[i] for `count` elements of segment s, or for one each of `count` instances from s on. */
int stream_fold_begin_with(bmf_stream_fold *fold, int64_t s, bool same, int64_t count, const bmf_slice *to);

/* After the run: BMF_OK or the message of the first failure. run computes one segment alone. */
int stream_fold_status(bmf_stream_fold *fold, bmf_expression_kind kind, int (*run)(void *state, int64_t segment),
                       void *state);

#endif
