/* Values of a batch: one value of the same type for every instance on this rank.
 *
 * The evaluator applies an expression to a whole batch of arguments at once; the batch is a column of arguments:
 *
 *   int, real, bool   data[i], stride bytes apart; stride 0: the same for all instances
 *   tuple             child[0..components), each a batch of the same count
 *   list              instance i has the elements [begin[i * step], end[i * step]) of child[0], which is a batch of
 *                     its own. step 0: all instances share one list. packed: end[i] = begin[i + 1] and child[0] has no
 *                     other elements, so the elements of all instances are the child from front to back. Otherwise
 *                     lists are views: they may overlap, repeat, leave gaps. Indexing, projecting, filtering and
 *                     broadcasting lists moves begin and end, never elements.
 *   distributed       spread says which processors the elements of every instance lie on; child[0] is the batch of
 *                     those on this rank, in the order of the instances and of the elements; buffer, or NULL, has
 *                     how long they are, if they are lists (skeletons/language/parallel/parallel.h)
 *
 * Memory is shared by reference count; only memory that is not shared is written to. */
#ifndef BMF_LANGUAGE_VALUE_H
#define BMF_LANGUAGE_VALUE_H

#include "runtime/data/column.h"
#include "skeletons/language/parallel/layout.h"

typedef struct bmf_value bmf_value;
struct bmf_value {
    const bmf_type *type; /* interned */
    int64_t count;        /* instances on this rank */
    bmf_buffer *buffer;   /* scalars: owner of data; lists: of begin and end; distributed: of lengths */
    bmf_buffer *second;   /* lists: owner of end if it is another buffer, or NULL */
    void *data;
    int64_t stride;
    const int64_t *begin, *end;
    int64_t step;
    bool packed;
    bmf_distribution *spread;
    bmf_value *child; /* type->components of them, owned */
};

/* Everything here returns BMF_OK or BMF_ERROR_MEMORY (with a message) unless it says otherwise. `out` is written only
 * on success. Work on large batches is threaded. ctx serves for messages and threads. */

/* A batch of `count` undefined scalars, or of a fixed type. */
int value_create(bmf_context *ctx, const bmf_type *type, int64_t count, bmf_value *out);
/* Leaves the first `count` instances of a batch that value_create made, and frees memory that would lie idle. */
void value_shorten(bmf_value *value, int64_t count);
/* A list batch over a child, which is taken over (also on failure): offsets of count + 1 values in `buffer` (one
 * reference taken over), packed. */
void value_create_list(int64_t count, bmf_buffer *offsets, bmf_value *child, bmf_value *out);
void value_create_tuple(int components, bmf_value *component, bmf_value *out); /* taken over */
/* No instances, or instances of an empty type: a batch of count instances whose lists are all empty; count 0 for any
 * type. */
int value_empty(bmf_context *ctx, const bmf_type *type, int64_t count, bmf_value *out);
/* Values that stand for those a rank does not have (docs/errors.md): zeros, false and empty lists. Placed types; those
 * of `?`, of which nobody has a value, only count. Does not fail. Cost: constant. */
void value_default(bmf_context *ctx, const bmf_type *type, int64_t count, bmf_value *out);
/* The same constant for all instances (stride 0). */
int value_constant(bmf_context *ctx, const bmf_constant *constant, int64_t count, bmf_value *out);
void value_free(bmf_value *value); /* leaves an empty shell that may be freed again */
void value_share(const bmf_value *value, bmf_value *out);
void value_move(bmf_value *from, bmf_value *to);
bool value_unique(const bmf_value *value); /* every buffer is held once, nothing is broadcast: may be overwritten */

/* Instance i of the result is instance index[i] of the value, or first + i. */
int value_take(bmf_context *ctx, const bmf_value *value, const int64_t *index, int64_t count, bmf_value *out);
int value_slice(bmf_context *ctx, const bmf_value *value, int64_t first, int64_t count, bmf_value *out);
/* Instance j of the result is instance i of the value where offsets[i] <= j < offsets[i + 1]; offsets has value->count
 * + 1 values, offsets[0] = 0. Scalars of a single instance become stride 0, lists share their children. */
int value_repeat(bmf_context *ctx, const bmf_value *value, const int64_t *offsets, bmf_value *out);
/* The instances of all values one after the other. */
int value_concatenate(bmf_context *ctx, int values, const bmf_value *value, bmf_value *out);
/* Instance i of the result is the next instance of a where choose[i], otherwise the next of b. */
int value_merge(bmf_context *ctx, const uint8_t *choose, int64_t count, const bmf_value *a, const bmf_value *b,
                bmf_value *out);
/* Makes a list batch packed (gathers the elements if it is not), and step 1. In place. */
int value_pack(bmf_context *ctx, bmf_value *list);
/* Makes all leaves and lists plain: no stride 0, packed at all depths. In place. Not for distributed lists. */
int value_plain(bmf_context *ctx, bmf_value *value);

/* Leaves of a fixed type from instance `first` on; returns their number. */
int value_slices(const bmf_value *value, int64_t first, bmf_slice slice[BMF_MAX_LEAVES]);

/* To and from columns of the runtime, sharing memory where the layout allows. from: takes the column over. Placed
 * types only. */
void value_from_column(bmf_column *column, bmf_value *out);
int value_to_column(bmf_context *ctx, const bmf_value *value, bmf_column *column);

/* NULL, or which invariant is broken. For debug builds and tests. */
const char *value_broken(const bmf_value *value);

static inline int64_t value_length(const bmf_value *list, int64_t i)
{
    return list->end[i * list->step] - list->begin[i * list->step];
}

#endif
