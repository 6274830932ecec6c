/* What the files of runtime share and nobody else sees. */
#ifndef BMF_RUNTIME_PRIVATE_H
#define BMF_RUNTIME_PRIVATE_H

#include "runtime/backend/backend.h"
#include "runtime/backend/clock.h"

/* The open context of the process, or NULL. */
bmf_context *current_context(void);
/* Where messages go while there is no context. */
extern char process_message[BMF_MESSAGE_SIZE];

/* Options of bmf_open: fills the context's fields from argv and the environment, takes its options out of argv. */
int options_read(bmf_context *ctx, int *argc, char ***argv);

/* Finds out how many ranks of the context share this host, and whether they must wait politely. Collective. */
void find_neighbours(bmf_context *ctx);
/* This rank's processors. */
void divide_processors(bmf_context *ctx);

/* Sets ctx->epoch to the same moment on every rank: exactly on one host, within half a round trip between hosts when
 * tracing, within a barrier otherwise. Collective. */
void clock_start(bmf_context *ctx);

/* Memory of the cluster backend; made by bmf_open, freed by the backend's destroy. */
int cluster_start(bmf_context *ctx);

#endif
