/* Loops that are not gone through to their end, for those who want to know what a program does and not its value.
 *
 * In one run of a program the rounds of its loops are counted. In a run of another one with the same loops, in the same
 * order in its text, each goes round a few times, and the backend repeats what the last of these rounds did
 * (bmf_backend.repeat); the state is then what it was after these. That is done with loops that the program goes
 * through as a whole, not with those inside of maps, and only where a few rounds compute as many elements as the others
 * do. */
#ifndef BMF_LANGUAGE_LOOP_ROUNDS_H
#define BMF_LANGUAGE_LOOP_ROUNDS_H

#include "runtime/backend/backend.h"
#include "skeletons/language/front/expression.h"

/* A loop of the text. */
typedef struct bmf_counted_loop {
    bmf_span span;   /* in the program that runs now */
    int64_t entries; /* how often it was entered in this run */
    int64_t *rounds; /* of each time that it was entered while rounds were counted */
    int64_t counted, capacity;
    bool uneven; /* later rounds compute more or less */
} bmf_counted_loop;

/* All zero: nothing is counted yet. */
typedef struct bmf_loop_rounds {
    bool cut; /* loops end after a few rounds; false: rounds are counted */
    int64_t loops;
    bmf_counted_loop *loop; /* in the order of the text */
} bmf_loop_rounds;

/* Before a run of a checked program. False, with `cut`: it has not the loops that were counted, and nothing can be
 * cut. */
bool loop_rounds_begin(bmf_loop_rounds *rounds, const bmf_expression *checked);
void loop_rounds_free(bmf_loop_rounds *rounds);

/* A loop on its way. */
typedef struct bmf_loop_entry {
    bmf_counted_loop *of; /* NULL: it is gone through, and not counted */
    bool cut;
    int64_t rounds, round; /* of this entry where it is cut; that have begun */
    bmf_run_mark first, few, last;
} bmf_loop_entry;

/* instances: that go through it. rounds: NULL, nothing is counted or cut. */
void loop_enter(bmf_loop_rounds *rounds, bmf_context *ctx, const bmf_expression *loop, int64_t instances,
                bmf_loop_entry *entry);
/* Before each round. *over: the loop ends here, as all rounds that are left have been repeated. Errors: as of
 * bmf_backend.repeat. */
int loop_round(bmf_context *ctx, bmf_loop_entry *entry, bool *over);
/* Behind the last round. */
void loop_leave(bmf_context *ctx, bmf_loop_entry *entry);

#endif
