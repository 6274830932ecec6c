/* Online routing: operators by messages on scheduled routers (document 004, 4.2). One-hop streams join all neighbours
 * of an operator's box in both directions, those of a phase shared by its operators; processors pass messages on along
 * x, then y, then z. A message's first word says for whom it is, for which operator, and how long it is.
 *
 * A word that comes interrupts the node's processor, whatever it does. The interrupt takes `interrupt_cycles` for every
 * message, then each word that is read or written `word_cycles`. Messages are kept in memory, so that nothing is held
 * up for ever, and are passed on while they come. */
#ifndef BMF_COP_ONLINE_H
#define BMF_COP_ONLINE_H

#include "predict/cop/run_private.h"

typedef struct bmf_cop_online bmf_cop_online;

/* NULL: no operator of the run is by messages. */
bmf_cop_online *online_create(bmf_cop_run *run, const bmf_simulation_settings *settings);
void online_free(bmf_cop_online *online);
/* Numbers of streams that it takes, from that of all channels on. */
int64_t online_streams(const bmf_cop_run *run);
const bmf_interrupt_handler *online_handler(const bmf_cop_online *online);

/* Whether the operator is by messages. */
bool online_carries(const bmf_cop_running *r);
/* What a node does for a call. load: with the operands that the node has now. */
void online_load(bmf_cop_node *n, int64_t op);
void online_write(bmf_cop_node *n, int64_t op, const void *message);
void online_read(bmf_cop_node *n, int64_t op, void *message);
void online_call(bmf_cop_node *n, int64_t op, const void *in, void *out, bmf_cop_combine *combine);

#endif
