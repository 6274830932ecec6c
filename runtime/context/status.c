/* Status codes, messages, and the one place where a program ends because of an error. */
#include "bmf/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/abort_ranks.h"
#include "runtime/base/launcher.h"
#include "runtime/base/message.h"
#include "runtime/base/text.h"
#include "runtime/context/private.h"
#include "runtime/backend/wait.h"

/* Of errors without a context, and of contexts that are closed. */
static char process_message[BMF_MESSAGE_SIZE];
/* The open context that has the last message of this process; NULL: process_message is it. */
static bmf_context *last_failed;

/* A rank that ends alone waits this long for the others before it takes them down: long enough for ranks that
 * arrive with the same error, short enough that nobody hangs. */
static const int64_t exit_timeout_ns = 5000000000;

int bmf_exit_code(int status)
{
    switch (status) {
    case BMF_OK:
        return 0;
    case BMF_ERROR_KERNEL:
    case BMF_ERROR_MEMORY:
    case BMF_ERROR_INTERNAL:
    case BMF_ERROR_OUTPUT:
        return 1;
    default:
        return 2;
    }
}

const char *bmf_status_name(int status)
{
    static const char *const name[] = {"success",
                                       "bad usage",
                                       "bad argument",
                                       "lists that do not conform",
                                       "type that does not fit",
                                       "index out of range",
                                       "bad file",
                                       "failure of a kernel",
                                       "out of memory",
                                       "internal error",
                                       "bad standard output"};
    return status >= 0 && status < (int)(sizeof name / sizeof name[0]) ? name[status] : "unknown status";
}

int bmf_fail(bmf_context *ctx, int status, const char *format, ...)
{
    /* Formatted aside first: the old message may be among the arguments. */
    char text[BMF_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_make_printable(text);
    memcpy(ctx ? ctx->message : process_message, text, sizeof text);
    last_failed = ctx;
    return status;
}

void keep_message(const bmf_context *ctx)
{
    if (ctx != last_failed)
        return;
    memcpy(process_message, ctx->message, sizeof process_message);
    last_failed = NULL;
}

const char *bmf_error_text(const bmf_context *ctx)
{
    return ctx ? ctx->message : process_message;
}

void remember_failed(bmf_context *ctx)
{
    last_failed = ctx;
}

int bmf_agree(bmf_context *ctx, int status)
{
    return ctx->backend->agree(ctx, status);
}

/* True if every rank of the context came to the end before the timeout. A barrier of messages (Hensgen, Finkel and
 * Manber, 1988): ranks that are elsewhere may be in a collective call, which must not be taken for another. */
static bool barrier_with_timeout(bmf_context *ctx)
{
    enum { EXIT_TAG = 10 };
    const int64_t limit = context_now(ctx) + exit_timeout_ns;
    int tries = 0;
    for (int distance = 1; distance < ctx->ranks; distance *= 2) {
        const int to = (ctx->rank + distance) % ctx->ranks, from = (ctx->rank + ctx->ranks - distance) % ctx->ranks;
        MPI_Request request[2];
        int done = 0;
        MPI_Irecv(NULL, 0, MPI_CHAR, from, EXIT_TAG, ctx->comm, &request[0]);
        MPI_Isend(NULL, 0, MPI_CHAR, to, EXIT_TAG, ctx->comm, &request[1]);
        while (!done) {
            MPI_Testall(2, request, &done, MPI_STATUSES_IGNORE);
            if (!done && context_now(ctx) > limit)
                return false;
            if (!done)
                wait_step(ctx, &tries);
        }
    }
    return true;
}

static bool mpi_is_up(void)
{
    int initialised = 0, finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    return initialised && !finalised;
}

static int world_rank(void)
{
    int rank = launcher_rank(), ranks = 1; /* the launcher's: all that is left when MPI is finalised */
    if (mpi_is_up())
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 1)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* ctx may be NULL: nothing is open. */
static _Noreturn void end_program(bmf_context *ctx, const char *text, int status)
{
    const char *line = *text ? text : bmf_status_name(status);
    int rank = world_rank();
    if (ctx && !barrier_with_timeout(ctx)) {
        wait_for_lower_ranks(); /* others may have waited for the same one */
        fprintf(stderr, "bmf: %s (rank %d only)\n", line, rank);
        abort_ranks(bmf_exit_code(status));
    }
    if ((ctx ? ctx->rank : rank) == 0)
        message_line("bmf", line);
    else if (!ctx && !mpi_is_up())
        wait_for_first_rank(); /* launchers may end all ranks when one has ended with an error */
    fflush(NULL);
    /* Ranks outside the context do not know that this is the end. They are taken down when the line is out. */
    if (ctx && !ctx->whole_world) {
        barrier_with_timeout(ctx);
        abort_ranks(bmf_exit_code(status));
    }
    if (mpi_is_up())
        MPI_Finalize();
    exit(bmf_exit_code(status));
}

void bmf_exit_on_error(int status)
{
    bmf_context *ctx = last_failed;
    if (status == BMF_OK)
        return;
    end_program(ctx ? ctx : first_context(), bmf_error_text(ctx), status);
}

void bmf_exit_on_error_in(bmf_context *ctx, int status)
{
    if (status != BMF_OK)
        end_program(ctx, bmf_error_text(ctx), status);
}
