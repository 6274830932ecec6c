/* What the files of runtime/context share. */
#ifndef BMF_RUNTIME_PRIVATE_H
#define BMF_RUNTIME_PRIVATE_H

#include "runtime/backend/backend.h"
#include "runtime/backend/clock.h"

/* More are a mistake: the first parallel region would take minutes to start. */
enum { BMF_MAX_THREADS = 4096 };

/* The open context that is open longest, or NULL. */
bmf_context *first_context(void);
/* Before a context is freed: its message, if it is the last one, goes where messages go while there is no context. */
void keep_message(const bmf_context *ctx);
/* The context has the last message of this process. */
void remember_failed(bmf_context *ctx);

/* A full copy of what a program filled with the header of its version. Errors as bmf_open_with. */
int options_copy(const bmf_options *given, bmf_options *copy);
/* Fills the context's fields from the environment, the options, and their argv, out of which it takes its arguments.
 * Not collective. */
int options_apply(bmf_context *ctx, const bmf_options *options);

/* Tells all ranks about each other: who shares this host, and whether they are oversubscribed; how much memory ranks
 * may have; the time on rank 0's clock if it is this host's, in *started; and whether a rank fails, with this status.
 * Collective; returns the agreed status. */
int meet_ranks(bmf_context *ctx, int status, int64_t *started);
/* ctx->threads, unless an option set them. */
void default_threads(bmf_context *ctx);
/* The team of threads that parallel regions use from now on: the first region would start it, and wait until the system
 * has moved its threads to cores of their own. */
void start_threads(const bmf_context *ctx);
/* From now on large buffers can be mapped by the other ranks of the host, if there are any. Knows ctx->threads. */
void use_shared_memory(const bmf_context *ctx);
/* This rank's processors. */
void divide_processors(bmf_context *ctx);

/* Sets ctx->epoch to the same moment on every rank: on one host exactly `started`, when all met; within half a round
 * trip between hosts when tracing, within an allgather otherwise. Collective. */
void clock_start(bmf_context *ctx, int64_t started);

/* Memory of the cluster backend; made by bmf_open, freed by the backend's destroy. */
int cluster_start(bmf_context *ctx);
/* Settles failures when every rank knows the smallest key: the message is brought to all, the status returned.
 * Collective if there is a failure. */
int cluster_settle(bmf_context *ctx, int64_t first);

#endif
