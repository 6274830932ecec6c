/* Coroutines by POSIX contexts, each with a stack and a stdout of its own. Cost: two system calls a change (signal
 * masks). */
#include "predict/cop/nodes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "runtime/base/allocate.h"

enum { STACK = 1 << 20 };

struct bmf_coroutine {
    ucontext_t inside, outside;
    void *stack;
    void (*body)(void *state);
    void *state;
    FILE *output; /* its stdout while others run */
    bool ended;
};

/* makecontext hands over ints only. */
static void enter(unsigned high, unsigned low)
{
    bmf_coroutine *c;
    const uintptr_t address = (uintptr_t)high << 32 | low;
    c = (bmf_coroutine *)address;
    c->body(c->state);
    c->ended = true;
}

bmf_coroutine *coroutine_create(void (*body)(void *state), void *state)
{
    bmf_coroutine *c = allocate_clear(1, sizeof *c);
    const uintptr_t address = (uintptr_t)c;
    c->body = body;
    c->state = state;
    c->output = stdout;
    c->stack = allocate(STACK);
    getcontext(&c->inside);
    c->inside.uc_stack.ss_sp = c->stack;
    c->inside.uc_stack.ss_size = STACK;
    c->inside.uc_link = &c->outside;
    makecontext(&c->inside, (void (*)(void))enter, 2, (unsigned)(address >> 32), (unsigned)address);
    return c;
}

void coroutine_free(bmf_coroutine *c)
{
    if (!c)
        return;
    free(c->stack);
    free(c);
}

bool coroutine_resume(bmf_coroutine *c)
{
    if (c->ended)
        return false;
    FILE *outside = stdout;
    stdout = c->output;
    swapcontext(&c->outside, &c->inside);
    c->output = stdout;
    stdout = outside;
    return !c->ended;
}

void coroutine_yield(bmf_coroutine *c)
{
    swapcontext(&c->inside, &c->outside);
}
