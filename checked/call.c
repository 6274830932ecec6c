/* What happens around a checked call.
 *
 * Method: the arguments, the thread, then, of a collective function, an agreement of all ranks that they make the same
 * call. Misuse has the status BMF_ERROR_ARGUMENT; where a function returns none, where no context says where the other
 * ranks are, or in a thread that must not ask them, the program ends with the line.
 * BMF_DEBUG is read when the program is loaded. With it MPI, if bmf initialised it, ends with the program instead of
 * with the last context, so that misuse after that can still end all ranks. */
#include "checked/call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checked/arguments.h"
#include "checked/order.h"
#include "checked/registry.h"
#include "runtime/base/abort_ranks.h"
#include "runtime/base/text.h"

bool checking;

static _Thread_local const bmf_checked_call *current;
static bool mpi_is_over; /* as far as the program can tell */

/* ---- the process ---- */

static int finalise_at_exit(void)
{
    mpi_is_over = true;
    return MPI_SUCCESS;
}

/* The end of the program is a call as well: a rank that comes there while others are in a collective call leaves them
 * waiting. */
static void end_contexts(void)
{
    for (int64_t k = 0; k < registry_contexts(); k++) {
        const bmf_checked_context *context = registry_context(k);
        bmf_checked_call end = {.function = "exit", .manner = BMF_COLLECTIVE, .context = k};
        if (context->open && pthread_equal(context->thread, pthread_self()) && !order_agree(&end))
            misuse_end(end.misuse);
    }
}

static void end_program(void)
{
    int initialised = 0, finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (!initialised || finalised || current)
        return;
    end_contexts();
    if (mpi_is_over)
        MPI_Finalize();
}

__attribute__((constructor)) static void start_checking(void)
{
    const char *value = getenv("BMF_DEBUG");
    checking = value && *value && strcmp(value, "0") != 0;
    if (!checking)
        return;
    registry_start();
    finalise_hook = finalise_at_exit;
}

/* Registered when MPI is up, so that it runs before what MPI's libraries do at the end. */
static void start_ending(void)
{
    static bool registered;
    if (!registered)
        atexit(end_program);
    registered = true;
}

/* ---- misuse ---- */

const bmf_checked_call *call_current(void)
{
    return current;
}

void call_misused(bmf_checked_call *call, const char *format, ...)
{
    if (*call->misuse)
        return;
    const int used = snprintf(call->misuse, sizeof call->misuse, "%s: ", call->function);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call->misuse + used, sizeof call->misuse - (size_t)used, format, arguments);
    va_end(arguments);
}

_Noreturn void misuse_end(const char *line)
{
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    char text[BMF_MESSAGE_SIZE];
    while (atomic_flag_test_and_set(&ending))
        pause(); /* another thread ends the program, for the same reason or not */
    snprintf(text, sizeof text, "%s", line);
    text_make_printable(text);
    wait_for_lower_ranks();
    fprintf(stderr, "bmf: %s\n", text);
    abort_ranks(bmf_exit_code(BMF_ERROR_ARGUMENT));
}

/* Where a message goes: the context the call concerns if it is open. */
static bmf_context *message_context(const bmf_checked_call *call)
{
    const bmf_checked_context *context = call->context < 0 ? NULL : registry_context(call->context);
    return context && context->open ? context->ctx : NULL;
}

/* ---- calls ---- */

static bool is_own_thread(const bmf_checked_call *call)
{
    return pthread_equal(registry_context(call->context)->thread, pthread_self());
}

static void check_thread(bmf_checked_call *call)
{
    if (call->manner == BMF_ANY_THREAD || call->context < 0)
        return;
    if (!is_own_thread(call)) {
        *call->misuse = '\0'; /* whatever else is wrong */
        call_misused(call, "called by another thread than the one that opened the context");
    } else if (call->outer && call->manner == BMF_COLLECTIVE)
        call_misused(call, "called from inside %s", call->outer->function);
}

static void check_opening(bmf_checked_call *call)
{
    for (int k = 0; k < call->arguments && mpi_is_over; k++)
        if (call->argument[k].kind == BMF_ARGUMENT_OUTPUT && call->argument[k].handle == BMF_HANDLE_CONTEXT)
            call_misused(call, "MPI is finalised already, by bmf_close");
}

/* All ranks of the context can be asked. */
static bool reaches_ranks(const bmf_checked_call *call)
{
    const bmf_checked_context *context = call->context < 0 ? NULL : registry_context(call->context);
    return context && context->open && !call->outer && is_own_thread(call);
}

static void look_at(bmf_checked_call *call)
{
    call->context = -1;
    call->outer = current;
    arguments_check(call);
    check_thread(call);
    check_opening(call);
    if (call->manner != BMF_COLLECTIVE)
        return;
    if (call->context < 0)
        call->context = registry_only_context();
    if (reaches_ranks(call))
        order_agree(call);
}

int call_begin(bmf_checked_call *call)
{
    look_at(call);
    if (!*call->misuse) {
        current = call;
        return BMF_OK;
    }
    bmf_context *ctx = message_context(call);
    /* The others may already be waiting, and nothing says where; or the context's thread may be in MPI, which another
     * one must not enter even to tell them. */
    const bool other_thread = call->manner != BMF_ANY_THREAD && call->context >= 0 && !is_own_thread(call);
    if (other_thread || (!ctx && call->manner == BMF_COLLECTIVE))
        misuse_end(call->misuse);
    return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s", call->misuse);
}

int call_end(bmf_checked_call *call, int status)
{
    current = call->outer;
    if (status == BMF_OK)
        arguments_register(call);
    if (registry_contexts() > 0)
        start_ending();
    return status;
}

void call_enter(bmf_checked_call *call)
{
    look_at(call);
    if (*call->misuse)
        misuse_end(call->misuse);
    current = call;
}

void call_leave(bmf_checked_call *call)
{
    call_end(call, BMF_OK);
}

bmf_partition *call_give_partition(const bmf_checked_call *call, bmf_partition *partition)
{
    registry_add(BMF_HANDLE_PARTITION, partition, call->context, call->function);
    return partition;
}
