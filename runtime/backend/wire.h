/* What ranks hand to MPI for a round of messages between processors: the rules that the cluster backend follows and by
 * which predictions count, in one place so that they cannot drift apart.
 *
 * known sizes all messages of at most BMF_PACK_LIMIT bytes from one rank to another travel in one buffer; of every
 *                   larger message each segment is a buffer of its own
 *   unknown sizes   all messages from one rank to another in one buffer, behind a header of their sizes
 *   sparse rounds   all messages from one rank to another in one buffer, a parcel, behind a header that describes them
 *
 * A buffer of n bytes is ceil(n / BMF_LARGEST_PIECE) MPI messages; an empty one is none.
 */
#ifndef BMF_WIRE_H
#define BMF_WIRE_H

#include "bmf/context.h"
#include "runtime/schedule/schedule.h"

/* Messages up to this size are packed with their neighbours: copying them costs less than another message. */
enum { BMF_PACK_LIMIT = 64 * 1024 };
/* Shorter messages to ranks whose memory can be mapped are left to MPI, too: telling the other end costs more than the
 * second copy (runtime/cluster/direct.h). */
enum { BMF_DIRECT_LIMIT = 1 << 18 };
/* Largest single MPI message; longer ones are split (MPI counts are int). */
enum { BMF_LARGEST_PIECE = 1 << 30 };
/* Values that describe a message in a parcel: from, to, bytes, first, count. */
enum { BMF_PARCEL_VALUES = 5 };

static inline bool wire_packs(const bmf_message *message)
{
    return message->bytes <= BMF_PACK_LIMIT;
}

static inline int64_t wire_sizes_header(int64_t messages)
{
    return messages * (int64_t)sizeof(int64_t);
}

static inline int64_t wire_parcel_header(int64_t messages)
{
    return (1 + messages * BMF_PARCEL_VALUES) * (int64_t)sizeof(int64_t);
}

/* The next piece of a buffer of which `rest` bytes are left. */
static inline int64_t wire_piece(int64_t rest)
{
    return rest < BMF_LARGEST_PIECE ? rest : BMF_LARGEST_PIECE;
}

/* Counts the pieces of a buffer. */
static inline void wire_count(bmf_statistics *statistics, int64_t bytes)
{
    statistics->rank_messages += bytes / BMF_LARGEST_PIECE + (bytes % BMF_LARGEST_PIECE > 0);
    statistics->rank_bytes += bytes;
}

#endif
