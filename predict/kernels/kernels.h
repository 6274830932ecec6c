/* Kernel sheets: the time of every kernel and message of a program by its size, from traces of real runs.
 *
 * A kernel sheet is a data sheet (predict/sheet/sheet.h) whose operations are kernels: p is the number of ranks that
 * computed beside each other, d the elements of one call on one processor. A sheet belongs to a program: kernels of the
 * language are named by their place in the text.
 */
#ifndef BMF_KERNELS_H
#define BMF_KERNELS_H

#include "predict/sheet/samples.h"
#include "predict/sheet/sheet.h"
#include "runtime/trace/trace.h"

/* The operation's name for a kernel in a call: "CALL.KERNEL", or "KERNEL" outside of calls (call NULL), because one
 * kernel costs differently in different calls. Other characters than an operation may have become '_'; a name that is
 * too long is cut and ends in a hash of the whole. operation: BMF_SAMPLE_NAME bytes. Returns it. */
char *kernel_operation(const char *call, const char *kernel, char *operation);
/* What a rank does before that kernel, as the kernel's name would be; text: BMF_SAMPLE_NAME bytes. Returns it. */
char *kernel_preparation(const char *kernel, char *text);
/* The text of a run's node as `call` above: NULL for the program and for regions. */
const char *kernel_call(const bmf_trace_run *run, uint32_t node);

/* Everything that takes time in measured runs, each time as one repetition:
 *
 *   CALL.KERNEL   a kernel, by elements
 *   CALL.KERNEL.before   what the rank did since its last event (making lists, first touches of memory), by elements
 *   CALL.agreement   the same before a collective operation of all ranks
 *   CALL.file     reading or writing a file, by bytes
 *   CALL.send     what a rank does before it hands a message over (packing, schedules), by bytes
 *   CALL.sent     what it does between its sends of a round and its wait for them (copies for itself), by bytes sent
 *   CALL.receive  what it does with what it has received (unpacking) before it goes on, by bytes
 *   allreduce     an agreement of all ranks, from when the last one has come
 *   isend1, isend2, recv, recvmin   the messages themselves between ranks, as in a measured sheet of messages, by bytes
 *
 * The runs are sorted if they were not. Errors: BMF_ERROR_ARGUMENT for a predicted run, runs with different numbers of
 * threads, or no kernels at all; BMF_ERROR_MEMORY. The caller frees. */
int kernel_samples(int runs, bmf_trace_run *const *run, bmf_samples **samples);

/* A sheet fitted to these, and for kernels whose work the traces know, why they take as long
 * (predict/sheet/mechanism.h), with the memory of the machine on which they ran; NULL: not known, and only operations
 * count. What runs of about the same size have in common is told apart from the noise of single times; session: a
 * number from 0 for each run, those that were made together having the same, or NULL: all were, and 5 % are assumed for
 * what other sessions would differ by. Errors: those above.
 * The caller frees the sheet. */
typedef struct bmf_kernel_sheet {
    bmf_sheet *sheet;
    int64_t samples;
} bmf_kernel_sheet;
int kernel_sheet(int runs, bmf_trace_run *const *run, const int32_t *session, const bmf_memory *memory,
                 bmf_kernel_sheet *made);

#endif
