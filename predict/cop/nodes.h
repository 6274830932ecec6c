/* Coroutines: programs of nodes that give way to the simulator. */
#ifndef BMF_COP_NODES_H
#define BMF_COP_NODES_H

#include <stdbool.h>

typedef struct bmf_coroutine bmf_coroutine;

/* The body runs when the coroutine is resumed first. The caller frees; a coroutine that has not ended is dropped. */
bmf_coroutine *coroutine_create(void (*body)(void *state), void *state);
void coroutine_free(bmf_coroutine *coroutine);
/* Runs it until it gives way or ends; false: it has ended. What it sets stdout to holds while it runs. */
bool coroutine_resume(bmf_coroutine *coroutine);
/* From inside: back to who resumed it. */
void coroutine_yield(bmf_coroutine *coroutine);

#endif
