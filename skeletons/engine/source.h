/* Block sources and sinks: how fused skeletons read lists and write new ones, a block at a time.
 *
 * A source of lists is one, or two zipped, with or without a kernel on top; its blocks stay in the first-level cache,
 * so map-reduce, map-scan and zip-map-reduce never make the list in between. A sink is the column a skeleton writes.
 * When it is larger than the cache, blocks are staged and copied out with streaming stores: the write then costs no
 * read. Small blocks go best with them: reading and writing then overlap. Private to skeletons. */
#ifndef BMF_SOURCE_H
#define BMF_SOURCE_H

#include "runtime/backend/backend.h"
#include "bmf/kernel.h"
#include "runtime/data/list.h"

/* fold_rows or fold_columns of an operator. */
typedef void bmf_fold_blocks(const void *context, int64_t blocks, const void *x, void *out);

/* Elements that are read block by block: what folds run on. The first member of whatever has them: lists under a
 * kernel (bmf_source), a segment of a stream of the language. */
typedef struct bmf_block_source {
    /* Elements [begin, begin + count), count <= BMF_BLOCK, as slices of leaves; valid until the worker's next block.
     * Returns 0 or a failure code. */
    int (*block)(const struct bmf_block_source *source, int worker, int64_t begin, int64_t count, bmf_slice *block);
    /* The fold of the BMF_FOLD_BLOCK elements from begin on, by something faster than the operator; or NULL. */
    int (*fold)(const struct bmf_block_source *source, int worker, int64_t begin, void *value);
    /* The values that fold_blocks makes of the blocks of BMF_COLUMN_BLOCK elements from begin on, which are computed
     * one after the other; or NULL. Returns 0 or a failure code. */
    int (*fold_blocks)(const struct bmf_block_source *source, int worker, int64_t begin, int64_t blocks,
                       const bmf_operator *op, bmf_fold_blocks *fold_blocks, void *values);
    bool fused;       /* fold_blocks has a function of kernel and operator, and is the fastest way */
    bool plain;       /* a block's elements are contiguous */
    bool direct;      /* contiguous in the list itself: blocks may be of any length */
    int64_t computed; /* otherwise: elements to compute at a time, whole blocks */
} bmf_block_source;

typedef struct bmf_source {
    bmf_block_source blocks;
    const bmf_kernel *kernel; /* or NULL: the elements of xs themselves */
    const bmf_type *type;     /* of the elements produced, interned */
    int leaves;               /* of that type */
    int64_t leaf_size[BMF_MAX_LEAVES];
    int inputs;                          /* leaves of the lists */
    bmf_slice input[2 * BMF_MAX_LEAVES]; /* at element `origin` */
    int64_t origin;                      /* global number of this host's first element */
    char **scratch;                      /* by worker: kernel output, BMF_BLOCK elements of each leaf */
    int workers;
    bool may_fail;
} bmf_source;

/* Checks lists and kernel against each other; `skeleton` is for messages ("map"). ys and kernel may be NULL. Errors:
 * BMF_ERROR_SHAPE (names both shapes), BMF_ERROR_TYPE (names kernel and types). Same on every rank. */
int source_open(bmf_source *source, const char *skeleton, const bmf_list *xs, const bmf_list *ys,
                const bmf_kernel *kernel);
void source_close(bmf_source *source);
/* What reading and computing an element takes, for traces: an operation for the kernel, one for what becomes of it; the
 * bytes of the lists' leaves, and `written` of them. */
bmf_kernel_work source_work(const bmf_source *source, bool written);
/* Slices of the lists' leaves at element `begin`: `inputs` of them. */
void source_inputs(const bmf_source *source, int64_t begin, bmf_slice *in);
/* No leaf of the lists is one value for all elements. */
bool source_contiguous(const bmf_source *source);
/* Its blocks; fails with the kernel's code. */
int source_block(const bmf_source *source, int worker, int64_t begin, int64_t count, bmf_slice block[BMF_MAX_LEAVES]);

/* How the column of a sink relates to the lists that are read: another one, the same one but with results of an element
 * or block that may depend on others of it (staged), or the same one element by element. */
typedef enum bmf_sink_mode { BMF_SINK_NEW, BMF_SINK_STAGED, BMF_SINK_IN_PLACE } bmf_sink_mode;

typedef struct bmf_sink {
    int leaves;
    int64_t leaf_size[BMF_MAX_LEAVES];
    bmf_slice output[BMF_MAX_LEAVES]; /* at element `origin` */
    int64_t origin;
    int64_t block; /* elements that sink_count aims at */
    bool staged, streaming;
    bool direct;    /* the kernel itself streams whole lines */
    char **scratch; /* by worker, when staged */
    int workers;
} bmf_sink;

/* A sink for all elements of a list; streams: columns that are read from memory meanwhile. */
void sink_open(bmf_sink *sink, const bmf_list *list, bmf_sink_mode mode, int streams);
/* The same for `count` elements whose leaves are `output`. */
void sink_open_leaves(bmf_sink *sink, int leaves, const int64_t *leaf_size, const bmf_slice *output, int64_t count,
                      bmf_sink_mode mode, int streams, int workers);
void sink_close(bmf_sink *sink);
/* How many of the elements [begin, end) to write at once, at most BMF_BLOCK, so that blocks end where cache lines of
 * the column do. For skeletons whose results do not depend on the cut. */
int64_t sink_count(const bmf_sink *sink, int64_t begin, int64_t end);
/* The sink is written by this kernel only, through sink_run; its inputs are contiguous or not. */
void sink_open_kernel(bmf_sink *sink, const bmf_list *list, bmf_sink_mode mode, int streams, const bmf_kernel *kernel,
                      bool contiguous);
/* Elements [begin, begin + count) of the sink become the kernel's results for `in`. Returns the kernel's code. */
int sink_run(const bmf_sink *sink, int worker, const bmf_kernel *kernel, const bmf_slice *in, int64_t begin,
             int64_t count);
/* Where the leaves of element `begin` go in the end. */
void sink_place(const bmf_sink *sink, int64_t begin, bmf_slice place[BMF_MAX_LEAVES]);
/* Where the worker should put elements [begin, begin + count). */
void sink_block(const bmf_sink *sink, int worker, int64_t begin, bmf_slice block[BMF_MAX_LEAVES]);
/* The block is complete: copies it out if it was staged. */
void sink_commit(const bmf_sink *sink, int worker, int64_t begin, int64_t count);

/* Where element `begin` of a sink of one leaf is in the end. */
static inline void *sink_address(const bmf_sink *sink, int64_t begin)
{
    return (char *)sink->output[0].data + (begin - sink->origin) * sink->leaf_size[0];
}
/* Writes elements [begin, begin + count) of a sink of one leaf, which stand at `from`, not in a block of the sink's. */
void sink_store(const bmf_sink *sink, int64_t begin, int64_t count, const void *from);

/* Agrees on the status if the source or operator can fail on some ranks only, otherwise returns it as it is. */
int agree_if(bmf_context *ctx, bool may_fail, int status);

#endif
