/** @file
 * Status codes and messages.
 *
 * Every fallible function of bmf returns an int: BMF_OK (0) or a positive bmf_status. A call that returns a
 * positive status changed nothing the caller can see. The text of the last error is in the context
 * (bmf_error_text). Collective functions return the same status on every rank: a rank that alone sees an error sends
 * marks instead of data until all ranks have heard of it, and every rank then holds the text of the first failure, by
 * the order of the program and then of ranks. docs/errors.md says how.
 */
#ifndef BMF_STATUS_H
#define BMF_STATUS_H

#include <bmf/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context: ranks, threads, processors, options (bmf/context.h); opaque. */
typedef struct bmf_context bmf_context;

/** What functions return; every code has an exit code. */
typedef enum bmf_status {
    BMF_OK = 0,
    BMF_ERROR_USAGE,    /**< bad option or environment variable; exit code 2 */
    BMF_ERROR_ARGUMENT, /**< an argument outside its range; exit code 2 */
    BMF_ERROR_SHAPE,    /**< lists that do not conform, or too few processors; exit code 2 */
    BMF_ERROR_TYPE,     /**< a type that does not fit the operation; exit code 2 */
    BMF_ERROR_INDEX,    /**< an index outside its list; exit code 2 */
    BMF_ERROR_FILE,     /**< a file that cannot be read, written or understood; exit code 2 */
    BMF_ERROR_KERNEL,   /**< a user kernel reported failure; exit code 1 */
    BMF_ERROR_MEMORY,   /**< out of memory; exit code 1 */
    BMF_ERROR_INTERNAL, /**< a broken invariant; exit code 1 */
    BMF_ERROR_OUTPUT    /**< standard output that cannot be written; exit code 1 */
} bmf_status;

/** The exit code of a program that ends with this status: 0, 1 or 2 as in the table above. Not collective. */
BMF_API int bmf_exit_code(int status);

/** A short name of the status in words, such as "index out of range". Static storage. Not collective. */
BMF_API const char *bmf_status_name(int status);

/** Stores a message in the context and returns status, so that callers write `return bmf_fail(...)`.
 * Not collective. ctx may be NULL (before bmf_open): the message then goes to the process-wide slot.
 * The text is one line without the "bmf: " prefix; it is cut at 1023 bytes. */
BMF_API int bmf_fail(bmf_context *ctx, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** The message of the last error, or "". Owned by the context, valid until the next error. Not collective. ctx NULL: of
 * the last error without a context, or of the last context that was closed or could not be opened. */
BMF_API const char *bmf_error_text(const bmf_context *ctx);

/** Agrees on one status among all ranks. Collective over the context.
 * Returns BMF_OK on every rank if all passed BMF_OK, otherwise the status of the lowest failing rank, whose
 * message is then in every rank's context.
 * Moves: one non-blocking allreduce of 8 bytes; on failure one broadcast of 1 KiB. */
BMF_API int bmf_agree(bmf_context *ctx, int status);

/** Ends the program if status is not BMF_OK: the lowest rank prints "bmf: MESSAGE" once on standard error, MPI is
 * finalised and the process exits with bmf_exit_code(status). Collective when status is the same on every rank
 * (which it is for every collective bmf function). Returns only on BMF_OK.
 * With several contexts open it is the one with this process's last error whose message is printed and whose ranks end
 * together; if it has not all ranks of MPI_COMM_WORLD, MPI_Abort takes the others down. */
BMF_API void bmf_exit_on_error(int status);
/** The same for an error of this context. Collective over it. */
BMF_API void bmf_exit_on_error_in(bmf_context *ctx, int status);

/* What to do with a status, from programs of one page to parts of programs that must not end:
 *
 *   BMF_CHECK(call)                ends the program as bmf_exit_on_error does
 *   BMF_TRY(call)                  returns the status to the caller, of a function that returns one and holds nothing
 *   BMF_TRY_OR(call, cleanup)      runs the statement cleanup, then returns the status
 *   BMF_TRY_GOTO(call, status, label)
 *                                  stores the status in the variable and goes to the label, where a function that holds
 *                                  more frees it, whatever happened:
 *
 *     int norm(bmf_context *ctx, const bmf_list *xs, double *sum)
 *     {
 *         bmf_list *squares = NULL;
 *         int status;
 *         BMF_TRY_GOTO(bmf_map(xs, &square, &squares), status, done);
 *         BMF_TRY_GOTO(bmf_reduce(squares, &bmf_plus_real, sum), status, done);
 *     done:
 *         bmf_list_free(squares);
 *         return status;
 *     }
 *
 * The status is the same on every rank after a collective function, so that all ranks take the same way. The message is
 * bmf_error_text(ctx). The program, its MPI and other contexts go on; so does this context. */
/** Ends the program as bmf_exit_on_error does if the call failed. */
#define BMF_CHECK(call) bmf_exit_on_error(call)

/** Returns the status of the call to the caller if it is not BMF_OK. */
#define BMF_TRY(call) BMF_TRY_OR(call, (void)0)

/** The same after the statement cleanup. */
#define BMF_TRY_OR(call, cleanup)                                                                                      \
    do {                                                                                                               \
        int bmf_try_status_ = (call);                                                                                  \
        if (bmf_try_status_ != BMF_OK) {                                                                               \
            cleanup;                                                                                                   \
            return bmf_try_status_;                                                                                    \
        }                                                                                                              \
    } while (0)

/** Stores the status of the call and goes to the label if it is not BMF_OK. */
#define BMF_TRY_GOTO(call, status, label)                                                                              \
    do {                                                                                                               \
        (status) = (call);                                                                                             \
        if ((status) != BMF_OK)                                                                                        \
            goto label;                                                                                                \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
