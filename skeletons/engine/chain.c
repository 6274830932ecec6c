/* The hand-over of chained scans; see chain.h. */
#include "skeletons/engine/chain.h"

#include <sched.h>
#include <time.h>

enum { CHAIN_BYTES = 256 * 1024 };
enum { SPINS_BEFORE_YIELD = 200, SPINS_BEFORE_SLEEP = 1200, NAP_NANOSECONDS = 20000 };

void chain_pause(int spins)
{
    if (spins >= SPINS_BEFORE_SLEEP)
        nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL);
    else if (spins >= SPINS_BEFORE_YIELD)
        sched_yield();
#if defined(__x86_64__)
    else
        __builtin_ia32_pause();
#endif
}

static void wait_for_turn(bmf_chain *chain, int64_t index)
{
    for (int spins = 0; atomic_load_explicit(&chain->turn, memory_order_acquire) != index; spins++)
        chain_pause(spins);
}

bool chain_hand_on(bmf_chain *chain, int64_t index, bmf_chain_step *step, void *state, int *code)
{
    wait_for_turn(chain, index);
    if (*code == 0 && !chain->broken)
        *code = step(chain, state);
    chain->broken = chain->broken || *code != 0;
    bool whole = !chain->broken;
    atomic_store_explicit(&chain->turn, index + 1, memory_order_release);
    return whole;
}

int64_t chain_grain(int64_t smallest, int64_t bytes)
{
    int64_t grain = smallest;
    while (2 * grain * bytes <= CHAIN_BYTES)
        grain *= 2;
    return grain;
}
