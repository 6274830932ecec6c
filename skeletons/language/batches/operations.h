/* What operations on lists do to whole batches: passes over elements, parts, runs of elements. */
#ifndef BMF_LANGUAGE_BATCHES_OPERATIONS_H
#define BMF_LANGUAGE_BATCHES_OPERATIONS_H

#include "skeletons/language/evaluate/evaluate.h"

/* Batches below this many elements are worked on by one thread. */
enum { BMF_ALONE = 20000 };

/* A pass over many elements: whose threads, its name in traces, and up to which element each processor's elements go.
 * Without runs it is nobody's kernel and not recorded. */
typedef struct bmf_pass {
    bmf_context *ctx; /* NULL: one thread */
    const char *kernel;
    uint32_t round; /* of passes with one kernel in an operation, as in bmf_work */
    int64_t runs;
    bmf_run_of_instances *run; /* owned */
} bmf_pass;

/* A pass over the elements of the frame's instances: offsets as in frame_pieces. */
void pass_open(bmf_evaluator *evaluator, const bmf_frame *frame, const char *kernel, const int64_t *offsets,
               bmf_pass *pass);
void pass_close(bmf_pass *pass);
/* Calls run for ranges that cover [0, count), from several threads. */
int pass_run(const bmf_pass *pass, int64_t count, void (*run)(void *state, int64_t begin, int64_t end), void *state);
/* Cuts [0, count) at the ends of the runs and into equal shares for `workers`. The caller frees *piece. */
void cut_pieces(int64_t runs, const bmf_run_of_instances *run, int64_t count, int workers, bmf_piece **piece,
                int64_t *pieces);

/* What offsets[1..count] hold as lengths becomes offsets; offsets[0] is set. False if the sum is no reasonable size. */
bool offsets_sum(bmf_context *ctx, int64_t *offsets, int64_t count);

/* Numbers i for which the batch of bools holds (`wanted`) or not; the caller frees *position. */
int mask_positions(bmf_context *ctx, const bmf_value *mask, bool wanted, int64_t **position, int64_t *count);

int fail_no_memory(bmf_context *ctx, int64_t count);

/* All instances have the same value, stored once. */
bool value_is_broadcast(const bmf_value *value);
/* The one instance of a value becomes `count` equal ones. */
void value_broadcast(bmf_value *value, int64_t count);
/* Instances first, first + step, ..: count of them, as a view. */
int value_every(bmf_context *ctx, const bmf_value *value, int64_t first, int64_t step, int64_t count, bmf_value *out);
/* Instances [first, first + count) as they would be without the others, and such parts as a whole; the parts stay.
 * Placed types only; parts >= 1. */
int value_part(bmf_context *ctx, const bmf_value *value, int64_t first, int64_t count, bmf_value *out);
int value_unite(bmf_context *ctx, int64_t parts, const bmf_value *part, bmf_value *out);

/* The lengths of all lists of instance i, added to a hash; whether those of instance j are the same. Placed types. */
uint64_t value_shape_hash(uint64_t hash, const bmf_value *value, int64_t i);
bool value_same_shape(const bmf_value *value, int64_t i, int64_t j);
/* Some part of it is stored once for all instances; the lists of two values of a type are packed at the same depths. */
bool value_shares_instances(const bmf_value *value);
bool value_same_layout(const bmf_value *a, const bmf_value *b);

/* value_take as somebody's kernel. */
int value_take_pass(const bmf_pass *pass, const bmf_value *value, const int64_t *index, int64_t count, bmf_value *out);

/* Runs of elements that follow each other in a new batch: segment k is elements [begin, end) of
 * source[k % sources], where begin and end are entry k / sources * step[k % sources] of that source's arrays. */
typedef struct bmf_segments {
    int sources;
    const bmf_value *const *source;
    const int64_t *const *begin;
    const int64_t *step;
    int64_t count;          /* of segments, a multiple of sources */
    const int64_t *offsets; /* count + 1: where they go */
} bmf_segments;
int value_join(const bmf_pass *pass, const bmf_segments *segments, bmf_value *out);

/* Lengths of all lists as offsets: count + 1 numbers in a new buffer. */
int value_offsets(bmf_context *ctx, const bmf_value *list, bmf_buffer **offsets);
/* value_pack as somebody's kernel; the frame is that of the lists, or NULL. */
int value_pack_for(bmf_evaluator *evaluator, const bmf_frame *frame, const char *kernel, bmf_value *list);
/* A list batch with these offsets (a reference is taken) over a child, which is taken over, views or not as `like`. */
void value_like(const bmf_value *like, bmf_value *child, bmf_value *out);

#endif
