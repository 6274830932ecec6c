/* Columns: the local data of a list, one contiguous array per scalar.
 *
 *   scalar, struct            data[0..count), stride bytes apart: the element's size, or 0 for a broadcast value
 *   tuple                     child[0..components), each of the same count
 *   list                      offsets[0..count] (int64, offsets[0] = 0, non-decreasing, offsets[count] = the
 *                             child's count) and child[0], the flattened children
 *
 * Nothing is boxed. Columns share buffers by reference count; whoever wants to write checks column_unique.
 */
#ifndef BMF_COLUMN_H
#define BMF_COLUMN_H

#include "runtime/base/memory.h"
#include "bmf/slice.h"
#include "runtime/data/type.h"

typedef struct bmf_column {
    const bmf_type *type;     /* interned */
    int64_t count;            /* elements */
    bmf_buffer *buffer;       /* owner of data or offsets; NULL for tuples and empty columns */
    void *data;               /* scalars and structs: first element */
    int64_t stride;           /* bytes between elements: type->size, or 0 (broadcast) */
    int64_t *offsets;         /* lists: count + 1 values */
    struct bmf_column *child; /* type->components columns, or NULL */
} bmf_column;

/* Allocates a column of `count` undefined elements of a fixed type. BMF_OK or BMF_ERROR_MEMORY. */
int column_create(const bmf_type *type, int64_t count, bmf_column *column);
/* Allocates a list column whose children number child_count; offsets are undefined, the child must be fixed. */
int column_create_list(const bmf_type *type, int64_t count, int64_t child_count, bmf_column *column);
/* The same elements, sharing the buffers. */
int column_share(const bmf_column *column, bmf_column *copy);
/* Elements [begin, begin + count) of a column, sharing the buffers (list offsets are copied and rebased). */
int column_view(const bmf_column *column, int64_t begin, int64_t count, bmf_column *view);
/* Leaves the first `count` elements of a column of a fixed type that nobody shares, and frees memory that would lie
 * idle. */
void column_shorten(bmf_column *column, int64_t count);
void column_free(bmf_column *column);

/* True if no other column shares a buffer of this one and no leaf is a broadcast: it may be written in place. */
bool column_unique(const bmf_column *column);

/* Slices of the leaves of a fixed column, from element `first` on; returns their number. */
int column_slices(const bmf_column *column, int64_t first, bmf_slice slice[BMF_MAX_LEAVES]);

/* Checks the invariants above (debug builds call it at every list's creation); NULL, or what is broken. */
const char *column_broken(const bmf_column *column);

/* Bytes elements [begin, end) take when packed: offsets as counts (8 bytes per list), then leaves, depth first. */
int64_t column_packed_bytes(const bmf_column *column, int64_t begin, int64_t end);
/* Packs elements [begin, end) to `to`; returns the end of what was written. */
char *column_pack(const bmf_column *column, int64_t begin, int64_t end, char *to);

/* A growing column under construction, to which packed pieces are appended in order. */
typedef struct bmf_column_builder bmf_column_builder;
bmf_column_builder *column_builder_create(const bmf_type *type);
/* Appends `count` packed elements; returns the end of what was read, or NULL when there is no memory. */
const char *column_builder_append(bmf_column_builder *builder, const char *from, int64_t count);
/* Appends elements [begin, end) of a column of the builder's type. BMF_OK or BMF_ERROR_MEMORY. */
int column_builder_copy(bmf_column_builder *builder, const bmf_column *column, int64_t begin, int64_t end);
/* Moves the result out and frees the builder. */
int column_builder_finish(bmf_column_builder *builder, bmf_column *column);

#endif
