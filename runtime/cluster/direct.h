/* Copying directly between ranks of a host that can map each other's memory; private to the cluster backend.
 *
 * Long messages between them are not handed to MPI, which would copy them twice: both ends tell each other where their
 * segments are, and then either copies what the other has not. Such messages are counted like those that MPI moves. */
#ifndef BMF_DIRECT_H
#define BMF_DIRECT_H

#include "runtime/cluster/cluster.h"

/* What this rank and one other exchange so in one round, both ways. */
typedef struct bmf_direct bmf_direct;

/* Whether a message goes this way; both ends get the same answer. */
bool direct_takes(const bmf_context *ctx, const bmf_message *message, int peer);

bmf_direct *direct_create(int peer);
/* A segment of a message to or from the other rank, in the same order on both. */
void direct_add(bmf_direct *direct, bool sending, const bmf_segment *segment);
/* Tells the other rank. The segments to send are complete, those to receive may be written to from now on. */
void direct_start(bmf_context *ctx, bmf_direct *direct);
/* Goes on without waiting; with `copies`, copies a piece if there is one. True: something was done. */
bool direct_progress(bmf_context *ctx, bmf_direct *direct, bool copies);
/* Everything was received; sent. */
bool direct_received(const bmf_direct *direct);
bool direct_sent(const bmf_direct *direct);
/* The other rank sent marks instead (runtime/context/failure.h); failure_hear was called. */
bool direct_is_marked(const bmf_direct *direct);
/* When both are true. */
void direct_free(bmf_direct *direct);

#endif
