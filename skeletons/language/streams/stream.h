/* What the files of streams share: the elements of a batch, block by block. Private to the language.
 *
 * A stream numbers the elements of all its instances through: instance s has the elements [offset[s], offset[s + 1]),
 * its segment. Where they really are (one column, views, numbers that are nowhere) is the source's business. Workers
 * take pieces, any ranges of elements; only reductions and scans care where segments begin. */
#ifndef BMF_LANGUAGE_STREAM_H
#define BMF_LANGUAGE_STREAM_H

#include "skeletons/language/evaluate/evaluate.h"
#include "skeletons/engine/tree.h"

typedef enum bmf_stream_place {
    BMF_PLACE_PACKED,   /* element v of the stream is element v of the column */
    BMF_PLACE_VIEW,     /* the segment's elements start at begin[s * step] of the column */
    BMF_PLACE_INSTANCE, /* one value per instance, the same for the whole segment */
    BMF_PLACE_NUMBERS   /* 0, 1, 2, .. in every segment */
} bmf_stream_place;

/* A component of the head. */
typedef struct bmf_stream_part {
    bmf_stream_place place;
    int first, leaves; /* its leaves among the inputs */
    const int64_t *begin;
    int64_t step;
} bmf_stream_part;

typedef struct bmf_stream_worker {
    bmf_scalar_room *element, *predicate;
    char *gathered;      /* BMF_BLOCK elements of each input leaf */
    char *staged;        /* BMF_BLOCK elements of each output leaf, made when they are asked for */
    int64_t segment;     /* where the last search ended */
    bmf_failure failure; /* of its first failing element (numbered through), or BMF_FAILURE_NONE */
} bmf_stream_worker;

typedef struct bmf_stream_source {
    bmf_evaluator *evaluator;
    const bmf_frame *frame;
    bmf_expression *stream;
    char name[64]; /* of kernels in traces: "reduce 3:14"; "reduce" if there is none */
    int64_t segments, count;
    const int64_t *offset; /* segments + 1; NULL: every instance is one element */
    bmf_buffer *offsets;   /* holds them */
    bmf_stream_part part[2];
    int parts;
    bool packed; /* all parts are */
    int inputs;
    bmf_slice input[BMF_MAX_LEAVES]; /* at element 0 of the column */
    int64_t input_size[BMF_MAX_LEAVES];
    const bmf_value *input_leaf[BMF_MAX_LEAVES]; /* NULL: numbers */
    const bmf_type *type;                        /* of the elements produced */
    int leaves;
    int64_t leaf_size[BMF_MAX_LEAVES];
    bmf_expression *element_expression;
    const bmf_scalar *element;   /* NULL: the elements as they are */
    const bmf_scalar *predicate; /* of filters */
    int workers;
    bmf_stream_worker *worker;
} bmf_stream_source;

/* The instances of x as segments: checks lengths (ragged zips, negative iotas). x stays the caller's and must live as
 * long. */
int stream_open(bmf_evaluator *evaluator, bmf_expression *stream, const bmf_frame *frame, const bmf_value *x,
                bmf_stream_source *source);
/* Every instance of x, of a fixed type, is one element of `scalar`. */
void stream_open_plain(bmf_evaluator *evaluator, bmf_expression *scalar, const bmf_frame *frame, const bmf_value *x,
                       bmf_stream_source *source);
void stream_close(bmf_stream_source *source);

/* The segment of element v, which is not empty; the first segment that begins at or behind v. */
int64_t stream_segment(const bmf_stream_source *source, int worker, int64_t v);
int64_t stream_first_segment(const bmf_stream_source *source, int64_t v);

/* Elements [v, v + count), count <= BMF_BLOCK, as slices of leaves: where out's data is NULL it is set to where they
 * stand (valid until the worker's next block), otherwise they are written there. Returns 1 after noting a failure. */
int stream_block(const bmf_stream_source *source, int worker, int64_t v, int64_t count, bmf_slice *out);
/* How many of the elements [v, v + count) have inputs that stand one behind the other, or are one value for all: `in`,
 * at element v. */
int64_t stream_direct(const bmf_stream_source *source, int worker, int64_t v, int64_t count, bmf_slice *in);
/* Asks for elements [v, v + count) of packed lists, if there are any, so that memory goes on reading while others are
 * computed and written. Pays beside streaming stores, not for blocks that are only folded (measured). */
void stream_prefetch(const bmf_stream_source *source, int64_t v, int64_t count);
/* Marks the elements of a block for which the predicate holds. Also notes failures. */
int stream_marks(const bmf_stream_source *source, int worker, int64_t v, int64_t count, bmf_slice *block,
                 bmf_slice *mark);
/* The staged slices of a worker. */
void stream_staged(const bmf_stream_source *source, int worker, bmf_slice *slice);
/* Copies count elements of `size` bytes. */
void stream_copy_leaf(int64_t count, const bmf_slice *from, const bmf_slice *to, int64_t size);

/* Pieces of all elements. grain 0: as many as workers; otherwise, and in streams with loops, pieces of about `grain`
 * elements (at least BMF_BLOCK), cut inside a segment only at multiples of BMF_BLOCK from its beginning, to be taken
 * in turn. */
void stream_pieces(const bmf_stream_source *source, int64_t grain, bmf_piece **piece, int64_t *pieces);

typedef struct bmf_stream_work {
    const char *step; /* of several, added to the kernel's name; or NULL */
    uint32_t round;
    const bmf_piece *piece;
    int64_t pieces;
    bool dynamic;
    bool writes;                                                                /* the elements produced, to memory */
    int (*run)(void *state, int64_t index, const bmf_piece *piece, int worker); /* returns 0; failures are noted */
    void *state;
} bmf_stream_work;
int stream_compute(const bmf_stream_source *source, const bmf_stream_work *work);
/* Runs it with all that is missing in `made`: the pieces' function, and what they do. For stream_compute. */
int stream_run_counted(const bmf_stream_source *source, const bmf_stream_work *work, bmf_work *made);
/* BMF_OK, or the message of the workers' first failing element. */
int stream_status(const bmf_stream_source *source);
/* The message of a failure of an instance as a whole: `kind` and `operation` say what of the stream failed. */
int stream_fail_instance(const bmf_stream_source *source, bmf_expression_kind kind, bmf_failure failure);

/* Computes all elements again, for nothing but the first that fails. */
int stream_try(bmf_stream_source *source);

/* ---- tails; out is a batch of `segments` instances ---- */
int stream_map(bmf_stream_source *source, bmf_value *child);
/* A batch for the elements produced, over leaves of the input that may be overwritten (if `reuse`) or new; says how
 * many are the former. */
int stream_make(const bmf_stream_source *source, bool reuse, bmf_value *child, int *overwriting);
int stream_list(bmf_stream_source *source, bmf_value *out);
/* One value of each instance for each of the reductions, whose sources are of the same lists; initial[k]: the defaults
 * of reduction k, or NULL. */
int stream_reduce(int reductions, bmf_stream_source *source, bmf_value *const *initial, bmf_value *out);
int stream_scan(bmf_stream_source *source, const bmf_value *initial, bmf_value *out);
int stream_filter(bmf_stream_source *source, bmf_value *out);
/* For each of the counts, whose sources are of the same lists; node: the stream, or that of several. */
int stream_count(int counts, bmf_expression *node, bmf_stream_source *source, bmf_value *out);

#endif
