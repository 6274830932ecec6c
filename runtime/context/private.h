/* What the files of runtime/context share. */
#ifndef BMF_RUNTIME_PRIVATE_H
#define BMF_RUNTIME_PRIVATE_H

#include "runtime/backend/backend.h"
#include "runtime/backend/clock.h"

/* The open context that is open longest, or NULL. */
bmf_context *first_context(void);
/* Before a context is freed: its message, if it is the last one, goes where messages go while there is no context. */
void keep_message(const bmf_context *ctx);

/* A full copy of what a program filled with the header of its version. Errors as bmf_open_with. */
int options_copy(const bmf_options *given, bmf_options *copy);
/* Fills the context's fields from the environment, the options, and their argv, out of which it takes its arguments.
 * Not collective. */
int options_apply(bmf_context *ctx, const bmf_options *options);

/* Finds out how many ranks of the context share this host, and whether they are oversubscribed. Collective. */
void find_node_ranks(bmf_context *ctx);
/* ctx->threads, unless an option set them. */
void default_threads(bmf_context *ctx);
/* From now on large buffers can be mapped by the other ranks of the host, if there are any. Knows ctx->threads. */
void use_shared_memory(const bmf_context *ctx);
/* This rank's processors. */
void divide_processors(bmf_context *ctx);

/* Sets ctx->epoch to the same moment on every rank: exactly on one host, within half a round trip between hosts when
 * tracing, within a barrier otherwise. Collective. */
void clock_start(bmf_context *ctx);

/* Memory of the cluster backend; made by bmf_open, freed by the backend's destroy. */
int cluster_start(bmf_context *ctx);

#endif
