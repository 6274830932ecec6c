/* Elements of unknown size on their way between processors: a ragged exchange in rounds.
 *
 * A parcel is one or more neighbouring elements as they travel: what column_pack writes, behind 8 bytes of size unless
 * the type has a fixed one. A rank packs a parcel once and passes received ones on as they are, so any run of parcels
 * can be sent without unpacking; between processors of one rank only addresses move. Private to skeletons. */
#ifndef BMF_PARCELS_H
#define BMF_PARCELS_H

#include "runtime/backend/backend.h"
#include "runtime/data/column.h"

typedef struct bmf_parcel {
    char *at; /* NULL: not here */
    int64_t bytes;
} bmf_parcel;

typedef struct bmf_parcels bmf_parcels;
/* Packs the parcels [first, end) that a message from this rank carries, if they are not yet. False: the message
 * carries nothing. */
typedef bool bmf_parcels_prepare(bmf_parcels *parcels, const bmf_message *message, int64_t first, int64_t end);

struct bmf_parcels {
    bmf_context *ctx;
    int64_t element_bytes; /* of a type of fixed size; otherwise BMF_BYTES_UNKNOWN, and sizes travel */
    bmf_parcel *parcel;    /* count of them */
    int64_t count;
    const int64_t *start;         /* parcel p holds the elements [start[p], start[p + 1]); NULL: element p alone */
    bmf_parcels_prepare *prepare; /* or NULL: everything is packed before the exchange */
    void *state;                  /* of prepare */
    char **buffer;                /* owned memory */
    int64_t buffers, capacity;
    struct bmf_arrival *arrival; /* received messages not yet cut into parcels */
    int64_t arrivals, arrival_capacity;
};

/* One parcel an element. */
void parcels_open(bmf_parcels *parcels, bmf_context *ctx, const bmf_type *type, int64_t count);
void parcels_close(bmf_parcels *parcels);

/* The parcel that starts at an element. */
int64_t parcels_find(const bmf_parcels *parcels, int64_t element);
/* What parcel p carries, without its size. */
const char *parcel_data(const bmf_parcels *parcels, int64_t p);

/* Packs elements [begin, end) of a column as parcel p. */
void parcels_pack(bmf_parcels *parcels, int64_t p, const bmf_column *column, int64_t begin, int64_t end);
/* The same in three steps, for parcels that are to lie next to each other: their sizes, room for all, each packed at
 * its place. */
int64_t parcel_bytes(const bmf_parcels *parcels, const bmf_column *column, int64_t begin, int64_t end);
char *parcels_reserve(bmf_parcels *parcels, int64_t bytes);
void parcels_pack_at(bmf_parcels *parcels, int64_t p, const bmf_column *column, int64_t begin, int64_t end, char *at,
                     int64_t bytes);
/* Lets a parcel be the same as another. */
void parcels_copy(bmf_parcels *parcels, int64_t from, int64_t to);

/* Runs one round whose messages carry the elements [first, first + count); what arrives is known afterwards. */
int parcels_exchange(bmf_parcels *parcels, const bmf_round *round, uint32_t number);
/* The same in two halves, as the backend's exchange_begin and exchange_end. */
int parcels_begin(bmf_parcels *parcels, const bmf_round *round, uint32_t number, bmf_exchange **under_way);
int parcels_end(bmf_parcels *parcels, bmf_exchange *under_way);
/* The same for a sparse round: messages from this rank's processors only, with their sizes, which the receivers do not
 * know of. */
int parcels_deliver(bmf_parcels *parcels, const bmf_round *sends, uint32_t number);

#endif
