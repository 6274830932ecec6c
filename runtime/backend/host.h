/* What every backend does on its own host: running the pieces of a kernel call, and copying messages whose both ends
 * are here. For backends only. */
#ifndef BMF_HOST_H
#define BMF_HOST_H

#include "runtime/backend/backend.h"

/* When a piece ran, on the host's clock (context_now) or, one by one, on the calling thread's clock of processor
 * time. */
typedef struct bmf_piece_time {
    int64_t begin, end;
} bmf_piece_time;

/* Runs all pieces on the threads of the context, or one after the other on the calling thread. times: one for each
 * piece, or NULL. Returns 0, or BMF_ERROR_KERNEL with a message that names kernel, code, processor and elements. */
int host_run(bmf_context *ctx, const bmf_work *work, bool one_by_one, bmf_piece_time *times);

/* Nanoseconds that the calling thread has computed, whatever else the host does. */
int64_t host_processor_time(void);

/* Adds what a piece has done to what its processor has. */
void host_count(const bmf_work *work, int64_t index, bmf_kernel_work *sum);
/* Memory that the system gave since this was asked last, in bytes: what a kernel touches first is from its own lists,
 * because messages and files, which also touch what they are received and read into, ask as well. */
int64_t host_fresh_bytes(void);

/* Copies a message from and to the segments of the transfer. Returns its bytes; from, *segments: what it came from. */
int64_t host_copy(const bmf_transfer *transfer, const bmf_message *message, bmf_segment from[BMF_MAX_SEGMENTS],
                  int *segments);

#endif
