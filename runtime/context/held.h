/* What processors hold: the bytes of lists and of the language's values on every processor over time, for traces.
 *
 * Source: document 000, 4.6.2 (proposed there). A buffer counts from when the list or value is made that it first
 * belongs to, for the processors that its elements lie on, until nobody shares it any more. Working memory and messages
 * on their way do not count. */
#ifndef BMF_CONTEXT_HELD_H
#define BMF_CONTEXT_HELD_H

#include "bmf/status.h"
#include "runtime/data/column.h"

/* Elements of a column or value up to `end` (numbers of this rank's) lie on the processor. */
typedef struct bmf_held_run {
    int64_t processor, end;
} bmf_held_run;

/* Of more processors, nothing is recorded: every value would be a record of each. */
enum { BMF_HELD_PROCESSORS = 4096 };

/* Whether it is recorded at all: there is a trace, and not too many processors. */
bool holds_memory(const bmf_context *ctx);

/* Between the two, hold_bytes says where the buffers of one list or value lie. */
void hold_begin(bmf_context *ctx);
void hold_bytes(bmf_context *ctx, bmf_buffer *buffer, int64_t processor, int64_t bytes);
void hold_end(bmf_context *ctx);
/* hold_bytes for the buffers of a column. */
void hold_column(bmf_context *ctx, const bmf_column *column, int64_t runs, const bmf_held_run *run);

/* The context ends; buffers may outlive it. */
void held_close(bmf_context *ctx);

#endif
