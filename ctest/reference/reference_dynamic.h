/* Dynamic routers once more, slow and obvious: every node, every channel, every cycle; nothing is remembered that can
 * be looked up. Rules: predict/mesh/dynamic.h, ecube.c, adaptive.c. */
#ifndef REFERENCE_DYNAMIC_H
#define REFERENCE_DYNAMIC_H

#include "predict/mesh/dynamic.h"

typedef struct reference_message {
    int64_t from, to, words, cycle;
    int address;
    /* results */
    int64_t sent, arrived; /* -1: not yet */
    int64_t hops, words_arrived;
    /* adaptive */
    int reversals, misroutes;
    bool fallback;
} reference_message;

typedef struct reference_dynamic reference_dynamic;

/* The messages, in the order of their cycles, are borrowed and written to. */
reference_dynamic *reference_dynamic_create(const bmf_mesh *mesh, const bmf_dynamic_settings *settings,
                                            int64_t messages, reference_message *message);
void reference_dynamic_step(reference_dynamic *r);
int64_t reference_dynamic_time(const reference_dynamic *r);
int64_t reference_dynamic_flit_hops(const reference_dynamic *r);
/* Words that are in buffers or on links. */
int64_t reference_dynamic_under_way(const reference_dynamic *r);
void reference_dynamic_free(reference_dynamic *r);

#endif
