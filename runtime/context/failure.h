/* A rank's failure on its way to the others (docs/errors.md).
 *
 * A rank that fails where the others do not see it notes the failure and goes on with the communication of the program:
 * until the failure is settled it sends marks instead of data. Whoever receives a mark has heard of a failure, and
 * sends marks itself. The next collective call of the backend carries every rank's key and settles: all ranks return
 * the status of the first failure, hold its message, and send data again.
 *
 * Which failure is the first does not depend on who heard of it when: that of the smallest step of the program, and
 * among those of a step that of the lowest rank. */
#ifndef BMF_FAILURE_H
#define BMF_FAILURE_H

#include <stdint.h>

#include "bmf/status.h"

/* A failure as a number: step, rank and status, so that the smallest is the first. Of a rank that only heard of one
 * the key is failure_heard, of all others failure_none; no failure is larger. */
static const int64_t failure_none = INT64_MAX, failure_heard = INT64_MAX - 1;

/* This rank has failed; its message is in the context. Of several failures the first counts. Not collective. */
void failure_note(bmf_context *ctx, int status);
/* The same, for calls that settle later: returns BMF_OK, so that the rank goes on; or the status itself where there is
 * one rank, for which nobody waits. Not collective. */
int failure_defer(bmf_context *ctx, int status);
/* This rank has received a mark. Not collective. */
void failure_hear(bmf_context *ctx);
/* What this rank tells the others. Not collective. */
int64_t failure_key(const bmf_context *ctx);

int failure_rank(int64_t key);
/* Every rank knows that `first` is the smallest key, and the message of failure_rank(first) is in its context: from
 * here on this rank sends data again. Returns the status. */
int failure_settled(bmf_context *ctx, int64_t first);
/* Before that: the noted failure's message into the context, whatever failed after it. */
void failure_restore_message(bmf_context *ctx);
/* The same where there is one rank. */
int failure_settle_alone(bmf_context *ctx);

#endif
