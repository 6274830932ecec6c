/* Comparing the calls of ranks; see the header.
 *
 * Method: every rank sends rank 0 its call in words, and rank 0 answers with what is wrong, or nothing. Contexts on the
 * same ranks do so by one communicator, so that calls in different contexts meet.
 * Cost: two messages of 2 KiB between rank 0 and each other rank.
 * Source: B. Krammer, M. S. Mueller, M. M. Resch, MPI application development using the analysis tool MARMOT, 2004. */
#include "checked/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked/arguments.h"
#include "checked/call.h"
#include "checked/registry.h"
#include "runtime/backend/wait.h"
#include "runtime/base/abort_ranks.h"
#include "runtime/base/allocate.h"

enum { ORDER_TAG = 11, CALL_SIZE = 512 };
/* After so long the ranks that wait say so. */
static const int64_t patience_ns = 10000000000;

/* What a rank is about to do. */
typedef struct bmf_rank_call {
    int64_t context; /* among those on the same ranks */
    char call[CALL_SIZE];
    char misuse[BMF_MESSAGE_SIZE];
} bmf_rank_call;

/* Where ranks wait for one another. */
typedef struct waiting {
    bmf_context *ctx;
    const bmf_rank_call *mine;
    bool ends; /* the program, which must not wait for ever */
} waiting;

static void say_who_waits(const waiting *w, int missing)
{
    if (w->ctx->rank > 1 && !w->ends)
        return; /* rank 1 says it of rank 0 */
    fprintf(stderr, "bmf: rank %d has waited for rank %d for %" PRId64 " seconds, in %s\n", w->ctx->rank, missing,
            patience_ns / 1000000000, w->mine->call);
    if (w->ends)
        abort_ranks(bmf_exit_code(BMF_ERROR_ARGUMENT));
}

/* Waits for the messages from or to `count` ranks; request k is that of rank first + k. */
static void wait_for_ranks(const waiting *w, int first, int count, MPI_Request *request)
{
    const int64_t limit = context_now(w->ctx) + patience_ns;
    int tries = 0;
    bool told = false;
    for (int k = 0; k < count; k++) {
        for (int done = 0; !done;) {
            MPI_Test(&request[k], &done, MPI_STATUS_IGNORE);
            if (!done && !told && context_now(w->ctx) > limit) {
                say_who_waits(w, first + k);
                told = true;
            }
            if (!done)
                wait_step(w->ctx, &tries);
        }
    }
}

/* ---- rank 0 ---- */

static bool is_same_call(const bmf_rank_call *a, const bmf_rank_call *b)
{
    return a->context == b->context && strcmp(a->call, b->call) == 0;
}

/* "" if all is well; the same text on every rank follows. */
static void judge(int ranks, const bmf_rank_call *call, char text[BMF_MESSAGE_SIZE])
{
    int failed = -1, others = 0;
    *text = '\0';
    for (int r = ranks - 1; r >= 0; r--)
        if (*call[r].misuse)
            failed = r;
    for (int r = 0; failed >= 0 && r < ranks; r++)
        others += strcmp(call[r].misuse, call[failed].misuse) != 0;
    if (failed >= 0 && others > 0)
        snprintf(text, BMF_MESSAGE_SIZE, "%.980s (rank %d)", call[failed].misuse, failed);
    else if (failed >= 0)
        snprintf(text, BMF_MESSAGE_SIZE, "%s", call[failed].misuse);
    for (int r = 1; !*text && r < ranks; r++) {
        if (is_same_call(&call[0], &call[r]))
            continue;
        if (call[0].context == call[r].context)
            snprintf(text, BMF_MESSAGE_SIZE, "ranks differ: rank 0 calls %.440s, rank %d calls %.440s", call[0].call, r,
                     call[r].call);
        else
            snprintf(text, BMF_MESSAGE_SIZE,
                     "ranks differ: rank 0 calls %.400s in context %" PRId64
                     ", rank %d calls %.400s in context %" PRId64,
                     call[0].call, call[0].context, r, call[r].call, call[r].context);
    }
}

static void lead(const waiting *w, char text[BMF_MESSAGE_SIZE])
{
    const int others = w->ctx->ranks - 1;
    bmf_rank_call *call = allocate_clear(w->ctx->ranks, (int64_t)sizeof *call);
    MPI_Request *request = allocate_array(others, (int64_t)sizeof *request);
    call[0] = *w->mine;
    for (int r = 1; r <= others; r++)
        MPI_Irecv(&call[r], (int)sizeof *call, MPI_BYTE, r, ORDER_TAG, w->ctx->comm, &request[r - 1]);
    wait_for_ranks(w, 1, others, request);
    judge(w->ctx->ranks, call, text);
    for (int r = 1; r <= others; r++)
        MPI_Isend(text, BMF_MESSAGE_SIZE, MPI_CHAR, r, ORDER_TAG, w->ctx->comm, &request[r - 1]);
    wait_for_ranks(w, 1, others, request);
    free(request);
    free(call);
}

/* ---- the others ---- */

static void follow(const waiting *w, char text[BMF_MESSAGE_SIZE])
{
    MPI_Request request[2];
    MPI_Irecv(text, BMF_MESSAGE_SIZE, MPI_CHAR, 0, ORDER_TAG, w->ctx->comm, &request[0]);
    MPI_Isend(w->mine, (int)sizeof *w->mine, MPI_BYTE, 0, ORDER_TAG, w->ctx->comm, &request[1]);
    wait_for_ranks(w, 0, 1, request);
    wait_for_ranks(w, 0, 1, request + 1);
}

bool order_agree(bmf_checked_call *call)
{
    const bmf_checked_context *context = registry_context(call->context);
    bmf_context *ctx = registry_peer(context)->ctx;
    bmf_rank_call mine = {.context = context->number};
    const waiting w = {ctx, &mine, call->arguments == 0};
    if (ctx->ranks == 1)
        return !*call->misuse;
    arguments_print(call, mine.call, sizeof mine.call);
    snprintf(mine.misuse, sizeof mine.misuse, "%s", call->misuse);
    (ctx->rank == 0 ? lead : follow)(&w, call->misuse);
    return !*call->misuse;
}
