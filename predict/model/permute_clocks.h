/* Clocks of processors that compute and exchange rounds of messages: what a permutation is made of.
 *
 * On networks that take a round as a whole everything is timed at once and forgotten; on others actions are recorded
 * and simulated at the end. Both give the same clocks. Private to predict/model/permute_*.c and their tests. */
#ifndef BMF_PERMUTE_CLOCKS_H
#define BMF_PERMUTE_CLOCKS_H

#include "predict/model/model_private.h"

typedef struct permute_clocks permute_clocks;

/* The machine and the network (of as many processors) are borrowed. */
permute_clocks *permute_clocks_create(const bmf_machine *machine, bmf_network *network);
void permute_clocks_free(permute_clocks *clocks);
/* From now on messages from a processor to itself are sent like others, though not counted. The network must take
 * rounds as a whole. */
void permute_clocks_route_own(permute_clocks *clocks);
/* Before the first round: what follows is a call of that text and skeleton in a predicted run, which
 * permute_clocks_take_run gives away. Messages from a processor to itself leave no event. */
void permute_clocks_record(permute_clocks *clocks, const char *call, uint32_t skeleton);
/* The run, sorted; after permute_clocks_finish. The caller frees it. Errors: those of trace_actions. */
int permute_clocks_take_run(permute_clocks *clocks, bmf_trace_run **run);
/* Every processor computes. */
void permute_clocks_compute(permute_clocks *clocks, const char *kernel, uint32_t round, int64_t elements,
                            const bmf_model_cost *cost);
/* All sends of a round; it is numbered k. Rounds end in the order in which they began. Messages from a processor to
 * itself cost nothing. */
void permute_clocks_begin(permute_clocks *clocks, int64_t k, const bmf_message *message, int64_t count);
void permute_clocks_end(permute_clocks *clocks);
/* Messages and bytes between processors so far. */
void permute_clocks_totals(const permute_clocks *clocks, int64_t *messages, int64_t *bytes);
/* The last processor's clock, and its 95 % interval. Errors: those of simulate_interval. */
int permute_clocks_finish(permute_clocks *clocks, bmf_prediction *prediction);

#endif
