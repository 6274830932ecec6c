/* The functions of bmf/context.h, bmf/mpi.h and bmf/status.h.
 *
 * Not here: bmf_fail, which takes any number of arguments; bmf_place_enter, whose text is a macro's; bmf_open and
 * bmf_exit_on_error, which have no context yet or no longer; what takes no pointer. */
#include "bmf/mpi.h"
#include "checked/checked.h"

/* clang-format off */

STATUS_FUNCTION(bmf_open, (int *argc, char ***argv, bmf_context **ctx), (argc, argv, ctx),
                BMF_OWN_THREAD, NEW_CONTEXT(ctx))
STATUS_FUNCTION(bmf_open_with, (MPI_Comm comm, const bmf_options *options, bmf_context **ctx), (comm, options, ctx),
                BMF_OWN_THREAD, NEW_CONTEXT(ctx))
VALUE_FUNCTION(int, bmf_close, (bmf_context *ctx), (ctx),
               BMF_COLLECTIVE, LAST_CONTEXT(ctx))

VALUE_FUNCTION(int, bmf_rank, (const bmf_context *ctx), (ctx),
               BMF_ANY_THREAD, CONTEXT(ctx))
VALUE_FUNCTION(int, bmf_ranks, (const bmf_context *ctx), (ctx),
               BMF_ANY_THREAD, CONTEXT(ctx))
VALUE_FUNCTION(bool, bmf_is_root, (const bmf_context *ctx), (ctx),
               BMF_ANY_THREAD, CONTEXT(ctx))
VALUE_FUNCTION(int, bmf_threads, (const bmf_context *ctx), (ctx),
               BMF_ANY_THREAD, CONTEXT(ctx))
VALUE_FUNCTION(int64_t, bmf_processors, (const bmf_context *ctx), (ctx),
               BMF_ANY_THREAD, CONTEXT(ctx))
VALUE_FUNCTION(int, bmf_rank_of, (const bmf_context *ctx, int64_t processor), (ctx, processor),
               BMF_ANY_THREAD, CONTEXT(ctx), INDEX(processor, BMF_INDEX_PROCESSOR))
VALUE_FUNCTION(int64_t, bmf_first_processor, (const bmf_context *ctx, int rank), (ctx, rank),
               BMF_ANY_THREAD, CONTEXT(ctx), INDEX(rank, BMF_INDEX_RANK_END))

STATUS_FUNCTION(bmf_set_processors, (bmf_context *ctx, int64_t processors), (ctx, processors),
                BMF_COLLECTIVE, CONTEXT(ctx), NUMBER(processors))
VOID_FUNCTION(bmf_set_reproducible, (bmf_context *ctx, bool reproducible), (ctx, reproducible),
              BMF_COLLECTIVE, CONTEXT(ctx), NUMBER(reproducible))
VALUE_FUNCTION(bool, bmf_is_reproducible, (const bmf_context *ctx), (ctx),
               BMF_ANY_THREAD, CONTEXT(ctx))
STATUS_FUNCTION(bmf_set_schedule, (bmf_context *ctx, const char *skeleton, const char *algorithm),
                (ctx, skeleton, algorithm),
                BMF_COLLECTIVE, CONTEXT(ctx), TEXT(skeleton), OPTIONAL_TEXT(algorithm))
VOID_FUNCTION(bmf_set_plan_stream, (bmf_context *ctx, FILE *stream), (ctx, stream),
              BMF_COLLECTIVE, CONTEXT(ctx))

VALUE_FUNCTION(bmf_statistics, bmf_local_statistics, (const bmf_context *ctx), (ctx),
               BMF_ANY_THREAD, CONTEXT(ctx))
STATUS_FUNCTION(bmf_total_statistics, (bmf_context *ctx, bmf_statistics *total), (ctx, total),
                BMF_COLLECTIVE, CONTEXT(ctx), MEMORY(total))
VALUE_FUNCTION(double, bmf_seconds, (const bmf_context *ctx), (ctx),
               BMF_ANY_THREAD, CONTEXT(ctx))
STATUS_FUNCTION(bmf_max_seconds, (bmf_context *ctx, double seconds, double *slowest), (ctx, seconds, slowest),
                BMF_COLLECTIVE, CONTEXT(ctx), MEMORY(slowest))
VOID_FUNCTION(bmf_barrier, (bmf_context *ctx), (ctx),
              BMF_COLLECTIVE, CONTEXT(ctx))
VOID_FUNCTION(bmf_region_begin, (bmf_context *ctx, const char *name), (ctx, name),
              BMF_COLLECTIVE, CONTEXT(ctx), TEXT(name), REGION(1))
VOID_FUNCTION(bmf_region_begin_keyed, (bmf_context *ctx, const char *name, int64_t key), (ctx, name, key),
              BMF_COLLECTIVE, CONTEXT(ctx), TEXT(name), NUMBER(key), REGION(1))
VOID_FUNCTION(bmf_region_end, (bmf_context *ctx), (ctx),
              BMF_COLLECTIVE, CONTEXT(ctx), REGION(-1))

VALUE_FUNCTION(const char *, bmf_error_text, (const bmf_context *ctx), (ctx),
               BMF_ANY_THREAD, OPTIONAL_CONTEXT(ctx))
STATUS_FUNCTION(bmf_agree, (bmf_context *ctx, int failure), (ctx, failure),
                BMF_COLLECTIVE, CONTEXT(ctx))
VOID_FUNCTION(bmf_exit_on_error_in, (bmf_context *ctx, int status), (ctx, status),
              BMF_ANY_THREAD, CONTEXT(ctx))
