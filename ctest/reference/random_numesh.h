/* Random schedules for meshes of scheduled routers, made without the stream router: random walks, kept when the rules
 * allow them. */
#ifndef RANDOM_NUMESH_H
#define RANDOM_NUMESH_H

#include "predict/mesh/simulate_scheduled.h"

enum { RANDOM_MAX_STREAMS = 24, RANDOM_MAX_READERS = 6 };

typedef struct random_stream {
    int64_t from, readers, reader[RANDOM_MAX_READERS];
    int out, in[RANDOM_MAX_READERS]; /* registers */
    int slots;                       /* of a schedule */
    int hops;                        /* to the last reader */
} random_stream;

/* Tries to add `tries` streams to a block; returns how many there are then. Passes scheduled_check. */
int64_t random_numesh_fill(bmf_scheduled_machine *machine, int block, uint64_t *state, int64_t tries,
                           random_stream stream[RANDOM_MAX_STREAMS]);
/* All of their words, stream k being number first + k, in two halves with random waits before each. */
void random_numesh_transfers(const bmf_mesh *mesh, bmf_processor_script *script, uint64_t *state, int64_t first,
                             int64_t streams, const random_stream *stream, int64_t max_words, int64_t max_wait);

#endif
