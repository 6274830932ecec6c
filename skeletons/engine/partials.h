/* Partial results on processors, and the rounds that bring them together: what reduce and scan share. Private. */
#ifndef BMF_PARTIALS_H
#define BMF_PARTIALS_H

#include "skeletons/engine/plan.h"
#include "skeletons/engine/tree.h"

/* One part's share of a reduction or scan. */
typedef struct bmf_partial {
    bmf_forest partial; /* the fold of this part's elements and of those received that are adjacent to them */
    bmf_forest prefix;  /* scans: the fold of what was received from before its elements */
    bmf_forest *saved;  /* scan tree: `partial` before each level's message, `levels` of them, or NULL */
    int levels;
} bmf_partial;

typedef struct bmf_partials {
    bmf_context *ctx;
    const bmf_tree *tree;
    const bmf_partition *partition;
    bmf_partial *part; /* local_parts of them */
    struct bmf_inbox *inbox;
    uint32_t rounds; /* of the schedule, once it is made */
    uint32_t number; /* what kernels and rounds are numbered from in the call */
    /* Those of other lists on an equal partition, whose values travel in the same messages; reductions only. */
    struct bmf_partials *beside;
    int besides; /* at most BMF_MAX_LEAVES */
} bmf_partials;

/* Every local part with nothing folded yet. */
void partials_start(bmf_partials *partials, bmf_context *ctx, const bmf_tree *tree, const bmf_partition *partition,
                    uint32_t number);
/* Folds every local part: one kernel call over the source's elements, named `kernel`. with_last: also the list's last
 * part (scans do not need it). On failure nothing is left to free. */
int partials_fold(bmf_partials *partials, bmf_context *ctx, const bmf_tree *tree, const bmf_partition *partition,
                  const bmf_source *source, const char *kernel, bool with_last);
/* The same where a call has several: kernels are numbered from `number` on. */
int partials_fold_numbered(bmf_partials *partials, bmf_context *ctx, const bmf_tree *tree,
                           const bmf_partition *partition, const bmf_source *source, const char *kernel, bool with_last,
                           uint32_t number);
void partials_free(bmf_partials *partials);

/* Number k of the partials that travel together: 0 is `partials` itself, up to partials->besides. */
static inline const bmf_partials *partials_together(const bmf_partials *partials, int k)
{
    return k == 0 ? partials : &partials->beside[k - 1];
}
/* Room for so many bytes of one list among those of several, each of which begins at a multiple of 16. */
static inline int64_t partials_room(const bmf_partials *together, int64_t bytes)
{
    return together->besides > 0 ? (bytes + 15) / 16 * 16 : bytes;
}
/* Bytes of the forests over items [first, first + count); for requests, over the partials. */
int64_t partials_bytes(const void *state, int64_t first, int64_t count);
/* Room for one value, a record, of each. */
int64_t partials_record_bytes(const void *state, int64_t first, int64_t count);
/* Adds the rounds of an algorithm for the parts of the partition behind those the schedule has. */
void partials_generate(const bmf_partials *partials, const bmf_algorithm *algorithm,
                       int64_t (*bytes)(const void *state, int64_t first, int64_t count), bmf_schedule *schedule);
/* The local part on a processor, counted from local_first. */
int64_t partials_local(const bmf_partials *partials, int64_t processor);

/* How the values of one list in a message join the receiving part. Returns 0 or the operator's failure code. */
typedef int bmf_join_function(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                              int64_t begin, int64_t end, const char *values);
/* The forest a part sends in a message. */
typedef const bmf_forest *bmf_send_function(const bmf_partials *partials, bmf_partial *part, int64_t item,
                                            const bmf_message *message, bmf_forest *own);

/* Runs one round: exchange, then join on every processor that received. Failure codes of the operator turn into
 * BMF_ERROR_KERNEL after the round. The caller runs the remaining rounds all the same: other ranks wait for them. */
int partials_round(bmf_partials *partials, const bmf_round *round, uint32_t number, bmf_send_function *send,
                   bmf_join_function *join);
/* The same in two halves; one round of the partials at a time. */
int partials_round_begin(bmf_partials *partials, const bmf_round *round, uint32_t number, bmf_send_function *send,
                         bmf_exchange **under_way);
int partials_round_end(bmf_partials *partials, uint32_t number, bmf_join_function *join, bmf_exchange *under_way);

/* The usual ones: send `partial`; append, prepend or replace it by what arrived. */
bmf_send_function send_partial;
bmf_join_function join_partial;

/* forest = values over [begin, end), then forest's own. */
int forest_prepend(const bmf_tree *tree, bmf_forest *forest, int64_t begin, int64_t end, const char *values);

#endif
